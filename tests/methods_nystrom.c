/* Nystrom methods: order conditions by trees, results in exact arithmetic, stability by the step's matrix, refusals, and compensated
 * runs. */
#include "support.h"

#include "method/method.h"

/* The first and the last row of the family. */
enum { FIRST = KDR_SUVAT, LAST = KDR_DPRKN_6 };

static const kdr_nystrom_row *row_of(int m) { return kdr_row_get((kdr_method)m)->data.nystrom; }
static const char *name_of(int m) { return kdr_method_get((kdr_method)m)->name; }

/* Order conditions
 *
 * For x'' = a(x) they are indexed by special Nystrom trees (Hairer, Norsett, Wanner, "Solving Ordinary Differential Equations I", II.14). A
 * tree has a fat root (an a), and on it branches. Each branch is a meagre vertex (a v) that ends there or carries one more tree. The order
 * rho of a tree is the number of its vertices. Its density gamma is the product over all vertices of the size of the subtree there. With
 * Phi_i(tree) = product over the branches of c_i (ends) or sum_j a_ij Phi_j(the tree it carries), a method is of order p if sum b'_i Phi_i
 * = 1 / gamma for rho <= p (v), and sum b_i Phi_i = 1 / ((rho + 1) gamma) for rho <= p - 1 (x). */
enum { MOST_ORDER = 7, MOST_TREES = 43, MOST_BRANCHES = MOST_ORDER - 1, BARE = -1 };

typedef struct tree {
    int order, branches;
    int carried[MOST_BRANCHES]; /* index of the tree that a branch carries, or BARE; in descending order */
    double gamma;
} tree;

typedef struct forest {
    tree tree[MOST_TREES];
    int count;
} forest;

static int branch_order(const forest *f, int carried) { return carried == BARE ? 1 : 1 + f->tree[carried].order; }
static double branch_gamma(const forest *f, int carried) { return carried == BARE ? 1 : branch_order(f, carried) * f->tree[carried].gamma; }

/* Makes all ways to put branches of `left` vertices in total on a root, none of them after `from` in the list of trees. */
static void grow(forest *f, tree *t, int left, int from) {
    if (left == 0) {
        cr_assert(f->count < MOST_TREES);
        t->gamma = t->order;
        for (int b = 0; b < t->branches; ++b) {
            t->gamma *= branch_gamma(f, t->carried[b]);
        }
        f->tree[f->count++] = *t;
        return;
    }
    for (int carried = from; carried >= BARE; --carried) {
        if (branch_order(f, carried) <= left) {
            t->carried[t->branches++] = carried;
            grow(f, t, left - branch_order(f, carried), carried);
            --t->branches;
        }
    }
}

static forest *all_trees(void) {
    static forest f;
    static const int counts[MOST_ORDER] = {1, 1, 2, 3, 6, 10, 20}; /* HNW II.14, table 14.3 */
    f.count = 0;
    for (int order = 1; order <= MOST_ORDER; ++order) {
        const int before = f.count;
        grow(&f, &(tree){.order = order}, order - 1, before - 1);
        cr_assert(f.count - before == counts[order - 1], "%d trees of order %d", f.count - before, order);
    }
    return &f;
}

typedef struct defects {
    double of_x[MOST_ORDER + 2], of_v[MOST_ORDER + 2]; /* the largest defects, by the order of the method that needs them to be 0 */
} defects;

static long double weighted(const kdr_nystrom_row *row, const double *weight, const long double *phi) {
    long double sum = 0;
    for (int i = 0; i < row->stages; ++i) {
        sum += weight[i] * phi[i];
    }
    return sum;
}

static defects defects_of(const kdr_nystrom_row *row) {
    const forest *f = all_trees();
    static long double phi[MOST_TREES][KDR_NYSTROM_STAGES];
    defects d = {{0}, {0}};
    double bv[KDR_NYSTROM_STAGES];
    for (int i = 0; i < row->stages; ++i) {
        bv[i] = row->scale * row->ratio[i];
    }
    for (int n = 0; n < f->count; ++n) {
        const tree *t = &f->tree[n];
        for (int i = 0; i < row->stages; ++i) {
            phi[n][i] = 1;
            for (int b = 0; b < t->branches; ++b) {
                phi[n][i] *= t->carried[b] == BARE ? row->c[i] : weighted(row, row->a[i], phi[t->carried[b]]);
            }
        }
        const double v = fabs((double)(weighted(row, bv, phi[n]) - 1 / (long double)t->gamma));
        const double x = fabs((double)(weighted(row, kdr_nystrom_weights(row), phi[n]) - 1 / ((t->order + 1) * (long double)t->gamma)));
        d.of_v[t->order] = fmax(d.of_v[t->order], v);
        d.of_x[t->order + 1] = fmax(d.of_x[t->order + 1], x);
    }
    return d;
}

