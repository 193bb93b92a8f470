/* Implicit methods: Newton's iteration, and its remaining error. */

/* J = 1 - th G: its diagonal, and th G. */
typedef struct ref_stage_matrix {
    real d[3], b[3][3];
} ref_stage_matrix;

static ref_stage_matrix matrix_of(const particle *p, real th, real g[3][3]) {
    ref_stage_matrix m;
    for (int i = 0; i < p->dims; ++i) {
        m.d[i] = mul_add(p, -th, g[i][i], (real)1.0);
        for (int j = 0; j < p->dims; ++j) {
            m.b[i][j] = th * g[i][j];
        }
    }
    return m;
}

/* Computes its cofactors C, and returns its determinant det; the inverse is C / det. */
static real cofactors(const particle *p, const ref_stage_matrix *m, real c[3][3]) {
    const real *const d = m->d;
    const real(*const b)[3] = m->b;
    if (p->dims == 1) {
        c[0][0] = (real)1.0;
        return d[0];
    }
    if (p->dims == 2) {
        c[0][0] = d[1];
        c[0][1] = b[0][1];
        c[1][0] = b[1][0];
        c[1][1] = d[0];
        return mul_add(p, d[0], d[1], -b[0][1] * b[1][0]);
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i][i] = mul_add(p, d[j], d[k], -b[j][k] * b[k][j]);
        c[i][j] = mul_add(p, b[i][j], d[k], b[i][k] * b[k][j]);
        c[i][k] = mul_add(p, b[i][k], d[j], b[i][j] * b[j][k]);
    }
    return mul_add(p, d[0], c[0][0], mul_add(p, -b[0][1], c[1][0], -b[0][2] * c[2][0]));
}

/* Computes J^-1 r in an affine field, where J is constant. */
static void affine_solve(const particle *p, real th, const real r[3], real out[3]) {
    real g[3][3], cofactor[3][3];
    jacobian(p, th, p->x, p->v, g);
    if (!(p->terms & KDR_TERMS_COUPLE_AXES)) {
        for (int i = 0; i < p->dims; ++i) {
            out[i] = (real)1.0 / mul_add(p, -th, g[i][i], (real)1.0) * r[i];
        }
        return;
    }
    const ref_stage_matrix m = matrix_of(p, th, g);
    const real det = cofactors(p, &m, cofactor);
    for (int i = 0; i < p->dims; ++i) {
        out[i] = cofactor[i][0] / det * r[0];
        for (int j = 1; j < p->dims; ++j) {
            out[i] = mul_add(p, cofactor[i][j] / det, r[j], out[i]);
        }
    }
}

/* Solves the stage in an affine field. The first of Newton's iterations, from V = v_n, arrives; a second one finds its remaining
 * rounding error. */
static void affine_stage(const particle *p, uint64_t n, double c, real a[3], real v[3], real left[3]) {
    const real th = (real)(p->h * c);
    real x[3], r[3];
    stage(p, th, p->v, p->x, x);
    acceleration(p, x, p->v, n, c, r);
    affine_solve(p, th, r, a);
    stage(p, th, a, p->v, v);
    stage(p, th, v, p->x, x);
    acceleration(p, x, v, n, c, r);
    for (int i = 0; i < p->dims; ++i) {
        r[i] -= a[i];
    }
    affine_solve(p, th, r, left);
}

static real magnitude(real a) { return a < (real)0.0 ? -a : a; }

static real sum_of_magnitudes(const particle *p, const real y[3]) {
    real sum = magnitude(y[0]);
    for (int i = 1; i < p->dims; ++i) {
        sum += magnitude(y[i]);
    }
    return sum;
}

static real inner_product(const particle *p, const real a[3], const real b[3]) {
    real sum = a[0] * b[0];
    for (int i = 1; i < p->dims; ++i) {
        sum = mul_add(p, a[i], b[i], sum);
    }
    return sum;
}

