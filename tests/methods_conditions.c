/* The order conditions of every row are met up to the order that the table claims, and not beyond.
 *
 * Runge-Kutta methods are tested by rooted trees (HLW III.1), which are generated here. Splitting methods are tested by the words of the
 * free algebra: the product of the exponentials of a row's kicks and drifts is compared with exp(A + B), coefficient by coefficient. The
 * defect of a row at the first order beyond is compared with a value that was computed from the published coefficients in 40 digits. */
#include "method/method.h"
#include "support.h"

/* The defect that rounding leaves. Coefficients have some 16 digits; those of the Blanes-Moan methods were printed with 15. */
static const double rounding = 2e-15;

/* The largest defect at the first order beyond the method's. */
static const double beyond[KDR_METHOD_COUNT] = {
    [KDR_EXPLICIT_EULER] = 1.0 / 2,
    [KDR_MIDPOINT] = 1.0 / 6,
    [KDR_HEUN] = 1.0 / 6,
    [KDR_RALSTON] = 1.0 / 6,
    [KDR_RK3] = 1.0 / 24,
    [KDR_RK4] = 1.0 / 80,
    [KDR_RK4_38] = 1.0 / 120,
    [KDR_DOPRI_5] = 1.0 / 3600,
    [KDR_SEMI_IMPLICIT_EULER] = 1.0 / 2,
    [KDR_DRIFT_KICK_EULER] = 1.0 / 2,
    [KDR_VELOCITY_VERLET] = 1.0 / 6,
    [KDR_VELOCITY_VERLET_PC] = 1.0 / 6,
    [KDR_POSITION_VERLET] = 1.0 / 6,
    [KDR_RUTH3] = 1.0 / 36,
    [KDR_MCLACHLAN_ATELA_3] = 0.0180003,
    [KDR_MCLACHLAN_ATELA_4] = 0.000722538,
    [KDR_MCLACHLAN_ATELA_5] = 0.000282201,
    [KDR_FOREST_RUTH] = 0.130225,
    [KDR_PEFRL] = 0.00188585,
    [KDR_VEFRL] = 0.0020157,
    [KDR_SUZUKI_4] = 0.00563615,
    [KDR_BLANES_MOAN_6B] = 1.93745e-5,
    [KDR_BLANES_MOAN_11B] = 5.27459e-7,
    [KDR_BLANES_MOAN_14A] = 9.76321e-8,
    [KDR_BLANES_MOAN_S6] = 0.000158039,
    [KDR_BLANES_MOAN_S10] = 1.12161e-5,
    [KDR_YOSHIDA_6] = 0.00880978,
    [KDR_KAHAN_LI_6] = 0.00102851,
    [KDR_SUZUKI_UMENO_8] = 0.000251374,
    [KDR_KAHAN_LI_8] = 2.82801e-5,
};

static bool near(double value, double expected) { return close_to(value, expected, 1e-5 * expected); }

/* A rooted tree: a root and its subtrees, each an index of an earlier tree. The density gamma is the order times the densities of the
 * subtrees. */
enum { ORDERS = 6, TREES = 1 + 1 + 2 + 4 + 9 + 20 };

typedef struct tree {
    int order, children, child[ORDERS - 1];
    double gamma;
} tree;

typedef struct forest {
    int count;
    tree trees[TREES];
} forest;

/* Adds subtrees to the root, from the `choice` first trees, until `left` more vertices are used. No subtree comes after a later one, so
 * each tree is made once. */
static void grow(forest *f, tree root, int left, int choice) {
    if (left == 0) {
        cr_assert(f->count < TREES);
        f->trees[f->count++] = root;
        return;
    }
    for (int c = choice - 1; c >= 0; --c) {
        if (f->trees[c].order <= left) {
            tree more = root;
            more.child[more.children++] = c;
            more.gamma *= f->trees[c].gamma;
            grow(f, more, left - f->trees[c].order, c + 1);
        }
    }
}

static void grow_all(forest *f) {
    f->count = 0;
    for (int order = 1; order <= ORDERS; ++order) {
        grow(f, (tree){.order = order, .gamma = order}, order - 1, f->count);
    }
    cr_assert(f->count == TREES);
}

