/* A particle, and its acceleration by the folded field. */

typedef struct particle {
    const kdr_problem *problem;
    const kdr_field *field;
    const kdr_clock *clock;
    double h;    /* length of the step, or of its present substep */
    int substep; /* index of the substep */
    unsigned terms;
    int dims;
    bool fused;
    size_t index;
    uint64_t id;                 /* key of the noise */
    uint32_t bounces;            /* bounces, including those of earlier runs */
    uint32_t nonconverged;       /* nonconverged equations of implicit steps, including earlier runs */
    double dissipated_energy[2]; /* energy taken by contacts, including earlier runs */
    real error;                  /* largest estimate of a step's error, including earlier runs */
    uint32_t images[3];          /* widths of a periodic boundary that it was moved back by, including earlier runs */
    real w;                      /* inverse mass */
    real radius;                 /* for colliders */
    real x[3], v[3];             /* the state */
    real cx[3], cv[3];           /* compensations, in a compensated run */
    /* memory of the method: velocity Verlet's acceleration kept from the last step, Stormer-Verlet's last position */
    real a[3];
    bool keeps;     /* a[] holds it */
    real seen[3];   /* the velocity that the kept acceleration was computed with */
    real now[3];    /* Stormer-Verlet's acceleration at x, for the length of a run */
    bool evaluated; /* now[] holds it */
    bool turns;     /* hi[] and lo[] hold the Boris rotation minus 1 */
    real hi[3][3], lo[3][3];
    /* list of contacts, may be NULL; a new contact is sorted among those from first_contact on */
    kdr_contacts *contacts;
    size_t first_contact; /* index in that list */
    /* list of events, may be NULL; those of this run begin at first_event */
    kdr_events *events;
    size_t first_event;              /* index in that list */
    const kdr_layout *active_layout; /* layout of the marks that events may write */
    bool flies;                      /* in a system run: the method itself moves the particle from surface to surface */
    bool pulled;                     /* the acceleration `pull` by others acts there too */
    real pull[3];
    bool others; /* forces depend on other particles, so that a step cannot be repeated for this one alone */
    int level;   /* level: its own clock has 2^level steps for each of the view's */
    /* steps of the run before `clock`, if a step is shortened; noise and rests depend on the run's step number */
    uint64_t later;
    bool mapped; /* map holds the affine motion of the kinematic methods */
    kdr_affine_map map;
} particle;

static real mul_add(const particle *p, real a, real b, real c) {
    if (p->fused) {
        return fused_multiply_add(a, b, c);
    }
    const real product = a * b;
    return product + c;
}

/* Returns a + b, rounded, and its rounding error by Knuth's formula (TAOCP 4.2.2), which does not depend on which is larger. */
static real exact_sum(real a, real b, real *error) {
    const real sum = a + b;
    const real taken = sum - a;
    *error = (a - (sum - taken)) + (b - taken);
    return sum;
}

/* Returns y + h rate, an increment of the state. In a compensated run the rounding error of the sum goes to *c and is added the next
 * time (Kahan 1965, Neumaier 1974). For floats the rounding errors of h and of the increment are included. */
static real advance(const particle *p, double h, real rate, real y, real *c) {
    const real rounded = (real)h;
    if (!(p->terms & KDR_TERM_COMPENSATED)) {
        return mul_add(p, rounded, rate, y);
    }
    if (!REAL_IS_FLOAT) {
        return exact_sum(y, mul_add(p, rounded, rate, *c), c);
    }
    const real carried = mul_add(p, (real)(h - (double)rounded), rate, *c), increment = mul_add(p, rounded, rate, carried);
    const real taken = mul_add(p, rounded, rate, 0 - increment) + carried, sum = exact_sum(y, increment, c);
    *c = *c + taken;
    return sum;
}

/* Returns element i of an array at any address, in any layout. */
static real element(const void *array, const kdr_layout *layout, size_t i) {
    real value;
    memcpy(&value, (const char *)array + kdr_offset(layout, sizeof value, i), sizeof value);
    return value;
}

/* Adds the affine part of the force that does not come from arrays: f + kx x + kv v + v cross m. */
static void affine_force(const particle *p, const real x[3], const real v[3], real force[3]) {
    const kdr_field *const field = p->field;
    for (int i = 0; i < p->dims; ++i) {
        if (p->terms & KDR_TERM_STIFFNESS) {
            force[i] = mul_add(p, (real)field->kx[i], x[i], force[i]);
        }
        if (p->terms & KDR_TERM_DAMPING) {
            force[i] = mul_add(p, (real)field->kv[i], v[i], force[i]);
        }
    }
    if (p->terms & KDR_TERM_MAGNETIC) {
        const real mx = (real)field->magnetic[0], my = (real)field->magnetic[1], mz = (real)field->magnetic[2];
        if (p->dims >= 2) {
            force[0] = mul_add(p, mz, v[1], force[0]);
        }
        if (p->dims == 3) {
            force[0] = mul_add(p, -my, v[2], force[0]);
            force[1] = mul_add(p, mx, v[2], force[1]);
        }
        if (p->dims >= 2) {
            force[1] = mul_add(p, -mz, v[0], force[1]);
        }
        if (p->dims == 3) {
            force[2] = mul_add(p, my, v[0], force[2]);
            force[2] = mul_add(p, -mx, v[1], force[2]);
        }
    }
}

