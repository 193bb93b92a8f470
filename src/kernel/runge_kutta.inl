/* Explicit Runge-Kutta methods on x' = v, v' = a(x, v, t): any tableau, all steps with the tile in registers.
 *
 * The order of the operations is that of kdr_tableau (method/rows.h). Of the slopes, those of x are the stages' own v. */

/* y + sum of (h a_ij) k_j over the stages before i */
INLINE void ROW(stage_state)(const kdr_tableau *row, const tableau_steps *h, int i, int N, const vr *y, vr k[][TILE_MAX], vr *out) {
    EACH(n, N) {
        out[n] = y[n];
    }
    EARLIER(j, i) {
        if (row->a[i][j] != 0.0) {
            const vr factor = v_set1(h->a[i][j]);
            EACH(n, N) {
                out[n] = mul_add(factor, k[j][n], out[n]);
            }
        }
    }
}

/* The first stage that has the ratio of stage i: stages of equal ratio are added up under it. */
INLINE int ROW(leader)(const kdr_tableau *row, int i) {
    int first = i;
    EARLIER(j, i) {
        if (first == i && row->ratio[j] == row->ratio[i]) {
            first = j;
        }
    }
    return first;
}

/* Adds a slope to its group as soon as it is known: what a row does not need again leaves the registers. */
INLINE void ROW(add_to_group)(const kdr_tableau *row, int i, int N, const vr *k, vr group[][TILE_MAX]) {
    const int m = ROW(leader)(row, i);
    EACH(n, N) {
        group[m][n] = m == i ? k[n] : v_add(group[m][n], k[n]);
    }
}

/* y += (h scale) (sum of ratio times group) */
INLINE void ROW(weighted_sum)(const kdr_tableau *row, const tableau_steps *h, int N, vr group[][TILE_MAX], vr *y) {
    vr sum[TILE_MAX];
    EACH(n, N) {
        sum[n] = v_set1(0);
    }
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
    EACH(n, N) {
        y[n] = mul_add(scale, sum[n], y[n]);
    }
}

INLINE void ROW(runge_kutta)(const kdr_job *job, const kdr_tableau *row, const constants *c, unsigned terms, const lanes *p, int first,
                             int D, int T) {
    const int N = D * T;
    tableau_steps h;
    tableau_steps_make(row, job->dt, &h);
    vr x[TILE_MAX], v[TILE_MAX];
    tile_load(p->x, D, T, x);
    tile_load(p->v, D, T, v);
    const double *base = job->base;
    real b[3];
    base_load(base, first, D, b);
    for (uint64_t n = 0; n < job->steps; ++n) {
        vr kx[KDR_MAX_STAGES][TILE_MAX], kv[KDR_MAX_STAGES][TILE_MAX];
        vr gx[KDR_MAX_STAGES][TILE_MAX], gv[KDR_MAX_STAGES][TILE_MAX];
        STAGES(i, row->stages) {
            vr xs[TILE_MAX];
            ROW(stage_state)(row, &h, i, N, x, kx, xs);
            ROW(stage_state)(row, &h, i, N, v, kv, kx[i]);
            ROW(add_to_group)(row, i, N, kx[i], gx);
            if (terms & KDR_TERM_DRIVEN) {
                base_load(base, first, D, b);
                base += job->base_stride;
            }
            acceleration(c, terms, p, D, T, b, xs, kx[i], kv[i]);
            ROW(add_to_group)(row, i, N, kv[i], gv);
        }
        ROW(weighted_sum)(row, &h, N, gx, x);
        ROW(weighted_sum)(row, &h, N, gv, v);
    }
    tile_store(p, p->x, D, T, x);
    tile_store(p, p->v, D, T, v);
}
