/* The state of a coupled run. */
#ifndef KDR_COUPLED_RUN_H
#define KDR_COUPLED_RUN_H

#include "arrays.h"
#include "coupled.h"
#include "ends.h"
#include "levels.h"

typedef struct kdr_run {
    const kdr_coupled *coupled;
    kdr_particles *particles;
    kdr_particles state; /* where x and v are: the particles' own arrays, or plain copies */
    const kdr_clock *clock;
    kdr_work work;
    kdr_job job;    /* of the field, */
    kdr_job slopes; /* and of its derivatives, if there are any; */
    kdr_job maps;   /* of the maps of particles that have their own; */
    double drive[2 * KDR_BASE];
    float narrow_drive[2 * KDR_BASE]; /* and what driven fields add in this step to x and to v, where a method adds up contributions */
    double base[KDR_BASE];
    float narrow_base[KDR_BASE]; /* of the latest evaluation, one of which is the jobs' */
    uint64_t steps, done;
    double fraction[KDR_MAX_FRACTIONS]; /* of a step, when each of its evaluations is */
    kdr_error *error;
    kdr_segments step;
    kdr_sweeper sweeper;
    bool defers, pending;                 /* the last pass of a step waits for the first of the next; and does now */
    enum { HERE, COPIES, COMPUTED } back; /* back to the end of the last whole step: x and v are still there; or how they get there */
    /* The acceleration that a method keeps is in work.a[newest]; that of the end of the last whole step in work.a[whole]. */
    bool keeps, carries, resumed, begun, reads; /* the last: what particles carry is read, and not written */
    bool lends; /* work.a[1] is the particles' memory, which is gone on from: each of them moves, and keeps doing so */
    int newest, whole;
    uint16_t a;             /* its row, by its first column */
    kdr_levels levels;      /* without marks: all particles take the clock's steps */
    kdr_job at_work;        /* what the method's lines look at beside their rows, */
    kdr_flights flights;    /* of its colliders; */
    kdr_aside aside;        /* and what of it lies apart */
    kdr_recorder *contacts; /* who writes them down, or NULL; */
    size_t noted;           /* how many there were at the end of the last whole step */
    kdr_recorder *events;   /* of a watched run; or NULL */
    int end;                /* of it: work.ends[end] is the state at the end of the last whole step */
    kdr_status ended;       /* why it goes no further, though its last step is whole; or KDR_OK */
    double whole_dt;        /* dt of the whole step that the clock's may be a part of */
    uint64_t later;         /* steps of the run that lie before the clock of a step that is taken again: noise is by the run's */
    bool hit;               /* the last pass of a step has had constraints, colliders or the boundary change a particle */
} kdr_run;

static inline int kdr_run_dims(const kdr_run *r) { return r->particles->dims; }

static inline kdr_swept kdr_run_arrays(const kdr_run *r, const kdr_particles *particles) {
    return (kdr_swept){&r->coupled->desc.executor, r->coupled->backend, particles};
}

/* a = the accelerations of all particles, at the x and v that are seen; with levels, of those that are marked. m: row m, or NULL. */
kdr_status kdr_run_evaluate(kdr_run *run, const kdr_particles *seen, double t, void *const a[3], void *const *m);

/* Where a row is, to be looked at; the particles where an evaluation sees them; and what it sets. */
kdr_layout kdr_run_see(const kdr_run *run, unsigned column, void *array[3]);
kdr_particles kdr_run_seen_by(const kdr_run *run, const kdr_instruction *evaluation);
kdr_status kdr_run_evaluate_row(kdr_run *run, const kdr_instruction *evaluation, double fraction);

/* The step that is made, on the clock of the run. */
static inline uint64_t kdr_run_step(const kdr_run *run) { return run->clock->step + run->done + run->later; }

/* It is one that is followed by a rest. */
static inline bool kdr_run_rests(const kdr_run *run) { return kdr_is_rest(&run->coupled->problem, kdr_run_step(run), run->levels.highest); }

/* Behind evaluation e of an implicit step: corrections and evaluations, until its equation is solved for all particles. */
kdr_status kdr_run_solve(kdr_run *run, int e);

/* Kinematic methods: what makes the maps of particles that have their own; the maps, once a run; and what driven fields add in the step
 * that begins. */
void kdr_run_prepare_maps(kdr_run *run);
void kdr_run_make_maps(const kdr_run *run);
void kdr_run_drive(kdr_run *run);

/* What rounding has taken, from the particles or 0, in arrays of the run's own; and back, but to what is not moved. */
void kdr_run_take_compensations(kdr_run *run);
void kdr_run_give_compensations(const kdr_run *run);

/* What is next to nothing becomes 0, the acceleration in work.a[kept] too. */
void kdr_run_rest(kdr_run *run, int kept);

/* The acceleration that a run begins with, where the method keeps one; and what the particles' memory holds, or would: that at the end of
 * the last whole step. */
kdr_status kdr_run_begin(kdr_run *run);
void kdr_run_keep_memory(kdr_run *run);

/* A step begins: what is counted can be taken back. */
void kdr_run_begin_step(kdr_run *run);

/* Before a drift, and behind one of length h: the terms hold to what they hold to. */
void kdr_run_before_drift(kdr_run *run);
kdr_status kdr_run_hold(kdr_run *run, double h);

/* Before a turn of all velocities, with NULL, and after it, with the line that makes its rotation: the terms hold to it there too. */
void kdr_run_hold_turn(kdr_run *run, const kdr_instruction *rotation);

/* Sets the carried rounding errors of held particles to 0. */
void kdr_run_forget(const kdr_run *run);

/* With molecules: v is that with which the step begins; it is about to be held, and all that it has gained since the latest hold is not by
 * distances; it has been held. */
void kdr_run_begin_gains(const kdr_run *run);
void kdr_run_gain(const kdr_run *run);
void kdr_run_gained(const kdr_run *run);

/* Behind a step that is whole: molecules that meet colliders take it again. Returns whether some did. */
bool kdr_run_meet_as_molecules(const kdr_run *run);

/* A step is whole: has the terms correct its end, and what has been kept after that. */
kdr_status kdr_run_end_step(kdr_run *run);

/* Who is outside of an absorbing boundary takes no part in the next step. */
void kdr_run_see_who_is_inside(kdr_run *run);

/* A watched run keeps the state that it begins with; and looks at what its last step, which is whole, has changed, before it goes on.
 * A watch that stops it says so in run->ended; where a function fails the particles are where that step began. */
void kdr_run_watch_begin(kdr_run *run);
kdr_status kdr_run_watch(kdr_run *run);

/* Takes a view, whose x and v are its own, through one step of a clock, which may be a part of a step of length `whole`; `later` steps of the
 * run lie before that clock. What the view carries is only read. */
kdr_status kdr_run_apart(const kdr_coupled *coupled, kdr_particles *view, const kdr_clock *clock, double whole, uint64_t later,
                         bool resumes, const kdr_workspace *workspace, kdr_error *error);

/* The steps of a run with levels, up to the last one, or to one that fails: the way back from there is left. */
kdr_status kdr_run_levels(kdr_run *run);

#endif
