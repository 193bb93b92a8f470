/* Whole steps of one chunk: U vectors of particles on D axes; element [i * U + u] is vector u on axis i. Rows, D and U are constants
 * after inlining. The order of operations is that of method/rows.h and force/field.h. */

/* The terms, in addition to uniform ones, that specialised kernels support. */
enum { SPRING = KDR_TERM_STIFFNESS, DRAG = KDR_TERM_DAMPING, CENTRE = KDR_TERM_CENTRES, MASS = KDR_TERM_MASS };

/* A plane without friction after each step. */
enum { GROUND = KDR_TERM_COLLIDERS };

/* A kinematic method's map, which includes drag, with or without a constant part. */
enum { MAPPED = KDR_TERM_NO_AFFINE, OFFSET = KDR_TERM_OFFSET };

/* Flags in addition to terms: square roots by multiply-adds (roots.h); the vectors of a chunk make a step one after the other; kicks are
 * sums. */
enum { FUSED_ROOTS = 1 << 30, VECTORS_IN_TURN = 1 << 29, EXACT_KICKS = 1 << 28 };
#define IS_UNIFORM(field) (((field) & ~(unsigned)(GROUND | VECTORS_IN_TURN | EXACT_KICKS)) == 0)

/* the most vectors of a chunk and of a tile, on all axes, and stages */
enum { MOST = 18, MOST_TILE = 48, MOST_STAGES = KDR_SCALED_STAGES };

/* The constants of a run's steps, in the unit's precision: numbers of the field on the stepped axes, the row's coefficients times the
 * step (method/family.h), and J^-1 of each axis of an implicit row. */
typedef struct constants {
    _Alignas(vr) size_t bytes; /* bytes that are set, up to the row's last coefficient */
    bool exact;                /* EXACT_KICKS: no product of a kick and the acceleration needs rounding */
    real base[3], force[3], kx[3], kv[3], minus_mu, softening2, at[3], inverse[3], row[3][6];
    wall ground;
    real step; /* length of the step, for the ground */
#ifdef KDR_FIELD_FILE
    real parameter[KDR_MAX_PARAMETERS];
    int dims, first;
#endif
    KDR_SCALED(real);
} constants;
_Static_assert(sizeof(constants) <= KDR_HOT_CONSTANTS, "more than the driver has room for");

