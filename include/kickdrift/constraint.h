/* Constraints: rods and ropes from a fixed point to each particle, and planes and spheres that all particles stay on. Splitting methods,
 * magnetic methods and baoab satisfy them after each kick and drift, by RATTLE; others only at the end of the step, with order 2 at most.
 *
 * A particle satisfies all constraints at once, unless they contradict each other. Ropes are applied last; a taut rope takes the outward
 * velocity and never pushes. The first step moves particles onto their constraints. Parameters must be finite. */
#ifndef KICKDRIFT_CONSTRAINT_H
#define KICKDRIFT_CONSTRAINT_H

#include <kickdrift/particles.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kdr_constraint_kind {
    KDR_CONSTRAINT_ROD = 0,   /* |x - to| = length */
    KDR_CONSTRAINT_ROPE = 1,  /* |x - to| <= length */
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
            double normal[3]; /* not 0; any length */
        } plane;
        struct {
            double at[3];
            double radius; /* > 0 */
        } sphere;
    } as;
} kdr_constraint;
KDR_API kdr_constraint kdr_constraint_rod(const double to[3], double length);
KDR_API kdr_constraint kdr_constraint_rope(const double to[3], double length);
KDR_API kdr_constraint kdr_constraint_plane(const double point[3], const double normal[3]);
KDR_API kdr_constraint kdr_constraint_sphere(const double at[3], double radius);

/* Moves particles, in any layout, onto `count` constraints, and removes forbidden velocities, as the first step of a run does. memory_key
 * becomes 0. Errors: those of kdr_particles_check, and of kdr_integrator_create for constraints. */
KDR_API kdr_status kdr_constraints_hold(const kdr_constraint *constraints, size_t count, kdr_particles *particles, kdr_error *error);

KDR_API const char *kdr_constraint_kind_name(kdr_constraint_kind kind);

#ifdef __cplusplus
}
#endif
#endif
