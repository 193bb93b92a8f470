/* Shared by the tests: access to elements by value, seeds, executors, runs of one particle, and one call for the integrator and the
 * reference.
 *
 * Values are compared by the functions below, never by Criterion's float macros, for which NaN is close to anything. */
#ifndef KDR_TESTS_SUPPORT_H
#define KDR_TESTS_SUPPORT_H

#include <kickdrift/kickdrift.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if a and b differ by at most the tolerance; false for NaN. */
static inline bool close_to(double a, double b, double tolerance) { return fabs(a - b) <= tolerance; }

static inline double get(const void *array, kdr_real real, size_t index) {
    return real == KDR_F32 ? (double)((const float *)array)[index] : ((const double *)array)[index];
}

static inline void set(void *array, kdr_real real, size_t index, double value) {
    if (real == KDR_F32) {
        ((float *)array)[index] = (float)value;
    } else {
        ((double *)array)[index] = value;
    }
}

static inline uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float float_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the next random number of SplitMix64. */
static inline uint64_t random_bits(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline double random_in(uint64_t *state, double low, double high) {
    return low + (high - low) * ((double)(random_bits(state) >> 11) * 0x1p-53);
}

/* Returns KDR_SEED of the environment, or a constant. It is printed, so that a failure can be repeated. */
static inline uint64_t test_seed(void) {
    const char *text = getenv("KDR_SEED");
    const uint64_t seed = text && *text ? strtoull(text, NULL, 0) : 20240229;
    fprintf(stderr, "KDR_SEED=%" PRIu64 "\n", seed);
    return seed;
}

static inline kdr_particles make_particles(size_t count, int dims, kdr_real real, bool inverse_mass, bool memory) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    desc.count = count;
    desc.dims = dims;
    desc.real = real;
    desc.inverse_mass = inverse_mass;
    desc.memory = memory;
    kdr_particles particles;
    kdr_error error;
    cr_assert(kdr_particles_create(&desc, &particles, &error) == KDR_OK, "%s", error.message);
    return particles;
}

static inline void fill_random(kdr_particles *p, uint64_t *seed) {
    for (size_t i = 0; i < p->count; ++i) {
        for (int axis = 0; axis < p->dims; ++axis) {
            set(p->x[axis], p->real, i, random_in(seed, -2, 2));
            set(p->v[axis], p->real, i, random_in(seed, -2, 2));
        }
        if (p->inverse_mass) {
            set(p->inverse_mass, p->real, i, random_in(seed, 0.25, 4));
        }
    }
    p->memory_key = 0;
}

static inline void copy_state(kdr_particles *to, const kdr_particles *from) {
    const size_t bytes = from->count * kdr_real_size(from->real);
    for (int axis = 0; axis < from->dims; ++axis) {
        memcpy(to->x[axis], from->x[axis], bytes);
        memcpy(to->v[axis], from->v[axis], bytes);
    }
    if (to->inverse_mass && from->inverse_mass) {
        memcpy(to->inverse_mass, from->inverse_mass, bytes);
    }
    to->memory_key = 0;
}

/* Returns true if x and v have equal bits. */
static inline bool same_bits(const kdr_particles *a, const kdr_particles *b) {
    const size_t bytes = a->count * kdr_real_size(a->real);
    bool same = a->count == b->count;
    for (int axis = 0; same && axis < a->dims; ++axis) {
        same = memcmp(a->x[axis], b->x[axis], bytes) == 0 && memcmp(a->v[axis], b->v[axis], bytes) == 0;
    }
    return same;
}

/* The runner that advances the particles: the scalar reference, or the integrator on the best backend here. */
enum { BY_REFERENCE, BY_INTEGRATOR, RUNNERS };

static inline void advance(int runner, const kdr_integrator_desc *desc, kdr_particles *particles, kdr_clock *clock, uint64_t steps) {
    kdr_error error;
    if (runner == BY_REFERENCE) {
        cr_assert(kdr_reference_run(desc, particles, clock, steps, &error) == KDR_OK, "%s", error.message);
        return;
    }
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(desc, &integrator, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_integrator_run(integrator, particles, clock, steps, &error) == KDR_OK, "%s", error.message);
    kdr_integrator_destroy(integrator);
}

/* These executors do everything that the contract allows. */
static inline void backwards_one_by_one(void *context, size_t count, kdr_range_fn *body, void *argument) {
    (void)context;
    for (size_t i = count; i > 0; --i) {
        body(argument, i - 1, i);
    }
}

