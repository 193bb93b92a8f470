/* Motions with known results in magnetic fields that are not uniform, on a grid, and near the speed of light. */
#include "system_support.h"

KDR_DECLARE_CUSTOM_FIELD(mirror);
KDR_DECLARE_CUSTOM_FIELD(torus);

static const kdr_method pushers[] = {KDR_BORIS, KDR_VAY, KDR_HIGUERA_CARY};
enum { PUSHERS = 3 };

static double dot(const double a[3], const double b[3]) { return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]; }

static kdr_force fields_of(const double e[3], const double b[3]) { return kdr_force_electromagnetic(1, e, b); }

static kdr_integrator_desc relativistic(kdr_method method, const kdr_force *forces, size_t count, double c) {
    kdr_integrator_desc desc = describe(method, KDR_F64, KDR_FUSED, forces, count);
    desc.speed_of_light = c;
    return desc;
}

static kdr_observables observe_one(const kdr_integrator_desc *desc, const state *s) {
    kdr_particles p = make_particles(1, 3, KDR_F64, false, false);
    kdr_integrator *integrator = NULL;
    kdr_observables seen;
    put_state(&p, 0, s);
    cr_assert(kdr_integrator_create(desc, &integrator, NULL) == KDR_OK);
    cr_assert(kdr_observe(integrator, &p, &(kdr_clock){0, 1, 0}, &seen, NULL) == KDR_OK);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
    return seen;
}

/* In b alone u turns by b / gamma per unit of time, on a circle of radius u / b. A step rotates by 2 atan(h b / (2 gamma)). With Higuera
 * and Cary, gamma is that of the mean of u before and after, which is shorter than u. */
Test(physics_magnetic, gyration) {
    const double b = 2, c = 1.5, u = 3, gamma = sqrt(1 + u * u / (c * c)), h = 0.05;
    const kdr_force field = fields_of(NULL, (const double[]){0, 0, b});
    enum { STEPS = 500 };
    for (int i = 0; i < PUSHERS * RUNNERS; ++i) {
        const kdr_integrator_desc desc = relativistic(pushers[i / RUNNERS], &field, 1, c);
        const state end = advance_one(i % RUNNERS, &desc, (state){{0, u / b, 0}, {u, 0, 0}}, h, STEPS);
        const double tangent = h * b / 2, s = gamma * gamma - tangent * tangent, mean = sqrt((s + sqrt(s * s + 4 * tangent * tangent)) / 2);
        const double angle = 2 * atan(tangent / (desc.method == KDR_HIGUERA_CARY ? mean : gamma));
        const double turned = remainder(STEPS * angle - atan2(-end.v[1], end.v[0]), 2 * acos(-1));
        cr_expect(close_to(turned, 0, 1e-12) && close_to(hypot(end.v[0], end.v[1]), u, 1e-12), "%s: %g", kdr_method_get(desc.method)->name,
                  turned);
        cr_expect(close_to(hypot(end.x[0], end.x[1]), u / b, 2 * h * h), "%g", hypot(end.x[0], end.x[1]));
        cr_expect(close_to(h * b / gamma, angle, pow(h * b / gamma, 3) / 2) && angle != h * b / gamma);
    }
}

/* Checks one step with momenta and half angles up to the ends of the range, and speeds of light up to theirs, against the angle of the
 * closed form in numbers of a wider exponent. u is conserved, and a free particle moves by u / gamma. */
static void expect_turn(kdr_integrator_desc *desc, double c, double g, double tangent) {
    const double h = 0.125, u = g * c, b = 2 * tangent / h;
    const long double G = 1 + (long double)g * g, T = (long double)tangent * tangent, s = G - T, r = sqrtl(s * s + 4 * T);
    const long double mean = desc->method != KDR_HIGUERA_CARY ? sqrtl(G) : sqrtl(s < 0 ? 2 * T / (r - s) : (s + r) / 2);
    const kdr_force field = fields_of(NULL, (const double[]){0, 0, b});
    const double tolerance = (desc->method == KDR_VAY ? 100 : 1) * (desc->real == KDR_F32 ? 1e-6 : 1e-14);
    if (desc->method == KDR_VAY ? tangent > 8 * sqrtl(G) : g == tangent) { /* ill-conditioned: large squares cancel */
        return;
    }
    desc->forces = &field, desc->speed_of_light = c;
    for (int runner = 0; runner < RUNNERS; ++runner) {
        const state end = advance_one(runner, desc, (state){{0, 0, 0}, {u, 0, 0}}, h, 1);
        const double turned = remainder((double)(2 * atanl(tangent / mean)) - atan2(-end.v[1], end.v[0]), 2 * acos(-1));
        const char *const name = kdr_method_get(desc->method)->name, *const real = kdr_real_name(desc->real);
        cr_expect(fabs(turned) < tolerance && close_to(hypot(end.v[0] / u, end.v[1] / u), 1, tolerance),
                  "%s, %s, c %g, u / c %g, half angle %g: off by %g, |u| %g", name, real, c, g, tangent, turned,
                  hypot(end.v[0] / u, end.v[1] / u));
        const state straight = advance_one(runner, desc, (state){{0, 0, 0}, {0, 0, u}}, h, 1);
        cr_expect(close_to(straight.x[2] / c, h * g / (double)sqrtl(G), tolerance), "%s, %s, c %g, u / c %g: moved %g c", name, real, c, g,
                  straight.x[2] / c);
    }
}