/* Adds springs and drags whose parameters are per-particle arrays. */
static void array_forces(const particle *p, const real x[3], const real v[3], real force[3]) {
    for (int s = 0; s < p->field->springs; ++s) {
        const kdr_spring *const spring = &p->field->spring[s];
        for (int i = 0; i < p->dims; ++i) {
            const real k = spring->k_each ? element(spring->k_each, &spring->layout, p->index) : (real)spring->k[i];
            const real at = spring->at_each[i] ? element(spring->at_each[i], &spring->layout, p->index) : (real)spring->at[i];
            force[i] = mul_add(p, k, at - x[i], force[i]);
        }
    }
    for (int d = 0; d < p->field->drags; ++d) {
        const kdr_drag *const drag = &p->field->drag[d];
        for (int i = 0; i < p->dims; ++i) {
            force[i] = mul_add(p, element(drag->b_each, &drag->layout, p->index), (real)drag->wind[i] - v[i], force[i]);
        }
    }
}

/* The quadratic drags, or centres, of an evaluation: all of them; in the method kinematic those that contribute by average, or with
 * KDR_TERM_LATE the others. */
typedef struct ref_range {
    int begin, end;
} ref_range;

static ref_range evaluated(const particle *p, int count, int averaged) {
    if (!kdr_problem_sums(p->problem)) {
        return (ref_range){0, count};
    }
    return (p->terms & KDR_TERM_LATE) ? (ref_range){averaged, count} : (ref_range){0, averaged};
}

/* Adds -c |v - wind| (v - wind). */
static void quadratic_drags(const particle *p, const real v[3], real force[3]) {
    const ref_range of = evaluated(p, p->field->quadratics, p->problem->contributions.averaged_quadratics);
    for (int q = of.begin; q < of.end; ++q) {
        const kdr_quadratic *const drag = &p->field->quadratic[q];
        real u[3] = {0, 0, 0};
        for (int i = 0; i < p->dims; ++i) {
            u[i] = v[i] - (real)drag->wind[i];
        }
        real square = u[0] * u[0];
        for (int i = 1; i < p->dims; ++i) {
            square = mul_add(p, u[i], u[i], square);
        }
        const real factor = (real)drag->minus_c * square_root(square);
        for (int i = 0; i < p->dims; ++i) {
            force[i] = mul_add(p, factor, u[i], force[i]);
        }
    }
}

/* Adds -mu r / (r^2 + eps^2)^(3/2). */
static void centres(const particle *p, const real x[3], real a[3]) {
    const ref_range of = evaluated(p, p->field->centres, p->problem->contributions.averaged_centres);
    for (int c = of.begin; c < of.end; ++c) {
        const kdr_centre *const centre = &p->field->centre[c];
        real r[3];
        real square = (real)centre->softening2;
        for (int i = 0; i < p->dims; ++i) {
            r[i] = x[i] - (real)centre->at[i];
            square = mul_add(p, r[i], r[i], square);
        }
        const real factor = (real)centre->minus_mu / (square * square_root(square));
        for (int i = 0; i < p->dims; ++i) {
            a[i] = mul_add(p, factor, r[i], a[i]);
        }
    }
}

/* Collects the parameters of a custom field's entry. */
static void custom_parameters(const particle *p, const kdr_custom_field_entry *entry, real parameter[KDR_MAX_PARAMETERS],
                              double precise[KDR_MAX_PARAMETERS]) {
    for (int k = 0; k < entry->field->parameter_count; ++k) {
        const bool is_one = entry->each[k] < 0;
        const kdr_custom_field_array *const array = &p->field->custom_array[is_one ? 0 : entry->each[k]];
        parameter[k] = is_one ? (real)entry->parameter[k] : element(array->each, &array->layout, p->index);
        precise[k] = is_one ? entry->parameter[k] : (double)parameter[k];
    }
}

static kdr_real precision(void) { return sizeof(real) == sizeof(float) ? KDR_F32 : KDR_F64; }

static bool is_acceleration(const kdr_custom_field *field) { return (field->flags & KDR_CUSTOM_FIELD_ACCELERATION) != 0; }

