/* Parallel loops, as the rest of the library calls them. */
#ifndef KDR_INTEGRATOR_EXECUTOR_H
#define KDR_INTEGRATOR_EXECUTOR_H

#include <kickdrift/integrator.h>

/* Does [0, count) by the executor; nothing when count is 0. */
void kdr_parallel_for(const kdr_executor *executor, size_t count, kdr_range_fn *body, void *argument);

#endif
