/* A field that uses the whole vocabulary and has no physical meaning: an acceleration that depends on x, v, t, the axis and the mass. */
#define KDR_FIELD swell
#define KDR_FIELD_PARAMETERS "height", "length", "rate", "edge"
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_VELOCITY + KDR_FIELD_TIME + KDR_FIELD_POTENTIAL
#include <kickdrift/custom_field.h>

enum { HEIGHT, LENGTH, RATE, EDGE };

KDR_FIELD_ON_AXIS(at, x, v, f) {
    const vr edge = v_parameter(at, EDGE), inner = v_min(v_max(x, v_constant(0) - edge), edge);
    const vr phase = inner / v_parameter(at, LENGTH) - v_parameter(at, RATE) * v_time(at) * v_constant(1 + at->axis);
    const vm outside = m_or(v_less(x, v_constant(0) - edge), m_but(v_less(edge, x), v_at_most(x, edge)));
    const vr pull = v_select(m_and(outside, v_less(v, edge)), v_constant(-1), v_exp(v_constant(0) - phase * phase));
    const vr height = v_sqrt(v_parameter(at, HEIGHT)) * v_inverse_mass(at);
    return mul_add(height, pull, mul_add(v_constant(-0.125), v, f));
}

KDR_FIELD_ENERGY(at, x) {
    vr sum = v_constant(0);
    EACH_AXIS(i, at) { sum = sum + v_parameter(at, HEIGHT) * x[i] + v_time(at) * v_inverse_mass(at); }
    return sum;
}
