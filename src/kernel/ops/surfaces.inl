/* Planes, boxes and spheres: where flights meet them. */

/* Takes the meeting if it is earlier than those found before, or at the same time but faster. A flight that only passes through must go
 * inwards. */
INLINE void offer(const wall *w, int D, const flight *s, vm lanes, vr f, const vr *n, vm passes, vm touches, vr begin, real surface,
                  vr face, meeting *first) {
    vr v[3];
    FOR_AXES(i, D) { v[i] = velocity_at(s, i, f); }
    const vr at = dot_of(D, v, n);
    const vm earlier = m_or(v_less(f, first->f), m_and(v_at_most(f, first->f), v_less(at, first->at)));
    const vm not_first = m_but(first->found, earlier);
    const vm takes = m_but(m_but(lanes, m_but(passes, v_less(at, v_set1(0)))), not_first);
    if (!m_any(takes)) {
        return;
    }
    first->found = m_or(first->found, takes);
    first->passes = m_or(m_but(first->passes, takes), m_and(takes, passes));
    first->touches = m_or(m_but(first->touches, takes), m_and(takes, touches));
    first->begin = v_select(takes, begin, first->begin);
    first->f = v_select(takes, f, first->f);
    first->at = v_select(takes, at, first->at);
    first->surface = v_select(takes, v_set1(surface), first->surface);
    first->face = v_select(takes, face, first->face);
    first->rubs = w->rubs ? m_or(first->rubs, takes) : m_but(first->rubs, takes);
    first->rests_below = v_select(takes, v_set1(w->rests_below), first->rests_below);
    FOR_AXES(i, D) { first->n[i] = v_select(takes, n[i], first->n[i]); }
}

/* Returns the lanes that do not already rest on the surface. */
INLINE vm is_new(const support *r, vm lanes, real surface, vr face) {
    EACH(k, 3) {
        const vm there = v_less(v_set1((real)k), r->count);
        lanes = m_but(lanes, m_and(there, m_and(v_equal(r->surface[k], v_set1(surface)), v_equal(r->face[k], face))));
    }
    return lanes;
}

/* Returns the number of the face across an axis, and its normal; `side` is 1 or -1. */
INLINE vr face_on(int D, int axis, vr side, vr *n) {
    FOR_AXES(i, D) { n[i] = i == axis ? side : v_set1(0); }
    return v_add(v_set1((real)(1 + 2 * axis)), v_select(v_less(v_set1(0), side), v_set1(1), v_set1(0)));
}

/* Returns the lanes that end beyond a face, and the fraction of the flight at which they reach it. */
INLINE vm meets_face(const flight *s, const wall *w, int D, int axis, vr side, vr face, vr *f, vm *touches) {
    const vr gap = v_mul(side, v_sub(s->x[axis], face)), gap0 = v_mul(side, v_sub(s->x0[axis], face));
    const vr rate = v_mul(side, v_mul(s->time, s->v0[axis]));
    *touches = v_at_most(gap0, room_at(w, D, s->x0));
    *f = met_after(*touches, gap0, rate, v_sub(v_sub(gap, gap0), rate));
    return v_less(gap, v_set1(0));
}

INLINE vr gap_of_plane(const wall *w, int D, vr radius, const vr *x) {
    vr gap = v_sub(v_set1(-w->offset), radius);
    FOR_AXES(i, D) { gap = mul_add(v_set1(w->normal[i]), x[i], gap); }
    return gap;
}

static NOINLINE void find_plane(const wall *w, int D, const flight *s, vm lanes, real surface, const support *r, meeting *first) {
    const vr zero = v_set1(0), gap = gap_of_plane(w, D, s->radius, s->x);
    lanes = is_new(r, m_and(lanes, v_less(gap, zero)), surface, zero);
    if (!m_any(lanes)) {
        return;
    }
    vr n[3];
    FOR_AXES(i, D) { n[i] = v_set1(w->normal[i]); }
    const vr gap0 = gap_of_plane(w, D, s->radius, s->x0), begin = dot_of(D, s->v0, n), rate = v_mul(s->time, begin);
    const vm touches = v_at_most(gap0, room_at(w, D, s->x0));
    const vr f = met_after(touches, gap0, rate, v_sub(v_sub(gap, gap0), rate));
    offer(w, D, s, lanes, f, n, m_none(), touches, begin, surface, zero, first);
}

