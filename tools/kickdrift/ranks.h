/* A run on the ranks of an MPI job. Rank 0 reads the command line, decides, prints and writes, as a single process does. Each rank has a
 * slice of the particles, or all if they interact, makes it from the scene, and carries out rank 0's orders. Without a job, or without MPI
 * in the build, a run has no ranks. */
#ifndef KICKDRIFT_TOOLS_RANKS_H
#define KICKDRIFT_TOOLS_RANKS_H

#include "run.h"

/* Joins the job if mpirun started this process; otherwise does nothing. */
bool ranks_join(fault *why);

/* ranks_are_others returns true if this is not rank 0. Such a process only calls ranks_serve, which returns when rank 0 leaves. */
bool ranks_are_others(void);
int ranks_serve(void);

/* Releases the other ranks and leaves the job. Does nothing if there is none. */
void ranks_leave(void);

/* Returns true if there are other ranks, which wait. */
bool ranks_are_many(void);

/* ranks_build makes the particles of a run, whose scene has been read, on all ranks; r->population is rank 0's slice. It sets r->ranks,
 * which the functions below need. In a streamed run it makes no particles; ranks_step_slice then steps a slice on all ranks. */
bool ranks_build(run *r);
bool ranks_step_slice(run *r, kdr_particles *slice, kdr_clock *clock, uint64_t steps);

/* Makes the integrator or system run on the other ranks. Rank 0 has made its own and has checked that it can step. */
bool ranks_share(run *r);

/* Rank 0 calls these to let all ranks step (as motion_run), compute the state between two steps (as run_sample), add up observables and
 * find the first non-finite particle, or add up one number. */
bool ranks_run(run *r, uint64_t steps);
bool ranks_sample(run *r, double fraction);
bool ranks_observe(run *r, bool sampled, const kdr_clock *clock, kdr_observables *observables, size_t *lost);
typedef enum ranks_number { RANKS_DIGEST, RANKS_FINGERPRINT, RANKS_ABSORBED } ranks_number;
bool ranks_tell(run *r, ranks_number which, uint64_t *number);

/* ranks_each hands over the particles, or their sampled state, slice by slice in order; particles of other ranks come RANKS_AT_ONCE at a
 * time. ranks_have says whether they have these arrays. */
bool ranks_have(const run *r, uint32_t arrays);
bool ranks_each(run *r, bool sampled, uint32_t arrays, slice_taker *take, void *context);

/* Hands over a frame in compressed chunks. All ranks compress at once, each the chunks whose particles it has. */
bool ranks_pack(run *r, bool sampled, chunk_taker *take, void *context);

/* Gives the ranks the state of at most RANKS_AT_ONCE particles of a checkpoint, from number `begin` on. */
enum { RANKS_AT_ONCE = 48 << 10 }; /* at least as many as a chunk of frames has */
kdr_status ranks_restore(run *r, const kdr_checkpoint *from, size_t begin, kdr_error *error);

#endif
