/* Shared by the tests of forces between particles: views in guarded arrays at odd addresses, random nets and rods. */
#ifndef KDR_TESTS_PAIRS_SUPPORT_H
#define KDR_TESTS_PAIRS_SUPPORT_H

#include "support.h"

/* x, v, the inverse masses, and two sets of arrays to add to. All are in one block whose other bytes must not change. */
enum { ARRAYS = 14, GUARD = 64 };

typedef struct guarded {
    unsigned char *block;
    size_t size, step, bytes; /* step: from array to array; bytes: of an array */
    kdr_particles p;
    void *a[3], *b[3];
    void *start[3]; /* the same memory as a */
} guarded;

static inline double at_any(const void *array, kdr_real real, size_t i) {
    float f = 0;
    double d = 0;
    memcpy(&f, (const char *)array + i * sizeof f, real == KDR_F32 ? sizeof f : 0);
    memcpy(&d, (const char *)array + i * sizeof d, real == KDR_F64 ? sizeof d : 0);
    return real == KDR_F32 ? (double)f : d;
}

static inline void put_any(void *array, kdr_real real, size_t i, double value) {
    const float f = (float)value;
    if (real == KDR_F32) {
        memcpy((char *)array + i * sizeof f, &f, sizeof f);
    } else {
        memcpy((char *)array + i * sizeof value, &value, sizeof value);
    }
}

/* Makes arrays at addresses `skew` bytes above a multiple of 64. */
static inline guarded guarded_create(size_t count, int dims, kdr_real real, bool masses, size_t skew) {
    guarded g = {.bytes = count * kdr_real_size(real)};
    g.step = (g.bytes + skew + 2 * GUARD + 63) / 64 * 64;
    g.size = ARRAYS * g.step + GUARD;
    g.block = aligned_alloc(64, (g.size + 63) / 64 * 64);
    cr_assert(g.block);
    memset(g.block, 0xA5, g.size);
    unsigned char *next = g.block + GUARD + skew;
    g.p = kdr_particles_default();
    g.p.count = count;
    g.p.dims = dims;
    g.p.real = real;
    for (int i = 0; i < 3; ++i) {
        g.p.x[i] = next;
        g.p.v[i] = next + 3 * g.step;
        g.a[i] = g.start[i] = next + 6 * g.step;
        g.b[i] = next + 9 * g.step;
        next += g.step;
    }
    g.p.inverse_mass = masses ? next + 9 * g.step : NULL;
    return g;
}

static inline void guarded_fill(guarded *g, uint64_t *seed) {
    for (size_t i = 0; i < g->p.count; ++i) {
        for (int axis = 0; axis < g->p.dims; ++axis) {
            /* Some particles are on a grid, so that pairs coincide on an axis or on all axes. */
            const bool grid = random_bits(seed) % 4 == 0;
            put_any(g->p.x[axis], g->p.real, i, grid ? (double)(random_bits(seed) % 3) : random_in(seed, -2, 2));
            put_any(g->p.v[axis], g->p.real, i, random_in(seed, -2, 2));
            put_any(g->a[axis], g->p.real, i, i % 5 == 0 ? -0.0 : random_in(seed, -1, 1));
            put_any(g->b[axis], g->p.real, i, random_in(seed, -1, 1));
        }
        if (g->p.inverse_mass) {
            put_any(g->p.inverse_mass, g->p.real, i, random_bits(seed) % 8 == 0 ? 0 : random_in(seed, 0.25, 4));
        }
    }
}

static inline guarded guarded_copy(const guarded *from, size_t skew) {
    guarded g = guarded_create(from->p.count, from->p.dims, from->p.real, from->p.inverse_mass != NULL, skew);
    for (int i = 0; i < from->p.dims; ++i) {
        memcpy(g.p.x[i], from->p.x[i], g.bytes);
        memcpy(g.p.v[i], from->p.v[i], g.bytes);
        memcpy(g.a[i], from->a[i], g.bytes);
        memcpy(g.b[i], from->b[i], g.bytes);
    }
    if (g.p.inverse_mass && from->p.inverse_mass) {
        memcpy(g.p.inverse_mass, from->p.inverse_mass, g.bytes);
    }
    return g;
}

