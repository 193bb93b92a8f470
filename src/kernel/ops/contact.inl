/* What a surface that is met does to a vector of particles, in the order that force/collider.h sets. */

/* A vector of particles on its way from x0, v0 to x, v. */
typedef struct travel {
    vr x0[3], v0[3], x[3], v[3];
    vm hit;      /* made contact, or was held */
    vr bounces;  /* how often it bounced */
    vr taken[2]; /* kinetic energy a unit of mass that restitution and friction took */
} travel;

INLINE vr dot(int D, const vr *a, const vr *b) {
    vr sum = v_mul(a[0], b[0]);
    EACH(i, D - 1) { sum = mul_add(a[i + 1], b[i + 1], sum); }
    return sum;
}

INLINE vr positive_or_zero(vr a) {
    const vr zero = v_set1(0);
    return v_select(v_less(zero, a), a, zero);
}

INLINE vr plane_gap(const wall *w, int D, const vr *x) {
    vr gap = v_set1(-w->offset);
    EACH(i, D) { gap = mul_add(v_set1(w->normal[i]), x[i], gap); }
    return gap;
}

/* |x - at|^2 - R^2, and x - at. */
INLINE vr sphere_excess(const wall *w, int D, const vr *x, vr *r) {
    vr excess = v_set1(-w->square);
    EACH(i, D) {
        r[i] = v_sub(x[i], v_set1(w->at[i]));
        excess = mul_add(r[i], r[i], excess);
    }
    return excess;
}

/* On some axis all of the way is beyond one side of an outer box. */
INLINE vm box_passes(const wall *w, int D, const vr *x0, const vr *x) {
    vm passes = m_none();
    EACH(i, D) {
        const vr low = v_set1(w->low[i]), high = v_set1(w->high[i]);
        passes = m_or(passes, m_and(v_at_most(x0[i], low), v_less(x[i], low)));
        passes = m_or(passes, m_and(v_at_most(high, x0[i]), v_less(high, x[i])));
    }
    return passes;
}

/* A surface as it is met: the fraction, what x is behind it, and the normal velocities before and after. */
typedef struct contact {
    vr f, gap, w0, w;
} contact;

/* What it does along the normal. */
typedef struct response {
    vr at, push, dv, dx, taken[2];
    vm bounces;
} response;

INLINE vr fraction_of(vr gap0, vr gap) { return v_select(v_less(v_set1(0), gap0), v_div(gap0, v_sub(gap0, gap)), v_set1(0)); }

/* Kinetic energy that a velocity loses on the way from one value to another, a unit of mass. */
INLINE vr energy_between(vr before, vr after) { return v_mul(v_set1((real)0.5), v_mul(v_sub(before, after), v_add(before, after))); }

INLINE response respond(const wall *w, const contact *k) {
    const vr zero = v_set1(0), minus_bounce = v_set1(w->minus_bounce);
    const vr change = v_sub(k->w, k->w0), at = mul_add(k->f, change, k->w0);
    const vm bounces = m_and(v_less(at, zero), v_less(at, change));
    const vr stop = v_select(v_less(k->w, zero), v_sub(zero, k->w), zero);
    response r;
    r.bounces = bounces;
    r.push = v_select(bounces, v_mul(minus_bounce, at), stop);
    r.dx = v_mul(v_select(bounces, minus_bounce, v_set1(-1)), k->gap);
    const vr pushed = v_add(k->w, r.push);
    r.dv = mul_add(v_set1(w->minus_friction_normal), pushed, r.push);
    r.at = at;
    r.taken[KDR_RESTITUTION] = energy_between(v_select(v_less(at, zero), at, zero), v_select(bounces, v_add(at, r.push), zero));
    r.taken[KDR_FRICTION] = energy_between(pushed, v_add(k->w, r.dv));
    return r;
}

/* Minus the part of a tangent velocity that friction takes. `square`: its size squared. */
INLINE vr minus_loss(const wall *w, vr push, vr square) {
    const vr zero = v_set1(0), one = v_set1(1);
    vr loss = v_set1(w->friction);
    if (w->is_coulomb) {
        const vr size = v_sqrt(square);
        loss = v_add(loss, v_div(v_mul(v_set1(w->sliding), push), size));
        loss = v_select(v_less(loss, one), loss, one);
        loss = v_select(v_at_most(v_mul(v_set1(w->keep), size), v_mul(v_set1(w->sticking), push)), one, loss);
    }
    return v_sub(zero, loss);
}

/* What friction leaves of a velocity: nothing, where it is so small that it would go on to denormals. */
INLINE vr left_of(vr loss, vr along, vr v) {
    const vr left = mul_add(loss, along, v);
    const vm is_nothing = m_and(v_less(left, v_set1(NOTHING)), v_less(v_set1(-NOTHING), left));
    return v_select(is_nothing, v_set1(0), left);
}

