/* The program of an integrator, printed. */
#ifndef KICKDRIFT_TOOLS_EXPLAIN_H
#define KICKDRIFT_TOOLS_EXPLAIN_H

#include "fault.h"

#include <kickdrift/kickdrift.h>

/* For particles of `dims` axes, with masses or without. False, with the fault set, without memory. */
bool explain_print(const kdr_integrator *integrator, int dims, bool masses, fault *why);

#endif
