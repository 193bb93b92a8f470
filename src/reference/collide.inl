/* Colliders and the boundary, for a particle after a drift or a step, in the order that force/collider.h sets. */

enum { MOST_FLIGHTS = 64, MOST_RESTS = 8 }; /* flights of a step, after the first; surfaces that are examined in a flight */

static void keep_before_plane(const particle *p, const wall *w, real x[3]) {
    for (int time = 0; time < 2; ++time) {
        const real gap = plane_gap(p, w, x);
        for (int i = 0; i < p->dims && gap < 0; ++i) {
            x[i] = mul_add(p, -gap, w->normal[i], x[i]);
        }
    }
}

static void keep_in_box(const particle *p, const wall *w, real x[3]) {
    for (int i = 0; i < p->dims; ++i) {
        x[i] = x[i] < w->low[i] ? w->low[i] : x[i];
        x[i] = w->high[i] < x[i] ? w->high[i] : x[i];
    }
}

static void keep_out_of_box(const particle *p, const wall *w, real x[3]) {
    if (0 < w->radius) {
        real n[3], on[3] = {0};
        if (rounded_gap(p, w, x, n, on, NULL) < 0) {
            memcpy(x, on, sizeof on);
        }
        return;
    }
    for (int i = 0; i < p->dims; ++i) {
        if (!(w->low[i] < x[i] && x[i] < w->high[i])) {
            return;
        }
    }
    real side = 0;
    const int axis = nearest_face(p, w, x, &side);
    x[axis] = side < 0 ? w->low[axis] : w->high[axis];
}

static void keep_at_sphere(const particle *p, const wall *w, real x[3]) {
    real r[3];
    const real excess = sphere_excess(p, w, x, r), square = dot(p, r, r);
    const bool out = w->inside ? 0 < excess : excess < 0;
    const real scale = w->radius / square_root(square);
    for (int i = 0; i < p->dims && out && 0 < square; ++i) {
        x[i] = mul_add(p, scale, r[i], w->at[i]);
    }
}

/* Moves x to the nearest place in front of the surface, if another surface carried it beyond this one. */
static void keep_at_wall(const particle *p, const wall *w, real x[3]) {
    if (w->kind == KDR_COLLIDER_PLANE) {
        keep_before_plane(p, w, x);
    } else if (w->kind == KDR_COLLIDER_SPHERE) {
        keep_at_sphere(p, w, x);
    } else if (w->kind == KDR_COLLIDER_BOX && w->inside) {
        keep_in_box(p, w, x);
    } else if (w->kind == KDR_COLLIDER_BOX) {
        keep_out_of_box(p, w, x);
    }
}

/* Puts back a place that one surface carried out of another. `end` is the time, for surfaces that move. */
static void keep_at_walls(const particle *p, real radius, double end, real x[3]) {
    for (size_t i = 0; i < p->problem->collider_count; ++i) {
        real seen[3] = {0}, kept[3];
        wall w;
        wall_for(p, i, radius, &w);
        see(p, &w, end, 0, x, seen);
        memcpy(kept, seen, sizeof kept);
        keep_at_wall(p, &w, kept);
        for (int k = 0; k < p->dims; ++k) {
            const real base = (real)(w.velocity[k] * (end - w.since));
            x[k] = !w.moves ? kept[k] : kept[k] == seen[k] ? x[k] : kept[k] + base;
        }
    }
}

static bool is_at_rest(const particle *p, const real v[3]) {
    bool rests = true;
    for (int i = 0; i < p->dims; ++i) {
        rests = rests && v[i] == 0;
    }
    return rests;
}

static bool is_same_place(const particle *p, const real x[3], const real y[3]) {
    bool same = true;
    for (int i = 0; i < p->dims; ++i) {
        same = same && x[i] == y[i];
    }
    return same;
}

