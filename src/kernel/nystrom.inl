/* One step of an explicit Nystrom method on x'' = a(x, t).
 *
 * The order of the operations is that of kdr_nystrom_row (method/rows.h): every stage, and the new x, by the mean velocity on the way
 * to it. Where the last stage's x is the new one, its mean velocity is known already. */

/* For a row known at compile time: every loop is unrolled (runge_kutta.inl says why the bounds are constants). */
#define OF_STAGES(j, stages) EACH(j, KDR_NYSTROM_STAGES) if (j < (stages))

/* v + sum of factor_j k_j, where a_j, of which the factors are made, is not 0 */
INLINE void mean_velocity_constant(const double *a, const real *factor, int stages, int N, const vr *v, vr k[][CHUNK_MAX], vr *w) {
    EACH(n, N) { w[n] = v[n]; }
    OF_STAGES(j, stages) {
        if (a[j] != 0.0) {
            const vr f = v_set1(factor[j]);
            EACH(n, N) { w[n] = mul_add(f, k[j][n], w[n]); }
        }
    }
}

/* Adds a stage's slope to the sum for v as soon as it is known. A product by 1 is no product. */
INLINE void add_slope_constant(const kdr_nystrom_row *row, const nystrom_steps *h, int i, int N, const vr *k, vr *sum) {
    if (row->ratio[i] == 1.0) {
        EACH(n, N) { sum[n] = i == 0 ? k[n] : v_add(sum[n], k[n]); }
    } else if (row->ratio[i] != 0.0) {
        const vr ratio = v_set1(h->ratio[i]);
        EACH(n, N) { sum[n] = mul_add(ratio, k[n], sum[n]); }
    }
}

INLINE void nystrom_step_constant(const kdr_nystrom_row *row, const nystrom_steps *h, const constants *c, unsigned terms, const lanes *p,
                                  const real *base, const double *rows, int first, int at, int D, int U, vr *x, vr *v, vr *cx, vr *cv) {
    const int N = D * U;
    vr k[KDR_NYSTROM_STAGES][CHUNK_MAX], xs[CHUNK_MAX], w[CHUNK_MAX], sum[CHUNK_MAX];
    real driven[3];
    EACH(n, N) { xs[n] = x[n]; }
    EACH(i, row->stages) {
        if (i > 0) {
            mean_velocity_constant(row->a[i], h->a[i], i, N, v, k, w);
            const vr way = v_set1(h->c[i]);
            EACH(n, N) { xs[n] = mul_add(way, w[n], x[n]); }
        }
        const real *const now = base_next(&rows, terms, first, D, base, driven);
        acceleration(c, terms, p, at, D, U, now, xs, v, k[i]);
        add_slope_constant(row, h, i, N, k[i], sum);
    }
    if (row->closes && !(terms & KDR_TERM_COMPENSATED)) {
        EACH(n, N) { x[n] = xs[n]; } /* x + h w, and has been computed */
    } else {
        if (!row->closes) {
            mean_velocity_constant(row->b, h->b, row->stages, N, v, k, w);
        }
        advance(terms, v_set1(h->step), N, w, x, cx);
    }
    advance(terms, v_set1(h->scale), N, sum, v, cv);
}

#undef OF_STAGES

/* For a row read at run time: the stages are a loop, and the slopes lie in the first-level cache. */

INLINE void mean_velocity_any(const nystrom_steps *h, int i, int N, const vr *v, vr k[][CHUNK_MAX], vr *w) {
    EACH(n, N) { w[n] = v[n]; }
    for (int t = 0; t < h->mean[i].terms; ++t) {
        const vr factor = v_set1(h->mean[i].factor[t]);
        const int j = h->mean[i].from[t];
        EACH(n, N) { w[n] = mul_add(factor, k[j][n], w[n]); }
    }
}

INLINE void nystrom_step_any(const kdr_nystrom_row *row, const nystrom_steps *h, const constants *c, unsigned terms, const lanes *p,
                             const real *base, const double *rows, int first, int at, int D, int U, vr *x, vr *v, vr *cx, vr *cv) {
    const int N = D * U;
    vr k[KDR_NYSTROM_STAGES][CHUNK_MAX], xs[CHUNK_MAX], w[CHUNK_MAX], sum[CHUNK_MAX];
    real driven[3];
    acceleration(c, terms, p, at, D, U, base_next(&rows, terms, first, D, base, driven), x, v, k[0]);
    EACH(n, N) { sum[n] = k[0][n]; }
    for (int i = 1; i < row->stages; ++i) {
        mean_velocity_any(h, i, N, v, k, w);
        const vr way = v_set1(h->c[i]), ratio = v_set1(h->ratio[i]);
        EACH(n, N) { xs[n] = mul_add(way, w[n], x[n]); }
        acceleration(c, terms, p, at, D, U, base_next(&rows, terms, first, D, base, driven), xs, v, k[i]);
        if (row->ratio[i] != 0.0) {
            EACH(n, N) { sum[n] = mul_add(ratio, k[i][n], sum[n]); }
        }
    }
    if (!row->closes) {
        mean_velocity_any(h, row->stages, N, v, k, w);
    }
    advance(terms, v_set1(h->step), N, w, x, cx);
    advance(terms, v_set1(h->scale), N, sum, v, cv);
}
