/* Constraints on particles: planes and spheres, the ends of rods, taut ropes; in the order that force/collider.h sets. */

/* STEEPNESS: slope along its way below which an equation follows from those before it. START_ROOM: rounding error of a place, as a
 * fraction of its coordinates. NEARLY: largest error of a constraint after all rounds, as a fraction of its length. */
#ifdef KDR_UNIT_F32
#define STEEPNESS 0x1p-12F
#define START_ROOM 0x1p-20F
#else
#define STEEPNESS 0x1p-26
#define START_ROOM 0x1p-48
#endif
#define NEARLY ((real)0x1p-8)

/* Equations row . change = -off, one set per lane. Each is solved along the part of its way that keeps the rows before it. */
typedef struct equations {
    vr row[3][3], way[3][3], inverse[3];
    vm used[3];
} equations;

INLINE void no_equations(equations *e) {
    EACH(j, 3) {
        e->inverse[j] = v_set1(0);
        e->used[j] = m_none();
        EACH(i, 3) { e->row[j][i] = e->way[j][i] = v_set1(0); }
    }
}

/* Solves one more equation, and along the same way row . also = 0, where `also` may be NULL. An equation that follows from those before
 * it, except for rounding, is left out; so is one in lanes that are not `asked`. */
INLINE void solve_next(int D, equations *e, vm asked, const vr *row, const vr *way, vr off, vr *change, vr *also) {
    const vr zero = v_set1(0);
    vr q[3];
    FOR_AXES(i, D) { q[i] = way[i]; }
    FOR_AXES(j, D) {
        const vr part = v_mul(dot_of(D, e->row[j], q), e->inverse[j]);
        FOR_AXES(i, D) { q[i] = mul_add(v_sub(zero, part), e->way[j][i], q[i]); }
    }
    const vr steep = dot_of(D, row, q), inverse = v_div(v_set1(1), steep);
    vm left = m_but(m_and(asked, v_less(v_set1(STEEPNESS), magnitude(steep))), e->used[D - 1]);
    const vr amount = v_mul(v_sub(zero, v_add(off, dot_of(D, row, change))), inverse);
    const vr second = also ? v_mul(v_sub(zero, dot_of(D, row, also)), inverse) : zero;
    FOR_AXES(i, D) {
        change[i] = v_select(left, mul_add(amount, q[i], change[i]), change[i]);
        if (also) {
            also[i] = v_select(left, mul_add(second, q[i], also[i]), also[i]);
        }
    }
    FOR_AXES(j, D) {
        const vm taken = m_but(left, e->used[j]);
        FOR_AXES(i, D) {
            e->row[j][i] = v_select(taken, row[i], e->row[j][i]);
            e->way[j][i] = v_select(taken, q[i], e->way[j][i]);
        }
        e->inverse[j] = v_select(taken, inverse, e->inverse[j]);
        left = m_but(left, taken);
        e->used[j] = m_or(e->used[j], taken);
    }
}

INLINE bool is_rope(const wall *w) { return w->kind == KDR_WALL_ROPE; }

/* Returns whether a wall is a plane, or has no effect because it is across axes that the particles do not have. */
INLINE bool is_plane(const wall *w) { return w->kind == KDR_WALL_ON_PLANE || w->kind == KDR_WALL_NONE; }

INLINE bool has_ropes(const kdr_job *job) {
    const wall *const held = job->held;
    bool has = false;
    for (size_t i = 0; i < job->held_count; ++i) {
        has = has || is_rope(&held[i]);
    }
    return has;
}

/* Computes the gradient of a constraint at x. Returns the error of x, for a sphere times the diameter. */
INLINE vr gradient_at(const wall *w, int D, const vr *x, vr *gradient) {
    if (is_plane(w)) {
        FOR_AXES(i, D) { gradient[i] = v_set1(w->normal[i]); }
        return gap_of_plane(w, D, v_set1(0), x);
    }
    const vr excess = sphere_excess(w, D, v_set1(w->square), x, gradient), inverse = v_set1(w->inverse);
    FOR_AXES(i, D) { gradient[i] = v_mul(inverse, gradient[i]); }
    return excess;
}

/* Returns the error of x, computed from the return value of gradient_at. */
INLINE vr off_by(const wall *w, vr excess) { return is_plane(w) ? excess : v_mul(v_mul(v_set1((real)0.5), excess), v_set1(w->inverse)); }

