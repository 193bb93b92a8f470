/* Flights from surface to surface, for a vector of particles, in the order that force/collider.h sets. */

/* Sets *r to the support of particles that do not rest on anything yet. */
INLINE void rest_on_nothing(support *r) {
    r->count = r->taken = r->f = r->held = v_set1(0);
    EACH(k, 3) { /* all three: a loop over some axes would become a call, which is slower */
        r->rubs[k] = r->is_coulomb[k] = m_none();
        r->lost[k] = r->met[k] = v_set1(0);
        r->share[k] = v_set1(1);
        r->deep[k] = v_set1(0);
        EACH(i, 3) { r->n[k][i] = r->from[k][i] = r->u[k][i] = v_set1(0); }
    }
}

/* Adds the surfaces that are met to the support of the lanes, with their normals at the end of the flight. */
static NOINLINE void rest_on(const wall *walls, size_t count, int D, vm lanes, const flight *s, const meeting *m, travel *t, support *r) {
    for (size_t i = 0; i < count; ++i) {
        const vm on = m_and(lanes, v_equal(m->surface, v_set1((real)i)));
        if (!m_any(on)) {
            continue;
        }
        const wall *const w = &walls[i];
        vr n[3], from[3] = {v_set1(0), v_set1(0), v_set1(0)}, unused = v_set1(0), deep = v_set1(INFINITY);
        put_on_it(w, D, m_but(on, m->touches), s->radius, m->face, v_mul(v_sub(v_set1(1), m->f), s->time), s->end, r->met, n);
        const vm curves = w->kind == KDR_COLLIDER_PLANE ? m_none() : v_at_most(m->face, v_set1(0));
        const vm begins_on = m_and(on, t->tile->job->held_count > 0 ? m_every() : curves);
        if (!t->drifts && m_any(begins_on)) {
            const vr gap0 = gap_of(w, D, s->radius, m->face, s->time, s->end, s->x0, from);
            const vr begins = free_normal(t->tile->job, D, on, s->x0, s, from, &unused);
            deep = v_select(begins_on, v_select(v_less(gap0, v_set1(0)), per_share(opposite(gap0), begins), v_set1(0)), deep);
        }
        const vr gap = gap_of(w, D, s->radius, m->face, v_set1(0), s->end, s->x, n),
                 share = free_normal(t->tile->job, D, on, s->x, s, n, &r->held);
        if (!t->drifts) {
            count_taken(t, KDR_RESTITUTION, on, energy_between(per_share(v_min(m->at, v_set1(0)), share), v_set1(0)));
        }
        EACH(k, 3) {
            const vm here = m_and(on, v_equal(r->count, v_set1((real)k)));
            r->gap[k] = v_select(here, per_share(gap, share), r->gap[k]);
            r->share[k] = v_select(here, share, r->share[k]);
            r->surface[k] = v_select(here, v_set1((real)i), r->surface[k]);
            r->face[k] = v_select(here, m->face, r->face[k]);
            r->keep[k] = v_select(here, v_set1(w->keep), r->keep[k]);
            r->sliding[k] = v_select(here, v_set1(w->sliding), r->sliding[k]);
            r->sticking[k] = v_select(here, v_set1(w->sticking), r->sticking[k]);
            r->rubs[k] = w->rubs ? m_or(r->rubs[k], here) : m_but(r->rubs[k], here);
            r->is_coulomb[k] = w->is_coulomb ? m_or(r->is_coulomb[k], here) : m_but(r->is_coulomb[k], here);
            FOR_AXES(j, D) {
                r->n[k][j] = v_select(here, n[j], r->n[k][j]);
                r->from[k][j] = v_select(here, from[j], r->from[k][j]);
            }
            r->deep[k] = v_select(here, deep, r->deep[k]);
            take_velocity(w, D, here, r->u[k]);
        }
    }
    r->count = v_select(lanes, v_add(r->count, v_set1(1)), r->count);
}

/* Returns the demand of surface k of a support; surfaces beyond its count demand nothing. */
INLINE vr demand_of(const support *r, int k, vr value) {
    return v_select(v_less(v_set1((real)k), r->count), opposite(value), v_set1(-REAL_MAX));
}