Test(physics_magnetic, ends_of_the_range) {
    for (int n = 0; n < PUSHERS * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++n) {
        const kdr_real real = (kdr_real)(n % 2);
        kdr_integrator_desc desc = describe(pushers[n / 4], real, (kdr_arithmetic)(n / 2 % 2), NULL, 1);
        const double most = real == KDR_F32 ? 0x1p62 : 0x1p510, angle = real == KDR_F32 ? 0x1p56 : 0x1p490;
        const double sizes[] = {0.1, 3, sqrt(sqrt(most)) * 1.5, sqrt(most) * 0.9, sqrt(most) * 1.1, sqrt(most) * 3, angle, most};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes - 1; ++k) {
                expect_turn(&desc, 1, sizes[i], sizes[k]);
                expect_turn(&desc, 299792458, sizes[i], sizes[k]);
                expect_turn(&desc, 3 / most, sizes[i], sizes[k]);
                if (sizes[i] < 10) {
                    expect_turn(&desc, 0.75 * most, sizes[i], sizes[k]);
                }
            }
        }
    }
}

/* Over 10^5 steps the error of gamma is the random walk of the rounding errors of rotations, and of what the two halves of Vay's step round
 * differently. */
Test(physics_magnetic, gamma_is_kept) {
    static const double direction[3] = {0.123, -0.456, 0.789};
    const double c = 1;
    for (int i = 0; i < PUSHERS * 3; ++i) {
        const double size = i % 3 == 0 ? 0.3 : i % 3 == 1 ? 2 : 20;
        const kdr_force field = fields_of(NULL, (const double[]){size * direction[0], size * direction[1], size * direction[2]});
        const kdr_integrator_desc desc = relativistic(pushers[i / 3], &field, 1, c);
        const state start = {{0, 0, 0}, {2, -1, 0.5}}, end = advance_one(BY_INTEGRATOR, &desc, start, 0.5, 100000);
        const double drift = fabs(sqrt(1 + dot(end.v, end.v)) / sqrt(1 + dot(start.v, start.v)) - 1);
        const double most = desc.method == KDR_VAY ? 1e5 * 0x1p-52 : 12 * 0x1p-53 * sqrt(1e5);
        cr_expect(drift < most, "%s, b = %g: %.3g", kdr_method_get(desc.method)->name, size, drift);
    }
}

/* Where e + v cross b is 0 the path is straight: to rounding with Vay and with Higuera and Cary, for any step. Boris' gamma is that after
 * half of the electric kick, so it drifts. */
Test(physics_magnetic, forces_that_cancel) {
    const double v = 0.9, c = 1, gamma = 1 / sqrt(1 - v * v);
    const kdr_force field = fields_of((const double[]){0, v, 0}, (const double[]){0, 0, 1});
    for (int i = 0; i < PUSHERS; ++i) {
        const kdr_integrator_desc desc = relativistic(pushers[i], &field, 1, c);
        const state end = advance_one(BY_INTEGRATOR, &desc, (state){{0, 0, 0}, {gamma * v, 0, 0}}, 2, 200);
        const double off = hypot(end.v[0] - gamma * v, end.v[1]), away = fabs(end.x[1]);
        cr_expect(pushers[i] == KDR_BORIS ? off > 0.01 && away > 0.1 : off < 1e-11 && away < 1e-9, "%s: %g, %g",
                  kdr_method_get(pushers[i])->name, off, away);
    }
}

/* The mean velocity of a particle that starts at rest is e cross b / b^2, near the speed of light too. */
Test(physics_magnetic, drift_across_electric_and_magnetic_fields) {
    const double e = 0.5, b = 1, c = 1, v = e / b, gamma = 1 / sqrt(1 - v * v);
    const kdr_force field = fields_of((const double[]){0, e, 0}, (const double[]){0, 0, b});
    /* In the drifting frame the field is b / gamma, and u / c is gamma v, so the period seen from here contains gamma^3. */
    const double period = 2 * acos(-1) * gamma * gamma * gamma / b;
    enum { STEPS = 4096, PERIODS = 5 };
    for (int i = 0; i < PUSHERS; ++i) {
        const kdr_integrator_desc desc = relativistic(pushers[i], &field, 1, c);
        const double time = PERIODS * period;
        const state end = advance_one(BY_INTEGRATOR, &desc, (state){{0, 0, 0}, {0, 0, 0}}, time / (PERIODS * STEPS), PERIODS * STEPS);
        cr_expect(close_to(end.x[0] / time, v, 1e-4) && close_to(end.x[1], 0, 1e-3) && hypot(end.v[0], end.v[1]) < 1e-2, "%s: %g, %g, %g",
                  kdr_method_get(pushers[i])->name, end.x[0] / time, end.x[1], hypot(end.v[0], end.v[1]));
    }
}

/* With a constant force along a line, u = a t and x = c^2 / a (gamma - 1). The gained energy is the force times the distance, and the error
 * is of order 2. */
