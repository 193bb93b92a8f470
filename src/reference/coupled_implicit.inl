/* Coupled steps of implicit methods: Newton's corrections by the derivatives of the forces, fixed-point iteration of all else, as
 * method/rows_implicit.h has it. */

/* The numbers of particle n. */
static void coupled_get(const coupled *c, const numbers *from, size_t n, real to[3]) {
    for (int i = 0; i < c->rules.dims; ++i) {
        to[i] = from->axis[i][n];
    }
}

static void coupled_set(const coupled *c, const numbers *to, size_t n, const real from[3]) {
    for (int i = 0; i < c->rules.dims; ++i) {
        to->axis[i][n] = from[i];
    }
}

/* J^-1 r, J by the derivatives of the forces at the trial's place and velocity. */
static void coupled_correct(const coupled *c, const particle *p, real th, uint64_t step, const real y[3], const real v[3], real r[3]) {
    real g[3][3], d[3];
    jacobian(p, th, y, v, g);
    custom_jacobian(p, th, y, v, time_of(p, step, c->problem->row->data.implicit->c), g);
    stage_matrix m = matrix_of(p, th, g);
    if (!newton_solve(p, &m, r, d)) {
        shift(p, &m);
        newton_solve(p, &m, r, d);
    }
    memcpy(r, d, sizeof d);
}

/* Particle n after an iteration; its acceleration there is in `d`, which becomes what the sum with the correction loses. Whether it is
 * solved. */
static bool coupled_converge(const coupled *c, uint64_t step, size_t n, const numbers *a, const numbers *d, const numbers *size) {
    const particle p = coupled_one(c, n);
    const real th = (real)(c->h * c->problem->row->data.implicit->c), tolerance = (real)2.0 * EPSILON;
    real was[3], to[3], r[3], v[3], y[3];
    coupled_get(c, a, n, was);
    coupled_get(c, d, n, r);
    coupled_get(c, &c->vs, n, v);
    coupled_get(c, &c->xs, n, y);
    for (int i = 0; i < p.dims; ++i) {
        r[i] = r[i] - was[i];
    }
    if (c->desc->force_count > 0) {
        coupled_correct(c, &p, th, step, y, v, r);
    }
    const real length = sum_of_magnitudes(&p, r), last = size->axis[0][n], ratio = length / last;
    for (int i = 0; i < p.dims; ++i) {
        to[i] = was[i] + r[i];
        r[i] = r[i] - (to[i] - was[i]);
    }
    stage(&p, th, to, p.v, v);
    stage(&p, th, v, p.x, y);
    coupled_set(c, a, n, to);
    coupled_set(c, d, n, r);
    coupled_set(c, &c->vs, n, v);
    coupled_set(c, &c->xs, n, y);
    size->axis[0][n] = length;
    const real change = magnitude(th) * length, next = change * (ratio < (real)1.0 ? ratio : (real)1.0);
    const real scale = mul_add(&p, magnitude(th), sum_of_magnitudes(&p, to), sum_of_magnitudes(&p, v));
    const real least = (real)16.0 * EPSILON * (scale + sum_of_magnitudes(&p, y) / magnitude(th));
    const bool slow = (real)0.0 < last && last <= (real)2.0 * length;
    return next <= mul_add(&p, tolerance, scale, NOTHING) || (slow && change <= least);
}

/* V = v_n + th a(x_n + th V, V, t_n + th) of all particles; then x += h V, v += h a. */
static kdr_status coupled_implicit(coupled *c, uint64_t step) {
    const double fraction = c->problem->row->data.implicit->c;
    const numbers *const a = &c->a, *const d = &c->kv[0], *const size = &c->kx[0];
    bool solved = false;
    for (int i = 0; i < c->rules.dims; ++i) {
        memset(a->axis[i], 0, c->particles->count * sizeof(real));
        memset(size->axis[i], 0, c->particles->count * sizeof(real));
    }
    coupled_copy(c, &c->v, &c->vs);
    coupled_copy(c, &c->x, &c->xs);
    coupled_advance(c, c->h * fraction, &c->vs, &c->xs);
    for (int iteration = 0; iteration < KDR_FIXED_POINT_ITERATIONS && !solved; ++iteration) {
        const kdr_status status = coupled_accelerations(c, &c->xs, &c->vs, step, fraction, &c->kv[0]);
        if (status != KDR_OK) {
            return status;
        }
        solved = true;
        for (size_t n = 0; n < c->particles->count; ++n) {
            solved = (inverse_mass_of(c, n) == (real)0.0 || coupled_converge(c, step, n, a, d, size)) && solved;
        }
    }
    KDR_CHECK(solved, c->error, KDR_ERROR_ARGUMENT,
              "clock.dt: %s was not solved by %d iterations in step %llu: %g is long beside what acts between particles; take a shorter "
              "step, or velocity-verlet",
              c->problem->row->info.name, (int)KDR_FIXED_POINT_ITERATIONS, (unsigned long long)c->step, c->clock->dt);
    coupled_advance(c, c->h * fraction, d, &c->vs);
    coupled_drift_by(c, c->h, &c->vs);
    coupled_kick_by(c, c->h, d);
    coupled_kick_by(c, c->h, a);
    return KDR_OK;
}
