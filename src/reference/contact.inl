/* The effect of a surface on a particle that meets it, in the order that force/collider.h sets. */

enum { JOIN_ROUNDS = 2 }; /* rounds that put a particle on constraints and surfaces at once */

/* A step, or a drift, from x0, v0 to p's x and v, and the sums of its contacts. */
typedef struct ref_travel {
    particle *p;
    const real *x0;
    real v0[3];
    bool hit;
    uint32_t bounces;
    real taken[2]; /* kinetic energy per unit of mass that restitution and friction took */
    uint64_t step;
    real time;          /* length of the step or drift */
    bool drifts;        /* a drift: no force bends the path */
    double begin, span; /* beginning and length of the drift, as fractions of the step */
    double end;         /* time of its end */
} ref_travel;

/* A part of a step between two bounces: from x0, v0 to x, v, unless something is met. */
typedef struct ref_flight {
    real x0[3], v0[3], x[3], v[3];
    real radius;           /* radius of the particle */
    real bend[3], turn[3]; /* x - x0 - time v0; v - v0 */
    real time;             /* length */
    real left;             /* length as a fraction of the step or drift, at whose end the flight ends */
    bool drifts;           /* part of a drift */
    double end;            /* time of its end */
} ref_flight;

/* A meeting of a flight with a surface: the fraction of the flight, the normal n, and the velocity `at` along it. */
typedef struct ref_meeting {
    size_t surface; /* index of the collider */
    int face;       /* face of a box: 1 + 2 axis, plus 1 if the normal points up; 0 for other surfaces */
    real f, n[3], at;
    /* part of an impulse along the surface's own normal that constraints leave along n: 1 without any, 0 where n is 0 */
    real share;
    bool passes;  /* the flight ends in front of the surface again */
    bool touches; /* it begins on the surface */
    real begin;   /* velocity along the normal at the beginning of the flight */
} ref_meeting;

/* The surfaces that a particle rests on during a flight: at most one per axis. */
typedef struct ref_support {
    ref_meeting on[3];
    wall walls[3];
    real gap[3];     /* distances of the flight's free end from the surfaces */
    real from[3][3]; /* normals at the beginning of the flight, where they differ there */
    real deep[3];    /* how far the flight begins beyond each surface, along `from` */
    int count;
    int held;            /* number of independent constraints on the particle */
    real f, met[3];      /* fraction of the flight, and place, at which the latest surface was met */
    real lost[3], taken; /* velocity that friction takes, and kinetic energy per unit of mass */
} ref_support;

static real dot(const particle *p, const real a[3], const real b[3]) {
    real sum = a[0] * b[0];
    for (int i = 1; i < p->dims; ++i) {
        sum = mul_add(p, a[i], b[i], sum);
    }
    return sum;
}

/* Computes the parabola of a flight whose ends and length are known. */
static void set_course(const particle *p, ref_flight *s) {
    for (int i = 0; i < p->dims; ++i) {
        s->bend[i] = mul_add(p, 0 - s->time, s->v0[i], s->x[i] - s->x0[i]);
        s->turn[i] = s->v[i] - s->v0[i];
    }
}

/* Returns a coordinate after fraction f of a flight, which is a parabola. */
static real place_at(const particle *p, const ref_flight *s, int i, real f) {
    return mul_add(p, f, mul_add(p, f, s->bend[i], s->time * s->v0[i]), s->x0[i]);
}

static real velocity_at(const particle *p, const ref_flight *s, int i, real f) { return mul_add(p, f, s->turn[i], s->v0[i]); }

/* Returns the kinetic energy per unit of mass that is lost between two velocities. */
static real energy_between(real before, real after) { return (real)0.5 * ((before - after) * (before + after)); }

/* Returns v, or 0 if it is so small that it would lead to denormals. */
static real without_denormals(real v) { return -NOTHING < v && v < NOTHING ? 0 : v; }

/* Returns the change of the velocity along the normal by forces in a flight. */
static real change_of(const particle *p, const ref_flight *s, const ref_meeting *m) { return dot(p, s->v, m->n) - dot(p, s->v0, m->n); }

