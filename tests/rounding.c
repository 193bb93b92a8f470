/* In every rounding mode of the caller's, and of its threads, runs, the reference and observables have the bits that they have where numbers
 * are rounded to the nearest; the mode stays as it was. */
#include "support.h"

#include <fenv.h>

/* Threads of the caller's, in a mode of their own. */
static void on_other_threads(void *context, size_t count, kdr_range_fn *body, void *argument) {
    const int found = fegetround();
    for (size_t i = 0; i < count; ++i) {
        cr_assert(fesetround(*(const int *)context) == 0);
        body(argument, i, i + 1);
        cr_assert(fegetround() == *(const int *)context, "a range leaves another mode");
    }
    fesetround(found);
}

/* What a run and the reference leave, and what is observed of it. */
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
