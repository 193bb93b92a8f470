/* Colliders, then the boundary: what they do to a tile after a step, in the order that force/collider.h sets.
 *
 * Most vectors touch nothing: that is found out by six comparisons with a box, or by a few comparisons a surface, and only the others are
 * worked on by functions that are not inlined. */

INLINE void keep_in_box(const wall *w, int D, vr *x) {
    FOR_AXES(i, D) {
        const vr low = v_set1(w->low[i]), high = v_set1(w->high[i]);
        x[i] = v_min(high, v_max(low, x[i]));
    }
}

INLINE void keep_out_of_box(const wall *w, int D, vr *x) {
    vm in = m_none();
    FOR_AXES(i, D) {
        const vm here = m_and(v_less(v_set1(w->low[i]), x[i]), v_less(x[i], v_set1(w->high[i])));
        in = i == 0 ? here : m_and(in, here);
    }
    if (!m_any(in)) {
        return;
    }
    vr axis, side;
    nearest_face(w, D, x, &axis, &side);
    FOR_AXES(i, D) {
        const vr face = v_select(v_less(side, v_set1(0)), v_set1(w->low[i]), v_set1(w->high[i]));
        x[i] = v_select(m_and(in, is_axis(axis, i)), face, x[i]);
    }
}

INLINE void keep_at_sphere(const wall *w, int D, vr *x) {
    const vr zero = v_set1(0);
    vr r[3];
    const vr excess = sphere_excess(w, D, x, r), square = dot_of(D, r, r);
    vm out = w->inside ? v_less(zero, excess) : v_less(excess, zero);
    out = m_and(out, v_less(zero, square));
    if (!m_any(out)) {
        return;
    }
    const vr scale = v_div(v_set1(w->radius), v_sqrt(square));
    FOR_AXES(i, D) { x[i] = v_select(out, mul_add(scale, r[i], v_set1(w->at[i])), x[i]); }
}

INLINE void keep_at_wall(const wall *w, int D, vr *x) {
    if (w->kind == KDR_COLLIDER_PLANE) {
        keep_behind_plane(w, D, x);
    } else if (w->kind == KDR_COLLIDER_SPHERE) {
        keep_at_sphere(w, D, x);
    } else if (w->kind == KDR_COLLIDER_BOX) {
        if (w->inside) {
            keep_in_box(w, D, x);
        } else {
            keep_out_of_box(w, D, x);
        }
    }
}

/* Takes the surfaces that are met into the support of the lanes, each with its normal where the flight ends. */
static NOINLINE void rest_on(const wall *walls, size_t count, int D, vm lanes, const flight *s, const meeting *m, support *r) {
    for (size_t i = 0; i < count; ++i) {
        const vm on = m_and(lanes, v_equal(m->surface, v_set1((real)i)));
        if (!m_any(on)) {
            continue;
        }
        const wall *const w = &walls[i];
        vr n[3];
        const vr gap = gap_at(w, D, m->face, s->x, n);
        EACH(k, 3) {
            const vm here = m_and(on, v_equal(r->count, v_set1((real)k)));
            r->gap[k] = v_select(here, gap, r->gap[k]);
            r->surface[k] = v_select(here, v_set1((real)i), r->surface[k]);
            r->face[k] = v_select(here, m->face, r->face[k]);
            r->keep[k] = v_select(here, v_set1(w->keep), r->keep[k]);
            r->sliding[k] = v_select(here, v_set1(w->sliding), r->sliding[k]);
            r->sticking[k] = v_select(here, v_set1(w->sticking), r->sticking[k]);
            r->rubs[k] = w->rubs ? m_or(r->rubs[k], here) : m_but(r->rubs[k], here);
            r->is_coulomb[k] = w->is_coulomb ? m_or(r->is_coulomb[k], here) : m_but(r->is_coulomb[k], here);
            FOR_AXES(j, D) { r->n[k][j] = v_select(here, n[j], r->n[k][j]); }
        }
    }
    r->count = v_select(lanes, v_add(r->count, v_set1(1)), r->count);
}

/* What is beyond the count of a support demands nothing. */
INLINE vr demand_of(const support *r, int k, vr value) {
    return v_select(v_less(v_set1((real)k), r->count), opposite(value), v_set1(-REAL_MAX));
}

