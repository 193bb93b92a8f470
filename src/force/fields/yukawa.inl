/* A screened charge of energy -strength exp(-r / range) / r, which attracts if the strength is positive. It is a force. */
#define KDR_FIELD_TITLE "yukawa"
#define KDR_FIELD_PARAMETERS "strength", "range", "at.x", "at.y", "at.z"
#define KDR_FIELD_REQUIRED 2
#define KDR_FIELD_POSITIVE 1 << YUKAWA_RANGE
#define KDR_FIELD_FLAGS KDR_FIELD_POTENTIAL + KDR_FIELD_JACOBIAN

enum { YUKAWA_STRENGTH, YUKAWA_RANGE, YUKAWA_AT };

/* Returns strength exp(-u) for u = r / range. */
static inline vr yukawa_screened(const kdr_at *at, vr u) { return v_parameter(at, YUKAWA_STRENGTH) * v_exp(v_constant(0.0) - u); }

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr r[3];
    v_from_point(at, YUKAWA_AT, x, r);
    const vr square = v_dot(r, r), distance = v_sqrt(square), u = distance / v_parameter(at, YUKAWA_RANGE);
    v_add_scaled(v_constant(0.0) - yukawa_screened(at, u) * (v_constant(1.0) + u) / (square * distance), r, f);
}

KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    vr r[3];
    v_from_point(at, YUKAWA_AT, x, r);
    const vr square = v_dot(r, r), distance = v_sqrt(square), u = distance / v_parameter(at, YUKAWA_RANGE), most = v_constant(1.0) + u;
    const vr share = yukawa_screened(at, u) / (square * distance), rest = mul_add(u, u, v_constant(3.0) * most) / square;
    v_add_central(th, v_constant(0.0) - share * most, share * rest, r, s);
}

KDR_FIELD_ENERGY(at, x) {
    vr r[3];
    v_from_point(at, YUKAWA_AT, x, r);
    const vr distance = v_sqrt(v_dot(r, r));
    return v_constant(0.0) - yukawa_screened(at, distance / v_parameter(at, YUKAWA_RANGE)) / distance;
}
