/* Runs a row: sets up particles, takes steps, computes counters. */
#ifndef KDR_BENCH_STEP_H
#define KDR_BENCH_STEP_H

#include "peak.h"
#include "rows.h"
#include "shim.h"

/* The data that the rows of one run share. */
typedef struct kdr_bench_session {
    kdr_bench_peak peak;
    kdr_particles particles; /* particles of the last row, because the next often needs the same */
    bool failed;             /* some row could not be run */
} kdr_bench_session;

/* Reports a row that could not be run. Google Benchmark continues with the next one. */
void kdr_bench_give_up(kdr_bench_session *session, kdr_bench_state *state, kdr_status status, const kdr_error *error);

typedef struct kdr_bench_job {
    const kdr_bench_row *row;
    kdr_particles *particles;
    kdr_clock clock;
    kdr_integrator_desc desc;
    kdr_integrator *integrator;
    kdr_bench_folded folded;
} kdr_bench_job;

/* An engine takes the steps of one call. */
typedef struct kdr_bench_engine {
    kdr_status (*steps)(kdr_bench_job *job, kdr_error *error);
} kdr_bench_engine;

extern const kdr_bench_engine kdr_bench_library, kdr_bench_reference, kdr_bench_opponent;

/* Makes what a row needs; the particles have no state yet. `job->integrator` must be destroyed even if this fails. */
kdr_status kdr_bench_prepare(kdr_bench_job *job, const kdr_bench_row *row, kdr_error *error);

/* Sets the state at time 0. Call it after at most 6400 steps. */
void kdr_bench_reset(kdr_bench_job *job);

/* Returns the evaluations of one call. A step that makes none counts as one. */
double kdr_bench_evaluations(const kdr_bench_job *job);

/* A benchmark for kdr_bench_register; `row` is a kdr_bench_row. */
void kdr_bench_step(kdr_bench_state *state, void *row);

/* Fills an array with numbers spread over (-1, 1) without a pattern: multiples of the golden ratio. */
void kdr_bench_fill(void *array, kdr_real real, size_t count, uint32_t offset);

#endif