static kdr_custom_field_given given_by(const particle *p, const kdr_custom_field_entry *entry, const real *parameter, const double *precise,
                                       double t) {
    return (kdr_custom_field_given){p->dims, parameter, precise, t, (double)p->w, &entry->grid};
}

/* Adds the custom fields that are forces, or those that are accelerations. */
static void custom_fields(const particle *p, const real x[3], const real v[3], double t, bool acceleration, real a[3], real m[3]) {
    for (int e = 0; e < p->field->custom_entries && !(p->terms & KDR_TERM_LATE); ++e) {
        const kdr_custom_field_entry *const entry = &p->field->custom_entry[e];
        real parameter[KDR_MAX_PARAMETERS];
        double precise[KDR_MAX_PARAMETERS];
        if (is_acceleration(entry->field) == acceleration) {
            custom_parameters(p, entry, parameter, precise);
            const kdr_custom_field_given given = given_by(p, entry, parameter, precise, t);
            entry->field->reference[precision()][p->fused ? KDR_FUSED : KDR_UNFUSED](&given, x, v, a, m);
        }
    }
}

/* Returns the time at `fraction` of step n, or of its substep. */
static double time_of(const particle *p, uint64_t n, double fraction) {
    return kdr_clock_time(p->clock, n, kdr_substep_time(&p->problem->substepping, p->substep, fraction));
}

/* Adds v cross m for a particle's own field m; in a plane only the component across it acts. */
static void add_cross(const particle *p, const real v[3], const real m[3], real a[3]) {
    if (p->dims >= 2) {
        a[0] = mul_add(p, m[2], v[1], a[0]);
    }
    if (p->dims == 3) {
        a[0] = mul_add(p, 0 - m[1], v[2], a[0]);
        a[1] = mul_add(p, m[0], v[2], a[1]);
    }
    if (p->dims >= 2) {
        a[1] = mul_add(p, 0 - m[2], v[0], a[1]);
    }
    if (p->dims == 3) {
        a[2] = mul_add(p, m[1], v[0], a[2]);
        a[2] = mul_add(p, 0 - m[0], v[1], a[2]);
    }
}

/* Computes a(x, v, t) at `fraction` of step n or its substep, in the order that force/field.h sets. With KDR_TERM_NO_AFFINE the affine
 * terms are left out. The force of custom magnetic fields is not included; the field is added to m[]. */
static void acceleration_and_field(const particle *p, const real x[3], const real v[3], uint64_t n, double fraction, real a[3], real m[3]) {
    const double t = time_of(p, n, fraction);
    double base[3];
    kdr_field_base(p->field, p->terms, t, base);
    const bool masses = (p->terms & KDR_TERM_MASS) != 0, apart = (p->terms & KDR_TERM_NO_AFFINE) != 0;
    for (int i = 0; i < p->dims; ++i) {
        const real constant = p->pulled ? (real)base[i] + p->pull[i] : (real)base[i];
        a[i] = !masses ? constant : apart ? 0 : (real)p->field->f[i];
    }
    if (!apart) {
        affine_force(p, x, v, a);
        array_forces(p, x, v, a);
    }
    quadratic_drags(p, v, a);
    custom_fields(p, x, v, t, false, a, m);
    for (int i = 0; i < 3 && masses; ++i) {
        if (i < p->dims) {
            a[i] = mul_add(p, p->w, a[i], p->pulled ? (real)base[i] + p->pull[i] : (real)base[i]);
        }
        m[i] = mul_add(p, p->w, m[i], 0);
    }
    centres(p, x, a);
    custom_fields(p, x, v, t, true, a, m);
}

/* Computes the whole acceleration. */
static void acceleration(const particle *p, const real x[3], const real v[3], uint64_t n, double fraction, real a[3]) {
    real m[3] = {0, 0, 0};
    acceleration_and_field(p, x, v, n, fraction, a, m);
    if ((p->terms & KDR_TERM_CUSTOM_MAGNETIC) && !(p->terms & KDR_TERM_LATE)) {
        add_cross(p, v, m, a);
    }
}

/* Adds the part of springs and linear drags to da/dv + th da/dx; it is diagonal. */
static void affine_jacobian(const particle *p, real th, real s[3][3]) {
    const kdr_field *const field = p->field;
    for (int i = 0; i < p->dims; ++i) {
        s[i][i] = mul_add(p, th, (real)field->kx[i], (real)field->kv[i]);
        for (int k = 0; k < field->springs; ++k) {
            const kdr_spring *const spring = &field->spring[k];
            s[i][i] = mul_add(p, -th, spring->k_each ? element(spring->k_each, &spring->layout, p->index) : (real)spring->k[i], s[i][i]);
        }
        for (int k = 0; k < field->drags; ++k) {
            s[i][i] -= element(field->drag[k].b_each, &field->drag[k].layout, p->index);
        }
    }
}

