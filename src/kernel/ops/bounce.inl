/* Bounces off a plane without friction, and functions shared with other surfaces. The order of operations is that of force/collider.h. */

enum { MOST_FLIGHTS = 64, MOST_RESTS = 8 }; /* flights of a step, after the first; surfaces that are examined in a flight */

/* A vector of particles that a step, or a drift, has taken from x0, v0 to x, v. */
typedef struct travel {
    vr x0[3], v0[3], x[3], v[3];
    vm hit;           /* lanes that made contact */
    vr bounces;       /* number of bounces */
    vr taken[2];      /* kinetic energy per unit of mass that restitution and friction took */
    real h;           /* length of the step or drift */
    bool drifts;      /* a drift: no force bends the path */
    real begin, span; /* beginning and length of the drift, as fractions of the step */
    double end;       /* time at the end of the step or drift, for moving surfaces */
    const kdr_tile *tile;
    int vector;           /* index of the vector in the tile */
    unsigned mass_column; /* may be KDR_NO_COLUMN */
    vr radius;            /* radii of the particles, for colliders */
    vm pulls;             /* lanes whose `pull`, the acceleration by other particles in the step, is known */
    vr pull[3];
    vm bound; /* lanes that meet walls as parts of molecules, and not here */
    vm gone;  /* lanes held outside an absorbing boundary, which make no contact */
} travel;

/* A part of a step between two bounces: from x0, v0 to x, v, unless something is met. */
typedef struct flight {
    vr x0[3], v0[3], x[3], v[3];
    vr bend[3], turn[3]; /* x - x0 - time v0; v - v0 */
    vr radius;           /* radius of the particle */
    vr time, left;       /* length; and length as a fraction of the step or drift, at whose end the flight ends */
    double end;          /* time at the end of the flight, for moving surfaces */
} flight;

INLINE vr dot(int D, const vr *a, const vr *b) {
    vr sum = v_mul(a[0], b[0]);
    EACH(i, D - 1) { sum = mul_add(a[i + 1], b[i + 1], sum); }
    return sum;
}

/* Returns a . b, in functions that are compiled once for any number of axes. */
INLINE vr dot_of(int D, const vr *a, const vr *b) {
    vr sum = v_mul(a[0], b[0]);
    for (int i = 1; i < D; ++i) {
        sum = mul_add(a[i], b[i], sum);
    }
    return sum;
}

INLINE vr opposite(vr a) { return v_sub(v_set1(0), a); }

INLINE vr plane_gap(const wall *w, int D, const vr *x) {
    vr gap = v_set1(-w->offset);
    EACH(i, D) { gap = mul_add(v_set1(w->normal[i]), x[i], gap); }
    return gap;
}

INLINE void set_course(int D, flight *s) {
    EACH(i, D) {
        s->bend[i] = mul_add(opposite(s->time), s->v0[i], v_sub(s->x[i], s->x0[i]));
        s->turn[i] = v_sub(s->v[i], s->v0[i]);
    }
}

INLINE flight flight_of(int D, const travel *t) {
    flight s = {.time = v_set1(t->h), .left = v_set1(1)};
    EACH(i, D) {
        s.x0[i] = t->x0[i];
        s.v0[i] = t->v0[i];
        s.x[i] = t->x[i];
        s.v[i] = t->v[i];
    }
    set_course(D, &s);
    return s;
}

/* Returns a coordinate after fraction f of a flight, which is a parabola. */
INLINE vr place_at(const flight *s, int i, vr f) { return mul_add(f, mul_add(f, s->bend[i], v_mul(s->time, s->v0[i])), s->x0[i]); }

INLINE vr velocity_at(const flight *s, int i, vr f) { return mul_add(f, s->turn[i], s->v0[i]); }

INLINE vr positive_or_zero(vr a) { return v_max(a, v_set1(0)); }

INLINE vr clamp_to_one(vr f) { return v_min(positive_or_zero(f), v_set1(1)); }

/* Returns where the parabola gap0 + rate f + curve f^2 reaches 0 from above. If it begins at 0 or below and rises, returns where it
 * comes back. */