static NOINLINE void find_box_from_inside(const wall *w, int D, const flight *s, vm lanes, real surface, const support *r, meeting *first) {
    FOR_AXES(i, D) {
        const vr low = v_add(v_set1(w->low[i]), s->radius), high = v_sub(v_set1(w->high[i]), s->radius);
        const vm below = v_less(s->x[i], low), out = m_and(lanes, m_or(below, v_less(high, s->x[i])));
        if (m_any(out)) {
            vr n[3], f;
            vm touches;
            const vr side = v_select(below, v_set1(1), v_set1(-1)), face = face_on(D, i, side, n);
            const vm meets = m_and(out, meets_face(s, w, D, i, side, v_select(below, low, high), &f, &touches));
            offer(w, D, s, is_new(r, meets, surface, face), f, n, m_none(), touches, v_mul(side, s->v0[i]), surface, face, first);
        }
    }
}

/* Finds the face of an outer box that is nearest to x: its axis as a number, and its side. */
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

INLINE vm is_axis(vr axis, int i) { return v_equal(axis, v_set1((real)i)); }

/* Returns whether the solid beyond a wall contains the point x and continues from there in the direction `sign` of an axis. */
static NOINLINE vm lies_across(const wall *w, int D, const vr *x, int axis, real sign, real room) {
    const vr zero = v_set1(0), wide = v_set1(room);
    if (w->kind == KDR_COLLIDER_PLANE) {
        return sign * w->normal[axis] < 0 ? v_at_most(gap_of_plane(w, D, zero, x), wide) : m_none();
    }
    if (w->kind == KDR_COLLIDER_SPHERE) {
        vr r[3];
        const vr excess = sphere_excess(w, D, square_for(w, zero), x, r), most = v_set1(w->twice * room),
                 along = v_mul(v_set1(sign), r[axis]);
        return w->inside ? m_and(v_at_most(opposite(most), excess), v_less(zero, along))
                         : m_and(v_at_most(excess, most), v_less(along, zero));
    }
    if (w->kind != KDR_COLLIDER_BOX) {
        return m_none();
    }
    const vr low = v_set1(w->low[axis]), high = v_set1(w->high[axis]), down = v_sub(x[axis], wide), up = v_add(x[axis], wide);
    if (w->inside) {
        return sign < 0 ? v_at_most(down, low) : v_at_most(high, up);
    }
    vm across = sign < 0 ? v_less(low, down) : v_less(up, high);
    FOR_AXES(i, D) {
        across = m_and(across, v_at_most(v_set1(w->low[i]), v_add(x[i], wide)));
        across = m_and(across, v_at_most(v_sub(x[i], wide), v_set1(w->high[i])));
    }
    return across;
}

/* Returns whether another solid continues where the box ends in the direction `sign` of an axis. x is relative to the box, at the time
 * `before` the end. */
static NOINLINE vm goes_on(const wall *walls, size_t count, size_t box, int D, const vr *x, vr before, double end, int axis, real sign) {
    vm on = m_none();
    for (size_t i = 0; i < count; ++i) {
        vr there[3];
        FOR_AXES(j, D) { there[j] = x[j]; }
        if (!moves_alike(&walls[box], &walls[i])) {
            const moving_frame from = frame_of(&walls[box], end), to = frame_of(&walls[i], end);
            unsee(&from, D, before, x, there);
            see(&to, D, before, there, there);
        }
        on = i == box ? on : m_or(on, lies_across(&walls[i], D, there, axis, sign, walls[box].room + walls[i].room));
    }
    return on;
}

/* Returns the lanes that meet a face within its edges, reaching it after fraction f. On an edge a point does so if it goes inwards
 * there, or if another solid continues beyond the edge, because adjacent solids count as one. */
