/* The peak rate of this core's square roots and divisions, with which gravity is compared. */
#ifndef KDR_BENCH_ROOTS_H
#define KDR_BENCH_ROOTS_H

#include <stddef.h>

/* A unit: one object for each instruction set and precision, which CMakeLists.txt lists. */
typedef struct kdr_bench_roots_unit {
    const char *isa;
    const char *real;
    double per_round; /* square roots in a round; each has one division */
    double (*run)(size_t rounds);
} kdr_bench_roots_unit;

/* The units that were built. The last pointer is NULL. */
extern const kdr_bench_roots_unit *const kdr_bench_roots_units[];

#endif