/* Computes J^-1 r, axis by axis if they are independent. Returns false if a principal minor of J is not positive. */
static bool newton_solve(const particle *p, const ref_stage_matrix *m, const real r[3], real out[3]) {
    const bool separate = !(p->terms & KDR_TERMS_COUPLE_AXES);
    real c[3][3];
    const real det = separate ? (real)1.0 : cofactors(p, m, c), inverse = (real)1.0 / det;
    bool positive = det > (real)0.0;
    for (int i = 0; i < p->dims; ++i) {
        positive = positive && m->d[i] > (real)0.0 && (separate || c[i][i] > (real)0.0);
        out[i] = separate ? (real)1.0 / m->d[i] * r[i] : inverse * inner_product(p, c[i], r);
    }
    return positive;
}

/* Adds to J's diagonal what makes its symmetric part positive: 3/2 of Gershgorin's bound for the eigenvalues of that of th G. */
static void shift(const particle *p, ref_stage_matrix *m) {
    real most = (real)0.0;
    for (int i = 0; i < p->dims; ++i) {
        real beside = (real)0.0;
        for (int j = 0; j < p->dims; ++j) {
            beside += i == j ? (real)0.0 : magnitude(m->b[i][j] + m->b[j][i]);
        }
        const real bound = m->b[i][i] + (real)0.5 * beside;
        most = most < bound ? bound : most;
    }
    for (int i = 0; i < p->dims; ++i) {
        m->d[i] += (real)1.5 * most;
    }
}

/* Computes where Newton's iteration begins: the effect on v_n of the quadratic drags alone, one after the other. */
static void first_guess(const particle *p, real th, real a[3]) {
    real v[3];
    memcpy(v, p->v, sizeof v);
    for (int q = 0; q < p->field->quadratics; ++q) {
        const kdr_quadratic *const drag = &p->field->quadratic[q];
        const real minus_c = (p->terms & KDR_TERM_MASS) ? p->w * (real)drag->minus_c : (real)drag->minus_c;
        real u[3] = {0};
        for (int i = 0; i < p->dims; ++i) {
            u[i] = v[i] - (real)drag->wind[i];
        }
        const real square = mul_add(p, (real)-4.0 * th * minus_c, square_root(inner_product(p, u, u)), (real)1.0);
        const real slower = (real)2.0 / ((real)1.0 + square_root(square < (real)0.0 ? (real)0.0 : square));
        for (int i = 0; i < p->dims; ++i) {
            v[i] = mul_add(p, slower, u[i], (real)drag->wind[i]);
        }
    }
    for (int i = 0; i < p->dims; ++i) {
        a[i] = p->field->quadratics > 0 ? (v[i] - p->v[i]) / th : (real)0.0;
    }
}

/* The last point that was taken, the correction that leads away from it, and the measures for a shorter one. */
typedef struct newton {
    real a[3], correction[3];
    real slope; /* product of the correction and the residual when the point was taken */
    real size;  /* length of the correction then; 0 if it is not Newton's */
} newton;

/* Returns the size of rounding errors, which a correction cannot reduce: those of A, and of the place and velocity at which the field is
 * evaluated. */
static real roundings(const particle *p, real th, const real a[3], const real x[3], const real v[3], real g[3][3]) {
    real rates = sum_of_magnitudes(p, g[0]);
    for (int i = 1; i < p->dims; ++i) {
        rates += sum_of_magnitudes(p, g[i]);
    }
    const real place = sum_of_magnitudes(p, x) / magnitude(th);
    return mul_add(p, rates, sum_of_magnitudes(p, v) + place, sum_of_magnitudes(p, a));
}

