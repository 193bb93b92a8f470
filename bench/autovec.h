/* The honest opponent: the loop that a good C programmer writes by hand, left to the compiler's auto-vectoriser.
 *
 * Structure of arrays, constants folded beforehand, all steps of a small group of particles taken in one go, so that nothing but
 * arithmetic is left. It gives up what the library promises: its bits depend on the compiler, on its flags and on the instruction set.
 * One object for each (compiler, instruction set, precision, arithmetic): CMakeLists.txt lists them. */
#ifndef KDR_BENCH_AUTOVEC_H
#define KDR_BENCH_AUTOVEC_H

#include "fields.h"

/* The most steps of a call, for which there is room to work out a drive beforehand. */
enum { KDR_BENCH_AUTOVEC_STEPS = 128 };

/* Takes `steps` steps of size h of all `count` particles, from the time t; the arrays hold elements of the unit's precision.
 * `inverse_mass` is read in fields with masses alone. */
typedef void kdr_bench_autovec_fn(void *const x[3], void *const v[3], const void *inverse_mass, size_t count, size_t steps, double h,
                                  double t, const kdr_bench_folded *field);

typedef struct kdr_bench_autovec_loop {
    const char *method; /* as kdr_method_info names it */
    const char *field;  /* as fields.c names it */
    kdr_bench_autovec_fn *run;
    kdr_bench_autovec_fn *sweep; /* the same for one step a call: one pass over the arrays, without copies; NULL in most units */
} kdr_bench_autovec_loop;

typedef struct kdr_bench_autovec_unit {
    const char *isa;        /* the library's backend for the same instruction set: "avx512" */
    const char *real;       /* "f32", "f64" */
    const char *arithmetic; /* "fused": the compiler contracts where it can; "unfused": nowhere; "fast-math": it does as it likes */
    const char *maker;      /* "" when the library's own compiler made it; "clang-" or "gcc-": the other one */
    const char *compiler;   /* with its version */
    const char *flags;
    const kdr_bench_autovec_loop *loops;
    size_t loop_count;
} kdr_bench_autovec_unit;

/* The units that were built, ended by NULL. */
extern const kdr_bench_autovec_unit *const kdr_bench_autovec_units[];

#endif
