/* These functions of one double serve what is computed once a stage or once a run: driven fields and heat baths. Their bits are the same
 * on every processor and with every C library, and their errors are below one unit in the last place (docs/engine.md, "Functions"). */
#ifndef KDR_PARTICLES_FUNCTIONS_H
#define KDR_PARTICLES_FUNCTIONS_H

/* Return the sine and the cosine of any angle in radians, or NaN if it is not finite. */
double kdr_sin(double angle);
double kdr_cos(double angle);

/* Returns exp(a) - 1. */
double kdr_expm1(double a);

#endif