/* The conditions hold to rounding up to the order that the table claims, and not beyond. */
Test(methods_nystrom, order_conditions) {
    for (int m = FIRST; m <= LAST; ++m) {
        const int order = kdr_method_get((kdr_method)m)->order;
        const defects d = defects_of(row_of(m));
        for (int p = 1; p <= order; ++p) {
            cr_expect(d.of_v[p] < 1e-15 && d.of_x[p] < 1e-15, "%s: order %d off by %.3g in x, %.3g in v", name_of(m), p, d.of_x[p],
                      d.of_v[p]);
        }
        cr_expect(d.of_v[order + 1] > 1e-6, "%s: v is of order %d", name_of(m), order + 1);
    }
}

Test(methods_nystrom, rows_are_what_the_kernels_take_them_for) {
    for (int m = FIRST; m <= LAST; ++m) {
        const kdr_nystrom_row *const row = row_of(m);
        const kdr_method_info *const info = kdr_method_get((kdr_method)m);
        cr_assert(row, "%s", name_of(m));
        cr_expect(info->evaluations == row->stages && info->start_evaluations == 0, "%s", name_of(m));
        cr_expect(row->c[0] == 0 && row->ratio[0] == 1, "%s", name_of(m));
        cr_expect(!row->ends_at_last_stage || row->c[row->stages - 1] == 1, "%s", name_of(m));
        for (int i = 0; i < row->stages; ++i) {
            double sum = 0;
            for (int j = 0; j < KDR_NYSTROM_STAGES; ++j) {
                cr_expect(j < i || row->a[i][j] == 0, "%s: a[%d][%d]", name_of(m), i, j);
                sum += row->a[i][j];
            }
            cr_expect(close_to(sum, row->c[i] * row->c[i] / 2, 1e-16), "%s: row %d of a", name_of(m), i);
        }
        double fraction[KDR_MAX_FRACTIONS];
        cr_assert(kdr_row_get((kdr_method)m)->family->times(kdr_row_get((kdr_method)m), fraction) == row->stages);
        cr_expect(memcmp(fraction, row->c, (size_t)row->stages * sizeof(double)) == 0, "%s", name_of(m));
    }
}

/* Results of the methods in 50 digits for Kepler's problem, e = 1/2, from (1/2, 0) with velocity (0, sqrt 3), h = 1/64, t = 1. */
static const struct {
    kdr_method method;
    double x[2], v[2];
} kepler[] = {
    {KDR_SUVAT, {-0.4438885899742218435978, 0.8842774784713052953495}, {-1.059029175107942521253, 0.09981663579893213817238}},
    {KDR_NYSTROM_4, {-0.4279673260725557203557, 0.8637755703756988025668}, {-1.034667282597664951032, 0.06471269551915987323593}},
    {KDR_NYSTROM_5, {-0.4279672458568599165575, 0.8637757015439164159864}, {-1.034667232452209223507, 0.06471292118620456364145}},
    {KDR_RKN_4_3, {-0.4279672670476478736856, 0.8637756819061393936092}, {-1.034667245397843180747, 0.06471288828700071150839}},
    {KDR_DPRKN_5, {-0.4279672455151710293455, 0.8637757011617330316060}, {-1.034667232354394103815, 0.06471292040718252219440}},
    {KDR_DPRKN_6, {-0.4279672455632787934014, 0.8637757010443632515757}, {-1.034667232374102008764, 0.06471292019221092538545}},
};

