/* What a list of forces between particles becomes. */
#ifndef KDR_COUPLED_PAIRS_H
#define KDR_COUPLED_PAIRS_H

#include <kickdrift/pairs.h>

#include "../kernel/pairs.h"
#include "slices.h"

typedef struct kdr_pair_term {
    kdr_coupled_force force; /* a net's springs point to a copy */
    kdr_pair_spring *springs;
    kdr_net net;
} kdr_pair_term;

struct kdr_pairs {
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_executor executor;
    kdr_backend backend;
    const kdr_pair_kernels *kernels;
    size_t reach; /* particles that a view must have */
    size_t count;
    kdr_pair_term term[];
};

struct kdr_pair_map {
    kdr_real real;
    kdr_executor executor;
    const kdr_pair_kernels *kernels;
    size_t reach, count;
    kdr_net net[];
};

/* The list is what kdr_pairs_create accepts. */
kdr_status kdr_pairs_check(const kdr_coupled_force *forces, size_t count, kdr_real real, kdr_error *error);

/* A view that can be read at every address as the kernels read it, of `real` and at least `reach` particles; arrays to add to that are given
 * and overlap none of the view's. `what`: their name in the message. */
kdr_status kdr_pairs_check_view(kdr_real real, size_t reach, const kdr_particles *particles, kdr_error *error);
kdr_status kdr_pairs_check_reach(size_t reach, const kdr_particles *particles, kdr_error *error);
kdr_status kdr_pairs_check_output(const kdr_particles *particles, void *const out[3], const char *what, kdr_error *error);

/* kdr_pairs_add of what was checked. `chosen`, unless NULL: the `count` particles whose accelerations are wanted; of the others, anything. */
void kdr_pairs_add_checked(const kdr_pairs *pairs, const kdr_particles *particles, const size_t *chosen, size_t count, void *const a[3]);

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

#endif
