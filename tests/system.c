/* System runs: compared with field runs of the same field and with the reference, cut into calls, and stopped by a function that fails. */
#include "system_support.h"

#include "backend/backend.h"
#include "force/field.h"
#include "method/method.h"
#include "particles/functions.h"
#include "particles/layout.h"
#include "system/system.h"

static void freeze_some(kdr_particles *p) {
    for (size_t i = 0; p->inverse_mass && i < p->count; i += 5) {
        set(p->inverse_mass, p->real, i, 0);
    }
}

/* A spring, a drag and a drive, folded as kdr_field does, in the order of force/field.h. */
typedef struct field {
    kdr_force forces[4];
    bool drags;
    kdr_arithmetic arithmetic;
    int calls;
    int fails_at; /* this call fails, counted from 1; 0: none */
    kdr_status failure;
} field;

static field make_field(bool drags, kdr_arithmetic arithmetic) {
    field f = {.forces = {kdr_force_spring(2.25, 0.5, -0.25, 0.125), kdr_force_driven(0.5, -0.25, 0.375, 1.25, 0.5),
                          kdr_force_uniform_acceleration(0.0625, 0, -1), kdr_force_drag(0.3125, 0.1, 0, 0)},
               .drags = drags,
               .arithmetic = arithmetic};
    f.forces[0].as.spring.k[1] = 1.75;
    return f;
}

static size_t forces_of(const field *f) { return f->drags ? 4 : 3; }

static double mul_add_f64(kdr_arithmetic arithmetic, double a, double b, double c) {
    const double product = a * b;
    return arithmetic == KDR_FUSED ? fma(a, b, c) : product + c;
}

static float mul_add_f32(kdr_arithmetic arithmetic, float a, float b, float c) {
    const float product = a * b;
    return arithmetic == KDR_FUSED ? fmaf(a, b, c) : product + c;
}

/* Returns a + k y for one element, in its precision. */
static double plus(const field *f, kdr_real real, double k, double y, double a) {
    return real == KDR_F32 ? (double)mul_add_f32(f->arithmetic, (float)k, (float)y, (float)a) : mul_add_f64(f->arithmetic, k, y, a);
}

static double rounded(kdr_real real, double value) { return real == KDR_F32 ? (double)(float)value : value; }

static kdr_status field_accelerations(void *context, const kdr_particles *p, double t, void *const a[3]) {
    field *const f = context;
    const double wave = kdr_cos(1.25 * t + 0.5);
    if (++f->calls == f->fails_at) {
        for (int i = 0; i < p->dims; ++i) { /* stops half-way */
            memset(a[i], 0x5A, p->count * kdr_real_size(p->real) / 2);
        }
        return f->failure;
    }
    for (int i = 0; i < p->dims; ++i) {
        const double k = f->forces[0].as.spring.k[i], b = f->drags ? 0.3125 : 0.0, wind = i == 0 ? 0.1 : 0.0;
        const double force = k * f->forces[0].as.spring.at[i] + (f->drags ? b * wind : 0.0);
        const double base =
            (f->forces[2].as.uniform_acceleration.a[i] + (p->inverse_mass ? 0.0 : force)) + f->forces[1].as.driven.a[i] * wave;
        for (size_t n = 0; n < p->count; ++n) {
            double sum = rounded(p->real, p->inverse_mass ? force : base);
            sum = plus(f, p->real, -k, get(p->x[i], p->real, n), sum);
            if (f->drags) {
                sum = plus(f, p->real, -b, get(p->v[i], p->real, n), sum);
            }
            if (p->inverse_mass) {
                sum = plus(f, p->real, get(p->inverse_mass, p->real, n), sum, base);
            }
            set(a[i], p->real, n, sum);
        }
    }
    return KDR_OK;
}

/* Compares a field run and a system run of the same field from the same state: x, v and memory must have equal bits. */
static void expect_field_run(kdr_method method, kdr_real real, kdr_arithmetic arithmetic, kdr_backend backend, size_t count, int dims,
                             bool masses, uint64_t *seed) {
    field f = make_field(kdr_method_get(method)->velocity_forces == KDR_VELOCITY_ANY, arithmetic);
    kdr_particles p = make_particles(count, dims, real, masses, true), q = make_particles(count, dims, real, masses, true);
    fill_random(&p, seed);
    freeze_some(&p);
    copy_state(&q, &p);
    kdr_integrator_desc single = describe(method, real, arithmetic, f.forces, forces_of(&f));
    kdr_system_desc desc = describe_system(method, real, arithmetic, backend);
    desc.accelerations = field_accelerations;
    desc.context = &f;
    kdr_clock clock = {0.25, 0.0625, 3}, other = clock;
    advance(BY_REFERENCE, &single, &p, &clock, 7);
    const kdr_method_info *const info = kdr_method_get(method);
    const uint64_t begins = info->memory ? 1 : 2, calls = 7 * (uint64_t)info->evaluations + begins * (uint64_t)info->start_evaluations;
    run(&desc, &q, &other, 3); /* cut into two calls: the memory carries over */
    run(&desc, &q, &other, 4);
    cr_expect(same_bits(&p, &q) && clock.step == other.step, "%s %s %s backend %d, %zu particles on %d axes, masses %d",
              kdr_method_get(method)->name, kdr_real_name(real), kdr_arithmetic_name(arithmetic), (int)backend, count, dims, masses);
    cr_expect((uint64_t)f.calls == calls, "%s: %d calls, expected %llu", kdr_method_get(method)->name, f.calls, (unsigned long long)calls);
    for (int i = 0; kdr_method_get(method)->memory && i < dims; ++i) {
        for (size_t n = 0; n < count; ++n) {
            const bool frozen = masses && get(p.inverse_mass, real, n) == 0;
            cr_assert(frozen || get(p.memory[i], real, n) == get(q.memory[i], real, n), "memory");
        }
    }
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&q);
}

Test(system, a_function_that_computes_a_field_gives_the_field_runs_bits) {
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        for (int kind = 0; has_field_bits((kdr_method)m) && kind < 4; ++kind) {
            for (size_t b = ((size_t)m + (size_t)kind / 2) % 2; b < n; b += 2) {
                const size_t counts[] = {1, 19, 130, 1037};
                const size_t count = counts[((size_t)m + (size_t)kind + b) % 4];
                expect_field_run((kdr_method)m, (kdr_real)(kind % 2), (kdr_arithmetic)(kind / 2), backends[b], count, 1 + (m + kind) % 3,
                                 (m + (int)b) % 2 == 0, &seed);
            }
        }
    }
}

/* Arrays at odd addresses, with a guard page on both sides. */
typedef struct guarded {
    unsigned char *block;
    size_t bytes;
} guarded;

enum { GUARD = 64 };

static void *guard(guarded *g, size_t bytes) {
    g->block = malloc(bytes + 2 * GUARD + 1);
    g->bytes = bytes;
    memset(g->block, 0xC3, bytes + 2 * GUARD + 1);
    return g->block + GUARD + 1;
}

static bool intact(const guarded *g) {
    for (size_t i = 0; i < GUARD; ++i) {
        if (g->block[1 + i] != 0xC3 || g->block[1 + GUARD + g->bytes + i] != 0xC3) {
            return false;
        }
    }
    return g->block[0] == 0xC3;
}

