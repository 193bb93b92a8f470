/* Vectors of three elements, for the named fields. */
#ifndef KDR_FORCE_FIELDS_VECTORS_H
#define KDR_FORCE_FIELDS_VECTORS_H

/* Loads three parameters, from `first` on. */
static inline void v_vector(const kdr_at *at, int first, vr to[3]) {
    for (int i = 0; i < 3; ++i) {
        to[i] = v_parameter(at, first + i);
    }
}

static inline vr v_dot(const vr a[3], const vr b[3]) { return mul_add(a[2], b[2], mul_add(a[1], b[1], v_mul(a[0], b[0]))); }

static inline void v_cross(const vr a[3], const vr b[3], vr to[3]) {
    to[0] = mul_add(a[1], b[2], v_sub(v_constant(0.0), v_mul(a[2], b[1])));
    to[1] = mul_add(a[2], b[0], v_sub(v_constant(0.0), v_mul(a[0], b[2])));
    to[2] = mul_add(a[0], b[1], v_sub(v_constant(0.0), v_mul(a[1], b[0])));
}

/* Computes f += k a. */
static inline void v_add_scaled(vr k, const vr a[3], vr f[3]) {
    for (int i = 0; i < 3; ++i) {
        f[i] = mul_add(k, a[i], f[i]);
    }
}

/* Computes x minus the point that three parameters give. */
static inline void v_from_point(const kdr_at *at, int first, const vr x[3], vr to[3]) {
    for (int i = 0; i < 3; ++i) {
        to[i] = v_sub(x[i], v_parameter(at, first + i));
    }
}

/* Adds the derivatives by b of k b cross a. */
static inline void v_add_scaled_turn(vr k, const vr a[3], vr (*s)[3]) {
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, across = (i + 2) % 3;
        s[i][j] = mul_add(k, a[across], s[i][j]);
        s[j][i] = v_sub(s[j][i], v_mul(k, a[across]));
    }
}

/* Adds th times the derivatives of a field whose part along axis i is k[i] r[i], where k changes by b r[j] along axis j. */
static inline void v_add_derivatives(vr th, const vr k[3], vr b, const vr r[3], vr (*s)[3]) {
    for (int i = 0; i < 3; ++i) {
        const vr bend = v_mul(v_mul(th, b), r[i]);
        for (int j = 0; j < 3; ++j) {
            s[i][j] = mul_add(bend, r[j], s[i][j]);
        }
        s[i][i] = mul_add(th, k[i], s[i][i]);
    }
}

/* Adds th times the derivatives of k r. */
static inline void v_add_central(vr th, vr k, vr b, const vr r[3], vr (*s)[3]) {
    const vr all[3] = {k, k, k};
    v_add_derivatives(th, all, b, r, s);
}

/* Returns the factor of a centre: -mu / square^(3/2), square = softening^2 + r^2. */
static inline vr v_centre(vr mu, vr square) { return v_sub(v_constant(0.0), v_div(mu, v_mul(square, v_sqrt(square)))); }

static inline void v_add_centre_derivatives(vr th, vr mu, vr square, const vr r[3], vr (*s)[3]) {
    const vr pull = v_centre(mu, square);
    v_add_central(th, pull, v_div(v_mul(v_constant(-3.0), pull), square), r, s);
}

/* Adds the derivatives by x of k times the first three components of a grid. */
static inline void v_add_grid_derivatives(const kdr_at *at, vr k, const vr *x, vr (*s)[3]) {
    for (int axis = 0; axis < at->grid->dims; ++axis) {
        vr slope[3];
        v_grid_slope(at, x, axis, 0, 3, slope);
        for (int i = 0; i < 3; ++i) {
            s[i][axis] = mul_add(k, slope[i], s[i][axis]);
        }
    }
}

/* Divides a by its length. */
static inline void v_normalize(vr a[3]) {
    const vr length = v_sqrt(v_dot(a, a));
    for (int i = 0; i < 3; ++i) {
        a[i] = v_div(a[i], length);
    }
}

#endif
