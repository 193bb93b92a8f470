/* The two precisions of the textbook, as reference.c sees them. */
#ifndef KDR_REFERENCE_REFERENCE_H
#define KDR_REFERENCE_REFERENCE_H

#include "../method/problem.h"

/* Steps every particle of a checked run; `resume`: the particles' memory holds what the method left there. */
typedef void kdr_reference_fn(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                              bool resume);

/* The random block of a counter under a key: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC11). */
void kdr_reference_philox(const uint32_t counter[4], uint64_t key, uint32_t block[4]);

kdr_reference_fn kdr_reference_f32;
kdr_reference_fn kdr_reference_f64;

#endif
