/* What this core's multiplier can do: the bound that every row's arithmetic is held against. */
#ifndef KDR_BENCH_PEAK_H
#define KDR_BENCH_PEAK_H

#include <kickdrift/backend.h>
#include <kickdrift/particles.h>

/* One object for each instruction set and precision: CMakeLists.txt lists them. */
typedef struct kdr_bench_peak_unit {
    const char *isa;
    const char *real;
    const char *operation; /* "fma", or "mul + add" where the instruction set has no fused one: a pair counts as one */
    double per_round;      /* multiply-adds of single elements in a round */
    /* Runs `rounds` rounds of independent chains; the result keeps the compiler from dropping them. */
    double (*run)(size_t rounds);
} kdr_bench_peak_unit;

/* The units that were built, ended by NULL. */
extern const kdr_bench_peak_unit *const kdr_bench_peak_units[];

/* The best rate seen so far in this run, in multiply-adds of single elements a second; 0: not measured. */
typedef struct kdr_bench_peak {
    double width[KDR_BACKEND_LAST + 1][KDR_REAL_COUNT]; /* at the width of one backend */
    double core[KDR_REAL_COUNT];                        /* of them all */
} kdr_bench_peak;

/* Measures the units of one precision, of one backend or (KDR_BACKEND_AUTO) of each that runs here, `repeats` times half a millisecond
 * each. The best stays: what disturbs a measurement only ever slows it down. */
void kdr_bench_peak_measure(kdr_bench_peak *peak, kdr_backend backend, kdr_real real, int repeats);

#endif