/* The surfaces that do not hold a particle are forgotten. */
INLINE void forget_others(int D, vm lanes, const vm *marks, support *r) {
    vr kept = v_set1(0);
    EACH(k, 3) {
        EACH(to, 3) {
            if (to < k) {
                const vm moves = m_and(m_and(lanes, marks[k]), v_equal(kept, v_set1((real)to)));
                r->gap[to] = v_select(moves, r->gap[k], r->gap[to]);
                r->surface[to] = v_select(moves, r->surface[k], r->surface[to]);
                r->face[to] = v_select(moves, r->face[k], r->face[to]);
                r->keep[to] = v_select(moves, r->keep[k], r->keep[to]);
                r->sliding[to] = v_select(moves, r->sliding[k], r->sliding[to]);
                r->sticking[to] = v_select(moves, r->sticking[k], r->sticking[to]);
                r->rubs[to] = m_or(m_but(r->rubs[to], moves), m_and(r->rubs[k], moves));
                r->is_coulomb[to] = m_or(m_but(r->is_coulomb[to], moves), m_and(r->is_coulomb[k], moves));
                FOR_AXES(j, D) { r->n[to][j] = v_select(moves, r->n[k][j], r->n[to][j]); }
            }
        }
        kept = v_add(kept, v_select(marks[k], v_set1(1), v_set1(0)));
    }
    r->count = v_select(lanes, kept, r->count);
    EACH(k, 3) {
        const vm gone = m_and(lanes, v_at_most(r->count, v_set1((real)k)));
        FOR_AXES(j, D) { r->n[k][j] = v_select(gone, v_set1(0), r->n[k][j]); }
    }
}

/* The flight s as the surfaces that the particles rest on let it go. */
static NOINLINE void hold_on_surfaces(int D, vm lanes, const flight *s, support *r, flight *path) {
    const vr zero = v_set1(0);
    vr pull[3], demand[3], push[3], lift[3], begin[3];
    vm pushed[3], lifted[3], either[3];
    EACH(k, 3) {
        demand[k] = demand_of(r, k, r->gap[k]);
        pull[k] = demand_of(r, k, dot_of(D, s->v, r->n[k]));
    }
    nearest_in_cone(D, r, pull, push, pushed);
    nearest_in_cone(D, r, demand, lift, lifted);
    EACH(k, 3) { either[k] = m_or(pushed[k], lifted[k]); }
    flight held = *path;
    along_surfaces(D, r, pushed, s->v0, begin);
    along_surfaces(D, r, either, s->v0, held.v0);
    along_surfaces(D, r, pushed, s->v, held.v);
    vm still = v_equal(count_marks(pushed), v_set1((real)D));
    FOR_AXES(i, D) {
        held.x0[i] = s->x0[i];
        held.x[i] = s->x[i];
        EACH(k, 3) { held.x[i] = v_select(v_less(v_set1((real)k), r->count), mul_add(lift[k], r->n[k][i], held.x[i]), held.x[i]); }
        still = m_and(still, v_equal(s->v0[i], zero));
    }
    held.time = s->time;
    held.left = s->left;
    FOR_AXES(i, D) {
        held.x[i] = v_select(still, s->x0[i], held.x[i]);
        r->lost[i] = v_select(lanes, zero, r->lost[i]);
    }
    r->taken = v_select(lanes, zero, r->taken);
    rub(D, lanes, r, pushed, push, begin, &held);
    FOR_AXES(i, D) {
        path->x0[i] = v_select(lanes, held.x0[i], path->x0[i]);
        path->v0[i] = v_select(lanes, held.v0[i], path->v0[i]);
        path->x[i] = v_select(lanes, held.x[i], path->x[i]);
        path->v[i] = v_select(lanes, held.v[i], path->v[i]);
        const vr bend = mul_add(opposite(held.time), held.v0[i], v_sub(held.x[i], held.x0[i]));
        path->bend[i] = v_select(lanes, bend, path->bend[i]);
        path->turn[i] = v_select(lanes, v_sub(held.v[i], held.v0[i]), path->turn[i]);
    }
    forget_others(D, lanes, either, r);
}

/* The path of the method is this parabola: forces are constant; or only the step as a whole is known. */
INLINE bool is_parabola(const kdr_job *job) { return !job->fly; }

/* The steps of a method for one lane, from x, v at the fraction `begin` of the step on, for the fraction `length`. */
static NOINLINE void fly(int D, const travel *t, int lane, double begin, double length, real *x, real *v) {
    const kdr_tile *const tile = t->tile;
    (void)D;
    tile->job->fly(tile->job, tile->first + (size_t)t->vector * LANES + (size_t)lane, tile->step, begin, length, x, v);
}

INLINE bool is_particle(const travel *t, int lane) { return (size_t)t->vector * LANES + (size_t)lane < t->tile->count; }

