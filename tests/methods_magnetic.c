/* Boris' method: the speed to rounding, the known angle, the exact drift, the two-form that a step conserves, and its limits. */
#include "support.h"

static kdr_force magnet(double bx, double by, double bz) {
    return kdr_force_electromagnetic(1, (const double[3]){0, 0, 0}, (const double[3]){bx, by, bz});
}

static double dot(const double a[3], const double b[3]) { return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]; }

/* Returns the largest drift of the speed in 10^6 steps, for h |m| from 0.01 to 10. Some directions have simple rotations (whole multiples
 * of a quarter turn about (1, 2, 2)/3), others do not. A random walk of rounding errors of half an ulp gives sqrt(steps) eps, which is eps
 * 10^3. With the usual three cross products the simple ones would drift by 200 times that; with one rounded kappa, most of them by a
 * thousand times. */
static double largest_drift(kdr_real real, kdr_arithmetic arithmetic, const double direction[3], bool masses, uint64_t steps) {
    static const double strength[] = {0.01, 0.0625, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4, 10};
    enum { STRENGTHS = sizeof strength / sizeof *strength, EACH = 3, COUNT = STRENGTHS * EACH };
    double largest = 0;
    uint64_t seed = 3;
    for (int s = 0; s < (masses ? 1 : STRENGTHS); ++s) {
        /* With masses a single run has all strengths: h = 1, m = direction / mass. */
        const double size = masses ? 1 : strength[s];
        const kdr_force field = magnet(size * direction[0], size * direction[1], size * direction[2]);
        const kdr_integrator_desc desc = describe(KDR_BORIS, real, arithmetic, &field, 1);
        kdr_particles p = make_particles(masses ? COUNT : EACH, 3, real, masses, false);
        fill_random(&p, &seed);
        double before[COUNT] = {0};
        for (size_t i = 0; i < p.count; ++i) {
            if (masses) {
                set(p.inverse_mass, real, i, strength[i / EACH]);
            }
            const state start = get_state(&p, i);
            before[i] = dot(start.v, start.v);
        }
        kdr_clock clock = {0, 1, 0};
        advance(BY_INTEGRATOR, &desc, &p, &clock, steps);
        for (size_t i = 0; i < p.count; ++i) {
            const state end = get_state(&p, i);
            largest = fmax(largest, fabs(dot(end.v, end.v) / before[i] - 1));
        }
        kdr_particles_destroy(&p);
    }
    return largest;
}

Test(methods_magnetic, energy_performs_a_random_walk_of_roundings) {
    static const double directions[][3] = {{0, 0, 1}, {1.0 / 3, 2.0 / 3, 2.0 / 3}, {0.6, 0.8, 0}, {0.123, -0.456, 0.789}};
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        const double walk = real == KDR_F32 ? 0x1p-24 * 1e3 : 0x1p-53 * 1e3;
        for (int arithmetic = 0; arithmetic < KDR_ARITHMETIC_COUNT; ++arithmetic) {
            double largest = 0;
            for (int d = 0; d < 4; ++d) {
                for (int masses = 0; masses < 2; ++masses) {
                    largest = fmax(largest, largest_drift((kdr_real)real, (kdr_arithmetic)arithmetic, directions[d], masses, 1000000));
                }
            }
            fprintf(stderr, "%s %s: energy off by %.2g at most, %.2g of the random walk\n", kdr_real_name((kdr_real)real),
                    kdr_arithmetic_name((kdr_arithmetic)arithmetic), largest, largest / walk);
            cr_expect(largest < 12 * walk && largest > 0.1 * walk, "%.3g", largest);
        }
    }
}

