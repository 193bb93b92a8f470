/* Vectors of three, for the named fields. */
#ifndef KDR_FORCE_FIELDS_VECTORS_H
#define KDR_FORCE_FIELDS_VECTORS_H

/* Three parameters, `first` and the next two. */
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

/* f += k a */
static inline void v_add_scaled(vr k, const vr a[3], vr f[3]) {
    for (int i = 0; i < 3; ++i) {
        f[i] = mul_add(k, a[i], f[i]);
    }
}

/* x from the point that three parameters are. */
static inline void v_from_point(const kdr_at *at, int first, const vr x[3], vr to[3]) {
    for (int i = 0; i < 3; ++i) {
        to[i] = v_sub(x[i], v_parameter(at, first + i));
    }
}

/* a over its length. */
static inline void v_normalize(vr a[3]) {
    const vr length = v_sqrt(v_dot(a, a));
    for (int i = 0; i < 3; ++i) {
        a[i] = v_div(a[i], length);
    }
}

#endif
