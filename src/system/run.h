/* The state of a system run. */
#ifndef KDR_SYSTEM_RUN_H
#define KDR_SYSTEM_RUN_H

#include "arrays.h"
#include "levels.h"
#include "step_end.h"
#include "system.h"

typedef struct kdr_system_run_state {
    const kdr_system *system;
    kdr_particles *particles;
    kdr_particles state; /* the particles with x and v where the run has them: in their own arrays, or in plain copies */
    const kdr_clock *clock;
    kdr_work work;
    kdr_job job;    /* job of the field */
    kdr_job slopes; /* job of the field's derivatives, if there are any */
    kdr_job maps;   /* job that makes the maps of particles with their own */
    double drive[2 * KDR_BASE];
    float narrow_drive[2 * KDR_BASE]; /* changes of x and v by driven fields in this step, for methods that add up contributions */
    double base[KDR_BASE];
    float narrow_base[KDR_BASE]; /* base values of the latest evaluation; the jobs point to one of the two */
    uint64_t steps, done;
    double fraction[KDR_MAX_FRACTIONS]; /* time of each evaluation, as a fraction of a step */
    kdr_error *error;
    kdr_segments step;
    kdr_sweeper sweeper;
    /* defers: the last pass of a step is made together with the first of the next; pending: it has not been made yet */
    bool defers, pending;
    /* How to restore x and v to the end of the last whole step: they are unchanged; copy work.before_x and before_v; run STEP_BACK. */
    enum { HERE, COPIES, COMPUTED } back;
    /* The kept acceleration is in work.a[newest]; the one of the last whole step's end is in work.a[whole]. */
    bool keeps, carries, resumed, begun, reads; /* reads: memory and compensations are read, but not written */
    bool lends; /* work.a[1] is the particles' memory itself: all particles move, and the run resumes from it */
    int newest, whole;
    uint16_t a;                /* first column of the kept acceleration's row */
    kdr_levels levels;         /* block time steps; `marks` is NULL if all particles take the clock's steps */
    kdr_job at_work;           /* job of the method's instructions */
    kdr_flights flights;       /* user data of the job's colliders */
    kdr_strided_columns aside; /* strided arrays of the job */
    kdr_recorder *contacts;    /* recorder of contacts; may be NULL */
    size_t noted;              /* number of contacts at the end of the last whole step */
    kdr_recorder *events;      /* recorder of a watched run; NULL if nothing is watched */
    int end;                   /* in a watched run, work.ends[end] is the state at the end of the last whole step */
    kdr_status ended;          /* why the run stops after a whole step; otherwise KDR_OK */
    double whole_dt;           /* length of the whole step, of which the clock's may be a part */
    uint64_t later;            /* steps of the run before the clock of a step that is repeated; noise depends on the run's step number */
    bool hit;                  /* constraints, colliders or the boundary changed a particle in the last pass of a step */
} kdr_system_run_state;

static inline int kdr_run_dims(const kdr_system_run_state *r) { return r->particles->dims; }

static inline kdr_swept kdr_run_arrays(const kdr_system_run_state *r, const kdr_particles *particles) {
    return (kdr_swept){&r->system->desc.executor, r->system->backend, particles};
}

/* Sets a to the accelerations of all particles at the x and v of `seen`, or of the marked particles with levels. m, which may be NULL,
 * is the row of magnetic fields. */
kdr_status kdr_run_evaluate(kdr_system_run_state *run, const kdr_particles *seen, double t, void *const a[3], void *const *m);

/* kdr_run_see finds the arrays of a row and returns their layout. kdr_run_seen_by returns the particles with the x and v that an
 * EVALUATE reads. kdr_run_evaluate_row carries out that EVALUATE. */
kdr_layout kdr_run_see(const kdr_system_run_state *run, unsigned column, void *array[3]);
kdr_particles kdr_run_seen_by(const kdr_system_run_state *run, const kdr_instruction *evaluation);
kdr_status kdr_run_evaluate_row(kdr_system_run_state *run, const kdr_instruction *evaluation, double fraction);

/* Returns the number of the present step on the run's clock. */
static inline uint64_t kdr_run_step(const kdr_system_run_state *run) { return run->clock->step + run->done + run->later; }

