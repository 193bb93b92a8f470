/* One step of an explicit Runge-Kutta method on x' = v, v' = a(x, v, t), for a row known at compile time: every loop is unrolled, the weighed
 * sums grow stage by stage, and what a row does not need again leaves the registers.
 *
 * The order of the operations is that of kdr_runge_kutta_row (method/rows.h). Of the slopes, those of x are the stages' own v. */

/* Of the rows in the table. Every loop has a constant bound: clang 14 unrolls the others too late for the slopes to become registers. It still
 * keeps them in memory: rk4 at 0.45 of gcc's speed, and at 0.22 with the bounds of the row and of KDR_MAX_STAGES. */
#define MOST_STAGES 6

/* y + sum of (h a_ij) k_j over the stages before i */
INLINE void stage_state_constant(const kdr_runge_kutta_row *row, const runge_kutta_steps *h, int i, int N, const vr *y, vr k[][CHUNK_MAX],
                                 vr *out) {
    EACH(n, N) { out[n] = y[n]; }
    EARLIER(j, i, MOST_STAGES) {
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
    EARLIER(j, i, MOST_STAGES) { begun = begun || (row->ratio[j] != 0.0 && row->ratio[j] != row->ratio[j + 1]); }
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
    vr kx[MOST_STAGES][CHUNK_MAX], kv[MOST_STAGES][CHUNK_MAX];
    vr runx[CHUNK_MAX], runv[CHUNK_MAX], sumx[CHUNK_MAX], sumv[CHUNK_MAX];
    real driven[KDR_BASE];
    EARLIER(i, tableau->stages, MOST_STAGES) {
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
