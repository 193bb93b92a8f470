/* A drag towards the velocity of a grid at x, three components: F = -b (v - wind). */
#define KDR_FIELD_TITLE "grid-wind"
#define KDR_FIELD_PARAMETERS "b"
#define KDR_FIELD_FLAGS KDR_FIELD_VELOCITY + KDR_FIELD_JACOBIAN
#define KDR_FIELD_GRID 3

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr wind[3];
    v_grid(at, x, 0, 3, wind);
    for (int i = 0; i < 3; ++i) {
        f[i] = mul_add(v_parameter(at, 0), v_sub(wind[i], v[i]), f[i]);
    }
}

KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    v_add_grid_derivatives(at, th * v_parameter(at, 0), x, s);
    for (int i = 0; i < 3; ++i) {
        s[i][i] = v_sub(s[i][i], v_parameter(at, 0));
    }
}