/* Returns the lanes whose speed is outwards, in the direction of time of the run. */
INLINE vm leads_out(vr speed, real h) { return h < 0 ? v_less(speed, v_set1(0)) : v_less(v_set1(0), speed); }

/* A rotation, as in the instruction TURN: the first column of its elements, or KDR_NO_COLUMN; `whose` is 0 if all particles share it. */
typedef struct turning {
    unsigned row, whose;
} turning;

/* Computes (R + 1) row for vector n. */
INLINE void turn_way(int D, const kdr_tile *tile, turning by, int n, const vr *row, vr *way) {
    vr old[3];
    FOR_AXES(i, D) { old[i] = row[i]; }
    FOR_AXES(i, D) {
        vr r[3][2];
        FOR_AXES(j, D) {
            EACH(k, 2) { r[j][k] = half_element(tile, by.row, D, i, j, k, by.whose ? n : 0); }
        }
        way[i] = v_add(turn_along(D, r, old, false, v_set1(0)), v_add(old[i], old[i]));
    }
}

/* The part of a step in which velocities are held: a kick, a rotation or a drift, with its length h. */
typedef struct holding {
    real h;
    turning by;   /* v has been rotated, and half of each impulse came before that; the row is KDR_NO_COLUMN without a rotation */
    bool drifted; /* v has received the impulse of a drift; `before` is v without it */
    vm pulled;    /* lanes whose impulse came from the only constraint, if that is a rope */
    vr before[3];
} holding;

INLINE holding held_in(real h) { return (holding){.h = h, .by = {KDR_NO_COLUMN, 0}, .drifted = false, .pulled = m_none()}; }

/* Holds v on one constraint. A taut rope takes away speed outwards only. After a short drift its own impulse leaves only rounding of that
 * speed, so the speed before the impulse decides whether the rope acts. Returns the lanes in which the constraint acts. */
INLINE vm hold_velocity_on(const wall *w, int D, const kdr_tile *tile, int n, holding *how, const vr *x, equations *e, vr *v) {
    const vr zero = v_set1(0);
    vr row[3], way[3], *const before = how->drifted ? how->before : NULL;
    vm acts = m_every();
    const vr excess = gradient_at(w, D, x, row);
    if (is_rope(w)) {
        const vm taut = m_or(how->pulled, v_less(v_set1(-w->slack), excess));
        acts = m_and(taut, leads_out(dot_of(D, row, before ? before : v), how->h));
    }
    FOR_AXES(k, D) { way[k] = row[k]; }
    if (how->by.row != KDR_NO_COLUMN) {
        turn_way(D, tile, how->by, n, row, way);
    }
    solve_next(D, e, acts, row, way, zero, v, before);
    return acts;
}

/* Projects v onto the constraints at x: first all but ropes, then taut ropes. Returns the lanes in which something holds. */
static NOINLINE vm hold_velocity(int D, const kdr_tile *tile, int n, bool ropes, holding *how, const vr *x, vr *v) {
    const kdr_job *const job = tile->job;
    const wall *const held = job->held;
    equations e;
    no_equations(&e);
    vm any = m_none();
    for (int round = 0; round < (ropes ? 2 : 1); ++round) {
        for (size_t i = 0; i < job->held_count; ++i) {
            if (is_rope(&held[i]) == (round == 1)) {
                any = m_or(any, hold_velocity_on(&held[i], D, tile, n, how, x, &e, v));
            }
        }
    }
    return any;
}

/* Returns the lanes in which a rope holds resting particles: taut at the flight's free end, where v does not lead inwards. */
INLINE vm holds_at_end(const wall *w, int D, const flight *s) {
    vr row[3];
    const vr excess = gradient_at(w, D, s->x, row), least = v_sub(v_set1(0), v_mul(v_set1(SLOW), v_sqrt(dot_of(D, s->v, s->v))));
    return m_and(v_less(v_set1(-w->slack), excess), v_at_most(least, dot_of(D, row, s->v)));
}

/* Projects normals n of a surface at x onto the constraints, to length 1, or 0 if no impulse along n can move the particle. A taut rope
 * yields inwards, unless it holds particles that `rest`. `rank` becomes the number of independent constraints. Returns the old lengths. */
