/* Implicit methods in system runs: the solution of the equation of all particles, what it conserves, its order when composed, and
 * equations that are not solved. The bits are tested by system.c, and by the kind `system` of kickdrift verify. */
#include "methods.h"
#include "system_support.h"

/* Two particles that a function couples by a spring and a damper. */
typedef struct couple {
    double k, c;
} couple;

static kdr_status pull_together(void *context, const kdr_particles *p, double t, void *const a[3]) {
    const couple *const by = context;
    (void)t;
    for (size_t n = 0; n < 2; ++n) {
        set(a[0], p->real, n,
            by->k * (get(p->x[0], p->real, 1 - n) - get(p->x[0], p->real, n)) +
                by->c * (get(p->v[0], p->real, 1 - n) - get(p->v[0], p->real, n)));
    }
    return KDR_OK;
}

/* Replaces y by (1 - th M)^-1 y, by elimination. y is (x_0, x_1, v_0, v_1), with y' = M y. */
static void solve_linear(double th, const couple *by, double k, double b, double y[4]) {
    const double m[2][4] = {{-k - by->k, by->k, -b - by->c, by->c}, {by->k, -k - by->k, by->c, -b - by->c}};
    double a[4][5] = {{1, 0, -th, 0, y[0]}, {0, 1, 0, -th, y[1]}};
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
            a[2 + i][j] = (j == 2 + i) - th * m[i][j];
        }
        a[2 + i][4] = y[2 + i];
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            const double f = a[j][i] / a[i][i];
            for (int n = i; n < 5; ++n) {
                a[j][n] -= f * a[i][n];
            }
        }
    }
    for (int i = 3; i >= 0; --i) {
        y[i] = a[i][4];
        for (int j = i + 1; j < 4; ++j) {
            y[i] -= a[i][j] * y[j];
        }
        y[i] /= a[i][i];
    }
}

/* The field may be arbitrarily stiff: the times of its springs and drags are far shorter than a step. The function is not stiff. */
Test(system_implicit, a_linear_equation_is_solved) {
    const struct {
        double k, b;
        couple by;
    } cases[] = {{0, 0, {1, 0.25}}, {1, 0.5, {0.5, 0}}, {1e6, 0, {2, 0.5}}, {1e6, 1e4, {2, 0.5}}, {4e6, 10, {0, 1}}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; ++i) {
        const double h = 0.25, k = cases[i / 2].k, b = cases[i / 2].b;
        const bool midpoint = i % 2;
        couple by = cases[i / 2].by;
        kdr_system_desc desc = describe_system(midpoint ? KDR_IMPLICIT_MIDPOINT : KDR_IMPLICIT_EULER, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        const kdr_force field[] = {kdr_force_spring(k, 0, 0, 0), kdr_force_drag(b, 0, 0, 0)};
        desc.forces = field, desc.force_count = k != 0 || b != 0 ? 2 : 0;
        desc.accelerations = pull_together, desc.context = &by, desc.velocity_dependent = true;
        double x[] = {1, -0.5}, v[] = {0.25, 2}, y[] = {1, -0.5, 0.25, 2};
        kdr_particles p = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}};
        double x_by_reference[] = {1, -0.5}, v_by_reference[] = {0.25, 2};
        kdr_particles other = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x_by_reference}, .v = {v_by_reference}};
        kdr_clock clock = {0, h, 0}, clock_of_reference = clock;
        for (int n = 0; n < 20; ++n) {
            const double before[] = {y[0], y[1], y[2], y[3]};
            run(&desc, &p, &clock, 1);
            reference(&desc, &other, &clock_of_reference, 1);
            cr_assert(same_bits(&p, &other), "case %zu, step %d: not the reference", i, n);
            solve_linear(midpoint ? h / 2 : h, &by, k, b, y);
            for (int j = 0; j < 4; ++j) {
                y[j] = midpoint ? 2 * y[j] - before[j] : y[j];
                cr_assert(fabs(y[j] - (j < 2 ? x[j] : v[j - 2])) < 1e-11 * (1 + sqrt(k)), "case %zu, step %d: %.17g, expected %.17g", i, n,
                          j < 2 ? x[j] : v[j - 2], y[j]);
            }
        }
    }
}

