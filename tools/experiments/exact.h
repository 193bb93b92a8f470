/* Exact solutions with which the experiments are compared. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_EXACT_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_EXACT_H

/* Solves m x'' = -k x - b x' from x0 at rest, for any damping. Returns x at time t, and the velocity in *v if `v` is not NULL. */
double exact_spring(double k, double b, double m, double x0, double t, double *v);

/* Computes the orbit of x'' = -x / |x|^3 with semi-major axis 1 and eccentricity e, `mean` radians of mean anomaly after the perihelion.
 * The perihelion is on the positive x axis, the orbit in the plane z = 0. One revolution takes 2 pi. */
void exact_orbit(double e, double mean, double x[3], double v[3]);

#endif
