/* System steps of implicit methods: Newton's corrections by the derivatives of the forces, and fixed-point iteration of everything
 * else, as in method/rows_implicit.h. */

/* Copies the numbers of particle n. */
static void system_get(const ref_system *c, const numbers *from, size_t n, real to[3]) {
    for (int i = 0; i < c->rules.dims; ++i) {
        to[i] = from->axis[i][n];
    }
}

static void system_set(const ref_system *c, const numbers *to, size_t n, const real from[3]) {
    for (int i = 0; i < c->rules.dims; ++i) {
        to->axis[i][n] = from[i];
    }
}

/* The solution of a step's equation. */
typedef struct solution {
    real th;
    bool between; /* interactions have slopes */
    void *g[6];   /* slopes of the interactions, as in kdr_slopes_fn */
    kdr_semi_iteration semi;
    const numbers *a, *d, *size, *last; /* a, its correction, the size of the previous correction, and the last step of a */
} solution;

/* Replaces r by J^-1 r, where J has the derivatives of the forces at the trial's place and velocity, and those of interactions. */
static void system_correct(const ref_system *c, const particle *p, const solution *s, size_t n, uint64_t step, const real y[3],
                           const real v[3], real r[3]) {
    const real th = s->th;
    particle one = *p;
    real g[3][3], d[3];
    jacobian(p, th, y, v, g);
    custom_jacobian(p, th, y, v, time_of(p, step, c->problem->row->data.implicit->c), g);
    for (int i = 0; s->between && i < p->dims; ++i) {
        for (int j = 0; j < p->dims; ++j) {
            g[i][j] = g[i][j] + ((const real *)s->g[i == j ? i : p->dims + i + j - 1])[n];
        }
    }
    one.terms |= s->between ? KDR_TERM_CENTRES : 0U; /* axes are coupled */
    ref_stage_matrix m = matrix_of(p, th, g);
    if (!newton_solve(&one, &m, r, d)) {
        shift(p, &m);
        newton_solve(&one, &m, r, d);
    }
    memcpy(r, d, sizeof d);
}

/* Makes one iteration for particle n. `d` has its acceleration, and becomes the rounding error of the corrected sum. Returns whether the
 * particle is solved. */
static bool system_converge(const ref_system *c, const solution *s, uint64_t step, size_t n) {
    const particle p = system_one(c, n);
    const real th = s->th, tolerance = (real)2.0 * EPSILON, weight = (real)s->semi.weight, before = (real)(s->semi.weight - 1.0);
    real was[3], to[3], r[3], v[3], y[3], moved[3];
    system_get(c, s->a, n, was);
    system_get(c, s->d, n, r);
    system_get(c, s->last, n, moved);
    system_get(c, &c->vs, n, v);
    system_get(c, &c->xs, n, y);
    for (int i = 0; i < p.dims; ++i) {
        r[i] = r[i] - was[i];
    }
    if (c->desc->force_count > 0 || s->between) {
        system_correct(c, &p, s, n, step, y, v, r);
    }
    for (int i = 0; i < p.dims; ++i) {
        moved[i] = weight != (real)1.0 ? mul_add(&p, weight, r[i], before * moved[i]) : r[i];
        to[i] = was[i] + moved[i];
        r[i] = moved[i] - (to[i] - was[i]);
    }
    const real length = sum_of_magnitudes(&p, moved), last = s->size->axis[0][n], ratio = length / last;
    stage(&p, th, to, p.v, v);
    stage(&p, th, v, p.x, y);
    system_set(c, s->a, n, to);
    system_set(c, s->d, n, r);
    system_set(c, s->last, n, moved);
    system_set(c, &c->vs, n, v);
    system_set(c, &c->xs, n, y);
    s->size->axis[0][n] = length;
    const real change = magnitude(th) * length, next = change * (ratio < (real)1.0 ? ratio : (real)1.0);
    const real scale = mul_add(&p, magnitude(th), sum_of_magnitudes(&p, to), sum_of_magnitudes(&p, v));
    const real least = (real)16.0 * EPSILON * (scale + sum_of_magnitudes(&p, y) / magnitude(th));
    const bool slow = (real)0.0 < last && last <= (real)2.0 * length;
    return next <= mul_add(&p, tolerance, scale, NOTHING) || (slow && change <= least);
}

/* Computes the slopes of interactions, by the user's function and for spring networks, at the trial's places and velocities. */
static kdr_status system_slopes(ref_system *c, const solution *s, uint64_t step) {
    const double th = c->h * c->problem->row->data.implicit->c, t = system_time(c, step, c->problem->row->data.implicit->c);
    const kdr_particles seen = system_seen(c, &c->xs, &c->vs);
    for (int k = 0; k < 6; ++k) {
        memset(s->g[k], 0, seen.count * sizeof(real));
    }
    const kdr_status status = c->desc->slopes ? kdr_called(c->desc->slopes(c->desc->context, &seen, t, th, s->g)) : KDR_OK;
    KDR_CHECK(status == KDR_OK, c->error, status, "slopes: the function returned %d (%s) in step %llu, at time %g", (int)status,
              kdr_status_string(status), (unsigned long long)c->step, t);
    return kdr_reference_system_slopes(c->desc, &seen, th, s->g, c->error);
}

