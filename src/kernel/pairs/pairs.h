/* What the kernels of forces between particles are given, and the table that each unit exports. They trust the job. */
#ifndef KDR_KERNEL_PAIRS_PAIRS_H
#define KDR_KERNEL_PAIRS_PAIRS_H

#include <kickdrift/gravity.h>

#include "../../problem/distances.h"

/* Springs by particle: particles in slices of KDR_SLICE, which every backend's vectors divide, without the slices that no spring reaches;
 * of each slice as many rows as its particle with the most springs has. Row r of slice s holds a spring of each particle at
 * (first[s] + r) KDR_SLICE: the rows of a particle in the order of the list. Where a particle has no more, `other` is 0 and the first
 * parameter NaN, which no spring's is. */
enum { KDR_SLICE = 16, KDR_NET_PARAMETERS = 3, KDR_MAP_PARAMETERS = 5 };

typedef struct kdr_slices {
    size_t count;          /* of slices */
    size_t particles;      /* that the net reaches: the largest index and 1 */
    const size_t *first;   /* count + 1 */
    const uint32_t *place; /* of each slice: its particles begin at place KDR_SLICE */
    const uint32_t *other;
    const void *parameter[KDR_MAP_PARAMETERS]; /* of the kernel's precision. Nets: k, length, damping; maps: see kdr_map_parameter */
    bool damped;                               /* the third parameter of a net is not 0 everywhere */
} kdr_slices;

/* A map's: the share of the particle times the matrix, and the length, or -1 where the spring acts on every axis alike. */
enum kdr_map_parameter { KDR_MAP_XX, KDR_MAP_XV, KDR_MAP_VX, KDR_MAP_VV, KDR_MAP_LENGTH };

/* Nets and maps. */
typedef struct kdr_pair_job {
    int dims;
    const void *x[3], *v[3];
    const void *inverse_mass; /* or NULL */
    size_t count;
    void *a[3], *b[3]; /* what is added to: accelerations; of a map dx and dv; of slopes the diagonal, and what is beside it */
    double th;         /* of slopes */
    double box[3];     /* of images; 0: none on the axis, */
    bool boxed;        /* or on all */
    const kdr_slices *slices;
} kdr_pair_job;

/* Rods of one colour. Arrays have room for whole vectors of any backend behind the last rod. */
typedef struct kdr_rod_job {
    int dims;
    void *x[3], *v[3];
    const void *start[3];
    const void *inverse_mass; /* or NULL */
    const uint32_t *a, *b;
    const void *square;           /* length^2 */
    const void *tolerance;        /* positions: 2 tolerance length^2; velocities: tolerance length^2 */
    double h, inverse_h;          /* |dt|; 1 / dt */
    double relaxation, roundings; /* of the ends, that count as kept: as many as over-relaxation makes of a few */
    double box[3];                /* as of pairs */
    bool boxed;
    kdr_half_angles angles; /* by which velocities have been turned */
} kdr_rod_job;

/* Adds to targets [begin, end), either their accelerations or their potentials. `fused_roots`: square roots by multiply-adds, where the
 * kernel knows how. */
typedef void kdr_gravity_kernel(const kdr_gravity *sum, bool fused_roots, size_t begin, size_t end);

/* Slices [begin, end). */
typedef void kdr_pair_kernel(const kdr_pair_job *job, size_t begin, size_t end);

/* Rods [begin, end); whether one was beyond the tolerance. `turned` does to velocities that have been turned what `velocities` does to
 * others: an impulse g d of a rod d is one of g C d, the mean of what came before the turn and what comes after it. With the half angles t
 * of an end, C d = (d + d x t + (d . t) t) / (1 + t . t); and p / (w_a d . C_a d + w_b d . C_b d) is in place of p / ((w_a + w_b) d . d).
 * d x t: d_j t_k + (0 - d_k t_j) (fma), one added to d, then (d . t) t_i + that (fma), times 1 / (1 + t . t). In a plane, t across it,
 * (d_1 t + d_0, (0 - d_0) t + d_1) (fma), times 1 / (t t + 1) (fma). */
typedef bool kdr_rod_kernel(const kdr_rod_job *job, size_t begin, size_t end);

/* The kernels of one (backend, precision, arithmetic). */
typedef struct kdr_pair_kernels {
    kdr_gravity_kernel *gravity, *potential;
    kdr_pair_kernel *net, *slopes, *map;
    kdr_rod_kernel *positions, *velocities, *turned;
} kdr_pair_kernels;

#endif
