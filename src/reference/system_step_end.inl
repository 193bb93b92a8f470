/* Returns particle n, for functions of one particle. */
static particle system_one(const ref_system *c, size_t n) {
    particle p = c->rules;
    p.index = n;
    p.w = inverse_mass_of(c, n);
    p.radius = radius_of(c, n);
    p.h = c->h;
    p.id = c->particles->first_id + n;
    p.first_contact = c->first_contact; /* contacts are in order of steps, and then of particles */
    get_value(c->particles->id, &c->particles->id_layout, n, &p.id, sizeof p.id);
    for (int i = 0; i < p.dims; ++i) {
        p.x[i] = c->x.axis[i][n];
        p.v[i] = c->v.axis[i][n];
        p.cx[i] = c->cx.axis[i][n];
        p.cv[i] = c->cv.axis[i][n];
    }
    return p;
}

static void system_put(const ref_system *c, const particle *p) {
    for (int i = 0; i < p->dims; ++i) {
        c->x.axis[i][p->index] = p->x[i];
        c->v.axis[i][p->index] = p->v[i];
        c->cx.axis[i][p->index] = p->cx[i];
        c->cv.axis[i][p->index] = p->cv[i];
    }
}

static void system_begin_counts(const ref_system *c) {
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = {.index = n, .dims = c->rules.dims};
        take_counts(&p, c->particles);
        memcpy(c->counts[n].dissipated_energy, p.dissipated_energy, sizeof p.dissipated_energy);
    }
}

/* Adds the contacts of a drift or a step to the step's counts. */
static void system_add_contacts(const ref_system *c, const ref_travel *t) {
    particle p = {.w = t->p->w};
    memcpy(p.dissipated_energy, c->counts[t->p->index].dissipated_energy, sizeof p.dissipated_energy);
    count_contacts(&p, t);
    c->counts[t->p->index].bounces += p.bounces;
    memcpy(c->counts[t->p->index].dissipated_energy, p.dissipated_energy, sizeof p.dissipated_energy);
}

/* Has constraints (unless each drift holds them), colliders and a periodic boundary act after a step that began at old_x, old_v. Returns
 * whether the last two changed a particle. */
static bool system_meet(const ref_system *c) {
    bool hit = false;
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = system_one(c, n);
        real x0[3] = {0, 0, 0}, v0[3] = {0, 0, 0};
        for (int i = 0; i < p.dims; ++i) {
            x0[i] = c->old_x.axis[i][n];
            v0[i] = c->old_v.axis[i][n];
        }
        if (p.w != (real)0.0) {
            if (p.terms & KDR_TERM_HELD_AFTER) {
                hold_drift(&p, x0, c->clock->dt);
            }
            const real x[3] = {p.x[0], p.x[1], p.x[2]}, v[3] = {p.v[0], p.v[1], p.v[2]};
            ref_travel t = {.p = &p};
            if (!c->molecule || c->molecule[n] == 0) {
                t = meet_after(&p, c->step, x0, v0);
            }
            const bool renamed = c->problem->boundary.kind == KDR_BOUNDARY_PERIODIC && wrap(&p), changed = t.hit || renamed;
            hit = hit || changed;
            if (changed) {
                forget_changed(&p, x, v);
            }
            system_add_contacts(c, &t);
            for (int i = 0; i < p.dims; ++i) {
                c->counts[n].images[i] += p.images[i];
            }
            system_put(c, &p);
        }
    }
    return hit;
}

/* Returns whether a periodic boundary, as the only wall, acts before the evaluation at the step's end that the next step begins with. */
static bool system_arrives(const ref_system *c) {
    return kdr_problem_keeps(c->problem) && !(c->rules.terms & (KDR_TERM_COLLIDERS | KDR_TERM_HELD_AFTER));
}

static void system_arrive(const ref_system *c) {
    if (system_arrives(c)) {
        (void)system_meet(c);
    }
}

/* Sets tiny values to 0 after a step that takes the clock of the highest level to a multiple of 128. */
static void system_flush_small(const ref_system *c) {
    if (!c->problem->flushes_small || ((c->step + 1) << system_highest_level(c)) % 128 != 0) {
        return;
    }
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = system_one(c, n);
        if (p.w != (real)0.0) {
            for (int i = 0; i < p.dims; ++i) {
                p.a[i] = c->a.axis[i][n];
            }
            flush_particle(&p);
            system_put(c, &p);
            for (int i = 0; i < p.dims; ++i) {
                c->a.axis[i][n] = p.a[i];
            }
        }
    }
}

#include "system_molecules.inl"

/* Ends a whole step. */
static kdr_status system_end(ref_system *c, uint64_t step) {
    bool met = false;
    const kdr_status status = system_meet_as_molecules(c, &met);
    const bool hit = (!system_arrives(c) && system_meet(c)) || met;
    return status != KDR_OK ? status : hit && c->keeps ? system_accelerations(c, &c->x, &c->v, step, 1.0, &c->a) : KDR_OK;
}

/* Marks the particles inside an absorbing boundary; the others take no part in a step. */
static void system_absorb(const ref_system *c) {
    for (size_t n = 0; c->inside && n < c->particles->count; ++n) {
        const particle p = system_one(c, n);
        c->inside[n] = is_active(c->particles, n) && !is_absorbed(&p);
    }
}

/* Restores the old acceleration of particles that took no part in the step. */
static void system_leave(const ref_system *c) {
    for (size_t n = 0; n < c->particles->count; ++n) {
        for (int i = 0; i < c->rules.dims && inverse_mass_of(c, n) == (real)0.0; ++i) {
            c->a.axis[i][n] = c->old_a.axis[i][n];
        }
    }
}

/* Adds the step's counts to those of the particles. */
static void interaction_count(const ref_system *c) {
    for (size_t n = 0; n < c->particles->count; ++n) {
        particle p = {.index = n, .dims = c->rules.dims};
        take_counts(&p, c->particles);
        p.error = c->counts[n].estimated ? c->counts[n].error : p.error;
        p.bounces += c->counts[n].bounces;
        for (int k = 0; k < 2; ++k) {
            p.dissipated_energy[k] = c->counts[n].dissipated_energy[k];
        }
        for (int i = 0; i < p.dims; ++i) {
            p.images[i] += c->counts[n].images[i];
        }
        give_counts(&p, c->particles);
    }
    memset(c->counts, 0, c->particles->count * sizeof *c->counts);
}
