/* What particles are held on: planes and spheres, the ends of rods, taut ropes; in the order that force/collider.h sets. */

/* Equations row . change = -off in a few unknowns. Each is solved along what its own way leaves the rows before it as they are. */
typedef struct equations {
    real row[3][3], way[3][3], inverse[3];
    int count;
} equations;

/* Solves one more equation, and row . also = 0 along the same way unless `also` is NULL. An equation that follows from those before it,
 * within rounding, is left out. */
static void solve_next(const particle *p, equations *e, const real row[3], const real way[3], real off, real change[3], real *also) {
    real q[3] = {way[0], way[1], way[2]};
    for (int j = 0; j < p->dims; ++j) {
        const real part = dot(p, e->row[j], q) * e->inverse[j];
        for (int i = 0; i < p->dims; ++i) {
            q[i] = mul_add(p, 0 - part, e->way[j][i], q[i]);
        }
    }
    const real steep = dot(p, row, q);
    if (!(STEEPNESS < (steep < 0 ? 0 - steep : steep)) || e->count == p->dims) {
        return;
    }
    const real inverse = 1 / steep, amount = (0 - (off + dot(p, row, change))) * inverse;
    const real second = also ? (0 - dot(p, row, also)) * inverse : 0;
    for (int i = 0; i < p->dims; ++i) {
        if (also) {
            also[i] = mul_add(p, second, q[i], also[i]);
        }
        change[i] = mul_add(p, amount, q[i], change[i]);
        e->row[e->count][i] = row[i];
        e->way[e->count][i] = q[i];
    }
    e->inverse[e->count++] = inverse;
}

static bool is_rope(const wall *w) { return w->kind == KDR_WALL_ROPE; }

/* Or none, across axes that the particles do not have. */
static bool is_plane(const wall *w) { return w->kind == KDR_WALL_ON_PLANE || w->kind == KDR_WALL_NONE; }

static void constraint_at(const particle *p, size_t i, wall *w) { wall_of_constraint(&p->problem->constraints[i], p->dims, w); }

static bool has_ropes(const particle *p) {
    bool has = false;
    for (size_t i = 0; i < p->problem->constraint_count; ++i) {
        has = has || p->problem->constraints[i].kind == KDR_CONSTRAINT_ROPE;
    }
    return has;
}

/* The gradient at x of how far that is off a constraint. Returns what x is off, times the diameter of a sphere. */
static real gradient_at(const particle *p, const wall *w, const real x[3], real gradient[3]) {
    if (is_plane(w)) {
        memcpy(gradient, w->normal, sizeof w->normal);
        return plane_gap(p, w, x);
    }
    const real excess = sphere_excess(p, w, x, gradient);
    for (int i = 0; i < p->dims; ++i) {
        gradient[i] = w->inverse * gradient[i];
    }
    return excess;
}

/* How far x is off a constraint, from what gradient_at returns. */
static real off_by(const wall *w, real excess) { return is_plane(w) ? excess : ((real)0.5 * excess) * w->inverse; }

/* A speed leads outwards, as the run goes. */
static bool leads_out(real speed, real h) { return h < 0 ? speed < 0 : 0 < speed; }

/* What a velocity is held in: a kick, a turn or a drift, of length h. */
typedef struct holding {
    real h;
    bool turned;  /* v has been turned, and half of each impulse came before that */
    bool drifted; /* v has had the impulse of a drift, and `before` is what it was before that, */
    bool pulled;  /* from the only constraint there is, if this is a rope */
    real before[3];
} holding;

/* One constraint. A taut rope takes a speed outwards, and does not push. What the impulse of a drift makes of that is rounding, if the
 * drift is short: the speed before it says whether the rope acts. Returns whether the constraint does. */
static bool hold_velocity_on(const particle *p, const wall *w, const real x[3], holding *how, equations *e, real v[3]) {
    real row[3] = {0, 0, 0}, way[3], *const before = how->drifted ? how->before : NULL;
    const real excess = gradient_at(p, w, x, row);
    if (is_rope(w) && !((how->pulled || -w->slack < excess) && leads_out(dot(p, row, before ? before : v), how->h))) {
        return false;
    }
    memcpy(way, row, sizeof way);
    for (int k = 0; k < p->dims && how->turned; ++k) {
        way[k] = turn_along(p, k, row, false, 0) + (row[k] + row[k]);
    }
    solve_next(p, e, row, way, 0, v, before);
    return true;
}

