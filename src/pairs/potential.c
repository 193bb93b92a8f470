/* The potential energy of forces between particles. */
#include <math.h>

#include "../particles/element.h"
#include "../particles/error.h"
#include "../particles/rounding.h"
#include "pairs.h"

/* A sum with what rounding took from it (Neumaier 1974). */
typedef struct sum {
    double high, low;
} sum;

static void add(sum *s, double value) {
    const double t = s->high + value;
    s->low += fabs(s->high) >= fabs(value) ? (s->high - t) + value : (value - t) + s->high;
    s->high = t;
}

static double distance2(const kdr_particles *p, size_t i, size_t j) {
    double square = 0.0;
    for (int axis = 0; axis < p->dims; ++axis) {
        const double d = kdr_element(p->x[axis], p->real, j) - kdr_element(p->x[axis], p->real, i);
        square += d * d;
    }
    return square;
}

static double inverse_mass(const kdr_particles *p, size_t i) { return p->inverse_mass ? kdr_element(p->inverse_mass, p->real, i) : 1.0; }

/* The potential of each pair of sources is counted once, and that of a source and a test particle once. */
static void gravity(const kdr_pair_term *term, const kdr_particles *p, sum *energy) {
    const double softening = term->force.as.gravity.softening;
    for (size_t i = 0; i < p->count; ++i) {
        const double w = inverse_mass(p, i);
        sum of_one = {0.0, 0.0};
        for (size_t j = 0; w != 0.0 && j < term->force.as.gravity.sources && j < i; ++j) {
            const double square = distance2(p, i, j) + softening * softening;
            if (square > 0.0 && inverse_mass(p, j) != 0.0) {
                add(&of_one, -kdr_element(term->force.as.gravity.mu, p->real, j) / sqrt(square));
            }
        }
        add(energy, w != 0.0 ? (of_one.high + of_one.low) / w : 0.0);
    }
}

static void net(const kdr_pair_term *term, const kdr_particles *p, sum *energy) {
    for (size_t n = 0; n < term->force.as.net.count; ++n) {
        const kdr_pair_spring *const spring = &term->springs[n];
        const double stretch = sqrt(distance2(p, spring->a, spring->b)) - spring->length;
        add(energy, 0.5 * spring->k * (stretch * stretch));
    }
}

typedef void potential_fn(const kdr_pair_term *term, const kdr_particles *p, sum *energy);
static potential_fn *const potentials[KDR_COUPLED_KIND_COUNT] = {[KDR_GRAVITY] = gravity, [KDR_NET] = net};

kdr_status kdr_pairs_potential(const kdr_pairs *pairs, const kdr_particles *particles, double *energy, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(pairs, error, KDR_ERROR_NULL, "pairs: expected a pointer, got NULL");
    KDR_CHECK(energy, error, KDR_ERROR_NULL, "energy: expected a pointer, got NULL");
    const kdr_status status = kdr_pairs_check_view(pairs->real, pairs->reach, particles, error);
    if (status != KDR_OK) {
        return status;
    }
    sum total = {0.0, 0.0};
    for (size_t n = 0; n < pairs->count; ++n) {
        potentials[pairs->term[n].force.kind](&pairs->term[n], particles, &total);
    }
    *energy = isfinite(total.high) ? total.high + total.low : total.high;
    return KDR_OK;
}
