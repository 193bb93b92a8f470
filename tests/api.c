/* Misuse of every entry point: it must give the right status and one line that says what was wrong, and leave outputs unchanged. */
#include "support.h"

static const double not_finite[] = {NAN, INFINITY, -INFINITY};
enum { NOT_FINITE = 3 };

Test(api, names_and_tables) {
    for (int status = KDR_OK; status <= KDR_ERROR_OVERLAP; ++status) {
        for (int other = KDR_OK; other < status; ++other) {
            cr_expect(strcmp(kdr_status_string((kdr_status)status), kdr_status_string((kdr_status)other)) != 0);
        }
    }
    cr_expect(kdr_status_string((kdr_status)-1)[0] && kdr_status_string((kdr_status)99)[0]);
    cr_expect_str_eq(kdr_version(), KDR_VERSION_STRING);
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", KDR_VERSION_MAJOR, KDR_VERSION_MINOR, KDR_VERSION_PATCH);
    cr_expect_str_eq(kdr_version(), version);
    for (int i = 0; i < KDR_METHOD_COUNT; ++i) {
        const kdr_method_info *info = kdr_method_get((kdr_method)i);
        kdr_method method = (kdr_method)99;
        cr_assert(info && info->name[0] && info->force_sees[0] && info->source[0]);
        cr_expect(kdr_method_from_name(info->name, &method) == KDR_OK && (int)method == i);
        cr_expect(kdr_family_get(info->family)->name[0] != '\0');
    }
    for (int i = 0; i < KDR_FORCE_KIND_COUNT; ++i) {
        kdr_force_kind kind = (kdr_force_kind)99;
        cr_expect(kdr_force_kind_from_name(kdr_force_kind_name((kdr_force_kind)i), &kind) == KDR_OK && (int)kind == i);
    }
    for (int i = 0; i < KDR_ARITHMETIC_COUNT; ++i) {
        kdr_arithmetic arithmetic = (kdr_arithmetic)99;
        cr_expect(kdr_arithmetic_from_name(kdr_arithmetic_name((kdr_arithmetic)i), &arithmetic) == KDR_OK && (int)arithmetic == i);
    }
    for (int i = KDR_BACKEND_FIRST; i <= KDR_BACKEND_LAST; ++i) {
        kdr_backend_info info;
        kdr_backend backend = (kdr_backend)99;
        cr_expect(kdr_backend_query((kdr_backend)i, &info) == KDR_OK);
        cr_expect(kdr_backend_from_name(info.name, &backend) == KDR_OK && (int)backend == i);
        cr_expect(info.lanes_f32 >= info.lanes_f64 && info.lanes_f64 >= 1);
        cr_expect(info.runnable ? info.compiled && !info.reason[0] : info.reason[0] != '\0', "%s", info.name);
    }
    kdr_backend backend = (kdr_backend)99;
    cr_expect(kdr_backend_from_name("auto", &backend) == KDR_OK && backend == KDR_BACKEND_AUTO);
}

Test(api, unknown_enumerators) {
    static const int unknown[] = {-1, 99, 1 << 20};
    for (int i = 0; i < 3; ++i) {
        cr_expect(!kdr_method_get((kdr_method)unknown[i]));
        cr_expect(!kdr_family_get((kdr_family)unknown[i]));
        cr_expect_str_eq(kdr_force_kind_name((kdr_force_kind)unknown[i]), "?");
        cr_expect_str_eq(kdr_arithmetic_name((kdr_arithmetic)unknown[i]), "?");
        kdr_backend_info info, before;
        memset(&info, 0xa5, sizeof info);
        memcpy(&before, &info, sizeof info);
        cr_expect(kdr_backend_query((kdr_backend)unknown[i], &info) == KDR_ERROR_ARGUMENT);
        cr_expect(memcmp(&info, &before, sizeof info) == 0);
        kdr_backend chosen = (kdr_backend)77;
        kdr_error error = {KDR_OK, ""};
        cr_expect(kdr_backend_choose((kdr_backend)unknown[i], &chosen, &error) == KDR_ERROR_ARGUMENT);
        cr_expect((int)chosen == 77 && one_line(&error, KDR_ERROR_ARGUMENT));
    }
}

