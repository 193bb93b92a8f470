/* Stormer-Verlet: velocity Verlet's orbit, stored in positions alone. */
#include "support.h"

static const kdr_method SV = KDR_STORMER_VERLET;

static kdr_force sun(void) { return kdr_force_centre(1, 0, 0, 0, 0); }

static const state perihelion = {{0.5, 0, 0}, {0, 1.7320508075688772, 0}}; /* Kepler's problem, e = 1/2 */

static double largest_difference(const double a[3], const double b[3]) {
    double largest = 0;
    for (int i = 0; i < 3; ++i) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

/* Compares with the result of velocity Verlet in exact arithmetic, which is this method's too. The rounding of each position, eps / 2, acts
 * on the next steps like a change of the velocity by eps / 2h. Over n steps the error of x is about eps n^1.5, that of v the same plus eps
 * / h n^0.5: 6e-14 here, where velocity Verlet stays below 2e-15. */
Test(methods_multistep, kepler_to_rounding) {
    const kdr_force force = sun();
    const state exact = {{-0.4278698151961049636014, 0.8642632807848244033012, 0},
                         {-1.034521513816169670292, 0.06561237271654764274361, 0}};
    for (int i = 0; i < RUNNERS * KDR_ARITHMETIC_COUNT; ++i) {
        const kdr_integrator_desc desc = describe(SV, KDR_F64, (kdr_arithmetic)(i / RUNNERS), &force, 1);
        const state end = advance_one(i % RUNNERS, &desc, perihelion, 0x1p-6, 64);
        const double x = largest_difference(end.x, exact.x), v = largest_difference(end.v, exact.v);
        cr_expect(x < 6e-14 && v < 6e-14, "case %d: x off by %.3g, v by %.3g", i, x, v);
    }
}

/* Compares with the power of velocity Verlet's matrix in exact arithmetic: an oscillator of frequency 1 from rest at x = 1, h = 1/16, 1024
 * steps. */
Test(methods_multistep, oscillator_to_rounding) {
    const kdr_force force = kdr_force_spring(1, 0, 0, 0);
    for (int i = 0; i < RUNNERS * KDR_ARITHMETIC_COUNT; ++i) {
        const kdr_integrator_desc desc = describe(SV, KDR_F64, (kdr_arithmetic)(i / RUNNERS), &force, 1);
        const state end = advance_one(i % RUNNERS, &desc, (state){{1, 0, 0}, {0, 0, 0}}, 0x1p-4, 1024);
        cr_expect(close_to(end.x[0], 0.382248307289688266855843326308, 2e-13), "case %d: x %.17g", i, end.x[0]);
        cr_expect(close_to(end.v[0], -0.923608335985089733588633555625, 2e-13), "case %d: v %.17g", i, end.v[0]);
    }
}

/* Returns how far the two methods differ at t = 1, in units of eps. */
static double parting(kdr_real real, int log2_steps) {
    const kdr_force force = sun();
    const kdr_integrator_desc position = describe(SV, real, KDR_FUSED, &force, 1);
    const kdr_integrator_desc velocity = describe(KDR_VELOCITY_VERLET, real, KDR_FUSED, &force, 1);
    const state a = advance_one(BY_INTEGRATOR, &position, perihelion, ldexp(1, -log2_steps), UINT64_C(1) << log2_steps);
    const state b = advance_one(BY_INTEGRATOR, &velocity, perihelion, ldexp(1, -log2_steps), UINT64_C(1) << log2_steps);
    return largest_difference(a.x, b.x) / (real == KDR_F32 ? 0x1p-24 : 0x1p-53);
}

/* Without a stored velocity, the rounding error of x grows as n^1.5. */
Test(methods_multistep, rounding_grows_with_the_number_of_steps) {
    static const int most[KDR_REAL_COUNT] = {[KDR_F32] = 10, [KDR_F64] = 16};
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        for (int k = 4; k <= most[real]; k += 2) {
            const double units = parting((kdr_real)real, k), expected = pow(2, 1.5 * k);
            cr_expect(units > 0.01 * expected && units < expected, "%s, %d steps: %.3g eps, n^1.5 is %.3g", kdr_real_name((kdr_real)real),
                      1 << k, units, expected);
        }
    }
}

