/* The force of one instruction set and precision; CMakeLists.txt defines KDR_UNIT, KDR_UNIT_ISA, KDR_UNIT_REAL and KDR_UNIT_DOUBLE. */
#include "own.h"

#if KDR_UNIT_DOUBLE
typedef double real;
#else
typedef float real;
#endif

static kdr_status spring_damper(void *context, const kdr_particles *particles, double t, void *const a[3]) {
    const kdr_bench_folded *const field = context;
    const real k = (real)field->k, b = (real)field->b;
    (void)t;
    for (int axis = 0; axis < particles->dims; ++axis) {
        const real *const x = particles->x[axis], *const v = particles->v[axis], constant = (real)field->constant[axis];
        real *restrict const to = a[axis];
        for (size_t i = 0; i < particles->count; ++i) {
            to[i] = constant - k * x[i] - b * v[i];
        }
    }
    return KDR_OK;
}

extern const kdr_bench_own_unit KDR_UNIT;
const kdr_bench_own_unit KDR_UNIT = {KDR_UNIT_ISA, KDR_UNIT_REAL, spring_damper};
