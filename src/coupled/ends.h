/* What a run does about the end of a step beside its lines: who is outside of an absorbing boundary, and what has been counted. */
#ifndef KDR_COUPLED_ENDS_H
#define KDR_COUPLED_ENDS_H

#include "arrays.h"

/* Marks those within the boundary that are active in the caller's view, `given`, whose particle `first` is the first of them. With `from`,
 * whoever had a mark and loses it has its elements copied to the caller's memory. */
void kdr_mark_inside(const kdr_boundary *boundary, const kdr_swept *arrays, const kdr_particles *given, size_t first, uint8_t *marks,
                     void *const *from);

/* Copies the particles' hits, sums of energy and images, as many as they have, to memory for a step that may fail; or back. */
void kdr_keep_counts(const kdr_particles *particles, void *memory, bool back);

/* Bytes of that memory a particle. */
enum { KDR_COUNTS_SIZE = sizeof(uint32_t) + 2 * sizeof(double) + 3 * sizeof(int32_t) };

#endif