/* Computes the velocity v of a particle that rests on surfaces and lands on one more: the part along all of them. */
static void land_between(ref_travel *t, ref_support *r, real v[3]) {
    const particle *const p = t->p;
    real demand[3] = {0}, add[3], lost[3] = {0}, sum[3] = {0}, u[3] = {0};
    const bool moves = kdr_problem_walls_move(p->problem);
    if (moves) {
        carry_along(p, r, u);
    }
    for (int i = 0; i < p->dims && moves; ++i) {
        v[i] = v[i] - u[i];
    }
    for (int k = 0; k < r->count; ++k) {
        demand[k] = 0 - dot(p, v, r->on[k].n);
    }
    (void)nearest_in_cone(p, r, demand, add);
    for (int i = 0; i < p->dims; ++i) {
        const real before = v[i];
        for (int k = 0; k < r->count; ++k) {
            v[i] = mul_add(p, add[k], r->on[k].n[i], v[i]);
        }
        lost[i] = before - v[i];
        sum[i] = before + v[i];
        v[i] = moves ? v[i] + u[i] : v[i];
    }
    t->taken[KDR_RESTITUTION] += (real)0.5 * dot(p, lost, sum);
}

/* Drops the surfaces that do not hold the particle. */
static void forget_others(ref_support *r, unsigned marks) {
    int kept = 0;
    for (int k = 0; k < r->count; ++k) {
        if (marks >> k & 1) {
            r->on[kept] = r->on[k];
            r->gap[kept] = r->gap[k];
            memcpy(r->from[kept], r->from[k], sizeof *r->from);
            r->deep[kept] = r->deep[k];
            r->walls[kept++] = r->walls[k];
        }
    }
    r->count = kept;
}

/* Adds a surface that is met to the support, with its normal at the end of the flight. */
static void rest_on(ref_travel *t, const ref_flight *s, const ref_meeting *m, ref_support *r) {
    ref_meeting *const on = &r->on[r->count];
    int held;
    *on = *m;
    r->gap[r->count] = gap_of(t->p, &r->walls[r->count], m->face, 0, s->end, s->x, on->n);
    on->share = free_normal(t->p, s->x, s, on->n, &r->held);
    memset(r->from[r->count], 0, sizeof *r->from);
    r->deep[r->count] = INFINITY; /* flat surfaces: no impulse lifts the particle */
    if (!s->drifts && ((r->walls[r->count].kind != KDR_COLLIDER_PLANE && m->face == 0) || t->p->problem->constraint_count > 0)) {
        const real gap0 = gap_of(t->p, &r->walls[r->count], m->face, s->time, s->end, s->x0, r->from[r->count]);
        const real share = free_normal(t->p, s->x0, s, r->from[r->count], &held);
        r->deep[r->count] = 0 < share && gap0 < 0 ? (0 - gap0) / share : 0;
    }
    const real at = !s->drifts && 0 < on->share && m->at < 0 ? m->at / on->share : 0;
    t->taken[KDR_RESTITUTION] += energy_between(at, 0);
    ++r->count;
}

/* Computes the flight `free` as the surfaces under the particle permit it. An impulse that lifts it along a curve acts at the beginning
 * of the flight, as in SHAKE. A drift keeps the velocity, because nothing presses. */