/* Drops the surfaces that do not hold a particle. */
INLINE void forget_others(int D, vm lanes, const vm *marks, support *r) {
    vr kept = v_set1(0);
    EACH(k, 3) {
        EACH(to, 3) {
            if (to < k) {
                const vm moves = m_and(m_and(lanes, marks[k]), v_equal(kept, v_set1((real)to)));
                r->gap[to] = v_select(moves, r->gap[k], r->gap[to]);
                r->share[to] = v_select(moves, r->share[k], r->share[to]);
                r->surface[to] = v_select(moves, r->surface[k], r->surface[to]);
                r->face[to] = v_select(moves, r->face[k], r->face[to]);
                r->keep[to] = v_select(moves, r->keep[k], r->keep[to]);
                r->sliding[to] = v_select(moves, r->sliding[k], r->sliding[to]);
                r->sticking[to] = v_select(moves, r->sticking[k], r->sticking[to]);
                r->rubs[to] = m_or(m_but(r->rubs[to], moves), m_and(r->rubs[k], moves));
                r->is_coulomb[to] = m_or(m_but(r->is_coulomb[to], moves), m_and(r->is_coulomb[k], moves));
                FOR_AXES(j, D) {
                    r->n[to][j] = v_select(moves, r->n[k][j], r->n[to][j]);
                    r->from[to][j] = v_select(moves, r->from[k][j], r->from[to][j]);
                    r->u[to][j] = v_select(moves, r->u[k][j], r->u[to][j]);
                }
                r->deep[to] = v_select(moves, r->deep[k], r->deep[to]);
            }
        }
        kept = v_add(kept, v_select(marks[k], v_set1(1), v_set1(0)));
    }
    r->count = v_select(lanes, kept, r->count);
    EACH(k, 3) {
        const vm gone = m_and(lanes, v_at_most(r->count, v_set1((real)k)));
        FOR_AXES(j, D) { r->n[k][j] = v_select(gone, v_set1(0), r->n[k][j]); }
        FOR_AXES(j, D) { r->u[k][j] = v_select(gone, v_set1(0), r->u[k][j]); }
    }
}

/* Continues the lanes on the path that surfaces hold. */
INLINE void take_path(int D, vm lanes, const flight *held, flight *path) {
    FOR_AXES(i, D) {
        path->x0[i] = v_select(lanes, held->x0[i], path->x0[i]);
        path->v0[i] = v_select(lanes, held->v0[i], path->v0[i]);
        path->x[i] = v_select(lanes, held->x[i], path->x[i]);
        path->v[i] = v_select(lanes, held->v[i], path->v[i]);
        const vr bend = mul_add(opposite(held->time), held->v0[i], v_sub(held->x[i], held->x0[i]));
        path->bend[i] = v_select(lanes, bend, path->bend[i]);
        path->turn[i] = v_select(lanes, v_sub(held->v[i], held->v0[i]), path->turn[i]);
    }
}

/* Computes the flight s as the surfaces under the particles permit it. An impulse that lifts a particle along a curve acts at the
 * beginning of the flight. A drift keeps velocities, because nothing presses. */
static NOINLINE void hold_still(int D, vm lanes, const flight *s, const travel *t, support *r, vm *either, flight *held) {
    const vr zero = v_set1(0);
    vr pull[3], demand[3], push[3], lift[3], begin[3], turned[3], impulse[3];
    vm pushed[3], lifted[3], led[3];
    EACH(k, 3) {
        demand[k] = demand_of(r, k, r->gap[k]);
        pull[k] = t->drifts ? v_set1(-REAL_MAX) : demand_of(r, k, dot_of(D, s->v, r->n[k]));
    }
    nearest_in_cone(D, r, pull, push, pushed);
    nearest_in_cone(D, r, demand, lift, lifted);
    EACH(k, 3) {
        either[k] = m_or(pushed[k], lifted[k]);
        led[k] = t->drifts ? pushed[k] : either[k];
    }
    EACH(k, 3) { impulse[k] = v_div(v_sub(lift[k], r->deep[k]), s->time); }
    along_surfaces(D, r, pushed, s->v0, begin);
    along_surfaces(D, r, led, s->v0, held->v0);
    vm still = v_at_most(v_set1((real)D), v_add(count_marks(pushed), r->held));
    FOR_AXES(i, D) {
        held->x0[i] = s->x0[i];
        held->x[i] = s->x[i];
        turned[i] = s->v[i];
        EACH(k, 3) {
            const vm is = v_less(v_set1((real)k), r->count);
            held->x[i] = v_select(is, mul_add(lift[k], r->n[k][i], held->x[i]), held->x[i]);
            const vm kicks = m_and(m_and(is, pushed[k]), v_less(r->deep[k], lift[k]));
            turned[i] = v_select(kicks, mul_add(impulse[k], r->from[k][i], turned[i]), turned[i]);
        }
        still = m_and(still, v_equal(s->v0[i], zero));
    }
    along_surfaces(D, r, pushed, turned, held->v);
    held->time = s->time;
    held->left = s->left;
    FOR_AXES(i, D) {
        held->x[i] = v_select(still, s->x0[i], held->x[i]);
        r->lost[i] = v_select(lanes, zero, r->lost[i]);
    }
    r->taken = v_select(lanes, zero, r->taken);
    rub(D, lanes, r, pushed, push, begin, held);
    if (t->tile->job->held_count > 0) {
        vm stays = m_every();
        FOR_AXES(i, D) { stays = m_and(stays, v_equal(held->x[i], s->x0[i])); }
        put_on_all(t->tile->job, D, m_but(lanes, stays), r, either, pushed, s, held->x, held->v);
    }
}

