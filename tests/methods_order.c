/* The columns order and order_velocity: the factor by which the errors of x and of v fall when the step is halved, bounded on both
 * sides. */
#include "methods.h"

/* Steps are 2^-2 ... 2^-12. The last halving counts whose errors are still ten times the rounding error of so many evaluations, which was
 * found to be 1e-16 times the square root of their number: that is the closest to the limit that can be measured, for any order. Substeps
 * forwards and backwards add increments larger than the step, and may lose half of 1e-16 each time. */
enum { COARSEST = 2, FINEST = 12 };

static double rounding(const problem *p, int evaluations, int substeps, int k) {
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        size = fmax(size, fmax(fabs(p->end.x[i]), fabs(p->end.v[i])));
    }
    const double count = ldexp(p->time, k) * evaluations * substeps;
    return size * fmax(1e-15 * sqrt(count), substeps > 1 ? 5e-17 * count : 0);
}

/* Measures the slopes of that halving. Returns false if there is none. */
static bool measure(int runner, kdr_method method, kdr_composition compose, const problem *p, double *of_x, double *of_v, int *at) {
    kdr_integrator_desc desc = describe_row(method, p->forces, p->count, 0);
    desc.compose = compose;
    double x = 0, v = 0;
    *at = COARSEST;
    for (int k = COARSEST; k <= FINEST; ++k) {
        const state end = advance_one(runner, &desc, p->start, ldexp(1, -k), (uint64_t)ldexp(p->time, k));
        const double next_x = apart(end.x, p->end.x), next_v = apart(end.v, p->end.v);
        const double least = rounding(p, kdr_method_get(method)->evaluations, kdr_composition_get(compose)->count, k);
        if (k > COARSEST && (next_x < least || next_v < least)) {
            break;
        }
        *of_x = log2(x / next_x);
        *of_v = log2(v / next_v);
        *at = k;
        x = next_x;
        v = next_v;
    }
    return *at > COARSEST;
}

/* Returns true if the method is exact on the problem: strang-affine has nothing to kick in an affine field, and a single force contributes
 * exactly. */
static bool exact_on(const kdr_method_info *info, const problem *p) {
    return info->order == KDR_ORDER_EXACT || (info->family == KDR_KINEMATIC && p->affine && (info->order == 2 || p->count == 1));
}

/* Checks that the result is exact in one step, and in as many as the finest of the others. */
static void expect_exact(int runner, kdr_method method, const problem *p) {
    const kdr_integrator_desc desc = describe_row(method, p->forces, p->count, 0);
    for (int k = 0; k <= FINEST; k += FINEST) {
        const state end = advance_one(runner, &desc, p->start, k ? ldexp(1, -k) : p->time, k ? (uint64_t)ldexp(p->time, k) : 1);
        const double x = apart(end.x, p->end.x), v = apart(end.v, p->end.v), allowed = k ? 2e-14 : 4e-16;
        cr_expect(x < allowed && v < allowed, "%s on %s, 2^%d steps: off by %g and %g", kdr_method_get(method)->name, p->name, k, x, v);
    }
}

static void expect_orders(problem_fn *make) {
    const problem p = make();
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        const int order = p.velocity == HOLDS_NONE ? info->order : info->order_velocity;
        for (int runner = 0; runner < RUNNERS && takes(info, p.velocity, p.affine); ++runner) {
            double of_x = 0, of_v = 0;
            int k;
            if (exact_on(info, &p)) {
                expect_exact(runner, (kdr_method)m, &p);
                continue;
            }
            cr_expect(measure(runner, (kdr_method)m, KDR_COMPOSE_NONE, &p, &of_x, &of_v, &k), "%s on %s: the error is rounding's at once",
                      info->name, p.name);
            cr_expect(close_to(of_x, order, 0.2), "%s on %s, h = 2^-%d: x converges with order %.3f, expected %d", info->name, p.name, k,
                      of_x, order);
            cr_expect(close_to(of_v, order, 0.2), "%s on %s, h = 2^-%d: v converges with order %.3f, expected %d", info->name, p.name, k,
                      of_v, order);
        }
    }
}

Test(methods_order, kepler) { expect_orders(kepler); }

Test(methods_order, softened_driven) { expect_orders(softened_driven); }

Test(methods_order, softened_magnetic) { expect_orders(softened_magnetic); }

Test(methods_order, everything) { expect_orders(everything); }

Test(methods_order, damped_spring) { expect_orders(damped_spring); }

Test(methods_order, gyration) { expect_orders(gyration); }

Test(methods_order, fall) { expect_orders(fall); }

Test(methods_order, velocity_has_an_order_where_it_is_accepted) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        cr_expect(info->order >= 1 && info->order_velocity <= info->order, "%s", info->name);
        cr_expect((info->order_velocity == 0) == (info->velocity_forces == KDR_VELOCITY_NONE), "%s", info->name);
    }
}

/* Checks symmetric methods of order 2 with every composition. strang-affine kicks quadratic drag by the explicit midpoint rule, which is
 * not symmetric: its error of third order in the step cancels, the next does not. */
static void expect_composed_orders(problem_fn *make, bool quadratic) {
    const problem p = make();
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *const info = kdr_method_get((kdr_method)m);
        const bool symmetric = p.velocity == HOLDS_NONE || info->order_velocity == info->order;
        const bool composes =
            info->order == 2 && info->reversible && kdr_family_get(info->family)->velocities && m != KDR_VELOCITY_VERLET_PC;
        for (int c = 1; c < KDR_COMPOSITION_COUNT && composes && symmetric && takes(info, p.velocity, p.affine) && !exact_on(info, &p);
             ++c) {
            const kdr_composition_info *const composition = kdr_composition_get((kdr_composition)c);
            const int order = quadratic && m == KDR_STRANG_AFFINE ? 3 : composition->order;
            const double tolerance = order == 3 ? 0.1 : 0.5; /* the other orders are even */
            for (int runner = 0; runner < RUNNERS; ++runner) {
                double of_x = 0, of_v = 0;
                int k;
                cr_expect(measure(runner, (kdr_method)m, (kdr_composition)c, &p, &of_x, &of_v, &k), "%s by %s on %s: rounding's at once",
                          info->name, composition->name, p.name);
                cr_expect(close_to(of_x, order, tolerance) && close_to(of_v, order, tolerance),
                          "%s by %s on %s, h = 2^-%d: orders %.3f and %.3f, expected %d", info->name, composition->name, p.name, k, of_x,
                          of_v, order);
            }
        }
    }
}

Test(methods_order, composed_kepler) { expect_composed_orders(kepler, false); }

Test(methods_order, composed_softened_driven) { expect_composed_orders(softened_driven, false); }

Test(methods_order, composed_softened_magnetic) { expect_composed_orders(softened_magnetic, false); }

Test(methods_order, composed_damped_spring) { expect_composed_orders(damped_spring, false); }

Test(methods_order, composed_gyration) { expect_composed_orders(gyration, false); }

Test(methods_order, composed_everything) { expect_composed_orders(everything, true); }