/* v turns by 2 atan(h |m| / 2) about m, clockwise as seen from the tip of m: dv = v cross m. */
Test(methods_magnetic, the_angle_is_the_one_known) {
    static const double strength[] = {1e-9, 0.001, 0.1, 1, 2, 7, 1000};
    for (int i = 0; i < RUNNERS * 7; ++i) {
        const double m = strength[i / RUNNERS], angle = 2 * atan(m / 2);
        const kdr_force field = magnet(0, 0, m);
        const kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F64, KDR_FUSED, &field, 1);
        const state end = advance_one(i % RUNNERS, &desc, (state){{0, 0, 0}, {1, 0, 0.5}}, 1, 1);
        cr_expect(close_to(end.v[0], cos(angle), 3e-16) && close_to(end.v[1], -sin(angle), 3e-16 * fmin(1, m)), "h m = %g", m);
        cr_expect(end.v[2] == 0.5 && end.x[2] == 0.5);
        cr_expect(close_to(end.x[0], 0.5 * (1 + cos(angle)), 3e-16) && close_to(end.x[1], -0.5 * sin(angle), 3e-16 * fmin(1, m)));
    }
    /* The exact angle is h m, so the phase lags by (h m)^3 / 12 per step. */
    const double h = 0.05;
    const kdr_force field = magnet(0, 0, 1);
    const kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F64, KDR_FUSED, &field, 1);
    const uint64_t steps = 10000;
    const state end = advance_one(BY_INTEGRATOR, &desc, (state){{0, 0, 0}, {1, 0, 0}}, h, steps);
    const double lag = remainder(h * (double)steps - atan2(-end.v[1], end.v[0]), 2 * acos(-1));
    cr_expect(close_to(lag / ((double)steps * h * h * h / 12), 1, 0.002), "%.9g", lag);
}

/* In a field that is too strong for the step, the motion is bounded for ever; that of RK4 is not. */
Test(methods_magnetic, stable_at_every_step) {
    const kdr_force field = magnet(30, 40, 120);
    kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F64, KDR_FUSED, &field, 1);
    const state start = {{0, 0, 0}, {1, -2, 0.5}};
    const state end = advance_one(BY_INTEGRATOR, &desc, start, 1, 100000);
    cr_expect(close_to(dot(end.v, end.v), dot(start.v, start.v), 1e-10));
    desc.method = KDR_RK4;
    const state other = advance_one(BY_INTEGRATOR, &desc, start, 1, 100);
    cr_expect(!(dot(other.v, other.v) < 1e6));
}

/* e cross b / b^2 is a fixed point of the velocities for any step, and the mean velocity of gyration. */
Test(methods_magnetic, the_drift_is_exact) {
    const double e[3] = {0.3, -0.2, 0.1}, b[3] = {0.5, 1, -2}, b2 = dot(b, b);
    double drift[3];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        drift[i] = (e[j] * b[k] - e[k] * b[j]) / b2;
    }
    double across[3]; /* e without its component along b, which would accelerate */
    for (int i = 0; i < 3; ++i) {
        across[i] = e[i] - dot(e, b) / b2 * b[i];
    }
    const kdr_force field = kdr_force_electromagnetic(1, across, b);
    const kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F64, KDR_FUSED, &field, 1);
    static const double steps[] = {0.01, 0.5, 3};
    for (int s = 0; s < 3; ++s) {
        state start = {{0, 0, 0}, {drift[0], drift[1], drift[2]}};
        const state end = advance_one(BY_INTEGRATOR, &desc, start, steps[s], 1000);
        for (int i = 0; i < 3; ++i) {
            cr_expect(close_to(end.v[i], drift[i], 1e-13) && close_to(end.x[i], 1000 * steps[s] * drift[i], 1e-13 * (1 + 1000 * steps[s])));
        }
        /* From rest the particle is never farther from the drifting centre than the diameter of the gyration. */
        const state moved = advance_one(BY_INTEGRATOR, &desc, (state){{0, 0, 0}, {0, 0, 0}}, steps[s], 100000);
        double away = 0;
        for (int i = 0; i < 3; ++i) {
            const double apart = moved.x[i] - 100000 * steps[s] * drift[i];
            away += apart * apart;
        }
        const double radius = sqrt(dot(drift, drift) / b2) * sqrt(1 + steps[s] * steps[s] * b2 / 4);
        cr_expect(sqrt(away) < 2.0001 * radius, "%g of %g", sqrt(away), radius);
    }
}

static kdr_force spring_of(double kx, double ky, double kz) {
    kdr_force spring = kdr_force_spring(1, 0.2, -0.1, 0.3);
    spring.as.spring.k[0] = kx;
    spring.as.spring.k[1] = ky;
    spring.as.spring.k[2] = kz;
    return spring;
}

enum { FORCES = 3 };

static void springs_and_magnet(kdr_force list[FORCES]) {
    list[0] = spring_of(1, 2, 0.5);
    list[1] = kdr_force_centre(0.7, 0.5, -1, 0.25, 0.4);
    list[2] = magnet(0.4, -0.7, 1.3);
}

