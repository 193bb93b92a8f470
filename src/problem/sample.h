/* Dense output: what is asked for, checked, for the reference and the integrator. */
#ifndef KDR_PROBLEM_SAMPLE_H
#define KDR_PROBLEM_SAMPLE_H

#include "problem.h"

kdr_status kdr_sample_check(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, double fraction,
                            const kdr_particles *to, kdr_error *error);

/* How many whole steps a particle of a level has in a fraction of the clock's step, and what fraction of the next is left. Both are
 * exact. */
uint64_t kdr_sample_steps(double fraction, int level, double *left);

/* x and v, and images where `to` has its own. */
void kdr_sample_copy(const kdr_particles *particles, kdr_particles *to);

/* The view that is stepped: x, v and images of `to`, and of `particles` what is read. */
kdr_particles kdr_sample_view(const kdr_particles *particles, const kdr_particles *to);

#endif
