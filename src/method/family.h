/* The families of methods: one constant descriptor each, to which every row of the family points. kdr_family_info is public; the rest is
 * here. Code that depends on the family of a row asks its descriptor, or has a table of its own by kdr_family. */
#ifndef KDR_METHOD_FAMILY_H
#define KDR_METHOD_FAMILY_H

#include <kickdrift/method.h>

#include "../particles/arithmetic.h"

struct kdr_row;
struct kdr_affine_map;

enum { KDR_SCALED_STAGES = 6 }; /* the most stages of a Runge-Kutta or Nystrom row that is scaled */

/* A row's coefficients times the step. Splitting: kick and drift are h times the fractions. Runge-Kutta: a_ij is h a_ij, weight the
 * ratio, scale h times the scale. Nystrom: the same, but h a_ij / c_i for a_ij, and h times c and b. Implicit: th is c h. Multistep:
 * scale is h^2. Kinematic: the map of the step, for each axis the factors of v and of x and the constant, for x and then for v. `scaled`
 * has all numbers of a row, up to those of its last stage, one after the other. */
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

    /* Fills in the times, as fractions of a step, at which the kernels evaluate the acceleration, and returns their number. The
     * evaluation at the start of a run (at fraction 0) of a method that keeps its acceleration does not count. Newton's iterations, all
     * at one time, count as one. */
    int (*times)(const struct kdr_row *row, double fraction[KDR_MAX_FRACTIONS]);

    /* Sets the row's coefficients times the step dt, or its map of that step. Returns how many numbers of `scaled` they are, 0 if the
     * numbers cannot be stored. NULL if no row of the family has a specialised kernel. */
    int (*scale)(const struct kdr_row *row, double dt, const struct kdr_affine_map *map, kdr_scaled *to);
} kdr_family_row;

extern const kdr_family_row kdr_families[KDR_FAMILY_COUNT];

#endif