static void hold_on_surfaces(const particle *p, const ref_flight *free, ref_support *r, ref_flight *path) {
    const bool moves = kdr_problem_walls_move(p->problem);
    ref_flight along = *free;
    const ref_flight *const s = &along;
    real u[3] = {0};
    if (moves) {
        carry_along(p, r, u);
        go_along(p, u, &along, r->f, r->met);
    }
    real pull[3] = {0}, demand[3] = {0}, push[3] = {0}, lift[3], begin[3] = {0}, turned[3] = {0};
    for (int k = 0; k < r->count; ++k) {
        demand[k] = 0 < r->on[k].share ? (0 - r->gap[k]) / r->on[k].share : 0;
        pull[k] = 0 - dot(p, s->v, r->on[k].n);
    }
    const unsigned pushed = s->drifts ? 0 : nearest_in_cone(p, r, pull, push), lifted = nearest_in_cone(p, r, demand, lift);
    along_surfaces(p, r, pushed, s->v0, begin);
    along_surfaces(p, r, s->drifts ? 0 : pushed | lifted, s->v0, path->v0);
    for (int i = 0; i < p->dims; ++i) {
        path->x0[i] = s->x0[i];
        path->x[i] = s->x[i];
        turned[i] = s->v[i];
        for (int k = 0; k < r->count; ++k) {
            path->x[i] = mul_add(p, lift[k], r->on[k].n[i], path->x[i]);
            const bool kicks = (pushed >> k & 1) && r->deep[k] < lift[k]; /* else it may be a rounding over next to no time */
            turned[i] = kicks ? mul_add(p, (lift[k] - r->deep[k]) / s->time, r->from[k][i], turned[i]) : turned[i];
        }
    }
    along_surfaces(p, r, pushed, turned, path->v);
    const int marks = (int)(pushed & 1) + (int)(pushed >> 1 & 1) + (int)(pushed >> 2);
    if (marks + r->held >= p->dims && is_at_rest(p, s->v0)) {
        memcpy(path->x, s->x0, sizeof path->x);
    }
    path->time = s->time;
    path->left = s->left;
    path->drifts = s->drifts;
    r->taken = 0;
    memset(r->lost, 0, sizeof r->lost);
    rub(p, r, pushed, push, begin, path);
    if (!is_same_place(p, path->x, s->x0)) {
        put_on_all(p, r, pushed | lifted, pushed, s, path->x, path->v);
    }
    if (moves) {
        const real back[3] = {0 - u[0], 0 - u[1], 0 - u[2]};
        go_along(p, back, path, r->f, r->met);
    }
    set_course(p, path);
    forget_others(r, pushed | lifted);
}

/* Makes steps of the method from x, v: from fraction `begin` of step n on, for the fraction `length`. */
static void fly(const particle *of, uint64_t n, double begin, double length, real x[3], real v[3]);

/* Returns whether the path of a flight is a parabola, because forces are constant or only the whole step is known. */
static bool is_parabola(const particle *p) { return p->others ? !p->flies : !kdr_problem_flies(p->problem); }

/* Finds the mean acceleration by the other particles in the step: the velocity at the end, minus the one that the method alone would
 * give, divided by the length. */
static void find_pull(const ref_travel *t) {
    particle *const p = t->p;
    real x[3], v[3];
    if (!p->others || p->pulled) {
        return;
    }
    memcpy(x, t->x0, sizeof x);
    memcpy(v, t->v0, sizeof v);
    fly(p, t->step, 0, 1, x, v);
    for (int i = 0; i < p->dims; ++i) {
        p->pull[i] = (p->v[i] - v[i]) / t->time;
    }
    p->pulled = true;
}

/* Moves x, v from s->x0, s->v0 along the method's path to the surface. Returns the fraction of the flight. */
static real fly_to(const ref_travel *t, const ref_flight *s, const ref_meeting *m, const wall *w, real x[3], real v[3]) {
    const particle *const p = t->p;
    real f = m->f, n[3];
    for (int round = 0; round < 6; ++round) {
        memcpy(x, s->x0, 3 * sizeof *x);
        memcpy(v, s->v0, 3 * sizeof *v);
        fly(p, t->step, 1 - (double)s->left, (double)(f * s->left), x, v);
        real seen[3] = {0};
        for (int i = 0; i < p->dims; ++i) {
            seen[i] = v[i] - (real)w->velocity[i];
        }
        const real gap = gap_of(p, w, m->face, (1 - f) * s->time, s->end, x, n), speed = s->time * dot(p, seen, n);
        const real next = clamp_to_one(f - gap / speed);
        const real change = f < next ? next - f : f - next;
        if (!(speed < 0) || !(ROOT_ROOM < change)) {
            break;
        }
        f = next;
    }
    return f;
}

