/* Executors run the library's parallel loops. The library starts no threads itself. */
#ifndef KICKDRIFT_EXECUTOR_H
#define KICKDRIFT_EXECUTOR_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does the work [begin, end) of a parallel loop. */
typedef void kdr_range_fn(void *argument, size_t begin, size_t end);

/* `parallel_for` must call `body` on ranges that cover [0, count) once, in any order, from any threads, and return when all are done.
 * NULL: one call in the calling thread. Results never depend on it. Coupled runs call it several times per step, so it should not start
 * threads at each call. */
typedef struct kdr_executor {
    void *context;
    void (*parallel_for)(void *context, size_t count, kdr_range_fn *body, void *argument);
} kdr_executor;

KDR_API kdr_executor kdr_executor_serial(void);

/* Makes an executor of OpenMP's threads: `threads` from 1 to 4096, or 0 for OpenMP's choice. OpenMP ends the process if it cannot start
 * them. Do not use it in a child of fork() whose parent used OpenMP: gcc's OpenMP waits there forever. Errors: KDR_ERROR_ARGUMENT
 * (threads); KDR_ERROR_UNAVAILABLE in a library without OpenMP. */
KDR_API kdr_status kdr_executor_openmp(int threads, kdr_executor *executor);

#ifdef __cplusplus
}
#endif
#endif
