/* Moving surfaces: particles relative to them, and particles that move along with them. The order is that of force/collider.h. */

/* Computes places relative to a surface that may move, at the time `before` the end of a step or drift. */
static void see(const particle *p, const wall *w, double end, real before, const real x[3], real seen[3]) {
    for (int i = 0; i < p->dims; ++i) {
        const real base = (real)(w->velocity[i] * (end - w->since));
        seen[i] = w->moves ? mul_add(p, (real)w->velocity[i], before, x[i] - base) : x[i];
    }
}

static void unsee(const particle *p, const wall *w, double end, real before, const real seen[3], real x[3]) {
    for (int i = 0; i < p->dims; ++i) {
        const real base = (real)(w->velocity[i] * (end - w->since));
        x[i] = w->moves ? mul_add(p, -(real)w->velocity[i], before, seen[i] + base) : seen[i];
    }
}

/* Returns a flight relative to a surface. */
static ref_flight see_flight(const particle *p, const wall *w, const ref_flight *s) {
    ref_flight seen = *s;
    see(p, w, s->end, s->time, s->x0, seen.x0);
    see(p, w, s->end, 0, s->x, seen.x);
    for (int i = 0; i < p->dims && w->moves; ++i) {
        seen.v0[i] = s->v0[i] - (real)w->velocity[i];
        seen.v[i] = s->v[i] - (real)w->velocity[i];
    }
    return seen;
}

/* Computes the velocity of a particle that moves along with all surfaces that it rests on: across each surface that surface's velocity,
 * and along them that of the first one with friction, or of the first one. */
static void carry_along(const particle *p, const ref_support *r, real u[3]) {
    real q[3][3] = {{0}}, square[3] = {0}, apart[3] = {0};
    int first = 0;
    while (first < r->count && !r->walls[first].rubs) {
        ++first;
    }
    for (int i = 0; i < 3; ++i) {
        u[i] = i < p->dims ? (real)r->walls[first < r->count ? first : 0].velocity[i] : 0;
    }
    for (int k = 0; k < r->count; ++k) {
        const real *const n = r->on[k].n;
        for (int i = 0; i < p->dims; ++i) {
            q[k][i] = n[i];
            apart[i] = (real)r->walls[k].velocity[i] - u[i];
        }
        for (int before = 0; before < k; ++before) {
            const real part = 0 - (0 < square[before] ? dot(p, q[before], q[k]) / square[before] : 0);
            for (int i = 0; i < p->dims; ++i) {
                q[k][i] = mul_add(p, part, q[before][i], q[k][i]);
            }
        }
        const real steep = dot(p, n, q[k]), part = dot(p, n, apart) / steep;
        if (CONE_ROOM < steep) {
            square[k] = dot(p, q[k], q[k]);
            for (int i = 0; i < p->dims; ++i) {
                u[i] = mul_add(p, part, q[k][i], u[i]);
            }
        }
    }
}

/* Converts a flight, and the places where surfaces were met in it, to a frame that moves with u from the flight's beginning on. */
static void go_along(const particle *p, const real u[3], ref_flight *s, real f, real met[3]) {
    const real flown = f * s->time;
    for (int i = 0; i < p->dims; ++i) {
        s->v0[i] = s->v0[i] - u[i];
        s->v[i] = s->v[i] - u[i];
        s->x[i] = mul_add(p, 0 - s->time, u[i], s->x[i]);
        met[i] = mul_add(p, 0 - flown, u[i], met[i]);
    }
}
