/* Composed methods: their substeps, their evaluations, their memory, walls, and refusals. Their orders are tested by methods_order.c, their
 * bits by equality.c. */
#include "methods.h"
#include "system_support.h"

/* The sums of w^3, w^5 and w^7 are the order conditions that have one term: they are 0 if the order needs it, and otherwise not. */
Test(methods_composed, sums_of_powers) {
    for (int c = 1; c < KDR_COMPOSITION_COUNT; ++c) {
        const kdr_composition_info *const info = kdr_composition_get((kdr_composition)c);
        kdr_composition same;
        cr_expect(kdr_composition_from_name(info->name, &same) == KDR_OK && (int)same == c);
        for (int power = 1; power <= 9; power += 2) {
            double sum = power == 1 ? -1 : 0;
            for (int s = 0; s < info->count; ++s) {
                cr_expect(info->fraction[s] == info->fraction[info->count - 1 - s], "%s is no palindrome", info->name);
                sum += pow(info->fraction[s], power);
            }
            cr_expect(power <= info->order ? fabs(sum) < 1e-13 : power > info->order + 1 || fabs(sum) > 1e-6, "%s: sum of w^%d is %g",
                      info->name, power, sum);
        }
    }
    cr_expect(kdr_composition_get(KDR_COMPOSITION_COUNT) == NULL && kdr_composition_from_name("kahan", &(kdr_composition){0}) != KDR_OK);
    cr_expect(kdr_composition_from_name(NULL, NULL) == KDR_ERROR_NULL);
}

static bool is_composed(int method) {
    const kdr_method_info *const info = kdr_method_get((kdr_method)method);
    return info->reversible && info->order == 2 && kdr_family_get(info->family)->velocities && method != KDR_VELOCITY_VERLET_PC;
}

/* Returns forces for the method; they include a magnetic field for methods that are symmetric in it. */
static size_t field_for(kdr_method method, kdr_force forces[3]) {
    forces[0] = kdr_force_centre(1, 0, 0, 0, 0.25);
    forces[1] = uneven_spring();
    forces[2] = tilted_magnet();
    return kdr_method_get(method)->order_velocity == 2 ? 3 : 2;
}

static const state start = {{0.5, 0.125, -0.0625}, {-0.125, 1.75, 0.25}};

/* A step is the method with steps of w_1 dt, w_2 dt, ... in turn: to the bit if the row is stepped in substeps, and to rounding if it is
 * composed to one row. */
Test(methods_composed, substeps_are_steps) {
    enum { STEPS = 20 };
    const double dt = 0.0625;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        for (int c = 1; c < KDR_COMPOSITION_COUNT && is_composed(m); ++c) {
            const kdr_composition_info *const info = kdr_composition_get((kdr_composition)c);
            kdr_force forces[3];
            const size_t count = field_for((kdr_method)m, forces);
            kdr_integrator_desc desc = describe((kdr_method)m, KDR_F64, KDR_FUSED, forces, count);
            state by_hand = start;
            for (int n = 0; n < STEPS * info->count; ++n) {
                by_hand = advance_one(BY_REFERENCE, &desc, by_hand, dt * info->fraction[n % info->count], 1);
            }
            desc.compose = (kdr_composition)c;
            const state composed = advance_one(BY_INTEGRATOR, &desc, start, dt, STEPS);
            const bool same = memcmp(&composed, &by_hand, sizeof composed) == 0;
            cr_expect(same || kdr_method_get((kdr_method)m)->family == KDR_SPLITTING, "%s by %s: other bits",
                      kdr_method_get((kdr_method)m)->name, info->name);
            for (int i = 0; i < 3; ++i) {
                cr_expect(close_to(composed.x[i], by_hand.x[i], 1e-13) && close_to(composed.v[i], by_hand.v[i], 1e-13));
            }
        }
    }
}

