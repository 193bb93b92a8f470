/* The reference of block time steps. */

/* A moment in a part of the clock's step, in halves of the shortest step. */
typedef struct moment {
    const kdr_leveled *by;
    uint64_t now, all;
} moment;

/* Returns whether particles of a level are at this turn of their own step. */
static bool system_is_at(const moment *m, int level, int turn) {
    const uint64_t own = m->all >> level, into = m->now % own;
    const bool there[KDR_TURNS] = {
        [KDR_BEGINNING] = into == 0 && m->now < m->all, [KDR_MIDDLE] = into == own / 2, [KDR_ENDING] = into == 0 && m->now > 0};
    return there[turn];
}

static bool system_turns(const moment *m, int level, int turn) { return m->by->kick[turn] != 0.0 && system_is_at(m, level, turn); }

/* Returns whether a level needs an acceleration that is evaluated at this moment. */
static bool system_asks(const ref_system *c, const moment *m, int level) {
    return (system_turns(m, level, KDR_BEGINNING) && !c->keeps) || system_turns(m, level, KDR_MIDDLE) || system_turns(m, level, KDR_ENDING);
}

/* Computes v += fraction own a for the particles at this turn; own is each one's step, `whole` that of level 0. */
static void system_kick(const ref_system *c, const moment *m, int turn, double whole) {
    EACH_MOVING(c, i, n) {
        if (system_turns(m, system_level(c, n), turn)) {
            const double own = whole / (double)(UINT64_C(1) << system_level(c, n));
            c->v.axis[i][n] = advance(&c->rules, own * m->by->kick[turn], c->a.axis[i][n], c->v.axis[i][n], &c->cv.axis[i][n]);
        }
    }
}

/* Has the particles in the middle of their step pass the heat bath, with the step's length and its number on their own clock, or the
 * kick and rotation. */
static void system_pass_middle(const ref_system *c, const moment *m, uint64_t step, double whole) {
    for (size_t n = 0; (m->by->bathes || m->by->turns) && n < c->particles->count; ++n) {
        particle p = system_one(c, n);
        const int level = system_level(c, n);
        if (p.w == (real)0.0 || !system_is_at(m, level, KDR_MIDDLE)) {
            continue;
        }
        if (m->by->turns) {
            system_kick_and_turn(c, n, whole / (double)(UINT64_C(1) << level));
            continue;
        }
        p.h = c->clock->dt / (double)(UINT64_C(1) << level);
        p.later = p.later << level;
        heat_bath(&p, (step << level) + m->now / (m->all >> level));
        system_put(c, &p);
    }
}

/* Evaluates the accelerations that are needed, and no others. If no particle moves, all count as level 0. */
static kdr_status system_answer(ref_system *c, const moment *m, uint8_t *marks, uint64_t step, double fraction) {
    size_t moving = 0, asking = 0;
    for (size_t n = 0; n < c->particles->count; ++n) {
        const bool moves = inverse_mass_of(c, n) != (real)0.0;
        marks[n] = moves && system_asks(c, m, system_level(c, n));
        moving += moves;
        asking += marks[n];
    }
    if (moving > 0 ? asking == 0 : !system_asks(c, m, 0)) {
        return KDR_OK;
    }
    c->wanted = asking == moving ? NULL : marks;
    const kdr_status status = system_accelerations(c, &c->x, &c->v, step, fraction, &c->kv[0]);
    c->wanted = NULL;
    for (size_t n = 0; n < c->particles->count; ++n) {
        for (int i = 0; i < c->rules.dims && status == KDR_OK && (asking == moving || marks[n]); ++i) {
            c->a.axis[i][n] = c->kv[0].axis[i][n];
        }
    }
    return status;
}

/* Makes the drift up to moment m. Constraints and colliders act after each drift of methods that split; for others they act on the whole
 * step. */
static kdr_status system_level_drift(ref_system *c, const moment *m, double h) {
    if (c->problem->row->data.magnetic) {
        system_ordinary_drift(c, h);
        return KDR_OK;
    }
    const uint64_t length = m->by->drifts == 2 ? 1 : 2;
    return system_reflected_drift(c, h, (double)(m->now - length) / (double)m->all, (double)length / (double)m->all);
}

/* Makes one part of the clock's step, which is the whole step unless the method is composed. Each particle is kicked by its own step;
 * all drift in steps of the highest level, or halves of them. */
static kdr_status system_part(ref_system *c, const kdr_leveled *by, int part, uint64_t step, uint64_t substeps, uint8_t *marks) {
    const double whole = c->clock->dt * by->substepping.fraction[part];
    const bool one = c->problem->substepping.count > 1; /* the problem has the substeps, and c->h is that of one */
    kdr_status status = KDR_OK;
    moment m = {by, 0, 2 * substeps};
    for (; m.now <= m.all && status == KDR_OK; m.now += by->drifts == 2 ? 1 : 2) {
        if (m.now > 0) {
            status = system_level_drift(c, &m, whole / (double)substeps * by->drift);
        }
        if (m.now == m.all && part + 1 == by->substepping.count) {
            system_arrive(c);
        }
        const double within = (double)m.now / (double)m.all;
        status =
            status != KDR_OK ? status : system_answer(c, &m, marks, step, one ? within : kdr_substep_time(&by->substepping, part, within));
        c->keeps = kdr_problem_keeps(c->problem);
        for (int turn = KDR_TURNS - 1; turn >= 0 && status == KDR_OK && !by->turns; --turn) { /* one step ends before the next begins */
            system_kick(c, &m, turn, whole);
        }
        if (status == KDR_OK) {
            system_pass_middle(c, &m, step, whole);
        }
    }
    return status;
}

/* Returns whether a particle that may move has a level above 0. Otherwise a step is an ordinary one. */
static bool system_has_levels(const ref_system *c) {
    bool found = false;
    for (size_t n = 0; n < c->particles->count; ++n) {
        real w = (real)1.0;
        gather(&c->particles->inverse_mass, &c->particles->inverse_mass_layout, c->particles->inverse_mass ? 1 : 0, n, &w);
        found = found || (w != (real)0.0 && is_active(c->particles, n) && system_level(c, n) > 0);
    }
    return found;
}

static kdr_status system_levels(ref_system *c, uint64_t step) {
    const kdr_leveled by = kdr_system_leveled(c->desc, c->problem);
    uint8_t *const marks = malloc(c->particles->count + 1);
    KDR_CHECK(marks, c->error, KDR_ERROR_NO_MEMORY, "reference: no memory for %zu particles", c->particles->count);
    const bool all = c->problem->substepping.count == 1; /* otherwise only the substep that the problem is at */
    const int first = all ? 0 : c->rules.substep, end = all ? by.substepping.count : first + 1;
    kdr_status status = KDR_OK;
    for (int part = first; part < end && status == KDR_OK; ++part) {
        status = system_part(c, &by, part, step, UINT64_C(1) << system_highest_level(c), marks);
    }
    free(marks);
    if (status == KDR_OK && by.kick[KDR_ENDING] != 0.0 && !by.turns) {
        system_hold_velocities(c, c->clock->dt * by.kick[KDR_ENDING], &c->v);
    }
    return status == KDR_OK && c->desc->distance_count > 0 && !by.turns ? system_hold(c, NULL, true, c->clock->dt) : status;
}
