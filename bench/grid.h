/* The rows `grid/<method>/<real>/<arithmetic>/<backend>/<count>`: charges that are turned by fields on a grid of 64^3 nodes. They are
 * compared with a plain loop that loads the same numbers of the grid and of the state, adds them up, and computes only the position in the
 * grid. */
#ifndef KDR_BENCH_GRID_H
#define KDR_BENCH_GRID_H

#include "step.h"
#include "user_loop.h"

typedef struct kdr_bench_grid_row {
    char name[96];
    kdr_bench_session *session;
    const kdr_bench_user_loop_unit *own;
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_backend backend;
    size_t count;
    bool principal;
} kdr_bench_grid_row;

enum { KDR_BENCH_GRID_ROWS = KDR_BACKEND_LAST * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT };

/* Fills in the rows of the backend `only`, or of every backend that runs here, and returns their number. Rows of `best` are in the default
 * run. */
size_t kdr_bench_grid_rows(kdr_bench_session *session, kdr_backend only, kdr_backend best, kdr_bench_grid_row rows[KDR_BENCH_GRID_ROWS]);

/* A benchmark for kdr_bench_register; `row` is a kdr_bench_grid_row. */
void kdr_bench_grid(kdr_bench_state *state, void *row);

#endif