/* Returns whether tiny values become 0 at the end of the present step. */
static inline bool kdr_run_flushes_small(const kdr_system_run_state *run) {
    return kdr_flushes_small_after(&run->system->problem, kdr_run_step(run), run->levels.highest);
}

/* Solves an implicit step's equation for all particles, after evaluation e: corrections and evaluations alternate until it is solved. */
kdr_status kdr_run_solve(kdr_system_run_state *run, int e);

/* For kinematic methods: kdr_run_prepare_maps fills in the job that makes maps of single particles, kdr_run_make_maps makes them once
 * per run, and kdr_run_drive computes what driven fields add in the next step. */
void kdr_run_prepare_maps(kdr_system_run_state *run);
void kdr_run_make_maps(const kdr_system_run_state *run);
void kdr_run_drive(kdr_system_run_state *run);

/* kdr_run_take_compensations copies the compensations from the particles, or sets them to 0 if the run does not resume.
 * kdr_run_give_compensations copies them back for particles that move. */
void kdr_run_take_compensations(kdr_system_run_state *run);
void kdr_run_give_compensations(const kdr_system_run_state *run);

/* Sets tiny values of x, v and the acceleration work.a[kept] to 0. */
void kdr_run_flush_small(kdr_system_run_state *run, int kept);

/* kdr_run_begin provides the acceleration that a run begins with, if the method keeps one. kdr_run_keep_memory writes the one of the
 * last whole step's end to the particles' memory. */
kdr_status kdr_run_begin(kdr_system_run_state *run);
void kdr_run_keep_memory(kdr_system_run_state *run);

/* Begins a step: saves the counts, so that a failed step can be undone. */
void kdr_run_begin_step(kdr_system_run_state *run);

/* kdr_run_before_drift saves x (and v) before a drift. kdr_run_hold has the terms enforce their constraints after a drift of length h. */
void kdr_run_before_drift(kdr_system_run_state *run);
kdr_status kdr_run_hold(kdr_system_run_state *run, double h);

/* Has the terms enforce their constraints around a rotation of all velocities: before it with NULL, after it with the instruction that
 * makes the rotation. */
void kdr_run_hold_turn(kdr_system_run_state *run, const kdr_instruction *rotation);

/* Sets the compensations of particles held by terms to 0. */
void kdr_run_forget(const kdr_system_run_state *run);

/* For molecules, these track the change of v in a step that is not due to distances. kdr_run_begin_gains starts at the step's beginning,
 * kdr_run_gain adds up the change just before velocities are held, kdr_run_gained notes v after that. */
void kdr_run_begin_gains(const kdr_system_run_state *run);
void kdr_run_gain(const kdr_system_run_state *run);
void kdr_run_gained(const kdr_system_run_state *run);

/* Has molecules that meet colliders repeat a step that is whole. Returns whether any did. */
bool kdr_run_meet_as_molecules(const kdr_system_run_state *run);

/* Ends a whole step: terms correct its end, walls act, and a kept acceleration is evaluated anew if particles were changed. */
kdr_status kdr_run_end_step(kdr_system_run_state *run);

/* Marks the particles inside an absorbing boundary; the others take no part in the next step. */
void kdr_run_see_who_is_inside(kdr_system_run_state *run);

/* kdr_run_watch_begin saves the state that a watched run begins with. kdr_run_watch looks for changes of sign in the last whole step. If
 * a watch stops the run, it sets run->ended. If a user's function fails, it restores the beginning of that step. */
void kdr_run_watch_begin(kdr_system_run_state *run);
kdr_status kdr_run_watch(kdr_system_run_state *run);

/* Takes a view with its own x and v through one step of a clock, which may be a part of a step of length `whole`. `later` steps of the
 * run precede that clock. Memory and compensations of the view are only read. */
kdr_status kdr_run_apart(const kdr_system *system, kdr_particles *view, const kdr_clock *clock, double whole, uint64_t later, bool resumes,
                         const kdr_workspace *workspace, kdr_error *error);

/* Makes the steps of a run with levels, up to the last one or to one that fails. After a failure run->back says how to restore the last
 * whole step. */
kdr_status kdr_run_levels(kdr_system_run_state *run);

#endif
