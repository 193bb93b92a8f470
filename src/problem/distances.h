/* What a list of distances is checked for. */
#ifndef KDR_PROBLEM_DISTANCES_H
#define KDR_PROBLEM_DISTANCES_H

#include <kickdrift/distances.h>

kdr_status kdr_distances_check(const kdr_distances_desc *desc, kdr_error *error);

/* How many particles a view must have for all indices. */
size_t kdr_distances_reach(const kdr_distance *distances, size_t count);

/* The tolerance, 0 resolved. */
double kdr_distances_tolerance(const kdr_distances_desc *desc);

#endif
