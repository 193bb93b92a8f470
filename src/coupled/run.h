/* The state of a coupled run. */
#ifndef KDR_COUPLED_RUN_H
#define KDR_COUPLED_RUN_H

#include "arrays.h"
#include "coupled.h"
#include "levels.h"

typedef struct kdr_run {
    const kdr_coupled *coupled;
    kdr_particles *particles;
    kdr_particles state; /* where x and v are: the particles' own arrays, or plain copies */
    const kdr_clock *clock;
    kdr_work work;
    kdr_job job;    /* of the field, */
    kdr_job slopes; /* and of its derivatives, if there are any */
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
    bool keeps, carries, resumed, begun;
    bool lends; /* work.a[1] is the particles' memory: each of them moves, and keeps doing so */
    int newest, whole;
    uint16_t a;        /* its row, by its first column */
    kdr_levels levels; /* without marks: all particles take the clock's steps */
    kdr_job at_work;   /* what the method's lines look at beside their rows */
    kdr_lines
        walls; /* of a step whose end is corrected: colliders and constraints, behind that; or nothing, and they are in its last pass */
    bool hit;  /* the last pass of a step has had constraints, colliders or the boundary change a particle */
} kdr_run;

static inline int kdr_run_dims(const kdr_run *r) { return r->particles->dims; }

static inline kdr_arrays kdr_run_arrays(const kdr_run *r, const kdr_particles *particles) {
    return (kdr_arrays){&r->coupled->desc.executor, r->coupled->backend, particles};
}

/* a = the accelerations of all particles, at the x and v that are seen; with levels, of those that are marked. */
kdr_status kdr_run_evaluate(kdr_run *run, const kdr_particles *seen, double t, void *const a[3]);

/* The steps of a run with levels, up to the last one, or to one that fails: the way back from there is left. */
kdr_status kdr_run_levels(kdr_run *run);

#endif
