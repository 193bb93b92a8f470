/* Molecules that meet surfaces, in the order that force/collider.h sets. */

/* The most flights of a molecule in a step: many for small ones, few for large ones, because each flight costs time per particle. */
enum { MOST_FLOWN = 2048, LEAST_FLOWN = 8 };

static flight flight_of_atom(const molecule *m, const atom *p, real time) {
    flight s = {.radius = p->radius, .time = time, .left = m->left, .end = m->end};
    memcpy(s.x0, p->x0, sizeof s.x0);
    memcpy(s.v0, p->v0, sizeof s.v0);
    memcpy(s.x, p->x, sizeof s.x);
    memcpy(s.v, p->v, sizeof s.v);
    set_course(m->D, &s);
    return s;
}

/* Returns the surfaces that a particle of the molecule rests on. */
static support support_of(const molecule *m, uint32_t which) {
    support r = {.count = 0};
    for (const stand *s = m->stands; s < m->stands + m->standing; ++s) {
        if (s->atom == which && r.count < (real)m->D) {
            r.surface[(int)r.count] = s->surface;
            r.face[(int)r.count] = s->face;
            r.count += 1;
        }
    }
    return r;
}

typedef enum outcome { FREE, STANDS, STRIKES } outcome;

/* The search for meetings: of particles that do not rest; of all, which then rest; of all that shall rest. */
typedef enum glance { THROWN, EVERYONE, RESTING } glance;

/* Returns whether the particle rests on a surface: it touches it without approaching, except for rounding, or would meet it at once
 * while leaving. */
static outcome outcome_of(const molecule *m, const flight *s, const meeting *met, real change) {
    const real little = 16 * EPSILON * size_of(m->D, s->v0);
    const bool still = is_within(slow_for(m->D, change, s->v), met->begin) || (-little <= met->begin && met->begin <= little);
    return (met->touches && still) || (!(0 < met->f) && !(met->at < 0)) ? STANDS : STRIKES;
}

/* Finds what the flight meets. Resting particles are noted with their surfaces. Otherwise *which is the particle of the first meeting,
 * and *change is what the flight changes of its velocity along the normal. */
static outcome look(molecule *m, real time, glance at, uint32_t *which, meeting *first, real *change) {
    outcome found = FREE;
    bool stands = false;
    for (uint32_t n = 0; n < m->count; ++n) {
        const atom *const p = &m->atoms[n];
        if (!is_free(p) || !walls_near(m->walls, m->job->wall_count, m->D, true, p->radius, p->x0, p->x, time, m->end)) {
            continue;
        }
        const flight s = flight_of_atom(m, p, time);
        const support r = support_of(m, n);
        meeting met;
        find_first(m->walls, m->job->wall_count, m->D, &s, true, &r, &met);
        const real changes = dot_of(m->D, s.v, met.n) - dot_of(m->D, s.v0, met.n);
        const outcome its = !met.found ? FREE : at == RESTING ? STANDS : outcome_of(m, &s, &met, changes);
        if (its == STANDS && at != THROWN && r.count < (real)m->D && m->standing < m->most) {
            m->stands[m->standing++] = (stand){.atom = n, .surface = met.surface, .face = met.face, .at = met.at < 0 ? met.at : 0};
            stands = true;
        } else if (its == STRIKES && (found == FREE || met.f < first->f || (met.f <= first->f && met.at < first->at))) {
            found = its;
            *first = met;
            *which = n;
            *change = changes;
        }
    }
    return stands ? STANDS : found;
}

/* Moves all particles to where the flight meets the surface, and returns the fraction of the flight. Newton's method finds it, bracketed
 * by fractions before and after it. */