Test(system, kicks_and_drifts_are_those_of_the_loop) {
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    kdr_executor executors[MAX_EXECUTORS];
    const size_t m = list_executors(executors);
    for (int round = 0; round < 160; ++round) {
        const kdr_real real = (kdr_real)(round % 2);
        const kdr_arithmetic arithmetic = (kdr_arithmetic)(round / 2 % 2);
        const size_t size = kdr_real_size(real), count = (size_t)(random_bits(&seed) % (round % 5 ? 300 : 5000));
        kdr_pass_options options;
        kdr_error error;
        cr_assert(kdr_pass_options_init(arithmetic, backends[(size_t)round % n], executors[(size_t)round / 3 % m], &options, &error) ==
                  KDR_OK);
        guarded g[4];
        kdr_particles p = kdr_particles_default();
        p.count = count;
        p.dims = 1;
        p.real = real;
        p.x[0] = guard(&g[0], count * size);
        p.v[0] = guard(&g[1], count * size);
        p.inverse_mass = round % 3 == 0 ? guard(&g[2], count * size) : NULL;
        p.memory_key = 99;
        void *const a[3] = {guard(&g[3], count * size), NULL, NULL};
        double *expected[2] = {malloc(count * sizeof(double) + 1), malloc(count * sizeof(double) + 1)};
        const double kick = 0.3, drift = -0.7;
        const int what = round % 4; /* a kick, a drift, both, a kick of 0 */
        for (size_t i = 0; i < count; ++i) {
            double value[3], w = 1;
            for (int k = 0; k < 3; ++k) {
                value[k] = rounded(real, random_in(&seed, -2, 2));
                float single = (float)value[k];
                void *const array = k == 0 ? p.x[0] : k == 1 ? p.v[0] : a[0];
                memcpy((char *)array + i * size, real == KDR_F32 ? (void *)&single : (void *)&value[k], size);
            }
            if (p.inverse_mass) {
                w = i % 7 == 0 ? 0 : 2;
                float single = (float)w;
                memcpy((char *)p.inverse_mass + i * size, real == KDR_F32 ? (void *)&single : (void *)&w, size);
            }
            const field f = {.arithmetic = arithmetic};
            expected[0][i] = value[0];
            expected[1][i] = value[1];
            if (w != 0 && what != 1) {
                expected[1][i] = plus(&f, real, what == 3 ? 0 : kick, value[2], value[1]);
            }
            if (w != 0 && (what == 1 || what == 2)) {
                expected[0][i] = plus(&f, real, drift, expected[1][i], value[0]);
            }
        }
        const kdr_status status = what == 0   ? kdr_kick(&p, kick, a, &options, &error)
                                  : what == 1 ? kdr_drift(&p, drift, &options, &error)
                                  : what == 2 ? kdr_kick_drift(&p, kick, drift, a, &options, &error)
                                              : kdr_kick(&p, 0, a, &options, &error);
        cr_assert(status == KDR_OK, "%s", error.message);
        cr_expect(p.memory_key == 0);
        for (size_t i = 0; i < count; ++i) {
            for (int k = 0; k < 2; ++k) {
                double wide = 0;
                float single = 0;
                memcpy(real == KDR_F32 ? (void *)&single : (void *)&wide, (char *)(k == 0 ? p.x[0] : p.v[0]) + i * size, size);
                wide = real == KDR_F32 ? (double)single : wide;
                cr_assert(memcmp(&wide, &expected[k][i], sizeof wide) == 0, "round %d, %s, element %zu of %zu", round, k ? "v" : "x", i,
                          count);
            }
        }
        for (int k = 0; k < 4; ++k) {
            if (k != 2 || p.inverse_mass) {
                cr_assert(intact(&g[k]), "round %d wrote beside array %d", round, k);
                free(g[k].block);
            }
        }
        free(expected[0]);
        free(expected[1]);
    }
}

/* A force that no field run has: neighbours in a ring pull at each other, and damp each other if the method accepts it. */
typedef struct ring {
    bool brakes;
    int calls, fails_at;
} ring;

static kdr_status ring_accelerations(void *context, const kdr_particles *p, double t, void *const a[3]) {
    ring *const r = context;
    if (++r->calls == r->fails_at) {
        memset(a[0], 0x11, p->count * kdr_real_size(p->real));
        return KDR_ERROR_UNAVAILABLE;
    }
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            const size_t next = (n + 1) % p->count, last = (n + p->count - 1) % p->count;
            const double x = get(p->x[i], p->real, n), v = get(p->v[i], p->real, n);
            double sum = 3 * ((get(p->x[i], p->real, next) - x) + (get(p->x[i], p->real, last) - x)) + 0.125 * t;
            if (r->brakes) {
                sum += 0.5 * ((get(p->v[i], p->real, next) - v) + (get(p->v[i], p->real, last) - v));
            }
            set(a[i], p->real, n, sum);
        }
    }
    return KDR_OK;
}

/* Returns a user-defined row of each kind that the tables do not contain. */
static kdr_tableau own_tableau(void) {
    kdr_tableau t;
    memset(&t, 0, sizeof t);
    t.stages = 7;
    for (int i = 1; i < 7; ++i) {
        t.a[i][i - 1] = 0.75;
        t.a[i][i / 2] += -0.25 * (i % 3);
        for (int j = 0; j < i; ++j) {
            t.c[i] += t.a[i][j];
        }
    }
    for (int i = 0; i < 6; ++i) {
        t.b[i] = i == 2 ? 0 : 0.25;
    }
    t.b[6] = 1 - 1.25;
    return t;
}

static const kdr_fractions own_fractions[] = {
    {.count = 4, .kick = {0.25, 0.5, 0, 0.25}, .drift = {0.25, 0.25, 0.5, 0}},    /* keeps its acceleration; two drifts follow each other */
    {.count = 3, .kick = {0, 0, 1}, .drift = {0.25, 0.5, 0.25}},                  /* drifts meet across the end of a step */
    {.count = 2, .kick = {1, 0}, .drift = {0.5, 0.5}},                            /* begins with a kick, ends with a drift */
    {.count = 4, .kick = {0.5, 0.75, -0.5, 0.25}, .drift = {0.0, 0.5, 0.5, 0.0}}, /* kicks follow each other: two evaluations at one x */
    {.count = 3, .kick = {0.5, 0, 0.5}, .drift = {0.25, 0.75, 0}},                /* keeps its acceleration; one evaluation, two drifts */
};
enum { OWN = 1 + (int)(sizeof own_fractions / sizeof *own_fractions), ROWS = KDR_METHOD_COUNT + OWN };

/* Chooses row number `row`: those of system families in the table, then the user-defined ones. Returns false if it is not one of these. */
static bool choose_row(int row, kdr_tableau *tableau, kdr_system_desc *desc) {
    if (row < KDR_METHOD_COUNT) {
        desc->method = (kdr_method)row;
        return is_system((kdr_method)row);
    }
    *tableau = own_tableau();
    desc->tableau = row == KDR_METHOD_COUNT ? tableau : NULL;
    desc->fractions = row == KDR_METHOD_COUNT ? NULL : &own_fractions[row - KDR_METHOD_COUNT - 1];
    return true;
}

static bool accepts_brakes(int row) {
    return row >= KDR_METHOD_COUNT || kdr_method_get((kdr_method)row)->velocity_forces == KDR_VELOCITY_ANY;
}

Test(system, every_row_is_the_textbooks) {
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    kdr_executor executors[MAX_EXECUTORS];
    const size_t m = list_executors(executors);
    const kdr_force more[] = {kdr_force_spring(0.5, 1, 0, 0), kdr_force_driven(0.5, 0.25, 0, 2, 0), kdr_force_centre(0.5, 0, 0, 0, 0.5)};
    for (int row = 0; row < ROWS; ++row) {
        for (int kind = 0; kind < 8; ++kind) {
            const kdr_real real = (kdr_real)(kind % 2);
            kdr_tableau tableau;
            ring r = {.brakes = accepts_brakes(row)};
            kdr_system_desc desc = describe_system(KDR_RK4, real, (kdr_arithmetic)(kind / 2 % 2), backends[(size_t)(row + kind) % n]);
            if (!choose_row(row, &tableau, &desc)) {
                break;
            }
            desc.accelerations = ring_accelerations;
            desc.context = &r;
            desc.executor = executors[(size_t)(row + kind / 2) % m];
            desc.forces = kind >= 4 ? more : NULL;
            desc.force_count = kind >= 4 ? 3 : 0;
            const size_t count = kind % 4 == 3 ? 2345 : 1 + (size_t)(random_bits(&seed) % 300);
            kdr_particles p = make_particles(count, 1 + kind % 3, real, row % 2 == 0, kind >= 2), q;
            q = make_particles(count, 1 + kind % 3, real, row % 2 == 0, kind >= 2);
            fill_random(&p, &seed);
            freeze_some(&p);
            copy_state(&q, &p);
            kdr_clock clock = {0, 0.03125, 0}, other = clock;
            reference(&desc, &p, &clock, 5);
            if (kind >= 2) { /* these carry the memory, so the run is cut */
                run(&desc, &q, &other, 1);
                run(&desc, &q, &other, 2);
                reference(&desc, &q, &other, 1);
                run(&desc, &q, &other, 1);
            } else {
                run(&desc, &q, &other, 5);
            }
            cr_expect(same_bits(&p, &q), "row %d, kind %d, %zu particles", row, kind, count);
            cr_expect(p.memory_key == q.memory_key && clock.step == other.step);
            kdr_particles_destroy(&p);
            kdr_particles_destroy(&q);
        }
    }
}

