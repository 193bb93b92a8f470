/* The rows `idle/<what>/<real>/<arithmetic>/<backend>/<count>`: velocity Verlet of a spring with a damper, and a wall, boundary or watch
 * that never acts; <what> names it. They are compared with the same steps without that wall, boundary or watch. */
#ifndef KDR_BENCH_IDLE_H
#define KDR_BENCH_IDLE_H

#include "step.h"

/* The wall, boundary or watch of a row. */
typedef enum kdr_bench_idle_what {
    KDR_BENCH_IDLE_PERIODIC,
    KDR_BENCH_IDLE_ABSORBING,
    KDR_BENCH_IDLE_BOX,
    KDR_BENCH_IDLE_PLANE,
    KDR_BENCH_IDLE_SPHERE,
    KDR_BENCH_IDLE_PLANES,
    KDR_BENCH_IDLE_WATCH,
    KDR_BENCH_IDLE_COUNT
} kdr_bench_idle_what;

typedef struct kdr_bench_idle_row {
    char name[96];
    kdr_bench_session *session;
    kdr_bench_idle_what what;
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_backend backend;
    size_t count;
    bool principal;
} kdr_bench_idle_row;

enum { KDR_BENCH_IDLE_ROWS = KDR_BENCH_IDLE_COUNT * KDR_BACKEND_LAST * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT };

/* Fills in the rows of the backend `only`, or of every backend that runs here, and returns their number. Rows of `best` are in the default
 * run. */
size_t kdr_bench_idle_rows(kdr_bench_session *session, kdr_backend only, kdr_backend best, kdr_bench_idle_row rows[KDR_BENCH_IDLE_ROWS]);

/* A benchmark for kdr_bench_register; `row` is a kdr_bench_idle_row. */
void kdr_bench_idle(kdr_bench_state *state, void *row);

#endif
