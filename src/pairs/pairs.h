/* What a list of forces between particles becomes. */
#ifndef KDR_PAIRS_PAIRS_H
#define KDR_PAIRS_PAIRS_H

#include <kickdrift/pairs.h>

#include "../kernel/pairs/pairs.h"
#include "../problem/gravity.h"
#include "../problem/pairs.h"
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
    bool fused_roots; /* its processor is faster so */
    const kdr_pair_kernels *kernels;
    size_t reach; /* particles that a view must have */
    size_t most;  /* that it may have */
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

/* kdr_pairs_add of what was checked. `chosen`, unless NULL: the `count` particles whose accelerations are wanted; of the others,
 * anything. */
void kdr_pairs_add_checked(const kdr_pairs *pairs, const kdr_particles *particles, const size_t *chosen, size_t count, void *const a[3]);

/* Adds what is wanted of a view that was checked, to all targets or to `count` chosen ones. */
void kdr_gravity_run(const kdr_gravity *gravity, const kdr_pair_kernels *kernels, bool fused_roots, const kdr_executor *executor);
void kdr_gravity_run_chosen(const kdr_gravity *gravity, const kdr_pair_kernels *kernels, bool fused_roots, const kdr_executor *executor,
                            const size_t *chosen, size_t count);

#endif
