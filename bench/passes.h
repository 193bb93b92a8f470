/* The rows `pass/<what>/<layout>/<real>/<backend>/<count>`: the work of system runs between two evaluations, compared with a plain
 * pass. */
#ifndef KDR_BENCH_PASSES_H
#define KDR_BENCH_PASSES_H

#include "memory_pass.h"
#include "step.h"

typedef struct kdr_bench_pass_row {
    char name[96];
    kdr_bench_session *session;
    const struct kdr_bench_pass_kind *kind;
    const struct kdr_bench_pass_layout *layout;
    const kdr_bench_memory_pass_unit *plain;
    kdr_real real;
    kdr_backend backend;
    size_t count;
    bool principal;
} kdr_bench_pass_row;

enum { KDR_BENCH_PASS_ROWS = 96 };

/* Fills in the rows of a backend and returns their number. */
size_t kdr_bench_pass_rows(kdr_bench_session *session, kdr_backend backend, kdr_bench_pass_row rows[KDR_BENCH_PASS_ROWS]);

/* A benchmark for kdr_bench_register; `row` is a kdr_bench_pass_row. */
void kdr_bench_pass(kdr_bench_state *state, void *row);

#endif
