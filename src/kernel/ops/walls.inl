/* Colliders and the boundary, for a tile after a drift or a step, in the order that force/collider.h sets.
 *
 * Most vectors touch nothing. Six comparisons with a box find that out, or a few comparisons per surface; only the other vectors go
 * through functions that are not inlined. */

INLINE void keep_in_box(const wall *w, int D, vr radius, vr *x) {
    FOR_AXES(i, D) {
        const vr low = v_add(v_set1(w->low[i]), radius), high = v_sub(v_set1(w->high[i]), radius);
        x[i] = v_min(high, v_max(low, x[i]));
    }
}

INLINE void keep_out_of_box(const wall *w, int D, vr radius, vr *x) {
    const vm balls = v_less(v_set1(0), radius);
    vm in = m_none();
    if (m_any(balls)) {
        vr n[3], on[3];
        const vm inside = m_and(balls, v_less(rounded_gap(w, D, radius, x, n, on, NULL), v_set1(0)));
        FOR_AXES(i, D) { x[i] = v_select(inside, on[i], x[i]); }
    }
    FOR_AXES(i, D) {
        const vm here = m_and(v_less(v_set1(w->low[i]), x[i]), v_less(x[i], v_set1(w->high[i])));
        in = i == 0 ? here : m_and(in, here);
    }
    in = m_but(in, balls);
    if (!m_any(in)) {
        return;
    }
    vr axis, side;
    nearest_face(w, D, x, &axis, &side);
    FOR_AXES(i, D) {
        const vr face = v_select(v_less(side, v_set1(0)), v_set1(w->low[i]), v_set1(w->high[i]));
        x[i] = v_select(m_and(in, is_axis(axis, i)), face, x[i]);
    }
}

INLINE void keep_at_sphere(const wall *w, int D, vr radius, vr *x) {
    const vr zero = v_set1(0);
    vr r[3];
    const vr excess = sphere_excess(w, D, square_for(w, radius), x, r), square = dot_of(D, r, r);
    vm out = w->inside ? v_less(zero, excess) : v_less(excess, zero);
    out = m_and(out, v_less(zero, square));
    if (!m_any(out)) {
        return;
    }
    const vr scale = v_div(radius_for(w, radius), v_sqrt(square));
    FOR_AXES(i, D) { x[i] = v_select(out, mul_add(scale, r[i], v_set1(w->at[i])), x[i]); }
}

INLINE void keep_at_wall(const wall *w, int D, vr radius, vr *x) {
    if (w->kind == KDR_COLLIDER_PLANE) {
        keep_behind_plane(w, D, radius, x);
    } else if (w->kind == KDR_COLLIDER_SPHERE) {
        keep_at_sphere(w, D, radius, x);
    } else if (w->kind == KDR_COLLIDER_BOX) {
        if (w->inside) {
            keep_in_box(w, D, radius, x);
        } else {
            keep_out_of_box(w, D, radius, x);
        }
    }
}

/* Keeps particles outside a surface that moves. A particle in front of it keeps its bits. */
static NOINLINE void keep_at_moving(const wall *w, int D, vr radius, double end, vr *x) {
    const moving_frame at = frame_of(w, end);
    vr seen[3], kept[3];
    see(&at, D, v_set1(0), x, seen);
    FOR_AXES(i, D) { kept[i] = seen[i]; }
    keep_at_wall(w, D, radius, kept);
    FOR_AXES(i, D) { x[i] = v_select(v_equal(kept[i], seen[i]), x[i], v_add(kept[i], v_set1(at.base[i]))); }
}

