/* The options of `kickdrift bench`: its own, and Google Benchmark's, which are checked here and passed on. */
#ifndef KDR_BENCH_REQUEST_H
#define KDR_BENCH_REQUEST_H

#include <stdbool.h>

#include "options.h"
#include "shim.h"

/* The numbers of options, and the indices of Google Benchmark's options that have other defaults here. */
enum {
    KDR_BENCH_OWN_OPTIONS = 8,
    KDR_BENCH_GOOGLE_FLAGS = 15,
    KDR_BENCH_FORMAT = 0,
    KDR_BENCH_LIST = 2,
    KDR_BENCH_MIN_TIME = 3,
    KDR_BENCH_TABULAR = 9
};

/* The tasks that can be asked for. */
typedef enum kdr_bench_task {
    KDR_BENCH_MEASURE, /* rows, by Google Benchmark */
    KDR_BENCH_AGAINST, /* ratios of rows and their opponents */
    KDR_BENCH_SUITE,   /* the suite */
    KDR_BENCH_COMPARE, /* result files, compared */
    KDR_BENCH_REPORT   /* result files, as a page */
} kdr_bench_task;

enum { KDR_BENCH_WORDS = 256 };

typedef struct kdr_bench_request {
    kdr_bench_task task;
    bool suite;                                 /* --suite was given */
    double seconds;                             /* the most time for the suite; 0: not given */
    const char *result;                         /* the file for a result or a page; NULL: not given */
    double fail_below;                          /* a ratio; 0: not given */
    const char *words[KDR_BENCH_WORDS];         /* the subcommand and its files, and NULL */
    bool all;                                   /* every row, not only those of the default run */
    const char *against;                        /* rows are compared with opponents, without Google Benchmark; NULL: no */
    const char *filter;                         /* for the names of rows; NULL: not given */
    const char *out;                            /* the file for the results in addition to the table; NULL: not given */
    const char *google[KDR_BENCH_GOOGLE_FLAGS]; /* values of Google Benchmark's flags, in the order of the table; NULL: not given */
    bool json;                                  /* JSON goes to standard output */
    char *partial;                              /* the file's name until it is complete */
    int argc;                                   /* arguments for Google Benchmark */
    char *argv[KDR_BENCH_GOOGLE_FLAGS + 4];     /* owned, except the first */
    kdr_bench_pattern *pattern;                 /* the filter as a pattern; NULL: it is not a valid one */
} kdr_bench_request;

/* Reads the options. OPTIONS_HELP: help was printed. OPTIONS_WRONG: `why` says what is wrong. Call kdr_bench_request_free in both cases. */
options_result kdr_bench_request_parse(kdr_bench_request *request, int argc, char **argv, fault *why);
void kdr_bench_request_free(kdr_bench_request *request);

/* Returns true if the filter accepts the row or, without a filter, if the row is in the default run. */
bool kdr_bench_is_wanted(const kdr_bench_request *request, const char *name, bool principal);

/* Reports that no row was wanted, and returns the exit status. */
int kdr_bench_report_no_row(const kdr_bench_request *request);

#endif
