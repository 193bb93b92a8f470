/* One step of an explicit Runge-Kutta method on x' = v, v' = a(x, v, t).
 *
 * The order of the operations is that of kdr_runge_kutta_row (method/rows.h). Of the slopes, those of x are the stages' own v. */

/* For a row known at compile time: every loop is unrolled, and what a row does not need again leaves the registers. The bound of an inner
 * loop must not hang on the outer one: clang would unroll it too late for the arrays to become registers (rk4 at a third of the speed). */
#define EARLIER(j, i) EACH(j, KDR_MAX_STAGES) if (j < (i))

/* y + sum of (h a_ij) k_j over the stages before i */
INLINE void stage_state_constant(const kdr_runge_kutta_row *row, const runge_kutta_steps *h, int i, int N, const vr *y, vr k[][CHUNK_MAX],
                                 vr *out) {
    EACH(n, N) { out[n] = y[n]; }
    EARLIER(j, i) {
        if (row->a[i][j] != 0.0) {
            const vr factor = v_set1(h->a[i][j]);
            EACH(n, N) { out[n] = mul_add(factor, k[j][n], out[n]); }
        }
    }
}

/* The sum of ratio times slope, as far as stage i: neighbours of equal ratio are added up first, in `run`. */
INLINE void weigh_constant(const kdr_runge_kutta_row *row, const runge_kutta_steps *h, int i, int N, const vr *k, vr *run, vr *sum) {
    const double ratio = row->ratio[i];
    if (ratio == 0.0) {
        return;
    }
    const bool joins = i > 0 && row->ratio[i > 0 ? i - 1 : 0] == ratio;
    EACH(n, N) { run[n] = joins ? v_add(run[n], k[n]) : k[n]; }
    if (i + 1 < row->stages && row->ratio[i + 1] == ratio) {
        return;
    }
    bool begun = false; /* a run has ended before this one */
    EARLIER(j, i) { begun = begun || (row->ratio[j] != 0.0 && row->ratio[j] != row->ratio[j + 1]); }
    const vr factor = v_set1(h->ratio[i]);
    EACH(n, N) {
        if (ratio == 1.0) {
            sum[n] = begun ? v_add(sum[n], run[n]) : run[n];
        } else {
            sum[n] = begun ? mul_add(factor, run[n], sum[n]) : v_mul(factor, run[n]);
        }
    }
}

INLINE void runge_kutta_constant_step(STEP_PLAN) {
    (void)job, (void)S, (void)n, (void)keep, (void)a, (void)fixed;
    const kdr_runge_kutta_row *const tableau = row;
    const runge_kutta_steps *const steps = &h->runge_kutta;
    const int N = D * U;
    vr kx[KDR_MAX_STAGES][CHUNK_MAX], kv[KDR_MAX_STAGES][CHUNK_MAX];
    vr runx[CHUNK_MAX], runv[CHUNK_MAX], sumx[CHUNK_MAX], sumv[CHUNK_MAX];
    real driven[3];
    EACH(i, tableau->stages) {
        vr xs[CHUNK_MAX];
        stage_state_constant(tableau, steps, i, N, x, kx, xs);
        stage_state_constant(tableau, steps, i, N, v, kv, kx[i]);
        weigh_constant(tableau, steps, i, N, kx[i], runx, sumx);
        const real *const now = base_next(&rows, terms, first, D, base, driven);
        acceleration(c, terms, p, at, D, U, now, xs, kx[i], kv[i]);
        weigh_constant(tableau, steps, i, N, kv[i], runv, sumv);
    }
    advance(terms, v_set1(steps->scale), N, sumx, x, cx);
    advance(terms, v_set1(steps->scale), N, sumv, v, cv);
}

/* For a row read at run time whose number of stages S is known: unrolled too, its slopes in registers as far as they fit; which terms there
 * are is asked each time, of one mask. */