static NOINLINE vr free_normal(const kdr_job *job, int D, vm lanes, const vr *x, const flight *rest, vr *n, vr *rank) {
    const wall *const held = job->held;
    const vr zero = v_set1(0), one = v_set1(1);
    if (job->held_count == 0) {
        return one;
    }
    equations e;
    no_equations(&e);
    for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < job->held_count; ++i) {
            if (is_rope(&held[i]) == (round == 1)) {
                vr row[3];
                vm acts = m_every();
                const vr excess = gradient_at(&held[i], D, x, row);
                if (is_rope(&held[i])) {
                    acts = rest ? holds_at_end(&held[i], D, rest)
                                : m_and(v_less(v_set1(-held[i].slack), excess), v_less(zero, dot_of(D, row, n)));
                }
                solve_next(D, &e, acts, row, row, zero, n, NULL);
            }
        }
    }
    vr count = zero;
    FOR_AXES(j, D) { count = v_select(e.used[j], v_add(count, one), count); }
    *rank = v_select(lanes, count, *rank);
    const vm is_free = m_but(v_less(v_set1(STEEPNESS), dot_of(D, n, n)), e.used[D - 1]);
    FOR_AXES(i, D) { n[i] = v_select(is_free, n[i], zero); }
    return normalise(D, n);
}

/* Returns the fraction of the way from r0 to r0 + d at which a rope becomes taut; 0 if it is taut at r0, within rounding. */
INLINE vr taut_at(const wall *w, int D, const vr *r0, const vr *d, vr excess0) {
    const vr zero = v_set1(0), a = dot_of(D, d, d), b = dot_of(D, r0, d);
    const vr root = v_sqrt(mul_add(v_sub(zero, a), excess0, v_mul(b, b)));
    return v_select(v_less(excess0, v_set1(-w->slack)), clamp_to_one(v_div(v_sub(root, b), a)), zero);
}

/* Computes the direction n, of length 1, in which a constraint pulls in a drift from x0 to x: its gradient at x0; for a rope, at the
 * fraction *f of the way where it becomes taut. `e` is the rest of the way from there. Returns the length before normalisation. */
INLINE vr pull_of(const wall *w, int D, const vr *x0, const vr *x, vr *n, vr *e, vr *f) {
    *f = v_set1(0);
    if (is_plane(w)) {
        FOR_AXES(i, D) { n[i] = v_set1(w->normal[i]); }
        return v_set1(1);
    }
    vr r[3], d[3];
    const vr excess0 = sphere_excess(w, D, v_set1(w->square), x0, n);
    (void)sphere_excess(w, D, v_set1(w->square), x, r);
    FOR_AXES(i, D) {
        e[i] = v_sub(x[i], x0[i]);
        d[i] = v_sub(r[i], n[i]);
    }
    if (is_rope(w)) {
        *f = taut_at(w, D, n, d, excess0);
        FOR_AXES(i, D) {
            n[i] = mul_add(*f, d[i], n[i]);
            e[i] = v_mul(v_sub(v_set1(1), *f), d[i]);
        }
    }
    return normalise(D, n);
}

/* Holds particles on their only constraint, by SHAKE's quadratic equation. A rope keeps a velocity that leads inwards. */
INLINE vm hold_alone(const wall *w, int D, const vr *x0, real h, vr *x, vr *v) {
    const vr zero = v_set1(0), length = v_set1(w->radius), twice = v_set1(w->twice);
    vm held = m_every(), acts = held;
    vr n[3], e[3], y[3], z[3], r[3], to[3], f;
    if (is_plane(w)) {
        const vr gap = gap_of_plane(w, D, v_set1(0), x);
        FOR_AXES(i, D) { x[i] = mul_add(v_sub(zero, gap), v_set1(w->normal[i]), x[i]); }
        return held;
    }
    const vr excess = sphere_excess(w, D, v_set1(w->square), x, r);
    if (is_rope(w) && !m_any(v_less(v_set1(-w->slack), excess))) {
        return m_none();
    }
    const vr reach = pull_of(w, D, x0, x, n, e, &f), time = v_mul(v_sub(v_set1(1), f), v_set1(h));
    FOR_AXES(i, D) { y[i] = mul_add(twice, n[i], e[i]); }
    const vr c = dot_of(D, e, y), b = v_add(length, dot_of(D, n, e)), square = mul_add(b, b, v_sub(zero, c));
    const vm fits = m_and(v_less(zero, reach), m_and(v_less(zero, b), v_at_most(zero, square)));
    const vr pull = v_div(v_sub(zero, c), v_add(b, v_sqrt(square)));
    const vr far = v_sqrt(dot_of(D, r, r)), scale = v_select_zero(far, zero, v_div(length, far));
    FOR_AXES(i, D) {
        y[i] = v_select(fits, mul_add(v_add(length, pull), n[i], e[i]), v_mul(r[i], scale));
        to[i] = v_add(v_set1(w->at[i]), y[i]);
    }
    if (is_rope(w)) {
        (void)gradient_at(w, D, to, z);
        acts = leads_out(dot_of(D, z, v), h);
        held = m_or(v_less(zero, excess), m_and(acts, v_less(v_set1(-w->slack), excess)));
    }
    const vr impulse = v_select(m_and(acts, fits), v_select_zero(time, zero, v_div(pull, time)), zero);
    FOR_AXES(i, D) {
        x[i] = v_select(held, to[i], x[i]);
        v[i] = v_select(held, mul_add(impulse, n[i], v[i]), v[i]);
    }
    return held;
}

