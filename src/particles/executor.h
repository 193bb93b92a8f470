/* Parallel loops, as the rest of the library calls them. */
#ifndef KDR_PARTICLES_EXECUTOR_H
#define KDR_PARTICLES_EXECUTOR_H

#include <kickdrift/executor.h>

/* Particles of a block, the unit of work: four of the kernels' widest tiles; small enough that 16,384 particles keep many threads busy. */
enum { KDR_BLOCK = 512 };

static inline size_t kdr_blocks(size_t count) { return count / KDR_BLOCK + (count % KDR_BLOCK != 0); }

/* Does [0, count) by the executor; nothing when count is 0. */
void kdr_parallel_for(const kdr_executor *executor, size_t count, kdr_range_fn *body, void *argument);

#endif
