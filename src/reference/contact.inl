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
    uint64_t step;
    size_t surface; /* the collider that is looked at */
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

/* What friction makes of the motion along a surface. */
typedef struct friction {
    real v[3];     /* the velocity along the surface at the end of the step */
    real lost[3];  /* what the contact took of it */
    real shift[3]; /* of the position */
    real taken;    /* kinetic energy a unit of mass */
    bool stays;    /* the position is shifted from where it was met */
} friction;

/* Coulomb's friction of a velocity that would go from b to b + c: it loses begin b + gain c, or stays, having stopped at the fraction
 * `stop`. */
typedef struct coulomb {
    real begin, gain, stop;
    bool stays;
} coulomb;

/* Friction opposes the motion with the same size all the time, so that the velocity goes down to 0 at `stop` where it goes there at all.
 * Then the particle stays, or is drawn on in the direction of the forces. One that does not stop is rubbed along its velocity in the
 * middle. */
static coulomb coulomb_of(const particle *p, const wall *w, const pulse *out, const real b[3], const real c[3]) {
    const real slides = w->sliding * out->push, sticks = w->sticking * out->push;
    const real square = dot(p, b, b), product = dot(p, b, c), gained = dot(p, c, c), speed = square_root(square),
               gain = square_root(gained);
    const real need = mul_add(p, out->bounces ? sticks : slides, speed, 0 - product);
    coulomb f = {.stop = 0 < need ? square / need : 0};
    if (square <= need && gain <= sticks) {
        f.stays = true;
    } else if (square <= need && 0 < need) {
        f.begin = slides * speed / need;
        f.gain = slides * (1 - f.stop) / gain;
    } else {
        f.begin = slides / square_root(mul_add(p, (real)0.25, gained, square + product));
        f.gain = (real)0.5 * f.begin;
    }
    return f;
}

/* Friction of a contact, given the velocity along the surface when it begins and the one at the end of the step without it. A bounce takes
 * its part at once, and what is lost is not travelled from then on; a contact that lasts takes it evenly, and half of that is not
 * travelled. */
static friction rub(const particle *p, const wall *w, const contact *k, const pulse *out, const real begin[3], const real end[3]) {
    const real *const until = out->bounces ? begin : end;
    real b[3] = {0}, c[3] = {0}, mean[3] = {0};
    for (int i = 0; i < p->dims; ++i) {
        b[i] = w->keep * begin[i];
        c[i] = w->keep * until[i] - b[i];
    }
    coulomb f = {.stays = w->keep <= 0};
    if (w->is_coulomb) {
        f = coulomb_of(p, w, out, b, c);
    }
    const bool rests = f.stays && !out->bounces, flies = out->bounces && !(f.stays && k->after + out->push <= 0);
    const real time = (1 - k->f) * (real)p->clock->dt, halved = (real)0.5 * time, late = out->bounces ? time : halved;
    friction done = {.stays = rests};
    for (int i = 0; i < p->dims; ++i) {
        const real left = f.stays ? 0 : mul_add(p, 0 - f.gain, c[i], mul_add(p, 0 - f.begin, b[i], w->keep * until[i]));
        done.lost[i] = until[i] - left;
        done.v[i] = flies ? left + (end[i] - begin[i]) : left;
        done.shift[i] = rests ? (halved * f.stop) * b[i] : (0 - late) * done.lost[i];
        mean[i] = rests ? mul_add(p, f.stop, c[i], begin[i]) : begin[i] + left;
    }
    const real taken = (real)0.5 * dot(p, rests ? begin : done.lost, mean);
    done.taken = 0 < taken ? taken : 0;
    return done;
}

/* A velocity that is so small that it would go on to denormals is none. */
static real without_denormals(real v) { return -NOTHING < v && v < NOTHING ? 0 : v; }

/* Where the step's line meets the surface. */
static real met_at(const travel *t, int i, real f) { return mul_add(t->p, f, t->p->x[i] - t->x0[i], t->x0[i]); }

/* The velocity when a contact begins: of a bounce when the surface is met, of a lasting one when the step begins. */
static real velocity_at_first(const travel *t, int i, real f, bool bounces) {
    return bounces ? mul_add(t->p, f, t->p->v[i] - t->v0[i], t->v0[i]) : t->v0[i];
}

static void count_contact(travel *t, const contact *c, const pulse *out) {
    const real pushed = c->after + out->push;
    t->hit = true;
    t->bounces += out->bounces;
    t->taken[KDR_RESTITUTION] += energy_between(out->at < 0 ? out->at : 0, out->bounces ? out->at + out->push : 0);
    t->taken[KDR_FRICTION] += energy_between(pushed, c->after + out->dv);
}

/* Those of one surface in one step, which may be two faces of a box, are in order of time. */
static bool is_met_before(const kdr_contact *a, const kdr_contact *b) {
    if (a->particle != b->particle) {
        return a->particle < b->particle;
    }
    if (a->step != b->step) {
        return a->step < b->step;
    }
    if (a->surface != b->surface) {
        return a->surface < b->surface;
    }
    const double left[] = {a->time, a->x[0], a->x[1], a->x[2], a->impulse[0], a->impulse[1], a->impulse[2]};
    const double right[] = {b->time, b->x[0], b->x[1], b->x[2], b->impulse[0], b->impulse[1], b->impulse[2]};
    for (int i = 0; i < 7; ++i) {
        if (left[i] < right[i] || right[i] < left[i]) {
            return left[i] < right[i];
        }
    }
    return false;
}

