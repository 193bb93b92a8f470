/* `kickdrift bench`: chooses rows, passes them to Google Benchmark, and prints the machine and compilers. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kickdrift/kickdrift.h>

#include "against.h"
#include "build_flags.h"
#include "catalogue.h"
#include "commands.h"
#include "request.h"
#include "result.h"
#include "suite.h"

/* The most time that the suite takes unless another is given. */
static const double SUITE_SECONDS = 180;

/* The number of measurements of the peak before the first row. Each row adds some. */
enum { PEAK_REPEATS = 20 };

/* Chooses the backends: *only is the one that KDR_BACKEND restricts the rows to, or KDR_BACKEND_AUTO; *best is the best of those left. */
static bool choose_backends(kdr_backend *only, kdr_backend *best, fault *why) {
    kdr_error error;
    kdr_backend named;
    const char *name = getenv("KDR_BACKEND");
    if (kdr_backend_choose(KDR_BACKEND_AUTO, best, &error) != KDR_OK) {
        return fault_set(why, "bench: %s", error.message);
    }
    bool restricted = name && *name && !(kdr_backend_from_name(name, &named) == KDR_OK && named == KDR_BACKEND_AUTO);
    *only = restricted ? *best : KDR_BACKEND_AUTO;
    return true;
}

/* Returns true if names are to be printed. Google Benchmark would do it, but its time grows with the square of their number. */
static bool lists_names(const kdr_bench_request *request) {
    const char *const value = request->google[KDR_BENCH_LIST];
    return value && (strchr("ty1", *value) || strcmp(value, "on") == 0);
}

/* Registers the rows that are wanted, or prints their names, and returns true if there are any. */
static bool register_rows(const kdr_bench_request *request, const kdr_bench_catalogue *all) {
    size_t registered = 0;
    const bool lists = lists_names(request);
    for (size_t i = 0; i < all->count; ++i) {
        const kdr_bench_entry *const entry = &all->entries[i];
        if (kdr_bench_is_wanted(request, entry->name, entry->principal)) {
            if (lists) {
                puts(entry->name);
            } else {
                kdr_bench_register(entry->name, entry->run, entry->row);
            }
            ++registered;
        }
    }
    return registered > 0;
}

static void say_peak(const kdr_bench_peak *peak, const kdr_bench_peak_unit *unit) {
    kdr_backend backend;
    kdr_real real;
    if (kdr_backend_from_name(unit->isa, &backend) != KDR_OK || kdr_real_from_name(unit->real, &real) != KDR_OK ||
        peak->width[backend][real] <= 0) {
        return;
    }
    char key[64], value[64];
    snprintf(key, sizeof key, "peak_%s_%s", unit->isa, unit->real);
    snprintf(value, sizeof value, "%.4g G %s/s, one core, before the first row", peak->width[backend][real] * 1e-9, unit->operation);
    kdr_bench_context(key, value);
}

/* Prints the flags of an opponent's unit of f32; those of f64 are the same. */
static void say_flags(const kdr_bench_autovec_unit *unit) {
    char key[64], value[512];
    if (strcmp(unit->real, kdr_real_name(KDR_F32)) != 0) {
        return;
    }
    snprintf(key, sizeof key, "flags_autovec-%s%s_%s", unit->maker, unit->isa, unit->arithmetic);
    snprintf(value, sizeof value, "%s: %s", unit->compiler, unit->flags);
    kdr_bench_context(key, value);
}

/* The flags of each backend's kernels for f32 and fused. The other kernels differ only in definitions. */
static const struct {
    const char *key, *flags;
} kernel_flags[] = {KDR_BENCH_KERNEL_FLAGS};

static void say_context(const kdr_bench_session *session) {
    kdr_cpu cpu;
    kdr_cpu_query(&cpu);
    kdr_bench_context("kickdrift", kdr_version());
    kdr_bench_context("processor", cpu.name);
#if defined(__clang__)
    kdr_bench_context("compiler", "clang " __clang_version__);
#else
    kdr_bench_context("compiler", "gcc " __VERSION__);
#endif
    kdr_bench_context("flags", KDR_BENCH_FLAGS);
    for (size_t i = 0; i < sizeof kernel_flags / sizeof *kernel_flags; ++i) {
        kdr_bench_context(kernel_flags[i].key, kernel_flags[i].flags);
    }
    for (const kdr_bench_autovec_unit *const *unit = kdr_bench_autovec_units; *unit; ++unit) {
        say_flags(*unit);
    }
    kdr_bench_context("steps", kdr_bench_rows_steps());
    for (const kdr_bench_peak_unit *const *unit = kdr_bench_peak_units; *unit; ++unit) {
        say_peak(&session->peak, *unit);
    }
}

static bool keep_out(const kdr_bench_request *request, fault *why) {
    return !request->out || rename(request->partial, request->out) == 0 ||
           fault_set(why, "bench: --benchmark_out: cannot write \"%.400s\": %s, expected a file that can be written", request->out,
                     strerror(errno));
}

