/* Planes, boxes and spheres: where a way meets them. */

INLINE void meet_plane(const wall *w, int D, travel *t) {
    const vr gap = plane_gap(w, D, t->x), gap0 = plane_gap(w, D, t->x0);
    vr n[3];
    FOR_AXES(i, D) { n[i] = v_set1(w->normal[i]); }
    meet(w, D, n, v_at_most(gap, v_set1(0)), fraction_of(gap0, gap), gap, t);
}

INLINE void meet_inner_box(const wall *w, int D, travel *t) {
    FOR_AXES(i, D) {
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
    FOR_AXES(i, D) {
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
    FOR_AXES(i, D) {
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
    FOR_AXES(i, D) {
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
    FOR_AXES(i, D) {
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
    FOR_AXES(i, D) { s->d[i] = v_sub(s->r[i], s->r0[i]); }
    const vr a = dot(D, s->d, s->d);
    s->b = dot(D, s->r0, s->d);
    const vr root = v_sqrt(mul_add(v_sub(zero, a), s->excess0, v_mul(s->b, s->b)));
    s->f = leaves ? v_select(v_less(s->excess0, zero), v_div(v_sub(root, s->b), a), zero)
                  : v_select(v_less(zero, s->excess0), v_div(v_sub(v_sub(zero, s->b), root), a), zero);
}

INLINE vr clamp_to_one(vr f) { return v_min(positive_or_zero(f), v_set1(1)); }

/* Makes a vector one of length 1, or 0. Returns the length that it had. */
INLINE vr normalise(int D, vr *n) {
    const vr length = v_sqrt(dot(D, n, n)), inverse = v_select_zero(length, v_set1(0), v_div(v_set1(1), length));
    FOR_AXES(i, D) { n[i] = v_mul(n[i], inverse); }
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
    FOR_AXES(i, D) { n[i] = mul_add(f, s.d[i], s.r0[i]); }
    normalise(D, n);
    FOR_AXES(i, D) { n[i] = w->inside ? v_sub(zero, n[i]) : n[i]; }
    const vr gap = v_mul(v_sub(one, f), dot(D, s.d, n));
    meet(w, D, n, hit, f, v_min(gap, zero), t);
}
