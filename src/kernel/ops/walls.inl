/* Constraints, colliders and the boundary: what they do to a vector of particles after a step, in the order that force/collider.h sets.
 *
 * Most vectors touch nothing: that is found out by six comparisons with a box, or by a few comparisons a surface, and only the others are worked
 * on by functions that are not inlined. */

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

INLINE void meet_plane(const wall *w, int D, travel *t) {
    const vr gap = plane_gap(w, D, t->x), gap0 = plane_gap(w, D, t->x0);
    vr n[3];
    EACH(i, D) { n[i] = v_set1(w->normal[i]); }
    meet(w, D, n, v_at_most(gap, v_set1(0)), fraction_of(gap0, gap), gap, t);
}

INLINE void meet_inner_box(const wall *w, int D, travel *t) {
    EACH(i, D) {
        const vr low = v_set1(w->low[i]), high = v_set1(w->high[i]);
        const vm below = v_at_most(t->x[i], low), hit = m_or(below, v_at_most(high, t->x[i]));
        if (m_any(hit)) {
            const vr side = v_select(below, v_set1(1), v_set1(-1)), face = v_select(below, low, high);
            const vr gap = v_mul(side, v_sub(t->x[i], face)), gap0 = v_mul(side, v_sub(t->x0[i], face));
            meet_face(w, D, i, side, hit, fraction_of(gap0, gap), gap, t);
        }
    }
}

/* The face of an outer box that is nearest to x: its axis as a number, and its side. */
INLINE void nearest_face(const wall *w, int D, const vr *x, vr *axis, vr *side) {
    vr least = v_set1(0);
    *axis = v_set1(0);
    *side = v_set1(-1);
    EACH(i, D) {
        const vr down = v_sub(x[i], v_set1(w->low[i])), up = v_sub(v_set1(w->high[i]), x[i]);
        const vm nearer = i == 0 ? m_none() : v_less(down, least);
        *axis = v_select(nearer, v_set1((real)i), *axis);
        *side = v_select(nearer, v_set1(-1), *side);
        least = i == 0 ? down : v_select(nearer, down, least);
        const vm nearest = v_less(up, least);
        *axis = v_select(nearest, v_set1((real)i), *axis);
        *side = v_select(nearest, v_set1(1), *side);
        least = v_select(nearest, up, least);
    }
}

INLINE vm is_axis(vr axis, int i) { return m_and(v_at_most(axis, v_set1((real)i)), v_at_most(v_set1((real)i), axis)); }

/* Where the way enters an outer box: `f` and the face. Returns the lanes where it does. */
INLINE vm enters_box(const wall *w, int D, const travel *t, vr *f, vr *axis, vr *side) {
    vr latest = v_set1(-1), first_side = v_set1(0);
    vm outside = m_none(), within = m_none();
    *axis = v_set1(0);
    EACH(i, D) {
        const vr low = v_set1(w->low[i]), high = v_set1(w->high[i]);
        const vm below = v_at_most(t->x0[i], low), beyond = m_or(below, v_at_most(high, t->x0[i]));
        const vr face = v_select(below, low, high);
        const vr at = positive_or_zero(v_div(v_sub(face, t->x0[i]), v_sub(t->x[i], t->x0[i])));
        const vm later = m_and(beyond, v_less(latest, at));
        latest = v_select(later, at, latest);
        *axis = v_select(later, v_set1((real)i), *axis);
        first_side = v_select(later, v_select(below, v_set1(-1), v_set1(1)), first_side);
        outside = m_or(outside, beyond);
    }
    vm misses = m_none();
    EACH(i, D) {
        const vr low = v_set1(w->low[i]), high = v_set1(w->high[i]);
        const vr at = mul_add(latest, v_sub(t->x[i], t->x0[i]), t->x0[i]);
        const vm enters = m_or(is_axis(*axis, i), m_and(v_at_most(low, at), v_at_most(at, high)));
        const vm is_in = m_and(v_at_most(low, t->x[i]), v_at_most(t->x[i], high));
        misses = m_or(misses, m_but(outside, enters));
        within = i == 0 ? is_in : m_and(within, is_in);
    }
    vr near_axis, near_side;
    nearest_face(w, D, t->x, &near_axis, &near_side);
    *axis = v_select(outside, *axis, near_axis);
    *side = v_select(outside, first_side, near_side);
    *f = v_select(outside, latest, v_set1(0));
    return m_but(m_or(outside, within), m_or(misses, box_passes(w, D, t->x0, t->x)));
}

