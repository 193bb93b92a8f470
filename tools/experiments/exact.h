/* Exact solutions that the experiments are held against. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_EXACT_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_EXACT_H

/* m x'' = -k x - b x' from x0 at rest: x at time t, and the velocity where `v` is given. Under-, over- and critically damped. */
double exact_spring(double k, double b, double m, double x0, double t, double *v);

/* The orbit of x'' = -x / |x|^3 with semi-major axis 1 and eccentricity e, `mean` radians of mean anomaly after the perihelion, which is on
 * the positive x axis, in the plane z = 0. One orbit takes 2 pi. */
void exact_orbit(double e, double mean, double x[3], double v[3]);

#endif