#ifdef KDR_FIELD_FILE
/* Adds the user-defined field. */
INLINE void add_custom(const constants *c, int D, int U, const vr *x, const vr *v, vr *a) {
    const kdr_at at = {.dims = D == 3 ? 3 : c->dims, .axis = c->first, .parameter = c->parameter};
    EACH(u, U) {
        vr here[3], speed[3], sum[3];
        EACH(i, D) {
            here[i] = x[i * U + u];
            speed[i] = ((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) ? v[i * U + u] : v_set1(0);
            sum[i] = a[i * U + u];
        }
        kdr_field_add(&at, here, speed, sum, D);
        EACH(i, D) { a[i * U + u] = sum[i]; }
    }
}
#endif

/* Adds the centre for vectors [from, from + count) of U. Roots by multiply-adds are computed side by side; others one by one, which
 * needs fewer registers. */
INLINE void add_centre(const constants *c, bool fused, int D, int U, int from, int count, const vr *x, vr *a) {
    vr r[MOST], factor[MOST];
    EACH(n, count) {
        factor[n] = v_set1(c->softening2);
        EACH(i, D) {
            r[i * count + n] = v_sub(x[i * U + from + n], v_set1(c->at[i]));
            factor[n] = mul_add(r[i * count + n], r[i * count + n], factor[n]);
        }
    }
    over_cubes(fused, count, v_set1(c->minus_mu), factor, factor);
    EACH(n, count) {
        EACH(i, D) { a[i * U + from + n] = mul_add(factor[n], r[i * count + n], a[i * U + from + n]); }
    }
}

/* Computes the acceleration. w has one vector of inverse masses per vector, in fields with MASS. */
INLINE void acceleration(const constants *c, unsigned field, int D, int U, const vr *w, const vr *x, const vr *v, vr *a) {
    EACH(i, D) {
        EACH(u, U) { a[i * U + u] = v_set1((field & MASS) ? c->force[i] : c->base[i]); }
    }
    if (field & SPRING) {
        EACH(i, D) {
            EACH(u, U) { a[i * U + u] = mul_add(v_set1(c->kx[i]), x[i * U + u], a[i * U + u]); }
        }
    }
    if (field & DRAG) {
        EACH(i, D) {
            EACH(u, U) { a[i * U + u] = mul_add(v_set1(c->kv[i]), v[i * U + u], a[i * U + u]); }
        }
    }
    if (field & MASS) {
        EACH(i, D) {
            EACH(u, U) { a[i * U + u] = mul_add(w[u], a[i * U + u], v_set1(c->base[i])); }
        }
    }
    if (field & CENTRE) {
        if (field & FUSED_ROOTS) {
            add_centre(c, true, D, U, 0, U, x, a);
        } else {
            EACH(u, U) { add_centre(c, false, D, U, u, 1, x, a); }
        }
    }
#ifdef KDR_FIELD_FILE
    add_custom(c, D, U, x, v, a);
#endif
}

/* Computes y += h rate. */
INLINE void advance(real h, int N, const vr *rate, vr *y) {
    const vr step = v_set1(h);
    EACH(n, N) { y[n] = mul_add(step, rate[n], y[n]); }
}

/* Computes v += h a. If the product is exact, the separate sum rounds like a multiply-add, and some processors have extra units for
 * sums. */
INLINE void kick_by(unsigned field, real h, int N, const vr *a, vr *v) {
    const vr by = v_set1(h);
    EACH(n, N) { v[n] = (field & EXACT_KICKS) ? v_add(v_mul(by, a[n]), v[n]) : mul_add(by, a[n], v[n]); }
}

/* The arguments of every family's step. S: the number of stages of a row. */
#define STEP_OF const void *row, int S, const constants *c, unsigned field, int D, int U, const vr *w, vr *x, vr *v, vr *a

/* Returns the first index with the same fraction, so that equal fractions share a register and their products are computed once. */
INLINE int first_of(const double *fraction, int i) {
    int at = i;
    EACH(j, i) { at = fraction[j] == fraction[i] && j < at ? j : at; }
    return at;
}

/* Makes kick and drift i of a splitting row. */
INLINE void kick_and_drift(const kdr_splitting_row *list, bool keeps, bool predicts, int i, const constants *c, unsigned field, int D,
                           int U, const vr *w, vr *x, vr *v, vr *a) {
    const int N = D * U;
    const real kick = c->part[first_of(list->kick, i)].kick, drift = c->part[first_of(list->drift, i)].drift;
    if (list->kick[i] != 0.0) {
        if (!(keeps && i == 0)) {
            vr seen[MOST];
            const vr by = v_set1(kick);
            EACH(n, N) { seen[n] = predicts ? mul_add(by, a[n], v[n]) : v[n]; }
            acceleration(c, field, D, U, w, x, seen, a);
        }
        /* one and a half of a drift's two kicks are sums, as many operations as there are multiply-adds then */
        const int sums = (field & EXACT_KICKS) && keeps && i == 1 && list->stages == 2 ? N / 2 : N;
        kick_by(field, kick, sums, a, v);
        kick_by(0, kick, N - sums, a + sums, v + sums);
    }
    if (list->drift[i] != 0.0) {
        advance(drift, N, v, x);
    }
}

/* Makes a step of a splitting row known at compile time. */
INLINE void splitting_step(STEP_OF) {
    const kdr_splitting_row *const list = row;
    (void)S;
    EACH(i, list->stages) { kick_and_drift(list, kdr_splitting_keeps(list), list->predicts, i, c, field, D, U, w, x, v, a); }
}

/* Makes a step of a splitting row read at run time. It must be full and must not predict. */
INLINE void splitting_any_step(STEP_OF) {
    const kdr_splitting_row *const list = row;
    const int N = D * U, last = list->stages - 1;
    int i = 0;
    (void)S;
    if (list->kick[0] == 0.0 || kdr_splitting_keeps(list)) {
        if (list->kick[0] != 0.0) {
            kick_by(field, c->part[0].kick, N, a, v);
        }
        advance(c->part[0].drift, N, v, x);
        i = 1;
    }
    for (; i < last; ++i) {
        acceleration(c, field, D, U, w, x, v, a);
        kick_by(field, c->part[i].kick, N, a, v);
        advance(c->part[i].drift, N, v, x);
    }
    acceleration(c, field, D, U, w, x, v, a);
    kick_by(field, c->part[last].kick, N, a, v);
    if (list->drift[last] != 0.0) {
        advance(c->part[last].drift, N, v, x);
    }
}

/* Adds a stage's slope to the sum as soon as it is known. Neighbours of equal weight are first added up in `run`. `once`: the weight is
 * 1, and nothing is multiplied; `begun`: the sum already has terms. Loops over stages have constant bounds, including those over earlier
 * stages, because clang unrolls others too late for slopes to become registers. */
INLINE void weigh(unsigned marks, bool once, bool begun, real ratio, int N, const vr *k, vr *run, vr *sum) {
    EACH(n, N) { run[n] = (marks & KDR_JOINS) ? v_add(run[n], k[n]) : k[n]; }
    if (marks & KDR_ENDS) {
        const vr factor = v_set1(ratio);
        EACH(n, N) {
            if (once) {
                sum[n] = begun ? v_add(sum[n], run[n]) : run[n];
            } else {
                sum[n] = begun ? mul_add(factor, run[n], sum[n]) : v_mul(factor, run[n]);
            }
        }
    }
}

/* Returns h a_ij of a row, from the first place with the same value. */
INLINE real factor_of(const kdr_runge_kutta_row *row, const constants *c, int stages, int i, int j) {
    real factor = c->a[i][j];
    bool found = false;
    EACH(k, stages) {
        EACH(l, stages) {
            if (!found && l < k && row->a[k][l] == row->a[i][j]) {
                factor = c->a[k][l];
                found = true;
            }
        }
    }
    return factor;
}

INLINE void stage_of(const kdr_runge_kutta_row *row, const constants *c, unsigned field, int stages, int i, unsigned used, int N,
                     const vr *y, vr k[][MOST], vr *out) {
    EACH(n, N) { out[n] = y[n]; }
    EACH(j, stages) {
        if (j < i && (used >> j & 1)) {
            kick_by(field, factor_of(row, c, stages, i, j), N, k[j], out);
        }
    }
}

INLINE unsigned used_of(const kdr_runge_kutta_row *row, int stages, int i) {
    unsigned used = 0;
    EACH(j, stages) { used |= j < i && row->a[i][j] != 0.0 ? 1U << j : 0U; }
    return used;
}

/* Makes a step of a Runge-Kutta row known at compile time. */
INLINE void runge_kutta_stages(const kdr_runge_kutta_row *row, int stages, const constants *c, unsigned field, int D, int U, const vr *w,
                               vr *x, vr *v) {
    const int N = D * U;
    vr kx[MOST_STAGES][MOST], kv[MOST_STAGES][MOST], runx[MOST], runv[MOST], sumx[MOST], sumv[MOST];
    EACH(n, N) { runx[n] = runv[n] = sumx[n] = sumv[n] = v_set1(0); }
    bool begun = false;
    EACH(i, stages) {
        const unsigned marks = kdr_weight_marks(row->ratio, stages, i), used = used_of(row, stages, i);
        const bool once = row->ratio[i] == 1.0;
        vr xs[MOST];
        stage_of(row, c, 0, stages, i, used, N, x, kx, xs);
        stage_of(row, c, field, stages, i, used, N, v, kv, kx[i]);
        if (row->ratio[i] != 0.0) {
            weigh(marks, once, begun, c->weight[i], N, kx[i], runx, sumx);
        }
        acceleration(c, field, D, U, w, xs, kx[i], kv[i]);
        if (row->ratio[i] != 0.0) {
            weigh(marks, once, begun, c->weight[i], N, kv[i], runv, sumv);
            begun = begun || (marks & KDR_ENDS);
        }
    }
    advance(c->scale, N, sumx, x);
    kick_by(stages == 1 ? field : 0, c->scale, N, sumv, v);
}

/* Makes a Runge-Kutta step; the number of stages is a constant too. */
INLINE void runge_kutta_step(STEP_OF) {
    (void)a;
    runge_kutta_stages(row, S, c, field, D, U, w, x, v);
}

/* Computes out = y + the sum of factors times slopes, over the stages before the i-th with nonzero coefficients. */
INLINE void sum_of(unsigned field, int stages, int i, const double *has, const real *factor, int N, const vr *y, vr k[][MOST], vr *out) {
    EACH(n, N) { out[n] = y[n]; }
    EACH(j, stages) {
        if (j < i && has[j] != 0.0) {
            kick_by(field, factor[j], N, k[j], out);
        }
    }
}

/* Makes a step of a Nystrom row known at compile time. */
INLINE void nystrom_step(STEP_OF) {
    const kdr_nystrom_row *const list = row;
    const int N = D * U;
    vr k[MOST_STAGES][MOST], mean[MOST], xs[MOST], sum[MOST];
    (void)a;
    EACH(n, N) { xs[n] = x[n]; }
    EACH(i, S) {
        if (i > 0) {
            sum_of(field, S, i, list->a[i], c->a[i], N, v, k, mean);
            EACH(n, N) { xs[n] = x[n]; }
            advance(c->c[i], N, mean, xs);
        }
        acceleration(c, field, D, U, w, xs, v, k[i]);
    }
    if (list->ends_at_last_stage) {
        EACH(n, N) { x[n] = xs[n]; }
    } else {
        sum_of(field, S, S, list->b, c->b, N, v, k, mean);
        advance(c->h, N, mean, x);
    }
    EACH(i, S) {
        if (list->ratio[i] != 0.0) {
            const vr ratio = v_set1(c->weight[i]);
            EACH(n, N) { sum[n] = i == 0 ? v_mul(ratio, k[i][n]) : mul_add(ratio, k[i][n], sum[n]); }
        }
    }
    kick_by(S == 1 ? field : 0, c->scale, N, sum, v);
}

/* Makes a step of Stormer-Verlet. During a run v holds the previous positions. */
INLINE void multistep_step(STEP_OF) {
    const vr square = v_set1(c->scale);
    (void)row, (void)S;
    EACH(n, D * U) {
        const vr here = x[n];
        x[n] = v_add(here, mul_add(square, a[n], v_sub(here, v[n])));
        v[n] = here;
    }
    acceleration(c, field, D, U, w, x, v, a);
}

/* Makes a step of an implicit row in an affine field with independent axes: it solves the equation, and then once more for the remaining
 * rounding error. */
INLINE void implicit_step(STEP_OF) {
    const int N = D * U;
    vr k[MOST], left[MOST], mean[MOST], y[MOST];
    (void)row, (void)S, (void)a;
    EACH(n, N) { y[n] = x[n]; }
    advance(c->th, N, v, y);
    acceleration(c, field, D, U, w, y, v, k);
    EACH(i, D) {
        EACH(u, U) { k[i * U + u] = v_mul(v_set1(c->inverse[i]), k[i * U + u]); }
    }
    EACH(n, N) {
        mean[n] = v[n];
        y[n] = x[n];
    }
    advance(c->th, N, k, mean);
    advance(c->th, N, mean, y);
    acceleration(c, field, D, U, w, y, mean, left);
    advance(-1, N, k, left);
    EACH(i, D) {
        EACH(u, U) { left[i * U + u] = v_mul(v_set1(c->inverse[i]), left[i * U + u]); }
    }
    advance(c->th, N, left, mean);
    advance(c->h, N, mean, x);
    advance(c->h, N, left, v);
    advance(c->h, N, k, v);
}

/* Adds a row's increment to y, in the order that method/rows_kinematic.h sets. */
INLINE vr mapped(unsigned field, const real *row, vr x, vr v, vr y) {
    if (!(field & OFFSET)) {
        y = mul_add(v_set1(row[0]), v, y);
        return (field & SPRING) ? mul_add(v_set1(row[1]), x, y) : y;
    }
    const vr sum = mul_add(v_set1(row[0]), v, v_set1(row[2]));
    return v_add(y, (field & SPRING) ? mul_add(v_set1(row[1]), x, sum) : sum);
}

/* Makes a step by the map of affine motion. */
INLINE void map_step(STEP_OF) {
    (void)row, (void)S, (void)w, (void)a;
    EACH(i, D) {
        EACH(u, U) {
            const vr old_x = x[i * U + u], old_v = v[i * U + u];
            x[i * U + u] = mapped(field, c->row[i], old_x, old_v, old_x);
            v[i * U + u] = mapped(field, c->row[i] + 3, old_x, old_v, old_v);
        }
    }
}
