/* The method kinematic: each kind of contribution is compared with its closed form, sums of several with the experiments of the source in
 * METHODS, and refusals are checked. */
#include "methods.h"

static const double pi = 3.14159265358979323846;

static kdr_force with(kdr_force force, kdr_contribution contribution) {
    force.contribution = contribution;
    return force;
}

static state step_of(int runner, const kdr_force *forces, size_t count, state start, double h, uint64_t steps) {
    const kdr_integrator_desc desc = describe(KDR_KINEMATIC_SUM, KDR_F64, KDR_FUSED, forces, count);
    return advance_one(runner, &desc, start, h, steps);
}

static void expect_state(state found, double x, double v, double tolerance, const char *what) {
    cr_expect(close_to(found.x[0], x, tolerance) && close_to(found.v[0], v, tolerance), "%s: %.17g %.17g, expected %.17g %.17g", what,
              found.x[0], found.v[0], x, v);
}

/* One spring with omega = 2, anchored at 0.5, and h = 0.4. */
Test(methods_contributions, kinds_of_a_spring) {
    const double w = 2, h = 0.4, c = cos(w * h), s = sin(w * h), x = 1.25 - 0.5, v = -0.75;
    const double dv = -w * s * x + (c - 1) * v;
    const struct {
        kdr_contribution kind;
        double dx, dv;
    } kinds[] = {
        {KDR_CONTRIBUTION_DEFAULT, (c - 1) * x + (s / w - h) * v, dv},
        {KDR_CONTRIBUTION_EXACT, (c - 1) * x + (s / w - h) * v, dv},
        {KDR_CONTRIBUTION_AVERAGE, dv * h / 2, dv},
        {KDR_CONTRIBUTION_PULSE, dv * h, dv},
        {KDR_CONTRIBUTION_PULSE_SYMPLECTIC, -w * s * x * h, -w * s * x},
        {KDR_CONTRIBUTION_EULER, -w * w * x * h * h, -w * w * x * h},
    };
    for (size_t i = 0; i < RUNNERS * sizeof kinds / sizeof *kinds; ++i) {
        const kdr_force spring = with(kdr_force_spring(4, 0.5, 0, 0), kinds[i / RUNNERS].kind);
        const state start = {{1.25, 0, 0}, {v, 0, 0}};
        expect_state(step_of((int)(i % RUNNERS), &spring, 1, start, h, 1), 1.25 + h * v + kinds[i / RUNNERS].dx, v + kinds[i / RUNNERS].dv,
                     4e-16, kdr_contribution_name(kinds[i / RUNNERS].kind));
    }
}

/* Drag with lambda = 0.75, in a wind of 2. */
Test(methods_contributions, kinds_of_drag) {
    const double l = 0.75, h = 0.4, v = -0.75, u = v - 2, gone = expm1(-l * h);
    const struct {
        kdr_contribution kind;
        double dx, dv;
    } kinds[] = {
        {KDR_CONTRIBUTION_DEFAULT, u * (-gone / l - h), u * gone},      {KDR_CONTRIBUTION_EXACT, u * (-gone / l - h), u * gone},
        {KDR_CONTRIBUTION_AVERAGE, u * gone * h / 2, u * gone},         {KDR_CONTRIBUTION_PULSE, u * gone * h, u * gone},
        {KDR_CONTRIBUTION_FIRST_ORDER, -l * h * h / 2 * u, -l * h * u}, {KDR_CONTRIBUTION_EULER, -l * h * h * u, -l * h * u},
    };
    for (size_t i = 0; i < RUNNERS * sizeof kinds / sizeof *kinds; ++i) {
        const kdr_force drag = with(kdr_force_drag(l, 2, 0, 0), kinds[i / RUNNERS].kind);
        const state start = {{1.25, 0, 0}, {v, 0, 0}};
        expect_state(step_of((int)(i % RUNNERS), &drag, 1, start, h, 1), 1.25 + h * v + kinds[i / RUNNERS].dx, v + kinds[i / RUNNERS].dv,
                     6e-16, kdr_contribution_name(kinds[i / RUNNERS].kind));
    }
}

