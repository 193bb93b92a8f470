/* The coefficient rows of the methods: the shape of a row here, the rows themselves in one header a family.
 *
 * To add a method to a family: its row in rows_<family>.h, its enumerator in <kickdrift/method.h>, its entry in method.c and, where it is
 * short enough to be read, its textbook function in reference/textbook.inl. The kernels take any row. One that is used much
 * can have an instance of its own, a line ROW_KERNEL in kernel/kernels.inl, where the benchmark shows that it pays. */
#ifndef KDR_METHOD_ROWS_H
#define KDR_METHOD_ROWS_H

#include <kickdrift/method.h>

/* An explicit Runge-Kutta method, with its weights b_i written as scale * ratio_i, as the textbooks write 1/6 (k1 + 2 k2 + 2 k3 + k4).
 * The order of the operations, part of the contract:
 *   stage i:  y_i = y + (h a_i1) k_1 + (h a_i2) k_2 + ..., one fma a term, terms with a_ij = 0 left out;
 *   the step: stages of equal ratio are added up first, in their order; the sums, times their ratios, are added up in the order of their
 *             first stages, a ratio of 1 by a plain addition and any other by an fma; last y + (h scale) sum, one fma. */
typedef struct kdr_runge_kutta_row {
    int stages;
    double a[KDR_MAX_STAGES][KDR_MAX_STAGES];
    double c[KDR_MAX_STAGES];
    double scale;
    double ratio[KDR_MAX_STAGES];
} kdr_runge_kutta_row;

/* A splitting method: for each i in turn kick by kick[i] h, then drift by drift[i] h; a fraction of 0 is left out.
 * kick[0] = 0 makes a method that drifts first. A list that begins and ends with a kick keeps its last acceleration for the next step. */
typedef struct kdr_splitting_row {
    int stages;
    double kick[KDR_MAX_FRACTIONS];
    double drift[KDR_MAX_FRACTIONS];
    bool predicts; /* each evaluation sees v + (h kick_i) a, with the a of the evaluation before, in place of v */
} kdr_splitting_row;

#include "rows_implicit.h"
#include "rows_runge_kutta.h"
#include "rows_splitting.h"

#endif