/* With springs of length 0 the energy is a quadratic form, which the midpoint rule keeps to rounding. Velocity Verlet does not. */
Test(system_implicit, the_midpoint_rule_keeps_quadratic_energies) {
    enum { COUNT = 20, STEPS = 20000 };
    kdr_pair_spring springs[COUNT];
    for (uint32_t n = 0; n < COUNT; ++n) {
        springs[n] = (kdr_pair_spring){.a = n, .b = (n + 1) % COUNT, .k = 1 + 0.25 * (n % 3)};
    }
    const kdr_interaction network = kdr_interaction_spring_network(springs, COUNT);
    double off[2];
    for (int verlet = 0; verlet < 2; ++verlet) {
        uint64_t seed = 3;
        kdr_system_desc desc = describe_system(verlet ? KDR_VELOCITY_VERLET : KDR_IMPLICIT_MIDPOINT, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.interactions = &network, desc.interaction_count = 1;
        kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, false);
        fill_random(&p, &seed);
        kdr_system *system;
        kdr_observables first, last;
        kdr_clock clock = {0, 0.25, 0};
        cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
        cr_assert(kdr_system_observe(system, &p, &clock, &first, NULL) == KDR_OK);
        run(&desc, &p, &clock, STEPS);
        cr_assert(kdr_system_observe(system, &p, &clock, &last, NULL) == KDR_OK);
        off[verlet] = fabs((last.kinetic + last.potential) / (first.kinetic + first.potential) - 1);
        for (int i = 0; i < 3; ++i) {
            cr_expect(close_to(last.momentum[i], first.momentum[i], 1e-11));
        }
        kdr_system_destroy(system);
        kdr_particles_destroy(&p);
    }
    fprintf(stderr, "energy after %d steps: off by %.3g of itself by implicit-midpoint, %.3g by velocity-verlet\n", STEPS, off[0], off[1]);
    cr_expect(off[0] < 1e-12 && off[1] > 1e-5);
}

/* Runs three bodies on their figure of eight for an eighth of its period, and returns x of the first. Then runs them back, and sets *back
 * to the distance of the first from its start. */
static double closes(kdr_composition compose, uint64_t steps, double *back) {
    const double period = 6.32591398292621, mu[] = {1, 1, 1};
    const kdr_interaction gravity = kdr_interaction_gravity(mu, 3, 0);
    kdr_system_desc desc = describe_system(KDR_IMPLICIT_MIDPOINT, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.interactions = &gravity, desc.interaction_count = 1;
    desc.compose = compose;
    double x[] = {0.97000436, -0.97000436, 0}, y[] = {-0.24308753, 0.24308753, 0};
    double vx[] = {0.93240737 / 2, 0.93240737 / 2, -0.93240737}, vy[] = {0.86473146 / 2, 0.86473146 / 2, -0.86473146};
    const double start[] = {x[0], y[0]};
    kdr_particles p = {.count = 3, .dims = 2, .real = KDR_F64, .x = {x, y}, .v = {vx, vy}};
    kdr_clock clock = {0, period / 8 / (double)steps, 0};
    run(&desc, &p, &clock, steps);
    const double there = x[0];
    clock.dt = -clock.dt;
    run(&desc, &p, &clock, steps);
    *back = hypot(x[0] - start[0], y[0] - start[1]);
    return there;
}

Test(system_implicit, orders) {
    for (int c = 0; c < KDR_COMPOSITION_COUNT; ++c) {
        const kdr_composition_info *const info = kdr_composition_get((kdr_composition)c);
        const uint64_t coarse = info->order == 2 ? 32 : info->order == 4 ? 16 : info->order == 6 ? 12 : 8;
        double x[3], back;
        for (int level = 0; level < 3; ++level) {
            x[level] = closes((kdr_composition)c, coarse << level, &back);
            cr_expect(back < 1e-12, "%s: back to %.3g", info->name, back);
        }
        const double order = log2(fabs((x[0] - x[1]) / (x[1] - x[2])));
        cr_expect(close_to(order, info->order, 0.6), "%s: order %.3f", info->name, order);
    }
}

/* A step that is too long for the coupling of the particles, or for a field that repels them, is not solved. The run ends with the step
 * before, in all that it carries too. */
Test(system_implicit, what_is_not_solved) {
    couple by = {1, 0};
    const kdr_composition composes[] = {KDR_COMPOSE_NONE, KDR_COMPOSE_SUZUKI_4};
    for (int i = 0; i < 8; ++i) {
        kdr_system_desc desc = describe_system(KDR_IMPLICIT_MIDPOINT, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        kdr_force field = kdr_force_spring(1, 0, 0, 0);
        desc.forces = &field, desc.force_count = 1;
        desc.accelerations = pull_together, desc.context = &by;
        desc.compose = composes[i % 2];
        desc.compensated = true;
        double x[] = {1, -1}, v[] = {0, 0}, c[4] = {0};
        kdr_particles p = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}, .compensation = {c, [3] = c + 2}};
        kdr_clock clock = {0, 0.5, 0};
        kdr_error error;
        cr_assert(run_with(&desc, &p, &clock, 3, &error) == KDR_OK);
        const double kept[] = {x[0], x[1], v[0], v[1]}, carried[] = {c[0], c[1], c[2], c[3]};
        if (i < 4) {
            by.k = 40;
        } else {
            field = kdr_force_spring(-72, 0, 0, 0);
        }
        const kdr_status status =
            i % 4 < 2 ? run_with(&desc, &p, &clock, 3, &error) : kdr_reference_system_run(&desc, &p, &clock, 3, &error);
        by.k = 1;
        cr_expect(status == KDR_ERROR_ARGUMENT && clock.step == 3 &&
                      strstr(error.message, "clock.dt: implicit-midpoint was not solved by 100 iterations in step 3: 0.5 is long"),
                  "%s", error.message);
        cr_expect(x[0] == kept[0] && x[1] == kept[1] && v[0] == kept[2] && v[1] == kept[3]);
        cr_expect(memcmp(c, carried, sizeof c) == 0 && c[2] != 0, "case %d", i);
    }
}

