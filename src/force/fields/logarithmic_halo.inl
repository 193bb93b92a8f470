/* The halo of a flat rotation curve, Phi = speed^2 / 2 ln(core^2 + x^2 + y^2 + z^2 / flattening^2) (Binney, Tremaine, "Galactic
 * Dynamics", 2008, 2.71a). */
#define KDR_FIELD_TITLE "logarithmic-halo"
#define KDR_FIELD_PARAMETERS "speed", "core", "flattening", "at.x", "at.y", "at.z"
#define KDR_FIELD_REQUIRED 3
#define KDR_FIELD_POSITIVE 1 << HALO_FLATTENING
#define KDR_FIELD_RANGES [HALO_CORE] = {0, INFINITY}
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_POTENTIAL + KDR_FIELD_JACOBIAN

enum { HALO_SPEED, HALO_CORE, HALO_FLATTENING, HALO_AT };

/* Returns the logarithm's argument; r becomes half of its gradient. */
static inline vr halo_square(const kdr_at *at, const vr *x, vr r[3]) {
    const vr core = v_parameter(at, HALO_CORE), flattening = v_parameter(at, HALO_FLATTENING);
    v_from_point(at, HALO_AT, x, r);
    const vr z = r[2] / flattening, square = mul_add(z, z, mul_add(r[1], r[1], mul_add(r[0], r[0], core * core)));
    r[2] = z / flattening;
    return square;
}

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr r[3];
    const vr square = halo_square(at, x, r), speed = v_parameter(at, HALO_SPEED);
    v_add_scaled(v_constant(0.0) - speed * speed / square, r, f);
}

KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    vr r[3];
    const vr flattening = v_parameter(at, HALO_FLATTENING), speed = v_parameter(at, HALO_SPEED);
    const vr square = halo_square(at, x, r), pull = v_constant(0.0) - speed * speed / square;
    const vr pulls[3] = {pull, pull, pull / (flattening * flattening)};
    v_add_derivatives(th, pulls, v_constant(-2.0) * pull / square, r, s);
}

KDR_FIELD_ENERGY(at, x) {
    vr r[3];
    const vr square = halo_square(at, x, r), speed = v_parameter(at, HALO_SPEED);
    return v_constant(0.5) * speed * speed * v_log(square);
}