/* Where the path of the method, from s->x0 and s->v0 on, meets the surface: x, v there, and the part of the flight, of one lane. */
static NOINLINE real fly_to(const wall *w, int D, const travel *t, const flight *s, const meeting *m, int lane, real *x, real *v) {
    real of_f[LANES], of_left[LANES], of_time[LANES], of_face[LANES], begin_x[3][LANES], begin_v[3][LANES], gaps[LANES], speeds[LANES];
    v_store(of_f, m->f);
    v_store(of_left, s->left);
    v_store(of_time, s->time);
    v_store(of_face, m->face);
    FOR_AXES(i, D) {
        v_store(begin_x[i], s->x0[i]);
        v_store(begin_v[i], s->v0[i]);
    }
    real f = of_f[lane];
    for (int round = 0; round < 6; ++round) {
        vr at[3], along[3], n[3];
        for (int i = 0; i < D; ++i) {
            x[i] = begin_x[i][lane];
            v[i] = begin_v[i][lane];
        }
        fly(D, t, lane, 1 - (double)of_left[lane], (double)(f * of_left[lane]), x, v);
        FOR_AXES(i, D) {
            at[i] = v_set1(x[i]);
            along[i] = v_set1(v[i]);
        }
        v_store(gaps, gap_at(w, D, v_set1(of_face[lane]), at, n));
        v_store(speeds, v_mul(v_set1(of_time[lane]), dot_of(D, along, n)));
        const real tried = f - gaps[lane] / speeds[lane], least = 0 < tried ? tried : 0, next = least < 1 ? least : 1;
        const real change = f < next ? next - f : f - next;
        if (!(speeds[lane] < 0) || !(ROOT_ROOM < change)) {
            break;
        }
        f = next;
    }
    return f;
}

/* The ends of the flights of the lanes where the method takes them: x, v and the part f. */
static NOINLINE void fly_all_to(const wall *walls, int D, const travel *t, vm lanes, const flight *s, const meeting *m, vr *f, vr *x,
                                vr *v) {
    real of[LANES], surface[LANES], part[LANES], to_x[3][LANES], to_v[3][LANES];
    v_store(of, v_select(lanes, v_set1(1), v_set1(0)));
    v_store(surface, m->surface);
    v_store(part, *f);
    FOR_AXES(i, D) {
        v_store(to_x[i], x[i]);
        v_store(to_v[i], v[i]);
    }
    for (int lane = 0; lane < LANES; ++lane) {
        if (of[lane] != 0 && is_particle(t, lane)) {
            real one_x[3] = {0}, one_v[3] = {0};
            part[lane] = fly_to(&walls[(size_t)surface[lane]], D, t, s, m, lane, one_x, one_v);
            for (int i = 0; i < D; ++i) {
                to_x[i][lane] = one_x[i];
                to_v[i][lane] = one_v[i];
            }
        }
    }
    *f = v_load(part);
    FOR_AXES(i, D) {
        x[i] = v_load(to_x[i]);
        v[i] = v_load(to_v[i]);
    }
}

/* What is left of the flights of the lanes, by the method. */
static NOINLINE void fly_on(int D, const travel *t, vm lanes, flight *s) {
    real of[LANES], left[LANES], x[3][LANES], v[3][LANES];
    v_store(of, v_select(m_and(lanes, v_less(v_set1(0), s->left)), v_set1(1), v_set1(0)));
    v_store(left, s->left);
    FOR_AXES(i, D) {
        v_store(x[i], s->x0[i]);
        v_store(v[i], s->v0[i]);
    }
    const vm flown = v_less(v_set1(0), v_load(of));
    for (int lane = 0; lane < LANES; ++lane) {
        if (of[lane] != 0 && is_particle(t, lane)) {
            real one_x[3] = {0}, one_v[3] = {0};
            for (int i = 0; i < D; ++i) {
                one_x[i] = x[i][lane];
                one_v[i] = v[i][lane];
            }
            fly(D, t, lane, 1 - (double)left[lane], (double)left[lane], one_x, one_v);
            for (int i = 0; i < D; ++i) {
                x[i][lane] = one_x[i];
                v[i][lane] = one_v[i];
            }
        }
    }
    FOR_AXES(i, D) {
        s->x[i] = v_select(flown, v_load(x[i]), s->x[i]);
        s->v[i] = v_select(flown, v_load(v[i]), s->v[i]);
        const vr bend = mul_add(opposite(s->time), s->v0[i], v_sub(s->x[i], s->x0[i]));
        s->bend[i] = v_select(flown, bend, s->bend[i]);
        s->turn[i] = v_select(flown, v_sub(s->v[i], s->v0[i]), s->turn[i]);
    }
}