static real fly_together_to(molecule *m, real time, uint32_t which, const meeting *met) {
    const wall *const w = &m->walls[(size_t)met->surface];
    const atom *const p = &m->atoms[which];
    real f = met->f, flown = 0, before = 0, behind = 1, n[3];
    for (int round = 0; round < MOST_TRIES; ++round) {
        if (!(LEAST_FLIGHT < f * m->left)) {
            for (atom *q = m->atoms; q < m->atoms + m->count; ++q) {
                memcpy(q->x, q->x0, sizeof q->x);
                memcpy(q->v, q->v0, sizeof q->v);
            }
            m->standing = 0;
            m->end = m->job->end - (double)(m->h * m->left);
            return 0;
        }
        fly_together(m, f * time);
        flown = f;
        const real gap = gap_of(w, m->D, p->radius, met->face, 0, m->end, p->x, n);
        const real speed = time * (dot_of(m->D, p->v, n) - speed_of_surface(m->D, w, n));
        before = gap < 0 ? before : f;
        behind = gap < 0 ? f : behind;
        const real tried = f - gap / speed, change = f < tried ? tried - f : f - tried;
        if (speed < 0 && !(ROOT_ROOM < change)) {
            break;
        }
        f = speed < 0 && before < tried && tried < behind ? tried : mul_add((real)0.5, behind - before, before);
    }
    return flown;
}

/* Moves all particles to the first meeting. Another particle may be beyond a surface there that its path crosses twice; that meeting is
 * then earlier. Returns the fraction of the flight. */
static real fly_together_to_first(molecule *m, real time, uint32_t *which, meeting *first, real *change) {
    real part = fly_together_to(m, time, *which, first);
    for (int sooner = 0; sooner < MOST_SOONER && 0 < part; ++sooner) {
        uint32_t other = 0;
        meeting met = {.f = 0};
        real its = 0;
        if (look(m, part * time, THROWN, &other, &met, &its) != STRIKES ||
            (other == *which && met.surface == first->surface && met.face == first->face)) {
            break;
        }
        part = part * fly_together_to(m, part * time, other, &met);
        *which = other;
        *first = met;
        *change = its;
    }
    return part;
}

/* Returns the kinetic energy that the molecule has lost in a flight, including what its accelerations have given it. */
static real energy_lost(const molecule *m) {
    real lost = 0;
    for (const atom *p = m->atoms; p < m->atoms + m->count; ++p) {
        real less = 0, more = 0;
        for (int i = 0; i < m->D && is_free(p); ++i) {
            less = mul_add(p->v0[i] - p->v[i], p->v0[i] + p->v[i], less);
            more = mul_add(p->a[i], p->x[i] - p->x0[i], more);
        }
        lost = is_free(p) ? lost + mul_add((real)0.5, less, more) / p->w : lost;
    }
    return lost;
}

/* Returns the energy that moving surfaces give the molecule in a flight by their impulses and friction. */
static real energy_given(const molecule *m) {
    real given = 0;
    for (const stand *s = m->stands; s < m->stands + m->standing; ++s) {
        const wall *const w = wall_of(m, s);
        if (w->moves) {
            const real pressed = s->presses ? s->impulse + s->more : 0, rubbed = s->rubs ? s->force : 0;
            given = given + (pressed * speed_of_surface(m->D, w, s->n) - rubbed * speed_of_surface(m->D, w, s->along));
        }
    }
    return given;
}

/* Adds the energy lost in a flight to what surfaces have taken. If particles land, friction takes its work, and the landings share the
 * rest by the squares of their speeds. If none lands, friction takes all, shared by its work. */
static void count_stands(molecule *m) {
    real squares = 0, rubbed = 0;
    for (const stand *s = m->stands; s < m->stands + m->standing; ++s) {
        rubbed = rubbed + s->rubbed;
        squares = s->pushed ? mul_add(s->at, s->at, squares) : squares;
    }
    const bool lands = 0 < squares;
    if (!lands && !(0 < rubbed)) {
        return;
    }
    const real lost = energy_lost(m) + energy_given(m), rest = lost - rubbed;
    for (const stand *s = m->stands; s < m->stands + m->standing; ++s) {
        real *const taken = m->atoms[s->atom].taken;
        taken[KDR_FRICTION] += lands ? s->rubbed : s->rubbed / rubbed * lost;
        taken[KDR_RESTITUTION] =
            lands && s->pushed ? mul_add(s->at * s->at / squares, rest, taken[KDR_RESTITUTION]) : taken[KDR_RESTITUTION];
    }
}

/* Applies the impulse of a surface that is met: v . n of the particle is reversed, with impulses along the rods. It becomes 0 if forces
 * press harder than that; `change` is what they add in the flight. */
