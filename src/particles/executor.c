/* The serial executor, and the call of any executor. */
#include "executor.h"
#include "rounding.h"

kdr_executor kdr_executor_serial(void) { return (kdr_executor){NULL, NULL}; }

typedef struct {
    kdr_range_fn *body;
    void *argument;
} ranges;

/* Calls the body with rounding to the nearest, because a user's thread has its own rounding mode. */
static void do_range(void *argument, size_t begin, size_t end) {
    KDR_ROUND_TO_NEAREST;
    const ranges *const r = argument;
    r->body(r->argument, begin, end);
}

void kdr_parallel_for(const kdr_executor *executor, size_t count, kdr_range_fn *body, void *argument) {
    if (count == 0) {
        return;
    }
    if (executor->parallel_for && count > 1) {
        executor->parallel_for(executor->context, count, do_range, &(ranges){body, argument});
        (void)kdr_round_to_nearest();
    } else {
        body(argument, 0, count);
    }
}
