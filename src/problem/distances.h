/* What a list of distances is checked for. */
#ifndef KDR_PROBLEM_DISTANCES_H
#define KDR_PROBLEM_DISTANCES_H

#include <kickdrift/distances.h>

#include <stdbool.h>

/* Half angles by which velocities have been turned: of a particle about axis i by[i], times its element of field[i], if there are fields,
 * or times its inverse mass, with `masses`. In a plane axis 0 is the one across it. */
typedef struct kdr_half_angles {
    double by[3];
    const void *field[3];
    bool masses;
} kdr_half_angles;

kdr_status kdr_distances_check(const kdr_distances_desc *desc, kdr_error *error);

/* How many particles a view must have for all indices. */
size_t kdr_distances_reach(const kdr_distance *distances, size_t count);

/* | |x_b - x_a| / length - 1 | of one, wherever they lie. */
double kdr_distance_off(const kdr_distance *distance, const double box[3], const kdr_particles *particles);

/* Behind sweeps that have not met the tolerance. KDR_ERROR_ARGUMENT where the worst distance is off by half of its length, or is NaN: what
 * cannot be kept blows up step by step. */
kdr_status kdr_distances_check_kept(const kdr_distance *worst, double off, uint32_t sweeps, kdr_error *error);

/* The larger one; NaN when one is. */
static inline double kdr_worse(double a, double b) { return a != a || a > b ? a : b; }

kdr_status kdr_distances_check_dt(double dt, kdr_error *error);

/* What a step of distances is given: a view of at least `reach` particles, all active, and a step's length. */
kdr_status kdr_distances_check_step(kdr_real real, size_t reach, const kdr_particles *particles, double dt, kdr_error *error);

/* The tolerance, 0 resolved. */
double kdr_distances_tolerance(const kdr_distances_desc *desc);

#endif
