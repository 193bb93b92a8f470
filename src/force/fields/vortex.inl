/* A swirl about an axis through `at`, with a pull towards it: a = (swirl (n x r) - pull p) / (p^2 + core^2), where n is the axis'
 * direction and p the part of r across it. It is an acceleration without a potential. */
#define KDR_FIELD_TITLE "vortex"
#define KDR_FIELD_PARAMETERS "swirl", "core", "axis.x", "axis.y", "axis.z", "pull", "at.x", "at.y", "at.z"
#define KDR_FIELD_REQUIRED 5
#define KDR_FIELD_RANGES [VORTEX_CORE] = {0, INFINITY}
#define KDR_FIELD_DIRECTIONS 1 << VORTEX_AXIS
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_JACOBIAN

enum { VORTEX_SWIRL, VORTEX_CORE, VORTEX_AXIS, VORTEX_PULL = 5, VORTEX_AT };

/* Sets n to the axis' direction, and p to the part of x - at across it. Returns p^2 + core^2. */
static inline vr vortex_square(const kdr_at *at, const vr *x, vr n[3], vr p[3]) {
    const vr core = v_parameter(at, VORTEX_CORE);
    v_vector(at, VORTEX_AXIS, n);
    v_normalize(n);
    v_from_point(at, VORTEX_AT, x, p);
    v_add_scaled(v_constant(0.0) - v_dot(p, n), n, p);
    return mul_add(core, core, v_dot(p, p));
}

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr n[3], p[3], turn[3];
    const vr square = vortex_square(at, x, n, p);
    v_cross(n, p, turn);
    v_add_scaled(v_parameter(at, VORTEX_SWIRL) / square, turn, f);
    v_add_scaled(v_constant(0.0) - v_parameter(at, VORTEX_PULL) / square, p, f);
}

/* Adds the derivatives of a. Both the numerator and the square p^2 + core^2 depend on x; the square gives -2 a p^T / square. */
KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    vr n[3], p[3], turn[3];
    const vr square = vortex_square(at, x, n, p), swirl = v_parameter(at, VORTEX_SWIRL) / square,
             pull = v_parameter(at, VORTEX_PULL) / square;
    v_cross(n, p, turn);
    v_add_scaled_turn(v_constant(0.0) - th * swirl, n, s);
    v_add_central(th, v_constant(0.0) - pull, pull, n, s);
    for (int i = 0; i < 3; ++i) {
        const vr a = v_constant(-2.0) * th * (swirl * turn[i] - pull * p[i]) / square;
        v_add_scaled(a, p, s[i]);
    }
}