/* What landing on one more surface leaves of the velocity of particles that rest on others: what lies along all of them. */
static NOINLINE void land_between(int D, vm lanes, const meeting *m, support *r, travel *t, vr *v) {
    vr demand[3], add[3], lost[3], sum[3];
    vm marks[3];
    EACH(k, 3) {
        const vm here = m_and(lanes, v_equal(r->count, v_set1((real)k)));
        FOR_AXES(j, D) { r->n[k][j] = v_select(here, m->n[j], r->n[k][j]); }
    }
    r->count = v_select(lanes, v_add(r->count, v_set1(1)), r->count);
    EACH(k, 3) { demand[k] = demand_of(r, k, dot_of(D, v, r->n[k])); }
    nearest_in_cone(D, r, demand, add, marks);
    FOR_AXES(i, D) {
        vr after = v[i];
        EACH(k, 3) { after = v_select(v_less(v_set1((real)k), r->count), mul_add(add[k], r->n[k][i], after), after); }
        lost[i] = v_sub(v[i], after);
        sum[i] = v_add(v[i], after);
        v[i] = v_select(lanes, after, v[i]);
    }
    count_taken(t, KDR_RESTITUTION, lanes, v_mul(v_set1((real)0.5), dot_of(D, lost, sum)));
}

/* Bounces and landings end the flights of the lanes, and the next ones begin. */
static NOINLINE void take_off(const wall *walls, size_t count, int D, vm lanes, vm bounces, const flight *path, const meeting *m,
                              support *r, travel *t, flight *s) {
    const kdr_job *const job = t->tile->job;
    const vr zero = v_set1(0), one = v_set1(1);
    vr f = m->f, x[3], v[3], before[3], way[3], n[3];
    FOR_AXES(i, D) {
        x[i] = place_at(path, i, f);
        v[i] = velocity_at(path, i, f);
        way[i] = v_sub(x[i], s->x0[i]);
    }
    const vm flown = is_parabola(job) ? m_none() : m_and(m_and(lanes, v_less(zero, f)), v_at_most(r->count, zero));
    const vm rubbed = m_but(m_and(m_and(lanes, v_less(zero, f)), v_less(zero, r->taken)), flown);
    if (m_any(rubbed)) {
        count_taken(t, KDR_FRICTION, rubbed, positive_or_zero(v_div(dot_of(D, r->lost, way), s->time)));
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
        put_on(w, D, here, m->face, x, n);
        FOR_AXES(j, D) { before[j] = v[j]; }
        const vr minus_bounce = v_select(bounces, v_set1(w->minus_bounce), v_set1(-1));
        reflect(w, D, m_but(here, between), minus_bounce, n, t, v);
        const vm noted = m_but(m_and(here, bounces), t->gone);
        if (job->recorder && m_any(noted)) {
            note_bounces(D, t, i, noted, mul_add(f, s->left, v_sub(one, s->left)), x, before, v);
        }
    }
    if (m_any(between)) {
        land_between(D, between, m, r, t, v);
    }
    t->bounces = v_select(m_and(lanes, bounces), v_add(t->bounces, one), t->bounces);
    go_on(D, lanes, f, t->h, x, v, s);
    if (!is_parabola(job)) {
        fly_on(D, t, lanes, s);
    }
}

/* Some lane may make contact. Of outer spheres and boxes, whose inside the way may cross, by the box around both ends of it. */
INLINE bool wall_near(const wall *w, int D, vm lanes, const vr *x0, const vr *x) {
    const vr zero = v_set1(0);
    vr r[3];
    vm out = m_none();
    if (w->kind == KDR_COLLIDER_PLANE) {
        return m_any(m_and(lanes, v_less(gap_of_plane(w, D, x), zero)));
    }
    if (w->kind == KDR_COLLIDER_SPHERE && w->inside) {
        return m_any(m_and(lanes, v_less(zero, sphere_excess(w, D, x, r))));
    }
    if (w->kind == KDR_COLLIDER_BOX && w->inside) {
        FOR_AXES(i, D) { out = m_or(out, m_or(v_less(x[i], v_set1(w->low[i])), v_less(v_set1(w->high[i]), x[i]))); }
        return m_any(m_and(lanes, out));
    }
    if (w->kind == KDR_COLLIDER_BOX || w->kind == KDR_COLLIDER_SPHERE) {
        return m_any(m_but(lanes, box_passes(w, D, x0, x)));
    }
    return w->kind != KDR_WALL_NONE;
}

