/* These functions of one double serve what is computed once a stage or once a run: driven fields and heat baths. Their bits are the same
 * on every processor and with every C library, and their errors are below one unit in the last place (docs/internals/engine.md). */
#ifndef KDR_PARTICLES_FUNCTIONS_H
#define KDR_PARTICLES_FUNCTIONS_H

/* Computes the sine and the cosine of any angle in radians, which cost hardly more than one; both are NaN if it is not finite. */
void kdr_sin_cos(double angle, double *sine, double *cosine);
double kdr_cos(double angle);

/* Returns exp(a) - 1. */
double kdr_expm1(double a);

#endif
