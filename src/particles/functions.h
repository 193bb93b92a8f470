/* Functions of one double for what is computed once a stage or once a run: driven fields, heat baths. Their bits are the same on every
 * processor and with every C library, and their errors are below one unit in the last place (docs/engine.md, "Functions"). */
#ifndef KDR_PARTICLES_FUNCTIONS_H
#define KDR_PARTICLES_FUNCTIONS_H

/* The sine and the cosine of any angle in radians; NaN if it is infinite. */
double kdr_sin(double angle);
double kdr_cos(double angle);

/* exp(a) - 1 */
double kdr_expm1(double a);

#endif