/* Checks a function that turns a name into an enumerator. */
#define EXPECT_NAMES(function, type)                                                                                                       \
    do {                                                                                                                                   \
        type value = (type)77;                                                                                                             \
        cr_expect(function("no-such-name", &value) == KDR_ERROR_UNKNOWN_NAME && (int)value == 77);                                         \
        cr_expect(function("", &value) == KDR_ERROR_UNKNOWN_NAME && (int)value == 77);                                                     \
        cr_expect(function("?", &value) == KDR_ERROR_UNKNOWN_NAME && (int)value == 77);                                                    \
        cr_expect(function(NULL, &value) == KDR_ERROR_NULL && (int)value == 77);                                                           \
        cr_expect(function("no-such-name", NULL) == KDR_ERROR_NULL);                                                                       \
    } while (0)

Test(api, unknown_names) {
    EXPECT_NAMES(kdr_method_from_name, kdr_method);
    EXPECT_NAMES(kdr_force_kind_from_name, kdr_force_kind);
    EXPECT_NAMES(kdr_arithmetic_from_name, kdr_arithmetic);
    EXPECT_NAMES(kdr_real_from_name, kdr_real);
    EXPECT_NAMES(kdr_backend_from_name, kdr_backend);
}

Test(api, backends) {
    cr_expect(kdr_backend_query(KDR_BACKEND_SCALAR, NULL) == KDR_ERROR_NULL);
    kdr_error error = {KDR_OK, ""};
    cr_expect(kdr_backend_choose(KDR_BACKEND_SCALAR, NULL, &error) == KDR_ERROR_NULL && one_line(&error, KDR_ERROR_NULL));
    kdr_cpu cpu;
    kdr_cpu_query(&cpu);
    cr_expect(cpu.name[0] && memchr(cpu.name, 0, sizeof cpu.name));
    int refused = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        kdr_backend chosen = (kdr_backend)77;
        const kdr_status status = kdr_backend_choose((kdr_backend)b, &chosen, &error);
        cr_expect(info.runnable ? status == KDR_OK && (int)chosen == b
                                : status == KDR_ERROR_UNAVAILABLE && (int)chosen == 77 && one_line(&error, status));
        if (!info.runnable) {
            ++refused;
            kdr_integrator_desc desc = kdr_integrator_desc_default();
            desc.backend = (kdr_backend)b;
            kdr_integrator *integrator = (kdr_integrator *)&desc;
            cr_expect(kdr_integrator_create(&desc, &integrator, &error) == KDR_ERROR_UNAVAILABLE);
            cr_expect(integrator == (kdr_integrator *)&desc && one_line(&error, KDR_ERROR_UNAVAILABLE));
        }
    }
    cr_expect(refused >= 1, "no processor runs both x86 and AArch64 kernels");
}

/* Each test is its own process, so KDR_BACKEND can be set here. */
Test(api, backend_by_environment) {
    kdr_backend chosen = (kdr_backend)77, best;
    kdr_error error = {KDR_OK, ""};
    cr_assert(setenv("KDR_BACKEND", "", 1) == 0);
    cr_expect(kdr_backend_choose(KDR_BACKEND_AUTO, &best, &error) == KDR_OK);
    cr_assert(setenv("KDR_BACKEND", "scalar", 1) == 0);
    cr_expect(kdr_backend_choose(KDR_BACKEND_AUTO, &chosen, &error) == KDR_OK && chosen == KDR_BACKEND_SCALAR);
    cr_expect(kdr_backend_choose(best, &chosen, &error) == KDR_OK && chosen == best, "what is asked for by name wins");
    static const char *const unknown[] = {"Scalar", "avx", "scalar ", "\n", "no\nsuch"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
        cr_assert(setenv("KDR_BACKEND", unknown[i], 1) == 0);
        chosen = (kdr_backend)77;
        cr_expect(kdr_backend_choose(KDR_BACKEND_AUTO, &chosen, &error) == KDR_ERROR_UNKNOWN_NAME && (int)chosen == 77);
        cr_expect(one_line(&error, KDR_ERROR_UNKNOWN_NAME));
    }
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        cr_assert(setenv("KDR_BACKEND", info.name, 1) == 0);
        const kdr_status status = kdr_backend_choose(KDR_BACKEND_AUTO, &chosen, &error);
        cr_expect(info.runnable ? status == KDR_OK && (int)chosen == b : status == KDR_ERROR_UNAVAILABLE, "%s", info.name);
    }
}