static NOINLINE void walls_meet(const wall *walls, size_t count, int D, travel *t) {
    t->hit = m_none();
    t->bounces = t->taken[KDR_RESTITUTION] = t->taken[KDR_FRICTION] = v_set1(0);
    collide(walls, count, D, t);
    if (m_any(t->hit)) {
        vr x[3];
        FOR_AXES(i, D) { x[i] = t->x[i]; }
        for (size_t i = 0; i < count; ++i) {
            if (walls[i].moves) {
                keep_at_moving(&walls[i], D, t->radius, t->end, x);
            } else {
                keep_at_wall(&walls[i], D, t->radius, x);
            }
        }
        FOR_AXES(i, D) { t->x[i] = v_select(t->hit, x[i], t->x[i]); }
    }
}

/* Adds the bounces of vector n of the tile to the particles' counts, and the energies that contacts took to their sums. Lanes that are
 * `gone` have made no contact. */
static NOINLINE void count_contacts(const kdr_tile *tile, unsigned mass_column, int n, vm gone, const travel *t) {
    const kdr_job *const job = tile->job;
    const vm counted = m_but(t->hit, gone);
    if (!(job->bounces || job->dissipated_energy[0] || job->dissipated_energy[1]) || !m_any(counted)) {
        return;
    }
    real number[LANES], mass[LANES], taken[2][LANES];
    v_store(number, v_select(counted, t->bounces, v_set1(0)));
    v_store(mass, mass_column == KDR_NO_COLUMN ? v_set1(1) : get(column(tile, mass_column), n));
    EACH(k, 2) { v_store(taken[k], v_select(counted, t->taken[k], v_set1(0))); }
    for (int i = 0; i < LANES; ++i) {
        const size_t at = (size_t)n * LANES + (size_t)i, index = tile->first + at;
        if (at >= tile->count || mass[i] == 0) {
            continue;
        }
        if (job->bounces && number[i] > 0) {
            uint32_t hits;
            memcpy(&hits, (char *)(void *)job->bounces + index * sizeof hits, sizeof hits);
            hits += (uint32_t)number[i];
            memcpy((char *)(void *)job->bounces + index * sizeof hits, &hits, sizeof hits);
        }
        for (int k = 0; k < 2; ++k) {
            if (job->dissipated_energy[k] && taken[k][i] != 0) {
                char *const there = (char *)(void *)job->dissipated_energy[k] + index * sizeof(double);
                double sum;
                memcpy(&sum, there, sizeof sum);
                sum += (double)taken[k][i] / (double)mass[i];
                memcpy(there, &sum, sizeof sum);
            }
        }
    }
}

/* The box in which particles need no work. */
typedef struct clearing {
    vr low[3], high[3];
} clearing;

INLINE clearing clearing_of(int D, const kdr_job *job, const real *number) {
    const vr largest = v_set1((real)job->largest_radius);
    clearing c;
    EACH(i, D) {
        c.low[i] = v_add(v_set1(number[KDR_FREE_NUMBERS + 2 * i]), largest);
        c.high[i] = v_sub(v_set1(number[KDR_FREE_NUMBERS + 2 * i + 1]), largest);
    }
    return c;
}

static NOINLINE vm wrap(int D, const real *number, vr *x, vr *taken) {
    vm hit = m_none();
    for (int i = 0; i < D; ++i) {
        hit = m_or(hit, wrap_axis(number + KDR_PERIOD_NUMBERS * i, &x[i], &taken[i]));
    }
    return hit;
}

/* Adds the periods by which vector n of the tile was moved back to the particles' counts. */
static NOINLINE void count_periods(const kdr_tile *tile, unsigned mass_column, int n, const vr *taken) {
    real mass[LANES], periods[LANES];
    v_store(mass, mass_column == KDR_NO_COLUMN ? v_set1(1) : get(column(tile, mass_column), n));
    for (int axis = 0; axis < tile->dims; ++axis) {
        v_store(periods, taken[axis]);
        for (int i = 0; i < LANES; ++i) {
            const size_t at = (size_t)n * LANES + (size_t)i;
            if (at < tile->count && mass[i] != 0 && periods[i] != 0 && periods[i] > -2147483648.0F && periods[i] < 2147483648.0F) {
                char *const there = (char *)(void *)tile->job->images[axis] + (tile->first + at) * sizeof(uint32_t);
                uint32_t image; /* counts modulo 2^32 */
                memcpy(&image, there, sizeof image);
                image += (uint32_t)(int32_t)periods[i];
                memcpy(there, &image, sizeof image);
            }
        }
    }
}

