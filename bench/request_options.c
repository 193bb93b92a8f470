/* The options of `kickdrift bench`, its own and Google Benchmark's, with the texts of --help. The program `kickdrift` contains them too,
 * for its manual and its completion. */
#include "commands.h"
#include "request.h"

#include <stdint.h>
#include <string.h>

/* Keeps a value as text, because Google Benchmark reads it again. */
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
static const value_type seconds_value_type = {
    .parse = value_parse_number, .expected = "seconds, above 0 and at most 100000", .high = 1e5, .nonzero = true};
static const value_type ratio_type = {.parse = value_parse_number, .expected = "a ratio above 0 and at most 1", .high = 1, .nonzero = true};
static const value_type count_type = {.parse = parse_digits, .expected = "a whole number from 1 to 1000000", .low = 1, .high = 1e6};
static const value_type level_type = {.parse = parse_digits, .expected = "a digit", .high = 9};
static const value_type context_type = {.parse = parse_context, .expected = "KEY=VALUE"};
static const value_type counters_type = {.parse = value_parse_text, .expected = "names, where Google Benchmark was built with libpfm"};

#define GOOGLE(i) offsetof(kdr_bench_request, google) + (i) * sizeof(const char *)

/* The first rows are our own options, then Google Benchmark's follow in the order of kdr_bench_request.google. */
static const option_row rows[KDR_BENCH_OWN_OPTIONS + KDR_BENCH_GOOGLE_FLAGS] = {
    {"all", NULL, NULL, offsetof(kdr_bench_request, all), "every row: tens of thousands, which take hours"},
    {"against", "OPPONENT", &opponent_type, offsetof(kdr_bench_request, against),
     "print ratios: of each row to the fastest plain loop, or of its specialised kernel to the program alone"},
    {"suite", NULL, NULL, offsetof(kdr_bench_request, suite),
     "measure a fixed list of rows in turns, and print headline numbers and a score"},
    {"time", "SECONDS", &seconds_value_type, offsetof(kdr_bench_request, seconds), "the most time that the suite takes (180)"},
    {"out", "FILE", &file_type, offsetof(kdr_bench_request, result), "the suite's result as JSON, or the page of report"},
    {"fail-below", "RATIO", &ratio_type, offsetof(kdr_bench_request, fail_below),
     "compare: status 1 if a row is significantly slower than the first file's by this ratio"},
    {"benchmark_filter", "REGEX", &regex_type, offsetof(kdr_bench_request, filter),
     "rows whose name matches, of all; =-REGEX: that do not"},
    {"benchmark_out", "FILE", &file_type, offsetof(kdr_bench_request, out), "write the results to a file too"},
    {"benchmark_format", "FORMAT", &format_type, GOOGLE(KDR_BENCH_FORMAT), "of standard output (console)"},
    {"benchmark_out_format", "FORMAT", &format_type, GOOGLE(1), "of that file (json)"},
    {"benchmark_list_tests", "BOOL", &VALUE_SWITCH, GOOGLE(KDR_BENCH_LIST), "print the names of the rows and run nothing"},
    {"benchmark_min_time", "SECONDS", &seconds_type, GOOGLE(KDR_BENCH_MIN_TIME), "for each row (0.05)"},
    {"benchmark_min_warmup_time", "SECONDS", &seconds_type, GOOGLE(4), "before each row"},
    {"benchmark_repetitions", "N", &count_type, GOOGLE(5), "of each row, with mean, median and spread"},
    {"benchmark_report_aggregates_only", "BOOL", &VALUE_SWITCH, GOOGLE(6), "no single repetitions, anywhere"},
    {"benchmark_display_aggregates_only", "BOOL", &VALUE_SWITCH, GOOGLE(7), "no single repetitions on standard output"},
    {"benchmark_enable_random_interleaving", "BOOL", &VALUE_SWITCH, GOOGLE(8), "mix the repetitions of different rows"},
    {"benchmark_counters_tabular", "BOOL", &VALUE_SWITCH, GOOGLE(KDR_BENCH_TABULAR), "counters in columns (true)"},
    {"benchmark_color", "WHEN", &colour_type, GOOGLE(10), "colours on standard output"},
    {"benchmark_time_unit", "UNIT", &unit_type, GOOGLE(11), "unit of rows that do not say theirs (ours say us)"},
    {"benchmark_context", "KEY=VALUE,...", &context_type, GOOGLE(12), "more lines for the context"},
    {"benchmark_perf_counters", "NAMES", &counters_type, GOOGLE(13), "performance counters"},
    {"v", "LEVEL", &level_type, GOOGLE(14), "Google Benchmark's own messages"},
};

const options_spec kdr_bench_spec = {
    "bench",
    "[compare FILES | report FILES]",
    OPTIONS_ANY_COUNT,
    "Measures acceleration evaluations per second: one is the acceleration of one particle at one stage.",
    "With --suite: some 30 rows that stand for real work, each measured until its interval is within 1 % or the time is up. "
    "The result says whether the machine was quiet. --out writes it to a file.\n"
    "compare prints ratios of result files to the first of them, with intervals. report --out FILE draws them on one page.\n"
    "A row is step/METHOD/FIELD/REAL/ARITHMETIC/BACKEND/COUNT, followed by /threads:N where OpenMP shares the work.\n"
    "BACKEND is one of the library's, `reference`, or `autovec-ISA`: the plain loop, vectorised by the compiler.\n"
    "Columns: evals/s; best, the same of the fastest call (on a busy machine the steadier number); bytes/s of state, read and "
    "written once a call; fma_peak, the row's arithmetic as a fraction of the multiply-adds that this core (as many cores as "
    "threads) can do at its widest; width_peak, the same at the width of the row's own backend; steps a call.\n"
    "With --against autovec: each row's speed over that of the fastest plain loop for its instruction set, of all arithmetics and "
    "compilers, measured in turns; status 1 when a ratio is below 0.97. With --against program: the speed of each row that has a "
    "specialised kernel, over that of the same integrator without it.\n"
    "Without --all and without a filter: every method, field and precision at one count, and more where it tells most.\n"
    "With KDR_BACKEND set: the rows of that backend, its autovec and the reference.\n",
    rows,
    sizeof rows / sizeof *rows};
