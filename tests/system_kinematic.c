/* Kinematic methods in system runs: the maps of the particles' own forces together with interactions. They are compared with field runs of
 * the same field and with normal modes; counts and refusals are checked. */
#include "system_support.h"

static const kdr_method methods[] = {KDR_STRANG_AFFINE, KDR_KINEMATIC_SUM};

/* Forces of which a part is in the map and a part is evaluated, with the data that they point to. */
typedef struct field {
    kdr_force force[6];
    void *k, *at, *b;
} field;

/* Makes a field. `apart`: with values per particle, from arrays; `turns`: with forces that couple the axes. */
static field make_field(kdr_real real, size_t count, bool apart, bool turns, uint64_t *seed) {
    const size_t size = kdr_real_size(real);
    field f = {.k = calloc(count, size), .at = calloc(count, size), .b = calloc(count, size)};
    for (size_t n = 0; n < count; ++n) {
        set(f.k, real, n, random_in(seed, 0.5, 40));
        set(f.at, real, n, random_in(seed, -1, 1));
        set(f.b, real, n, random_in(seed, 0, 0.5));
    }
    f.force[0] = kdr_force_centre(1.5, 0.25, -0.5, 3, 0.75);
    f.force[1] = kdr_force_driven(0.5, -0.25, 0.125, 3, 0.5);
    f.force[2] = kdr_force_uniform_acceleration(0, 0.25, -1);
    f.force[3] = kdr_force_spring(20, 0.25, 0, -0.25);
    f.force[4] = kdr_force_drag(0.125, 0.5, 0, 0);
    f.force[5] =
        turns ? kdr_force_electromagnetic(1, (double[]){0.25, 0, 0}, (double[]){0.5, -1, 2}) : kdr_force_quadratic_drag(0.0625, 0, 0.5, 0);
    if (apart) {
        f.force[3].as.spring.k_each = f.k, f.force[3].as.spring.at_each[0] = f.at, f.force[3].as.spring.count = count;
        f.force[3].each_layout.stride = size; /* not longer than an element of the particles' precision */
        f.force[4].as.drag.b_each = f.b, f.force[4].as.drag.count = count;
    }
    return f;
}

static void free_field(field *f) {
    free(f->k);
    free(f->at);
    free(f->b);
}

/* Without interactions a system run is the field run, in any calls. */
Test(system_kinematic, of_forces_alone_is_a_field_run) {
    uint64_t seed = test_seed();
    for (int round = 0; round < 96; ++round) {
        const kdr_real real = (kdr_real)(round / 2 % 2);
        const bool masses = round / 4 % 2, apart = round / 8 % 2, turns = round / 16 % 2;
        const int dims = 1 + round / 32;
        field f = make_field(real, 150, apart, turns, &seed);
        kdr_system_desc desc = describe_system(methods[round % 2], real, round % 5 ? KDR_FUSED : KDR_UNFUSED, KDR_BACKEND_AUTO);
        kdr_integrator_desc single = kdr_integrator_desc_default();
        desc.forces = single.forces = f.force, desc.force_count = single.force_count = 6;
        desc.compensated = single.compensated = round % 3 == 0;
        single.method = desc.method, single.real = real, single.arithmetic = desc.arithmetic;
        kdr_particles p = make_particles(150, dims, real, masses, false), q = make_particles(150, dims, real, masses, false);
        fill_random(&p, &seed);
        for (size_t n = 0; masses && n < p.count; ++n) {
            set(p.inverse_mass, real, n, n % 7 ? random_in(&seed, 0.5, 2) : 0);
        }
        copy_state(&q, &p);
        kdr_integrator *integrator;
        kdr_error error;
        static const double known[] = {0, 0.125, 0.25}; /* the step that is taken, and another */
        kdr_clock clock = {.t0 = 0.5, .dt = 0.125, .step = 3}, other = clock;
        desc.dt = known[round / 3 % 3];
        cr_assert(kdr_integrator_create(&single, &integrator, &error) == KDR_OK, "%s", error.message);
        if (desc.compensated) { /* it continues from call to call only in the particles' own arrays */
            cr_assert(kdr_integrator_run(integrator, &p, &clock, 9, &error) == KDR_OK, "%s", error.message);
            run(&desc, &q, &other, 9);
        } else {
            cr_assert(kdr_integrator_run(integrator, &p, &clock, 9, &error) == KDR_OK, "%s", error.message);
            run(&desc, &q, &other, 4);
            run(&desc, &q, &other, 5);
        }
        cr_expect(same_bits(&p, &q) && clock.step == other.step, "%s, round %d", kdr_method_get(desc.method)->name, round);
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
        free_field(&f);
    }
}

