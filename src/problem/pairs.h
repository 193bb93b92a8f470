/* Checks of forces between particles, and the matrix rows of springs for the method kinematic. */
#ifndef KDR_PROBLEM_PAIRS_H
#define KDR_PROBLEM_PAIRS_H

#include <kickdrift/pairs.h>

/* Checks the box: each axis has none (0), or a length whose half the precision can represent. */
kdr_status kdr_box_check(const double box[3], kdr_real real, kdr_error *error);

/* Returns half of the shortest box, or 0 if there is none. */
double kdr_half_of_box(const double box[3]);

/* Checks everything that kdr_pairs_create accepts. */
kdr_status kdr_pairs_check(const kdr_pairs_desc *desc, kdr_error *error);

/* Check a view that kernels read: precision, plain layouts, at least `reach` particles; and arrays to add to, which must be given and
 * overlap none of the view's. `what` names the arrays in messages. */
kdr_status kdr_pairs_check_real(kdr_real real, const kdr_particles *particles, kdr_error *error);
kdr_status kdr_pairs_check_view(kdr_real real, size_t reach, const kdr_particles *particles, kdr_error *error);
kdr_status kdr_pairs_check_reach(size_t reach, const kdr_particles *particles, kdr_error *error);
kdr_status kdr_pairs_check_output(const kdr_particles *particles, void *const out[3], const char *what, kdr_error *error);
/* Checks arrays that are read, in the same way. */
kdr_status kdr_pairs_check_input(const kdr_particles *particles, const void *const in[3], const char *what, kdr_error *error);

/* Return how many particles a view must have for all indices of springs, or of all forces. */
size_t kdr_springs_reach(const kdr_pair_spring *springs, size_t count);
size_t kdr_pairs_reach(const kdr_interaction *forces, size_t count);

/* Returns how many particles a view may have: as many as there are softening lengths, if a force has such a list. */
size_t kdr_pairs_most(const kdr_interaction *forces, size_t count);
kdr_status kdr_pairs_check_most(size_t most, const kdr_particles *particles, kdr_error *error);

/* Returns the contribution of a spring, with DEFAULT resolved. */
static inline kdr_contribution kdr_spring_kind(const kdr_pair_spring *spring, size_t count) {
    return spring->contribution != KDR_CONTRIBUTION_DEFAULT ? spring->contribution
           : count > 1                                      ? KDR_CONTRIBUTION_AVERAGE
                                                            : KDR_CONTRIBUTION_EXACT;
}

/* The row of a spring's matrix, for the inverse masses of its ends and a step h: it gives the increments of the relative coordinate and
 * velocity. */
typedef struct kdr_pair_row {
    double xx, xv, vx, vv;
} kdr_pair_row;

void kdr_pair_row_make(const kdr_pair_spring *spring, kdr_contribution kind, double w_a, double w_b, double h, kdr_pair_row *row);

/* Returns whether the spring acts on all axes alike; otherwise it acts along the line between its ends. */
static inline bool kdr_pair_is_everywhere(const kdr_pair_spring *spring) { return spring->length == 0.0 && spring->damping == 0.0; }

/* Returns the difference to the nearest image in a box; a box of 0 means none. */
static inline double kdr_nearest(double d, double box) { return d > box / 2 ? d - box : d < -(box / 2) ? d + box : d; }

#endif