/* Returns whether all lanes are where a step needs no work. */
INLINE bool is_clear(int D, const clearing *c, const vr *x) {
    vm within = v_less(c->low[0], x[0]);
    EACH(i, D) { within = m_and(within, m_and(v_less(c->low[i], x[i]), v_less(x[i], c->high[i]))); }
    return m_all(within);
}

/* Returns the lanes that are outside an absorbing boundary. */
INLINE vm absorbed(int D, const real *number, const vr *x0) {
    vm gone = m_none();
    FOR_AXES(i, D) {
        gone = m_or(gone,
                    m_or(v_less(x0[i], v_set1(number[KDR_PERIOD_NUMBERS * i])), v_less(v_set1(number[KDR_PERIOD_NUMBERS * i + 1]), x0[i])));
    }
    return gone;
}

/* Returns the lanes of vector n whose particles meet walls as parts of molecules. */
INLINE vm bound_lanes(const kdr_tile *tile, int n) {
    const kdr_job *const job = tile->job;
    real bound[LANES];
    for (size_t i = 0; i < LANES; ++i) {
        const size_t index = tile->first + (size_t)n * LANES + i;
        bound[i] = job->bound && index < job->bound_count ? (real)job->bound[index] : 0;
    }
    return v_less(v_set1(0), v_load(bound));
}

/* Returns the radii of the particles of vector n. */
INLINE vr radii_of(const kdr_tile *tile, int n) {
    const char *const radius = tile->job->radius;
    real of[LANES] = {0};
    if (!radius) {
        return v_set1(0);
    }
    for (size_t i = 0; i < LANES; ++i) {
        const size_t at = (size_t)n * LANES + i;
        if (at < tile->count) {
            memcpy(&of[i], radius + (tile->first + at) * sizeof *of, sizeof *of);
        }
    }
    return v_load(of);
}

/* Returns the time at a fraction of the tile's present step. */
INLINE double end_of(const kdr_tile *tile, double fraction) {
    const kdr_job *const job = tile->job;
    return job->t0 + ((double)(tile->step - job->later) + fraction) * job->dt;
}

/* Marks all lanes as neither hit nor absorbed. */
INLINE void clear_marks(const kdr_tile *tile, const kdr_instruction *line) { memset(column(tile, line->out), 0, 2 * tile->column); }

/* Returns the marks of the components that have changed. */
INLINE vr marks_of_changes(int D, const vr *x, const vr *to_x, const vr *v, const vr *to_v) {
    vr marks = v_set1(0);
    FOR_AXES(i, D) {
        marks = v_add(marks, v_select(v_equal(x[i], to_x[i]), v_set1(0), v_set1((real)(KDR_MARK_CHANGES << i))));
        marks = v_add(marks, v_select(v_equal(v[i], to_v[i]), v_set1(0), v_set1((real)(KDR_MARK_CHANGES << (3 + i)))));
    }
    return marks;
}

