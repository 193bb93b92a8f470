/* Results of methods in exact arithmetic: the solution of the method, not of the differential equation. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_ORACLES_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_ORACLES_H

#include <stdint.h>

/* The state at the end, in decimal, with more digits than a double holds. */
typedef struct oracle {
    const char *method; /* such as "rk4" or "velocity-verlet by kahan-li-6" */
    const char *x[2], *v[2];
} oracle;

typedef struct oracle_problem {
    const char *name, *title, *claim;
    int dims;
    double x[3], v[3], dt;
    uint64_t steps;
    const oracle *oracles; /* the last one is empty */
} oracle_problem;

/* Kepler's problem, e = 1/2, from the perihelion (1/2, 0) with velocity (0, sqrt 3), h = 1/64, to t = 1. */
extern const oracle_problem oracle_kepler;

/* x'' = -x from 1 at rest, h = 1/16, to t = 64. */
extern const oracle_problem oracle_oscillator;

#endif
