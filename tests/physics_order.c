/* Orders of convergence, stability limits, energy, reversibility: each bounded on both sides, or with a method beside it that must fail. */
#include "support.h"

static double apart(const double a[3], const double b[3]) {
    return sqrt(((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])) + (a[2] - b[2]) * (a[2] - b[2]));
}

typedef struct problem {
    kdr_force forces[2];
    size_t count;
    state start, end;
    double time;
} problem;

/* Kepler, e = 1/2, a quarter of an orbit or so (Kepler's equation). */
static problem kepler(void) {
    return (problem){
        {kdr_force_centre(1, 0, 0, 0, 0)},
        1,
        {{0.5, 0, 0}, {0, 1.7320508075688772, 0}},
        {{-0.4279672455611135512613, 0.8637757010451036723824, 0}, {-1.034667232373456350448, 0.06471292019329540406562, 0}},
        1,
    };
}

static problem driven_spring(void) {
    return (problem){
        {kdr_force_spring(4, 0, 0, 0), kdr_force_driven(1, 0, 0, 1.5, 0)},
        2,
        {{0, 0, 0}, {0, 0, 0}},
        {{-0.349870940687900645584423066755, 0, 0}, {1.88614762934128329301627007730, 0, 0}},
        7,
    };
}

static problem damped_spring(void) {
    return (problem){
        {kdr_force_spring(4, 0, 0, 0), kdr_force_drag(0.4, 0, 0, 0)},
        2,
        {{1, 0, 0}, {0, 0, 0}},
        {{0.505105559266270756363882117301, 0, 0}, {0.339950098864755686891531952895, 0, 0}},
        3,
    };
}

static problem gyration(void) {
    return (problem){
        {kdr_force_electromagnetic(1, (const double[3]){0, 0, 0}, (const double[3]){0, 0, 3})},
        1,
        {{0, 0, 0}, {1, 0, 0.5}},
        {{-0.0931384993996419576038518155373, -0.0132765711165446598181159006924, 1},
         {0.960170286650366020545652297923, 0.279415498198925872811555446612, 0.5}},
        2,
    };
}

/* Halves the step and looks at the factor by which the error falls, in x and in v apart. */
static void expect_order(kdr_method method, const problem *p, int order, const char *name) {
    const kdr_integrator_desc desc = describe(method, KDR_F64, KDR_FUSED, p->forces, p->count);
    const int first = order > 2 ? 7 : 9; /* the step is 2^-first: small enough for the asymptotic slope, large against rounding */
    for (int runner = 0; runner < RUNNERS; ++runner) {
        double x[3], v[3];
        for (int i = 0; i < 3; ++i) {
            const double dt = ldexp(1, -first - i);
            const state end = advance_one(runner, &desc, p->start, dt, (uint64_t)(p->time / dt));
            x[i] = apart(end.x, p->end.x);
            v[i] = apart(end.v, p->end.v);
        }
        for (int i = 0; i < 2; ++i) {
            const double of_x = log2(x[i] / x[i + 1]);
            const double of_v = log2(v[i] / v[i + 1]);
            cr_expect(close_to(of_x, order, 0.2), "%s on %s: x converges with order %.3f, expected %d", kdr_method_get(method)->name, name,
                      of_x, order);
            cr_expect(close_to(of_v, order, 0.2), "%s on %s: v converges with order %.3f, expected %d", kdr_method_get(method)->name, name,
                      of_v, order);
        }
    }
}

static void expect_orders(problem make(void), bool of_velocity, const char *name) {
    const problem p = make();
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        expect_order((kdr_method)m, &p, of_velocity ? info->order_velocity : info->order, name);
    }
}

Test(physics_order, kepler) { expect_orders(kepler, false, "Kepler"); }

Test(physics_order, driven_spring) { expect_orders(driven_spring, false, "a driven spring"); }

/* Velocity Verlet's force sees the half-step velocity: first order, neither more nor less. */
Test(physics_order, damped_spring) { expect_orders(damped_spring, true, "a damped spring"); }

Test(physics_order, gyration) { expect_orders(gyration, true, "gyration"); }

