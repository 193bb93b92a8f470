/* The suite: each of its rows exists where its backend runs, headline numbers name rows of the list, scores are geometric means over the
 * reference result, and a backend that computes another bit makes a result void. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "host.h"
#include "result.h"
#include "suite.h"

static bool lies; /* the library's steps give another bit */

kdr_status __real_kdr_integrator_run(const kdr_integrator *integrator, kdr_particles *p, kdr_clock *clock, uint64_t steps,
                                     kdr_error *error);
kdr_status __wrap_kdr_integrator_run(const kdr_integrator *integrator, kdr_particles *p, kdr_clock *clock, uint64_t steps,
                                     kdr_error *error);
kdr_status __wrap_kdr_integrator_run(const kdr_integrator *integrator, kdr_particles *p, kdr_clock *clock, uint64_t steps,
                                     kdr_error *error) {
    const kdr_status status = __real_kdr_integrator_run(integrator, p, clock, steps, error);
    if (lies && p->real == KDR_F32) {
        ((float *)p->x[1])[p->count - 1] = nextafterf(((float *)p->x[1])[p->count - 1], 1e9f);
    }
    return status;
}

static bool any(const void *context, const char *name) {
    (void)context;
    return *name;
}

static kdr_bench_session session;
static kdr_bench_catalogue all;
static kdr_bench_suite suite;

static void list(void) {
    kdr_backend best;
    cr_assert_eq(kdr_backend_choose(KDR_BACKEND_AUTO, &best, NULL), KDR_OK);
    kdr_bench_catalogue_fill(&all, &session, KDR_BACKEND_AUTO, best);
    cr_assert_not(all.out_of_memory);
    suite = (kdr_bench_suite){.session = &session, .best = best};
    cr_assert(kdr_bench_suite_list(&suite, &all, KDR_BACKEND_AUTO, any, NULL));
}

static size_t runnable_backends(void) {
    size_t count = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        count += kdr_backend_query((kdr_backend)b, &info) == KDR_OK && info.runnable;
    }
    return count;
}

Test(bench_suite, every_row_of_the_list_exists_once) {
    kdr_executor executor;
    size_t expected = 0;
    list();
    const bool shares = host_processors() > 1 && kdr_executor_openmp(2, &executor) == KDR_OK;
    for (size_t i = 0; i < kdr_bench_workload_count; ++i) {
        const kdr_bench_workload *const workload = &kdr_bench_workloads[i];
        const size_t copies = workload->every_backend ? runnable_backends() : 1;
        size_t found = 0;
        for (size_t n = 0; n < suite.count; ++n) {
            found += suite.rows[n].workload == workload;
        }
        expected += workload->threads && !shares ? 0 : copies;
        cr_expect_eq(found, workload->threads && !shares ? 0 : copies, "%s: %zu rows, expected %zu", workload->name, found, copies);
        for (size_t n = 0; n < i; ++n) {
            cr_expect_str_neq(kdr_bench_workloads[n].name, workload->name);
        }
    }
    cr_expect_eq(suite.count, expected);
    cr_expect(kdr_bench_workload_count >= 30 && expected < KDR_BENCH_SUITE_ROWS);
    kdr_bench_catalogue_clear(&all);
}

Test(bench_suite, headlines_are_of_rows) {
    for (int i = 0; i < KDR_BENCH_HEADLINES; ++i) {
        size_t found = 0;
        for (size_t n = 0; n < kdr_bench_workload_count; ++n) {
            found += strcmp(kdr_bench_workloads[n].name, kdr_bench_headlines[i].workload) == 0;
        }
        cr_expect_eq(found, 1, "%s", kdr_bench_headlines[i].name);
    }
}

/* The shipped reference result has every row, so that each counts in the score. */
Test(bench_suite, the_reference_result_has_every_row) {
    for (size_t i = 0; i < kdr_bench_workload_count; ++i) {
        cr_expect_gt(kdr_bench_reference_rate(kdr_bench_workloads[i].name), 0, "%s", kdr_bench_workloads[i].name);
    }
    cr_expect_eq(kdr_bench_reference_rate("no such row"), 0);
}

