/* What a list of distances becomes. */
#ifndef KDR_PAIRS_DISTANCES_H
#define KDR_PAIRS_DISTANCES_H

#include <kickdrift/distances.h>

#include "../kernel/pairs/pairs.h"
#include "../problem/distances.h"

/* Rods sorted by colour, each colour's in the order of the list, from a multiple of KDR_SLICE on; what is left free is no rod. */
struct kdr_distances {
    kdr_real real;
    kdr_executor executor;
    const kdr_pair_kernels *kernels;
    uint32_t sweeps;
    double tolerance, relaxation;
    size_t reach, count, colours;
    size_t *first, *last; /* of each colour */
    uint32_t *a, *b;
    void *square, *beyond_x, *beyond_v; /* length^2, 2 tolerance length^2, tolerance length^2: of the precision */
    double *length;
    double box[3];
};

/* The colour of each entry of a checked list, and how many there are; 0 when there is no memory. `colour` has `count` elements. */
size_t kdr_distances_colour(const kdr_distance *distances, size_t count, uint32_t *colour);

/* What kdr_distances_positions and _velocities do, of what was checked; how many sweeps moved something. */
uint32_t kdr_distances_hold(const kdr_distances *distances, const kdr_particles *particles, const void *const start[3], double dt);
uint32_t kdr_distances_still(const kdr_distances *distances, const kdr_particles *particles, double dt);

/* Velocities that have been turned by these angles: half of each impulse is one before the turn. */
uint32_t kdr_distances_still_turned(const kdr_distances *distances, const kdr_particles *particles, double dt,
                                    const kdr_half_angles *angles);

/* Behind positions by so many sweeps that moved something: see kdr_distances_check_kept. */
kdr_status kdr_distances_are_kept(const kdr_distances *distances, const kdr_particles *particles, uint32_t made, kdr_error *error);

#endif
