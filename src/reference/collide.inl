/* Colliders, then the boundary: what they do to a particle after a step, in the order that force/collider.h sets. */

enum { MOST_FLIGHTS = 64, MOST_RESTS = 8 }; /* of a step, but the first; surfaces that are looked at in a flight */

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

/* The nearest place, for what another surface carried out of this one. */
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

static bool is_at_rest(const particle *p, const real v[3]) {
    bool rests = true;
    for (int i = 0; i < p->dims; ++i) {
        rests = rests && v[i] == 0;
    }
    return rests;
}

/* What landing on one more surface leaves of the velocity of a particle that rests on others: what lies along all of them. */
static void land_between(travel *t, support *r, real v[3]) {
    const particle *const p = t->p;
    real demand[3] = {0}, add[3], lost[3] = {0}, sum[3] = {0};
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
    }
    t->taken[KDR_RESTITUTION] += (real)0.5 * dot(p, lost, sum);
}

/* The surfaces that do not hold the particle are forgotten. */
static void forget_others(support *r, unsigned marks) {
    int kept = 0;
    for (int k = 0; k < r->count; ++k) {
        if (marks >> k & 1) {
            r->on[kept] = r->on[k];
            r->walls[kept++] = r->walls[k];
        }
    }
    r->count = kept;
}

/* The flight s as the surfaces that the particle rests on let it go. */
static void hold_on_surfaces(const particle *p, const flight *s, support *r, flight *path) {
    real pull[3] = {0}, demand[3] = {0}, push[3], lift[3], begin[3] = {0};
    for (int k = 0; k < r->count; ++k) {
        demand[k] = 0 - gap_at(p, &r->walls[k], r->on[k].face, s->x, r->on[k].n);
        pull[k] = 0 - dot(p, s->v, r->on[k].n);
    }
    const unsigned pushed = nearest_in_cone(p, r, pull, push), lifted = nearest_in_cone(p, r, demand, lift);
    along_surfaces(p, r, pushed, s->v0, begin);
    along_surfaces(p, r, pushed | lifted, s->v0, path->v0);
    along_surfaces(p, r, pushed, s->v, path->v);
    for (int i = 0; i < p->dims; ++i) {
        path->x0[i] = s->x0[i];
        path->x[i] = s->x[i];
        for (int k = 0; k < r->count; ++k) {
            path->x[i] = mul_add(p, lift[k], r->on[k].n[i], path->x[i]);
        }
    }
    const int marks = (int)(pushed & 1) + (int)(pushed >> 1 & 1) + (int)(pushed >> 2);
    if (marks == p->dims && is_at_rest(p, s->v0)) {
        memcpy(path->x, s->x0, sizeof path->x);
    }
    path->time = s->time;
    path->left = s->left;
    r->taken = 0;
    memset(r->lost, 0, sizeof r->lost);
    rub(p, r, pushed, push, begin, path);
    set_course(p, path);
    forget_others(r, pushed | lifted);
}

/* The steps of a method from x, v at the fraction `begin` of step n on, for the fraction `length`. */
static void fly(const particle *of, uint64_t n, double begin, double length, real x[3], real v[3]);

/* The path of the method is this parabola: forces are constant; or only the step as a whole is known. */
static bool is_parabola(const particle *p) { return p->others || !kdr_problem_flies(p->problem); }

/* Where the path of the method, from s->x0 and s->v0 on, meets the surface: x, v there, and the part of the flight. */
static real fly_to(const travel *t, const flight *s, const meeting *m, const wall *w, real x[3], real v[3]) {
    const particle *const p = t->p;
    real f = m->f, n[3];
    for (int round = 0; round < 6; ++round) {
        memcpy(x, s->x0, 3 * sizeof *x);
        memcpy(v, s->v0, 3 * sizeof *v);
        fly(p, t->step, 1 - (double)s->left, (double)(f * s->left), x, v);
        const real gap = gap_at(p, w, m->face, x, n), speed = s->time * dot(p, v, n), next = clamp_to_one(f - gap / speed);
        const real change = f < next ? next - f : f - next;
        if (!(speed < 0) || !(ROOT_ROOM < change)) {
            break;
        }
        f = next;
    }
    return f;
}

/* A bounce or a landing ends a flight, and the next one begins. */
static void take_off(travel *t, const flight *path, const meeting *m, touch kind, support *r, flight *s) {
    const particle *const p = t->p;
    real x[3] = {0}, v[3] = {0}, before[3] = {0}, way[3] = {0};
    wall w;
    fold_wall(&p->problem->colliders[m->surface], p->dims, &w);
    real f = m->f;
    if (r->count == 0 && !is_parabola(p) && 0 < f) {
        f = fly_to(t, s, m, &w, x, v);
    } else {
        for (int i = 0; i < p->dims; ++i) {
            x[i] = place_at(p, path, i, f);
            v[i] = velocity_at(p, path, i, f);
            way[i] = x[i] - s->x0[i];
        }
        const real work = f <= 0 || r->taken <= 0 ? 0 : dot(p, r->lost, way) / s->time;
        t->taken[KDR_FRICTION] += 0 < work ? work : 0;
    }
    put_on(p, &w, m->face, x);
    memcpy(before, v, sizeof before);
    if (kind == LANDS && r->count > 0) {
        r->on[r->count++] = *m;
        land_between(t, r, v);
    } else {
        real n[3];
        (void)gap_at(p, &w, m->face, x, n);
        reflect(t, &w, kind == LANDS ? -1 : w.minus_bounce, n, v);
    }
    if (kind == BOUNCES) {
        note_bounce(t, m->surface, mul_add(p, f, s->left, 1 - s->left), x, before, v);
        ++t->bounces;
    }
    const real after = 1 - f;
    memcpy(s->x0, x, sizeof x);
    memcpy(s->v0, v, sizeof v);
    s->left = after * s->left;
    s->time = (real)p->clock->dt * s->left;
    for (int i = 0; i < p->dims; ++i) {
        s->bend[i] = (after * after) * s->bend[i];
        s->turn[i] = after * s->turn[i];
        s->x[i] = place_at(p, s, i, 1);
        s->v[i] = velocity_at(p, s, i, 1);
    }
    if (!is_parabola(p) && 0 < s->left) {
        memcpy(s->x, x, sizeof x);
        memcpy(s->v, v, sizeof v);
        fly(p, t->step, 1 - (double)s->left, (double)s->left, s->x, s->v);
        set_course(p, s);
    }
}

