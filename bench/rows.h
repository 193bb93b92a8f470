/* The rows of the benchmark: all combinations of the library's tables and those of the benchmark. */
#ifndef KDR_BENCH_ROWS_H
#define KDR_BENCH_ROWS_H

#include "autovec.h"

#include <kickdrift/integrator.h>

struct kdr_bench_session;

typedef struct kdr_bench_row {
    char name[128];
    struct kdr_bench_session *session;
    const struct kdr_bench_engine *engine; /* takes the steps (step.h) */
    kdr_bench_autovec_fn *loop;            /* for an opponent: its loop */
    const kdr_bench_field *field;
    kdr_method method;
    kdr_real real;
    kdr_arithmetic arithmetic; /* for the opponent's "fast-math": fused, because operations are counted as such */
    kdr_backend backend;       /* for an opponent: the backend of the same instruction set; for the reference: scalar */
    int threads;
    size_t count;
    uint64_t steps; /* steps per call */
    bool principal_count;
    bool principal; /* is in the default run */
} kdr_bench_row;

typedef struct kdr_bench_rows {
    kdr_bench_row *rows;
    size_t count, capacity;
    bool out_of_memory;
} kdr_bench_rows;

/* Makes all rows that can run here. `only`: KDR_BACKEND_AUTO, or the backend whose rows are wanted, with its opponents and the reference.
 * `best` also has rows with several threads. Rows keep their addresses after this returns. */
kdr_bench_rows kdr_bench_rows_create(struct kdr_bench_session *session, kdr_backend only, kdr_backend best);
void kdr_bench_rows_destroy(kdr_bench_rows *rows);

/* Returns the counts and their steps per call, in words, for the context of the results. */
const char *kdr_bench_rows_steps(void);

#endif
