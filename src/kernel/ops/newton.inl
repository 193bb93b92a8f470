/* Newton's iteration of an implicit method in a field that is not affine, per lane: method/rows_implicit.h has the rules.
 *
 * The tile's rows A, D, V and y are consecutive, from `out` on. From `list` on there is one column each for: whether the lane is open
 * (1), solved (0) or stuck (-1); the slope of D; and the length of D. The last two date from when A was taken. */

INLINE vr sum_of_magnitudes(int D, const vr *y) {
    vr sum = magnitude(y[0]);
    EACH(i, D - 1) { sum = v_add(sum, magnitude(y[i + 1])); }
    return sum;
}

INLINE vr inner_product(int D, const vr *a, const vr *b) {
    vr sum = v_mul(a[0], b[0]);
    EACH(i, D - 1) { sum = mul_add(a[i + 1], b[i + 1], sum); }
    return sum;
}

/* Computes the first guess; `x` is the number th. */
INLINE void guess_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const real th = *numbers(tile, line->x);
    const char *const v0 = column(tile, line->v), *const mass = line->other == KDR_NO_COLUMN ? NULL : column(tile, line->other);
    char *const out = column(tile, line->out);
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        vr v[3];
        EACH(i, D) { v[i] = get(v0, i * T + n); }
        for (int q = 0; q < line->count; ++q) {
            const real *const c = numbers(tile, line->number + 4U * (unsigned)q);
            const vr minus_c = mass ? v_mul(get(mass, n), v_set1(c[0])) : v_set1(c[0]);
            vr u[3];
            EACH(i, D) { u[i] = v_sub(v[i], v_set1(c[1 + i])); }
            const vr speed = v_sqrt(inner_product(D, u, u)), square = mul_add(v_mul(v_set1((real)-4 * th), minus_c), speed, v_set1(1));
            const vr rooted = v_sqrt(v_max(v_set1(0), square));
            const vr slower = v_div(v_set1(2), v_add(v_set1(1), rooted));
            EACH(i, D) { v[i] = mul_add(slower, u[i], v_set1(c[1 + i])); }
        }
        EACH(i, D) { put(out, i * T + n, v_div(v_sub(v[i], get(v0, i * T + n)), v_set1(th))); }
    }
}

static void op_guess(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, guess_on, tile, line); }

/* Opens all lanes except frozen and absorbed ones. With an absorbing boundary, `x` is the step's beginning, and `number` has the border,
 * low and high per axis. */
static void op_open(kdr_tile *tile, const kdr_instruction *line) {
    const real *const border = numbers(tile, line->number);
    memset(column(tile, line->out), 0, 3 * tile->column);
    for (int n = 0; n < tile->vectors; ++n) {
        vr open = v_set1(1);
        if (line->other != KDR_NO_COLUMN) {
            open = v_select_zero(get(column(tile, line->other), n), v_set1(0), open);
        }
        for (int i = 0; i < tile->dims && line->x != KDR_NO_COLUMN; ++i) {
            const vr x = get(column(tile, line->x + (unsigned)i), n);
            const vm outside = m_or(v_less(x, v_set1(border[2 * i])), v_less(v_set1(border[2 * i + 1]), x));
            open = v_select(outside, v_set1(0), open);
        }
        put(column(tile, line->out), n, open);
    }
    tile->rounds = KDR_NEWTON_ITERATIONS;
}

INLINE void trial_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const vr th = v_set1(*numbers(tile, line->number));
    const char *const x = column(tile, line->x), *const v = column(tile, line->v);
    char *const a = column(tile, line->out);
    const int T = tile->vectors;
    char *const d = a + (size_t)D * tile->column, *const stage_v = d + (size_t)D * tile->column,
                *const y = stage_v + (size_t)D * tile->column;
    for (int k = 0; k < D * T; ++k) {
        const vr stage = mul_add(th, v_add(get(a, k), get(d, k)), get(v, k));
        put(stage_v, k, stage);
        put(y, k, mul_add(th, stage, get(x, k)));
    }
}

static void op_trial(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, trial_on, tile, line); }

