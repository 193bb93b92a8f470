/* An outer box as the centres of balls meet it: its faces are shifted outwards by the radius, its edges and corners are rounded. */

/* rounds of Newton's method: first to a place slightly inside, then from there to the surface */
enum { DEEP_ROUNDS = 8, MEETING_ROUNDS = 2 };

/* Returns the coordinate of the face across this axis whose normal points up or down, shifted by the radius. */
INLINE vr place_of_face(const wall *w, int axis, vr radius, vm up) {
    const vr low = v_set1(w->low[axis]), high = v_set1(w->high[axis]);
    return w->inside ? v_select(up, v_add(low, radius), v_sub(high, radius)) : v_select(up, v_add(high, radius), v_sub(low, radius));
}

/* Returns whether the face number belongs to this axis. *plane becomes the coordinate of the face, *side the sign of its normal. */
INLINE vm is_face_of(const wall *w, int axis, vr radius, vr face, vr *side, vr *plane) {
    const vm down = v_equal(face, v_set1((real)(1 + 2 * axis))), up = v_equal(face, v_set1((real)(2 + 2 * axis)));
    *side = v_select(up, v_set1(1), v_set1(-1));
    *plane = place_of_face(w, axis, radius, up);
    return m_or(down, up);
}

/* Returns the distance of x from the rounded box, negative inside, and the normal n there. `on` becomes the nearest place on it. `face`
 * becomes the number of the face with this place, or on an edge or a corner minus the number of the nearest face. Both may be NULL. */
static NOINLINE vr rounded_gap(const wall *w, int D, vr radius, const vr *x, vr *n, vr *on, vr *face) {
    const vr zero = v_set1(0), one = v_set1(1);
    vr off[3], near[3], count = zero, farthest = zero, axis = zero, side = zero;
    FOR_AXES(i, D) {
        const vr low = v_set1(w->low[i]), high = v_set1(w->high[i]);
        const vm below = v_less(x[i], low), beyond = m_or(below, v_less(high, x[i]));
        near[i] = v_select(below, low, v_select(beyond, high, x[i]));
        off[i] = v_sub(x[i], near[i]);
        count = v_select(beyond, v_add(count, one), count);
        const vr far = v_select(below, opposite(off[i]), off[i]);
        const vm farther = v_less(farthest, far);
        farthest = v_select(farther, far, farthest);
        axis = v_select(farther, v_set1((real)i), axis);
        side = v_select(farther, v_select(below, v_set1(-1), one), side);
    }
    const vm within = m_but(m_every(), v_less(zero, farthest));
    if (m_any(within)) {
        vr nearest, its;
        nearest_face(w, D, x, &nearest, &its);
        axis = v_select(within, nearest, axis);
        side = v_select(within, its, side);
    }
    const vr length = v_sqrt(dot_of(D, off, off)), inverse = v_div(one, length);
    const vm is_round = m_and(v_less(one, count), v_less(zero, length)), up = v_less(zero, side);
    vr gap = v_sub(length, radius);
    FOR_AXES(i, D) {
        const vm here = is_axis(axis, i), flat = m_but(here, is_round);
        const vr place = place_of_face(w, i, radius, up);
        n[i] = v_select(is_round, v_mul(off[i], inverse), v_select(here, side, zero));
        gap = v_select(flat, v_mul(side, v_sub(x[i], place)), gap);
        if (on) {
            on[i] = v_select(is_round, mul_add(radius, n[i], near[i]), v_select(here, place, near[i]));
        }
    }
    if (face) {
        const vr its = v_add(v_add(one, v_add(axis, axis)), v_select(up, one, zero));
        *face = v_select(is_round, opposite(its), its);
    }
    return gap;
}

/* Returns, by Newton's method from f on, the fraction of the flight at which the path is `deep` inside the rounded box. Lanes that do
 * not approach keep f. */
static NOINLINE vr come_to(const wall *w, int D, const flight *s, vr deep, int rounds, vr f) {
    for (int round = 0; round < rounds; ++round) {
        vr x[3], slope[3], n[3];
        FOR_AXES(i, D) {
            x[i] = place_at(s, i, f);
            slope[i] = mul_add(v_mul(v_set1(2), f), s->bend[i], v_mul(s->time, s->v0[i]));
        }
        const vr gap = rounded_gap(w, D, s->radius, x, n, NULL, NULL), change = dot_of(D, n, slope);
        f = v_select(v_less(change, v_set1(0)), clamp_to_one(v_sub(f, v_div(v_add(gap, deep), change))), f);
    }
    return f;
}

