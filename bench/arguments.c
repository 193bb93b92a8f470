/* The arguments of `kickdrift bench` (see arguments.h).
 *
 * Google Benchmark answers a wrong flag with its usage and status 0, an unwritable file with status 1 and a negative number of repetitions
 * with an abort: so its flags are a table here, and only good ones reach it. Its filter does not reach it at all: the rows are filtered
 * before they are registered, so that "no row matches" is known at once. */

#include "arguments.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEFAULTS = 3 };

typedef bool check_fn(const char *value);

typedef struct flag {
    const char *name;
    const char *value; /* what --help calls the value */
    check_fn *check;   /* of the value; NULL: no value */
    const char *expected;
    const char *help;
} flag;

static bool one_of(const char *value, const char *const *words) {
    while (*words && strcmp(value, *words) != 0)
        words++;
    return *words != NULL;
}

static bool is_boolean(const char *value) {
    return one_of(value, (const char *const[]){"true", "false", "yes", "no", "on", "off", "1", "0", NULL});
}

static bool is_format(const char *value) { return one_of(value, (const char *const[]){"console", "json", "csv", NULL}); }

static bool is_colour(const char *value) {
    return one_of(value, (const char *const[]){"auto", "true", "false", "yes", "no", "on", "off", "1", "0", NULL});
}

static bool is_unit(const char *value) { return one_of(value, (const char *const[]){"ns", "us", "ms", "s", NULL}); }

static bool is_opponent(const char *value) { return one_of(value, (const char *const[]){"autovec", NULL}); }

static bool is_text(const char *value) { return *value != '\0'; }

static bool is_seconds(const char *value) {
    char *end;
    double seconds = strtod(value, &end);
    return end != value && *end == '\0' && isfinite(seconds) && seconds > 0 && seconds <= 1e4;
}

static bool is_count(const char *value) {
    char *end;
    long count = strtol(value, &end, 10);
    return end != value && *end == '\0' && count >= 1 && count <= 1000000;
}

static bool is_level(const char *value) { return strlen(value) == 1 && *value >= '0' && *value <= '9'; }

static bool is_context(const char *value) {
    const char *equals = strchr(value, '=');
    return equals && equals != value;
}

#define BOOLEAN "true|false", is_boolean, "true or false"
#define FORMAT "FORMAT", is_format, "console, json or csv"

static const flag flags[] = {
    {"--help", NULL, NULL, "", "print this text"},
    {"--all", NULL, NULL, "", "every row: a few thousand, which take most of an hour"},
    {"--against", "autovec", is_opponent, "autovec", "each row beside the fastest plain loop, as a ratio"},
    {"--benchmark_filter", "REGEX", is_text, "a regular expression", "rows whose name matches, of all; -REGEX: that do not"},
    {"--benchmark_out", "FILE", is_text, "a file name", "write the results to a file too"},
    {"--benchmark_out_format", FORMAT, "of that file (json)"},
    {"--benchmark_format", FORMAT, "of standard output (console)"},
    {"--benchmark_list_tests", BOOLEAN, "print the names of the rows and run nothing"},
    {"--benchmark_min_time", "SECONDS", is_seconds, "seconds, above 0 and at most 10000", "for each row (0.05)"},
    {"--benchmark_min_warmup_time", "SECONDS", is_seconds, "seconds, above 0 and at most 10000", "before each row"},
    {"--benchmark_repetitions", "N", is_count, "a number from 1 to 1000000", "of each row, with mean, median and spread"},
    {"--benchmark_report_aggregates_only", BOOLEAN, "no single repetitions, anywhere"},
    {"--benchmark_display_aggregates_only", BOOLEAN, "no single repetitions on standard output"},
    {"--benchmark_enable_random_interleaving", BOOLEAN, "mix the repetitions of different rows"},
    {"--benchmark_counters_tabular", BOOLEAN, "counters in columns (true)"},
    {"--benchmark_color", "WHEN", is_colour, "auto, true or false", "colours on standard output"},
    {"--benchmark_time_unit", "UNIT", is_unit, "ns, us, ms or s", "unit of rows that do not say theirs (ours say us)"},
    {"--benchmark_context", "KEY=VALUE,...", is_context, "KEY=VALUE", "more lines for the context"},
    {"--benchmark_perf_counters", "NAMES", is_text, "names of performance counters", "where Google Benchmark was built with libpfm"},
    {"--v", "LEVEL", is_level, "a digit", "Google Benchmark's own messages"},
};
enum { FLAG_COUNT = sizeof flags / sizeof *flags };

