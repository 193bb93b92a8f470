/* Parallel loops, as the rest of the library calls them. */
#ifndef KDR_PARTICLES_EXECUTOR_H
#define KDR_PARTICLES_EXECUTOR_H

#include <kickdrift/executor.h>

/* Does [0, count) by the executor; nothing when count is 0. */
void kdr_parallel_for(const kdr_executor *executor, size_t count, kdr_range_fn *body, void *argument);

#endif