Test(api, descriptions) {
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    cr_expect(desc.method == KDR_VELOCITY_VERLET && desc.real == KDR_F64 && desc.arithmetic == KDR_FUSED);
    cr_expect(desc.backend == KDR_BACKEND_AUTO && !desc.executor.parallel_for && !desc.forces && !desc.force_count);
    expect_desc_refused(NULL, KDR_ERROR_NULL, "NULL");
    kdr_error error = {KDR_OK, ""};
    cr_expect(kdr_integrator_create(&desc, NULL, &error) == KDR_ERROR_NULL && one_line(&error, KDR_ERROR_NULL));
    static const int unknown[] = {-1, 99};
    for (int i = 0; i < 2; ++i) {
        desc = kdr_integrator_desc_default();
        desc.method = (kdr_method)unknown[i];
        expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "method");
        desc = kdr_integrator_desc_default();
        desc.real = (kdr_real)unknown[i];
        expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "real");
        desc = kdr_integrator_desc_default();
        desc.arithmetic = (kdr_arithmetic)unknown[i];
        expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "arithmetic");
        desc = kdr_integrator_desc_default();
        desc.backend = (kdr_backend)unknown[i];
        expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "backend");
    }
    desc = kdr_integrator_desc_default();
    desc.force_count = 1;
    expect_desc_refused(&desc, KDR_ERROR_NULL, "forces NULL");
    kdr_integrator_destroy(NULL);
}

static void expect_force_refused(const kdr_force *forces, size_t count, kdr_status status, const char *what) {
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        const kdr_integrator_desc desc = describe(KDR_RK4, (kdr_real)real, KDR_FUSED, forces, count);
        expect_desc_refused(&desc, status, what);
    }
}

/* All members of type double in all kinds of forces, in the order of <kickdrift/force.h>. */
static const struct {
    kdr_force_kind kind;
    size_t begin, count; /* offset in kdr_force, and number of doubles */
} parameters[] = {
    {KDR_UNIFORM_ACCELERATION, offsetof(kdr_force, as.uniform_acceleration.a), 3},
    {KDR_UNIFORM_FORCE, offsetof(kdr_force, as.uniform_force.f), 3},
    {KDR_SPRING, offsetof(kdr_force, as.spring.k), 3},
    {KDR_SPRING, offsetof(kdr_force, as.spring.at), 3},
    {KDR_DRAG, offsetof(kdr_force, as.drag.b), 3},
    {KDR_DRAG, offsetof(kdr_force, as.drag.wind), 3},
    {KDR_QUADRATIC_DRAG, offsetof(kdr_force, as.quadratic_drag.c), 1},
    {KDR_QUADRATIC_DRAG, offsetof(kdr_force, as.quadratic_drag.wind), 3},
    {KDR_ELECTROMAGNETIC, offsetof(kdr_force, as.electromagnetic.charge), 1},
    {KDR_ELECTROMAGNETIC, offsetof(kdr_force, as.electromagnetic.e), 3},
    {KDR_ELECTROMAGNETIC, offsetof(kdr_force, as.electromagnetic.b), 3},
    {KDR_CENTRE, offsetof(kdr_force, as.centre.mu), 1},
    {KDR_CENTRE, offsetof(kdr_force, as.centre.at), 3},
    {KDR_CENTRE, offsetof(kdr_force, as.centre.softening), 1},
    {KDR_DRIVEN, offsetof(kdr_force, as.driven.a), 3},
    {KDR_DRIVEN, offsetof(kdr_force, as.driven.omega), 1},
    {KDR_DRIVEN, offsetof(kdr_force, as.driven.phase), 1},
};

Test(api, parameters_that_are_not_finite) {
    kdr_force list[2] = {kdr_force_spring(1, 0, 0, 0), kdr_force_spring(1, 0, 0, 0)};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; ++i) {
        for (size_t j = 0; j < parameters[i].count * NOT_FINITE; ++j) {
            memset(&list[1], 0, sizeof list[1]);
            list[1].kind = parameters[i].kind;
            memcpy((char *)&list[1] + parameters[i].begin + j / NOT_FINITE * sizeof(double), &not_finite[j % NOT_FINITE], sizeof(double));
            expect_force_refused(list, 2, KDR_ERROR_NOT_FINITE, kdr_force_kind_name(parameters[i].kind));
        }
    }
}

