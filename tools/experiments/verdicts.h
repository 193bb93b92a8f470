/* What VDrift's older page says of five methods on critically damped springs, held against the measurements of E5. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_VERDICTS_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_VERDICTS_H

#include "report.h"

/* VDrift's springs: m, h, x0, and the stiffnesses. */
enum { CRITICAL_SPRINGS = 5, CRITICAL_STEPS = 2000, CRITICAL_WATCHED = 50 };
extern const double critical_stiffness[CRITICAL_SPRINGS], critical_mass, critical_x0, critical_h;
double critical_drag(double k);
const char *critical_panel(int spring, char text[32]);

/* The row of a method at a stiffness; NULL: none. */
const json_t *critical_row(const json_t *rows, const char *method, double k);

/* Steps Verlet as it is before VDrift's modification, which is no method of the library: its rows go into a table of its own. */
json_t *verdicts_unmodified(report *r);

/* The claims, from the rows of E5's two tables and of verdicts_unmodified. */
void verdicts_claim(report *r, const json_t *rows, const json_t *ends, const json_t *unmodified);

#endif
