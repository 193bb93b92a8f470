/* The opponent: the loop that a good C programmer would write by hand, vectorised by the compiler.
 *
 * It uses a structure of arrays, folds constants beforehand, and takes all steps of a small group of particles at once, so that only
 * arithmetic is left. It does not keep the library's promise: its bits depend on the compiler, its flags and the instruction set. There is
 * one object for each (compiler, instruction set, precision, arithmetic), which CMakeLists.txt lists. */
#ifndef KDR_BENCH_AUTOVEC_H
#define KDR_BENCH_AUTOVEC_H

#include "fields.h"

/* The largest number of steps of a call, for which there is room to compute a drive beforehand. */
enum { KDR_BENCH_AUTOVEC_STEPS = 128 };

/* Takes `steps` steps of size h of all `count` particles, from time t. The arrays have elements of the unit's precision. `inverse_mass` is
 * read only in fields with masses. */
typedef void kdr_bench_autovec_fn(void *const x[3], void *const v[3], const void *inverse_mass, size_t count, size_t steps, double h,
                                  double t, const kdr_bench_folded *field);

typedef struct kdr_bench_autovec_loop {
    const char *method; /* the name in kdr_method_info */
    const char *field;  /* the name in fields.c */
    kdr_bench_autovec_fn *run;
    kdr_bench_autovec_fn *sweep; /* the same with one step per call, in one pass over the arrays and without copies; NULL in most units */
} kdr_bench_autovec_loop;

typedef struct kdr_bench_autovec_unit {
    const char *isa;        /* name of the library's backend for the same instruction set, such as "avx512" */
    const char *real;       /* "f32" or "f64" */
    const char *arithmetic; /* "fused": the compiler contracts where it can; "unfused": nowhere; "fast-math": with -ffast-math */
    const char *maker;      /* "": made by the library's own compiler; "clang-" or "gcc-": made by the other one */
    const char *compiler;   /* name and version of the compiler */
    const char *flags;
    const kdr_bench_autovec_loop *loops;
    size_t loop_count;
} kdr_bench_autovec_unit;

/* The units that were built. The last pointer is NULL. */
extern const kdr_bench_autovec_unit *const kdr_bench_autovec_units[];

#endif