Test(api, forces_out_of_range) {
    kdr_force force = kdr_force_centre(1, 0, 0, 0, -0.5);
    expect_force_refused(&force, 1, KDR_ERROR_ARGUMENT, "softening below 0");
    memset(&force, 0, sizeof force);
    force.kind = (kdr_force_kind)KDR_FORCE_KIND_ALL;
    expect_force_refused(&force, 1, KDR_ERROR_ARGUMENT, "kind");
    force.kind = (kdr_force_kind)-1;
    expect_force_refused(&force, 1, KDR_ERROR_ARGUMENT, "kind");
    /* The affine terms of these two entries add up to a number that is finite in double but not in the particles' precision. */
    const kdr_force large[] = {kdr_force_uniform_acceleration(3e38, 0, 0), kdr_force_uniform_acceleration(3e38, 0, 0)};
    kdr_integrator_desc desc = describe(KDR_RK4, KDR_F32, KDR_FUSED, large, 2);
    kdr_integrator *integrator = NULL;
    const kdr_status status = kdr_integrator_create(&desc, &integrator, NULL);
    cr_expect(status == KDR_ERROR_NOT_FINITE && !integrator, "%s", kdr_status_string(status));
    desc.real = KDR_F64;
    cr_expect(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_integrator_destroy(integrator);
}

Test(api, too_many_forces) {
    static const double each[4] = {0};
    kdr_force spring = kdr_force_spring(1, 0, 0, 0), drag = kdr_force_drag(1, 0, 0, 0);
    spring.as.spring.k_each = each;
    drag.as.drag.b_each = each;
    spring.as.spring.count = drag.as.drag.count = 4;
    const struct {
        kdr_force force;
        size_t most;
    } limits[] = {
        {spring, KDR_MAX_EACH},
        {drag, KDR_MAX_EACH},
        {kdr_force_quadratic_drag(1, 0, 0, 0), KDR_MAX_QUADRATIC},
        {kdr_force_centre(1, 0, 0, 0, 1), KDR_MAX_CENTRES},
        {kdr_force_driven(1, 0, 0, 1, 0), KDR_MAX_DRIVEN},
        {kdr_force_spring(1, 0, 0, 0), 1000}, /* springs are folded, so there is no limit */
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        const size_t n = limits[i].most;
        kdr_force *list = malloc((n + 1) * sizeof *list);
        cr_assert(list);
        for (size_t j = 0; j <= n; ++j) {
            list[j] = limits[i].force;
        }
        const kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, list, n);
        kdr_integrator *integrator = NULL;
        kdr_error error;
        cr_expect(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
        kdr_integrator_destroy(integrator);
        if (n < 1000) {
            expect_force_refused(list, n + 1, KDR_ERROR_ARGUMENT, kdr_force_kind_name(limits[i].force.kind));
        }
        free(list);
    }
}

/* Two particles whose every byte is watched, for a run, plain or compensated, that the integrator and the reference must refuse. */
typedef struct rig {
    double x[3][2], v[3][2], compensation[6][2];
    kdr_particles p;
    kdr_clock clock;
} rig;

static void set_up(rig *r) {
    memset(r, 0, sizeof *r);
    r->p = kdr_particles_default();
    r->p.count = 2;
    for (int axis = 0; axis < 3; ++axis) {
        r->p.x[axis] = r->x[axis];
        r->p.v[axis] = r->v[axis];
        r->x[axis][0] = r->v[axis][1] = 1;
    }
    r->clock = (kdr_clock){0, 0.5, 3};
}

static void lend_compensations(rig *r) {
    for (int i = 0; i < 6; ++i) {
        r->p.compensation[i] = r->compensation[i];
    }
}

static void expect_desc_refuses_run(const kdr_integrator_desc *given, rig *r, kdr_particles *p, kdr_clock *clock, uint64_t steps,
                                    kdr_status status, const char *what) {
    const kdr_integrator_desc desc = *given;
    const rig before = *r;
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_error error = {KDR_OK, ""};
    cr_expect(kdr_integrator_run(integrator, p, clock, steps, &error) == status, "%s: %s", what, error.message);
    cr_expect(one_line(&error, status), "%s: '%s'", what, error.message);
    cr_expect(kdr_integrator_run(integrator, p, clock, steps, NULL) == status, "%s", what);
    error = (kdr_error){KDR_OK, ""};
    cr_expect(kdr_reference_run(&desc, p, clock, steps, &error) == status && one_line(&error, status), "%s", what);
    cr_expect(kdr_reference_run(&desc, p, clock, steps, NULL) == status, "%s", what);
    cr_expect(memcmp(r, &before, sizeof before) == 0, "%s: something was written", what);
    if (steps == 0) {
        kdr_observables o, old;
        memset(&o, 0xa5, sizeof o);
        memcpy(&old, &o, sizeof o);
        error = (kdr_error){KDR_OK, ""};
        cr_expect(kdr_observe(integrator, p, clock, &o, &error) == status && one_line(&error, status), "%s", what);
        cr_expect(kdr_observe(integrator, p, clock, &o, NULL) == status && memcmp(&o, &old, sizeof o) == 0, "%s", what);
    }
    kdr_integrator_destroy(integrator);
}

static void expect_run_refused(const kdr_force *forces, size_t count, rig *r, kdr_particles *p, kdr_clock *clock, uint64_t steps,
                               kdr_status status, const char *what) {
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, forces, count);
    expect_desc_refuses_run(&desc, r, p, clock, steps, status, what);
    desc.compensated = true;
    expect_desc_refuses_run(&desc, r, p, clock, steps, status, what);
}

