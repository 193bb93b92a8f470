/* A field run: data that all its blocks share, and shortened steps. */
#ifndef KDR_INTEGRATOR_RUN_H
#define KDR_INTEGRATOR_RUN_H

#include "../particles/executor.h"
#include "../particles/recorder.h"
#include "integrator.h"

/* KDR_RUN_TABLE: base values in a table. KDR_RUN_LENT: columns of memory and compensations, lent to particles that carry none.
 * KDR_RUN_STATE: columns of the state, which is x and v and these. */
enum { KDR_RUN_TABLE = 128, KDR_RUN_LENT = 9, KDR_RUN_STATE = 6 + KDR_RUN_LENT };

typedef struct kdr_field_run {
    const kdr_setup *setup;
    const kdr_particles *particles;
    uint64_t later;         /* steps of the run before this clock, if the clock is that of a part of a step; the job counts them */
    const kdr_clock *clock; /* clock of the particles' level */
    int level;              /* level of the particles */
    kdr_job job;
    bool carries;         /* the particles have arrays for memory and compensations */
    int evaluations;      /* evaluations per step of a driven field, each with one base value */
    kdr_recorder *events; /* NULL if nothing is watched */
    double fraction[KDR_MAX_FRACTIONS], substep[KDR_MAX_SUBSTEPS];
    double numbers[KDR_MAX_NUMBERS]; /* the program's numbers, in the particles' precision */
    union {
        kdr_affine_map map;
        kdr_scaled row;    /* coefficients in the particles' precision */
    } of;                  /* map of a kinematic method, or coefficients of a specialised kernel */
    double base[KDR_BASE]; /* first base value of a driven field, in the particles' precision */
} kdr_field_run;

/* Fills in setup->common for `dims` axes. Everything else in the setup must be made before. */
void kdr_run_prepare_common(kdr_setup *setup, int dims, bool masses);

/* Prepares a run, except for job.resume, which the caller sets. `scaled` has room for the numbers of substeps; it may be NULL if there
 * is one. The run must not be copied, because it points into itself. */
void kdr_run_prepare(const kdr_setup *setup, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps, double *scaled,
                     kdr_field_run *run);

/* Lends memory and compensations to the job if the method has them and the particles do not. `columns` has KDR_RUN_LENT columns of
 * `bytes`, which begin with particle `begin`. */
void kdr_run_lend(const kdr_field_run *run, kdr_job *job, char *columns, size_t bytes, size_t begin);

/* Makes `job` a piece of `whole`: `steps` steps after the first `done`. For a driven field it fills `table`, KDR_RUN_TABLE rows of
 * KDR_BASE, and `start`, one row; the job points to both. */
void kdr_run_piece(const kdr_field_run *run, const kdr_job *whole, uint64_t done, uint64_t steps, double *table, double *start,
                   kdr_job *job);

/* A shortened step, with all its data. */
typedef struct kdr_short_step {
    kdr_field_run run;
    kdr_clock clock;
    double table[KDR_RUN_TABLE * KDR_BASE], scaled[KDR_MAX_LENGTHS * KDR_MAX_SCALED];
} kdr_short_step;

/* Makes a shortened step: it begins with step n of the run's clock and is `fraction` of it long. It uses the arrays of `job` and their
 * memory, but writes only the state: no counts, sums, contacts or estimates. It must not be copied, because it points into itself. */
void kdr_run_shorten(const kdr_field_run *run, const kdr_job *job, uint64_t n, double fraction, kdr_short_step *to);

/* The function for kdr_job::fly; `flyer` is the run. */
void kdr_run_fly(const kdr_job *job, size_t particle, uint64_t step, double begin, double length, const void *pull, void *x, void *v);

/* Makes a whole step of the view by the program of flights. `pull` is an additional acceleration in the particles' precision; it may be
 * NULL. */
void kdr_run_alone(const kdr_setup *setup, const kdr_particles *view, const kdr_clock *clock, const void *pull, kdr_short_step *to);

/* Get or set the columns of a job's state: x, v, memory and compensations, three or six each; NULL where there is none. */
void kdr_run_state(const kdr_job *job, char *column[KDR_RUN_STATE]);
void kdr_run_set_state(kdr_job *job, char *const column[KDR_RUN_STATE]);

/* Takes particles [begin, end) of a job through its steps, and watches them. */
void kdr_watch_run(const kdr_field_run *run, const kdr_job *job, size_t begin, size_t end);

#endif
