/* A field that refuses zeros and numbers near 1, and reads a grid along one axis. */
#define KDR_FIELD picky
#define KDR_FIELD_PARAMETERS "k", "softening", "along.x", "along.y", "along.z"
#define KDR_FIELD_POSITIVE 1 << 1
#define KDR_FIELD_RANGES [0] = {3, 10}
#define KDR_FIELD_DIRECTIONS 1 << 2
#define KDR_FIELD_GRID 1
#define KDR_FIELD_GRID_DIMS 1
#include <kickdrift/custom_field.h>

KDR_FIELD_IN_SPACE(at, x, v, f) {
    const vr y[3] = {x[0], v_constant(0), v_constant(0)}, softening = v_parameter(at, 1);
    vr from_grid[1], square = mul_add(softening, softening, x[0] * x[0]);
    v_grid(at, y, 0, 1, from_grid);
    for (int i = 0; i < at->dims; ++i) {
        f[i] = mul_add(v_parameter(at, 0) * v_parameter(at, 2 + i), from_grid[0] / square, f[i]);
    }
}