Test(physics_magnetic, hyperbolic_motion) {
    const double a = 3, c = 2, t = 4, gamma = sqrt(1 + a * a * t * t / (c * c));
    const kdr_force force = kdr_force_uniform_force(a, 0, 0);
    for (int i = 0; i < PUSHERS; ++i) {
        const kdr_integrator_desc desc = relativistic(pushers[i], &force, 1, c);
        double error[2];
        for (int k = 0; k < 2; ++k) {
            const state end = advance_one(BY_INTEGRATOR, &desc, (state){{0, 0, 0}, {0, 0, 0}}, t / (100 << k), (uint64_t)100 << k);
            const kdr_observables seen = observe_one(&desc, &end);
            error[k] = fabs(end.x[0] - c * c / a * (gamma - 1));
            cr_expect(close_to(end.v[0], a * t, 1e-12) && close_to(seen.kinetic, (gamma - 1) * c * c, 1e-12), "%.17g", seen.kinetic);
            cr_expect(close_to(seen.energy, 0, a * error[k] + 1e-12) && seen.momentum[0] == end.v[0]);
        }
        cr_expect(error[0] / error[1] > 3.8 && error[0] / error[1] < 4.2 && error[0] < 1e-3, "%g, %g", error[0], error[1]);
    }
    /* For slow motion the kinetic energy is u^2 / 2, to the last digits. */
    const kdr_integrator_desc slow = relativistic(KDR_BORIS, &force, 1, 1e6);
    cr_expect(close_to(observe_one(&slow, &(state){{0, 0, 0}, {1, 2, 2}}).kinetic, 4.5 - 81 / 8e12, 1e-14));
}

/* With gamma = 1 the three methods are the same map, and far from the speed of light they are close to it. */
Test(physics_magnetic, one_without_a_speed_of_light) {
    uint64_t seed = test_seed();
    const kdr_force field = kdr_force_electromagnetic(1, (const double[]){0.3, 0.2, -0.1}, (const double[]){0.5, -1, 2});
    for (int i = 0; i < 3 * PUSHERS; ++i) {
        kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F64, KDR_FUSED, &field, 1);
        kdr_particles a = make_particles(37, 1 + i / PUSHERS, KDR_F64, true, false), b = make_particles(37, a.dims, KDR_F64, true, false);
        fill_random(&a, &seed);
        copy_state(&b, &a);
        kdr_clock clock = {0, 0.1, 0}, other = clock, third = clock;
        advance(BY_INTEGRATOR, &desc, &a, &clock, 50);
        kdr_particles far = make_particles(37, a.dims, KDR_F64, true, false);
        copy_state(&far, &b);
        desc.method = pushers[i % PUSHERS];
        advance(BY_INTEGRATOR, &desc, &b, &other, 50);
        cr_expect(same_bits(&a, &b));
        desc.speed_of_light = 1e9;
        advance(BY_INTEGRATOR, &desc, &far, &third, 50);
        for (size_t n = 0; n < far.count; ++n) {
            cr_expect(close_to(get(far.x[0], KDR_F64, n), get(a.x[0], KDR_F64, n), 1e-12));
        }
        kdr_particles_destroy(&a);
        kdr_particles_destroy(&b);
        kdr_particles_destroy(&far);
    }
}

/* A grid along x with the field b (1 + x / length) along z, clamped. */
static double slope_values[2][6];

static kdr_grid slope_grid(double b, double length) {
    for (int n = 0; n < 2; ++n) {
        slope_values[n][5] = b * (1 + (n == 0 ? -1 : 1) * 5 / length);
    }
    return (kdr_grid){.dims = 1, .components = 6, .nodes = {2}, .origin = {-5}, .spacing = {10}, .values = slope_values};
}

static kdr_force on_grid(const char *name, double parameter, const kdr_grid *grid) {
    const kdr_custom_field *field = NULL;
    cr_assert(kdr_field_from_name(name, &field) == KDR_OK);
    kdr_force force = kdr_force_custom(field, &parameter);
    force.as.custom.grid = grid;
    return force;
}

/* Across a gradient of b a gyrating particle drifts by v^2 / (2 b length), here along y. */
Test(physics_magnetic, drift_across_a_slope) {
    const double b = 50, length = 100, v = 1;
    const kdr_grid grid = slope_grid(b, length);
    const kdr_force field = on_grid("grid-electromagnetic", 1, &grid);
    const double h = 2 * acos(-1) / b / 64;
    for (int i = 0; i < PUSHERS * 2; ++i) {
        const bool fast = i >= PUSHERS;
        const double gamma = fast ? sqrt(1 + v * v) : 1;
        kdr_integrator_desc desc = describe(pushers[i % PUSHERS], KDR_F64, KDR_FUSED, &field, 1);
        desc.speed_of_light = fast;
        enum { STEPS = 64 * 1000 };
        const state end = advance_one(BY_INTEGRATOR, &desc, (state){{0, v / b, 0}, {v, 0, 0}}, h, STEPS);
        const double centre = end.x[1] - end.v[0] / (b * (1 + end.x[0] / length)); /* centre of the gyration */
        const double drift = centre / (STEPS * h), expected = v * v / (2 * b * length * gamma);
        cr_expect(close_to(drift / expected, 1, 0.02) && close_to(hypot(end.v[0], end.v[1]), v, 1e-9), "%s: %g, expected %g",
                  kdr_method_get(desc.method)->name, drift, expected);
    }
}

