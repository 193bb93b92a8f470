/* Chebyshev's semi-iteration (Golub and Varga, Numer. Math. 3 (1961) 147) of a fixed-point iteration y' = y + D(y) that converges slowly: a
 * step y' - y is w D + (w - 1) times the step before, w by a bound for the iteration's spectral radius alone. Nothing is summed over
 * particles, so that bits do not depend on who computes what. */
#ifndef KDR_METHOD_SEMI_ITERATION_H
#define KDR_METHOD_SEMI_ITERATION_H

#include <stdbool.h>

#include "../particles/arithmetic.h"

typedef struct kdr_semi_iteration {
    double weight; /* w, of the next correction: 1 until it is accelerated */
    double square; /* of the bound rho; 0: not accelerated */
    double factor; /* by which an iteration takes the error down in the long run */
    double size;   /* the largest step, when it had last become half as large; */
    int solved;    /* iterations that left no particle open: without acceleration the second is the last, for smooth errors fall last */
    double left;   /* and what is left since then of the error that it had, if there were no roundings */
    double least;  /* what may be left: an error is 1 / (1 - rho) steps at worst */
} kdr_semi_iteration;

static inline kdr_semi_iteration kdr_semi_iteration_none(void) { return (kdr_semi_iteration){.weight = 1.0}; }

/* Iteration n, from 1 on, has left a largest step of this size behind one of `last`: it is slow. The first few say nothing. */
static inline bool kdr_semi_iteration_is_slow(int n, double size, double last) { return n >= 4 && size > 0.5 * last; }

/* The largest sum of magnitudes in a row of th g, g as kdr_slopes_fn has it: no eigenvalue is larger. */
double kdr_semi_iteration_bound(int dims, const double g[6], double th);

/* From here on, whose largest step is of this size: rho = s / (1 + s), s the largest bound of a particle that moves. With B the other
 * forces' J of each particle, in which no eigenvalue is below 1, and S >= 0 its own share of what acts between pairs, the pairs' whole is
 * between 0 and 2 S as a quadratic form, and the iteration's matrix, 1 - (B + S)^-1 (B + pairs), between -rho and rho. */
void kdr_semi_iteration_begin(kdr_semi_iteration *iteration, double s, double size);

/* Behind an iteration with a largest step of this size, and one of `last` before it: the weight of the next one. Whether steps have long
 * been what roundings make of them. Of two, since the error swings: a correction is 0 in the middle, and a step at the turn. */
bool kdr_semi_iteration_next(kdr_semi_iteration *iteration, double size, double last);

#endif
