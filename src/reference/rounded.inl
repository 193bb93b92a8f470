/* An outer box as the centre of a ball meets it: its faces are shifted outwards by the radius, its edges and corners are rounded. */

/* rounds of Newton's method: first to a place slightly inside, then from there to the surface */
enum { DEEP_ROUNDS = 8, MEETING_ROUNDS = 2 };

/* Returns the coordinate of a box's face on its axis. */
static real place_of_face(const wall *w, int face) {
    const int axis = (face - 1) / 2;
    const bool up = face % 2 == 0;
    if (w->inside) {
        return up ? w->low[axis] : w->high[axis];
    }
    return up ? w->high[axis] + w->radius : w->low[axis] - w->radius;
}

/* Returns the distance of x from the plane of a face. */
static real gap_of_face(const wall *w, int face, const real x[3]) {
    const real side = face % 2 == 0 ? 1 : -1;
    return side * (x[(face - 1) / 2] - place_of_face(w, face));
}

/* Returns the distance of x from the rounded box, negative inside, and the normal n there. `on` becomes the nearest place on it. `face`
 * becomes the number of the face with this place, or on an edge or a corner minus the number of the nearest face. Both may be NULL. */
static real rounded_gap(const particle *p, const wall *w, const real x[3], real n[3], real on[3], int *face) {
    real off[3] = {0}, near[3] = {0}, farthest = 0, side = 0;
    int beyond = 0, axis = 0;
    n[0] = n[1] = n[2] = 0;
    for (int i = 0; i < p->dims; ++i) {
        const bool below = x[i] < w->low[i], above = w->high[i] < x[i];
        near[i] = below ? w->low[i] : above ? w->high[i] : x[i];
        off[i] = x[i] - near[i];
        beyond += below || above;
        const real far = below ? 0 - off[i] : off[i];
        if (farthest < far) {
            farthest = far;
            axis = i;
            side = below ? -1 : 1;
        }
    }
    if (!(0 < farthest)) {
        axis = nearest_face(p, w, x, &side);
    }
    const real length = square_root(dot(p, off, off)), inverse = 1 / length;
    const bool is_round = 1 < beyond && 0 < length;
    const int its = 1 + 2 * axis + (side > 0);
    const real place = place_of_face(w, its);
    for (int i = 0; i < p->dims; ++i) {
        n[i] = is_round ? off[i] * inverse : i == axis ? side : 0;
        if (on) {
            on[i] = is_round ? mul_add(p, w->radius, n[i], near[i]) : i == axis ? place : near[i];
        }
    }
    if (face) {
        *face = is_round ? -its : its;
    }
    return is_round ? length - w->radius : side * (x[axis] - place);
}

/* Returns, by Newton's method from f on, the fraction of the flight at which the path is `deep` inside the rounded box. If the path does
 * not approach it, returns f. */
static real come_to(const particle *p, const ref_flight *s, const wall *w, real deep, int rounds, real f) {
    for (int round = 0; round < rounds; ++round) {
        real x[3] = {0}, slope[3] = {0}, n[3];
        for (int i = 0; i < p->dims; ++i) {
            x[i] = place_at(p, s, i, f);
            slope[i] = mul_add(p, 2 * f, s->bend[i], s->time * s->v0[i]);
        }
        const real gap = rounded_gap(p, w, x, n, NULL, NULL), change = dot(p, n, slope);
        f = change < 0 ? clamp_to_one(f - (gap + deep) / change) : f;
    }
    return f;
}

/* Returns whether the flight stays away from the rounded box: on some axis both ends are beyond one side of it. */
static bool passes_rounded(const particle *p, const real x0[3], const real x[3], const wall *w) {
    for (int i = 0; i < p->dims; ++i) {
        const real low = w->low[i] - w->radius, high = w->high[i] + w->radius;
        if ((x0[i] < low && x[i] < low) || (high < x0[i] && high < x[i])) {
            return true;
        }
    }
    return false;
}

static void offer_new(const particle *p, const ref_flight *s, const ref_meeting *m, const ref_support *r, bool *found, ref_meeting *first) {
    if (!rests_on(r, m->surface, m->face)) {
        offer(p, s, m, found, first);
    }
}

/* Returns the meeting with the plane of a face. The flight touches the plane only if it begins near it, on either side. */
static ref_meeting meet_plane(const particle *p, const ref_flight *s, const wall *w, size_t surface, int face) {
    const int axis = (face - 1) / 2;
    const real side = face % 2 == 0 ? 1 : -1, room = room_at(p, w, s->x0), gap0 = gap_of_face(w, face, s->x0);
    ref_meeting m = meeting_on_axis(surface, axis, side);
    (void)meets_face(p, s, w, axis, side, place_of_face(w, face), &m);
    m.touches = m.touches && 0 - room <= gap0;
    return m;
}

/* Finds meetings with a rounded box. If a particle begins on a face and meets its plane at the box, only the plane counts for the rest
 * of the flight, beyond the edges too, so that seams between boxes are not felt. */
static void find_rounded_box(const particle *p, const ref_flight *s, const wall *w, size_t surface, const ref_support *r, bool *found,
                             ref_meeting *first) {
    real n0[3] = {0}, n[3] = {0}, x[3] = {0};
    int face0 = 0, face = 0;
    if (passes_rounded(p, s->x0, s->x, w)) {
        return;
    }
    const real room = room_at(p, w, s->x0), gap = rounded_gap(p, w, s->x, n, NULL, NULL), gap0 = rounded_gap(p, w, s->x0, n0, NULL, &face0),
               rate = s->time * dot(p, s->v0, n0);
    ref_meeting m = {.surface = surface, .touches = gap0 <= room, .begin = dot(p, s->v0, n0)};
    const ref_meeting flat = meet_plane(p, s, w, surface, face0 < 0 ? -face0 : face0);
    for (int i = 0; i < p->dims; ++i) {
        x[i] = place_at(p, s, i, flat.f);
    }
    if (m.touches && flat.touches && rounded_gap(p, w, x, n, NULL, NULL) <= room) {
        if (gap_of_face(w, flat.face, s->x) < 0) {
            offer_new(p, s, &flat, r, found, first);
        }
        return;
    }
    const bool behind = gap < 0 - room, comes = rate < 0;
    if (!behind && !(0 - room <= gap0 && comes)) {
        return;
    }
    const real begin_at = comes ? 0 : clamp_to_one(root_of(p, gap0, rate, (gap - gap0) - rate)),
               within = come_to(p, s, w, room, DEEP_ROUNDS, begin_at);
    m.f = m.touches && comes ? 0 : come_to(p, s, w, 0, MEETING_ROUNDS, within);
    for (int i = 0; i < p->dims; ++i) {
        x[i] = place_at(p, s, i, within);
    }
    if (!behind && !(rounded_gap(p, w, x, n, NULL, NULL) <= (real)-0.5 * room)) {
        return; /* it grazes the surface, no deeper than half of `room` */
    }
    for (int i = 0; i < p->dims; ++i) {
        x[i] = place_at(p, s, i, m.f);
    }
    (void)rounded_gap(p, w, x, m.n, NULL, &face);
    m.face = 0 < face ? face : 0;
    m.passes = face <= 0 ? !behind : !(gap_of_face(w, face, s->x) < 0);
    offer_new(p, s, &m, r, found, first);
}