/* The number whose largest value over the moving particles is wanted: the size of the last step, the scale of its terms, or the bound of
 * its block. NaN counts as the largest. */
typedef enum which { SIZE, SCALE, BOUND } which;

static double system_most(const ref_system *c, const solution *s, which number) {
    const double th = c->h * c->problem->row->data.implicit->c;
    double most = 0.0;
    for (size_t n = 0; n < c->particles->count; ++n) {
        double g[6] = {0}, one = (double)s->size->axis[0][n], scale = 0.0;
        for (int k = 0; k < 6; ++k) {
            g[k] = (double)((const real *)s->g[k])[n];
        }
        for (int i = 0; i < c->rules.dims; ++i) {
            scale += fabs(th) * fabs((double)s->a->axis[i][n]) + fabs((double)c->vs.axis[i][n]) + fabs((double)c->xs.axis[i][n]) / fabs(th);
        }
        one = number == SCALE ? scale : number == BOUND ? kdr_semi_iteration_bound(c->rules.dims, g, th) : one;
        if (inverse_mass_of(c, n) != (real)0.0 && !(one <= most)) {
            most = isnan(one) ? (double)INFINITY : one;
        }
    }
    return most;
}

/* Makes an iteration; `number` counts from 1. */
static kdr_status system_iterate(ref_system *c, solution *s, uint64_t step, int number, bool *solved) {
    const double fraction = c->problem->row->data.implicit->c, th = c->h * fraction, last = system_most(c, s, SIZE);
    const int iterations = s->between ? KDR_BLOCK_ITERATIONS : KDR_FIXED_POINT_ITERATIONS;
    kdr_semi_iteration *const semi = &s->semi;
    kdr_status status = system_accelerations(c, &c->xs, &c->vs, step, fraction, s->d);
    if (status == KDR_OK && s->between) {
        status = system_slopes(c, s, step);
    }
    if (status != KDR_OK) {
        return status;
    }
    bool closed = true;
    for (size_t n = 0; n < c->particles->count; ++n) {
        closed = (inverse_mass_of(c, n) == (real)0.0 || system_converge(c, s, step, n)) && closed;
    }
    const double size = system_most(c, s, SIZE);
    if (semi->square > 0.0) {
        const double rounding = (double)EPSILON;
        *solved =
            kdr_semi_iteration_next(semi, size, last) && isfinite(size) && fabs(th) * size <= 64.0 * rounding * system_most(c, s, SCALE);
    } else {
        semi->solved += closed && isfinite(size);
        *solved = semi->solved == (s->between ? 2 : 1);
        if (s->between && !*solved && kdr_semi_iteration_is_slow(number, size, last)) {
            kdr_semi_iteration_begin(semi, system_most(c, s, BOUND), size);
        }
    }
    KDR_CHECK(*solved || (number < iterations && (isfinite(size) || !s->between)), c->error, KDR_ERROR_ARGUMENT,
              "clock.dt: %s was not solved by %d iterations in step %llu: %g is long for what acts between particles; take a shorter "
              "step, or velocity-verlet",
              c->problem->row->info.name, number, (unsigned long long)c->step, c->clock->dt);
    return KDR_OK;
}

/* Solves V = v_n + th a(x_n + th V, V, t_n + th) for all particles, then computes x += h V, v += h a. */
static kdr_status system_implicit(ref_system *c, uint64_t step) {
    const double fraction = c->problem->row->data.implicit->c;
    solution s = {.th = (real)(c->h * fraction),
                  .between = kdr_system_has_slopes(c->desc, c->problem),
                  .semi = kdr_semi_iteration_none(),
                  .a = &c->a,
                  .d = &c->kv[0],
                  .size = &c->kx[0],
                  .last = &c->kx[1]};
    const numbers *const zeros[] = {s.a, s.size, s.last};
    kdr_status status = KDR_OK;
    bool solved = false;
    for (int k = 0; k < 6; ++k) {
        s.g[k] = c->kv[1 + k / 3].axis[k % 3];
    }
    for (int i = 0; i < 3 * c->rules.dims; ++i) {
        memset(zeros[i % 3]->axis[i / 3], 0, c->particles->count * sizeof(real));
    }
    system_copy(c, &c->v, &c->vs);
    system_copy(c, &c->x, &c->xs);
    system_advance(c, c->h * fraction, &c->vs, &c->xs);
    for (int number = 1; !solved && status == KDR_OK; ++number) {
        status = system_iterate(c, &s, step, number, &solved);
    }
    if (status == KDR_OK) {
        system_advance(c, c->h * fraction, s.d, &c->vs);
        system_drift_by(c, c->h, &c->vs);
        system_kick_by(c, c->h, s.d);
        system_kick_by(c, c->h, s.a);
    }
    return status;
}
