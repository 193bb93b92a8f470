/* The floating-point environment of the user's program: in each, every backend has the reference's bits. It is one where subnormal numbers
 * are flushed to 0, as in a program built with -ffast-math, or any rounding mode. The control word does not change. */
#include "axes.h"
#include "check.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <fenv.h>
#include <stdio.h>

#ifdef __SSE2__
#include <xmmintrin.h>
enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x40, EXCEPTIONS = 0x3f };
static void flush(void) { _mm_setcsr(_mm_getcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO); }
static unsigned control_word(void) { return _mm_getcsr() & ~(unsigned)EXCEPTIONS; }
static const bool can_flush = true;
#else
static void flush(void) {}
static unsigned control_word(void) { return (unsigned)fegetround(); }
static const bool can_flush = false;
#endif

/* A quarter of the quick plan runs where numbers are flushed, and a share in each rounding mode. */
static const struct environment {
    const char *name;
    int rounding; /* a mode of fenv.h; -1: subnormal numbers are flushed */
    uint32_t share;
} environments[] = {{"flushed", -1, 0},   {"flushed", -1, 1},       {"flushed", -1, 2},           {"flushed", -1, 3},
                    {"up", FE_UPWARD, 0}, {"down", FE_DOWNWARD, 1}, {"to zero", FE_TOWARDZERO, 2}};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments, SHARES = 16 };

ParameterizedTestParameters(environment, kernels_and_reference) {
    static int all[ENVIRONMENTS];
    for (int i = 0; i < ENVIRONMENTS; ++i) {
        all[i] = i;
    }
    return cr_make_param_array(int, all, ENVIRONMENTS);
}

static void print_mismatch(void *context, const kdr_check_mismatch *mismatch) {
    char text[512];
    if ((*(int *)context)++ < 10) {
        fprintf(stderr, "backend=%d %s\n", (int)mismatch->backend, kdr_check_case_describe(&mismatch->test, text, sizeof text));
        fprintf(stderr, "  %s\n", kdr_check_mismatch_describe(mismatch, text, sizeof text));
    }
}

static size_t list_runners(kdr_check_runner runners[KDR_BACKEND_LAST]) {
    size_t count = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        if (info.runnable) {
            runners[count++] = (kdr_check_runner){(kdr_backend)b, NULL, NULL};
        }
    }
    return count;
}

/* Flush-to-zero is a property of each thread, so no other threads are used. */
ParameterizedTest(int *index, environment, kernels_and_reference) {
    const struct environment *const host = &environments[*index];
    kdr_check_runner runners[KDR_BACKEND_LAST];
    kdr_check_tally tallies[KDR_BACKEND_LAST] = {{0}};
    const size_t count = list_runners(runners);
    kdr_check_engine *const engine = kdr_check_engine_create();
    int printed = 0;
    cr_assert(engine);
    if (host->rounding >= 0) {
        cr_assert(fesetround(host->rounding) == 0);
    } else if (can_flush) {
        flush();
    } else {
        cr_skip_test("this test knows no control word of this processor");
    }
    const unsigned before = control_word();
    for (int method = 0; method < KDR_CHECK_METHODS; ++method) {
        const kdr_check_plan plan = {KDR_CHECK_DEFAULT_SEED, method, KDR_CHECK_QUICK, NULL};
        for (uint32_t i = host->share; i < kdr_check_plan_size(&plan); i += SHARES) {
            kdr_check_case test = kdr_check_plan_case(&plan, i);
            test.value[KDR_CHECK_EXECUTOR] = EXECUTOR_SERIAL;
            kdr_check_case_run(engine, &test, runners, count, tallies, print_mismatch, &printed);
            cr_assert(control_word() == before, "the control word has changed");
        }
    }
    for (size_t r = 0; r < count; ++r) {
        cr_expect(tallies[r].mismatches == 0 && tallies[r].cases > 1000, "%s, backend %d: %d of %d cases differ", host->name,
                  (int)runners[r].backend, (int)tallies[r].mismatches, (int)tallies[r].cases);
    }
    kdr_check_engine_destroy(engine);
}
