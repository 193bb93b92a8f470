/* How a row is run: particles set up, steps taken, counters worked out. */
#ifndef KDR_BENCH_STEP_H
#define KDR_BENCH_STEP_H

#include "peak.h"
#include "rows.h"
#include "shim.h"

/* What the rows of one run share. */
typedef struct kdr_bench_session {
    kdr_bench_peak peak;
    kdr_particles particles; /* of the last row: the next one often wants the same */
    bool failed;             /* some row could not be run */
} kdr_bench_session;

/* A row that could not be run: Google Benchmark goes on with the next. */
void kdr_bench_give_up(kdr_bench_session *session, kdr_bench_state *state, kdr_status status, const kdr_error *error);

typedef struct kdr_bench_job {
    const kdr_bench_row *row;
    kdr_particles *particles;
    kdr_clock clock;
    kdr_integrator_desc desc;
    kdr_integrator *integrator;
    kdr_bench_folded folded;
} kdr_bench_job;

/* Who takes the steps of one call. */
typedef struct kdr_bench_engine {
    kdr_status (*steps)(kdr_bench_job *job, kdr_error *error);
} kdr_bench_engine;

extern const kdr_bench_engine kdr_bench_library, kdr_bench_reference, kdr_bench_opponent;

/* Makes what a row needs; the particles have no state yet. `job->integrator` is to be destroyed whether it succeeds or not. */
kdr_status kdr_bench_prepare(kdr_bench_job *job, const kdr_bench_row *row, kdr_error *error);

/* Sets the state at the time 0; to be called after every 6400 steps at the most. */
void kdr_bench_reset(kdr_bench_job *job);

/* The evaluations of one call; a step that makes none counts as one. */
double kdr_bench_evaluations(const kdr_bench_job *job);

/* A benchmark for kdr_bench_register; `row` is a kdr_bench_row. */
void kdr_bench_step(kdr_bench_state *state, void *row);

/* Fills an array, spread over (-1, 1) without a pattern: multiples of the golden ratio. */
void kdr_bench_fill(void *array, kdr_real real, size_t count, uint32_t offset);

#endif