INLINE vr root_of(vr gap0, vr rate, vr curve) {
    const vr zero = v_set1(0);
    const vr inner = mul_add(v_mul(v_set1(-4), curve), gap0, v_mul(rate, rate)), root = v_sqrt(positive_or_zero(inner));
    const vm later = m_and(v_at_most(zero, rate), m_and(v_less(curve, zero), v_at_most(zero, inner)));
    const vr second = v_div(v_add(rate, root), v_mul(v_set1(-2), curve)), first = v_div(v_mul(v_set1(2), gap0), v_sub(root, rate));
    return v_select(later, second, v_select(v_less(zero, gap0), first, zero));
}

/* Returns the fraction of a flight after which it meets a surface at distance `gap0`: 0 for a particle that touches the surface and
 * approaches. */
INLINE vr met_after(vm touches, vr gap0, vr rate, vr curve) {
    const vm at_once = m_and(touches, v_less(rate, v_set1(0)));
    return v_select(at_once, v_set1(0), clamp_to_one(root_of(gap0, rate, curve)));
}

/* Returns the tolerance within which a particle at x touches the surface. */
INLINE vr room_at(const wall *w, int D, const vr *x) {
    vr size = v_set1(0);
    EACH(i, D) { size = v_add(size, v_max(x[i], opposite(x[i]))); }
    return mul_add(v_set1(ROOM), size, v_set1(w->room));
}

/* Begins the next flight at x, v, after fraction f of this one. Its path is the rest of the same parabola. */
INLINE void go_on(int D, vm lanes, vr f, real h, const vr *x, const vr *v, flight *s) {
    const vr one = v_set1(1), after = v_sub(one, f), square = v_mul(after, after);
    s->left = v_select(lanes, v_mul(after, s->left), s->left);
    s->time = v_select(lanes, v_mul(v_set1(h), s->left), s->time);
    const vm more = v_less(v_set1(0), s->left);
    EACH(i, D) {
        s->x0[i] = v_select(lanes, x[i], s->x0[i]);
        s->v0[i] = v_select(lanes, v[i], s->v0[i]);
        s->bend[i] = v_select(lanes, v_mul(square, s->bend[i]), s->bend[i]);
        s->turn[i] = v_select(lanes, v_mul(after, s->turn[i]), s->turn[i]);
        s->x[i] = v_select(lanes, v_select(more, place_at(s, i, one), s->x0[i]), s->x[i]);
        s->v[i] = v_select(lanes, v_select(more, velocity_at(s, i, one), s->v0[i]), s->v[i]);
    }
}

/* Moves particles back that another surface has pushed beyond this plane. */
INLINE void keep_behind_plane(const wall *w, int D, vr radius, vr *x) {
    for (int time = 0; time < 2; ++time) {
        vr gap = v_sub(v_set1(-w->offset), radius);
        EACH(i, D) { gap = mul_add(v_set1(w->normal[i]), x[i], gap); }
        const vm out = v_less(gap, v_set1(0));
        if (!m_any(out)) {
            return;
        }
        EACH(i, D) { x[i] = v_select(out, mul_add(opposite(gap), v_set1(w->normal[i]), x[i]), x[i]); }
    }
}

/* Returns |begin| <= |slow|; `slow` is negative. */
INLINE vm is_within(vr slow, vr begin) { return m_and(v_at_most(slow, begin), v_at_most(begin, opposite(slow))); }

/* Returns the negative velocity along the normal below which it counts as rounding: compared with the forces' `change` of it in the flight,
 * or with the speed. */
INLINE vr slow_for(int D, vr change, const vr *v) {
    const vr slow = v_mul(v_set1(SLOW), change), least = v_mul(v_set1(-ROOM), v_sqrt(dot_of(D, v, v)));
    return v_select(v_less(slow, least), slow, least);
}

INLINE vr negative_or_zero(vr a) { return v_select(v_less(a, v_set1(0)), a, v_set1(0)); }

/* Holds particles on a plane without friction, where the free step has taken them to `gap` < 0, beyond the plane. */
INLINE void stay_on(const wall *w, int D, vm held, vr gap, vr across, const vr *x0, const vr *v0, vr *x, vr *v) {
    const vr zero = v_set1(0);
    const vm pressed = m_and(held, v_less(across, zero));
    const vm still = D == 1 ? m_and(pressed, m_and(v_at_most(v0[0], zero), v_at_most(zero, v0[0]))) : m_none();
    EACH(i, D) {
        const vr n = v_set1(w->normal[i]);
        x[i] = v_select(m_but(held, still), mul_add(opposite(gap), n, x[i]), v_select(still, x0[i], x[i]));
        v[i] = v_select(pressed, mul_add(opposite(across), n, v[i]), v[i]);
    }
}

