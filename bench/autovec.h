/* The honest opponent: the loop that a good C programmer writes by hand, left to the compiler's auto-vectoriser.
 *
 * Structure of arrays, constants folded beforehand, all steps of a small group of particles taken in one go, so that nothing but
 * arithmetic is left. It gives up what the library promises: its bits depend on the compiler, on its flags and on the instruction set.
 * One object for each (instruction set, precision, arithmetic): CMakeLists.txt lists them. */
#ifndef KDR_BENCH_AUTOVEC_H
#define KDR_BENCH_AUTOVEC_H

#include "fields.h"

/* Takes `steps` steps of size h of all `count` particles; the arrays hold elements of the unit's precision. */
typedef void kdr_bench_autovec_fn(void *const x[3], void *const v[3], size_t count, size_t steps, double h, const kdr_bench_folded *field);

typedef struct kdr_bench_autovec_loop {
    const char *method; /* as kdr_method_info names it */
    const char *field;  /* as fields.c names it */
    kdr_bench_autovec_fn *run;
} kdr_bench_autovec_loop;

typedef struct kdr_bench_autovec_unit {
    const char *isa;        /* the library's backend for the same instruction set: "avx512" */
    const char *real;       /* "f32", "f64" */
    const char *arithmetic; /* "fused": the compiler contracts where it can; "unfused": nowhere; "fast-math": it does as it likes */
    const char *flags;
    const kdr_bench_autovec_loop *loops;
    size_t loop_count;
} kdr_bench_autovec_unit;

/* The units that were built, ended by NULL. */
extern const kdr_bench_autovec_unit *const kdr_bench_autovec_units[];

#endif
