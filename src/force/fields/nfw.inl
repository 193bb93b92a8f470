/* A halo of dark matter, Phi = -mu ln(1 + r / radius) / r, mu = 4 pi G rho_0 radius^3 (Navarro, Frenk, White, ApJ 462 (1996) 563). The
 * mass within r = u radius is mu (ln(1 + u) - u / (1 + u)) / G. Below u = 1 it uses the series of ln(1 + u) = 2 artanh w, w = u / (2 +
 * u), without cancellation. In the centre, where the direction is undefined, the acceleration is 0. */
#define KDR_FIELD_TITLE "nfw"
#define KDR_FIELD_PARAMETERS "mu", "radius", "at.x", "at.y", "at.z"
#define KDR_FIELD_REQUIRED 2
#define KDR_FIELD_POSITIVE 1 << NFW_RADIUS
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_POTENTIAL + KDR_FIELD_JACOBIAN

enum { NFW_MU, NFW_RADIUS, NFW_AT };

/* Sets r to x - at. Returns u = |r| / radius, at least 2^-40. */
static inline vr nfw_place(const kdr_at *at, const vr *x, vr r[3]) {
    v_from_point(at, NFW_AT, x, r);
    return v_max(v_sqrt(v_dot(r, r)) / v_parameter(at, NFW_RADIUS), v_constant(0x1p-40));
}

/* Returns 1/3 + z/5 + z^2/7 + ..., where z = w^2 is at most 1/9. */
static inline vr nfw_series(vr w) {
    static const double odd[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19,
                                 1.0 / 21, 1.0 / 23, 1.0 / 25, 1.0 / 27, 1.0 / 29, 1.0 / 31, 1.0 / 33, 1.0 / 35};
    return v_polynomial(odd, KDR_CUSTOM_CHOOSE(8, 17), w * w);
}

/* Returns (ln(1 + u) - u / (1 + u)) / u^2. */
static inline vr nfw_mass(vr u) {
    const vr one = v_constant(1.0), two = v_constant(2.0);
    const vr beyond = one + u, sum = two + u, w = u / sum;
    const vr near_mass = two * mul_add(w, nfw_series(w), one / (one + w)) / (sum * sum);
    const vr far_mass = (v_log(beyond) - u / beyond) / (u * u);
    return v_select(v_less(u, one), near_mass, far_mass);
}

KDR_FIELD_IN_SPACE(at, x, v, f) {
    const vr radius = v_parameter(at, NFW_RADIUS);
    vr r[3];
    const vr u = nfw_place(at, x, r);
    v_add_scaled(v_constant(0.0) - v_parameter(at, NFW_MU) * nfw_mass(u) / (u * radius * radius * radius), r, f);
}

/* Adds the derivatives of a. They use the direction r / (u radius), which does not overflow near the centre. */
KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    const vr radius = v_parameter(at, NFW_RADIUS);
    vr r[3];
    const vr u = nfw_place(at, x, r), mass = nfw_mass(u), beyond = v_constant(1.0) + u;
    const vr pull = v_parameter(at, NFW_MU) / (u * radius * radius * radius);
    for (int i = 0; i < 3; ++i) {
        r[i] = r[i] / (u * radius);
    }
    v_add_central(th, v_constant(0.0) - pull * mass, pull * mul_add(v_constant(3.0), mass, v_constant(-1.0) / (beyond * beyond)), r, s);
}

KDR_FIELD_ENERGY(at, x) {
    const vr one = v_constant(1.0), two = v_constant(2.0);
    vr r[3];
    const vr u = nfw_place(at, x, r), sum = two + u, w = u / sum;
    const vr depth = v_select(v_less(u, one), two * mul_add(w * w, nfw_series(w), one) / sum, v_log(one + u) / u);
    return v_constant(0.0) - v_parameter(at, NFW_MU) * depth / v_parameter(at, NFW_RADIUS);
}