/* Holds the flights of the lanes. If surfaces move, it uses a frame that moves along with them. */
static NOINLINE void hold_on_surfaces(int D, vm lanes, const flight *s, const travel *t, support *r, flight *path) {
    vm either[3];
    vr u[3];
    flight held = *path;
    if (t->tile->job->walls_move) {
        flight along = *s;
        carry_along(D, r, u);
        go_along(D, u, &along, r->f, r->met);
        hold_still(D, lanes, &along, t, r, either, &held);
        FOR_AXES(i, D) { u[i] = opposite(u[i]); }
        go_along(D, u, &held, r->f, r->met);
    } else {
        hold_still(D, lanes, s, t, r, either, &held);
    }
    take_path(D, lanes, &held, path);
    forget_others(D, lanes, either, r);
}

/* Puts particles on their constraints and on the one surface that is met; n becomes its normal there. */
INLINE void put_on_all_and(const kdr_job *job, const wall *w, int D, vm lanes, vr radius, const meeting *m, vr *x, vr *v, vr *n) {
    support r;
    const vm marks[3] = {lanes, m_none(), m_none()}, none[3] = {m_none(), m_none(), m_none()};
    if (job->held_count > 0) {
        rest_on_nothing(&r);
        r.radius = radius;
        r.count = v_set1(1);
        r.surface[0] = m->surface;
        r.face[0] = m->face;
        put_on_all(job, D, lanes, &r, marks, none, NULL, x, v);
        (void)gap_at(w, D, radius, m->face, x, n);
    }
}

/* Computes the velocity of particles that rest on surfaces and land on one more: the part along all of them. */
static NOINLINE void land_between(const wall *walls, size_t count, int D, vm lanes, const flight *s, const meeting *m, const vr *x,
                                  support *r, travel *t, vr *v) {
    const vr zero = v_set1(0);
    vr u[3] = {zero, zero, zero}, seen[3], demand[3], add[3], lost[3], sum[3], n[3], held = r->held;
    vm marks[3];
    FOR_AXES(j, D) { n[j] = m->n[j]; }
    (void)free_normal(t->tile->job, D, lanes, x, s, n, &held);
    EACH(k, 3) {
        const vm here = m_and(lanes, v_equal(r->count, v_set1((real)k)));
        FOR_AXES(j, D) { r->n[k][j] = v_select(here, n[j], r->n[k][j]); }
    }
    const bool moves = t->tile->job->walls_move;
    for (size_t w = 0; w < count && moves; ++w) {
        const vm on = m_and(lanes, v_equal(m->surface, v_set1((real)w)));
        EACH(k, 3) { take_velocity(&walls[w], D, m_and(on, v_equal(r->count, v_set1((real)k))), r->u[k]); }
    }
    r->count = v_select(lanes, v_add(r->count, v_set1(1)), r->count);
    if (moves) {
        carry_along(D, r, u);
    }
    FOR_AXES(i, D) { seen[i] = moves ? v_sub(v[i], u[i]) : v[i]; }
    EACH(k, 3) { demand[k] = demand_of(r, k, dot_of(D, seen, r->n[k])); }
    nearest_in_cone(D, r, demand, add, marks);
    FOR_AXES(i, D) {
        vr after = seen[i];
        EACH(k, 3) { after = v_select(v_less(v_set1((real)k), r->count), mul_add(add[k], r->n[k][i], after), after); }
        lost[i] = v_sub(seen[i], after);
        sum[i] = v_add(seen[i], after);
        v[i] = v_select(lanes, moves ? v_add(after, u[i]) : after, v[i]);
    }
    count_taken(t, KDR_RESTITUTION, lanes, v_mul(v_set1((real)0.5), dot_of(D, lost, sum)));
}

