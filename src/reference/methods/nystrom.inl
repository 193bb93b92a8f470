/* Nystrom methods, for x'' = a(x, t). */

/* Computes x += h w and v += h a, increments of the state. */
static void drift_and_kick(particle *p, const real w[3], double h_kick, const real a[3]) {
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = advance(p, p->h, w[i], p->x[i], &p->cx[i]);
        p->v[i] = advance(p, h_kick, a[i], p->v[i], &p->cv[i]);
    }
}

/* Makes a step that is exact for constant a: x_{n+1} = x_n + h (v_n + h/2 a_n), v_{n+1} = v_n + h a_n, with a_n = a(x_n, v_n, t_n). */
static void suvat(particle *p, uint64_t n) {
    real a[3], w[3];
    acceleration(p, p->x, p->v, n, 0.0, a);
    stage(p, (real)(p->h * 0.5), a, p->v, w);
    drift_and_kick(p, w, p->h, a);
}

/* Makes a step of Nystrom 1925, order 4, for x'' = a(x, t): k2 at x + h/2 (v + h/4 k1), k3 at x + h (v + h/2 k2), x += h (v + h/6 k1 +
 * h/3 k2), v += h/6 (k1 + 4 k2 + k3) (Hairer, Norsett, Wanner II.14). */
static void nystrom_4(particle *p, uint64_t n) {
    const double h = p->h;
    real k1[3], k2[3], k3[3], x2[3], x3[3], w[3], sum[3];
    acceleration(p, p->x, p->v, n, 0.0, k1);
    stage(p, (real)(h * 0.25), k1, p->v, w);
    stage(p, (real)(h * 0.5), w, p->x, x2);
    acceleration(p, x2, p->v, n, 0.5, k2);
    stage(p, (real)(h * 0.5), k2, p->v, w);
    stage(p, (real)h, w, p->x, x3);
    acceleration(p, x3, p->v, n, 1.0, k3);
    stage(p, (real)(h * (1.0 / 6.0)), k1, p->v, w);
    stage(p, (real)(h * (1.0 / 3.0)), k2, w, w);
    stage(p, (real)4.0, k2, k1, sum);
    stage(p, (real)1.0, k3, sum, sum);
    tilt(p, NULL, NULL, k1, k3);
    drift_and_kick(p, w, h * (1.0 / 6.0), sum);
}

/* Computes v + h (a_1 k_1 + a_2 k_2 + ...) / c, the mean velocity until the time t_n + c h. */
static void mean_velocity(const particle *p, const double *a, double c, int terms, real k[][3], real w[3]) {
    memcpy(w, p->v, sizeof p->v);
    for (int j = 0; j < terms; ++j) {
        if (a[j] != 0.0) {
            stage(p, (real)(p->h * a[j] / c), k[j], w, w);
        }
    }
}

/* Makes a step of any Nystrom method, for x'' = a(x, t), by its row, in the order of operations of method/rows.h. */
static void nystrom(particle *p, uint64_t n) {
    const kdr_nystrom_row *const row = p->problem->row->data.nystrom;
    real k[KDR_NYSTROM_STAGES][3], xs[3], w[3], sum[3];
    acceleration(p, p->x, p->v, n, 0.0, k[0]);
    memcpy(sum, k[0], sizeof sum);
    for (int i = 1; i < row->stages; ++i) {
        mean_velocity(p, row->a[i], row->c[i], i, k, w);
        stage(p, (real)(p->h * row->c[i]), w, p->x, xs);
        acceleration(p, xs, p->v, n, row->c[i], k[i]);
        if (row->ratio[i] != 0.0) {
            stage(p, (real)row->ratio[i], k[i], sum, sum);
        }
    }
    mean_velocity(p, kdr_nystrom_weights(row), 1.0, row->stages, k, w);
    tilt(p, NULL, NULL, k[0], k[kdr_latest_stage(p->problem->row)]);
    drift_and_kick(p, w, p->h * scale_of(p, row->scale, row->ratio, row->stages), sum);
    estimate_error(p, p->h * p->h, row->estimate, row->stages, k);
}
