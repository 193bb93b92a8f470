/* The rows `blocks/<method>/<real>/<backend>/<count>`: a user-defined force in kdr_system_run_blocks, compared with the same field in the
 * library's kernels. */
#ifndef KDR_BENCH_BLOCKS_H
#define KDR_BENCH_BLOCKS_H

#include "step.h"
#include "user_loop.h"

typedef struct kdr_bench_block_row {
    char name[96];
    kdr_bench_session *session;
    const kdr_bench_user_loop_unit *own;
    kdr_method method;
    kdr_real real;
    kdr_arithmetic arithmetic; /* fused if the processor fuses */
    kdr_backend backend;
    size_t count;
    bool principal;
} kdr_bench_block_row;

enum { KDR_BENCH_BLOCK_METHODS = 4, KDR_BENCH_BLOCK_ROWS = KDR_BENCH_BLOCK_METHODS * KDR_REAL_COUNT };

/* Fills in the rows of a backend and returns their number. */
size_t kdr_bench_block_rows(kdr_bench_session *session, kdr_backend backend, kdr_bench_block_row rows[KDR_BENCH_BLOCK_ROWS]);

/* A benchmark for kdr_bench_register; `row` is a kdr_bench_block_row. */
void kdr_bench_blocks(kdr_bench_state *state, void *row);

#endif
