/* Colliders: the contacts of a step's straight line with surfaces, one after the other, in the order that force/collider.h sets. */

#if REAL_IS_FLOAT
typedef kdr_wall_f32 wall;
#define fold_wall kdr_wall_fold_f32
#define wall_of_constraint kdr_wall_of_constraint_f32
#else
typedef kdr_wall_f64 wall;
#define fold_wall kdr_wall_fold_f64
#define wall_of_constraint kdr_wall_of_constraint_f64
#endif

/* A particle on its way: the state before the step, and the one after it, which is p's. */
typedef struct way {
    particle *p;
    const real *x0;
    real v0[3];
    bool hit;
    uint32_t bounces;
    real taken[2]; /* kinetic energy a unit of mass that restitution and friction took */
} way;

static real dot(const particle *p, const real a[3], const real b[3]) {
    real sum = a[0] * b[0];
    for (int i = 1; i < p->dims; ++i) {
        sum = mul_add(p, a[i], b[i], sum);
    }
    return sum;
}

/* A surface met at the fraction f of the step, with what x is behind it, and the velocities along the normal before and after the step. */
typedef struct contact {
    real f, gap, before, after;
} contact;

/* The velocity pulse and the position pulse along the normal, and the first without what friction takes of it. */
typedef struct pulse {
    real push, dv, dx;
    real at; /* the velocity along the normal when the surface is met */
    bool bounces;
} pulse;

/* Kinetic energy, a unit of mass, that a velocity has before and not after. */
static real energy_between(real before, real after) { return (real)0.5 * ((before - after) * (before + after)); }

/* v_f = (1 - f) v_n + f v_{n+1}; a bounce turns it round, times the restitution. A particle that comes in no faster than the forces press
 * it against the surface rests. */
static pulse pulse_of(const particle *p, const wall *w, const contact *c) {
    const real change = c->after - c->before;
    const real at = mul_add(p, c->f, change, c->before);
    const bool bounces = at < 0 && at < change;
    pulse out = {.at = at, .bounces = bounces};
    if (bounces) {
        out.push = w->minus_bounce * at;
        out.dx = w->minus_bounce * c->gap;
    } else {
        out.push = c->after < 0 ? 0 - c->after : 0;
        out.dx = -c->gap;
    }
    out.dv = mul_add(p, w->minus_friction_normal, c->after + out.push, out.push);
    return out;
}

/* The part of the tangent velocity, whose square is given, that friction takes. */
static real lost_part(const wall *w, real push, real square) {
    if (!w->is_coulomb) {
        return w->friction;
    }
    const real size = square_root(square);
    if (w->keep * size <= w->sticking * push) {
        return 1;
    }
    const real loss = w->friction + w->sliding * push / size;
    return loss < 1 ? loss : 1;
}

/* v less what friction takes. What is so small that it would go on to denormals is nothing. */
static real left_of(const particle *p, real loss, real along, real v) {
    const real left = mul_add(p, 0 - loss, along, v);
    return -NOTHING < left && left < NOTHING ? 0 : left;
}

/* Where the step's line meets the surface. */
static real met_at(const way *t, int i, real f) { return mul_add(t->p, f, t->p->x[i] - t->x0[i], t->x0[i]); }

static real velocity_met(const way *t, int i, real f) { return mul_add(t->p, f, t->p->v[i] - t->v0[i], t->v0[i]); }

static void count_contact(way *t, const contact *c, const pulse *out) {
    const real pushed = c->after + out->push;
    t->hit = true;
    t->bounces += out->bounces;
    t->taken[KDR_RESTITUTION] += energy_between(out->at < 0 ? out->at : 0, out->bounces ? out->at + out->push : 0);
    t->taken[KDR_FRICTION] += energy_between(pushed, c->after + out->dv);
}

/* Counts what friction takes of a tangent velocity, whose square is given, and of what sticks where it was met, the one of the meeting, `met`. */
static void count_rubbed(way *t, real loss, real square, real met) {
    t->taken[KDR_FRICTION] += (real)0.5 * (loss >= 1 ? met : square * (loss * (2 - loss)));
}