Test(physics_order, the_table_says_what_is_known) {
    static const struct {
        int order, order_velocity;
        bool symplectic, reversible;
        double stability;
    } rows[KDR_METHOD_COUNT] = {
        [KDR_EXPLICIT_EULER] = {1, 1, false, false, 0},
        [KDR_SEMI_IMPLICIT_EULER] = {1, 1, true, false, 2},
        [KDR_VELOCITY_VERLET] = {2, 1, true, true, 2},
        [KDR_RK4] = {4, 4, false, false, 2.82842712474619009760337744842},
    };
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        cr_expect(info->order == rows[m].order && info->order_velocity == rows[m].order_velocity, "%s", info->name);
        cr_expect(info->symplectic == rows[m].symplectic && info->reversible == rows[m].reversible, "%s", info->name);
        cr_expect(close_to(info->stability, rows[m].stability, 1e-12), "%s: %.17g", info->name, info->stability);
    }
}

/* How far an oscillator with omega = 1 is from rest after 1e5 steps from (1, 0), made in calls of `piece` steps; NaN counts as far. */
static double distance(kdr_method method, double zeta, double dt, uint64_t piece, bool memory) {
    const kdr_force forces[] = {kdr_force_spring(1, 0, 0, 0), kdr_force_drag(2 * zeta, 0, 0, 0)};
    const kdr_integrator_desc desc = describe(method, KDR_F64, KDR_FUSED, forces, 2);
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_particles p = make_particles(1, 1, KDR_F64, false, memory);
    put_state(&p, 0, &(state){{1, 0, 0}, {0, 0, 0}});
    kdr_clock clock = {0, dt, 0};
    while (clock.step < 100000) {
        cr_assert(kdr_integrator_run(integrator, &p, &clock, piece, NULL) == KDR_OK);
    }
    const state s = get_state(&p, 0);
    const double r = hypot(s.x[0], s.v[0]);
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(integrator);
    return isfinite(r) ? r : INFINITY;
}

/* Largest stable omega h of x'' = -x - 2 zeta x'. Velocity Verlet keeps the acceleration that saw the half-step velocity, which makes it
 * semi-implicit Euler in the half-step velocities: it has that method's limit, (omega h)^2 + 4 zeta omega h < 4. A run that starts afresh at
 * each step evaluates a(x_n, v_n) instead and has the limit of the last column. */
static const struct {
    double zeta, limit[KDR_METHOD_COUNT], verlet_afresh;
} stability[] = {
    {0, {0, 2, 2, 2.82842712474619}, 2},
    {0.01, {0.02, 1.9801, 1.9801, 2.84857}, 1.99013},
    {0.1, {0.2, 1.80998, 1.80998, 2.95085}, 1.91257},
    {0.5, {1, 1.23607, 1.23607, 2.62254}, 2},
    {1, {2, 0.828427, 0.828427, 2.78529}, 2},
    {2, {0.535898, 0.472136, 0.472136, 0.746317}, 1},
};

static void expect_limit(kdr_method method, double zeta, double limit, uint64_t piece, bool memory) {
    const char *name = kdr_method_get(method)->name;
    const double outside = distance(method, zeta, limit > 0 ? 1.01 * limit : 0.02, piece, memory);
    const double inside = limit > 0 ? distance(method, zeta, 0.99 * limit, piece, memory) : 0;
    /* Without damping the motion stays on an ellipse, 14 times as long as wide so near to the limit; with it, it decays. */
    cr_expect(inside < (zeta > 0 ? 0.9 : 20), "%s, zeta %g: %g below the limit %g", name, zeta, inside, limit);
    cr_expect(outside > (zeta > 0 ? 1.1 : 1e6), "%s, zeta %g: %g above the limit %g", name, zeta, outside, limit);
}

Test(physics_order, stability_limits) {
    for (size_t row = 0; row < sizeof stability / sizeof *stability; ++row) {
        for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
            expect_limit((kdr_method)m, stability[row].zeta, stability[row].limit[m], 100000, false);
        }
        expect_limit(KDR_VELOCITY_VERLET, stability[row].zeta, stability[row].limit[KDR_VELOCITY_VERLET], 1, true);
        expect_limit(KDR_VELOCITY_VERLET, stability[row].zeta, stability[row].verlet_afresh, 1, false);
    }
}