/* Computes |sum of b_i Phi_i(tree) - 1 / gamma(tree)|, the largest of each order. phi has the values of the stages for every tree. */
static void tree_defects(const kdr_runge_kutta_row *row, const forest *f, double defect[ORDERS + 1]) {
    double phi[TREES][KDR_MAX_STAGES];
    memset(defect, 0, (ORDERS + 1) * sizeof *defect);
    for (int t = 0; t < f->count; ++t) {
        const tree *const now = &f->trees[t];
        double sum = 0;
        for (int i = 0; i < row->stages; ++i) {
            phi[t][i] = 1;
            for (int c = 0; c < now->children; ++c) {
                double branch = 0;
                for (int j = 0; j < i; ++j) {
                    branch += row->a[i][j] * phi[now->child[c]][j];
                }
                phi[t][i] *= branch;
            }
            sum += row->scale * row->ratio[i] * phi[t][i];
        }
        defect[now->order] = fmax(defect[now->order], fabs(sum - 1 / now->gamma));
    }
}

Test(method_orders, runge_kutta_rows_by_rooted_trees) {
    forest f;
    grow_all(&f);
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_row *const row = kdr_row_get((kdr_method)m);
        if (!row->data.runge_kutta) {
            continue;
        }
        double defect[ORDERS + 1];
        tree_defects(row->data.runge_kutta, &f, defect);
        cr_assert(row->info.order < ORDERS);
        for (int order = 1; order <= row->info.order; ++order) {
            cr_expect(defect[order] < rounding, "%s: %g at order %d", row->info.name, defect[order], order);
        }
        const double next = defect[row->info.order + 1];
        cr_expect(near(next, beyond[m]), "%s: %.6g beyond its order, expected %.6g", row->info.name, next, beyond[m]);
    }
}

/* The stage times of a splitting method follow from its drifts; a tableau states them. */
Test(method_orders, stage_times_are_row_sums) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_row *const row = kdr_row_get((kdr_method)m);
        if (!row->data.runge_kutta) {
            continue;
        }
        for (int i = 0; i < row->data.runge_kutta->stages; ++i) {
            double sum = 0;
            for (int j = 0; j < i; ++j) {
                sum += row->data.runge_kutta->a[i][j];
            }
            cr_expect(close_to(row->data.runge_kutta->c[i], sum, rounding), "%s: stage %d", row->info.name, i);
        }
    }
}

/* Words of up to DEGREES letters, A (drift) = 0 and B (kick) = 1, the first letter in the highest bit. */
enum { A, B, DEGREES = 9, WORDS = 1 << DEGREES };

typedef struct series {
    double word[DEGREES + 1][WORDS];
} series;

/* Multiplies s by exp(c letter). It goes from long words to short ones, so that words are read before they are overwritten. */
static void times_exponential(series *s, double c, unsigned letter) {
    for (int degree = DEGREES; degree > 0; --degree) {
        for (unsigned w = 0; w < 1U << degree; ++w) {
            double power = 1;
            for (int j = 1; j <= degree && (w >> (j - 1) & 1U) == letter; ++j) {
                power *= c / j;
                s->word[degree][w] += power * s->word[degree - j][w >> j];
            }
        }
    }
}

/* Computes the product of the step's exponentials, first letter first, minus exp(A + B), whose words of d letters all have the coefficient
 * 1 / d!. */
static void defect_series(const kdr_splitting_row *row, series *s) {
    memset(s, 0, sizeof *s);
    s->word[0][0] = 1;
    for (int i = 0; i < row->stages; ++i) {
        times_exponential(s, row->kick[i], B);
        times_exponential(s, row->drift[i], A);
    }
    double factorial = 1;
    for (int degree = 1; degree <= DEGREES; ++degree) {
        factorial *= degree;
        for (unsigned w = 0; w < 1U << degree; ++w) {
            s->word[degree][w] -= 1 / factorial;
        }
    }
}

static double largest(const double *word, int degree) {
    double most = 0;
    for (unsigned w = 0; w < 1U << degree; ++w) {
        most = fmax(most, fabs(word[w]));
    }
    return most;
}

/* Reduces modulo [B, [B, [B, A]]] = 0, which holds if the kinetic energy is quadratic in v: every BBBA becomes 3 BBAB - 3 BABB + ABBB. The
 * new words are smaller, so one pass from the largest down finds all. The normal form is unique. */