INLINE void meet_outer_box(const wall *w, int D, travel *t) {
    vr f, axis, side;
    const vm enters = enters_box(w, D, t, &f, &axis, &side);
    EACH(i, D) {
        const vm hit = m_and(enters, is_axis(axis, i));
        if (m_any(hit)) {
            const vr face = v_select(v_less(side, v_set1(0)), v_set1(w->low[i]), v_set1(w->high[i]));
            meet_face(w, D, i, side, hit, f, v_mul(side, v_sub(t->x[i], face)), t);
        }
    }
}

/* A way that meets a sphere: from its centre, r0 to r0 + d, |r0|^2 - R^2 and |r|^2 - R^2, and where both are equal on it. */
typedef struct crossing {
    vr r0[3], r[3], d[3], excess0, excess, b, f;
} crossing;

INLINE void cross_sphere(const wall *w, int D, bool leaves, const travel *t, crossing *s) {
    const vr zero = v_set1(0);
    s->excess0 = sphere_excess(w, D, t->x0, s->r0);
    s->excess = sphere_excess(w, D, t->x, s->r);
    EACH(i, D) { s->d[i] = v_sub(s->r[i], s->r0[i]); }
    const vr a = dot(D, s->d, s->d);
    s->b = dot(D, s->r0, s->d);
    const vr root = v_sqrt(mul_add(v_sub(zero, a), s->excess0, v_mul(s->b, s->b)));
    s->f = leaves ? v_select(v_less(s->excess0, zero), v_div(v_sub(root, s->b), a), zero)
                  : v_select(v_less(zero, s->excess0), v_div(v_sub(v_sub(zero, s->b), root), a), zero);
}

INLINE vr clamp_to_one(vr f) {
    const vr one = v_set1(1), least = positive_or_zero(f);
    return v_select(v_less(least, one), least, one);
}

/* Makes a vector one of length 1, or 0. Returns the length that it had. */
INLINE vr normalise(int D, vr *n) {
    const vr length = v_sqrt(dot(D, n, n)), inverse = v_select_zero(length, v_set1(0), v_div(v_set1(1), length));
    EACH(i, D) { n[i] = v_mul(n[i], inverse); }
    return length;
}

INLINE void meet_sphere(const wall *w, int D, travel *t) {
    const vr zero = v_set1(0), one = v_set1(1);
    crossing s;
    cross_sphere(w, D, w->inside, t, &s);
    const vm enters = m_and(m_and(v_less(zero, s.excess0), v_less(s.b, zero)), v_at_most(s.f, one));
    const vm hit = w->inside ? v_at_most(zero, s.excess) : m_but(m_or(v_at_most(s.excess, zero), enters), box_passes(w, D, t->x0, t->x));
    const vr f = clamp_to_one(s.f);
    vr n[3];
    EACH(i, D) { n[i] = mul_add(f, s.d[i], s.r0[i]); }
    normalise(D, n);
    EACH(i, D) { n[i] = w->inside ? v_sub(zero, n[i]) : n[i]; }
    const vr gap = v_mul(v_sub(one, f), dot(D, s.d, n));
    meet(w, D, n, hit, f, v_select(v_less(gap, zero), gap, zero), t);
}

/* A constraint of a plane. */
INLINE void hold_on_plane(const wall *w, int D, travel *t) {
    const vr zero = v_set1(0), gap = plane_gap(w, D, t->x);
    vr n[3];
    EACH(i, D) { n[i] = v_set1(w->normal[i]); }
    const vr speed = dot(D, t->v, n);
    EACH(i, D) {
        t->x[i] = mul_add(v_sub(zero, gap), n[i], t->x[i]);
        t->v[i] = mul_add(v_sub(zero, speed), n[i], t->v[i]);
    }
    t->hit = v_at_most(zero, zero);
}