static NOINLINE vm is_within_edges(const wall *walls, size_t count, size_t box, int D, const flight *s, vm lanes, int axis, vr face, vr f) {
    const wall *const w = &walls[box];
    const vr zero = v_set1(0), twice = v_mul(v_set1(2), f), before = v_mul(v_sub(v_set1(1), f), s->time);
    vr x[3];
    FOR_AXES(i, D) { x[i] = i == axis ? face : place_at(s, i, f); }
    for (int i = 0; i < D; ++i) {
        if (i == axis) {
            continue;
        }
        const vr low = v_set1(w->low[i]), high = v_set1(w->high[i]), slope = mul_add(twice, s->bend[i], v_mul(s->time, s->v0[i]));
        lanes = m_and(lanes, m_and(v_at_most(low, x[i]), v_at_most(x[i], high)));
        const vm bottom = m_but(m_and(lanes, v_at_most(x[i], v_set1(w->low[i] + w->room))), v_less(zero, slope));
        if (m_any(bottom)) {
            lanes = m_but(lanes, m_but(bottom, goes_on(walls, count, box, D, x, before, s->end, i, -1)));
        }
        const vm top = m_but(m_and(lanes, v_at_most(v_set1(w->high[i] - w->room), x[i])), v_less(slope, zero));
        if (m_any(top)) {
            lanes = m_but(lanes, m_but(top, goes_on(walls, count, box, D, x, before, s->end, i, 1)));
        }
    }
    return lanes;
}

static NOINLINE void find_box_from_outside(const wall *walls, size_t count, size_t box, int D, const flight *s, vm lanes, const support *r,
                                           meeting *first) {
    const wall *const w = &walls[box];
    vm outside = m_none(), ends_within = m_every(), touches;
    vr n[3], f;
    lanes = m_but(lanes, box_passes(w, D, s->radius, s->x0, s->x));
    if (!m_any(lanes)) {
        return;
    }
    FOR_AXES(i, D) {
        const vr low = v_set1(w->low[i]), high = v_set1(w->high[i]);
        const vm below = v_at_most(s->x0[i], low), beyond = m_or(below, v_at_most(high, s->x0[i]));
        ends_within = m_and(ends_within, m_and(v_less(low, s->x[i]), v_less(s->x[i], high)));
        outside = m_or(outside, beyond);
        const vr side = v_select(below, v_set1(-1), v_set1(1)), plane = v_select(below, low, high), face = face_on(D, i, side, n);
        vm meets = m_and(m_and(lanes, beyond), meets_face(s, w, D, i, side, plane, &f, &touches));
        meets = is_new(r, meets, (real)box, face);
        if (m_any(meets)) {
            meets = is_within_edges(walls, count, box, D, s, meets, i, plane, f);
            offer(w, D, s, meets, f, n, m_none(), touches, v_mul(side, s->v0[i]), (real)box, face, first);
        }
    }
    const vm within = m_but(m_and(lanes, ends_within), outside);
    if (!m_any(within)) {
        return;
    }
    vr axis, side;
    nearest_face(w, D, s->x0, &axis, &side);
    FOR_AXES(i, D) {
        const vr face = face_on(D, i, side, n);
        offer(w, D, s, is_new(r, m_and(within, is_axis(axis, i)), (real)box, face), v_set1(0), n, m_none(), m_every(),
              v_mul(side, s->v0[i]), (real)box, face, first);
    }
}

/* Normalises a vector to length 1, or 0. Returns its previous length. */
INLINE vr normalise(int D, vr *n) {
    const vr length = v_sqrt(dot_of(D, n, n)), inverse = v_select_zero(length, v_set1(0), v_div(v_set1(1), length));
    FOR_AXES(i, D) { n[i] = v_mul(n[i], inverse); }
    return length;
}

#include "rounded.inl"

/* Returns where |x - at|^2 = R^2 on the parabola, by Newton's method from f on. `way` is 1 outwards, -1 inwards. */
INLINE vr root_on_sphere(const wall *w, int D, const flight *s, real way, vr f) {
    const vr square = square_for(w, s->radius);
    for (int round = 0; round < 4; ++round) {
        vr x[3], r[3], slope[3];
        FOR_AXES(i, D) {
            x[i] = place_at(s, i, f);
            slope[i] = mul_add(v_mul(v_set1(2), f), s->bend[i], v_mul(s->time, s->v0[i]));
        }
        const vr excess = sphere_excess(w, D, square, x, r), change = v_mul(v_set1(2), dot_of(D, r, slope));
        const vm goes = v_less(v_set1(0), v_mul(v_set1(way), change));
        f = v_select(goes, clamp_to_one(v_sub(f, v_div(excess, change))), f);
    }
    return f;
}