/* An implicit method treats v cross m as a force: the midpoint rule keeps the speed nearly to the bit, at some radians per step. */
Test(physics_magnetic, implicit_gyration) {
    const kdr_grid grid = slope_grid(50, 1e3);
    const kdr_force field = on_grid("grid-electromagnetic", 1, &grid);
    const kdr_integrator_desc desc = describe(KDR_IMPLICIT_MIDPOINT, KDR_F64, KDR_FUSED, &field, 1);
    const state end = advance_one(BY_INTEGRATOR, &desc, (state){{0, 0.02, 0}, {1, 0, 0}}, 0.05, 1000);
    cr_expect(close_to(hypot(end.v[0], end.v[1]), 1, 1e-12) && fabs(end.x[0]) < 1, "%.15g", hypot(end.v[0], end.v[1]));
}

/* Along curved field lines a particle drifts across them by (v_along^2 + v_across^2 / 2) / (b radius). */
Test(physics_magnetic, drift_across_bent_lines) {
    const double b = 200, radius = 2, along = 0.8, across = 0.3;
    const kdr_force field = kdr_force_custom(&kdr_custom_field_torus, (const double[KDR_MAX_PARAMETERS]){b, radius});
    const kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F64, KDR_FUSED, &field, 1);
    const double h = 2 * acos(-1) / b / 40;
    enum { STEPS = 40 * 1000 };
    const state end = advance_one(BY_INTEGRATOR, &desc, (state){{radius, 0, 0}, {across, along, 0}}, h, STEPS);
    const double drift = end.x[2] / (STEPS * h), expected = (along * along + across * across / 2) / (b * radius);
    cr_expect(close_to(drift / expected, 1, 0.02), "%g, expected %g", drift, expected);
    cr_expect(close_to(hypot(end.x[0], end.x[1]), radius, 0.01));
}

/* In a mirror the moment v_across^2 / (2 b) is conserved, except for the variation with the gyration, and z oscillates with the frequency
 * v_across(0) / length. The same holds for Boris' method and for rk4, for which v cross m is a force. */
Test(physics_magnetic, bounces_of_a_mirror) {
    const double b = 400, length = 1, across = 0.6, along = 0.3, omega = across / length;
    const kdr_force field = kdr_force_custom(&kdr_custom_field_mirror, (const double[KDR_MAX_PARAMETERS]){b, length});
    static const kdr_method methods[] = {KDR_BORIS, KDR_RK4};
    const double h = 2 * acos(-1) / b / 60;
    for (int m = 0; m < 2; ++m) {
        const kdr_integrator_desc desc = describe(methods[m], KDR_F64, KDR_FUSED, &field, 1);
        kdr_integrator *integrator = NULL;
        kdr_particles p = make_particles(1, 3, KDR_F64, false, false);
        kdr_clock clock = {0, h, 0};
        put_state(&p, 0, &(state){{0, across / b, 0}, {across, 0, along}});
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
        double least = 1e9, most = 0, highest = 0, crossed = 0, before = 0;
        while (crossed == 0 && clock.step < 100000) {
            cr_assert(kdr_integrator_run(integrator, &p, &clock, 1, NULL) == KDR_OK);
            const state s = get_state(&p, 0);
            const double here = b * (1 + s.x[2] * s.x[2] / (length * length));
            const double square = dot(s.v, s.v) - s.v[2] * s.v[2], moment = square / (2 * here);
            least = fmin(least, moment), most = fmax(most, moment), highest = fmax(highest, s.x[2]);
            crossed = before > 0 && s.x[2] <= 0 ? (double)clock.step * h : 0;
            before = s.x[2];
        }
        cr_expect(most / least < 1.02 && close_to(highest, along / omega, 0.01 * along / omega), "%g, %g", most / least, highest);
        cr_expect(close_to(crossed, acos(-1) / omega, 0.01 * crossed), "%g, expected %g", crossed, acos(-1) / omega);
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&p);
    }
}

/* A grid of a linear field equals that field: a spring and a magnetic field on 3 x 2 x 4 nodes. With separate components, or the last axis
 * first, it has the same bits. */
Test(physics_magnetic, a_grid_of_a_linear_field) {
    enum { NODES = 3 * 2 * 4 };
    const double k = 2, m[3] = {0.5, -1, 2}, origin[3] = {-3, -2.5, -2}, spacing[3] = {3, 5, 1.5};
    static double beside[NODES][6], apart_by[6][NODES], turned[NODES][6];
    for (int n = 0; n < NODES; ++n) {
        const int at[3] = {n % 3, n / 3 % 2, n / 6};
        for (int i = 0; i < 3; ++i) {
            beside[n][i] = -k * (origin[i] + at[i] * spacing[i]);
            beside[n][3 + i] = m[i];
        }
        for (int c = 0; c < 6; ++c) {
            apart_by[c][n] = turned[at[2] + 4 * (at[1] + 2 * at[0])][c] = beside[n][c];
        }
    }
    kdr_grid grid = {.dims = 3, .components = 6, .nodes = {3, 2, 4}, .values = beside};
    memcpy(grid.origin, origin, sizeof origin);
    memcpy(grid.spacing, spacing, sizeof spacing);
    const kdr_force known[] = {kdr_force_spring(k, 0, 0, 0), kdr_force_electromagnetic(1, NULL, m)};
    kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F64, KDR_FUSED, known, 2);
    const state start = {{1, 0.5, -0.5}, {0.2, -0.4, 0.6}}, expected = advance_one(BY_INTEGRATOR, &desc, start, 0.05, 1000);
    const kdr_force given = on_grid("grid-electromagnetic", 1, &grid);
    desc.forces = &given, desc.force_count = 1;
    const state end = advance_one(BY_INTEGRATOR, &desc, start, 0.05, 1000);
    for (int i = 0; i < 3; ++i) {
        cr_expect(close_to(end.x[i], expected.x[i], 1e-11) && close_to(end.v[i], expected.v[i], 1e-11), "%g", end.x[i] - expected.x[i]);
    }
    grid.values = apart_by, grid.component_stride = NODES, grid.stride[0] = 1, grid.stride[1] = 3, grid.stride[2] = 6;
    const state other = advance_one(BY_INTEGRATOR, &desc, start, 0.05, 1000);
    cr_expect(memcmp(&other, &end, sizeof end) == 0);
    grid.values = turned, grid.component_stride = 1, grid.stride[0] = 48, grid.stride[1] = 24, grid.stride[2] = 6;
    const state last = advance_one(BY_INTEGRATOR, &desc, start, 0.05, 1000);
    cr_expect(memcmp(&last, &end, sizeof end) == 0);
}