/* Continues the flight at x, v, after its fraction f. */
static void go_on(const ref_travel *t, real f, const real x[3], const real v[3], ref_flight *s) {
    const particle *const p = t->p;
    const real after = 1 - f;
    memcpy(s->x0, x, sizeof s->x);
    memcpy(s->v0, v, sizeof s->v);
    s->left = after * s->left;
    s->time = t->time * s->left;
    for (int i = 0; i < p->dims; ++i) {
        s->bend[i] = (after * after) * s->bend[i];
        s->turn[i] = after * s->turn[i];
        s->x[i] = place_at(p, s, i, 1);
        s->v[i] = velocity_at(p, s, i, 1);
    }
    if (!is_parabola(p) && 0 < s->left) {
        memcpy(s->x, x, sizeof s->x);
        memcpy(s->v, v, sizeof s->v);
        fly(p, t->step, 1 - (double)s->left, (double)s->left, s->x, s->v);
        set_course(p, s);
    }
}

/* Counts the work of friction up to fraction f of a flight, where it ends. */
static void count_way(ref_travel *t, real f, const ref_flight *s, const ref_support *r, real way[3]) {
    const particle *const p = t->p;
    real u[3] = {0};
    if (f <= 0 || r->taken <= 0) {
        return;
    }
    if (kdr_problem_walls_move(p->problem)) {
        carry_along(p, r, u);
        for (int i = 0; i < p->dims; ++i) {
            way[i] = mul_add(p, 0 - f * s->time, u[i], way[i]);
        }
    }
    const real work = dot(p, r->lost, way) / s->time;
    t->taken[KDR_FRICTION] += 0 < work ? work : 0;
}

/* Reflects v as `reflect` does, off a surface that may move. Returns the speed into the surface. */
static real reflect_off(ref_travel *t, const wall *w, real minus_bounce, const real n[3], real share, real v[3]) {
    const particle *const p = t->p;
    for (int i = 0; i < p->dims && w->moves; ++i) {
        v[i] = v[i] - (real)w->velocity[i];
    }
    const real speed = 0 - dot(p, v, n);
    reflect(t, w, minus_bounce, n, share, v);
    for (int i = 0; i < p->dims && w->moves; ++i) {
        v[i] = v[i] + (real)w->velocity[i];
    }
    return speed;
}

/* Ends a flight by a bounce or a landing, and begins the next one. */
static void take_off(ref_travel *t, const ref_flight *path, const ref_meeting *m, touch kind, ref_support *r, ref_flight *s) {
    const particle *const p = t->p;
    real x[3] = {0}, v[3] = {0}, before[3] = {0}, way[3] = {0}, speed = 0;
    wall w;
    int held;
    wall_for(p, m->surface, s->radius, &w);
    real f = m->f;
    if (!is_parabola(p)) {
        find_pull(t);
    }
    if (r->count == 0 && !is_parabola(p) && 0 < f) {
        f = fly_to(t, s, m, &w, x, v);
    } else {
        for (int i = 0; i < p->dims; ++i) {
            x[i] = place_at(p, path, i, f);
            v[i] = velocity_at(p, path, i, f);
            way[i] = x[i] - s->x0[i];
        }
        count_way(t, f, s, r, way);
    }
    real n[3] = {0};
    put_on_it(p, &w, m->face, (1 - f) * s->time, s->end, x, n);
    put_on_all(p, &(ref_support){.on = {*m}, .walls = {w}, .count = 1}, 1, 0, NULL, x, v);
    memcpy(before, v, sizeof before);
    if (kind == LANDS && r->count > 0) {
        r->on[r->count] = *m;
        r->walls[r->count] = w;
        (void)free_normal(p, x, s, r->on[r->count++].n, &held);
        land_between(t, r, v);
    } else {
        if (p->problem->constraint_count > 0) {
            (void)gap_at(p, &w, m->face, x, n);
        }
        const real share = free_normal(p, x, NULL, n, &held);
        speed = reflect_off(t, &w, kind == LANDS ? -1 : w.minus_bounce, n, share, v);
    }
    if (kind == BOUNCES) {
        note_bounce(t, m->surface, mul_add(p, f, s->left, 1 - s->left), speed, x, before, v);
        ++t->bounces;
    }
    go_on(t, f, x, v, s);
}

