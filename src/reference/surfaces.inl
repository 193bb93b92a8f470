/* Planes, boxes and spheres: where a flight meets them. */

/* Makes a collider as the centre of a ball meets it: shifted by the radius. An outer box keeps its edges and stores the radius of the
 * ball. */
static void wall_for(const particle *p, size_t collider, real radius, wall *w) {
    fold_wall(&p->problem->colliders[collider], p->dims, w);
    w->offset = w->offset + radius;
    if (w->kind == KDR_COLLIDER_SPHERE) {
        const real grown = radius * (w->inside ? w->twice - radius : w->twice + radius), wide = SPHERE_ROOM * radius;
        w->square = w->inside ? w->square - grown : w->square + grown;
        w->radius = w->inside ? w->radius - radius : w->radius + radius;
        w->twice = 2 * w->radius;
        for (int i = 0; i < p->dims; ++i) {
            w->low[i] = w->low[i] - wide;
            w->high[i] = w->high[i] + wide;
        }
    } else if (w->kind == KDR_COLLIDER_BOX && w->inside) {
        for (int i = 0; i < p->dims; ++i) {
            w->low[i] = w->low[i] + radius;
            w->high[i] = w->high[i] - radius;
        }
    } else if (w->kind == KDR_COLLIDER_BOX) {
        w->radius = radius;
    }
}

static real plane_gap(const particle *p, const wall *w, const real x[3]) {
    real gap = -w->offset;
    for (int i = 0; i < p->dims; ++i) {
        gap = mul_add(p, w->normal[i], x[i], gap);
    }
    return gap;
}

/* Computes r = x - at, and returns r^2 - R^2. */
static real sphere_excess(const particle *p, const wall *w, const real x[3], real r[3]) {
    real excess = 0 - w->square;
    for (int i = 0; i < p->dims; ++i) {
        r[i] = x[i] - w->at[i];
        excess = mul_add(p, r[i], r[i], excess);
    }
    return excess;
}

/* Clamps f to [0, 1]; NaN becomes 0. */
static real clamp_to_one(real f) {
    const real least = 0 < f ? f : 0;
    return least < 1 ? least : 1;
}

/* Normalises a vector to length 1; 0 stays 0. Returns its previous length. */
static real normalise(const particle *p, real n[3]) {
    const real length = square_root(dot(p, n, n));
    const real inverse = length == 0 ? 0 : 1 / length;
    for (int i = 0; i < p->dims; ++i) {
        n[i] *= inverse;
    }
    return length;
}

/* Returns where the parabola gap0 + rate f + curve f^2 reaches 0 from above. If it begins at 0 or below and rises, returns where it
 * comes back. */
static real root_of(const particle *p, real gap0, real rate, real curve) {
    const real inner = mul_add(p, -4 * curve, gap0, rate * rate), root = square_root(0 < inner ? inner : 0);
    if (0 <= rate && curve < 0 && 0 <= inner) {
        return (rate + root) / (-2 * curve);
    }
    return 0 < gap0 ? (2 * gap0) / (root - rate) : 0;
}

/* Returns the fraction of a flight after which it meets a surface at distance `gap0`: 0 for a particle that touches the surface and
 * approaches. */
static real met_after(const particle *p, bool touches, real gap0, real rate, real curve) {
    return touches && rate < 0 ? 0 : clamp_to_one(root_of(p, gap0, rate, curve));
}

/* Returns the tolerance within which a particle at x touches the surface. */
static real room_at(const particle *p, const wall *w, const real x[3]) {
    real size = 0;
    for (int i = 0; i < p->dims; ++i) {
        size = size + (x[i] < 0 ? 0 - x[i] : x[i]);
    }
    return mul_add(p, ROOM, size, w->room);
}

/* Takes the meeting if it is earlier than the first one, or at the same time but faster. A flight that only passes through must go
 * inwards. */
static void offer(const particle *p, const ref_flight *s, const ref_meeting *m, bool *found, ref_meeting *first) {
    ref_meeting with = *m;
    real v[3] = {0};
    for (int i = 0; i < p->dims; ++i) {
        v[i] = velocity_at(p, s, i, m->f);
    }
    with.at = dot(p, v, m->n);
    if (m->passes && !(with.at < 0)) {
        return;
    }
    if (!*found || m->f < first->f || (m->f <= first->f && with.at < first->at)) {
        *first = with;
        *found = true;
    }
}

static bool rests_on(const ref_support *r, size_t surface, int face) {
    for (int i = 0; i < r->count; ++i) {
        if (r->on[i].surface == surface && r->on[i].face == face) {
            return true;
        }
    }
    return false;
}