Test(api, runs_with_bad_particles) {
    rig r;
    for (uint64_t steps = 0; steps < 2; ++steps) {
        set_up(&r);
        expect_run_refused(NULL, 0, &r, NULL, &r.clock, steps, KDR_ERROR_NULL, "particles NULL");
        expect_run_refused(NULL, 0, &r, &r.p, NULL, steps, KDR_ERROR_NULL, "clock NULL");
        r.p.real = KDR_F32;
        expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_MISMATCH, "real");
        r.p.real = (kdr_real)5;
        expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_ARGUMENT, "real");
        for (int dims = -1; dims <= 4; dims += dims == 0 ? 4 : 1) {
            set_up(&r);
            r.p.dims = dims;
            expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_ARGUMENT, "dims");
        }
        set_up(&r);
        r.p.v[2] = NULL;
        expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_NULL, "v[2] NULL");
        r.p.v[2] = r.x[0];
        expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_OVERLAP, "v[2] is x[0]");
        set_up(&r);
        r.p.memory[1] = r.v[1];
        expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_NULL, "memory of one axis");
        set_up(&r);
        r.p.count = SIZE_MAX / 4;
        expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_OVERFLOW, "count");
    }
}

Test(api, runs_with_bad_compensations) {
    rig r;
    for (uint64_t steps = 0; steps < 2; ++steps) {
        for (int i = 0; i < 6; ++i) {
            set_up(&r);
            r.p.compensation[i] = r.compensation[i];
            expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_NULL, "one of six");
            lend_compensations(&r);
            r.p.compensation[i] = NULL;
            expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_NULL, "five of six");
            lend_compensations(&r);
            r.p.compensation[i] = r.compensation[(i + 1) % 6];
            expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_OVERLAP, "the next one");
            r.p.compensation[i] = i < 3 ? r.v[i] : r.x[i - 3];
            expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_OVERLAP, "the state's own");
            r.p.compensation[i] = (char *)r.compensation[i] + (i < 5 ? 1 : -1);
            expect_run_refused(NULL, 0, &r, &r.p, &r.clock, steps, KDR_ERROR_OVERLAP, "a byte in common");
        }
    }
}

Test(api, runs_with_a_bad_clock) {
    rig r;
    for (int i = 0; i < NOT_FINITE; ++i) {
        set_up(&r);
        r.clock.dt = not_finite[i];
        expect_run_refused(NULL, 0, &r, &r.p, &r.clock, 0, KDR_ERROR_NOT_FINITE, "dt");
        set_up(&r);
        r.clock.t0 = not_finite[i];
        expect_run_refused(NULL, 0, &r, &r.p, &r.clock, 0, KDR_ERROR_NOT_FINITE, "t0");
    }
    static const double zeros[] = {0.0, -0.0};
    for (int i = 0; i < 2; ++i) {
        set_up(&r);
        r.clock.dt = zeros[i];
        expect_run_refused(NULL, 0, &r, &r.p, &r.clock, 0, KDR_ERROR_ARGUMENT, "dt of 0");
    }
    static const struct {
        uint64_t step, steps;
    } far[] = {{(UINT64_C(1) << 53) + 1, 0},
               {UINT64_C(1) << 53, 1},
               {3, UINT64_C(1) << 53},
               {3, UINT64_MAX},
               {UINT64_MAX, 1},
               {3, UINT64_MAX - 2},
               {UINT64_MAX, UINT64_MAX},
               {UINT64_C(1) << 63, UINT64_C(1) << 63}};
    for (size_t i = 0; i < sizeof far / sizeof *far; ++i) {
        set_up(&r);
        r.clock.step = far[i].step;
        expect_run_refused(NULL, 0, &r, &r.p, &r.clock, far[i].steps, KDR_ERROR_OVERFLOW, "steps");
    }
}

