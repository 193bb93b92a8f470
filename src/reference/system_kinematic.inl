/* System steps of kinematic methods: those of methods/kinematic.inl, for all particles. */

static void system_affine_motion(ref_system *c, double h) {
    if (!c->rules.mapped && !kdr_affine_differs(c->rules.terms)) {
        make_map(&c->rules, h);
    }
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = system_one(c, n);
        if (p.w != (real)0.0) {
            affine_motion(&p, h);
            system_put(c, &p);
        }
    }
}

static kdr_status system_strang(ref_system *c, uint64_t step) {
    system_affine_motion(c, c->h * 0.5);
    kdr_status status = system_accelerations(c, &c->x, &c->v, step, 0.5, &c->a);
    if (status == KDR_OK && kdr_problem_kicks_twice(c->problem)) {
        system_copy(c, &c->v, &c->vs);
        system_advance(c, c->h * 0.5, &c->a, &c->vs);
        status = system_accelerations(c, &c->x, &c->vs, step, 0.5, &c->a);
    }
    if (status == KDR_OK) {
        system_kick_by(c, c->h, &c->a);
        system_affine_motion(c, c->h * 0.5);
    }
    return status;
}

/* Makes a step of a kinematic method. Interactions, and the user's function, contribute by average. */
static kdr_status system_kinematic(ref_system *c, uint64_t step) {
    if (!c->problem->row->data.kinematic->sums) {
        return system_strang(c, step);
    }
    const kdr_status status = system_accelerations(c, &c->x, &c->v, step, 0.0, &c->a);
    if (status != KDR_OK) {
        return status;
    }
    system_affine_motion(c, c->h);
    system_drift_by(c, 0.5 * c->h * c->h, &c->a);
    system_kick_by(c, c->h, &c->a);
    double moved[6];
    kdr_problem_drive(c->problem, c->clock, step, moved);
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = system_one(c, n);
        for (int i = 0; i < p.dims && (p.terms & KDR_TERM_DRIVEN); ++i) {
            push(&p, moved[i], &p.x[i], &p.cx[i]);
            push(&p, moved[3 + i], &p.v[i], &p.cv[i]);
        }
        if (p.w != (real)0.0) {
            system_put(c, &p);
        }
    }
    return status;
}