static ref_meeting meeting_on_axis(size_t surface, int axis, real side) {
    ref_meeting m = {.surface = surface, .face = 1 + 2 * axis + (side > 0)};
    m.n[axis] = side;
    return m;
}

/* Computes the meeting with a face of a box, whose normal points up (side 1) or down (-1). Returns false if the flight does not end
 * beyond it. */
static bool meets_face(const particle *p, const ref_flight *s, const wall *w, int axis, real side, real face, ref_meeting *m) {
    const real gap = side * (s->x[axis] - face), gap0 = side * (s->x0[axis] - face);
    const real rate = side * (s->time * s->v0[axis]);
    m->touches = gap0 <= room_at(p, w, s->x0);
    m->begin = side * s->v0[axis];
    m->f = met_after(p, m->touches, gap0, rate, (gap - gap0) - rate);
    return gap < 0;
}

static void find_plane(const particle *p, const ref_flight *s, const wall *w, size_t surface, bool *found, ref_meeting *first) {
    const real gap = plane_gap(p, w, s->x);
    if (!(gap < 0)) {
        return;
    }
    ref_meeting m = {.surface = surface};
    memcpy(m.n, w->normal, sizeof m.n);
    m.begin = dot(p, s->v0, w->normal);
    const real gap0 = plane_gap(p, w, s->x0), rate = s->time * m.begin;
    m.touches = gap0 <= room_at(p, w, s->x0);
    m.f = met_after(p, m.touches, gap0, rate, (gap - gap0) - rate);
    offer(p, s, &m, found, first);
}

static void find_box_from_inside(const particle *p, const ref_flight *s, const wall *w, size_t surface, const ref_support *r, bool *found,
                                 ref_meeting *first) {
    for (int i = 0; i < p->dims; ++i) {
        const bool below = s->x[i] < w->low[i];
        if (below || w->high[i] < s->x[i]) {
            const real side = below ? 1 : -1;
            ref_meeting m = meeting_on_axis(surface, i, side);
            if (meets_face(p, s, w, i, side, below ? w->low[i] : w->high[i], &m) && !rests_on(r, surface, m.face)) {
                offer(p, s, &m, found, first);
            }
        }
    }
}

/* Returns the axis of the face of a box that is nearest to x, which is inside, and its side. */
static int nearest_face(const particle *p, const wall *w, const real x[3], real *side) {
    int axis = 0;
    real least = 0;
    for (int i = 0; i < p->dims; ++i) {
        if (i == 0 || x[i] - w->low[i] < least) {
            least = x[i] - w->low[i];
            axis = i;
            *side = -1;
        }
        if (w->high[i] - x[i] < least) {
            least = w->high[i] - x[i];
            axis = i;
            *side = 1;
        }
    }
    return axis;
}

/* Returns whether the solid beyond a surface contains x and continues from there in the direction `sign` of an axis. */
static bool lies_across(const particle *p, const wall *w, const real x[3], int axis, real sign, real room) {
    real r[3] = {0};
    if (w->kind == KDR_COLLIDER_PLANE) {
        return plane_gap(p, w, x) <= room && sign * w->normal[axis] < 0;
    }
    if (w->kind == KDR_COLLIDER_SPHERE) {
        const real excess = sphere_excess(p, w, x, r), wide = w->twice * room;
        return w->inside ? -wide <= excess && 0 < sign * r[axis] : excess <= wide && sign * r[axis] < 0;
    }
    if (w->kind != KDR_COLLIDER_BOX) {
        return false;
    }
    if (w->inside) {
        return sign < 0 ? x[axis] - room <= w->low[axis] : w->high[axis] <= x[axis] + room;
    }
    for (int i = 0; i < p->dims; ++i) {
        if (!(w->low[i] <= x[i] + room && x[i] - room <= w->high[i])) {
            return false;
        }
    }
    return sign < 0 ? w->low[axis] < x[axis] - room : x[axis] + room < w->high[axis];
}

/* Returns whether another solid continues where the box ends in the direction `sign` of an axis. x is relative to the box, at the time
 * `before` the end. */
static bool goes_on(const particle *p, const wall *box, size_t surface, const real x[3], real before, double end, int axis, real sign) {
    for (size_t i = 0; i < p->problem->collider_count; ++i) {
        wall other;
        real there[3] = {x[0], x[1], x[2]};
        wall_for(p, i, 0, &other);
        if (memcmp(box->velocity, other.velocity, sizeof other.velocity) != 0 || box->since != other.since) {
            unsee(p, box, end, before, x, there);
            see(p, &other, end, before, there, there);
        }
        if (i != surface && lies_across(p, &other, there, axis, sign, box->room + other.room)) {
            return true;
        }
    }
    return false;
}

