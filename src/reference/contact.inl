/* What a surface that a step's straight line meets does to a particle, in the order that force/collider.h sets. */

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
typedef struct travel {
    particle *p;
    const real *x0;
    real v0[3];
    bool hit;
    uint32_t bounces;
    real taken[2]; /* kinetic energy a unit of mass that restitution and friction took */
} travel;

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
static real lost_fraction(const wall *w, real push, real square) {
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
static real met_at(const travel *t, int i, real f) { return mul_add(t->p, f, t->p->x[i] - t->x0[i], t->x0[i]); }

static real velocity_met(const travel *t, int i, real f) { return mul_add(t->p, f, t->p->v[i] - t->v0[i], t->v0[i]); }

static void count_contact(travel *t, const contact *c, const pulse *out) {
    const real pushed = c->after + out->push;
    t->hit = true;
    t->bounces += out->bounces;
    t->taken[KDR_RESTITUTION] += energy_between(out->at < 0 ? out->at : 0, out->bounces ? out->at + out->push : 0);
    t->taken[KDR_FRICTION] += energy_between(pushed, c->after + out->dv);
}

/* Counts what friction takes of a tangent velocity, whose square is given, and of what sticks where it was met, the one of the meeting, `met`. */
static void count_rubbed(travel *t, real loss, real square, real met) {
    t->taken[KDR_FRICTION] += (real)0.5 * (loss >= 1 ? met : square * (loss * (2 - loss)));
}

/* A contact along the normal n: of a plane, a sphere. */
static void meet(travel *t, const wall *w, const real n[3], real f, real gap) {
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
        loss = lost_fraction(w, out.push, square);
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
static void meet_face(travel *t, const wall *w, int axis, real side, real f, real gap) {
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
    const real loss = lost_fraction(w, out.push, square);
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
