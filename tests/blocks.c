/* Runs in blocks have the bits of field runs and of system runs, for any counts, masses, cuts and executors. The state after a failure is
 * checked too. */
#include "methods.h"
#include "system_support.h"

#include <criterion/criterion.h>

/* The force a = w F + g, F = -k x, in the order of a field run; and what the function checks. */
typedef struct spring {
    kdr_arithmetic arithmetic;
    size_t count; /* particles of the whole view */
    int fail_at;  /* the number of the call that fails; -1: none */
    int calls;
} spring;

static const double stiffness = 1.5, weight[3] = {0.5, -0.25, 1};

static double product_and_sum(kdr_real real, kdr_arithmetic arithmetic, double a, double b, double c) {
    if (real == KDR_F32) {
        const float product = (float)a * (float)b;
        return arithmetic == KDR_FUSED ? (double)fmaf((float)a, (float)b, (float)c) : (double)(product + (float)c);
    }
    const double product = a * b;
    return arithmetic == KDR_FUSED ? fma(a, b, c) : product + c;
}

static kdr_status pull(void *context, const kdr_particles *p, double t, void *const a[3]) {
    spring *const s = context;
    (void)t;
    cr_assert(p->first_id + p->count <= s->count && p->count > 0);
    if (s->calls++ == s->fail_at) {
        return KDR_ERROR_OVERFLOW;
    }
    for (int axis = 0; axis < p->dims; ++axis) {
        for (size_t i = 0; i < p->count; ++i) {
            const double w = p->inverse_mass ? get(p->inverse_mass, p->real, i) : 1;
            const double start = p->inverse_mass ? 0 : weight[axis];
            const double force = product_and_sum(p->real, s->arithmetic, -stiffness, get(p->x[axis], p->real, i), start);
            set(a[axis], p->real, i, p->inverse_mass ? product_and_sum(p->real, s->arithmetic, w, force, weight[axis]) : force);
        }
    }
    return KDR_OK;
}

static kdr_system *couple_own(const kdr_integrator_desc *like, spring *s, kdr_executor executor) {
    kdr_system_desc desc = kdr_system_desc_default();
    kdr_system *system = NULL;
    kdr_error error;
    desc.method = like->method;
    desc.tableau = like->tableau;
    desc.fractions = like->fractions;
    desc.real = like->real;
    desc.arithmetic = s->arithmetic;
    desc.executor = executor;
    desc.accelerations = pull;
    desc.context = s;
    cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
    return system;
}

static kdr_system *couple(kdr_method method, kdr_real real, spring *s, kdr_executor executor) {
    const kdr_integrator_desc like = describe(method, real, s->arithmetic, NULL, 0);
    return couple_own(&like, s, executor);
}

static kdr_particles crowd(size_t count, int dims, kdr_real real, bool masses, bool memory) {
    uint64_t seed = 5;
    kdr_particles p = make_particles(count, dims, real, masses, memory);
    fill_random(&p, &seed);
    for (size_t i = 0; masses && i < count; i += 3) {
        set(p.inverse_mass, real, i, 0);
    }
    return p;
}

static void run_blocks(const kdr_system *system, kdr_particles *p, kdr_clock *clock, uint64_t steps) {
    kdr_error error;
    cr_assert(kdr_system_run_blocks(system, p, clock, steps, &error) == KDR_OK, "%s", error.message);
}

