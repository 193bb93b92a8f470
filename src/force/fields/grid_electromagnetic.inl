/* The electric and magnetic field of a grid at x, six components e_x, e_y, e_z, b_x, b_y, b_z: F = charge (e + v cross b). */
#define KDR_FIELD_TITLE "grid-electromagnetic"
#define KDR_FIELD_PARAMETERS "charge"
#define KDR_FIELD_FLAGS KDR_FIELD_MAGNETIC + KDR_FIELD_JACOBIAN
#define KDR_FIELD_GRID 6

KDR_FIELD_ELECTROMAGNETIC(at, x, f, m) {
    vr here[6];
    v_grid(at, x, 0, 6, here);
    v_add_scaled(v_parameter(at, 0), here, f);
    v_add_scaled(v_parameter(at, 0), here + 3, m);
}

KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    const vr charge = v_parameter(at, 0);
    vr b[3];
    v_grid(at, x, 3, 3, b);
    v_add_scaled_turn(charge, b, s);
    for (int axis = 0; axis < at->grid->dims; ++axis) {
        vr slope[6], turn[3];
        v_grid_slope(at, x, axis, 0, 6, slope);
        v_cross(v, slope + 3, turn);
        for (int i = 0; i < 3; ++i) {
            s[i][axis] = mul_add(th * charge, slope[i] + turn[i], s[i][axis]);
        }
    }
}
