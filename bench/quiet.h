/* Watches whether the machine is quiet while the suite runs: load average, stolen time, other processes, a calibration loop. */
#ifndef KDR_BENCH_QUIET_H
#define KDR_BENCH_QUIET_H

#include <stddef.h>

enum { KDR_BENCH_REASONS = 4, KDR_BENCH_REASON = 128 };

/* The processor times of /proc/stat and of this process, in seconds; NaN where the system does not tell. */
typedef struct kdr_bench_times {
    double all, busy, stolen, own;
} kdr_bench_times;

typedef struct kdr_bench_quiet {
    const char *folder;     /* "/proc", or another in tests */
    kdr_bench_times before; /* times when the watch began */
    double load;            /* the load average of one minute when the watch began; NaN: unknown */
    double stolen, others;  /* fractions of the processors' time that the host and other processes took; NaN: unknown */
    double calibration;     /* the median of the calibration over its best; NaN: not measured */
    size_t reason_count;    /* 0: the machine was quiet */
    char reasons[KDR_BENCH_REASONS][KDR_BENCH_REASON];
} kdr_bench_quiet;

void kdr_bench_quiet_begin(kdr_bench_quiet *quiet, const char *folder);

/* Fills in the fractions and the reasons. `calibrations` are the rates of the calibration loop. */
void kdr_bench_quiet_end(kdr_bench_quiet *quiet, const double *calibrations, size_t count);

#endif
