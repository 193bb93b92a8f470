/* The peak rate of this core's multiplier, with which the arithmetic of every row is compared. */
#ifndef KDR_BENCH_PEAK_H
#define KDR_BENCH_PEAK_H

#include <kickdrift/backend.h>
#include <kickdrift/particles.h>

/* A unit: one object for each instruction set and precision, which CMakeLists.txt lists. */
typedef struct kdr_bench_peak_unit {
    const char *isa;
    const char *real;
    const char *operation; /* "fma", or "mul + add" if the instruction set has no fused operation; the pair counts as one */
    double per_round;      /* multiply-adds of single elements in a round */
    /* Runs `rounds` rounds of independent chains. The result keeps the compiler from dropping them. */
    double (*run)(size_t rounds);
} kdr_bench_peak_unit;

/* The units that were built. The last pointer is NULL. */
extern const kdr_bench_peak_unit *const kdr_bench_peak_units[];

/* The best rate so far in this run, in multiply-adds of single elements per second; 0: not measured. */
typedef struct kdr_bench_peak {
    double width[KDR_BACKEND_LAST + 1][KDR_REAL_COUNT]; /* with the vectors of each backend */
    double core[KDR_REAL_COUNT];                        /* the best of all backends */
} kdr_bench_peak;

/* Measures the units of one precision, of one backend or (KDR_BACKEND_AUTO) of each that runs here, `repeats` times half a millisecond
 * each. The best counts, because a disturbance only ever slows a measurement down. */
void kdr_bench_peak_measure(kdr_bench_peak *peak, kdr_backend backend, kdr_real real, int repeats);

/* Measures the unit of a backend, which must run here, and a precision once. Returns the rate, 0 if there is no such unit. */
double kdr_bench_peak_once(kdr_backend backend, kdr_real real);

#endif