/* Checks the values beyond the nodes of a grid, at its nodes, and at positions that are NaN. Guard pages in kickdrift verify check that
 * nothing is read outside the array. */
Test(physics_magnetic, edges_of_a_grid) {
    static const double value[4][3] = {{1, 0, 0}, {2, 0, 0}, {4, 0, 0}, {8, 0, 0}};
    kdr_grid grid = {.dims = 1, .components = 3, .nodes = {4}, .origin = {10}, .spacing = {0.5}, .values = value};
    const kdr_force force = on_grid("grid-acceleration", 2, &grid);
    static const struct {
        double x, clamped, periodic;
    } known[] = {{10, 2, 2},       {10.25, 3, 3}, {10.5, 4, 4},    {11.5, 16, 16}, {11.75, 16, 9}, {12, 16, 2},        {9.75, 2, 9},
                 {1000.25, 16, 3}, {-990, 2, 2},  {1e30, 16, NAN}, {9.5, 2, 16},   {12.25, 16, 3}, {INFINITY, 16, NAN}};
    for (int edge = 0; edge < KDR_EDGE_COUNT; ++edge) {
        for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
            grid.edge[0] = (kdr_edge)edge;
            const kdr_integrator_desc desc = describe(KDR_SEMI_IMPLICIT_EULER, KDR_F64, KDR_FUSED, &force, 1);
            const double expected = edge == KDR_EDGE_PERIODIC ? known[i].periodic : known[i].clamped;
            const state end = advance_one(BY_INTEGRATOR, &desc, (state){{known[i].x, 0, 0}, {0, 0, 0}}, 1, 1);
            cr_expect(end.v[0] == expected || isnan(expected) || isnan(known[i].x), "%s at %g: %g, expected %g",
                      kdr_edge_name((kdr_edge)edge), known[i].x, end.v[0], expected);
        }
    }
    kdr_edge found = KDR_EDGE_CLAMPED;
    cr_expect(kdr_edge_from_name("periodic", &found) == KDR_OK && found == KDR_EDGE_PERIODIC);
    cr_expect(kdr_edge_from_name("open", &found) == KDR_ERROR_UNKNOWN_NAME && kdr_edge_from_name(NULL, &found) == KDR_ERROR_NULL);
    cr_expect(strcmp(kdr_edge_name((kdr_edge)7), "?") == 0);
}

/* In a wind on a grid, drag brings a particle to the wind's velocity. */
Test(physics_magnetic, wind_on_a_grid) {
    static const float wind[2][3] = {{1, 2, -3}, {1, 2, -3}};
    const kdr_grid grid = {.dims = 1, .components = 3, .nodes = {2}, .spacing = {1}, .values = wind};
    const kdr_force force = on_grid("grid-wind", 4, &grid);
    const kdr_integrator_desc desc = describe(KDR_RK4, KDR_F32, KDR_FUSED, &force, 1);
    const state end = advance_one(BY_INTEGRATOR, &desc, (state){{0, 0, 0}, {0, 0, 0}}, 0.0625, 200);
    cr_expect(close_to(end.v[0], 1, 1e-6) && close_to(end.v[1], 2, 1e-6) && close_to(end.v[2], -3, 1e-6));
}

/* Both fields together with built-in forces, in every precision and arithmetic, with masses and without, on three axes, and on fewer if the
 * field is not for space alone: the kernels of every backend have the bits of the reference. */