/* Reflects v as `reflect` does, off a surface that may move. */
INLINE void reflect_off(const wall *w, int D, vm lanes, vr minus_bounce, const vr *n, vr share, travel *t, vr *v) {
    if (!w->moves) {
        reflect(w, D, lanes, minus_bounce, n, share, t, v);
        return;
    }
    vr u[3], seen[3];
    FOR_AXES(i, D) {
        u[i] = v_set1((real)w->velocity[i]);
        seen[i] = v_sub(v[i], u[i]);
    }
    reflect(w, D, lanes, minus_bounce, n, share, t, seen);
    FOR_AXES(i, D) { v[i] = v_select(lanes, v_add(seen[i], u[i]), v[i]); }
}

/* Counts the work of friction up to fraction f of a flight, where it ends. */
static NOINLINE void count_way(int D, vm lanes, vr f, const flight *s, const support *r, travel *t, vr *way) {
    vr u[3];
    if (t->tile->job->walls_move) {
        carry_along(D, r, u);
        FOR_AXES(i, D) { way[i] = mul_add(opposite(v_mul(f, s->time)), u[i], way[i]); }
    }
    count_taken(t, KDR_FRICTION, lanes, positive_or_zero(v_div(dot_of(D, r->lost, way), s->time)));
}

/* Ends the flights of the lanes by bounces and landings, and begins the next ones. */
static NOINLINE void take_off(const wall *walls, size_t count, int D, vm lanes, vm bounces, const flight *path, const meeting *m,
                              support *r, travel *t, flight *s) {
    const kdr_job *const job = t->tile->job;
    const vr zero = v_set1(0), one = v_set1(1);
    vr f = m->f, held = zero, x[3], v[3], before[3], way[3], n[3];
    FOR_AXES(i, D) {
        x[i] = place_at(path, i, f);
        v[i] = velocity_at(path, i, f);
        way[i] = v_sub(x[i], s->x0[i]);
    }
    find_pulls(D, t, lanes);
    const vm flown = is_parabola(job) ? m_none() : m_and(m_and(lanes, v_less(zero, f)), v_at_most(r->count, zero));
    const vm rubbed = m_but(m_and(m_and(lanes, v_less(zero, f)), v_less(zero, r->taken)), flown);
    if (m_any(rubbed)) {
        count_way(D, rubbed, f, s, r, t, way);
    }
    if (m_any(flown)) {
        fly_all_to(walls, D, t, flown, s, m, &f, x, v);
    }
    const vm between = m_but(m_and(lanes, v_less(zero, r->count)), bounces);
    for (size_t i = 0; i < count; ++i) {
        const vm here = m_and(lanes, v_equal(m->surface, v_set1((real)i)));
        if (!m_any(here)) {
            continue;
        }
        const wall *const w = &walls[i];
        put_on_it(w, D, here, s->radius, m->face, v_mul(v_sub(one, f), s->time), s->end, x, n);
        put_on_all_and(job, w, D, here, s->radius, m, x, v, n);
        const vr share = free_normal(job, D, here, x, NULL, n, &held);
        FOR_AXES(j, D) { before[j] = v[j]; }
        const vr minus_bounce = v_select(bounces, v_set1(w->minus_bounce), v_set1(-1));
        reflect_off(w, D, m_but(here, between), minus_bounce, n, share, t, v);
        const vm noted = m_but(m_and(here, bounces), t->gone);
        if (job->recorder && m_any(noted)) {
            vr seen[3];
            FOR_AXES(j, D) { seen[j] = v_sub(before[j], v_set1((real)w->velocity[j])); }
            note_bounces(D, t, i, noted, mul_add(f, s->left, v_sub(one, s->left)), opposite(dot_of(D, seen, n)), x, before, v);
        }
    }
    if (m_any(between)) {
        land_between(walls, count, D, between, s, m, x, r, t, v);
    }
    t->bounces = v_select(m_and(lanes, bounces), v_add(t->bounces, one), t->bounces);
    go_on(D, lanes, f, t->h, x, v, s);
    if (!is_parabola(job)) {
        fly_on(D, t, lanes, s);
    }
}