static void reduce(double *word, int degree) {
    for (unsigned w = (1U << degree) - 1; w > 0; --w) {
        for (int at = 0; at + 4 <= degree; ++at) {
            if ((w >> at & 15U) == 14U) { /* BBBA */
                const unsigned rest = w & ~(15U << at);
                word[rest | 13U << at] += 3 * word[w];
                word[rest | 11U << at] -= 3 * word[w];
                word[rest | 7U << at] += word[w];
                word[w] = 0;
                break;
            }
        }
    }
}

/* The rows that meet their conditions only modulo that relation, with their defects in the free algebra at the order that they claim. */
static const double left_when_free[KDR_METHOD_COUNT] = {
    [KDR_MCLACHLAN_ATELA_4] = 0.00530418,
    [KDR_MCLACHLAN_ATELA_5] = 0.00365608,
    [KDR_BLANES_MOAN_11B] = 1.4785e-5,
    [KDR_BLANES_MOAN_14A] = 6.11382e-5,
};

Test(method_orders, splitting_rows_by_words) {
    static series s;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_row *const row = kdr_row_get((kdr_method)m);
        const int order = row->info.order;
        if (!row->data.splitting) {
            continue;
        }
        cr_assert(order < DEGREES);
        defect_series(row->data.splitting, &s);
        double free = 0;
        for (int degree = 1; degree <= order; ++degree) {
            free = fmax(free, largest(s.word[degree], degree));
            reduce(s.word[degree], degree);
            const double defect = largest(s.word[degree], degree);
            cr_expect(defect < rounding, "%s: %g at order %d", row->info.name, defect, degree);
        }
        const double expected = left_when_free[m];
        cr_expect(expected > 0 ? near(free, expected) : free < rounding, "%s: %.6g in the free algebra, expected %.6g", row->info.name,
                  free, expected);
        reduce(s.word[order + 1], order + 1);
        const double next = largest(s.word[order + 1], order + 1);
        cr_expect(near(next, beyond[m]), "%s: %.6g beyond its order, expected %.6g", row->info.name, next, beyond[m]);
    }
}

/* Computes [letter, p] of a polynomial p of `degree`, which is a list of the coefficients of its words. */
static void bracket(unsigned letter, const double *p, int degree, double *out) {
    memset(out, 0, (2U << degree) * sizeof *out);
    for (unsigned w = 0; w < 1U << degree; ++w) {
        out[letter << degree | w] += p[w];
        out[w << 1 | letter] -= p[w];
    }
}

/* The commutators of degree 5 that the relation leaves, as the letters that are put before B from the inside out: [A,[A,[A,[A,B]]]],
 * [A,[A,[B,[A,B]]]], [B,[A,[A,[A,B]]]] and [B,[B,[A,[A,B]]]] (Omelyan, Mryglod, Folk 2002). */
enum { COMMUTATORS = 4, FIVE = 1 << 5 };
static const unsigned letters[COMMUTATORS][4] = {{A, A, A, A}, {A, B, A, A}, {A, A, A, B}, {A, A, B, B}};

static void commutator(int which, double out[FIVE]) {
    double p[FIVE] = {[B] = 1};
    for (int i = 0; i < 4; ++i) {
        bracket(letters[which][i], p, i + 1, out);
        memcpy(p, out, sizeof p);
    }
    reduce(out, 5);
}

static double product(const double *a, const double *b) {
    double sum = 0;
    for (int w = 0; w < FIVE; ++w) {
        sum += a[w] * b[w];
    }
    return sum;
}

/* Returns the norm of the coefficients of `error`, which must be a sum of the commutators. They are orthogonalised one after the other. */
static double norm_on_commutators(double error[FIVE]) {
    double basis[COMMUTATORS][FIVE], on[COMMUTATORS], norm = 0;
    double share[COMMUTATORS][COMMUTATORS] = {{0}}; /* commutator i is basis i plus share[i][j] times each basis j before it */
    for (int i = 0; i < COMMUTATORS; ++i) {
        commutator(i, basis[i]);
        for (int j = 0; j < i; ++j) {
            share[i][j] = product(basis[i], basis[j]) / product(basis[j], basis[j]);
            for (int w = 0; w < FIVE; ++w) {
                basis[i][w] -= share[i][j] * basis[j][w];
            }
        }
        on[i] = product(error, basis[i]) / product(basis[i], basis[i]);
        for (int w = 0; w < FIVE; ++w) {
            error[w] -= on[i] * basis[i][w];
        }
    }
    cr_expect(largest(error, 5) < rounding, "%g is no sum of commutators", largest(error, 5));
    for (int i = COMMUTATORS - 1; i >= 0; --i) {
        for (int j = i + 1; j < COMMUTATORS; ++j) {
            on[i] -= share[j][i] * on[j];
        }
        norm += on[i] * on[i];
    }
    return sqrt(norm);
}

