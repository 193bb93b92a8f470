/* The column stability: on the undamped oscillator a method is bounded up to it and not above. Damped oscillators are tested for the
 * methods whose limits are known. */
#include "methods.h"

/* Steps oscillators by h = 1, each with its own omega, from (1, 0), and returns the amplitudes in units of x. */
static void amplitudes(kdr_method method, double *omega, size_t count, uint64_t steps, double *largest) {
    double *const stiffness = calloc(count, sizeof *stiffness);
    cr_assert(stiffness);
    for (size_t i = 0; i < count; ++i) {
        stiffness[i] = omega[i] * omega[i];
    }
    kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    spring.as.spring.k_each = stiffness;
    spring.as.spring.count = count;
    const kdr_integrator_desc desc = describe_row(method, &spring, 1, 0);
    kdr_particles p = make_particles(count, 1, KDR_F64, false, true);
    for (size_t i = 0; i < count; ++i) {
        put_state(&p, i, &(state){{1, 0, 0}, {0, 0, 0}});
    }
    kdr_clock clock = {0, 1, 0};
    advance(BY_INTEGRATOR, &desc, &p, &clock, steps);
    for (size_t i = 0; i < count; ++i) {
        const state s = get_state(&p, i);
        const double r = hypot(s.x[0], s.v[0] / omega[i]);
        largest[i] = isfinite(r) ? r : INFINITY;
    }
    kdr_particles_destroy(&p);
    free(stiffness);
}

enum { STEPS = 100000, INSIDE = 40 };

/* Checks omega h up to 0.99 of the limit, and at 0.9999 of it, where the ellipse of a symplectic method is a hundred times as long as
 * wide. */
static void expect_bounded(kdr_method method, double limit) {
    double omega[INSIDE + 1], r[INSIDE + 1];
    for (int i = 0; i < INSIDE; ++i) {
        omega[i] = 0.99 * limit * (i + 1) / INSIDE;
    }
    omega[INSIDE] = 0.9999 * limit;
    amplitudes(method, omega, INSIDE + 1, STEPS, r);
    for (int i = 0; i <= INSIDE; ++i) {
        cr_expect(r[i] < (i < INSIDE ? 50 : 5000), "%s: %g at omega h = %.6g, the limit is %.10g", kdr_method_get(method)->name, r[i],
                  omega[i], limit);
    }
}

/* Checks omega h just above the limit, and at 1.01 of it. Symmetric splittings with a limit near pi have a gap of instability that ends
 * before 1.01; all diverge in the first ten-thousandth of it. Methods with damping (Runge-Kutta) become unstable slowly: they are checked
 * farther out, by their growth between half of the run and its end. */
static void expect_unbounded(kdr_method method, double limit) {
    const kdr_method_info *info = kdr_method_get(method);
    double omega[2] = {1.0001 * limit, 1.01 * limit}, half[2], whole[2];
    amplitudes(method, omega, 2, STEPS / 2, half);
    amplitudes(method, omega, 2, STEPS, whole);
    const int i = info->symplectic ? 0 : 1;
    const bool grows = whole[i] == INFINITY || (whole[i] > 1.2 * half[i] && half[i] > 1.2);
    cr_expect(grows && (whole[i] > 1e6 || !info->symplectic), "%s: %g, then %g at omega h = %.6g, the limit is %.10g", info->name, half[i],
              whole[i], omega[i], limit);
}

Test(methods_stability, undamped_oscillator) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const double limit = kdr_method_get((kdr_method)m)->stability;
        if (limit > 0 && isfinite(limit)) {
            expect_bounded((kdr_method)m, limit);
            expect_unbounded((kdr_method)m, limit);
        }
    }
}

Test(methods_stability, without_limit) {
    double omega[] = {0.1, 1, 3, 10, 1000}, r[5];
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        if (kdr_method_get((kdr_method)m)->stability == INFINITY) {
            amplitudes((kdr_method)m, omega, 5, STEPS, r);
            for (int i = 0; i < 5; ++i) {
                cr_expect(r[i] < 1.001, "%s: %g at omega h = %g", kdr_method_get((kdr_method)m)->name, r[i], omega[i]);
            }
        }
    }
}

/* The step's matrix, from two oscillators that are stepped once: its determinant, and the absolute value of its larger eigenvalue. */
typedef struct spectrum {
    double det, radius;
} spectrum;

static spectrum spectrum_of(kdr_method method, double omega) {
    const kdr_force spring = kdr_force_spring(omega * omega, 0, 0, 0);
    const kdr_integrator_desc desc = describe_row(method, &spring, 1, 0);
    const state a = advance_one(BY_REFERENCE, &desc, (state){{1, 0, 0}, {0, 0, 0}}, 1, 1);
    const state b = advance_one(BY_REFERENCE, &desc, (state){{0, 0, 0}, {1, 0, 0}}, 1, 1);
    const double det = a.x[0] * b.v[0] - a.v[0] * b.x[0], half = fabs(a.x[0] + b.v[0]) / 2, square = half * half - det;
    return (spectrum){det, square > 0 ? half + sqrt(square) : sqrt(det)};
}

/* Checks the column's digits: 1e-5 below the limit no eigenvalue is larger than 1, and 1e-5 above it one is. Where the eigenvalues of a
 * symplectic step meet, rounding errors appear as their square roots. */
