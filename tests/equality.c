/* Every backend against the reference, bit for bit: one parameter is (method, backend), the quick plan's cases loop inside. */
#include "axes.h"
#include "backend/backend.h"
#include "check.h"
#include "golden.h"
#include "integrator/integrator.h"

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
    for (uint32_t i = 0; i < kdr_check_plan_size(plan); i++) {
        const kdr_check_case test = kdr_check_plan_case(plan, i);
        kdr_check_case_run(engine, &test, runners, count, tallies, print_mismatch, &printed);
    }
    kdr_check_engine_destroy(engine);
}

/* By the program alone, in place of the hot instance, where there is one. */
static kdr_status run_program(void *context, const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                              kdr_error *error) {
    (void)context;
    struct kdr_integrator general = *integrator;
    kdr_program program[3][2];
    for (int i = 0; i < 6; ++i) {
        program[i / 2][i % 2] = *integrator->program[i / 2][i % 2];
        program[i / 2][i % 2].hot = NULL;
        general.program[i / 2][i % 2] = &program[i / 2][i % 2];
    }
    return kdr_integrator_run(&general, particles, clock, steps, error);
}

typedef struct parameter {
    int method;
    kdr_backend backend;
} parameter;

ParameterizedTestParameters(equality, kernels) {
    enum { BACKENDS = KDR_BACKEND_LAST - KDR_BACKEND_FIRST + 1 };
    static parameter parameters[KDR_CHECK_METHODS * BACKENDS];
    for (int i = 0; i < KDR_CHECK_METHODS * BACKENDS; i++) {
        parameters[i] = (parameter){i / BACKENDS, (kdr_backend)(KDR_BACKEND_FIRST + i % BACKENDS)};
    }
    return cr_make_param_array(parameter, parameters, sizeof parameters / sizeof parameters[0]);
}

/* How many cases of the plan the table of methods says are to be refused. */
static uint64_t refusals(const kdr_check_plan *plan) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < kdr_check_plan_size(plan); i++) {
        const kdr_check_case test = kdr_check_plan_case(plan, i);
        count += kdr_check_case_refused(&test);
    }
    return count;
}

/* Whatever the method: a bounce does not run back. */
static uint64_t bounces_back(const kdr_check_plan *plan) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < kdr_check_plan_size(plan); i++) {
        const kdr_check_case test = kdr_check_plan_case(plan, i);
        count += test.value[KDR_CHECK_COLLIDERS] != 0 && test.value[KDR_CHECK_CLOCK] == CLOCK_BACKWARDS;
    }
    return count;
}

static bool takes_any(int method) {
    const kdr_method_info *info = kdr_method_get((kdr_method)method);
    return !info || (info->velocity_forces == KDR_VELOCITY_ANY && info->family != KDR_KINEMATIC) || method == KDR_STRANG_AFFINE;
}

/* Hot instances may take over from the program: where there are any, both are held against the reference. */
static bool has_instances(const parameter *p) {
    const kdr_method_info *const table = kdr_method_get((kdr_method)p->method);
    return p->backend != KDR_BACKEND_SCALAR && (!table || table->family == KDR_RUNGE_KUTTA || table->family == KDR_SPLITTING);
}

ParameterizedTest(const parameter *p, equality, kernels) {
    kdr_backend_info info;
    cr_assert(kdr_backend_query(p->backend, &info) == KDR_OK);
    if (!info.runnable) {
        cr_skip_test("%s: %s", info.name, info.reason);
    }
    const kdr_check_plan plan = {seed_of_environment(), p->method, KDR_CHECK_QUICK, NULL};
    const kdr_check_runner runners[] = {{p->backend, NULL, NULL}, {p->backend, run_program, NULL}};
    static const char *const kernels[] = {"as it is run", "by the program alone"};
    kdr_check_tally tallies[2] = {{0}};
    const int kernel_count = has_instances(p) ? 2 : 1;
    run_plan(&plan, runners, (size_t)kernel_count, tallies);
    for (int i = 0; i < kernel_count; i++) {
        cr_expect(tallies[i].mismatches == 0, "%s on %s, %s: %" PRIu64 " of %" PRIu64 " cases differ from the reference",
                  kdr_check_method_name(p->method), info.name, kernels[i], tallies[i].mismatches, tallies[i].cases);
        cr_expect(tallies[i].cases + tallies[i].refused == kdr_check_plan_size(&plan));
        cr_expect(tallies[i].refused == refusals(&plan));
        cr_expect((tallies[i].refused == bounces_back(&plan)) == takes_any(p->method), "%" PRIu64 " refused", tallies[i].refused);
    }
}

/* On one backend: the others are held against the reference above. */
Test(equality, golden_fingerprint) {
    kdr_check_runner runner = {KDR_BACKEND_AUTO, NULL, NULL};
    kdr_check_tally tally = {0};
    cr_assert(kdr_backend_choose(KDR_BACKEND_AUTO, &runner.backend, NULL) == KDR_OK);
    for (int m = 0; m < KDR_CHECK_METHODS; m++) {
        const kdr_check_plan plan = {KDR_CHECK_DEFAULT_SEED, m, KDR_CHECK_QUICK, NULL};
        run_plan(&plan, &runner, 1, &tally);
    }
    cr_expect(tally.fingerprint == KDR_GOLDEN_VERIFY_QUICK,
              "fingerprint %016" PRIx64 ", expected %016" PRIx64 ": bits have changed (tests/golden.h)", tally.fingerprint,
              KDR_GOLDEN_VERIFY_QUICK);
}
