/* A field for three axes only: it uses all of x, whatever at->dims is. */
#define KDR_FIELD vortex
#define KDR_FIELD_PARAMETERS "strength"
#define KDR_FIELD_DIMS 3
#include <kickdrift/custom_field.h>

KDR_FIELD_IN_SPACE(at, x, v, f) {
    const vr strength = v_parameter(at, 0);
    f[0] = mul_add(strength, x[1] - x[2], f[0]);
    f[1] = mul_add(strength, x[2] - x[0], f[1]);
    f[2] = mul_add(strength, x[0] - x[1], f[2]);
}