/* Adds e y y^T to the upper half of s. */
static void add_dyad(const particle *p, real e, const real y[3], real s[3][3]) {
    for (int i = 0; i < p->dims; ++i) {
        for (int j = i; j < p->dims; ++j) {
            s[i][j] = mul_add(p, e * y[i], y[j], s[i][j]);
        }
    }
}

/* Adds d/dv of -c |u| u, u = v - wind, which is -c (|u| + u u^T / |u|). */
static void quadratic_jacobian(const particle *p, const real v[3], real s[3][3]) {
    for (int q = 0; q < p->field->quadratics; ++q) {
        const kdr_quadratic *const drag = &p->field->quadratic[q];
        real u[3] = {0};
        for (int i = 0; i < p->dims; ++i) {
            u[i] = v[i] - (real)drag->wind[i];
        }
        real square = u[0] * u[0];
        for (int i = 1; i < p->dims; ++i) {
            square = mul_add(p, u[i], u[i], square);
        }
        const real size = square_root(square);
        for (int i = 0; i < p->dims; ++i) {
            s[i][i] += (real)drag->minus_c * size;
        }
        add_dyad(p, size == (real)0.0 ? (real)0.0 : (real)drag->minus_c / size, u, s);
    }
}

/* Adds d/dx of -mu r / q^(3/2), q = r^2 + eps^2, which is -mu / q^(3/2) + 3 mu r r^T / q^(5/2). */
static void centre_jacobian(const particle *p, real th, const real x[3], real s[3][3]) {
    for (int c = 0; c < p->field->centres; ++c) {
        const kdr_centre *const centre = &p->field->centre[c];
        real r[3];
        real square = (real)centre->softening2;
        for (int i = 0; i < p->dims; ++i) {
            r[i] = x[i] - (real)centre->at[i];
            square = mul_add(p, r[i], r[i], square);
        }
        const real factor = (real)centre->minus_mu / (square * square_root(square));
        for (int i = 0; i < p->dims; ++i) {
            s[i][i] = mul_add(p, th, factor, s[i][i]);
        }
        add_dyad(p, (real)-3.0 * th * factor / square, r, s);
    }
}

/* Computes G = da/dv + th da/dx, in the order that method/rows_implicit.h sets: the symmetric part, then the magnetic part, which is
 * skew. */
static void jacobian(const particle *p, real th, const real x[3], const real v[3], real g[3][3]) {
    memset(g, 0, 3 * sizeof g[0]);
    affine_jacobian(p, th, g);
    quadratic_jacobian(p, v, g);
    real m[3] = {(real)p->field->magnetic[0], (real)p->field->magnetic[1], (real)p->field->magnetic[2]};
    if (p->terms & KDR_TERM_MASS) {
        for (int i = 0; i < 3; ++i) {
            for (int j = i; j < 3; ++j) {
                g[i][j] *= p->w;
            }
            m[i] *= p->w;
        }
    }
    centre_jacobian(p, th, x, g);
    for (int i = 0; i < 3; ++i) {
        for (int j = i + 1; j < 3; ++j) {
            const bool forward = j == i + 1; /* v x m: +m_z in row 0, column 1; -m_y in row 0, column 2; +m_x in row 1, column 2 */
            const real skew = forward ? m[3 - i - j] : -m[3 - i - j];
            const bool magnetic = (p->terms & KDR_TERM_MAGNETIC) != 0;
            g[j][i] = magnetic ? g[i][j] - skew : g[i][j];
            g[i][j] = magnetic ? g[i][j] + skew : g[i][j];
        }
    }
}

/* Adds the derivatives of custom fields, entry by entry. */
static void custom_jacobian(const particle *p, real th, const real x[3], const real v[3], double t, real g[3][3]) {
    for (int e = 0; e < p->field->custom_entries; ++e) {
        const kdr_custom_field_entry *const entry = &p->field->custom_entry[e];
        const bool masses = (p->terms & KDR_TERM_MASS) && !is_acceleration(entry->field);
        real parameter[KDR_MAX_PARAMETERS], s[3][3] = {{0}};
        double precise[KDR_MAX_PARAMETERS];
        custom_parameters(p, entry, parameter, precise);
        const kdr_custom_field_given given = given_by(p, entry, parameter, precise, t);
        entry->field->jacobian[precision()][p->fused ? KDR_FUSED : KDR_UNFUSED](&given, (double)th, x, v, s);
        for (int i = 0; i < p->dims; ++i) {
            for (int j = 0; j < p->dims; ++j) {
                g[i][j] = masses ? mul_add(p, p->w, s[i][j], g[i][j]) : g[i][j] + s[i][j];
            }
        }
    }
}
