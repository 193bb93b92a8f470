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
 * In field runs a bounce has the order of the method, whatever the field. Under constant forces bounces are exact for methods of order 2
 * and above, and an elastic particle keeps its energy to rounding. Semi-implicit Euler loses the part 2 g dt / v of its energy in a bounce
 * with the speed v at restitution 1: take velocity Verlet. Sliding is of second order. On planes and box faces it is exact if forces are
 * constant. On a sphere with friction it is of first order.
 *
 * Coupled runs do not compute the forces between particles again within a step. Between two surfaces the method integrates one particle in
 * the forces on it alone, plus the mean acceleration by the others in the step. Bounces are then of second order at most. With levels,
 * distances or kinematic methods the path between two surfaces is a parabola fitted to the whole step. It is of first order if forces
 * depend on the velocity, and magnetic fields are refused there.
 *
 * What constraints hold (constraint.h) meets surfaces with them: n is what the constraints let move of the surface's normal, to length 1,
 * and p the whole pulse of the surface, of which they take a part. A pendulum turns round along its circle, with restitution times its
 * speed, whatever the angle at which it meets a wall. A taut rope holds where the surface pushes outwards, and yields where it pushes
 * inwards. What rests on a surface and hangs on a rod or a taut rope is held by both. A surface that could move a particle along no
 * direction that its constraints leave (its normal is within 10^-4, f32 10^-2, of theirs) does nothing to it.
 *
 * baoab reflects a particle in each of its two half drifts, before the heat bath and before the acceleration at the end. Such a flight is
 * straight, and nothing presses on it: every meeting is a bounce, however slow, and nothing rests. What lies on a surface with its
 * velocity along it goes along it. Without forces the temperature and an even density between elastic walls are exact at any step; with
 * forces their error is of second order in the step. Coupled runs have the bits of field runs, but for driven fields.
 *
 * Boxes side by side are one solid: what slides over the seam of two level boxes does not feel it, to 2^-46 (f32: 2^-20) of their
 * coordinates. Build floors and walls of boxes that touch, or reach into each other. Nothing leaves or enters at an edge. The order of
 * the list does not matter beyond rounding. At the end of a step none is outside a box from inside, to the bit, nor behind a plane by
 * more than the rounding of n . x. A step of any length stops at planes, at spheres and boxes from inside, and at spheres and boxes from
 * outside whose inside it crosses. A particle that starts on the wrong side is carried to the surface.
 *
 * Particles with a radius (kdr_particles::radius) are balls: x is the centre, and surfaces are met by the ball's own surface. Around a box
 * from outside the centre goes round edges and corners at the distance of the radius. A ball does not feel the seam between two boxes whose
 * faces lie in one plane. Balls do not turn: friction acts on the velocity of the centre. If a ball does not fit between several surfaces,
 * the last of them in the list sets its place.
 *
 * A surface may move: at the time t of the clock it is displaced by velocity (t - since). Contacts act on the velocity relative to the
 * surface: platforms carry, belts drag, and of the velocity v along its normal an elastic wall of velocity u makes 2 u - v. On several
 * surfaces the velocity along each normal is that of the surface, and the velocity along them is measured relative to the first that was
 * met and has friction. `dissipated` counts what surfaces take in their own frames; the work of moving surfaces is not counted. Moving
 * surfaces beside constraints or distances are refused (KDR_ERROR_UNSUPPORTED). To move a surface by hand call kdr_integrator_set_colliders
 * before each run, with its velocity, and `since` the clock's time.
 *
 * A contact in a compensated run keeps the compensation of each component of x and v that it does not change. So a particle far from the
 * origin that slides along an axis moves on, though each step's way is below the rounding of x.
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
 * rest; friction its work along the surface, and what friction_normal takes. What rests takes nothing. Constraints take none. In a
 * molecule (distances.h) m is the mass that the surface meets, and the particle that touches has the sum. Where surfaces stand, the sum of
 * both and of the particles' energy is constant as far as the method keeps energy; a rest on a surface with friction, and a molecule's
 * rest, are of second order in the step. */
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
    double velocity[3]; /* default 0; else the surface moves */
    double since;       /* default 0: the time at which it is where `as` says */
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
