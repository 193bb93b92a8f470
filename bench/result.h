/* Result files of the suite: JSON, written by `kickdrift bench --suite --out FILE`, described by tools/schema/bench-result.json. */
#ifndef KDR_BENCH_RESULT_H
#define KDR_BENCH_RESULT_H

#include <jansson.h>

#include "outfile.h"
#include "suite.h"

#define KDR_BENCH_RESULT_FORMAT "kickdrift-bench-result"
enum { KDR_BENCH_RESULT_VERSION = 1 };

/* Returns the result as a JSON object, NULL if there is no memory. */
json_t *kdr_bench_result_make(const kdr_bench_suite *suite);

/* Writes the object to an open file. */
bool kdr_bench_result_write(const json_t *result, outfile *file, fault *why);

/* A row of a result that was read. */
typedef struct kdr_bench_result_row {
    const char *name, *unit;
    double median;
    double *values;
    size_t count;
} kdr_bench_result_row;

typedef struct kdr_bench_result {
    const char *path;
    json_t *json; /* owns the texts below */
    const char *processor, *version, *fingerprint;
    double score; /* NaN: no row is in the reference result */
    bool quiet;
    kdr_bench_result_row *rows;
    size_t count;
} kdr_bench_result;

/* Reads a file. Refuses what is no result, has another version, is void because its fingerprint is wrong, or has wrong values. Call
 * kdr_bench_result_free in any case. */
bool kdr_bench_result_read(kdr_bench_result *result, const char *path, fault *why);
void kdr_bench_result_free(kdr_bench_result *result);

/* Returns the row of this name, NULL if there is none. */
const kdr_bench_result_row *kdr_bench_result_find(const kdr_bench_result *result, const char *name);

/* Compares results with the first and prints a table. With limit > 0, returns KDR_EXIT_FAILED if a row is significantly below it. */
int kdr_bench_result_compare(const char *const *paths, double limit);

/* Writes a page that shows the results. */
int kdr_bench_result_report(const char *const *paths, const char *out);

#endif
