/* The reference of interactions in its two precisions, for pairs.c. The arguments have been checked. */
#ifndef KDR_REFERENCE_PAIRS_H
#define KDR_REFERENCE_PAIRS_H

#include <kickdrift/system.h>

#include "../problem/distances.h"
#include "../problem/gravity.h"
#include "../problem/pairs.h"

typedef struct kdr_reference_pairs {
    /* Adds the accelerations and potentials that the view asks for. */
    void (*gravity)(const kdr_gravity *gravity, bool fused);
    /* Adds the accelerations of a net to a. `work` has room for 3 count elements and count marks. `box` has the lengths of the periodic
     * box, 0 on axes without one. */
    void (*net)(const kdr_interaction *force, bool fused, const double box[3], const kdr_particles *particles, void *const a[3],
                void *work);
    /* Subtracts the slopes of a net from g, for th, as in kdr_slopes_fn. `work` has room for 9 count elements and count marks. */
    void (*slopes)(const kdr_interaction *force, bool fused, const double box[3], const kdr_particles *particles, double th,
                   void *const g[6], void *work);
    /* Adds the contributions of a net's springs in a step h to dx and dv. `work` has room for 6 count elements and count marks. */
    void (*map)(const kdr_interaction *force, bool fused, const double box[3], const kdr_particles *particles, double h, void *const dx[3],
                void *const dv[3], void *work);
    /* Correct one rod. Return whether it was beyond the tolerance. */
    bool (*position)(const kdr_distance *rod, const kdr_distance_constraints_desc *desc, kdr_particles *particles,
                     const void *const start[3], double h);
    bool (*velocity)(const kdr_distance *rod, const kdr_distance_constraints_desc *desc, kdr_particles *particles, double h,
                     const kdr_half_angles *angles);
} kdr_reference_pairs;

/* Apply the interactions and distances of a system run's description. kdr_reference_system_pairs adds accelerations,
 * kdr_reference_system_slopes subtracts slopes. kdr_reference_system_distances corrects positions after a step h if `start` is not
 * NULL, and velocities if `still` is not 0, to the tolerance for steps of length `still`; kdr_reference_system_turned corrects
 * velocities that have been rotated by half angles. x and v of the view are plain arrays. */
kdr_status kdr_reference_system_pairs(const kdr_system_desc *desc, const kdr_particles *particles, void *const a[3], kdr_error *error);
kdr_status kdr_reference_system_slopes(const kdr_system_desc *desc, const kdr_particles *particles, double th, void *const g[6],
                                       kdr_error *error);
kdr_status kdr_reference_system_distances(const kdr_system_desc *desc, kdr_particles *particles, const void *const *start, double h,
                                          double still, kdr_error *error);
kdr_status kdr_reference_system_turned(const kdr_system_desc *desc, kdr_particles *particles, const kdr_half_angles *angles, double h,
                                       kdr_error *error);

/* Sets `order` to the order in which a sweep visits the rods of the list. */
kdr_status kdr_reference_sweep_order(const kdr_distance *rods, size_t count, size_t *order);

extern const kdr_reference_pairs kdr_reference_pairs_f32, kdr_reference_pairs_f64;

#endif
