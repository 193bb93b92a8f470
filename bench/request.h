/* What `kickdrift bench` is asked for: options of ours, and Google Benchmark's, which are checked here and passed on. */
#ifndef KDR_BENCH_REQUEST_H
#define KDR_BENCH_REQUEST_H

#include <stdbool.h>

#include "options.h"
#include "shim.h"

/* The numbers of options, and the places of those of Google Benchmark's that have defaults of ours. */
enum { KDR_BENCH_OWN_OPTIONS = 4, KDR_BENCH_GOOGLE_FLAGS = 15, KDR_BENCH_FORMAT = 0, KDR_BENCH_MIN_TIME = 3, KDR_BENCH_TABULAR = 9 };

typedef struct kdr_bench_request {
    bool all;                                   /* every row, not the default run's */
    const char *against;                        /* rows beside their opponents', not Google Benchmark's; NULL: no */
    const char *filter;                         /* of the rows' names; NULL: none was given */
    const char *out;                            /* the file to write beside the table; NULL: none was given */
    const char *google[KDR_BENCH_GOOGLE_FLAGS]; /* the values of its flags, in the order of the table; NULL: not given */
    bool json;                                  /* on standard output */
    char *partial;                              /* where the file is written until it is whole */
    int argc;                                   /* for Google Benchmark */
    char *argv[KDR_BENCH_GOOGLE_FLAGS + 4];     /* owned, but for the first */
    kdr_bench_pattern *pattern;                 /* of the filter; NULL: it is none */
} kdr_bench_request;

/* After OPTIONS_HELP all is said, after OPTIONS_WRONG `why` says it. To be given to kdr_bench_request_free either way. */
options_result kdr_bench_request_parse(kdr_bench_request *request, int argc, char **argv, fault *why);
void kdr_bench_request_free(kdr_bench_request *request);

/* A row is wanted when the filter takes it, or without one when the default run has it. */
bool kdr_bench_is_wanted(const kdr_bench_request *request, const char *name, bool principal);

/* Reports that no row was wanted. */
int kdr_bench_report_no_row(const kdr_bench_request *request);

#endif
