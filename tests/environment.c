/* A host that takes and makes subnormal numbers as 0, as one built with -ffast-math does: every backend has the bits that the reference has
 * there, and finds and leaves the control word as it is. */
#include "axes.h"
#include "check.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdio.h>

#ifdef __SSE2__
#include <xmmintrin.h>
enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x40, EXCEPTIONS = 0x3f };
static void flush(void) { _mm_setcsr(_mm_getcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO); }
static unsigned control_word(void) { return _mm_getcsr() & ~(unsigned)EXCEPTIONS; }
static const bool can_flush = true;
#else
static void flush(void) {}
static unsigned control_word(void) { return 0; }
static const bool can_flush = false;
#endif

/* The quick plan's cases are shared out among so many tests. */
enum { SHARES = 4 };

ParameterizedTestParameters(environment, flushed) {
    static int all[SHARES];
    for (int i = 0; i < SHARES; ++i) {
        all[i] = i;
    }
    return cr_make_param_array(int, all, SHARES);
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

/* Threads of other executors have environments of their own. */
ParameterizedTest(int *share, environment, flushed) {
    kdr_check_runner runners[KDR_BACKEND_LAST];
    kdr_check_tally tallies[KDR_BACKEND_LAST] = {{0}};
    const size_t count = list_runners(runners);
    kdr_check_engine *const engine = kdr_check_engine_create();
    int printed = 0;
    cr_assert(engine);
    if (!can_flush) {
        cr_skip_test("this test knows no control word of this processor");
    }
    flush();
    const unsigned before = control_word();
    for (int method = 0; method < KDR_CHECK_METHODS; ++method) {
        const kdr_check_plan plan = {KDR_CHECK_DEFAULT_SEED, method, KDR_CHECK_QUICK, NULL};
        for (uint32_t i = (uint32_t)*share; i < kdr_check_plan_size(&plan); i += SHARES) {
            kdr_check_case test = kdr_check_plan_case(&plan, i);
            test.value[KDR_CHECK_EXECUTOR] = EXECUTOR_SERIAL;
            kdr_check_case_run(engine, &test, runners, count, tallies, print_mismatch, &printed);
            cr_assert(control_word() == before, "the control word has changed");
        }
    }
    for (size_t r = 0; r < count; ++r) {
        cr_expect(tallies[r].mismatches == 0 && tallies[r].cases > 1000, "backend %d: %d of %d cases differ", (int)runners[r].backend,
                  (int)tallies[r].mismatches, (int)tallies[r].cases);
    }
    kdr_check_engine_destroy(engine);
}