/* The ropes that take part in a round: none; those that are outside or act; only those that act. */
typedef enum rounds { WITHOUT_ROPES, WITH_ROPES, WITH_ACTING_ROPES } rounds;

/* Returns the lanes in which a constraint takes part: a taut rope if the speed leads outwards; WITH_ROPES, also a rope outside. */
INLINE vm takes_part(const wall *w, int D, rounds which, vr excess, const vr *row, const vr *speed, real h) {
    if (!is_rope(w)) {
        return m_every();
    }
    const vm acts = m_and(v_less(v_set1(-w->slack), excess), leads_out(dot_of(D, row, speed), h));
    return which == WITH_ROPES ? m_or(acts, v_less(v_set1(0), excess)) : acts;
}

/* Makes rounds of Newton's method for several constraints, from x + `moved` on; x is the end of the drift from x0. They go along the pulls
 * of the constraints, or with `nearest` along the gradients. Returns the lanes in which something holds. */
static NOINLINE vm pull_together(const kdr_job *job, int D, const vr *x0, const vr *x, bool nearest, rounds which, const vr *speed, real h,
                                 vr *moved) {
    const wall *const held = job->held;
    const vr zero = v_set1(0);
    vm any = m_none();
    for (int round = 0; round < KDR_HOLD_ROUNDS; ++round) {
        equations e;
        vr change[3] = {zero, zero, zero}, here[3];
        no_equations(&e);
        FOR_AXES(i, D) { here[i] = v_add(x[i], moved[i]); }
        for (size_t i = 0; i < job->held_count; ++i) {
            vr row[3], n[3], way[3], f;
            if (is_rope(&held[i]) && which == WITHOUT_ROPES) {
                continue;
            }
            const vr excess = gradient_at(&held[i], D, here, row);
            const vm holds = takes_part(&held[i], D, which, excess, row, speed, h);
            if (!nearest) {
                (void)pull_of(&held[i], D, x0, x, n, way, &f);
            }
            solve_next(D, &e, holds, row, nearest ? row : n, off_by(&held[i], excess), change, NULL);
            any = m_or(any, holds);
        }
        FOR_AXES(i, D) { moved[i] = v_add(moved[i], change[i]); }
    }
    return any;
}

/* Returns the lanes whose x is off a constraint by more than rounding; off a rope only outwards. */
INLINE vm is_off(const wall *w, int D, const vr *x, vr off) {
    vr size = v_set1(w->radius);
    FOR_AXES(i, D) { size = v_add(size, magnitude(x[i])); }
    const vr room = v_mul(v_set1(START_ROOM), size), zero = v_set1(0);
    const vm outwards = v_less(room, off);
    return is_rope(w) ? outwards : m_or(outwards, v_less(room, v_sub(zero, off)));
}

