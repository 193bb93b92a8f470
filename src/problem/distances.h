/* What a list of distances is checked for. */
#ifndef KDR_PROBLEM_DISTANCES_H
#define KDR_PROBLEM_DISTANCES_H

#include <kickdrift/distances.h>

kdr_status kdr_distances_check(const kdr_distances_desc *desc, kdr_error *error);

/* How many particles a view must have for all indices. */
size_t kdr_distances_reach(const kdr_distance *distances, size_t count);

/* What a step of distances is given: a view of at least `reach` particles, all active, and a step's length. */
kdr_status kdr_distances_check_step(kdr_real real, size_t reach, const kdr_particles *particles, double dt, kdr_error *error);

/* The tolerance, 0 resolved. */
double kdr_distances_tolerance(const kdr_distances_desc *desc);

#endif
