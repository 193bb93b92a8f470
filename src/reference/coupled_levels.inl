/* Block time steps. */

/* Whether particle n begins a step of its own with substep s of a part of the clock's step, of so many; the substep that it ends is then
 * s - 1. */
static bool coupled_turns(const coupled *c, size_t n, uint64_t s, uint64_t substeps) {
    return inverse_mass_of(c, n) != (real)0.0 && s % (substeps >> coupled_level(c, n)) == 0;
}

/* v += own a of the particles that begin or end a step there; own is the fraction of each one's own step, h the shortest. */
static void coupled_kick(const coupled *c, uint64_t s, uint64_t substeps, double h, double fraction) {
    EACH_MOVING(c, i, n) {
        if (coupled_turns(c, n, s, substeps)) {
            const double own = h * (double)(substeps >> coupled_level(c, n));
            c->v.axis[i][n] = mul_add(&c->rules, (real)(own * fraction), c->a.axis[i][n], c->v.axis[i][n]);
        }
    }
}

/* Their accelerations, and no others. */
static kdr_status coupled_turn(coupled *c, uint64_t s, uint64_t substeps, uint8_t *marks, uint64_t step, double fraction) {
    bool all = true;
    for (size_t n = 0; n < c->particles->count; ++n) {
        marks[n] = coupled_turns(c, n, s, substeps);
        all = all && (marks[n] || inverse_mass_of(c, n) == (real)0.0);
    }
    c->wanted = all ? NULL : marks;
    const kdr_status status = coupled_accelerations(c, &c->x, &c->v, step, fraction, &c->kv[0]);
    c->wanted = NULL;
    for (size_t n = 0; n < c->particles->count; ++n) {
        for (int i = 0; i < c->rules.dims && status == KDR_OK && (all || marks[n]); ++i) {
            c->a.axis[i][n] = c->kv[0].axis[i][n];
        }
    }
    return status;
}

/* Kick, drift, kick or kick, drift or drift, kick, the kicks of each particle by its own step; all drift in steps of the highest level. Of
 * one part of the clock's step, which is the whole where the method is not composed. */
static kdr_status coupled_substeps(coupled *c, const kdr_leveled *by, int part, uint64_t step, uint64_t substeps, uint8_t *marks) {
    const kdr_splitting_row *const row = &by->row;
    const bool ends = row->stages == 2, keeps = ends && row->kick[0] != 0.0;
    const double h = c->clock->dt * by->substepping.fraction[part] / (double)substeps;
    kdr_status status = KDR_OK;
    if (keeps && !c->keeps) {
        status = coupled_turn(c, 0, substeps, marks, step, 0.0);
    }
    for (uint64_t s = 0; s < substeps && status == KDR_OK; ++s) {
        const uint64_t evaluated = ends ? s + 1 : s;
        const double time = kdr_substep_time(&by->substepping, part, (double)evaluated / (double)substeps);
        if (!ends) {
            status = coupled_turn(c, s, substeps, marks, step, time);
        }
        if (status == KDR_OK && row->kick[0] != 0.0) {
            coupled_kick(c, s, substeps, h, row->kick[0]);
        }
        if (status == KDR_OK) {
            coupled_advance(c, h * row->drift[0], &c->v, &c->x);
        }
        if (status == KDR_OK && ends) {
            status = coupled_turn(c, s + 1, substeps, marks, step, time);
        }
        if (status == KDR_OK && ends) {
            coupled_kick(c, s + 1, substeps, h, row->kick[1]);
        }
    }
    c->keeps = keeps;
    return status;
}

static kdr_status coupled_levels(coupled *c, uint64_t step) {
    const kdr_leveled by = kdr_coupled_leveled(c->desc, c->problem);
    uint8_t *const marks = malloc(c->particles->count + 1);
    KDR_CHECK(marks, c->error, KDR_ERROR_NO_MEMORY, "reference: no memory for %zu particles", c->particles->count);
    kdr_status status = KDR_OK;
    for (int part = 0; part < by.substepping.count && status == KDR_OK; ++part) {
        status = coupled_substeps(c, &by, part, step, UINT64_C(1) << coupled_highest_level(c), marks);
    }
    free(marks);
    return status;
}