/* v without what it has along the gradients at x of what holds there: at first without ropes, then with those that are taut. Returns
 * whether anything holds. */
static bool hold_velocity_at(const particle *p, const real x[3], bool ropes, holding *how, real v[3]) {
    equations e = {.count = 0};
    bool held = false;
    for (int round = 0; round < (ropes ? 2 : 1); ++round) {
        for (size_t i = 0; i < p->problem->constraint_count; ++i) {
            wall w;
            constraint_at(p, i, &w);
            if (is_rope(&w) == (round == 1)) {
                held = hold_velocity_on(p, &w, x, how, &e, v) || held;
            }
        }
    }
    return held;
}

/* A rope holds a particle that rests: where its flight would end without surfaces it is taut, and not left inwards but for
 * rounding. */
static bool holds_at_end(const particle *p, const wall *w, const flight *s) {
    real row[3] = {0, 0, 0};
    const real excess = gradient_at(p, w, s->x, row);
    return -w->slack < excess && 0 - SLOW * square_root(dot(p, s->v, s->v)) <= dot(p, row, s->v);
}

/* What constraints leave of the normal n of a surface that a particle at x meets: all of an impulse along it that can move the particle, to
 * length 1, or 0. A taut rope yields to what pushes inwards, unless it holds a particle that
 * `rests` in this flight. `held`: how many constraints there are that do
 * not follow from each other. Returns the length that it had. */
static real free_normal(const particle *p, const real x[3], const flight *rests, real n[3], int *held) {
    equations e = {.count = 0};
    for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < p->problem->constraint_count; ++i) {
            wall w;
            real row[3] = {0, 0, 0};
            constraint_at(p, i, &w);
            const real excess = gradient_at(p, &w, x, row);
            const bool acts = rests ? holds_at_end(p, &w, rests) : -w.slack < excess && 0 < dot(p, row, n);
            if (is_rope(&w) == (round == 1) && (!is_rope(&w) || acts)) {
                solve_next(p, &e, row, row, 0, n, NULL);
            }
        }
    }
    *held = e.count;
    if (p->problem->constraint_count == 0) {
        return 1;
    }
    if (e.count == p->dims || !(STEEPNESS < dot(p, n, n))) {
        memset(n, 0, 3 * sizeof *n);
    }
    return normalise(p, n);
}

/* Puts a particle that is next to its constraints, and to the surfaces marked, on to all of them, and v along the constraints and the
 * surfaces that push. `rests`: the flight, if it rests. */
static void put_on_all(const particle *p, const support *r, unsigned marks, unsigned pushed, const flight *rests, real x[3], real v[3]) {
    for (int round = 0; round < JOIN_ROUNDS && p->problem->constraint_count > 0; ++round) {
        equations e = {.count = 0};
        real change[3] = {0, 0, 0};
        real *const also = round == JOIN_ROUNDS - 1 ? v : NULL;
        for (size_t i = 0; i < p->problem->constraint_count; ++i) {
            wall w;
            real row[3] = {0, 0, 0};
            constraint_at(p, i, &w);
            const real excess = gradient_at(p, &w, x, row);
            const bool acts = rests ? holds_at_end(p, &w, rests) : -w.slack < excess && 0 < dot(p, row, v);
            if (!is_rope(&w) || acts) {
                solve_next(p, &e, row, row, off_by(&w, excess), change, also);
            } else if (0 < excess) {
                solve_next(p, &e, row, row, off_by(&w, excess), change, NULL);
            }
        }
        for (int k = 0; k < r->count; ++k) {
            real n[3];
            const real gap = gap_at(p, &r->walls[k], r->on[k].face, x, n);
            if (marks >> k & 1) {
                solve_next(p, &e, n, n, gap, change, (pushed >> k & 1) ? also : NULL);
            }
        }
        for (int i = 0; i < p->dims; ++i) {
            x[i] = x[i] + change[i];
        }
    }
}

