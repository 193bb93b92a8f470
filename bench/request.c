/* Reads the options of `kickdrift bench`. Google Benchmark answers a wrong flag with its usage and status 0, an unwritable file with status
 * 1 and a negative number of repetitions with an abort. So its flags are checked by a table here, and only good ones reach it. Its filter
 * is not used: the rows are filtered before they are registered, so that "no row matches" is known at once. */
#include "request.h"
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool compile_filter(kdr_bench_request *r, fault *why) {
    r->pattern = r->filter ? kdr_bench_pattern_create(r->filter + (*r->filter == '-')) : NULL;
    char text[64];
    return !r->filter || r->pattern ||
           fault_set(why, "bench: --benchmark_filter: expected a regular expression, found %s", fault_quote(r->filter, text, sizeof text));
}

/* The names of tasks, and the options that each takes in addition to those that it needs, as the messages name them. */
static const char *const task_names[] = {"", "--against", "--suite", "compare", "report"};
static const char *const task_takes[] = {"", "--all, --benchmark_filter and --benchmark_format=console or json",
                                         "--time, --out and --benchmark_filter", "--fail-below", "--out"};

/* Returns the name of an option that was given and that the task does not take, NULL if there is none. */
static const char *misplaced(const kdr_bench_request *r) {
    const kdr_bench_task task = r->task;
    const bool rows = task == KDR_BENCH_MEASURE, against = task == KDR_BENCH_AGAINST, suite = task == KDR_BENCH_SUITE;
    const struct {
        bool given, taken;
        const char *name;
    } options[] = {{r->all, rows || against, "all"},
                   {r->against, against, "against"},
                   {r->suite, suite, "suite"},
                   {r->seconds > 0, suite, "time"},
                   {r->result, suite || task == KDR_BENCH_REPORT, "out"},
                   {r->fail_below > 0, task == KDR_BENCH_COMPARE, "fail-below"},
                   {r->filter, rows || against || suite, "benchmark_filter"},
                   {r->out, rows, "benchmark_out"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
        if (options[i].given && !options[i].taken) {
            return options[i].name;
        }
    }
    for (int i = 0; i < KDR_BENCH_GOOGLE_FLAGS && !rows; ++i) {
        if (r->google[i] && !(against && i == KDR_BENCH_FORMAT && strcmp(r->google[i], "csv") != 0)) {
            return kdr_bench_spec.rows[KDR_BENCH_OWN_OPTIONS + i].name;
        }
    }
    return NULL;
}

/* Finds out what is asked for, and whether the options belong to it. */
static bool choose_task(kdr_bench_request *r, fault *why) {
    char text[64];
    const char *const word = r->words[0];
    const bool compare = word && strcmp(word, "compare") == 0, report = word && strcmp(word, "report") == 0;
    if (word && !compare && !report) {
        return fault_set(why, "bench: expected compare, report or no arguments, found %s", fault_quote(word, text, sizeof text));
    }
    r->task = compare      ? KDR_BENCH_COMPARE
              : report     ? KDR_BENCH_REPORT
              : r->suite   ? KDR_BENCH_SUITE
              : r->against ? KDR_BENCH_AGAINST
                           : KDR_BENCH_MEASURE;
    const char *const other = misplaced(r);
    if (other && r->task == KDR_BENCH_MEASURE) {
        return fault_set(why, "bench: --%s: expected %s with it", other,
                         strcmp(other, "time") == 0  ? "--suite"
                         : strcmp(other, "out") == 0 ? "--suite or report"
                                                     : "compare");
    }
    if (other) {
        return fault_set(why, "bench: %s: expected %s with it, found --%s", task_names[r->task], task_takes[r->task], other);
    }
    if (compare && (!r->words[1] || !r->words[2])) {
        return fault_set(why, "bench: compare: expected two result files or more");
    }
    return !report || (r->words[1] && r->result) || fault_set(why, "bench: report: expected result files and --out FILE");
}

/* Returns the three texts joined, to be freed; NULL if there is no memory. */
static char *joined(const char *name, const char *between, const char *value) {
    const size_t size = strlen(name) + strlen(between) + strlen(value) + 3;
    char *const text = malloc(size);
    if (text) {
        snprintf(text, size, "%s%s%s", name, between, value);
    }
    return text;
}

static bool pass_on(kdr_bench_request *r, const char *name, const char *value, fault *why) {
    char flag[64];
    snprintf(flag, sizeof flag, "--%s", name);
    r->argv[r->argc] = joined(flag, "=", value);
    return r->argv[r->argc++] || fault_set(why, "bench: out of memory");
}

/* Opens FILE.partial for the results, so that an unwritable file is found now and not after minutes. It becomes FILE when it is
 * complete. */
static bool open_out(kdr_bench_request *r, fault *why) {
    if (!r->out) {
        return true;
    }
    r->partial = joined(r->out, "", ".partial");
    FILE *const file = r->partial ? fopen(r->partial, "w") : NULL;
    if (!file) {
        return fault_set(why, "bench: --benchmark_out: cannot write \"%.400s.partial\": %s, expected a file that can be written", r->out,
                         strerror(errno));
    }
    fclose(file);
    return pass_on(r, "benchmark_out", r->partial, why);
}

static bool pass_all_on(kdr_bench_request *r, char *program, fault *why) {
    r->json = r->google[KDR_BENCH_FORMAT] && strcmp(r->google[KDR_BENCH_FORMAT], "json") == 0;
    r->google[KDR_BENCH_MIN_TIME] = r->google[KDR_BENCH_MIN_TIME] ? r->google[KDR_BENCH_MIN_TIME] : "0.05";
    r->google[KDR_BENCH_TABULAR] = r->google[KDR_BENCH_TABULAR] ? r->google[KDR_BENCH_TABULAR] : "true";
    r->argv[r->argc++] = program;
    for (int i = 0; i < KDR_BENCH_GOOGLE_FLAGS; ++i) {
        if (r->google[i] && !pass_on(r, kdr_bench_spec.rows[KDR_BENCH_OWN_OPTIONS + i].name, r->google[i], why)) {
            return false;
        }
    }
    return pass_on(r, "benchmark_filter", ".", why) && open_out(r, why);
}

options_result kdr_bench_request_parse(kdr_bench_request *request, int argc, char **argv, fault *why) {
    memset(request, 0, sizeof *request);
    if (argc > KDR_BENCH_WORDS) {
        fault_set(why, "bench: expected at most %d arguments, found %d", KDR_BENCH_WORDS - 1, argc - 1);
        return OPTIONS_WRONG;
    }
    const options_result parsed = options_parse(&kdr_bench_spec, argc, argv, request, request->words, why);
    if (parsed != OPTIONS_GO) {
        return parsed;
    }
    return compile_filter(request, why) && choose_task(request, why) && pass_all_on(request, argv[0], why) ? OPTIONS_GO : OPTIONS_WRONG;
}

bool kdr_bench_is_wanted(const kdr_bench_request *request, const char *name, bool principal) {
    if (!request->filter) {
        return request->all || principal;
    }
    return kdr_bench_pattern_matches(request->pattern, name) != (*request->filter == '-');
}

int kdr_bench_report_no_row(const kdr_bench_request *request) {
    fault why;
    char text[64];
    fault_set(&why, "bench: --benchmark_filter: no row matches %s, expected one that --all --benchmark_list_tests prints%s",
              fault_quote(request->filter ? request->filter : "", text, sizeof text), request->against ? " and that has an opponent" : "");
    return fault_report(&why);
}

void kdr_bench_request_free(kdr_bench_request *request) {
    kdr_bench_pattern_destroy(request->pattern);
    for (int i = 1; i < request->argc; ++i) {
        free(request->argv[i]);
    }
    free(request->partial);
}
