/* What rounding takes from coefficients, and compensated runs of floats give back.
 *
 * The weights of a step must add up to h, or the time runs ahead; and the sum of weight times stage's time to that of the row, h/2 from
 * second order on, or the energy drifts: by (omega h)^2 a step times what is missing, which over 10^5 steps is more than the sums of the
 * state lose. Errors of the conditions beyond are those times h, and do not matter. */
#ifndef KDR_METHOD_COMPENSATION_H
#define KDR_METHOD_COMPENSATION_H

#include "method.h"

/* In place of the scale of weights whose ratios are rounded: with it they add up to h. */
double kdr_compensated_scale(double scale, const double *ratio, int stages);

/* The stage that is the latest of a Runge-Kutta or Nystrom row; 0: the row has none behind the first. */
int kdr_latest_stage(const kdr_row *row);

/* How much of (the latest stage's slope - the first's) makes up for the rounded times of the stages: of x and v each, of a Nystrom row of
 * v. */
double kdr_compensated_tilt(const kdr_row *row, double h);

#endif
