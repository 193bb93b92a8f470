/* Executors: who runs the library's parallel loops. The library starts no thread of its own: OpenMP does, or the caller. */
#ifndef KICKDRIFT_EXECUTOR_H
#define KICKDRIFT_EXECUTOR_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does the work [begin, end) of a parallel loop. */
typedef void kdr_range_fn(void *argument, size_t begin, size_t end);

/* Who runs the parallel loops. `parallel_for` must call `body` on ranges that together cover [0, count) once each, in any order and
 * from any threads, and return when all are done. NULL: one call, [0, count), in the calling thread. Results never depend on it.
 * It is called where there are two ranges or more: once in a field run, several times a step in a coupled one, and with distances for
 * each sweep over rods that many particles share: one that starts threads at each call is slow there. */
typedef struct kdr_executor {
    void *context;
    void (*parallel_for)(void *context, size_t count, kdr_range_fn *body, void *argument);
} kdr_executor;

KDR_API kdr_executor kdr_executor_serial(void);

/* OpenMP's threads: `threads` from 1 to 4096, or 0 for OpenMP's own choice. KDR_ERROR_ARGUMENT for another number (the OpenMP runtime ends
 * the process when it cannot start its threads), KDR_ERROR_UNAVAILABLE when the library was built without OpenMP.
 *
 * Not after fork(): in a child gcc's OpenMP runtime waits for ever for the threads that its parent had started. A process whose parent
 * has run anything by OpenMP takes kdr_executor_serial(), which works in any child, or an executor of its own; or calls exec first. */
KDR_API kdr_status kdr_executor_openmp(int threads, kdr_executor *executor);

#ifdef __cplusplus
}
#endif
#endif