/* Gives each row the reference's rate multiplied by a factor of its own. */
static void give_rates(double f32, double f64, double threads) {
    for (size_t i = 0; i < suite.count; ++i) {
        kdr_bench_suite_row *const row = &suite.rows[i];
        const double factor = (row->workload->real == KDR_F32 ? f32 : f64) * (row->workload->threads ? threads : 1);
        row->summary.median = kdr_bench_reference_rate(row->workload->name) * factor;
    }
}

Test(bench_suite, scores_are_geometric_means) {
    list();
    give_rates(1, 1, 1);
    cr_expect_float_eq(kdr_bench_suite_score(&suite, kdr_bench_is_best, 0), 1000, 1e-9);
    give_rates(4, 0.5, 1);
    cr_expect_float_eq(kdr_bench_suite_score(&suite, kdr_bench_is_real, KDR_F32), 4000, 1e-8);
    cr_expect_float_eq(kdr_bench_suite_score(&suite, kdr_bench_is_real, KDR_F64), 500, 1e-9);
    size_t f32 = 0, best = 0;
    for (size_t i = 0; i < suite.count; ++i) {
        best += kdr_bench_is_best(&suite.rows[i], 0);
        f32 += kdr_bench_is_real(&suite.rows[i], KDR_F32);
    }
    const double share = (double)f32 / (double)best, expected = 1000 * pow(4, share) * pow(0.5, 1 - share);
    cr_expect_float_eq(kdr_bench_suite_score(&suite, kdr_bench_is_best, 0), expected, 1e-6);
    give_rates(1, 1, 3);
    cr_expect_float_eq(kdr_bench_suite_score(&suite, kdr_bench_is_threads, 0), 1000, 1e-9);
    const double all_threads = kdr_bench_suite_score(&suite, kdr_bench_is_threads, 1);
    cr_expect(host_processors() == 1 || fabs(all_threads - 3000) < 1e-8, "%g", all_threads);
    /* A backend's score has the rows that every backend has. */
    kdr_bench_suite_row *const scalar = &suite.rows[0];
    suite.count = 1;
    *scalar = (kdr_bench_suite_row){.name = "x@scalar", .workload = scalar->workload, .backend = KDR_BACKEND_SCALAR};
    cr_expect(isnan(kdr_bench_suite_score(&suite, kdr_bench_is_best, 0)));
    kdr_bench_catalogue_clear(&all);
}

static char path[64];

/* Runs a part of the suite and returns its exit status and its result. */
static json_t *run(int *status) {
    char out[96];
    snprintf(path, sizeof path, "/tmp/kickdrift-suite-%ld.json", (long)getpid());
    snprintf(out, sizeof out, "--out=%s", path);
    char name[] = "bench", measured[] = "--suite", time[] = "--time=0.001", filter[] = "--benchmark_filter=^affine/euler/f32$";
    char *argv[] = {name, measured, time, filter, out, NULL};
    *status = kdr_bench_main(5, argv);
    json_t *const result = json_load_file(path, 0, NULL);
    cr_assert_not_null(result);
    return result;
}

Test(bench_suite, a_right_result_is_valid) {
    int status;
    json_t *const found = run(&status);
    kdr_bench_result result;
    fault why;
    cr_expect_eq(status, KDR_EXIT_OK);
    cr_expect(json_is_false(json_object_get(found, "void")));
    cr_expect(kdr_bench_result_read(&result, path, &why), "%s", why.text);
    cr_expect_eq(result.count, 1);
    kdr_bench_result_free(&result);
    json_decref(found);
    remove(path);
}

Test(bench_suite, another_bit_makes_a_result_void) {
    int status;
    lies = true;
    json_t *const found = run(&status);
    kdr_bench_result result;
    fault why;
    cr_expect_eq(status, KDR_EXIT_FAILED);
    cr_expect(json_is_true(json_object_get(found, "void")));
    cr_expect_str_neq(json_string_value(json_object_get(found, "fingerprint")),
                      json_string_value(json_object_get(found, "expected_fingerprint")));
    cr_expect_not(kdr_bench_result_read(&result, path, &why));
    cr_expect_not_null(strstr(why.text, "void"), "%s", why.text);
    kdr_bench_result_free(&result);
    json_decref(found);
    remove(path);
}