/* A drive a cos(omega t + phase). Its integrals are differences of closed forms; one drive is so slow that those would cancel. */
Test(methods_contributions, kinds_of_a_drive) {
    const double a = 1.5, phase = 0.25, h = 0.4;
    for (int i = 0; i < 4 * RUNNERS; ++i) {
        const kdr_contribution kind = (kdr_contribution[]){KDR_CONTRIBUTION_EXACT, KDR_CONTRIBUTION_AVERAGE, KDR_CONTRIBUTION_PULSE,
                                                           KDR_CONTRIBUTION_EULER}[i / RUNNERS];
        for (int fast = 0; fast < 2; ++fast) {
            const double w = fast ? 7 : 1e-9, end = w * h + phase;
            const double dv = fast ? a / w * (sin(end) - sin(phase)) : a * h * cos(phase);
            const double exact = fast ? a / (w * w) * (cos(phase) - cos(end)) - a / w * sin(phase) * h : a * h * h / 2 * cos(phase);
            const double kick = kind == KDR_CONTRIBUTION_EULER ? a * h * cos(phase) : dv;
            const double dx = kind == KDR_CONTRIBUTION_EXACT ? exact : kind == KDR_CONTRIBUTION_AVERAGE ? kick * h / 2 : kick * h;
            const kdr_force drive = with(kdr_force_driven(a, 0, 0, w, phase), kind);
            const state start = {{1, 0, 0}, {0.5, 0, 0}};
            expect_state(step_of(i % RUNNERS, &drive, 1, start, h, 1), 1 + h * 0.5 + dx, 0.5 + kick, fast ? 4e-16 : 1e-9,
                         kdr_contribution_name(kind));
        }
    }
}

/* A force that is not affine contributes by its acceleration at the beginning of the step. */
Test(methods_contributions, kinds_of_a_centre) {
    const double h = 0.25, a = -1.0 / 4;
    for (int i = 0; i < 3 * RUNNERS; ++i) {
        const kdr_contribution kind =
            (kdr_contribution[]){KDR_CONTRIBUTION_DEFAULT, KDR_CONTRIBUTION_PULSE, KDR_CONTRIBUTION_EULER}[i / RUNNERS];
        const kdr_force centre = with(kdr_force_centre(1, 0, 0, 0, 0), kind);
        const state start = {{2, 0, 0}, {0.5, 0, 0}};
        expect_state(step_of(i % RUNNERS, &centre, 1, start, h, 1), 2 + h * 0.5 + a * h * h * (i / RUNNERS ? 1 : 0.5), 0.5 + h * a, 4e-16,
                     kdr_contribution_name(kind));
    }
}

/* A constant acceleration and a magnetic field are exact if each is alone; so is one spring with a mass. */
Test(methods_contributions, one_force_is_exact) {
    const double e[3] = {0.5, 0, 0}, b[3] = {0.25, -0.5, 1.5};
    const kdr_force forces[3] = {kdr_force_uniform_acceleration(1, 2, -3), kdr_force_electromagnetic(1, e, b),
                                 kdr_force_spring(3, 1, 0, 0)};
    for (int i = 0; i < 3 * RUNNERS; ++i) {
        const state start = {{0.5, -0.25, 1}, {1, 0.5, 0.25}};
        const kdr_integrator_desc exact = describe(KDR_EXACT_AFFINE, KDR_F64, KDR_FUSED, &forces[i / RUNNERS], 1);
        const state found = step_of(i % RUNNERS, &forces[i / RUNNERS], 1, start, 0.75, 8),
                    expected = advance_one(i % RUNNERS, &exact, start, 0.75, 8);
        cr_expect(apart(found.x, expected.x) < 2e-14 && apart(found.v, expected.v) < 2e-14, "%d: %g", i / RUNNERS,
                  apart(found.x, expected.x));
    }
}

/* Returns the error of x after a third of a period, for springs of omega^2 = 4 and 9 from (1, 0) as contributions of one kind. At the
 * turning points x would not show the phase. */
static double two_springs(int runner, kdr_contribution kind, int steps) {
    const kdr_force springs[2] = {with(kdr_force_spring(4, 0, 0, 0), kind), with(kdr_force_spring(9, 0, 0, 0), kind)};
    const state s = step_of(runner, springs, 2, (state){{1, 0, 0}, {0, 0, 0}}, 2 * pi / 3 / sqrt(13) / steps, (uint64_t)steps);
    return fabs(s.x[0] + 0.5);
}

