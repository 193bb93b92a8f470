/* The two precisions of the textbook of forces between particles, as pairs.c sees them. What they are given was checked. */
#ifndef KDR_REFERENCE_PAIRS_H
#define KDR_REFERENCE_PAIRS_H

#include <kickdrift/coupled.h>

#include "../problem/distances.h"
#include "../problem/gravity.h"
#include "../problem/pairs.h"

typedef struct kdr_reference_pairs {
    /* Adds what is wanted. */
    void (*gravity)(const kdr_gravity *gravity, bool fused);
    /* a[i] += the accelerations of a net. `work`: 3 count elements and count marks. `box`: of images, 0 where there is none. */
    void (*net)(const kdr_coupled_force *force, bool fused, const double box[3], const kdr_particles *particles, void *const a[3],
                void *work);
    /* g -= the slopes of a net, for th, as kdr_slopes_fn has them. `work`: 9 count elements and count marks. */
    void (*slopes)(const kdr_coupled_force *force, bool fused, const double box[3], const kdr_particles *particles, double th,
                   void *const g[6], void *work);
    /* dx += and dv += the contributions of a net's springs for a step h. `work`: 6 count elements and count marks. */
    void (*map)(const kdr_coupled_force *force, bool fused, const double box[3], const kdr_particles *particles, double h,
                void *const dx[3], void *const dv[3], void *work);
    /* One rod. Whether it was off. */
    bool (*position)(const kdr_distance *rod, const kdr_distances_desc *desc, kdr_particles *particles, const void *const start[3],
                     double h);
    bool (*velocity)(const kdr_distance *rod, const kdr_distances_desc *desc, kdr_particles *particles, double h,
                     const kdr_half_angles *angles);
} kdr_reference_pairs;

/* The parts of a coupled run's description act on a view, whose x and v are plain arrays. Coupled forces add to a. Distances bring positions
 * to them where `start` is given; where `still` is not 0, they bring velocities along them, to the tolerance in steps of that length. */
kdr_status kdr_reference_coupled_pairs(const kdr_coupled_desc *desc, const kdr_particles *particles, void *const a[3], kdr_error *error);
kdr_status kdr_reference_coupled_slopes(const kdr_coupled_desc *desc, const kdr_particles *particles, double th, void *const g[6],
                                        kdr_error *error);
kdr_status kdr_reference_coupled_distances(const kdr_coupled_desc *desc, kdr_particles *particles, const void *const *start, double h,
                                           double still, kdr_error *error);
kdr_status kdr_reference_coupled_turned(const kdr_coupled_desc *desc, kdr_particles *particles, const kdr_half_angles *angles, double h,
                                        kdr_error *error);

/* The order in which a sweep goes over the rods, which are in this order in the list. */
kdr_status kdr_reference_sweep_order(const kdr_distance *rods, size_t count, size_t *order);

extern const kdr_reference_pairs kdr_reference_pairs_f32, kdr_reference_pairs_f64;

#endif