INLINE bool walls_near(const wall *walls, size_t count, int D, vm lanes, const vr *x0, const vr *x) {
    bool near = false;
    for (size_t i = 0; i < count && !near; ++i) {
        near = wall_near(&walls[i], D, lanes, x0, x);
    }
    return near;
}

/* The support of particles that rest on nothing yet. */
INLINE void rest_on_nothing(support *r) {
    r->count = r->taken = v_set1(0);
    EACH(k, 3) { /* all: a loop over some axes would be a call that is slower */
        r->rubs[k] = r->is_coulomb[k] = m_none();
        r->lost[k] = v_set1(0);
        EACH(i, 3) { r->n[k][i] = v_set1(0); }
    }
}

INLINE void keep_meeting(int D, vm lanes, const meeting *from, meeting *to) {
    to->f = v_select(lanes, from->f, to->f);
    to->surface = v_select(lanes, from->surface, to->surface);
    to->face = v_select(lanes, from->face, to->face);
    FOR_AXES(i, D) { to->n[i] = v_select(lanes, from->n[i], to->n[i]); }
}

/* From surface to surface, in order of time: off those that are met fast, along those that the particles rest on. */
static NOINLINE void collide(const wall *walls, size_t count, int D, travel *t) {
    const vr zero = v_set1(0);
    flight s = flight_of(D, t), held;
    vm flies = m_every();
    support r;
    meeting m, last; /* the last is that which ends the flight */
    last.f = last.surface = last.face = last.n[0] = last.n[1] = last.n[2] = zero;
    for (int flights = 0; flights <= MOST_FLIGHTS && m_any(flies); ++flights) {
        vm searches = flies, taken_off = m_none(), bounces = m_none();
        const flight *path = &s;
        rest_on_nothing(&r);
        for (int rests = 0; rests < MOST_RESTS; ++rests) {
            if (!walls_near(walls, count, D, searches, path->x0, path->x)) {
                break;
            }
            find_first(walls, count, D, path, searches, &r, &m);
            searches = m_and(searches, m.found);
            if (!m_any(searches)) {
                break;
            }
            t->hit = m_or(t->hit, searches);
            const vr change = v_sub(dot_of(D, path->v, m.n), dot_of(D, path->v0, m.n));
            const vm lies = m_and(m.touches, lies_still(change, m.begin));
            const vm fast = m_and(v_less(m.at, zero), v_less(m.at, v_mul(m.rests_below, change)));
            const vm bounce = m_and(searches, m_or(m.passes, fast));
            const vm comes = m_or(bounce, m_but(m_and(searches, v_less(m.at, v_mul(v_set1(SLOW), change))), lies)),
                     rest = m_but(searches, comes);
            keep_meeting(D, comes, &m, &last);
            bounces = m_or(bounces, bounce);
            taken_off = m_or(taken_off, comes);
            if (!m_any(rest)) {
                break;
            }
            if (path == &s) {
                held = s;
                path = &held;
            }
            rest_on(walls, count, D, rest, &s, &m, &r);
            hold_on_surfaces(D, rest, &s, &r, &held);
            searches = m_and(rest, v_less(r.count, v_set1((real)D)));
        }
        const vm ended = flights < MOST_FLIGHTS ? m_but(flies, taken_off) : flies;
        count_taken(t, KDR_FRICTION, ended, r.taken);
        FOR_AXES(i, D) {
            t->x[i] = v_select(ended, v_select(taken_off, s.x0[i], path->x[i]), t->x[i]);
            t->v[i] = v_select(ended, v_select(taken_off, s.v0[i], path->v[i]), t->v[i]);
        }
        flies = m_but(flies, ended);
        if (!m_any(flies)) {
            break;
        }
        take_off(walls, count, D, flies, bounces, path, &last, &r, t, &s);
        const vm over = m_but(flies, v_less(zero, s.left));
        FOR_AXES(i, D) {
            t->x[i] = v_select(over, s.x0[i], t->x[i]);
            t->v[i] = v_select(over, s.v0[i], t->v[i]);
        }
        flies = m_but(flies, over);
    }
}