/* The constraint of a rod; or that of a rope, which lets the way go on to where it is taut. */
INLINE void hold_on_sphere(const wall *w, real h, int D, bool rope, travel *t) {
    const vr zero = v_set1(0), one = v_set1(1), length = v_set1(w->radius), twice = v_set1(w->twice);
    crossing s;
    vr rest = one, n[3], e[3], y[3], z[3];
    vm held = v_at_most(zero, zero);
    if (rope) {
        cross_sphere(w, D, true, t, &s);
        held = v_less(zero, s.excess);
        s.f = clamp_to_one(s.f);
        rest = v_sub(one, s.f);
        EACH(i, D) {
            n[i] = mul_add(s.f, s.d[i], s.r0[i]);
            e[i] = v_mul(rest, s.d[i]);
        }
    } else {
        EACH(i, D) {
            n[i] = v_sub(t->x0[i], v_set1(w->at[i]));
            s.r[i] = v_sub(t->x[i], v_set1(w->at[i]));
            e[i] = v_sub(t->x[i], t->x0[i]);
        }
    }
    const vr reach = normalise(D, n);
    EACH(i, D) { y[i] = mul_add(twice, n[i], e[i]); }
    const vr c = dot(D, e, y), b = v_add(length, dot(D, n, e)), square = mul_add(b, b, v_sub(zero, c));
    const vm fits = m_and(v_less(zero, reach), m_and(v_less(zero, b), v_at_most(zero, square)));
    const vr pull = v_div(v_sub(zero, c), v_add(b, v_sqrt(square))), time = v_mul(rest, v_set1(h));
    const vr far = v_sqrt(dot(D, s.r, s.r)), scale = v_select_zero(far, zero, v_div(length, far));
    const vr pulse = v_select(fits, v_select_zero(time, zero, v_div(pull, time)), zero);
    EACH(i, D) {
        y[i] = v_select(fits, mul_add(v_add(length, pull), n[i], e[i]), v_mul(s.r[i], scale));
        z[i] = v_mul(v_set1(w->inverse), y[i]);
        n[i] = mul_add(pulse, n[i], t->v[i]);
    }
    vr speed = dot(D, n, z);
    speed = rope ? positive_or_zero(speed) : speed;
    EACH(i, D) {
        t->x[i] = v_select(held, v_add(v_set1(w->at[i]), y[i]), t->x[i]);
        t->v[i] = v_select(held, mul_add(v_sub(zero, speed), z[i], n[i]), t->v[i]);
    }
    t->hit = m_or(t->hit, held);
}

/* Puts back what another surface carried out of this one. */
INLINE void keep_behind_plane(const wall *w, int D, vr *x) {
    for (int time = 0; time < 2; ++time) {
        const vr gap = plane_gap(w, D, x);
        const vm out = v_less(gap, v_set1(0));
        EACH(i, D) { x[i] = v_select(out, mul_add(v_sub(v_set1(0), gap), v_set1(w->normal[i]), x[i]), x[i]); }
    }
}

INLINE void keep_in_box(const wall *w, int D, vr *x) {
    EACH(i, D) {
        const vr low = v_set1(w->low[i]), high = v_set1(w->high[i]);
        x[i] = v_select(v_less(x[i], low), low, x[i]);
        x[i] = v_select(v_less(high, x[i]), high, x[i]);
    }
}

INLINE void keep_out_of_box(const wall *w, int D, vr *x) {
    vm in = m_none();
    EACH(i, D) {
        const vm here = m_and(v_less(v_set1(w->low[i]), x[i]), v_less(x[i], v_set1(w->high[i])));
        in = i == 0 ? here : m_and(in, here);
    }
    vr axis, side;
    nearest_face(w, D, x, &axis, &side);
    EACH(i, D) {
        const vr face = v_select(v_less(side, v_set1(0)), v_set1(w->low[i]), v_set1(w->high[i]));
        x[i] = v_select(m_and(in, is_axis(axis, i)), face, x[i]);
    }
}

INLINE void keep_at_sphere(const wall *w, int D, vr *x) {
    const vr zero = v_set1(0);
    vr r[3];
    const vr excess = sphere_excess(w, D, x, r), square = dot(D, r, r);
    vm out = w->inside ? v_less(zero, excess) : v_less(excess, zero);
    out = m_and(out, v_less(zero, square));
    const vr scale = v_div(v_set1(w->radius), v_sqrt(square));
    EACH(i, D) { x[i] = v_select(out, mul_add(scale, r[i], v_set1(w->at[i])), x[i]); }
}

