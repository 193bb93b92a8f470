/* What a list of forces between particles is checked for, and what its springs are in the method kinematic. */
#ifndef KDR_PROBLEM_PAIRS_H
#define KDR_PROBLEM_PAIRS_H

#include <kickdrift/pairs.h>

/* No axis has a box (0), or one that can be halved in the precision. */
kdr_status kdr_box_check(const double box[3], kdr_real real, kdr_error *error);

/* Half of the shortest box; 0: there is none. */
double kdr_half_of_box(const double box[3]);

/* The list and the box are what kdr_pairs_create accepts. */
kdr_status kdr_pairs_check(const kdr_pairs_desc *desc, kdr_error *error);

/* A view that can be read at every address as the kernels read it, of `real` and at least `reach` particles; arrays to add to that are
 * given and overlap none of the view's. `what`: their name in the message. */
kdr_status kdr_pairs_check_real(kdr_real real, const kdr_particles *particles, kdr_error *error);
kdr_status kdr_pairs_check_view(kdr_real real, size_t reach, const kdr_particles *particles, kdr_error *error);
kdr_status kdr_pairs_check_reach(size_t reach, const kdr_particles *particles, kdr_error *error);
kdr_status kdr_pairs_check_output(const kdr_particles *particles, void *const out[3], const char *what, kdr_error *error);
/* Arrays that are read, likewise. */
kdr_status kdr_pairs_check_input(const kdr_particles *particles, const void *const in[3], const char *what, kdr_error *error);

/* How many particles a view must have for all indices of springs, or of a whole list. */
size_t kdr_springs_reach(const kdr_pair_spring *springs, size_t count);
size_t kdr_pairs_reach(const kdr_coupled_force *forces, size_t count);

/* How many particles a view may have: those with softening lengths, where a force has such. */
size_t kdr_pairs_most(const kdr_coupled_force *forces, size_t count);
kdr_status kdr_pairs_check_most(size_t most, const kdr_particles *particles, kdr_error *error);

/* What a spring contributes by, DEFAULT resolved. */
static inline kdr_contribution kdr_spring_kind(const kdr_pair_spring *spring, size_t count) {
    return spring->contribution != KDR_CONTRIBUTION_DEFAULT ? spring->contribution
           : count > 1                                      ? KDR_CONTRIBUTION_AVERAGE
                                                            : KDR_CONTRIBUTION_EXACT;
}

/* The row of a spring's matrix for the inverse masses of its ends and a step h: increments of the relative coordinate and velocity. */
typedef struct kdr_pair_row {
    double xx, xv, vx, vv;
} kdr_pair_row;

void kdr_pair_row_make(const kdr_pair_spring *spring, kdr_contribution kind, double w_a, double w_b, double h, kdr_pair_row *row);

/* Every axis alike, or along the spring. */
static inline bool kdr_pair_is_everywhere(const kdr_pair_spring *spring) { return spring->length == 0.0 && spring->damping == 0.0; }

/* A difference between nearest images in a box; 0: there is none. */
static inline double kdr_nearest(double d, double box) { return d > box / 2 ? d - box : d < -(box / 2) ? d + box : d; }

#endif
