/* The table of methods, as the floors below see it. */
#ifndef KDR_METHOD_METHOD_H
#define KDR_METHOD_METHOD_H

#include <kickdrift/method.h>

#include "rows.h"

typedef struct kdr_row {
    kdr_method_info info;
    union {
        const kdr_runge_kutta_row *runge_kutta; /* KDR_RUNGE_KUTTA */
        const kdr_splitting_row *splitting;     /* KDR_SPLITTING */
        const kdr_nystrom_row *nystrom;         /* KDR_NYSTROM */
        const kdr_implicit_row *implicit;       /* KDR_IMPLICIT */
        const kdr_kinematic_row *kinematic;     /* KDR_KINEMATIC */
    } data;                                     /* none of the families of one method (rows_special.h) */
} kdr_row;

/* What the heat bath of a Langevin method does in a step: v += decay v + noise sqrt(inverse mass) xi. */
typedef struct kdr_bath {
    double decay; /* exp(-friction h) - 1 */
    double noise; /* sqrt(temperature (1 - exp(-2 friction h))) */
    uint64_t seed;
} kdr_bath;

/* NULL for an unknown enumerator. */
const kdr_row *kdr_row_get(kdr_method method);

/* The list begins and ends with a kick, so that the last acceleration of a step is the first of the next. */
static inline bool kdr_splitting_keeps(const kdr_splitting_row *f) { return f->kick[0] != 0.0 && f->drift[f->stages - 1] == 0.0; }

/* When in a step, as fractions of it, the kernels evaluate the acceleration: fills `fraction` and returns how many. The evaluation that a
 * method which keeps its acceleration makes at the start of a run (at fraction 0) is not among them; Newton's iterations, all at one time,
 * are one. */
int kdr_row_times(const kdr_row *row, double fraction[KDR_MAX_FRACTIONS]);

/* A row of the caller's own: checked, and laid out as the tables have theirs. It points into itself: do not copy it. */
typedef struct kdr_own_row {
    kdr_row row;
    kdr_runge_kutta_row runge_kutta;
    kdr_splitting_row splitting;
} kdr_own_row;

kdr_status kdr_own_tableau(const kdr_tableau *tableau, kdr_own_row *own, kdr_error *error);
kdr_status kdr_own_fractions(const kdr_fractions *fractions, kdr_own_row *own, kdr_error *error);

#endif
