/* Molecules that meet surfaces, in the order that force/collider.h sets. */

static ref_flight flight_of_member(const ref_molecule *m, size_t n, real time) {
    const ref_system *const c = m->c;
    ref_flight s = {.radius = radius_of(c, n), .time = time, .left = m->left, .end = m->end};
    vector_of(c, &c->before, n, s.x0);
    vector_of(c, &c->vs, n, s.v0);
    vector_of(c, &c->x, n, s.x);
    vector_of(c, &c->v, n, s.v);
    set_course(&c->rules, &s);
    return s;
}

/* The first meeting of the particles of a molecule. */
typedef struct encounter {
    bool is_any;
    size_t particle;
    ref_meeting met;
    wall w;
    real change; /* change of the velocity along the normal in the flight */
} encounter;

/* Returns whether a particle rests on a surface: it touches it without approaching, except for rounding, or would meet it at once while
 * leaving. */
static bool is_resting(const particle *p, const ref_flight *s, const ref_meeting *met) {
    const real little = 16 * EPSILON * size_of(p->dims, s->v0);
    const bool still = lies_still(p, s, met) || (met->touches && -little <= met->begin && met->begin <= little);
    return still || (!(0 < met->f) && !(met->at < 0));
}

/* The search for meetings: of particles that do not rest; of all, which then rest; of all that shall rest. */
typedef enum ref_glance { THROWN, EVERYONE, RESTING } ref_glance;

/* Finds the meetings of all particles' flights. Resting particles are noted with their surfaces; returns whether there are any. *first
 * is the first meeting of the others. */
static bool look_at_flights(ref_molecule *m, real time, ref_glance at, encounter *first) {
    const particle *const p = &m->c->rules;
    bool stands = false;
    first->is_any = false;
    EACH_MEMBER(m, n) {
        const ref_flight s = flight_of_member(m, n, time);
        ref_support r = {.count = 0};
        encounter e = {.is_any = true, .particle = n};
        for (const ref_stand *on = m->stands; on < m->stands + m->standing; ++on) {
            if (on->particle == n && r.count < p->dims) {
                r.on[r.count++] = on->met;
            }
        }
        if (inverse_mass_of(m->c, n) == 0 || !find_first(p, &s, &r, &e.met)) {
            continue;
        }
        const ref_meeting *const met = &e.met;
        wall_for(p, met->surface, s.radius, &e.w);
        e.change = dot(p, s.v, met->n) - dot(p, s.v0, met->n);
        if (at == RESTING || is_resting(p, &s, met)) {
            if (at != THROWN && r.count < p->dims && m->standing < MOST_STANDS * m->members) {
                m->stands[m->standing++] = (ref_stand){.particle = n, .met = *met, .w = e.w, .at = met->at < 0 ? met->at : 0};
                stands = true;
            }
        } else if (!first->is_any || met->f < first->met.f || (met->f <= first->met.f && met->at < first->met.at)) {
            *first = e;
        }
    }
    return stands;
}

/* Moves all particles to where the flight meets the surface, and returns the fraction of the flight. Newton's method finds it, bracketed
 * by fractions before and after it. */
static real fly_molecule_to(ref_molecule *m, real time, const encounter *e) {
    const ref_system *const c = m->c;
    real f = e->met.f, flown = 0, before = 0, behind = 1;
    for (int round = 0; round < MOST_TRIES; ++round) {
        if (!(LEAST_FLIGHT < f * m->left)) {
            copy_members(m, &c->before, &c->x);
            copy_members(m, &c->vs, &c->v);
            m->standing = 0;
            m->end = end_of_step(c) - (double)((real)c->clock->dt * m->left);
            return 0;
        }
        real x[3], v[3], n[3];
        fly_molecule(m, f * time);
        flown = f;
        vector_of(c, &c->x, e->particle, x);
        vector_of(c, &c->v, e->particle, v);
        const real gap = gap_of(&c->rules, &e->w, e->met.face, 0, m->end, x, n);
        const real speed = time * (dot(&c->rules, v, n) - speed_of_surface(&c->rules, &e->w, n));
        *(gap < 0 ? &behind : &before) = f;
        const real tried = f - gap / speed, change = f < tried ? tried - f : f - tried;
        if (speed < 0 && !(ROOT_ROOM < change)) {
            break;
        }
        f = speed < 0 && before < tried && tried < behind ? tried : mul_add(&c->rules, (real)0.5, behind - before, before);
    }
    return flown;
}

/* Moves all particles to the first meeting. Another particle may be beyond a surface there that its path crosses twice; that meeting is
 * then earlier. Returns the fraction of the flight. */
static real fly_molecule_to_first(ref_molecule *m, real time, encounter *first) {
    real part = fly_molecule_to(m, time, first);
    for (int sooner = 0; sooner < MOST_SOONER && 0 < part; ++sooner) {
        encounter e;
        (void)look_at_flights(m, part * time, THROWN, &e);
        if (!e.is_any || (e.particle == first->particle && e.met.surface == first->met.surface && e.met.face == first->met.face)) {
            break;
        }
        part = part * fly_molecule_to(m, part * time, &e);
        *first = e;
    }
    return part;
}