static double leading_error(const kdr_splitting_row *row) {
    static series s;
    defect_series(row, &s);
    reduce(s.word[5], 5);
    return norm_on_commutators(s.word[5]);
}

/* Returns the same fractions with kicks and drifts exchanged; `row` begins with a drift. */
static kdr_splitting_row exchanged(const kdr_splitting_row *row) {
    kdr_splitting_row other = {.stages = row->stages};
    for (int i = 0; i < row->stages; ++i) {
        other.kick[i] = row->drift[i];
        other.drift[i] = i + 1 < row->stages ? row->kick[i + 1] : 0;
    }
    return other;
}

/* The error constants by which the literature ranks the methods of order 4: 0.0383, 0.00061 and 0.00065 are from Omelyan, Mryglod and
 * Folk. */
Test(method_orders, error_constants_of_order_four) {
    static const struct {
        kdr_method method;
        double norm;
    } rows[] = {
        {KDR_FOREST_RUTH, 0.028341743},
        {KDR_SUZUKI_4, 0.0013848953},
        {KDR_VEFRL, 0.00065401174},
        {KDR_PEFRL, 0.00061014414},
        {KDR_BLANES_MOAN_S6, 5.4931136e-5},
        {KDR_BLANES_MOAN_6B, 5.5393626e-6},
        {KDR_MCLACHLAN_ATELA_4, 0.00026130647},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const double norm = leading_error(kdr_row_get(rows[i].method)->data.splitting);
        cr_expect(close_to(norm, rows[i].norm, 1e-7 * rows[i].norm), "%s: %.9g", kdr_method_get(rows[i].method)->name, norm);
    }
    const kdr_splitting_row kick_first = exchanged(kdr_row_get(KDR_FOREST_RUTH)->data.splitting);
    cr_expect(close_to(leading_error(&kick_first), 0.038265661, 1e-9));
}

/* Return, for a step of the undamped oscillator at y = omega h, the squared norm of R(iy), or half the trace of the step's matrix. Both are
 * at most 1 in size if the method is stable. */
static double growth_of_tableau(const kdr_runge_kutta_row *row, double y) {
    double re[KDR_MAX_STAGES], im[KDR_MAX_STAGES], end_re = 1, end_im = 0;
    for (int i = 0; i < row->stages; ++i) {
        double stage_re = 1, stage_im = 0;
        for (int j = 0; j < i; ++j) {
            stage_re += row->a[i][j] * re[j];
            stage_im += row->a[i][j] * im[j];
        }
        re[i] = -y * stage_im;
        im[i] = y * stage_re;
        end_re += row->scale * row->ratio[i] * re[i];
        end_im += row->scale * row->ratio[i] * im[i];
    }
    return end_re * end_re + end_im * end_im;
}

static double growth_of_fractions(const kdr_splitting_row *row, double y) {
    double trace = 0;
    for (int column = 0; column < 2; ++column) {
        double x = column == 0, v = column == 1;
        for (int i = 0; i < row->stages; ++i) {
            v -= y * row->kick[i] * x;
            x += y * row->drift[i] * v;
        }
        trace += column == 0 ? x : v;
    }
    return fabs(trace) / 2;
}

static double growth(const kdr_row *row, double y) {
    return row->data.runge_kutta ? growth_of_tableau(row->data.runge_kutta, y) : growth_of_fractions(row->data.splitting, y);
}

/* Checks the stability column to a millionth. Some methods lose a short interval next to omega h = pi, in which the growth per step is so
 * small that a run would not show it (blanes-moan-11b: from 3.14143 to 3.14232). */
Test(method_orders, stability_column) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_row *const row = kdr_row_get((kdr_method)m);
        const double limit = row->info.stability;
        if (!row->data.runge_kutta && !row->data.splitting) {
            continue;
        }
        double most = 0;
        for (int i = 1; i * 1e-4 < limit * (1 - 1e-6); ++i) {
            most = fmax(most, growth(row, i * 1e-4));
        }
        const double above = growth(row, limit > 0 ? limit * (1 + 1e-6) : 0.1);
        cr_expect(most <= 1 + 1e-13, "%s: 1 + %g below its limit %.17g", row->info.name, most - 1, limit);
        cr_expect(above > 1 + 1e-11, "%s: 1 + %g above its limit %.17g", row->info.name, above - 1, limit);
    }
}

