/* The parts of an integrator. */
#ifndef KDR_INTEGRATOR_INTEGRATOR_H
#define KDR_INTEGRATOR_INTEGRATOR_H

#include <kickdrift/integrator.h>

#include "../problem/walls.h"
#include "../program/program.h"

/* Data common to all runs of particles with this number of axes, with or without masses. */
typedef struct kdr_common {
    kdr_job job;
    double base[KDR_BASE]; /* base value in the particles' precision, if the field is not driven */
    kdr_scaled row;        /* the row's coefficients for steps desc.dt */
} kdr_common;

/* Everything that is made from a description. */
typedef struct kdr_setup {
    kdr_integrator_desc desc; /* the description as it was given, with copies of what it points to */
    kdr_tableau tableau;
    kdr_fractions fractions;
    kdr_substeps substeps;
    kdr_problem problem;
    kdr_backend backend;
    kdr_program *program[3][2]; /* by number of axes, without and with masses */
    kdr_program *flight[3][2];  /* programs that move a particle from one surface to the next; NULL if its path is a parabola */
    kdr_common common[3][2];
    kdr_watch watches[KDR_MAX_WATCHES]; /* copies; `desc` and `problem` point to them */
    kdr_walls walls;                    /* copies; `desc` and `problem` point to them */
    kdr_force forces[];
} kdr_setup;

/* The caller's handle, which stays valid when the setup is replaced. */
struct kdr_integrator {
    kdr_setup *setup;
};

/* Returns whether the programs are prepared for steps dt. */
static inline bool kdr_has_prepared(const kdr_setup *setup, double dt) {
    return dt != 0.0 && dt == setup->desc.dt && setup->problem.substepping.count == 1;
}

#endif