Test(physics_magnetic, bits_of_custom_fields) {
    static const kdr_method methods[] = {KDR_BORIS, KDR_VAY, KDR_HIGUERA_CARY, KDR_RK4, KDR_VELOCITY_VERLET, KDR_STRANG_AFFINE};
    const kdr_force forces[] = {kdr_force_custom(&kdr_custom_field_torus, (const double[KDR_MAX_PARAMETERS]){2, 1.5}),
                                kdr_force_electromagnetic(0.5, (const double[]){1, 0.2, -1}, (const double[]){0.3, 0.2, 0.7}),
                                kdr_force_centre(0.5, 0.1, 0.2, 0.3, 0.5),
                                kdr_force_custom(&kdr_custom_field_mirror, (const double[KDR_MAX_PARAMETERS]){1.5, 2, 0.5, 0.25})};
    uint64_t seed = test_seed();
    int compared = 0;
    for (int backend = KDR_BACKEND_FIRST; backend <= KDR_BACKEND_LAST; ++backend) {
        kdr_backend_info info;
        if (kdr_backend_query((kdr_backend)backend, &info) != KDR_OK || !info.runnable) {
            continue;
        }
        for (int i = 0; i < 6 * 2 * 2 * 2 * 2 * 3; ++i) {
            const int m = i % 6, dims = 1 + i / 96;
            kdr_integrator_desc desc = describe(methods[m], (kdr_real)(i / 6 % 2), (kdr_arithmetic)(i / 12 % 2), forces, dims == 3 ? 4 : 3);
            desc.speed_of_light = m < PUSHERS && i / 48 % 2 ? 1.5 : 0;
            desc.backend = (kdr_backend)backend;
            kdr_particles a = make_particles(53, dims, desc.real, i / 24 % 2, false),
                          b = make_particles(53, dims, desc.real, i / 24 % 2, false);
            fill_random(&a, &seed);
            copy_state(&b, &a);
            kdr_clock clock = {0.5, 1.0 / 16, 3}, other = clock;
            advance(BY_INTEGRATOR, &desc, &a, &clock, 20);
            advance(BY_REFERENCE, &desc, &b, &other, 20);
            cr_expect(same_bits(&a, &b), "%s, %s %s, %d axes, c = %g", kdr_method_get(methods[m])->name, info.name,
                      kdr_real_name(desc.real), dims, desc.speed_of_light);
            ++compared;
            kdr_particles_destroy(&a);
            kdr_particles_destroy(&b);
        }
    }
    cr_expect(compared >= 288, "%d", compared);
}

/* The functions below set fields that depend on each particle. */
static kdr_status electric(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context;
    for (size_t n = 0; n < p->count; ++n) {
        for (int i = 0; i < p->dims; ++i) {
            set(a[i], p->real, n, 0.25 * (i + 1) + t - 0.5 * get(p->x[i], p->real, n));
        }
    }
    return KDR_OK;
}

static kdr_status magnetic(void *context, const kdr_particles *p, double t, void *const m[3]) {
    (void)context;
    for (size_t n = 0; n < p->count; ++n) {
        for (int i = p->dims == 3 ? 0 : 2; i < 3; ++i) {
            set(m[i], p->real, n, 1 - i + 0.25 * t + get(p->x[0], p->real, n));
        }
    }
    return KDR_OK;
}

/* Returns the description of the field run with the same forces. */
static kdr_integrator_desc single_of(const kdr_system_desc *desc) {
    kdr_integrator_desc single = describe(desc->method, desc->real, desc->arithmetic, desc->forces, desc->force_count);
    single.speed_of_light = desc->speed_of_light, single.compensated = desc->compensated;
    return single;
}

enum { FUNCTION, BOTH_FUNCTIONS, NO_FUNCTION, GIVEN };
enum { NO_FIELD, UNIFORM, ONE_OF_ITS_OWN, ACROSS_ALONE, FIELDS };

/* System runs with magnetic fields from functions, from forces, or both: every backend has the reference's bits, in whole runs and in
 * blocks; and those of the field run, if there is no function. */
Test(physics_magnetic, bits_of_system_runs) {
    const kdr_force forces[] = {fields_of((const double[]){1, 0.2, -1}, (const double[]){0.3, 0.2, 0.7}),
                                kdr_force_driven(0.5, 0.25, 0, 2, 0),
                                kdr_force_custom(&kdr_custom_field_torus, (const double[KDR_MAX_PARAMETERS]){2, 1.5}),
                                kdr_force_custom(&kdr_custom_field_mirror, (const double[KDR_MAX_PARAMETERS]){1.5, 2, 0.5, 0.25}),
                                fields_of(NULL, (const double[]){0.5, 0, 0})};
    static const size_t first[FIELDS] = {0, 0, 0, 4}, count[FIELDS] = {0, 2, 3, 1};
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    int compared = 0;
    for (int i = 0; i < PUSHERS * 3 * 2 * 2 * 2 * GIVEN * FIELDS * 2; ++i) {
        const int dims = 1 + i / PUSHERS % 3, masses = i / 9 % 2, compensated = i / 18 % 2, given = i / 72 % GIVEN,
                  field = i / 216 % FIELDS;
        kdr_system_desc desc = describe_system(pushers[i % PUSHERS], (kdr_real)(i / 36 % 2), (kdr_arithmetic)(random_bits(&seed) % 2),
                                               backends[random_bits(&seed) % n]);
        desc.compensated = compensated;
        desc.accelerations = given == NO_FUNCTION ? NULL : electric, desc.magnetic = given == BOTH_FUNCTIONS ? magnetic : NULL;
        desc.speed_of_light = i / 864 ? 1.5 : 0;
        desc.forces = forces + first[field], desc.force_count = count[field] + (field == ONE_OF_ITS_OWN && dims == 3);
        kdr_particles a = make_particles(203, dims, desc.real, masses, false), b = make_particles(203, dims, desc.real, masses, false);
        kdr_particles c = make_particles(203, dims, desc.real, masses, false);
        fill_random(&a, &seed);
        copy_state(&b, &a);
        kdr_clock clock = {0.5, 1.0 / 16, 3};
        reference(&desc, &b, &clock, 20);
        for (int blocks = 0; blocks < (compensated ? 1 : 2); ++blocks, ++compared) {
            copy_state(&c, &a);
            clock = (kdr_clock){0.5, 1.0 / 16, 3};
            (blocks ? run_in_blocks : run)(&desc, &c, &clock, 20);
            cr_expect(same_bits(&c, &b), "%s, backend %d, %d axes, masses %d, compensated %d, functions %d, field %d, c = %g, blocks %d",
                      kdr_method_get(desc.method)->name, (int)desc.backend, dims, masses, compensated, given, field, desc.speed_of_light,
                      blocks);
        }
        if (given == NO_FUNCTION) {
            const kdr_integrator_desc single = single_of(&desc);
            clock = (kdr_clock){0.5, 1.0 / 16, 3};
            advance(BY_REFERENCE, &single, &a, &clock, 20);
            cr_expect(same_bits(&a, &b), "%s, %d axes, field %d, c = %g: not the field run", kdr_method_get(desc.method)->name, dims, field,
                      desc.speed_of_light);
        }
        kdr_particles_destroy(&a);
        kdr_particles_destroy(&b);
        kdr_particles_destroy(&c);
    }
    cr_expect(compared == 1728 * 3 / 2, "%d", compared);
}

