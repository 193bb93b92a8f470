/* Kinematic methods: affine motion, and Brown's sum of contributions. */

/* Makes this particle's affine map of a step h, once per run. */
static void make_map(particle *p, double h) {
    kdr_affine_each each;
    memset(&each, 0, sizeof each);
    each.w = (double)p->w;
    for (int s = 0; s < p->field->springs; ++s) {
        const kdr_spring *const spring = &p->field->spring[s];
        each.k[s] = spring->k_each ? (double)element(spring->k_each, &spring->layout, p->index) : 0.0;
        for (int i = 0; i < p->dims; ++i) {
            each.at[s][i] = spring->at_each[i] ? (double)element(spring->at_each[i], &spring->layout, p->index) : 0.0;
        }
    }
    for (int d = 0; d < p->field->drags; ++d) {
        each.b[d] = (double)element(p->field->drag[d].b_each, &p->field->drag[d].layout, p->index);
    }
    const kdr_contributions *const contributions = kdr_problem_sums(p->problem) ? &p->problem->contributions : NULL;
    if (kdr_affine_couples(p->terms, p->dims)) {
        kdr_map_axes(contributions, p->field, p->terms, &each, p->dims, h, &p->map);
    } else {
        for (int i = 0; i < p->dims; ++i) {
            kdr_map_axis(contributions, p->field, p->terms, &each, i, h, &p->map);
        }
    }
    p->mapped = true;
}

/* Returns y + row (x, v, 1), in the order that method/rows_kinematic.h sets. `i` is y's axis, the only one that counts if axes are
 * independent. */
static real mapped(const particle *p, const kdr_affine_row *row, int i, const real x[3], const real v[3], real y, real *c) {
    const bool coupled = kdr_affine_couples(p->terms, p->dims);
    const bool springs = (p->terms & (KDR_TERM_STIFFNESS | KDR_TERM_SPRINGS)) != 0;
    const bool compensated = (p->terms & KDR_TERM_COMPENSATED) != 0, offset = (p->terms & KDR_TERM_OFFSET) != 0;
    const int first = coupled ? 0 : i, last = coupled ? p->dims - 1 : i;
    if (!coupled && !compensated && !offset) {
        const real moved = mul_add(p, (real)row->v[i], v[i], y);
        return springs ? mul_add(p, (real)row->x[i], x[i], moved) : moved;
    }
    real sum = !offset ? *c : compensated ? *c + (real)row->q : (real)row->q;
    for (int j = first; j <= last; ++j) {
        const bool begun = compensated || offset || j > first;
        sum = begun ? mul_add(p, (real)row->v[j], v[j], sum) : (real)row->v[j] * v[j];
    }
    for (int j = first; springs && j <= last; ++j) {
        sum = mul_add(p, (real)row->x[j], x[j], sum);
    }
    return compensated ? exact_sum(y, sum, c) : y + sum;
}

/* Applies the exact solution of x'' = kx x + kv v + v cross m + f after a time h, from (x, v): an affine map of (x, v). */
static void affine_motion(particle *p, double h) {
    if (!p->mapped) {
        make_map(p, h);
    }
    real x[3], v[3];
    memcpy(x, p->x, sizeof x);
    memcpy(v, p->v, sizeof v);
    for (int i = 0; i < p->dims; ++i) {
        p->x[i] = mapped(p, &p->map.x[i], i, x, v, p->x[i], &p->cx[i]);
        p->v[i] = mapped(p, &p->map.v[i], i, x, v, p->v[i], &p->cv[i]);
    }
}

/* Makes a step if the whole field is affine: y_{n+1} = exp(A h) y_n + q, y = (x, v). */
static void exact_affine(particle *p, uint64_t n) {
    (void)n;
    affine_motion(p, p->h);
}

/* Makes a step of Strang 1968, HLW II.5: half a step of the affine motion, a kick by everything that is not affine, half a step of the
 * affine motion. */
static void strang_affine(particle *p, uint64_t n) {
    real a[3], middle[3];
    affine_motion(p, p->h * 0.5);
    if (p->terms & (KDR_TERMS_NOT_AFFINE | KDR_TERM_DRIVEN)) {
        acceleration(p, p->x, p->v, n, 0.5, a);
        if (p->terms & KDR_TERMS_NOT_AFFINE_IN_V) {
            stage(p, (real)(p->h * 0.5), a, p->v, middle);
            acceleration(p, p->x, middle, n, 0.5, a);
        }
        kick(p, p->h, a);
    }
    affine_motion(p, p->h * 0.5);
}

/* Computes y += d, a contribution that all particles share. */
static void push(const particle *p, double d, real *y, real *c) {
    if (p->terms & KDR_TERM_COMPENSATED) {
        *y = exact_sum(*y, *c + (real)d, c);
    } else {
        *y = *y + (real)d;
    }
}

/* Makes a step of Brown's kinematic integrator: free flight, and the sum of each force's contributions to x and to v. Those of affine
 * forces are rows of a map (x, v) -> (dx, dv), computed once per run. Centres and quadratic drags contribute by a_n; driven fields by
 * their changes in this step. */
static void kinematic_sum(particle *p, uint64_t n) {
    const kdr_contributions *const contributions = &p->problem->contributions;
    const double h = p->h;
    const int count[2] = {contributions->averaged_quadratics + contributions->averaged_centres + ((p->terms & KDR_TERMS_AVERAGED) != 0),
                          p->field->quadratics + p->field->centres - contributions->averaged_quadratics - contributions->averaged_centres};
    real a[2][3]; /* [0]: forces that contribute by average, [1]: those that contribute by pulse or euler */
    for (int late = 0; late < 2; ++late) {
        if (count[late] > 0) {
            particle undriven = *p;
            undriven.terms |= KDR_TERM_UNDRIVEN | (late ? KDR_TERM_LATE : 0U);
            acceleration(&undriven, p->x, p->v, n, 0.0, a[late]);
        }
    }
    affine_motion(p, h);
    for (int late = 0; late < 2; ++late) {
        const double lift = late ? h * h : 0.5 * h * h;
        for (int i = 0; i < p->dims && count[late] > 0; ++i) {
            p->x[i] = advance(p, lift, a[late][i], p->x[i], &p->cx[i]);
            p->v[i] = advance(p, h, a[late][i], p->v[i], &p->cv[i]);
        }
    }
    if (p->terms & KDR_TERM_DRIVEN) {
        double moved[6];
        kdr_problem_drive(p->problem, p->clock, n, moved);
        for (int i = 0; i < p->dims; ++i) {
            push(p, moved[i], &p->x[i], &p->cx[i]);
            push(p, moved[3 + i], &p->v[i], &p->cv[i]);
        }
    }
}
