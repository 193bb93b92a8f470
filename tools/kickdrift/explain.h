/* Prints the program of a step, for --explain. */
#ifndef KICKDRIFT_TOOLS_EXPLAIN_H
#define KICKDRIFT_TOOLS_EXPLAIN_H

#include "motion.h"

/* Prints the program for particles with `dims` axes, with masses or without. Returns false, with the fault set, if there is no memory. */
bool explain_print(const motion *m, int dims, bool masses, fault *why);

#endif