/* If h^2 a is below half an ulp of x, positions do not change at all. In f32 from 1 that is h = 2^-12 for an acceleration of 1. */
Test(methods_multistep, steps_that_positions_cannot_show) {
    const kdr_force force = kdr_force_uniform_acceleration(1, 0, 0);
    for (int k = 10; k <= 14; k += 4) {
        const kdr_integrator_desc desc = describe(SV, KDR_F32, KDR_FUSED, &force, 1);
        const state end = advance_one(BY_INTEGRATOR, &desc, (state){{1, 0, 0}, {0, 0, 0}}, ldexp(1, -k), UINT64_C(1) << k);
        cr_expect(k == 14 ? end.x[0] == 1 : close_to(end.x[0], 1.5, 1e-3), "h = 2^-%d: x = %.9g", k, end.x[0]);
    }
}

/* v_n is (x_{n+1} - x_{n-1}) / 2h for any length of the run. */
Test(methods_multistep, velocity_is_the_central_difference) {
    const kdr_force force = sun();
    const kdr_integrator_desc desc = describe(SV, KDR_F64, KDR_FUSED, &force, 1);
    const double dt = 0x1p-6;
    for (uint64_t n = 1; n < 40; ++n) {
        const state before = advance_one(BY_INTEGRATOR, &desc, perihelion, dt, n - 1);
        const state now = advance_one(BY_INTEGRATOR, &desc, perihelion, dt, n);
        const state after = advance_one(BY_INTEGRATOR, &desc, perihelion, dt, n + 1);
        for (int axis = 0; axis < 2; ++axis) {
            const double difference = (after.x[axis] - before.x[axis]) / (2 * dt);
            cr_expect(close_to(now.v[axis], difference, 64 * 0x1p-52), "step %" PRIu64 ": %.17g, expected %.17g", n, now.v[axis],
                      difference);
        }
    }
}

/* From (x_0, v_0) the first step is x_0 + h v_0 + h^2/2 a_0, as that of velocity Verlet. */
Test(methods_multistep, first_step) {
    const kdr_force force = kdr_force_uniform_acceleration(-3, 0.5, 0);
    const kdr_integrator_desc desc = describe(SV, KDR_F64, KDR_UNFUSED, &force, 1);
    const state end = advance_one(BY_REFERENCE, &desc, (state){{1, 2, 3}, {4, -5, 6}}, 0.25, 1);
    cr_expect(end.x[0] == 1.90625 && end.x[1] == 0.765625 && end.x[2] == 4.5);
    cr_expect(end.v[0] == 3.25 && end.v[1] == -4.875 && end.v[2] == 6);
}

/* Runs in pieces that do not divide the length of the tables, in a driven field whose base values are tabulated in chunks of steps. */
static void run_in_pieces(int runner, const kdr_integrator_desc *desc, kdr_particles *p, uint64_t steps, uint64_t piece) {
    kdr_clock clock = {0.25, 0x1p-7, 1000};
    while (steps > 0) {
        const uint64_t now = steps < piece ? steps : piece;
        advance(runner, desc, p, &clock, now);
        steps -= now;
    }
}

Test(methods_multistep, driven_runs_in_pieces) {
    enum { COUNT = 700, STEPS = 300 }; /* more than a block, and more than two tables */
    const kdr_force forces[] = {kdr_force_driven(1, -2, 0.5, 3, 0.5), kdr_force_spring(4, 0, 0, 0)};
    uint64_t seed = test_seed();
    for (int i = 0; i < 2 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++i) {
        const kdr_real real = (kdr_real)(i % 2);
        const kdr_integrator_desc desc = describe(SV, real, (kdr_arithmetic)(i / 2 % 2), forces, 2);
        kdr_particles start = make_particles(COUNT, 3, real, true, false);
        kdr_particles expected = make_particles(COUNT, 3, real, true, i / 4 != 0);
        kdr_particles p = make_particles(COUNT, 3, real, true, i / 4 != 0);
        fill_random(&start, &seed);
        set(start.inverse_mass, real, 17, 0);
        copy_state(&expected, &start);
        run_in_pieces(BY_REFERENCE, &desc, &expected, STEPS, STEPS);
        copy_state(&p, &start);
        run_in_pieces(BY_INTEGRATOR, &desc, &p, STEPS, STEPS);
        cr_expect(same_bits(&p, &expected), "case %d: one call differs from the reference", i);
        for (uint64_t piece = 1; piece < STEPS; piece += 131) {
            copy_state(&p, &start);
            run_in_pieces(BY_INTEGRATOR, &desc, &p, STEPS, piece);
            cr_expect(same_bits(&p, &expected) == (p.memory[0] != NULL), "case %d in pieces of %" PRIu64, i, piece);
        }
        kdr_particles_destroy(&start);
        kdr_particles_destroy(&expected);
        kdr_particles_destroy(&p);
    }
}