/* Forces that are set later rotate velocities too, in a workspace that has room for their field. */
Test(physics_magnetic, fields_that_change) {
    const kdr_force torus = kdr_force_custom(&kdr_custom_field_torus, (const double[KDR_MAX_PARAMETERS]){2, 1.5});
    uint64_t seed = test_seed();
    kdr_system_desc desc = describe_system(KDR_BORIS, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    kdr_system *system = NULL;
    kdr_workspace small, workspace;
    kdr_error error;
    desc.accelerations = electric;
    kdr_particles a = make_particles(57, 3, KDR_F64, true, false), b = make_particles(57, 3, KDR_F64, true, false);
    fill_random(&a, &seed);
    copy_state(&b, &a);
    kdr_clock clock = {0, 1.0 / 16, 0}, other = clock;
    cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_workspace_create(system, 57, 3, (kdr_allocator){0}, &small, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_system_set_forces(system, &torus, 1, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_system_run(system, &a, &clock, 20, &small, &error) == KDR_ERROR_MISMATCH, "%s", error.message);
    cr_assert(kdr_workspace_create(system, 57, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_system_run(system, &a, &clock, 20, &workspace, &error) == KDR_OK, "%s", error.message);
    desc.forces = &torus, desc.force_count = 1;
    reference(&desc, &b, &other, 20);
    cr_expect(same_bits(&a, &b));
    kdr_workspace_destroy(&small);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    kdr_particles_destroy(&a);
    kdr_particles_destroy(&b);
}

/* Half of the electric and half of the magnetic field come from forces, the other halves from functions. */
static kdr_status half_electric(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)t;
    for (int i = 0; i < 3; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            set(a[i], p->real, n, i == 1 ? *(const double *)context / 2 : 0);
        }
    }
    return KDR_OK;
}

static kdr_status half_magnetic(void *context, const kdr_particles *p, double t, void *const m[3]) {
    (void)context, (void)t;
    for (int i = 0; i < 3; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            set(m[i], p->real, n, i == 2 ? 0.5 : 0);
        }
    }
    return KDR_OK;
}

/* With negligible gravity, where e + v cross b is 0 the path is straight, with Boris too if the motion is slow. A particle from rest drifts
 * by e cross b / b^2. */
Test(physics_magnetic, system_drift) {
    const double mu[2] = {1e-30, 1e-30}, v = 0.9;
    const kdr_interaction gravity = kdr_interaction_gravity(mu, 2, 0.5);
    for (int i = 0; i < PUSHERS * 2 * 2; ++i) {
        const bool fast = i / PUSHERS % 2, halves = i / 6;
        const double share = halves ? 0.5 : 1, gamma = fast ? 1 / sqrt(1 - v * v) : 1;
        const kdr_force field = fields_of((const double[]){0, share * v, 0}, (const double[]){0, 0, share});
        kdr_system_desc desc = kdr_system_desc_default();
        desc.method = pushers[i % PUSHERS], desc.speed_of_light = fast ? 1 : 0;
        desc.forces = &field, desc.force_count = 1;
        desc.interactions = &gravity, desc.interaction_count = 1;
        desc.context = (void *)&v;
        desc.accelerations = halves ? half_electric : NULL, desc.magnetic = halves ? half_magnetic : NULL;
        kdr_particles p = make_particles(2, 3, KDR_F64, false, false);
        put_state(&p, 0, &(state){{0, 0, 0}, {gamma * v, 0, 0}});
        put_state(&p, 1, &(state){{0, 5, 0}, {0, 0, 0}});
        kdr_clock clock = {0, 1.0 / 16, 0};
        run(&desc, &p, &clock, 8192);
        const double off = hypot(get(p.v[0], KDR_F64, 0) - gamma * v, get(p.v[1], KDR_F64, 0));
        const double drift = get(p.x[0], KDR_F64, 1) / 512, most = desc.method == KDR_BORIS && fast ? 0.01 : 1e-11;
        cr_expect(off < most, "%s, fast %d, halves %d: %g", kdr_method_get(desc.method)->name, fast, halves, off);
        cr_expect(close_to(drift, v, 0.05 * v), "%s, fast %d, halves %d: %g", kdr_method_get(desc.method)->name, fast, halves, drift);
        kdr_particles_destroy(&p);
    }
}

