/* Runs, the reference and observables have the bits of rounding to nearest in any rounding mode: of the caller, of its threads, and after
 * user-defined functions that leave another mode. The caller's mode does not change. */
#include "system_support.h"

#include <fenv.h>

/* Runs a loop by user-defined threads with their own rounding mode. */
static void on_other_threads(void *context, size_t count, kdr_range_fn *body, void *argument) {
    const int found = fegetround();
    for (size_t i = 0; i < count; ++i) {
        cr_assert(fesetround(*(const int *)context) == 0);
        body(argument, i, i + 1);
        cr_assert(fegetround() == *(const int *)context, "a range leaves another mode");
    }
    fesetround(found);
}

/* The results of a run and of the reference, and the observables. */
enum { COUNT = 1300, STEPS = 3 };
typedef struct outcome {
    uint64_t run, reference, energy;
} outcome;

static outcome compute(const kdr_integrator_desc *desc, const kdr_particles *start, int mode) {
    kdr_particles p[RUNNERS];
    kdr_integrator *integrator;
    kdr_clock clock = {0, 1.0 / 3, 0};
    kdr_observables seen;
    kdr_error error;
    outcome made;
    for (int runner = 0; runner < RUNNERS; ++runner) {
        p[runner] = make_particles(COUNT, 3, desc->real, false, true);
        copy_state(&p[runner], start);
    }
    cr_assert(fesetround(mode) == 0);
    for (int runner = 0; runner < RUNNERS; ++runner) {
        clock.step = 0;
        advance(runner, desc, &p[runner], &clock, STEPS);
    }
    cr_assert(kdr_integrator_create(desc, &integrator, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_observe(integrator, &p[BY_INTEGRATOR], &clock, &seen, &error) == KDR_OK, "%s", error.message);
    kdr_integrator_destroy(integrator);
    cr_expect(fegetround() == mode, "a call leaves another mode");
    cr_assert(fesetround(FE_TONEAREST) == 0);
    memcpy(&made.energy, &seen.energy, sizeof made.energy);
    cr_assert(kdr_fingerprint(&p[BY_INTEGRATOR], &made.run, &error) == KDR_OK &&
              kdr_fingerprint(&p[BY_REFERENCE], &made.reference, &error) == KDR_OK);
    for (int runner = 0; runner < RUNNERS; ++runner) {
        kdr_particles_destroy(&p[runner]);
    }
    return made;
}

static void expect_one_outcome(kdr_integrator_desc *desc, const kdr_particles *start) {
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const outcome nearest = compute(desc, start, FE_TONEAREST);
    cr_expect(nearest.run == nearest.reference);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; ++m) {
        int other = modes[(m + 1) % 3];
        desc->executor = (kdr_executor){&other, on_other_threads};
        const outcome here = compute(desc, start, modes[m]);
        cr_expect(memcmp(&here, &nearest, sizeof here) == 0, "%s in mode %d has other bits (run %d, reference %d, energy %d)",
                  kdr_method_get(desc->method)->name, modes[m], here.run == nearest.run, here.reference == nearest.reference,
                  here.energy == nearest.energy);
        desc->executor = kdr_executor_serial();
    }
}

Test(rounding, bits_of_the_nearest) {
    const kdr_force forces[] = {kdr_force_spring(3, 0.1, 0.2, 0.3), kdr_force_centre(1, 0.1, 0, 0, 0.3), kdr_force_drag(0.3, 1, 0, 0)};
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        const kdr_method_info *const info = kdr_method_get((kdr_method)method);
        for (int real = KDR_F32; real <= KDR_F64; ++real) {
            uint64_t seed = 1;
            const size_t count = info->affine ? 1 : info->velocity_forces == KDR_VELOCITY_ANY ? 3 : 2;
            kdr_integrator_desc desc = describe((kdr_method)method, (kdr_real)real, KDR_FUSED, forces, count);
            desc.langevin.friction = kdr_family_get(info->family)->heat_bath ? 0.5 : 0;
            desc.langevin.temperature = desc.langevin.friction;
            kdr_particles start = make_particles(COUNT, 3, (kdr_real)real, false, true);
            fill_random(&start, &seed);
            expect_one_outcome(&desc, &start);
            kdr_particles_destroy(&start);
        }
    }
}

/* The rounding mode that user-defined functions leave. Each must find rounding to nearest, whatever was left before. */
static int left;

static kdr_status leave(void) {
    cr_assert(fegetround() == FE_TONEAREST, "a function finds another mode");
    fesetround(left);
    return KDR_OK;
}

static kdr_status pull(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context, (void)t;
    for (size_t i = 0; i < (size_t)p->dims * p->count; ++i) {
        set(a[i / p->count], p->real, i % p->count, -2 * get(p->x[i / p->count], p->real, i % p->count));
    }
    return leave();
}

