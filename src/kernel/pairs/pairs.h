/* The kernels of forces between particles: their jobs, and the table that each unit exports. Jobs are not checked again. */
#ifndef KDR_KERNEL_PAIRS_PAIRS_H
#define KDR_KERNEL_PAIRS_PAIRS_H

#include <kickdrift/gravity.h>

#include "../../problem/distances.h"

/* Springs by particle. Particles are in slices of KDR_SLICE, a multiple of every vector's lanes; slices without springs are left out. A
 * slice has as many rows as its particle with the most springs. Row r of slice s holds one spring for each particle, from (first[s] + r)
 * KDR_SLICE on, in the order of the list. If a particle has no more springs, `other` is 0 and the first parameter is NaN, which no
 * spring has. */
enum { KDR_SLICE = 16, KDR_NET_PARAMETERS = 3, KDR_MAP_PARAMETERS = 5 };

typedef struct kdr_slices {
    size_t count;          /* number of slices */
    size_t particles;      /* the largest index with a spring, plus 1 */
    const size_t *first;   /* count + 1 elements */
    const uint32_t *place; /* the particles of a slice begin at its place times KDR_SLICE */
    const uint32_t *other;
    /* in the kernel's precision; for spring networks k, length, damping; for maps see kdr_map_parameter */
    const void *parameter[KDR_MAP_PARAMETERS];
    bool damped; /* the third parameter of some spring is not 0 */
} kdr_slices;

/* The parameters of a map: the particle's share times the matrix, and the length, or -1 if the spring acts on all axes alike. */
enum kdr_map_parameter { KDR_MAP_XX, KDR_MAP_XV, KDR_MAP_VX, KDR_MAP_VV, KDR_MAP_LENGTH };

/* The job of nets, slopes and maps. */
typedef struct kdr_pair_job {
    int dims;
    const void *x[3], *v[3];
    const void *inverse_mass; /* may be NULL */
    size_t count;
    /* arrays that are added to: accelerations; for a map dx and dv; for slopes the diagonal, and the elements off it */
    void *a[3], *b[3];
    double th;     /* for slopes */
    double box[3]; /* periodic box; 0 on axes without one */
    bool boxed;    /* some axis has a box */
    const kdr_slices *slices;
} kdr_pair_job;

/* The job of rods of one colour. After the last rod, arrays have room for a whole vector of any backend. */
typedef struct kdr_rod_job {
    int dims;
    void *x[3], *v[3];
    const void *start[3];
    const void *inverse_mass; /* may be NULL */
    const uint32_t *a, *b;
    const void *square;    /* length^2 */
    const void *tolerance; /* positions: 2 tolerance length^2; velocities: tolerance length^2 */
    double h, inverse_h;   /* |dt|; 1 / dt */
    /* `roundings`: rounding errors of the ends that count as satisfied; over-relaxation amplifies a few */
    double relaxation, roundings;
    double box[3]; /* as in kdr_pair_job */
    bool boxed;
    kdr_half_angles angles; /* half angles by which velocities have been rotated */
} kdr_rod_job;

/* Adds either accelerations or potentials to targets [begin, end). `fused_roots` asks for square roots by multiply-adds, if the kernel
 * has them. */
typedef void kdr_gravity_kernel(const kdr_gravity *sum, bool fused_roots, size_t begin, size_t end);

/* Handles slices [begin, end). */
typedef void kdr_pair_kernel(const kdr_pair_job *job, size_t begin, size_t end);

/* Corrects rods [begin, end). Returns whether one was beyond the tolerance. `turned` does for rotated velocities what `velocities` does
 * for others. An impulse g d along rod d then acts as g C d, the mean of its effects before and after the rotation. With the half angles
 * t of an end, C d = (d + d x t + (d . t) t) / (1 + t . t), and the factor is p / (w_a d . C_a d + w_b d . C_b d) in place of p / ((w_a
 * + w_b) d . d).
 *
 * Order of operations: d x t is d_j t_k + (0 - d_k t_j) (fma), which is added to d; then (d . t) t_i + that (fma), times 1 / (1 + t .
 * t). In a plane, with t across it: (d_1 t + d_0, (0 - d_0) t + d_1) (fma), times 1 / (t t + 1) (fma). */
typedef bool kdr_rod_kernel(const kdr_rod_job *job, size_t begin, size_t end);

/* The kernels of one backend, precision and arithmetic. */
typedef struct kdr_pair_kernels {
    kdr_gravity_kernel *gravity, *potential;
    kdr_pair_kernel *net, *slopes, *map;
    kdr_rod_kernel *positions, *velocities, *turned;
} kdr_pair_kernels;

#endif
