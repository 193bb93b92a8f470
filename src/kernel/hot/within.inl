/* The kernel `within`, for steps in which no wall acts and no watched function changes its sign. Each particle has limits, an interval on
 * each axis. If it ends a step within them, neither happens in that step. So the state of a chunk stays in registers as long as all its
 * particles end their steps within their limits. A periodic boundary is applied here too, if it is the only wall and its crossings are not
 * counted. The kernel always has three axes; for axes that particles lack, the driver supplies spare columns without limits. */

/* Whether a specialised kernel has a function `within`. */
#define HAS_WITHIN(method, field)                                                                                                          \
    (((field) & (MASS | GROUND | MAPPED)) == 0 && ((method) == KDR_SEMI_IMPLICIT_EULER || (method) == KDR_VELOCITY_VERLET))

enum { WITHIN = KDR_WITHIN_VECTORS };

/* The limits of each particle on three axes, as chunks are laid out: low <= x < high. */
typedef struct limits {
    vr low[3 * WITHIN], high[3 * WITHIN];
} limits;

INLINE limits limits_of(const void *from) {
    limits l;
    EACH(n, 3 * WITHIN) {
        l.low[n] = from ? v_load((const char *)from + (size_t)n * sizeof(vr)) : v_set1(0);
        l.high[n] = from ? v_load((const char *)from + (size_t)(3 * WITHIN + n) * sizeof(vr)) : v_set1(0);
    }
    return l;
}

/* Returns whether low <= x < high for all particles, on all axes. It joins the signs of x - low and of x - high, and tests them once. With
 * comparisons gcc joins the masks one after the other, which takes longer than the step. */
INLINE bool all_within(const limits *l, const vr *x) {
    vi below[3], under[3];
    EACH(i, 3) {
        below[i] = i_set1(0);
        under[i] = i_set1(~BUT_SIGN);
        EACH(u, WITHIN) {
            const int n = i * WITHIN + u;
            below[i] = i_or(below[i], v_bits(v_sub(x[n], l->low[n])));
            under[i] = i_and(under[i], v_bits(v_sub(x[n], l->high[n])));
        }
    }
    const vi any_below = i_or(below[0], i_or(below[1], below[2])), all_under = i_and(under[0], i_and(under[1], under[2]));
    return !i_any(i_and(i_or(any_below, i_xor(all_under, i_set1(~BUT_SIGN))), i_set1(~BUT_SIGN)));
}

/* Moves the particles of a chunk back by whole periods. `moved` becomes the lanes that were moved. Returns whether there are any. */
static NOINLINE bool wrap_chunk(const real *number, vr *x, vm *moved) {
    vm any = m_none();
    for (int u = 0; u < WITHIN; ++u) {
        moved[u] = m_none();
        for (int i = 0; i < 3; ++i) {
            const vr here = x[i * WITHIN + u];
            if (m_any(m_or(v_less(here, v_set1(number[KDR_PERIOD_NUMBERS * i])),
                           v_at_most(v_set1(number[KDR_PERIOD_NUMBERS * i + 1]), here)))) {
                vr taken;
                moved[u] = m_or(moved[u], wrap_axis(number + KDR_PERIOD_NUMBERS * i, &x[i * WITHIN + u], &taken));
            }
        }
        any = m_or(any, moved[u]);
    }
    return m_any(any);
}

/* Applies the periodic boundary to a chunk, after a step. The kept acceleration of what was moved is computed anew. */
INLINE void put_back_chunk(const real *number, bool keeps, const constants *c, unsigned field, const vr *w, vr *x, const vr *v, vr *a) {
    vr to[MOST], anew[MOST];
    vm moved[WITHIN];
    EACH(n, 3 * WITHIN) { to[n] = x[n]; }
    if (wrap_chunk(number, to, moved) && keeps && (field & (SPRING | CENTRE | KDR_TERM_CUSTOM))) {
        acceleration(c, field, 3, WITHIN, w, to, v, anew);
        EACH(n, 3 * WITHIN) { a[n] = v_select(moved[n % WITHIN], anew[n], a[n]); }
    }
    EACH(n, 3 * WITHIN) { x[n] = to[n]; }
}

/* Makes the range's steps and stores the result, if all particles are within their limits after each step. Otherwise it stores nothing,
 * and returns the number of steps before the one in which a particle leaves its limits. The caller then makes these by another call,
 * without limits. */
INLINE uint64_t steps_within(const kdr_hot_range *r, step_fn *step, const void *row, bool keeps, const constants *c, unsigned field) {
    enum { U = WITHIN };
    const real *const periods = r->periods;
    const bool checks = r->limits && !periods, wraps = r->limits && periods;
    const limits l = limits_of(r->limits);
    const uint64_t steps = r->steps;
    char *column[3][3];
    vr w[U], x[MOST], v[MOST], a[MOST];
    EACH(u, U) { w[u] = v_set1(1); }
    EACH(i, 3) {
        EACH(n, 3) { column[n][i] = r->column[n][i]; }
        EACH(u, U) {
            x[i * U + u] = v_load(column[0][i] + (size_t)u * sizeof(vr));
            v[i * U + u] = v_load(column[1][i] + (size_t)u * sizeof(vr));
            a[i * U + u] = keeps && !IS_UNIFORM(field) ? v_load(column[2][i] + (size_t)u * sizeof(vr)) : v_set1(0);
        }
    }
    if (keeps && IS_UNIFORM(field)) {
        acceleration(c, field, 3, U, w, x, v, a);
    }
    if (checks && !all_within(&l, x)) {
        return 0;
    }
    for (uint64_t n = 0; n < steps; ++n) {
        step(row, 0, c, field, 3, U, w, x, v, a);
        if (!all_within(&l, x)) {
            if (checks) {
                return n;
            }
            if (wraps) {
                put_back_chunk(periods, keeps, c, field, w, x, v, a);
            }
        }
    }
    EACH(i, 3) {
        EACH(u, U) {
            v_store(column[0][i] + (size_t)u * sizeof(vr), x[i * U + u]);
            v_store(column[1][i] + (size_t)u * sizeof(vr), v[i * U + u]);
            if (keeps && !IS_UNIFORM(field)) {
                v_store(column[2][i] + (size_t)u * sizeof(vr), a[i * U + u]);
            }
        }
    }
    return steps;
}

INLINE uint64_t within_run(const kdr_job *job, const kdr_hot_range *r, const constants *given, step_fn *step, const void *row, bool keeps,
                           unsigned field) {
    constants own;
    copy_constants(given, &own);
    if ((field & CENTRE) && fused_roots(job->fused_roots) && suits_roots(own.minus_mu)) {
        return steps_within(r, step, row, keeps, &own, field | FUSED_ROOTS);
    }
    return steps_within(r, step, row, keeps, &own, field);
}
