/* What swirls about an axis through `at` and is drawn to it: a = (swirl (n x r) - pull p) / (p^2 + core^2), n the axis' direction, p the
 * part of r across it. An acceleration, and without a potential. */
#define KDR_FIELD_TITLE "vortex"
#define KDR_FIELD_PARAMETERS "swirl", "core", "axis.x", "axis.y", "axis.z", "pull", "at.x", "at.y", "at.z"
#define KDR_FIELD_REQUIRED 5
#define KDR_FIELD_RANGES [VORTEX_CORE] = {0, INFINITY}
#define KDR_FIELD_DIRECTIONS 1 << VORTEX_AXIS
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION

enum { VORTEX_SWIRL, VORTEX_CORE, VORTEX_AXIS, VORTEX_PULL = 5, VORTEX_AT };

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr n[3], r[3], turn[3];
    const vr core = v_parameter(at, VORTEX_CORE);
    v_vector(at, VORTEX_AXIS, n);
    v_normalize(n);
    v_from_point(at, VORTEX_AT, x, r);
    v_add_scaled(v_constant(0.0) - v_dot(r, n), n, r);
    v_cross(n, r, turn);
    const vr square = mul_add(core, core, v_dot(r, r));
    v_add_scaled(v_parameter(at, VORTEX_SWIRL) / square, turn, f);
    v_add_scaled(v_constant(0.0) - v_parameter(at, VORTEX_PULL) / square, r, f);
}
