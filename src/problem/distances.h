/* Checks of lists of distances between particles. */
#ifndef KDR_PROBLEM_DISTANCES_H
#define KDR_PROBLEM_DISTANCES_H

#include <kickdrift/distance_constraints.h>

#include <stdbool.h>

/* Half angles by which velocities have been rotated about the axes: by[i] about axis i, times the particle's element of field[i] if
 * there are fields, or times its inverse mass with `masses`. In a plane axis 0 is the one across it. */
typedef struct kdr_half_angles {
    double by[3];
    const void *field[3];
    bool masses;
} kdr_half_angles;

kdr_status kdr_distance_constraints_check(const kdr_distance_constraints_desc *desc, kdr_error *error);

/* Returns the number of particles that a view must have for all indices. */
size_t kdr_distance_constraints_reach(const kdr_distance *distances, size_t count);

/* Returns | |x_b - x_a| / length - 1 | of one distance, for any layout. */
double kdr_distance_off(const kdr_distance *distance, const double box[3], const kdr_particles *particles);

/* Fails with KDR_ERROR_ARGUMENT after sweeps that have not met the tolerance, if the worst distance is wrong by half its length or more,
 * or is NaN: such an error grows from step to step. */
kdr_status kdr_distance_constraints_check_kept(const kdr_distance *worst, double off, uint32_t sweeps, kdr_error *error);

/* Returns the larger number; NaN if one is. */
static inline double kdr_worse(double a, double b) { return a != a || a > b ? a : b; }

kdr_status kdr_distance_constraints_check_dt(double dt, kdr_error *error);

/* Checks the arguments of a step of distances: a view with at least `reach` particles, all active, and the length of the step. */
kdr_status kdr_distance_constraints_check_step(kdr_real real, size_t reach, const kdr_particles *particles, double dt, kdr_error *error);

/* Returns the tolerance, with 0 replaced by the default. */
double kdr_distance_constraints_tolerance(const kdr_distance_constraints_desc *desc);

#endif
