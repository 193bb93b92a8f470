/* The plain pass of one instruction set and precision; CMakeLists.txt defines KDR_UNIT, KDR_UNIT_ISA, KDR_UNIT_REAL and KDR_UNIT_DOUBLE. */
#include "memory_pass.h"

#if KDR_UNIT_DOUBLE
typedef double real;
#else
typedef float real;
#endif

static void pass(void *x, void *v, const void *a, size_t n) {
    real *restrict const to_x = x, *restrict const to_v = v;
    const real *restrict const from = a;
    for (size_t i = 0; i < n; ++i) {
        to_v[i] = to_v[i] + to_x[i];
        to_x[i] = to_x[i] + from[i];
    }
}

extern const kdr_bench_memory_pass_unit KDR_UNIT;
const kdr_bench_memory_pass_unit KDR_UNIT = {KDR_UNIT_ISA, KDR_UNIT_REAL, pass};
