/* The serial executor, and the call of any. */
#include "executor.h"

kdr_executor kdr_executor_serial(void) { return (kdr_executor){NULL, NULL}; }

void kdr_parallel_for(const kdr_executor *executor, size_t count, kdr_range_fn *body, void *argument) {
    if (count == 0) {
        return;
    }
    if (executor->parallel_for) {
        executor->parallel_for(executor->context, count, body, argument);
    } else {
        body(argument, 0, count);
    }
}
