/* Runge-Kutta methods for the system x' = v, v' = a(x, v, t). Each stage has two slopes k; that of x is the stage's v. */

/* Makes a step of explicit Euler, HLW I.1: x_{n+1} = x_n + h v_n, v_{n+1} = v_n + h a(x_n, v_n, t_n). */
static void explicit_euler(particle *p, uint64_t n) {
    const double h = p->h;
    real a[3];
    acceleration(p, p->x, p->v, n, 0.0, a);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, h, p->v[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, h, a[i], p->v[i], &p->cv[i]);
    }
}

/* Computes y + h k on each axis, a Runge-Kutta stage. */
static void stage(const particle *p, real h, const real k[3], const real y[3], real out[3]) {
    for (int i = 0; i < p->dims; ++i) {
        out[i] = mul_add(p, h, k[i], y[i]);
    }
}

/* In a compensated run of floats, computes c += t (k_last - k_1) for x and v, with the slopes k_last of the latest stage. It corrects
 * for the rounding of the stages' times. */
static void tilt(particle *p, const real kx_1[3], const real kx_last[3], const real kv_1[3], const real kv_last[3]) {
    if (!REAL_IS_FLOAT || !(p->terms & KDR_TERM_COMPENSATED)) {
        return;
    }
    const real t = (real)kdr_compensated_tilt(p->problem->row, p->h);
    for (int i = 0; i < p->dims; ++i) {
        p->cx[i] = kx_1 ? mul_add(p, t, kx_last[i] - kx_1[i], p->cx[i]) : p->cx[i];
        p->cv[i] = mul_add(p, t, kv_last[i] - kv_1[i], p->cv[i]);
    }
}

/* Makes a step of the midpoint rule, Runge 1895: a full step with the slope at h/2. */
static void midpoint(particle *p, uint64_t n) {
    const double h = p->h;
    const real half = (real)(h * 0.5);
    real a1[3], a2[3], x2[3], v2[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, half, p->v, p->x, x2);
    stage(p, half, a1, p->v, v2);
    acceleration(p, x2, v2, n, 0.5, a2);
    tilt(p, p->v, v2, a1, a2);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, h, v2[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, h, a2[i], p->v[i], &p->cv[i]);
    }
}

/* Makes a step of Heun 1900, the trapezoidal rule with explicit Euler's prediction: y += h/2 (k1 + k2), k2 at y + h k1. */
static void heun(particle *p, uint64_t n) {
    const real h = (real)p->h;
    const double half = p->h * 0.5;
    real a1[3], a2[3], x2[3], v2[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, h, p->v, p->x, x2);
    stage(p, h, a1, p->v, v2);
    acceleration(p, x2, v2, n, 1.0, a2);
    tilt(p, p->v, v2, a1, a2);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, half, p->v[i] + v2[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, half, a1[i] + a2[i], p->v[i], &p->cv[i]);
    }
}

/* Makes a step of Ralston 1962: y += h/4 (k1 + 3 k2), k2 at y + 2h/3 k1. */
static void ralston(particle *p, uint64_t n) {
    const real two_thirds = (real)(p->h * (2.0 / 3.0));
    const double quarter = p->h * 0.25;
    real a1[3], a2[3], x2[3], v2[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, two_thirds, p->v, p->x, x2);
    stage(p, two_thirds, a1, p->v, v2);
    acceleration(p, x2, v2, n, 2.0 / 3.0, a2);
    tilt(p, p->v, v2, a1, a2);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, quarter, mul_add(p, (real)3.0, v2[i], p->v[i]), p->x[i], &p->cx[i]);
        p->v[i] = advance(p, quarter, mul_add(p, (real)3.0, a2[i], a1[i]), p->v[i], &p->cv[i]);
    }
}

