/* The error of a run: the largest of what its method has estimated of each step, or that of the end, told from runs of the same time with half
 * the step, a quarter, ... (Richardson's extrapolation). */
#ifndef KICKDRIFT_TOOLS_CONVERGE_H
#define KICKDRIFT_TOOLS_CONVERGE_H

#include "motion.h"

#include <jansson.h>

enum { CONVERGE_MOST = 10 };

/* Where the run of dt / 2^n ends. */
typedef struct converge_run {
    double dt;
    uint64_t steps;
    double difference; /* the largest of any x to the next run's; of the last one 0 */
    double order;      /* that the difference before it and its own show; NaN where there are no two */
    double error;      /* the largest of any x to the extrapolated one */
    double *x;         /* the axes one behind the other */
} converge_run;

/* What is told of a run. */
typedef struct run_error {
    bool is_embedded; /* of a step, by the method's own estimate; else of the end */
    double x, order;  /* the largest of any particle on any axis; by which order: 0: by none, the finest run stands for what is exact */
    int known;        /* the order of the method, 0: not known */
    size_t particle;
    uint64_t id;
} run_error;

typedef struct convergence {
    int count;
    size_t particles, length; /* numbers of a run's positions: of all axes */
    converge_run run[CONVERGE_MOST + 1];
    double order;    /* by which was extrapolated; 0: the differences show none, and the last run stands for what is exact */
    int known;       /* the method's; 0: not known */
    size_t particle; /* whose error is the first run's */
} convergence;

/* Of a population whose particles have errors. */
run_error run_error_of_steps(const population *of, int order);
run_error run_error_of_end(const convergence *c, const population *of);
void run_error_print(const run_error *error);
json_t *run_error_json(const run_error *error);

/* Why runs with other steps do not tell the error of this scene; NULL: they do. */
const char *converge_refusal(const scene *from);

/* The order that the table of methods has for this scene's; 0: none is known. */
int converge_order(const scene *from, const kdr_method_info *info);

/* Keeps a run's positions. False without memory. */
bool converge_keep(convergence *c, const population *end, double dt, uint64_t steps);

/* Builds the scene's particles anew and takes them through its time with its step, the half of it, ..., `halvings` times; those that have been kept
 * are not run again. */
bool converge_halve(convergence *c, scene *from, const motion *by, int halvings, fault *why);

/* Of at least two runs: their differences, orders and errors. `order`: 0, or that by which to extrapolate what shows none of its own. */
void converge_extrapolate(convergence *c, int order);
void converge_print(const convergence *c);
json_t *converge_json(const convergence *c);
void converge_release(convergence *c);

#endif
