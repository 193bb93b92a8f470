/* The boundary of the particles' space. It acts at the end of each step, after the colliders.
 *
 * Periodic: a position outside [min, max) on an axis is moved back by a multiple of max - min, unless it is infinite or NaN. Velocities do
 * not change. Forces are not periodic: a spring pulls to its anchor only.
 *
 * Absorbing: a step changes no bit of a particle that is outside [min, max] on any axis when the step begins. */
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
    double min[3], max[3]; /* finite, min <= max; equal: no boundary on that axis */
} kdr_boundary;

KDR_API const char *kdr_boundary_kind_name(kdr_boundary_kind kind);

#ifdef __cplusplus
}
#endif
#endif
