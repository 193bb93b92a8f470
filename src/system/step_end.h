/* Ends of steps: marks inside an absorbing boundary, counts, rests and error estimates. */
#ifndef KDR_SYSTEM_STEP_END_H
#define KDR_SYSTEM_STEP_END_H

#include "../force/event.h"
#include "arrays.h"

/* Marks the particles that are inside the boundary and active in `given`, the caller's view, where they begin at particle `first`. If
 * `from` is given, the elements of a particle that loses its mark are copied from it to `left`. */
void kdr_mark_inside(const kdr_boundary *boundary, const kdr_swept *arrays, const kdr_particles *given, size_t first, uint8_t *marks,
                     void *const *from, void *const *left);

/* Copies the memory of particles without a mark to plain arrays, or back. */
void kdr_keep_memories(const kdr_particles *particles, const uint8_t *marks, void *const left[3], bool back);

/* Copies the counts that the particles have (bounces, sums of energy, images, nonconverged equations, errors) to memory, KDR_COUNTS_SIZE
 * bytes per particle, or back. A failed step is undone with them. */
void kdr_keep_counts(const kdr_particles *particles, void *memory, bool back);

/* Points the counts of a view to plain arrays in memory that kdr_keep_counts fills. */
void kdr_see_counts(const kdr_particles *particles, void *memory, kdr_particles *view);

/* Copies what particle i counts to KDR_COUNTS_SIZE bytes, or back. */
void kdr_carry_counts(const kdr_particles *particles, size_t i, void *counted, bool back);

/* Sets tiny values of moving particles to 0: x and v, their compensations, and the kept acceleration, which is plain or interleaved.
 * `lost` and `a` may be NULL. */
void kdr_flush_small(const kdr_kernels *kernels, const kdr_executor *executor, const kdr_particles *particles, void *(*lost)[3], void **a);

/* Raises the error estimates of moving particles to the largest |scale sum| of any axis. An estimate becomes NaN where that is not
 * finite. */
void kdr_estimate(const kdr_executor *executor, const kdr_particles *particles, void *const sum[3], const kdr_layout *layout, double scale);

/* Returns whether tiny values become 0 after step number `step` on the clock. */
static inline bool kdr_flushes_small_after(const kdr_problem *problem, uint64_t step, int level) {
    return problem->flushes_small && ((step + 1) << level) % KDR_FLUSH_STEPS == 0;
}

#endif