static bool can_yield(const particle *p, const flight *s, const meeting *m) {
    real x[3] = {0}, n[3] = {m->n[0], m->n[1], m->n[2]};
    int held;
    for (int i = 0; i < p->dims; ++i) {
        x[i] = place_at(p, s, i, m->f);
    }
    return 0 < free_normal(p, x, NULL, n, &held);
}

/* A velocity that is predicted for the end of a kick of length h. */
static void hold_predicted(const particle *p, double h, real v[3]) {
    holding how = {.h = (real)h};
    if (p->terms & KDR_TERM_HELD) {
        (void)hold_velocity_at(p, p->x, true, &how, v);
    }
}

/* After a kick or a turn of length h. */
static void hold_velocity(particle *p, double h, bool turned) {
    holding how = {.h = (real)h, .turned = turned};
    if ((p->terms & KDR_TERM_HELD) && hold_velocity_at(p, p->x, true, &how, p->v)) {
        memset(p->cv, 0, sizeof p->cv);
    }
}

/* The fraction of the way from r0 to r0 + d at which a rope becomes taut: (d . d) f^2 + 2 (r0 . d) f + (r0^2 - L^2) = 0; 0 where it is.
 * Within the roundings of a place it is taut: otherwise it would let go in every other short step, and catch the particle again. */
static real taut_at(const particle *p, const wall *w, const real r0[3], const real d[3], real excess0) {
    const real a = dot(p, d, d), b = dot(p, r0, d), root = square_root(mul_add(p, 0 - a, excess0, b * b));
    return excess0 < -w->slack ? clamp_to_one((root - b) / a) : 0;
}

/* The direction in which a constraint pulls during a drift from x0 to x, to length 1: its gradient where the drift began; of a rope where
 * it becomes taut, at the fraction *f. `e` is the way from there. Returns the length that the direction had. */
static real pull_of(const particle *p, const wall *w, const real x0[3], const real x[3], real n[3], real e[3], real *f) {
    *f = 0;
    if (is_plane(w)) {
        memcpy(n, w->normal, sizeof w->normal);
        return 1;
    }
    real r[3], d[3] = {0, 0, 0};
    const real excess0 = sphere_excess(p, w, x0, n);
    (void)sphere_excess(p, w, x, r);
    for (int i = 0; i < p->dims; ++i) {
        e[i] = x[i] - x0[i];
        d[i] = r[i] - n[i];
    }
    if (is_rope(w)) {
        *f = taut_at(p, w, n, d, excess0);
        for (int i = 0; i < p->dims; ++i) {
            n[i] = mul_add(p, *f, d[i], n[i]);
            e[i] = (1 - *f) * d[i];
        }
    }
    return normalise(p, n);
}

/* One constraint alone. On a sphere of radius L, from the point L n of it along e, in the time given: Shake's multiplier, a quadratic
 * equation, for the position, |e + (L + pull) n| = L, and the same impulse for the velocity (HLW VII.1.4). A rope leaves a velocity alone
 * that leads inwards. */
static bool hold_alone(particle *p, const wall *w, const real x0[3], real h) {
    real n[3] = {0}, e[3] = {0}, y[3] = {0}, z[3] = {0}, to[3] = {0}, f;
    if (is_plane(w)) {
        const real gap = plane_gap(p, w, p->x);
        for (int i = 0; i < p->dims; ++i) {
            p->x[i] = mul_add(p, 0 - gap, w->normal[i], p->x[i]);
        }
        return true;
    }
    const real excess = sphere_excess(p, w, p->x, z);
    if (is_rope(w) && !(-w->slack < excess)) {
        return false;
    }
    const real reach = pull_of(p, w, x0, p->x, n, e, &f), time = (1 - f) * h;
    for (int i = 0; i < p->dims; ++i) {
        y[i] = mul_add(p, w->twice, n[i], e[i]);
    }
    const real c = dot(p, e, y), b = w->radius + dot(p, n, e), square = mul_add(p, b, b, 0 - c);
    const bool fits = 0 < reach && 0 < b && 0 <= square;
    const real pull = (0 - c) / (b + square_root(square));
    for (int i = 0; i < p->dims; ++i) {
        y[i] = fits ? mul_add(p, w->radius + pull, n[i], e[i]) : p->x[i] - w->at[i];
    }
    if (!fits) { /* a quarter turn or more: straight to the sphere */
        const real far = square_root(dot(p, y, y)), scale = far == 0 ? 0 : w->radius / far;
        for (int i = 0; i < p->dims; ++i) {
            y[i] *= scale;
        }
    }
    for (int i = 0; i < p->dims; ++i) {
        to[i] = w->at[i] + y[i];
    }
    (void)gradient_at(p, w, to, z);
    const bool acts = !is_rope(w) || leads_out(dot(p, z, p->v), h);
    if (!acts && !(0 < excess)) {
        return false;
    }
    const real impulse = acts && fits && time != 0 ? pull / time : 0;
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = to[i];
        p->v[i] = mul_add(p, impulse, n[i], p->v[i]);
    }
    return true;
}

