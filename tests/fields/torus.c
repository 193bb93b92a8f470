/* The magnetic field of a current along the z axis: charge times b at the distance `radius`, proportional to 1 / r. */
#define KDR_FIELD torus
#define KDR_FIELD_PARAMETERS "b", "radius"
#define KDR_FIELD_FLAGS KDR_FIELD_MAGNETIC
#include <kickdrift/custom_field.h>

enum { TORUS_B, TORUS_RADIUS };

KDR_FIELD_ELECTROMAGNETIC(at, x, f, m) {
    const vr y = at->dims > 1 ? x[1] : v_constant(0.0);
    const vr factor = v_parameter(at, TORUS_B) * v_parameter(at, TORUS_RADIUS) / mul_add(y, y, x[0] * x[0]);
    m[0] = mul_add(v_constant(0.0) - factor, y, m[0]);
    m[1] = mul_add(factor, x[0], m[1]);
}
