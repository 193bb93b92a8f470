/* The user's force for one instruction set and precision; CMakeLists.txt defines KDR_UNIT, KDR_UNIT_ISA, KDR_UNIT_REAL and
 * KDR_UNIT_DOUBLE. */
#include "user_loop.h"

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

/* Loads the state of a particle and six numbers from each of the eight nodes around it. The particle must not lie in the last cells. */
static void load_grid(const kdr_grid *grid, const kdr_particles *p) {
    const ptrdiff_t nx = grid->nodes[0], plane = nx * grid->nodes[1];
    const real *const x = p->x[0], *const y = p->x[1], *const z = p->x[2];
    const real *const values = grid->values;
    for (size_t n = 0; n < p->count; ++n) {
        const real *const first = values + 6 * ((int)x[n] + nx * (int)y[n] + plane * (int)z[n]);
        real sum[6] = {((real *)p->v[0])[n], ((real *)p->v[1])[n], ((real *)p->v[2])[n], x[n], y[n], z[n]};
        for (int corner = 0; corner < 8; ++corner) {
            const real *const node = first + 6 * ((corner & 1) + (corner >> 1 & 1) * nx + (corner >> 2) * plane);
            for (int i = 0; i < 6; ++i) {
                sum[i] += node[i];
            }
        }
        for (int axis = 0; axis < 3; ++axis) {
            ((real *)p->v[axis])[n] = sum[axis] + sum[axis + 3];
        }
    }
}

extern const kdr_bench_user_loop_unit KDR_UNIT;
const kdr_bench_user_loop_unit KDR_UNIT = {KDR_UNIT_ISA, KDR_UNIT_REAL, spring_damper, load_grid};
