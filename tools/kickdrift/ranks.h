/* A run on the ranks of an MPI job. Rank 0 reads the command line, decides, prints and writes, as a process alone does; each rank has a slice of the
 * particles, which it makes from the scene, or where particles feel each other all, and does what rank 0 orders. Where there is no job, or the program
 * was built without MPI, a run has no ranks. */
#ifndef KICKDRIFT_TOOLS_RANKS_H
#define KICKDRIFT_TOOLS_RANKS_H

#include "run.h"

/* Joins the job that mpirun has started this process in, if it has; costs nothing else. */
bool ranks_join(fault *why);

/* This is not rank 0: then ranks_serve is all it does, until rank 0 leaves. */
bool ranks_are_others(void);
int ranks_serve(void);

/* Lets the other ranks go and leaves the job; nothing where there is none. */
void ranks_leave(void);

/* There are others, which wait. */
bool ranks_are_many(void);

/* Makes the particles of a run, whose scene is read, on all ranks: r->population has rank 0's slice. Then r->ranks is there, and it is r's to call
 * what follows. Without particles: those of a stream, of which ranks_step_slice steps a slice with all ranks. */
bool ranks_build(run *r);
bool ranks_step_slice(run *r, kdr_particles *slice, kdr_clock *clock, uint64_t steps);

/* The others make their motions: rank 0 has made its own, and it may step. */
bool ranks_share(run *r);

/* What rank 0 does with all: steps, as motion_run; the state between two steps, as run_sample; observables of it or of the particles, and the first
 * particle that is not finite; and one number. */
bool ranks_run(run *r, uint64_t steps);
bool ranks_sample(run *r, double fraction);
bool ranks_observe(run *r, bool sampled, const kdr_clock *clock, kdr_observables *observables, size_t *lost);
typedef enum ranks_number { RANKS_DIGEST, RANKS_FINGERPRINT, RANKS_ABSORBED } ranks_number;
bool ranks_tell(run *r, ranks_number which, uint64_t *number);

/* Hands over the particles, or what was sampled of them, slice by slice in their order: of the arrays those of a set that they have; of the others'
 * RANKS_AT_ONCE at a time. */
bool ranks_have(const run *r, uint32_t arrays);
bool ranks_each(run *r, bool sampled, uint32_t arrays, slice_taker *take, void *context);

/* Hands over the frame in compressed chunks, which the ranks compress all at once, each those whose particles it has. */
bool ranks_pack(run *r, bool sampled, chunk_taker *take, void *context);

/* Gives the ranks what a checkpoint has of at most RANKS_AT_ONCE particles, from number `begin` on. */
enum { RANKS_AT_ONCE = 48 << 10 }; /* as many as a chunk of frames has, at least */
kdr_status ranks_restore(run *r, const kdr_checkpoint *from, size_t begin, kdr_error *error);

#endif