static int against(const kdr_bench_request *request, const kdr_bench_rows *rows, const kdr_bench_session *session) {
    kdr_bench_verdict verdict = kdr_bench_against(request, rows);
    if (!verdict.rows) {
        return kdr_bench_report_no_row(request);
    }
    return verdict.below || session->failed ? KDR_EXIT_FAILED : KDR_EXIT_OK;
}

/* Runs the rows by Google Benchmark. */
static int measure(kdr_bench_request *request, kdr_bench_session *session) {
    fault why;
    say_context(session);
    kdr_bench_initialize(&request->argc, request->argv);
    kdr_bench_run();
    return !keep_out(request, &why) ? fault_report(&why) : session->failed ? KDR_EXIT_FAILED : KDR_EXIT_OK;
}

static bool is_in_suite(const void *context, const char *name) { return kdr_bench_is_wanted(context, name, true); }

/* Measures the suite and prints it, and writes its result to the open file if there is one. */
static bool measure_suite(const kdr_bench_request *request, kdr_bench_suite *suite, outfile *file, fault *why) {
    kdr_error error = {KDR_OK, ""};
    if (!kdr_bench_suite_check(suite, &error)) {
        return fault_set(why, "bench: --suite: %s", error.message);
    }
    if (!kdr_bench_suite_measure(suite, request->seconds > 0 ? request->seconds : SUITE_SECONDS, why)) {
        return false;
    }
    kdr_bench_suite_print(suite);
    if (!file->stream) {
        return true;
    }
    json_t *const result = kdr_bench_result_make(suite);
    const bool written = kdr_bench_result_write(result, file, why);
    json_decref(result);
    return written;
}

static int run_suite(const kdr_bench_request *request, kdr_bench_session *session, const kdr_bench_catalogue *all, kdr_backend only,
                     kdr_backend best) {
    static kdr_bench_suite suite;
    outfile file = {.stream = NULL};
    fault why;
    suite = (kdr_bench_suite){.session = session, .best = best};
    if (!kdr_bench_suite_list(&suite, all, only, is_in_suite, request)) {
        return kdr_bench_report_no_row(request);
    }
    const bool done = (!request->result || outfile_open(&file, request->result, &why)) && measure_suite(request, &suite, &file, &why);
    outfile_discard(&file);
    if (!done) {
        return fault_report(&why);
    }
    if (suite.fingerprint != suite.expected_fingerprint) {
        fprintf(stderr,
                "kickdrift: bench: the result is void: its fingerprint is %016" PRIx64 ", expected the reference's, %016" PRIx64 "\n",
                suite.fingerprint, suite.expected_fingerprint);
        return KDR_EXIT_FAILED;
    }
    return KDR_EXIT_OK;
}

static int run(kdr_bench_request *request, kdr_bench_session *session) {
    kdr_backend only = KDR_BACKEND_AUTO, best = KDR_BACKEND_AUTO;
    static kdr_bench_catalogue all;
    fault why;
    if (!choose_backends(&only, &best, &why)) {
        return fault_report(&why);
    }
    kdr_bench_catalogue_fill(&all, session, only, best);
    int status;
    if (all.out_of_memory) {
        fault_set(&why, "bench: out of memory");
        status = fault_report(&why);
    } else if (request->task == KDR_BENCH_AGAINST) {
        status = against(request, &all.steps, session);
    } else if (request->task == KDR_BENCH_MEASURE && !register_rows(request, &all)) {
        status = kdr_bench_report_no_row(request);
    } else if (request->task == KDR_BENCH_MEASURE && lists_names(request)) {
        status = KDR_EXIT_OK;
    } else {
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            kdr_bench_peak_measure(&session->peak, KDR_BACKEND_AUTO, (kdr_real)real, PEAK_REPEATS);
        }
        status = request->task == KDR_BENCH_SUITE ? run_suite(request, session, &all, only, best) : measure(request, session);
    }
    kdr_bench_catalogue_clear(&all);
    return status;
}

static int do_task(kdr_bench_request *request, kdr_bench_session *session) {
    switch (request->task) {
    case KDR_BENCH_COMPARE:
        return kdr_bench_result_compare(request->words + 1, request->fail_below);
    case KDR_BENCH_REPORT:
        return kdr_bench_result_report(request->words + 1, request->result);
    default:
        return run(request, session);
    }
}

int kdr_bench_main(int argc, char **argv) {
    static kdr_bench_request request;
    kdr_bench_session session = {.failed = false};
    fault why;
    const options_result parsed = kdr_bench_request_parse(&request, argc, argv, &why);
    const int status = parsed == OPTIONS_GO ? do_task(&request, &session) : parsed == OPTIONS_HELP ? KDR_EXIT_OK : fault_report(&why);
    if (request.partial) {
        remove(request.partial); /* exists only if something went wrong */
    }
    kdr_particles_destroy(&session.particles);
    kdr_bench_request_free(&request);
    return status;
}
