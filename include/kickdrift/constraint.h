/* Constraints: what particles hang from, slide along and stay on; kept at the end of each whole step of any method.
 *
 * The step goes where the forces take it; then, with n the constraint's gradient (its Jacobian) where it was met, a position pulse along n
 * carries x_{n+1} to where the constraint holds, and a velocity pulse along n, that over the step, goes with it; what v_{n+1} then has
 * along the gradient at x_{n+1} is taken away. With velocity Verlet in a field that does not depend on x this is RATTLE (Andersen, J.
 * Comput. Phys. 52 (1983) 24): of order 2, reversible, and the energy of a pendulum is bounded over any number of steps. Other methods keep
 * their own energy error, and are of order 2 at most.
 *
 * Constraints work in the order of the list, before the colliders. Each holds to rounding when its turn ends; of two that disagree the last
 * holds. A particle that starts off a constraint is carried to it in the first step, along its gradient. A run back (dt < 0) is allowed.
 * Parameters of axes that the particles do not have are ignored. All must be finite. */
#ifndef KICKDRIFT_CONSTRAINT_H
#define KICKDRIFT_CONSTRAINT_H

#include <kickdrift/status.h>

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

/* The name a scene uses: "rod", "rope", "plane", "sphere"; "?" for an unknown enumerator. */
KDR_API const char *kdr_constraint_kind_name(kdr_constraint_kind kind);

#ifdef __cplusplus
}
#endif
#endif