/* With other forces the map is another one. */
Test(system_kinematic, other_forces_with_a_step_that_is_known) {
    const kdr_force springs[] = {kdr_force_spring(20, 0.25, 0, 0), kdr_force_spring(5, 0, 0, 0)};
    double x[2][1] = {{1}, {1}}, v[2][1] = {{0.5}, {0.5}};
    for (int n = 0; n < 2; ++n) {
        kdr_system_desc desc = describe_system(KDR_KINEMATIC_SUM, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.dt = n ? 0 : 0.125;
        desc.forces = &springs[n], desc.force_count = 1;
        kdr_particles one = {.count = 1, .dims = 1, .real = KDR_F64, .x = {x[n]}, .v = {v[n]}};
        kdr_clock clock = {.dt = 0.125};
        kdr_system *system;
        kdr_workspace workspace;
        cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
        cr_assert(kdr_workspace_create(system, 1, 2, (kdr_allocator){0}, &workspace, NULL) == KDR_OK);
        cr_assert(kdr_system_set_forces(system, &springs[1], 1, NULL) == KDR_OK);
        cr_assert(kdr_system_run(system, &one, &clock, 3, &workspace, NULL) == KDR_OK);
        kdr_workspace_destroy(&workspace);
        kdr_system_destroy(system);
    }
    cr_expect(x[0][0] == x[1][0] && v[0][0] == v[1][0], "%g %g", x[0][0], x[1][0]);
}

/* Two particles on stiff springs, omega h = 10, with a soft spring between them: no explicit method takes such a step. The modes are known:
 * the mean has omega, the difference sqrt(omega^2 + 2 k). */
Test(system_kinematic, stiff_anchors_and_a_soft_spring) {
    const double omega = 1000, k = 3, apart = sqrt(omega * omega + 2 * k), h = 0.01;
    const kdr_force anchor = kdr_force_spring(omega * omega, 0, 0, 0);
    const kdr_pair_spring between = {.a = 0, .b = 1, .k = k};
    const kdr_interaction network = kdr_interaction_spring_network(&between, 1);
    double x[2] = {1, 0.25}, v[2] = {0, 50}, worst = 0;
    kdr_system_desc desc = describe_system(KDR_STRANG_AFFINE, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.forces = &anchor, desc.force_count = 1;
    desc.interactions = &network, desc.interaction_count = 1;
    kdr_particles pair = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}};
    const double mean = (x[0] + x[1]) / 2, moves = (v[0] + v[1]) / 2, difference = (x[0] - x[1]) / 2, parts = (v[0] - v[1]) / 2;
    kdr_clock clock = {.dt = h};
    for (int n = 1; n <= 1000; ++n) {
        run(&desc, &pair, &clock, 1);
        const double t = n * h, of_mean = mean * cos(omega * t) + moves / omega * sin(omega * t);
        const double of_difference = difference * cos(apart * t) + parts / apart * sin(apart * t);
        worst = fmax(worst, fabs(x[0] - of_mean - of_difference));
        worst = fmax(worst, fabs(x[1] - of_mean + of_difference));
    }
    cr_expect(worst > 1e-7 && worst < 2e-3, "%g", worst); /* relative size k t / omega */
}

/* With two springs in a row between walls of a soft field, and a function that depends on velocities, halving the step quarters the
 * error. */
static kdr_status rub(void *context, const kdr_particles *p, double t, void *const a[3]) {
    ++*(int *)context;
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            const double other = get(p->v[i], p->real, (n + 1) % p->count), v = get(p->v[i], p->real, n);
            set(a[i], p->real, n, 0.25 * (other - v) + 0.125 * sin(t) - 0.5 * pow(get(p->x[i], p->real, n), 3));
        }
    }
    return KDR_OK;
}