Test(api, runs_with_arrays_of_another_length) {
    static const double each[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (size_t length = 0; length < 4; ++length) {
        kdr_force lists[3] = {kdr_force_spring(1, 0, 0, 0), kdr_force_spring(1, 0, 0, 0), kdr_force_drag(1, 0, 0, 0)};
        lists[0].as.spring.k_each = each;
        lists[0].as.spring.count = length;
        lists[1].as.spring.at_each[0] = lists[1].as.spring.at_each[1] = lists[1].as.spring.at_each[2] = each;
        lists[1].as.spring.count = length;
        lists[2].as.drag.b_each = each;
        lists[2].as.drag.count = length;
        for (int i = 0; i < 3; ++i) {
            rig r;
            set_up(&r);
            if (length != 2) {
                expect_run_refused(&lists[i], 1, &r, &r.p, &r.clock, 0, KDR_ERROR_MISMATCH, "arrays per particle");
                expect_run_refused(&lists[i], 1, &r, &r.p, &r.clock, 1, KDR_ERROR_MISMATCH, "arrays per particle");
            } else {
                const kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, &lists[i], 1);
                advance(BY_INTEGRATOR, &desc, &r.p, &r.clock, 1);
                cr_expect(r.clock.step == 4);
            }
        }
    }
}

/* A vector that is NULL counts as 0, 0, 0 in every function. */
Test(api, vectors_that_are_not_there) {
    static const double none[3] = {0, 0, 0}, some[3] = {1, 2, 3};
    const kdr_collider colliders[][2] = {{kdr_collider_plane(NULL, some), kdr_collider_plane(none, some)},
                                         {kdr_collider_plane(some, NULL), kdr_collider_plane(some, none)},
                                         {kdr_collider_sphere(NULL, 2, true), kdr_collider_sphere(none, 2, true)},
                                         {kdr_collider_box(NULL, some, true), kdr_collider_box(none, some, true)},
                                         {kdr_collider_box(some, NULL, false), kdr_collider_box(some, none, false)}};
    const kdr_constraint constraints[][2] = {{kdr_constraint_rod(NULL, 1), kdr_constraint_rod(none, 1)},
                                             {kdr_constraint_rope(NULL, 1), kdr_constraint_rope(none, 1)},
                                             {kdr_constraint_plane(NULL, some), kdr_constraint_plane(none, some)},
                                             {kdr_constraint_plane(some, NULL), kdr_constraint_plane(some, none)},
                                             {kdr_constraint_sphere(NULL, 1), kdr_constraint_sphere(none, 1)}};
    for (int i = 0; i < 5; ++i) {
        cr_expect(memcmp(&colliders[i][0], &colliders[i][1], sizeof(kdr_collider)) == 0, "collider %d", i);
        cr_expect(memcmp(&constraints[i][0], &constraints[i][1], sizeof(kdr_constraint)) == 0, "constraint %d", i);
    }
    const kdr_force electric = kdr_force_electromagnetic(2, some, NULL), magnetic = kdr_force_electromagnetic(2, NULL, some);
    cr_expect(memcmp(electric.as.electromagnetic.e, some, sizeof some) == 0 &&
              memcmp(electric.as.electromagnetic.b, none, sizeof none) == 0);
    cr_expect(memcmp(magnetic.as.electromagnetic.b, some, sizeof some) == 0 &&
              memcmp(magnetic.as.electromagnetic.e, none, sizeof none) == 0);
    cr_expect(kdr_clock_time(NULL, 5, 0.5) == 0);
    /* A plane without a normal is accepted by its function, and refused in a description. */
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.colliders = &colliders[1][0], desc.collider_count = 1;
    expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "normal");
}