/* Returns the velocity along the normal below which it counts as rounding: compared with its change by forces, or with the speed. */
static real slow_of(const particle *p, const ref_flight *s, const ref_meeting *m) {
    const real speed = square_root(dot(p, s->v, s->v)), least = -ROOM * speed;
    const real slow = SLOW * (s->drifts ? 0 - speed : change_of(p, s, m));
    return slow < least ? slow : least;
}

/* Returns whether a particle lies on a surface from the beginning of a flight: it approaches no faster than rounding. */
static bool lies_still(const particle *p, const ref_flight *s, const ref_meeting *m) {
    const real slow = slow_of(p, s, m);
    return m->touches && slow <= m->begin && m->begin <= 0 - slow;
}

/* Returns whether an impulse of the surface can move the particle, despite constraints. */
static bool can_yield(const particle *p, const ref_flight *s, const ref_meeting *m);

/* The kinds of contact. A particle bounces if it approaches faster than the forces press it against the surface until the end of the
 * flight; off an elastic surface always, except for rounding. A slower one lands: it loses its velocity along the normal and continues
 * from there. A particle that lies on a surface that is not elastic is held. So is one that would land where there is friction, because
 * its work must not depend on the exact time of landing. In a drift nothing presses the particle on, so it bounces. */
typedef enum touch { HELD, LANDS, BOUNCES } touch;

static touch touch_of(const particle *p, const ref_flight *s, const wall *w, const ref_meeting *m) {
    const real slow = slow_of(p, s, m), fast = s->drifts ? slow : w->rests_below * change_of(p, s, m);
    const bool lies = lies_still(p, s, m), stays = lies && 1 <= w->rests_below;
    if (!can_yield(p, s, m)) {
        return HELD;
    }
    if (m->passes || (m->at < 0 && m->at < fast && !stays)) {
        return BOUNCES;
    }
    return m->at < (slow < 0 ? slow : 0) && !lies && !w->rubs ? LANDS : HELD;
}

/* Changes the velocity v by a bounce or a landing: reversed along the normal n, times the restitution, and reduced along the surface by
 * friction, which has the whole impulse. */
static void reflect(ref_travel *t, const wall *w, real minus_bounce, const real n[3], real share, real v[3]) {
    const particle *const p = t->p;
    const real at = dot(p, v, n), push = minus_bounce * at, left = at + push, kept = mul_add(p, w->minus_friction_normal, left, left);
    const real impulse = 0 < share ? push / share : 0;
    real along[3] = {0}, rubbed[3] = {0}, lost[3] = {0}, sum[3] = {0};
    t->taken[KDR_RESTITUTION] += energy_between(at, left);
    t->taken[KDR_FRICTION] += energy_between(left, kept);
    for (int i = 0; i < p->dims; ++i) {
        along[i] = mul_add(p, 0 - at, n[i], v[i]);
        rubbed[i] = w->keep * along[i];
    }
    if (w->rubs) {
        const real speed = square_root(dot(p, rubbed, rubbed));
        const real factor = speed <= w->sticking * impulse ? 0 : (speed - w->sliding * impulse) / speed;
        for (int i = 0; i < p->dims; ++i) {
            rubbed[i] = factor * rubbed[i];
            lost[i] = along[i] - rubbed[i];
            sum[i] = along[i] + rubbed[i];
        }
        t->taken[KDR_FRICTION] += (real)0.5 * dot(p, lost, sum);
    }
    for (int i = 0; i < p->dims; ++i) {
        v[i] = w->rubs ? without_denormals(mul_add(p, kept, n[i], rubbed[i])) : mul_add(p, kept - at, n[i], v[i]);
    }
}

/* Returns whether contact a comes before b. Contacts of one step are in order of time. */
static bool is_met_before(const kdr_contact *a, const kdr_contact *b) {
    if (a->particle != b->particle) {
        return a->particle < b->particle;
    }
    if (a->step != b->step) {
        return a->step < b->step;
    }
    const double left[] = {a->time, (double)a->surface, a->x[0], a->x[1], a->x[2], a->impulse[0], a->impulse[1], a->impulse[2]};
    const double right[] = {b->time, (double)b->surface, b->x[0], b->x[1], b->x[2], b->impulse[0], b->impulse[1], b->impulse[2]};
    for (int i = 0; i < 8; ++i) {
        if (left[i] < right[i] || right[i] < left[i]) {
            return left[i] < right[i];
        }
    }
    return false;
}