/* A contact along the normal n: of a plane, a sphere. */
static void meet(way *t, const wall *w, const real n[3], real f, real gap) {
    particle *const p = t->p;
    const contact c = {f, gap, dot(p, t->v0, n), dot(p, p->v, n)};
    const pulse out = pulse_of(p, w, &c);
    real along[3] = {0}, loss = 0;
    for (int i = 0; i < p->dims; ++i) {
        along[i] = mul_add(p, 0 - c.after, n[i], p->v[i]);
    }
    count_contact(t, &c, &out);
    if (w->rubs) {
        const real square = dot(p, along, along);
        loss = lost_part(w, out.push, square);
        real met[3] = {0};
        for (int i = 0; i < p->dims; ++i) {
            met[i] = mul_add(p, 0 - out.at, n[i], velocity_met(t, i, f));
        }
        count_rubbed(t, loss, square, dot(p, met, met));
    }
    for (int i = 0; i < p->dims; ++i) {
        p->v[i] = mul_add(p, out.dv, n[i], p->v[i]);
        t->v0[i] = mul_add(p, out.dv, n[i], t->v0[i]);
        if (w->rubs) {
            p->v[i] = left_of(p, loss, along[i], p->v[i]);
            t->v0[i] = mul_add(p, 0 - loss, along[i], t->v0[i]);
        }
        const bool sticks = w->rubs && loss >= 1; /* along the surface it stays where it met it */
        p->x[i] = sticks ? mul_add(p, out.dx + gap, n[i], met_at(t, i, f)) : mul_add(p, out.dx, n[i], p->x[i]);
    }
}

/* The square of what a vector has beside one axis. */
static real square_beside(const particle *p, int axis, const real a[3]) {
    real square = 0;
    bool begun = false;
    for (int i = 0; i < p->dims; ++i) {
        if (i != axis) {
            square = begun ? mul_add(p, a[i], a[i], square) : a[i] * a[i];
            begun = true;
        }
    }
    return square;
}

/* A contact with a face of a box on one axis, whose normal points up (side 1) or down (-1). */
static void meet_face(way *t, const wall *w, int axis, real side, real f, real gap) {
    particle *const p = t->p;
    const contact c = {f, gap, side * t->v0[axis], side * p->v[axis]};
    const pulse out = pulse_of(p, w, &c);
    p->x[axis] = mul_add(p, out.dx, side, p->x[axis]);
    p->v[axis] = mul_add(p, out.dv, side, p->v[axis]);
    t->v0[axis] = mul_add(p, out.dv, side, t->v0[axis]);
    count_contact(t, &c, &out);
    if (!w->rubs || p->dims == 1) {
        return;
    }
    real met[3] = {0};
    for (int i = 0; i < p->dims; ++i) {
        met[i] = velocity_met(t, i, f);
    }
    const real square = square_beside(p, axis, p->v);
    const real loss = lost_part(w, out.push, square);
    count_rubbed(t, loss, square, square_beside(p, axis, met));
    for (int i = 0; i < p->dims; ++i) {
        if (i != axis) {
            const real along = p->v[i];
            p->x[i] = loss >= 1 ? met_at(t, i, f) : p->x[i];
            p->v[i] = left_of(p, loss, along, along);
            t->v0[i] = mul_add(p, 0 - loss, along, t->v0[i]);
        }
    }
}

/* Where a way from gap0 before the surface to `gap`, behind it, meets it. */
static real fraction_of(real gap0, real gap) { return 0 < gap0 ? gap0 / (gap0 - gap) : 0; }

static real plane_gap(const particle *p, const wall *w, const real x[3]) {
    real gap = -w->offset;
    for (int i = 0; i < p->dims; ++i) {
        gap = mul_add(p, w->normal[i], x[i], gap);
    }
    return gap;
}

static void meet_plane(way *t, const wall *w) {
    const real gap = plane_gap(t->p, w, t->p->x);
    if (gap <= 0) {
        meet(t, w, w->normal, fraction_of(plane_gap(t->p, w, t->x0), gap), gap);
    }
}

