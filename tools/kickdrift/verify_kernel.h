/* `kickdrift verify --kernel`: holds a kernel of the user's, in a shared library, against the reference that it names. */
#ifndef KICKDRIFT_TOOLS_VERIFY_KERNEL_H
#define KICKDRIFT_TOOLS_VERIFY_KERNEL_H

#include "fault.h"

#include <stdint.h>

#define VERIFY_ALL_CASES UINT64_MAX

/* Runs the cases of the description that kdr_check_plugin of the library returns, with this seed, or one case alone. threads 0: as many
 * as the description says. Prints the report. Returns the exit status. */
int verify_kernel(const char *path, uint64_t seed, uint64_t number, uint64_t threads, fault *why);

#endif
