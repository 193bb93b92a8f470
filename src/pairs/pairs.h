/* The prepared form of a list of interactions. */
#ifndef KDR_PAIRS_PAIRS_H
#define KDR_PAIRS_PAIRS_H

#include <kickdrift/pairs.h>

#include "../kernel/pairs/pairs.h"
#include "../particles/copies.h"
#include "../problem/gravity.h"
#include "../problem/pairs.h"
#include "slices.h"

typedef struct kdr_pair_term {
    kdr_interaction force; /* the springs of a net are a copy */
    kdr_pair_spring *springs;
    kdr_net net;
} kdr_pair_term;

struct kdr_pairs {
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_executor executor;
    kdr_communicator communicator;
    kdr_backend backend;
    const kdr_pair_kernels *kernels;
    double box[3];
    size_t reach; /* the fewest particles that a view may have */
    size_t most;  /* the most particles that a view may have */
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

/* Does the work of kdr_pairs_add without its checks. `chosen` may be NULL; otherwise it lists the `count` particles whose accelerations
 * are wanted, and those of the others become undefined. Fails if the communicator's function fails. */
kdr_status kdr_pairs_add_checked(const kdr_pairs *pairs, const kdr_particles *particles, const size_t *chosen, size_t count,
                                 void *const a[3], kdr_error *error);

/* Subtracts th times the slopes of nets from the slopes of all particles. g has the layout of kdr_slopes_fn, with as many arrays off the
 * diagonal as on it. */
void kdr_pairs_add_slopes(const kdr_pairs *pairs, const kdr_particles *particles, double th, void *const g[6]);

/* Returns the first unit of work of one process of a communicator, of `count` units in all. The units of a process end where those of the
 * next begin. */
size_t kdr_communicator_begin(const kdr_communicator *communicator, int index, size_t count);

/* Brings the elements that the other processes of a communicator have set. The array has `count` units of `unit` bytes, and `bytes` bytes
 * in all. */
kdr_status kdr_communicator_broadcast(const kdr_communicator *communicator, void *array, size_t count, size_t unit, size_t bytes,
                                      kdr_error *error);

/* Add the accelerations and potentials that a checked view asks for: kdr_gravity_run to targets [begin, end), kdr_gravity_run_chosen to
 * `count` chosen targets, without potentials. */
void kdr_gravity_run(const kdr_gravity *gravity, const kdr_pair_kernels *kernels, kdr_backend backend, const kdr_executor *executor,
                     size_t begin, size_t end);
void kdr_gravity_run_chosen(const kdr_gravity *gravity, const kdr_pair_kernels *kernels, kdr_backend backend, const kdr_executor *executor,
                            const size_t *chosen, size_t count);

/* A block of sources, copied into plain arrays. */
typedef struct kdr_gravity_sources {
    _Alignas(64) unsigned char x[3][KDR_GRAVITY_BLOCK * sizeof(double)], mu[1][KDR_GRAVITY_BLOCK * sizeof(double)],
        softening[1][KDR_GRAVITY_BLOCK * sizeof(double)];
} kdr_gravity_sources;

/* Copies sources [first, first + n) into the room, and makes a view of them alone. */
void kdr_gravity_take_sources(const kdr_gravity *gravity, const kdr_copies *copies, size_t first, size_t n, kdr_gravity_sources *room,
                              kdr_gravity *those);

#endif