/* The sum of ratio times slope, of x and of v, as far as stage i. */
INLINE void weigh(const runge_kutta_steps *h, int i, int N, const vr *kx, const vr *kv, vr *sumx, vr *sumv) {
    const vr ratio = v_set1(h->ratio[i]);
    if (h->weighs[i] == PLUS) {
        EACH(n, N) {
            sumx[n] = mul_add(ratio, kx[n], sumx[n]);
            sumv[n] = mul_add(ratio, kv[n], sumv[n]);
        }
    } else if (h->weighs[i] == FIRST) {
        EACH(n, N) {
            sumx[n] = v_mul(ratio, kx[n]);
            sumv[n] = v_mul(ratio, kv[n]);
        }
    }
}

INLINE void runge_kutta_counted_step(STEP_PLAN) {
    (void)job, (void)row, (void)n, (void)keep, (void)a, (void)fixed;
    const runge_kutta_steps *const steps = &h->runge_kutta;
    const int N = D * U;
    vr kx[KDR_MAX_STAGES][CHUNK_MAX], kv[KDR_MAX_STAGES][CHUNK_MAX];
    vr sumx[CHUNK_MAX], sumv[CHUNK_MAX];
    real driven[3];
    EACH(m, N) {
        sumx[m] = v_set1(0);
        sumv[m] = v_set1(0);
    }
    EACH(i, S) {
        vr xs[CHUNK_MAX];
        EACH(m, N) {
            xs[m] = x[m];
            kx[i][m] = v[m];
        }
        EARLIER(j, i) {
            if (steps->used[i] >> j & 1) {
                const vr factor = v_set1(steps->a[i][j]);
                EACH(m, N) {
                    xs[m] = mul_add(factor, kx[j][m], xs[m]);
                    kx[i][m] = mul_add(factor, kv[j][m], kx[i][m]);
                }
            }
        }
        const real *const now = base_next(&rows, terms, first, D, base, driven);
        acceleration(c, terms, p, at, D, U, now, xs, kx[i], kv[i]);
        weigh(steps, i, N, kx[i], kv[i], sumx, sumv);
    }
    advance(terms, v_set1(steps->scale), N, sumx, x, cx);
    advance(terms, v_set1(steps->scale), N, sumv, v, cv);
}

#undef EARLIER

/* For a row read at run time: the stages are a loop, the slopes lie in the first-level cache, and each term's coefficient is read once for x
 * and v. */

/* x and v of stage i */
INLINE void stage_state_any(const runge_kutta_steps *h, int i, int N, const vr *x, const vr *v, vr kx[][CHUNK_MAX], vr kv[][CHUNK_MAX],
                            vr *xs, vr *vs) {
    EACH(n, N) {
        xs[n] = x[n];
        vs[n] = v[n];
    }
    for (int t = 0; t < h->stage[i].terms; ++t) {
        const vr factor = v_set1(h->stage[i].factor[t]);
        const int j = h->stage[i].from[t];
        EACH(n, N) {
            xs[n] = mul_add(factor, kx[j][n], xs[n]);
            vs[n] = mul_add(factor, kv[j][n], vs[n]);
        }
    }
}

INLINE void runge_kutta_any_step(STEP_PLAN) {
    (void)job, (void)S, (void)n, (void)keep, (void)a, (void)fixed;
    const kdr_runge_kutta_row *const tableau = row;
    const runge_kutta_steps *const steps = &h->runge_kutta;
    const int N = D * U;
    vr kx[KDR_MAX_STAGES][CHUNK_MAX], kv[KDR_MAX_STAGES][CHUNK_MAX];
    vr sumx[CHUNK_MAX], sumv[CHUNK_MAX];
    real driven[3];
    EACH(m, N) {
        sumx[m] = v_set1(0);
        sumv[m] = v_set1(0);
    }
    for (int i = 0; i < tableau->stages; ++i) {
        vr xs[CHUNK_MAX], vs[CHUNK_MAX], as[CHUNK_MAX];
        stage_state_any(steps, i, N, x, v, kx, kv, xs, vs);
        const real *const now = base_next(&rows, terms, first, D, base, driven);
        acceleration(c, terms, p, at, D, U, now, xs, vs, as);
        EACH(m, N) {
            kx[i][m] = vs[m];
            kv[i][m] = as[m];
        }
        weigh(steps, i, N, vs, as, sumx, sumv);
    }
    advance(terms, v_set1(steps->scale), N, sumx, x, cx);
    advance(terms, v_set1(steps->scale), N, sumv, v, cv);
}