/* From surface to surface, in order of time: off those that are met fast, along those that the particle rests on. */
static void collide(travel *t) {
    particle *const p = t->p;
    flight s = {.time = (real)p->clock->dt, .left = 1};
    memcpy(s.x0, t->x0, sizeof s.x0);
    memcpy(s.v0, t->v0, sizeof s.v0);
    memcpy(s.x, p->x, sizeof s.x);
    memcpy(s.v, p->v, sizeof s.v);
    set_course(p, &s);
    for (int flights = 0; flights <= MOST_FLIGHTS && 0 < s.left; ++flights) {
        flight path = s;
        support r = {.count = 0};
        meeting m;
        touch kind = HELD;
        for (int rests = 0; rests < MOST_RESTS && r.count < p->dims && kind == HELD && find_first(p, &path, &r, &m); ++rests) {
            wall *const w = &r.walls[r.count];
            fold_wall(&p->problem->colliders[m.surface], p->dims, w);
            t->hit = true;
            kind = touch_of(p, &path, w, &m);
            if (kind == HELD) {
                r.on[r.count++] = m;
                hold_on_surfaces(p, &s, &r, &path);
            }
        }
        if (kind != HELD && flights < MOST_FLIGHTS) {
            take_off(t, &path, &m, kind, &r, &s);
        } else { /* where there are too many the step ends where the last flight began */
            t->taken[KDR_FRICTION] += r.taken;
            s.left = 0;
            memcpy(s.x0, kind == HELD ? path.x : s.x0, sizeof s.x0);
            memcpy(s.v0, kind == HELD ? path.v : s.v0, sizeof s.v0);
        }
    }
    memcpy(p->x, s.x0, sizeof p->x);
    memcpy(p->v, s.v0, sizeof p->v);
}

/* Colliders; then what one carried out of another is put back. */
static void meet_walls(travel *t) {
    particle *const p = t->p;
    const kdr_problem *const problem = p->problem;
    wall w;
    if (problem->collider_count == 0) {
        return;
    }
    collide(t);
    for (size_t i = 0; i < problem->collider_count && t->hit; ++i) {
        fold_wall(&problem->colliders[i], p->dims, &w);
        keep_at_wall(p, &w, p->x);
    }
}

/* Puts the particle back by whole periods. Returns whether it was outside. */
static bool wrap(travel *t) {
    bool outside = false;
    const kdr_boundary *const boundary = &t->p->problem->boundary;
    for (int i = 0; i < t->p->dims; ++i) {
        const double width = boundary->max[i] - boundary->min[i];
        const real low = (real)boundary->min[i], high = (real)boundary->max[i], size = (real)width, x = t->p->x[i];
        if (boundary->min[i] < boundary->max[i] && (x < low || high <= x)) {
            const real whole = ((x - low) * (real)(1.0 / width) + ROUNDER) - ROUNDER;
            const real near = mul_add(t->p, -size, whole, x), back = near < low ? near + size : near;
            const real periods = (near < low ? whole - 1 : whole) + (high <= back ? 1 : 0);
            t->p->x[i] = low <= back && back < high ? back : low;
            t->p->images[i] += -0x1p31 < periods && periods < 0x1p31 ? (uint32_t)(int32_t)periods : 0;
            outside = true;
        }
    }
    return outside;
}

/* An absorbing boundary holds a particle that is outside. */
static bool is_absorbed(const particle *p) {
    const kdr_boundary *const boundary = &p->problem->boundary;
    bool outside = false;
    for (int i = 0; i < p->dims && boundary->kind == KDR_BOUNDARY_ABSORBING; ++i) {
        const real low = (real)boundary->min[i], high = (real)boundary->max[i];
        outside = outside || (boundary->min[i] < boundary->max[i] && (p->x[i] < low || high < p->x[i]));
    }
    return outside;
}

/* Ends step n, which began at x0, v0. A contact changes the velocity, and the kept acceleration is that of the new one. A period only names
 * the place anew, and the kept acceleration sees there what it saw in the step. */
static void after_step(particle *p, uint64_t n, const real x0[3], const real v0[3]) {
    travel t = {.p = p, .x0 = x0, .v0 = {v0[0], v0[1], v0[2]}, .step = n};
    if (p->terms & KDR_TERM_HELD_AFTER) {
        hold_drift(p, x0, p->clock->dt);
    }
    meet_walls(&t);
    const bool renamed = p->problem->boundary.kind == KDR_BOUNDARY_PERIODIC && wrap(&t);
    p->hits += t.bounces;
    for (int k = 0; k < 2; ++k) {
        if (t.taken[k] != 0) {
            p->dissipated[k] += (double)t.taken[k] / (double)p->w;
        }
    }
    if (!t.hit && !renamed) {
        return;
    }
    memset(p->cx, 0, sizeof p->cx);
    memset(p->cv, 0, sizeof p->cv);
    if (p->keeps) {
        acceleration(p, p->x, t.hit ? p->v : p->seen, n, 1.0, p->a);
    }
}
