/* The families of methods: one constant descriptor each, which every row of the family points to. What users may know of a family is
 * public, kdr_family_info; the rest is here. Code that depends on the family of a row asks its descriptor, or has a table by kdr_family of
 * its own. */
#ifndef KDR_METHOD_FAMILY_H
#define KDR_METHOD_FAMILY_H

#include <kickdrift/method.h>

#include "../particles/arithmetic.h"

struct kdr_row;
struct kdr_affine_map;

enum { KDR_SCALED_STAGES = 6 }; /* the most stages of a Runge-Kutta or Nystrom row that is scaled */

/* A row's coefficients times the step: of a splitting row kick and drift are h times the fractions; of a Runge-Kutta row a_ij is h a_ij,
 * weight the ratio, scale h times the scale; a Nystrom row has these too, but h a_ij / c_i for a_ij, and h times its c and b; of an
 * implicit row th is c h; of a multistep row scale is h^2. Of a kinematic row's map of the step, of each axis: of x, then of v, the
 * factors of v and of x and the constant.
 * `scaled` are all numbers of either, one behind the other: a row has those up to its last stage. */
#define KDR_SCALED(real)                                                                                                                   \
    union {                                                                                                                                \
        struct {                                                                                                                           \
            real kick, drift;                                                                                                              \
        } part[KDR_MAX_FRACTIONS];                                                                                                         \
        struct {                                                                                                                           \
            real h, th, scale, weight[KDR_SCALED_STAGES], c[KDR_SCALED_STAGES], b[KDR_SCALED_STAGES],                                      \
                a[KDR_SCALED_STAGES][KDR_SCALED_STAGES];                                                                                   \
        };                                                                                                                                 \
        real map[3][6];                                                                                                                    \
        real scaled[2 * KDR_MAX_FRACTIONS];                                                                                                \
    }

typedef struct kdr_scaled {
    KDR_SCALED(double);
} kdr_scaled;

typedef struct kdr_family_row {
    kdr_family_info info;

    /* When in a step, as fractions of it, the kernels evaluate the acceleration: fills `fraction` and returns how many. The evaluation that
     * a method which keeps its acceleration makes at the start of a run (at fraction 0) is not among them; Newton's iterations, all at one
     * time, are one. */
    int (*times)(const struct kdr_row *row, double fraction[KDR_MAX_FRACTIONS]);

    /* Sets the row's coefficients times the step dt, or what its map of that step is, and returns how many numbers of `scaled` they are, 0
     * where it has none between them. NULL: no row of the family has a hot instance. */
    int (*scale)(const struct kdr_row *row, double dt, const struct kdr_affine_map *map, kdr_scaled *to);
} kdr_family_row;

extern const kdr_family_row kdr_families[KDR_FAMILY_COUNT];

#endif