/* Has the lanes `behind`, whose step ends beyond the plane, bounce, land or stay. There is no other surface. */
static NOINLINE void bounce_off_ground(const wall *w, int D, vm behind, travel *t) {
    const vr zero = v_set1(0);
    vr n[3] = {zero, zero, zero}, x[3] = {zero, zero, zero}, v[3] = {zero, zero, zero};
    vm flies = behind;
    EACH(i, D) { n[i] = v_set1(w->normal[i]); }
    flight s = flight_of(D, t);
    for (int flights = 0;; ++flights) {
        const vr gap = plane_gap(w, D, s.x);
        flies = m_and(flies, v_less(gap, zero));
        if (!m_any(flies)) {
            break;
        }
        const vr gap0 = plane_gap(w, D, s.x0), toward = dot(D, s.v0, n), across = dot(D, s.v, n), change = v_sub(across, toward);
        const vr slow = slow_for(D, change, s.v);
        const vm touches = v_at_most(gap0, room_at(w, D, s.x0)), lies = m_and(touches, is_within(slow, toward));
        const vr rate = v_mul(s.time, toward), f = met_after(touches, gap0, rate, v_sub(v_sub(gap, gap0), rate));
        EACH(i, D) { v[i] = velocity_at(&s, i, f); }
        const vr at = dot(D, v, n);
        const vm fast = m_and(v_less(at, zero), v_less(at, v_mul(v_set1(w->rests_below), change))),
                 bounces = m_and(flies, w->rests_below < 1 ? fast : m_but(fast, lies));
        const vm held = m_but(flies, m_or(bounces, m_but(v_less(at, negative_or_zero(slow)), lies))), comes = m_but(flies, held);
        stay_on(w, D, held, gap, across, s.x0, s.v0, s.x, s.v);
        if (!m_any(comes)) {
            break;
        }
        if (flights == MOST_FLIGHTS) {
            EACH(i, D) {
                s.x[i] = v_select(comes, s.x0[i], s.x[i]);
                s.v[i] = v_select(comes, s.v0[i], s.v[i]);
            }
            break;
        }
        EACH(i, D) { x[i] = place_at(&s, i, f); }
        const vr off = plane_gap(w, D, x), push = v_mul(v_select(bounces, v_set1(w->minus_bounce), v_set1(-1)), at);
        const vr kept = mul_add(v_set1(w->minus_friction_normal), v_add(at, push), v_add(at, push)), added = v_sub(kept, at);
        EACH(i, D) {
            x[i] = mul_add(opposite(off), n[i], x[i]);
            v[i] = mul_add(added, n[i], v[i]);
        }
        go_on(D, comes, f, t->h, x, v, &s);
        flies = m_and(comes, v_less(zero, s.left));
    }
    EACH(i, D) {
        t->x[i] = v_select(behind, s.x[i], t->x[i]);
        t->v[i] = v_select(behind, s.v[i], t->v[i]);
    }
}

INLINE void meet_ground_alone(const wall *w, int D, vm behind, vr gap, travel *t) {
    vr n[3], x[3];
    EACH(i, D) { n[i] = v_set1(w->normal[i]); }
    const vr toward = dot(D, t->v0, n), across = dot(D, t->v, n);
    const vr slow = slow_for(D, v_sub(across, toward), t->v);
    const vm lies = m_and(v_at_most(plane_gap(w, D, t->x0), v_set1(w->room)), is_within(slow, toward));
    if (w->rests_below < 1 || m_any(m_but(behind, lies))) {
        bounce_off_ground(w, D, behind, t);
    } else {
        stay_on(w, D, behind, gap, across, t->x0, t->v0, t->x, t->v);
    }
    EACH(i, D) { x[i] = t->x[i]; }
    keep_behind_plane(w, D, v_set1(0), x);
    EACH(i, D) { t->x[i] = v_select(behind, x[i], t->x[i]); }
}