static void strike(molecule *m, uint32_t which, const meeting *met, real change) {
    const wall *const w = &m->walls[(size_t)met->surface];
    atom *const p = &m->atoms[which];
    stand s = {.atom = which, .presses = true, .surface = met->surface};
    (void)gap_of(w, m->D, p->radius, met->face, 0, m->end, p->x, s.n);
    const real away = speed_of_surface(m->D, w, s.n), at = dot_of(m->D, p->v, s.n) - away;
    if (!(at < 0)) {
        return;
    }
    const bool bounces = met->passes || at < w->rests_below * change;
    const real left = at + (bounces ? w->minus_bounce : -1) * at, kept = mul_add(w->minus_friction_normal, left, left);
    join_rods(m);
    const joint *const j = join_surface(m, which, s.n, kept + away);
    solve(m);
    --m->joined;
    const real mass = j->impulse / (kept - at);
    s.impulse = j->impulse;
    p->taken[KDR_RESTITUTION] = mul_add(mass, energy_between(at, left), p->taken[KDR_RESTITUTION]);
    p->taken[KDR_FRICTION] = mul_add(mass, energy_between(left, kept), p->taken[KDR_FRICTION]);
    if (rub_all(m, &s, 1)) {
        count_rubbing(m, &s, 1, false);
    }
    p->taken[KDR_FRICTION] += s.rubbed;
    if (bounces && m->job->particles->bounces) {
        uint32_t *const hits = (uint32_t *)(void *)((char *)(void *)m->job->particles->bounces +
                                                    kdr_offset(&m->job->particles->bounces_layout, sizeof *hits, p->index));
        uint32_t count;
        memcpy(&count, hits, sizeof count);
        ++count;
        memcpy(hits, &count, sizeof count);
    }
    if (bounces && m->job->recorder) {
        kdr_contact bounce = {.particle = p->index, .step = m->job->step, .surface = (size_t)met->surface, .speed = (double)-at};
        for (int i = 0; i < m->D; ++i) {
            bounce.x[i] = (double)p->x[i];
            bounce.impulse[i] = (double)mul_add(-s.force, s.along[i], s.impulse * s.n[i]);
        }
        m->job->note(m->job->recorder, &bounce, (double)(1 - m->left));
    }
}

/* Repeats the step from its beginning: off surfaces that are met fast, along those that particles rest on. */
static void fly_between(molecule *m) {
    join_rods(m);
    solve(m);
    const uint32_t share = MOST_FLOWN / m->count, most = share < LEAST_FLOWN ? LEAST_FLOWN : share;
    while (LEAST_FLIGHT < m->left) {
        for (atom *p = m->atoms; p < m->atoms + m->count; ++p) {
            memcpy(p->x0, p->x, sizeof p->x);
            memcpy(p->v0, p->v, sizeof p->v);
        }
        const real time = m->h * m->left;
        uint32_t which = 0;
        real change = 0;
        meeting first = {.f = 0};
        outcome found = STANDS;
        const glance at = m->flown < most ? EVERYONE : RESTING;
        m->standing = 0;
        for (int looks = 0; looks < MOST_LOOKS && found == STANDS; ++looks) {
            fly_together(m, time);
            found = look(m, time, at, &which, &first, &change);
        }
        const bool ends = found != STRIKES;
        const real f = ends ? 1 : fly_together_to_first(m, time, &which, &first, &change);
        count_stands(m);
        m->left = (1 - f) * m->left;
        if (!ends) {
            strike(m, which, &first, change);
        }
    }
}

INLINE real number_at(const void *array, size_t index) { return v_load((const char *)array + index * sizeof(real)); }

/* Returns the inverse mass of a particle, 0 if it is inactive. */
static real mass_at(const kdr_particles *view, size_t index) {
    const bool moves = !view->active || view->active[kdr_offset(&view->active_layout, 1, index)];
    const char *const masses = view->inverse_mass;
    return !moves ? 0 : masses ? v_load(masses + kdr_offset(&view->inverse_mass_layout, sizeof(real), index)) : 1;
}

