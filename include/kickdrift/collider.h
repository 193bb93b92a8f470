/* Colliders: surfaces that particles bounce off, slide on and rest on; looked at after each whole step of any method.
 *
 * A step that ends on the other side of a surface, or on it, is a contact. Along the step's straight line the surface is met at the
 * fraction f, with the velocity v_f = (1 - f) v_n + f v_{n+1}. With n the surface's normal where it is met, on the side where particles
 * live, and u = -(v_f . n):
 *   bounce   u > 0 and more than what the forces give against the surface in this step, -(v_{n+1} - v_n) . n: the velocity pulse is
 *            (1 + restitution) u n; the position is carried back to the surface and as much times restitution out of it, where a particle
 *            that bounced at f is at the end of the step.
 *   rest     otherwise: what is left of v_{n+1} into the surface is taken away, the position is carried back to the surface. A particle
 *            with a restitution below 1 comes to rest in a finite time, on the surface, and stays there.
 *   friction then works on the tangent velocity v_t, p being the size of the velocity pulse: viscous, v_t -= friction v_t; and of what is
 *            left Coulomb's takes sliding p, at most all. In a bounce both do so when the surface is met: all is lost where v_t is at
 *            most static_friction p, and what is lost is not travelled in the rest of the step. A particle that rests is decelerated
 *            evenly over the step. Where it stops within the step it is placed there, and it stays, to the bit, where what the
 *            forces add to v_t in a step is at most static_friction p; else they draw it on. Viscous friction is a factor a contact: a
 *            particle that stays on the surface has one each step, so its rate depends on the step, Coulomb's does not.
 *            friction_normal takes part of the normal velocity that a bounce has left at the end of its step.
 *
 * With a method of order 2 or more, place and velocity after a bounce without friction_normal are of second order in the step, and so are
 * those of what slides on a plane or a face of a box and comes to rest; in a line, by constant forces, sliding is exact. What slides along
 * a sphere, or in a groove of several surfaces, is of first order, with friction or without.
 *
 * Colliders work in the order of the list. After the last one a particle that one of them carried out of another is put back, in the same
 * order, to the nearest place: at the end of a step none is outside a box, to the bit, nor behind a plane by more than the rounding of
 * n . x. A step of any length stops at planes, at spheres and boxes from inside, and at spheres and boxes from outside whose inside it
 * crosses. A particle that starts on the wrong side is carried to the surface.
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
 * bounce, u being the velocity along the normal when the surface is met, and all of m u^2 / 2 where a particle comes to rest; friction its
 * work along the surface, and what friction_normal takes. What rests takes nothing. Constraints are not counted. The sum of both and of the
 * particles' energy is constant as far as the method keeps energy, and the error of a contact is of second order in the step. */
enum kdr_dissipation { KDR_RESTITUTION = 0, KDR_FRICTION = 1 };

typedef struct kdr_collider {
    kdr_collider_kind kind;
    double restitution;     /* 0 to 1 */
    double friction;        /* 0 to 1: the part of the tangent velocity that a contact takes */
    double friction_normal; /* 0 to 1: of the normal velocity at the end of the step of the bounce; of first order in the step */
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