static double place_after(kdr_method method, bool of_velocity, bool damped, int steps, int *calls, uint64_t *evaluations) {
    const kdr_force forces[] = {kdr_force_spring(4, 0, 0, 0), kdr_force_drag(0.25, 0, 0, 0)};
    const kdr_pair_spring between = {.a = 0, .b = 2, .k = 2, .length = 1, .damping = damped ? 0.5 : 0};
    const kdr_interaction network = kdr_interaction_spring_network(&between, 1);
    kdr_system_desc desc = describe_system(method, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    double x[3] = {0.75, -0.25, 1}, v[3] = {1, -0.5, 0};
    kdr_particles three = {.count = 3, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}};
    kdr_clock clock = {.dt = 1.0 / steps};
    kdr_system *system;
    *calls = 0;
    desc.forces = forces, desc.force_count = 2;
    desc.accelerations = rub, desc.context = calls;
    desc.interactions = &network, desc.interaction_count = 1;
    desc.velocity_dependent = of_velocity;
    cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
    *evaluations = kdr_system_evaluations(system, &three, &clock, (uint64_t)steps);
    kdr_system_destroy(system);
    run(&desc, &three, &clock, (uint64_t)steps);
    return x[0] + v[2];
}

Test(system_kinematic, orders_and_evaluations) {
    static const struct {
        kdr_method method;
        bool of_velocity, damped;
        int order, evaluations;
    } rows[] = {{KDR_STRANG_AFFINE, true, false, 2, 2},
                {KDR_STRANG_AFFINE, false, true, 2, 2}, /* for the damped spring the function is called twice too */
                {KDR_STRANG_AFFINE, false, false, 1, 1},
                {KDR_KINEMATIC_SUM, true, true, 1, 1}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; ++n) {
        int calls;
        uint64_t evaluations;
        const double exact = place_after(KDR_RK4, true, rows[n].damped, 4096, &calls, &evaluations);
        const double coarse = fabs(place_after(rows[n].method, rows[n].of_velocity, rows[n].damped, 64, &calls, &evaluations) - exact);
        const double fine = fabs(place_after(rows[n].method, rows[n].of_velocity, rows[n].damped, 128, &calls, &evaluations) - exact);
        cr_expect(close_to(log2(coarse / fine), rows[n].order, 0.2), "row %zu: order %g", n, log2(coarse / fine));
        cr_expect(calls == 128 * rows[n].evaluations && evaluations == (uint64_t)calls, "row %zu: %d calls", n, calls);
    }
}

