/* Ranks: the processes of an MPI job, each with a slice of the particles, in a separate library, kickdrift-mpi. Each rank runs its slice by
 * kdr_integrator_run, with `first_id` where the slice begins. Results have the same bits for any number of ranks.
 *
 * Functions with a kdr_ranks are collective unless they say otherwise: all ranks call them in the same order, each from one thread at a
 * time. All get the same results and status. MPI's own errors go to the communicator's handler. If it does not end the job, they become
 * KDR_ERROR_UNAVAILABLE. */
#ifndef KICKDRIFT_MPI_H
#define KICKDRIFT_MPI_H

#include <kickdrift/gravity.h>
#include <kickdrift/observe.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kdr_ranks kdr_ranks;

/* Creates *ranks for the processes of a communicator, and `count` particles in all. `communicator` comes from MPI_Comm_c2f and is
 * duplicated. Call kdr_ranks_destroy before MPI_Finalize. Errors: KDR_ERROR_MISMATCH (counts differ). */
KDR_API kdr_status kdr_ranks_create(int communicator, size_t count, kdr_ranks **ranks, kdr_error *error);
KDR_API void kdr_ranks_destroy(kdr_ranks *ranks);

/* Return this process's rank and the number of ranks; 0 and 1 for NULL. Not collective. */
KDR_API int kdr_ranks_rank(const kdr_ranks *ranks);
KDR_API int kdr_ranks_count(const kdr_ranks *ranks);

/* Finds the slice of a rank. Slices are in order, about equal, and of whole blocks of KDR_OBSERVE_BLOCK particles, except the last block;
 * they may be empty. Not collective. Errors: KDR_ERROR_ARGUMENT (rank). */
KDR_API kdr_status kdr_ranks_slice(const kdr_ranks *ranks, int rank, size_t *begin, size_t *count, kdr_error *error);

/* Combines `status` and `error` of all ranks. Errors: those of the first rank that has one. */
KDR_API kdr_status kdr_ranks_agree(const kdr_ranks *ranks, kdr_status status, kdr_error *error);

/* Copies `size` bytes at `data` from rank 0 to all ranks. Errors: KDR_ERROR_NULL. */
KDR_API kdr_status kdr_ranks_broadcast(const kdr_ranks *ranks, void *data, size_t size, kdr_error *error);

/* Move elements [begin, begin + count) of an array of all particles, of `size` bytes each, from the ranks' slices to `range` on rank 0, and
 * back. Other ranks need no `range`. Rank 0's slice may be its part of `range`, but must not overlap it otherwise. Errors: KDR_ERROR_NULL,
 * KDR_ERROR_ARGUMENT (range), KDR_ERROR_OVERFLOW for a size above 2^20. */
KDR_API kdr_status kdr_ranks_gather(const kdr_ranks *ranks, const void *slice, size_t begin, size_t count, void *range, size_t size,
                                    kdr_error *error);
KDR_API kdr_status kdr_ranks_scatter(const kdr_ranks *ranks, const void *range, size_t begin, size_t count, void *slice, size_t size,
                                     kdr_error *error);

/* Do what functions of the same name without `ranks` do (observe.h, integrator.h), for all particles. `particles` and arrays per particle
 * in forces are this rank's slice; *index counts all particles. Errors: those of these functions, and KDR_ERROR_MISMATCH for another length
 * of the slice. */
KDR_API kdr_status kdr_ranks_observe(kdr_ranks *ranks, const kdr_integrator *integrator, const kdr_particles *particles,
                                     const kdr_clock *clock, kdr_observables *observables, kdr_error *error);
KDR_API kdr_status kdr_ranks_fingerprint(const kdr_ranks *ranks, const kdr_particles *particles, uint64_t *fingerprint, kdr_error *error);
KDR_API kdr_status kdr_ranks_first_non_finite(const kdr_ranks *ranks, const kdr_particles *particles, size_t *index, kdr_error *error);
KDR_API kdr_status kdr_ranks_count_absorbed(const kdr_ranks *ranks, const kdr_integrator *integrator, const kdr_particles *particles,
                                            size_t *count, kdr_error *error);
KDR_API kdr_status kdr_ranks_digest(const kdr_ranks *ranks, const kdr_integrator *integrator, uint64_t *digest, kdr_error *error);

/* Adds the gravity of all ranks' sources to this rank's targets, with the bits of one kdr_gravity_add in the order of the ranks. `gravity`
 * has this rank's sources and targets. The number of sources must be a multiple of KDR_GRAVITY_BLOCK, except on the last rank that has any.
 * If kdr_accelerations_fn calls it, every rank needs a particle, or the others wait. Errors: those of kdr_gravity_add, KDR_ERROR_MISMATCH
 * (dims, real, softening, presence of lengths), KDR_ERROR_ARGUMENT (number of sources), KDR_ERROR_OVERFLOW from 2^31 sources on. */
KDR_API kdr_status kdr_ranks_gravity_add(kdr_ranks *ranks, const kdr_gravity *gravity, const kdr_pass_options *options, kdr_error *error);

/* Returns the ranks as a communicator (pairs.h), if every rank has all particles and makes the same calls. It borrows `ranks`; for NULL it
 * is this process alone. Not collective. */
KDR_API kdr_communicator kdr_ranks_communicator(kdr_ranks *ranks);

#ifdef __cplusplus
}
#endif
#endif