Test(methods_nystrom, kepler_to_a_few_ulp) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    const state start = {{0.5, 0, 0}, {0, 1.7320508075688772, 0}};
    double worst[2] = {0, 0};
    for (int i = 0; i < RUNNERS * KDR_ARITHMETIC_COUNT * 2 * (LAST - FIRST + 1); ++i) {
        const int m = i / (RUNNERS * KDR_ARITHMETIC_COUNT * 2);
        const bool compensated = i / (RUNNERS * KDR_ARITHMETIC_COUNT) % 2;
        kdr_integrator_desc desc = describe(kepler[m].method, KDR_F64, (kdr_arithmetic)(i / RUNNERS % KDR_ARITHMETIC_COUNT), &sun, 1);
        desc.compensated = compensated;
        const state end = advance_one(i % RUNNERS, &desc, start, 0x1p-6, 64);
        for (int axis = 0; axis < 2; ++axis) {
            const double x = fabs(end.x[axis] - kepler[m].x[axis]), v = fabs(end.v[axis] - kepler[m].v[axis]);
            worst[compensated] = fmax(worst[compensated], fmax(x, v));
            cr_expect(x <= 2e-15 && v <= 2e-15, "%s: axis %d off by %.3g in x, %.3g in v", name_of((int)kepler[m].method), axis, x, v);
        }
    }
    fprintf(stderr, "off by at most %.3g, compensated %.3g\n", worst[0], worst[1]);
}

/* On the undamped oscillator of frequency 1 a step is a matrix. It multiplies a certain quadratic form by its determinant, so if the
 * eigenvalues are complex the determinant alone tells whether the motion grows. */
typedef struct matrix {
    long double xx, xv, vx, vv;
} matrix;

static void oscillate(const kdr_nystrom_row *row, long double h, long double *x, long double *v) {
    long double k[KDR_NYSTROM_STAGES], new_x = *x + h * *v, new_v = *v;
    for (int i = 0; i < row->stages; ++i) {
        k[i] = -(*x + row->c[i] * h * *v);
        for (int j = 0; j < i; ++j) {
            k[i] -= h * h * row->a[i][j] * k[j];
        }
        new_x += h * h * kdr_nystrom_weights(row)[i] * k[i];
        new_v += h * (long double)row->scale * row->ratio[i] * k[i];
    }
    *x = new_x;
    *v = new_v;
}

static matrix matrix_of(int m, double h) {
    long double x = 1, v = 0, x2 = 0, v2 = 1;
    oscillate(row_of(m), h, &x, &v);
    oscillate(row_of(m), h, &x2, &v2);
    return (matrix){x, x2, v, v2};
}

static long double determinant(const matrix *a) { return a->xx * a->vv - a->xv * a->vx; }

/* Returns the absolute value of the larger eigenvalue. */
static long double radius(const matrix *a) {
    const long double half = (a->xx + a->vv) / 2, rest = half * half - determinant(a);
    return rest < 0 ? sqrtl(determinant(a)) : fabsl(half) + sqrtl(rest);
}

/* Methods without a stability interval in the table grow at every step size, at the rate that the determinant gives; this is measured. */
Test(methods_nystrom, no_interval_means_growth) {
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    int seen = 0;
    for (int m = FIRST; m <= LAST; ++m) {
        if (kdr_method_get((kdr_method)m)->stability > 0) {
            continue;
        }
        ++seen;
        for (int k = 0; k <= 3; ++k) {
            const matrix a = matrix_of(m, ldexp(1, -k));
            cr_expect(radius(&a) > 1, "%s is stable at %g", name_of(m), ldexp(1, -k));
        }
        for (int k = 0; k <= 1; ++k) {
            const matrix a = matrix_of(m, ldexp(1, -k));
            const long double rate = logl(determinant(&a));
            const uint64_t steps = rate > 1e-6 ? (uint64_t)(0.5L / rate) : 500000;
            const kdr_integrator_desc desc = describe((kdr_method)m, KDR_F64, KDR_FUSED, &spring, 1);
            const state end = advance_one(BY_INTEGRATOR, &desc, (state){{1, 0, 0}, {0, 0, 0}}, ldexp(1, -k), steps);
            const long double x = end.x[0], v = end.v[0];
            const long double grown = (a.vx * x * x + (a.vv - a.xx) * x * v - a.xv * v * v) / a.vx;
            const double ratio = (double)(logl(grown) / (rate * steps));
            cr_expect(close_to(ratio, 1, 1e-3), "%s at %g, %" PRIu64 " steps: the growth is %.6f of the expected", name_of(m), ldexp(1, -k),
                      steps, ratio);
        }
    }
    cr_expect(seen == 4, "%d methods without an interval", seen);
}