/* Returns the distance from the plane of a face. */
INLINE vr gap_of_face(const wall *w, int D, vr radius, vr face, const vr *x) {
    vr gap = v_set1(0);
    FOR_AXES(i, D) {
        vr side, plane;
        const vm is = is_face_of(w, i, radius, face, &side, &plane);
        gap = v_select(is, v_mul(side, v_sub(x[i], plane)), gap);
    }
    return gap;
}

/* Finds the lanes that begin on the plane of this face and meet the plane where the box is. For them the plane replaces the box. Returns
 * these lanes, whether or not they end beyond the plane. */
static NOINLINE vm meet_plane(const wall *w, int D, const flight *s, vm lanes, vr face, vr room, real surface, const support *r,
                              meeting *first) {
    const vr zero = v_set1(0);
    vr n[3], x[3], other[3], begin = zero;
    FOR_AXES(i, D) {
        vr side, plane;
        const vm is = is_face_of(w, i, s->radius, face, &side, &plane);
        n[i] = v_select(is, side, zero);
        begin = v_select(is, v_mul(side, s->v0[i]), begin);
    }
    const vr gap0 = gap_of_face(w, D, s->radius, face, s->x0), end = gap_of_face(w, D, s->radius, face, s->x);
    vr rate = zero;
    FOR_AXES(i, D) { rate = v_select(v_equal(n[i], zero), rate, v_mul(n[i], v_mul(s->time, s->v0[i]))); }
    const vm touches = m_and(lanes, m_and(v_at_most(gap0, room), v_at_most(v_sub(zero, room), gap0)));
    const vr f = met_after(touches, gap0, rate, v_sub(v_sub(end, gap0), rate));
    FOR_AXES(i, D) { x[i] = place_at(s, i, f); }
    const vm meets = m_and(touches, v_at_most(rounded_gap(w, D, s->radius, x, other, NULL, NULL), room));
    offer(w, D, s, is_new(r, m_and(meets, v_less(end, zero)), surface, face), f, n, m_none(), touches, begin, surface, face, first);
    return meets;
}

/* Finds meetings with a rounded box. If a particle begins on a face and meets its plane at the box, only the plane counts for the rest
 * of the flight, beyond the edges too, so that seams between boxes are not felt. */
static NOINLINE void find_rounded_box(const wall *w, int D, const flight *s, vm lanes, real surface, const support *r, meeting *first) {
    const vr zero = v_set1(0), radius = s->radius;
    vr n0[3], n[3], x[3], face0, face;
    lanes = m_but(lanes, box_passes(w, D, radius, s->x0, s->x));
    if (!m_any(lanes)) {
        return;
    }
    const vr room = room_at(w, D, s->x0), gap = rounded_gap(w, D, radius, s->x, n, NULL, NULL),
             gap0 = rounded_gap(w, D, radius, s->x0, n0, NULL, &face0), begin = dot_of(D, s->v0, n0), rate = v_mul(s->time, begin);
    const vm touches = v_at_most(gap0, room), comes = v_less(rate, zero);
    if (m_any(m_and(lanes, touches))) {
        lanes = m_but(lanes, meet_plane(w, D, s, m_and(lanes, touches), v_max(face0, opposite(face0)), room, surface, r, first));
    }
    const vm behind = v_less(gap, v_sub(zero, room)), enters = m_and(v_at_most(v_sub(zero, room), gap0), comes);
    lanes = m_and(lanes, m_or(behind, enters));
    if (!m_any(lanes)) {
        return;
    }
    const vr later = clamp_to_one(root_of(gap0, rate, v_sub(v_sub(gap, gap0), rate)));
    const vr within = come_to(w, D, s, room, DEEP_ROUNDS, v_select(comes, zero, later));
    const vr f = v_select(m_and(touches, comes), zero, come_to(w, D, s, zero, MEETING_ROUNDS, within));
    FOR_AXES(i, D) { x[i] = place_at(s, i, within); }
    const vm is_deep = v_at_most(rounded_gap(w, D, radius, x, n, NULL, NULL), v_mul(v_set1((real)-0.5), room));
    lanes = m_and(lanes, m_or(behind, is_deep)); /* the others graze the box, no deeper than half of `room` */
    FOR_AXES(i, D) { x[i] = place_at(s, i, f); }
    (void)rounded_gap(w, D, radius, x, n, NULL, &face);
    face = positive_or_zero(face);
    const vm is_round = v_at_most(face, zero), ends_behind = v_less(gap_of_face(w, D, radius, face, s->x), zero);
    const vm passes = m_or(m_but(is_round, behind), m_but(m_but(m_every(), is_round), ends_behind));
    offer(w, D, s, is_new(r, lanes, surface, face), f, n, m_and(lanes, passes), touches, begin, surface, face, first);
}