/* If several forces depend on x, average and exact are both of order 2, and average, the default, is more accurate. */
Test(methods_contributions, two_springs_converge) {
    const struct {
        kdr_contribution kind;
        double order;
    } kinds[] = {{KDR_CONTRIBUTION_DEFAULT, 2}, {KDR_CONTRIBUTION_AVERAGE, 2}, {KDR_CONTRIBUTION_EXACT, 2}};
    for (size_t i = 0; i < 3 * RUNNERS; ++i) {
        const int runner = (int)(i % RUNNERS);
        const double coarse = two_springs(runner, kinds[i / RUNNERS].kind, 256), fine = two_springs(runner, kinds[i / RUNNERS].kind, 512);
        cr_expect(close_to(log2(coarse / fine), kinds[i / RUNNERS].order, 0.2), "%s: order %g",
                  kdr_contribution_name(kinds[i / RUNNERS].kind), log2(coarse / fine));
    }
    cr_expect(two_springs(BY_REFERENCE, KDR_CONTRIBUTION_AVERAGE, 64) < two_springs(BY_REFERENCE, KDR_CONTRIBUTION_EXACT, 64));
}

/* Returns the amplitude after a long run: with several springs, exact grows, average decays, pulse decays by its determinant cos(omega h),
 * symplectic stays. */
static double amplitude(kdr_contribution kind, int springs, double h, uint64_t steps) {
    const kdr_force list[2] = {with(kdr_force_spring(4, 0, 0, 0), kind), with(kdr_force_spring(9, 0, 0, 0), kind)};
    const state s = step_of(BY_INTEGRATOR, list, (size_t)springs, (state){{1, 0, 0}, {0, 0, 0}}, h, steps);
    return hypot(s.x[0], s.v[0] / sqrt(springs == 2 ? 13 : 4));
}

Test(methods_contributions, long_runs) {
    const double exact = amplitude(KDR_CONTRIBUTION_EXACT, 2, 0.1, 20000), average = amplitude(KDR_CONTRIBUTION_AVERAGE, 2, 0.1, 20000);
    cr_expect(exact > 100, "exact, two springs: %g", exact);
    cr_expect(average < 0.9, "average, two springs: %g", average);
    const double pulse = amplitude(KDR_CONTRIBUTION_PULSE, 1, 0.05, 2000),
                 symplectic = amplitude(KDR_CONTRIBUTION_PULSE_SYMPLECTIC, 1, 0.05, 200000);
    cr_expect(close_to(log(pulse) / (1000 * log(cos(0.1))), 1, 0.05), "pulse: %g, cos^(n/2) is %g", pulse, pow(cos(0.1), 1000));
    cr_expect(symplectic > 0.9 && symplectic < 1.1, "pulse-symplectic: %g", symplectic);
}

/* A list with centres and quadratic drags, each with its own kind of contribution, in any order; on one axis, mu = 1, eps = 1/2, c =
 * 1/4. */
Test(methods_contributions, centres_and_quadratic_drags_of_mixed_kinds) {
    const double h = 0.2, x = 1.25, v = -0.75;
    const kdr_force centre[] = {kdr_force_centre(1, 0, 0, 0, 0.5), kdr_force_centre(0.5, 3, 0, 0, 0.5)};
    const kdr_force drag[] = {kdr_force_quadratic_drag(0.25, 0, 0, 0), kdr_force_quadratic_drag(0.5, 1, 0, 0)};
    const double a[] = {-x / pow(x * x + 0.25, 1.5), 0.25 * 0.75 * 0.75, -0.5 * (x - 3) / pow((x - 3) * (x - 3) + 0.25, 1.5),
                        0.5 * 1.75 * 1.75};
    for (unsigned pulses = 0; pulses < 16 * RUNNERS; ++pulses) {
        const unsigned mask = pulses / RUNNERS;
        kdr_force list[] = {centre[0], drag[0], centre[1], drag[1]};
        double dx = 0, dv = 0;
        for (unsigned i = 0; i < 4; ++i) {
            const bool pulse = (mask >> i & 1U) != 0;
            list[i].contribution = !pulse  ? (i % 2 ? KDR_CONTRIBUTION_AVERAGE : KDR_CONTRIBUTION_DEFAULT)
                                   : i < 2 ? KDR_CONTRIBUTION_PULSE
                                           : KDR_CONTRIBUTION_EULER;
            dx += (pulse ? 1 : 0.5) * h * h * a[i];
            dv += h * a[i];
        }
        expect_state(step_of((int)(pulses % RUNNERS), list, 4, (state){{x, 0, 0}, {v, 0, 0}}, h, 1), x + h * v + dx, v + dv, 1e-15,
                     "mixed");
    }
}

