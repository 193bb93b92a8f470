/* This file computes the potential energy of interactions. */
#include <math.h>
#include <string.h>

#include "../particles/element.h"
#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/rounding.h"
#include "pairs.h"

/* A sum and its rounding error (Neumaier 1974). */
typedef struct sum {
    double high, low;
} sum;

static void add(sum *s, double value) {
    const double t = s->high + value;
    s->low += fabs(s->high) >= fabs(value) ? (s->high - t) + value : (value - t) + s->high;
    s->high = t;
}

static double distance2(const kdr_particles *p, const double box[3], size_t i, size_t j) {
    double square = 0.0;
    for (int axis = 0; axis < p->dims; ++axis) {
        const double d = kdr_nearest(kdr_element(p->x[axis], p->real, j) - kdr_element(p->x[axis], p->real, i), box[axis]);
        square += d * d;
    }
    return square;
}

/* A thread takes TARGETS targets at a time, as many as a block of sources has, and sums up their energies of gravity. The sums of RANGES
 * ranges are added in order before the next ranges begin. */
enum { TARGETS = KDR_GRAVITY_BLOCK, RANGES = 512 };

typedef struct energy_ranges {
    const kdr_pairs *pairs;
    const kdr_gravity *gravity;
    const kdr_particles *particles;
    size_t first; /* the first range of this batch */
    size_t own;   /* the first range of this process, counted from `first` */
    sum sums[RANGES];
} energy_ranges;

/* Doubles mu of the frozen sources of a block. A pair of a moving and a frozen particle is met once only; other pairs are met twice. */
static void double_frozen(const kdr_particles *p, size_t first, kdr_gravity_sources *block, size_t n) {
    for (size_t j = 0; j < n; ++j) {
        if (kdr_inverse_mass(p, first + j) == 0.0) {
            kdr_set_element(block->mu[0], p->real, j, 2.0 * kdr_element(block->mu[0], p->real, j));
        }
    }
}

/* Sets the potentials of targets [begin, end). Either all of these targets are sources, or none is. */
static void potentials_of(const energy_ranges *r, size_t begin, size_t end, unsigned char *potential) {
    static const kdr_executor here = {0};
    const kdr_pairs *const pairs = r->pairs;
    const size_t size = kdr_real_size(r->particles->real);
    kdr_gravity these = *r->gravity;
    these.targets = end - begin;
    these.first_source = (ptrdiff_t)begin;
    if (these.target_softening) {
        these.target_softening = kdr_array_from(these.target_softening, &these.target_softening_layout, size, begin);
    }
    for (int i = 0; i < these.dims; ++i) {
        these.target_x[i] = (const unsigned char *)these.target_x[i] + begin * size;
    }
    these.potential = memset(potential, 0, these.targets * size);
    if (!r->particles->inverse_mass || begin >= these.sources) {
        kdr_gravity_run(&these, pairs->kernels, pairs->backend, &here, 0, these.targets);
        return;
    }
    kdr_gravity_sources room;
    for (size_t first = 0; first < these.sources; first += TARGETS) {
        const size_t n = these.sources - first < TARGETS ? these.sources - first : TARGETS;
        kdr_gravity block;
        kdr_gravity_take_sources(&these, kdr_copies_for(pairs->backend), first, n, &room, &block);
        double_frozen(r->particles, first, &room, n);
        kdr_gravity_run(&block, pairs->kernels, pairs->backend, &here, 0, these.targets);
    }
}

static void do_range(void *argument, size_t from, size_t to) {
    energy_ranges *const r = argument;
    const kdr_particles *const p = r->particles;
    _Alignas(64) unsigned char potential[TARGETS * sizeof(double)];
    for (size_t range = r->own + from; range < r->own + to; ++range) {
        const size_t begin = (r->first + range) * TARGETS, end = p->count - begin < TARGETS ? p->count : begin + TARGETS;
        const size_t sources = r->gravity->sources, middle = begin < sources && sources < end ? sources : end;
        sum *const of_range = &r->sums[range];
        *of_range = (sum){0.0, 0.0};
        potentials_of(r, begin, middle, potential);
        if (middle < end) {
            potentials_of(r, middle, end, potential + (middle - begin) * kdr_real_size(p->real));
        }
        for (size_t i = begin; i < end; ++i) {
            const double w = kdr_inverse_mass(p, i), share = i < sources ? 0.5 : 1.0; /* pairs of sources are met twice */
            add(of_range, w != 0.0 ? share * kdr_element(potential, p->real, i - begin) / w : 0.0);
        }
    }
}

static kdr_status gravity(const kdr_pairs *pairs, const kdr_pair_term *term, const kdr_particles *p, sum *energy, kdr_error *error) {
    const kdr_gravity g = kdr_gravity_of(&term->force, p);
    const size_t all = p->count / TARGETS + (p->count % TARGETS != 0);
    const kdr_communicator *const communicator = &pairs->communicator;
    energy_ranges r = {.pairs = pairs, .gravity = &g, .particles = p};
    for (; r.first < all; r.first += RANGES) {
        const size_t count = all - r.first < RANGES ? all - r.first : RANGES;
        r.own = kdr_communicator_begin(communicator, communicator->index, count);
        kdr_parallel_for(&pairs->executor, kdr_communicator_begin(communicator, communicator->index + 1, count) - r.own, do_range, &r);
        const kdr_status status = kdr_communicator_broadcast(communicator, r.sums, count, sizeof *r.sums, count * sizeof *r.sums, error);
        if (status != KDR_OK) {
            return status;
        }
        for (size_t n = 0; n < count; ++n) {
            add(energy, r.sums[n].high);
            add(energy, isfinite(r.sums[n].high) ? r.sums[n].low : 0.0);
        }
    }
    return KDR_OK;
}

static kdr_status net(const kdr_pairs *pairs, const kdr_pair_term *term, const kdr_particles *p, sum *energy, kdr_error *error) {
    (void)error;
    for (size_t n = 0; n < term->force.as.spring_network.count; ++n) {
        const kdr_pair_spring *const spring = &term->springs[n];
        const double stretch = sqrt(distance2(p, pairs->box, spring->a, spring->b)) - spring->length;
        add(energy, 0.5 * spring->k * (stretch * stretch));
    }
    return KDR_OK;
}

typedef kdr_status potential_fn(const kdr_pairs *pairs, const kdr_pair_term *term, const kdr_particles *p, sum *energy, kdr_error *error);
static potential_fn *const potentials[KDR_INTERACTION_KIND_COUNT] = {[KDR_GRAVITY] = gravity, [KDR_SPRING_NETWORK] = net};

kdr_status kdr_pairs_potential(const kdr_pairs *pairs, const kdr_particles *particles, double *energy, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(pairs, error, KDR_ERROR_NULL, "pairs: expected a pointer, got NULL");
    KDR_CHECK(energy, error, KDR_ERROR_NULL, "energy: expected a pointer, got NULL");
    kdr_status status = kdr_pairs_check_view(pairs->real, pairs->reach, particles, error);
    if (status == KDR_OK) {
        status = kdr_pairs_check_most(pairs->most, particles, error);
    }
    sum total = {0.0, 0.0};
    for (size_t n = 0; status == KDR_OK && n < pairs->count; ++n) {
        status = potentials[pairs->term[n].force.kind](pairs, &pairs->term[n], particles, &total, error);
    }
    *energy = status != KDR_OK ? *energy : isfinite(total.high) ? total.high + total.low : total.high;
    return status;
}
