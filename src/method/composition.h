/* Composed methods: a step consists of substeps, each a step of the row with h_s = w_s dt, rounded in double, in place of dt.
 *
 * A splitting row is composed into one row: kick and drift fractions w_s kick_i and w_s drift_i, one after the other. A drift that ends
 * a substep and one that begins the next are merged, with the sum of their fractions, and so are two kicks by an acceleration that is
 * kept between them. Products and sums are rounded in double, in this order. Rows of other families repeat their step for each substep.
 * A system run with distances makes merged drifts one by one, and enforces the distances after each: after their sum alone, the step
 * would be one of another method, of order 2.
 *
 * Everything after a step follows the whole step: walls and the boundary use the path from the step's beginning to its end, whatever the
 * substeps in between; a substep back through a wall is no bounce. Compensations continue from substep to substep. An evaluation that
 * the row has at t + c h is at t_n + (b_s + c w_s) dt in substep s, b_s = w_0 + ... + w_{s-1} summed in this order, and 1 at the end; at
 * c = 1 it is at t_n + b_{s+1} dt. */
#ifndef KDR_METHOD_COMPOSITION_H
#define KDR_METHOD_COMPOSITION_H

#include <kickdrift/composition.h>

#include "method.h"

/* The substeps of a step, as fractions of it, and where each begins. There is one of length 1 if the method is not composed, or is
 * composed into one row. */
typedef struct kdr_substepping {
    int count, lengths;           /* number of substeps, and of different lengths */
    int length[KDR_MAX_SUBSTEPS]; /* index of each substep's length, in the order of first occurrence */
    double fraction[KDR_MAX_SUBSTEPS], begin[KDR_MAX_SUBSTEPS + 1];
} kdr_substepping;

/* Returns the time in a step, as a fraction of it, at a fraction of a substep. */
static inline double kdr_substep_time(const kdr_substepping *substepping, int substep, double fraction) {
    return fraction == 1.0 ? substepping->begin[substep + 1] : substepping->begin[substep] + substepping->fraction[substep] * fraction;
}

/* Returns the substepping of a method that is not composed: one substep. */
static inline kdr_substepping kdr_substepping_none(void) {
    return (kdr_substepping){.count = 1, .lengths = 1, .fraction = {1.0}, .begin = {0.0, 1.0}};
}

kdr_status kdr_substeps_check(const kdr_substeps *substeps, kdr_error *error);

#endif
