/* Gravity of sources at targets in separate arrays; kdr_interaction_gravity (pairs.h) is for particles that attract each other. With d =
 * x_j - x_i and softening lengths e_i of target i and e_j of source j:
 *
 *     q = softening^2 + e_i^2 + e_j^2 + d . d;  a_i += sum of mu_j d / (q sqrt(q));  potential_i -= sum of mu_j / sqrt(q)
 *
 * Terms with q = 0 are left out. Sums go over the sources in order, in blocks of KDR_GRAVITY_BLOCK (pairs.h) that start from 0. Sources may
 * be added in several calls: with a multiple of KDR_GRAVITY_BLOCK in all calls but the last, the bits are those of one call. */
#ifndef KICKDRIFT_GRAVITY_H
#define KICKDRIFT_GRAVITY_H

#include <kickdrift/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sources and targets, as arrays of any alignment and layout. Start from {0}. Inputs may overlap each other. Outputs must not overlap
 * anything. */
typedef struct kdr_gravity {
    int dims;
    kdr_real real;                /* element type of every array */
    double softening;             /* length for all pairs: 0, or at least 2^-33 in f32 and 2^-300 in f64 */
    size_t sources;               /* with 0 the arrays may be NULL */
    const void *source_x[3];      /* positions, one array per axis; [dims..2] are ignored */
    const void *mu;               /* G m, any sign */
    const void *source_softening; /* e_j, each in the range of `softening`; NULL: all 0 */
    size_t targets;               /* with 0 the arrays may be NULL */
    const void *target_x[3];
    const void *target_softening; /* e_i, each in the range of `softening`; NULL: all 0 */
    void *a[3];                   /* accelerations, added to; may all be NULL */
    void *potential;              /* one per target, added to; may be NULL */
    /* True: target n is source first_source + n, if that exists. Potentials then exclude a target's own; accelerations do not depend on
     * this. */
    bool targets_are_sources;
    ptrdiff_t first_source; /* from -targets to `sources` */
    kdr_layout source_x_layout, mu_layout, source_softening_layout, target_x_layout, target_softening_layout, a_layout, potential_layout;
} kdr_gravity;

/* Adds accelerations, potentials, or both. Several threads may call it at once with separate outputs. Errors: KDR_ERROR_NULL (arrays),
 * KDR_ERROR_NOT_FINITE (softening, lengths), KDR_ERROR_OVERFLOW (sizes), KDR_ERROR_OVERLAP (outputs). KDR_ERROR_ARGUMENT for a member out
 * of range, no output, or options that kdr_pass_options_init did not fill. */
KDR_API kdr_status kdr_gravity_add(const kdr_gravity *gravity, const kdr_pass_options *options, kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