/* Custom fields give their derivatives for the length of a step, and of a substep. */
Test(system_implicit, derivatives_of_custom_fields) {
    const kdr_custom_field *halo;
    uint64_t seed = test_seed();
    cr_assert(kdr_field_from_name("logarithmic-halo", &halo) == KDR_OK);
    for (int n = 0; n < 16; ++n) {
        const kdr_force force = kdr_force_custom(halo, (double[]){4, 0.25, 0.75, 0.25, -0.25, 0});
        homing home = {.fails_at = -1};
        kdr_system_desc desc =
            describe_system(n % 2 ? KDR_IMPLICIT_EULER : KDR_IMPLICIT_MIDPOINT, (kdr_real)(n / 2 % 2), KDR_FUSED, KDR_BACKEND_AUTO);
        kdr_particles p = make_particles(30, 3, desc.real, n / 4 % 2, false), q = make_particles(30, 3, desc.real, n / 4 % 2, false);
        kdr_clock clock = {.dt = 0.0625}, other = clock;
        fill_random(&p, &seed);
        copy_state(&q, &p);
        desc.forces = &force, desc.force_count = 1;
        desc.accelerations = pull_home, desc.context = &home;
        desc.compose = n / 8 && n % 2 == 0 ? KDR_COMPOSE_SUZUKI_4 : KDR_COMPOSE_NONE;
        reference(&desc, &p, &clock, 5);
        run(&desc, &q, &other, 5);
        cr_expect(same_bits(&p, &q), "%d", n);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* A frozen or inactive particle acts on the others with its position and its velocity, and does not move. */
Test(system_implicit, frozen_particles_are_seen_where_they_are) {
    couple by = {1, 0.5};
    double ends[4][2];
    for (int i = 0; i < 4; ++i) {
        kdr_system_desc desc = describe_system(KDR_IMPLICIT_MIDPOINT, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.accelerations = pull_together, desc.context = &by;
        double x[] = {1, 0}, v[] = {0, 5}, w[] = {1, 0}, y = 1, u = 0;
        const uint8_t active[] = {1, 0};
        kdr_particles p = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}};
        p.inverse_mass = i % 2 ? w : NULL;
        p.active = i % 2 ? NULL : active, p.active_count = 2;
        kdr_clock clock = {0, 0.25, 0};
        const kdr_composition_info *const info = kdr_composition_get(KDR_COMPOSE_SUZUKI_4);
        desc.compose = KDR_COMPOSE_SUZUKI_4;
        i < 2 ? run(&desc, &p, &clock, 40) : reference(&desc, &p, &clock, 40);
        for (int n = 0; n < 40 * info->count; ++n) { /* the midpoint rule of x'' = -x + (5 - x') / 2 */
            const double h = 0.25 * info->fraction[n % info->count], middle = (u + h / 2 * (2.5 - y)) / (1 + h / 4 + h * h / 4);
            y += h * middle;
            u = 2 * middle - u;
        }
        ends[i][0] = x[0], ends[i][1] = v[0];
        cr_expect(i < 2 || memcmp(ends[i], ends[i - 2], sizeof ends[i]) == 0, "other bits than the textbook's");
        cr_expect(close_to(x[0], y, 1e-13) && close_to(v[0], u, 1e-13) && x[1] == 0 && v[1] == 5, "%.17g, expected %.17g", x[0], y);
    }
}

/* A chain along `dims` axes with frozen ends. Its springs have length 0 and are those of a net or of a function, which counts its
 * evaluations. */
enum { LINKS = 24 };
typedef struct chain {
    double k, bad; /* the function gives its slopes multiplied by `bad` */
    uint64_t evaluations;
    int fails; /* the call of `slopes` that fails, from 1 on */
    bool adds; /* the function adds the springs; otherwise the net does */
} chain;

static kdr_status pull_chain(void *context, const kdr_particles *p, double t, void *const a[3]) {
    chain *const by = context;
    (void)t;
    ++by->evaluations;
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            const double x = get(p->x[i], p->real, n), before = n > 0 ? get(p->x[i], p->real, n - 1) : 0;
            const double behind = n + 1 < p->count ? get(p->x[i], p->real, n + 1) : 0;
            set(a[i], p->real, n, by->adds ? by->k * (before - 2 * x + behind) : 0);
        }
    }
    return KDR_OK;
}

