/* What this core's square roots and divisions can do: the bound of gravity. */
#ifndef KDR_BENCH_ROOTS_H
#define KDR_BENCH_ROOTS_H

#include <stddef.h>

/* One object for each instruction set and precision: CMakeLists.txt lists them. */
typedef struct kdr_bench_roots_unit {
    const char *isa;
    const char *real;
    double per_round; /* square roots, each with a division, in a round */
    double (*run)(size_t rounds);
} kdr_bench_roots_unit;

/* The units that were built, ended by NULL. */
extern const kdr_bench_roots_unit *const kdr_bench_roots_units[];

#endif
