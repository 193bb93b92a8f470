/* Methods against results in exact arithmetic, and against closed forms, on the oscillator, Kepler's problem and falls. */
#include "support.h"

static const char *where(int runner, kdr_method method, kdr_arithmetic arithmetic) {
    static char text[96];
    snprintf(text, sizeof text, "%s %s %s", runner == BY_REFERENCE ? "reference" : "integrator", kdr_method_get(method)->name,
             kdr_arithmetic_name(arithmetic));
    return text;
}

/* Runs a case by both runners in both arithmetics and compares the axes that the case names. */
static void expect(kdr_method method, const kdr_force *forces, size_t count, state start, double dt, uint64_t steps, state end, int axes,
                   double tolerance) {
    for (int runner = 0; runner < RUNNERS; ++runner) {
        for (int a = 0; a < KDR_ARITHMETIC_COUNT; ++a) {
            const kdr_integrator_desc desc = describe(method, KDR_F64, (kdr_arithmetic)a, forces, count);
            const state got = advance_one(runner, &desc, start, dt, steps);
            for (int axis = 0; axis < axes; ++axis) {
                cr_expect(close_to(got.x[axis], end.x[axis], tolerance), "%s: x[%d] = %.17g, expected %.17g, off by %.3g",
                          where(runner, method, desc.arithmetic), axis, got.x[axis], end.x[axis], got.x[axis] - end.x[axis]);
                cr_expect(close_to(got.v[axis], end.v[axis], tolerance), "%s: v[%d] = %.17g, expected %.17g, off by %.3g",
                          where(runner, method, desc.arithmetic), axis, got.v[axis], end.v[axis], got.v[axis] - end.v[axis]);
            }
        }
    }
}

/* Kepler, e = 1/2, from (1/2, 0) with velocity (0, sqrt 3), h = 1/64, t = 1: 50-digit results of the methods themselves. `dh` is the
 * methods' own energy error, to its four digits. */
static const struct {
    kdr_method method;
    double x[2], v[2], dh;
} kepler[] = {
    {KDR_EXPLICIT_EULER,
     {-0.4291452495661813210876, 0.9248603818683805139483},
     {-1.065872983872860965368, 0.1604206105581139351888},
     0.1001},
    {KDR_SEMI_IMPLICIT_EULER,
     {-0.4580938121417272966524, 0.8399905461913035506753},
     {-1.048761724544228077427, 0.03257963684386881655727},
     0.005312},
    {KDR_VELOCITY_VERLET,
     {-0.4278698151961049636014, 0.8642632807848244033012},
     {-1.034521513816169670292, 0.06561237271654764274361},
     0.0003313},
    {KDR_RK4, {-0.4279673038526582950215, 0.8637755991908449825397}, {-1.034667271322531172090, 0.06471274824900205396544}, -4.119e-8},
};

Test(physics_oracle, kepler_to_rounding) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    const state start = {{0.5, 0, 0}, {0, 1.7320508075688772, 0}};
    for (size_t i = 0; i < sizeof kepler / sizeof *kepler; ++i) {
        const state end = {{kepler[i].x[0], kepler[i].x[1], 0}, {kepler[i].v[0], kepler[i].v[1], 0}};
        expect(kepler[i].method, &sun, 1, start, 0x1p-6, 64, end, 3, 2e-15);
    }
}

Test(physics_oracle, kepler_energy_error) {
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    for (size_t i = 0; i < sizeof kepler / sizeof *kepler; ++i) {
        const kdr_integrator_desc desc = describe(kepler[i].method, KDR_F64, KDR_FUSED, &sun, 1);
        kdr_integrator *integrator;
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
        kdr_particles p = make_particles(1, 2, KDR_F64, false, true);
        put_state(&p, 0, &(state){{0.5, 0, 0}, {0, 1.7320508075688772, 0}});
        kdr_clock clock = {0, 0x1p-6, 0};
        kdr_observables first, last;
        cr_assert(kdr_observe(integrator, &p, &clock, &first, NULL) == KDR_OK);
        cr_assert(kdr_integrator_run(integrator, &p, &clock, 64, NULL) == KDR_OK);
        cr_assert(kdr_observe(integrator, &p, &clock, &last, NULL) == KDR_OK);
        cr_expect(close_to(first.energy, -0.5, 1e-15));
        cr_expect(close_to(last.energy - first.energy, kepler[i].dh, 6e-4 * fabs(kepler[i].dh)), "%s: %.6g, expected %.4g",
                  kdr_method_get(kepler[i].method)->name, last.energy - first.energy, kepler[i].dh);
        kdr_particles_destroy(&p);
        kdr_integrator_destroy(integrator);
    }
}