/* Makes one of Newton's rounds that bring places to all constraints, or all but ropes. Returns the lanes that are off one of them. */
static NOINLINE vm approach(const kdr_job *job, int D, const vr *x, bool ropes, vr *change) {
    const wall *const held = job->held;
    const vr zero = v_set1(0);
    equations e;
    vm off = m_none();
    no_equations(&e);
    FOR_AXES(i, D) { change[i] = zero; }
    for (size_t i = 0; i < job->held_count; ++i) {
        if (ropes || !is_rope(&held[i])) {
            vr row[3];
            const vr excess = gradient_at(&held[i], D, x, row), by = off_by(&held[i], excess);
            const vm asked = is_rope(&held[i]) ? v_less(zero, excess) : m_every();
            off = m_or(off, m_and(asked, is_off(&held[i], D, x, by)));
            solve_next(D, &e, asked, row, row, by, change, NULL);
        }
    }
    return off;
}

/* Moves the beginning of a drift to the constraints, and its end by as much, without an impulse; not if the rounds do not arrive. */
INLINE void begin_on_all(const kdr_job *job, int D, vr *x0, vr *x) {
    vr moved[3], here[3], change[3];
    vm off = m_none();
    FOR_AXES(i, D) { moved[i] = v_set1(0); }
    for (int ropes = 0; ropes < (has_ropes(job) ? 2 : 1); ++ropes) {
        for (int round = 0; round <= KDR_START_ROUNDS; ++round) {
            FOR_AXES(i, D) { here[i] = v_add(x0[i], moved[i]); }
            off = approach(job, D, here, ropes, change);
            if (!m_any(off)) {
                break;
            }
            FOR_AXES(i, D) { moved[i] = v_select(off, v_add(moved[i], change[i]), moved[i]); }
        }
    }
    FOR_AXES(i, D) {
        x0[i] = v_select(off, x0[i], v_add(x0[i], moved[i]));
        x[i] = v_select(off, x[i], v_add(x[i], moved[i]));
    }
}

/* Returns the lanes in which x + moved nearly fulfils all constraints, on that side of each sphere where the drift began. */
INLINE vm has_arrived(const kdr_job *job, int D, const vr *x0, const vr *x, const vr *moved) {
    const wall *const held = job->held;
    const vr zero = v_set1(0);
    vm arrived = v_at_most(zero, zero);
    vr here[3];
    FOR_AXES(i, D) { here[i] = v_add(x[i], moved[i]); }
    for (size_t i = 0; i < job->held_count; ++i) {
        vr row[3], n[3], way[3], f;
        if (held[i].kind == KDR_WALL_ROD) {
            const vr off = off_by(&held[i], gradient_at(&held[i], D, here, row)), reach = pull_of(&held[i], D, x0, x, n, way, &f);
            const vr share = v_mul(off, v_set1(held[i].inverse));
            const vm near = m_and(v_at_most(v_set1(-NEARLY), share), v_at_most(share, v_set1(NEARLY)));
            arrived = m_and(arrived, m_and(near, m_and(v_less(zero, reach), v_less(zero, dot_of(D, row, n)))));
        }
    }
    return arrived;
}

/* Holds particles on several constraints: first without ropes, then with ropes that are outside or act. Ropes that do not act have no part
 * in the impulse. If this does not arrive, positions move along the gradients instead, without an impulse. */
INLINE vm hold_several(int D, const kdr_tile *tile, int n, const vr *from, real h, vr *x, vr *v) {
    const kdr_job *const job = tile->job;
    const vr zero = v_set1(0), time = v_set1(h);
    vr x0[3], moved[3], pushed[3], nearest[3], there[3], speed[3];
    holding how = held_in(h);
    FOR_AXES(i, D) {
        moved[i] = nearest[i] = zero;
        x0[i] = from[i];
        speed[i] = v[i];
    }
    begin_on_all(job, D, x0, x);
    vm held = pull_together(job, D, x0, x, false, WITHOUT_ROPES, speed, h, moved);
    FOR_AXES(i, D) { pushed[i] = moved[i]; }
    if (has_ropes(job)) {
        FOR_AXES(i, D) { there[i] = v_add(x[i], moved[i]); }
        (void)hold_velocity(D, tile, n, false, &how, there, speed);
        held = m_or(held, pull_together(job, D, x0, x, false, WITH_ROPES, speed, h, moved));
        (void)pull_together(job, D, x0, x, false, WITH_ACTING_ROPES, speed, h, pushed);
    }
    const vm arrived = has_arrived(job, D, x0, x, moved);
    if (!m_all(arrived)) {
        (void)pull_together(job, D, x0, x, true, WITHOUT_ROPES, speed, h, nearest);
    }
    if (!m_all(arrived) && has_ropes(job)) {
        (void)pull_together(job, D, x0, x, true, WITH_ROPES, speed, h, nearest);
    }
    const vm has_impulse = h != 0 ? m_and(held, arrived) : m_none();
    FOR_AXES(i, D) {
        v[i] = v_select(has_impulse, v_add(v[i], v_div(pushed[i], time)), v[i]);
        x[i] = v_select(held, v_add(x[i], v_select(arrived, moved[i], nearest[i])), x[i]);
    }
    return held;
}