/* Returns the kinetic energy that the molecule has lost in a flight, including what its accelerations have given it. */
static real energy_lost(const ref_molecule *m) {
    const ref_system *const c = m->c;
    real lost = 0;
    EACH_MEMBER(m, n) {
        const real w = inverse_mass_of(c, n);
        real less = 0, more = 0;
        for (int i = 0; i < c->rules.dims; ++i) {
            const real x0 = c->before.axis[i][n], v0 = c->vs.axis[i][n], x = c->x.axis[i][n], v = c->v.axis[i][n];
            less = mul_add(&c->rules, v0 - v, v0 + v, less);
            more = mul_add(&c->rules, c->mean.axis[i][n], x - x0, more);
        }
        if (w != 0) {
            lost = lost + mul_add(&c->rules, (real)0.5, less, more) / w;
        }
    }
    return lost;
}

/* Returns the energy that moving surfaces give the molecule in a flight by their impulses and friction. */
static real energy_given(const ref_molecule *m) {
    const particle *const p = &m->c->rules;
    real given = 0;
    for (const ref_stand *s = m->stands; s < m->stands + m->standing; ++s) {
        if (s->w.moves) {
            const real pressed = s->presses ? s->impulse + s->more : 0, rubbed = s->rubs ? s->force : 0;
            given = given + (pressed * speed_of_surface(p, &s->w, s->n) - rubbed * speed_of_surface(p, &s->w, s->along));
        }
    }
    return given;
}

/* Adds the energy lost in a flight to what surfaces have taken. If particles land, friction takes its work, and the landings share the
 * rest by the squares of their speeds. If none lands, friction takes all, shared by its work. */
static void count_stands(const ref_molecule *m) {
    const particle *const p = &m->c->rules;
    real squares = 0, rubbed = 0;
    for (const ref_stand *s = m->stands; s < m->stands + m->standing; ++s) {
        rubbed = rubbed + s->rubbed;
        squares = s->pushed ? mul_add(p, s->at, s->at, squares) : squares;
    }
    const real lost = 0 < squares || 0 < rubbed ? energy_lost(m) + energy_given(m) : 0;
    for (const ref_stand *s = m->stands; s < m->stands + m->standing; ++s) {
        real *const taken = m->taken[s->particle];
        if (0 < squares) {
            taken[KDR_FRICTION] += s->rubbed;
            taken[KDR_RESTITUTION] =
                s->pushed ? mul_add(p, s->at * s->at / squares, lost - rubbed, taken[KDR_RESTITUTION]) : taken[KDR_RESTITUTION];
        } else if (0 < rubbed) {
            taken[KDR_FRICTION] += s->rubbed / rubbed * lost;
        }
    }
}

/* Applies the impulse of a surface that a particle meets: its velocity along the normal is reversed, with impulses along the rods. It
 * becomes 0 if forces press harder than that in the flight. */
static void strike_molecule(ref_molecule *m, const encounter *e) {
    const ref_system *const c = m->c;
    const particle *const p = &c->rules;
    const wall *const w = &e->w;
    const size_t which = e->particle;
    ref_stand s = {.particle = which, .w = *w, .presses = true};
    real x[3], v[3], *const taken = m->taken[which];
    vector_of(c, &c->x, which, x);
    (void)gap_of(p, w, e->met.face, 0, m->end, x, s.n);
    vector_of(c, &c->v, which, v);
    const real away = speed_of_surface(p, w, s.n), at = dot(p, v, s.n) - away;
    const bool bounces = e->met.passes || at < w->rests_below * e->change;
    const real left = at + (bounces ? w->minus_bounce : -1) * at, kept = mul_add(p, w->minus_friction_normal, left, left);
    if (!(at < 0)) {
        return;
    }
    join_rods(m);
    join_surface(m, which, s.n, kept + away);
    solve_joints(m);
    --m->joined;
    s.impulse = m->joints[m->joined].impulse;
    const real mass = s.impulse / (kept - at);
    taken[KDR_RESTITUTION] = mul_add(p, mass, energy_between(at, left), taken[KDR_RESTITUTION]);
    taken[KDR_FRICTION] = mul_add(p, mass, energy_between(left, kept), taken[KDR_FRICTION]);
    if (rub_all(m, &s, 1)) {
        count_rubbing(m, &c->sum, &s, 1);
    }
    taken[KDR_FRICTION] += s.rubbed;
    if (bounces) {
        particle one = system_one(c, which);
        const ref_travel t = {.p = &one, .step = c->step, .begin = 0.0, .span = 1.0};
        real pulse[3] = {0};
        const real before[3] = {0};
        one.w = 1; /* the record needs the impulse, not the change of velocity */
        for (int i = 0; i < p->dims; ++i) {
            pulse[i] = mul_add(p, -s.force, s.along[i], s.impulse * s.n[i]);
        }
        note_bounce(&t, e->met.surface, 1 - m->left, 0 - at, x, before, pulse);
        ++c->counts[which].bounces;
    }
}

/* Returns the most flights of all particles in a step, before its rest is the last flight. Large molecules have fewer, because each
 * flight costs time per particle. */