/* Returns true if all elements are equal (all NaNs are), and no byte outside has changed. */
static inline bool guarded_same(const guarded *a, const guarded *b) {
    const void *const of_a[] = {a->p.x[0], a->p.x[1], a->p.x[2], a->p.v[0], a->p.v[1], a->p.v[2],        a->a[0],
                                a->a[1],   a->a[2],   a->b[0],   a->b[1],   a->b[2],   a->p.inverse_mass};
    const void *const of_b[] = {b->p.x[0], b->p.x[1], b->p.x[2], b->p.v[0], b->p.v[1], b->p.v[2],        b->a[0],
                                b->a[1],   b->a[2],   b->b[0],   b->b[1],   b->b[2],   b->p.inverse_mass};
    const size_t size = kdr_real_size(a->p.real);
    for (size_t n = 0; n < sizeof of_a / sizeof *of_a; ++n) {
        for (size_t i = 0; of_a[n] && i < a->p.count; ++i) {
            const void *const left = (const char *)of_a[n] + i * size, *const right = (const char *)of_b[n] + i * size;
            const bool nans = isnan(at_any(left, a->p.real, 0)) && isnan(at_any(right, a->p.real, 0));
            if (memcmp(left, right, size) != 0 && !nans) {
                fprintf(stderr, "array %zu, element %zu: %a and %a\n", n, i, at_any(left, a->p.real, 0), at_any(right, a->p.real, 0));
                return false;
            }
        }
    }
    return true;
}

static inline bool guarded_is_clean(const guarded *g, size_t skew) {
    for (size_t at = 0; at < g->size; ++at) {
        const size_t from_first = at - GUARD - skew; /* wraps around before the first array */
        const bool inside = at >= GUARD + skew && from_first / g->step < ARRAYS - 1 && from_first % g->step < g->bytes;
        if (!inside && g->block[at] != 0xA5) {
            return false;
        }
    }
    return true;
}

static inline void guarded_destroy(guarded *g) { free(g->block); }

/* Draws `count` springs between particles below `particles`, some of which have none. */
static inline void draw_springs(kdr_pair_spring *springs, size_t count, size_t particles, bool damped, bool any_kind, uint64_t *seed) {
    static const kdr_contribution kinds[] = {KDR_CONTRIBUTION_DEFAULT,          KDR_CONTRIBUTION_EXACT,
                                             KDR_CONTRIBUTION_AVERAGE,          KDR_CONTRIBUTION_PULSE,
                                             KDR_CONTRIBUTION_PULSE_SYMPLECTIC, KDR_CONTRIBUTION_EULER};
    for (size_t n = 0; n < count; ++n) {
        const uint32_t a = (uint32_t)(random_bits(seed) % particles);
        const uint32_t b = (uint32_t)((a + 1 + random_bits(seed) % (particles > 1 ? particles - 1 : 1)) % particles);
        springs[n] = (kdr_pair_spring){.a = a, .b = b, .k = random_in(seed, -1, 9)};
        springs[n].length = random_bits(seed) % 3 == 0 ? 0 : random_in(seed, 0, 2);
        springs[n].damping = damped && random_bits(seed) % 2 ? random_in(seed, -0.5, 2) : 0;
        springs[n].contribution = any_kind ? kinds[random_bits(seed) % 6] : KDR_CONTRIBUTION_DEFAULT;
        if (springs[n].contribution == KDR_CONTRIBUTION_PULSE_SYMPLECTIC) {
            springs[n].damping = 0;
        }
    }
}

static inline void draw_rods(kdr_distance *rods, size_t count, size_t particles, uint64_t *seed) {
    for (size_t n = 0; n < count; ++n) {
        const uint32_t a = (uint32_t)(random_bits(seed) % particles);
        const uint32_t b = (uint32_t)((a + 1 + random_bits(seed) % (particles > 1 ? particles - 1 : 1)) % particles);
        rods[n] = (kdr_distance){a, b, random_in(seed, 0.5, 2)};
    }
}

#endif
