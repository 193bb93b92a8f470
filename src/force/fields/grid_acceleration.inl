/* The values of a grid at x, three components, times `factor`. It is an acceleration without a potential. */
#define KDR_FIELD_TITLE "grid-acceleration"
#define KDR_FIELD_PARAMETERS "factor"
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_JACOBIAN
#define KDR_FIELD_GRID 3

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr here[3];
    v_grid(at, x, 0, 3, here);
    v_add_scaled(v_parameter(at, 0), here, f);
}

KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) { v_add_grid_derivatives(at, th * v_parameter(at, 0), x, s); }