/* The largest |E - E0| on the way, of `steps` steps. */
static double energy_error(kdr_method method, const kdr_force *force, state start, double dt, int steps, double *last) {
    const kdr_integrator_desc desc = describe(method, KDR_F64, KDR_FUSED, force, 1);
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_particles p = make_particles(1, 2, KDR_F64, false, true);
    put_state(&p, 0, &start);
    kdr_clock clock = {0, dt, 0};
    kdr_observables first, now;
    cr_assert(kdr_observe(integrator, &p, &clock, &first, NULL) == KDR_OK);
    double largest = 0;
    for (int i = 0; i < steps; ++i) {
        cr_assert(kdr_integrator_run(integrator, &p, &clock, 1, NULL) == KDR_OK);
        cr_assert(kdr_observe(integrator, &p, &clock, &now, NULL) == KDR_OK);
        *last = now.energy - first.energy;
        largest = fmax(largest, fabs(*last));
    }
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(integrator);
    return largest;
}

/* Velocity Verlet keeps v^2 + x^2 (1 - h^2 / 4): the energy error reaches h^2 / 8 and never passes it, for ever. */
Test(physics_order, verlet_energy_is_bounded_by_its_own_invariant) {
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    double last;
    const double largest = energy_error(KDR_VELOCITY_VERLET, &spring, (state){{1, 0, 0}, {0, 0, 0}}, 0.2, 10000, &last);
    cr_expect(largest <= 0.005 * (1 + 1e-10) && largest > 0.00499999, "%.17g", largest);
}

/* Over 30 orbits the symplectic methods' energy error stays what it was in the first two; the others' grows. */
Test(physics_order, energy_drift_on_kepler) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    const state start = {{0.5, 0, 0}, {0, 1.7320508075688772, 0}};
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        double last;
        const double early = energy_error((kdr_method)m, &sun, start, 0x1p-6, 804, &last);
        const double late = energy_error((kdr_method)m, &sun, start, 0x1p-6, 15 * 804, &last);
        cr_expect(info->symplectic ? late < 1.2 * early : late > 1.5 * early, "%s: %g in 2 orbits, %g in 30", info->name, early, late);
    }
}

Test(physics_order, explicit_euler_gains_and_rk4_loses_energy) {
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    const state start = {{1, 0, 0}, {0, 0, 0}};
    double last;
    (void)energy_error(KDR_EXPLICIT_EULER, &spring, start, 0.1, 100, &last);
    cr_expect(close_to(last, 0.5 * (pow(1.01, 100) - 1), 1e-13), "%.17g", last);
    (void)energy_error(KDR_RK4, &spring, start, 0.5, 1000, &last);
    const double y = 0.5, gain = 1 - pow(y, 6) / 72 + pow(y, 8) / 576;
    cr_expect(close_to(last, 0.5 * (pow(gain, 1000) - 1), 1e-13), "%.17g", last);
}

/* 64 steps there and 64 back: the reversible return to rounding, the others must not. */
Test(physics_order, reversibility) {
    const problem p = kepler();
    for (int runner = 0; runner < RUNNERS; ++runner) {
        for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
            const kdr_method_info *info = kdr_method_get((kdr_method)m);
            const kdr_integrator_desc desc = describe((kdr_method)m, KDR_F64, KDR_FUSED, p.forces, p.count);
            const state there = advance_one(runner, &desc, p.start, 0x1p-6, 64);
            const state back = advance_one(runner, &desc, there, -0x1p-6, 64);
            const double error = fmax(apart(back.x, p.start.x), apart(back.v, p.start.v));
            cr_expect(info->reversible ? error < 1e-13 : error > 1e-9, "%s: returns to within %g", info->name, error);
        }
    }
}

/* What a central force keeps, kicks and drifts keep exactly but for rounding; explicit Euler does not. */
Test(physics_order, angular_momentum) {
    const problem p = kepler();
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        const kdr_integrator_desc desc = describe((kdr_method)m, KDR_F64, KDR_FUSED, p.forces, p.count);
        const state s = advance_one(BY_INTEGRATOR, &desc, p.start, 0x1p-6, 4096);
        const double error = s.x[0] * s.v[1] - s.x[1] * s.v[0] - 0.5 * 1.7320508075688772;
        cr_expect(info->symplectic ? fabs(error) < 1e-13 : fabs(error) > 1e-9, "%s: off by %g", info->name, error);
    }
}