static void meet_box_from_inside(way *t, const wall *w) {
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
static bool passes_box(const way *t, const wall *w) {
    for (int i = 0; i < t->p->dims; ++i) {
        const real x0 = t->x0[i], x = t->p->x[i];
        if ((x0 <= w->low[i] && x < w->low[i]) || (w->high[i] <= x0 && w->high[i] < x)) {
            return true;
        }
    }
    return false;
}

/* The way enters where it crosses the last of the planes of faces that x0 is before, if it is within the others there. */
static void meet_box_from_outside(way *t, const wall *w) {
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
static void cross_sphere(const way *t, const wall *w, bool leaves, crossing *s) {
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

static void meet_sphere(way *t, const wall *w) {
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

/* On a plane: what is off it, and the velocity off it, are taken away. */
static void hold_on_plane(way *t, const wall *w) {
    particle *const p = t->p;
    const real gap = plane_gap(p, w, p->x), speed = dot(p, p->v, w->normal);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = mul_add(p, 0 - gap, w->normal[i], p->x[i]);
        p->v[i] = mul_add(p, 0 - speed, w->normal[i], p->v[i]);
    }
    t->hit = true;
}

/* On a sphere of radius L, from the point L n of it along e, in the time given: Shake's multiplier, a quadratic equation, for the position,
 * |e + (L + pull) n| = L, the same impulse for the velocity; then Rattle's, so that v is tangent (HLW VII.1.4). */
static void hold(way *t, const wall *w, const real n[3], real reach, const real e[3], real time, bool rope) {
    particle *const p = t->p;
    real y[3] = {0}, z[3] = {0}, v[3] = {0};
    for (int i = 0; i < p->dims; ++i) {
        y[i] = mul_add(p, w->twice, n[i], e[i]);
    }
    const real c = dot(p, e, y), b = w->radius + dot(p, n, e), square = mul_add(p, b, b, 0 - c);
    const bool fits = 0 < reach && 0 < b && 0 <= square;
    const real pull = (0 - c) / (b + square_root(square));
    const real impulse = fits && time != 0 ? pull / time : 0;
    for (int i = 0; i < p->dims; ++i) {
        y[i] = fits ? mul_add(p, w->radius + pull, n[i], e[i]) : p->x[i] - w->at[i];
        v[i] = mul_add(p, impulse, n[i], p->v[i]);
    }
    if (!fits) { /* a quarter turn or more: straight to the sphere */
        const real far = square_root(dot(p, y, y)), scale = far == 0 ? 0 : w->radius / far;
        for (int i = 0; i < p->dims; ++i) {
            y[i] *= scale;
        }
    }
    for (int i = 0; i < p->dims; ++i) {
        z[i] = w->inverse * y[i];
    }
    real speed = dot(p, v, z);
    speed = rope && !(0 < speed) ? 0 : speed;
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = w->at[i] + y[i];
        p->v[i] = mul_add(p, 0 - speed, z[i], v[i]);
    }
    t->hit = true;
}

static void hold_on_rod(way *t, const wall *w) {
    const particle *const p = t->p;
    real n[3], e[3];
    for (int i = 0; i < p->dims; ++i) {
        n[i] = t->x0[i] - w->at[i];
        e[i] = p->x[i] - t->x0[i];
    }
    const real reach = normalise(p, n);
    hold(t, w, n, reach, e, (real)p->clock->dt, false);
}

/* A rope lets the way go on to where it is taut; what is left of the step is a rod's. */
static void hold_on_rope(way *t, const wall *w) {
    const particle *const p = t->p;
    crossing s;
    cross_sphere(t, w, true, &s);
    if (!(0 < s.excess)) {
        return;
    }
    const real f = clamp_to_one(s.f), rest = 1 - f;
    real n[3], e[3];
    for (int i = 0; i < p->dims; ++i) {
        n[i] = mul_add(p, f, s.d[i], s.r0[i]);
        e[i] = rest * s.d[i];
    }
    const real reach = normalise(p, n);
    hold(t, w, n, reach, e, rest * (real)p->clock->dt, true);
}

static void meet_wall(way *t, const wall *w) {
    if (w->kind == KDR_WALL_ROD) {
        hold_on_rod(t, w);
    } else if (w->kind == KDR_WALL_ROPE) {
        hold_on_rope(t, w);
    } else if (w->kind == KDR_WALL_ON_PLANE) {
        hold_on_plane(t, w);
    } else if (w->kind == KDR_COLLIDER_PLANE) {
        meet_plane(t, w);
    } else if (w->kind == KDR_COLLIDER_SPHERE) {
        meet_sphere(t, w);
    } else if (w->kind == KDR_COLLIDER_BOX && w->inside) {
        meet_box_from_inside(t, w);
    } else if (w->kind == KDR_COLLIDER_BOX) {
        meet_box_from_outside(t, w);
    }
}

static void keep_before_plane(const particle *p, const wall *w, real x[3]) {
    for (int time = 0; time < 2; ++time) {
        const real gap = plane_gap(p, w, x);
        for (int i = 0; i < p->dims && gap < 0; ++i) {
            x[i] = mul_add(p, -gap, w->normal[i], x[i]);
        }
    }
}

static void keep_in_box(const particle *p, const wall *w, real x[3]) {
    for (int i = 0; i < p->dims; ++i) {
        x[i] = x[i] < w->low[i] ? w->low[i] : x[i];
        x[i] = w->high[i] < x[i] ? w->high[i] : x[i];
    }
}

static void keep_out_of_box(const particle *p, const wall *w, real x[3]) {
    for (int i = 0; i < p->dims; ++i) {
        if (!(w->low[i] < x[i] && x[i] < w->high[i])) {
            return;
        }
    }
    real side = 0;
    const int axis = nearest_face(p, w, x, &side);
    x[axis] = side < 0 ? w->low[axis] : w->high[axis];
}

static void keep_at_sphere(const particle *p, const wall *w, real x[3]) {
    real r[3];
    const real excess = sphere_excess(p, w, x, r), square = dot(p, r, r);
    const bool out = w->inside ? 0 < excess : excess < 0;
    const real scale = w->radius / square_root(square);
    for (int i = 0; i < p->dims && out && 0 < square; ++i) {
        x[i] = mul_add(p, scale, r[i], w->at[i]);
    }
}

/* The nearest place, for what another surface carried out of this one. */
static void keep_at_wall(const particle *p, const wall *w, real x[3]) {
    if (w->kind == KDR_COLLIDER_PLANE) {
        keep_before_plane(p, w, x);
    } else if (w->kind == KDR_COLLIDER_SPHERE) {
        keep_at_sphere(p, w, x);
    } else if (w->kind == KDR_COLLIDER_BOX && w->inside) {
        keep_in_box(p, w, x);
    } else if (w->kind == KDR_COLLIDER_BOX) {
        keep_out_of_box(p, w, x);
    }
}

/* Constraints first, then colliders; then what a collider carried out of another is put back. */
static void meet_walls(way *t) {
    particle *const p = t->p;
    const kdr_problem *const problem = p->problem;
    wall w;
    for (size_t i = 0; i < problem->constraint_count; ++i) {
        wall_of_constraint(&problem->constraints[i], p->dims, &w);
        meet_wall(t, &w);
    }
    for (size_t i = 0; i < problem->collider_count; ++i) {
        fold_wall(&problem->colliders[i], p->dims, &w);
        meet_wall(t, &w);
    }
    for (size_t i = 0; i < problem->collider_count && t->hit; ++i) {
        fold_wall(&problem->colliders[i], p->dims, &w);
        keep_at_wall(p, &w, p->x);
    }
}

/* Back by whole periods. */
static void wrap(way *t) {
    const kdr_boundary *const boundary = &t->p->problem->boundary;
    for (int i = 0; i < t->p->dims; ++i) {
        const double width = boundary->max[i] - boundary->min[i];
        const real low = (real)boundary->min[i], high = (real)boundary->max[i], size = (real)width, x = t->p->x[i];
        if (boundary->min[i] < boundary->max[i] && (x < low || high <= x)) {
            const real whole = ((x - low) * (real)(1.0 / width) + ROUNDER) - ROUNDER;
            real back = mul_add(t->p, -size, whole, x);
            back = back < low ? back + size : back;
            t->p->x[i] = low <= back && back < high ? back : low;
            t->hit = true;
        }
    }
}

/* An absorbing boundary holds a particle that is outside. */
static bool is_absorbed(const particle *p) {
    const kdr_boundary *const boundary = &p->problem->boundary;
    bool outside = false;
    for (int i = 0; i < p->dims && boundary->kind == KDR_BOUNDARY_ABSORBING; ++i) {
        const real low = (real)boundary->min[i], high = (real)boundary->max[i];
        outside = outside || (boundary->min[i] < boundary->max[i] && (p->x[i] < low || high < p->x[i]));
    }
    return outside;
}

/* After step n, which began at x0, v0. */
static void after_step(particle *p, uint64_t n, const real x0[3], const real v0[3]) {
    way t = {.p = p, .x0 = x0, .v0 = {v0[0], v0[1], v0[2]}};
    meet_walls(&t);
    if (p->problem->boundary.kind == KDR_BOUNDARY_PERIODIC) {
        wrap(&t);
    }
    p->hits += t.bounces;
    for (int k = 0; k < 2; ++k) {
        if (t.taken[k] != 0) {
            p->dissipated[k] += (double)t.taken[k] / (double)p->w;
        }
    }
    if (!t.hit) {
        return;
    }
    memset(p->cx, 0, sizeof p->cx);
    memset(p->cv, 0, sizeof p->cv);
    if (p->keeps) {
        acceleration(p, p->x, p->v, n, 1.0, p->a);
    }
}