/* Oscillator of frequency 1, x = 1 at rest, h = 1/16, t = 64: matrix powers in exact arithmetic. */
Test(physics_oracle, oscillator_to_rounding) {
    static const struct {
        kdr_method method;
        double x, v;
    } rows[] = {
        {KDR_EXPLICIT_EULER, 3.43657411746860784837322315670, -6.50878799347124948324241944132},
        {KDR_SEMI_IMPLICIT_EULER, 0.353357332948023680858935922808, -0.924511178933266751901036911984},
        {KDR_VELOCITY_VERLET, 0.382248307289688266855843326308, -0.923608335985089733588633555625},
        {KDR_RK4, 0.391864541152245193661028261837, -0.920022463905809535895097500672},
    };
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const state end = {{rows[i].x, 0, 0}, {rows[i].v, 0, 0}};
        expect(rows[i].method, &spring, 1, (state){{1, 0, 0}, {0, 0, 0}}, 0x1p-4, 1024, end, 3, 2e-14);
    }
}

/* Closed forms, by RK4 with a step whose error is below rounding's. */
Test(physics_oracle, damped_springs) {
    static const struct {
        double zeta, x, v;
    } rows[] = {
        {0, 0.960170286650366020545652297923, 0.558830996397851745623110893224},
        {0.1, 0.505105559266270756363882117301, 0.339950098864755686891531952895},
        {0.5, -0.00228949400771824909926548003992, 0.101784636392818137864087731177},
        {1, 0.0173512652366645089613161720157, -0.0297450261199963010765420091698},
        {1.5, 0.118352053622824157877585679506, -0.0904128085929652711275471917515},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const kdr_force forces[] = {kdr_force_spring(4, 0, 0, 0), kdr_force_drag(4 * rows[i].zeta, 0, 0, 0)};
        const state end = {{rows[i].x, 0, 0}, {rows[i].v, 0, 0}};
        expect(KDR_RK4, forces, 2, (state){{1, 0, 0}, {0, 0, 0}}, 0x1p-11, 3 << 11, end, 3, 3e-13);
    }
}

Test(physics_oracle, fall_with_linear_drag) {
    const kdr_force forces[] = {kdr_force_uniform_acceleration(-9.81, 0, 0), kdr_force_drag(0.5, 0, 0, 0)};
    const state end = {{3.82700541562228874914212232212, 0, 0}, {-5.62850270781114437457106116106, 0, 0}};
    expect(KDR_RK4, forces, 2, (state){{2, 0, 0}, {10, 0, 0}}, 0x1p-10, 3 << 9, end, 3, 1e-13);
}

Test(physics_oracle, fall_with_quadratic_drag) {
    const kdr_force forces[] = {kdr_force_uniform_force(0, 0, -9.81), kdr_force_quadratic_drag(0.02, 0, 0, 0)};
    const state end = {{0, 0, -76.6713431640062467734185620985}, {0, 0, -21.6254172540569927399745793488}};
    expect(KDR_RK4, forces, 2, (state){{0, 0, 0}, {0, 0, 0}}, 0x1p-10, 5 << 10, end, 3, 5e-13);
}

Test(physics_oracle, driven_spring) {
    const kdr_force forces[] = {kdr_force_driven(0, 1, 0, 1.5, 0), kdr_force_spring(4, 0, 0, 0)};
    const state end = {{0, -0.349870940687900645584423066755, 0}, {0, 1.88614762934128329301627007730, 0}};
    expect(KDR_RK4, forces, 2, (state){{0, 0, 0}, {0, 0, 0}}, 0x1p-11, 7 << 11, end, 3, 3e-13);
}

