/* Colliders: surfaces that particles bounce off, slide on and rest on.
 *
 * A step that meets a surface ends there, and the method takes the rest of it from the changed velocity. A step meets at most 64
 * surfaces; with more it ends at the last one. A particle that is too slow to leave the surface within the step rests on it, and moves
 * on as the surfaces permit. methods/rules.md in share/doc/kickdrift/docs has the exact rules and orders.
 *
 * Balls (kdr_particles::radius) touch with their surface and do not turn. Boxes that touch or overlap have no seams. A particle on the
 * wrong side is carried to the surface. Moving surfaces act on the velocity relative to them; constraints refuse them. A
 * plane whose normal has only axes that the particles lack is ignored. All parameters must be finite. */
#ifndef KICKDRIFT_COLLIDER_H
#define KICKDRIFT_COLLIDER_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kdr_collider_kind {
    KDR_COLLIDER_PLANE = 0,  /* through `point`; particles live where `normal` points to */
    KDR_COLLIDER_SPHERE = 1, /* a circle on two axes */
    KDR_COLLIDER_BOX = 2     /* faces are along the axes */
} kdr_collider_kind;
enum { KDR_COLLIDER_KIND_COUNT = 3 };

/* Index of kdr_particles::dissipated. KDR_RESTITUTION: kinetic energy of motion along the normal. KDR_FRICTION: of motion along the
 * surface, and `friction_normal`. Energies are in the frame of the surface. In a molecule (distances.h) the particle that touches gets
 * the sum. */
enum kdr_dissipation { KDR_RESTITUTION = 0, KDR_FRICTION = 1 };

typedef struct kdr_collider {
    kdr_collider_kind kind;
    double restitution;     /* 0 to 1: ratio of the normal speeds after and before; 1 always bounces */
    double friction;        /* 0 to 1: part of the tangential velocity that a contact takes; a resting particle loses it per step */
    double friction_normal; /* 0 to 1: part of the normal velocity after a bounce that it also takes */
    double sliding;         /* >= 0: Coulomb's coefficient: loss of tangent speed over change of normal speed */
    double static_friction; /* the ratio up to which a particle sticks: at least `sliding`; 0 means `sliding` */
    union {
        struct {
            double point[3];
            double normal[3]; /* not 0; any length */
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
    double velocity[3]; /* default 0: the surface stands still */
    double since;       /* default 0; at this time the surface is where `as` says */
} kdr_collider;

/* Return a collider with restitution 1, no friction, at rest. A vector that is NULL is 0, 0, 0. */
KDR_API kdr_collider kdr_collider_plane(const double point[3], const double normal[3]);
KDR_API kdr_collider kdr_collider_sphere(const double at[3], double radius, bool inside);
KDR_API kdr_collider kdr_collider_box(const double min[3], const double max[3], bool inside);

/* Returns the name in scenes: "plane", "sphere", "box"; "?" for others. */
KDR_API const char *kdr_collider_kind_name(kdr_collider_kind kind);

#ifdef __cplusplus
}
#endif
#endif
