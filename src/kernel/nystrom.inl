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

INLINE void nystrom_constant_step(STEP_PLAN) {
    (void)job, (void)S, (void)n, (void)keep, (void)a, (void)fixed;
    const kdr_nystrom_row *const stages = row;
    const nystrom_steps *const steps = &h->nystrom;
    const int N = D * U;
    vr k[KDR_NYSTROM_STAGES][CHUNK_MAX], xs[CHUNK_MAX], w[CHUNK_MAX], sum[CHUNK_MAX];
    real driven[3];
    EACH(m, N) { xs[m] = x[m]; }
    EACH(i, stages->stages) {
        if (i > 0) {
            mean_velocity_constant(stages->a[i], steps->a[i], i, N, v, k, w);
            const vr way = v_set1(steps->c[i]);
            EACH(m, N) { xs[m] = mul_add(way, w[m], x[m]); }
        }
        const real *const now = base_next(&rows, terms, first, D, base, driven);
        acceleration(c, terms, p, at, D, U, now, xs, v, k[i]);
        add_slope_constant(stages, steps, i, N, k[i], sum);
    }
    if (stages->closes && !(terms & KDR_TERM_COMPENSATED)) {
        EACH(m, N) { x[m] = xs[m]; } /* x + h w, and has been computed */
    } else {
        if (!stages->closes) {
            mean_velocity_constant(stages->b, steps->b, stages->stages, N, v, k, w);
        }
        advance(terms, v_set1(steps->step), N, w, x, cx);
    }
    advance(terms, v_set1(steps->scale), N, sum, v, cv);
}

#undef OF_STAGES

ONLY_STEPS(nystrom)