Test(api, integrators_that_are_not_there) {
    rig r;
    set_up(&r);
    const rig before = r;
    kdr_error error = {KDR_OK, ""};
    cr_expect(kdr_integrator_run(NULL, &r.p, &r.clock, 1, &error) == KDR_ERROR_NULL && one_line(&error, KDR_ERROR_NULL));
    cr_expect(kdr_integrator_run(NULL, &r.p, &r.clock, 1, NULL) == KDR_ERROR_NULL);
    kdr_observables o;
    error = (kdr_error){KDR_OK, ""};
    cr_expect(kdr_observe(NULL, &r.p, &r.clock, &o, &error) == KDR_ERROR_NULL && one_line(&error, KDR_ERROR_NULL));
    const kdr_integrator_desc desc = kdr_integrator_desc_default();
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    error = (kdr_error){KDR_OK, ""};
    cr_expect(kdr_observe(integrator, &r.p, &r.clock, NULL, &error) == KDR_ERROR_NULL && one_line(&error, KDR_ERROR_NULL));
    kdr_integrator_destroy(integrator);
    cr_expect(memcmp(&r, &before, sizeof r) == 0);
}

Test(api, nothing_to_do) {
    rig r;
    set_up(&r);
    const rig before = r;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        for (int runner = 0; runner < RUNNERS; ++runner) {
            const kdr_integrator_desc desc = describe((kdr_method)m, KDR_F64, KDR_FUSED, NULL, 0);
            advance(runner, &desc, &r.p, &r.clock, 0);
            cr_expect(memcmp(&r, &before, sizeof r) == 0, "0 steps");
            kdr_particles none = kdr_particles_default();
            kdr_clock clock = {0, 1, 0};
            advance(runner, &desc, &none, &clock, 10);
            cr_expect(clock.step == 10, "0 particles");
        }
    }
    /* This is the last step that a clock can count. */
    const kdr_integrator_desc desc = kdr_integrator_desc_default();
    r.clock.step = (UINT64_C(1) << 53) - 1;
    advance(BY_INTEGRATOR, &desc, &r.p, &r.clock, 1);
    cr_expect(r.clock.step == UINT64_C(1) << 53 && r.x[0][1] == 0.5);
}

Test(api, observers_of_bad_views) {
    double x[2] = {1, 2}, v[2] = {3, 4};
    kdr_particles good = kdr_particles_default();
    good.count = 2;
    good.dims = 1;
    good.x[0] = x;
    good.v[0] = v;
    kdr_particles views[5] = {good, good, good, good, good};
    views[0].dims = 4;
    views[1].real = (kdr_real)2;
    views[2].v[0] = NULL;
    views[3].v[0] = &x[1];
    views[4].count = SIZE_MAX / 2;
    static const kdr_status expected[6] = {KDR_ERROR_ARGUMENT, KDR_ERROR_ARGUMENT, KDR_ERROR_NULL,
                                           KDR_ERROR_OVERLAP,  KDR_ERROR_OVERFLOW, KDR_ERROR_NULL};
    kdr_difference d, before;
    memset(&d, 0xa5, sizeof d);
    memcpy(&before, &d, sizeof d);
    for (int i = 0; i < 6; ++i) {
        const kdr_particles *view = i < 5 ? &views[i] : NULL;
        uint64_t fingerprint = 77;
        size_t index = 77;
        kdr_error errors[4];
        memset(errors, 0, sizeof errors);
        cr_expect(kdr_fingerprint(view, &fingerprint, &errors[0]) == expected[i] && fingerprint == 77);
        cr_expect(kdr_first_non_finite(view, &index, &errors[1]) == expected[i] && index == 77);
        cr_expect(kdr_compare(view, &good, &d, &errors[2]) == expected[i]);
        cr_expect(kdr_compare(&good, view, &d, &errors[3]) == expected[i]);
        for (int e = 0; e < 4; ++e) {
            cr_expect(one_line(&errors[e], expected[i]), "view %d, call %d", i, e);
        }
    }
    kdr_particles other = good;
    other.count = 1;
    cr_expect(kdr_compare(&good, &other, &d, NULL) == KDR_ERROR_MISMATCH);
    other = good;
    other.real = KDR_F32;
    cr_expect(kdr_compare(&good, &other, &d, NULL) == KDR_ERROR_MISMATCH);
    double y[2] = {0}, w[2] = {0};
    other = good;
    other.dims = 2;
    other.x[1] = y;
    other.v[1] = w;
    cr_expect(kdr_compare(&good, &other, &d, NULL) == KDR_ERROR_MISMATCH);
    cr_expect(memcmp(&d, &before, sizeof d) == 0);
    cr_expect(kdr_compare(&good, &good, NULL, NULL) == KDR_ERROR_NULL);
    cr_expect(kdr_fingerprint(&good, NULL, NULL) == KDR_ERROR_NULL);
    cr_expect(kdr_first_non_finite(&good, NULL, NULL) == KDR_ERROR_NULL);
}