/* Without a function, forces of every kind, with arrays of one value per particle, are the field alone. */
Test(system, forces_alone_are_a_field_run) {
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    for (int round = 0; round < 48; ++round) {
        const kdr_real real = (kdr_real)(round % 2);
        const kdr_method methods[] = {KDR_RK4,   KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET_PC, KDR_DOPRI_5,
                                      KDR_SUVAT, KDR_POSITION_VERLET};
        const size_t count = 1 + (size_t)(random_bits(&seed) % 150);
        kdr_particles p = make_particles(count, 1 + round % 3, real, round / 2 % 2, true), q, k;
        q = make_particles(count, p.dims, real, round / 2 % 2, true);
        k = make_particles(count, 3, real, false, false);
        fill_random(&p, &seed);
        fill_random(&k, &seed);
        copy_state(&q, &p);
        kdr_force list[] = {kdr_force_spring(2, 0, 0, 0),
                            kdr_force_drag(0.25, 0, 0, 0),
                            kdr_force_uniform_force(0.5, 0, 1),
                            kdr_force_electromagnetic(1, (const double[3]){0.1, 0, 0}, (const double[3]){0.5, 0.25, 1}),
                            kdr_force_quadratic_drag(0.25, 0.5, 0, 0),
                            kdr_force_centre(1, 0.5, 0, 0, 0.25),
                            kdr_force_driven(0.5, 0, 0.25, 2, 0)};
        list[0].as.spring.k_each = k.x[0];
        list[0].as.spring.at_each[1] = k.x[1];
        list[1].as.drag.b_each = k.v[0];
        list[0].as.spring.count = list[1].as.drag.count = count;
        kdr_integrator_desc single = describe(methods[round % 6], real, (kdr_arithmetic)(round / 4 % 2), list, 7);
        kdr_system_desc desc = describe_system(single.method, real, single.arithmetic, backends[(size_t)round % n]);
        desc.forces = list;
        desc.force_count = 7;
        kdr_clock clock = {0, 0.0625, 0}, other = clock;
        advance(BY_REFERENCE, &single, &p, &clock, 6);
        run(&desc, &q, &other, 6);
        cr_expect(same_bits(&p, &q), "round %d, %s", round, kdr_method_get(single.method)->name);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
        kdr_particles_destroy(&k);
    }
}

/* Makes states for which a drift or a kick cannot be computed backwards exactly, so that the library must keep a copy. */
static void make_wild(kdr_particles *p, uint64_t *seed) {
    const double values[] = {0.0, -0.0, 1.0, 0x1p-149, -0x1p-140, 1e30, -3e-20, 0x1.fffffep-1, 2.0, (double)NAN, (double)INFINITY};
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            if (random_bits(seed) % 4 == 0) {
                set(p->x[i], p->real, n, values[random_bits(seed) % 11]);
            }
            if (random_bits(seed) % 4 == 0) {
                set(p->v[i], p->real, n, values[random_bits(seed) % 9]);
            }
        }
    }
}

static bool same_but_for_nan(const kdr_particles *a, const kdr_particles *b) {
    kdr_difference difference;
    cr_assert(kdr_compare(a, b, &difference, NULL) == KDR_OK);
    return difference.mismatches == 0;
}

/* Computes a = -x. The third call fails. */
static kdr_status pull_back(void *context, const kdr_particles *p, double t, void *const a[3]) {
    int *const calls = context;
    (void)t;
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            set(a[i], p->real, n, -get(p->x[i], p->real, n));
        }
    }
    return ++*calls == 3 ? KDR_ERROR_OVERFLOW : KDR_OK;
}

