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
 * NULL: one call in the calling thread. Results never depend on it. A field run calls it once; a coupled run calls it several times per
 * step, and for each sweep over many distances. So it should not start threads at each call. */
typedef struct kdr_executor {
    void *context;
    void (*parallel_for)(void *context, size_t count, kdr_range_fn *body, void *argument);
} kdr_executor;

KDR_API kdr_executor kdr_executor_serial(void);

/* Makes an executor of OpenMP's threads: `threads` from 1 to 4096, or 0 for OpenMP's choice. Errors: KDR_ERROR_NULL; KDR_ERROR_ARGUMENT
 * for another number; KDR_ERROR_UNAVAILABLE in a library without OpenMP. OpenMP ends the process if it cannot start its threads.
 *
 * Do not use it in a child of fork() unless the parent never used OpenMP: gcc's OpenMP waits there forever. Take kdr_executor_serial()
 * or call exec first. */
KDR_API kdr_status kdr_executor_openmp(int threads, kdr_executor *executor);

#ifdef __cplusplus
}
#endif
#endif