/* Friction has taken all of the tangent velocity: x along the surface stays where it was met. */
INLINE vm sticks(vr loss) { return v_at_most(loss, v_set1(-1)); }

INLINE vr met_at(const travel *t, int i, vr f) { return mul_add(f, v_sub(t->x[i], t->x0[i]), t->x0[i]); }

INLINE vr velocity_met(const travel *t, int i, vr f) { return mul_add(f, v_sub(t->v[i], t->v0[i]), t->v0[i]); }

/* Kinetic energy that friction takes of a tangent velocity whose square is given, and of what sticks the one of the meeting, `met`. */
INLINE void count_rubbed(travel *t, vm hit, vr loss, vr square, vr met) {
    const vr part = v_mul(square, v_mul(v_sub(v_set1(0), loss), v_add(v_set1(2), loss)));
    const vr energy = v_mul(v_set1((real)0.5), v_select(sticks(loss), met, part));
    t->taken[KDR_FRICTION] = v_add(t->taken[KDR_FRICTION], v_select(hit, energy, v_set1(0)));
}

INLINE void count_contact(travel *t, vm hit, const response *r) {
    t->hit = m_or(t->hit, hit);
    t->bounces = v_add(t->bounces, v_select(m_and(hit, r->bounces), v_set1(1), v_set1(0)));
    EACH(k, 2) { t->taken[k] = v_add(t->taken[k], v_select(hit, r->taken[k], v_set1(0))); }
}

/* What a plane or a sphere that was hit does to the motion. */
INLINE void meet(const wall *w, int D, const vr *n, vm hit, vr f, vr gap, travel *t) {
    const contact k = {f, gap, dot(D, t->v0, n), dot(D, t->v, n)};
    const response r = respond(w, &k);
    vr along[3], loss = v_set1(0);
    count_contact(t, hit, &r);
    EACH(i, D) { along[i] = mul_add(v_sub(v_set1(0), k.w), n[i], t->v[i]); }
    if (w->rubs) {
        const vr square = dot(D, along, along);
        loss = minus_loss(w, r.push, square);
        vr met[3];
        EACH(i, D) { met[i] = mul_add(v_sub(v_set1(0), r.at), n[i], velocity_met(t, i, f)); }
        count_rubbed(t, hit, loss, square, dot(D, met, met));
    }
    EACH(i, D) {
        vr v = mul_add(r.dv, n[i], t->v[i]), v0 = mul_add(r.dv, n[i], t->v0[i]), x = mul_add(r.dx, n[i], t->x[i]);
        if (w->rubs) {
            v = left_of(loss, along[i], v);
            v0 = mul_add(loss, along[i], v0);
            x = v_select(sticks(loss), mul_add(v_add(r.dx, gap), n[i], met_at(t, i, f)), x);
        }
        t->v[i] = v_select(hit, v, t->v[i]);
        t->v0[i] = v_select(hit, v0, t->v0[i]);
        t->x[i] = v_select(hit, x, t->x[i]);
    }
}

/* What a face of a box that was hit does to the motion on axis i, whose normal is `side`, 1 or -1. */
INLINE void meet_face(const wall *w, int D, int i, vr side, vm hit, vr f, vr gap, travel *t) {
    const contact k = {f, gap, v_mul(side, t->v0[i]), v_mul(side, t->v[i])};
    const response r = respond(w, &k);
    t->x[i] = v_select(hit, mul_add(r.dx, side, t->x[i]), t->x[i]);
    t->v[i] = v_select(hit, mul_add(r.dv, side, t->v[i]), t->v[i]);
    t->v0[i] = v_select(hit, mul_add(r.dv, side, t->v0[i]), t->v0[i]);
    count_contact(t, hit, &r);
    if (!w->rubs || D == 1) {
        return;
    }
    const int j = i == 0 ? 1 : 0, l = i == 2 ? 1 : 2; /* the other axes, the second where there is one */
    vr square = v_mul(t->v[j], t->v[j]);
    if (D == 3) {
        square = mul_add(t->v[l], t->v[l], square);
    }
    const vr loss = minus_loss(w, r.push, square);
    vr met = velocity_met(t, j, f);
    met = v_mul(met, met);
    if (D == 3) {
        const vr last = velocity_met(t, l, f);
        met = mul_add(last, last, met);
    }
    count_rubbed(t, hit, loss, square, met);
    EACH(m, D) {
        if (m != i) {
            const vr along = t->v[m];
            t->x[m] = v_select(m_and(hit, sticks(loss)), met_at(t, m, f), t->x[m]);
            t->v[m] = v_select(hit, left_of(loss, along, along), along);
            t->v0[m] = v_select(hit, mul_add(loss, along, t->v0[m]), t->v0[m]);
        }
    }
}
