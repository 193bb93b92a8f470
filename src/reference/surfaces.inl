/* Planes, boxes and spheres: where a way meets them. */

/* Where a way from gap0 before the surface to `gap`, behind it, meets it. */
static real fraction_of(real gap0, real gap) { return 0 < gap0 ? gap0 / (gap0 - gap) : 0; }

static real plane_gap(const particle *p, const wall *w, const real x[3]) {
    real gap = -w->offset;
    for (int i = 0; i < p->dims; ++i) {
        gap = mul_add(p, w->normal[i], x[i], gap);
    }
    return gap;
}

static void meet_plane(travel *t, const wall *w) {
    const real gap = plane_gap(t->p, w, t->p->x);
    if (gap <= 0) {
        meet(t, w, w->normal, fraction_of(plane_gap(t->p, w, t->x0), gap), gap);
    }
}

static void meet_box_from_inside(travel *t, const wall *w) {
    for (int i = 0; i < t->p->dims; ++i) {
        const bool below = t->p->x[i] <= w->low[i];
        if (below || w->high[i] <= t->p->x[i]) {
            const real side = below ? 1 : -1, face = below ? w->low[i] : w->high[i];
            const real gap = side * (t->p->x[i] - face), gap0 = side * (t->x0[i] - face);
            meet_face(t, w, i, side, fraction_of(gap0, gap), gap);
        }
    }
}

/* The face of a box that is nearest to x, which is inside. */
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

static bool within_box(const particle *p, const wall *w, const real x[3], int but) {
    for (int i = 0; i < p->dims; ++i) {
        if (i != but && !(w->low[i] <= x[i] && x[i] <= w->high[i])) {
            return false;
        }
    }
    return true;
}

/* On some axis all of the way is beyond one side of the box, or of the one around a sphere. */
static bool passes_box(const travel *t, const wall *w) {
    for (int i = 0; i < t->p->dims; ++i) {
        const real x0 = t->x0[i], x = t->p->x[i];
        if ((x0 <= w->low[i] && x < w->low[i]) || (w->high[i] <= x0 && w->high[i] < x)) {
            return true;
        }
    }
    return false;
}

/* The way enters where it crosses the last of the planes of faces that x0 is before, if it is within the others there. */
static void meet_box_from_outside(travel *t, const wall *w) {
    particle *const p = t->p;
    int axis = -1;
    real side = 0, latest = -1, at[3];
    bool outside = false;
    if (passes_box(t, w)) {
        return;
    }
    for (int i = 0; i < p->dims; ++i) {
        const bool below = t->x0[i] <= w->low[i], above = w->high[i] <= t->x0[i];
        if (below || above) {
            const real when = ((below ? w->low[i] : w->high[i]) - t->x0[i]) / (p->x[i] - t->x0[i]);
            const real f = 0 < when ? when : 0;
            outside = true;
            if (latest < f) {
                latest = f;
                axis = i;
                side = below ? -1 : 1;
            }
        }
    }
    if (outside) {
        for (int i = 0; i < p->dims; ++i) {
            at[i] = mul_add(p, latest, p->x[i] - t->x0[i], t->x0[i]);
        }
        if (!within_box(p, w, at, axis)) {
            return;
        }
    } else {
        if (!within_box(p, w, p->x, -1)) {
            return;
        }
        latest = 0;
        axis = nearest_face(p, w, p->x, &side);
    }
    const real face = side < 0 ? w->low[axis] : w->high[axis];
    meet_face(t, w, axis, side, latest, side * (p->x[axis] - face));
}

/* r = x - at, and r^2 - R^2. */
static real sphere_excess(const particle *p, const wall *w, const real x[3], real r[3]) {
    real excess = -w->square;
    for (int i = 0; i < p->dims; ++i) {
        r[i] = x[i] - w->at[i];
        excess = mul_add(p, r[i], r[i], excess);
    }
    return excess;
}

/* A way and a sphere: from the sphere's centre, r0 to r = r0 + d, |r0|^2 - R^2 and |r|^2 - R^2. */
typedef struct crossing {
    real r0[3], r[3], d[3], excess0, excess, b;
    real f; /* |r0 + f d| = R, a quadratic equation: (d . d) f^2 + 2 (r0 . d) f + (r0^2 - R^2) = 0 */
} crossing;

/* Where a way leaves a sphere that it starts in, or enters one that it starts outside of. */
static void cross_sphere(const travel *t, const wall *w, bool leaves, crossing *s) {
    const particle *const p = t->p;
    s->excess0 = sphere_excess(p, w, t->x0, s->r0);
    s->excess = sphere_excess(p, w, p->x, s->r);
    for (int i = 0; i < p->dims; ++i) {
        s->d[i] = s->r[i] - s->r0[i];
    }
    const real a = dot(p, s->d, s->d);
    s->b = dot(p, s->r0, s->d);
    const real root = square_root(mul_add(p, 0 - a, s->excess0, s->b * s->b));
    s->f = 0;
    if (leaves && s->excess0 < 0) {
        s->f = (root - s->b) / a;
    } else if (!leaves && 0 < s->excess0) {
        s->f = ((0 - s->b) - root) / a;
    }
}

/* NaN becomes 0. */
static real clamp_to_one(real f) {
    const real least = 0 < f ? f : 0;
    return least < 1 ? least : 1;
}

/* To length 1; 0 stays 0. Returns the length that it had. */
static real normalise(const particle *p, real n[3]) {
    const real length = square_root(dot(p, n, n));
    const real inverse = length == 0 ? 0 : 1 / length;
    for (int i = 0; i < p->dims; ++i) {
        n[i] *= inverse;
    }
    return length;
}

static void meet_sphere(travel *t, const wall *w) {
    particle *const p = t->p;
    crossing s;
    cross_sphere(t, w, w->inside, &s);
    const bool enters = 0 < s.excess0 && s.b < 0 && s.f <= 1; /* false where there is no root: f is NaN */
    if (w->inside ? !(0 <= s.excess) : !(s.excess <= 0 || enters) || passes_box(t, w)) {
        return;
    }
    const real f = clamp_to_one(s.f);
    real n[3];
    for (int i = 0; i < p->dims; ++i) {
        n[i] = mul_add(p, f, s.d[i], s.r0[i]);
    }
    normalise(p, n);
    for (int i = 0; i < p->dims && w->inside; ++i) {
        n[i] = 0 - n[i];
    }
    const real gap = (1 - f) * dot(p, s.d, n);
    meet(t, w, n, f, gap < 0 ? gap : 0);
}
