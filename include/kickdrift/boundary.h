/* The boundary of the space that particles live in: after each whole step of any method, and after the colliders.
 *
 * Periodic: a position that has left [min, max) on an axis is put back by a whole number of widths; velocities stay what they are. A method
 * that keeps its acceleration computes it at the new place, with the velocity that the step has seen: in a field that has the box's period
 * the motion is that without a box. What has become infinite or NaN stays so. Forces are not periodic: a spring pulls to its anchor, not
 * to the anchor's image.
 *
 * Absorbing: a particle that has left [min, max] on an axis stays where that step has put it, with the velocity that it had, and no later
 * step changes a bit of it; one that starts outside is not stepped at all. kdr_count_absorbed counts them. */
#ifndef KICKDRIFT_BOUNDARY_H
#define KICKDRIFT_BOUNDARY_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kdr_boundary_kind { KDR_BOUNDARY_NONE = 0, KDR_BOUNDARY_PERIODIC = 1, KDR_BOUNDARY_ABSORBING = 2 } kdr_boundary_kind;
enum { KDR_BOUNDARY_KIND_COUNT = 3 };

typedef struct kdr_boundary {
    kdr_boundary_kind kind;
    double min[3], max[3]; /* finite, min <= max; an axis on which they are equal has no boundary; absent axes are ignored */
} kdr_boundary;

/* The name a scene uses: "none", "periodic", "absorbing"; "?" for an unknown enumerator. */
KDR_API const char *kdr_boundary_kind_name(kdr_boundary_kind kind);

#ifdef __cplusplus
}
#endif
#endif
