/* The rows `gravity/<real>/<arithmetic>/<backend>/<count>`: direct sums over all pairs, compared with the square roots and divisions that
 * they need. `gravity-lengths/...` has one softening length per particle; `gravity-potential/...` measures the potential energy instead of
 * the accelerations. */
#ifndef KDR_BENCH_GRAVITY_H
#define KDR_BENCH_GRAVITY_H

#include "roots.h"
#include "step.h"

typedef enum kdr_bench_sum { KDR_BENCH_GRAVITY, KDR_BENCH_LENGTHS, KDR_BENCH_POTENTIAL, KDR_BENCH_SUMS } kdr_bench_sum;

typedef struct kdr_bench_gravity_row {
    char name[96];
    kdr_bench_sum sum;
    kdr_bench_session *session;
    const kdr_bench_roots_unit *roots;
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_backend backend;
    size_t count;
    bool principal;
} kdr_bench_gravity_row;

enum { KDR_BENCH_GRAVITY_ROWS = 2 * KDR_BENCH_SUMS * KDR_BACKEND_LAST * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT };

/* Fills in the rows of the backend `only`, or of every backend that runs here, and returns their number. Rows of `best` are in the default
 * run. */
size_t kdr_bench_gravity_rows(kdr_bench_session *session, kdr_backend only, kdr_backend best,
                              kdr_bench_gravity_row rows[KDR_BENCH_GRAVITY_ROWS]);

/* A benchmark for kdr_bench_register; `row` is a kdr_bench_gravity_row. */
void kdr_bench_gravity(kdr_bench_state *state, void *row);

#endif
