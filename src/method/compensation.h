/* Corrections for rounded coefficients, in compensated runs of floats.
 *
 * The weights of a step must add up to h, or the time runs ahead. From second order on, the sum of weight times stage's time must be the
 * row's, h/2, or the energy drifts: per step by (omega h)^2 times the error, which over 10^5 steps exceeds the rounding of the state's
 * sums. Errors of further conditions are smaller by a factor h, and do not matter. */
#ifndef KDR_METHOD_COMPENSATION_H
#define KDR_METHOD_COMPENSATION_H

#include "method.h"

/* Returns the scale for weights whose ratios are rounded, so that they add up to h. */
double kdr_compensated_scale(double scale, const double *ratio, int stages);

/* Returns the latest stage of a Runge-Kutta or Nystrom row; 0 if there is none after the first. */
int kdr_latest_stage(const kdr_row *row);

/* Returns the factor of (latest stage's slope - first stage's) that corrects for the rounded times of the stages: for x and v each; for
 * a Nystrom row only for v. */
double kdr_compensated_tilt(const kdr_row *row, double h);

#endif