Test(physics_oracle, gyration) {
    const kdr_force magnet = kdr_force_electromagnetic(1, (const double[3]){0, 0, 0}, (const double[3]){0, 0, 3});
    const state end = {{-0.0931384993996419576038518155373, -0.0132765711165446598181159006924, 1},
                       {0.960170286650366020545652297923, 0.279415498198925872811555446612, 0.5}};
    expect(KDR_RK4, &magnet, 1, (state){{0, 0, 0}, {1, 0, 0.5}}, 0x1p-11, 2 << 11, end, 3, 1e-12);
}

/* DETEST D1 and D3 (Hull, Enright, Fellen, Sedgwick 1972) at t = 20, by Kepler's equation. */
Test(physics_oracle, detest_orbits) {
    static const struct {
        double e, x[2], v[2], tolerance;
    } rows[] = {
        {0.1,
         {0.2198835352008396612849470, 0.9427076846341813085211993},
         {-0.9787659841058176514576667, 0.3287977990962036082625254},
         3e-11},
        {0.5,
         {-0.5780432953035361232751458, 0.8633840009194192801335731},
         {-0.9595083730380727356264490, -0.06504915126712090167719355},
         2e-9},
    };
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const double e = rows[i].e;
        const state start = {{1 - e, 0, 0}, {0, sqrt((1 + e) / (1 - e)), 0}};
        const state end = {{rows[i].x[0], rows[i].x[1], 0}, {rows[i].v[0], rows[i].v[1], 0}};
        expect(KDR_RK4, &sun, 1, start, 0x1p-9, 20 << 9, end, 3, rows[i].tolerance);
    }
}

/* Constant acceleration 10 from rest with h = 1: explicit Euler arrives at 450, half a step's fall short of 500. */
Test(physics_oracle, constant_acceleration_table) {
    static const double table[] = {0, 0, 10, 30, 60, 100, 150, 210, 280, 360, 450};
    const kdr_force force = kdr_force_uniform_acceleration(10, 0, 0);
    for (int runner = 0; runner < RUNNERS; ++runner) {
        for (int a = 0; a < KDR_ARITHMETIC_COUNT; ++a) {
            for (int r = 0; r < KDR_REAL_COUNT; ++r) {
                const kdr_integrator_desc desc = describe(KDR_EXPLICIT_EULER, (kdr_real)r, (kdr_arithmetic)a, &force, 1);
                for (uint64_t step = 0; step < sizeof table / sizeof *table; ++step) {
                    const state end = advance_one(runner, &desc, (state){{0}, {0}}, 1, step);
                    cr_expect(end.x[0] == table[step], "step %" PRIu64 ": %g, expected %g", step, end.x[0], table[step]);
                    cr_expect(end.v[0] == 10 * (double)step);
                }
            }
        }
    }
}

/* The same in float with h = 0.01f: what the rounding errors of 1000 steps print. */
Test(physics_oracle, constant_acceleration_in_float) {
    const kdr_force lists[] = {kdr_force_uniform_acceleration(10, 0, 0), kdr_force_uniform_force(10, 0, 0)};
    for (int i = 0; i < RUNNERS * KDR_ARITHMETIC_COUNT * 2; ++i) {
        const kdr_integrator_desc desc = describe(KDR_EXPLICIT_EULER, KDR_F32, (kdr_arithmetic)(i / 2 % 2), &lists[i / 4], 1);
        const state end = advance_one(i % 2, &desc, (state){{0}, {0}}, (double)0.01f, 1000);
        char x[32], v[32];
        snprintf(x, sizeof x, "%f", end.x[0]);
        snprintf(v, sizeof v, "%f", end.v[0]);
        cr_expect(strcmp(x, "499.497070") == 0 && strcmp(v, "99.999046") == 0, "case %d: %s %s", i, x, v);
    }
}