/* Computes J^-1 r. Returns the lanes in which every principal minor of J is positive. */
INLINE vm newton_solve(int D, const stage_matrix *m, bool separate, const vr *r, vr *out) {
    vr det = v_set1(1);
    matrix cofactor;
    if (!separate) {
        cofactor = cofactors_of(D, m, &det);
    }
    const vr zero = v_set1(0), inverse = v_div(v_set1(1), det);
    vm positive = v_less(zero, det);
    EACH(i, D) {
        positive = m_and(positive, v_less(zero, m->d[i]));
        if (separate) {
            out[i] = v_mul(v_div(v_set1(1), m->d[i]), r[i]);
        } else {
            positive = m_and(positive, v_less(zero, cofactor.e[i][i]));
            out[i] = v_mul(inverse, inner_product(D, cofactor.e[i], r));
        }
    }
    return positive;
}

/* Shifts the lanes in which J is not positive, so that its symmetric part becomes positive. */
INLINE void shift(int D, stage_matrix *m, vm positive) {
    vr most = v_set1(0);
    EACH(i, D) {
        vr beside = v_set1(0);
        EACH(j, D) {
            if (i != j) {
                beside = v_add(beside, magnitude(v_add(m->b.e[i][j], m->b.e[j][i])));
            }
        }
        const vr bound = v_add(m->b.e[i][i], v_mul(v_set1((real)0.5), beside));
        most = v_max(bound, most);
    }
    const vr by = v_select(positive, v_set1(0), v_mul(v_set1((real)1.5), most));
    EACH(i, D) { m->d[i] = v_add(m->d[i], by); }
}

/* Returns the size of rounding errors, which a correction cannot reduce. */
INLINE vr roundings(int D, real th, const vr *a, const vr *y, const vr *v, const matrix *g) {
    vr rates = sum_of_magnitudes(D, g->e[0]);
    EACH(i, D - 1) { rates = v_add(rates, sum_of_magnitudes(D, g->e[i + 1])); }
    const vr place = v_div(sum_of_magnitudes(D, y), v_set1(th < 0 ? -th : th));
    return mul_add(rates, v_add(sum_of_magnitudes(D, v), place), sum_of_magnitudes(D, a));
}

/* The point at which vector n is tried, and how far D, the step to it, can be trusted. */
typedef struct point {
    vr a[3], old[3], v[3], y[3], r[3], rest; /* B, D, V, y, r and |r| */
    vr slope, last;                          /* s and l */
} point;

INLINE point point_of(int D, const kdr_tile *tile, const kdr_instruction *line, int n) {
    const int T = tile->vectors;
    const size_t row = (size_t)D * tile->column;
    const char *const at = column(tile, line->out), *const field = column(tile, line->x), *const opens = column(tile, line->list);
    point p = {.slope = get(opens + tile->column, n), .last = get(opens + 2 * tile->column, n)};
    EACH(i, D) {
        p.old[i] = get(at + row, i * T + n);
        p.a[i] = v_add(get(at, i * T + n), p.old[i]);
        p.v[i] = get(at + 2 * row, i * T + n);
        p.y[i] = get(at + 3 * row, i * T + n);
        p.r[i] = v_sub(get(field, i * T + n), p.a[i]);
    }
    p.rest = sum_of_magnitudes(D, p.r);
    return p;
}

/* Returns the lanes whose next correction, after one of length `size`, would change nothing. */
INLINE vm is_close(int D, real th, const point *p, vr size, const matrix *g) {
    const vr tolerance = v_set1((real)2 * EPSILON), length = v_set1(th < 0 ? -th : th), one = v_set1(1), ratio = v_div(size, p->last);
    const vr next = v_mul(v_mul(length, size), v_min(ratio, one));
    const vr scale = mul_add(length, sum_of_magnitudes(D, p->a), sum_of_magnitudes(D, p->v));
    const vm close = v_at_most(next, mul_add(tolerance, scale, v_set1(NOTHING)));
    const vm slow = m_and(v_less(v_set1(0), p->last), v_at_most(p->last, v_mul(v_set1(2), size)));
    if (!m_any(m_but(slow, close))) {
        return close;
    }
    return m_or(close, m_and(slow, v_at_most(p->rest, v_mul(tolerance, roundings(D, th, p->a, p->y, p->v, g)))));
}

