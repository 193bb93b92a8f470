/* User-defined rows of methods, and compositions of methods. */
#ifndef KDR_PROBLEM_USER_METHOD_H
#define KDR_PROBLEM_USER_METHOD_H

#include "../method/composition.h"

/* A user-defined row, checked and laid out like a row of the tables. It must not be copied, because it points into itself. */
typedef struct kdr_user_method_row {
    kdr_row row;
    kdr_runge_kutta_row runge_kutta;
    kdr_splitting_row splitting;
    double joint[2][KDR_MAX_FRACTIONS]; /* the two parts of a drift where substeps of a composition meet; 0 elsewhere */
} kdr_user_method_row;

kdr_status kdr_user_method_tableau(const kdr_tableau *tableau, kdr_user_method_row *made, kdr_error *error);
kdr_status kdr_user_method_fractions(const kdr_fractions *fractions, kdr_user_method_row *made, kdr_error *error);

/* Returns the substeps with their beginnings and different lengths. They must have been checked. */
kdr_substepping kdr_substepping_of(const kdr_substeps *substeps);

/* Composes a method of checked substeps. A splitting becomes one row in `made`; for other methods `substepping` lists the substeps.
 * `order` is the order of the composition, 0 if it is unknown. */
kdr_status kdr_user_method_composition(const kdr_row *row, const kdr_substeps *substeps, int order, kdr_user_method_row *made,
                                       kdr_substepping *substepping, kdr_error *error);

#endif