/* The other methods are stable below their limit and unstable above it, to the last digits of a double. */
Test(methods_nystrom, the_interval_ends_where_the_table_says) {
    int seen = 0;
    for (int m = FIRST; m <= LAST; ++m) {
        const double limit = kdr_method_get((kdr_method)m)->stability;
        if (limit == 0) {
            continue;
        }
        ++seen;
        for (int i = 1; i <= 1000; ++i) {
            const matrix a = matrix_of(m, limit * (1 - 1e-14) * i / 1000);
            cr_expect(radius(&a) < 1, "%s is unstable at %d/1000 of its limit", name_of(m), i);
        }
        const matrix beyond = matrix_of(m, limit * (1 + 1e-14));
        cr_expect(radius(&beyond) > 1, "%s", name_of(m));
    }
    cr_expect(seen == 2, "%d methods with an interval", seen);
}

/* With a constant acceleration of few bits, x = 5 t^2 for every method, suvat included, and suvat has no rounding error at all. */
Test(methods_nystrom, constant_acceleration_is_exact) {
    const kdr_force force = kdr_force_uniform_acceleration(10, -6, 0);
    for (int i = 0; i < RUNNERS * KDR_ARITHMETIC_COUNT * KDR_REAL_COUNT * (LAST - FIRST + 1); ++i) {
        const int m = FIRST + i / (RUNNERS * KDR_ARITHMETIC_COUNT * KDR_REAL_COUNT);
        const kdr_real real = (kdr_real)(i / (RUNNERS * KDR_ARITHMETIC_COUNT) % KDR_REAL_COUNT);
        const kdr_integrator_desc desc = describe((kdr_method)m, real, (kdr_arithmetic)(i / RUNNERS % KDR_ARITHMETIC_COUNT), &force, 1);
        const state end = advance_one(i % RUNNERS, &desc, (state){{1, 0, 2}, {0, 4, 8}}, 0.5, 20);
        const double tolerance = m == KDR_SUVAT ? 0 : real == KDR_F32 ? 2e-4 : 4e-13;
        const state expected = {{501, -260, 82}, {100, -56, 8}};
        for (int axis = 0; axis < 3; ++axis) {
            cr_expect(close_to(end.x[axis], expected.x[axis], tolerance), "%s: x[%d] = %.17g", name_of(m), axis, end.x[axis]);
            cr_expect(close_to(end.v[axis], expected.v[axis], tolerance), "%s: v[%d] = %.17g", name_of(m), axis, end.v[axis]);
        }
    }
}

/* The stages have no velocity at which a could be evaluated: a velocity-dependent field is refused, by name. suvat accepts any field. */
Test(methods_nystrom, velocity_fields_are_refused) {
    const double none[3] = {0, 0, 0}, b[3] = {0, 0, 2}, coefficients[2] = {0.5, 0.25};
    kdr_force each = kdr_force_drag(1, 0, 0, 0);
    each.as.drag.b_each = coefficients;
    each.as.drag.count = 2;
    const kdr_force forces[] = {kdr_force_drag(0.5, 0, 0, 0), kdr_force_quadratic_drag(0.1, 0, 0, 0), kdr_force_electromagnetic(1, none, b),
                                each};
    static const char *const instead[] = {"rk4", "rk4", "boris", "rk4"};
    for (int m = FIRST; m <= LAST; ++m) {
        for (size_t f = 0; f < sizeof forces / sizeof *forces; ++f) {
            const kdr_integrator_desc desc = describe((kdr_method)m, KDR_F64, KDR_FUSED, &forces[f], 1);
            const kdr_status wanted = m == KDR_SUVAT ? KDR_OK : KDR_ERROR_UNSUPPORTED;
            kdr_integrator *integrator = NULL;
            kdr_error error;
            cr_expect(kdr_integrator_create(&desc, &integrator, &error) == wanted, "%s, force %zu", name_of(m), f);
            cr_expect((integrator != NULL) == (wanted == KDR_OK));
            cr_expect(wanted == KDR_OK || (strstr(error.message, name_of(m)) && strstr(error.message, instead[f])), "%s", error.message);
            kdr_integrator_destroy(integrator);
            kdr_particles p = make_particles(2, 2, KDR_F64, false, false);
            kdr_clock clock = {0, 0.125, 0};
            cr_expect(kdr_reference_run(&desc, &p, &clock, 1, &error) == wanted, "%s, force %zu", name_of(m), f);
            cr_expect(clock.step == (wanted == KDR_OK));
            kdr_particles_destroy(&p);
        }
    }
}