static void expect_text(const kdr_integrator_desc *desc, kdr_status status, const char *text) {
    const kdr_error error = expect_desc_refused(desc, status, text);
    cr_expect(strstr(error.message, text), "%s", error.message);
}

Test(physics_magnetic, refused_speeds_of_light) {
    const kdr_force field = fields_of(NULL, (const double[]){0, 0, 1});
    const kdr_collider floor = kdr_collider_plane((const double[]){0, 0, 0}, (const double[]){0, 0, 1});
    kdr_integrator_desc desc = relativistic(KDR_RK4, &field, 1, 1);
    expect_text(&desc, KDR_ERROR_UNSUPPORTED, "speed_of_light: rk4 knows velocities alone, expected 0, got 1; take boris");
    desc.method = KDR_BORIS, desc.speed_of_light = -1;
    expect_text(&desc, KDR_ERROR_ARGUMENT, "speed_of_light: expected 0 for none, or a number from");
    desc.speed_of_light = NAN;
    expect_text(&desc, KDR_ERROR_NOT_FINITE, "got nan");
    desc.speed_of_light = 1e30, desc.real = KDR_F32;
    expect_text(&desc, KDR_ERROR_ARGUMENT, "speed_of_light: expected 0 for none");
    desc.speed_of_light = 1, desc.colliders = &floor, desc.collider_count = 1;
    expect_text(&desc, KDR_ERROR_UNSUPPORTED, "speed_of_light: colliders and constraints change velocities");
}

static kdr_system_desc gathered(void) {
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = KDR_BORIS, desc.accelerations = electric;
    return desc;
}

Test(physics_magnetic, refused_system_runs) {
    const kdr_distance rod = {.a = 0, .b = 1, .length = 1};
    kdr_system *system = NULL;
    kdr_error error;
    kdr_system_desc desc = gathered();
    desc.speed_of_light = 1, desc.distances = &rod, desc.distance_count = 1;
    cr_expect(kdr_system_create(&desc, &system, &error) == KDR_ERROR_UNSUPPORTED && strstr(error.message, "speed_of_light: distances"),
              "%s", error.message);
    desc = gathered();
    desc.speed_of_light = 1, desc.method = KDR_VELOCITY_VERLET;
    cr_expect(kdr_system_create(&desc, &system, &error) == KDR_ERROR_UNSUPPORTED && strstr(error.message, "knows velocities alone"), "%s",
              error.message);
}

Test(physics_magnetic, refused_grids) {
    static const double value[2][6];
    const kdr_grid good = {.dims = 1, .components = 6, .nodes = {2}, .spacing = {1}, .values = value};
    kdr_grid grid = good;
    kdr_force force = on_grid("grid-electromagnetic", 1, &grid);
    kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F64, KDR_FUSED, &force, 1);
#define REFUSE(change, status, text)                                                                                                       \
    grid = good, change;                                                                                                                   \
    expect_text(&desc, status, "forces[0].grid-electromagnetic.grid" text)
    REFUSE(grid.dims = 4, KDR_ERROR_ARGUMENT, ".dims: expected 1 to 3, got 4");
    REFUSE(grid.components = 3, KDR_ERROR_ARGUMENT, ".components: expected 6, got 3");
    REFUSE(grid.nodes[0] = 1, KDR_ERROR_ARGUMENT, ".nodes[0]: expected 2 to 1024, got 1");
    REFUSE(grid.edge[0] = (kdr_edge)2, KDR_ERROR_ARGUMENT, ".edge[0]: expected an enumerator below 2, got 2");
    REFUSE(grid.origin[0] = NAN, KDR_ERROR_NOT_FINITE, ".origin[0]: expected a finite number, got nan");
    REFUSE(grid.spacing[0] = 0, KDR_ERROR_ARGUMENT, ".spacing[0]: expected a number from");
    REFUSE(grid.values = NULL, KDR_ERROR_NULL, ".values: expected an array, got NULL");
    REFUSE(grid.values = (const char *)value + 1, KDR_ERROR_ARGUMENT, ".values: expected an address that is a multiple of ");
    REFUSE(grid.values = (const char *)value + _Alignof(double) / 2, KDR_ERROR_ARGUMENT,
           ".values: expected an address that is a multiple of ");
    REFUSE(grid.component_stride = 1, KDR_ERROR_ARGUMENT, ".stride[0]: expected at least 1");
    REFUSE((grid.nodes[0] = 1024, grid.stride[0] = (size_t)1 << 30), KDR_ERROR_OVERFLOW, ": expected its last node less than 2^31");
    force.as.custom.grid = NULL;
    expect_text(&desc, KDR_ERROR_NULL, "forces[0].grid-electromagnetic.grid: expected a grid of 6 components, got NULL");
    const kdr_custom_field *nfw = NULL;
    cr_assert(kdr_field_from_name("nfw", &nfw) == KDR_OK);
    force = kdr_force_custom(nfw, (const double[KDR_MAX_PARAMETERS]){1, 1});
    grid = good, force.as.custom.grid = &grid;
    expect_text(&desc, KDR_ERROR_ARGUMENT, "forces[0].nfw: reads no grid, expected NULL, got one");
    force = on_grid("grid-electromagnetic", 1, &good);
    desc.method = KDR_NYSTROM_4;
    expect_text(&desc, KDR_ERROR_UNSUPPORTED, "the forces hold a magnetic field; take boris");
}
