/* Google Benchmark answers a wrong flag with its usage and status 0, an unwritable file with status 1 and a negative number of repetitions
 * with an abort: so its flags are a table here, and only good ones reach it. Its filter does not reach it at all: the rows are filtered
 * before they are registered, so that "no row matches" is known at once. */
#include "request.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values that Google Benchmark reads once more are kept as text. */
static bool keep(bool is_right, const char *text, void *destination) {
    if (is_right) {
        *(const char **)destination = text;
    }
    return is_right;
}

static bool parse_seconds(const value_type *type, const char *text, void *destination) {
    double seconds;
    return keep(value_parse_number(type, text, &seconds), text, destination);
}

static bool parse_digits(const value_type *type, const char *text, void *destination) {
    uint64_t number;
    return keep(value_parse_uint64(type, text, &number) && (double)number >= type->low && (double)number <= type->high, text, destination);
}

static bool parse_context(const value_type *type, const char *text, void *destination) {
    (void)type;
    return keep(*text != '=' && strchr(text, '=') != NULL, text, destination);
}

static const char *opponent(int i) { return (const char *const[]){"autovec", "program", NULL}[i]; }

static const char *format(int i) { return (const char *const[]){"console", "json", "csv", NULL}[i]; }

static const char *unit(int i) { return (const char *const[]){"ns", "us", "ms", "s", NULL}[i]; }

static const char *colour(int i) { return i == 0 ? "auto" : VALUE_SWITCH.name(i - 1); }

static const value_type opponent_type = {.parse = value_parse_word, .name = opponent};
static const value_type regex_type = {.parse = value_parse_text, .expected = "a regular expression"};
static const value_type file_type = {.parse = value_parse_text, .expected = "a file name"};
static const value_type format_type = {.parse = value_parse_word, .name = format};
static const value_type unit_type = {.parse = value_parse_word, .name = unit};
static const value_type colour_type = {.parse = value_parse_word, .expected = "auto, true or false", .name = colour};
static const value_type seconds_type = {
    .parse = parse_seconds, .expected = "seconds, above 0 and at most 10000", .high = 1e4, .nonzero = true};
static const value_type count_type = {.parse = parse_digits, .expected = "a whole number from 1 to 1000000", .low = 1, .high = 1e6};
static const value_type level_type = {.parse = parse_digits, .expected = "a digit", .high = 9};
static const value_type context_type = {.parse = parse_context, .expected = "KEY=VALUE"};
static const value_type counters_type = {.parse = value_parse_text, .expected = "names, where Google Benchmark was built with libpfm"};

enum { OF_GOOGLE = 4, FORMAT = 0, MIN_TIME = 3, TABULAR = 9 };
#define GOOGLE(i) offsetof(kdr_bench_request, google) + (i) * sizeof(const char *)

/* Ours, then Google Benchmark's, in the order of kdr_bench_request.google. */
static const option_row rows[OF_GOOGLE + KDR_BENCH_GOOGLE_FLAGS] = {
    {"all", NULL, NULL, offsetof(kdr_bench_request, all), "every row: a few thousand, which take most of an hour"},
    {"against", "OPPONENT", &opponent_type, offsetof(kdr_bench_request, against),
     "each row beside the fastest plain loop, or its hot instance beside the program alone, as a ratio"},
    {"benchmark_filter", "REGEX", &regex_type, offsetof(kdr_bench_request, filter),
     "rows whose name matches, of all; =-REGEX: that do not"},
    {"benchmark_out", "FILE", &file_type, offsetof(kdr_bench_request, out), "write the results to a file too"},
    {"benchmark_format", "FORMAT", &format_type, GOOGLE(FORMAT), "of standard output (console)"},
    {"benchmark_out_format", "FORMAT", &format_type, GOOGLE(1), "of that file (json)"},
    {"benchmark_list_tests", "BOOL", &VALUE_SWITCH, GOOGLE(2), "print the names of the rows and run nothing"},
    {"benchmark_min_time", "SECONDS", &seconds_type, GOOGLE(MIN_TIME), "for each row (0.05)"},
    {"benchmark_min_warmup_time", "SECONDS", &seconds_type, GOOGLE(4), "before each row"},
    {"benchmark_repetitions", "N", &count_type, GOOGLE(5), "of each row, with mean, median and spread"},
    {"benchmark_report_aggregates_only", "BOOL", &VALUE_SWITCH, GOOGLE(6), "no single repetitions, anywhere"},
    {"benchmark_display_aggregates_only", "BOOL", &VALUE_SWITCH, GOOGLE(7), "no single repetitions on standard output"},
    {"benchmark_enable_random_interleaving", "BOOL", &VALUE_SWITCH, GOOGLE(8), "mix the repetitions of different rows"},
    {"benchmark_counters_tabular", "BOOL", &VALUE_SWITCH, GOOGLE(TABULAR), "counters in columns (true)"},
    {"benchmark_color", "WHEN", &colour_type, GOOGLE(10), "colours on standard output"},
    {"benchmark_time_unit", "UNIT", &unit_type, GOOGLE(11), "unit of rows that do not say theirs (ours say us)"},
    {"benchmark_context", "KEY=VALUE,...", &context_type, GOOGLE(12), "more lines for the context"},
    {"benchmark_perf_counters", "NAMES", &counters_type, GOOGLE(13), "performance counters"},
    {"v", "LEVEL", &level_type, GOOGLE(14), "Google Benchmark's own messages"},
};