static kdr_status turn(void *context, const kdr_particles *p, double t, void *const m[3]) {
    (void)context, (void)t;
    for (size_t i = 0; i < 3 * p->count; ++i) {
        set(m[i / p->count], p->real, i % p->count, 0.7);
    }
    return leave();
}

static kdr_status lead(void *context, const kdr_particles *p, double t, double th, void *const g[6]) {
    (void)context, (void)t;
    for (size_t i = 0; i < 6 * p->count; ++i) {
        set(g[i / p->count], p->real, i % p->count, i < 3 * p->count ? -2 * th : 0);
    }
    return leave();
}

static kdr_status third(void *context, const kdr_particles *p, double t, double *energy) {
    (void)context, (void)p, (void)t;
    *energy = 1.0 / 3;
    return leave();
}

static double height(void *context, const double x[3], const double v[3], double t) {
    (void)context, (void)v;
    const double value = x[0] - 0.3 * t;
    (void)leave();
    return value;
}

static void at_once(void *context, size_t count, kdr_range_fn *body, void *argument) {
    (void)context;
    body(argument, 0, count);
    (void)leave();
}

/* The results of runs that call such functions, with their events. */
enum { BY_SYSTEM, BY_BLOCKS, BY_TEXTBOOK, BY_FIELD_RUN, BY_FIELD_TEXTBOOK, WAYS };
typedef struct remains {
    uint64_t state, energy, time;
    size_t events;
} remains;

static remains run_leaving(int way, kdr_method method, int mode, int leaving) {
    const kdr_watch watch = kdr_watch_function(height, NULL);
    const kdr_force spring = kdr_force_spring(2, 0, 0, 0);
    kdr_system_desc desc = describe_system(method, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    kdr_integrator_desc single = describe(method, KDR_F64, KDR_FUSED, &spring, 1);
    desc.accelerations = pull, desc.potential = third;
    desc.magnetic = method == KDR_BORIS ? turn : NULL;
    desc.slopes = method == KDR_IMPLICIT_MIDPOINT ? lead : NULL;
    single.watches = desc.watches = &watch;
    single.watch_count = desc.watch_count = way != BY_BLOCKS;
    single.executor = desc.executor = (kdr_executor){NULL, at_once};
    kdr_particles p = make_particles(300, 3, KDR_F64, false, true);
    static kdr_event list[2000];
    kdr_events events = {.list = list, .capacity = 2000};
    uint64_t seed = 5;
    fill_random(&p, &seed);
    p.events = &events;
    kdr_clock clock = {0, 1.0 / 3, 0};
    kdr_error error;
    kdr_status status = KDR_OK;
    kdr_observables seen = {.energy = 0};
    left = leaving;
    cr_assert(fesetround(mode) == 0);
    if (way == BY_FIELD_RUN || way == BY_FIELD_TEXTBOOK) {
        advance(way == BY_FIELD_RUN ? BY_INTEGRATOR : BY_REFERENCE, &single, &p, &clock, 3);
    } else if (way == BY_TEXTBOOK) {
        status = kdr_reference_system_run(&desc, &p, &clock, 3, &error);
    } else {
        kdr_system *system;
        status = (way == BY_SYSTEM ? run_with : run_in_blocks_with)(&desc, &p, &clock, 3, &error);
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK && kdr_system_observe(system, &p, &clock, &seen, &error) == KDR_OK);
        kdr_system_destroy(system);
    }
    cr_expect(fegetround() == mode, "way %d leaves another mode", way);
    cr_assert(fesetround(FE_TONEAREST) == 0);
    cr_assert(status == KDR_OK, "%s", error.message);
    remains made = {.events = events.count};
    memcpy(&made.energy, &seen.energy, sizeof made.energy);
    memcpy(&made.time, &list[0].time, events.count ? sizeof made.time : 0);
    cr_assert(kdr_fingerprint(&p, &made.state, &error) == KDR_OK);
    kdr_particles_destroy(&p);
    return made;
}

Test(rounding, functions_that_leave_another_mode) {
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_RK4, KDR_BORIS, KDR_IMPLICIT_MIDPOINT};
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int way = 0; way < WAYS; ++way) {
        for (int m = 0; m < (way == BY_BLOCKS ? 3 : 4); ++m) {
            const remains nearest = run_leaving(way, methods[m], FE_TONEAREST, FE_TONEAREST);
            cr_expect((nearest.events > 0) == (way != BY_BLOCKS));
            for (int k = 1; k < 4; ++k) {
                for (int caller = 0; caller < 4; caller += 2) {
                    const remains here = run_leaving(way, methods[m], modes[caller], modes[k]);
                    cr_expect(memcmp(&here, &nearest, sizeof here) == 0,
                              "way %d, %s, mode %d: other bits (state %d, energy %d, %zu events)", way, kdr_method_get(methods[m])->name,
                              modes[k], here.state == nearest.state, here.energy == nearest.energy, here.events);
                }
            }
        }
    }
}