/* Makes one iteration. Returns whether it was the last. */
static bool newton_iterate(const particle *p, uint64_t n, double c, newton *s, bool *solved) {
    const real th = (real)(p->h * c), tolerance = (real)2.0 * EPSILON, infinity = (real)INFINITY;
    real a[3], v[3], x[3], r[3], g[3][3], d[3];
    for (int i = 0; i < p->dims; ++i) {
        a[i] = s->a[i] + s->correction[i];
    }
    stage(p, th, a, p->v, v);
    stage(p, th, v, p->x, x);
    acceleration(p, x, v, n, c, r);
    jacobian(p, th, x, v, g);
    custom_jacobian(p, th, x, v, time_of(p, n, c), g);
    for (int i = 0; i < p->dims; ++i) {
        r[i] -= a[i];
    }
    const real rest = sum_of_magnitudes(p, r);
    if (!(rest < infinity && (real)-0.5 * s->slope <= inner_product(p, r, s->correction))) {
        const bool stuck = !(s->slope > (real)0.0);
        for (int i = 0; i < p->dims; ++i) {
            s->correction[i] *= (real)0.5;
        }
        s->slope *= (real)0.5;
        s->size = (real)0.0;
        return stuck;
    }
    ref_stage_matrix m = matrix_of(p, th, g);
    const bool positive = newton_solve(p, &m, r, d);
    if (!positive) {
        shift(p, &m);
        newton_solve(p, &m, r, d);
    }
    const real size = sum_of_magnitudes(p, d), ratio = size / s->size;
    const real next = magnitude(th) * size * (ratio < (real)1.0 ? ratio : (real)1.0);
    const real scale = mul_add(p, magnitude(th), sum_of_magnitudes(p, a), sum_of_magnitudes(p, v));
    const bool close = next <= mul_add(p, tolerance, scale, NOTHING);
    const bool stalls = (real)0.0 < s->size && s->size <= (real)2.0 * size && rest <= tolerance * roundings(p, th, a, x, v, g);
    memcpy(s->a, a, sizeof a);
    memcpy(s->correction, d, sizeof d);
    s->slope = magnitude(inner_product(p, r, d));
    s->size = positive ? size : (real)0.0;
    *solved = positive && (close || stalls);
    return *solved;
}

/* Solves the stage in any field: Newton's iteration for a = a(x_n + th V, V, t), V = v_n + th a. */
static void newton_stage(particle *p, uint64_t n, double c, real a[3], real v[3], real left[3]) {
    const real th = (real)(p->h * c);
    newton s = {{0}, {0}, 0, 0};
    bool solved = false;
    first_guess(p, th, s.a);
    for (int iteration = 0; iteration < KDR_NEWTON_ITERATIONS && !newton_iterate(p, n, c, &s, &solved); ++iteration) {
    }
    p->nonconverged += !solved;
    for (int i = 0; i < p->dims; ++i) {
        const real last = solved ? s.correction[i] : (real)0.0;
        a[i] = s.a[i] + last;
        left[i] = last - (a[i] - s.a[i]);
    }
    stage(p, th, a, p->v, v);
}

/* Solves V = v_n + c h a(x_n + c h V, V, t_n + c h), and makes the step with its a: x += h V, v += h a. The last correction of a is kept
 * separate: if V is much smaller than v_n, a rounded sum of the two could not represent V. */
static void implicit_step(particle *p, uint64_t n, double c) {
    const double h = p->h;
    const real th = (real)(h * c);
    real a[3], v[3], left[3];
    if (p->terms & KDR_TERMS_NOT_AFFINE) {
        newton_stage(p, n, c, a, v, left);
    } else {
        affine_stage(p, n, c, a, v, left);
    }
    stage(p, th, left, v, v);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, h, v[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, h, left[i], p->v[i], &p->cv[i]);
        p->v[i] = advance(p, h, a[i], p->v[i], &p->cv[i]);
    }
}

/* Makes a step of implicit Euler, HLW I.1: v_{n+1} = v_n + h a(x_{n+1}, v_{n+1}, t_{n+1}), x_{n+1} = x_n + h v_{n+1}. */
static void implicit_euler(particle *p, uint64_t n) { implicit_step(p, n, 1.0); }

/* Makes a step of the implicit midpoint rule, HLW I.1: y_{n+1} = y_n + h f((y_n + y_{n+1}) / 2, t_n + h/2), y = (x, v), f = (v, a). */
static void implicit_midpoint(particle *p, uint64_t n) { implicit_step(p, n, 0.5); }
