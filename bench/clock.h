/* The clock of the benchmarks. It measures real time, because threads share the work of a row. */
#ifndef KDR_BENCH_CLOCK_H
#define KDR_BENCH_CLOCK_H

#include <time.h>

static inline double kdr_bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