/* Returns whether a point meets a face within its edges, reaching it after fraction f. On an edge it does so if it goes inwards there,
 * or if another solid continues beyond the edge, because adjacent solids count as one. */
static bool is_within_edges(const particle *p, const ref_flight *s, const wall *w, size_t surface, int axis, real f) {
    const real before = (1 - f) * s->time;
    real x[3] = {0};
    for (int i = 0; i < p->dims; ++i) {
        x[i] = i == axis ? s->x0[i] : place_at(p, s, i, f);
    }
    x[axis] = s->x0[axis] <= w->low[axis] ? w->low[axis] : w->high[axis];
    for (int i = 0; i < p->dims; ++i) {
        const real slope = mul_add(p, 2 * f, s->bend[i], s->time * s->v0[i]);
        if (i == axis) {
            continue;
        }
        if (!(w->low[i] <= x[i] && x[i] <= w->high[i])) {
            return false;
        }
        if (x[i] <= w->low[i] + w->room && !(0 < slope) && !goes_on(p, w, surface, x, before, s->end, i, -1)) {
            return false;
        }
        if (w->high[i] - w->room <= x[i] && !(slope < 0) && !goes_on(p, w, surface, x, before, s->end, i, 1)) {
            return false;
        }
    }
    return true;
}

/* Returns whether both ends are beyond one side of the box on some axis; for a sphere, of the box around it. */
static bool passes_box(const particle *p, const real x0[3], const real x[3], const wall *w) {
    for (int i = 0; i < p->dims; ++i) {
        if ((x0[i] < w->low[i] && x[i] < w->low[i]) || (w->high[i] < x0[i] && w->high[i] < x[i])) {
            return true;
        }
    }
    return false;
}

static void find_box_from_outside(const particle *p, const ref_flight *s, const wall *w, size_t surface, const ref_support *r, bool *found,
                                  ref_meeting *first) {
    bool outside = false, ends_within = true;
    if (passes_box(p, s->x0, s->x, w)) {
        return;
    }
    for (int i = 0; i < p->dims; ++i) {
        const bool below = s->x0[i] <= w->low[i], above = w->high[i] <= s->x0[i];
        ends_within = ends_within && w->low[i] < s->x[i] && s->x[i] < w->high[i];
        if (below || above) {
            const real side = below ? -1 : 1;
            ref_meeting m = meeting_on_axis(surface, i, side);
            outside = true;
            if (meets_face(p, s, w, i, side, below ? w->low[i] : w->high[i], &m) && !rests_on(r, surface, m.face) &&
                is_within_edges(p, s, w, surface, i, m.f)) {
                offer(p, s, &m, found, first);
            }
        }
    }
    if (!outside && ends_within) {
        real side = 0;
        const int axis = nearest_face(p, w, s->x0, &side);
        ref_meeting m = meeting_on_axis(surface, axis, side);
        m.touches = true;
        m.begin = side * s->v0[axis];
        if (!rests_on(r, surface, m.face)) {
            offer(p, s, &m, found, first);
        }
    }
}

#include "rounded.inl"

/* Returns where |x - at|^2 = R^2 on the parabola, by Newton's method from f on. `way` is 1 outwards, -1 inwards. */
static real root_on_sphere(const particle *p, const ref_flight *s, const wall *w, real way, real f) {
    for (int round = 0; round < 4; ++round) {
        real x[3] = {0}, r[3] = {0}, slope[3] = {0};
        for (int i = 0; i < p->dims; ++i) {
            x[i] = place_at(p, s, i, f);
            slope[i] = mul_add(p, 2 * f, s->bend[i], s->time * s->v0[i]);
        }
        const real excess = sphere_excess(p, w, x, r), change = 2 * dot(p, r, slope);
        f = 0 < way * change ? clamp_to_one(f - excess / change) : f;
    }
    return f;
}

/* Computes the normal of a sphere at x, on the side where particles are, and returns the distance of x from the surface. */
static real sphere_normal(const particle *p, const wall *w, const real x[3], real n[3]) {
    (void)sphere_excess(p, w, x, n);
    const real length = normalise(p, n);
    for (int i = 0; i < p->dims; ++i) {
        n[i] = length == 0 ? (i == p->dims - 1) : n[i]; /* at the centre the normal points up */
        n[i] = w->inside ? 0 - n[i] : n[i];
    }
    return w->inside ? w->radius - length : length - w->radius;
}

