/* A Morse trap about the origin, of energy depth (1 - e)^2, e = exp(-steepness (r - radius)). */
#define KDR_FIELD morse
#define KDR_FIELD_PARAMETERS "depth", "steepness", "radius"
#define KDR_FIELD_FLAGS KDR_FIELD_POTENTIAL
#include <kickdrift/fuse.h>

enum { DEPTH, STEEPNESS, RADIUS };

static inline vr distance(const kdr_at *at, const vr *x) {
    vr square = v_constant(0);
    EACH_AXIS(i, at) { square = mul_add(x[i], x[i], square); }
    return v_sqrt(square);
}

static inline vr decay(const kdr_at *at, vr r) { return v_exp(v_mul(v_parameter(at, STEEPNESS), v_sub(v_parameter(at, RADIUS), r))); }

/* F = -2 depth steepness (1 - e) e x / r */
KDR_FIELD_IN_SPACE(at, x, v, f) {
    const vr r = distance(at, x), e = decay(at, r), slope = v_parameter(at, DEPTH) * v_parameter(at, STEEPNESS);
    const vr pull = v_constant(-2) * slope * (v_constant(1) - e) * e / r;
    EACH_AXIS(i, at) { f[i] = mul_add(pull, x[i], f[i]); }
}

KDR_FIELD_ENERGY(at, x) {
    const vr lost = v_constant(1) - decay(at, distance(at, x));
    return v_parameter(at, DEPTH) * lost * lost;
}
