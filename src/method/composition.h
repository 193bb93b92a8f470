/* Composed methods: a step as substeps, each a step of the row with h_s = w_s dt, rounded in double, in place of dt.
 *
 * A splitting row is composed into one row: kick and drift fractions w_s kick_i and w_s drift_i, one behind the other, where a drift that
 * ends a substep and one that begins the next are one, the sum of their fractions, and so are two kicks by an acceleration that is kept
 * between them. Products and sums are rounded in double, in this order. Rows of other families are taken through their substeps in turn.
 * A coupled run with distances takes such drifts one by one, and the distances hold behind each. Held behind their sum alone they would
 * make of it a step of another method, of order 2.
 *
 * What follows a step follows the whole of it: walls and the boundary meet the way from the step's beginning to its end, whatever the
 * substeps in between; a substep back through a wall is no bounce. Compensations go on from substep to substep. An evaluation that the row
 * has at t + c h is at t_n + (b_s + c w_s) dt in substep s, b_s = w_0 + ... + w_{s-1} summed in this order, and 1 at the end; at c = 1 it
 * is at t_n + b_{s+1} dt. */
#ifndef KDR_METHOD_COMPOSITION_H
#define KDR_METHOD_COMPOSITION_H

#include <kickdrift/composition.h>

#include "method.h"

/* The substeps that a row is taken through in a step, as fractions of it, and where each begins; one of 1 where it is not composed, and
 * where the row is. */
typedef struct kdr_substepping {
    int count, lengths;           /* how many, and of how many lengths */
    int length[KDR_MAX_SUBSTEPS]; /* which of them, in the order of their first substeps */
    double fraction[KDR_MAX_SUBSTEPS], begin[KDR_MAX_SUBSTEPS + 1];
} kdr_substepping;

/* The time in a step, as a fraction of it, at a fraction of a substep. */
static inline double kdr_substep_time(const kdr_substepping *substepping, int substep, double fraction) {
    return fraction == 1.0 ? substepping->begin[substep + 1] : substepping->begin[substep] + substepping->fraction[substep] * fraction;
}

/* What is not composed is its own only substep. */
static inline kdr_substepping kdr_substepping_none(void) {
    return (kdr_substepping){.count = 1, .lengths = 1, .fraction = {1.0}, .begin = {0.0, 1.0}};
}

kdr_status kdr_substeps_check(const kdr_substeps *substeps, kdr_error *error);

#endif
