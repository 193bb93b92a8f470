/* Implicit methods: Newton's iteration, and what is left after it. */

/* J = 1 - th G by its cofactors: the inverse is C / det, and det is what it returns. */
static real cofactors(const particle *p, real th, real g[3][3], real c[3][3]) {
    real d[3], b[3][3]; /* J's diagonal, and minus what stands beside it */
    for (int i = 0; i < p->dims; ++i) {
        d[i] = mul_add(p, -th, g[i][i], (real)1.0);
        for (int j = 0; j < p->dims; ++j) {
            b[i][j] = th * g[i][j];
        }
    }
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

/* J^-1 r in an affine field, where J is constant. */
static void affine_solve(const particle *p, real th, const real r[3], real out[3]) {
    real g[3][3], cofactor[3][3];
    jacobian(p, th, p->x, p->v, g);
    if (!(p->terms & KDR_TERMS_COUPLED)) {
        for (int i = 0; i < p->dims; ++i) {
            out[i] = (real)1.0 / mul_add(p, -th, g[i][i], (real)1.0) * r[i];
        }
        return;
    }
    const real det = cofactors(p, th, g, cofactor);
    for (int i = 0; i < p->dims; ++i) {
        out[i] = cofactor[i][0] / det * r[0];
        for (int j = 1; j < p->dims; ++j) {
            out[i] = mul_add(p, cofactor[i][j] / det, r[j], out[i]);
        }
    }
}

/* The first of Newton's iterations, from V = v_n, arrives; a second one finds what its roundings have left. */
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

/* J^-1 r of one iteration: axis by axis where none feels another. */
static void newton_solve(const particle *p, real th, real g[3][3], const real r[3], real out[3]) {
    if (!(p->terms & KDR_TERMS_COUPLED)) {
        for (int i = 0; i < p->dims; ++i) {
            out[i] = (real)1.0 / mul_add(p, -th, g[i][i], (real)1.0) * r[i];
        }
        return;
    }
    real cofactor[3][3];
    const real inverse = (real)1.0 / cofactors(p, th, g, cofactor);
    for (int i = 0; i < p->dims; ++i) {
        real sum = cofactor[i][0] * r[0];
        for (int j = 1; j < p->dims; ++j) {
            sum = mul_add(p, cofactor[i][j], r[j], sum);
        }
        out[i] = inverse * sum;
    }
}

/* Any field: Newton's iteration for a = a(x_n + th V, V, t), V = v_n + th a, from a = 0. */
static void newton_stage(const particle *p, uint64_t n, double c, real a[3], real v[3], real left[3]) {
    const real th = (real)(p->h * c);
    const int iterations = p->problem->row->data.implicit->iterations;
    memset(a, 0, 3 * sizeof *a);
    memset(left, 0, 3 * sizeof *left);
    for (int iteration = 0; iteration < iterations; ++iteration) {
        real x[3], r[3], g[3][3];
        for (int i = 0; i < p->dims; ++i) {
            a[i] += left[i];
        }
        stage(p, th, a, p->v, v);
        stage(p, th, v, p->x, x);
        acceleration(p, x, v, n, c, r);
        jacobian(p, th, x, v, g);
        custom_jacobian(p, th, x, v, time_of(p, n, c), g);
        for (int i = 0; i < p->dims; ++i) {
            r[i] -= a[i];
        }
        newton_solve(p, th, g, r, left);
    }
}

/* Solves V = v_n + c h a(x_n + c h V, V, t_n + c h), and steps with what a is there: x += h V, v += h a. The last correction of a stays
 * apart from it: where V is small beside v_n, a rounded sum of the two could not tell V. */
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

/* Implicit Euler, HLW I.1: v_{n+1} = v_n + h a(x_{n+1}, v_{n+1}, t_{n+1}), x_{n+1} = x_n + h v_{n+1}. */
static void implicit_euler(particle *p, uint64_t n) { implicit_step(p, n, 1.0); }

/* The implicit midpoint rule, HLW I.1: y_{n+1} = y_n + h f((y_n + y_{n+1}) / 2, t_n + h/2), y = (x, v), f = (v, a). */
static void implicit_midpoint(particle *p, uint64_t n) { implicit_step(p, n, 0.5); }
