/* Forces between particles: direct-sum gravity and nets of springs. Gravity of other arrays is in gravity.h.
 *
 * A list of them is checked once (kdr_pairs_create) and is then usable alone, in anybody's step loop or in the callback of a coupled run:
 * kdr_pairs_add adds their accelerations to arrays of the caller's. The bits depend neither on the backend nor on the executor: what acts
 * on a particle is added up in an order that is written down here. A kdr_pairs is immutable; it may be used from many threads at once.
 *
 * With the view's x, v and inverse masses w (1 where there are none), d = x_j - x_i, u = v_j - v_i, and "s + p y" one fma in the fused
 * arithmetic and a product and a sum in the unfused one:
 *
 *   gravity  of the sources j = 0, 1, ..., in blocks of KDR_GRAVITY_BLOCK, each block's sum s starting from 0:
 *              q = ((softening^2 + d_x d_x) + d_y d_y) + d_z d_z;  f = mu_j / (q sqrt(q)), 0 where q = 0;  s = s + f d
 *            and after each block a_i = a_i + s. Where particles have softening lengths e, q begins with (softening^2 + e_i e_i) + e_j e_j:
 *            gravity.h says more of them.
 *   net      of the particle's springs in the order of the list, F starting from 0:
 *              q = ((d_x d_x) + d_y d_y) + d_z d_z;  r = sqrt(q);  n = 1 / r;  t = k (r - length)
 *              where a spring of the net is damped: p = ((u_x d_x) + u_y d_y) + u_z d_z;  t = t + damping (p n)
 *              F = F + (t n) d, left as it is where q = 0: two particles in one place pull in no direction
 *            and then a_i = a_i + w F, or a_i + F where the view has no masses; a particle without springs is left alone.
 *
 * In blocks, a sum of N rounded terms is off by some (KDR_GRAVITY_BLOCK + N / KDR_GRAVITY_BLOCK) units at worst and not by N. */
#ifndef KICKDRIFT_PAIRS_H
#define KICKDRIFT_PAIRS_H

#include <kickdrift/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KDR_GRAVITY_BLOCK = 128,
    KDR_MAX_INDEX = 0x7ffffffe /* of a particle that a spring or a rod holds */
};

typedef enum kdr_coupled_kind {
    KDR_GRAVITY = 0, /* a_i = sum of mu_j d / (|d|^2 + softening^2)^(3/2); potential -m_i mu_j / (|d|^2 + softening^2)^(1/2) a pair;
                        with softening lengths their squares are added to that of the softening */
    KDR_NET = 1      /* F_i = sum of (k (|d| - length) + damping (u . d) / |d|) d / |d|; potential k (|d| - length)^2 / 2 a spring */
} kdr_coupled_kind;
enum { KDR_COUPLED_KIND_COUNT = 2 };

typedef struct kdr_pair_spring {
    uint32_t a, b;                 /* two different particles, by index */
    double k;                      /* any sign */
    double length;                 /* at rest, >= 0 */
    double damping;                /* along the spring, any sign */
    kdr_contribution contribution; /* to kdr_pair_map alone: coupled runs take the default. DEFAULT: average where the net has more
                                      than one spring, else exact; not first-order, nor pulse-symplectic of a damped spring */
} kdr_pair_spring;

typedef struct kdr_coupled_force {
    kdr_coupled_kind kind;
    union {
        struct {
            const void *mu;   /* `sources` values G m_j, of the view's element type, any sign; lent: alive as long as the pairs are used */
            size_t sources;   /* the first `sources` particles attract all particles; the others are test particles */
            double softening; /* >= 0; its cube must not be lost to the precision: at least 2^-33 in f32, 2^-300 in f64, or 0 */
            const void *softening_each; /* a length e for each particle, sources or not, of the view's element type and each in the range of
                                           `softening`: looked at by kdr_pairs_create; lent as mu is. NULL: 0 */
            size_t softening_count;     /* its elements: a view may have fewer particles, and not more */
            kdr_layout mu_layout, softening_each_layout; /* all 0: plain. Bits do not depend on them */
        } gravity;
        struct {
            const kdr_pair_spring *springs; /* `count` of them, copied */
            size_t count;
        } net;
    } as;
} kdr_coupled_force;

KDR_API kdr_coupled_force kdr_coupled_gravity(const void *mu, size_t sources, double softening); /* without lengths */
KDR_API kdr_coupled_force kdr_coupled_net(const kdr_pair_spring *springs, size_t count);
KDR_API const char *kdr_coupled_kind_name(kdr_coupled_kind kind); /* "gravity", "net"; "?" for an unknown enumerator */

/* Processes that all have the same particles and make the same calls of the same descriptions in one order. They share out what grows with
 * the square of the particles, the targets of gravity, its accelerations and energy: each computes some, and is given the others'. Every
 * process has the bits of one alone. All zeros, or a count of 1: there is this process alone. mpi.h makes one of a job's ranks. */
typedef struct kdr_team {
    int index, count; /* this process from 0, and how many there are */
    void *context;
    /* Sets the `size` bytes at `data` on all processes to those that process `from` has there; called on all of them, in one order, by the
     * thread that called the library. Anything but KDR_OK is handed on, and stops a run; it should then fail on all. */
    kdr_status (*bring)(void *context, int from, void *data, size_t size);
} kdr_team;

