/* Methods with stages: Runge-Kutta and Nystrom. */

/* Computes y + h (a_i1 k_1 + a_i2 k_2 + ...) / over, term by term. */
static void system_stage(const ref_system *c, const double *a, double over, int terms, const numbers *k, const numbers *y,
                         const numbers *out) {
    system_copy(c, y, out);
    for (int j = 0; j < terms; ++j) {
        if (a[j] != 0.0) {
            system_advance(c, c->clock->dt * a[j] / over, &k[j], out);
        }
    }
}

/* Computes y += h scale (r_1 k_1 + r_2 k_2 + ...); neighbours of equal ratio are added up first. */
static void system_weigh(const ref_system *c, const kdr_runge_kutta_row *row, const numbers *k, const numbers *y, const numbers *lost) {
    const double scale = scale_of(&c->rules, row->scale, row->ratio, row->stages);
    EACH_MOVING(c, axis, n) {
        bool begun = false;
        real sum = 0;
        for (int i = 0; i < row->stages; ++i) {
            const double ratio = row->ratio[i];
            if (ratio != 0.0) {
                real slopes = k[i].axis[axis][n];
                while (i + 1 < row->stages && row->ratio[i + 1] == ratio) {
                    slopes = slopes + k[++i].axis[axis][n];
                }
                sum = begun ? mul_add(&c->rules, (real)ratio, slopes, sum) : (real)ratio * slopes;
                begun = true;
            }
        }
        y->axis[axis][n] = advance(&c->rules, c->clock->dt * scale, sum, y->axis[axis][n], &lost->axis[axis][n]);
    }
}

/* In a compensated run of floats, computes lost += t (k_last - k_1), as for one particle. */
static void system_tilt(const ref_system *c, const numbers *k, const numbers *lost) {
    if (!REAL_IS_FLOAT || !c->problem->compensated) {
        return;
    }
    const int last = kdr_latest_stage(c->problem->row);
    if (last > 0) {
        const real t = (real)kdr_compensated_tilt(c->problem->row, c->clock->dt);
        EACH_MOVING(c, i, n) { lost->axis[i][n] = mul_add(&c->rules, t, k[last].axis[i][n] - k[0].axis[i][n], lost->axis[i][n]); }
    }
}

/* Computes the error estimates of all particles from the slopes, followed by `last`, the slope at the end of the step. They are stored
 * when the step is whole. */
static void system_estimate(const ref_system *c, double scale, const double *e, int slopes, const numbers *k, const numbers *last) {
    for (size_t n = 0; n < c->particles->count && c->particles->error; ++n) {
        particle p = system_one(c, n);
        real slope[KDR_MAX_STAGES + 1][3];
        for (int i = 0; i < p.dims; ++i) {
            for (int s = 0; s < slopes; ++s) {
                slope[s][i] = k[s].axis[i][n];
            }
            slope[slopes][i] = last ? last->axis[i][n] : 0;
        }
        take_counts(&p, c->particles);
        if (p.w != (real)0.0) {
            estimate_error(&p, scale, e, slopes + (last != NULL), slope);
            c->counts[n].estimated = true;
            c->counts[n].error = p.error;
        }
    }
}

/* Makes a step of an explicit Runge-Kutta method by its tableau, HLW II.1. */
static kdr_status system_runge_kutta(ref_system *c, uint64_t step) {
    const kdr_runge_kutta_row *const row = c->problem->row->data.runge_kutta;
    for (int i = 0; i < row->stages; ++i) {
        system_stage(c, row->a[i], 1.0, i, c->kx, &c->x, &c->xs);
        system_stage(c, row->a[i], 1.0, i, c->kv, &c->v, &c->kx[i]); /* the slope of x is the stage's v */
        const kdr_status status = system_accelerations(c, &c->xs, &c->kx[i], step, row->c[i], &c->kv[i]);
        if (status != KDR_OK) {
            return status;
        }
    }
    system_tilt(c, c->kx, &c->cx);
    system_tilt(c, c->kv, &c->cv);
    system_weigh(c, row, c->kx, &c->x, &c->cx);
    system_weigh(c, row, c->kv, &c->v, &c->cv);
    system_estimate(c, c->clock->dt, row->estimate, row->stages, c->kx, &c->v);
    return KDR_OK;
}

/* Makes a step of a Nystrom method for x'' = a(x, t), in the order of operations of method/rows.h. */
static kdr_status system_nystrom(ref_system *c, uint64_t step) {
    const kdr_nystrom_row *const row = c->problem->row->data.nystrom;
    for (int i = 0; i < row->stages; ++i) {
        system_copy(c, &c->x, &c->xs);
        if (i > 0) {
            system_stage(c, row->a[i], row->c[i], i, c->kv, &c->v, &c->mean);
            system_advance(c, c->clock->dt * row->c[i], &c->mean, &c->xs);
        }
        const kdr_status status = system_accelerations(c, &c->xs, &c->v, step, row->c[i], &c->kv[i]);
        if (status != KDR_OK) {
            return status;
        }
    }
    system_stage(c, kdr_nystrom_weights(row), 1.0, row->stages, c->kv, &c->v, &c->mean);
    system_drift_by(c, c->clock->dt, &c->mean);
    system_tilt(c, c->kv, &c->cv);
    system_copy(c, &c->kv[0], &c->sum);
    for (int i = 1; i < row->stages; ++i) {
        if (row->ratio[i] != 0.0) {
            system_advance(c, row->ratio[i], &c->kv[i], &c->sum);
        }
    }
    system_kick_by(c, c->clock->dt * scale_of(&c->rules, row->scale, row->ratio, row->stages), &c->sum);
    system_estimate(c, c->clock->dt * c->clock->dt, row->estimate, row->stages, c->kv, NULL);
    return KDR_OK;
}
