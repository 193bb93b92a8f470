/* Makes the JSON object of a result (see result.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <kickdrift/kickdrift.h>

#include "build_flags.h"
#include "caches.h"
#include "clock.h"
#include "host.h"
#include "json.h"
#include "memory_pass.h"
#include "result.h"
#include "roots.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static json_t *make_caches(void) {
    json_t *const array = json_array();
    caches_row caches[MOST_CACHES];
    const int count = caches_read(caches);
    for (int i = 0; i < count; ++i) {
        json_array_append_new(
            array, json_pack("{s:i, s:s, s:I}", "level", caches[i].level, "type", caches[i].type, "bytes", (json_int_t)caches[i].bytes));
    }
    return array;
}

static json_t *make_machine(const kdr_bench_suite *suite) {
    kdr_cpu cpu;
    struct utsname os;
    char system[256] = "unknown";
    json_t *const backends = json_array();
    kdr_backend_info info;
    kdr_cpu_query(&cpu);
    if (uname(&os) >= 0) {
        snprintf(system, sizeof system, "%.80s %.80s %.80s", os.sysname, os.release, os.machine); /* without the machine's name */
    }
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        if (kdr_backend_query((kdr_backend)b, &info) == KDR_OK && info.runnable) {
            json_array_append_new(backends, json_string(info.name));
        }
    }
    kdr_backend_query(suite->best, &info);
    return json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:s}", "processor", json_text(cpu.name), "processors", host_processors(),
                     "memory_bytes", json_number(host_memory()), "caches", make_caches(), "system", json_text(system), "backends", backends,
                     "best_backend", info.name);
}

static json_t *make_build(void) {
    static const struct {
        const char *key, *flags;
    } kernels[] = {KDR_BENCH_KERNEL_FLAGS};
    json_t *const flags = json_object();
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i) {
        json_object_set_new(flags, kernels[i].key + strlen("flags_"), json_text(kernels[i].flags));
    }
    return json_pack("{s:s, s:s, s:o}", "compiler", COMPILER, "flags", KDR_BENCH_FLAGS, "kernel_flags", flags);
}

static json_t *make_quiet(const kdr_bench_quiet *quiet) {
    json_t *const reasons = json_array();
    for (size_t i = 0; i < quiet->reason_count; ++i) {
        json_array_append_new(reasons, json_text(quiet->reasons[i]));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "reasons", reasons, "load_average", json_number(quiet->load), "stolen",
                     json_number(quiet->stolen), "others", json_number(quiet->others), "calibration", json_number(quiet->calibration));
}

/* ---- peaks of the machine, for the roofline */

static json_t *make_multiply_adds(const kdr_bench_peak *peak) {
    json_t *const array = json_array();
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        for (int real = 0; real < KDR_REAL_COUNT && kdr_backend_query((kdr_backend)b, &info) == KDR_OK; ++real) {
            if (peak->width[b][real] > 0) {
                json_array_append_new(array, json_pack("{s:s, s:s, s:f}", "backend", info.name, "real", kdr_real_name((kdr_real)real),
                                                       "per_second", peak->width[b][real]));
            }
        }
    }
    return array;
}

static double fastest_root(const kdr_bench_roots_unit *unit) {
    enum { TRIES = 10, ROUNDS = 1024 };
    double fastest = INFINITY;
    for (int i = 0; i < TRIES; ++i) {
        const double begun = kdr_bench_seconds();
        double sum = unit->run(ROUNDS);
        kdr_bench_keep(&sum);
        fastest = fmin(fastest, kdr_bench_seconds() - begun);
    }
    return ROUNDS * unit->per_round / fastest;
}

/* The rates of pairs of a square root and a division, by the best backend's instruction set. */
static json_t *make_roots(const char *backend) {
    json_t *const array = json_array();
    for (const kdr_bench_roots_unit *const *unit = kdr_bench_roots_units; *unit; ++unit) {
        if (strcmp((*unit)->isa, backend) == 0) {
            json_array_append_new(
                array, json_pack("{s:s, s:s, s:f}", "backend", backend, "real", (*unit)->real, "per_second", fastest_root(*unit)));
        }
    }
    return array;
}

/* Returns the rate at which a plain pass moves bytes of three arrays that have `bytes` together. */
static double pass_rate(const kdr_bench_memory_pass_unit *unit, size_t bytes) {
    enum { MOVED = 5, ARRAYS = 3, TRIES = 12 };
    const size_t n = bytes / ARRAYS / sizeof(double);
    const double least = 2e-3; /* seconds of a measurement */
    double *const memory = malloc(ARRAYS * n * sizeof *memory);
    double best = 0;
    if (!memory) {
        return NAN;
    }
    kdr_bench_fill(memory, KDR_F64, ARRAYS * n, 7); /* memory that was never written shares one page */
    for (int i = 0; i < TRIES; ++i) {
        size_t passes = 0;
        const double begun = kdr_bench_seconds();
        double taken;
        do {
            unit->pass(memory, memory + n, memory + 2 * n, n);
            kdr_bench_keep(memory);
            ++passes;
            taken = kdr_bench_seconds() - begun;
        } while (taken < least);
        best = fmax(best, MOVED * (double)(n * sizeof *memory * passes) / taken);
    }
    free(memory);
    return best;
}

