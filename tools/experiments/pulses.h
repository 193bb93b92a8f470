/* Brown's viscous and collision contributions: two tables of E6, and the claims about them. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_PULSES_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_PULSES_H

#include "report.h"

void pulses_claim(report *r);

#endif
