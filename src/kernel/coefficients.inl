/* The coefficients of a row times the step, rounded to the unit's precision; for rows read at run time also what is not 0. */

/* What a stage does to the weighed sum: its slope counts; it joins the run of slopes of equal ratio before it; it ends a run; the sum begins
 * with that run. */
enum { COUNTS = 1, JOINS = 2, ENDS = 4, FIRST = 8 };

typedef struct runge_kutta_steps {
    real a[KDR_MAX_STAGES][KDR_MAX_STAGES]; /* h a_ij */
    real scale;                             /* h scale */
    real ratio[KDR_MAX_STAGES];
    unsigned weighs[KDR_MAX_STAGES];
    unsigned used[KDR_MAX_STAGES]; /* bit j: a_ij is not 0 */
} runge_kutta_steps;

static void runge_kutta_steps_make(const kdr_runge_kutta_row *row, const kdr_job *job, runge_kutta_steps *h) {
    const double dt = job->dt;
    for (int i = 0; i < row->stages; ++i) {
        h->used[i] = 0;
        for (int j = 0; j < i; ++j) {
            h->a[i][j] = (real)(dt * row->a[i][j]);
            h->used[i] |= row->a[i][j] != 0.0 ? 1U << j : 0U;
        }
    }
    bool begun = false;
    for (int i = 0; i < row->stages; ++i) {
        const double ratio = row->ratio[i];
        h->ratio[i] = (real)ratio;
        h->weighs[i] = 0;
        if (ratio != 0.0) {
            const bool joins = i > 0 && row->ratio[i - 1] == ratio, ends = i + 1 == row->stages || row->ratio[i + 1] != ratio;
            h->weighs[i] = COUNTS | (joins ? JOINS : 0U) | (ends ? ENDS : 0U) | (ends && !begun ? FIRST : 0U);
            begun = begun || ends;
        }
    }
    h->scale = (real)(dt * row->scale);
}

typedef struct splitting_steps {
    real kick[KDR_MAX_FRACTIONS], drift[KDR_MAX_FRACTIONS]; /* h times the fractions */
} splitting_steps;

static void splitting_steps_make(const kdr_splitting_row *row, const kdr_job *job, splitting_steps *h) {
    const double dt = job->dt;
    for (int i = 0; i < row->stages; ++i) {
        h->kick[i] = (real)(dt * row->kick[i]);
        h->drift[i] = (real)(dt * row->drift[i]);
    }
}

/* Of the magnetic family: t = (h/2) m a unit of inverse mass, and the rotation of particles without masses (magnetic.inl). */
typedef struct magnetic_steps {
    real half, t[3];
    vr rotation[3][3][2];
} magnetic_steps;

static void rotation_make(const vr t[3], vr out[3][3][2]);

static void magnetic_steps_make(const void *row, const kdr_job *job, magnetic_steps *h) {
    (void)row;
    h->half = (real)(job->dt * 0.5);
    vr t[3];
    for (int i = 0; i < 3; ++i) {
        /* In a plane, the field across it alone. */
        h->t[i] = job->dims == 3 || i == 2 ? (real)(job->dt * 0.5 * job->field->magnetic[i]) : 0;
        t[i] = v_set1(h->t[i]);
    }
    memset(h->rotation, 0, sizeof h->rotation);
    if ((job->terms & KDR_TERM_MAGNETIC) && !(job->terms & KDR_TERM_MASS)) {
        rotation_make(t, h->rotation);
    }
}

/* Of the Langevin family: c - 1, the amplitude of the noise at an inverse mass of 1, and the generator's keys, those of each round. */
typedef struct langevin_steps {
    real half, decay, noise;
    uint64_t key[10][2];
} langevin_steps;

static void langevin_steps_make(const void *row, const kdr_job *job, langevin_steps *h) {
    (void)row;
    h->half = (real)(job->dt * 0.5);
    h->decay = (real)job->bath.decay;
    h->noise = (real)job->bath.noise;
    for (uint32_t r = 0; r < 10; ++r) {
        h->key[r][0] = (uint32_t)job->bath.seed + r * UINT32_C(0x9E3779B9);
        h->key[r][1] = (uint32_t)(job->bath.seed >> 32) + r * UINT32_C(0xBB67AE85);
    }
}

typedef struct nystrom_steps {
    real a[KDR_NYSTROM_STAGES][KDR_NYSTROM_STAGES]; /* h a_ij / c_i */
    real b[KDR_NYSTROM_STAGES];                     /* h b_i */
    real c[KDR_NYSTROM_STAGES];                     /* h c_i */
    real step, scale;                               /* h, h scale */
    real ratio[KDR_NYSTROM_STAGES];
} nystrom_steps;

static void nystrom_steps_make(const kdr_nystrom_row *row, const kdr_job *job, nystrom_steps *h) {
    const double dt = job->dt;
    const double *const b = kdr_nystrom_weights(row);
    for (int i = 0; i < row->stages; ++i) {
        for (int j = 0; j < i; ++j) {
            h->a[i][j] = (real)(dt * row->a[i][j] / row->c[i]);
        }
        h->b[i] = (real)(dt * b[i]);
        h->c[i] = (real)(dt * row->c[i]);
        h->ratio[i] = (real)row->ratio[i];
    }
    h->step = (real)dt;
    h->scale = (real)(dt * row->scale);
}

typedef struct implicit_steps {
    int iterations;
    real step, stage; /* h, c h */
} implicit_steps;

static UNLESS_USED void implicit_steps_make(const kdr_implicit_row *row, const kdr_job *job, implicit_steps *h) {
    const double dt = job->dt;
    h->iterations = row->iterations;
    h->step = (real)dt;
    h->stage = (real)(dt * row->c);
}

typedef struct multistep_steps {
    real minus_h, half_square, square, twice; /* -h, h^2 / 2, h^2, 2h */
} multistep_steps;

static void multistep_steps_make(const void *row, const kdr_job *job, multistep_steps *h) {
    (void)row;
    h->minus_h = (real)-job->dt;
    h->half_square = (real)(job->dt * job->dt * 0.5);
    h->square = (real)(job->dt * job->dt);
    h->twice = (real)(2.0 * job->dt);
}

/* Of the kinematic family: maps of axes apart, or the map of coupled ones (kinematic.inl), rounded; where it differs from particle to particle
 * there is only the time that it spans. */
typedef struct kinematic_steps {
    double span;
    real step, half, lift[2]; /* h, h / 2, h^2 / 2 and h^2 */
    real one[3][6], all[2 * 3 * 7];
} kinematic_steps;

typedef union coefficients {
    runge_kutta_steps runge_kutta;
    splitting_steps splitting;
    nystrom_steps nystrom;
    implicit_steps implicit;
    multistep_steps multistep;
    magnetic_steps magnetic;
    langevin_steps langevin;
    kinematic_steps affine, affine_each, strang, strang_each, sums, sums_each;
} coefficients;
