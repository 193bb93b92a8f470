/* Distances between two particles that are kept: rods, as in chains, cloth and molecules.
 *
 * This is SHAKE (Ryckaert, Ciccotti, Berendsen, J. Comput. Phys. 23 (1977) 327) and RATTLE (Andersen, J. Comput. Phys. 52 (1983) 24).
 * The two functions below belong into a step of velocity Verlet, which is then symplectic:
 *
 *     v += h/2 a;  save x;  x += h v;  kdr_distances_positions;  a = a(x);  v += h/2 a;  kdr_distances_velocities
 *
 * Sweeps over the rods end when every rod is within the tolerance, or after `sweeps` of them. The bits depend neither on threads nor on
 * the backend. Momentum is kept to rounding; frozen particles keep every bit. A coupled run whose worst distance is off by half of its
 * length fails with KDR_ERROR_ARGUMENT; smaller deviations are no error. Its colliders treat joined particles as one molecule
 * (methods/rules.md). */
#ifndef KICKDRIFT_DISTANCES_H
#define KICKDRIFT_DISTANCES_H

#include <kickdrift/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kdr_distance {
    uint32_t a, b; /* two different particles, by index, at most KDR_MAX_INDEX (pairs.h) */
    double length; /* > 0 */
} kdr_distance;

typedef struct kdr_distances_desc {
    size_t size;                   /* set by kdr_distances_desc_default() only */
    const kdr_distance *distances; /* `count` of them, copied */
    size_t count;
    double tolerance; /* of |x_b - x_a| / length; default 0: 16 units in the last place */
    uint32_t sweeps;  /* at most, in each call; default 1000 */
    /* More than 0, less than 2; default 1. For chains of n rods 2 / (1 + sin(pi / n)) takes the fewest sweeps to the default tolerance.
     * With fewer sweeps than that it leaves larger deviations than 1. */
    double relaxation;
    kdr_real real;             /* default KDR_F64; must be that of the particles */
    kdr_arithmetic arithmetic; /* default KDR_FUSED */
    kdr_backend backend;       /* default KDR_BACKEND_AUTO */
    kdr_executor executor;     /* default serial */
    /* Default 0: none. Lengths of a periodic box, in which rods act between nearest images. Coordinates must differ by less than 3/2 of
     * a length. Rods must be shorter than half of each. */
    double box[3];
} kdr_distances_desc;

/* Sets the defaults, for bindings; `size` is sizeof *desc. */
KDR_API void kdr_distances_desc_init(kdr_distances_desc *desc, size_t size);
static inline kdr_distances_desc kdr_distances_desc_default(void) {
    kdr_distances_desc desc;
    kdr_distances_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_distances kdr_distances;

/* Checks and colours the list. On success the caller owns *distances: free it with kdr_distances_destroy. On failure it is untouched. It
 * is immutable, and many threads may use it on different particles. Errors: KDR_ERROR_ARGUMENT, KDR_ERROR_NOT_FINITE or
 * KDR_ERROR_OVERFLOW for an entry or member out of range. Also KDR_ERROR_NO_MEMORY, and those of kdr_backend_choose. */
KDR_API kdr_status kdr_distances_create(const kdr_distances_desc *desc, kdr_distances **distances, kdr_error *error);
KDR_API void kdr_distances_destroy(kdr_distances *distances);

/* Corrects x and v after the drift of a step of length dt. `start` has x at the start of the step, in plain arrays of the view's element
 * type that do not overlap it. The view must have plain arrays and no inactive particles (KDR_ERROR_UNSUPPORTED). `sweeps` may be NULL;
 * it receives the number of sweeps, which is desc.sweeps if the tolerance was not reached. Other errors: those of
 * kdr_distances_velocities. */
KDR_API kdr_status kdr_distances_positions(const kdr_distances *distances, kdr_particles *particles, const void *const start[3], double dt,
                                           uint32_t *sweeps, kdr_error *error);

/* Removes the relative velocities along the rods. dt scales the tolerance. `sweeps` as above. Errors: those of kdr_particles_check.
 * KDR_ERROR_ARGUMENT or KDR_ERROR_NOT_FINITE (dt), KDR_ERROR_MISMATCH (precision, too few particles), KDR_ERROR_UNSUPPORTED as above. */
KDR_API kdr_status kdr_distances_velocities(const kdr_distances *distances, kdr_particles *particles, double dt, uint32_t *sweeps,
                                            kdr_error *error);

/* Finds the largest deviations: *position is | |x_b - x_a| / length - 1 |, *velocity is | (v_b - v_a) . (x_b - x_a) | dt / length^2. NaN
 * if one is NaN. Either pointer may be NULL. Particles may have any layout and marks. Errors: those of kdr_distances_velocities. */
KDR_API kdr_status kdr_distances_worst(const kdr_distances *distances, const kdr_particles *particles, double dt, double *position,
                                       double *velocity, kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
