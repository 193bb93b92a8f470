/* Constraints: what particles hang from, slide along and stay on.
 *
 * Methods that are made of kicks and drifts (splitting, magnetic, baoab) hold a particle in each of them: a drift is followed by an impulse
 * along the gradients where it began, which carries x back and changes v, and v has nothing along the gradients after a kick or a turn.
 * This is RATTLE (Andersen, J. Comput. Phys. 52 (1983) 24) in any field: velocity-verlet, position-verlet and boris stay symmetric and of
 * order 2, beside a magnetic field too, and the energy of a pendulum is bounded over any number of steps. A composition of them has its own
 * order; a splitting row of higher order is of order 2, for a drift along a constraint is no longer exact.
 *
 * Other methods (rk4, implicit-midpoint, exact-affine, kinematic) hold the end of the whole step alone, by the same impulse. They are of
 * order 2 at most, and of order 1 where a magnetic field or a rotating frame acts; energy may grow there without bound. Take boris or
 * velocity-verlet, composed for a higher order.
 *
 * Several constraints on a particle hold together, to rounding and in any order of the list; what follows from the others is left out.
 * Where they contradict each other, none of them need hold. Ropes are looked at after the others; two ropes that become taut at once, in
 * the order of the list. A taut rope takes a speed outwards, in the direction of time, and does not push.
 *
 * A particle that starts off a constraint is carried to it in the first step, along its gradient, where v too is made to obey; what that
 * changes kdr_constraints_hold tells before. Colliders
 * act along what constraints let move (collider.h), and what bounces in a field run takes the rest of its step with its constraints. A
 * run back (dt < 0) is allowed. Parameters of axes that the particles do not have are ignored.
 * All must be finite. */
#ifndef KICKDRIFT_CONSTRAINT_H
#define KICKDRIFT_CONSTRAINT_H

#include <kickdrift/particles.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kdr_constraint_kind {
    KDR_CONSTRAINT_ROD = 0,   /* |x - to| = length */
    KDR_CONSTRAINT_ROPE = 1,  /* |x - to| <= length; a rope that becomes taut takes the velocity along it */
    KDR_CONSTRAINT_PLANE = 2, /* (x - point) . normal = 0 */
    KDR_CONSTRAINT_SPHERE = 3 /* |x - at| = radius */
} kdr_constraint_kind;
enum { KDR_CONSTRAINT_KIND_COUNT = 4 };

typedef struct kdr_constraint {
    kdr_constraint_kind kind;
    union {
        struct {
            double to[3];
            double length; /* > 0 */
        } rod;
        struct {
            double to[3];
            double length; /* > 0 */
        } rope;
        struct {
            double point[3];
            double normal[3]; /* of any length but 0 */
        } plane;
        struct {
            double at[3];
            double radius; /* > 0 */
        } sphere;
    } as;
} kdr_constraint;
/* Constraints by value. A vector that is NULL is 0, 0, 0. */
KDR_API kdr_constraint kdr_constraint_rod(const double to[3], double length);
KDR_API kdr_constraint kdr_constraint_rope(const double to[3], double length);
KDR_API kdr_constraint kdr_constraint_plane(const double point[3], const double normal[3]);
KDR_API kdr_constraint kdr_constraint_sphere(const double at[3], double radius);

/* Puts particles on to `count` constraints, and their velocities along them, as the first step of a run does. Before a run it tells what
 * that step would change: compare x, v and the energy before and after. A rope changes what is outside alone, and a speed outwards. Frozen
 * particles, and those that are not active, stay. Particles in any layout; those that are where they should be change by rounding at most.
 * What they remember of steps is void then.
 * KDR_ERROR_NULL, the errors of kdr_particles_check, and those of kdr_integrator_create for constraints. On failure nothing is changed. */
KDR_API kdr_status kdr_constraints_hold(const kdr_constraint *constraints, size_t count, kdr_particles *particles, kdr_error *error);

/* The name a scene uses: "rod", "rope", "plane", "sphere"; "?" for an unknown enumerator. */
KDR_API const char *kdr_constraint_kind_name(kdr_constraint_kind kind);

#ifdef __cplusplus
}
#endif
#endif
