/* Stability limits, measured: the largest omega h up to which a method's damped oscillator stays bounded. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_LIMITS_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_LIMITS_H

#include "report.h"

/* Nothing is looked for beyond; the longest known limit of an explicit row is 6.35 (blanes-moan-11b). */
#define LIMIT_CAP 8.0

typedef struct limit_problem {
    kdr_method method;
    kdr_composition compose;
    double zeta;     /* the damping ratio; 0: the field has no drag */
    double mass, dt; /* of the particles that measure it */
    bool afresh;     /* a method with memory starts afresh at each step */
} limit_problem;

/* The first omega h at which the oscillator grows; INFINITY when it does not below LIMIT_CAP. A method without memory is measured by the
 * matrix of one step, to 1e-8; one with memory in a damped field as limit_by_growth does. False: refused, and the row says so, or failed. */
bool limit_measure(report *r, json_t *row, const limit_problem *p, double *limit);

/* The same from the motion itself: does it grow in some thousand steps? To 1e-5 or so, for zeta > 0. */
bool limit_by_growth(report *r, json_t *row, const limit_problem *p, double *limit);

#endif