/* Takes the particle from surface to surface, in order of time: off those that it meets fast, along those that it rests on. */
static void collide(ref_travel *t) {
    particle *const p = t->p;
    ref_flight s = {.radius = p->radius, .time = t->time, .left = 1, .drifts = t->drifts, .end = t->end};
    memcpy(s.x0, t->x0, sizeof s.x0);
    memcpy(s.v0, t->v0, sizeof s.v0);
    memcpy(s.x, p->x, sizeof s.x);
    memcpy(s.v, p->v, sizeof s.v);
    set_course(p, &s);
    for (int flights = 0; flights <= MOST_FLIGHTS && 0 < s.left; ++flights) {
        ref_flight path = s;
        ref_support r = {.count = 0};
        ref_meeting m;
        touch kind = HELD;
        for (int rests = 0; rests < MOST_RESTS && r.count < p->dims && kind == HELD && find_first(p, &path, &r, &m); ++rests) {
            wall *const w = &r.walls[r.count];
            wall_for(p, m.surface, s.radius, w);
            t->hit = true;
            kind = touch_of(p, &path, w, &m);
            if (kind == HELD) {
                m.f = lies_still(p, &path, &m) ? 0 : m.f;
                r.f = m.f;
                for (int i = 0; i < p->dims; ++i) {
                    r.met[i] = place_at(p, &path, i, m.f);
                }
                if (!m.touches) {
                    real n[3];
                    put_on_it(p, w, m.face, (1 - m.f) * s.time, s.end, r.met, n);
                }
                rest_on(t, &s, &m, &r);
                hold_on_surfaces(p, &s, &r, &path);
            }
        }
        if (kind != HELD && flights < MOST_FLIGHTS) {
            take_off(t, &path, &m, kind, &r, &s);
        } else { /* after too many flights the step ends where the last one began */
            t->taken[KDR_FRICTION] += r.taken;
            s.left = 0;
            memcpy(s.x0, kind == HELD ? path.x : s.x0, sizeof s.x0);
            memcpy(s.v0, kind == HELD ? path.v : s.v0, sizeof s.v0);
        }
    }
    if (t->hit && is_parabola(p)) {
        put_on_all(p, &(ref_support){.count = 0}, 0, 0, NULL, s.x0, s.v0);
    }
    memcpy(p->x, s.x0, sizeof p->x);
    memcpy(p->v, s.v0, sizeof p->v);
}

/* Lets the particle meet the colliders. If one has carried it beyond another, it is put back. */
static void meet_walls(ref_travel *t) {
    collide(t);
    if (t->hit) {
        keep_at_walls(t->p, t->p->radius, t->end, t->p->x);
    }
}

/* Moves the particle back by whole periods, on axes on which its position is finite. Returns whether it did. */
static bool wrap(particle *p) {
    bool outside = false;
    const kdr_boundary *const boundary = &p->problem->boundary;
    for (int i = 0; i < p->dims; ++i) {
        const double width = boundary->max[i] - boundary->min[i];
        const real low = (real)boundary->min[i], high = (real)boundary->max[i], size = (real)width, x = p->x[i];
        if (boundary->min[i] < boundary->max[i] && (x < low || high <= x) && isfinite(x)) {
            const real whole = ((x - low) * (real)(1.0 / width) + ROUNDER) - ROUNDER;
            const real near = mul_add(p, -size, whole, x), back = near < low ? near + size : near;
            const real periods = (near < low ? whole - 1 : whole) + (high <= back ? 1 : 0);
            p->x[i] = low <= back && back < high ? back : low;
            p->images[i] += -0x1p31 < periods && periods < 0x1p31 ? (uint32_t)(int32_t)periods : 0;
            outside = true;
        }
    }
    return outside;
}