/* Lets vector n meet the colliders. Returns the lanes that met one. */
INLINE vm colliders_of_vector(int D, kdr_tile *tile, const kdr_instruction *line, int n, vm gone, const vr *begin, vr *end) {
    const kdr_job *const job = tile->job;
    const wall *const walls = job->walls;
    char *const v = column(tile, line->v);
    const char *const v0 = column(tile, line->other + (unsigned)D);
    const vr radius = radii_of(tile, n);
    const int T = tile->vectors;
    if (!walls_near(walls, job->wall_count, D, m_every(), radius, begin, end, v_set1((real)job->dt), end_of(tile, 1))) {
        return m_none();
    }
    travel t = {.h = (real)job->dt, .span = 1, .tile = tile, .vector = n, .mass_column = line->list, .gone = gone};
    t.bound = bound_lanes(tile, n);
    t.radius = radius;
    t.end = end_of(tile, 1);
    FOR_AXES(i, D) {
        t.x0[i] = begin[i];
        t.v0[i] = get(v0, i * T + n);
        t.x[i] = end[i];
        t.v[i] = get(v, i * T + n);
    }
    walls_meet(walls, job->wall_count, D, &t);
    FOR_AXES(i, D) {
        end[i] = t.x[i];
        put(v, i * T + n, t.v[i]);
    }
    count_contacts(tile, line->list, n, gone, &t);
    return t.hit;
}

/* Applies colliders and boundary to vector n. Writes the marks of its lanes to `out`; the next column is 1 in lanes that are absorbed.
 * There is one function for all numbers of axes. */
static NOINLINE void walls_of_vector(int D, kdr_tile *tile, const kdr_instruction *line, int n, const vr *begin, vr *end) {
    const kdr_job *const job = tile->job;
    const unsigned terms = job->terms;
    const real *const number = numbers(tile, line->number);
    char *const x = column(tile, line->x), *const v = column(tile, line->v);
    const char *const v0 = column(tile, line->other + (unsigned)D);
    const int T = tile->vectors;
    vr free_x[3], free_v[3], to[3], changes = v_set1(0);
    vm hit = m_none(), renamed = m_none(), gone = (terms & KDR_TERM_ABSORBING) ? absorbed(D, number, begin) : m_none();
    FOR_AXES(i, D) {
        free_x[i] = end[i];
        free_v[i] = get(v, i * T + n);
    }
    if (terms & KDR_TERM_COLLIDERS) {
        hit = colliders_of_vector(D, tile, line, n, gone, begin, end);
    }
    if (terms & KDR_TERM_PERIODIC) {
        vr back[3], taken[3];
        FOR_AXES(i, D) { back[i] = end[i]; }
        renamed = wrap(D, number, back, taken);
        if (job->images[0] && m_any(renamed)) {
            count_periods(tile, line->list, n, taken);
        }
        FOR_AXES(i, D) { end[i] = back[i]; }
    }
    if (terms & KDR_TERM_COMPENSATED) {
        FOR_AXES(i, D) { to[i] = get(v, i * T + n); }
        changes = v_select(m_or(hit, renamed), marks_of_changes(D, free_x, end, free_v, to), changes);
    }
    FOR_AXES(i, D) {
        put(x, i * T + n, v_select(gone, begin[i], end[i]));
        put(v, i * T + n, v_select(gone, get(v0, i * T + n), get(v, i * T + n)));
    }
    put(column(tile, line->out), n,
        v_add(changes, v_select(hit, v_set1(KDR_MARK_MET), v_select(renamed, v_set1(KDR_MARK_RENAMED), v_set1(0)))));
    put(column(tile, line->out + 1U), n, v_select(gone, v_set1(1), v_set1(0)));
    tile->state |= m_any(m_or(m_or(hit, renamed), gone)) ? KDR_WHEN_HIT : 0U;
}

INLINE void walls_on(int D, kdr_tile *tile, const kdr_instruction *line) {
    const clearing c = clearing_of(D, tile->job, numbers(tile, line->number));
    const bool absorbing = (tile->job->terms & KDR_TERM_ABSORBING) != 0;
    const char *const x = column(tile, line->x), *const x0 = column(tile, line->other);
    const int T = tile->vectors;
    bool marked = false;
    for (int n = 0; n < T; ++n) {
        vr begin[3], end[3];
        EACH(i, D) { end[i] = get(x, i * T + n); }
        bool clear = is_clear(D, &c, end);
        if (clear && !absorbing) {
            continue;
        }
        EACH(i, D) { begin[i] = get(x0, i * T + n); }
        if (absorbing) {
            clear = clear && is_clear(D, &c, begin);
        }
        if (!clear) {
            if (!marked) {
                clear_marks(tile, line);
                marked = true;
            }
            walls_of_vector(D, tile, line, n, begin, end);
        }
    }
}

