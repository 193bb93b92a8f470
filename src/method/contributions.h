/* The kinematic method's sum of contributions: the kind by which each force contributes, and its effect on x and v in a step. */
#ifndef KDR_METHOD_CONTRIBUTIONS_H
#define KDR_METHOD_CONTRIBUTIONS_H

#include "affine.h"

/* A force with its own kind of contribution. Uniform forces of one kind share a term. */
typedef struct kdr_contribution_term {
    kdr_contribution kind;
    double kx[3], kv[3], f[3], g[3], magnetic[3];
    int spring, drag; /* index among the field's arrays, or -1 */
} kdr_contribution_term;

/* The contributions of a list of forces, in addition to the field; all bytes are zero for other methods. */
typedef struct kdr_contributions {
    int count;
    kdr_contribution_term term[KDR_MAX_CONTRIBUTIONS];
    kdr_contribution drive[KDR_MAX_DRIVEN];
    int averaged_quadratics,
        /* the first ones of the field contribute by average: x moves by h^2 a_n / 2; the others (pulse, euler) move it by h^2 a_n */
        averaged_centres;
} kdr_contributions;

/* Makes the contributions of a list that was folded into a field, and sorts the field's quadratic drags and centres: those that
 * contribute by average come first. `beside` says that forces outside the list depend on x too. Fails, with the entry's index in the
 * message, if a kind of force does not accept its contribution, or if there are too many. */
kdr_status kdr_contributions_make(const kdr_force *forces, size_t count, bool beside, kdr_field *field, kdr_contributions *contributions,
                                  kdr_error *error);

/* Make the sum of all contributions and free flight, with the arguments of kdr_affine_axis and kdr_affine_axes. */
void kdr_contributions_axis(const kdr_contributions *contributions, const kdr_field *field, unsigned terms, const kdr_affine_each *each,
                            int axis, double h, kdr_affine_map *map);
void kdr_contributions_axes(const kdr_contributions *contributions, const kdr_field *field, unsigned terms, const kdr_affine_each *each,
                            int dims, double h, kdr_affine_map *map);

/* Make the sum of contributions, or with `contributions` NULL the map of the whole affine field. */
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

/* Computes what driven fields add to x, then to v, in the step of length h from time t on, with the middle at `middle`. */
void kdr_contributions_drive(const kdr_contributions *contributions, const kdr_field *field, double t, double middle, double h,
                             double moved[6]);

#endif