/* Computes the normal of a sphere at x, on the side where particles are, and returns the distance of x from the surface. */
static NOINLINE vr sphere_normal(const wall *w, int D, vr of_ball, const vr *x, vr *n) {
    const vr zero = v_set1(0), radius = radius_for(w, of_ball);
    (void)sphere_excess(w, D, zero, x, n);
    const vr length = normalise(D, n);
    FOR_AXES(i, D) {
        n[i] = v_select_zero(length, v_set1(i == D - 1), n[i]); /* at the centre the normal points up */
        n[i] = w->inside ? v_sub(zero, n[i]) : n[i];
    }
    return w->inside ? v_sub(radius, length) : v_sub(length, radius);
}

static NOINLINE void find_sphere(const wall *w, int D, const flight *s, vm lanes, real surface, const support *r, meeting *first) {
    const vr zero = v_set1(0), one = v_set1(1), way = v_set1(w->inside ? 1 : -1);
    vr center[3], x[3], n[3], go[3];
    const vr square = square_for(w, s->radius), radius = radius_for(w, s->radius), twice = v_add(radius, radius);
    const vm behind = v_less(zero, v_mul(way, sphere_excess(w, D, square, s->x, center)));
    const vr excess = sphere_excess(w, D, square, s->x0, center);
    FOR_AXES(i, D) { go[i] = v_mul(s->time, s->v0[i]); }
    /* |x - at|^2 - R^2 without its third and fourth power */
    const vr gap0 = v_sub(zero, v_mul(way, excess)), rate = v_mul(v_mul(v_set1(-2), way), dot_of(D, center, go));
    const vr power = mul_add(v_set1(2), dot_of(D, center, s->bend), dot_of(D, go, go)), curve = v_sub(zero, v_mul(way, power));
    const vr first_f = root_of(gap0, rate, curve);
    const vm has_root = v_at_most(v_mul(v_mul(v_set1(4), curve), gap0), v_mul(rate, rate));
    const vm enters = m_and(m_and(v_less(zero, gap0), v_less(rate, zero)), m_and(has_root, v_at_most(first_f, one)));
    lanes = m_and(lanes, w->inside ? behind : m_but(m_or(behind, enters), box_passes(w, D, s->radius, s->x0, s->x)));
    lanes = is_new(r, lanes, surface, zero);
    if (!m_any(lanes)) {
        return;
    }
    const vr room = room_at(w, D, s->x0);
    const vm touches = v_at_most(gap0, v_mul(twice, room)), at_once = m_and(touches, v_less(rate, zero));
    const vr f = v_select(at_once, zero, root_on_sphere(w, D, s, w->inside ? 1 : -1, clamp_to_one(first_f)));
    FOR_AXES(i, D) { x[i] = place_at(s, i, f); }
    const vr met = sphere_normal(w, D, s->radius, x, n);
    lanes = m_and(lanes, m_or(behind, v_at_most(met, room)));
    const vr begin = v_div(rate, v_mul(twice, s->time));
    offer(w, D, s, lanes, f, n, m_but(lanes, behind), touches, begin, surface, zero, first);
}

