/* Colliders: surfaces that particles bounce off, slide on and rest on.
 *
 * A step that comes to a surface ends there, and another begins: the time of impact is found on the path of the method, the velocity is
 * turned round there, and the method takes the rest of the step again from the new state. Surfaces are met in order of time, up to 64
 * times in a step; a particle that meets more ends the step where it met the last. With n the surface's normal, on the side where
 * particles live, u = -(v . n) when it is met, and p the size of the velocity pulse:
 *   bounce   u is more than what forces give against the surface in the rest of the step, or the restitution is 1: v . n becomes
 *            restitution u.
 *   rest     otherwise: v . n becomes 0. What lies on a surface, or on up to three of them at once, goes where they let it: the
 *            velocity, and the place at the end of the step, are the nearest that no surface forbids. A particle with a restitution
 *            below 1 comes to rest in a finite time, on the surface, and stays there, to the bit. An elastic particle that only touches
 *            rests too.
 *   friction then works on the tangent velocity v_t: viscous, v_t -= friction v_t; and of what is left Coulomb's takes sliding p, at
 *            most all. In a bounce both do so when the surface is met: all is lost where v_t is at most static_friction p.
 *            A particle that rests is decelerated evenly over the step. Where it stops within the step it is placed there, and it stays,
 *            to the bit, where what the forces add to v_t in a step is at most static_friction p; else they draw it on. On several
 *            surfaces p is the sum of theirs.
 *            Viscous friction is a factor a contact: a particle that stays on the surface has one each step, so its rate depends on the
 *            step; Coulomb's does not. friction_normal takes part of the velocity that a bounce leaves along the normal.
 *
 * Bounces have the order of the method, in any field; by constant forces they are exact for methods of order 2 and above, and an elastic
 * particle keeps its energy to rounding. Semi-implicit Euler loses 2 g dt / v of its energy a bounce at restitution 1: take velocity
 * Verlet. What slides on planes and faces is of second order, exact where forces are constant; along a sphere it is of first order, with
 * friction or without. Coupled runs do not evaluate others again within a step: there a flight is the step's own parabola, of second
 * order in forces that depend on places, of first order beside forces that depend on the velocity. So it is with constraints, and with a
 * heat bath.
 *
 * Boxes side by side are one solid: what slides over the seam of two level boxes does not feel it, to 2^-46 (f32: 2^-20) of their
 * coordinates. Build floors and walls of boxes that touch, or reach into each other. Nothing leaves or enters at an edge. The order of
 * the list does not matter beyond rounding. At the end of a step none is outside a box from inside, to the bit, nor behind a plane by
 * more than the rounding of n . x. A step of any length stops at planes, at spheres and boxes from inside, and at spheres and boxes from
 * outside whose inside it crosses. A particle that starts on the wrong side is carried to the surface.
 *
 * Units are the caller's own. All parameters must be finite. Parameters of axes that the particles do not have are ignored: a plane whose
 * normal has only those is not there. */
#ifndef KICKDRIFT_COLLIDER_H
#define KICKDRIFT_COLLIDER_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kdr_collider_kind {
    KDR_COLLIDER_PLANE = 0,  /* through `point`; particles live where `normal` points to */
    KDR_COLLIDER_SPHERE = 1, /* a circle of a 2-D view */
    KDR_COLLIDER_BOX = 2     /* its faces are along the axes */
} kdr_collider_kind;
enum { KDR_COLLIDER_KIND_COUNT = 3 };

/* What colliders take kinetic energy by: the index of kdr_particles::dissipated. Restitution takes m (1 - restitution^2) u^2 / 2 of a
 * bounce, u being the velocity along the normal when the surface is met, and what a particle loses along the normals where it comes to
 * rest; friction its work along the surface, and what friction_normal takes. What rests takes nothing. Constraints are not counted. The
 * sum of both and of the particles' energy is constant as far as the method keeps energy; a rest on a surface with friction is of second
 * order in the step. */
enum kdr_dissipation { KDR_RESTITUTION = 0, KDR_FRICTION = 1 };

typedef struct kdr_collider {
    kdr_collider_kind kind;
    double restitution;     /* 0 to 1 */
    double friction;        /* 0 to 1: the part of the tangent velocity that a contact takes */
    double friction_normal; /* 0 to 1: of the velocity that a bounce leaves along the normal */
    double sliding;         /* >= 0: Coulomb's coefficient of a particle that slides */
    double static_friction; /* >= sliding, or 0: as sliding; of one that sticks */
    union {
        struct {
            double point[3];
            double normal[3]; /* of any length but 0 */
        } plane;
        struct {
            double at[3];
            double radius; /* > 0 */
            bool inside;   /* particles live inside */
        } sphere;
        struct {
            double min[3], max[3]; /* min <= max */
            bool inside;
        } box;
    } as;
} kdr_collider;

/* Colliders by value: restitution 1, no friction. A vector that is NULL is 0, 0, 0. */
KDR_API kdr_collider kdr_collider_plane(const double point[3], const double normal[3]);
KDR_API kdr_collider kdr_collider_sphere(const double at[3], double radius, bool inside);
KDR_API kdr_collider kdr_collider_box(const double min[3], const double max[3], bool inside);

/* The name a scene uses: "plane", "sphere", "box"; "?" for an unknown enumerator. */
KDR_API const char *kdr_collider_kind_name(kdr_collider_kind kind);

#ifdef __cplusplus
}
#endif
#endif