/* Ropes in a round: without them; those that are outside or that act, and those that act alone. */
typedef enum rounds { WITHOUT_ROPES, WITH_ROPES, WITH_ACTING_ROPES } rounds;

/* A rope that is taut takes part where the speed there leads outwards, in the direction of h; one that is outside does in any case, unless
 * these alone count. */
static bool takes_part(const particle *p, const wall *w, rounds which, real excess, const real row[3], const real speed[3], real h) {
    if (!is_rope(w)) {
        return true;
    }
    const bool acts = -w->slack < excess && leads_out(dot(p, row, speed), h);
    return which != WITHOUT_ROPES && (acts || (which == WITH_ROPES && 0 < excess));
}

/* Newton's rounds for several constraints at once, from x + `moved` on, x where the drift from x0 ended: along the directions in which they
 * pull, or, with `nearest`, along the gradients where x is. Returns whether anything holds. */
static bool pull_together(const particle *p, const real x0[3], const real x[3], bool nearest, rounds which, const real speed[3], real h,
                          real moved[3]) {
    bool held = false;
    for (int round = 0; round < KDR_HOLD_ROUNDS; ++round) {
        equations e = {.count = 0};
        real change[3] = {0, 0, 0}, here[3] = {0, 0, 0};
        for (int i = 0; i < p->dims; ++i) {
            here[i] = x[i] + moved[i];
        }
        for (size_t i = 0; i < p->problem->constraint_count; ++i) {
            wall w;
            real row[3] = {0, 0, 0}, n[3] = {0, 0, 0}, way[3], f;
            constraint_at(p, i, &w);
            const real excess = gradient_at(p, &w, here, row);
            if (takes_part(p, &w, which, excess, row, speed, h)) {
                (void)pull_of(p, &w, x0, x, n, way, &f);
                solve_next(p, &e, row, nearest ? row : n, off_by(&w, excess), change, NULL);
                held = true;
            }
        }
        for (int i = 0; i < p->dims; ++i) {
            moved[i] = moved[i] + change[i];
        }
    }
    return held;
}

/* A place is off a constraint by more than roundings; off a rope outwards. */
static bool is_off(const particle *p, const wall *w, const real x[3], real off) {
    real size = w->radius;
    for (int i = 0; i < p->dims; ++i) {
        size = size + (x[i] < 0 ? 0 - x[i] : x[i]);
    }
    return START_ROOM * size < off || (!is_rope(w) && START_ROOM * size < 0 - off);
}

/* One of Newton's rounds that bring a place on to several constraints, with ropes or without: the change. Returns whether it is off any of
 * these. */
static bool approach(const particle *p, const real x[3], bool ropes, real change[3]) {
    equations e = {.count = 0};
    bool off = false;
    for (size_t i = 0; i < p->problem->constraint_count; ++i) {
        wall w;
        real row[3] = {0, 0, 0};
        constraint_at(p, i, &w);
        const real excess = gradient_at(p, &w, x, row);
        if (!is_rope(&w) || (ropes && 0 < excess)) {
            off = off || is_off(p, &w, x, off_by(&w, excess));
            solve_next(p, &e, row, row, off_by(&w, excess), change, NULL);
        }
    }
    return off;
}

/* Brings the beginning of a drift on to the constraints, and its end along with it: the way there is no part of the drift, so it gives no
 * impulse. A place from which Newton's rounds do not get there stays. */