/* Records a bounce at fraction f of the step or drift. It is inserted among the run's contacts; if the list is full, the last one is
 * dropped. */
static void note_bounce(const ref_travel *t, size_t surface, real f, real speed, const real x[3], const real before[3],
                        const real after[3]) {
    const particle *const p = t->p;
    if (!p->contacts) {
        return;
    }
    kdr_contact bounce = {.particle = p->index, .step = t->step, .surface = surface, .speed = (double)speed};
    bounce.time = kdr_clock_time(p->clock, t->step, t->begin + t->span * (double)f);
    for (int i = 0; i < p->dims; ++i) {
        bounce.x[i] = (double)x[i];
        bounce.impulse[i] = (double)(after[i] - before[i]) / (double)p->w;
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

/* Computes the nearest point of a cone: what must be added along the normals of the surfaces that a particle rests on, so that no demand
 * is left along any of them, and nothing is added along a normal that does not need it. `demand` is what is missing along each normal.
 * Returns the marks of the surfaces that are needed. */
static unsigned nearest_in_cone(const particle *p, const ref_support *r, const real demand[3], real add[3]) {
    real c[3][3] = {{0}};
    int largest = 0;
    add[0] = add[1] = add[2] = 0;
    for (int i = 0; i < r->count; ++i) {
        largest = demand[largest] < demand[i] ? i : largest;
        for (int j = 0; j < r->count; ++j) {
            c[i][j] = dot(p, r->on[i].n, r->on[j].n);
        }
    }
    if (!(0 < demand[largest])) {
        return 0;
    }
    const real room = CONE_ROOM * demand[largest];
    for (int i = 0; i < r->count; ++i) {
        bool enough = 0 < demand[i];
        for (int j = 0; j < r->count; ++j) {
            enough = enough && (j == i || mul_add(p, 0 - c[i][j], demand[i], demand[j]) <= room);
        }
        if (enough) {
            add[i] = demand[i];
            return 1U << i;
        }
    }
    for (int k = 0; k < (r->count == 3 ? 3 : r->count - 1); ++k) {
        static const int pairs[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
        const int i = pairs[k][0], j = pairs[k][1], other = pairs[k][2];
        const real square = mul_add(p, 0 - c[i][j], c[i][j], 1), a = mul_add(p, 0 - c[i][j], demand[j], demand[i]) / square,
                   b = mul_add(p, 0 - c[i][j], demand[i], demand[j]) / square;
        const bool enough = r->count < 3 || mul_add(p, 0 - c[i][other], a, mul_add(p, 0 - c[j][other], b, demand[other])) <= room;
        if (CONE_ROOM < square && 0 <= a && 0 <= b && enough) {
            add[i] = a;
            add[j] = b;
            return 1U << i | 1U << j;
        }
    }
    const real x = c[0][1], y = c[0][2], z = c[1][2];
    const real xx = mul_add(p, y, z, 0 - x), yy = mul_add(p, x, z, 0 - y), zz = mul_add(p, x, y, 0 - z);
    const real ww = mul_add(p, 0 - z, z, 1), determinant = mul_add(p, x, xx, mul_add(p, y, yy, ww));
    if (r->count == 3 && CONE_ROOM < determinant) {
        const real last[3][3] = {{ww, xx, yy}, {xx, mul_add(p, 0 - y, y, 1), zz}, {yy, zz, mul_add(p, 0 - x, x, 1)}};
        for (int i = 0; i < 3; ++i) {
            add[i] = dot(p, last[i], demand) / determinant;
        }
        return 7;
    }
    add[largest] = demand[largest]; /* two normals are nearly parallel */
    return 1U << largest;
}

/* Computes the part of y, which lies along the constraints, that lies along all marked surfaces. */
static void along_surfaces(const particle *p, const ref_support *r, unsigned marks, const real y[3], real along[3]) {
    int first = -1, second = -1, count = 0;
    for (int i = 0; i < r->count; ++i) {
        if (marks >> i & 1) {
            second = first < 0 ? second : second < 0 ? i : second;
            first = first < 0 ? i : first;
            ++count;
        }
    }
    if (count == 1 && r->held + 1 < p->dims) {
        const real across = dot(p, y, r->on[first].n);
        for (int i = 0; i < p->dims; ++i) {
            along[i] = mul_add(p, 0 - across, r->on[first].n[i], y[i]);
        }
        return;
    }
    real line[3] = {0}, across = 0;
    if (count == 2 && r->held == 0 && p->dims == 3) { /* along the edge of both */
        const real *const a = r->on[first].n, *const b = r->on[second].n;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            line[i] = mul_add(p, a[j], b[k], (0 - a[k]) * b[j]);
        }
        across = dot(p, y, line) / dot(p, line, line);
    }
    for (int i = 0; i < p->dims; ++i) {
        along[i] = count == 0 ? y[i] : across * line[i];
    }
}

/* Coulomb friction on a velocity that would go from b to b + c: it loses begin b + gain c, or the particle stops at fraction `stop` and
 * stays. */
typedef struct ref_coulomb {
    real begin, gain, stop;
    bool stays;
} ref_coulomb;

/* Returns the friction. It opposes the motion with constant size, so that the velocity reaches 0 at `stop`, if it does. The particle
 * then stays, or is drawn on in the direction of the forces. If it does not stop, friction acts along its velocity in the middle. */
static ref_coulomb coulomb_of(const particle *p, real slides, real sticks, const real b[3], const real c[3]) {
    const real square = dot(p, b, b), product = dot(p, b, c), gained = dot(p, c, c), speed = square_root(square),
               gain = square_root(gained);
    const real need = mul_add(p, slides, speed, 0 - product);
    ref_coulomb f = {.stop = 0 < need ? square / need : 0};
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

/* Applies friction to a particle that rests on the marked surfaces. `push` is the surfaces' push, `begin` the velocity along them at the
 * beginning, and `path` has that at the end without friction. Friction acts evenly from where the latest surface was met, so half of the
 * velocity that it takes is not travelled. */
static void rub(const particle *p, ref_support *r, unsigned marks, const real push[3], const real begin[3], ref_flight *path) {
    real keep = 1, slides = 0, sticks = 0, b[3] = {0}, c[3] = {0}, sum[3] = {0};
    bool is_coulomb = false, rubs = false;
    for (int i = 0; i < r->count; ++i) {
        if (marks >> i & 1) {
            keep = keep * r->walls[i].keep;
            const real pressed = push[i] / r->on[i].share;
            slides = mul_add(p, r->walls[i].sliding, pressed, slides);
            sticks = mul_add(p, r->walls[i].sticking, pressed, sticks);
            is_coulomb = is_coulomb || r->walls[i].is_coulomb;
            rubs = rubs || r->walls[i].rubs;
        }
    }
    if (!rubs) {
        return;
    }
    for (int i = 0; i < p->dims; ++i) {
        b[i] = keep * begin[i];
        c[i] = keep * path->v[i] - b[i];
    }
    ref_coulomb k = {.stays = keep <= 0};
    if (is_coulomb) {
        k = coulomb_of(p, slides, sticks, b, c);
    }
    const real halved = (real)0.5 * ((1 - r->f) * path->time);
    for (int i = 0; i < p->dims; ++i) {
        const real left = k.stays ? 0 : mul_add(p, 0 - k.gain, c[i], mul_add(p, 0 - k.begin, b[i], keep * path->v[i]));
        r->lost[i] = k.stays ? begin[i] : path->v[i] - left;
        sum[i] = k.stays ? mul_add(p, k.stop, c[i], begin[i]) : begin[i] + left;
        path->x[i] = k.stays ? mul_add(p, halved * k.stop, b[i], r->met[i]) : mul_add(p, 0 - halved, r->lost[i], path->x[i]);
        path->v[i] = without_denormals(left);
    }
    const real taken = (real)0.5 * dot(p, r->lost, sum);
    r->taken = 0 < taken ? taken : 0;
}
