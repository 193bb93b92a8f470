/* A planet flattened along the z axis, Phi = -mu / r (1 - j2 (radius / r)^2 (3 z^2 / r^2 - 1) / 2) (Vallado, "Fundamentals of
 * Astrodynamics", 8.7). */
#define KDR_FIELD_TITLE "oblate-planet"
#define KDR_FIELD_PARAMETERS "mu", "radius", "j2", "at.x", "at.y", "at.z"
#define KDR_FIELD_REQUIRED 3
#define KDR_FIELD_RANGES [PLANET_RADIUS] = {0, INFINITY}
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_POTENTIAL + KDR_FIELD_JACOBIAN

enum { PLANET_MU, PLANET_RADIUS, PLANET_J2, PLANET_AT };

/* Returns r^2. r becomes x from the planet, *flat j2 (radius / r)^2, *sine2 z^2 / r^2. */
static inline vr planet_square(const kdr_at *at, const vr *x, vr r[3], vr *flat, vr *sine2) {
    const vr radius = v_parameter(at, PLANET_RADIUS);
    v_from_point(at, PLANET_AT, x, r);
    const vr square = v_dot(r, r);
    *flat = v_parameter(at, PLANET_J2) * radius * radius / square;
    *sine2 = r[2] * r[2] / square;
    return square;
}

/* Adds the pull towards the centre, and along z the remaining part, 3 j2 (radius / r)^2 of the pull. */
KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr r[3], flat, sine2;
    const vr square = planet_square(at, x, r, &flat, &sine2),
             pull = v_constant(0.0) - v_parameter(at, PLANET_MU) / (square * v_sqrt(square));
    const vr factor = mul_add(v_constant(1.5) * flat, mul_add(v_constant(-5.0), sine2, v_constant(1.0)), v_constant(1.0));
    v_add_scaled(pull * factor, r, f);
    f[2] = mul_add(v_constant(3.0) * flat * pull, r[2], f[2]);
}

/* Adds the derivatives of a. Along z the pull has the additional part tide z. The derivative of tide is -5 tide r / square, and that of
 * sine2 in `factor` adds the same along z again. */
KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    vr r[3], flat, sine2;
    const vr square = planet_square(at, x, r, &flat, &sine2), pull = v_centre(v_parameter(at, PLANET_MU), square);
    const vr tide = v_constant(3.0) * flat * pull, bend = v_constant(-5.0) * tide / square;
    const vr sum = pull + v_constant(0.5) * tide * (v_constant(1.0) - v_constant(5.0) * sine2);
    const vr pulls[3] = {sum, sum, sum + tide};
    v_add_derivatives(th, pulls, mul_add(v_constant(-3.0), pull, tide * mul_add(v_constant(17.5), sine2, v_constant(-2.5))) / square, r, s);
    for (int i = 0; i < 3; ++i) {
        s[i][2] = mul_add(th * bend * r[2], r[i], s[i][2]);
        s[2][i] = mul_add(th * bend * r[2], r[i], s[2][i]);
    }
}

KDR_FIELD_ENERGY(at, x) {
    vr r[3], flat, sine2;
    const vr square = planet_square(at, x, r, &flat, &sine2);
    const vr factor = v_constant(1.0) - v_constant(0.5) * flat * (v_constant(3.0) * sine2 - v_constant(1.0));
    return v_constant(0.0) - v_parameter(at, PLANET_MU) / v_sqrt(square) * factor;
}