/* Returns the error on Kepler's problem, e = 1/2, at t = 1, of user-defined fractions. */
static double kepler_error(const kdr_fractions *fractions, int log2_steps) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    kdr_integrator_desc desc = describe(KDR_METHOD_COUNT, KDR_F64, KDR_FUSED, &sun, 1);
    desc.fractions = fractions;
    const state start = {{0.5, 0, 0}, {0, 1.7320508075688772, 0}};
    const state end = advance_one(BY_INTEGRATOR, &desc, start, ldexp(1, -log2_steps), UINT64_C(1) << log2_steps);
    return hypot(end.x[0] - -0.4279672455611135512613, end.x[1] - 0.8637757010451036723824);
}

/* Returns the fractions with kick and drift of each pair exchanged: the drift comes first. */
static kdr_fractions swapped(const kdr_fractions *f) {
    kdr_fractions other = {.count = f->count + 1};
    memcpy(other.drift, f->drift, sizeof other.drift);
    memcpy(other.kick + 1, f->kick, sizeof other.kick - sizeof *other.kick);
    return other;
}

static kdr_fractions fractions_of(const kdr_splitting_row *row) {
    kdr_fractions f = {.count = row->stages};
    memcpy(f.kick, row->kick, sizeof f.kick);
    memcpy(f.drift, row->drift, sizeof f.drift);
    return f;
}

/* The rows that are not symmetric kick first. With the drifts first they are consistent but meet no condition of second order. Public codes
 * have shipped them so. */
Test(method_orders, swapped_kicks_and_drifts_are_of_order_one) {
    static const struct {
        kdr_method method;
        double defect; /* of the swapped row at order 2 */
        int steps;     /* as a power of 2, so that the right order shows */
    } rows[] = {{KDR_RUTH3, 25.0 / 72, 9}, {KDR_MCLACHLAN_ATELA_4, 0.4656, 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const kdr_row *const row = kdr_row_get(rows[i].method);
        const kdr_fractions right = fractions_of(row->data.splitting), wrong = swapped(&right);
        kdr_splitting_row as_row = {.stages = wrong.count};
        memcpy(as_row.kick, wrong.kick, sizeof wrong.kick);
        memcpy(as_row.drift, wrong.drift, sizeof wrong.drift);
        static series s;
        defect_series(&as_row, &s);
        cr_expect(largest(s.word[1], 1) < rounding);
        cr_expect(close_to(largest(s.word[2], 2), rows[i].defect, 1e-4), "%s: %g", row->info.name, largest(s.word[2], 2));

        const double of_wrong = log2(kepler_error(&wrong, 9) / kepler_error(&wrong, 10));
        const double of_right = log2(kepler_error(&right, rows[i].steps) / kepler_error(&right, rows[i].steps + 1));
        cr_expect(close_to(of_wrong, 1, 0.1), "%s swapped: order %.3f", row->info.name, of_wrong);
        cr_expect(close_to(of_right, row->info.order, 0.2), "%s: order %.3f", row->info.name, of_right);
    }
}

/* A row of the table, given as user-defined fractions, gives the same bits, by the reference and by the kernels. */
Test(method_orders, own_fractions_are_the_method) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    const state start = {{0.5, 0, 0}, {0, 1.7320508075688772, 0.25}};
    for (int i = 0; i < KDR_METHOD_COUNT * RUNNERS; ++i) {
        const kdr_method m = (kdr_method)(i / RUNNERS);
        const kdr_row *const row = kdr_row_get(m);
        if (!row->data.splitting) {
            continue;
        }
        const kdr_fractions fractions = fractions_of(row->data.splitting);
        kdr_integrator_desc desc = describe(m, KDR_F64, KDR_FUSED, &sun, 1);
        const state by_name = advance_one(i % RUNNERS, &desc, start, 0x1p-6, 40);
        desc.fractions = &fractions;
        const state by_fractions = advance_one(i % RUNNERS, &desc, start, 0x1p-6, 40);
        cr_expect(memcmp(&by_name, &by_fractions, sizeof by_name) == 0, "%s", row->info.name);
    }
}
