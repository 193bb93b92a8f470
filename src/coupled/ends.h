/* What a run does about the end of a step beside its lines: who is outside of an absorbing boundary, and what has been counted. */
#ifndef KDR_COUPLED_ENDS_H
#define KDR_COUPLED_ENDS_H

#include "../force/event.h"
#include "arrays.h"

/* Marks those within the boundary that are active in the caller's view, `given`, whose particle `first` is the first of them. With `from`,
 * whoever had a mark and loses it has its elements copied to `left`. */
void kdr_mark_inside(const kdr_boundary *boundary, const kdr_swept *arrays, const kdr_particles *given, size_t first, uint8_t *marks,
                     void *const *from, void *const *left);

/* Copies the memory of those without a mark to plain arrays, or back. */
void kdr_keep_memories(const kdr_particles *particles, const uint8_t *marks, void *const left[3], bool back);

/* Copies what the particles count, hits, sums of energy, images, unsolved equations and errors, as many as they have, to memory for a step
 * that may fail, KDR_COUNTS_SIZE bytes per particle; or back. */
void kdr_keep_counts(const kdr_particles *particles, void *memory, bool back);

/* Points the arrays of a view, as many counts as the particles have, to plain arrays in such memory. */
void kdr_see_counts(const kdr_particles *particles, void *memory, kdr_particles *view);

/* Copies what particle i counts to KDR_COUNTS_SIZE bytes, or back. */
void kdr_carry_counts(const kdr_particles *particles, size_t i, void *counted, bool back);

/* What is next to nothing becomes 0, of those that move: x and v, what rounding has taken from them, and the acceleration that is kept,
 * plain arrays or rows. `lost` and `a` may be NULL. */
void kdr_rest(const kdr_kernels *kernels, const kdr_executor *executor, const kdr_particles *particles, void *(*lost)[3], void **a);

/* The estimates of a step's error, of those that move: the largest of what they were and of |scale sum| on any axis, NaN where that is not
 * finite. */
void kdr_estimate(const kdr_executor *executor, const kdr_particles *particles, void *const sum[3], const kdr_layout *layout, double scale);

/* After the step of this number on the clock. */
static inline bool kdr_is_rest(const kdr_problem *problem, uint64_t step, int level) {
    return problem->rests && ((step + 1) << level) % KDR_REST_STEPS == 0;
}

#endif