/* Makes a step of Kutta 1901, order 3: y += h/6 (k1 + 4 k2 + k3), k2 at y + h/2 k1, k3 at y - h k1 + 2h k2. */
static void rk3(particle *p, uint64_t n) {
    const real h = (real)p->h;
    const real half = (real)(p->h * 0.5), twice = (real)(p->h * 2.0);
    const double sixth = p->h * (1.0 / 6.0);
    real a1[3], a2[3], a3[3], x2[3], v2[3], x3[3], v3[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, half, p->v, p->x, x2);
    stage(p, half, a1, p->v, v2);
    acceleration(p, x2, v2, n, 0.5, a2);
    stage(p, -h, p->v, p->x, x3);
    stage(p, twice, v2, x3, x3);
    stage(p, -h, a1, p->v, v3);
    stage(p, twice, a2, v3, v3);
    acceleration(p, x3, v3, n, 1.0, a3);
    tilt(p, p->v, v3, a1, a3);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, sixth, mul_add(p, (real)4.0, v2[i], p->v[i]) + v3[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, sixth, mul_add(p, (real)4.0, a2[i], a1[i]) + a3[i], p->v[i], &p->cv[i]);
    }
}

/* Computes y += h ((k1 + r (k2 + k3)) + k4). */
static void four_slopes(const particle *p, double h, real r, const real k1[3], const real k2[3], const real k3[3], const real k4[3],
                        real y[3], real c[3]) {
    for (int i = 0; i < p->dims; ++i) {
        const real inner = k2[i] + k3[i];
        y[i] = advance(p, h, mul_add(p, r, inner, k1[i]) + k4[i], y[i], &c[i]);
    }
}

/* Makes a step of the classical Runge-Kutta method, HLW II.1, for the system x' = v, v' = a(x, v, t). The slope of x at a stage is the
 * stage's v. */
static void rk4(particle *p, uint64_t n) {
    const real h = (real)p->h;
    const real half = (real)(p->h * 0.5);
    const double sixth = p->h * (1.0 / 6.0);
    real a1[3], a2[3], a3[3], a4[3], x2[3], v2[3], x3[3], v3[3], x4[3], v4[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, half, p->v, p->x, x2);
    stage(p, half, a1, p->v, v2);
    acceleration(p, x2, v2, n, 0.5, a2);
    stage(p, half, v2, p->x, x3);
    stage(p, half, a2, p->v, v3);
    acceleration(p, x3, v3, n, 0.5, a3);
    stage(p, h, v3, p->x, x4);
    stage(p, h, a3, p->v, v4);
    acceleration(p, x4, v4, n, 1.0, a4);
    tilt(p, p->v, v4, a1, a4);
    four_slopes(p, sixth, (real)2.0, p->v, v2, v3, v4, p->x, p->cx);
    four_slopes(p, sixth, (real)2.0, a1, a2, a3, a4, p->v, p->cv);
}

/* Makes a step of the 3/8 rule, Kutta 1901, HLW II.1: y += h/8 (k1 + 3 k2 + 3 k3 + k4), k2 at y + h/3 k1, k3 at y - h/3 k1 + h k2, k4 at
 * y + h k1 - h k2 + h k3. */
static void rk4_38(particle *p, uint64_t n) {
    const real h = (real)p->h;
    const real third = (real)(p->h * (1.0 / 3.0));
    const double eighth = p->h * 0.125;
    real a1[3], a2[3], a3[3], a4[3], x2[3], v2[3], x3[3], v3[3], x4[3], v4[3];
    acceleration(p, p->x, p->v, n, 0.0, a1);
    stage(p, third, p->v, p->x, x2);
    stage(p, third, a1, p->v, v2);
    acceleration(p, x2, v2, n, 1.0 / 3.0, a2);
    stage(p, -third, p->v, p->x, x3);
    stage(p, h, v2, x3, x3);
    stage(p, -third, a1, p->v, v3);
    stage(p, h, a2, v3, v3);
    acceleration(p, x3, v3, n, 2.0 / 3.0, a3);
    stage(p, h, p->v, p->x, x4);
    stage(p, -h, v2, x4, x4);
    stage(p, h, v3, x4, x4);
    stage(p, h, a1, p->v, v4);
    stage(p, -h, a2, v4, v4);
    stage(p, h, a3, v4, v4);
    acceleration(p, x4, v4, n, 1.0, a4);
    tilt(p, p->v, v4, a1, a4);
    four_slopes(p, eighth, (real)3.0, p->v, v2, v3, v4, p->x, p->cx);
    four_slopes(p, eighth, (real)3.0, a1, a2, a3, a4, p->v, p->cv);
}

