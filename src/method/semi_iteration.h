/* Chebyshev's semi-iteration (Golub and Varga, Numer. Math. 3 (1961) 147), which accelerates a fixed-point iteration y' = y + D(y) that
 * converges slowly. A step y' - y is w D + (w - 1) times the step before, where w depends only on a bound for the iteration's spectral
 * radius. Nothing is summed over particles, so bits do not depend on the executor. */
#ifndef KDR_METHOD_SEMI_ITERATION_H
#define KDR_METHOD_SEMI_ITERATION_H

#include <stdbool.h>

#include "../particles/arithmetic.h"

typedef struct kdr_semi_iteration {
    double weight; /* w for the next correction: 1 until the iteration is accelerated */
    double square; /* square of the bound rho; 0 if not accelerated */
    double factor; /* factor by which an iteration reduces the error in the long run */
    double size;   /* the largest step, when it had last become half as large */
    /* iterations that left no particle open; without acceleration the second is the last, because smooth errors fall last */
    int solved;
    double left;  /* fraction of the error that is left since then, if there were no rounding */
    double least; /* fraction at which to stop: an error is 1 / (1 - rho) steps at worst */
} kdr_semi_iteration;

static inline kdr_semi_iteration kdr_semi_iteration_none(void) { return (kdr_semi_iteration){.weight = 1.0}; }

/* Returns whether iteration n, counted from 1, is slow: its largest step is `size` after one of `last`. The first few iterations say
 * nothing. */
static inline bool kdr_semi_iteration_is_slow(int n, double size, double last) { return n >= 4 && size > 0.5 * last; }

/* Returns the largest sum of magnitudes in a row of th g, with g as in kdr_slopes_fn. No eigenvalue is larger. */
double kdr_semi_iteration_bound(int dims, const double g[6], double th);

/* Begins the acceleration; the largest step now is `size`. rho = s / (1 + s), where s is the largest bound of a moving particle. Let B
 * be the other forces' J of each particle, whose eigenvalues are at least 1, and S >= 0 the particle's own share of pair interactions.
 * The pairs' whole matrix is between 0 and 2 S as a quadratic form, so the iteration's matrix, 1 - (B + S)^-1 (B + pairs), is between
 * -rho and rho. */
void kdr_semi_iteration_begin(kdr_semi_iteration *iteration, double s, double size);

/* Computes the weight of the next iteration, after one with largest step `size` and one of `last` before it. Returns whether steps have
 * long consisted of rounding errors. Two steps are needed, because the error oscillates: a correction is 0 in the middle, and a step at
 * the turn. */
bool kdr_semi_iteration_next(kdr_semi_iteration *iteration, double size, double last);

#endif
