/* Compares every backend with the reference, bit for bit, and their results with those that were shipped. A parameter is a method or a kind
 * of cases. The quick plan's cases loop inside, and the backends loop within a case, so that all share the reference's results. */
#include "axes.h"
#include "backend/backend.h"
#include "check.h"
#include "integrator/integrator.h"
#include "user_method.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed_of_environment(void) {
    const char *text = getenv("KDR_SEED");
    return text && *text ? strtoull(text, NULL, 10) : KDR_CHECK_DEFAULT_SEED;
}

static void print_mismatch(void *context, const kdr_check_mismatch *mismatch) {
    char text[512];
    int *printed = context;
    if ((*printed)++ >= 10) {
        return;
    }
    fprintf(stderr, "KDR_SEED=%" PRIu64 " backend=%d %s\n", mismatch->test.seed, (int)mismatch->backend,
            kdr_check_case_describe(&mismatch->test, text, sizeof text));
    fprintf(stderr, "  %s\n", kdr_check_mismatch_describe(mismatch, text, sizeof text));
}

static void run_plan(const kdr_check_plan *plan, const kdr_check_runner *runners, size_t count, kdr_check_tally *tallies) {
    int printed = 0;
    kdr_check_engine *engine = kdr_check_engine_create();
    cr_assert(engine, "out of memory");
    for (uint32_t i = 0; i < kdr_check_plan_size(plan); ++i) {
        const kdr_check_case test = kdr_check_plan_case(plan, i);
        kdr_check_case_run(engine, &test, runners, count, tallies, print_mismatch, &printed);
    }
    kdr_check_engine_destroy(engine);
}

/* Runs the program instead of the specialised kernel, if there is one. */
static kdr_status run_program(void *context, const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                              kdr_error *error) {
    (void)context;
    kdr_setup general = *integrator->setup;
    kdr_program program[3][2];
    for (int i = 0; i < 6; ++i) {
        program[i / 2][i % 2] = *integrator->setup->program[i / 2][i % 2];
        program[i / 2][i % 2].hot = NULL;
        general.program[i / 2][i % 2] = &program[i / 2][i % 2];
    }
    return kdr_integrator_run(&(const kdr_integrator){&general}, particles, clock, steps, error);
}

ParameterizedTestParameters(equality, kernels) {
    static int methods[KDR_CHECK_SUBJECTS];
    for (int i = 0; i < KDR_CHECK_SUBJECTS; ++i) {
        methods[i] = i;
    }
    return cr_make_param_array(int, methods, KDR_CHECK_SUBJECTS);
}

/* Counts the cases of the plan that must be refused by the table of methods. */
static uint64_t refusals(const kdr_check_plan *plan) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < kdr_check_plan_size(plan); ++i) {
        const kdr_check_case test = kdr_check_plan_case(plan, i);
        count += kdr_check_case_refused(&test);
    }
    return count;
}

/* Counts the cases that must be refused for any forces: a bounce does not run backwards, and not every method can be composed. */
static uint64_t refusals_of_any_force(const kdr_check_plan *plan) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < kdr_check_plan_size(plan); ++i) {
        const kdr_check_case test = kdr_check_plan_case(plan, i);
        const bool bounces_back = test.value[KDR_CHECK_COLLIDERS] != 0 && test.value[KDR_CHECK_CLOCK] == CLOCK_BACKWARDS;
        count += bounces_back || !kdr_check_user_method_composes(&test);
    }
    return count;
}

static bool takes_any(int method) {
    const kdr_method_info *info = kdr_method_get((kdr_method)method);
    return !info || (info->velocity_forces == KDR_VELOCITY_ANY && !info->affine && method != KDR_KINEMATIC_SUM);
}

/* Returns true if specialised kernels may replace the program; then both are compared with the reference. */
static bool has_instances(int method, kdr_backend backend) {
    return method < KDR_CHECK_METHODS && backend != KDR_BACKEND_SCALAR && kdr_families[kdr_check_method_family(method)].scale;
}

enum { MOST_RUNNERS = 2 * (KDR_BACKEND_LAST - KDR_BACKEND_FIRST + 1) };

static size_t choose_runners(int method, kdr_check_runner runners[MOST_RUNNERS]) {
    size_t count = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        if (!info.runnable) {
            continue;
        }
        runners[count++] = (kdr_check_runner){(kdr_backend)b, NULL, NULL};
        if (has_instances(method, (kdr_backend)b)) {
            runners[count++] = (kdr_check_runner){(kdr_backend)b, run_program, NULL};
        }
    }
    return count;
}

ParameterizedTest(const int *method, equality, kernels) {
    const kdr_check_plan plan = {seed_of_environment(), *method, KDR_CHECK_QUICK, NULL};
    kdr_check_runner runners[MOST_RUNNERS];
    kdr_check_tally tallies[MOST_RUNNERS] = {{0}};
    const size_t count = choose_runners(*method, runners);
    run_plan(&plan, runners, count, tallies);
    for (size_t i = 0; i < count; ++i) {
        const kdr_check_tally *const t = &tallies[i];
        kdr_backend_info info;
        cr_assert(kdr_backend_query(runners[i].backend, &info) == KDR_OK);
        cr_expect(t->mismatches == 0, "%s on %s, %s: %" PRIu64 " of %" PRIu64 " cases differ from the reference",
                  kdr_check_method_name(*method), info.name, runners[i].run ? "by the program alone" : "as it is run", t->mismatches,
                  t->cases);
        cr_expect(t->cases + t->refused + t->nonconverged == kdr_check_plan_size(&plan));
        cr_expect(plan.seed != KDR_CHECK_DEFAULT_SEED || t->quick[*method] == kdr_check_shipped(*method),
                  "%s on %s: fingerprint %016" PRIx64 ", expected %016" PRIx64 ": bits have changed (tools/check/shipped.c)",
                  kdr_check_method_name(*method), info.name, t->quick[*method], kdr_check_shipped(*method));
        if (*method >= KDR_CHECK_METHODS) {
            continue; /* each case says itself whether it must be refused */
        }
        cr_expect(t->refused == refusals(&plan));
        cr_expect((t->refused == refusals_of_any_force(&plan)) == takes_any(*method), "%" PRIu64 " refused", t->refused);
    }
}
