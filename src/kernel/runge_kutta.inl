/* One step of an explicit Runge-Kutta method on x' = v, v' = a(x, v, t), for any tableau.
 *
 * The order of the operations is that of kdr_runge_kutta_row (method/rows.h). Of the slopes, those of x are the stages' own v. */

/* y + sum of (h a_ij) k_j over the stages before i */
INLINE void ROW(stage_state)(const kdr_runge_kutta_row *row, const tableau_steps *h, int i, int N, const vr *y, vr k[][CHUNK_MAX], vr *out) {
    EACH(n, N) { out[n] = y[n]; }
    EARLIER(j, i) {
        if (row->a[i][j] != 0.0) {
            const vr factor = v_set1(h->a[i][j]);
            EACH(n, N) { out[n] = mul_add(factor, k[j][n], out[n]); }
        }
    }
}

/* The first stage that has the ratio of stage i: stages of equal ratio are added up under it. */
INLINE int ROW(leader)(const kdr_runge_kutta_row *row, int i) {
    int first = i;
    EARLIER(j, i) {
        if (first == i && row->ratio[j] == row->ratio[i]) {
            first = j;
        }
    }
    return first;
}

/* Adds a slope to its group as soon as it is known: what a row does not need again leaves the registers. */
INLINE void ROW(add_to_group)(const kdr_runge_kutta_row *row, int i, int N, const vr *k, vr group[][CHUNK_MAX]) {
    const int m = ROW(leader)(row, i);
    EACH(n, N) { group[m][n] = m == i ? k[n] : v_add(group[m][n], k[n]); }
}

/* y += (h scale) (sum of ratio times group) */
INLINE void ROW(weighted_sum)(const kdr_runge_kutta_row *row, const tableau_steps *h, int N, vr group[][CHUNK_MAX], vr *y) {
    vr sum[CHUNK_MAX];
    EACH(n, N) { sum[n] = v_set1(0); }
    bool begun = false;
    STAGES(m, row->stages) {
        if (row->ratio[m] != 0.0 && ROW(leader)(row, m) == m) {
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
    const vr scale = v_set1(h->scale);
    EACH(n, N) { y[n] = mul_add(scale, sum[n], y[n]); }
}

INLINE void ROW(runge_kutta_step)(const kdr_runge_kutta_row *row, const tableau_steps *h, const constants *c, unsigned terms, const lanes *p,
                                  const real *base, const double *rows, int first, int at, int D, int U, vr *x, vr *v) {
    const int N = D * U;
    vr kx[KDR_MAX_STAGES][CHUNK_MAX], kv[KDR_MAX_STAGES][CHUNK_MAX];
    real driven[3];
    vr gx[KDR_MAX_STAGES][CHUNK_MAX], gv[KDR_MAX_STAGES][CHUNK_MAX];
    STAGES(i, row->stages) {
        vr xs[CHUNK_MAX];
        ROW(stage_state)(row, h, i, N, x, kx, xs);
        ROW(stage_state)(row, h, i, N, v, kv, kx[i]);
        ROW(add_to_group)(row, i, N, kx[i], gx);
        const real *const now = base_next(&rows, terms, first, D, base, driven);
        acceleration(c, terms, p, at, D, U, now, xs, kx[i], kv[i]);
        ROW(add_to_group)(row, i, N, kv[i], gv);
    }
    ROW(weighted_sum)(row, h, N, gx, x);
    ROW(weighted_sum)(row, h, N, gv, v);
}
