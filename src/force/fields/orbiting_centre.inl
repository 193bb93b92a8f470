/* An attracting centre that is itself on a Kepler orbit about the point `at`: at + major (cos E - eccentricity) + minor sin E, where the
 * two are the vectors of the half axes and E - eccentricity sin E = omega t + phase. Eccentricities up to 0.9 and omega t up to 2^60 are
 * supported. */
#define KDR_FIELD_TITLE "orbiting-centre"
#define KDR_FIELD_PARAMETERS                                                                                                               \
    "mu", "omega", "major.x", "major.y", "major.z", "minor.x", "minor.y", "minor.z", "eccentricity", "phase", "softening", "at.x", "at.y", \
        "at.z"
#define KDR_FIELD_REQUIRED 8
#define KDR_FIELD_RANGES [ORBIT_ECCENTRICITY] = {0, 0.9}, [ORBIT_SOFTENING] = {0, INFINITY}
#define KDR_FIELD_FLAGS KDR_FIELD_ACCELERATION + KDR_FIELD_TIME + KDR_FIELD_POTENTIAL + KDR_FIELD_JACOBIAN

enum { ORBIT_MU, ORBIT_OMEGA, ORBIT_MAJOR, ORBIT_MINOR = 5, ORBIT_ECCENTRICITY = 8, ORBIT_PHASE, ORBIT_SOFTENING, ORBIT_AT };

/* Solves Kepler's equation by Newton's iteration from M + 0.85 e, with the sign of sin M (Danby, "Fundamentals of Celestial Mechanics",
 * 6.6). 8 iterations suffice up to e = 0.9 in double. M has no whole turns, which would make the equation's differences cancel. */
static inline vr orbit_anomaly(vr m, vr e) {
    enum { ITERATIONS = 8 };
    vr anomaly = mul_add(v_with_sign(v_constant(0.85), v_sin(m)), e, m);
    for (int i = 0; i < ITERATIONS; ++i) {
        vr sine, cosine;
        v_sin_cos(anomaly, &sine, &cosine);
        anomaly = anomaly - (anomaly - e * sine - m) / (v_constant(1.0) - e * cosine);
    }
    return anomaly;
}

/* Returns softening^2 + r^2; r becomes x from the centre's present place. */
static inline vr orbit_square(const kdr_at *at, const vr *x, vr r[3]) {
    const vr e = v_parameter(at, ORBIT_ECCENTRICITY), softening = v_parameter(at, ORBIT_SOFTENING);
    vr major[3], minor[3], sine, cosine;
    v_sin_cos(orbit_anomaly(v_angle(at, ORBIT_OMEGA, ORBIT_PHASE), e), &sine, &cosine);
    v_vector(at, ORBIT_MAJOR, major);
    v_vector(at, ORBIT_MINOR, minor);
    v_from_point(at, ORBIT_AT, x, r);
    v_add_scaled(e - cosine, major, r);
    v_add_scaled(v_constant(0.0) - sine, minor, r);
    return mul_add(softening, softening, v_dot(r, r));
}

KDR_FIELD_IN_SPACE(at, x, v, f) {
    vr r[3];
    const vr square = orbit_square(at, x, r);
    v_add_scaled(v_centre(v_parameter(at, ORBIT_MU), square), r, f);
}

KDR_FIELD_JACOBIAN_OF(at, th, x, v, s) {
    vr r[3];
    const vr square = orbit_square(at, x, r);
    v_add_centre_derivatives(th, v_parameter(at, ORBIT_MU), square, r, s);
}

KDR_FIELD_ENERGY(at, x) {
    vr r[3];
    return v_constant(0.0) - v_parameter(at, ORBIT_MU) / v_sqrt(orbit_square(at, x, r));
}
