/* Rows of the caller's own, and methods that he composes. */
#ifndef KDR_PROBLEM_CALLER_H
#define KDR_PROBLEM_CALLER_H

#include "../method/composition.h"

/* A row of the caller's own: checked, and laid out as the tables have theirs. It points into itself: do not copy it. */
typedef struct kdr_caller_row {
    kdr_row row;
    kdr_runge_kutta_row runge_kutta;
    kdr_splitting_row splitting;
    double joint[2][KDR_MAX_FRACTIONS]; /* the parts of a drift that ends one substep of a composition and begins the next, or 0 */
} kdr_caller_row;

kdr_status kdr_caller_tableau(const kdr_tableau *tableau, kdr_caller_row *made, kdr_error *error);
kdr_status kdr_caller_fractions(const kdr_fractions *fractions, kdr_caller_row *made, kdr_error *error);

/* What checked substeps take a row through. */
kdr_substepping kdr_substepping_of(const kdr_substeps *substeps);

/* The row of a method, composed by checked substeps, and what it is taken through. `order`: of the composition, 0 when nobody knows. */
kdr_status kdr_caller_composition(const kdr_row *row, const kdr_substeps *substeps, int order, kdr_caller_row *made,
                                  kdr_substepping *substepping, kdr_error *error);

#endif