/* Lets the drift of vector n, which began at x0, v0 and has arrived at `end`, meet the colliders. */
static NOINLINE void reflect_vector(int D, kdr_tile *tile, const kdr_instruction *line, int n, const vr *x0, vr *end) {
    const kdr_job *const job = tile->job;
    const real *const number = numbers(tile, line->number);
    const wall *const walls = job->walls;
    char *const x = column(tile, line->x), *const v = column(tile, line->x + (unsigned)D);
    const char *const v0 = column(tile, line->other + (unsigned)D);
    const int T = tile->vectors;
    const double ends = end_of(tile, (double)number[1] + (double)number[2]);
    const vr radius = radii_of(tile, n);
    if (!walls_near(walls, job->wall_count, D, m_every(), radius, x0, end, v_set1(number[0]), ends)) {
        return;
    }
    travel t = {.h = number[0], .drifts = true, .begin = number[1], .span = number[2]};
    t.tile = tile;
    t.vector = n;
    t.mass_column = line->list;
    t.gone = m_none();
    t.radius = radius;
    t.end = ends;
    if (job->terms & KDR_TERM_ABSORBING) {
        vr step_x0[3];
        FOR_AXES(i, D) { step_x0[i] = get(column(tile, line->v), i * T + n); }
        t.gone = absorbed(D, number + 3, step_x0);
    }
    FOR_AXES(i, D) {
        t.x0[i] = x0[i];
        t.v0[i] = get(v0, i * T + n);
        t.x[i] = end[i];
        t.v[i] = get(v, i * T + n);
    }
    vr free[3];
    FOR_AXES(i, D) { free[i] = t.v[i]; }
    walls_meet(walls, job->wall_count, D, &t);
    for (int i = 0; i < D; ++i) {
        put(x, i * T + n, t.x[i]);
        put(v, i * T + n, t.v[i]);
        if (line->out != KDR_NO_COLUMN) {
            forget_lost(tile, line->out + (unsigned)i, 1, n, m_but(t.hit, v_equal(end[i], t.x[i])));
            forget_lost(tile, line->out + (unsigned)(D + i), 1, n, m_but(t.hit, v_equal(free[i], t.v[i])));
        }
    }
    count_contacts(tile, line->list, n, t.gone, &t);
}

INLINE void reflect_on(int D, kdr_tile *tile, const kdr_instruction *line) {
    const clearing c = clearing_of(D, tile->job, numbers(tile, line->number) + 3);
    const char *const x = column(tile, line->x), *const x0 = column(tile, line->other);
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        vr begin[3], end[3];
        EACH(i, D) { end[i] = get(x, i * T + n); }
        if (!is_clear(D, &c, end)) {
            EACH(i, D) { begin[i] = get(x0, i * T + n); }
            reflect_vector(D, tile, line, n, begin, end);
        }
    }
}

static void op_reflect(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, reflect_on, tile, line); }

/* Returns whether the only wall is a plane whose contacts are not counted, and no constraint or boundary acts: the ground. A resting
 * particle meets it in every step. */
INLINE bool is_ground(const kdr_job *job) {
    const wall *const walls = job->walls;
    return job->wall_count == 1 && walls->kind == KDR_COLLIDER_PLANE && !walls->rubs && !walls->moves && job->held_count == 0 &&
           !job->bound && !job->radius && !(job->terms & (KDR_TERM_PERIODIC | KDR_TERM_ABSORBING | KDR_TERM_COMPENSATED)) && !job->fly &&
           !job->bounces && !job->dissipated_energy[0] && !job->dissipated_energy[1] && !job->recorder;
}

