/* The arguments of `kickdrift bench`: ours, and Google Benchmark's, which are checked here and passed on. */
#ifndef KDR_BENCH_ARGUMENTS_H
#define KDR_BENCH_ARGUMENTS_H

#include <regex.h>
#include <stdbool.h>

typedef struct kdr_bench_arguments {
    bool help;
    bool all;            /* every row, not the default run's */
    bool against;        /* rows beside their opponents', not Google Benchmark's */
    bool json;           /* on standard output */
    const char *filter;  /* of the rows' names: NULL when none was given */
    const char *out;     /* the file to write beside the table: NULL when none was given */
    const char *partial; /* where it is written until it is whole */
    int argc;            /* for Google Benchmark: our defaults, then what was given */
    char **argv;
    char *out_argument;    /* one of them, owned */
    const char *of_google; /* the last that was given; NULL: none */
    regex_t regex;         /* of the filter */
    bool compiled;         /* there is one */
} kdr_bench_arguments;

/* False, with one line on stderr, when something is wrong. To be given to kdr_bench_arguments_free either way. */
bool kdr_bench_arguments_parse(kdr_bench_arguments *arguments, int argc, char **argv);
void kdr_bench_arguments_free(kdr_bench_arguments *arguments);

/* A row of the request: one that the filter takes, or without one of the default run. */
bool kdr_bench_is_wanted(const kdr_bench_arguments *arguments, const char *name, bool principal);

void kdr_bench_complain_of_no_row(const kdr_bench_arguments *arguments);

void kdr_bench_print_help(void);

/* Prints "kickdrift: bench: ..." on stderr, in one line whatever the values hold. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void kdr_bench_complain(const char *format, ...);

#endif
