/* Dense output: checks and copies that the reference and the integrator share. */
#ifndef KDR_PROBLEM_SAMPLE_H
#define KDR_PROBLEM_SAMPLE_H

#include "problem.h"

kdr_status kdr_sample_check(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, double fraction,
                            const kdr_particles *to, kdr_error *error);

/* Returns how many whole steps a particle of a level makes in a fraction of the clock's step. *left is the remaining fraction of its
 * next step. Both are exact. */
uint64_t kdr_sample_steps(double fraction, int level, double *left);

/* Copies x and v, and images if `to` has its own. */
void kdr_sample_copy(const kdr_particles *particles, kdr_particles *to);

/* Returns the view that is stepped: x, v and images of `to`, and everything else of `particles`, read-only. */
kdr_particles kdr_sample_view(const kdr_particles *particles, const kdr_particles *to);

#endif
