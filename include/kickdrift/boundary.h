/* The boundary of the space of particles. It acts after each whole step, after the colliders.
 *
 * Periodic: a position outside [min, max) on an axis is moved back by a whole number of widths. Velocities, infinities and NaNs stay.
 * Accelerations are computed at the new place. Forces are not periodic: a spring pulls to its anchor, not to an image of it.
 *
 * Absorbing: no bit changes of a particle that is outside [min, max] on an axis at the beginning of a step. kdr_count_absorbed counts
 * them. */
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
    double min[3], max[3]; /* finite, min <= max; equal: no boundary on that axis; axes that the particles lack are ignored */
} kdr_boundary;

/* Returns the name in scenes: "none", "periodic", "absorbing"; "?" for others. */
KDR_API const char *kdr_boundary_kind_name(kdr_boundary_kind kind);

#ifdef __cplusplus
}
#endif
#endif
