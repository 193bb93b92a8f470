/* The coefficients of a row times the step, rounded to the unit's precision. */

typedef struct tableau_steps {
    real a[KDR_MAX_STAGES][KDR_MAX_STAGES]; /* h a_ij */
    real scale;                             /* h scale */
    real ratio[KDR_MAX_STAGES];
} tableau_steps;

static void tableau_steps_make(const kdr_runge_kutta_row *row, double dt, tableau_steps *h) {
    for (int i = 0; i < row->stages; ++i) {
        for (int j = 0; j < i; ++j) {
            h->a[i][j] = (real)(dt * row->a[i][j]);
        }
        h->ratio[i] = (real)row->ratio[i];
    }
    h->scale = (real)(dt * row->scale);
}

typedef struct fraction_steps {
    real kick[KDR_MAX_FRACTIONS], drift[KDR_MAX_FRACTIONS]; /* h times the fractions */
} fraction_steps;

static void fraction_steps_make(const kdr_splitting_row *row, double dt, fraction_steps *h) {
    for (int i = 0; i < row->stages; ++i) {
        h->kick[i] = (real)(dt * row->kick[i]);
        h->drift[i] = (real)(dt * row->drift[i]);
    }
}

typedef union coefficients {
    tableau_steps tableau;
    fraction_steps fractions;
} coefficients;

static void coefficients_make(kdr_family family, const void *row, double dt, coefficients *h) {
    if (family == KDR_RUNGE_KUTTA) {
        tableau_steps_make(row, dt, &h->tableau);
    } else {
        fraction_steps_make(row, dt, &h->fractions);
    }
}