/* Returns whether the particle is outside an absorbing boundary. */
static bool is_absorbed(const particle *p) {
    const kdr_boundary *const boundary = &p->problem->boundary;
    bool outside = false;
    for (int i = 0; i < p->dims && boundary->kind == KDR_BOUNDARY_ABSORBING; ++i) {
        const real low = (real)boundary->min[i], high = (real)boundary->max[i];
        outside = outside || (boundary->min[i] < boundary->max[i] && (p->x[i] < low || high < p->x[i]));
    }
    return outside;
}

/* Adds the bounces and energies of contacts to the particle's counts. */
static void count_contacts(particle *p, const ref_travel *t) {
    p->bounces += t->bounces;
    for (int k = 0; k < 2; ++k) {
        if (t->taken[k] != 0) {
            p->dissipated_energy[k] += (double)t->taken[k] / (double)p->w;
        }
    }
}

/* Sets the compensations of components that a contact or a period has changed to 0, because they belong to the old values. */
static void forget_changed(particle *p, const real x[3], const real v[3]) {
    for (int i = 0; i < p->dims; ++i) {
        p->cx[i] = p->x[i] != x[i] ? 0 : p->cx[i];
        p->cv[i] = p->v[i] != v[i] ? 0 : p->cv[i];
    }
}

/* Lets a drift that began at x0, v0 meet the colliders. */
static ref_travel meet_in_drift(particle *p, const real x0[3], const real v0[3], drift_of d) {
    ref_travel t = {.p = p, .x0 = x0, .v0 = {v0[0], v0[1], v0[2]}, .step = d.step, .time = (real)d.h, .drifts = true};
    t.begin = (double)(real)d.begin;
    t.span = (double)(real)d.span;
    t.end = kdr_clock_time(p->clock, d.step - (p->others ? p->later : 0), t.begin + t.span);
    const real x[3] = {p->x[0], p->x[1], p->x[2]}, v[3] = {p->v[0], p->v[1], p->v[2]};
    meet_walls(&t);
    if (t.hit) {
        forget_changed(p, x, v);
    }
    return t;
}

static void reflect_drift(particle *p, const real x0[3], const real v0[3], drift_of d) {
    const ref_travel t = meet_in_drift(p, x0, v0, d);
    count_contacts(p, &t);
}

/* Lets step n, which began at x0, v0, meet the colliders, unless they have reflected each drift. */
static ref_travel meet_after(particle *p, uint64_t n, const real x0[3], const real v0[3]) {
    ref_travel t = {.p = p, .x0 = x0, .v0 = {v0[0], v0[1], v0[2]}, .step = n, .time = (real)p->clock->dt, .span = 1};
    t.end = kdr_clock_time(p->clock, n - (p->others ? p->later : 0), 1.0);
    if (p->terms & KDR_TERM_COLLIDERS) {
        meet_walls(&t);
    }
    return t;
}

/* Ends step n, which began at x0, v0. A contact changes the velocity, so that the kept acceleration is computed with the new velocity. A
 * period does not change the motion, so that the kept acceleration is computed with the velocity of the step's last evaluation. */
static void after_step(particle *p, uint64_t n, const real x0[3], const real v0[3]) {
    if (p->terms & KDR_TERM_HELD_AFTER) {
        hold_drift(p, x0, p->clock->dt);
    }
    const real x[3] = {p->x[0], p->x[1], p->x[2]}, v[3] = {p->v[0], p->v[1], p->v[2]};
    ref_travel t = meet_after(p, n, x0, v0);
    const bool renamed = p->problem->boundary.kind == KDR_BOUNDARY_PERIODIC && wrap(p);
    count_contacts(p, &t);
    if (!t.hit && !renamed) {
        return;
    }
    forget_changed(p, x, v);
    if (p->keeps) {
        acceleration(p, p->x, t.hit ? p->v : p->seen, n, 1.0, p->a);
    }
}
