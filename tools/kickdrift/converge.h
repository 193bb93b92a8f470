/* The error of a run. It is either the largest error that its method estimated in a step, or the error at the end, from runs over the same
 * time with half the step, a quarter, and so on (Richardson's extrapolation). */
#ifndef KICKDRIFT_TOOLS_CONVERGE_H
#define KICKDRIFT_TOOLS_CONVERGE_H

#include "motion.h"

#include <jansson.h>

enum { CONVERGE_MOST = 10 };

/* The result of the run with step dt / 2^n. */
typedef struct converge_run {
    double dt;
    uint64_t steps;
    double difference; /* the largest difference of any x from the next run's; 0 for the last run */
    double order;      /* the order that this difference and the one before it show; NaN if one of them is missing */
    double error;      /* the largest difference of any x from the extrapolated one */
    double *x;         /* positions: all of the first axis, then all of the second, ... */
} converge_run;

/* The error of a run, as it is printed. */
typedef struct run_error {
    bool is_embedded; /* true: the error of a step, from the method's own estimate; false: the error at the end */
    double x, order;  /* the largest error on any axis of any particle; the order of the extrapolation, 0: none, the finest run was taken as
                         exact */
    int known;        /* the order of the method; 0: unknown */
    size_t particle;
    uint64_t id;
} run_error;

typedef struct convergence {
    int count;
    size_t particles, length; /* particles; positions of a run, on all axes together */
    converge_run run[CONVERGE_MOST + 1];
    double order;    /* the order of the extrapolation; 0: the differences show none, and the last run is taken as exact */
    int known;       /* the order of the method; 0: unknown */
    size_t particle; /* the particle with the largest error in the first run */
} convergence;

/* run_error_of_steps reads the estimates in kdr_particles.error, which the population must have; run_error_of_end uses the runs of `c`. */
run_error run_error_of_steps(const population *of, int order);
run_error run_error_of_end(const convergence *c, const population *of);
void run_error_print(const run_error *error);
json_t *run_error_json(const run_error *error);

/* Returns why runs with other steps cannot tell the error of this scene; NULL if they can. */
const char *converge_refusal(const scene *from);

/* Returns the order that the table of methods gives for this scene; 0 if none is known. */
int converge_order(const scene *from, const kdr_method_info *info);

/* Keeps the positions at the end of a run. Returns false if there is no memory. */
bool converge_keep(convergence *c, const population *end, double dt, uint64_t steps);

/* Runs the scene with its step, half of it, and so on, halving `halvings` times; each run begins with particles that are built anew. Runs
 * that have been kept are not repeated. */
bool converge_halve(convergence *c, scene *from, const motion *by, int halvings, fault *why);

/* Computes the differences, orders and errors of at least two runs. `order`: the order to extrapolate with if the differences show none; 0:
 * unknown. */
void converge_extrapolate(convergence *c, int order);
void converge_print(const convergence *c);
json_t *converge_json(const convergence *c);
void converge_release(convergence *c);

#endif