/* Returns whether some lane may meet the wall. Outer spheres and boxes may be crossed by the path, so the box around both of its ends is
 * tested. */
INLINE bool wall_near(const wall *w, int D, vm lanes, vr radius, const vr *x0, const vr *x) {
    const vr zero = v_set1(0);
    vr r[3];
    vm out = m_none();
    if (w->kind == KDR_COLLIDER_PLANE) {
        return m_any(m_and(lanes, v_less(gap_of_plane(w, D, radius, x), zero)));
    }
    if (w->kind == KDR_COLLIDER_SPHERE && w->inside) {
        return m_any(m_and(lanes, v_less(zero, sphere_excess(w, D, square_for(w, radius), x, r))));
    }
    if (w->kind == KDR_COLLIDER_BOX && w->inside) {
        FOR_AXES(i, D) {
            const vr low = v_add(v_set1(w->low[i]), radius), high = v_sub(v_set1(w->high[i]), radius);
            out = m_or(out, m_or(v_less(x[i], low), v_less(high, x[i])));
        }
        return m_any(m_and(lanes, out));
    }
    if (w->kind == KDR_COLLIDER_BOX || w->kind == KDR_COLLIDER_SPHERE) {
        return m_any(m_but(lanes, box_passes(w, D, radius, x0, x)));
    }
    return w->kind != KDR_WALL_NONE;
}

static NOINLINE bool moving_near(const wall *w, int D, vm lanes, vr radius, const vr *x0, const vr *x, vr time, double end) {
    const moving_frame f = frame_of(w, end);
    vr seen0[3], seen[3];
    see(&f, D, time, x0, seen0);
    see(&f, D, v_set1(0), x, seen);
    return wall_near(w, D, lanes, radius, seen0, seen);
}

/* Returns whether some lane may meet a wall on a path of length `time` that ends at the time `end`. */
INLINE bool walls_near(const wall *walls, size_t count, int D, vm lanes, vr radius, const vr *x0, const vr *x, vr time, double end) {
    bool near = false;
    for (size_t i = 0; i < count && !near; ++i) {
        near = walls[i].moves ? moving_near(&walls[i], D, lanes, radius, x0, x, time, end) : wall_near(&walls[i], D, lanes, radius, x0, x);
    }
    return near;
}

INLINE void keep_meeting(int D, vm lanes, const meeting *from, meeting *to) {
    to->f = v_select(lanes, from->f, to->f);
    to->surface = v_select(lanes, from->surface, to->surface);
    to->face = v_select(lanes, from->face, to->face);
    FOR_AXES(i, D) { to->n[i] = v_select(lanes, from->n[i], to->n[i]); }
}

/* The result of a flight: its path, the lanes that are thrown off a surface at `last`, and those of them that bounce. */
typedef struct fate {
    const flight *path;
    flight held;
    support on;
    meeting last;
    vm thrown, bounces;
} fate;

/* Returns the lanes that an impulse of the surface can move, despite constraints. */
INLINE vm can_yield(const kdr_job *job, int D, const flight *path, const meeting *m) {
    vr x[3], n[3], held = v_set1(0);
    if (job->held_count == 0) {
        return m_every();
    }
    FOR_AXES(i, D) {
        x[i] = place_at(path, i, m->f);
        n[i] = m->n[i];
    }
    return v_less(v_set1(0), free_normal(job, D, m->found, x, NULL, n, &held));
}

/* Sorts the lanes that meet something into thrown and held ones, and returns the held ones. In a drift nothing presses a particle on, so
 * it bounces. */
INLINE vm sort(const kdr_job *job, int D, vm lanes, bool drifts, meeting *m, fate *f) {
    const vr change = v_sub(dot_of(D, f->path->v, m->n), dot_of(D, f->path->v0, m->n));
    const vr pressed = drifts ? opposite(v_sqrt(dot_of(D, f->path->v, f->path->v))) : change, slow = slow_for(D, pressed, f->path->v);
    const vm lies = m_and(m->touches, is_within(slow, m->begin));
    const vm fast = m_and(v_less(m->at, v_set1(0)), v_less(m->at, drifts ? slow : v_mul(m->rests_below, change)));
    const vm stays = m_and(lies, v_at_most(v_set1(1), m->rests_below));
    const vm bounce = m_and(lanes, m_or(m->passes, m_but(fast, stays))), lands = m_and(lanes, v_less(m->at, negative_or_zero(slow)));
    const vm thrown = m_and(m_or(bounce, m_but(lands, m_or(lies, m->rubs))), can_yield(job, D, f->path, m));
    keep_meeting(D, thrown, m, &f->last);
    f->bounces = m_or(f->bounces, m_and(bounce, thrown));
    f->thrown = m_or(f->thrown, thrown);
    m->f = v_select(lies, v_set1(0), m->f);
    return m_but(lanes, thrown);
}