/* A user-defined copy of a composition is that composition. Steps backwards undo steps. The evaluations are those of all substeps. */
Test(methods_composed, own_substeps_and_back) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        for (int c = 1; c < KDR_COMPOSITION_COUNT && is_composed(m); ++c) {
            const kdr_composition_info *const info = kdr_composition_get((kdr_composition)c);
            kdr_force forces[3];
            const size_t count = field_for((kdr_method)m, forces);
            kdr_integrator_desc desc = describe((kdr_method)m, KDR_F64, KDR_FUSED, forces, count), own = desc;
            kdr_substeps substeps = {.count = info->count};
            memcpy(substeps.fraction, info->fraction, (size_t)info->count * sizeof *info->fraction);
            desc.compose = (kdr_composition)c;
            own.substeps = &substeps;
            const state named = advance_one(BY_INTEGRATOR, &desc, start, 0.0625, 16),
                        copied = advance_one(BY_INTEGRATOR, &own, start, 0.0625, 16);
            cr_expect(memcmp(&named, &copied, sizeof named) == 0, "%s by %s", kdr_method_get((kdr_method)m)->name, info->name);
            const state back = advance_one(BY_INTEGRATOR, &desc, named, -0.0625, 16);
            for (int i = 0; i < 3; ++i) {
                cr_expect(close_to(back.x[i], start.x[i], 1e-11) && close_to(back.v[i], start.v[i], 1e-11), "%s by %s: back to %g",
                          kdr_method_get((kdr_method)m)->name, info->name, back.x[i] - start.x[i]);
            }
            kdr_integrator *made;
            cr_assert(kdr_integrator_create(&desc, &made, NULL) == KDR_OK);
            const kdr_particles one = {.count = 1, .dims = 3, .real = KDR_F64};
            const uint64_t a_step = (uint64_t)kdr_method_get((kdr_method)m)->evaluations * (uint64_t)info->count;
            const uint64_t evaluations = kdr_integrator_evaluations(made, &one, &(kdr_clock){0, 1, 0}, 10);
            cr_expect(evaluations == 10 * a_step + (uint64_t)kdr_method_get((kdr_method)m)->start_evaluations, "%s by %s: %llu evaluations",
                      kdr_method_get((kdr_method)m)->name, info->name, (unsigned long long)evaluations);
            cr_expect(kdr_integrator_method(made)->order == info->order && kdr_integrator_method(made)->reversible);
            kdr_integrator_destroy(made);
        }
    }
}

/* Substeps raise a method of order 4 to order 6: the term h^5 cancels if the sum of w^5 is 0. */
Test(methods_composed, a_method_of_order_4_becomes_one_of_6) {
    const double q = 1 / (2 - pow(2, 0.2));
    const kdr_substeps substeps = {.count = 3, .fraction = {q, 1 - 2 * q, q}};
    const problem p = kepler();
    kdr_integrator_desc desc = describe(KDR_PEFRL, KDR_F64, KDR_FUSED, p.forces, p.count);
    desc.substeps = &substeps;
    double off[2];
    for (int half = 0; half < 2; ++half) {
        const state end = advance_one(BY_INTEGRATOR, &desc, p.start, half ? 1.0 / 32 : 1.0 / 16, half ? 32 : 16);
        off[half] = apart(end.x, p.end.x);
    }
    cr_expect(close_to(log2(off[0] / off[1]), 6, 0.3), "order %.3f", log2(off[0] / off[1]));
}

/* The memory of one composition is void for another, and a run that is cut continues. */
Test(methods_composed, memory_belongs_to_the_composition) {
    const kdr_force centre = kdr_force_centre(1, 0, 0, 0, 0);
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, &centre, 1);
    desc.compose = KDR_COMPOSE_SUZUKI_4;
    kdr_particles whole = make_particles(5, 3, KDR_F64, false, true), cut = make_particles(5, 3, KDR_F64, false, true);
    uint64_t seed = 7;
    fill_random(&whole, &seed);
    copy_state(&cut, &whole);
    kdr_clock one = {0, 0.01, 0}, other = one;
    advance(BY_REFERENCE, &desc, &whole, &one, 10);
    for (int n = 0; n < 10; ++n) {
        advance(BY_INTEGRATOR, &desc, &cut, &other, 1);
    }
    cr_expect(same_bits(&whole, &cut) && whole.memory_key == cut.memory_key && cut.memory_key != 0);
    kdr_integrator *made[3];
    for (int i = 0; i < 3; ++i) {
        desc.compose = i == 0 ? KDR_COMPOSE_SUZUKI_4 : i == 1 ? KDR_COMPOSE_NONE : KDR_COMPOSE_KAHAN_LI_8;
        cr_assert(kdr_integrator_create(&desc, &made[i], NULL) == KDR_OK);
        const uint64_t starts =
            kdr_integrator_evaluations(made[i], &cut, &other, 1) / cut.count - (uint64_t)kdr_integrator_method(made[i])->evaluations;
        cr_expect(starts == (i > 0), "composition %d", i);
        kdr_integrator_destroy(made[i]);
    }
    kdr_particles_destroy(&whole);
    kdr_particles_destroy(&cut);
}

