/* A galactic disc about the z axis, Phi = -mu / sqrt(x^2 + y^2 + (length + sqrt(z^2 + height^2))^2) (Miyamoto, Nagai, PASJ 27 (1975)
 * 533). */
#define KDR_FIELD_TITLE "miyamoto-nagai"
#define KDR_FIELD_PARAMETERS "mu", "length", "height", "at.x", "at.y", "at.z"
#define KDR_FIELD_REQUIRED 3
#define KDR_FIELD_POSITIVE 1 << DISC_HEIGHT
#define KDR_FIELD_RANGES [DISC_LENGTH] = {0, INFINITY}
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_POTENTIAL + KDR_FIELD_JACOBIAN

enum { DISC_MU, DISC_LENGTH, DISC_HEIGHT, DISC_AT };

/* Returns the root's argument; r becomes half of its gradient, and *bend the derivative of r[2]. */
static inline vr disc_square(const kdr_at *at, const vr *x, vr r[3], vr *bend) {
    const vr height = v_parameter(at, DISC_HEIGHT);
    v_from_point(at, DISC_AT, x, r);
    const vr high = v_sqrt(mul_add(r[2], r[2], height * height)), length = v_parameter(at, DISC_LENGTH), sum = length + high;
    *bend = mul_add(length / high, (height / high) * (height / high), v_constant(1.0));
    r[2] = sum / high * r[2];
    return mul_add(sum, sum, mul_add(r[1], r[1], r[0] * r[0]));
}

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr r[3], bend;
    const vr square = disc_square(at, x, r, &bend);
    v_add_scaled(v_centre(v_parameter(at, DISC_MU), square), r, f);
}

KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    vr r[3], bend;
    const vr square = disc_square(at, x, r, &bend), pull = v_centre(v_parameter(at, DISC_MU), square);
    const vr pulls[3] = {pull, pull, pull * bend};
    v_add_derivatives(th, pulls, v_constant(-3.0) * pull / square, r, s);
}

KDR_FIELD_ENERGY(at, x) {
    vr r[3], bend;
    return v_constant(0.0) - v_parameter(at, DISC_MU) / v_sqrt(disc_square(at, x, r, &bend));
}
