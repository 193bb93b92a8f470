/* The row `lj/baoab/f64/<backend>/10000`: a Lennard-Jones liquid in a periodic box and a heat bath, with an ordinary force. It measures the
 * library's share of a step. */
#ifndef KDR_BENCH_LJ_H
#define KDR_BENCH_LJ_H

#include "step.h"

typedef struct kdr_bench_lj_row {
    char name[96];
    kdr_bench_session *session;
    kdr_backend backend;
} kdr_bench_lj_row;

/* Fills in the row of a backend and returns their number. */
size_t kdr_bench_lj_rows(kdr_bench_session *session, kdr_backend backend, kdr_bench_lj_row *row);

/* A benchmark for kdr_bench_register; `row` is a kdr_bench_lj_row. */
void kdr_bench_lj(kdr_bench_state *state, void *row);

#endif
