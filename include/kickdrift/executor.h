/* Executors run the library's parallel loops. The library starts no threads itself. */
#ifndef KICKDRIFT_EXECUTOR_H
#define KICKDRIFT_EXECUTOR_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does the iterations [begin, end) of a parallel loop. */
typedef void kdr_range_fn(void *argument, size_t begin, size_t end);

/* A parallel loop. `parallel_for` must call `body` on ranges that cover [0, count) once, in any order, from any threads, and return when
 * all are done. If it is NULL, the calling thread does everything. Results do not depend on it. System runs call it several times per step,
 * so it should not start threads each time. */
typedef struct kdr_executor {
    void *context;
    void (*parallel_for)(void *context, size_t count, kdr_range_fn *body, void *argument);
} kdr_executor;

KDR_API kdr_executor kdr_executor_serial(void);

/* Makes an executor of OpenMP's threads: `threads` from 1 to 4096, or 0 for OpenMP's choice. OpenMP ends the process if it cannot start
 * them. After fork() gcc's OpenMP hangs if the parent used OpenMP. Errors: KDR_ERROR_ARGUMENT (threads), KDR_ERROR_UNAVAILABLE (library
 * without OpenMP). */
KDR_API kdr_status kdr_executor_openmp(int threads, kdr_executor *executor);

#ifdef __cplusplus
}
#endif
#endif
