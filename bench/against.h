/* `kickdrift bench --against autovec` compares each row with the fastest plain loop that takes the same steps on the same instruction set.
 * `--against program` compares each row that has a specialised kernel with its program. */
#ifndef KDR_BENCH_AGAINST_H
#define KDR_BENCH_AGAINST_H

#include "request.h"
#include "rows.h"

typedef struct kdr_bench_verdict {
    size_t rows;             /* rows that were chosen and have an opponent */
    size_t within;           /* rows that are slower than the opponent, but within the noise */
    size_t below;            /* rows that are slower by more than the noise */
    size_t below_as_written; /* the same without opponents that use -ffast-math */
} kdr_bench_verdict;

/* Measures the chosen rows and prints a line for each. A row that could not be run is reported on stderr, and the session counts as
 * failed. */
kdr_bench_verdict kdr_bench_against(const kdr_bench_request *request, const kdr_bench_rows *rows);

#endif