static void find_sphere(const particle *p, const ref_flight *s, const wall *w, size_t surface, bool *found, ref_meeting *first) {
    const real way = w->inside ? 1 : -1;
    ref_meeting m = {.surface = surface};
    real r[3] = {0}, x[3] = {0}, go[3] = {0};
    const bool behind = 0 < way * sphere_excess(p, w, s->x, r);
    const real excess = sphere_excess(p, w, s->x0, r);
    for (int i = 0; i < p->dims; ++i) {
        go[i] = s->time * s->v0[i];
    }
    /* |x - at|^2 - R^2 without its third and fourth power */
    const real gap0 = 0 - way * excess, rate = -2 * way * dot(p, r, go),
               curve = 0 - way * mul_add(p, 2, dot(p, r, s->bend), dot(p, go, go)), f = root_of(p, gap0, rate, curve);
    const bool enters = !w->inside && 0 < gap0 && rate < 0 && 4 * curve * gap0 <= rate * rate && f <= 1;
    if ((!behind && !enters) || (!w->inside && passes_box(p, s->x0, s->x, w))) {
        return;
    }
    const real room = room_at(p, w, s->x0);
    m.touches = gap0 <= w->twice * room;
    m.begin = rate / (w->twice * s->time);
    m.f = m.touches && rate < 0 ? 0 : root_on_sphere(p, s, w, way, clamp_to_one(f));
    for (int i = 0; i < p->dims; ++i) {
        x[i] = place_at(p, s, i, m.f);
    }
    const real met = sphere_normal(p, w, x, m.n);
    m.passes = !behind;
    if (behind || met <= room) {
        offer(p, s, &m, found, first);
    }
}

/* Finds the first surface that a flight meets, among those that the particle does not rest on. */
static bool find_first(const particle *p, const ref_flight *flown, const ref_support *r, ref_meeting *first) {
    bool found = false;
    for (size_t i = 0; i < p->problem->collider_count; ++i) {
        wall w;
        wall_for(p, i, flown->radius, &w);
        const ref_flight seen = see_flight(p, &w, flown), *const s = &seen;
        if (w.kind == KDR_COLLIDER_PLANE && !rests_on(r, i, 0)) {
            find_plane(p, s, &w, i, &found, first);
        } else if (w.kind == KDR_COLLIDER_SPHERE && !rests_on(r, i, 0)) {
            find_sphere(p, s, &w, i, &found, first);
        } else if (w.kind == KDR_COLLIDER_BOX && w.inside) {
            find_box_from_inside(p, s, &w, i, r, &found, first);
        } else if (w.kind == KDR_COLLIDER_BOX && 0 < s->radius) {
            find_rounded_box(p, s, &w, i, r, &found, first);
        } else if (w.kind == KDR_COLLIDER_BOX) {
            find_box_from_outside(p, s, &w, i, r, &found, first);
        }
    }
    return found;
}

/* Returns the distance of x from a surface that was met, and its normal there. */
static real gap_at(const particle *p, const wall *w, int face, const real x[3], real n[3]) {
    if (w->kind == KDR_COLLIDER_SPHERE) {
        return sphere_normal(p, w, x, n);
    }
    if (w->kind == KDR_COLLIDER_PLANE) {
        memcpy(n, w->normal, 3 * sizeof *n);
        return plane_gap(p, w, x);
    }
    if (face == 0) {
        return rounded_gap(p, w, x, n, NULL, NULL);
    }
    const int axis = (face - 1) / 2;
    n[0] = n[1] = n[2] = 0;
    n[axis] = face % 2 == 0 ? 1 : -1;
    return gap_of_face(w, face, x);
}

/* Returns that distance for a surface that may move, at the time `before` the end of a step or drift, and the normal. */
static real gap_of(const particle *p, const wall *w, int face, real before, double end, const real x[3], real n[3]) {
    real seen[3] = {0};
    see(p, w, end, before, x, seen);
    return gap_at(p, w, face, seen, n);
}

/* Moves a particle near a surface onto it. */
static void put_on(const particle *p, const wall *w, int face, real x[3]) {
    real n[3] = {0};
    if (w->kind == KDR_COLLIDER_BOX && face != 0) {
        x[(face - 1) / 2] = place_of_face(w, face);
        return;
    }
    if (w->kind == KDR_COLLIDER_BOX) {
        real on[3] = {0};
        (void)rounded_gap(p, w, x, n, on, NULL);
        memcpy(x, on, sizeof on);
        return;
    }
    const real gap = gap_at(p, w, face, x, n);
    for (int i = 0; i < p->dims; ++i) {
        x[i] = mul_add(p, 0 - gap, n[i], x[i]);
    }
}

/* Moves it onto a surface that may move, at the time `before` the end of a step or drift, and computes the normal there. */
static void put_on_it(const particle *p, const wall *w, int face, real before, double end, real x[3], real n[3]) {
    real seen[3] = {0};
    see(p, w, end, before, x, seen);
    put_on(p, w, face, seen);
    (void)gap_at(p, w, face, seen, n);
    unsee(p, w, end, before, seen, x);
}