/* Finds the first surface that flights meet, among those that particles do not rest on. */
static NOINLINE void find_first(const wall *walls, size_t count, int D, const flight *flown, vm lanes, const support *r, meeting *first) {
    first->found = first->passes = first->touches = first->rubs = m_none();
    first->f = first->at = first->begin = first->surface = first->face = v_set1(0);
    flight seen;
    for (size_t i = 0; i < count; ++i) {
        const wall *const w = &walls[i];
        if (w->moves) {
            see_flight(w, D, flown, &seen);
        }
        const flight *const s = w->moves ? &seen : flown;
        if (w->kind == KDR_COLLIDER_PLANE) {
            find_plane(w, D, s, lanes, (real)i, r, first);
        } else if (w->kind == KDR_COLLIDER_SPHERE) {
            find_sphere(w, D, s, lanes, (real)i, r, first);
        } else if (w->kind == KDR_COLLIDER_BOX && w->inside) {
            find_box_from_inside(w, D, s, lanes, (real)i, r, first);
        } else if (w->kind == KDR_COLLIDER_BOX) {
            const vm balls = m_and(lanes, v_less(v_set1(0), s->radius));
            if (m_any(balls)) {
                find_rounded_box(w, D, s, balls, (real)i, r, first);
            }
            find_box_from_outside(walls, count, i, D, s, m_but(lanes, balls), r, first);
        }
    }
}

/* Returns the distance of x from a wall that was met, and its normal there. */
static NOINLINE vr gap_at(const wall *w, int D, vr radius, vr face, const vr *x, vr *n) {
    if (w->kind == KDR_COLLIDER_SPHERE) {
        return sphere_normal(w, D, radius, x, n);
    }
    if (w->kind == KDR_COLLIDER_PLANE) {
        FOR_AXES(i, D) { n[i] = v_set1(w->normal[i]); }
        return gap_of_plane(w, D, radius, x);
    }
    const vm is_round = v_at_most(face, v_set1(0));
    vr gap = v_set1(0), round[3];
    FOR_AXES(i, D) {
        vr side, plane;
        const vm is = is_face_of(w, i, radius, face, &side, &plane);
        n[i] = v_select(is, side, v_set1(0));
        gap = v_select(is, v_mul(side, v_sub(x[i], plane)), gap);
    }
    if (!w->inside && m_any(is_round)) {
        gap = v_select(is_round, rounded_gap(w, D, radius, x, round, NULL, NULL), gap);
        FOR_AXES(i, D) { n[i] = v_select(is_round, round[i], n[i]); }
    }
    return gap;
}

/* Returns gap_at for a wall that may move, at the time `before` the end of a step or drift. */
INLINE vr gap_of(const wall *w, int D, vr radius, vr face, vr before, double end, const vr *x, vr *n) {
    if (!w->moves) {
        return gap_at(w, D, radius, face, x, n);
    }
    const moving_frame f = frame_of(w, end);
    vr seen[3];
    see(&f, D, before, x, seen);
    return gap_at(w, D, radius, face, seen, n);
}

/* Moves particles near a wall onto it, and computes its normal there. */
static NOINLINE void put_on(const wall *w, int D, vm lanes, vr radius, vr face, vr *x, vr *n) {
    if (w->kind == KDR_COLLIDER_BOX) {
        const vm round = m_and(lanes, v_at_most(face, v_set1(0)));
        vr on[3];
        if (!w->inside && m_any(round)) {
            (void)rounded_gap(w, D, radius, x, n, on, NULL);
            FOR_AXES(i, D) { x[i] = v_select(round, on[i], x[i]); }
        }
        FOR_AXES(i, D) {
            vr side, plane;
            const vm is = is_face_of(w, i, radius, face, &side, &plane);
            x[i] = v_select(m_and(lanes, is), plane, x[i]);
        }
        (void)gap_at(w, D, radius, face, x, n);
        return;
    }
    const vr gap = gap_at(w, D, radius, face, x, n);
    FOR_AXES(i, D) { x[i] = v_select(lanes, mul_add(opposite(gap), n[i], x[i]), x[i]); }
    (void)gap_at(w, D, radius, face, x, n);
}

/* Does put_on for a wall that may move, at the time `before` the end of a step or drift. */
INLINE void put_on_it(const wall *w, int D, vm lanes, vr radius, vr face, vr before, double end, vr *x, vr *n) {
    if (!w->moves) {
        put_on(w, D, lanes, radius, face, x, n);
        return;
    }
    const moving_frame f = frame_of(w, end);
    vr seen[3];
    see(&f, D, before, x, seen);
    put_on(w, D, lanes, radius, face, seen, n);
    unsee(&f, D, before, seen, seen);
    FOR_AXES(i, D) { x[i] = v_select(lanes, seen[i], x[i]); }
}
