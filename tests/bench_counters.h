/* The tally of everything that the test's clock has seen of a row, and the counters that the row gave. */
#ifndef KDR_TESTS_BENCH_COUNTERS_H
#define KDR_TESTS_BENCH_COUNTERS_H

#include "support.h"

#include <time.h>

#include "blocks.h"
#include "gravity.h"
#include "grid.h"
#include "idle.h"
#include "lj.h"
#include "passes.h"
#include "rows.h"
#include "step.h"

enum { BENCH_COUNTERS = 16 };

typedef struct bench_tally {
    double now, read_takes; /* seconds; what each look at the clock takes */
    double field_takes;     /* units of a million steps of a particle in a field run */
    double program_takes;   /* those without a specialised kernel, where it is above 0 */
    double free_takes;      /* those without walls and watches, where it is above 0 */
    int iteration;
    uint64_t steps;  /* of all calls */
    uint64_t sweeps; /* passes of the library over the particles */
    size_t counters;
    const char *name[BENCH_COUNTERS];
    double value[BENCH_COUNTERS];
} bench_tally;
extern bench_tally tally;

void bench_begin(void);
/* Lets so many units of time pass, multiplied by the slowness of the iteration. */
void bench_pass_time(double units);
double bench_counter(const char *name);
void bench_expect(const char *row, const char *name, double expected);
void bench_expect_rates(const char *row, const char *rate, const char *best, double work, double units);
/* The units of this integrator's steps. */
double bench_contender_takes(const kdr_integrator *integrator, const kdr_particles *p);
void bench_expect_count(const char *row, size_t counters);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
bool __wrap_kdr_bench_next(kdr_bench_state *state);
void __wrap_kdr_bench_pause(kdr_bench_state *state);
void __wrap_kdr_bench_resume(kdr_bench_state *state);
void __wrap_kdr_bench_skip(kdr_bench_state *state, const char *message);
void __wrap_kdr_bench_counter(kdr_bench_state *state, const char *name, double value);
void __wrap_kdr_bench_peak_measure(kdr_bench_peak *peak, kdr_backend backend, kdr_real real, int repeats);
kdr_status __wrap_kdr_integrator_run(const kdr_integrator *integrator, kdr_particles *p, kdr_clock *clock, uint64_t steps,
                                     kdr_error *error);
kdr_status __wrap_kdr_reference_run(const kdr_integrator_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t steps, kdr_error *error);

#endif
