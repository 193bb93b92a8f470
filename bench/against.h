/* `kickdrift bench --against autovec`: each row beside the fastest of the plain loops that take the same steps on the same instruction set.
 * `--against program`: each row that a hot instance steps beside the same one stepped by its program. */
#ifndef KDR_BENCH_AGAINST_H
#define KDR_BENCH_AGAINST_H

#include "request.h"
#include "rows.h"

typedef struct kdr_bench_verdict {
    size_t rows;             /* that were chosen and have an opponent */
    size_t within;           /* slower than theirs, but no more than noise makes them */
    size_t below;            /* slower than that */
    size_t below_as_written; /* the same beside loops that are built without -ffast-math alone */
} kdr_bench_verdict;

/* Measures the rows that the request chooses and prints a line for each. A row that could not be run says so on stderr, and the session
 * has failed. */
kdr_bench_verdict kdr_bench_against(const kdr_bench_request *request, const kdr_bench_rows *rows);

#endif