/* Makes one iteration of vector n, in which some lanes are open. Returns whether any still is. */
INLINE bool newton_vector(int D, const kdr_tile *tile, const kdr_instruction *line, int n, vr was_open) {
    const real th = *numbers(tile, line->number);
    const vr zero = v_set1(0), half = v_set1((real)0.5);
    const vm open = v_less(zero, was_open);
    const bool separate = (line->count & KDR_SOLVE_SEPARATE) != 0;
    char *const at = column(tile, line->out), *const opens = column(tile, line->list);
    const int T = tile->vectors;
    const point p = point_of(D, tile, line, n);
    const vm low = v_at_most(v_mul(v_set1((real)-0.5), p.slope), inner_product(D, p.r, p.old));
    const vm taken = m_and(open, m_and(v_less(p.rest, v_set1((real)INFINITY)), low));
    const matrix g = load_matrix(tile, line->other, D, n);
    stage_matrix m = stage_matrix_of(D, th, &g);
    vr d[3];
    const vm positive = newton_solve(D, &m, separate, p.r, d);
    if (m_any(m_but(taken, positive))) {
        shift(D, &m, positive);
        newton_solve(D, &m, separate, p.r, d);
    }
    const vr size = sum_of_magnitudes(D, d);
    const vm solved = m_and(m_and(taken, positive), is_close(D, th, &p, size, &g));
    EACH(i, D) {
        put(at, i * T + n, v_select(taken, p.a[i], get(at, i * T + n)));
        put(at, (D + i) * T + n, v_select(taken, d[i], v_select(open, v_mul(half, p.old[i]), p.old[i])));
    }
    put(opens, T + n, v_select(taken, magnitude(inner_product(D, p.r, d)), v_mul(half, p.slope)));
    put(opens, 2 * T + n, v_select(m_and(taken, positive), size, zero));
    const vm stuck = m_but(open, m_or(taken, v_less(zero, p.slope)));
    put(opens, n, v_select(solved, zero, v_select(stuck, v_set1(-1), was_open)));
    return m_any(m_but(open, m_or(solved, stuck)));
}

INLINE void newton_on(int D, kdr_tile *tile, const kdr_instruction *line) {
    bool again = false;
    for (int n = 0; n < tile->vectors; ++n) {
        const vr open = get(column(tile, line->list), n);
        if (m_any(v_less(v_set1(0), open)) && newton_vector(D, tile, line, n, open)) {
            again = true;
        }
    }
    --tile->rounds;
    tile->again = again && tile->rounds > 0;
}

/* Sends the driver back to TRIAL while a lane is open and iterations are left. */
static void op_newton(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, newton_on, tile, line); }

/* Ends the iteration: A += D, and D becomes the rounding error of that sum. Lanes that are not solved (mask row `x`) have D = 0, and
 * their particles are counted in `nonconverged`. */
static void op_arrive(kdr_tile *tile, const kdr_instruction *line) {
    const kdr_job *const job = tile->job;
    const char *const open = column(tile, line->x);
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        for (int i = 0; i < tile->dims; ++i) {
            char *const a = column(tile, line->out), *const d = a + (size_t)tile->dims * tile->column;
            const vr last = v_select_zero(get(open, n), get(d, i * T + n), v_set1(0)), was = get(a, i * T + n), sum = v_add(was, last);
            put(a, i * T + n, sum);
            put(d, i * T + n, v_sub(last, v_sub(sum, was)));
        }
    }
    for (size_t i = 0; i < tile->count && job->nonconverged; ++i) {
        real lane;
        memcpy(&lane, open + i * sizeof lane, sizeof lane);
        if (lane != 0) {
            uint32_t count;
            memcpy(&count, (char *)(void *)job->nonconverged + (tile->first + i) * sizeof count, sizeof count);
            ++count;
            memcpy((char *)(void *)job->nonconverged + (tile->first + i) * sizeof count, &count, sizeof count);
        }
    }
}

