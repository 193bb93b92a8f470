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

/* The first stage that has the ratio of stage i: stages of equal ratio are added up under it. */
INLINE int leader(const kdr_runge_kutta_row *row, int i) {
    int first = i;
    EARLIER(j, i) {
        if (first == i && row->ratio[j] == row->ratio[i]) {
            first = j;
        }
    }
    return first;
}

/* Adds a slope to its group as soon as it is known. */
INLINE void add_to_group(const kdr_runge_kutta_row *row, int i, int N, const vr *k, vr group[][CHUNK_MAX]) {
    const int m = leader(row, i);
    EACH(n, N) { group[m][n] = m == i ? k[n] : v_add(group[m][n], k[n]); }
}

/* Sum of ratio times group */
INLINE void weighted_sum_constant(const kdr_runge_kutta_row *row, const runge_kutta_steps *h, int N, vr group[][CHUNK_MAX], vr *sum) {
    EACH(n, N) { sum[n] = v_set1(0); }
    bool begun = false;
    EACH(m, row->stages) {
        if (row->ratio[m] != 0.0 && leader(row, m) == m) {
            const vr ratio = v_set1(h->ratio[m]);
            EACH(n, N) {
                if (row->ratio[m] == 1.0) {
                    sum[n] = begun ? v_add(sum[n], group[m][n]) : group[m][n];
                } else {
                    sum[n] = begun ? mul_add(ratio, group[m][n], sum[n]) : v_mul(ratio, group[m][n]);
                }
            }
            begun = true;
        }
    }
}

INLINE void runge_kutta_step_constant(const kdr_runge_kutta_row *row, const runge_kutta_steps *h, const constants *c, unsigned terms,
                                      const lanes *p, const real *base, const double *rows, int first, int at, int D, int U, vr *x, vr *v,
                                      vr *cx, vr *cv) {
    const int N = D * U;
    vr kx[KDR_MAX_STAGES][CHUNK_MAX], kv[KDR_MAX_STAGES][CHUNK_MAX];
    real driven[3];
    vr gx[KDR_MAX_STAGES][CHUNK_MAX], gv[KDR_MAX_STAGES][CHUNK_MAX];
    EACH(i, row->stages) {
        vr xs[CHUNK_MAX];
        stage_state_constant(row, h, i, N, x, kx, xs);
        stage_state_constant(row, h, i, N, v, kv, kx[i]);
        add_to_group(row, i, N, kx[i], gx);
        const real *const now = base_next(&rows, terms, first, D, base, driven);
        acceleration(c, terms, p, at, D, U, now, xs, kx[i], kv[i]);
        add_to_group(row, i, N, kv[i], gv);
    }
    vr sum[CHUNK_MAX];
    weighted_sum_constant(row, h, N, gx, sum);
    advance(terms, v_set1(h->scale), N, sum, x, cx);
    weighted_sum_constant(row, h, N, gv, sum);
    advance(terms, v_set1(h->scale), N, sum, v, cv);
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

INLINE void group_sum(const runge_kutta_steps *h, int g, int N, vr k[][CHUNK_MAX], vr *sum) {
    EACH(n, N) { sum[n] = k[h->group[g].member[0]][n]; }
    for (int m = 1; m < h->group[g].members; ++m) {
        const int j = h->group[g].member[m];
        EACH(n, N) { sum[n] = v_add(sum[n], k[j][n]); }
    }
}

INLINE void weighted_sum_any(const runge_kutta_steps *h, int N, vr k[][CHUNK_MAX], vr *sum) {
    group_sum(h, 0, N, k, sum);
    if (!h->group[0].plain) {
        EACH(n, N) { sum[n] = v_mul(v_set1(h->group[0].ratio), sum[n]); }
    }
    for (int g = 1; g < h->groups; ++g) {
        vr group[CHUNK_MAX];
        group_sum(h, g, N, k, group);
        if (h->group[g].plain) {
            EACH(n, N) { sum[n] = v_add(sum[n], group[n]); }
        } else {
            const vr ratio = v_set1(h->group[g].ratio);
            EACH(n, N) { sum[n] = mul_add(ratio, group[n], sum[n]); }
        }
    }
}

INLINE void runge_kutta_step_any(const kdr_runge_kutta_row *row, const runge_kutta_steps *h, const constants *c, unsigned terms,
                                 const lanes *p, const real *base, const double *rows, int first, int at, int D, int U, vr *x, vr *v,
                                 vr *cx, vr *cv) {
    const int N = D * U;
    vr kx[KDR_MAX_STAGES][CHUNK_MAX], kv[KDR_MAX_STAGES][CHUNK_MAX];
    real driven[3];
    for (int i = 0; i < row->stages; ++i) {
        vr xs[CHUNK_MAX], vs[CHUNK_MAX], as[CHUNK_MAX];
        stage_state_any(h, i, N, x, v, kx, kv, xs, vs);
        const real *const now = base_next(&rows, terms, first, D, base, driven);
        acceleration(c, terms, p, at, D, U, now, xs, vs, as);
        EACH(n, N) {
            kx[i][n] = vs[n];
            kv[i][n] = as[n];
        }
    }
    vr sum[CHUNK_MAX];
    weighted_sum_any(h, N, kx, sum);
    advance(terms, v_set1(h->scale), N, sum, x, cx);
    weighted_sum_any(h, N, kv, sum);
    advance(terms, v_set1(h->scale), N, sum, v, cv);
}