INLINE void ground_on(int D, kdr_tile *tile, const kdr_instruction *line) {
    const wall *const w = tile->job->walls;
    char *const x = column(tile, line->x), *const v = column(tile, line->v);
    const char *const x0 = column(tile, line->other), *const v0 = column(tile, line->other + (unsigned)D);
    const int T = tile->vectors;
    clear_marks(tile, line);
    for (int n = 0; n < T; ++n) {
        travel t;
        EACH(i, D) { t.x[i] = get(x, i * T + n); }
        const vr gap = plane_gap(w, D, t.x);
        const vm hit = v_less(gap, v_set1(0));
        if (!m_any(hit)) {
            continue;
        }
        EACH(i, D) {
            t.x0[i] = get(x0, i * T + n);
            t.v0[i] = get(v0, i * T + n);
            t.v[i] = get(v, i * T + n);
        }
        t.h = (real)tile->job->dt;
        meet_ground_alone(w, D, hit, gap, &t);
        EACH(i, D) {
            put(x, i * T + n, t.x[i]);
            put(v, i * T + n, t.v[i]);
        }
        put(column(tile, line->out), n, v_select(hit, v_set1(1), v_set1(0)));
        tile->state |= KDR_WHEN_HIT;
    }
}

/* Marks are read if some lane has one, by estimates, and in system runs, which carry out all instructions and set no state. */
static void op_walls(kdr_tile *tile, const kdr_instruction *line) {
    tile->state &= ~(unsigned)KDR_WHEN_HIT;
    if ((tile->state & (KDR_WHEN_STEPPING | KDR_WHEN_ESTIMATING)) != KDR_WHEN_STEPPING) {
        clear_marks(tile, line);
    }
    if (is_ground(tile->job)) {
        ON_AXES(tile, ground_on, tile, line);
    } else {
        ON_AXES(tile, walls_on, tile, line);
    }
}

/* Ends the work of walls. If a particle was changed, the compensations of what has changed become 0, and its kept acceleration becomes
 * the new one (`x`) if `count` says so. An absorbed particle gets back its old values (`number`, `list`). */
static void op_settle(kdr_tile *tile, const kdr_instruction *line) {
    const char *const hits = column(tile, line->v), *const held = hits + tile->column;
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        vr mark = get(hits, n);
        vm changed[6];
        for (int k = 5; k >= 0; --k) {
            const vr of = v_set1((real)(KDR_MARK_CHANGES << k));
            changed[k] = v_at_most(of, mark);
            mark = v_select(changed[k], v_sub(mark, of), mark);
        }
        const vm hit = v_less(v_set1(0), mark), renamed = v_equal(mark, v_set1(KDR_MARK_RENAMED)), gone = v_less(v_set1(0), get(held, n));
        const vm fresh = line->count == KDR_SETTLE_MET ? m_but(hit, renamed) : line->count == KDR_SETTLE_RENAMED ? renamed : hit;
        if (!m_any(m_or(hit, gone))) {
            continue;
        }
        for (int i = 0; i < tile->dims && line->out != KDR_NO_COLUMN; ++i) {
            char *const a = column(tile, line->out);
            vr value = v_select(fresh, get(column(tile, line->x), i * T + n), get(a, i * T + n));
            if (line->number != KDR_NO_COLUMN) {
                value = v_select(gone, get(column(tile, line->number), i * T + n), value);
            }
            put(a, i * T + n, value);
        }
        for (int i = 0; i < 2 * tile->dims && line->other != KDR_NO_COLUMN; ++i) {
            char *const c = column(tile, line->other);
            const int k = i < tile->dims ? i : 3 + (i - tile->dims);
            vr value = v_select(changed[k], v_set1(0), get(c, i * T + n));
            if (line->list != KDR_NO_COLUMN) {
                value = v_select(gone, get(column(tile, line->list), i * T + n), value);
            }
            put(c, i * T + n, value);
        }
    }
}