/* Computes y + h (a_i1 k_1 + a_i2 k_2 + ...), the state of a stage, term by term. */
static void stage_state(const particle *p, const double *a, int i, real k[][3], const real y[3], real out[3]) {
    for (int axis = 0; axis < p->dims; ++axis) {
        out[axis] = y[axis];
        for (int j = 0; j < i; ++j) {
            if (a[j] != 0.0) {
                out[axis] = mul_add(p, (real)(p->h * a[j]), k[j][axis], out[axis]);
            }
        }
    }
}

/* Returns the scale of a step's weights. In compensated runs of floats it includes the rounding errors of their ratios. */
static double scale_of(const particle *p, double scale, const double *ratio, int stages) {
    return REAL_IS_FLOAT && (p->terms & KDR_TERM_COMPENSATED) ? kdr_compensated_scale(scale, ratio, stages) : scale;
}

/* Computes y += h scale (r_1 k_1 + r_2 k_2 + ...); neighbours of equal ratio are added up first. */
static void weighted_sum(const particle *p, const kdr_runge_kutta_row *row, real k[][3], real y[3], real c[3]) {
    for (int axis = 0; axis < p->dims; ++axis) {
        bool begun = false;
        real sum = 0;
        for (int i = 0; i < row->stages; ++i) {
            const double ratio = row->ratio[i];
            if (ratio != 0.0) {
                real slopes = k[i][axis];
                while (i + 1 < row->stages && row->ratio[i + 1] == ratio) {
                    slopes = slopes + k[++i][axis];
                }
                sum = begun ? mul_add(p, (real)ratio, slopes, sum) : (real)ratio * slopes;
                begun = true;
            }
        }
        y[axis] = advance(p, p->h * scale_of(p, row->scale, row->ratio, row->stages), sum, y[axis], &c[axis]);
    }
}

/* Updates the error estimate: the largest, over all axes and earlier steps, of |scale (e_1 k_1 + e_2 k_2 + ...)|, where e_i is the
 * difference of the weights of two methods, HNW II.4. A sum that is not finite makes it NaN for good: only such a sum has a difference
 * to itself that is not 0. */
static void estimate_error(particle *p, double scale, const double *e, int slopes, real k[][3]) {
    real nothing = p->error - p->error;
    for (int axis = 0; axis < p->dims; ++axis) {
        bool begun = false;
        real sum = 0;
        for (int i = 0; i < slopes; ++i) {
            if (e[i] != 0.0) {
                sum = begun ? mul_add(p, (real)e[i], k[i][axis], sum) : (real)e[i] * k[i][axis];
                begun = true;
            }
        }
        const real value = (real)scale * sum, size = value < 0 ? 0 - value : value;
        p->error = size <= p->error ? p->error : size;
        nothing = nothing + (size - size);
    }
    p->error = p->error + nothing;
}

/* Makes a step of any explicit Runge-Kutta method, HLW II.1, by its tableau, for the system x' = v, v' = a(x, v, t). */
static void runge_kutta(particle *p, uint64_t n) {
    const kdr_runge_kutta_row *const row = p->problem->row->data.runge_kutta;
    real xs[3], kx[KDR_MAX_STAGES + 1][3], kv[KDR_MAX_STAGES][3];
    for (int i = 0; i < row->stages; ++i) {
        stage_state(p, row->a[i], i, kx, p->x, xs);
        stage_state(p, row->a[i], i, kv, p->v, kx[i]); /* the slope of x is the stage's v */
        acceleration(p, xs, kx[i], n, row->c[i], kv[i]);
    }
    const int latest = kdr_latest_stage(p->problem->row);
    if (latest > 0) {
        tilt(p, kx[0], kx[latest], kv[0], kv[latest]);
    }
    weighted_sum(p, row, kx, p->x, p->cx);
    weighted_sum(p, row, kv, p->v, p->cv);
    memcpy(kx[row->stages], p->v, sizeof p->v); /* the slope of x at the end of the step */
    estimate_error(p, p->h, row->estimate, row->stages + 1, kx);
}