/* Replaces the residual in row `out` by Newton's correction, with the derivatives in `other`. */
INLINE void correct_on(int D, const kdr_tile *tile, const kdr_instruction *line) {
    const real th = *numbers(tile, line->number);
    const bool separate = (line->count & KDR_SOLVE_SEPARATE) != 0;
    char *const out = column(tile, line->out);
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        const matrix g = load_matrix(tile, line->other, D, n);
        stage_matrix m = stage_matrix_of(D, th, &g);
        vr r[3], d[3];
        EACH(i, D) { r[i] = get(out, i * T + n); }
        const vm positive = newton_solve(D, &m, separate, r, d);
        shift(D, &m, positive);
        newton_solve(D, &m, separate, r, d);
        EACH(i, D) { put(out, i * T + n, d[i]); }
    }
}

static void op_correct(kdr_tile *tile, const kdr_instruction *line) { ON_AXES(tile, correct_on, tile, line); }

/* Takes the correction in row `x` and tests for convergence. The rows open, A, V, y, size and the last step of A are consecutive from
 * `out` on; `other` is x. */
INLINE void converge_on(int D, kdr_tile *tile, const kdr_instruction *line) {
    const real th = *numbers(tile, line->number);
    const vr by = v_set1(th), length = v_set1(th < 0 ? -th : th), one = v_set1(1), zero = v_set1(0);
    const char *const x = column(tile, line->other), *const v = column(tile, line->v);
    const size_t row = (size_t)D * tile->column;
    char *const open = column(tile, line->out), *const a = open + row, *const stage_v = a + row, *const y = stage_v + row;
    char *const sizes = y + row, *const steps = sizes + row, *const d = column(tile, line->x);
    const vr weight = v_set1((real)tile->job->weight), before = v_set1((real)(tile->job->weight - 1));
    const bool weighs = tile->job->weight != 1;
    const int T = tile->vectors;
    for (int n = 0; n < T; ++n) {
        vr to[3], velocity[3], place[3], step[3];
        EACH(i, D) {
            const vr was = get(a, i * T + n), correction = get(d, i * T + n);
            step[i] = weighs ? mul_add(weight, correction, v_mul(before, get(steps, i * T + n))) : correction;
            to[i] = v_add(was, step[i]);
            velocity[i] = mul_add(by, to[i], get(v, i * T + n));
            place[i] = mul_add(by, velocity[i], get(x, i * T + n));
            put(steps, i * T + n, step[i]);
            put(d, i * T + n, v_sub(step[i], v_sub(to[i], was)));
            put(a, i * T + n, to[i]);
            put(stage_v, i * T + n, velocity[i]);
            put(y, i * T + n, place[i]);
        }
        const vr size = sum_of_magnitudes(D, step), last = get(sizes, n), ratio = v_div(size, last), change = v_mul(length, size);
        const vr scale = mul_add(length, sum_of_magnitudes(D, to), sum_of_magnitudes(D, velocity));
        const vr next = v_mul(change, v_min(ratio, one));
        const vm close = v_at_most(next, mul_add(v_set1((real)2 * EPSILON), scale, v_set1(NOTHING)));
        const vm slow = m_and(v_less(zero, last), v_at_most(last, v_mul(v_set1(2), size)));
        const vr least = v_mul(v_set1((real)16 * EPSILON), v_add(scale, v_div(sum_of_magnitudes(D, place), length)));
        const vm solved = m_or(close, m_and(slow, v_at_most(change, least)));
        put(sizes, n, size);
        put(open, n, v_select(solved, zero, one));
        tile->state |= m_any(m_but(v_less(zero, one), solved)) ? KDR_WHEN_HIT : 0U;
    }
}

static void op_converge(kdr_tile *tile, const kdr_instruction *line) {
    tile->state &= ~(unsigned)KDR_WHEN_HIT;
    ON_AXES(tile, converge_on, tile, line);
}
