/* What a run does about the end of a step beside its lines: who is outside of an absorbing boundary, and what has been counted. */
#ifndef KDR_COUPLED_ENDS_H
#define KDR_COUPLED_ENDS_H

#include "arrays.h"

/* Marks those within the boundary that are active in the caller's view, `given`, whose particle `first` is the first of them. With `from`,
 * whoever had a mark and loses it has its elements copied to `left`. */
void kdr_mark_inside(const kdr_boundary *boundary, const kdr_swept *arrays, const kdr_particles *given, size_t first, uint8_t *marks,
                     void *const *from, void *const *left);

/* Copies the memory of those without a mark to plain arrays, or back. */
void kdr_keep_memories(const kdr_particles *particles, const uint8_t *marks, void *const left[3], bool back);

/* Copies what the particles count, hits, sums of energy, images, unsolved equations and errors, as many as they have, to memory for a step
 * that may fail; or back. */
void kdr_keep_counts(const kdr_particles *particles, void *memory, bool back);

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

/* Bytes of that memory a particle. */
enum { KDR_COUNTS_SIZE = 2 * sizeof(uint32_t) + 3 * sizeof(double) + 3 * sizeof(int32_t) };

#endif
