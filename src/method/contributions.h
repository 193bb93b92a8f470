/* The kinematic method's sum of contributions: which forces contribute by which kind, and what they make of x and v in a step. */
#ifndef KDR_METHOD_CONTRIBUTIONS_H
#define KDR_METHOD_CONTRIBUTIONS_H

#include "affine.h"

/* One force that contributes by a kind of its own. Uniform forces of a kind are one part. */
typedef struct kdr_contribution_term {
    kdr_contribution kind;
    double kx[3], kv[3], f[3], g[3], magnetic[3];
    int spring, drag; /* of the field's arrays, or -1 */
} kdr_contribution_term;

/* What is kept of the list beside the field; all zero bytes for other methods. */
typedef struct kdr_contributions {
    int count;
    kdr_contribution_term term[KDR_MAX_CONTRIBUTIONS];
    kdr_contribution drive[KDR_MAX_DRIVEN];
    int averaged_quadratics,
        averaged_centres; /* of the field's, the first ones: x moves by h^2 a_n / 2; by h^2 a_n of the others (pulse, euler) */
} kdr_contributions;

/* The contributions of a list that was folded into a field, whose quadratic drags and centres are put in the order of their kinds: those
 * that contribute by average first. `beside`: what is not in the list depends on x too. Fails, with the entry's index in the message, when
 * a kind of force does not accept its contribution, or when there are too many contributions. */
kdr_status kdr_contributions_make(const kdr_force *forces, size_t count, bool beside, kdr_field *field, kdr_contributions *contributions,
                                  kdr_error *error);

/* As kdr_affine_axis and kdr_affine_axes: the sum of all contributions, and free flight. */
void kdr_contributions_axis(const kdr_contributions *contributions, const kdr_field *field, unsigned terms, const kdr_affine_each *each,
                            int axis, double h, kdr_affine_map *map);
void kdr_contributions_axes(const kdr_contributions *contributions, const kdr_field *field, unsigned terms, const kdr_affine_each *each,
                            int dims, double h, kdr_affine_map *map);

/* One or the other: of the whole affine field where `contributions` is NULL. */
static inline void kdr_map_axis(const kdr_contributions *contributions, const kdr_field *field, unsigned terms, const kdr_affine_each *each,
                                int axis, double h, kdr_affine_map *map) {
    if (contributions) {
        kdr_contributions_axis(contributions, field, terms, each, axis, h, map);
    } else {
        kdr_affine_axis(field, terms, each, axis, h, map);
    }
}

static inline void kdr_map_axes(const kdr_contributions *contributions, const kdr_field *field, unsigned terms, const kdr_affine_each *each,
                                int dims, double h, kdr_affine_map *map) {
    if (contributions) {
        kdr_contributions_axes(contributions, field, terms, each, dims, h, map);
    } else {
        kdr_affine_axes(field, terms, each, dims, h, map);
    }
}

/* What the driven fields add to x, then to v, in the step of length h from time t on, `middle` its middle. */
void kdr_contributions_drive(const kdr_contributions *contributions, const kdr_field *field, double t, double middle, double h,
                             double moved[6]);

#endif