static NOINLINE void walls_meet(const wall *walls, size_t count, int D, travel *t) {
    t->hit = m_none();
    t->bounces = t->taken[KDR_RESTITUTION] = t->taken[KDR_FRICTION] = v_set1(0);
    collide(walls, count, D, t);
    if (m_any(t->hit)) {
        vr x[3];
        FOR_AXES(i, D) { x[i] = t->x[i]; }
        for (size_t i = 0; i < count; ++i) {
            keep_at_wall(&walls[i], D, x);
        }
        FOR_AXES(i, D) { t->x[i] = v_select(t->hit, x[i], t->x[i]); }
    }
}

/* Adds the bounces of vector n of the tile to the particles' counts, and what contacts took to their sums. Those that are `gone` have made
 * none. */
static NOINLINE void count_contacts(const kdr_tile *tile, unsigned mass_column, int n, vm gone, const travel *t) {
    const kdr_job *const job = tile->job;
    const vm counted = m_but(t->hit, gone);
    real number[LANES], mass[LANES], taken[2][LANES];
    v_store(number, v_select(counted, t->bounces, v_set1(0)));
    v_store(mass, mass_column == KDR_NO_COLUMN ? v_set1(1) : get(column(tile, mass_column), n));
    EACH(k, 2) { v_store(taken[k], v_select(counted, t->taken[k], v_set1(0))); }
    for (int i = 0; i < LANES; ++i) {
        const size_t at = (size_t)n * LANES + (size_t)i, index = tile->first + at;
        if (at >= tile->count || mass[i] == 0) {
            continue;
        }
        if (job->hits && number[i] > 0) {
            uint32_t hits;
            memcpy(&hits, (char *)(void *)job->hits + index * sizeof hits, sizeof hits);
            hits += (uint32_t)number[i];
            memcpy((char *)(void *)job->hits + index * sizeof hits, &hits, sizeof hits);
        }
        for (int k = 0; k < 2; ++k) {
            if (job->dissipated[k] && taken[k][i] != 0) {
                char *const there = (char *)(void *)job->dissipated[k] + index * sizeof(double);
                double sum;
                memcpy(&sum, there, sizeof sum);
                sum += (double)taken[k][i] / (double)mass[i];
                memcpy(there, &sum, sizeof sum);
            }
        }
    }
}

/* The box in which nothing is done. Its numbers stand behind those of the border of each axis: low, high, minus its size, its size, the
 * inverse. */
typedef struct clearing {
    vr low[3], high[3];
} clearing;

INLINE clearing clearing_of(int D, const real *number) {
    clearing c;
    EACH(i, D) {
        c.low[i] = v_set1(number[15 + 2 * i]);
        c.high[i] = v_set1(number[15 + 2 * i + 1]);
    }
    return c;
}

/* Puts a vector's positions back by whole periods; returns the lanes where it did. `taken`: how many, an axis each. */
static NOINLINE vm wrap(int D, const real *number, vr *x, vr *taken) {
    vm hit = m_none();
    for (int i = 0; i < D; ++i) {
        const vr low = v_set1(number[5 * i]), high = v_set1(number[5 * i + 1]), here = x[i];
        const vm out = m_or(v_less(here, low), v_at_most(high, here));
        const vr rounder = v_set1(ROUNDER), periods = v_mul(v_sub(here, low), v_set1(number[5 * i + 4]));
        const vr whole = v_sub(v_add(periods, rounder), rounder);
        vr back = mul_add(v_set1(number[5 * i + 2]), whole, here);
        const vm below = v_less(back, low);
        back = v_select(below, v_add(back, v_set1(number[5 * i + 3])), back);
        taken[i] = v_select(below, v_sub(whole, v_set1(1)), whole);
        taken[i] = v_select(v_at_most(high, back), v_add(taken[i], v_set1(1)), taken[i]); /* it goes to `low` */
        taken[i] = v_select(out, taken[i], v_set1(0));
        back = v_select(m_and(v_at_most(low, back), v_less(back, high)), back, low);
        x[i] = v_select(out, back, here);
        hit = m_or(hit, out);
    }
    return hit;
}

/* Adds the periods that vector n of the tile was put back by to the particles' counts. */
static NOINLINE void count_periods(const kdr_tile *tile, unsigned mass_column, int n, const vr *taken) {
    real mass[LANES], periods[LANES];
    v_store(mass, mass_column == KDR_NO_COLUMN ? v_set1(1) : get(column(tile, mass_column), n));
    for (int axis = 0; axis < tile->dims; ++axis) {
        v_store(periods, taken[axis]);
        for (int i = 0; i < LANES; ++i) {
            const size_t at = (size_t)n * LANES + (size_t)i;
            if (at < tile->count && mass[i] != 0 && periods[i] != 0 && periods[i] > -2147483648.0F && periods[i] < 2147483648.0F) {
                char *const there = (char *)(void *)tile->job->images[axis] + (tile->first + at) * sizeof(uint32_t);
                uint32_t image; /* counts modulo 2^32 */
                memcpy(&image, there, sizeof image);
                image += (uint32_t)(int32_t)periods[i];
                memcpy(there, &image, sizeof image);
            }
        }
    }
}

