/* Implicit methods in stiff problems: springs, drag and magnetic fields. The midpoint rule conserves the energy, and implicit Euler takes
 * it away as its equation says. The invariants of long orbits are tested too. */
#include "support.h"

typedef long double real10;

static const kdr_method methods[] = {KDR_IMPLICIT_EULER, KDR_IMPLICIT_MIDPOINT};
static const real10 fraction[] = {1, 0.5L}; /* time of the stage, in steps */

static double unit(kdr_real real) { return real == KDR_F32 ? 0x1p-23 : 0x1p-52; }

enum { STRENGTHS = 29, EACH = 4, STIFF = STRENGTHS * EACH };

/* Returns omega h, b h or |m| h: four values per decade, from 0.1 to 10^6. */
static double strength(size_t i) { return pow(10, (double)(i / EACH) / 4 - 1); }

static union {
    float f32[STIFF];
    double f64[STIFF];
} constants;

static kdr_force stiff_springs(void) {
    kdr_force spring = kdr_force_spring(0, 0, 0, 0);
    spring.as.spring.k_each = &constants;
    spring.as.spring.count = STIFF;
    return spring;
}

static double spring_energy(const kdr_particles *p, size_t i, bool springs) {
    const state s = get_state(p, i);
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        sum += s.v[k] * s.v[k] + (springs ? get(&constants, p->real, i) * s.x[k] * s.x[k] : 0);
    }
    return sum;
}

/* Makes particles whose springs, or charges per mass, have those strengths for steps of h. Positions and velocities have equal energies. */
static kdr_particles stiff_crowd(kdr_real real, double h, bool springs) {
    uint64_t seed = test_seed();
    kdr_particles p = make_particles(STIFF, 3, real, !springs, false);
    fill_random(&p, &seed);
    for (size_t i = 0; i < STIFF; ++i) {
        set(&constants, real, i, strength(i) * strength(i) / (h * h));
        if (!springs) {
            set(p.inverse_mass, real, i, strength(i));
        }
        for (int k = 0; k < 3 && springs; ++k) {
            set(p.v[k], real, i, get(p.v[k], real, i) * strength(i) / h);
        }
    }
    return p;
}

/* Over 10^5 steps, rounding errors of half an ulp add up to a random walk, sqrt(steps) eps, and to some ten times that if they have a bias.
 * With a single iteration, or with A as one number, they would be omega h times as large, and in f32 beyond omega h = 10^4 the energy would
 * overflow. A magnetic field that is not along an axis is an exception: the rounded v cross m has a component along m, which J^-1 does not
 * reduce. */
Test(methods_stiff, midpoint_keeps_quadratic_invariants_of_stiff_fields) {
    const double h = 0.1;
    const kdr_force weak = kdr_force_electromagnetic(1, (const double[3]){0, 0, 0}, (const double[3]){1, 2, 3});
    const kdr_force along = kdr_force_electromagnetic(1, (const double[3]){0, 0, 0}, (const double[3]){0, 0, 1 / h});
    const kdr_force oblique =
        kdr_force_electromagnetic(1, (const double[3]){0, 0, 0}, (const double[3]){1 / (3 * h), 2 / (3 * h), 2 / (3 * h)});
    const kdr_force lists[][2] = {{stiff_springs(), weak}, {stiff_springs(), weak}, {along, weak}, {oblique, weak}};
    for (int n = 0; n < 4 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++n) {
        const int list = n / 4;
        const kdr_real real = (kdr_real)(n % 2);
        kdr_particles p = stiff_crowd(real, h, list < 2);
        double before[STIFF], worst = 0;
        for (size_t i = 0; i < STIFF; ++i) {
            before[i] = spring_energy(&p, i, list < 2);
        }
        const kdr_integrator_desc desc = describe(KDR_IMPLICIT_MIDPOINT, real, (kdr_arithmetic)(n / 2 % 2), lists[list], list == 1 ? 2 : 1);
        kdr_clock clock = {0, h, 0};
        advance(BY_INTEGRATOR, &desc, &p, &clock, 100000);
        const double walk = unit(real) / 2 * sqrt(1e5);
        for (size_t i = 0; i < STIFF; ++i) {
            const double walks = fabs(spring_energy(&p, i, list < 2) / before[i] - 1) / walk;
            /* beyond this the random walk of the oblique field is not small compared with 1 */
            const bool counts = list < 3 || strength(i) * walk < 0.01;
            cr_expect(!counts || walks < (list < 3 ? 150 : 60 * (1 + strength(i))), "list %d, f%d, %g a step: %g walks", list,
                      real ? 64 : 32, strength(i), walks);
            worst = fmax(worst, counts ? walks : 0);
        }
        fprintf(stderr, "list %d, f%d, %s: %.3g walks\n", list, real ? 64 : 32, kdr_arithmetic_name(desc.arithmetic), worst);
        cr_expect(worst > 1, "list %d: %g walks", list, worst);
        kdr_particles_destroy(&p);
    }
}

/* A step leaves a fraction 1 / (1 + (omega h)^2) of an oscillator's energy, as exactly as x + h V is. Semi-implicit Euler's energy
 * grows. */