/* When the field changes, its maps are made anew, with masses too. */
Test(system_kinematic, forces_that_change) {
    const kdr_force soft = kdr_force_spring(1, 0, 0, 0), stiff = kdr_force_spring(50, 0.25, 0, 0);
    int calls = 0;
    uint64_t seed = test_seed();
    for (int n = 0; n < 4; ++n) {
        kdr_system_desc desc = describe_system(methods[n % 2], KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        kdr_particles p = make_particles(40, 2, KDR_F64, n / 2, false), q = make_particles(40, 2, KDR_F64, n / 2, false);
        kdr_system *changed;
        kdr_workspace workspace;
        kdr_error error;
        kdr_clock clock = {.dt = 0.125}, other = clock;
        fill_random(&p, &seed);
        copy_state(&q, &p);
        desc.forces = &soft, desc.force_count = 1;
        desc.accelerations = rub, desc.context = &calls;
        cr_assert(kdr_system_create(&desc, &changed, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_system_set_forces(changed, &stiff, 1, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_workspace_create(changed, 40, 2, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_system_run(changed, &p, &clock, 7, &workspace, &error) == KDR_OK, "%s", error.message);
        desc.forces = &stiff;
        run(&desc, &q, &other, 7);
        cr_expect(same_bits(&p, &q), "%d", n);
        kdr_workspace_destroy(&workspace);
        kdr_system_destroy(changed);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* A function that fails leaves the end of the step before it. */
Test(system_kinematic, a_function_that_fails) {
    const kdr_force spring = kdr_force_spring(30, 0.25, 0, 0);
    uint64_t seed = test_seed();
    for (int n = 0; n < 8; ++n) {
        homing fails = {.fails_at = 5}, never = {.fails_at = -1};
        kdr_system_desc desc = describe_system(methods[n % 2], KDR_F32, KDR_FUSED, KDR_BACKEND_AUTO);
        kdr_particles p = make_particles(100, 3, KDR_F32, n / 2 % 2, false), q = make_particles(100, 3, KDR_F32, n / 2 % 2, false);
        kdr_error error;
        kdr_clock clock = {.dt = 0.125}, other = clock;
        fill_random(&p, &seed);
        copy_state(&q, &p);
        desc.forces = &spring, desc.force_count = 1;
        desc.accelerations = pull_home, desc.context = &fails;
        desc.compensated = n / 4;
        cr_expect(run_with(&desc, &p, &clock, 9, &error) == KDR_ERROR_OVERFLOW && clock.step == 5);
        desc.context = &never;
        run(&desc, &q, &other, 5);
        cr_expect(same_bits(&p, &q), "%d", n);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* Together with interactions that depend on x, a spring contributes by average, unless another contribution is chosen. */
Test(system_kinematic, springs_are_beside_what_acts_between_particles) {
    kdr_force spring = kdr_force_spring(30, 0.25, 0, 0);
    homing never = {.fails_at = -1};
    uint64_t seed = test_seed();
    kdr_particles start = make_particles(10, 2, KDR_F64, false, false), p[3];
    fill_random(&start, &seed);
    for (int n = 0; n < 3; ++n) {
        static const kdr_contribution by[] = {KDR_CONTRIBUTION_DEFAULT, KDR_CONTRIBUTION_AVERAGE, KDR_CONTRIBUTION_EXACT};
        kdr_system_desc desc = describe_system(KDR_KINEMATIC_SUM, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        kdr_clock clock = {.dt = 0.125};
        spring.contribution = by[n];
        desc.forces = &spring, desc.force_count = 1;
        desc.accelerations = pull_home, desc.context = &never;
        p[n] = make_particles(10, 2, KDR_F64, false, false);
        copy_state(&p[n], &start);
        run(&desc, &p[n], &clock, 4);
    }
    cr_expect(same_bits(&p[0], &p[1]) && !same_bits(&p[0], &p[2]));
    kdr_particles_destroy(&start);
    for (int n = 0; n < 3; ++n) {
        kdr_particles_destroy(&p[n]);
    }
}

Test(system_kinematic, what_is_refused) {
    int calls = 0;
    kdr_force centre = kdr_force_centre(1, 0, 0, 0, 1);
    centre.contribution = KDR_CONTRIBUTION_PULSE;
    kdr_pair_spring pulse = {.a = 0, .b = 1, .k = 1, .contribution = KDR_CONTRIBUTION_PULSE};
    kdr_interaction network = kdr_interaction_spring_network(&pulse, 1);
    kdr_system_desc desc[5];
    for (int n = 0; n < 5; ++n) {
        desc[n] = describe_system(methods[n % 2], KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc[n].accelerations = rub, desc[n].context = &calls;
    }
    desc[0].compose = KDR_COMPOSE_YOSHIDA_6;
    desc[1].forces = &centre, desc[1].force_count = 1;
    desc[2].levels = true;
    desc[3].rows = true;
    desc[4].interactions = &network, desc[4].interaction_count = 1;
    const char *const says[] = {"compose: in system runs strang-affine has the maps of one length of step",
                                "centres and quadratic drags contribute by average", "take velocity-verlet or position-verlet",
                                "take velocity-verlet",
                                "interactions[0].springs[0].contribution: a system run expected the default, got pulse; take kdr_pair_map"};
    for (int n = 0; n < 5; ++n) {
        kdr_system *made = NULL;
        kdr_error error;
        cr_expect(kdr_system_create(&desc[n], &made, &error) == KDR_ERROR_UNSUPPORTED && !made, "%d", n);
        cr_expect(strstr(error.message, says[n]) && one_line(&error, error.status), "%d: %s", n, error.message);
    }
    double x[1] = {1}, v[1] = {0};
    kdr_particles one = {.count = 1, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}};
    kdr_clock clock = {.dt = 1};
    kdr_error error;
    desc[0].compose = KDR_COMPOSE_NONE;
    cr_expect(run_in_blocks_with(&desc[0], &one, &clock, 1, &error) == KDR_ERROR_UNSUPPORTED);
    cr_expect(strstr(error.message, "blocks know of none; take kdr_system_run") && x[0] == 1, "%s", error.message);
}
