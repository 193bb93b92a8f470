/* The coefficient rows of the methods: the types of rows are here, the rows in one header per family.
 *
 * Programs can be made of any row. Rows that are used much have specialised kernels too (kernel/hot/list.h), where the benchmark shows a
 * gain. */
#ifndef KDR_METHOD_ROWS_H
#define KDR_METHOD_ROWS_H

#include <kickdrift/method.h>

#include "../particles/arithmetic.h"

/* An explicit Runge-Kutta method, with its weights b_i written as scale * ratio_i, as books write 1/6 (k1 + 2 k2 + 2 k3 + k4).
 * The order of the operations, part of the contract:
 *   stage i:  y_i = y + (h a_i1) k_1 + (h a_i2) k_2 + ..., one fma per term, terms with a_ij = 0 left out;
 *   the step: sum = ratio_1 k_1 + ratio_2 k_2 + ..., the first a product, the others one fma each, ratios of 0 left out, consecutive terms
 *             of equal ratio added up first, as in k1 + 2 (k2 + k3) + k4; last y + (h scale) sum, one fma;
 *   the estimate, where a second method of the same slopes has the weights b^_i: estimate_1 k_1 + estimate_2 k_2 + ...,
 *             estimate_i = b_i - b^_i, the first a product, the others one fma each, those of 0 left out; last h times it, a product.
 *             It is the estimate for x, whose slope at the end of the step is the new v; the weight of that slope follows those of the
 *             stages. */
typedef struct kdr_runge_kutta_row {
    int stages;
    double a[KDR_MAX_STAGES][KDR_MAX_STAGES];
    double c[KDR_MAX_STAGES];
    double scale;
    double ratio[KDR_MAX_STAGES];
    double estimate[KDR_MAX_STAGES + 1]; /* all 0 if there is none */
} kdr_runge_kutta_row;

/* Returns marks for stage i, whose ratio is not 0: KDR_JOINS if its slope joins the run of neighbours of equal ratio before it, KDR_ENDS
 * if it ends that run. Both bits fit next to a column's index. */
enum { KDR_JOINS = 0x8000, KDR_ENDS = 0x4000 };

static inline __attribute__((always_inline)) unsigned kdr_weight_marks(const double *ratio, int stages, int i) {
    return (i > 0 && ratio[i - 1] == ratio[i] ? (unsigned)KDR_JOINS : 0U) |
           (i + 1 == stages || ratio[i + 1] != ratio[i] ? (unsigned)KDR_ENDS : 0U);
}

/* A splitting method: for each i, kick by kick[i] h, then drift by drift[i] h; fractions of 0 are left out. With kick[0] = 0 the method
 * drifts first. A list that begins and ends with a kick keeps its last acceleration for the next step. */
typedef struct kdr_splitting_row {
    int stages;
    double kick[KDR_MAX_FRACTIONS];
    double drift[KDR_MAX_FRACTIONS];
    bool predicts; /* each evaluation sees v + (h kick_i) a, with the a of the evaluation before, in place of v */
} kdr_splitting_row;

/* An explicit Nystrom method for x'' = a(x, t) (Hairer, Norsett, Wanner, "Solving Ordinary Differential Equations I", II.14):
 *   k_i = a(x + c_i h v + h^2 (a_i1 k_1 + a_i2 k_2 + ...), t + c_i h),  x += h v + h^2 sum of b_i k_i,  v += h sum of b'_i k_i,
 * with c_1 = 0 and the weights of v written as b'_i = scale * ratio_i, ratio_1 = 1.
 * The order of the operations, part of the contract, uses the mean velocity w on the way to each stage and to the new x:
 *   stage i:  w = v + (h a_i1 / c_i) k_1 + (h a_i2 / c_i) k_2 + ..., one fma per term, terms of 0 left out; x_i = x + (h c_i) w, one fma;
 *             the first stage's x is x;
 *   the step: w = v + (h b_1) k_1 + ..., in the same way; x + h w, one fma; then v + (h scale) (k_1 + ratio_2 k_2 + ...), one fma per term;
 *   the estimate: h^2 (estimate_1 k_1 + ...), as that of a Runge-Kutta method.
 * This takes as many operations as adding h v and the terms in h^2 to x, but has one rounding of the size of x in place of one per term. */
enum { KDR_NYSTROM_STAGES = 6 };

typedef struct kdr_nystrom_row {
    int stages;
    double a[KDR_NYSTROM_STAGES][KDR_NYSTROM_STAGES];
    double c[KDR_NYSTROM_STAGES];
    bool ends_at_last_stage; /* the new x is the last stage's: its c is 1, and its row of a serves as b */
    double b[KDR_NYSTROM_STAGES];
    double scale;
    double ratio[KDR_NYSTROM_STAGES];
    double estimate[KDR_NYSTROM_STAGES]; /* b_i - b^_i; all 0 if there is none */
} kdr_nystrom_row;

/* Returns the weights of x. */
static inline const double *kdr_nystrom_weights(const kdr_nystrom_row *row) {
    return row->ends_at_last_stage ? row->a[row->stages - 1] : row->b;
}

#include "rows_implicit.h"
#include "rows_kinematic.h"
#include "rows_nystrom.h"
#include "rows_runge_kutta.h"
#include "rows_special.h"
#include "rows_splitting.h"

#endif
