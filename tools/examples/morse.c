/* A Morse trap about the origin with the potential energy depth (1 - e)^2, e = exp(-steepness (r - radius)). */
#define KDR_FIELD morse
#define KDR_FIELD_PARAMETERS "depth", "steepness", "radius"
#define KDR_FIELD_FLAGS KDR_FIELD_POTENTIAL + KDR_FIELD_JACOBIAN
#include <kickdrift/custom_field.h>

enum { DEPTH, STEEPNESS, RADIUS };

static inline vr distance(const kdr_at *at, const vr *x) {
    vr square = v_constant(0);
    EACH_AXIS(i, at) { square = mul_add(x[i], x[i], square); }
    return v_sqrt(square);
}

static inline vr decay(const kdr_at *at, vr r) { return v_exp(v_mul(v_parameter(at, STEEPNESS), v_sub(v_parameter(at, RADIUS), r))); }

/* F = P x, P = -2 depth steepness (1 - e) e / r */
KDR_FIELD_IN_SPACE(at, x, v, f) {
    const vr r = distance(at, x), e = decay(at, r), slope = v_parameter(at, DEPTH) * v_parameter(at, STEEPNESS);
    const vr pull = v_constant(-2) * slope * (v_constant(1) - e) * e / r;
    EACH_AXIS(i, at) { f[i] = mul_add(pull, x[i], f[i]); }
}

KDR_FIELD_ENERGY(at, x) {
    const vr lost = v_constant(1) - decay(at, distance(at, x));
    return v_parameter(at, DEPTH) * lost * lost;
}

/* The Jacobian, which only implicit methods use: dF_i/dx_j = P delta_ij + (dP/dr) x_i x_j / r, dP/dr = 2 depth steepness^2 (1 - 2 e) e / r
 * - P / r. */
KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    const vr r = distance(at, x), e = decay(at, r), slope = v_constant(2) * v_parameter(at, DEPTH) * v_parameter(at, STEEPNESS) * e / r;
    const vr pull = (e - v_constant(1)) * slope * th;
    const vr bend = (v_parameter(at, STEEPNESS) * (v_constant(1) - v_constant(2) * e) * slope * th - pull / r) / r;
    EACH_AXIS(i, at) {
        EACH_AXIS(j, at) { s[i][j] = mul_add(bend * x[i], x[j], s[i][j]); }
        s[i][i] = s[i][i] + pull;
    }
}
