/* Forces between particles: gravity by direct sums (formula: gravity.h), and spring networks, which are lists of springs. A network adds
 * its springs in order, without pairs with d = 0. With d = x_j - x_i, u = v_j - v_i and the inverse mass w of particle i:
 *
 *     a_i += w (sum of (k (|d| - length) + damping (u . d) / |d|) d / |d|) */
#ifndef KICKDRIFT_PAIRS_H
#define KICKDRIFT_PAIRS_H

#include <kickdrift/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KDR_GRAVITY_BLOCK = 128,
    KDR_MAX_INDEX = 0x7ffffffe /* largest index in a spring or a rod (distance_constraints.h) */
};

typedef enum kdr_interaction_kind {
    KDR_GRAVITY = 0,       /* potential -m_i mu_j / sqrt(q) per pair */
    KDR_SPRING_NETWORK = 1 /* potential k (|d| - length)^2 / 2 per spring */
} kdr_interaction_kind;
enum { KDR_INTERACTION_KIND_COUNT = 2 };

typedef struct kdr_pair_spring {
    uint32_t a, b;  /* two different particles */
    double k;       /* any sign */
    double length;  /* at rest, >= 0 */
    double damping; /* along the spring, any sign */
    /* For kdr_pair_map only. Default: exact for a spring network of one spring, else average. first-order is refused, and so is
     * pulse-symplectic with damping. */
    kdr_contribution contribution;
} kdr_pair_spring;

typedef struct kdr_interaction {
    kdr_interaction_kind kind;
    union {
        struct {
            /* `sources` values G m_j of the particles' element type, any sign. Borrowed as long as the pairs exist. */
            const void *mu;
            size_t sources;   /* the first `sources` particles attract all; others are test particles */
            double softening; /* 0, or in the range of gravity.h */
            /* Lengths of all particles, like mu, each in the range of `softening`; NULL: all 0. */
            const void *softening_each;
            size_t softening_count; /* at least the number of particles */
            kdr_layout mu_layout, softening_each_layout;
        } gravity;
        struct {
            const kdr_pair_spring *springs; /* copied */
            size_t count;
        } spring_network;
    } as;
} kdr_interaction;

KDR_API kdr_interaction kdr_interaction_gravity(const void *mu, size_t sources, double softening);
KDR_API kdr_interaction kdr_interaction_spring_network(const kdr_pair_spring *springs, size_t count);
KDR_API const char *kdr_interaction_kind_name(kdr_interaction_kind kind);

/* Processes that have the same particles and make the same calls in the same order. They share the work of gravity, and each gets the bits
 * of one process alone. {0}: this process alone. mpi.h makes communicators of MPI ranks. */
typedef struct kdr_communicator {
    int index, count; /* index of this process, from 0, and number of processes */
    void *context;
    /* Copies the `size` bytes at `data` of process `from` to `data` on all processes. The thread that called the library calls it. A status
     * other than KDR_OK ends the run or call; the copy should then fail on all. */
    kdr_status (*broadcast)(void *context, int from, void *data, size_t size);
} kdr_communicator;

typedef struct kdr_pairs_desc {
    size_t size;
    const kdr_interaction *forces; /* copied */
    size_t force_count;
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_backend backend;
    kdr_executor executor;
    kdr_communicator communicator;
    /* Lengths of a periodic box, in which springs act between nearest images; 0: none. A spring must be shorter than half of each length;
     * coordinates of its ends must differ by less than 3/2 of it. */
    double box[3];
} kdr_pairs_desc;

KDR_API void kdr_pairs_desc_init(kdr_pairs_desc *desc, size_t size);
static inline kdr_pairs_desc kdr_pairs_desc_default(void) {
    kdr_pairs_desc desc;
    kdr_pairs_desc_init(&desc, sizeof desc);
    return desc;
}

typedef struct kdr_pairs kdr_pairs;

/* Checks the description and creates *pairs. Errors: KDR_ERROR_ARGUMENT, KDR_ERROR_NOT_FINITE, KDR_ERROR_OVERFLOW, KDR_ERROR_UNSUPPORTED,
 * and those of kdr_backend_choose. */
KDR_API kdr_status kdr_pairs_create(const kdr_pairs_desc *desc, kdr_pairs **pairs, kdr_error *error);
KDR_API void kdr_pairs_destroy(kdr_pairs *pairs);

/* Adds the accelerations of all particles, including frozen ones, to the contiguous arrays a[i][0 .. count), of the particles' element
 * type, which must not overlap theirs. Errors: those of kdr_communicator::broadcast, after which `a` is undefined. KDR_ERROR_MISMATCH for
 * another precision, fewer particles than springs or `sources` name, or more than softening lengths. KDR_ERROR_OVERLAP (a).
 * KDR_ERROR_UNSUPPORTED for strided x, v or inverse masses. */
KDR_API kdr_status kdr_pairs_add(const kdr_pairs *pairs, const kdr_particles *particles, void *const a[3], kdr_error *error);

/* Computes the potential energy, summed in double. A pair of two frozen particles has none, and a pair of two sources counts once. Errors:
 * those of kdr_pairs_add. */
KDR_API kdr_status kdr_pairs_potential(const kdr_pairs *pairs, const kdr_particles *particles, double *energy, kdr_error *error);

/* Contributions of springs to a step of the method kinematic (force.h). Each spring adds the motion of its two particles under it alone, by
 * its kdr_contribution. Accelerations a of other forces add dx = h^2 / 2 a, dv = h a. A map is for one dt and the particles' inverse
 * masses. */
typedef struct kdr_pair_map kdr_pair_map;

/* Makes the map for steps of dt. Errors: those of kdr_pairs_add, KDR_ERROR_ARGUMENT (dt = 0), KDR_ERROR_NOT_FINITE (dt or the map). */
KDR_API kdr_status kdr_pair_map_create(const kdr_pairs *pairs, const kdr_particles *particles, double dt, kdr_pair_map **map,
                                       kdr_error *error);
KDR_API void kdr_pair_map_destroy(kdr_pair_map *map);

/* Adds the contributions of all springs at x and v to dx[i][0 .. count) and dv[i][0 .. count). Errors: those of kdr_pairs_add. */
KDR_API kdr_status kdr_pair_map_add(const kdr_pair_map *map, const kdr_particles *particles, void *const dx[3], void *const dv[3],
                                    kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
