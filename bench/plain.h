/* The plain pass: what memory delivers to a loop that reads and writes each element once. Its unit is compiled for each instruction set. */
#ifndef KDR_BENCH_PLAIN_H
#define KDR_BENCH_PLAIN_H

#include <stddef.h>

typedef struct kdr_bench_plain_unit {
    const char *isa, *real;
    /* x = x + a and v = v + x of n elements, the additions there so that none can be left out: three arrays read, two of them written. */
    void (*pass)(void *x, void *v, const void *a, size_t n);
} kdr_bench_plain_unit;

/* The units that were built, ended by NULL. */
extern const kdr_bench_plain_unit *const kdr_bench_plain_units[];

#endif