void kdr_bench_complain(const char *format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "kickdrift: bench: %s\n", text);
}

void kdr_bench_print_help(void) {
    printf("usage: kickdrift bench [options]\n\n"
           "Measures acceleration evaluations per second: one is the acceleration of one particle at one stage.\n\n"
           "A row is step/METHOD/FIELD/REAL/ARITHMETIC/BACKEND/COUNT, with /threads:N behind where OpenMP shares the work.\n"
           "BACKEND is one of the library's, `reference`, or `autovec-ISA`: the plain loop, vectorised by the compiler.\n"
           "Columns: evals/s; best, the same of the fastest call (on a busy machine the steadier number); bytes/s of state, read and\n"
           "written once a call; fma_peak, the row's arithmetic as a fraction of the multiply-adds that this core (as many cores as\n"
           "threads) can do at its widest; width_peak, the same at the width of the row's own backend; steps a call.\n"
           "With --against autovec: each row's speed over that of the fastest plain loop for its instruction set, of all arithmetics and\n"
           "compilers, measured in turns; status 1 when a ratio is below 0.97.\n"
           "Without --all and without a filter: every method, field and precision at one count, and more where it tells most.\n"
           "With KDR_BACKEND set: the rows of that backend, its autovec and the reference.\n\n"
           "options:\n");
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", flags[i].name, flags[i].value ? "=" : "", flags[i].value ? flags[i].value : "");
        printf("  %-52s %s\n", left, flags[i].help);
    }
}

static const flag *flag_of(const char *argument, size_t length) {
    for (size_t i = 0; i < FLAG_COUNT; i++)
        if (strlen(flags[i].name) == length && strncmp(flags[i].name, argument, length) == 0)
            return &flags[i];
    return NULL;
}

static bool check(const char *argument, const flag **found) {
    size_t length = strcspn(argument, "=");
    const char *value = argument[length] ? argument + length + 1 : NULL;
    *found = flag_of(argument, length);
    if (!*found)
        kdr_bench_complain("unknown argument \"%.80s\", expected one that kickdrift bench --help lists", argument);
    else if (!(*found)->check && value)
        kdr_bench_complain("%s: takes no value, found \"%.80s\"", (*found)->name, value);
    else if ((*found)->check && !value && (*found)->check != is_boolean)
        kdr_bench_complain("%s: a value is missing, expected %s=%s", (*found)->name, (*found)->name, (*found)->value);
    else if (value && !(*found)->check(value))
        kdr_bench_complain("%s: expected %s, found \"%.80s\"", (*found)->name, (*found)->expected, value);
    else
        return true;
    return false;
}

/* The results go to FILE.partial, which must be writable now, not after minutes, and become FILE when they are whole. */
static bool open_out(kdr_bench_arguments *arguments) {
    static const char format[] = "--benchmark_out=%s.partial";
    size_t size = sizeof format + strlen(arguments->out);
    arguments->out_argument = malloc(size);
    if (!arguments->out_argument) {
        kdr_bench_complain("out of memory");
        return false;
    }
    snprintf(arguments->out_argument, size, format, arguments->out);
    arguments->partial = strchr(arguments->out_argument, '=') + 1;
    FILE *file = fopen(arguments->partial, "w");
    if (!file) {
        kdr_bench_complain("--benchmark_out: cannot write \"%.400s\": %s, expected a file that can be written", arguments->partial,
                           strerror(errno));
        return false;
    }
    fclose(file);
    arguments->argv[arguments->argc++] = arguments->out_argument;
    return true;
}

