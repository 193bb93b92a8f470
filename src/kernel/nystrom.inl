/* One step of an explicit Nystrom method on x'' = a(x, t).
 *
 * The order of the operations is that of kdr_nystrom_row (method/rows.h): every stage, and the new x, by the mean velocity on the way
 * to it. Where the last stage's x is the new one, its mean velocity is known already.
 *
 * Included once for rows known at compile time, whose STAGES and EARLIER ones are unrolled, and once for rows read at run time. */

#define NYSTROM(name) PASTE(PASTE(PASTE(nystrom_, FLAVOUR), _), name)

/* v + sum of factor_j k_j, where a_j, of which the factors are made, is not 0 */
INLINE void NYSTROM(mean_velocity)(const double *a, const real *factor, int stages, int N, const vr *v, vr k[][CHUNK_MAX], vr *w) {
    EACH(n, N) { w[n] = v[n]; }
    EARLIER(j, stages, KDR_NYSTROM_STAGES) {
        if (a[j] != 0.0) {
            const vr f = v_set1(factor[j]);
            EACH(n, N) { w[n] = mul_add(f, k[j][n], w[n]); }
        }
    }
}

/* Adds a stage's slope to the sum for v as soon as it is known. A product by 1 is no product. */
INLINE void NYSTROM(add_slope)(const kdr_nystrom_row *row, const nystrom_steps *h, int i, int N, const vr *k, vr *sum) {
    if (row->ratio[i] == 1.0) {
        EACH(n, N) { sum[n] = i == 0 ? k[n] : v_add(sum[n], k[n]); }
    } else if (row->ratio[i] != 0.0) {
        const vr ratio = v_set1(h->ratio[i]);
        EACH(n, N) { sum[n] = mul_add(ratio, k[n], sum[n]); }
    }
}

INLINE void NYSTROM(step)(STEP_PLAN) {
    (void)job, (void)S, (void)n, (void)keep, (void)a, (void)fixed;
    const kdr_nystrom_row *const list = row;
    const nystrom_steps *const steps = &h->nystrom;
    const int N = D * U;
    vr k[KDR_NYSTROM_STAGES][CHUNK_MAX], xs[CHUNK_MAX], w[CHUNK_MAX], as[CHUNK_MAX], sum[CHUNK_MAX];
    real driven[KDR_BASE];
    EACH(m, N) {
        xs[m] = x[m];
        w[m] = v[m];
        sum[m] = v_set1(0);
    }
    STAGES(i, list->stages) {
        if (i > 0) {
            NYSTROM(mean_velocity)(list->a[i], steps->a[i], i, N, v, k, w);
            const vr way = v_set1(steps->c[i]);
            EACH(m, N) { xs[m] = mul_add(way, w[m], x[m]); }
        }
        const real *const now = base_next(&rows, terms, first, D, base, driven);
        acceleration(c, terms, p, at, D, U, now, xs, v, as);
        NYSTROM(add_slope)(list, steps, i, N, as, sum);
        EACH(m, N) { k[i][m] = as[m]; }
    }
    if (list->closes && !(terms & KDR_TERM_COMPENSATED)) {
        EACH(m, N) { x[m] = xs[m]; } /* x + h w, and has been computed */
    } else {
        if (!list->closes) {
            NYSTROM(mean_velocity)(list->b, steps->b, list->stages, N, v, k, w);
        }
        advance(terms, v_set1(steps->step), N, w, x, cx);
    }
    advance(terms, v_set1(steps->scale), N, sum, v, cv);
}

#undef NYSTROM
