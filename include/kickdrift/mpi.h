/* Ranks: the processes of an MPI job, each with a slice of the particles. A library of its own, kickdrift-mpi; the stepping library knows
 * nothing of it.
 *
 * In a field run a particle's steps depend on nothing but itself and the time: each rank runs its slice (kdr_integrator_run), with
 * `first_id` where the slice begins, and has the bits that its particles have on one rank. What is told of all particles together, sums,
 * fingerprints, gravity, is told here, with the bits of one rank for every number of ranks.
 *
 * Every function that takes a kdr_ranks is collective: all ranks call it, in one order, each from one thread at a time, and unless it says
 * something else all get the same results and the same status. Where it fails on one rank it fails on all, and the message names that
 * rank. MPI's own errors are for the communicator's handler, which ends the job unless the caller has set another; then they are
 * KDR_ERROR_UNAVAILABLE. A rank that dies ends the job: that is MPI's to do, and mpirun's to say. */
#ifndef KICKDRIFT_MPI_H
#define KICKDRIFT_MPI_H

#include <kickdrift/gravity.h>
#include <kickdrift/observe.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kdr_ranks kdr_ranks;

/* Makes ranks of the processes of a communicator, for `count` particles in all; the same number on every rank. `communicator` is
 * MPI_Comm_c2f of it, so that this header needs none of MPI's; it is duplicated. On success *ranks is the caller's, to be given to
 * kdr_ranks_destroy before MPI_Finalize; on failure it is untouched. `error` may be NULL, as everywhere here. KDR_ERROR_NULL without
 * `ranks`; KDR_ERROR_MISMATCH for counts that differ; KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_ranks_create(int communicator, size_t count, kdr_ranks **ranks, kdr_error *error);
KDR_API void kdr_ranks_destroy(kdr_ranks *ranks); /* collective; NULL is allowed */

/* This process's rank, from 0, and how many there are. Not collective; 0 and 1 for NULL. */
KDR_API int kdr_ranks_rank(const kdr_ranks *ranks);
KDR_API int kdr_ranks_count(const kdr_ranks *ranks);

/* Where the slice of a rank begins, and how many particles it has: whole blocks of KDR_OBSERVE_BLOCK, the last slice's last one aside,
 * shared out evenly, in the order of the ranks. A slice is empty where there are fewer blocks than ranks. Not collective. KDR_ERROR_NULL;
 * KDR_ERROR_ARGUMENT for a rank that there is not. */
KDR_API kdr_status kdr_ranks_slice(const kdr_ranks *ranks, int rank, size_t *begin, size_t *count, kdr_error *error);

/* Tells every rank whether all is well: `status` and `error` are what this one has found. Where it is KDR_OK everywhere, so is the result;
 * else the result and *error are those of the first rank that has found something, whose errors these are. */
KDR_API kdr_status kdr_ranks_agree(const kdr_ranks *ranks, kdr_status status, kdr_error *error);

/* Gives all ranks the `size` bytes that rank 0 has at `data`. KDR_ERROR_NULL. */
KDR_API kdr_status kdr_ranks_broadcast(const kdr_ranks *ranks, void *data, size_t size, kdr_error *error);

/* An array of all particles, elements of `size` bytes, of which each rank has the slice: brings elements [begin, begin + count) of all
 * together in `range`, which other ranks need not have, or shares `range` out. The numbers are the same on all ranks: those of all
 * particles, or of one range behind the other where rank 0 has no room for all. Rank 0's slice may lie in its place in `range`, and else
 * lies apart from it. KDR_ERROR_NULL for a slice of some particles, or on rank 0 a range of some, without an array; KDR_ERROR_ARGUMENT for
 * a range that is not among the particles; KDR_ERROR_OVERFLOW for a size of more than 2^20. */
KDR_API kdr_status kdr_ranks_gather(const kdr_ranks *ranks, const void *slice, size_t begin, size_t count, void *range, size_t size,
                                    kdr_error *error);
KDR_API kdr_status kdr_ranks_scatter(const kdr_ranks *ranks, const void *range, size_t begin, size_t count, void *slice, size_t size,
                                     kdr_error *error);

/* As kdr_observe of all particles, to the bit; `particles` is this rank's slice, and the integrator's forces with arrays have those of
 * the slice. The errors of kdr_observe; KDR_ERROR_MISMATCH for particles that are not as many as the slice has. */
KDR_API kdr_status kdr_ranks_observe(kdr_ranks *ranks, const kdr_integrator *integrator, const kdr_particles *particles,
                                     const kdr_clock *clock, kdr_observables *observables, kdr_error *error);

/* As kdr_fingerprint, kdr_first_non_finite and kdr_count_absorbed of all particles, of which this rank has the slice `particles`; the index
 * is among all. A fingerprint goes from rank to rank, an array after the other: it takes as long as on one rank. Their errors;
 * KDR_ERROR_MISMATCH as above. */
KDR_API kdr_status kdr_ranks_fingerprint(const kdr_ranks *ranks, const kdr_particles *particles, uint64_t *fingerprint, kdr_error *error);
KDR_API kdr_status kdr_ranks_first_non_finite(const kdr_ranks *ranks, const kdr_particles *particles, size_t *index, kdr_error *error);
KDR_API kdr_status kdr_ranks_count_absorbed(const kdr_ranks *ranks, const kdr_integrator *integrator, const kdr_particles *particles,
                                            size_t *count, kdr_error *error);

/* As kdr_integrator_digest of the run on one rank: the integrator's forces with arrays have those of the slice. KDR_ERROR_NULL;
 * KDR_ERROR_MISMATCH for arrays that are not as long as the slice. */
KDR_API kdr_status kdr_ranks_digest(const kdr_ranks *ranks, const kdr_integrator *integrator, uint64_t *digest, kdr_error *error);

/* As kdr_gravity_add of the sources of all ranks, in the order of the ranks, at this rank's targets, to the bit of one call. Sources and
 * targets are any, not only the particles' slices: but each rank's sources are a multiple of KDR_GRAVITY_BLOCK, those of the last rank
 * that has any aside. Every rank's sources go to all others, in the order of the ranks and not in that of neighbours, for each target adds
 * them up in this order; beside its own a rank holds a copy of those of one rank at a time. `first_source` counts its own. In the function
 * of a coupled run each rank needs a particle: a run of none does not call it, and the others would wait.
 * KDR_ERROR_MISMATCH where dims, real or softening differ between ranks, or some have lengths for their sources and others not;
 * KDR_ERROR_ARGUMENT for a number of sources that is no such multiple; KDR_ERROR_OVERFLOW for 2^31 and more; KDR_ERROR_NO_MEMORY for the
 * others' sources, whose memory is kept for the next call; the errors of kdr_gravity_add. Nothing is added then. */
KDR_API kdr_status kdr_ranks_gravity_add(kdr_ranks *ranks, const kdr_gravity *gravity, const kdr_pass_options *options, kdr_error *error);

/* The ranks as the team of a kdr_coupled_desc or a kdr_pairs_desc (pairs.h): every rank has all the particles and makes the same calls, and
 * the gravity of each evaluation and of the energy is shared out. What is described with it borrows `ranks`. The shorter way where all
 * particles fit the memory of each rank: runs have everything that coupled runs have, ranks without a particle and other coupled forces
 * too. Not collective; a team of this process alone for NULL. */
KDR_API kdr_team kdr_ranks_team(kdr_ranks *ranks);

#ifdef __cplusplus
}
#endif
#endif