static void expect_field_bits(kdr_integrator_desc desc, const char *name, size_t count, int dims, bool masses) {
    const kdr_force field[] = {kdr_force_uniform_acceleration(weight[0], weight[1], weight[2]), kdr_force_spring(stiffness, 0, 0, 0)};
    desc.forces = field;
    desc.force_count = 2;
    spring s = {.arithmetic = desc.arithmetic, .count = count, .fail_at = -1};
    kdr_system *const system = couple_own(&desc, &s, kdr_executor_serial());
    kdr_particles a = crowd(count, dims, desc.real, masses, false), b = crowd(count, dims, desc.real, masses, false);
    kdr_clock clock = {1, 1.0 / 32, 3}, other = clock;
    advance(BY_REFERENCE, &desc, &a, &clock, 5);
    run_blocks(system, &b, &other, 5);
    cr_expect(same_bits(&a, &b) && other.step == 8, "%s %s %s, %zu particles, %d axes, masses %d", name, kdr_real_name(desc.real),
              kdr_arithmetic_name(desc.arithmetic), count, dims, masses);
    kdr_system_destroy(system);
    kdr_particles_destroy(&a);
    kdr_particles_destroy(&b);
}

/* Compares runs of less than a vector, a group or a block, and of more than two of each, on 1 to 3 axes, in each precision and arithmetic,
 * with some particles frozen. */
static void expect_bits_of(kdr_integrator_desc desc, const char *name, int first) {
    static const size_t counts[] = {1, 5, 257, 1300};
    for (int i = 0; i < 12; ++i) {
        desc.real = (kdr_real)(i % 2);
        desc.arithmetic = (kdr_arithmetic)(i / 2 % 2);
        expect_field_bits(desc, name, counts[(first + i) % 4], 1 + i % 3, i / 4 == 1);
    }
}

Test(blocks, bits_of_field_runs) {
    int methods = 0;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        if (has_field_bits((kdr_method)m)) {
            expect_bits_of(describe((kdr_method)m, KDR_F64, KDR_FUSED, NULL, 0), kdr_method_get((kdr_method)m)->name, m);
            ++methods;
        }
    }
    cr_expect(methods > 30);
}