/* All lanes are where nothing is done after a step. */
INLINE bool is_clear(int D, const clearing *c, const vr *x) {
    vm within = v_less(c->low[0], x[0]);
    EACH(i, D) { within = m_and(within, m_and(v_less(c->low[i], x[i]), v_less(x[i], c->high[i]))); }
    return m_all(within);
}

/* The lanes that an absorbing boundary holds. */
INLINE vm absorbed(int D, const real *number, const vr *x0) {
    vm gone = m_none();
    FOR_AXES(i, D) { gone = m_or(gone, m_or(v_less(x0[i], v_set1(number[5 * i])), v_less(v_set1(number[5 * i + 1]), x0[i]))); }
    return gone;
}

/* No lane is hit or held. */
INLINE void clear_marks(const kdr_tile *tile, const kdr_instruction *line) { memset(column(tile, line->out), 0, 2 * tile->column); }

/* What becomes of vector n: contacts, the boundary, and what an absorbing one holds. Marks the lanes that were changed in `out`, by 1 where
 * something was met and by 2 where a period alone put them back, and those that are held behind it. One for any number of axes. */
static NOINLINE void walls_of_vector(int D, kdr_tile *tile, const kdr_instruction *line, int n, const vr *begin, vr *end) {
    const kdr_job *const job = tile->job;
    const unsigned terms = job->terms;
    const real *const number = numbers(tile, line->number);
    const wall *const walls = job->walls;
    char *const x = column(tile, line->x), *const v = column(tile, line->v);
    const char *const v0 = column(tile, line->other) + (size_t)D * tile->column;
    const int T = tile->vectors;
    vm hit = m_none(), renamed = m_none(), gone = (terms & KDR_TERM_ABSORBING) ? absorbed(D, number, begin) : m_none();
    if ((terms & KDR_TERM_COLLIDERS) && walls_near(walls, job->wall_count, D, m_every(), begin, end)) {
        travel t;
        t.h = (real)job->dt;
        t.tile = tile;
        t.vector = n;
        t.mass_column = line->list;
        t.gone = gone;
        FOR_AXES(i, D) {
            t.x0[i] = begin[i];
            t.v0[i] = get(v0, i * T + n);
            t.x[i] = end[i];
            t.v[i] = get(v, i * T + n);
        }
        walls_meet(walls, job->wall_count, D, &t);
        FOR_AXES(i, D) {
            end[i] = t.x[i];
            put(v, i * T + n, t.v[i]);
        }
        hit = t.hit;
        if ((job->hits || job->dissipated[0] || job->dissipated[1]) && m_any(t.hit)) {
            count_contacts(tile, line->list, n, gone, &t);
        }
    }
    if (terms & KDR_TERM_PERIODIC) {
        vr back[3], taken[3];
        FOR_AXES(i, D) { back[i] = end[i]; }
        renamed = wrap(D, number, back, taken);
        if (job->images[0] && m_any(renamed)) {
            count_periods(tile, line->list, n, taken);
        }
        FOR_AXES(i, D) { end[i] = back[i]; }
    }
    FOR_AXES(i, D) {
        put(x, i * T + n, v_select(gone, begin[i], end[i]));
        put(v, i * T + n, v_select(gone, get(v0, i * T + n), get(v, i * T + n)));
    }
    put(column(tile, line->out), n, v_select(hit, v_set1(1), v_select(renamed, v_set1(2), v_set1(0))));
    put(column(tile, line->out + 1U), n, v_select(gone, v_set1(1), v_set1(0)));
    tile->state |= m_any(m_or(m_or(hit, renamed), gone)) ? KDR_WHEN_HIT : 0U;
}

