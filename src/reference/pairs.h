/* The two precisions of the textbook of forces between particles, as pairs.c sees them. What they are given was checked. */
#ifndef KDR_REFERENCE_PAIRS_H
#define KDR_REFERENCE_PAIRS_H

#include "../coupled/distances.h"
#include "../coupled/pairs.h"

typedef struct kdr_reference_pairs {
    /* a[i] += the accelerations of one entry of a list. `work`: 3 count elements and count marks. */
    void (*gravity)(const kdr_coupled_force *force, bool fused, const kdr_particles *particles, void *const a[3]);
    void (*net)(const kdr_coupled_force *force, bool fused, const kdr_particles *particles, void *const a[3], void *work);
    /* dx += and dv += the contributions of a net's springs for a step h. `work`: 6 count elements and count marks. */
    void (*map)(const kdr_coupled_force *force, bool fused, const kdr_particles *particles, double h, void *const dx[3], void *const dv[3],
                void *work);
    /* One rod. Whether it was off. */
    bool (*position)(const kdr_distance *rod, const kdr_distances_desc *desc, kdr_particles *particles, const void *const start[3], double h);
    bool (*velocity)(const kdr_distance *rod, const kdr_distances_desc *desc, kdr_particles *particles, double h);
} kdr_reference_pairs;

extern const kdr_reference_pairs kdr_reference_pairs_f32, kdr_reference_pairs_f64;

#endif
