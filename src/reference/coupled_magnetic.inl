/* Coupled steps in magnetic fields: those of methods/boris.inl, of all particles. */

/* In a plane by the field across it alone, on a line not at all. */
static bool coupled_is_turned(const coupled *c) { return is_turned(&c->rules) || (c->rules.dims > 1 && c->desc->magnetic); }

/* Particle n turns by a field of its own, or by the folded one, which is everywhere the same. */
static void coupled_turn_one(const coupled *c, size_t n) {
    particle p = coupled_one(c, n);
    if (c->desc->magnetic || (p.terms & KDR_TERM_CUSTOM_MAGNETIC)) {
        const real m[3] = {c->m.axis[0][n], c->m.axis[1][n], c->m.axis[2][n]};
        real t[3];
        half_angles(&p, m, t);
        rotation(&p, t);
    }
    if (p.w != (real)0.0) {
        turn(&p);
        coupled_put(c, &p);
    }
}

/* dx/dt of all particles, which are those of the row `mean`, drift by it. */
static void coupled_relativistic_drift(coupled *c, double h) {
    for (size_t n = 0; n < c->particles->count; ++n) {
        const particle p = coupled_one(c, n);
        real w[3] = {0, 0, 0};
        ordinary_velocity(&p, p.v, w);
        for (int i = 0; i < c->rules.dims; ++i) {
            c->mean.axis[i][n] = w[i];
        }
    }
    coupled_drift_by(c, h, &c->mean);
}

/* The magnetic half of Vay's first kick, beside the acceleration. */
static void coupled_cross_one(const coupled *c, size_t n) {
    real w[3] = {0}, m[3] = {0}, a[3] = {0};
    for (int i = 0; i < c->rules.dims; ++i) {
        w[i] = c->mean.axis[i][n];
        a[i] = c->a.axis[i][n];
    }
    for (int i = 0; i < 3; ++i) {
        m[i] = c->m.axis[i][n];
    }
    add_cross(&c->rules, w, m, a);
    for (int i = 0; i < c->rules.dims; ++i) {
        c->a.axis[i][n] = a[i];
    }
}

static void coupled_turn_relativistic(const coupled *c, const kdr_magnetic_row *row, size_t n) {
    particle p = coupled_one(c, n);
    real m[3] = {c->m.axis[0][n], c->m.axis[1][n], c->m.axis[2][n]};
    if (p.w != (real)0.0) {
        turn_relativistic(&p, row, m);
        coupled_put(c, &p);
    }
}

/* v is momentum over mass: as of one particle in methods/boris.inl. */
static kdr_status coupled_relativistic(coupled *c, uint64_t step) {
    const kdr_magnetic_row *const row = c->problem->row->data.magnetic;
    const double half = c->h * 0.5;
    const size_t turned = coupled_is_turned(c) ? c->particles->count : 0;
    coupled_relativistic_drift(c, half);
    const kdr_status status = coupled_accelerations(c, &c->x, &c->v, step, 0.5, &c->a);
    if (status != KDR_OK) {
        return status;
    }
    coupled_kick_by(c, half, &c->a);
    for (size_t n = 0; n < turned && row->halves; ++n) {
        coupled_cross_one(c, n);
    }
    if (row->halves) {
        coupled_kick_by(c, half, &c->a);
    }
    for (size_t n = 0; n < turned; ++n) {
        coupled_turn_relativistic(c, row, n);
    }
    if (!row->halves) {
        coupled_kick_by(c, half, &c->a);
    }
    coupled_relativistic_drift(c, half);
    return KDR_OK;
}

/* Boris' method, as of one particle in methods/boris.inl. */
static kdr_status coupled_boris(coupled *c, uint64_t step) {
    if (c->rules.terms & KDR_TERM_RELATIVISTIC) {
        return coupled_relativistic(c, step);
    }
    const double half = c->h * 0.5;
    coupled_drift_by(c, half, &c->v);
    const kdr_status status = coupled_accelerations(c, &c->x, &c->v, step, 0.5, &c->a);
    if (status != KDR_OK) {
        return status;
    }
    coupled_kick_by(c, half, &c->a);
    for (size_t n = 0; n < c->particles->count && coupled_is_turned(c); ++n) {
        coupled_turn_one(c, n);
    }
    coupled_kick_by(c, half, &c->a);
    coupled_drift_by(c, half, &c->v);
    return KDR_OK;
}
