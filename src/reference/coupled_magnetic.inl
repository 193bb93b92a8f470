/* Coupled steps in magnetic fields: those of methods/boris.inl, of all particles. */

/* In a plane by the field across it alone, on a line not at all. */
static bool coupled_is_turned(const coupled *c) { return is_turned(&c->rules) || (c->rules.dims > 1 && c->desc->magnetic); }

/* What particle n does between the drifts of a step of length h. It turns by a field of its own, or by the folded one, which is everywhere
 * the same. */
static void coupled_kick_and_turn(const coupled *c, size_t n, double h) {
    particle p = coupled_one(c, n);
    const bool own = c->desc->magnetic || (p.terms & KDR_TERM_CUSTOM_MAGNETIC);
    real a[3] = {0}, m[3] = {c->m.axis[0][n], c->m.axis[1][n], c->m.axis[2][n]};
    for (int i = 0; i < p.dims; ++i) {
        a[i] = c->a.axis[i][n];
    }
    if (p.w != (real)0.0) {
        p.h = h;
        kick_and_turn(&p, coupled_is_turned(c), own, a, m);
        coupled_put(c, &p);
    }
}

static void coupled_ordinary_drift(const coupled *c, double h) {
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = coupled_one(c, n);
        if (p.w != (real)0.0) {
            ordinary_drift(&p, h);
            coupled_put(c, &p);
        }
    }
}

/* As of one particle in methods/boris.inl. */
static kdr_status coupled_boris(coupled *c, uint64_t step) {
    coupled_ordinary_drift(c, c->h * 0.5);
    const kdr_status status = coupled_accelerations(c, &c->x, &c->v, step, 0.5, &c->a);
    for (size_t n = 0; n < c->particles->count && status == KDR_OK; ++n) {
        coupled_kick_and_turn(c, n, c->h);
    }
    if (status == KDR_OK) {
        coupled_ordinary_drift(c, c->h * 0.5);
    }
    return status;
}
