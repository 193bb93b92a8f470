/* A field run: what all its blocks have in common, and a step that is cut short. */
#ifndef KDR_INTEGRATOR_RUN_H
#define KDR_INTEGRATOR_RUN_H

#include "../particles/executor.h"
#include "../particles/recorder.h"
#include "integrator.h"

/* A table has room for the base values of so many evaluations. Columns: the memory and the compensations of a block whose particles bring
 * none; the state, which is x and v and these. */
enum { KDR_RUN_TABLE = 128, KDR_RUN_LENT = 9, KDR_RUN_STATE = 6 + KDR_RUN_LENT };

typedef struct kdr_run {
    const kdr_setup *setup;
    const kdr_particles *particles;
    uint64_t later;         /* steps before those of the clock, where that is a part of a step: the job counts them */
    const kdr_clock *clock; /* of the particles' level, */
    int level;              /* which is this one */
    kdr_job job;
    bool carries;         /* the particles have the arrays for what a run leaves for the next */
    int evaluations;      /* a step, of a driven field: rows of the table of base values */
    kdr_recorder *events; /* NULL: nothing is watched */
    double fraction[KDR_MAX_FRACTIONS], substep[KDR_MAX_SUBSTEPS];
    double numbers[KDR_MAX_NUMBERS]; /* of the program, in the particles' precision */
    union {
        kdr_affine_map map;
        kdr_scaled row;    /* in the particles' precision */
    } of;                  /* a kinematic method, or a hot instance */
    double base[KDR_BASE]; /* in the particles' precision, of a driven field */
} kdr_run;

/* Fills in setup->common of so many axes, when all else of the setup is made. */
void kdr_run_prepare_common(kdr_setup *setup, int dims, bool masses);

/* All but job.resume, which the caller says. `scaled`: room for the numbers of substeps, where there are several. The run points to
 * itself: do not copy it. */
void kdr_run_prepare(const kdr_setup *setup, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps, double *scaled,
                     kdr_run *run);

/* Where the particles carry no memory or compensations, and the method has them, the job has a block's own, which begins with particle
 * `begin`: KDR_RUN_LENT columns of `bytes`. */
void kdr_run_lend(const kdr_run *run, kdr_job *job, char *columns, size_t bytes, size_t begin);

/* Makes `job` that of `steps` steps of those of `whole`, behind the first `done`. What it reads of a driven field is in `table`, of
 * KDR_RUN_TABLE rows of KDR_BASE, and in `start`, one row. */
void kdr_run_piece(const kdr_run *run, const kdr_job *whole, uint64_t done, uint64_t steps, double *table, double *start, kdr_job *job);

/* A step that is shortened, and what it needs. */
typedef struct kdr_short_step {
    kdr_run run;
    kdr_clock clock;
    double table[KDR_RUN_TABLE * KDR_BASE], scaled[KDR_MAX_LENGTHS * KDR_MAX_SCALED];
} kdr_short_step;

/* Makes it the step that begins with step n of the run's clock and is `fraction` of it long. It takes the arrays of `job`, and what they
 * remember, but writes nothing but the state: neither counts nor sums, contacts nor estimates. It points to itself: do not copy it. */
void kdr_run_shorten(const kdr_run *run, const kdr_job *job, uint64_t n, double fraction, kdr_short_step *to);

/* kdr_job's: `flyer` is the run. */
void kdr_run_fly(const kdr_job *job, size_t particle, uint64_t step, double begin, double length, const void *pull, void *x, void *v);

/* Makes it a whole step of the view by the program of flights. An acceleration `pull`, in the particles' precision, acts besides, if it is
 * not NULL. */
void kdr_run_alone(const kdr_setup *setup, const kdr_particles *view, const kdr_clock *clock, const void *pull, kdr_short_step *to);

/* The columns of a job's state: x, v, memory, compensations, three or six each; NULL where there is none. */
void kdr_run_state(const kdr_job *job, char *column[KDR_RUN_STATE]);
void kdr_run_set_state(kdr_job *job, char *const column[KDR_RUN_STATE]);

/* Particles [begin, end) of a job through its steps, which are watched. */
void kdr_watch_run(const kdr_run *run, const kdr_job *job, size_t begin, size_t end);

#endif