static void begin_on_all(const particle *p, real x0[3], real x[3]) {
    real moved[3] = {0, 0, 0};
    bool off = true;
    for (int ropes = 0; ropes < (has_ropes(p) ? 2 : 1); ++ropes) {
        off = true;
        for (int round = 0; round <= KDR_START_ROUNDS && off; ++round) {
            real here[3] = {0, 0, 0}, change[3] = {0, 0, 0};
            for (int i = 0; i < p->dims; ++i) {
                here[i] = x0[i] + moved[i];
            }
            off = approach(p, here, ropes, change);
            for (int i = 0; i < p->dims && off; ++i) {
                moved[i] = moved[i] + change[i];
            }
        }
    }
    for (int i = 0; i < p->dims && !off; ++i) {
        x0[i] = x0[i] + moved[i];
        x[i] = x[i] + moved[i];
    }
}

/* It is nearly on them all, and on the side of each sphere that its drift began at. */
static bool has_arrived(const particle *p, const real x0[3], const real x[3], const real moved[3]) {
    bool arrived = true;
    real here[3] = {0, 0, 0};
    for (int i = 0; i < p->dims; ++i) {
        here[i] = x[i] + moved[i];
    }
    for (size_t i = 0; i < p->problem->constraint_count; ++i) {
        wall w;
        real row[3] = {0, 0, 0}, n[3] = {0, 0, 0}, way[3], f;
        constraint_at(p, i, &w);
        const real off = off_by(&w, gradient_at(p, &w, here, row)), reach = pull_of(p, &w, x0, x, n, way, &f);
        if (w.kind == KDR_WALL_ROD) {
            const real share = off * w.inverse;
            arrived = arrived && -NEARLY <= share && share <= NEARLY && 0 < reach && 0 < dot(p, row, n);
        }
    }
    return arrived;
}

/* First without ropes; then with those that are outside, or that take a speed outwards. The impulse is what makes the particle move so,
 * without ropes that do not act: they do not push. Where that does not arrive, it is done again as of one alone. */
static bool hold_several(particle *p, const real from[3], real h) {
    real moved[3] = {0, 0, 0}, pushed[3], there[3] = {0, 0, 0}, speed[3] = {p->v[0], p->v[1], p->v[2]};
    real x0[3] = {from[0], from[1], from[2]};
    holding how = {.h = h};
    begin_on_all(p, x0, p->x);
    bool held = pull_together(p, x0, p->x, false, WITHOUT_ROPES, speed, h, moved);
    memcpy(pushed, moved, sizeof pushed);
    if (has_ropes(p)) {
        for (int i = 0; i < p->dims; ++i) {
            there[i] = p->x[i] + moved[i];
        }
        (void)hold_velocity_at(p, there, false, &how, speed);
        held = pull_together(p, x0, p->x, false, WITH_ROPES, speed, h, moved) || held;
        (void)pull_together(p, x0, p->x, false, WITH_ACTING_ROPES, speed, h, pushed);
    }
    const bool arrived = has_arrived(p, x0, p->x, moved);
    if (!arrived) {
        memset(moved, 0, sizeof moved);
        (void)pull_together(p, x0, p->x, true, WITHOUT_ROPES, speed, h, moved);
    }
    if (!arrived && has_ropes(p)) {
        (void)pull_together(p, x0, p->x, true, WITH_ROPES, speed, h, moved);
    }
    for (int i = 0; i < p->dims && held; ++i) {
        p->x[i] = p->x[i] + moved[i];
        p->v[i] = arrived && h != 0 ? p->v[i] + pushed[i] / h : p->v[i];
    }
    return held;
}

/* After a drift, or a step, of length h from x0 on: x back on what holds it, and v along it. */
static void hold_drift(particle *p, const real x0[3], double h) {
    holding how = {.h = (real)h, .drifted = true, .before = {p->v[0], p->v[1], p->v[2]}};
    bool held = false;
    if (p->problem->constraint_count == 1) {
        wall w;
        constraint_at(p, 0, &w);
        held = how.pulled = hold_alone(p, &w, x0, (real)h);
    } else {
        held = hold_several(p, x0, (real)h);
    }
    if (hold_velocity_at(p, p->x, true, &how, p->v) || held) {
        memset(p->cx, 0, sizeof p->cx);
        memset(p->cv, 0, sizeof p->cv);
    }
}