/* The coefficients of a user-defined row that are 0, and the weights that are equal, decide how it is stepped. */
Test(blocks, tableaus_of_the_callers_own) {
    kdr_tableau rows[] = {
        /* These have one term per stage, that of the stage before: weights like those of rk4, heun, ralston and midpoint, and two other
         * ones. */
        {.stages = 4, .a = {{0}, {0.25}, {0, 0.5}, {0, 0, 0.75}}, .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
        {.stages = 2, .a = {{0}, {0.75}}, .b = {0.5, 0.5}},
        {.stages = 2, .a = {{0}, {0.75}}, .b = {0.25, 0.75}},
        {.stages = 2, .a = {{0}, {0.75}}, .b = {0, 1}},
        {.stages = 3, .a = {{0}, {0.5}, {0, 0.75}}, .b = {2.0 / 9, 1.0 / 3, 4.0 / 9}},
        {.stages = 3, .a = {{0}, {0.5}, {0, 0.5}}, .b = {0.5, 0, 0.5}},
        /* These have a stage without a term, terms of a stage other than the one before, and two terms. */
        {.stages = 2, .b = {0.5, 0.5}},
        {.stages = 3, .a = {{0}, {0.5}, {0.5}}, .b = {0.25, 0.5, 0.25}},
        {.stages = 4, .a = {{0}, {0.5}, {0.5}, {0, 1}}, .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
        {.stages = 4, .a = {{0}, {0.5}, {0.25, 0.25}, {0, 0, 1}}, .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
        {.stages = 8}, /* filled in below with up to seven terms */
    };
    kdr_tableau *const dense = &rows[sizeof rows / sizeof *rows - 1];
    for (int i = 0; i < dense->stages; ++i) {
        dense->b[i] = (i + 1) / 36.0;
        for (int j = 0; j < i; ++j) {
            dense->a[i][j] = (j % 2 ? 1 : -0.75) / 8;
        }
    }
    for (size_t n = 0; n < sizeof rows / sizeof *rows; ++n) {
        for (int i = 0; i < rows[n].stages; ++i) {
            for (int j = 0; j < i; ++j) {
                rows[n].c[i] += rows[n].a[i][j];
            }
        }
        char name[32];
        kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, NULL, 0);
        desc.tableau = &rows[n];
        snprintf(name, sizeof name, "tableau %zu", n);
        expect_bits_of(desc, name, (int)n);
    }
}

Test(blocks, fractions_of_the_callers_own) {
    static const kdr_fractions rows[] = {
        {.count = 3, .kick = {0.25, 0.5, 0.25}, .drift = {0.5, 0.5}},           /* keeps its acceleration */
        {.count = 3, .kick = {0.25, 0.5, 0.25}, .drift = {0.5, 0.25, 0.25}},    /* begins with a kick, ends with a drift */
        {.count = 3, .kick = {0, 0.5, 0.5}, .drift = {0.25, 0.5, 0.25}},        /* drifts at either end */
        {.count = 3, .kick = {0, 0.5, 0.5}, .drift = {0.25, 0.75}},             /* begins with a drift, ends with a kick */
        {.count = 4, .kick = {0.5, 0, 0.25, 0.25}, .drift = {0.5, 0.25, 0.25}}, /* has two drifts between two kicks; run in slices */
    };
    for (size_t n = 0; n < sizeof rows / sizeof *rows; ++n) {
        char name[32];
        kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, NULL, 0);
        desc.fractions = &rows[n];
        snprintf(name, sizeof name, "fractions %zu", n);
        expect_bits_of(desc, name, (int)n);
    }
}

/* With memory, a run that is cut equals one run. The executor changes nothing. */
Test(blocks, cuts_and_executors) {
    const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_PEFRL, KDR_VEFRL, KDR_VELOCITY_VERLET_PC, KDR_RK4};
    kdr_executor executors[MAX_EXECUTORS];
    const size_t n = list_executors(executors);
    for (size_t i = 0; i < n * 5; ++i) {
        spring s = {.arithmetic = KDR_FUSED, .count = 2000, .fail_at = -1};
        kdr_system *const whole = couple(methods[i % 5], KDR_F64, &s, kdr_executor_serial());
        kdr_system *const cut = couple(methods[i % 5], KDR_F64, &s, executors[i / 5]);
        kdr_particles a = crowd(2000, 2, KDR_F64, false, true), b = crowd(2000, 2, KDR_F64, false, true);
        kdr_clock clock = {0, 1.0 / 16, 0}, other = clock;
        run_blocks(whole, &a, &clock, 12);
        run_blocks(cut, &b, &other, 5);
        run_blocks(cut, &b, &other, 0);
        run_blocks(cut, &b, &other, 7);
        cr_expect(same_bits(&a, &b) && a.memory_key == b.memory_key, "%s, executor %zu", kdr_method_get(methods[i % 5])->name, i / 5);
        kdr_system_destroy(whole);
        kdr_system_destroy(cut);
        kdr_particles_destroy(&a);
        kdr_particles_destroy(&b);
    }
}

/* Checks a function that fails in the second block of three or four, after `done` whole steps of it. */
static void expect_failure(kdr_method method, int fail_at, int calls_a_block, uint64_t done) {
    enum { COUNT = 700, STEPS = 6 };
    const size_t length = method == KDR_RK4 || method == KDR_RK4_38 ? 128 : 256;
    spring s = {.arithmetic = KDR_FUSED, .count = COUNT, .fail_at = calls_a_block + fail_at};
    spring fine = {.arithmetic = KDR_FUSED, .count = COUNT, .fail_at = -1};
    kdr_system *const system = couple(method, KDR_F64, &s, kdr_executor_serial());
    kdr_system *const other = couple(method, KDR_F64, &fine, kdr_executor_serial());
    kdr_particles p = crowd(COUNT, 3, KDR_F64, false, true), expected = crowd(COUNT, 3, KDR_F64, false, true);
    kdr_clock clock = {0, 1.0 / 16, 9};
    kdr_error error;
    char text[64];
    cr_expect(kdr_system_run_blocks(system, &p, &clock, STEPS, &error) == KDR_ERROR_OVERFLOW && one_line(&error, KDR_ERROR_OVERFLOW));
    snprintf(text, sizeof text, "particles %zu to %zu, after %d of 6 steps", length, 2 * length - 1, (int)done);
    cr_expect(strstr(error.message, text), "%s: %s", kdr_method_get(method)->name, error.message);
    cr_expect(clock.step == 9 && p.memory_key == 0);
    for (size_t block = 0; block < 2; ++block) {
        kdr_particles part = kdr_particles_slice(&expected, block * length, length);
        kdr_clock own = {0, 1.0 / 16, 9};
        run_blocks(other, &part, &own, block == 0 ? STEPS : done);
    }
    cr_expect(same_bits(&p, &expected), "%s, call %d", kdr_method_get(method)->name, fail_at);
    kdr_system_destroy(system);
    kdr_system_destroy(other);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&expected);
}

