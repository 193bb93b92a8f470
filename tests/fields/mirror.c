/* A magnetic mirror about the z axis: b (1 + z^2 / length^2) along z, with the component across it that makes the field free of sources,
 * and an electric field along z. Both grow by `rate` per unit of time, and are divided by the mass. */
#define KDR_FIELD mirror
#define KDR_FIELD_PARAMETERS "b", "length", "e", "rate"
#define KDR_FIELD_REQUIRED 2
#define KDR_FIELD_DIMS 3
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_TIME + KDR_FIELD_MAGNETIC
#include <kickdrift/custom_field.h>

enum { MIRROR_B, MIRROR_LENGTH, MIRROR_E, MIRROR_RATE };

KDR_FIELD_ELECTROMAGNETIC(at, x, f, m) {
    const vr length = v_parameter(at, MIRROR_LENGTH), slope = x[2] / (length * length);
    const vr growth = mul_add(v_parameter(at, MIRROR_RATE), v_time(at), v_constant(1.0)), b = v_parameter(at, MIRROR_B) * growth;
    f[2] = mul_add(v_parameter(at, MIRROR_E), growth, f[2]);
    m[0] = mul_add(v_constant(-1.0) * b * slope, x[0], m[0]);
    m[1] = mul_add(v_constant(-1.0) * b * slope, x[1], m[1]);
    m[2] = mul_add(b, mul_add(slope, x[2], v_constant(1.0)), m[2]);
}