static size_t most_flown(size_t members) {
    const size_t share = 2048 / members;
    return share < 8 ? 8 : share;
}

/* Makes the step from its beginning: off surfaces that are met fast, along those that particles rest on. */
static void fly_between(ref_molecule *m) {
    const ref_system *const c = m->c;
    join_rods(m);
    solve_joints(m);
    const size_t most = most_flown(m->members);
    while (LEAST_FLIGHT < m->left) {
        const real time = (real)c->clock->dt * m->left;
        encounter first = {.is_any = false};
        copy_members(m, &c->x, &c->before);
        copy_members(m, &c->v, &c->vs);
        const ref_glance at = m->flown < most ? EVERYONE : RESTING;
        m->standing = 0;
        bool stands = true;
        for (int looks = 0; looks < MOST_LOOKS && stands; ++looks) {
            fly_molecule(m, time);
            stands = look_at_flights(m, time, at, &first);
        }
        if (stands || !first.is_any) {
            count_stands(m);
            m->left = 0;
        } else {
            const real f = fly_molecule_to_first(m, time, &first);
            count_stands(m);
            m->left = (1 - f) * m->left;
            strike_molecule(m, &first);
        }
    }
}

/* Makes one molecule's step. Returns whether it meets anything. */
static bool meet_as_molecule(ref_molecule *m) {
    const ref_system *const c = m->c;
    const ref_support none = {.count = 0};
    bool meets = false;
    copy_members(m, &c->old_x, &c->before);
    copy_members(m, &c->old_v, &c->vs);
    m->end = end_of_step(c);
    EACH_MEMBER(m, n) {
        const ref_flight s = flight_of_member(m, n, (real)c->clock->dt);
        ref_meeting met;
        meets = meets || (inverse_mass_of(c, n) != 0 && find_first(&c->rules, &s, &none, &met));
    }
    if (!meets) {
        return false;
    }
    EACH_MEMBER(m, n) {
        for (int i = 0; i < c->rules.dims; ++i) {
            c->mean.axis[i][n] = c->gained.axis[i][n] / (real)c->clock->dt;
        }
    }
    copy_members(m, &c->before, &c->x);
    copy_members(m, &c->vs, &c->v);
    fly_between(m);
    EACH_MEMBER(m, n) {
        const bool moves = inverse_mass_of(c, n) != 0;
        real x[3], v[3];
        vector_of(c, moves ? &c->x : &c->old_x, n, x);
        vector_of(c, moves ? &c->v : &c->old_v, n, v);
        if (moves) {
            keep_at_walls(&c->rules, radius_of(c, n), end_of_step(c), x);
        }
        set_vector(c, &c->x, n, x);
        set_vector(c, &c->v, n, v);
        for (int k = 0; k < 2; ++k) {
            c->counts[n].dissipated_energy[k] += (double)m->taken[n][k];
        }
    }
    return true;
}

/* Collects all rods and particles of the molecule whose first particle is `first`. */
static void gather_molecule(const ref_system *c, size_t first, size_t *member, kdr_distance *rods, ref_molecule *m) {
    m->members = m->rods.count = 0;
    for (size_t n = 0; n < c->particles->count; ++n) {
        if (c->molecule[n] == first + 1) {
            member[m->members++] = n;
        }
    }
    for (size_t k = 0; k < c->desc->distance_count; ++k) {
        const kdr_distance *const rod = &c->desc->distances[c->order[k]];
        if (c->molecule[rod->a] == first + 1) {
            rods[m->rods.count++] = *rod;
        }
    }
    m->member = member;
    m->rods.distances = rods;
    m->left = 1;
    m->flown = 0;
}

/* Has all molecules meet surfaces at the end of a step. Sets *hit if some did. */
static kdr_status system_meet_as_molecules(const ref_system *c, bool *hit) {
    const size_t count = c->particles->count, rods = c->desc->distance_count, most = MOST_STANDS * count;
    if (!c->molecule) {
        return KDR_OK;
    }
    ref_molecule m = {.c = c, .rods = kdr_system_distance_constraints_desc(c->desc)};
    size_t *const member = malloc((count + 1) * sizeof *member);
    kdr_distance *const list = malloc((rods + 1) * sizeof *list);
    m.joints = malloc((rods + 2 * most + 1) * sizeof *m.joints);
    m.stands = malloc((most + 1) * sizeof *m.stands);
    m.taken = calloc(count + 1, sizeof *m.taken);
    const bool has = member && list && m.joints && m.stands && m.taken;
    m.rods.tolerance = kdr_distance_constraints_tolerance(&m.rods);
    for (size_t n = 0; n < count && has; ++n) {
        if (c->molecule[n] == n + 1) {
            gather_molecule(c, n, member, list, &m);
            *hit = meet_as_molecule(&m) || *hit;
        }
    }
    free(member);
    free(list);
    free(m.joints);
    free(m.stands);
    free(m.taken);
    KDR_CHECK(has, c->error, KDR_ERROR_NO_MEMORY, "reference: no memory for molecules of %zu particles", count);
    return KDR_OK;
}