/* The determinant of a step of one spring is cos(omega h) for pulse, and 1 for pulse-symplectic. */
Test(methods_contributions, determinants) {
    const struct {
        kdr_contribution kind;
        double det;
    } kinds[] = {{KDR_CONTRIBUTION_EXACT, 1}, {KDR_CONTRIBUTION_PULSE, cos(0.6)}, {KDR_CONTRIBUTION_PULSE_SYMPLECTIC, 1}};
    for (int i = 0; i < 3 * RUNNERS; ++i) {
        const kdr_force spring = with(kdr_force_spring(4, 0, 0, 0), kinds[i / RUNNERS].kind);
        const state x = step_of(i % RUNNERS, &spring, 1, (state){{1, 0, 0}, {0, 0, 0}}, 0.3, 1),
                    v = step_of(i % RUNNERS, &spring, 1, (state){{0, 0, 0}, {1, 0, 0}}, 0.3, 1);
        cr_expect(close_to(x.x[0] * v.v[0] - x.v[0] * v.x[0], kinds[i / RUNNERS].det, 1e-15), "%s",
                  kdr_contribution_name(kinds[i / RUNNERS].kind));
    }
}

static void expect_refused(const kdr_force *forces, size_t count, kdr_method method, kdr_status status, const char *first,
                           const char *second) {
    const kdr_integrator_desc desc = describe(method, KDR_F64, KDR_FUSED, forces, count);
    const kdr_error error = expect_desc_refused(&desc, status, first);
    cr_expect(strstr(error.message, first) && strstr(error.message, second), "'%s'", error.message);
}

Test(methods_contributions, refusals) {
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0), centre = kdr_force_centre(1, 0, 0, 0, 0), drag = kdr_force_drag(1, 0, 0, 0);
    const kdr_force one[] = {with(centre, KDR_CONTRIBUTION_EXACT)};
    expect_refused(one, 1, KDR_KINEMATIC_SUM, KDR_ERROR_UNSUPPORTED, "centre", "average, pulse, euler");
    const kdr_force two[] = {with(drag, KDR_CONTRIBUTION_PULSE_SYMPLECTIC)};
    expect_refused(two, 1, KDR_KINEMATIC_SUM, KDR_ERROR_UNSUPPORTED, "forces[0].contribution: drag", "first-order");
    const kdr_force four[] = {spring, with(spring, KDR_CONTRIBUTION_AVERAGE)};
    expect_refused(four, 2, KDR_RK4, KDR_ERROR_UNSUPPORTED, "rk4", "take kinematic");
    const kdr_force five[] = {with(spring, (kdr_contribution)99)};
    expect_refused(five, 1, KDR_KINEMATIC_SUM, KDR_ERROR_ARGUMENT, "forces[0].contribution", "got 99");
    kdr_force many[KDR_MAX_CONTRIBUTIONS + 1];
    for (int i = 0; i <= KDR_MAX_CONTRIBUTIONS; ++i) {
        many[i] = spring;
    }
    expect_refused(many, KDR_MAX_CONTRIBUTIONS + 1, KDR_KINEMATIC_SUM, KDR_ERROR_ARGUMENT, "forces[16]", "at most 16");
    const kdr_integrator_desc desc = describe(KDR_KINEMATIC_SUM, KDR_F64, KDR_FUSED, many, KDR_MAX_CONTRIBUTIONS);
    (void)advance_one(BY_REFERENCE, &desc, (state){{1, 0, 0}, {0, 0, 0}}, 0.1, 1);
}

Test(methods_contributions, names) {
    for (int i = 0; i < KDR_CONTRIBUTION_COUNT; ++i) {
        kdr_contribution found = KDR_CONTRIBUTION_DEFAULT;
        cr_expect(kdr_contribution_from_name(kdr_contribution_name((kdr_contribution)i), &found) == KDR_OK && (int)found == i);
    }
    kdr_contribution untouched = KDR_CONTRIBUTION_PULSE;
    cr_expect(kdr_contribution_from_name("implicit", &untouched) == KDR_ERROR_UNKNOWN_NAME && untouched == KDR_CONTRIBUTION_PULSE);
    cr_expect_str_eq(kdr_contribution_name((kdr_contribution)-1), "?");
}