typedef struct kdr_pairs_desc {
    size_t size;                     /* bytes: kdr_pairs_desc_default() sets it, and nothing else */
    const kdr_coupled_force *forces; /* `force_count` entries, copied */
    size_t force_count;
    kdr_real real;             /* default KDR_F64: of the particles */
    kdr_arithmetic arithmetic; /* default KDR_FUSED */
    kdr_backend backend;       /* default KDR_BACKEND_AUTO */
    kdr_executor executor;     /* default serial */
    kdr_team team;             /* default this process alone; the executor then has what is this process's */
    double box[3];             /* default 0, none; of nets: how long a periodic box is on each axis, and springs act between nearest images:
                                  d + box where d < -box / 2, d - box where d > box / 2, once. Particles lie within it, or a box beside.
                                  A spring's length must be less than half of the shortest box */
} kdr_pairs_desc;

/* Writes the defaults into a description of `size` bytes, which are those of the caller's header: what follows, and bindings, call it. */
KDR_API void kdr_pairs_desc_init(kdr_pairs_desc *desc, size_t size);
static inline kdr_pairs_desc kdr_pairs_desc_default(void) {
    kdr_pairs_desc desc;
    kdr_pairs_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_pairs kdr_pairs;

/* Checks the list and sorts each net's springs by particle. On success *pairs is the caller's, to be given to kdr_pairs_destroy; on failure
 * it is untouched. `error` may be NULL. KDR_ERROR_NULL, KDR_ERROR_ARGUMENT, KDR_ERROR_NOT_FINITE, KDR_ERROR_OVERFLOW and
 * KDR_ERROR_UNSUPPORTED for an entry or a member out of range, the errors of kdr_backend_choose, KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_pairs_create(const kdr_pairs_desc *desc, kdr_pairs **pairs, kdr_error *error);
KDR_API void kdr_pairs_destroy(kdr_pairs *pairs); /* NULL is allowed */

/* Adds the accelerations of all particles, frozen ones too, at x and v: to a[i][0..count), i < dims, elements of the view's type. The
 * arrays must not overlap those of the view. Nothing is allocated. KDR_ERROR_MISMATCH for a view of another precision, with fewer
 * particles than there are sources or than a spring names, or with more than have softening lengths. KDR_ERROR_UNSUPPORTED for a view
 * whose x, v or inverse masses lie apart: kdr_coupled_run takes those too. What a team's `bring` returns; a is then void. */
KDR_API kdr_status kdr_pairs_add(const kdr_pairs *pairs, const kdr_particles *particles, void *const a[3], kdr_error *error);

/* The potential energy, the same on every backend and executor. Gravity's is the sum of m_i potential_i of the particles, as gravity.h has
 * the potentials, in the particles' precision; half of it for sources, whose pairs are met twice. They are summed in double with
 * compensation, by the executor: it takes no longer than kdr_pairs_add. Pairs of two frozen particles (of infinite mass) are left out, of
 * a pair with one the other has the whole -m_i mu_j / r, and test particles do not attract. Nets are summed in double.
 * Errors as of kdr_pairs_add, and KDR_ERROR_NULL without `energy`. */
KDR_API kdr_status kdr_pairs_potential(const kdr_pairs *pairs, const kdr_particles *particles, double *energy, kdr_error *error);

/* The springs of nets in the kinematic method (METHODS: x += h v_n + sum of dx, v += sum of dv): what each adds to its two particles, along
 * the motion that the two have under it alone. With W = w_i + w_j the relative coordinate d is an oscillator of mass 1 / W, whose step
 * d += h u + dd, u += du is a constant matrix, made here; particle i gets -(w_i / W) of dd and du, particle j +(w_j / W): momentum is kept.
 *
 *   length 0 and no damping: every axis alike; dd = cxx d + cxv u, du = cvx d + cvv u. Exact for two bodies;
 *   else along the axis n = d / |d| at the start of the step: dd = (cxx (|d| - length) + cxv (u . n)) n, du likewise with cvx and cvv, and
 *   no contribution where d = 0. Exact for two bodies on a line; of order 1, whatever the kind, where such springs turn.
 *
 * exact, average, pulse, pulse-symplectic and euler are those of force.h. The matrices depend on dt and on the view's inverse masses:
 * make a new map when one of them changes. Gravity does not take part; add h a and h^2 / 2 a of it (average), as of other forces. */
typedef struct kdr_pair_map kdr_pair_map;

/* KDR_ERROR_ARGUMENT and KDR_ERROR_NOT_FINITE for a dt of 0 or one that is not finite, KDR_ERROR_NOT_FINITE for matrices that are not,
 * KDR_ERROR_NO_MEMORY, and the errors of kdr_pairs_add; *map is untouched then. */
KDR_API kdr_status kdr_pair_map_create(const kdr_pairs *pairs, const kdr_particles *particles, double dt, kdr_pair_map **map,
                                       kdr_error *error);
KDR_API void kdr_pair_map_destroy(kdr_pair_map *map); /* NULL is allowed */

/* Adds the contributions of all springs at x and v to dx[i][0..count) and dv[i][0..count), in the order of kdr_pairs_add; per particle all
 * springs of a net are first summed from 0. Errors as of kdr_pairs_add. */
KDR_API kdr_status kdr_pair_map_add(const kdr_pair_map *map, const kdr_particles *particles, void *const dx[3], void *const dv[3],
                                    kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
