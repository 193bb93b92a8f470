/* The coefficients of a row times the step, rounded to the unit's precision; for rows read at run time also the lists of what is not 0. */

typedef struct runge_kutta_steps {
    real a[KDR_MAX_STAGES][KDR_MAX_STAGES]; /* h a_ij */
    real scale;                             /* h scale */
    real ratio[KDR_MAX_STAGES];
    struct {
        int terms, from[KDR_MAX_STAGES]; /* a_ij that are not 0 */
        real factor[KDR_MAX_STAGES];     /* times h */
    } stage[KDR_MAX_STAGES];
    int groups;
    struct {
        int members, member[KDR_MAX_STAGES]; /* stages of equal ratio */
        real ratio;
        bool plain; /* 1 */
    } group[KDR_MAX_STAGES];
} runge_kutta_steps;

static void runge_kutta_group(const kdr_runge_kutta_row *row, int i, runge_kutta_steps *h) {
    int g = 0;
    while (g < h->groups && row->ratio[h->group[g].member[0]] != row->ratio[i]) {
        ++g;
    }
    if (g == h->groups) {
        h->groups = g + 1;
        h->group[g].members = 0;
        h->group[g].ratio = (real)row->ratio[i];
        h->group[g].plain = row->ratio[i] == 1.0;
    }
    h->group[g].member[h->group[g].members++] = i;
}

static void runge_kutta_steps_make(const kdr_runge_kutta_row *row, double dt, runge_kutta_steps *h) {
    h->groups = 0;
    for (int i = 0; i < row->stages; ++i) {
        h->stage[i].terms = 0;
        for (int j = 0; j < i; ++j) {
            h->a[i][j] = (real)(dt * row->a[i][j]);
            if (row->a[i][j] != 0.0) {
                const int term = h->stage[i].terms++;
                h->stage[i].from[term] = j;
                h->stage[i].factor[term] = h->a[i][j];
            }
        }
        h->ratio[i] = (real)row->ratio[i];
        if (row->ratio[i] != 0.0) {
            runge_kutta_group(row, i, h);
        }
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

typedef struct multistep_steps {
    real minus_h, half_square, square, twice; /* -h, h^2 / 2, h^2, 2h */
} multistep_steps;

static void multistep_steps_make(double dt, multistep_steps *h) {
    h->minus_h = (real)-dt;
    h->half_square = (real)(dt * dt * 0.5);
    h->square = (real)(dt * dt);
    h->twice = (real)(2.0 * dt);
}

typedef union coefficients {
    runge_kutta_steps runge_kutta;
    splitting_steps splitting;
    multistep_steps multistep;
} coefficients;

static void coefficients_make(kdr_family family, const void *row, const kdr_job *job, coefficients *h) {
    switch (family) {
    case KDR_RUNGE_KUTTA:
        runge_kutta_steps_make(row, job->dt, &h->runge_kutta);
        break;
    case KDR_SPLITTING:
        splitting_steps_make(row, job->dt, &h->splitting);
        break;
    case KDR_MULTISTEP:
        multistep_steps_make(job->dt, &h->multistep);
        break;
    case KDR_FAMILY_COUNT:
        break;
    }
}
