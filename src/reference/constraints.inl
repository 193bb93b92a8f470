/* Constraints on particles: planes and spheres, the ends of rods, taut ropes; in the order that force/collider.h sets. */

/* Equations row . change = -off in as many unknowns as there are axes. Each is solved along the part of its way that does not change the
 * rows before it. */
typedef struct ref_equations {
    real row[3][3], way[3][3], inverse[3];
    int count;
} ref_equations;

/* Solves one more equation, and along the same way row . also = 0, where `also` may be NULL. An equation that follows from those before
 * it, except for rounding, is left out. */
static void solve_next(const particle *p, ref_equations *e, const real row[3], const real way[3], real off, real change[3], real *also) {
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

/* Returns whether a wall is a plane, or has no effect because it is across axes that the particles do not have. */
static bool is_plane(const wall *w) { return w->kind == KDR_WALL_ON_PLANE || w->kind == KDR_WALL_NONE; }

static void constraint_at(const particle *p, size_t i, wall *w) { wall_of_constraint(&p->problem->constraints[i], p->dims, w); }

static bool has_ropes(const particle *p) {
    bool has = false;
    for (size_t i = 0; i < p->problem->constraint_count; ++i) {
        has = has || p->problem->constraints[i].kind == KDR_CONSTRAINT_ROPE;
    }
    return has;
}

/* Computes the gradient of a constraint at x. Returns the error of x, for a sphere times the diameter. */
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

/* Returns the error of x, computed from the return value of gradient_at. */
static real off_by(const wall *w, real excess) { return is_plane(w) ? excess : ((real)0.5 * excess) * w->inverse; }

/* Returns whether a speed is outwards, in the direction of time of the run. */
static bool leads_out(real speed, real h) { return h < 0 ? speed < 0 : 0 < speed; }

/* The part of a step in which a velocity is held: a kick, a rotation or a drift, with its length h. */
typedef struct ref_holding {
    real h;
    bool turned;  /* v has been rotated, and half of each impulse came before that */
    bool drifted; /* v has received the impulse of a drift; `before` is v without it */
    bool pulled;  /* the impulse came from the only constraint, if that is a rope */
    real before[3];
} ref_holding;

/* Holds v on one constraint. A taut rope takes away speed outwards, and does not push. After a short drift the drift's own impulse
 * leaves only rounding of that speed, so the speed before the impulse decides whether the rope acts. Returns whether the constraint
 * acts. */
static bool hold_velocity_on(const particle *p, const wall *w, const real x[3], ref_holding *how, ref_equations *e, real v[3]) {
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

/* Projects v onto the constraints at x: first all but ropes, then taut ropes. Returns whether something holds. */
static bool hold_velocity_at(const particle *p, const real x[3], bool ropes, ref_holding *how, real v[3]) {
    ref_equations e = {.count = 0};
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

/* Returns whether a rope holds a particle that rests: it is taut where the flight would end without surfaces, and v does not lead
 * inwards there, except for rounding. */
static bool holds_at_end(const particle *p, const wall *w, const ref_flight *s) {
    real row[3] = {0, 0, 0};
    const real excess = gradient_at(p, w, s->x, row);
    return -w->slack < excess && 0 - SLOW * square_root(dot(p, s->v, s->v)) <= dot(p, row, s->v);
}

/* Projects the normal n of a surface that a particle at x meets onto the constraints, and normalises it to length 1, or 0 if no impulse
 * along n can move the particle. A taut rope yields to a push inwards, unless it holds a particle that `rests` in this flight. `held`
 * becomes the number of independent constraints. Returns the length before normalisation. */
static real free_normal(const particle *p, const real x[3], const ref_flight *rests, real n[3], int *held) {
    ref_equations e = {.count = 0};
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

/* Puts a particle near its constraints, and near the marked surfaces, on all of them, and projects v onto the constraints and the
 * surfaces that push. `rests` is the flight if the particle rests; otherwise NULL. */
static void put_on_all(const particle *p, const ref_support *r, unsigned marks, unsigned pushed, const ref_flight *rests, real x[3],
                       real v[3]) {
    for (int round = 0; round < JOIN_ROUNDS && p->problem->constraint_count > 0; ++round) {
        ref_equations e = {.count = 0};
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

static bool can_yield(const particle *p, const ref_flight *s, const ref_meeting *m) {
    real x[3] = {0}, n[3] = {m->n[0], m->n[1], m->n[2]};
    int held;
    for (int i = 0; i < p->dims; ++i) {
        x[i] = place_at(p, s, i, m->f);
    }
    return 0 < free_normal(p, x, NULL, n, &held);
}

/* Projects a velocity that is predicted for the end of a kick of length h onto the constraints. */
static void hold_predicted(const particle *p, double h, real v[3]) {
    ref_holding how = {.h = (real)h};
    if (p->terms & KDR_TERM_HELD) {
        (void)hold_velocity_at(p, p->x, true, &how, v);
    }
}

/* Projects the velocity onto the constraints after a kick or a rotation of length h. */
static void hold_velocity(particle *p, double h, bool turned) {
    ref_holding how = {.h = (real)h, .turned = turned};
    if ((p->terms & KDR_TERM_HELD) && hold_velocity_at(p, p->x, true, &how, p->v)) {
        memset(p->cv, 0, sizeof p->cv);
    }
}

/* Returns the fraction f of the way from r0 to r0 + d at which a rope becomes taut: (d . d) f^2 + 2 (r0 . d) f + (r0^2 - L^2) = 0; 0 if
 * it is taut at r0. Within rounding it counts as taut, because otherwise it would let go in every other short step, and catch the
 * particle again. */
static real taut_at(const particle *p, const wall *w, const real r0[3], const real d[3], real excess0) {
    const real a = dot(p, d, d), b = dot(p, r0, d), root = square_root(mul_add(p, 0 - a, excess0, b * b));
    return excess0 < -w->slack ? clamp_to_one((root - b) / a) : 0;
}

/* Computes the direction n, of length 1, in which a constraint pulls in a drift from x0 to x: its gradient at x0; for a rope, at the
 * fraction *f of the way where it becomes taut. `e` is the rest of the way from there. Returns the length before normalisation. */
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

/* Holds a particle on its only constraint. On a sphere of radius L, the drift goes from the point L n along e, in the time given.
 * SHAKE's multiplier is the solution of a quadratic equation for the position, |e + (L + pull) n| = L; the velocity gets the same
 * impulse (HLW VII.1.4). A rope does not change a velocity that leads inwards. */
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
    if (!fits) { /* a rotation by a quarter or more: the particle goes straight to the sphere */
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

/* The ropes that take part in a round: none; those that are outside or act; only those that act. */
typedef enum ref_rounds { WITHOUT_ROPES, WITH_ROPES, WITH_ACTING_ROPES } ref_rounds;

/* Returns whether a constraint takes part. A taut rope acts if the speed leads outwards there, in the direction of h; a rope that is
 * outside takes part in any case, unless only acting ropes do. */
static bool takes_part(const particle *p, const wall *w, ref_rounds which, real excess, const real row[3], const real speed[3], real h) {
    if (!is_rope(w)) {
        return true;
    }
    const bool acts = -w->slack < excess && leads_out(dot(p, row, speed), h);
    return which != WITHOUT_ROPES && (acts || (which == WITH_ROPES && 0 < excess));
}

/* Makes rounds of Newton's method for several constraints together, from x + `moved` on, where x is the end of the drift from x0. They
 * move along the directions in which the constraints pull, or with `nearest` along the gradients. Returns whether something holds. */
static bool pull_together(const particle *p, const real x0[3], const real x[3], bool nearest, ref_rounds which, const real speed[3], real h,
                          real moved[3]) {
    bool held = false;
    for (int round = 0; round < KDR_HOLD_ROUNDS; ++round) {
        ref_equations e = {.count = 0};
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

/* Returns whether x is off a constraint by more than rounding; off a rope only outwards. */
static bool is_off(const particle *p, const wall *w, const real x[3], real off) {
    real size = w->radius;
    for (int i = 0; i < p->dims; ++i) {
        size = size + (x[i] < 0 ? 0 - x[i] : x[i]);
    }
    return START_ROOM * size < off || (!is_rope(w) && START_ROOM * size < 0 - off);
}

/* Makes one round of Newton's method that brings a place to several constraints, with ropes or without, and sets the change. Returns
 * whether the place is off any of these constraints. */
static bool approach(const particle *p, const real x[3], bool ropes, real change[3]) {
    ref_equations e = {.count = 0};
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

/* Moves the beginning of a drift to the constraints, and its end by as much. This is no part of the drift, so that it gives no impulse.
 * A place from which the rounds do not arrive stays. */
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

/* Returns whether x + moved nearly fulfils all constraints, on that side of each sphere where the drift began. */
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

/* Holds a particle on several constraints: first without ropes, then with ropes that are outside or act. The impulse belongs to a
 * movement without the ropes that do not act, because they do not push. If this does not arrive at the constraints, the position moves
 * along the gradients instead, and there is no impulse. */
static bool hold_several(particle *p, const real from[3], real h) {
    real moved[3] = {0, 0, 0}, pushed[3], there[3] = {0, 0, 0}, speed[3] = {p->v[0], p->v[1], p->v[2]};
    real x0[3] = {from[0], from[1], from[2]};
    ref_holding how = {.h = h};
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

/* After a drift or step of length h from x0, puts x back on the constraints, and projects v onto them. */
static void hold_drift(particle *p, const real x0[3], double h) {
    ref_holding how = {.h = (real)h, .drifted = true, .before = {p->v[0], p->v[1], p->v[2]}};
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
