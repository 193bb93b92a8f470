/* The rows `gravity/<real>/<arithmetic>/<backend>/<count>`: direct sums over all pairs, against the square roots and divisions they need;
 * `gravity-lengths/...` with a softening length each, `gravity-potential/...` the potential energy in place of the accelerations. */
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

/* Fills in the rows of `only`, or of every backend that runs here; those of `best` are in the default run. Returns how many. */
size_t kdr_bench_gravity_rows(kdr_bench_session *session, kdr_backend only, kdr_backend best,
                              kdr_bench_gravity_row rows[KDR_BENCH_GRAVITY_ROWS]);

/* A benchmark for kdr_bench_register; `row` is a kdr_bench_gravity_row. */
void kdr_bench_gravity(kdr_bench_state *state, void *row);

#endif