/* Writes down a bounce: where the surface was met, and what it has made of the velocity. It goes into its place among those that it may
 * come before, the last of which gives way where the list is full. */
static void note_bounce(travel *t, const pulse *out, real f, const real met[3], const real before[3]) {
    const particle *const p = t->p;
    if (!out->bounces || !p->contacts) {
        return;
    }
    kdr_contact bounce = {.particle = p->index, .step = t->step, .surface = t->surface};
    bounce.time = kdr_clock_time(p->clock, t->step, (double)f);
    for (int i = 0; i < p->dims; ++i) {
        bounce.x[i] = (double)met[i];
        bounce.impulse[i] = (double)(p->v[i] - before[i]) / (double)p->w;
    }
    const size_t capacity = p->contacts->capacity;
    kdr_contact *const list = p->contacts->list;
    size_t at = kdr_reference_first_contact(p->contacts);
    ++p->contacts->count;
    for (; at > p->first_contact && is_met_before(&bounce, &list[at - 1]); --at) {
        if (at < capacity) {
            list[at] = list[at - 1];
        }
    }
    if (at < capacity) {
        list[at] = bounce;
    }
}

/* A contact along the normal n: of a plane, a sphere. What bounces had the pulse before it met the next surface; what rests is held there
 * all the time, and for the next surface that is what the forces did. */
static void meet(travel *t, const wall *w, const real n[3], real f, real gap) {
    particle *const p = t->p;
    const contact k = {f, gap, dot(p, t->v0, n), dot(p, p->v, n)};
    const pulse out = pulse_of(p, w, &k);
    friction rubbed = {.taken = 0};
    real met[3] = {0}, before[3] = {0};
    for (int i = 0; i < p->dims; ++i) {
        met[i] = met_at(t, i, f);
        before[i] = p->v[i];
    }
    count_contact(t, &k, &out);
    if (w->rubs) {
        real begin[3] = {0}, end[3] = {0};
        for (int i = 0; i < p->dims; ++i) {
            begin[i] = mul_add(p, 0 - (out.bounces ? out.at : k.before), n[i], velocity_at_first(t, i, f, out.bounces));
            end[i] = mul_add(p, 0 - k.after, n[i], p->v[i]);
        }
        rubbed = rub(p, w, &k, &out, begin, end);
        t->taken[KDR_FRICTION] += rubbed.taken;
    }
    for (int i = 0; i < p->dims; ++i) {
        const real x = rubbed.stays ? met_at(t, i, f) : mul_add(p, out.dx, n[i], p->x[i]), v0 = mul_add(p, out.dv, n[i], t->v0[i]);
        p->x[i] = w->rubs ? x + rubbed.shift[i] : x;
        p->v[i] = w->rubs ? without_denormals(mul_add(p, k.after + out.dv, n[i], rubbed.v[i])) : mul_add(p, out.dv, n[i], p->v[i]);
        t->v0[i] = !out.bounces ? t->v0[i] : w->rubs ? v0 - rubbed.lost[i] : v0;
    }
    note_bounce(t, &out, f, met, before);
}

/* A contact with a face of a box on one axis, whose normal points up (side 1) or down (-1). */
static pulse push_off_face(travel *t, const wall *w, int axis, real side, real f, real gap) {
    particle *const p = t->p;
    const contact k = {f, gap, side * t->v0[axis], side * p->v[axis]};
    const pulse out = pulse_of(p, w, &k);
    p->x[axis] = mul_add(p, out.dx, side, p->x[axis]);
    p->v[axis] = mul_add(p, out.dv, side, p->v[axis]);
    t->v0[axis] = out.bounces ? mul_add(p, out.dv, side, t->v0[axis]) : t->v0[axis];
    count_contact(t, &k, &out);
    if (!w->rubs || p->dims == 1) {
        return out;
    }
    real begin[3] = {0}, end[3] = {0};
    for (int i = 0; i < p->dims; ++i) {
        begin[i] = i == axis ? 0 : velocity_at_first(t, i, f, out.bounces);
        end[i] = i == axis ? 0 : p->v[i];
    }
    const friction rubbed = rub(p, w, &k, &out, begin, end);
    t->taken[KDR_FRICTION] += rubbed.taken;
    for (int i = 0; i < p->dims; ++i) {
        if (i != axis) {
            p->x[i] = (rubbed.stays ? met_at(t, i, f) : p->x[i]) + rubbed.shift[i];
            p->v[i] = without_denormals(rubbed.v[i]);
            t->v0[i] = out.bounces ? t->v0[i] - rubbed.lost[i] : t->v0[i];
        }
    }
    return out;
}

static void meet_face(travel *t, const wall *w, int axis, real side, real f, real gap) {
    real met[3] = {0}, before[3] = {0};
    for (int i = 0; i < t->p->dims; ++i) {
        met[i] = met_at(t, i, f);
        before[i] = t->p->v[i];
    }
    const pulse out = push_off_face(t, w, axis, side, f, gap);
    note_bounce(t, &out, f, met, before);
}
