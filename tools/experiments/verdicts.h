/* The statements of VDrift's older page about five methods on critically damped springs, compared with the measurements of E5. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_VERDICTS_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_VERDICTS_H

#include "report.h"

/* VDrift's springs: m, h, x0, and the stiffnesses. */
enum { CRITICAL_SPRINGS = 5, CRITICAL_STEPS = 2000, CRITICAL_WATCHED = 50 };
extern const double critical_stiffness[CRITICAL_SPRINGS], critical_mass, critical_x0, critical_h;
double critical_drag(double k);
const char *critical_panel(int spring, char text[32]);

/* Returns the row of a method at a stiffness; NULL: none. */
const json_t *critical_row(const json_t *rows, const char *method, double k);

/* Measures Verlet as it was before VDrift's modification. It is not a method of the library, so its rows go into a table of their own. */
json_t *verdicts_unmodified(report *r);

/* Adds the claims, from the rows of E5's two tables and of verdicts_unmodified. */
void verdicts_claim(report *r, const json_t *rows, const json_t *ends, const json_t *unmodified);

#endif