/* A run with a whole tile, which is stepped in place, and a partial one, which is not, restores both after a failure. */
Test(system, tiles_of_both_kinds_go_back) {
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    for (size_t i = 0; i < 12 * n; ++i) {
        uint64_t seed = test_seed() + i;
        const kdr_real real = (kdr_real)(i / n % 2);
        const size_t count = i / n / 2 % 2 ? 64 : 100;
        const int dims = 1 + (int)(i / n / 4);
        kdr_particles p = make_particles(count, dims, real, false, false), q = make_particles(count, dims, real, false, false);
        int calls = 0, others = 3;
        fill_random(&p, &seed);
        make_wild(&p, &seed);
        copy_state(&q, &p);
        kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, real, KDR_FUSED, backends[i % n]);
        desc.accelerations = pull_back;
        kdr_system *failing, *whole;
        kdr_workspace w;
        kdr_clock clock = {0, 0.125, 0}, other = clock;
        desc.context = &calls;
        cr_assert(kdr_system_create(&desc, &failing, NULL) == KDR_OK);
        desc.context = &others;
        cr_assert(kdr_system_create(&desc, &whole, NULL) == KDR_OK);
        cr_assert(kdr_workspace_create(whole, count, dims, (kdr_allocator){0}, &w, NULL) == KDR_OK);
        memset(w.memory, 0xff, w.size);
        cr_expect(kdr_system_run(failing, &p, &clock, 2, &w, NULL) == KDR_ERROR_OVERFLOW && clock.step == 1);
        cr_assert(kdr_system_run(whole, &q, &other, 1, &w, NULL) == KDR_OK);
        cr_expect(same_but_for_nan(&p, &q), "backend %d, %s, %zu particles, %d axes", (int)backends[i % n], kdr_real_name(real), count,
                  dims);
        kdr_workspace_destroy(&w);
        kdr_system_destroy(failing);
        kdr_system_destroy(whole);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* The function fails at its n-th call, for every n. The state left is that of a run of the steps before, and runs on as if nothing had
 * happened. */
Test(system, a_function_that_fails_leaves_the_last_whole_step) {
    enum { STEPS = 3 };
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    kdr_executor executors[MAX_EXECUTORS];
    const size_t m = list_executors(executors);
    for (int row = 0; row < ROWS; ++row) {
        kdr_tableau tableau;
        const kdr_real real = (kdr_real)(row % 2);
        kdr_system_desc desc = describe_system(KDR_RK4, real, (kdr_arithmetic)(row / 2 % 2), backends[(size_t)row % n]);
        ring r = {.brakes = accepts_brakes(row)};
        if (!choose_row(row, &tableau, &desc)) {
            continue;
        }
        desc.accelerations = ring_accelerations;
        desc.context = &r;
        desc.executor = executors[(size_t)row % m];
        const bool solves = row < KDR_METHOD_COUNT && kdr_method_get((kdr_method)row)->family == KDR_IMPLICIT;
        const bool wild = row % 3 == 0 && !solves, masses = row % 4 < 2, memory = row % 5 != 0;
        const size_t count = row % 2 ? 1 + (size_t)(random_bits(&seed) % 300) : 1117;
        kdr_particles start = make_particles(count, 1 + row % 3, real, masses, memory), p, q;
        p = make_particles(count, start.dims, real, masses, memory);
        q = make_particles(count, start.dims, real, masses, memory);
        fill_random(&start, &seed);
        freeze_some(&start);
        if (wild) {
            make_wild(&start, &seed);
        }
        bool finished = false;
        for (int at = 1; !finished; at += 1 + at / 4) {
            copy_state(&p, &start);
            copy_state(&q, &start);
            kdr_clock clock = {0.5, 0.125, 10}, other = clock;
            kdr_error error = {KDR_OK, ""};
            r = (ring){.brakes = r.brakes, .fails_at = at};
            const kdr_status status = run_with(&desc, &p, &clock, STEPS, &error);
            finished = status == KDR_OK;
            cr_assert(finished || (status == KDR_ERROR_UNAVAILABLE && one_line(&error, status)), "'%s'", error.message);
            cr_assert(r.calls == (finished ? r.calls : at) && clock.step >= 10 && clock.step <= 10 + STEPS);
            r.fails_at = 0;
            reference(&desc, &q, &other, clock.step - 10);
            cr_expect(same_but_for_nan(&p, &q), "row %d, call %d failed, after step %d", row, at, (int)clock.step - 10);
            if (!memory && kdr_method_get((kdr_method)(row < KDR_METHOD_COUNT ? row : 0))->memory) {
                continue; /* starts afresh, which gives other bits in a field that depends on v */
            }
            run(&desc, &p, &clock, 10 + STEPS + 1 - clock.step);
            reference(&desc, &q, &other, 10 + STEPS + 1 - other.step);
            cr_expect(same_but_for_nan(&p, &q), "row %d, call %d failed, then went on", row, at);
        }
        kdr_particles_destroy(&start);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* Particles on a layout in a block of bytes, not all of which are theirs: rows of x and of v, structures, blocks of arrays, or rows of x
 * alone. */
typedef struct far {
    kdr_particles p;
    unsigned char *block;
    size_t bytes;
} far;

enum { FAR_FORMS = 4, SPARE_ELEMENTS = 13, LANES_A_BLOCK = 8 };

static far put_far(const kdr_particles *plain, int form) {
    const size_t size = kdr_real_size(plain->real), n = plain->count, dims = (size_t)plain->dims;
    far f = {.p = *plain, .bytes = (n + LANES_A_BLOCK) * SPARE_ELEMENTS * size + 1};
    f.block = malloc(f.bytes);
    memset(f.block, 0xC3, f.bytes);
    f.p.storage = NULL;
    unsigned char *const first = f.block + (form == 1); /* structures at odd addresses */
    for (size_t i = 0; i < dims; ++i) {
        f.p.x[i] = first + (form == 2 ? i * LANES_A_BLOCK : i) * size;
        f.p.v[i] = form == 2   ? first + (dims + i) * LANES_A_BLOCK * size
                   : form == 1 ? first + (5 + i) * size
                   : form == 0 ? first + (n * dims + i) * size
                               : plain->v[i];
    }
    f.p.x_layout.stride = form == 1 ? SPARE_ELEMENTS * size : form == 2 ? 0 : dims * size;
    f.p.x_layout.block = form == 2 ? LANES_A_BLOCK : 0;
    f.p.x_layout.block_stride = 9 * LANES_A_BLOCK * size;
    if (form != 3) {
        f.p.v_layout = f.p.x_layout;
    }
    if (form == 1 && plain->inverse_mass) {
        f.p.inverse_mass = first + 10 * size;
        f.p.inverse_mass_layout = f.p.x_layout;
    }
    return f;
}

/* Computes the accelerations of a ring for particles on any layout. */
static kdr_status far_ring_accelerations(void *context, const kdr_particles *p, double t, void *const a[3]) {
    kdr_particles plain = make_particles(p->count, p->dims, p->real, false, false);
    carry(p, &plain, true);
    const kdr_status status = ring_accelerations(context, &plain, t, a);
    kdr_particles_destroy(&plain);
    return status;
}

Test(system, any_layout_has_the_bits_of_plain_arrays) {
    enum { STEPS = 4 };
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    kdr_executor executors[MAX_EXECUTORS];
    const size_t m = list_executors(executors);
    const kdr_force more[] = {kdr_force_spring(0.5, 1, 0, 0), kdr_force_centre(0.5, 0, 0, 0, 0.5)};
    const int rows[] = {KDR_VELOCITY_VERLET, KDR_VELOCITY_VERLET_PC, KDR_POSITION_VERLET,    KDR_VEFRL, KDR_RK4,
                        KDR_NYSTROM_4,       KDR_METHOD_COUNT + 1,   KDR_SEMI_IMPLICIT_EULER};
    for (int round = 0; round < 96; ++round) {
        const int row = rows[round % 8], form = round / 8 % FAR_FORMS;
        const kdr_real real = (kdr_real)(round / 32 % 2);
        kdr_tableau tableau;
        ring r = {.brakes = accepts_brakes(row)};
        kdr_system_desc desc = describe_system(KDR_RK4, real, (kdr_arithmetic)(round % 2), backends[(size_t)(round + form) % n]);
        cr_assert(choose_row(row, &tableau, &desc));
        desc.accelerations = far_ring_accelerations;
        desc.context = &r;
        desc.executor = executors[(size_t)round % m];
        desc.forces = round % 3 == 0 ? more : NULL;
        desc.force_count = round % 3 == 0 ? 2 : 0;
        const size_t count = round % 7 == 0 ? 1500 : 1 + (size_t)(random_bits(&seed) % 400);
        kdr_particles p = make_particles(count, 1 + (round / 8 + round) % 3, real, round % 4 < 2, true), q, k;
        q = make_particles(count, p.dims, real, round % 4 < 2, true);
        k = make_particles(count, p.dims, real, round % 4 < 2, true);
        uint8_t *const active = malloc(count);
        fill_random(&p, &seed);
        freeze_some(&p);
        for (size_t i = 0; i < count; ++i) {
            active[i] = (uint8_t)(random_bits(&seed) % 4);
        }
        copy_state(&q, &p);
        copy_state(&k, &p);
        if (round % 5 == 0) {
            p.active = q.active = active;
            p.active_count = q.active_count = count;
        }
        far f = put_far(&q, form);
        carry(&f.p, &q, false);
        unsigned char *const before = malloc(f.bytes);
        memcpy(before, f.block, f.bytes);
        kdr_clock clock = {0, 0.03125, 0}, other = clock;
        kdr_error error;
        r.fails_at = round % 2 ? 2 + round % 11 : 0;
        const kdr_status status = run_with(&desc, &f.p, &other, STEPS, &error);
        cr_assert(status == KDR_OK || (r.fails_at && status == KDR_ERROR_UNAVAILABLE), "%s", error.message);
        r.fails_at = 0;
        reference(&desc, &p, &clock, other.step);
        carry(&f.p, &q, true);
        cr_expect(same_bits(&p, &q), "round %d, row %d, form %d, %zu particles on %d axes, %d steps", round, row, form, count, p.dims,
                  (int)other.step);
        carry(&f.p, &k, false); /* bytes between x and v must not have changed */
        cr_expect(memcmp(before, f.block, f.bytes) == 0, "round %d wrote between the elements", round);
        free(before);
        free(f.block);
        free(active);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
        kdr_particles_destroy(&k);
    }
}

/* A structure: the first component of x and of v, in elements, and the distance to the next components; the place of the inverse mass, or
 * -1; the size in elements and odd bytes. The list covers kernels that reorder all components in registers, only those of x and v, or none;
 * and structures with v whose x is contiguous. */
typedef struct structure {
    int x, x_step, v, v_step, w, width, odd;
} structure;

enum { STRUCTURES = 7, WIDEST = 37 };

static structure structure_of(int kind, int dims) {
    const structure all[STRUCTURES] = {
        {0, 1, dims, 1, -1, 2 * dims, 0},                          /* x and v alone */
        {1, 1, dims + 2, 1, 2 * dims + 2, 2 * dims + 5, 3},        /* other elements between and around them */
        {dims, 1, 0, 1, 2 * dims, 2 * dims + 1, 0},                /* v first */
        {2 * dims - 2, -2, 2 * dims - 1, -2, -1, 2 * dims + 1, 1}, /* the last axis first, x and v alternating */
        {0, 1, dims, 1, WIDEST - 1, WIDEST, 0},                    /* far from each other */
        {-1, 0, 1, 1, dims + 1, dims + 2, 0},                      /* v alone */
        {3, 1, 3 + dims, 1, 0, 2 * dims + 3, 0},                   /* x and v adjacent, other elements before them */
    };
    return all[kind];
}

static far put_structures(const kdr_particles *plain, int kind) {
    const size_t size = kdr_real_size(plain->real);
    const structure s = structure_of(kind, plain->dims);
    const kdr_layout layout = {.stride = (size_t)s.width * size + (size_t)s.odd};
    far f = {.p = *plain, .bytes = plain->count * layout.stride + 1};
    f.block = malloc(f.bytes);
    memset(f.block, 0xC3, f.bytes);
    f.p.storage = NULL;
    unsigned char *const first = f.block + (s.odd != 0);
    for (int i = 0; i < plain->dims; ++i) {
        f.p.x[i] = s.x < 0 ? plain->x[i] : first + (size_t)(s.x + i * s.x_step) * size;
        f.p.v[i] = first + (size_t)(s.v + i * s.v_step) * size;
    }
    f.p.x_layout.stride = s.x < 0 ? 0 : layout.stride;
    f.p.v_layout = layout;
    if (s.w >= 0 && plain->inverse_mass) {
        f.p.inverse_mass = first + (size_t)s.w * size;
        f.p.inverse_mass_layout = layout;
    }
    return f;
}

/* Compares every method's passes on such structures, for smooth and for wild motion, with some particles frozen or inactive. After a
 * function has failed, they restore the last whole step. */
Test(system, structures_of_any_kind) {
    enum { STEPS = 4, ROUNDS = 600 };
    static const size_t counts[] = {1, 2, 3, 5, 8, 9, 15, 17, 31, 63, 64, 65, 127, 130, 255, 256, 257, 300, 1023, 1025, 1500};
    static const int rows[] = {KDR_VELOCITY_VERLET,  KDR_VELOCITY_VERLET, KDR_VELOCITY_VERLET,  KDR_VELOCITY_VERLET_PC,
                               KDR_POSITION_VERLET,  KDR_VEFRL,           KDR_DRIFT_KICK_EULER, KDR_METHOD_COUNT + 1,
                               KDR_METHOD_COUNT + 2, KDR_METHOD_COUNT + 5};
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    kdr_executor executors[MAX_EXECUTORS];
    const size_t m = list_executors(executors);
    size_t went_back = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        const int kind = round % STRUCTURES, dims = 1 + round / STRUCTURES % 3,
                  row = rows[random_bits(&seed) % (sizeof rows / sizeof *rows)];
        const kdr_real real = (kdr_real)(round / STRUCTURES / 3 % 2);
        const size_t count = counts[random_bits(&seed) % (round % 4 ? 18 : 21)];
        const bool masses = random_bits(&seed) % 3 == 0, marks = random_bits(&seed) % 4 == 0, wild = random_bits(&seed) % 2 == 0;
        kdr_tableau tableau;
        ring r = {.brakes = accepts_brakes(row)};
        kdr_system_desc desc = describe_system(KDR_RK4, real, (kdr_arithmetic)(random_bits(&seed) % 2), backends[random_bits(&seed) % n]);
        cr_assert(choose_row(row, &tableau, &desc));
        desc.accelerations = far_ring_accelerations;
        desc.context = &r;
        desc.executor = executors[random_bits(&seed) % m];
        kdr_particles p = make_particles(count, dims, real, masses, true), q, k;
        q = make_particles(count, dims, real, masses, true);
        k = make_particles(count, dims, real, masses, true);
        fill_random(&p, &seed);
        freeze_some(&p);
        if (wild) {
            make_wild(&p, &seed);
        }
        uint8_t *const active = malloc(count);
        for (size_t i = 0; i < count; ++i) {
            active[i] = (uint8_t)(random_bits(&seed) % 4);
        }
        copy_state(&q, &p);
        copy_state(&k, &p);
        if (marks) {
            p.active = q.active = active;
            p.active_count = q.active_count = count;
        }
        far f = put_structures(&q, kind);
        carry(&f.p, &q, false);
        unsigned char *const before = malloc(f.bytes);
        memcpy(before, f.block, f.bytes);
        kdr_clock clock = {0, 0.03125, 0}, other = clock;
        kdr_error error;
        r.fails_at = random_bits(&seed) % 2 ? 2 + (int)(random_bits(&seed) % 8) : 0;
        const kdr_status status = run_with(&desc, &f.p, &other, STEPS, &error);
        cr_assert(status == KDR_OK || (r.fails_at && status == KDR_ERROR_UNAVAILABLE), "%s", error.message);
        went_back += status != KDR_OK && other.step > 0;
        r.fails_at = 0;
        reference(&desc, &p, &clock, other.step);
        carry(&f.p, &q, true);
        cr_expect(same_but_for_nan(&p, &q), "round %d: structures %d, row %d, %s, backend %d, %zu particles on %d axes, %d steps", round,
                  kind, row, kdr_real_name(real), (int)desc.backend, count, dims, (int)other.step);
        for (size_t i = 0; i < count; ++i) { /* includes NaNs */
            const bool still = (masses && get(p.inverse_mass, real, i) == 0) || (marks && !active[i]);
            for (int axis = 0; still && axis < dims; ++axis) {
                const size_t size = kdr_real_size(real);
                cr_assert(memcmp((char *)q.x[axis] + i * size, (char *)k.x[axis] + i * size, size) == 0, "round %d, x", round);
                cr_assert(memcmp((char *)q.v[axis] + i * size, (char *)k.v[axis] + i * size, size) == 0, "round %d, v", round);
            }
        }
        carry(&f.p, &k, false);
        cr_expect(memcmp(before, f.block, f.bytes) == 0, "round %d wrote between the members", round);
        free(before);
        free(f.block);
        free(active);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
        kdr_particles_destroy(&k);
    }
    cr_expect(went_back > ROUNDS / 8, "%zu", went_back);
}

/* Computes the same accelerations as rows. */
static kdr_status rows_of_accelerations(void *context, const kdr_particles *p, double t, void *const a[3]) {
    kdr_particles plain = make_particles(p->count, p->dims, p->real, false, false);
    const size_t size = kdr_real_size(p->real), dims = (size_t)p->dims;
    const kdr_status status = far_ring_accelerations(context, p, t, plain.x);
    for (size_t i = 0; i < dims; ++i) {
        cr_assert((char *)a[i] == (char *)a[0] + i * size);
        for (size_t n = 0; n < p->count; ++n) {
            memcpy((char *)a[i] + n * dims * size, (char *)plain.x[i] + n * size, size);
        }
    }
    kdr_particles_destroy(&plain);
    return status;
}

Test(system, accelerations_in_rows) {
    enum { STEPS = 5 };
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    kdr_executor executors[MAX_EXECUTORS];
    const size_t m = list_executors(executors);
    const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_SEMI_IMPLICIT_EULER, KDR_POSITION_VERLET, KDR_PEFRL, KDR_VEFRL};
    for (int round = 0; round < 90; ++round) {
        const kdr_real real = (kdr_real)(round / 5 % 2);
        ring r = {.brakes = true};
        kdr_system_desc desc = describe_system(methods[round % 5], real, (kdr_arithmetic)(round / 3 % 2), backends[(size_t)round % n]);
        desc.accelerations = far_ring_accelerations;
        desc.context = &r;
        desc.executor = executors[(size_t)round % m];
        const size_t count = round % 7 == 0 ? 3000 : 1 + (size_t)(random_bits(&seed) % 300);
        const bool masses = round % 4 < 2;
        kdr_particles p = make_particles(count, 1 + round % 3, real, masses, false), q = make_particles(count, p.dims, real, masses, false);
        uint8_t *const active = malloc(count);
        fill_random(&p, &seed);
        freeze_some(&p);
        for (size_t i = 0; i < count; ++i) {
            active[i] = (uint8_t)(random_bits(&seed) % 4);
        }
        copy_state(&q, &p);
        if (round % 6 == 5) {
            p.active = q.active = active;
            p.active_count = q.active_count = count;
        }
        far f = put_far(&q, 0);
        carry(&f.p, &q, false);
        kdr_clock clock = {0, 0.03125, 0}, other = clock, third = clock;
        kdr_error error;
        desc.rows = true;
        desc.accelerations = rows_of_accelerations;
        const int fails_at = round % 3 == 0 ? 2 + round % 9 : 0;
        r = (ring){.brakes = true, .fails_at = fails_at};
        const kdr_status status = run_with(&desc, &f.p, &other, STEPS, &error);
        cr_assert(status == KDR_OK || (fails_at && status == KDR_ERROR_UNAVAILABLE), "%s", error.message);
        carry(&f.p, &q, true);
        desc.rows = false;
        desc.accelerations = far_ring_accelerations;
        r = (ring){.brakes = true};
        kdr_particles start = make_particles(count, p.dims, real, masses, false);
        copy_state(&start, &p);
        reference(&desc, &p, &clock, other.step);
        cr_expect(same_bits(&p, &q), "round %d, %zu particles on %d axes, %d steps", round, count, p.dims, (int)other.step);
        carry(&f.p, &start, false); /* compares with the reference on rows */
        desc.rows = true;
        desc.accelerations = rows_of_accelerations;
        reference(&desc, &f.p, &third, other.step);
        carry(&f.p, &q, true);
        cr_expect(same_bits(&p, &q), "round %d: the reference", round);
        free(f.block);
        free(active);
        kdr_particles_destroy(&start);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

Test(system, kicks_and_drifts_on_any_layout) {
    uint64_t seed = test_seed();
    kdr_pass_options options;
    kdr_error error;
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    for (int round = 0; round < 132; ++round) {
        const kdr_real real = (kdr_real)(round % 2);
        const int form = round / 6 % (FAR_FORMS + STRUCTURES);
        cr_assert(kdr_pass_options_init((kdr_arithmetic)(round % 3 == 0), backends[(size_t)round % n], kdr_executor_serial(), &options,
                                        &error) == KDR_OK);
        kdr_particles p = make_particles(1 + (size_t)(random_bits(&seed) % 700), 1 + round / 2 % 3, real, round % 5 == 0, true), q;
        q = make_particles(p.count, p.dims, real, round % 5 == 0, true);
        fill_random(&p, &seed);
        freeze_some(&p);
        copy_state(&q, &p);
        for (int i = 0; i < p.dims; ++i) {
            memcpy(p.memory[i], p.v[i], p.count * kdr_real_size(real));
        }
        far f = form < FAR_FORMS ? put_far(&q, form) : put_structures(&q, form - FAR_FORMS);
        carry(&f.p, &q, false);
        cr_assert(kdr_kick(&p, 0.25, p.memory, &options, &error) == KDR_OK && kdr_kick(&f.p, 0.25, p.memory, &options, &error) == KDR_OK);
        cr_assert(kdr_drift(&p, -0.5, &options, &error) == KDR_OK && kdr_drift(&f.p, -0.5, &options, &error) == KDR_OK);
        cr_assert(kdr_kick_drift(&p, 0.1, 0.3, p.memory, &options, &error) == KDR_OK);
        cr_assert(kdr_kick_drift(&f.p, 0.1, 0.3, p.memory, &options, &error) == KDR_OK);
        carry(&f.p, &q, true);
        cr_expect(same_bits(&p, &q), "round %d", round);
        double *const row = malloc(3 * p.count * sizeof *row);
        void *side_by_side[3] = {NULL, NULL, NULL};
        for (int i = 0; i < p.dims; ++i) {
            side_by_side[i] = (char *)row + (size_t)i * kdr_real_size(real);
            for (size_t k = 0; k < p.count; ++k) {
                set(row, real, k * (size_t)p.dims + (size_t)i, get(p.memory[i], real, k));
            }
        }
        const bool takes_rows = p.dims == 1 || p.count == 1 || form == 0;
        cr_assert(kdr_kick_drift(&f.p, 0.2, 0.3, side_by_side, &options, &error) == (takes_rows ? KDR_OK : KDR_ERROR_OVERLAP), "round %d",
                  round);
        if (takes_rows) {
            cr_assert(kdr_kick_drift(&p, 0.2, 0.3, p.memory, &options, &error) == KDR_OK);
        }
        carry(&f.p, &q, true);
        cr_expect(same_bits(&p, &q), "round %d, rows of accelerations", round);
        free(row);
        uint8_t level = 0;
        f.p.count = 1;
        f.p.level = &level;
        f.p.level_count = 1;
        cr_expect(kdr_drift(&f.p, 1, &options, &error) == KDR_ERROR_UNSUPPORTED && one_line(&error, KDR_ERROR_UNSUPPORTED));
        free(f.block);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* In smooth motion a step is computed backwards, in wild motion it is kept. Both must happen, or the test before proves little. */
Test(system, little_of_a_smooth_motion_is_kept) {
    enum { VECTORS = 512, MOST = 8 * VECTORS };
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    for (size_t b = 0; b < n; ++b) {
        const kdr_kernels *const kernels = kdr_backend_kernels(backends[b], KDR_F64, KDR_FUSED);
        const size_t lanes = (size_t)kernels->vector / sizeof(double), count = VECTORS * lanes;
        static double row[3][MOST], kept_x[MOST], kept_v[MOST];
        const double numbers[4] = {0x1p-7, 0, 0x1p-7, 0x1p-6};
        for (int wild = 0; wild < 2; ++wild) {
            uint8_t bits[VECTORS / 8] = {0};
            for (size_t i = 0; i < count; ++i) {
                row[0][i] = random_in(&seed, 1, 2);
                row[1][i] = wild ? random_in(&seed, -1e-3, 1e-3) : random_in(&seed, 1, 2);
                row[2][i] = random_in(&seed, -1, 1);
            }
            kdr_kept kept = {(char *)kept_x, (char *)kept_v, bits};
            char *const at[3] = {(char *)row[0], (char *)row[1], (char *)row[2]};
            kdr_tile tile = {.at = at, .column = count * sizeof(double), .vectors = VECTORS, .dims = 1, .numbers = numbers, .kept = &kept};
            const kdr_instruction cross = {.code = KDR_OP_NEXT_STEP,
                                           .count = KDR_NEXT_STEP_KICK | KDR_NEXT_STEP_THEN_KICK | KDR_NEXT_STEP_THEN_DRIFT,
                                           .v = 1,
                                           .list = 1,
                                           .other = 2};
            kernels->operation[KDR_OP_NEXT_STEP](&tile, &cross);
            size_t found = 0;
            for (size_t i = 0; i < sizeof bits; ++i) {
                found += (size_t)__builtin_popcount(bits[i]);
            }
            cr_expect((char *)kept_x + found * (size_t)kernels->vector == kept.x);
            cr_expect(wild ? found > VECTORS / 4 : found * 10 < VECTORS * (1 + lanes / 2), "%zu of %d", found, VECTORS);
        }
    }
}

/* A term that the test adds to a run: it adds to every component of the acceleration, and after each step folds x back into [-1, 1]. */
typedef struct trial {
    int destroyed, added, fails_at;
} trial;

static size_t trial_scratch(const void *data, size_t count, int dims) { return (void)data, count * (size_t)dims * sizeof(double); }

static kdr_status trial_add(const void *data, const kdr_evaluation *e, kdr_error *error) {
    trial *const counts = *(trial *const *)data;
    if (++counts->added == counts->fails_at) {
        if (error) {
            error->status = KDR_ERROR_UNAVAILABLE;
            strcpy(error->message, "trial: had enough");
        }
        return KDR_ERROR_UNAVAILABLE;
    }
    cr_assert((uintptr_t)e->scratch % 64 == 0);
    memset(e->scratch, 1, trial_scratch(data, e->particles->count, e->particles->dims));
    for (int i = 0; i < e->particles->dims; ++i) {
        for (size_t n = 0; n < e->particles->count; ++n) {
            set(e->a[i], KDR_F64, n, get(e->a[i], KDR_F64, n) - get(e->particles->x[i], KDR_F64, n));
        }
    }
    return KDR_OK;
}

static kdr_status trial_after(const void *data, const kdr_particles *before, const kdr_particles *now, double dt, double whole,
                              void *scratch, bool *moved, kdr_error *error) {
    (void)data, (void)scratch, (void)error;
    cr_assert(dt == 0.125 && whole == dt);
    for (int i = 0; i < now->dims; ++i) {
        for (size_t n = 0; n < now->count; ++n) {
            const double x = get(now->x[i], KDR_F64, n);
            if (fabs(x) > 1) {
                set(now->x[i], KDR_F64, n, x > 0 ? 1 : -1);
                set(now->v[i], KDR_F64, n, (x - get(before->x[i], KDR_F64, n)) * -0.5);
                *moved = true;
            }
        }
    }
    return KDR_OK;
}

static void trial_destroy(void *data) {
    ++(*(trial **)data)->destroyed;
    free(data);
}

static kdr_system *make_trial(kdr_method method, trial *counts, bool corrects) {
    kdr_system_desc desc = describe_system(method, KDR_F64, KDR_UNFUSED, KDR_BACKEND_AUTO);
    kdr_system *system;
    kdr_error error;
    cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
    trial **const data = malloc(sizeof *data);
    *data = counts;
    const kdr_system_term term = {.data = data,
                                  .scratch = trial_scratch,
                                  .add = trial_add,
                                  .after = corrects ? trial_after : NULL,
                                  .destroy = trial_destroy,
                                  .digest = 77};
    cr_assert(kdr_system_take(system, &term, &error) == KDR_OK);
    return system;
}

/* Takes one particle's step of velocity Verlet in a = -x, folded back by hand. */
static void fold_by_hand(double *x, double *v, double *a, int steps) {
    for (int n = 0; n < steps; ++n) {
        const double old = *x;
        *v += 0.0625 * *a;
        *x += 0.125 * *v;
        *a = 0 - *x;
        *v += 0.0625 * *a;
        if (fabs(*x) > 1) {
            const double there = *x;
            *x = there > 0 ? 1 : -1;
            *v = (there - old) * -0.5;
            *a = 0 - *x;
        }
    }
}

Test(system, terms_add_and_correct) {
    for (int corrects = 0; corrects < 2; ++corrects) {
        for (int fails_at = 0; fails_at < 12; ++fails_at) {
            trial counts = {.fails_at = fails_at};
            kdr_system *const system = make_trial(KDR_VELOCITY_VERLET, &counts, corrects);
            kdr_particles p = make_particles(9, 2, KDR_F64, false, true);
            kdr_workspace workspace;
            kdr_error error;
            double x[9][2], v[9][2];
            for (size_t n = 0; n < 9; ++n) {
                for (int i = 0; i < 2; ++i) {
                    x[n][i] = 0.1 * (double)n - 0.4 * i;
                    v[n][i] = 1 - 0.3 * (double)n;
                    set(p.x[i], KDR_F64, n, x[n][i]);
                    set(p.v[i], KDR_F64, n, v[n][i]);
                }
            }
            kdr_clock clock = {0, 0.125, 0};
            cr_assert(kdr_workspace_create(system, 9, 2, (kdr_allocator){0}, &workspace, &error) == KDR_OK);
            const kdr_status status = kdr_system_run(system, &p, &clock, 8, &workspace, &error);
            cr_assert(status == (counts.added < fails_at || fails_at == 0 ? KDR_OK : KDR_ERROR_UNAVAILABLE));
            for (size_t n = 0; n < 9; ++n) {
                for (int i = 0; i < 2; ++i) {
                    double a = 0 - x[n][i];
                    for (uint64_t s = 0; s < clock.step && corrects; ++s) {
                        fold_by_hand(&x[n][i], &v[n][i], &a, 1);
                    }
                    for (uint64_t s = 0; s < clock.step && !corrects; ++s) {
                        v[n][i] += 0.0625 * a;
                        x[n][i] += 0.125 * v[n][i];
                        a = 0 - x[n][i];
                        v[n][i] += 0.0625 * a;
                    }
                    cr_expect(get(p.x[i], KDR_F64, n) == x[n][i] && get(p.v[i], KDR_F64, n) == v[n][i],
                              "corrects %d, fails at %d, particle %zu, step %d", corrects, fails_at, n, (int)clock.step);
                }
            }
            kdr_workspace_destroy(&workspace);
            kdr_system_destroy(system);
            cr_expect(counts.destroyed == 1);
            kdr_particles_destroy(&p);
        }
    }
}

/* Each of these has one mistake. */

static kdr_error create_refused(const kdr_system_desc *desc, kdr_status status) {
    kdr_error error = {KDR_OK, ""}, other = {KDR_OK, ""};
    kdr_system *const before = (kdr_system *)&error, *system = before;
    kdr_particles p = make_particles(1, 1, desc && desc->real == KDR_F32 ? KDR_F32 : KDR_F64, false, false);
    kdr_clock clock = {0, 1, 0};
    cr_expect(kdr_system_create(desc, &system, &error) == status && one_line(&error, status) && system == before, "'%s'", error.message);
    cr_expect(kdr_system_create(desc, &system, NULL) == status);
    if (!desc || desc->backend == KDR_BACKEND_AUTO) {
        cr_expect(kdr_reference_system_run(desc, &p, &clock, 1, &other) == status && strcmp(error.message, other.message) == 0,
                  "'%s', '%s'", error.message, other.message);
    }
    kdr_particles_destroy(&p);
    return error;
}

Test(system, rows_that_are_refused) {
    const kdr_force drag = kdr_force_drag(1, 0, 0, 0);
    kdr_system_desc good = kdr_system_desc_default(), bad;
    ring r = {.brakes = true};
    good.rows = true;
    good.accelerations = rows_of_accelerations;
    good.context = &r;
    bad = good;
    bad.accelerations = NULL;
    create_refused(&bad, KDR_ERROR_UNSUPPORTED);
    bad = good;
    bad.forces = &drag;
    bad.force_count = 1;
    create_refused(&bad, KDR_ERROR_UNSUPPORTED);
    bad = good;
    bad.method = KDR_RK4;
    cr_expect(strstr(create_refused(&bad, KDR_ERROR_UNSUPPORTED).message, "velocity-verlet"));
    bad.method = KDR_VELOCITY_VERLET_PC;
    create_refused(&bad, KDR_ERROR_UNSUPPORTED);
    kdr_particles plain = make_particles(8, 3, KDR_F64, false, true);
    far f = put_far(&plain, 0);
    carry(&f.p, &plain, false);
    kdr_clock clock = {0, 0.5, 0};
    kdr_error error;
    cr_expect(run_with(&good, &f.p, &clock, 1, &error) == KDR_ERROR_UNSUPPORTED && strstr(error.message, "memory"), "%s", error.message);
    plain.memory[0] = plain.memory[1] = plain.memory[2] = NULL;
    cr_expect(run_with(&good, &plain, &clock, 1, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "rows"), "%s", error.message);
    cr_expect(kdr_reference_system_run(&good, &plain, &clock, 1, &error) == KDR_ERROR_MISMATCH && clock.step == 0);
    kdr_system *system;
    cr_assert(kdr_system_create(&good, &system, NULL) == KDR_OK);
    cr_expect(kdr_system_run_blocks(system, &plain, &clock, 1, &error) == KDR_ERROR_UNSUPPORTED && clock.step == 0);
    kdr_system_destroy(system);
    free(f.block);
    kdr_particles_destroy(&plain);
}

Test(system, a_wrong_description_is_refused) {
    const kdr_system_desc good = kdr_system_desc_default();
    const kdr_force drag = kdr_force_drag(1, 0, 0, 0), infinite = kdr_force_drag((double)INFINITY, 0, 0, 0);
    const kdr_tableau none = {.stages = 0};
    kdr_system_desc bad = good;
    create_refused(NULL, KDR_ERROR_NULL);
    cr_expect(kdr_system_create(&good, NULL, NULL) == KDR_ERROR_NULL);
    bad.method = KDR_EXACT_AFFINE;
    cr_expect(strstr(create_refused(&bad, KDR_ERROR_UNSUPPORTED).message, "take strang-affine"));
    bad.method = KDR_METHOD_COUNT;
    create_refused(&bad, KDR_ERROR_ARGUMENT);
    bad = good;
    bad.real = (kdr_real)2;
    create_refused(&bad, KDR_ERROR_ARGUMENT);
    bad = good;
    bad.arithmetic = (kdr_arithmetic)7;
    create_refused(&bad, KDR_ERROR_ARGUMENT);
    bad = good;
    bad.force_count = 1;
    create_refused(&bad, KDR_ERROR_NULL);
    bad.forces = &infinite;
    create_refused(&bad, KDR_ERROR_NOT_FINITE);
    bad.forces = &drag;
    bad.method = KDR_NYSTROM_4;
    create_refused(&bad, KDR_ERROR_UNSUPPORTED);
    bad = good;
    bad.tableau = &none;
    create_refused(&bad, KDR_ERROR_ARGUMENT);
    bad = good;
    bad.backend = (kdr_backend)77;
    create_refused(&bad, KDR_ERROR_ARGUMENT);
}

static void *no_memory(void *context, size_t size, size_t alignment) { return (void)context, (void)size, (void)alignment, NULL; }
static void no_release(void *context, void *pointer, size_t size) { (void)context, (void)pointer, (void)size; }

Test(system, a_wrong_run_is_refused_and_changes_nothing) {
    field f = make_field(false, KDR_FUSED);
    kdr_system_desc desc = kdr_system_desc_default();
    desc.accelerations = field_accelerations;
    desc.context = &f;
    kdr_system *system;
    kdr_error error;
    kdr_workspace w, other = {NULL, 0, {0}};
    cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK);
    cr_assert(kdr_workspace_create(system, 20, 3, (kdr_allocator){0}, &w, &error) == KDR_OK);
    kdr_particles p = make_particles(20, 3, KDR_F64, false, false), kept = make_particles(20, 3, KDR_F64, false, false);
    uint64_t seed = 1;
    fill_random(&p, &seed);
    copy_state(&kept, &p);
    kdr_clock clock = {0, 0.5, 4};
    const kdr_clock zero = {0, 0, 4};
    kdr_particles single = make_particles(20, 3, KDR_F32, false, false), bad = p;
    bad.v[1] = p.x[0];
    kdr_particles counted = p;
    counted.bounces = (uint32_t *)w.memory + 9;
    counted.bounces_layout.stride = 8;
    kdr_workspace less = w, inside = w;
    less.size = kdr_system_workspace_size(system, 20, 3) - 1;
    inside.memory = p.x[0];
    const struct {
        const kdr_system *system;
        kdr_particles *particles;
        const kdr_clock *clock;
        const kdr_workspace *workspace;
        kdr_status status;
    } cases[] = {
        {NULL, &p, &clock, &w, KDR_ERROR_NULL},
        {system, NULL, &clock, &w, KDR_ERROR_NULL},
        {system, &p, NULL, &w, KDR_ERROR_NULL},
        {system, &p, &clock, NULL, KDR_ERROR_NULL},
        {system, &p, &clock, &other, KDR_ERROR_NULL},
        {system, &p, &clock, &less, KDR_ERROR_MISMATCH},
        {system, &p, &clock, &inside, KDR_ERROR_OVERLAP},
        {system, &p, &zero, &w, KDR_ERROR_ARGUMENT},
        {system, &single, &clock, &w, KDR_ERROR_MISMATCH},
        {system, &bad, &clock, &w, KDR_ERROR_OVERLAP},
        {system, &counted, &clock, &w, KDR_ERROR_OVERLAP},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        kdr_clock c = {0, 0, 0};
        if (cases[i].clock) {
            c = *cases[i].clock;
        }
        const kdr_status status =
            kdr_system_run(cases[i].system, cases[i].particles, cases[i].clock ? &c : NULL, 2, cases[i].workspace, &error);
        cr_expect(status == cases[i].status && one_line(&error, status), "case %zu: %d, '%s'", i, (int)status, error.message);
        cr_expect(f.calls == 0 && same_bits(&p, &kept) && (!cases[i].clock || c.step == 4), "case %zu changed something", i);
    }
    const kdr_allocator empty = {NULL, no_memory, no_release};
    cr_expect(kdr_workspace_create(system, 20, 3, empty, &other, &error) == KDR_ERROR_NO_MEMORY && !other.memory);
    cr_expect(kdr_workspace_create(system, 20, 4, empty, &other, &error) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_workspace_create(system, SIZE_MAX / 8, 3, empty, &other, &error) == KDR_ERROR_OVERFLOW);
    cr_expect(kdr_workspace_create(system, 20, 3, (kdr_allocator){NULL, no_memory, NULL}, &other, &error) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_workspace_create(NULL, 20, 3, empty, &other, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_workspace_create(system, 20, 3, empty, NULL, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_system_workspace_size(NULL, 1, 1) == 0 && kdr_system_workspace_size(system, SIZE_MAX, 3) == 0);
    kdr_system_destroy(NULL);
    kdr_workspace_destroy(NULL);
    kdr_workspace_destroy(&w);
    cr_expect(!w.memory && w.size == 0);
    kdr_system_destroy(system);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&kept);
    kdr_particles_destroy(&single);
}

Test(system, a_wrong_kick_is_refused_and_changes_nothing) {
    kdr_pass_options options;
    kdr_error error;
    cr_expect(kdr_pass_options_init((kdr_arithmetic)2, KDR_BACKEND_AUTO, kdr_executor_serial(), &options, &error) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_pass_options_init(KDR_FUSED, (kdr_backend)99, kdr_executor_serial(), &options, &error) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_pass_options_init(KDR_FUSED, KDR_BACKEND_AUTO, kdr_executor_serial(), NULL, &error) == KDR_ERROR_NULL);
    cr_assert(kdr_pass_options_init(KDR_FUSED, KDR_BACKEND_AUTO, kdr_executor_serial(), &options, &error) == KDR_OK);
    kdr_particles p = make_particles(5, 2, KDR_F32, false, true), kept = make_particles(5, 2, KDR_F32, false, false);
    uint64_t seed = 1;
    fill_random(&p, &seed);
    copy_state(&kept, &p);
    p.memory_key = 5;
    const kdr_pass_options none = {.kernels = {NULL, NULL}};
    cr_expect(kdr_kick(&p, 1, NULL, &options, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_kick(&p, 1, (void *[3]){p.memory[0], NULL, NULL}, &options, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_kick(&p, 1, (void *[3]){p.memory[0], p.x[0], NULL}, &options, &error) == KDR_ERROR_OVERLAP);
    cr_expect(kdr_kick(&p, 1, (void *[3]){p.memory[0], p.v[0], NULL}, &options, &error) == KDR_ERROR_OVERLAP);
    cr_expect(kdr_kick(&p, 1, (void *[3]){p.v[1], p.memory[1], NULL}, &options, &error) == KDR_ERROR_OVERLAP);
    cr_expect(kdr_kick(&p, (double)NAN, p.memory, &options, &error) == KDR_ERROR_NOT_FINITE);
    cr_expect(kdr_kick(&p, 1e300, p.memory, &options, &error) == KDR_ERROR_NOT_FINITE);
    cr_expect(kdr_kick_drift(&p, 1, (double)INFINITY, p.memory, &options, &error) == KDR_ERROR_NOT_FINITE);
    cr_expect(kdr_kick_drift(&p, 1, 1, NULL, &options, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_drift(NULL, 1, &options, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_drift(&p, 1, NULL, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_drift(&p, 1, &none, &error) == KDR_ERROR_ARGUMENT && one_line(&error, KDR_ERROR_ARGUMENT));
    cr_expect(same_bits(&p, &kept) && p.memory_key == 5);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&kept);
}

Test(system, nobody_and_no_steps) {
    field f = make_field(false, KDR_FUSED);
    kdr_system_desc desc = kdr_system_desc_default();
    desc.accelerations = field_accelerations;
    desc.context = &f;
    kdr_particles p = kdr_particles_default(), q = make_particles(3, 3, KDR_F64, false, true);
    kdr_clock clock = {0, 1, 0};
    run(&desc, &p, &clock, 5);
    cr_expect(clock.step == 5 && f.calls == 0);
    run(&desc, &q, &clock, 0);
    cr_expect(clock.step == 5 && f.calls == 0);
    desc.accelerations = NULL; /* without forces too: free motion */
    set(q.v[2], KDR_F64, 1, 2);
    run(&desc, &q, &clock, 3);
    cr_expect(get(q.x[2], KDR_F64, 1) == 6 && get(q.x[0], KDR_F64, 0) == 0);
    kdr_particles_destroy(&q);
}

/* With memory, velocity Verlet evaluates once per step, and says so. */
Test(system, evaluations_are_counted) {
    kdr_system_desc desc = kdr_system_desc_default();
    field f = make_field(false, KDR_FUSED);
    desc.accelerations = field_accelerations;
    desc.context = &f;
    kdr_system *system;
    kdr_workspace w;
    cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
    cr_assert(kdr_system_method(system) == kdr_method_get(KDR_VELOCITY_VERLET) && kdr_system_backend(system) != KDR_BACKEND_AUTO);
    cr_assert(kdr_system_distance_constraints(system) == NULL && kdr_system_distance_constraints(NULL) == NULL);
    cr_assert(kdr_workspace_create(system, 4, 3, (kdr_allocator){0}, &w, NULL) == KDR_OK);
    for (int memory = 0; memory < 2; ++memory) {
        kdr_particles p = make_particles(4, 3, KDR_F64, false, memory);
        kdr_clock clock = {0, 0.5, 0};
        for (int call = 0; call < 4; ++call) {
            f.calls = 0;
            const uint64_t expected = kdr_system_evaluations(system, &p, &clock, (uint64_t)call + 1);
            cr_expect(expected == (uint64_t)call + 1 + (call == 0 || !memory));
            cr_assert(kdr_system_run(system, &p, &clock, (uint64_t)call + 1, &w, NULL) == KDR_OK);
            cr_expect((uint64_t)f.calls == expected, "%d", f.calls);
        }
        kdr_particles_destroy(&p);
    }
    cr_expect(kdr_system_evaluations(NULL, NULL, NULL, 1) == 0 && !kdr_system_method(NULL));
    kdr_workspace_destroy(&w);
    kdr_system_destroy(system);
}