/* 200 steps forwards and 200 back end at the start; those of an Euler method do not. */
Test(methods_magnetic, runs_back) {
    kdr_force list[FORCES];
    springs_and_magnet(list);
    const state start = {{1, 0.5, -0.5}, {0.2, -0.4, 0.6}};
    for (int runner = 0; runner < RUNNERS; ++runner) {
        static const kdr_method methods[] = {KDR_BORIS, KDR_SEMI_IMPLICIT_EULER};
        for (int m = 0; m < 2; ++m) {
            const kdr_integrator_desc desc = describe(methods[m], KDR_F64, KDR_FUSED, list, FORCES);
            const state back = advance_one(runner, &desc, advance_one(runner, &desc, start, 0.1, 200), -0.1, 200);
            double apart = 0;
            for (int i = 0; i < 3; ++i) {
                apart = fmax(apart, fmax(fabs(back.x[i] - start.x[i]), fabs(back.v[i] - start.v[i])));
            }
            cr_expect(methods[m] == KDR_BORIS ? apart < 1e-11 : apart > 1e-3, "%g", apart);
        }
    }
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

/* Returns the two-form of docs/methods/rules.md, Magnetic fields. */
static double two_form(const double m[3], double h, const state *a, const state *b) {
    double xx[3], vv[3];
    cross(a->x, b->x, xx);
    cross(a->v, b->v, vv);
    return dot(a->x, b->v) - dot(a->v, b->x) - dot(m, xx) + h * h / 4 * dot(m, vv);
}

/* Returns column `which` of the Jacobian of three steps, by central differences. */
static state derivative(const kdr_integrator_desc *desc, double h, int which) {
    const double e = 1e-5;
    state end[2];
    for (int side = 0; side < 2; ++side) {
        state start = {{1, 0.5, -0.5}, {0.2, -0.4, 0.6}};
        *(which < 3 ? &start.x[which] : &start.v[which - 3]) += side ? e : -e;
        end[side] = advance_one(BY_INTEGRATOR, desc, start, h, 3);
    }
    state d;
    for (int i = 0; i < 3; ++i) {
        d.x[i] = (end[1].x[i] - end[0].x[i]) / (2 * e);
        d.v[i] = (end[1].v[i] - end[0].v[i]) / (2 * e);
    }
    return d;
}

/* Returns the largest change of the two-form between any two directions. */
static double form_change(kdr_method method, double h) {
    kdr_force list[FORCES];
    springs_and_magnet(list);
    const double m[3] = {0.4, -0.7, 1.3};
    const kdr_integrator_desc desc = describe(method, KDR_F64, KDR_FUSED, list, FORCES);
    double worst = 0;
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < i; ++j) {
            state a = {{0}, {0}}, b = {{0}, {0}};
            *(i < 3 ? &a.x[i] : &a.v[i - 3]) = 1;
            *(j < 3 ? &b.x[j] : &b.v[j - 3]) = 1;
            const state da = derivative(&desc, h, i), db = derivative(&desc, h, j);
            worst = fmax(worst, fabs(two_form(m, h, &da, &db) - two_form(m, h, &a, &b)));
        }
    }
    return worst;
}

Test(methods_magnetic, keeps_the_two_form_of_the_field) {
    cr_expect(form_change(KDR_BORIS, 0.4) < 1e-8, "%g", form_change(KDR_BORIS, 0.4));
    cr_expect(form_change(KDR_HIGUERA_CARY, 0.4) < 1e-8);
    cr_expect(form_change(KDR_RK4, 0.4) > 1e-3 && form_change(KDR_POSITION_VERLET, 0.4) > 1e-3);
}

/* With gamma = 1 the two methods are the same map. */
Test(methods_magnetic, higuera_cary_is_boris) {
    uint64_t seed = test_seed();
    for (int i = 0; i < RUNNERS * KDR_REAL_COUNT * 3; ++i) {
        const kdr_real real = (kdr_real)(i / RUNNERS % KDR_REAL_COUNT);
        kdr_force list[FORCES];
        springs_and_magnet(list);
        kdr_particles a = make_particles(37, 1 + i / RUNNERS / KDR_REAL_COUNT, real, true, false);
        kdr_particles b = make_particles(37, a.dims, real, true, false);
        fill_random(&a, &seed);
        copy_state(&b, &a);
        kdr_integrator_desc desc = describe(KDR_BORIS, real, KDR_FUSED, list, FORCES);
        kdr_clock clock = {0, 0.1, 0}, other = clock;
        advance(i % RUNNERS, &desc, &a, &clock, 50);
        desc.method = KDR_HIGUERA_CARY;
        advance(i % RUNNERS, &desc, &b, &other, 50);
        cr_expect(same_bits(&a, &b));
        kdr_particles_destroy(&a);
        kdr_particles_destroy(&b);
    }
}