INLINE void meet_wall(const wall *w, real h, int D, travel *t) {
    if (w->kind == KDR_WALL_ROD) {
        hold_on_sphere(w, h, D, false, t);
    } else if (w->kind == KDR_WALL_ROPE) {
        hold_on_sphere(w, h, D, true, t);
    } else if (w->kind == KDR_WALL_ON_PLANE) {
        hold_on_plane(w, D, t);
    } else if (w->kind == KDR_COLLIDER_PLANE) {
        meet_plane(w, D, t);
    } else if (w->kind == KDR_COLLIDER_SPHERE) {
        meet_sphere(w, D, t);
    } else if (w->kind == KDR_COLLIDER_BOX) {
        if (w->inside) {
            meet_inner_box(w, D, t);
        } else {
            meet_outer_box(w, D, t);
        }
    }
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

INLINE void walls_meet(const wall *walls, size_t count, real h, int D, travel *t) {
    t->hit = m_none();
    t->bounces = t->taken[KDR_RESTITUTION] = t->taken[KDR_FRICTION] = v_set1(0);
    for (size_t i = 0; i < count; ++i) {
        meet_wall(&walls[i], h, D, t);
    }
    if (!m_any(t->hit)) {
        return;
    }
    vr x[3];
    EACH(i, D) { x[i] = t->x[i]; }
    for (size_t i = 0; i < count; ++i) {
        keep_at_wall(&walls[i], D, x);
    }
    EACH(i, D) { t->x[i] = v_select(t->hit, x[i], t->x[i]); }
}

/* Once for each number of axes: they are large, and seldom called. */
static NOINLINE void walls_meet_1(const wall *walls, size_t count, real h, travel *t) { walls_meet(walls, count, h, 1, t); }
static NOINLINE void walls_meet_2(const wall *walls, size_t count, real h, travel *t) { walls_meet(walls, count, h, 2, t); }
static NOINLINE void walls_meet_3(const wall *walls, size_t count, real h, travel *t) { walls_meet(walls, count, h, 3, t); }

/* Some lane may make contact. Of outer spheres and boxes, whose inside the way may cross, by the box around both ends of it. */
INLINE bool wall_near(const wall *w, int D, const vr *x0, const vr *x) {
    const vr zero = v_set1(0);
    vr r[3];
    vm out = m_none();
    if (w->kind == KDR_COLLIDER_PLANE) {
        return m_any(v_at_most(plane_gap(w, D, x), zero));
    }
    if (w->kind == KDR_COLLIDER_SPHERE && w->inside) {
        return m_any(v_at_most(zero, sphere_excess(w, D, x, r)));
    }
    if (w->kind == KDR_COLLIDER_BOX && w->inside) {
        EACH(i, D) { out = m_or(out, m_or(v_at_most(x[i], v_set1(w->low[i])), v_at_most(v_set1(w->high[i]), x[i]))); }
        return m_any(out);
    }
    if (w->kind == KDR_COLLIDER_BOX || w->kind == KDR_COLLIDER_SPHERE) {
        return m_any(m_but(v_at_most(zero, zero), box_passes(w, D, x0, x)));
    }
    return w->kind != KDR_WALL_NONE;
}

INLINE bool walls_near(const wall *walls, size_t count, int D, const vr *x0, const vr *x) {
    bool near = false;
    for (size_t i = 0; i < count && !near; ++i) {
        near = wall_near(&walls[i], D, x0, x);
    }
    return near;
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

/* The border of each axis: low, high, minus its size, its size, the inverse. Behind them the box in which nothing is done. */
typedef struct border {
    vr low[3], high[3], clear_low[3], clear_high[3];
    const real *number;
} border;

INLINE border border_of(int D, const real *number) {
    border b = {.number = number};
    EACH(i, D) {
        b.low[i] = v_set1(number[5 * i]);
        b.high[i] = v_set1(number[5 * i + 1]);
        b.clear_low[i] = v_set1(number[15 + 2 * i]);
        b.clear_high[i] = v_set1(number[15 + 2 * i + 1]);
    }
    return b;
}

/* Puts a vector's positions back by whole periods; returns the lanes where it did. */
static NOINLINE vm wrap(int D, const real *number, vr *x) {
    vm hit = m_none();
    for (int i = 0; i < D; ++i) {
        const vr low = v_set1(number[5 * i]), high = v_set1(number[5 * i + 1]), here = x[i];
        const vm out = m_or(v_less(here, low), v_at_most(high, here));
        const vr rounder = v_set1(ROUNDER), periods = v_mul(v_sub(here, low), v_set1(number[5 * i + 4]));
        const vr whole = v_sub(v_add(periods, rounder), rounder);
        vr back = mul_add(v_set1(number[5 * i + 2]), whole, here);
        back = v_select(v_less(back, low), v_add(back, v_set1(number[5 * i + 3])), back);
        back = v_select(m_and(v_at_most(low, back), v_less(back, high)), back, low);
        x[i] = v_select(out, back, here);
        hit = m_or(hit, out);
    }
    return hit;
}

/* All lanes are where nothing is done after a step. x0: where the step began, which an absorbing boundary looks at. */
INLINE bool is_clear(int D, const border *b, bool absorbing, const vr *x0, const vr *x) {
    vm within = v_less(b->clear_low[0], x[0]);
    EACH(i, D) {
        within = m_and(within, m_and(v_less(b->clear_low[i], x[i]), v_less(x[i], b->clear_high[i])));
        if (absorbing) {
            within = m_and(within, m_and(v_less(b->clear_low[i], x0[i]), v_less(x0[i], b->clear_high[i])));
        }
    }
    return m_all(within);
}

/* The lanes that an absorbing boundary holds. */
INLINE vm absorbed(int D, const border *b, const vr *x0) {
    vm gone = m_none();
    EACH(i, D) { gone = m_or(gone, m_or(v_less(x0[i], b->low[i]), v_less(b->high[i], x0[i]))); }
    return gone;
}

/* What becomes of vector n: contacts, the boundary, and what an absorbing one holds. Marks the lanes that were changed in `out`, those that
 * are held behind it. */
INLINE void walls_of_vector(int D, kdr_tile *tile, const kdr_instruction *line, const border *b, int n, const vr *begin, vr *end) {
    const kdr_job *const job = tile->job;
    const unsigned terms = job->terms;
    const wall *const walls = job->walls;
    char *const x = column(tile, line->x), *const v = column(tile, line->v);
    const char *const v0 = column(tile, line->other) + (size_t)D * tile->column;
    const int T = tile->vectors;
    vm hit = m_none(), gone = (terms & KDR_TERM_ABSORBING) ? absorbed(D, b, begin) : m_none();
    if ((terms & KDR_TERM_COLLIDERS) && walls_near(walls, job->wall_count, D, begin, end)) {
        travel t;
        EACH(i, D) {
            t.x0[i] = begin[i];
            t.v0[i] = get(v0, i * T + n);
            t.x[i] = end[i];
            t.v[i] = get(v, i * T + n);
        }
        (D == 1 ? walls_meet_1 : D == 2 ? walls_meet_2 : walls_meet_3)(walls, job->wall_count, (real)job->dt, &t);
        EACH(i, D) {
            end[i] = t.x[i];
            put(v, i * T + n, t.v[i]);
        }
        hit = t.hit;
        if ((job->hits || job->dissipated[0] || job->dissipated[1]) && m_any(t.hit)) {
            count_contacts(tile, line->list, n, gone, &t);
        }
    }
    if (terms & KDR_TERM_PERIODIC) {
        vr back[3];
        EACH(i, D) { back[i] = end[i]; }
        hit = m_or(hit, wrap(D, b->number, back));
        EACH(i, D) { end[i] = back[i]; }
    }
    EACH(i, D) {
        put(x, i * T + n, v_select(gone, begin[i], end[i]));
        put(v, i * T + n, v_select(gone, get(v0, i * T + n), get(v, i * T + n)));
    }
    put(column(tile, line->out), n, v_select(hit, v_set1(1), v_set1(0)));
    put(column(tile, line->out + 1U), n, v_select(gone, v_set1(1), v_set1(0)));
    tile->state |= m_any(m_or(hit, gone)) ? KDR_WHEN_HIT : 0U;
}

INLINE void walls_on(int D, kdr_tile *tile, const kdr_instruction *line) {
    const border b = border_of(D, numbers(tile, line->number));
    const bool absorbing = (tile->job->terms & KDR_TERM_ABSORBING) != 0;
    const char *const x = column(tile, line->x), *const x0 = column(tile, line->other);
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        vr begin[3], end[3];
        EACH(i, D) {
            begin[i] = get(x0, i * T + n);
            end[i] = get(x, i * T + n);
        }
        if (!is_clear(D, &b, absorbing, begin, end)) {
            walls_of_vector(D, tile, line, &b, n, begin, end);
        }
    }
}

static void op_walls(kdr_tile *tile, const kdr_instruction *line) {
    tile->state &= ~(unsigned)KDR_WHEN_HIT;
    memset(column(tile, line->out), 0, 2 * tile->column);
    ON_AXES(tile, walls_on, tile, line);
}

/* Where a particle was changed its kept acceleration is the fresh one (`x`) and its compensations are 0; where it is held, they are what they
 * were (`number`, `list`). */
static void op_settle(kdr_tile *tile, const kdr_instruction *line) {
    const char *const hits = column(tile, line->v), *const held = hits + tile->column;
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        const vm hit = v_less(v_set1(0), get(hits, n)), gone = v_less(v_set1(0), get(held, n));
        for (int i = 0; i < tile->dims && line->out != KDR_NO_COLUMN; ++i) {
            char *const a = column(tile, line->out);
            vr value = v_select(hit, get(column(tile, line->x), i * T + n), get(a, i * T + n));
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