Test(methods_stiff, euler_damps_what_it_cannot_resolve) {
    const double h = 0.125;
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        const kdr_force spring = stiff_springs();
        kdr_integrator_desc desc = describe(KDR_IMPLICIT_EULER, (kdr_real)real, KDR_FUSED, &spring, 1);
        kdr_particles p = stiff_crowd((kdr_real)real, h, true);
        kdr_clock clock = {0, h, 0};
        for (int n = 0; n < 4; ++n) {
            double before[STIFF];
            for (size_t i = 0; i < STIFF; ++i) {
                before[i] = spring_energy(&p, i, true);
            }
            advance(BY_INTEGRATOR, &desc, &p, &clock, 1);
            for (size_t i = 0; i < STIFF; ++i) {
                const double factor = 1 + get(&constants, p.real, i) * h * h, left = spring_energy(&p, i, true) / before[i];
                cr_expect(left < 1 && close_to(left * factor, 1, 4 * unit(p.real) * (2 + strength(i))), "omega h = %g: %g", strength(i),
                          left * factor);
            }
        }
        kdr_particles_destroy(&p);
        p = stiff_crowd((kdr_real)real, h, true);
        desc.method = KDR_SEMI_IMPLICIT_EULER;
        advance(BY_INTEGRATOR, &desc, &p, &clock, 40);
        for (size_t i = 0; i < STIFF; ++i) {
            cr_expect((strength(i) < 2) == (spring_energy(&p, i, true) < 1e6 * get(&constants, p.real, i)), "omega h = %g", strength(i));
        }
        kdr_particles_destroy(&p);
    }
}

/* v - wind is multiplied by (1 - (1 - c) b h) / (1 + c b h) per step: nearly -1 for c = 1/2, nearly 0 for c = 1. That of RK4 grows. */
Test(methods_stiff, stiff_drag_is_stable) {
    kdr_force resistance = kdr_force_drag(0, 0.75, -0.5, 0.25);
    resistance.as.drag.b_each = &constants;
    resistance.as.drag.count = STIFF;
    enum { STEPS = 1000 };
    for (int n = 0; n < 2 * KDR_REAL_COUNT * RUNNERS; ++n) {
        const kdr_real real = (kdr_real)(n / 2 % 2);
        kdr_integrator_desc desc = describe(methods[n % 2], real, KDR_FUSED, &resistance, 1);
        kdr_particles p = stiff_crowd(real, 1, false), before = stiff_crowd(real, 1, false);
        p.inverse_mass = before.inverse_mass = NULL; /* each has its own b, from 0.01 to 10^12 */
        kdr_clock clock = {0, 1, 0};
        advance(n / 4, &desc, &p, &clock, STEPS);
        for (size_t i = 0; i < 3 * STIFF; ++i) {
            const real10 z = (real10)get(&constants, real, i / 3), c = fraction[n % 2], wind = (real10)resistance.as.drag.wind[i % 3];
            const real10 start = (real10)get(before.v[i % 3], real, i / 3) - wind, end = (real10)get(p.v[i % 3], real, i / 3) - wind;
            const real10 exact = start * powl((1 - (1 - c) * z) / (1 + c * z), STEPS);
            cr_expect(fabsl(end - exact) <= (n % 2 ? 2 * STEPS : 2 + 1 / z) * (real10)unit(real), "b h = %g: %Lg for %Lg", (double)z, end,
                      exact);
        }
        desc.method = KDR_RK4;
        copy_state(&p, &before);
        advance(n / 4, &desc, &p, &clock, 10);
        cr_expect(!(fabs(get(p.v[0], real, STIFF - 1)) < 1e9));
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&before);
    }
}

/* --- Long orbits --- */

/* The midpoint rule conserves angular momentum, which is quadratic, to rounding, and the energy within a bound that does not grow. Implicit
 * Euler conserves neither. 500 orbits, e from 0.1 to 0.6. */
Test(methods_stiff, midpoint_keeps_the_angular_momentum_of_orbits) {
    enum { ORBITS = 6, PIECES = 1000 };
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    for (int m = 0; m < 2; ++m) {
        const kdr_integrator_desc desc = describe(methods[m], KDR_F64, KDR_FUSED, &sun, 1);
        kdr_particles p = make_particles(ORBITS, 2, KDR_F64, false, false);
        double energy[2][ORBITS] = {{0}}, momentum[ORBITS] = {0};
        for (size_t i = 0; i < ORBITS; ++i) {
            const double e = 0.1 * (double)(i + 1);
            put_state(&p, i, &(state){{1 - e, 0}, {0, sqrt((1 + e) / (1 - e))}});
        }
        kdr_clock clock = {0, 2 * acos(-1) / 200, 0};
        for (int piece = 0; piece < (m ? PIECES : 2); ++piece) {
            advance(BY_INTEGRATOR, &desc, &p, &clock, 100);
            for (size_t i = 0; i < ORBITS; ++i) {
                const double e = 0.1 * (double)(i + 1);
                const state s = get_state(&p, i);
                const double H = (s.v[0] * s.v[0] + s.v[1] * s.v[1]) / 2 - 1 / hypot(s.x[0], s.x[1]);
                const double L = s.x[0] * s.v[1] - s.x[1] * s.v[0];
                energy[piece >= PIECES / 2][i] = fmax(energy[piece >= PIECES / 2][i], fabs(H + 0.5));
                momentum[i] = fmax(momentum[i], fabs(L / sqrt(1 - e * e) - 1));
            }
        }
        const double walk = 0x1p-53 * sqrt(PIECES * 100.0);
        for (size_t i = 0; i < ORBITS; ++i) {
            cr_expect(m == 0 ? momentum[i] > 1e-3 && energy[0][i] > 1e-2 : momentum[i] < 40 * walk && momentum[i] > 0.1 * walk, "%g",
                      momentum[i] / walk);
            cr_expect(m == 0 || close_to(energy[1][i] / energy[0][i], 1, 0.05), "%g, then %g", energy[0][i], energy[1][i]);
        }
        kdr_particles_destroy(&p);
    }
}
