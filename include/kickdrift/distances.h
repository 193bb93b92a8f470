/* Distances between two particles that are kept: rods. Chains of them, cloth, molecules, pendulums on pendulums.
 *
 * After the drift of a step the positions are brought to where every distance holds, after its last kick the relative velocities along the
 * rods are taken away: SHAKE (Ryckaert, Ciccotti, Berendsen, J. Comput. Phys. 23 (1977) 327) and RATTLE (Andersen, J. Comput. Phys. 52
 * (1983) 24). With velocity Verlet and distances kept tightly (the tolerance) that is symplectic, and energy stays bounded:
 *
 *     v += h/2 a;  save x;  x += h v;  kdr_distances_positions;  a = a(x);  v += h/2 a;  kdr_distances_velocities
 *
 * Where a does not depend on x both may be done at the end of the step.
 *
 * A sweep goes over the rods one after the other. Each is given the smallest colour that no rod before it in the list, with a particle in
 * common, has; a sweep takes colour after colour. Rods of a colour share no particle, so that they are done at once, in vectors and by
 * threads, and the bits depend on neither. Sweeps go on until one finds every rod within the tolerance, or there were `sweeps` of them.
 *
 * With w the inverse masses (1 where the view has none), d = x_b - x_a now, s = x_b - x_a at the start of the step, "+" after a product
 * one fma in the fused arithmetic, r = 4 / (2 - relaxation) units of rounding (2^-23, 2^-52):
 *   positions   q = ((d_x d_x) + d_y d_y) + d_z d_z;  e = q - length^2;  p = ((d_x s_x) + d_y s_y) + d_z s_z
 *               a rod that has turned too far, p < length^2 / 4, is drawn along d in place of s: s = d, p = q
 *               where |e| > 2 tolerance length^2 and r (|d| . (|x_a| + |x_b|)), and p > 0, w_a + w_b > 0:
 *                 g = (relaxation e) / ((2 (w_a + w_b)) p);  g_a = g w_a;  g_b = -g w_b
 *               x_a = x_a + g_a s;  x_b = x_b + g_b s;  v_a = v_a + (g_a / h) s;  v_b = v_b + (g_b / h) s   (a product with 1 / h)
 *   velocities  p = ((d_x u_x) + d_y u_y) + d_z u_z, u = v_b - v_a
 *               where |p| |h| > tolerance length^2 and r |h| (|d| . (|v_a| + |v_b|)), and q > 0, w_a + w_b > 0:
 *                 g = (relaxation p) / ((w_a + w_b) q);  v_a = v_a + (g w_a) d;  v_b = v_b - (g w_b) d
 * The terms with r are what rounding of positions and velocities leaves: far from the origin rods are kept as well as coordinates there
 * can say. Momentum is kept to rounding; a particle of inverse mass 0 is not moved by a bit.
 *
 * In a coupled run with colliders the particles that distances join meet surfaces as one molecule. The impulse at the surface acts on all
 * of them: v . n of the particle that touches is reversed with the surface's restitution, distances stay kept, and an elastic contact keeps
 * the molecule's kinetic energy to rounding. Friction acts at the same time, by the impulse of the contact. The step of a molecule that
 * meets something is computed again, piece by piece between contacts. A molecule of n particles has max(8, 2048 / n) trial flights in a
 * step; what it meets after them brings it to rest there until the step ends. Flights are by velocity Verlet with the mean acceleration of
 * the step, whatever the method. They are of second order in forces that depend on places, and of first order in forces that depend on the
 * velocity; magnetic fields are refused. What presses and does not bounce comes to rest on the surface. On a slope it stays where friction
 * holds it, to rounding. Colliders and constraints (kdr_coupled_desc::constraints) beside distances are refused.
 *
 * A coupled run in which the worst distance is off by half of its length when all sweeps are made, since distances contradict each other,
 * a step is long or sweeps are few, fails with KDR_ERROR_ARGUMENT: the step is none. Smaller deviations are no error: kdr_distances_worst
 * tells them. */
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
    size_t size;                   /* bytes: kdr_distances_desc_default() sets it, and nothing else */
    const kdr_distance *distances; /* `count` of them, copied */
    size_t count;
    double tolerance;          /* of |x_b - x_a| / length; default 0: 16 units in the last place of the precision */
    uint32_t sweeps;           /* at most, in each call; default 1000. A long chain needs many, a soft cloth may do with 10 */
    double relaxation;         /* more than 0, less than 2; default 1. In double, to the default tolerance, chains of n rods need some
                                  8 n^2 sweeps with 1, some 20 n with 2 / (1 + sin(pi / n)), successive over-relaxation, which with fewer
                                  sweeps is further off than 1 would be */
    kdr_real real;             /* default KDR_F64: of the particles */
    kdr_arithmetic arithmetic; /* default KDR_FUSED */
    kdr_backend backend;       /* default KDR_BACKEND_AUTO */
    kdr_executor executor;     /* default serial */
    double box[3];             /* default 0, none: how long a periodic box is on each axis. d and s are those of nearest images then:
                                  d + box where d < -box / 2, d - box where d > box / 2, once. Particles lie within it, or a box beside;
                                  lengths are less than half of it, or of the shortest one */
} kdr_distances_desc;