/* Substeps may go beyond a wall and come back: if the whole step stays in front of it, nothing is hit. */
Test(methods_composed, walls_meet_whole_steps) {
    const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_BORIS, KDR_IMPLICIT_MIDPOINT, KDR_STRANG_AFFINE};
    const kdr_collider floor = kdr_collider_plane((const double[3]){0, 0, 0}, (const double[3]){0, 0, 1});
    for (size_t m = 0; m < 4 * RUNNERS; ++m) {
        kdr_integrator_desc desc = describe(methods[m / RUNNERS], KDR_F64, KDR_FUSED, NULL, 0);
        desc.compose = KDR_COMPOSE_YOSHIDA_6; /* from 0 to 1.02, back to -0.16, on to 1.16 and back to -0.02, ... */
        desc.colliders = &floor, desc.collider_count = 1;
        uint32_t hits = 0;
        double x[3] = {0, 0, 1.125}, v[3] = {0, 0, -1};
        kdr_particles p = {
            .count = 1, .dims = 3, .real = KDR_F64, .x = {&x[0], &x[1], &x[2]}, .v = {&v[0], &v[1], &v[2]}, .bounces = &hits};
        kdr_clock clock = {0, 1, 0};
        advance((int)(m % RUNNERS), &desc, &p, &clock, 1);
        cr_expect(hits == 0 && close_to(x[2], 0.125, 1e-15) && close_to(v[2], -1, 1e-15), "method %zu: at %g, %g", m, x[2], v[2]);
        advance((int)(m % RUNNERS), &desc, &p, &clock, 1);
        cr_expect(hits == 1 && close_to(x[2], 0.875, 1e-15) && close_to(v[2], 1, 1e-15), "method %zu: at %g, %g", m, x[2], v[2]);
    }
}

static void expect_refused(kdr_method method, kdr_composition compose, const kdr_substeps *substeps, const char *words) {
    kdr_integrator_desc desc = describe(method, KDR_F64, KDR_FUSED, NULL, 0);
    desc.compose = compose;
    desc.substeps = substeps;
    kdr_integrator *made = NULL;
    kdr_error error = {KDR_OK, ""};
    const kdr_status status = kdr_integrator_create(&desc, &made, &error);
    cr_assert(status != KDR_OK, "%s: accepted", words);
    expect_desc_refused(&desc, status, words);
    cr_expect(strstr(error.message, words), "'%s', expected '%s'", error.message, words);
}

Test(methods_composed, what_is_refused) {
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *const info = kdr_method_get((kdr_method)m);
        if (!is_composed(m)) {
            expect_refused((kdr_method)m, KDR_COMPOSE_KAHAN_LI_8, NULL, info->name);
        }
        if (!info->reversible) {
            expect_refused((kdr_method)m, KDR_COMPOSE_NONE, &(kdr_substeps){1, {1}}, info->name);
        }
    }
    const kdr_substeps wrong[] = {{0, {1}}, {KDR_MAX_SUBSTEPS + 1, {1}}, {1, {0.5}}, {2, {0.25, 0.75}}, {3, {0.5, 0, 0.5}}, {1, {NAN}}};
    const char *const words[] = {
        "substeps.count: expected 1 to 39, got 0", "substeps.count: expected 1 to 39, got 40",     "add up to 1, got 0.5",
        "fraction[0]: expected that of substep 1", "fraction[1]: expected a number that is not 0", "fraction[0]: expected a finite number"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        expect_refused(KDR_BORIS, KDR_COMPOSE_NONE, &wrong[i], words[i]);
    }
    const kdr_substeps whole = {1, {1}}, half = {3, {0.5, -0.0625 + 0.0625 + 0.25 - 0.25 + 1e-300, 0.5}};
    expect_refused(KDR_BORIS, KDR_COMPOSE_SUZUKI_4, &whole, "compose, substeps: expected one of them");
    expect_refused(KDR_BORIS, KDR_COMPOSITION_COUNT, NULL, "compose: expected an enumerator below");
    expect_refused(KDR_BLANES_MOAN_14A, KDR_COMPOSE_NONE, &half,
                   "expected at most 40 pairs of kick and drift in a step, and 3 substeps have 43");
    kdr_fractions fractions = {1, {1}, {1}};
    kdr_integrator_desc desc = describe(KDR_BORIS, KDR_F64, KDR_FUSED, NULL, 0);
    desc.fractions = &fractions;
    desc.compose = KDR_COMPOSE_SUZUKI_4;
    cr_expect(strstr(expect_desc_refused(&desc, KDR_ERROR_UNSUPPORTED, "own row").message, "own-fractions"));
    kdr_system_desc system = describe_system(KDR_IMPLICIT_MIDPOINT, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    system.compose = KDR_COMPOSE_SUZUKI_4;
    system.levels = true; /* these go with composed velocity Verlet and position Verlet */
    kdr_system *made;
    kdr_error error;
    cr_expect(kdr_system_create(&system, &made, &error) == KDR_ERROR_UNSUPPORTED && strstr(error.message, "got implicit-midpoint"), "%s",
              error.message);
}

