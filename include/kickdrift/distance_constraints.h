/* Distances between two particles that stay constant, like rods in chains, cloth and molecules, by SHAKE and RATTLE. In a step of velocity
 * Verlet the functions are called in this order:
 *
 *     v += h/2 a;  save x;  x += h v;  kdr_distance_constraints_shake;  a = a(x);  v += h/2 a;  kdr_distance_constraints_rattle
 *
 * Each sweeps over the rods until all are within the tolerance, or `sweeps` times. A system run with an error of half a length fails with
 * KDR_ERROR_ARGUMENT. Its colliders treat joined particles as one molecule. */
#ifndef KICKDRIFT_DISTANCE_CONSTRAINTS_H
#define KICKDRIFT_DISTANCE_CONSTRAINTS_H

#include <kickdrift/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kdr_distance {
    uint32_t a, b; /* two different indices up to KDR_MAX_INDEX (pairs.h) */
    double length; /* > 0 */
} kdr_distance;

typedef struct kdr_distance_constraints_desc {
    size_t size;
    const kdr_distance *distances; /* copied */
    size_t count;
    double tolerance; /* largest error of |x_b - x_a| / length; 0: 16 units in the last place */
    uint32_t sweeps;  /* largest number in each call; default 1000 */
    /* Above 0, below 2; default 1. For chains of n rods 2 / (1 + sin(pi / n)) takes the fewest sweeps. */
    double relaxation;
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_backend backend;
    kdr_executor executor;
    /* As kdr_pairs_desc::box, for rods in place of springs. */
    double box[3];
} kdr_distance_constraints_desc;

KDR_API void kdr_distance_constraints_desc_init(kdr_distance_constraints_desc *desc, size_t size);
static inline kdr_distance_constraints_desc kdr_distance_constraints_desc_default(void) {
    kdr_distance_constraints_desc desc;
    kdr_distance_constraints_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_distance_constraints kdr_distance_constraints;

/* Checks the description and creates *distances. Errors: KDR_ERROR_ARGUMENT, KDR_ERROR_NOT_FINITE, KDR_ERROR_OVERFLOW, and those of
 * kdr_backend_choose. */
KDR_API kdr_status kdr_distance_constraints_create(const kdr_distance_constraints_desc *desc, kdr_distance_constraints **distances,
                                                   kdr_error *error);
KDR_API void kdr_distance_constraints_destroy(kdr_distance_constraints *distances);

/* Corrects x and v after the drift of a step of length dt. `start` has x at the start of the step, in contiguous arrays that do not overlap
 * the particles. The particles must be in contiguous arrays and all active (KDR_ERROR_UNSUPPORTED). *sweeps, which may be NULL, receives
 * the number of sweeps; it is kdr_distance_constraints_desc::sweeps if the tolerance was not reached. Other errors: those of
 * kdr_distance_constraints_rattle. */
KDR_API kdr_status kdr_distance_constraints_shake(const kdr_distance_constraints *distances, kdr_particles *particles,
                                                  const void *const start[3], double dt, uint32_t *sweeps, kdr_error *error);

/* Removes the relative velocities along the rods. dt scales the tolerance. Arrays and `sweeps` are as in kdr_distance_constraints_shake.
 * Errors: KDR_ERROR_ARGUMENT or KDR_ERROR_NOT_FINITE (dt), KDR_ERROR_MISMATCH (precision, too few particles), KDR_ERROR_UNSUPPORTED. */
KDR_API kdr_status kdr_distance_constraints_rattle(const kdr_distance_constraints *distances, kdr_particles *particles, double dt,
                                                   uint32_t *sweeps, kdr_error *error);

/* Finds the largest errors of all rods: *position is | |x_b - x_a| / length - 1 |, *velocity is | (v_b - v_a) . (x_b - x_a) | dt /
 * length^2. Each result is NaN if any rod's is. Either pointer may be NULL. Any layout is allowed. Errors: those of
 * kdr_distance_constraints_rattle. */
KDR_API kdr_status kdr_distance_constraints_max_violation(const kdr_distance_constraints *distances, const kdr_particles *particles,
                                                          double dt, double *position, double *velocity, kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
