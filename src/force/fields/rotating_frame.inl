/* The inertial forces in a frame that rotates by omega about the point `at`: a = -omega x (2 v + omega x r), the Coriolis and the
 * centrifugal acceleration. The potential is that of the latter, -(omega x r)^2 / 2, so that the energy is Jacobi's. */
#define KDR_FIELD_TITLE "rotating-frame"
#define KDR_FIELD_PARAMETERS "omega.x", "omega.y", "omega.z", "at.x", "at.y", "at.z"
#define KDR_FIELD_REQUIRED 3
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_VELOCITY + KDR_FIELD_POTENTIAL + KDR_FIELD_JACOBIAN

enum { FRAME_OMEGA, FRAME_AT = 3 };

/* Computes omega x r. */
static inline void frame_speed(const kdr_at *at, const vr *x, vr omega[3], vr speed[3]) {
    vr r[3];
    v_vector(at, FRAME_OMEGA, omega);
    v_from_point(at, FRAME_AT, x, r);
    v_cross(omega, r, speed);
}

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr omega[3], sum[3], turn[3];
    frame_speed(at, x, omega, sum);
    v_add_scaled(v_constant(2.0), v, sum);
    v_cross(omega, sum, turn);
    v_add_scaled(v_constant(-1.0), turn, f);
}

/* Adds the derivatives of a: omega^2 - omega omega^T by x, and the rotation -2 omega x by v. */
KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    vr omega[3];
    v_vector(at, FRAME_OMEGA, omega);
    v_add_central(th, v_dot(omega, omega), v_constant(-1.0), omega, s);
    v_add_scaled_turn(v_constant(2.0), omega, s);
}

KDR_FIELD_ENERGY(at, x) {
    vr omega[3], speed[3];
    frame_speed(at, x, omega, speed);
    return v_constant(-0.5) * v_dot(speed, speed);
}