/* Holds a flight on one surface after the other, until it meets nothing more or something ends it. */
static NOINLINE void settle_flight(const wall *walls, size_t count, int D, vm lanes, const flight *s, travel *t, fate *f) {
    meeting m;
    f->path = s;
    f->thrown = f->bounces = m_none();
    rest_on_nothing(&f->on);
    f->on.radius = s->radius;
    for (int rests = 0; rests < MOST_RESTS; ++rests) {
        if (!walls_near(walls, count, D, lanes, s->radius, f->path->x0, f->path->x, f->path->time, f->path->end)) {
            return;
        }
        find_first(walls, count, D, f->path, lanes, &f->on, &m);
        lanes = m_and(lanes, m.found);
        if (!m_any(lanes)) {
            return;
        }
        t->hit = m_or(t->hit, lanes);
        lanes = sort(t->tile->job, D, lanes, t->drifts, &m, f);
        if (!m_any(lanes)) {
            return;
        }
        if (f->path == s) {
            f->held = *s;
            f->path = &f->held;
        }
        f->on.f = v_select(lanes, m.f, f->on.f);
        FOR_AXES(i, D) { f->on.met[i] = v_select(lanes, place_at(f->path, i, m.f), f->on.met[i]); }
        rest_on(walls, count, D, lanes, s, &m, t, &f->on);
        hold_on_surfaces(D, lanes, s, t, &f->on, &f->held);
        lanes = m_and(lanes, v_less(f->on.count, v_set1((real)D)));
    }
}

/* Puts lanes that were hit back on their constraints, which a parabola leaves, and projects their velocities onto them. */
static NOINLINE void end_on_constraints(int D, travel *t) {
    support r;
    const vm none[3] = {m_none(), m_none(), m_none()};
    rest_on_nothing(&r);
    put_on_all(t->tile->job, D, t->hit, &r, none, none, NULL, t->x, t->v);
}

/* Takes particles from surface to surface, in order of time: off those that are met fast, along those that the particles rest on. */
static NOINLINE void collide(const wall *walls, size_t count, int D, travel *t) {
    const vr zero = v_set1(0);
    flight s = flight_of(D, t);
    s.end = t->end;
    s.radius = t->radius;
    t->pulls = m_none();
    FOR_AXES(i, D) { t->pull[i] = zero; }
    vm flies = m_but(m_every(), t->bound);
    fate f;
    f.last.f = f.last.surface = f.last.face = f.last.n[0] = f.last.n[1] = f.last.n[2] = zero;
    for (int flights = 0; flights <= MOST_FLIGHTS && m_any(flies); ++flights) {
        settle_flight(walls, count, D, flies, &s, t, &f);
        const vm ended = flights < MOST_FLIGHTS ? m_but(flies, f.thrown) : flies;
        count_taken(t, KDR_FRICTION, ended, f.on.taken);
        FOR_AXES(i, D) {
            t->x[i] = v_select(ended, v_select(f.thrown, s.x0[i], f.path->x[i]), t->x[i]);
            t->v[i] = v_select(ended, v_select(f.thrown, s.v0[i], f.path->v[i]), t->v[i]);
        }
        flies = m_but(flies, ended);
        if (!m_any(flies)) {
            break;
        }
        take_off(walls, count, D, flies, f.bounces, f.path, &f.last, &f.on, t, &s);
        const vm over = m_but(flies, v_less(zero, s.left));
        FOR_AXES(i, D) {
            t->x[i] = v_select(over, s.x0[i], t->x[i]);
            t->v[i] = v_select(over, s.v0[i], t->v[i]);
        }
        flies = m_but(flies, over);
    }
    if (t->tile->job->held_count > 0 && is_parabola(t->tile->job) && m_any(t->hit)) {
        end_on_constraints(D, t);
    }
}