/* Writes the defaults into a description of `size` bytes, which are those of the caller's header: what follows, and bindings, call it. */
KDR_API void kdr_distances_desc_init(kdr_distances_desc *desc, size_t size);
static inline kdr_distances_desc kdr_distances_desc_default(void) {
    kdr_distances_desc desc;
    kdr_distances_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_distances kdr_distances;

/* Checks and colours the list. On success *distances is the caller's, to be given to kdr_distances_destroy; on failure it is untouched.
 * Immutable; may be used from many threads at once on different particles. KDR_ERROR_NULL, KDR_ERROR_ARGUMENT, KDR_ERROR_NOT_FINITE and
 * KDR_ERROR_OVERFLOW for an entry or a member out of range, the errors of kdr_backend_choose, KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_distances_create(const kdr_distances_desc *desc, kdr_distances **distances, kdr_error *error);
KDR_API void kdr_distances_destroy(kdr_distances *distances); /* NULL is allowed */

/* Moves x and v of the particles, after the drift of a step of length dt. `start`: x at the start of the step, arrays of the view's
 * type, apart from the view's. The view's elements must not lie apart, and all its particles be active (KDR_ERROR_UNSUPPORTED):
 * kdr_coupled_run takes any view. `sweeps`, unless NULL, is how many were made: desc.sweeps where the tolerance was not met before. */
KDR_API kdr_status kdr_distances_positions(const kdr_distances *distances, kdr_particles *particles, const void *const start[3], double dt,
                                           uint32_t *sweeps, kdr_error *error);

/* Takes the relative velocities along the rods. dt scales the tolerance. Errors as of kdr_distances_positions: KDR_ERROR_NULL,
 * KDR_ERROR_ARGUMENT and KDR_ERROR_NOT_FINITE (dt), KDR_ERROR_MISMATCH (precision, or fewer particles than entries name),
 * KDR_ERROR_UNSUPPORTED, and those of kdr_particles_check. */
KDR_API kdr_status kdr_distances_velocities(const kdr_distances *distances, kdr_particles *particles, double dt, uint32_t *sweeps,
                                            kdr_error *error);

/* The largest | |x_b - x_a| / length - 1 |, and | (v_b - v_a) . (x_b - x_a) | dt / length^2; NaN when one is. Either may be NULL.
 * Of particles in any layout, active or not. Other errors are those of kdr_distances_velocities. */
KDR_API kdr_status kdr_distances_worst(const kdr_distances *distances, const kdr_particles *particles, double dt, double *position,
                                       double *velocity, kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
