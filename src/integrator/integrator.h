/* What an integrator holds. */
#ifndef KDR_INTEGRATOR_INTEGRATOR_H
#define KDR_INTEGRATOR_INTEGRATOR_H

#include <kickdrift/integrator.h>

#include "../problem/walls.h"
#include "../program/program.h"

/* What all runs of particles of some axes, with masses or without, have of the integrator. */
typedef struct kdr_common {
    kdr_job job;
    double base[KDR_BASE]; /* in the particles' precision: that of a field which is not driven, */
    kdr_scaled row;        /* and the row's coefficients for steps desc.dt */
} kdr_common;

/* All that is made of a description. */
typedef struct kdr_setup {
    kdr_integrator_desc desc; /* as it was given, with copies of what it points to */
    kdr_tableau tableau;
    kdr_fractions fractions;
    kdr_substeps substeps;
    kdr_problem problem;
    kdr_backend backend;
    kdr_program *program[3][2]; /* for each number of axes, without masses and with them */
    kdr_program *flight[3][2];  /* what takes a part of a step from one surface to the next; or NULL, where that is a parabola */
    kdr_common common[3][2];
    kdr_watch watches[KDR_MAX_WATCHES]; /* to which they point */
    kdr_walls walls;                    /* to whose copies `desc` and `problem` point */
    kdr_force forces[];
} kdr_setup;

/* What the caller holds, whatever is made anew. */
struct kdr_integrator {
    kdr_setup *setup;
};

/* The programs are prepared for steps dt. */
static inline bool kdr_has_prepared(const kdr_setup *setup, double dt) {
    return dt != 0.0 && dt == setup->desc.dt && setup->problem.substepping.count == 1;
}

#endif
