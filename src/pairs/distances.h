/* The list of distances in the form that the kernels read. */
#ifndef KDR_PAIRS_DISTANCES_H
#define KDR_PAIRS_DISTANCES_H

#include <kickdrift/distance_constraints.h>

#include "../kernel/pairs/pairs.h"
#include "../problem/distances.h"

/* The rods are sorted by colour, and within a colour in the order of the list. Each colour begins at a multiple of KDR_SLICE; unused
 * places hold no rod. */
struct kdr_distance_constraints {
    kdr_real real;
    kdr_executor executor;
    const kdr_pair_kernels *kernels;
    uint32_t sweeps;
    double tolerance, relaxation;
    size_t reach, count, colours;
    size_t *first, *last; /* by colour */
    uint32_t *a, *b;
    void *square, *beyond_x, *beyond_v; /* length^2, 2 tolerance length^2 and tolerance length^2, in the precision of the particles */
    double *length;
    double box[3];
};

/* Sets the colour of each entry of a checked list, and returns the number of colours; returns 0 if there is no memory. `colour` has
 * `count` elements. */
size_t kdr_distance_constraints_colour(const kdr_distance *distances, size_t count, uint32_t *colour);

/* Do the work of kdr_distance_constraints_shake and kdr_distance_constraints_rattle without their checks. Return the number of sweeps that
 * moved something. */
uint32_t kdr_distance_constraints_hold(const kdr_distance_constraints *distances, const kdr_particles *particles,
                                       const void *const start[3], double dt);
uint32_t kdr_distance_constraints_still(const kdr_distance_constraints *distances, const kdr_particles *particles, double dt);

/* Corrects velocities that have been rotated by these angles: half of each impulse is applied before the rotation. */
uint32_t kdr_distance_constraints_still_turned(const kdr_distance_constraints *distances, const kdr_particles *particles, double dt,
                                               const kdr_half_angles *angles);

/* Checks the distances after a correction of the positions that took `made` sweeps (kdr_distance_constraints_check_kept). */
kdr_status kdr_distance_constraints_are_kept(const kdr_distance_constraints *distances, const kdr_particles *particles, uint32_t made,
                                             kdr_error *error);

#endif
