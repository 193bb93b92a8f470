/* Parallel loops, as the rest of the library calls them. */
#ifndef KDR_PARTICLES_EXECUTOR_H
#define KDR_PARTICLES_EXECUTOR_H

#include <kickdrift/executor.h>

/* KDR_BLOCK: particles of a block, the unit of work. It is four of the kernels' widest tiles, and small enough that 16,384 particles
 * keep many threads busy. */
enum { KDR_BLOCK = 512 };

static inline size_t kdr_blocks(size_t count) { return count / KDR_BLOCK + (count % KDR_BLOCK != 0); }

/* Calls `body` for all of [0, count) by the executor; does nothing if count is 0. */
void kdr_parallel_for(const kdr_executor *executor, size_t count, kdr_range_fn *body, void *argument);

#endif
