/* Gravity of sources at targets, wherever both lie: planets here and test particles there, one rank's slice of a ring of them, the nodes of
 * a tree. kdr_coupled_gravity (pairs.h) is the special case of particles that attract each other; the kernel is one.
 *
 * With d = x_j - x_i, e_i and e_j the lengths of target i and source j (0 where none are given), and "s + p y" one fma in the fused
 * arithmetic and a product and a sum in the unfused one, of the sources j = 0, 1, ..., in blocks of KDR_GRAVITY_BLOCK, each block's sums s
 * and w starting from 0:
 *
 *     q = ((((softening^2 + e_i e_i) + e_j e_j) + d_x d_x) + d_y d_y) + d_z d_z;  f = mu_j / (q sqrt(q)), 0 where q = 0
 *     s = s + f d;  w = w + f q
 *
 * and after each block a_i = a_i + s and potential_i = potential_i - w. So sources may be taken in several calls: one after the other, each
 * of a multiple of KDR_GRAVITY_BLOCK but for the last, they give the bits of one call; ranks of a ring that each begin with their own slice
 * do not, and kdr_ranks_gravity_add (mpi.h) takes all in one order. Higher moments of a tree's cell are several sources. Targets may be
 * cut anywhere and taken in any order. The bits depend neither on the backend nor on the executor.
 *
 * Softening is Plummer's, made symmetric for lengths that differ (Saitoh, Makino, New Astron. 17 (2012) 76): the potential of a pair is
 * -mu_j / (|d|^2 + softening^2 + e_i^2 + e_j^2)^(1/2), so that forces are equal and opposite. Where all have one length e the sum is 2 e^2:
 * for a softening of E give each E / sqrt(2).
 *
 * A source in the target's own place does not accelerate it. Its potential is 0 without softening, and -mu_j / softening with one, unless
 * it is the target itself: `targets_are_sources`. Where q sqrt(q) is not finite, at distances of 4e12 in f32 and 1e102 in f64, a source
 * counts for nothing, and where q is not, at 1.8e19 and 1.3e154, the potential is NaN. */
#ifndef KICKDRIFT_GRAVITY_H
#define KICKDRIFT_GRAVITY_H

#include <kickdrift/coupled.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A view of sources and targets: arrays of elements of `real`, at any address, one after the other or as their layouts say; lent for the
 * call. Start from zeros. What is read may overlap, as where targets are some of the sources; no element that is added to has a byte in
 * common with another. The bits do not depend on where elements lie. */
typedef struct kdr_gravity {
    int dims;                     /* 1, 2 or 3 axes */
    kdr_real real;                /* element type of every array below */
    double softening;             /* of all pairs, >= 0: 0, or at least 2^-33 in f32, 2^-300 in f64, so that its cube is not lost */
    size_t sources;               /* how many; 0 is allowed, and then their arrays may be NULL */
    const void *source_x[3];      /* positions, an array an axis; [dims..2] are ignored */
    const void *mu;               /* G m, any sign; 0 is allowed */
    const void *source_softening; /* lengths e_j, each in the range of `softening`; or NULL: 0 */
    size_t targets;               /* how many; 0 is allowed, and then their arrays may be NULL */
    const void *target_x[3];
    const void *target_softening; /* lengths e_i, likewise, or NULL: 0 */
    void *a[3];                   /* accelerations, which are added to; all NULL: not wanted */
    void *potential;              /* potentials, a number a target, which are added to, or NULL: not wanted */
    bool targets_are_sources;     /* target n is source first_source + n, where there is such a source: the potential that it makes itself
                                     is left out. Accelerations do not depend on it */
    ptrdiff_t first_source;       /* from -targets, where targets begin before the sources, to `sources` */
    /* How each axis of source_x, target_x and a lies, and the arrays of the other names; all 0: plain. */
    kdr_layout source_x_layout, mu_layout, source_softening_layout, target_x_layout, target_softening_layout, a_layout, potential_layout;
} kdr_gravity;

/* Adds the accelerations of the targets, their potentials, or both, by the executor of the options; to have the sums alone set the arrays
 * to 0 before. Nothing is allocated. Potentials take no longer than accelerations. Many threads may call it at once, each with arrays of
 * its own to add to.
 * KDR_ERROR_NULL for an array that is missing, KDR_ERROR_ARGUMENT for a member out of range, for nothing wanted, and for options that were
 * not filled in, KDR_ERROR_NOT_FINITE for a softening or a length, KDR_ERROR_OVERFLOW for arrays that are larger than memory,
 * KDR_ERROR_OVERLAP for an array to add to that overlaps another. `error` may be NULL. */
KDR_API kdr_status kdr_gravity_add(const kdr_gravity *gravity, const kdr_pass_options *options, kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
