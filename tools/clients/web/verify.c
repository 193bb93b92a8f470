/* The module verify: compares every backend with the reference, method by method, as `kickdrift verify --quick` does. */
#include "check.h"
#include "web.h"

#include <string.h>

enum { COUNTS = 4 };

static kdr_check_runner runners[KDR_BACKEND_LAST];
static kdr_check_tally tallies[KDR_BACKEND_LAST];
static size_t runner_count;
static kdr_backend_info info;
static char text[1024];

static void note(void *context, const kdr_check_mismatch *mismatch) {
    char which[512];
    (void)context;
    if (!*text) {
        kdr_check_mismatch_describe(mismatch, text, sizeof text / 2);
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, ": %s %s", kdr_check_case_describe(&mismatch->test, which, sizeof which),
                 mismatch->words);
    }
}

/* Adds a backend to those that `run` compares. Returns its number from 0 on; -1: it cannot run here. */
EXPORT(add_backend) int add_backend(int backend) {
    if (kdr_backend_query((kdr_backend)backend, &info) != KDR_OK || !info.runnable || runner_count == KDR_BACKEND_LAST) {
        return -1;
    }
    runners[runner_count].backend = (kdr_backend)backend;
    return (int)runner_count++;
}

EXPORT(subjects) int subjects(void) { return KDR_CHECK_SUBJECTS; }

EXPORT(subject_name) const char *subject_name(int subject) { return kdr_check_method_name(subject); }

/* Runs the quick cases of `count` subjects from `first` on, or one of several parts of them, and adds the results up. Returns 0: no
 * memory. */
EXPORT(run) int run(int first, int count, uint32_t part, uint32_t parts) {
    static kdr_check_plan plans[KDR_CHECK_SUBJECTS];
    for (int i = 0; i < count; ++i) {
        plans[i] = (kdr_check_plan){KDR_CHECK_DEFAULT_SEED, first + i, KDR_CHECK_QUICK, NULL};
    }
    const kdr_check_work work = {.plans = plans,
                                 .plan_count = (size_t)count,
                                 .part = part,
                                 .parts = parts,
                                 .runners = runners,
                                 .runner_count = runner_count,
                                 .threads = 1};
    return kdr_check_run(&work, tallies, note, NULL, NULL);
}

/* Returns a runner's cases (0), values (1), mismatches (2) or seconds (3) so far. */
EXPORT(tally) double tally(int runner, int what) {
    const kdr_check_tally *const t = &tallies[runner];
    const double count[COUNTS] = {(double)t->cases, (double)t->values, (double)t->mismatches, t->seconds};
    return count[what];
}

/* Returns the hash of all results of a runner so far. */
EXPORT(fingerprint) const char *fingerprint(int runner) {
    static char digits[HEX_LENGTH];
    return hex(tallies[runner].fingerprint, digits);
}

/* Returns whether a runner's results of a subject are those that were shipped with this version. */
EXPORT(is_shipped) int is_shipped(int runner, int subject) { return tallies[runner].quick[subject] == kdr_check_shipped(subject); }

/* Describes the first mismatch; "": there was none. */
EXPORT(mismatch) const char *mismatch(void) { return text; }