Test(methods_stability, limits_to_five_digits) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        const double limit = info->stability, noise = info->symplectic ? 3e-7 : 1e-12;
        if (limit > 0 && isfinite(limit)) {
            const double below = spectrum_of((kdr_method)m, (1 - 1e-5) * limit).radius;
            const double above = spectrum_of((kdr_method)m, (1 + 1e-5) * limit).radius;
            cr_expect(below < 1 + noise && above > 1 + 10 * noise, "%s: 1 + %g below %.10g, 1 + %g above", info->name, below - 1, limit,
                      above - 1);
        }
    }
}

/* A method without a stable interval grows at every omega h; the best of them by 1 + 1e-7 per step at omega h = 1. Below 1/4 the
 * determinant would be lost in rounding. */
Test(methods_stability, without_stable_interval) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *info = kdr_method_get((kdr_method)m);
        cr_expect(info->stability >= 0, "%s", info->name);
        if (info->stability != 0) {
            continue;
        }
        for (int quarters = 1; quarters < 12; ++quarters) { /* nystrom-5 is stable again from omega h = 3 to 4, which is of no use */
            const double at = 0.25 * quarters;
            /* The determinant shows slow growth at small steps, the spectral radius fast growth at large steps. */
            const double grown = fmax(spectrum_of((kdr_method)m, at).det, spectrum_of((kdr_method)m, at).radius) - 1;
            cr_expect(grown > 1e-13, "%s: grows by 1 + %g at omega h = %g", info->name, grown, at);
        }
        double omega = 1, half, whole;
        amplitudes((kdr_method)m, &omega, 1, 5 * STEPS, &half);
        amplitudes((kdr_method)m, &omega, 1, 10 * STEPS, &whole);
        cr_expect(whole > 1.02 * half || whole == INFINITY, "%s: %g, then %g", info->name, half, whole);
    }
}

/* Returns the distance of an oscillator with omega = 1 from rest after 1e5 steps from (1, 0), in calls of `piece` steps; NaN counts as
 * far. */
static double distance(kdr_method method, double zeta, double dt, uint64_t piece, bool memory) {
    const kdr_force forces[] = {kdr_force_spring(1, 0, 0, 0), kdr_force_drag(2 * zeta, 0, 0, 0)};
    const kdr_integrator_desc desc = describe_row(method, forces, 2, 0);
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_particles p = make_particles(1, 1, KDR_F64, false, memory);
    put_state(&p, 0, &(state){{1, 0, 0}, {0, 0, 0}});
    kdr_clock clock = {0, dt, 0};
    while (clock.step < STEPS) {
        cr_assert(kdr_integrator_run(integrator, &p, &clock, piece, NULL) == KDR_OK);
    }
    const state s = get_state(&p, 0);
    const double r = hypot(s.x[0], s.v[0]);
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(integrator);
    return isfinite(r) ? r : INFINITY;
}

/* The largest stable omega h of x'' = -x - 2 zeta x'. Velocity Verlet keeps the acceleration at the half-step velocity, which makes it
 * semi-implicit Euler in the half-step velocities, with the same limit, (omega h)^2 + 4 zeta omega h < 4. A run that starts afresh at each
 * step evaluates a(x_n, v_n) instead and has the limit of the last column. */
enum { COLUMNS = 5 };
static const kdr_method columns[COLUMNS] = {KDR_EXPLICIT_EULER, KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET, KDR_RK4, KDR_HEUN};
static const struct {
    double zeta, limit[COLUMNS], verlet_afresh;
} damped[] = {
    {0, {0, 2, 2, 2.82842712474619, 0}, 2},
    {0.01, {0.02, 1.9801, 1.9801, 2.84857, 0.444003}, 1.99013},
    {0.1, {0.2, 1.80998, 1.80998, 2.95085, 1.04975}, 1.91257},
    {0.5, {1, 1.23607, 1.23607, 2.62254, 2}, 2},
    {1, {2, 0.828427, 0.828427, 2.78529, 2}, 2},
    {2, {0.535898, 0.472136, 0.472136, 0.746317, 0.535898}, 1},
};

static void expect_limit(kdr_method method, double zeta, double limit, uint64_t piece, bool memory) {
    const char *name = kdr_method_get(method)->name;
    const double outside = distance(method, zeta, limit > 0 ? 1.01 * limit : 0.2, piece, memory);
    const double inside = limit > 0 ? distance(method, zeta, 0.99 * limit, piece, memory) : 0;
    /* Without damping the motion stays on an ellipse, which is 14 times as long as wide so close to the limit. With damping it decays. */
    cr_expect(inside < (zeta > 0 ? 0.9 : 20), "%s, zeta %g: %g below the limit %g", name, zeta, inside, limit);
    cr_expect(outside > (zeta > 0 ? 1.1 : 1e6), "%s, zeta %g: %g above the limit %g", name, zeta, outside, limit);
}

Test(methods_stability, damped_oscillator) {
    for (size_t row = 0; row < sizeof damped / sizeof *damped; ++row) {
        for (int c = 0; c < COLUMNS; ++c) {
            expect_limit(columns[c], damped[row].zeta, damped[row].limit[c], STEPS, false);
        }
        expect_limit(KDR_VELOCITY_VERLET, damped[row].zeta, damped[row].limit[2], 1, true);
        expect_limit(KDR_VELOCITY_VERLET, damped[row].zeta, damped[row].verlet_afresh, 1, false);
    }
}