static void count_calls(void *argument, size_t begin, size_t end) {
    unsigned char *seen = argument;
    for (size_t i = begin; i < end; ++i) {
        ++seen[i]; /* ranges are disjoint, so no two threads write the same element */
    }
}

Test(api, executors) {
    kdr_executor executor = {NULL, NULL};
    cr_expect(kdr_executor_openmp(0, NULL) == KDR_ERROR_NULL);
    cr_expect(kdr_executor_openmp(-1, &executor) == KDR_ERROR_ARGUMENT && !executor.parallel_for);
    cr_expect(!kdr_executor_serial().parallel_for);
    for (int threads = 0; threads <= 5; ++threads) {
        if (kdr_executor_openmp(threads, &executor) == KDR_ERROR_UNAVAILABLE) {
            cr_expect(!executor.parallel_for);
            fprintf(stderr, "skipped: built without OpenMP\n");
            return;
        }
        for (size_t count = 0; count < 50; ++count) {
            unsigned char seen[51] = {0};
            executor.parallel_for(executor.context, count, count_calls, seen);
            for (size_t i = 0; i < sizeof seen; ++i) {
                cr_assert(seen[i] == (i < count), "%d threads, count %zu, index %zu: %d times", threads, count, i, seen[i]);
            }
        }
    }
}

Test(api, messages_are_cut_to_what_fits) {
    char name[2000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    cr_assert(setenv("KDR_BACKEND", name, 1) == 0);
    kdr_backend chosen;
    struct {
        kdr_error error;
        char after[16];
    } guarded;
    memset(&guarded, 0x5a, sizeof guarded);
    cr_expect(kdr_backend_choose(KDR_BACKEND_AUTO, &chosen, &guarded.error) == KDR_ERROR_UNKNOWN_NAME);
    cr_expect(one_line(&guarded.error, KDR_ERROR_UNKNOWN_NAME));
    for (size_t i = 0; i < sizeof guarded.after; ++i) {
        cr_expect(guarded.after[i] == 0x5a);
    }
}

/* The rows of a binding are compared with the library's. The first difference is named, within the size of the message. */
Test(api, rows_of_a_binding) {
    size_t count = 0;
    const kdr_abi_row *const own = kdr_abi(&count);
    char message[200] = "";
    cr_assert(count > 100 && kdr_abi(NULL) == own);
    cr_expect(kdr_abi_check(KDR_VERSION_STRING, own, count, message, sizeof message) == KDR_OK, "%s", message);
    const struct {
        kdr_abi_row row;
        kdr_status status;
        const char *says;
    } wrong[] = {
        {{own[1].structure, own[1].member, own[1].offset + 1, own[1].size}, KDR_ERROR_MISMATCH, "in the caller's"},
        {{own[1].structure, own[1].member, own[1].offset, own[1].size + 1}, KDR_ERROR_MISMATCH, own[1].member},
        {{"kdr_particles", "no_such_member", 0, 8}, KDR_ERROR_MISMATCH, "has no kdr_particles.no_such_member"},
        {{"kdr_particles", NULL, 0, 8}, KDR_ERROR_NULL, "row 1 has no name"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const kdr_abi_row rows[] = {own[0], wrong[i].row};
        cr_expect(kdr_abi_check(KDR_VERSION_STRING, rows, 2, message, sizeof message) == wrong[i].status && strstr(message, wrong[i].says),
                  "%s", message);
        cr_expect(kdr_abi_check(KDR_VERSION_STRING, rows, 1, NULL, 0) == KDR_OK &&
                  kdr_abi_check(KDR_VERSION_STRING, rows, 2, NULL, 0) == wrong[i].status);
    }
    const char *const versions[] = {"", "99.1.0", KDR_VERSION_STRING "x", KDR_VERSION_STRING ".0"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; ++i) {
        memset(message, 0x5a, sizeof message);
        cr_expect(kdr_abi_check(versions[i], own, count, message, 12) == KDR_ERROR_MISMATCH, "version '%s'", versions[i]);
        cr_expect(strcmp(message, "the caller ") == 0 && message[12] == 0x5a);
    }
    cr_expect(kdr_abi_check(NULL, own, count, message, sizeof message) == KDR_ERROR_NULL);
    cr_expect(kdr_abi_check(KDR_VERSION_STRING, NULL, 1, message, sizeof message) == KDR_ERROR_NULL);
}
