/* A run on the ranks of an MPI job. Rank 0 reads, decides, prints and writes, as a process alone does, and has all particles, or of a stream one slice;
 * the others have a slice of these each, or where particles feel each other all, and do what it orders. Where there is no job, or the program was built without MPI, a run has no ranks. */
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

/* Shares a run out that is ready to step: r->ranks, NULL where there is no job. */
bool ranks_share(run *r);

/* There are others, which wait. A slice of a stream, stepped by all; they have it as long as that takes. */
bool ranks_are_many(void);
bool ranks_step_slice(run *r, kdr_particles *slice, kdr_clock *clock, uint64_t steps);

/* What rank 0 does with all: steps, as motion_run; observables and the first particle that is not finite; and the particles brought together. */
bool ranks_run(run *r, uint64_t steps);
bool ranks_observe(run *r, kdr_observables *observables, size_t *lost);
bool ranks_gather(run *r);

#endif