static const options_spec spec = {
    "bench",
    "",
    0,
    "Measures acceleration evaluations per second: one is the acceleration of one particle at one stage.",
    "A row is step/METHOD/FIELD/REAL/ARITHMETIC/BACKEND/COUNT, with /threads:N behind where OpenMP shares the work.\n"
    "BACKEND is one of the library's, `reference`, or `autovec-ISA`: the plain loop, vectorised by the compiler.\n"
    "Columns: evals/s; best, the same of the fastest call (on a busy machine the steadier number); bytes/s of state, read and\n"
    "written once a call; fma_peak, the row's arithmetic as a fraction of the multiply-adds that this core (as many cores as\n"
    "threads) can do at its widest; width_peak, the same at the width of the row's own backend; steps a call.\n"
    "With --against autovec: each row's speed over that of the fastest plain loop for its instruction set, of all arithmetics and\n"
    "compilers, measured in turns; status 1 when a ratio is below 0.97. With --against program likewise of rows that have a hot\n"
    "instance, over that of the same integrator without it: what the instance is there for.\n"
    "Without --all and without a filter: every method, field and precision at one count, and more where it tells most.\n"
    "With KDR_BACKEND set: the rows of that backend, its autovec and the reference.\n",
    rows,
    sizeof rows / sizeof *rows};

static bool compile_filter(kdr_bench_request *r, fault *why) {
    r->pattern = r->filter ? kdr_bench_pattern_create(r->filter + (*r->filter == '-')) : NULL;
    char text[64];
    return !r->filter || r->pattern ||
           fault_set(why, "bench: --benchmark_filter: expected a regular expression, found %s", fault_quote(r->filter, text, sizeof text));
}

/* Google Benchmark has no part in rows beside their opponents. */
static bool fits_against(const kdr_bench_request *r, fault *why) {
    const char *given = r->out ? "benchmark_out" : NULL;
    for (int i = 0; i < KDR_BENCH_GOOGLE_FLAGS; ++i) {
        if (r->google[i] && (i != FORMAT || strcmp(r->google[i], "csv") == 0)) {
            given = rows[OF_GOOGLE + i].name;
        }
    }
    return !r->against || !given ||
           fault_set(why,
                     "bench: --against: expected --all, --benchmark_filter and --benchmark_format=console or json beside it, found --%s",
                     given);
}

/* Text that is to be freed, or NULL. */
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

/* The results go to FILE.partial, which must be writable now, not after minutes, and become FILE when they are whole. */
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
    r->json = r->google[FORMAT] && strcmp(r->google[FORMAT], "json") == 0;
    r->google[MIN_TIME] = r->google[MIN_TIME] ? r->google[MIN_TIME] : "0.05";
    r->google[TABULAR] = r->google[TABULAR] ? r->google[TABULAR] : "true";
    r->argv[r->argc++] = program;
    for (int i = 0; i < KDR_BENCH_GOOGLE_FLAGS; ++i) {
        if (r->google[i] && !pass_on(r, rows[OF_GOOGLE + i].name, r->google[i], why)) {
            return false;
        }
    }
    return pass_on(r, "benchmark_filter", ".", why) && open_out(r, why);
}

options_result kdr_bench_request_parse(kdr_bench_request *request, int argc, char **argv, fault *why) {
    memset(request, 0, sizeof *request);
    const options_result parsed = options_parse(&spec, argc, argv, request, NULL, why);
    if (parsed != OPTIONS_GO) {
        return parsed;
    }
    return compile_filter(request, why) && fits_against(request, why) && pass_all_on(request, argv[0], why) ? OPTIONS_GO : OPTIONS_WRONG;
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
