/* What a list of forces between particles becomes. */
#ifndef KDR_PAIRS_PAIRS_H
#define KDR_PAIRS_PAIRS_H

#include <kickdrift/pairs.h>

#include "../kernel/pairs/pairs.h"
#include "../particles/copies.h"
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
    kdr_team team;
    kdr_backend backend;
    const kdr_pair_kernels *kernels;
    double box[3];
    size_t reach; /* particles that a view must have */
    size_t most;  /* that it may have */
    size_t count;
    kdr_pair_term term[];
};

struct kdr_pair_map {
    kdr_real real;
    kdr_executor executor;
    const kdr_pair_kernels *kernels;
    double box[3];
    size_t reach, count;
    kdr_net net[];
};

/* kdr_pairs_add of what was checked. `chosen`, unless NULL: the `count` particles whose accelerations are wanted; of the others,
 * anything. Fails where bringing does. */
kdr_status kdr_pairs_add_checked(const kdr_pairs *pairs, const kdr_particles *particles, const size_t *chosen, size_t count,
                                 void *const a[3], kdr_error *error);

/* Takes the slopes of nets, for th, from those of all particles: g as kdr_slopes_fn has it, arrays for as many axes beside the diagonal as
 * on it. */
void kdr_pairs_add_slopes(const kdr_pairs *pairs, const kdr_particles *particles, double th, void *const g[6]);

/* Where the units of one process of a team begin, of `count` units of work in all; they end where those of the next begin. */
size_t kdr_team_begin(const kdr_team *team, int index, size_t count);

/* Brings what the other processes of a team have set: of an array of `count` units of `unit` bytes, `bytes` in all, each its units. */
kdr_status kdr_team_bring(const kdr_team *team, void *array, size_t count, size_t unit, size_t bytes, kdr_error *error);

/* Adds what is wanted of a view that was checked, to targets [begin, end) or to `count` chosen ones, of which potentials are not wanted. */
void kdr_gravity_run(const kdr_gravity *gravity, const kdr_pair_kernels *kernels, kdr_backend backend, const kdr_executor *executor,
                     size_t begin, size_t end);
void kdr_gravity_run_chosen(const kdr_gravity *gravity, const kdr_pair_kernels *kernels, kdr_backend backend, const kdr_executor *executor,
                            const size_t *chosen, size_t count);

/* Sources that are brought together: a block at a time. */
typedef struct kdr_gravity_sources {
    _Alignas(64) unsigned char x[3][KDR_GRAVITY_BLOCK * sizeof(double)], mu[1][KDR_GRAVITY_BLOCK * sizeof(double)],
        softening[1][KDR_GRAVITY_BLOCK * sizeof(double)];
} kdr_gravity_sources;

/* The view of sources [first, first + n) alone, which lie in the room. */
void kdr_gravity_take_sources(const kdr_gravity *gravity, const kdr_copies *copies, size_t first, size_t n, kdr_gravity_sources *room,
                              kdr_gravity *those);

#endif
