/* What a step does, printed. */
#ifndef KICKDRIFT_TOOLS_EXPLAIN_H
#define KICKDRIFT_TOOLS_EXPLAIN_H

#include "motion.h"

/* For particles of `dims` axes, with masses or without. False, with the fault set, without memory. */
bool explain_print(const motion *m, int dims, bool masses, fault *why);

#endif
