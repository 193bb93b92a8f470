/* The plain pass: the rate at which memory serves a loop that reads and writes each element once. It is compiled for each instruction
 * set. */
#ifndef KDR_BENCH_MEMORY_PASS_H
#define KDR_BENCH_MEMORY_PASS_H

#include <stddef.h>

typedef struct kdr_bench_memory_pass_unit {
    const char *isa, *real;
    /* Computes x = x + a and v = v + x of n elements: three arrays are read, two written. The additions keep the compiler from leaving any
     * out. */
    void (*pass)(void *x, void *v, const void *a, size_t n);
} kdr_bench_memory_pass_unit;

/* The units that were built. The last pointer is NULL. */
extern const kdr_bench_memory_pass_unit *const kdr_bench_memory_pass_units[];

#endif