/* Returns the angle of a pendulum of length 1 in uniform gravity, held by a distance to a frozen particle: composed RATTLE. */
static double pendulum_angle(kdr_method method, int by_reference, bool levels, kdr_composition compose, double h, uint64_t steps) {
    static const uint8_t level[2] = {0, 0};
    const kdr_force gravity = kdr_force_uniform_acceleration(0, -1, 0);
    const kdr_distance rod = {0, 1, 1};
    double x[] = {0, 0.6}, y[] = {0, -0.8}, vx[] = {0, 0.8}, vy[] = {0, 0.6}, w[] = {0, 1};
    kdr_particles p = {.count = 2, .dims = 2, .real = KDR_F64, .x = {x, y}, .v = {vx, vy}, .inverse_mass = w};
    kdr_system_desc desc = describe_system(method, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.forces = &gravity, desc.force_count = 1;
    desc.distances = &rod, desc.distance_count = 1;
    desc.levels = levels;
    p.level = levels ? level : NULL, p.level_count = 2;
    desc.compose = compose;
    kdr_clock clock = {0, h, 0};
    by_reference ? reference(&desc, &p, &clock, steps) : run(&desc, &p, &clock, steps);
    cr_expect(close_to(hypot(x[1], y[1]), 1, 1e-13) && close_to(x[1] * vx[1] + y[1] * vy[1], 0, 1e-13));
    return atan2(x[1], -y[1]);
}

/* Solves theta'' = -sin theta by Kahan and Li's method on the angle, in many steps. */
static double angle_itself(double theta, double speed, double time) {
    enum { STEPS = 4096 };
    const kdr_composition_info *const info = kdr_composition_get(KDR_COMPOSE_KAHAN_LI_8);
    for (int n = 0; n < STEPS * info->count; ++n) {
        const double h = time / STEPS * info->fraction[n % info->count];
        theta += h / 2 * speed;
        speed -= h * sin(theta);
        theta += h / 2 * speed;
    }
    return theta;
}

/* Distances are restored after each of the two drifts where substeps of position Verlet meet, as with levels. After their sum only, the
 * order would be 2 for any composition. */
Test(methods_composed, composed_drifts_have_the_order_of_the_composition) {
    const double time = 2, exact = angle_itself(atan2(0.6, 0.8), 1, time);
    for (int c = 0; c < KDR_COMPOSITION_COUNT; ++c) {
        const kdr_composition compose = (kdr_composition)c;
        const kdr_composition_info *const info = kdr_composition_get(compose);
        double off[2];
        const int coarse = info->order == 8 ? 8 : info->order == 6 ? 16 : 64;
        for (int half = 0; half < 2; ++half) {
            const uint64_t steps = (uint64_t)coarse << half;
            const double h = time / (double)steps, angle = pendulum_angle(KDR_POSITION_VERLET, 0, false, compose, h, steps);
            cr_expect(angle == pendulum_angle(KDR_POSITION_VERLET, 1, false, compose, h, steps), "%s: other bits", info->name);
            cr_expect(angle == pendulum_angle(KDR_POSITION_VERLET, 0, true, compose, h, steps), "%s: other bits at level 0", info->name);
            off[half] = fabs(angle - exact);
        }
        const double order = log2(off[0] / off[1]);
        fprintf(stderr, "position-verlet, held, by %s: off by %.3g, with half the step %.3g, order %.2f\n", info->name, off[0], off[1],
                order);
        cr_expect(close_to(order, info->order, 0.5), "by %s: order %.3f", info->name, order);
    }
}

Test(methods_composed, rattle_has_the_order_of_the_composition) {
    const double time = 2, exact = angle_itself(atan2(0.6, 0.8), 1, time);
    for (int c = 0; c < KDR_COMPOSITION_COUNT; ++c) {
        const kdr_composition_info *const info = kdr_composition_get((kdr_composition)c);
        double off[2];
        const int coarse = info->order == 8 ? 8 : info->order == 6 ? 16 : 64;
        for (int half = 0; half < 2; ++half) {
            const uint64_t steps = (uint64_t)coarse << half;
            const double angle = pendulum_angle(KDR_VELOCITY_VERLET, 0, false, (kdr_composition)c, time / (double)steps, steps);
            cr_expect(angle == pendulum_angle(KDR_VELOCITY_VERLET, 1, false, (kdr_composition)c, time / (double)steps, steps),
                      "%s: other bits", info->name);
            off[half] = fabs(angle - exact);
        }
        const double order = log2(off[0] / off[1]);
        fprintf(stderr, "RATTLE by %s: off by %.3g, with half the step %.3g, order %.2f\n", info->name, off[0], off[1], order);
        cr_expect(close_to(order, info->order, 0.5), "RATTLE by %s: order %.3f", info->name, order);
    }
}

/* A function that computes a field gives the field run's bits, composed too, and so do blocks. A run that fails goes back to a whole
 * step. */
static kdr_status pull(void *context, const kdr_particles *p, double t, void *const a[3]) {
    int *const left = context;
    (void)t;
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            set(a[i], p->real, n, -4 * get(p->x[i], p->real, n));
        }
    }
    return left && (*left)-- == 0 ? KDR_ERROR_NO_MEMORY : KDR_OK;
}

