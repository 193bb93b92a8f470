/* Tests the second half of the engine, cases of a kind (tools/check/trial.h). A wrong trial must be caught, for its own fault. */
#include "trial.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static kdr_check_trials *trials;

static void set_up(void) {
    trials = kdr_check_trials_create();
    cr_assert(trials, "out of memory");
}

static void tear_down(void) { kdr_check_trials_destroy(trials); }

TestSuite(equality_kinds, .init = set_up, .fini = tear_down);

typedef struct outcome {
    int reports;
    kdr_check_mismatch first;
    kdr_check_tally tally;
    kdr_check_result result;
} outcome;

static void take(void *context, const kdr_check_mismatch *mismatch) {
    outcome *const o = context;
    if (o->reports++ == 0) {
        o->first = *mismatch;
    }
}

static outcome run(kdr_check_trial_fn *fn, uint32_t index) {
    outcome o;
    memset(&o, 0, sizeof o);
    const kdr_check_kind kind = {"of this test", fn, 1, 1, false};
    const kdr_check_case test = {.seed = 7, .index = index, .method = KDR_CHECK_SPRING_NETWORKS, .real = KDR_F32};
    const kdr_check_runner runner = {KDR_BACKEND_SCALAR, NULL, NULL};
    kdr_check_trials_run(trials, &kind, &test, &runner, 1, &o.tally, &o.result, take, &o);
    cr_assert((uint64_t)o.reports == o.tally.mismatches);
    return o;
}

enum { COUNT = 11 };

/* Computes the squares of what it draws. The callers then add a mistake, except by the reference. */
static float *squares(kdr_check_trial *t, const float **read) {
    float *const square = kdr_check_results(t, "square", KDR_CHECK_REALS, COUNT), *const of =
                                                                                      kdr_check_inputs(t, "of", KDR_CHECK_REALS, COUNT);
    for (size_t i = 0; i < COUNT; ++i) {
        const double drawn = kdr_check_random_between(&t->random, -1, 1);
        kdr_check_set(of, KDR_F32, i, drawn);
        kdr_check_set(square, KDR_F32, i, drawn * drawn);
    }
    *read = of;
    return square;
}

static kdr_status right(kdr_check_trial *t) {
    const float *of;
    squares(t, &of);
    return KDR_OK;
}

static kdr_status flips_a_bit(kdr_check_trial *t) {
    const float *of;
    char *const square = (char *)squares(t, &of);
    square[5 * sizeof(float)] ^= (char)!t->by_reference;
    return KDR_OK;
}

static kdr_status writes_an_input(kdr_check_trial *t) {
    const float *of;
    squares(t, &of);
    ((char *)(uintptr_t)of)[0] ^= (char)!t->by_reference;
    return KDR_OK;
}

static kdr_status writes_past_the_end(kdr_check_trial *t) {
    const float *of;
    char *const square = (char *)squares(t, &of);
    if (!t->by_reference) {
        square[COUNT * sizeof(float)] = 1;
    }
    return KDR_OK;
}

static kdr_status refuses(kdr_check_trial *t) { return t->by_reference ? KDR_OK : KDR_ERROR_UNSUPPORTED; }

static kdr_status refused_and_not_said(kdr_check_trial *t) { return (void)t, KDR_ERROR_UNSUPPORTED; }

static kdr_status refused(kdr_check_trial *t) {
    t->is_refused = true;
    return KDR_ERROR_UNSUPPORTED;
}

static kdr_status two_nans(kdr_check_trial *t) {
    uint32_t *const real = kdr_check_results(t, "real", KDR_CHECK_REALS, 1);
    const uint32_t nan = t->by_reference ? 0x7FC00000 : 0xFFC00001;
    memcpy(real, &nan, sizeof nan);
    return KDR_OK;
}

static kdr_status two_integers(kdr_check_trial *t) {
    uint32_t *const word = kdr_check_results(t, "word", KDR_CHECK_WORDS, 1);
    const uint32_t drawn = t->by_reference ? 0xFFFFFFFE : 0xFFFFFFFF;
    memcpy(word, &drawn, sizeof drawn);
    return KDR_OK;
}

Test(equality_kinds, what_is_right_is_compared) {
    const outcome o = run(right, 0), again = run(right, 0), other = run(right, 1);
    cr_expect(o.tally.cases == 1 && o.tally.mismatches == 0 && o.tally.values == COUNT);
    cr_expect(o.result.is_compared && o.result.fingerprint == again.result.fingerprint && o.result.fingerprint != other.result.fingerprint);
    cr_expect(run(two_nans, 0).tally.mismatches == 0);
    cr_expect(run(refused, 0).tally.refused == 1);
}

Test(equality_kinds, what_is_wrong_is_caught) {
    const struct {
        kdr_check_trial_fn *fn;
        kdr_check_what what;
        const char *array;
        ptrdiff_t index;
    } rows[] = {{flips_a_bit, KDR_CHECK_BITS, "square", 5},
                {writes_an_input, KDR_CHECK_INPUT, "of", 0},
                {refuses, KDR_CHECK_STATUS_WRONG, "", 0},
                {refused_and_not_said, KDR_CHECK_STATUS_WRONG, "", 0},
                {two_integers, KDR_CHECK_BITS, "word", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const outcome o = run(rows[i].fn, 3);
        cr_expect(o.reports == 1 && o.first.what == rows[i].what, "row %zu", i);
        cr_expect(strcmp(o.first.array, rows[i].array) == 0 && o.first.index == rows[i].index, "row %zu: %s %td", i, o.first.array,
                  o.first.index);
    }
}

/* Some placements have a guard page there, others a margin with a pattern. */
Test(equality_kinds, what_is_written_outside_is_caught) {
    int faults = 0, smudges = 0;
    for (uint32_t index = 0; index < 60; ++index) {
        const outcome o = run(writes_past_the_end, index);
        cr_expect(o.reports == 1, "case %d", (int)index);
        faults += o.first.what == KDR_CHECK_FAULT && o.first.index == COUNT;
        smudges += o.first.what == KDR_CHECK_OUTSIDE && o.first.index == COUNT;
    }
    cr_expect(faults > 0 && smudges > 0 && faults + smudges == 60, "%d faults, %d smudges", faults, smudges);
}

/* Every kind compares something in every precision, and draws different cases. */
Test(equality_kinds, every_kind_compares) {
    const kdr_check_runner runner = {KDR_BACKEND_SCALAR, NULL, NULL};
    for (int kind = KDR_CHECK_METHODS; kind < KDR_CHECK_SUBJECTS; ++kind) {
        kdr_check_tally tally = {0};
        for (uint32_t i = 0; i < 40; ++i) {
            const kdr_check_plan plan = {KDR_CHECK_DEFAULT_SEED, kind, KDR_CHECK_QUICK, NULL};
            cr_assert(kdr_check_plan_size(&plan) >= 40, "%s: expected at least ten quick cases", kdr_check_method_name(kind));
            const kdr_check_case test = kdr_check_plan_case(&plan, i);
            kdr_check_result result;
            outcome o = {0};
            kdr_check_trials_run(trials, kdr_check_kind_get(kind), &test, &runner, 1, &tally, &result, take, &o);
            cr_expect(o.reports == 0, "%s, case %d: %s", kdr_check_method_name(kind), (int)i, o.first.words);
        }
        cr_expect(tally.cases >= 20 && tally.values > 400, "%s: %d cases, %d values", kdr_check_method_name(kind), (int)tally.cases,
                  (int)tally.values);
    }
}
