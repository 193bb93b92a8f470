/* An attracting centre whose place is given on a table of times, a grid of one axis and three components: between them linearly, or, with
 * `cubic` 1, by cubic polynomials. An acceleration. */
#define KDR_FIELD_TITLE "table-centre"
#define KDR_FIELD_PARAMETERS "mu", "softening", "cubic"
#define KDR_FIELD_REQUIRED 1
#define KDR_FIELD_RANGES [TABLE_SOFTENING] = {0, INFINITY}, [TABLE_CUBIC] = {0, 1}
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_TIME
#define KDR_FIELD_GRID 3

enum { TABLE_MU, TABLE_SOFTENING, TABLE_CUBIC };

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr r[3];
    const vr softening = v_parameter(at, TABLE_SOFTENING);
    v_grid_table(at, v_time(at), v_parameter(at, TABLE_CUBIC), 0, 3, r);
    for (int i = 0; i < 3; ++i) {
        r[i] = v_sub(x[i], r[i]);
    }
    const vr square = mul_add(softening, softening, v_dot(r, r));
    v_add_scaled(v_constant(0.0) - v_parameter(at, TABLE_MU) / (square * v_sqrt(square)), r, f);
}
