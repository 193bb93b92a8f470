/* From surface to surface: flights of a vector of particles, in the order that force/collider.h sets. */

/* Takes the surfaces that are met into the support of the lanes, each with its normal where the flight ends. */
static NOINLINE void rest_on(const wall *walls, size_t count, int D, vm lanes, const flight *s, const meeting *m, support *r) {
    for (size_t i = 0; i < count; ++i) {
        const vm on = m_and(lanes, v_equal(m->surface, v_set1((real)i)));
        if (!m_any(on)) {
            continue;
        }
        const wall *const w = &walls[i];
        vr n[3];
        put_on(w, D, m_but(on, m->touches), m->face, r->met, n);
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
    r->count = r->taken = r->f = v_set1(0);
    EACH(k, 3) { /* all: a loop over some axes would be a call that is slower */
        r->rubs[k] = r->is_coulomb[k] = m_none();
        r->lost[k] = r->met[k] = v_set1(0);
        EACH(i, 3) { r->n[k][i] = v_set1(0); }
    }
}

INLINE void keep_meeting(int D, vm lanes, const meeting *from, meeting *to) {
    to->f = v_select(lanes, from->f, to->f);
    to->surface = v_select(lanes, from->surface, to->surface);
    to->face = v_select(lanes, from->face, to->face);
    FOR_AXES(i, D) { to->n[i] = v_select(lanes, from->n[i], to->n[i]); }
}

/* What becomes of a flight: its path, the lanes that are thrown off a surface at `last`, and those of them that bounce. */
typedef struct fate {
    const flight *path;
    flight held;
    support on;
    meeting last;
    vm thrown, bounces;
} fate;

/* Sorts the lanes that meet something. Returns those that are held. */
INLINE vm sort(int D, vm lanes, meeting *m, fate *f) {
    const vr change = v_sub(dot_of(D, f->path->v, m->n), dot_of(D, f->path->v0, m->n));
    const vm lies = m_and(m->touches, lies_still(change, m->begin));
    const vm fast = m_and(v_less(m->at, v_set1(0)), v_less(m->at, v_mul(m->rests_below, change)));
    const vm bounce = m_and(lanes, m_or(m->passes, fast)), lands = m_and(lanes, v_less(m->at, v_mul(v_set1(SLOW), change)));
    const vm thrown = m_or(bounce, m_but(lands, m_or(lies, m->rubs)));
    keep_meeting(D, thrown, m, &f->last);
    f->bounces = m_or(f->bounces, bounce);
    f->thrown = m_or(f->thrown, thrown);
    m->f = v_select(lies, v_set1(0), m->f);
    return m_but(lanes, thrown);
}

/* Holds a flight on one surface after the other, until nothing more is met or something ends it. */
static NOINLINE void settle_flight(const wall *walls, size_t count, int D, vm lanes, const flight *s, travel *t, fate *f) {
    meeting m;
    f->path = s;
    f->thrown = f->bounces = m_none();
    rest_on_nothing(&f->on);
    for (int rests = 0; rests < MOST_RESTS; ++rests) {
        if (!walls_near(walls, count, D, lanes, f->path->x0, f->path->x)) {
            return;
        }
        find_first(walls, count, D, f->path, lanes, &f->on, &m);
        lanes = m_and(lanes, m.found);
        if (!m_any(lanes)) {
            return;
        }
        t->hit = m_or(t->hit, lanes);
        lanes = sort(D, lanes, &m, f);
        if (!m_any(lanes)) {
            return;
        }
        if (f->path == s) {
            f->held = *s;
            f->path = &f->held;
        }
        count_taken(t, KDR_RESTITUTION, lanes, energy_between(v_min(m.at, v_set1(0)), v_set1(0)));
        f->on.f = v_select(lanes, m.f, f->on.f);
        FOR_AXES(i, D) { f->on.met[i] = v_select(lanes, place_at(f->path, i, m.f), f->on.met[i]); }
        rest_on(walls, count, D, lanes, s, &m, &f->on);
        hold_on_surfaces(D, lanes, s, &f->on, &f->held);
        lanes = m_and(lanes, v_less(f->on.count, v_set1((real)D)));
    }
}

/* From surface to surface, in order of time: off those that are met fast, along those that the particles rest on. */
static NOINLINE void collide(const wall *walls, size_t count, int D, travel *t) {
    const vr zero = v_set1(0);
    flight s = flight_of(D, t);
    vm flies = m_every();
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
}
