/* The table of methods, for the folders that use it. */
#ifndef KDR_METHOD_METHOD_H
#define KDR_METHOD_METHOD_H

#include <kickdrift/method.h>

#include "family.h"
#include "rows.h"

/* A method. Its row has the data of its family, and NULL for all others; multistep and Langevin methods (rows_special.h) have none. */
typedef struct kdr_row {
    kdr_method_info info;
    const kdr_family_row *family;
    struct {
        const kdr_runge_kutta_row *runge_kutta;
        const kdr_splitting_row *splitting;
        const kdr_nystrom_row *nystrom;
        const kdr_implicit_row *implicit;
        const kdr_kinematic_row *kinematic;
        const kdr_magnetic_row *magnetic;
    } data;
} kdr_row;

/* The constants of a Langevin method's heat bath for a step: v += decay v + noise sqrt(inverse mass) xi. */
typedef struct kdr_bath {
    double decay; /* exp(-friction h) - 1 */
    double noise; /* sqrt(temperature (1 - exp(-2 friction h))) */
    uint64_t seed;
} kdr_bath;

/* Returns a method's row; NULL for an unknown enumerator. */
const kdr_row *kdr_row_get(kdr_method method);

/* Returns whether the list begins and ends with a kick, so that the last acceleration of a step is the first of the next. */
static inline bool kdr_splitting_keeps(const kdr_splitting_row *f) { return f->kick[0] != 0.0 && f->drift[f->stages - 1] == 0.0; }

/* Returns whether no fraction between the first kick and the last drift is 0. */
static inline bool kdr_splitting_is_full(const kdr_splitting_row *f) {
    bool full = true;
    for (int i = 0; i + 1 < f->stages; ++i) {
        full = full && f->drift[i] != 0.0 && f->kick[i + 1] != 0.0;
    }
    return full;
}

#endif