/* Sets up the molecule in scratch memory, at the beginning of its step. */
static molecule molecule_of(const kdr_molecule_job *job, size_t which, void *scratch) {
    const kdr_molecules *const all = job->molecules;
    const kdr_particles *const view = job->particles;
    const size_t first = all->first[which], rod = all->first_rod[which];
    molecule m = {.job = job, .walls = job->walls, .a = all->a + rod, .b = all->b + rod, .length = all->length + rod, .D = view->dims};
    m.count = (uint32_t)(all->first[which + 1] - first);
    m.rods = (uint32_t)(all->first_rod[which + 1] - rod);
    m.most = KDR_ATOM_STANDS * m.count;
    m.h = (real)job->dt;
    m.end = job->end;
    m.left = 1;
    m.atoms = scratch;
    m.joints = (joint *)(void *)(m.atoms + m.count);
    m.stands = (stand *)(void *)(m.joints + m.rods + 2 * m.most + 1);
    for (uint32_t n = 0; n < m.count; ++n) {
        atom *const p = &m.atoms[n];
        const size_t index = all->particle[first + n];
        *p = (atom){.index = (uint32_t)index};
        p->w = mass_at(view, index);
        p->radius = view->radius ? v_load((const char *)view->radius + kdr_offset(&view->radius_layout, sizeof(real), index)) : 0;
        for (int i = 0; i < m.D; ++i) {
            p->x0[i] = number_at(job->x0[i], index);
            p->v0[i] = number_at(job->v0[i], index);
            p->x[i] = number_at(view->x[i], index);
            p->v[i] = number_at(view->v[i], index);
            p->a[i] = number_at(job->gained[i], index) / m.h;
        }
    }
    return m;
}

/* Stores the molecule's particles in the view. */
static void give_molecule(const molecule *m) {
    const kdr_particles *const view = m->job->particles;
    for (atom *p = m->atoms; p < m->atoms + m->count; ++p) {
        if (!is_free(p)) {
            continue;
        }
        for (size_t i = 0; i < m->job->wall_count; ++i) {
            if (m->walls[i].moves) {
                keep_at_moving(&m->walls[i], m->D, p->radius, m->job->end, p->x);
            } else {
                keep_at_wall(&m->walls[i], m->D, p->radius, p->x);
            }
        }
        for (int i = 0; i < m->D; ++i) {
            v_store((char *)view->x[i] + p->index * sizeof(real), p->x[i]);
            v_store((char *)view->v[i] + p->index * sizeof(real), p->v[i]);
        }
        for (int k = 0; k < 2; ++k) {
            if (view->dissipated_energy[k] && p->taken[k] != 0) {
                char *const there =
                    (char *)(void *)view->dissipated_energy[k] + kdr_offset(&view->dissipated_energy_layout, sizeof(double), p->index);
                double sum;
                memcpy(&sum, there, sizeof sum);
                sum += (double)p->taken[k];
                memcpy(there, &sum, sizeof sum);
            }
        }
    }
}

_Static_assert(sizeof(atom) <= KDR_ATOM_BYTES && sizeof(joint) <= KDR_JOINT_BYTES && sizeof(stand) <= KDR_STAND_BYTES,
               "a molecule fits its scratch memory");

/* Has a molecule meet surfaces in a step. Returns whether any particle met one; if not, nothing changes. */
static bool meet_as_molecule(const kdr_molecule_job *job, size_t which, void *scratch) {
    molecule m = molecule_of(job, which, scratch);
    bool meets = false;
    for (const atom *p = m.atoms; p < m.atoms + m.count && !meets; ++p) {
        if (is_free(p) && walls_near(m.walls, job->wall_count, m.D, true, p->radius, p->x0, p->x, m.h, m.end)) {
            const flight s = flight_of_atom(&m, p, m.h);
            const support none = {.count = 0};
            meeting met;
            find_first(m.walls, job->wall_count, m.D, &s, true, &none, &met);
            meets = met.found;
        }
    }
    if (meets) {
        for (atom *p = m.atoms; p < m.atoms + m.count; ++p) {
            memcpy(p->x, p->x0, sizeof p->x);
            memcpy(p->v, p->v0, sizeof p->v);
        }
        fly_between(&m);
        give_molecule(&m);
    }
    return meets;
}
