/* Coupled steps of kinematic methods: those of methods/kinematic.inl, for all particles. */

static void coupled_affine_motion(coupled *c, double h) {
    if (!c->rules.mapped && !kdr_affine_differs(c->rules.terms)) {
        make_map(&c->rules, h);
    }
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = coupled_one(c, n);
        if (p.w != (real)0.0) {
            affine_motion(&p, h);
            coupled_put(c, &p);
        }
    }
}

static kdr_status coupled_strang(coupled *c, uint64_t step) {
    coupled_affine_motion(c, c->h * 0.5);
    kdr_status status = coupled_accelerations(c, &c->x, &c->v, step, 0.5, &c->a);
    if (status == KDR_OK && kdr_problem_kicks_twice(c->problem)) {
        coupled_copy(c, &c->v, &c->vs);
        coupled_advance(c, c->h * 0.5, &c->a, &c->vs);
        status = coupled_accelerations(c, &c->x, &c->vs, step, 0.5, &c->a);
    }
    if (status == KDR_OK) {
        coupled_kick_by(c, c->h, &c->a);
        coupled_affine_motion(c, c->h * 0.5);
    }
    return status;
}

/* Makes a step of a kinematic method. Interactions, and the user's function, contribute by average. */
static kdr_status coupled_kinematic(coupled *c, uint64_t step) {
    if (!c->problem->row->data.kinematic->sums) {
        return coupled_strang(c, step);
    }
    const kdr_status status = coupled_accelerations(c, &c->x, &c->v, step, 0.0, &c->a);
    if (status != KDR_OK) {
        return status;
    }
    coupled_affine_motion(c, c->h);
    coupled_drift_by(c, 0.5 * c->h * c->h, &c->a);
    coupled_kick_by(c, c->h, &c->a);
    double moved[6];
    kdr_problem_drive(c->problem, c->clock, step, moved);
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = coupled_one(c, n);
        for (int i = 0; i < p.dims && (p.terms & KDR_TERM_DRIVEN); ++i) {
            push(&p, moved[i], &p.x[i], &p.cx[i]);
            push(&p, moved[3 + i], &p.v[i], &p.cv[i]);
        }
        if (p.w != (real)0.0) {
            coupled_put(c, &p);
        }
    }
    return status;
}