INLINE void walls_on(int D, kdr_tile *tile, const kdr_instruction *line) {
    const clearing c = clearing_of(D, numbers(tile, line->number));
    const bool absorbing = (tile->job->terms & KDR_TERM_ABSORBING) != 0;
    const char *const x = column(tile, line->x), *const x0 = column(tile, line->other);
    const int T = tile->vectors;
    bool marked = false;
    for (int n = 0; n < T; ++n) {
        vr begin[3], end[3];
        EACH(i, D) { end[i] = get(x, i * T + n); }
        bool clear = is_clear(D, &c, end);
        if (clear && !absorbing) {
            continue;
        }
        EACH(i, D) { begin[i] = get(x0, i * T + n); }
        if (absorbing) {
            clear = clear && is_clear(D, &c, begin);
        }
        if (!clear) {
            if (!marked) {
                clear_marks(tile, line);
                marked = true;
            }
            walls_of_vector(D, tile, line, n, begin, end);
        }
    }
}

/* A plane alone, whose contacts nobody counts: the ground. What rests on it meets it at every step. */
INLINE bool is_ground(const kdr_job *job) {
    const wall *const walls = job->walls;
    return job->wall_count == 1 && walls->kind == KDR_COLLIDER_PLANE && !walls->rubs &&
           !(job->terms & (KDR_TERM_PERIODIC | KDR_TERM_ABSORBING)) && !job->fly && !job->hits && !job->dissipated[0] &&
           !job->dissipated[1] && !job->recorder;
}

INLINE void ground_on(int D, kdr_tile *tile, const kdr_instruction *line) {
    const wall *const w = tile->job->walls;
    char *const x = column(tile, line->x), *const v = column(tile, line->v);
    const char *const x0 = column(tile, line->other), *const v0 = column(tile, line->other + (unsigned)D);
    const int T = tile->vectors;
    clear_marks(tile, line);
    for (int n = 0; n < T; ++n) {
        travel t;
        EACH(i, D) { t.x[i] = get(x, i * T + n); }
        const vr gap = plane_gap(w, D, t.x);
        const vm hit = v_less(gap, v_set1(0));
        if (!m_any(hit)) {
            continue;
        }
        EACH(i, D) {
            t.x0[i] = get(x0, i * T + n);
            t.v0[i] = get(v0, i * T + n);
            t.v[i] = get(v, i * T + n);
        }
        t.h = (real)tile->job->dt;
        meet_ground_alone(w, D, hit, gap, &t);
        EACH(i, D) {
            put(x, i * T + n, t.x[i]);
            put(v, i * T + n, t.v[i]);
        }
        put(column(tile, line->out), n, v_select(hit, v_set1(1), v_set1(0)));
        tile->state |= KDR_WHEN_HIT;
    }
}

/* Marks are read where some lane has one; by estimates; and in coupled runs, which carry out all lines, and set no state. */
static void op_walls(kdr_tile *tile, const kdr_instruction *line) {
    tile->state &= ~(unsigned)KDR_WHEN_HIT;
    if ((tile->state & (KDR_WHEN_STEPPING | KDR_WHEN_ESTIMATING)) != KDR_WHEN_STEPPING) {
        clear_marks(tile, line);
    }
    if (is_ground(tile->job)) {
        ON_AXES(tile, ground_on, tile, line);
    } else {
        ON_AXES(tile, walls_on, tile, line);
    }
}

/* Where a particle was changed its compensations are 0, and its kept acceleration is the fresh one (`x`) if `count` says so; where it is
 * held, they are what they were (`number`, `list`). */
static void op_settle(kdr_tile *tile, const kdr_instruction *line) {
    const char *const hits = column(tile, line->v), *const held = hits + tile->column;
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        const vm hit = v_less(v_set1(0), get(hits, n)), gone = v_less(v_set1(0), get(held, n));
        const vm renamed = v_less(v_set1(1), get(hits, n));
        const vm fresh = line->count == KDR_SETTLE_MET ? m_but(hit, renamed) : line->count == KDR_SETTLE_RENAMED ? renamed : hit;
        if (!m_any(m_or(hit, gone))) {
            continue;
        }
        for (int i = 0; i < tile->dims && line->out != KDR_NO_COLUMN; ++i) {
            char *const a = column(tile, line->out);
            vr value = v_select(fresh, get(column(tile, line->x), i * T + n), get(a, i * T + n));
            if (line->number != KDR_NO_COLUMN) {
                value = v_select(gone, get(column(tile, line->number), i * T + n), value);
            }
            put(a, i * T + n, value);
        }
        for (int i = 0; i < 2 * tile->dims && line->other != KDR_NO_COLUMN; ++i) {
            char *const c = column(tile, line->other);
            vr value = v_select(hit, v_set1(0), get(c, i * T + n));
            if (line->list != KDR_NO_COLUMN) {
                value = v_select(gone, get(column(tile, line->list), i * T + n), value);
            }
            put(c, i * T + n, value);
        }
    }
}
