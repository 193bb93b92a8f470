/* Steps of particles that meet nothing. Walls do nothing to a particle that ends its step within the border, a box. So a chunk on three
 * axes makes steps in registers as long as all its particles stay within. A periodic boundary, if it is the only wall and nothing is
 * counted, is applied here too. With fewer axes, the others are columns of the driver's, where nothing happens. */

/* Whether a kernel has such a function. */
#define HAS_WITHIN(method, field)                                                                                                          \
    (((field) & (MASS | GROUND | MAPPED)) == 0 && ((method) == KDR_SEMI_IMPLICIT_EULER || (method) == KDR_VELOCITY_VERLET))

/* The vectors of a chunk. */
enum { WITHIN = HOT_TILE(2, 2, 2, 2) };

/* The border on three axes. */
typedef struct border {
    vr low[3], high[3];
} border;

INLINE border border_of(const kdr_job *job, const real *number) {
    border b;
    EACH(i, 3) {
        b.low[i] = v_add(v_set1(number[15 + 2 * i]), v_set1((real)job->largest_radius));
        b.high[i] = v_sub(v_set1(number[15 + 2 * i + 1]), v_set1((real)job->largest_radius));
    }
    return b;
}

/* Returns whether all particles are within the border: whether low - x and x - high are negative. Comparisons would be slower, because gcc
 * makes a chain of their masks. */
INLINE bool all_within(const border *b, const vr *x) {
    const vi sign = i_set1(~BUT_SIGN);
    vi negative[3];
    EACH(i, 3) {
        negative[i] = sign;
        EACH(u, WITHIN) {
            const vr here = x[i * WITHIN + u];
            negative[i] = i_and(negative[i], i_and(v_bits(v_sub(b->low[i], here)), v_bits(v_sub(here, b->high[i]))));
        }
    }
    return !i_any(i_xor(i_and(negative[0], i_and(negative[1], negative[2])), sign));
}

/* Moves the particles of a chunk back by whole periods. `moved` becomes the lanes that were moved. Returns whether there are any. */
static NOINLINE bool wrap_chunk(const real *number, vr *x, vm *moved) {
    vm any = m_none();
    for (int u = 0; u < WITHIN; ++u) {
        moved[u] = m_none();
        for (int i = 0; i < 3; ++i) {
            const vr here = x[i * WITHIN + u];
            if (m_any(m_or(v_less(here, v_set1(number[5 * i])), v_at_most(v_set1(number[5 * i + 1]), here)))) {
                vr taken;
                moved[u] = m_or(moved[u], wrap_axis(number + 5 * i, &x[i * WITHIN + u], &taken));
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

/* Makes at most the range's steps. Stops before the first step after which a particle is not within the border, stores nothing if it
 * does, and returns the number of steps before. Without a border it makes all steps. */
INLINE uint64_t steps_within(const kdr_job *job, const kdr_hot_range *r, step_fn *step, const void *row, bool keeps, const constants *c,
                             unsigned field) {
    enum { U = WITHIN };
    const real *const number = r->border;
    const bool checks = number && !r->wraps, wraps = number && r->wraps;
    const border b = number ? border_of(job, number) : (border){{v_set1(0), v_set1(0), v_set1(0)}, {v_set1(0), v_set1(0), v_set1(0)}};
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
    if (checks && !all_within(&b, x)) {
        return 0;
    }
    for (uint64_t n = 0; n < steps; ++n) {
        step(row, 0, c, field, 3, U, w, x, v, a);
        if (!all_within(&b, x)) {
            if (checks) {
                return n;
            }
            if (wraps) {
                put_back_chunk(number, keeps, c, field, w, x, v, a);
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
        return steps_within(job, r, step, row, keeps, &own, field | FUSED_ROOTS);
    }
    return steps_within(job, r, step, row, keeps, &own, field);
}