static inline void in_odd_pieces(void *context, size_t count, kdr_range_fn *body, void *argument) {
    (void)context;
    for (size_t parity = 0; parity < 2; ++parity) {
        for (size_t begin = 0, n = 0; begin < count; ++n) {
            const size_t end = begin + 1 + n % 7 < count ? begin + 1 + n % 7 : count;
            if (n % 2 == parity) {
                body(argument, begin, end);
            }
            begin = end;
        }
    }
}

enum { MAX_EXECUTORS = 6 };

static inline size_t list_executors(kdr_executor list[MAX_EXECUTORS]) {
    size_t n = 0;
    list[n++] = (kdr_executor){NULL, backwards_one_by_one};
    list[n++] = (kdr_executor){NULL, in_odd_pieces};
    for (int threads = 0; threads <= 3; ++threads) {
        n += kdr_executor_openmp(threads, &list[n]) == KDR_OK;
    }
    return n;
}

typedef struct state {
    double x[3], v[3];
} state;

static inline void put_state(kdr_particles *p, size_t index, const state *s) {
    for (int axis = 0; axis < p->dims && axis < 3; ++axis) {
        set(p->x[axis], p->real, index, s->x[axis]);
        set(p->v[axis], p->real, index, s->v[axis]);
    }
}

static inline state get_state(const kdr_particles *p, size_t index) {
    state s = {{0}, {0}};
    for (int axis = 0; axis < p->dims; ++axis) {
        s.x[axis] = get(p->x[axis], p->real, index);
        s.v[axis] = get(p->v[axis], p->real, index);
    }
    return s;
}

/* Advances one particle in three dimensions and in the description's precision from t = 0. It is among copies that fill vectors of any
 * width and a tail, and all must end with the same bits. */
static inline state advance_one(int runner, const kdr_integrator_desc *desc, state start, double dt, uint64_t steps) {
    enum { COPIES = 19 };
    kdr_particles p = make_particles(runner == BY_REFERENCE ? 1 : COPIES, 3, desc->real, false, false);
    for (size_t i = 0; i < p.count; ++i) {
        put_state(&p, i, &start);
    }
    kdr_clock clock = {0, dt, 0};
    advance(runner, desc, &p, &clock, steps);
    const state end = get_state(&p, 0);
    for (size_t i = 1; i < p.count; ++i) {
        const state other = get_state(&p, i);
        cr_assert(memcmp(&other, &end, sizeof end) == 0, "copy %zu of one particle went another way", i);
    }
    kdr_particles_destroy(&p);
    return end;
}

static inline kdr_integrator_desc describe(kdr_method method, kdr_real real, kdr_arithmetic arithmetic, const kdr_force *forces,
                                           size_t count) {
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = method;
    desc.real = real;
    desc.arithmetic = arithmetic;
    desc.forces = forces;
    desc.force_count = count;
    return desc;
}

static inline bool one_line(const kdr_error *error, kdr_status status) {
    return error->status == status && error->message[0] && !strpbrk(error->message, "\r\n") &&
           memchr(error->message, 0, sizeof error->message);
}

/* Checks that the integrator and the reference refuse the description alike, in one line, and change nothing. Returns the error. */
static inline kdr_error expect_desc_refused(const kdr_integrator_desc *desc, kdr_status status, const char *what) {
    kdr_error error = {KDR_OK, ""}, other = {KDR_OK, ""};
    kdr_integrator *const before = (kdr_integrator *)&error, *integrator = before;
    cr_expect(kdr_integrator_create(desc, &integrator, &error) == status, "%s: %s", what, error.message);
    cr_expect(integrator == before && one_line(&error, status), "%s: '%s'", what, error.message);
    cr_expect(kdr_integrator_create(desc, &integrator, NULL) == status && integrator == before, "%s", what);
    if (!desc || desc->backend != KDR_BACKEND_AUTO) {
        return error; /* the reference ignores the backend */
    }
    double x[3] = {1, 2, 3}, v[3] = {4, 5, 6};
    kdr_particles p = kdr_particles_default();
    p.count = 1;
    p.real = desc->real == KDR_F32 ? KDR_F32 : KDR_F64;
    for (int axis = 0; axis < 3; ++axis) {
        p.x[axis] = &x[axis];
        p.v[axis] = &v[axis];
    }
    kdr_clock clock = {0, 1, 5};
    cr_expect(kdr_reference_run(desc, &p, &clock, 1, &other) == status && strcmp(error.message, other.message) == 0, "%s: '%s', '%s'", what,
              error.message, other.message);
    cr_expect(kdr_reference_run(desc, &p, &clock, 1, NULL) == status, "%s", what);
    cr_expect(clock.step == 5 && x[0] == 1 && x[1] == 2 && x[2] == 3 && v[0] == 4 && v[1] == 5 && v[2] == 6, "%s", what);
    return error;
}

#endif
