/* Colliders: surfaces that particles bounce off, slide on and rest on. methods/rules.md has exact rules, also for rest and for boxes that
 * touch.
 *
 * A particle that meets a surface changes its velocity there, and the method advances it over the rest of the step. In one step it meets at
 * most 64 surfaces, and stays at the last one if there are more. A particle on the wrong side is moved onto the surface. Particles with a
 * kdr_particles::radius touch with their surface. Moving surfaces cannot be combined with constraints. All parameters must be finite. */
#ifndef KICKDRIFT_COLLIDER_H
#define KICKDRIFT_COLLIDER_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kdr_collider_kind {
    KDR_COLLIDER_PLANE = 0,  /* particles are on the side to which `normal` points */
    KDR_COLLIDER_SPHERE = 1, /* a circle on two axes */
    KDR_COLLIDER_BOX = 2     /* along the axes */
} kdr_collider_kind;
enum { KDR_COLLIDER_KIND_COUNT = 3 };

/* Indices of kdr_particles::dissipated_energy, the kinetic energy that colliders take, relative to the surface. KDR_RESTITUTION is the loss
 * by `restitution`, KDR_FRICTION all other loss. For a molecule (distance_constraints.h) the particle that touches receives the whole
 * loss. */
enum kdr_dissipation { KDR_RESTITUTION = 0, KDR_FRICTION = 1 };

typedef struct kdr_collider {
    kdr_collider_kind kind;
    double restitution;     /* 0 to 1: normal speed after a bounce over that before; with 1 nothing rests */
    double friction;        /* 0 to 1: fraction of the tangential velocity that each bounce removes, and each step at rest */
    double friction_normal; /* 0 to 1: fraction of the normal velocity after a bounce that friction removes */
    double sliding;         /* >= 0: Coulomb's coefficient */
    double static_friction; /* >= `sliding`: the same for a sticking particle; 0: as `sliding` */
    union {
        struct {
            double point[3];
            double normal[3]; /* not 0; any length */
        } plane;
        struct {
            double at[3];
            double radius; /* > 0 */
            bool inside;   /* true: particles are inside */
        } sphere;
        struct {
            double min[3], max[3]; /* min <= max */
            bool inside;
        } box;
    } as;
    double velocity[3]; /* of the surface */
    double since;       /* time at which the surface is at the place in `as` */
} kdr_collider;

/* Return a collider with restitution 1, without friction and velocity. */
KDR_API kdr_collider kdr_collider_plane(const double point[3], const double normal[3]);
KDR_API kdr_collider kdr_collider_sphere(const double at[3], double radius, bool inside);
KDR_API kdr_collider kdr_collider_box(const double min[3], const double max[3], bool inside);

KDR_API const char *kdr_collider_kind_name(kdr_collider_kind kind);

#ifdef __cplusplus
}
#endif
#endif