/* After a drift or step of length h from x0, puts x back on the constraints, and projects v. Returns the lanes that are held. */
static NOINLINE vm hold_drift(int D, const kdr_tile *tile, int n, const vr *x0, real h, vr *x, vr *v) {
    const wall *const walls = tile->job->held;
    holding how = held_in(h);
    vm held;
    how.drifted = true;
    FOR_AXES(i, D) { how.before[i] = v[i]; }
    if (tile->job->held_count == 1) {
        held = how.pulled = hold_alone(walls, D, x0, h, x, v);
    } else {
        held = hold_several(D, tile, n, x0, h, x, v);
    }
    return m_or(held, hold_velocity(D, tile, n, true, &how, x, v));
}

/* Sets the compensations of held particles to 0: `columns` columns from `first` on. */
INLINE void forget_lost(const kdr_tile *tile, unsigned first, int columns, int n, vm held) {
    for (int i = 0; i < columns && first != KDR_NO_COLUMN; ++i) {
        char *const lost = column(tile, first + (unsigned)i);
        put(lost, n, v_select(held, v_set1(0), get(lost, n)));
    }
}

INLINE void held_drift_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    char *const x = column(tile, line->out), *const v = column(tile, line->v);
    char *const lost = line->other != KDR_NO_COLUMN ? column(tile, line->other) : NULL;
    const real step = *numbers(tile, line->number);
    const vr h = v_set1(step), finer = v_set1(lost ? *numbers(tile, line->list) : 0);
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        vr x0[3], to[3], speed[3];
        EACH(i, D) {
            x0[i] = to[i] = get(x, i * T + n);
            speed[i] = get(v, i * T + n);
            if (lost) {
                vr rest = get(lost, i * T + n);
                advance_compensated(h, finer, speed[i], &to[i], &rest);
                put(lost, i * T + n, rest);
            } else {
                to[i] = mul_add(h, speed[i], to[i]);
            }
        }
        const vm held = hold_drift(D, tile, n, x0, step, to, speed);
        EACH(i, D) {
            put(x, i * T + n, to[i]);
            put(v, i * T + n, speed[i]);
        }
        forget_lost(tile, line->other, 2 * D, n, held);
    }
}

static void op_held_drift(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, held_drift_on, tile, line); }

static void op_hold_velocity(kdr_tile *tile, const kdr_instruction *line) {
    const int D = tile->dims, T = tile->vectors;
    const char *const x = column(tile, line->x);
    char *const v = column(tile, line->v);
    holding how = held_in(*numbers(tile, line->number));
    how.by = (turning){line->out, line->count};
    for (int n = 0; n < T; ++n) {
        vr at[3], speed[3];
        FOR_AXES(i, D) {
            at[i] = get(x, i * T + n);
            speed[i] = get(v, i * T + n);
        }
        const vm held = hold_velocity(D, tile, n, true, &how, at, speed);
        FOR_AXES(i, D) { put(v, i * T + n, speed[i]); }
        forget_lost(tile, line->other, D, n, held);
    }
}

static void op_hold(kdr_tile *tile, const kdr_instruction *line) {
    const int D = tile->dims, T = tile->vectors;
    const char *const before = column(tile, line->other);
    char *const x = column(tile, line->x), *const v = column(tile, line->v);
    for (int n = 0; n < T; ++n) {
        vr x0[3], at[3], speed[3];
        FOR_AXES(i, D) {
            x0[i] = get(before, i * T + n);
            at[i] = get(x, i * T + n);
            speed[i] = get(v, i * T + n);
        }
        const vm held = hold_drift(D, tile, n, x0, (real)tile->job->dt, at, speed);
        FOR_AXES(i, D) {
            put(x, i * T + n, at[i]);
            put(v, i * T + n, speed[i]);
        }
        forget_lost(tile, line->out, 2 * D, n, held);
    }
}