static bool compile_filter(kdr_bench_arguments *arguments) {
    const char *filter = arguments->filter;
    arguments->compiled = filter && regcomp(&arguments->regex, filter + (*filter == '-'), REG_EXTENDED | REG_NOSUB) == 0;
    if (filter && !arguments->compiled)
        kdr_bench_complain("--benchmark_filter: expected a regular expression, found \"%.200s\"", filter);
    return !filter || arguments->compiled;
}

static void pass_on(kdr_bench_arguments *arguments, char *argument) {
    static const char json[] = "--benchmark_format=json", console[] = "--benchmark_format=console";
    arguments->argv[arguments->argc++] = argument;
    if (strncmp(argument, json, strcspn(json, "=")) == 0)
        arguments->json = strcmp(argument, json) == 0;
    if (strcmp(argument, json) != 0 && strcmp(argument, console) != 0)
        arguments->of_google = argument;
}

/* Google Benchmark has no part in it. */
static bool fits_against(const kdr_bench_arguments *arguments) {
    if (arguments->against && arguments->of_google)
        kdr_bench_complain(
            "--against: expected --all, --benchmark_filter and --benchmark_format=console or json beside it, found \"%.80s\"",
            arguments->of_google);
    return !arguments->against || !arguments->of_google;
}

bool kdr_bench_arguments_parse(kdr_bench_arguments *arguments, int argc, char **argv) {
    static char *defaults[MOST_DEFAULTS] = {"--benchmark_min_time=0.05", "--benchmark_counters_tabular=true", "--benchmark_filter=."};
    *arguments = (kdr_bench_arguments){.argv = calloc((size_t)argc + MOST_DEFAULTS + 2, sizeof *argv)};
    if (!arguments->argv) {
        kdr_bench_complain("out of memory");
        return false;
    }
    arguments->argv[arguments->argc++] = argv[0];
    for (int i = 0; i < MOST_DEFAULTS; i++)
        arguments->argv[arguments->argc++] = defaults[i];

    for (int i = 1; i < argc; i++) {
        const flag *found;
        char joined[128];
        const bool apart = i + 1 < argc && strcmp(argv[i], "--against") == 0; /* `--against autovec` too */
        if (apart)
            snprintf(joined, sizeof joined, "%s=%s", argv[i], argv[i + 1]);
        if (!check(apart ? joined : argv[i], &found))
            return false;
        i += apart;
        const char *value = strchr(argv[i], '=');
        if (strcmp(found->name, "--help") == 0)
            arguments->help = true;
        else if (strcmp(found->name, "--all") == 0)
            arguments->all = true;
        else if (strcmp(found->name, "--benchmark_filter") == 0)
            arguments->filter = value + 1;
        else if (strcmp(found->name, "--against") == 0)
            arguments->against = true;
        else if (strcmp(found->name, "--benchmark_out") == 0)
            arguments->of_google = argv[i], arguments->out = value + 1;
        else
            pass_on(arguments, argv[i]);
    }
    return arguments->help || (compile_filter(arguments) && fits_against(arguments) && (!arguments->out || open_out(arguments)));
}

bool kdr_bench_is_wanted(const kdr_bench_arguments *arguments, const char *name, bool principal) {
    if (!arguments->filter)
        return arguments->all || principal;
    return (regexec(&arguments->regex, name, 0, NULL, 0) == 0) != (*arguments->filter == '-');
}

void kdr_bench_complain_of_no_row(const kdr_bench_arguments *arguments) {
    kdr_bench_complain("--benchmark_filter: no row matches \"%.200s\", expected one that --all --benchmark_list_tests prints%s",
                       arguments->filter ? arguments->filter : "", arguments->against ? " and that has an opponent" : "");
}

void kdr_bench_arguments_free(kdr_bench_arguments *arguments) {
    if (arguments->compiled)
        regfree(&arguments->regex);
    free(arguments->out_argument);
    free(arguments->argv);
}
