/* The two precisions of the textbook, as reference.c sees them. */
#ifndef KDR_REFERENCE_REFERENCE_H
#define KDR_REFERENCE_REFERENCE_H

#include "../method/problem.h"

/* Steps every particle of a checked run; `resume`: the particles' memory holds what the method left there. */
typedef void kdr_reference_fn(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                              bool resume);

kdr_reference_fn kdr_reference_f32;
kdr_reference_fn kdr_reference_f64;

#endif