/* Without a magnetic force, which there never is on a line, it is the splitting drift 1/2, kick 1/2, kick 1/2, drift 1/2. */
Test(methods_magnetic, without_a_field_it_is_a_splitting) {
    uint64_t seed = test_seed();
    const kdr_fractions fractions = {3, {0, 0.5, 0.5}, {0.5, 0, 0.5}};
    for (int i = 0; i < RUNNERS * 2 * 3; ++i) {
        const int dims = 1 + i / RUNNERS / 2;
        const bool compensated = i / RUNNERS % 2;
        const kdr_force list[] = {spring_of(1, 2, 0.5), kdr_force_driven(1, 0.5, 0.2, 2, 0.1), magnet(0.3, 0.2, dims == 1 ? 5 : 0)};
        /* in a plane b_x and b_y have no effect */
        kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F32, KDR_FUSED, list, dims == 3 ? 2 : 3);
        desc.compensated = compensated;
        kdr_particles a = make_particles(37, dims, KDR_F32, true, false), b = make_particles(37, dims, KDR_F32, true, false);
        fill_random(&a, &seed);
        copy_state(&b, &a);
        kdr_clock clock = {0, 0.1, 0}, other = clock;
        advance(i % RUNNERS, &desc, &a, &clock, 50);
        desc.fractions = &fractions;
        desc.force_count = 2;
        advance(i % RUNNERS, &desc, &b, &other, 50);
        cr_expect(same_bits(&a, &b), "%d axes", dims);
        kdr_particles_destroy(&a);
        kdr_particles_destroy(&b);
    }
}

/* Motion in a plane equals motion in space with b along the third axis. */
Test(methods_magnetic, a_plane_is_a_slice_of_space) {
    uint64_t seed = test_seed();
    const kdr_force flat = magnet(7, -5, 1.7), upright = magnet(0, 0, 1.7);
    kdr_particles plane = make_particles(37, 2, KDR_F64, true, false), space = make_particles(37, 3, KDR_F64, true, false);
    fill_random(&space, &seed);
    memset(space.v[2], 0, 37 * sizeof(double));
    copy_state(&plane, &(kdr_particles){.count = 37,
                                        .dims = 2,
                                        .real = KDR_F64,
                                        .x = {space.x[0], space.x[1]},
                                        .v = {space.v[0], space.v[1]},
                                        .inverse_mass = space.inverse_mass});
    const kdr_integrator_desc of_plane = describe(KDR_BORIS, KDR_F64, KDR_FUSED, &flat, 1);
    const kdr_integrator_desc of_space = describe(KDR_BORIS, KDR_F64, KDR_FUSED, &upright, 1);
    kdr_clock clock = {0, 0.3, 0}, other = clock;
    advance(BY_INTEGRATOR, &of_plane, &plane, &clock, 50);
    advance(BY_INTEGRATOR, &of_space, &space, &other, 50);
    cr_expect(memcmp(plane.x[0], space.x[0], 37 * sizeof(double)) == 0 && memcmp(plane.v[1], space.v[1], 37 * sizeof(double)) == 0);
    kdr_particles_destroy(&plane);
    kdr_particles_destroy(&space);
}

/* With compensation, the rounding errors of small rotations are small too. */
Test(methods_magnetic, compensated_runs_keep_more) {
    const kdr_force field = magnet(0.001, 0.002, 0.002);
    double error[2];
    for (int compensated = 0; compensated < 2; ++compensated) {
        kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F32, KDR_FUSED, &field, 1);
        desc.compensated = compensated != 0;
        error[compensated] = 0;
        for (int i = 0; i < 8; ++i) {
            const state start = {{0, 0, 0}, {1 + 0.1 * i, -0.5, 0.25 * i}};
            const state end = advance_one(BY_INTEGRATOR, &desc, start, 1, 300000);
            error[compensated] += fabs(dot(end.v, end.v) - dot(start.v, start.v));
        }
    }
    cr_expect(error[1] * 10 < error[0], "%g plain, %g compensated", error[0], error[1]);
}