/* A call makes one evaluation more than it has steps, resumed or not. Velocity Verlet's memory saves that one. */
Test(methods_multistep, evaluations) {
    const kdr_force force = sun();
    for (int memory = 0; memory < 2; ++memory) {
        kdr_particles p = make_particles(5, 2, KDR_F64, false, memory != 0);
        for (size_t i = 0; i < p.count; ++i) {
            put_state(&p, i, &perihelion);
        }
        for (int method = 0; method < 2; ++method) {
            const kdr_integrator_desc desc = describe(method ? SV : KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, &force, 1);
            kdr_integrator *integrator;
            kdr_clock clock = {0, 0x1p-6, 0};
            cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
            cr_expect(kdr_integrator_evaluations(integrator, &p, &clock, 0) == 0);
            cr_expect(kdr_integrator_evaluations(integrator, &p, &clock, 9) == 50);
            cr_assert(kdr_integrator_run(integrator, &p, &clock, 9, NULL) == KDR_OK);
            cr_expect(kdr_integrator_evaluations(integrator, &p, &clock, 9) == (memory && !method ? 45 : 50));
            kdr_integrator_destroy(integrator);
        }
        kdr_particles_destroy(&p);
    }
}

/* x_{n-1} belongs to the step with which it was computed: with another step, and after changes by hand, a run starts from (x, v). That
 * gives x_{n-1} back to rounding, mostly to the bit, so the test puts something else into the memory to see whether it is read. */
Test(methods_multistep, starts_afresh_with_another_step) {
    const kdr_force force = sun();
    const kdr_integrator_desc desc = describe(SV, KDR_F64, KDR_FUSED, &force, 1);
    for (int change = 0; change < 3; ++change) {
        kdr_particles p = make_particles(3, 2, KDR_F64, false, true), fresh = make_particles(3, 2, KDR_F64, false, true);
        put_state(&p, 1, &perihelion);
        put_state(&p, 0, &(state){{1, 0, 0}, {0, 1, 0}});
        put_state(&p, 2, &(state){{-1, 1, 0}, {0.5, 0, 0}});
        kdr_clock clock = {0, 0x1p-6, 0};
        advance(BY_INTEGRATOR, &desc, &p, &clock, 10);
        copy_state(&fresh, &p);
        set(p.memory[0], p.real, 1, 0.125);
        if (change == 1) {
            clock.dt = 0x1p-7;
        }
        if (change == 2) {
            p.memory_key = 0;
        }
        kdr_clock same = clock;
        advance(BY_INTEGRATOR, &desc, &p, &clock, 10);
        advance(BY_INTEGRATOR, &desc, &fresh, &same, 10);
        cr_expect(same_bits(&p, &fresh) == (change != 0), "change %d", change);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&fresh);
    }
}

static void expect_refusal(const kdr_integrator_desc *desc, const char *instead) {
    kdr_integrator *integrator = NULL;
    kdr_error error = {KDR_OK, ""};
    cr_expect(kdr_integrator_create(desc, &integrator, &error) == KDR_ERROR_UNSUPPORTED && !integrator);
    cr_expect(strstr(error.message, "stormer-verlet") && strstr(error.message, instead), "'%s'", error.message);
    kdr_particles p = make_particles(1, 3, KDR_F64, false, false);
    kdr_clock clock = {0, 1, 0};
    cr_expect(kdr_reference_run(desc, &p, &clock, 1, &error) == KDR_ERROR_UNSUPPORTED && clock.step == 0);
    kdr_particles_destroy(&p);
}

/* Velocity-dependent forces are refused, and so is compensation: there is no increment other than the difference of the rounded
 * positions. */
Test(methods_multistep, refuses) {
    static const double none[3] = {0}, along[3] = {0, 0, 1};
    const kdr_force drag = kdr_force_drag(1, 0, 0, 0), quadratic = kdr_force_quadratic_drag(1, 0, 0, 0);
    const kdr_force magnet = kdr_force_electromagnetic(1, none, along), electric = kdr_force_electromagnetic(1, along, none);
    kdr_integrator_desc desc = describe(SV, KDR_F64, KDR_FUSED, &drag, 1);
    expect_refusal(&desc, "take rk4");
    desc.forces = &quadratic;
    expect_refusal(&desc, "take rk4");
    desc.forces = &magnet;
    expect_refusal(&desc, "take boris");
    desc.forces = &electric;
    desc.compensated = true;
    expect_refusal(&desc, "take velocity-verlet");
    desc.compensated = false;
    kdr_integrator *integrator;
    cr_expect(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_integrator_destroy(integrator);
}