static json_t *make_bandwidth(const char *backend) {
    static const size_t sizes[] = {24 << 10, 384 << 10, 6 << 20, 192 << 20};
    json_t *const array = json_array();
    for (const kdr_bench_memory_pass_unit *const *unit = kdr_bench_memory_pass_units; *unit; ++unit) {
        for (size_t i = 0; strcmp((*unit)->isa, backend) == 0 && strcmp((*unit)->real, "f64") == 0 && i < sizeof sizes / sizeof *sizes;
             ++i) {
            json_array_append_new(
                array, json_pack("{s:I, s:o}", "bytes", (json_int_t)sizes[i], "bytes_per_second", json_number(pass_rate(*unit, sizes[i]))));
        }
    }
    return array;
}

static json_t *make_peaks(const kdr_bench_suite *suite) {
    kdr_backend_info info;
    kdr_backend_query(suite->best, &info);
    return json_pack("{s:o, s:o, s:o}", "multiply_adds", make_multiply_adds(&suite->session->peak), "divided_roots", make_roots(info.name),
                     "bandwidth", make_bandwidth(info.name));
}

/* ---- rows and what is computed from them */

static json_t *make_row(const kdr_bench_suite_row *row) {
    kdr_backend_info info;
    json_t *const values = json_array();
    kdr_backend_query(row->backend, &info);
    for (size_t i = 0; i < row->summary.count; ++i) {
        json_array_append_new(values, json_number(row->values[i]));
    }
    const double median = row->summary.median;
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:o, s:o, s:o, s:o, s:b, s:I, s:o, s:o, s:o}", "name", row->name, "entry", row->entry->name,
        "stands_for", row->workload->stands_for, "backend", info.name, "real", kdr_real_name(row->workload->real), "threads", row->threads,
        "unit", row->workload->unit, "median", json_number(median), "best", json_number(row->best), "low", json_number(row->summary.low),
        "high", json_number(row->summary.high), "settled", row->settled, "calls_per_repetition", (json_int_t)row->iterations, "values",
        values, "multiply_adds_per_second", json_number(row->multiply_adds * median), "bytes_per_second", json_number(row->bytes * median));
}

static json_t *make_scores(const kdr_bench_suite *suite) {
    json_t *const backends = json_object();
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        const double score = kdr_bench_suite_score(suite, kdr_bench_is_backend, b);
        if (!isnan(score) && kdr_backend_query((kdr_backend)b, &info) == KDR_OK) {
            json_object_set_new(backends, info.name, json_number(score));
        }
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "all", json_number(kdr_bench_suite_score(suite, kdr_bench_is_best, 0)), "f32",
                     json_number(kdr_bench_suite_score(suite, kdr_bench_is_real, KDR_F32)), "f64",
                     json_number(kdr_bench_suite_score(suite, kdr_bench_is_real, KDR_F64)), "one_thread",
                     json_number(kdr_bench_suite_score(suite, kdr_bench_is_threads, 0)), "all_threads",
                     json_number(kdr_bench_suite_score(suite, kdr_bench_is_threads, 1)), "backends", backends);
}

static json_t *make_headlines(const kdr_bench_suite *suite) {
    json_t *const array = json_array();
    for (int i = 0; i < KDR_BENCH_HEADLINES; ++i) {
        const kdr_bench_headline *const headline = &kdr_bench_headlines[i];
        json_array_append_new(array, json_pack("{s:s, s:s, s:o, s:s}", "name", headline->name, "row", headline->workload, "value",
                                               json_number(kdr_bench_headline_value(suite, headline)), "unit", headline->unit));
    }
    return array;
}

json_t *kdr_bench_result_make(const kdr_bench_suite *suite) {
    char date[32];
    const time_t now = time(NULL);
    struct tm parts;
    json_t *const rows = json_array();
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    for (size_t i = 0; i < suite->count; ++i) {
        json_array_append_new(rows, make_row(&suite->rows[i]));
    }
    return json_pack("{s:s, s:i, s:i, s:s, s:s, s:o, s:o, s:b, s:b, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format",
                     KDR_BENCH_RESULT_FORMAT, "format_version", KDR_BENCH_RESULT_VERSION, "suite_version", KDR_BENCH_SUITE_VERSION,
                     "library_version", kdr_version(), "date", date, "fingerprint", json_bits(suite->fingerprint), "expected_fingerprint",
                     json_bits(suite->expected_fingerprint), "void", suite->fingerprint != suite->expected_fingerprint, "quiet",
                     suite->quiet.reason_count == 0, "seconds", suite->seconds, "machine", make_machine(suite), "build", make_build(),
                     "watch", make_quiet(&suite->quiet), "peaks", make_peaks(suite), "headlines", make_headlines(suite), "scores",
                     make_scores(suite), "rows", rows);
}

bool kdr_bench_result_write(const json_t *result, outfile *file, fault *why) {
    if (!result) {
        return fault_set(why, "bench: out of memory");
    }
    if (json_dumpf(result, file->stream, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) != 0 || fputc('\n', file->stream) == EOF) {
        return fault_set(why, "bench: --out: cannot write \"%.400s\", expected room for the result", file->target);
    }
    return outfile_commit(file, why);
}
