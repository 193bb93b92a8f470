/* Measures the rows of the suite in turns, and checks what they compute (see suite.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <kickdrift/observe.h>
#include <kickdrift/reference.h>

#include "clock.h"
#include "host.h"
#include "suite.h"

/* A repetition takes about so many seconds. Many short ones, spread over the whole time, see more of a machine's moods than few long
 * ones. */
static const double repetition_seconds = 0.02;
/* A row has at least so many repetitions before it is settled: with 10 on each side, a comparison could hardly claim a loss. */
enum { FEWEST_VALUES = 20 };
static const double settled_spread = 0.01;

/* ---- the fingerprint */

/* Runs the row once by the backend and once by the reference, with a count that leaves a part of a vector, and mixes the fingerprints. */
static kdr_status check_row(kdr_bench_suite *suite, const kdr_bench_row *row, kdr_error *error) {
    enum { COUNT = 509 };
    kdr_bench_row small = *row;
    kdr_bench_job job;
    uint64_t found = 0, expected = 0;
    small.count = COUNT;
    small.threads = 1;
    kdr_status status = kdr_bench_prepare(&job, &small, error);
    if (status == KDR_OK) {
        kdr_bench_reset(&job);
        status = kdr_integrator_run(job.integrator, job.particles, &job.clock, small.steps, error);
    }
    status = status == KDR_OK ? kdr_fingerprint(job.particles, &found, error) : status;
    if (status == KDR_OK) {
        kdr_bench_reset(&job);
        status = kdr_reference_run(&job.desc, job.particles, &job.clock, small.steps, error);
    }
    status = status == KDR_OK ? kdr_fingerprint(job.particles, &expected, error) : status;
    kdr_integrator_destroy(job.integrator);
    suite->fingerprint = (suite->fingerprint ^ found) * UINT64_C(0x9E3779B97F4A7C15);
    suite->expected_fingerprint = (suite->expected_fingerprint ^ expected) * UINT64_C(0x9E3779B97F4A7C15);
    return status;
}

bool kdr_bench_suite_check(kdr_bench_suite *suite, kdr_error *error) {
    suite->fingerprint = suite->expected_fingerprint = 0;
    for (size_t i = 0; i < suite->count; ++i) {
        const kdr_bench_entry *const entry = suite->rows[i].entry;
        if (entry->run != kdr_bench_step) {
            continue;
        }
        const kdr_status status = check_row(suite, entry->row, error);
        if (status != KDR_OK) {
            return false;
        }
    }
    return true;
}

/* ---- the measurement */

/* Keeps the value of a repetition: the rate of its fastest call, because another process only ever makes calls slower. The first repetition
 * of a row finds the number of calls, and is not kept. */
static void take(kdr_bench_suite *suite, kdr_bench_suite_row *row, const kdr_bench_repetition *repetition) {
    const kdr_bench_workload *const workload = row->workload;
    const double mean = kdr_bench_counter_of(repetition, workload->counter), best = kdr_bench_counter_of(repetition, "best");
    const double peak = kdr_bench_counter_of(repetition, "fma_peak") * suite->session->peak.core[workload->real] * row->threads;
    if (row->iterations == 0) {
        row->iterations = repetition->iterations;
        return;
    }
    row->multiply_adds = peak / mean;
    row->bytes = kdr_bench_counter_of(repetition, "bytes/s") / mean;
    row->best = fmax(row->best, best);
    row->values[row->summary.count] = best;
    row->summary = kdr_bench_summarise(row->values, row->summary.count + 1);
    row->settled = row->summary.count >= FEWEST_VALUES && kdr_bench_spread(&row->summary) <= settled_spread;
}

typedef struct calibrations {
    double rates[KDR_BENCH_SUITE_ROWS * KDR_BENCH_VALUES];
    size_t count;
} calibrations;

static bool measure_row(kdr_bench_suite *suite, kdr_bench_suite_row *row, calibrations *calibrated, fault *why) {
    kdr_bench_repetition repetition;
    if (calibrated->count < sizeof calibrated->rates / sizeof *calibrated->rates) {
        calibrated->rates[calibrated->count++] = kdr_bench_peak_once(suite->best, KDR_F64);
    }
    kdr_bench_repeat(row->entry->run, row->entry->row, repetition_seconds, row->iterations, &repetition);
    if (*repetition.error) {
        return fault_set(why, "bench: --suite: %s (%s): %s", row->name, row->entry->name, repetition.error);
    }
    take(suite, row, &repetition);
    return true;
}

static void show(const kdr_bench_suite *suite, const kdr_bench_suite_row *row, double passed, double seconds) {
    size_t settled = 0;
    for (size_t i = 0; i < suite->count; ++i) {
        settled += suite->rows[i].settled;
    }
    if (host_is_terminal(stderr)) {
        fprintf(stderr, "\r%zu of %zu rows settled, %.0f of at most %.0f s, %-26s", settled, suite->count, passed, seconds, row->name);
    }
}

bool kdr_bench_suite_measure(kdr_bench_suite *suite, double seconds, fault *why) {
    static calibrations calibrated;
    const double begun = kdr_bench_seconds();
    double passed = 0;
    bool open = true;
    fprintf(stderr, "%zu rows in turns, at most %.0f s\n", suite->count, seconds);
    kdr_bench_quiet_begin(&suite->quiet, "/proc");
    for (int turn = 0; open; ++turn) {
        open = false;
        for (size_t i = 0; i < suite->count; ++i) {
            kdr_bench_suite_row *const row = &suite->rows[turn % 2 ? suite->count - 1 - i : i]; /* there and back */
            passed = kdr_bench_seconds() - begun;
            if (row->settled || row->summary.count == KDR_BENCH_VALUES || (passed >= seconds && row->summary.count > 0)) {
                continue;
            }
            show(suite, row, passed, seconds);
            if (!measure_row(suite, row, &calibrated, why)) {
                return false;
            }
            open = true;
        }
    }
    if (host_is_terminal(stderr)) {
        fprintf(stderr, "\r%79s\r", "");
    }
    kdr_bench_quiet_end(&suite->quiet, calibrated.rates, calibrated.count);
    suite->seconds = passed;
    return true;
}
