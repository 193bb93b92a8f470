/* The coefficients of a row times the step, rounded to the unit's precision; for rows read at run time also the lists of what is not 0. */

/* What a stage does to the sum of the weights: nothing, it is the first, one more. */
enum { NOTHING, FIRST, PLUS };

typedef struct runge_kutta_steps {
    real a[KDR_MAX_STAGES][KDR_MAX_STAGES]; /* h a_ij */
    real scale;                             /* h scale */
    real ratio[KDR_MAX_STAGES];
    int weighs[KDR_MAX_STAGES];
    unsigned used[KDR_MAX_STAGES]; /* bit j: a_ij is not 0 */
    struct {
        int terms, from[KDR_MAX_STAGES]; /* the same as a list */
        real factor[KDR_MAX_STAGES];
    } stage[KDR_MAX_STAGES];
} runge_kutta_steps;

static void runge_kutta_steps_make(const kdr_runge_kutta_row *row, double dt, runge_kutta_steps *h) {
    for (int i = 0; i < row->stages; ++i) {
        h->stage[i].terms = 0;
        h->used[i] = 0;
        for (int j = 0; j < i; ++j) {
            h->a[i][j] = (real)(dt * row->a[i][j]);
            if (row->a[i][j] != 0.0) {
                const int term = h->stage[i].terms++;
                h->used[i] |= 1U << j;
                h->stage[i].from[term] = j;
                h->stage[i].factor[term] = h->a[i][j];
            }
        }
    }
    bool begun = false;
    for (int i = 0; i < row->stages; ++i) {
        h->ratio[i] = (real)row->ratio[i];
        h->weighs[i] = row->ratio[i] == 0.0 ? NOTHING : begun ? PLUS : FIRST;
        begun = begun || row->ratio[i] != 0.0;
    }
    h->scale = (real)(dt * row->scale);
}

typedef struct splitting_steps {
    real kick[KDR_MAX_FRACTIONS], drift[KDR_MAX_FRACTIONS]; /* h times the fractions */
} splitting_steps;

static void splitting_steps_make(const kdr_splitting_row *row, double dt, splitting_steps *h) {
    for (int i = 0; i < row->stages; ++i) {
        h->kick[i] = (real)(dt * row->kick[i]);
        h->drift[i] = (real)(dt * row->drift[i]);
    }
}

typedef struct nystrom_steps {
    real a[KDR_NYSTROM_STAGES][KDR_NYSTROM_STAGES]; /* h a_ij / c_i */
    real b[KDR_NYSTROM_STAGES];                     /* h b_i */
    real c[KDR_NYSTROM_STAGES];                     /* h c_i */
    real step, scale;                               /* h, h scale */
    real ratio[KDR_NYSTROM_STAGES];
    struct {
        int terms, from[KDR_NYSTROM_STAGES]; /* a_ij that are not 0; of the last one, b_i */
        real factor[KDR_NYSTROM_STAGES];
    } mean[KDR_NYSTROM_STAGES + 1];
} nystrom_steps;

static void nystrom_list(const double *a, const real *factor, int stages, nystrom_steps *h, int i) {
    h->mean[i].terms = 0;
    for (int j = 0; j < stages; ++j) {
        if (a[j] != 0.0) {
            const int term = h->mean[i].terms++;
            h->mean[i].from[term] = j;
            h->mean[i].factor[term] = factor[j];
        }
    }
}

static void nystrom_steps_make(const kdr_nystrom_row *row, double dt, nystrom_steps *h) {
    const double *const b = kdr_nystrom_weights(row);
    for (int i = 0; i < row->stages; ++i) {
        for (int j = 0; j < i; ++j) {
            h->a[i][j] = (real)(dt * row->a[i][j] / row->c[i]);
        }
        h->b[i] = (real)(dt * b[i]);
        h->c[i] = (real)(dt * row->c[i]);
        h->ratio[i] = (real)row->ratio[i];
        nystrom_list(row->a[i], h->a[i], i, h, i);
    }
    h->step = (real)dt;
    h->scale = (real)(dt * row->scale);
    nystrom_list(b, h->b, row->stages, h, row->stages);
}

typedef union coefficients {
    runge_kutta_steps runge_kutta;
    splitting_steps splitting;
    nystrom_steps nystrom;
} coefficients;

static void coefficients_make(kdr_family family, const void *row, const kdr_job *job, coefficients *h) {
    switch (family) {
    case KDR_RUNGE_KUTTA:
        runge_kutta_steps_make(row, job->dt, &h->runge_kutta);
        break;
    case KDR_SPLITTING:
        splitting_steps_make(row, job->dt, &h->splitting);
        break;
    case KDR_NYSTROM:
        nystrom_steps_make(row, job->dt, &h->nystrom);
        break;
    case KDR_FAMILY_COUNT:
        break;
    }
}
