/* Measured stability limits: the largest omega h up to which a method's damped oscillator stays bounded. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_LIMITS_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_LIMITS_H

#include "report.h"

/* The search ends here. The largest known limit of an explicit method is 6.35 (blanes-moan-11b). */
#define LIMIT_CAP 8.0

typedef struct limit_problem {
    kdr_method method;
    kdr_composition compose;
    double zeta;     /* damping ratio; 0: no drag in the field */
    double mass, dt; /* mass of the particles, and step */
    bool afresh;     /* a method with memory starts afresh at each step */
} limit_problem;

/* Finds the first omega h at which the oscillator grows; INFINITY if there is none below LIMIT_CAP. A method without memory is measured by
 * the matrix of one step, to 1e-8; one with memory in a damped field by limit_by_growth. Returns false if the method is refused, which the
 * row then says, or if a call failed. */
bool limit_measure(report *r, json_t *row, const limit_problem *p, double *limit);

/* Finds the same limit from the growth of the motion in some thousand steps, to about 1e-5, for zeta > 0. */
bool limit_by_growth(report *r, json_t *row, const limit_problem *p, double *limit);

#endif
