/* The rows of the benchmark: everything that the library's tables and ours offer, put together. */
#ifndef KDR_BENCH_ROWS_H
#define KDR_BENCH_ROWS_H

#include "autovec.h"

#include <kickdrift/integrator.h>

struct kdr_bench_session;

typedef struct kdr_bench_row {
    char name[128];
    struct kdr_bench_session *session;
    const struct kdr_bench_engine *engine; /* who takes the steps (step.h) */
    kdr_bench_autovec_fn *loop;            /* the opponent's */
    const kdr_bench_field *field;
    kdr_method method;
    kdr_real real;
    kdr_arithmetic arithmetic; /* of the opponent's "fast-math": fused, as far as counting goes */
    kdr_backend backend;       /* the opponent's: that of the same instruction set; the reference's: scalar */
    int threads;
    size_t count;
    uint64_t steps; /* a call */
    bool principal_count;
    bool principal; /* in the default run */
} kdr_bench_row;

typedef struct kdr_bench_rows {
    kdr_bench_row *rows;
    size_t count, capacity;
    bool out_of_memory;
} kdr_bench_rows;

/* All rows that can run here. `only`: KDR_BACKEND_AUTO, or the one backend whose rows (and its opponents', and the reference's) are
 * wanted. `best` shares its work between threads. Rows do not move once this has returned. */
kdr_bench_rows kdr_bench_rows_create(struct kdr_bench_session *session, kdr_backend only, kdr_backend best);
void kdr_bench_rows_destroy(kdr_bench_rows *rows);

/* The counts and their steps a call, in words, for the context. */
const char *kdr_bench_rows_steps(void);

#endif
