/* The electric and the magnetic field that a grid has at x, six components e_x, e_y, e_z, b_x, b_y, b_z: F = charge (e + v cross b). */
#define KDR_FIELD_TITLE "grid-electromagnetic"
#define KDR_FIELD_PARAMETERS "charge"
#define KDR_FIELD_FLAGS KDR_FIELD_MAGNETIC
#define KDR_FIELD_GRID 6

KDR_FIELD_ELECTROMAGNETIC(at, x, f, m) {
    vr here[6];
    v_grid(at, x, 0, 6, here);
    v_add_scaled(v_parameter(at, 0), here, f);
    v_add_scaled(v_parameter(at, 0), here + 3, m);
}
