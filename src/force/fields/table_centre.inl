/* An attracting centre whose place is given in a table of times, a grid of one axis and three components. It is interpolated linearly,
 * or with `cubic` 1 by cubic polynomials. */
#define KDR_FIELD_TITLE "table-centre"
#define KDR_FIELD_PARAMETERS "mu", "softening", "cubic"
#define KDR_FIELD_REQUIRED 1
#define KDR_FIELD_RANGES [TABLE_SOFTENING] = {0, INFINITY}, [TABLE_CUBIC] = {0, 1}
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_TIME + KDR_FIELD_POTENTIAL + KDR_FIELD_JACOBIAN
#define KDR_FIELD_GRID 3
#define KDR_FIELD_GRID_DIMS 1

enum { TABLE_MU, TABLE_SOFTENING, TABLE_CUBIC };

/* Returns softening^2 + r^2; r becomes x from the centre's present place. */
static inline vr table_square(const kdr_at *at, const vr *x, vr r[3]) {
    const vr softening = v_parameter(at, TABLE_SOFTENING);
    v_grid_table(at, v_time(at), v_parameter(at, TABLE_CUBIC), 0, 3, r);
    for (int i = 0; i < 3; ++i) {
        r[i] = v_sub(x[i], r[i]);
    }
    return mul_add(softening, softening, v_dot(r, r));
}

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr r[3];
    const vr square = table_square(at, x, r);
    v_add_scaled(v_centre(v_parameter(at, TABLE_MU), square), r, f);
}

KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    vr r[3];
    const vr square = table_square(at, x, r);
    v_add_centre_derivatives(th, v_parameter(at, TABLE_MU), square, r, s);
}

KDR_FIELD_ENERGY(at, x) {
    vr r[3];
    return v_constant(0.0) - v_parameter(at, TABLE_MU) / v_sqrt(table_square(at, x, r));
}