static kdr_status slopes_of_chain(void *context, const kdr_particles *p, double t, double th, void *const g[6]) {
    chain *const by = context;
    (void)t;
    for (int k = 0; k < p->dims * (p->dims + 1) / 2; ++k) {
        for (size_t n = 0; n < p->count; ++n) {
            set(g[k], p->real, n, k < p->dims ? -2 * by->bad * by->k * th : 0);
        }
    }
    return by->fails > 0 && --by->fails == 0 ? KDR_ERROR_NOT_FINITE : KDR_OK;
}

/* Checks standing waves. The midpoint rule turns (x, v / w) of mode j by twice the angle whose tangent is w h / 2; implicit Euler divides x
 * + i v / w by 1 + i w h. The smoothest mode is together with the stiffest, whose corrections are a thousand times as large. */
static void check_waves(kdr_real real, bool midpoint, bool by_net, double stiff) {
    const double h = 0.125, k = stiff * stiff / (4 * h * h), pi = acos(-1), within = real == KDR_F64 ? 3e-11 : 3e-3;
    const int modes[] = {1, LINKS / 3, LINKS};
    kdr_pair_spring springs[LINKS + 1];
    for (uint32_t n = 0; n <= LINKS; ++n) {
        springs[n] = (kdr_pair_spring){.a = n, .b = n + 1, .k = k};
    }
    const kdr_interaction network = kdr_interaction_spring_network(springs, LINKS + 1);
    chain by = {k, 1, 0, 0, !by_net};
    kdr_system_desc desc = describe_system(midpoint ? KDR_IMPLICIT_MIDPOINT : KDR_IMPLICIT_EULER, real, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.accelerations = pull_chain, desc.context = &by;
    desc.slopes = by_net ? NULL : slopes_of_chain;
    desc.interactions = &network, desc.interaction_count = by_net;
    kdr_particles p = make_particles(LINKS + 2, 3, real, true, false);
    for (size_t n = 0; n < p.count; ++n) {
        for (int i = 0; i < 3; ++i) {
            const bool end = n == 0 || n == LINKS + 1;
            set(p.x[i], real, n, end ? 0 : sin(pi * modes[i] * (double)n / (LINKS + 1)));
            set(p.v[i], real, n, 0);
        }
        set((void *)(uintptr_t)p.inverse_mass, real, n, n > 0 && n <= LINKS);
    }
    kdr_clock clock = {0, h, 0};
    enum { STEPS = 5 };
    run(&desc, &p, &clock, STEPS);
    for (int i = 0; i < 3; ++i) {
        const double w = 2 * sqrt(k) * sin(pi * modes[i] / 2 / (LINKS + 1)), angle = midpoint ? 2 * atan(w * h / 2) : atan(w * h);
        const double size = midpoint ? 1 : pow(1 + w * h * w * h, -0.5 * STEPS), x = size * cos(STEPS * angle),
                     v = -w * size * sin(STEPS * angle);
        for (size_t n = 1; n <= LINKS; ++n) {
            const double wave = sin(pi * modes[i] * (double)n / (LINKS + 1));
            cr_assert(fabs(get(p.x[i], real, n) - x * wave) < within && fabs(get(p.v[i], real, n) - v * wave) < within * (1 + sqrt(k)),
                      "omega h = %g, mode %d, particle %zu: %.17g, expected %.17g", stiff, modes[i], n, get(p.x[i], real, n), x * wave);
        }
    }
    const double each = (double)by.evaluations / STEPS, th = midpoint ? stiff / 2 : stiff;
    fprintf(stderr, "%s by %s in %s, omega h = %g: %g evaluations a step\n", midpoint ? "implicit-midpoint" : "implicit-euler",
            by_net ? "a net" : "slopes", kdr_real_name(real), stiff, each);
    cr_expect(each < 30 + (real == KDR_F64 ? 24 : 16) * th, "%g evaluations", each);
    kdr_particles_destroy(&p);
}

Test(system_implicit, stiff_chains_are_solved_by_their_slopes) {
    for (int i = 0; i < 8; ++i) {
        for (double stiff = 1; stiff < 200; stiff *= 5) {
            check_waves(i % 2 ? KDR_F32 : KDR_F64, (i & 2) != 0, (i & 4) != 0, stiff);
        }
    }
}

/* A cloth hangs from one side. Its springs have a length and a damper, omega h = 30. Implicit Euler takes it to rest, where the
 * acceleration of each particle is small compared with its weight. The midpoint rule returns to where it started, which a step that is only
 * half solved would not. */
enum { SIDE = 7 };
static size_t weave(kdr_pair_spring *springs, double k, double damping) {
    size_t count = 0;
    for (uint32_t n = 0; n < SIDE * SIDE; ++n) {
        const uint32_t to[] = {n % SIDE < SIDE - 1 ? n + 1 : n, n + SIDE, n % SIDE < SIDE - 1 ? n + SIDE + 1 : n};
        for (int i = 0; i < 3; ++i) {
            if (to[i] != n && to[i] < SIDE * SIDE) {
                springs[count++] =
                    (kdr_pair_spring){.a = n, .b = to[i], .k = k, .length = i == 2 ? 0.1 * sqrt(2.0) : 0.1, .damping = damping};
            }
        }
    }
    return count;
}

Test(system_implicit, a_stiff_cloth) {
    kdr_pair_spring springs[3 * SIDE * SIDE];
    for (int midpoint = 0; midpoint < 2; ++midpoint) {
        const double h = 1.0 / 128, k = 30 * 30 / (8 * h * h);
        const kdr_interaction network = kdr_interaction_spring_network(springs, weave(springs, k, midpoint ? 0 : 0.01 * k));
        const kdr_force field[] = {kdr_force_uniform_acceleration(0, -10, 0), kdr_force_drag(5, 0, 0, 0)};
        kdr_system_desc desc = describe_system(midpoint ? KDR_IMPLICIT_MIDPOINT : KDR_IMPLICIT_EULER, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.interactions = &network, desc.interaction_count = 1;
        desc.forces = field, desc.force_count = midpoint ? 1 : 2;
        kdr_particles p = make_particles(SIDE * SIDE, 3, KDR_F64, true, false);
        for (size_t n = 0; n < p.count; ++n) { /* not stretched yet, and not quite in a plane */
            const double at[] = {0.1 * (double)(n % SIDE), -0.1 * (double)(n / SIDE), 0.001 * sin((double)n)};
            for (int i = 0; i < 3; ++i) {
                ((double *)p.x[i])[n] = at[i];
                ((double *)p.v[i])[n] = 0;
            }
            ((double *)(uintptr_t)p.inverse_mass)[n] = n >= SIDE;
        }
        const size_t last = SIDE * SIDE - 1;
        const double began = ((double *)p.x[1])[last];
        kdr_clock clock = {0, h, 0};
        run(&desc, &p, &clock, midpoint ? 8 : 700);
        if (midpoint) {
            cr_expect(fabs(((double *)p.x[1])[last] - began) > 1e-5);
            clock.dt = -h;
            run(&desc, &p, &clock, 8);
            cr_expect(close_to(((double *)p.x[1])[last], began, 1e-9), "%.17g, expected %.17g", ((double *)p.x[1])[last], began);
        }
        double a[3][SIDE * SIDE] = {{0}};
        void *const to[] = {a[0], a[1], a[2]};
        kdr_pairs_desc pairs_desc = kdr_pairs_desc_default();
        pairs_desc.forces = &network, pairs_desc.force_count = 1;
        cr_assert(kdr_reference_pairs_add(&pairs_desc, &p, to, NULL) == KDR_OK);
        for (size_t n = SIDE; n < p.count && !midpoint; ++n) {
            cr_expect(fabs(a[0][n]) < 1e-6 && fabs(a[1][n] - 10) < 1e-6 && fabs(a[2][n]) < 1e-6, "particle %zu: %g, %g, %g", n, a[0][n],
                      a[1][n], a[2][n]);
        }
        kdr_particles_destroy(&p);
    }
}

/* A step that overflows is not solved, although an infinite correction is no larger than an infinite position. */
Test(system_implicit, overflows_are_not_solved) {
    for (int i = 0; i < 2; ++i) {
        couple by = {1e8, 0};
        kdr_system_desc desc = describe_system(KDR_IMPLICIT_EULER, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.accelerations = pull_together, desc.context = &by;
        double x[] = {1, -1}, v[] = {0, 0};
        kdr_particles p = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}};
        kdr_clock clock = {0, 0.5, 0};
        kdr_error error = {KDR_OK, ""};
        const kdr_status status = i ? run_with(&desc, &p, &clock, 1, &error) : kdr_reference_system_run(&desc, &p, &clock, 1, &error);
        cr_expect(status == KDR_ERROR_ARGUMENT && clock.step == 0 && x[0] == 1 && strstr(error.message, "by 100 iterations"), "%s",
                  error.message);
    }
}

/* Slopes steer the iteration but do not change its solution: too large ones only cost iterations. Slopes that are not finite, and a
 * function that fails, end the run with the step before. */
Test(system_implicit, slopes_that_are_wrong) {
    double ends[2];
    for (int i = 0; i < 6; ++i) {
        chain by = {100, i == 1 ? 3 : 1, 0, 0, true};
        kdr_system_desc desc = describe_system(KDR_IMPLICIT_MIDPOINT, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.accelerations = pull_chain, desc.context = &by, desc.slopes = slopes_of_chain;
        double x[] = {1, -1, 0.5}, v[] = {0, 0, 0};
        kdr_particles p = {.count = 3, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}};
        kdr_clock clock = {0, 0.5, 0};
        kdr_error error = {KDR_OK, ""};
        run(&desc, &p, &clock, 1);
        const double kept[] = {x[0], v[0]};
        if (i < 2) {
            ends[i] = x[0];
            continue;
        }
        by.bad = i < 4 ? (double)NAN : 1, by.fails = i < 4 ? 0 : 3;
        const kdr_status status = i % 2 ? run_with(&desc, &p, &clock, 2, &error) : kdr_reference_system_run(&desc, &p, &clock, 2, &error);
        cr_expect(status == (i < 4 ? KDR_ERROR_ARGUMENT : KDR_ERROR_NOT_FINITE) && clock.step == 1 && x[0] == kept[0] && v[0] == kept[1]);
        cr_expect(strstr(error.message, i < 4 ? "was not solved by 1 iterations in step 1" : "slopes: the function returned"), "%s",
                  error.message);
    }
    cr_expect(close_to(ends[0], ends[1], 1e-12) && ends[0] != 0, "%.17g, expected %.17g", ends[1], ends[0]);
}

static void expect_refused(const kdr_system_desc *desc, const char *words) {
    kdr_system *made = NULL;
    kdr_error error = {KDR_OK, ""};
    cr_expect(kdr_system_create(desc, &made, &error) == KDR_ERROR_UNSUPPORTED && strstr(error.message, words), "'%s', expected '%s'",
              error.message, words);
    kdr_system_destroy(made);
}

static kdr_status potential_of_nothing(void *context, const kdr_particles *p, double t, double *energy) {
    (void)context, (void)p, (void)t, (void)energy;
    return KDR_OK;
}

Test(system_implicit, what_is_refused) {
    couple by = {1, 0};
    kdr_system_desc desc = describe_system(KDR_IMPLICIT_MIDPOINT, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.accelerations = pull_together, desc.context = &by;
    desc.levels = true;
    expect_refused(&desc, "levels: expected kicks at the beginning, in the middle");
    desc.levels = false, desc.rows = true;
    expect_refused(&desc, "rows: expected a splitting method");
    desc.rows = false;
    desc.method = KDR_EXACT_AFFINE;
    expect_refused(&desc, "method: exact-affine moves each particle as its own forces alone would");
    desc.method = KDR_STORMER_VERLET;
    expect_refused(&desc, "method: stormer-verlet has positions alone, and system runs step velocities; take velocity-verlet");
    desc.method = KDR_VELOCITY_VERLET, desc.slopes = slopes_of_chain;
    expect_refused(&desc, "slopes: expected an implicit method, which alone asks for them, got velocity-verlet");
    desc.method = KDR_IMPLICIT_EULER;
    kdr_system *made = NULL;
    kdr_error without;
    desc.accelerations = NULL;
    cr_expect(kdr_system_create(&desc, &made, &without) == KDR_ERROR_NULL &&
                  strstr(without.message, "accelerations: expected the function that `slopes` belongs to"),
              "%s", without.message);
    desc.slopes = NULL, desc.potential = potential_of_nothing;
    cr_expect(kdr_system_create(&desc, &made, &without) == KDR_ERROR_NULL &&
                  strstr(without.message, "accelerations: expected the function that `potential` belongs to"),
              "%s", without.message);
    desc.accelerations = pull_together, desc.potential = NULL;
    kdr_error error;
    double x[] = {1, 0}, v[] = {0, 0};
    kdr_particles p = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}};
    kdr_clock clock = {0, 0.25, 0};
    cr_assert(kdr_system_create(&desc, &made, &error) == KDR_OK);
    cr_expect(kdr_system_run_blocks(made, &p, &clock, 1, &error) == KDR_ERROR_UNSUPPORTED &&
                  strstr(error.message, "method: implicit-euler is solved for all particles at once"),
              "%s", error.message);
    static char text[20000];
    cr_expect(kdr_system_explain(made, 1, false, text, sizeof text) < sizeof text && strstr(text, "1 where these are no solution"), "%s",
              text);
    cr_expect(!strstr(text, "its slopes"), "%s", text);

    /* The digest and the explanation know that the function has slopes, in addition to those of a list of forces. */
    const uint64_t without_slopes = kdr_system_digest(made);
    kdr_system_destroy(made);
    desc.slopes = slopes_of_chain;
    cr_assert(kdr_system_create(&desc, &made, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_system_digest(made) != without_slopes);
    kdr_system_destroy(made);
    const kdr_force spring = kdr_force_spring(4, 0, 0, 0);
    desc.forces = &spring, desc.force_count = 1;
    cr_assert(kdr_system_create(&desc, &made, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_system_explain(made, 1, false, text, sizeof text) < sizeof text &&
                  strstr(text, "its slopes, of each particle by itself: what the caller's function sets\n"),
              "%s", text);
    kdr_system_destroy(made);
}