Test(blocks, failures) {
    for (int call = 0; call < 7; ++call) { /* velocity Verlet: one call at the start, one per step */
        expect_failure(KDR_VELOCITY_VERLET, call, 7, call == 0 ? 0 : (uint64_t)call - 1);
    }
    for (int call = 0; call < 6; ++call) {
        expect_failure(KDR_SEMI_IMPLICIT_EULER, call, 6, (uint64_t)call);
        expect_failure(KDR_POSITION_VERLET, call, 6, (uint64_t)call);
    }
    for (int call = 0; call < 24; call += 5) {
        expect_failure(KDR_RK4, call, 24, (uint64_t)call / 4);
        expect_failure(KDR_RK4_38, call, 24, (uint64_t)call / 4);
        expect_failure(KDR_PEFRL, call, 24, (uint64_t)call / 4);
    }
    for (int call = 0; call < 25; call += 3) { /* keeps its acceleration; four calls per step */
        expect_failure(KDR_VEFRL, call, 25, call == 0 ? 0 : (uint64_t)(call - 1) / 4);
    }
}

/* The compensation is restored with the step that failed: it equals that of a run of the steps before. */
Test(blocks, failures_of_compensated_runs) {
    const kdr_method methods[] = {KDR_PEFRL, KDR_BORIS, KDR_VEFRL, KDR_RK4};
    kdr_particles_desc arrays = kdr_particles_desc_default();
    arrays.count = 100, arrays.dims = 3, arrays.real = KDR_F32, arrays.memory = arrays.compensation = true;
    for (int n = 0; n < 4 * 12; ++n) {
        spring s = {.arithmetic = KDR_FUSED, .count = 100, .fail_at = 6 + n / 4};
        uint64_t seed = 5, done = 0;
        kdr_system_desc desc = describe_system(methods[n % 4], KDR_F32, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.accelerations = pull, desc.context = &s, desc.compensated = true;
        kdr_system *system;
        kdr_particles p, q;
        kdr_clock clock = {0, 1.0 / 16, 9}, other = clock;
        kdr_error error;
        cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
        cr_assert(kdr_particles_create(&arrays, &p, NULL) == KDR_OK && kdr_particles_create(&arrays, &q, NULL) == KDR_OK);
        fill_random(&p, &seed);
        copy_state(&q, &p);
        cr_assert(kdr_system_run_blocks(system, &p, &clock, 50, &error) == KDR_ERROR_OVERFLOW);
        const char *const after = strstr(error.message, "after ");
        cr_assert(after);
        done = strtoull(after + strlen("after "), NULL, 10);
        s.fail_at = -1;
        run_blocks(system, &q, &other, done);
        cr_expect(same_bits(&p, &q), "%s", kdr_method_get(methods[n % 4])->name);
        for (int i = 0; i < 6; ++i) {
            cr_expect(memcmp(p.compensation[i], q.compensation[i], 100 * sizeof(float)) == 0, "%s, call %d",
                      kdr_method_get(methods[n % 4])->name, 6 + n / 4);
        }
        kdr_system_destroy(system);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

Test(blocks, refused) {
    spring s = {.arithmetic = KDR_FUSED, .count = 9, .fail_at = -1};
    kdr_system *const system = couple(KDR_VELOCITY_VERLET, KDR_F64, &s, kdr_executor_serial());
    kdr_particles p = crowd(9, 3, KDR_F32, false, false), none = kdr_particles_default();
    kdr_clock clock = {0, 1, 0}, stopped = {0, 0, 0};
    kdr_error error;
    cr_expect(kdr_system_run_blocks(NULL, &p, &clock, 1, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_system_run_blocks(system, NULL, &clock, 1, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_system_run_blocks(system, &p, NULL, 1, NULL) == KDR_ERROR_NULL);
    cr_expect(kdr_system_run_blocks(system, &p, &clock, 1, &error) == KDR_ERROR_MISMATCH);
    cr_expect(kdr_system_run_blocks(system, &none, &stopped, 1, &error) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_system_run_blocks(system, &none, &clock, 3, &error) == KDR_OK && clock.step == 3 && s.calls == 0);
    kdr_system_destroy(system);
    kdr_particles_destroy(&p);
}

/* The quantities that runs count. */
typedef struct counts {
    uint32_t bounces[700];
    int32_t images[3][700];
    double dissipated_energy[2][700];
} counts;

static void count_into(kdr_particles *p, counts *c) {
    memset(c, 0, sizeof *c);
    p->bounces = c->bounces;
    for (int i = 0; i < 3; ++i) {
        p->images[i] = c->images[i];
    }
    p->dissipated_energy[0] = c->dissipated_energy[0], p->dissipated_energy[1] = c->dissipated_energy[1];
}

static uint64_t sum_of(const counts *c) {
    uint64_t sum = 0;
    for (int n = 0; n < 700; ++n) {
        sum += c->bounces[n] + (uint64_t)(c->images[0][n] != 0) + (c->dissipated_energy[1][n] > 0);
    }
    return sum;
}

typedef struct surroundings {
    kdr_collider colliders[2];
    kdr_constraint rope;
    kdr_boundary boundary;
} surroundings;

enum { WALLS = 1, PERIODIC = 2, ABSORBING = 4 };

static surroundings surround(void) {
    surroundings s = {.colliders = {kdr_collider_plane((double[]){-0.75, -1, 0}, (double[]){0.6, 0.8, 0}),
                                    kdr_collider_sphere((double[]){0, 0, 0}, 2.5, true)},
                      .rope = kdr_constraint_rope((double[]){0.25, 0, 0}, 2.25),
                      .boundary = {.min = {-1.5, -1.75, -2}, .max = {1.5, 1.25, 2}}};
    s.colliders[0].restitution = 0.75, s.colliders[0].friction = 0.125;
    return s;
}

#define DESCRIBE(desc, s, features)                                                                                                        \
    do {                                                                                                                                   \
        (desc)->boundary = (s)->boundary;                                                                                                  \
        (desc)->boundary.kind = (features) & PERIODIC    ? KDR_BOUNDARY_PERIODIC                                                           \
                                : (features) & ABSORBING ? KDR_BOUNDARY_ABSORBING                                                          \
                                                         : KDR_BOUNDARY_NONE;                                                              \
        (desc)->colliders = (s)->colliders, (desc)->collider_count = (features) & WALLS ? 2 : 0;                                           \
        (desc)->constraints = &(s)->rope, (desc)->constraint_count = (features) & WALLS ? 1 : 0;                                           \
    } while (false)

static uint64_t expect_ends_of_field_run(kdr_method method, int features, int kind) {
    static counts of_p, of_q;
    const kdr_real real = (kdr_real)(kind % 2);
    const bool any = kdr_method_get(method)->velocity_forces == KDR_VELOCITY_ANY;
    const kdr_force forces[] = {kdr_force_spring(0.75, 0.25, 0, 0), kdr_force_driven(0.5, 0.25, 0, 2, 0), kdr_force_drag(0.25, 0, 0, 0)};
    const surroundings s = surround();
    kdr_integrator_desc single = describe(method, real, (kdr_arithmetic)(kind / 2 % 2), forces, any ? 3 : 2);
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = method, desc.real = real, desc.arithmetic = single.arithmetic;
    desc.forces = forces, desc.force_count = single.force_count;
    DESCRIBE(&single, &s, features);
    DESCRIBE(&desc, &s, features);
    single.collider_count = desc.collider_count = 0;
    if (kdr_family_get(kdr_method_get(method)->family)->heat_bath) {
        single.langevin = desc.langevin = (kdr_langevin){0.5, 0.25, 3};
    }
    kdr_particles p = crowd(700, 1 + kind % 3, real, kind / 3 % 2, false), q = crowd(700, 1 + kind % 3, real, kind / 3 % 2, false);
    count_into(&p, &of_p);
    count_into(&q, &of_q);
    kdr_clock clock = {0.25, 0.125, 3}, other = clock;
    kdr_system *system = NULL;
    kdr_error error;
    cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
    advance(BY_REFERENCE, &single, &p, &clock, 9);
    run_blocks(system, &q, &other, 9);
    cr_expect(same_bits(&p, &q) && memcmp(&of_p, &of_q, sizeof of_p) == 0, "%s, features %d, kind %d", kdr_method_get(method)->name,
              features, kind);
    kdr_system_destroy(system);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&q);
    return sum_of(&of_q);
}

/* In blocks each particle is constrained, put back and absorbed by itself, also if its force depends on the velocity. Between two colliders
 * a field run repeats a part of the step, and a run in blocks does not. With a method that keeps its acceleration, a periodic boundary acts
 * before the evaluation in blocks, and after it in a field run. */
Test(blocks, ends_of_field_runs) {
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        const bool keeps = kdr_method_get((kdr_method)method)->start_evaluations > 0;
        for (int features = 1; has_field_bits((kdr_method)method) && features < PERIODIC + ABSORBING; ++features) {
            uint64_t counted = 0;
            for (int kind = 0; kind < 6 && !(keeps && (features & PERIODIC)); ++kind) {
                counted += expect_ends_of_field_run((kdr_method)method, features, kind);
            }
            cr_expect(counted > 100 || !(features & PERIODIC) || keeps, "%d", (int)counted);
        }
    }
}

/* Runs one particle in blocks, with drag and a plane. */
static void run_with_drag(kdr_method method, bool compensated, const kdr_boundary *boundary, double floor, kdr_particles *p) {
    const kdr_force drag = kdr_force_drag(0.5, 1, 0, 0);
    kdr_collider plane = kdr_collider_plane((double[]){0, floor, 0}, (double[]){0, 1, 0});
    plane.restitution = 0.75;
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = method, desc.real = p->real, desc.compensated = compensated;
    desc.forces = &drag, desc.force_count = 1;
    desc.boundary = *boundary;
    desc.colliders = &plane, desc.collider_count = 1;
    kdr_clock clock = {0, 0.025, 0};
    kdr_system *system = NULL;
    kdr_error error;
    cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
    for (int axis = 0; axis < 3; ++axis) {
        set(p->x[axis], p->real, 0, (const double[]){0.3, 0.1, -0.2}[axis]);
        set(p->v[axis], p->real, 0, (const double[]){5, -3, -2}[axis]);
    }
    run_blocks(system, p, &clock, 150);
    kdr_system_destroy(system);
}

static const kdr_method that_keep[] = {KDR_VELOCITY_VERLET, KDR_VELOCITY_VERLET_PC, KDR_VEFRL, KDR_BLANES_MOAN_6B};

/* A particle that only a periodic boundary moves has the acceleration of the velocity that the step saw: it moves as without a box. */
Test(blocks, a_period_changes_no_motion) {
    const kdr_boundary none = {.kind = KDR_BOUNDARY_NONE}, box = {.kind = KDR_BOUNDARY_PERIODIC, .min = {-1, -1, -1}, .max = {1, 1, 1}};
    for (int n = 0; n < 8; ++n) {
        kdr_particles free = crowd(1, 3, n / 4 ? KDR_F32 : KDR_F64, false, false), boxed = crowd(1, 3, free.real, false, false);
        run_with_drag(that_keep[n % 4], false, &none, -1000, &free);
        run_with_drag(that_keep[n % 4], false, &box, -1000, &boxed);
        cr_expect(get(free.x[0], free.real, 0) > 5, "the particle has left the box");
        for (int axis = 0; axis < 3; ++axis) {
            const double off = get(free.x[axis], free.real, 0) - get(boxed.x[axis], free.real, 0);
            const double apart =
                fmax(fabs(off - 2 * floor(0.5 * off + 0.5)), fabs(get(free.v[axis], free.real, 0) - get(boxed.v[axis], free.real, 0)));
            cr_expect(apart < (n / 4 ? 1e-5 : 1e-12), "%s, axis %d: %.1e", kdr_method_get(that_keep[n % 4])->name, axis, apart);
        }
        kdr_particles_destroy(&free);
        kdr_particles_destroy(&boxed);
    }
}

/* A periodic boundary that no particle reaches changes no bit after a bounce, compensated or not. */
Test(blocks, a_period_out_of_reach_changes_no_bit) {
    const kdr_boundary none = {.kind = KDR_BOUNDARY_NONE},
                       box = {.kind = KDR_BOUNDARY_PERIODIC, .min = {-100, -100, -100}, .max = {100, 100, 100}};
    for (int n = 0; n < 16; ++n) {
        kdr_particles free = crowd(1, 3, n / 4 % 2 ? KDR_F32 : KDR_F64, false, false), boxed = crowd(1, 3, free.real, false, false);
        run_with_drag(that_keep[n % 4], n / 8, &none, -0.5, &free);
        run_with_drag(that_keep[n % 4], n / 8, &box, -0.5, &boxed);
        cr_expect(get(free.v[1], free.real, 0) > 0 && same_bits(&free, &boxed), "%s, %scompensated", kdr_method_get(that_keep[n % 4])->name,
                  n / 8 ? "" : "not ");
        kdr_particles_destroy(&free);
        kdr_particles_destroy(&boxed);
    }
}

/* A step that fails has bounced no particle, put none back and counted nothing. */
Test(blocks, failures_among_walls) {
    static counts of_p, of_q;
    const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_VEFRL, KDR_PEFRL, KDR_RK4};
    for (int n = 0; n < 4 * 5 * 12; ++n) {
        const int features = 1 + n / 4 % 5;
        const surroundings s = surround();
        spring fails = {.arithmetic = KDR_FUSED, .count = 100, .fail_at = 1 + n / 20};
        kdr_system_desc desc = kdr_system_desc_default();
        desc.method = methods[n % 4], desc.accelerations = pull, desc.context = &fails;
        DESCRIBE(&desc, &s, features);
        kdr_particles p = crowd(100, 2, KDR_F64, n % 3 == 0, true), q = crowd(100, 2, KDR_F64, n % 3 == 0, true);
        count_into(&p, &of_p);
        count_into(&q, &of_q);
        kdr_clock clock = {0, 0.125, 0};
        kdr_system *system = NULL;
        kdr_error error;
        int done = -1;
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
        cr_expect(kdr_system_run_blocks(system, &p, &clock, 50, &error) == KDR_ERROR_OVERFLOW, "%s", error.message);
        cr_assert(strstr(error.message, "after ") && sscanf(strstr(error.message, "after "), "after %d of", &done) == 1);
        fails.fail_at = -1;
        run_blocks(system, &q, &clock, (uint64_t)done);
        cr_expect(same_bits(&p, &q) && memcmp(&of_p, &of_q, sizeof of_p) == 0, "%s, features %d, %d steps",
                  kdr_method_get(desc.method)->name, features, done);
        kdr_system_destroy(system);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}