Test(methods_composed, system_runs_have_the_bits_of_field_runs) {
    const kdr_force forces[] = {kdr_force_spring(4, 0, 0, 0), tilted_magnet()};
    const struct {
        kdr_method method;
        size_t magnets;
        double speed_of_light;
    } ways[] = {{KDR_VELOCITY_VERLET, 0, 0}, {KDR_POSITION_VERLET, 0, 0}, {KDR_BORIS, 1, 0}, {KDR_HIGUERA_CARY, 0, 3}, {KDR_VAY, 0, 3}};
    enum { METHODS = sizeof ways / sizeof *ways };
    for (int i = 0; i < METHODS * KDR_COMPOSITION_COUNT; ++i) {
        kdr_integrator_desc desc = describe(ways[i % METHODS].method, KDR_F64, KDR_FUSED, forces, 1 + ways[i % METHODS].magnets);
        kdr_system_desc system = describe_system(desc.method, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.compose = system.compose = (kdr_composition)(i / METHODS);
        desc.speed_of_light = system.speed_of_light = ways[i % METHODS].speed_of_light;
        system.forces = &forces[1], system.force_count = ways[i % METHODS].magnets;
        system.accelerations = pull;
        enum { FIELD, SYSTEM, BLOCKS, FAILS, WAYS };
        kdr_particles p[WAYS];
        kdr_clock clock[WAYS];
        uint64_t seed = 11;
        for (int way = 0; way < WAYS; ++way) {
            p[way] = make_particles(37, 3, KDR_F64, false, false);
            way == 0 ? fill_random(&p[way], &seed) : copy_state(&p[way], &p[0]);
            clock[way] = (kdr_clock){0, 0.03125, 0};
        }
        kdr_error error;
        kdr_system *made;
        int left = 25;
        advance(BY_INTEGRATOR, &desc, &p[FIELD], &clock[FIELD], 7);
        run(&system, &p[SYSTEM], &clock[SYSTEM], 7);
        cr_assert(kdr_system_create(&system, &made, &error) == KDR_OK);
        cr_expect(kdr_system_run_blocks(made, &p[BLOCKS], &clock[BLOCKS], 7, &error) == KDR_OK, "%s", error.message);
        kdr_system_destroy(made);
        cr_expect(same_bits(&p[FIELD], &p[SYSTEM]) && same_bits(&p[FIELD], &p[BLOCKS]), "way %d", i);
        system.context = &left;
        cr_expect((run_with(&system, &p[FAILS], &clock[FAILS], 40, &error) == KDR_OK) == (left >= 0));
        system.context = NULL;
        if (clock[FAILS].step < 7) {
            run(&system, &p[FAILS], &clock[FAILS], 7 - clock[FAILS].step);
            cr_expect(same_bits(&p[FIELD], &p[FAILS]), "way %d: a run that failed in step %llu", i, (unsigned long long)clock[FAILS].step);
        }
        for (int way = 0; way < WAYS; ++way) {
            kdr_particles_destroy(&p[way]);
        }
    }
}

/* With fields that depend on position and time, an electric one and a magnetic one per particle, the order is that of the composition,
 * because the evaluations are in the middle of the substeps. */
static kdr_status push(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context;
    for (int i = 0; i < 3; ++i) {
        const double at = get(p->x[i], p->real, 0);
        set(a[i], p->real, 0, (1 + 0.5 * sin(2 * t)) * -at + 0.25 * get(p->x[(i + 1) % 3], p->real, 0));
    }
    return KDR_OK;
}

static kdr_status swirl(void *context, const kdr_particles *p, double t, void *const m[3]) {
    (void)context;
    for (int i = 0; i < 3; ++i) {
        set(m[i], p->real, 0, cos(t + i) + 0.5 * get(p->x[i], p->real, 0));
    }
    return KDR_OK;
}

Test(methods_composed, a_magnetic_function_has_the_order_of_the_composition) {
    const kdr_method methods[] = {KDR_BORIS, KDR_HIGUERA_CARY, KDR_VAY};
    for (int i = 0; i < 3 * KDR_COMPOSITION_COUNT; ++i) {
        const kdr_composition_info *const info = kdr_composition_get((kdr_composition)(i / 3));
        kdr_system_desc desc = describe_system(methods[i % 3], KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.accelerations = push, desc.magnetic = swirl;
        desc.compose = (kdr_composition)(i / 3);
        desc.speed_of_light = i % 3 ? 2 : 0;
        const uint64_t coarse = info->order == 2 ? 64 : info->order == 4 ? 32 : info->order == 6 ? 20 : 12;
        double x[3][3];
        for (int level = 0; level < 3; ++level) {
            double v[3] = {0.25, 1, -0.5}, *const at = x[level];
            at[0] = 1, at[1] = 0.25, at[2] = -0.5;
            kdr_particles p = {.count = 1, .dims = 3, .real = KDR_F64, .x = {&at[0], &at[1], &at[2]}, .v = {&v[0], &v[1], &v[2]}};
            kdr_clock clock = {0.25, 2.0 / (double)(coarse << level), 0};
            run(&desc, &p, &clock, coarse << level);
        }
        const double order = log2(apart(x[0], x[1]) / apart(x[1], x[2]));
        cr_expect(close_to(order, info->order, 0.5), "%s by %s: order %.3f", kdr_method_get(methods[i % 3])->name, info->name, order);
    }
}

/* Velocity-dependent forces that are not in the map are kicked by a rule that is not symmetric, so the order is 3 for any composition. */
Test(methods_composed, kicks_that_depend_on_v_end_at_order_3) {
    const kdr_custom_field *frame = NULL;
    cr_assert(kdr_field_from_name("rotating-frame", &frame) == KDR_OK);
    const kdr_force kicks[] = {kdr_force_custom(frame, (const double[]){0.2, -0.3, 0.75, 0, 0, 0}),
                               kdr_force_quadratic_drag(0.5, 0.1, 0, 0)};
    for (int i = 0; i < 2 * KDR_COMPOSITION_COUNT; ++i) {
        const kdr_composition_info *const info = kdr_composition_get((kdr_composition)(i / 2));
        const kdr_force forces[] = {uneven_spring(), kicks[i % 2]};
        kdr_integrator_desc desc = describe(KDR_STRANG_AFFINE, KDR_F64, KDR_FUSED, forces, 2);
        desc.compose = (kdr_composition)(i / 2);
        const uint64_t coarse = info->order == 2 ? 256 : 128;
        state end[3];
        for (int level = 0; level < 3; ++level) {
            end[level] = advance_one(BY_INTEGRATOR, &desc, (state){{1, 0.25, -0.5}, {0.25, 1, -0.5}}, 4.0 / (double)(coarse << level),
                                     coarse << level);
        }
        const double order = log2(apart(end[0].x, end[1].x) / apart(end[1].x, end[2].x));
        cr_expect(close_to(order, info->order == 2 ? 2 : 3, 0.15), "%s by %s: order %.3f", i % 2 ? "drag" : "a frame", info->name, order);
    }
}

Test(methods_composed, explained) {
    const kdr_method methods[] = {KDR_BORIS, KDR_VELOCITY_VERLET};
    const char *const words[][2] = {{"boris by suzuki-4 on ", "substeps: 5 a step, of h = w dt, w = (0.41449"},
                                    {"velocity-verlet by suzuki-4 on ", "specialised kernel: splitting"}};
    for (size_t m = 0; m < 2; ++m) {
        static char text[20000];
        const kdr_force spring = kdr_force_spring(4, 0, 0, 0);
        kdr_integrator_desc desc = describe(methods[m], KDR_F32, KDR_FUSED, &spring, 1);
        desc.compose = KDR_COMPOSE_SUZUKI_4;
        kdr_integrator *made;
        cr_assert(kdr_integrator_create(&desc, &made, NULL) == KDR_OK);
        cr_assert(kdr_integrator_explain(made, 3, false, text, sizeof text) < sizeof text);
        cr_expect(strstr(text, words[m][0]), "%s", text);
        cr_expect(m == 1 || strstr(text, words[m][1]), "%s", text);
        kdr_integrator_destroy(made);
    }
}

/* Arenstorf's orbit is closed. It is the restricted three-body problem in its rotating frame, whose Coriolis force acts like a magnetic
 * field. The numbers are those of docs/methods/choosing.md. */
Test(methods_composed, a_rotating_frame) {
    static const struct orbit {
        kdr_method method;
        kdr_composition compose;
        double off;
    } orbits[] = {{KDR_BORIS, KDR_COMPOSE_NONE, 2.7e-3},       {KDR_BORIS, KDR_COMPOSE_SUZUKI_4, 8.6e-5},
                  {KDR_BORIS, KDR_COMPOSE_KAHAN_LI_6, 1.3e-5}, {KDR_BORIS, KDR_COMPOSE_SUZUKI_UMENO_8, 3e-6},
                  {KDR_BORIS, KDR_COMPOSE_KAHAN_LI_8, 5.8e-6}, {KDR_RK4, KDR_COMPOSE_NONE, 3.3e-4},
                  {KDR_DOPRI_5, KDR_COMPOSE_NONE, 2.1e-6}};
    const double mu = 0.012277471, period = 17.0652165601579625588917206249, none[3] = {0}, twice[3] = {0, 0, 2};
    const kdr_force frame[] = {kdr_force_centre(1 - mu, -mu, 0, 0, 0), kdr_force_centre(mu, 1 - mu, 0, 0, 0), kdr_force_spring(-1, 0, 0, 0),
                               kdr_force_electromagnetic(1, none, twice)};
    for (size_t i = 0; i < sizeof orbits / sizeof *orbits; ++i) {
        const int evaluations = kdr_method_get(orbits[i].method)->evaluations * kdr_composition_get(orbits[i].compose)->count;
        const uint64_t steps = (uint64_t)(131072.0 / evaluations + 0.5);
        kdr_integrator_desc desc = describe(orbits[i].method, KDR_F64, KDR_FUSED, frame, 4);
        desc.compose = orbits[i].compose;
        double x = 0.994, y = 0, vx = 0, vy = -2.00158510637908252240537862224;
        kdr_particles p = {.count = 1, .dims = 2, .real = KDR_F64, .x = {&x, &y}, .v = {&vx, &vy}};
        kdr_clock clock = {0, period / (double)steps, 0};
        advance(BY_INTEGRATOR, &desc, &p, &clock, steps);
        const double off = hypot(x - 0.994, y);
        cr_expect(close_to(off / orbits[i].off, 1, 0.05), "%s by %s: off by %.3g, expected %.3g", kdr_method_get(orbits[i].method)->name,
                  kdr_composition_get(orbits[i].compose)->name, off, orbits[i].off);
    }
}
