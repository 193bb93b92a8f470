/* A wall of energy 4 epsilon ((sigma / d)^12 - (sigma / d)^6), where d is the distance from the plane through `at`, on the side to which
 * the normal points; its length does not matter. It is a force. Particles must be on that side. */
#define KDR_FIELD_TITLE "lennard-jones-wall"
#define KDR_FIELD_PARAMETERS "epsilon", "sigma", "normal.x", "normal.y", "normal.z", "at.x", "at.y", "at.z"
#define KDR_FIELD_REQUIRED 5
#define KDR_FIELD_POSITIVE 1 << WALL_SIGMA
#define KDR_FIELD_DIRECTIONS 1 << WALL_NORMAL
#define KDR_FIELD_FLAGS KDR_FIELD_POTENTIAL + KDR_FIELD_JACOBIAN

enum { WALL_EPSILON, WALL_SIGMA, WALL_NORMAL, WALL_AT = 5 };

/* Sets *d to the distance from the wall, and `normal` to its normal of length 1. Returns (sigma / d)^6. */
static inline vr wall_sixth(const kdr_at *at, const vr *x, vr normal[3], vr *d) {
    vr r[3];
    v_vector(at, WALL_NORMAL, normal);
    v_normalize(normal);
    v_from_point(at, WALL_AT, x, r);
    *d = v_dot(r, normal);
    const vr ratio = v_parameter(at, WALL_SIGMA) / *d, cube = ratio * ratio * ratio;
    return cube * cube;
}

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr normal[3], d;
    const vr sixth = wall_sixth(at, x, normal, &d), slope = (sixth + sixth - v_constant(1.0)) * sixth;
    v_add_scaled(v_constant(24.0) * v_parameter(at, WALL_EPSILON) * slope / d, normal, f);
}

KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    vr normal[3], d;
    const vr sixth = wall_sixth(at, x, normal, &d), slope = mul_add(v_constant(-26.0), sixth, v_constant(7.0)) * sixth;
    v_add_central(th, v_constant(0.0), v_constant(24.0) * v_parameter(at, WALL_EPSILON) * slope / (d * d), normal, s);
}

KDR_FIELD_ENERGY(at, x) {
    vr normal[3], d;
    const vr sixth = wall_sixth(at, x, normal, &d);
    return v_constant(4.0) * v_parameter(at, WALL_EPSILON) * (sixth - v_constant(1.0)) * sixth;
}
