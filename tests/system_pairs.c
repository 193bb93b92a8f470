/* System runs with the built-in forces and distances: the reference's bits, a user-defined loop, and energies over many steps. */
#include "pairs_support.h"

enum { COUNT = 70, MAX_SPRINGS = 4 * COUNT };

static kdr_system_desc description(kdr_method method, kdr_real real, kdr_arithmetic arithmetic) {
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = method;
    desc.real = real;
    desc.arithmetic = arithmetic;
    return desc;
}

/* Runs by the reference or by kernels, in `calls` calls. */
static void go(int runner, const kdr_system_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t steps, uint64_t calls) {
    kdr_error error = {KDR_OK, ""};
    kdr_system *system = NULL;
    kdr_workspace workspace = {NULL, 0, {NULL, NULL, NULL}};
    if (runner == BY_INTEGRATOR) {
        cr_assert(kdr_system_create(desc, &system, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_workspace_create(system, p->count, p->dims, (kdr_allocator){NULL, NULL, NULL}, &workspace, &error) == KDR_OK);
    }
    for (uint64_t c = 0; c < calls; ++c) {
        const uint64_t n = steps * (c + 1) / calls - steps * c / calls;
        const kdr_status status = runner == BY_INTEGRATOR ? kdr_system_run(system, p, clock, n, &workspace, &error)
                                                          : kdr_reference_system_run(desc, p, clock, n, &error);
        cr_assert(status == KDR_OK, "%s", error.message);
    }
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
}

typedef struct things {
    double mu[COUNT];
    kdr_pair_spring springs[MAX_SPRINGS], damped[COUNT];
    kdr_distance rods[COUNT];
    kdr_interaction forces[3];
    kdr_force field[2];
} things;

static void draw(things *t, kdr_system_desc *desc, bool velocity, bool rods, uint64_t *seed) {
    for (size_t i = 0; i < COUNT; ++i) {
        put_any(t->mu, desc->real, i, random_in(seed, 0, 0.1));
    }
    draw_springs(t->springs, MAX_SPRINGS, COUNT, false, false, seed);
    draw_springs(t->damped, COUNT, COUNT - 9, velocity, false, seed);
    for (uint32_t n = 0; n < COUNT / 2; ++n) {
        t->rods[n] = (kdr_distance){n, n + 1, 0.5 + 0.01 * n};
    }
    t->forces[0] = kdr_interaction_gravity(t->mu, COUNT - 20, 0.1);
    t->forces[1] = kdr_interaction_spring_network(t->springs, MAX_SPRINGS);
    t->forces[2] = kdr_interaction_spring_network(t->damped, COUNT);
    t->field[0] = kdr_force_uniform_acceleration(0.1, -1, 0.2);
    t->field[1] = kdr_force_spring(0.5, 0, 0, 0);
    desc->interactions = t->forces;
    desc->interaction_count = 3;
    desc->distances = t->rods;
    desc->distance_count = rods ? COUNT / 2 : 0;
    desc->distance_sweeps = 40;
    desc->distance_tolerance = 1e-3;
    desc->distance_relaxation = 1.25;
    desc->forces = t->field;
    desc->force_count = random_bits(seed) % 3;
}

static kdr_particles make_crowd(const kdr_system_desc *desc, bool masses, bool memory, uint64_t seed) {
    kdr_particles p = make_particles(COUNT, 3, desc->real, masses, memory);
    fill_random(&p, &seed);
    /* a chain whose distances hold at the start: a run ends if a distance cannot be kept */
    for (size_t n = 0; n < desc->distance_count; ++n) {
        double d[3], square = 0;
        for (int i = 0; i < 3; ++i) {
            d[i] = get(p.x[i], p.real, n + 1) - get(p.x[i], p.real, n);
            square += d[i] * d[i];
        }
        for (int i = 0; i < 3; ++i) {
            set(p.x[i], p.real, n + 1, get(p.x[i], p.real, n) + d[i] * desc->distances[n].length / sqrt(square));
        }
    }
    for (size_t n = 0; masses && n < COUNT; n += 9) {
        set(p.inverse_mass, desc->real, n, 0);
    }
    return p;
}

static const kdr_method methods[] = {
    KDR_VELOCITY_VERLET, KDR_VELOCITY_VERLET_PC, KDR_SEMI_IMPLICIT_EULER, KDR_DRIFT_KICK_EULER, KDR_POSITION_VERLET, KDR_PEFRL, KDR_RK4,
    KDR_NYSTROM_4};

Test(system_pairs, runs_are_the_reference_to_the_bit) {
    static things t;
    uint64_t seed = test_seed();
    kdr_executor executors[MAX_EXECUTORS + 1] = {kdr_executor_serial()};
    const size_t executor_count = 1 + list_executors(executors + 1);
    unsigned turn = 0;
    for (int c = 0; c < (int)(sizeof methods / sizeof *methods) * 8; ++c) {
        kdr_system_desc desc = description(methods[c / 8], (kdr_real)(c % 2), (kdr_arithmetic)(c / 2 % 2));
        draw(&t, &desc, methods[c / 8] != KDR_NYSTROM_4, c / 4 % 2 && methods[c / 8] != KDR_VELOCITY_VERLET_PC, &seed);
        const uint64_t drawn = random_bits(&seed);
        const bool masses = random_bits(&seed) % 2;
        kdr_particles expected = make_crowd(&desc, masses, false, drawn);
        kdr_clock clock = {0.5, 0.01, 3};
        go(BY_REFERENCE, &desc, &expected, &clock, 5, 1);
        for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
            kdr_backend_info info;
            cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
            if (!info.runnable) {
                continue;
            }
            kdr_particles p = make_crowd(&desc, masses, false, drawn);
            clock.step = 3;
            desc.backend = (kdr_backend)b;
            desc.executor = executors[turn++ % executor_count];
            go(BY_INTEGRATOR, &desc, &p, &clock, 5, 1);
            cr_assert(same_bits(&p, &expected), "%s %s %s %s, rods %zu", kdr_method_get(desc.method)->name, info.name,
                      kdr_real_name(desc.real), kdr_arithmetic_name(desc.arithmetic), desc.distance_count);
            kdr_particles_destroy(&p);
        }
        kdr_particles_destroy(&expected);
    }
}

/* Drifts without a kick between them are one drift for the distances, by the reference and by kernels. */
Test(system_pairs, drifts_without_a_kick_between_are_one) {
    static things t;
    const kdr_fractions fractions[] = {{.count = 3, .kick = {0.5, 0, 0.5}, .drift = {0.25, 0.75, 0}},
                                       {.count = 4, .kick = {0, 1, 0, 0}, .drift = {0.5, 0.75, -0.25, 0}},
                                       {.count = 3, .kick = {1, 0, 0}, .drift = {0.5, 0.5, 0}}};
    uint64_t seed = test_seed();
    for (int c = 0; c < 12; ++c) {
        kdr_system_desc desc = description(KDR_VELOCITY_VERLET, (kdr_real)(c % 2), (kdr_arithmetic)(c / 2 % 2));
        draw(&t, &desc, false, true, &seed);
        desc.fractions = &fractions[c / 4];
        kdr_particles expected = make_crowd(&desc, c % 3 == 0, false, (uint64_t)c), p = make_crowd(&desc, c % 3 == 0, false, (uint64_t)c);
        kdr_clock clock = {0.5, 0.01, 3}, other = clock;
        go(BY_REFERENCE, &desc, &expected, &clock, 5, 1);
        go(BY_INTEGRATOR, &desc, &p, &other, 5, 1);
        cr_expect(same_bits(&p, &expected), "case %d", c);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&expected);
    }
}

/* The same particles as structures, some of them inactive, give the bits of contiguous arrays, and other bytes do not change. */
Test(system_pairs, layouts_and_masks) {
    typedef struct body {
        double v[3], w, x[3], other;
    } body;
    static things t;
    static body bodies[COUNT], untouched[COUNT];
    uint64_t seed = test_seed();
    for (int c = 0; c < 12; ++c) {
        const bool rods = c % 2;
        kdr_system_desc desc = description(methods[c / 2 == 1 ? 0 : c / 2 + 2], KDR_F64, KDR_FUSED);
        draw(&t, &desc, desc.method != KDR_NYSTROM_4, rods, &seed);
        uint8_t active[COUNT];
        kdr_particles plain = make_crowd(&desc, true, false, 9);
        for (size_t n = 0; n < COUNT; ++n) {
            active[n] = n % 7 != 3;
            bodies[n].w = get(plain.inverse_mass, KDR_F64, n);
            bodies[n].other = (double)n;
            for (int i = 0; i < 3; ++i) {
                bodies[n].x[i] = get(plain.x[i], KDR_F64, n);
                bodies[n].v[i] = get(plain.v[i], KDR_F64, n);
            }
        }
        memcpy(untouched, bodies, sizeof bodies);
        kdr_particles view = kdr_particles_default();
        view.count = COUNT;
        for (int i = 0; i < 3; ++i) {
            view.x[i] = &bodies[0].x[i];
            view.v[i] = &bodies[0].v[i];
        }
        view.inverse_mass = &bodies[0].w;
        view.x_layout.stride = view.v_layout.stride = view.inverse_mass_layout.stride = sizeof(body);
        view.active = plain.active = active;
        view.active_count = plain.active_count = COUNT;
        kdr_clock clocks[2] = {{0, 0.01, 0}, {0, 0.01, 0}};
        go(BY_REFERENCE, &desc, &plain, &clocks[0], 5, 1);
        go(BY_INTEGRATOR, &desc, &view, &clocks[1], 5, 1);
        for (size_t n = 0; n < COUNT; ++n) {
            bool same = bodies[n].other == (double)n && bodies[n].w == untouched[n].w;
            for (int i = 0; i < 3; ++i) {
                const double x = get(plain.x[i], KDR_F64, n), v = get(plain.v[i], KDR_F64, n);
                same = same && memcmp(&x, &bodies[n].x[i], sizeof x) == 0 && memcmp(&v, &bodies[n].v[i], sizeof v) == 0;
            }
            cr_assert(same, "%s, rods %d, particle %zu", kdr_method_get(desc.method)->name, rods, n);
            cr_assert(active[n] || memcmp(&bodies[n], &untouched[n], sizeof(body)) == 0, "%s, rods %d, particle %zu is not active",
                      kdr_method_get(desc.method)->name, rods, n);
        }
        kdr_particles_destroy(&plain);
    }
}

/* With memory, a run in three calls equals the run in one, and kernels continue where the reference stopped. */
Test(system_pairs, runs_may_be_cut) {
    static things t;
    uint64_t seed = test_seed();
    for (int c = 0; c < 8; ++c) {
        kdr_system_desc desc = description(c / 4 ? KDR_VELOCITY_VERLET : KDR_RK4, (kdr_real)(c % 2), KDR_FUSED);
        draw(&t, &desc, true, c / 2 % 2, &seed);
        kdr_particles whole = make_crowd(&desc, true, true, 5), cut = make_crowd(&desc, true, true, 5),
                      mixed = make_crowd(&desc, true, true, 5);
        kdr_clock clocks[3] = {{0, 0.01, 0}, {0, 0.01, 0}, {0, 0.01, 0}};
        go(BY_INTEGRATOR, &desc, &whole, &clocks[0], 9, 1);
        go(BY_INTEGRATOR, &desc, &cut, &clocks[1], 9, 3);
        go(BY_REFERENCE, &desc, &mixed, &clocks[2], 4, 1);
        cr_expect(mixed.memory_key != 0 || desc.method == KDR_RK4);
        go(BY_INTEGRATOR, &desc, &mixed, &clocks[2], 5, 1);
        cr_expect(same_bits(&whole, &cut) && same_bits(&whole, &mixed), "case %d", c);
        kdr_particles_destroy(&whole);
        kdr_particles_destroy(&cut);
        kdr_particles_destroy(&mixed);
    }
}

/* A loop of the public functions, as a user may write it, equals the run of velocity Verlet. */
Test(system_pairs, a_loop_of_ones_own_is_the_run) {
    static things t;
    uint64_t seed = test_seed();
    kdr_system_desc desc = description(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED);
    draw(&t, &desc, true, true, &seed);
    desc.force_count = 0;
    kdr_particles run = make_crowd(&desc, true, false, 7), p = make_crowd(&desc, true, false, 7);
    kdr_particles a = make_particles(COUNT, 3, KDR_F64, false, false), start = make_particles(COUNT, 3, KDR_F64, false, false);
    kdr_clock clock = {0, 0.01, 0};
    go(BY_INTEGRATOR, &desc, &run, &clock, 6, 1);

    kdr_pairs_desc of_pairs = kdr_pairs_desc_default();
    of_pairs.forces = desc.interactions;
    of_pairs.force_count = desc.interaction_count;
    kdr_distance_constraints_desc of_rods = kdr_distance_constraints_desc_default();
    of_rods.distances = desc.distances;
    of_rods.count = desc.distance_count;
    of_rods.sweeps = desc.distance_sweeps;
    of_rods.tolerance = desc.distance_tolerance;
    of_rods.relaxation = desc.distance_relaxation;
    kdr_pairs *pairs;
    kdr_distance_constraints *rods;
    kdr_pass_options options;
    cr_assert(kdr_pairs_create(&of_pairs, &pairs, NULL) == KDR_OK && kdr_distance_constraints_create(&of_rods, &rods, NULL) == KDR_OK);
    cr_assert(kdr_pass_options_init(KDR_FUSED, KDR_BACKEND_AUTO, kdr_executor_serial(), &options, NULL) == KDR_OK);
    cr_assert(kdr_pairs_add(pairs, &p, a.x, NULL) == KDR_OK);
    for (int s = 0; s < 6; ++s) {
        cr_assert(kdr_kick(&p, 0.005, a.x, &options, NULL) == KDR_OK);
        copy_state(&start, &p);
        cr_assert(kdr_drift(&p, 0.01, &options, NULL) == KDR_OK);
        cr_assert(kdr_distance_constraints_shake(rods, &p, (const void *const *)start.x, 0.01, NULL, NULL) == KDR_OK);
        for (int i = 0; i < 3; ++i) {
            memset(a.x[i], 0, COUNT * sizeof(double));
        }
        cr_assert(kdr_pairs_add(pairs, &p, a.x, NULL) == KDR_OK && kdr_kick(&p, 0.005, a.x, &options, NULL) == KDR_OK);
        cr_assert(kdr_distance_constraints_rattle(rods, &p, 0.01, NULL, NULL) == KDR_OK);
    }
    cr_expect(same_bits(&run, &p));
    kdr_pairs_destroy(pairs);
    kdr_distance_constraints_destroy(rods);
    kdr_particles_destroy(&run);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&a);
    kdr_particles_destroy(&start);
}

static double kinetic_of(const kdr_particles *p) {
    double sum = 0;
    for (size_t n = 0; n < p->count; ++n) {
        const double w = p->inverse_mass ? get(p->inverse_mass, p->real, n) : 1;
        for (int i = 0; w != 0 && i < p->dims; ++i) {
            sum += 0.5 * get(p->v[i], p->real, n) * get(p->v[i], p->real, n) / w;
        }
    }
    return sum;
}

/* Returns the width of the energy's range over a run with springs, the rod of a dumbbell, and uniform gravity along -y. */
static double band(const kdr_system_desc *desc, kdr_particles *p, double g, double h, int reports, uint64_t steps) {
    kdr_pairs_desc of_pairs = kdr_pairs_desc_default();
    of_pairs.forces = desc->interactions;
    of_pairs.force_count = desc->interaction_count;
    kdr_pairs *pairs;
    cr_assert(kdr_pairs_create(&of_pairs, &pairs, NULL) == KDR_OK);
    kdr_clock clock = {0, h, 0};
    double first = 0, scale = 0, worst = 0;
    for (int r = 0; r <= reports; ++r) {
        double energy;
        cr_assert(kdr_pairs_potential(pairs, p, &energy, NULL) == KDR_OK);
        for (size_t n = 0; n < p->count; ++n) {
            const double w = p->inverse_mass ? get(p->inverse_mass, p->real, n) : 1;
            energy += w != 0 ? g * get(p->x[1], p->real, n) / w : 0;
        }
        scale = fmax(scale, kinetic_of(p));
        energy += kinetic_of(p);
        first = r == 0 ? energy : first;
        worst = fmax(worst, fabs(energy - first));
        if (r < reports) {
            go(BY_INTEGRATOR, desc, p, &clock, steps, 1);
        }
    }
    kdr_pairs_destroy(pairs);
    return worst / scale;
}

/* A double pendulum whose second arm is a spring that carries a rod, for 10^5 steps. The field of the rod's ends depends on x. */
Test(system_pairs, a_pendulum_of_rods_and_springs_keeps_its_energy) {
    static const kdr_distance rods[2] = {{0, 1, 1}, {2, 3, 0.5}};
    static const kdr_pair_spring spring = {.a = 1, .b = 2, .k = 60, .length = 0.4};
    const kdr_interaction force = kdr_interaction_spring_network(&spring, 1);
    const kdr_force gravity = kdr_force_uniform_acceleration(0, -9.81, 0);
    double off[2];
    for (int halved = 0; halved < 2; ++halved) {
        kdr_system_desc desc = description(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED);
        desc.interactions = &force;
        desc.interaction_count = 1;
        desc.forces = &gravity;
        desc.force_count = 1;
        desc.distances = rods;
        desc.distance_count = 2;
        kdr_particles p = make_particles(4, 3, KDR_F64, true, false);
        static const double x[4][2] = {{0, 0}, {1, 0}, {1.4, 0.2}, {1.9, 0.2}}, w[4] = {0, 1, 2, 0.5};
        for (size_t n = 0; n < 4; ++n) {
            put_state(&p, n, &(state){{x[n][0], x[n][1], 0}, {0, 0, n == 3 ? 0.5 : 0}});
            set(p.inverse_mass, KDR_F64, n, w[n]);
        }
        off[halved] = band(&desc, &p, 9.81, halved ? 0.001 : 0.002, 1000, 100);
        const double dx = get(p.x[0], KDR_F64, 3) - get(p.x[0], KDR_F64, 2), dy = get(p.x[1], KDR_F64, 3) - get(p.x[1], KDR_F64, 2),
                     dz = get(p.x[2], KDR_F64, 3) - get(p.x[2], KDR_F64, 2);
        cr_expect(close_to(sqrt(dx * dx + dy * dy + dz * dz), 0.5, 1e-14));
        kdr_particles_destroy(&p);
    }
    fprintf(stderr, "pendulum of rods and springs: energy within %.3g of the largest kinetic one, with half the step %.3g\n", off[0],
            off[1]);
    cr_expect(off[0] < 2e-3 && off[1] > 0 && off[0] / off[1] > 2.5 && off[0] / off[1] < 6, "%g %g", off[0], off[1]);
}

/* A cluster of 100 with 20 test particles, by velocity Verlet and by a method of order 6. */
Test(system_pairs, a_cluster) {
    enum { N = 120, SOURCES = 100 };
    double mu[SOURCES], off[2];
    for (int m = 0; m < 2; ++m) {
        uint64_t seed = 3;
        kdr_system_desc desc = description(m ? KDR_YOSHIDA_6 : KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED);
        kdr_particles p = make_particles(N, 3, KDR_F64, true, false);
        fill_random(&p, &seed);
        for (size_t n = 0; n < N; ++n) {
            set(p.inverse_mass, KDR_F64, n, n < SOURCES ? SOURCES : 1e12); /* nearly massless */
            for (int i = 0; i < 3; ++i) {
                set(p.v[i], KDR_F64, n, 0.2 * get(p.v[i], KDR_F64, n));
            }
            if (n < SOURCES) {
                mu[n] = 1.0 / SOURCES;
            }
        }
        const kdr_interaction force = kdr_interaction_gravity(mu, SOURCES, 0.1);
        desc.interactions = &force;
        desc.interaction_count = 1;
        off[m] = band(&desc, &p, 0, 0.01, 20, 20);
        kdr_particles_destroy(&p);
    }
    fprintf(stderr, "cluster: energy within %.3g of the largest kinetic one by velocity-verlet, %.3g by yoshida-6\n", off[0], off[1]);
    cr_expect(off[0] < 1e-3 && off[1] > 0 && off[1] < 0.05 * off[0], "%g %g", off[0], off[1]);
}

static void refused(const kdr_system_desc *desc, kdr_status status, const char *what) {
    kdr_error error = {KDR_OK, ""}, other = {KDR_OK, ""};
    kdr_system *const before = (kdr_system *)&error, *system = before;
    cr_expect(kdr_system_create(desc, &system, &error) == status && system == before && one_line(&error, status), "%s: %s", what,
              error.message);
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, false);
    kdr_clock clock = {0, 0.1, 0};
    cr_expect(kdr_reference_system_run(desc, &p, &clock, 1, &other) == status && strcmp(error.message, other.message) == 0,
              "%s: '%s', '%s'", what, error.message, other.message);
    kdr_particles_destroy(&p);
}

Test(system_pairs, bad_lists) {
    double mu[2] = {1, 1};
    kdr_pair_spring spring = {.a = 0, .b = 1, .k = 1, .damping = 0.5};
    kdr_interaction force = kdr_interaction_spring_network(&spring, 1);
    kdr_distance rod = {0, 1, 1};
    kdr_system_desc desc = description(KDR_NYSTROM_4, KDR_F64, KDR_FUSED);
    desc.interactions = &force;
    desc.interaction_count = 1;
    refused(&desc, KDR_ERROR_UNSUPPORTED, "damping and a Nystrom method");
    desc.interaction_count = 0;
    desc.velocity_dependent = true;
    refused(&desc, KDR_ERROR_UNSUPPORTED, "a function of v and a Nystrom method");
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const kdr_method_info *const info = kdr_method_get((kdr_method)m);
        kdr_system *system = NULL;
        kdr_error error;
        desc.method = (kdr_method)m;
        desc.langevin.friction = kdr_family_get(info->family)->heat_bath;
        const bool system_at_all = kdr_family_get(info->family)->system_runs && !info->affine;
        const bool accepted = system_at_all && info->velocity_forces == KDR_VELOCITY_ANY;
        const kdr_status status = kdr_system_create(&desc, &system, &error);
        cr_expect((status == KDR_OK) == accepted, "%s: a function of v", info->name);
        const char *const instead = kdr_family_get(info->family)->heat_bath ? "; leave damping to the heat bath" : "; take rk4";
        cr_expect(accepted || !system_at_all || strstr(error.message, instead), "%s", error.message);
        kdr_system_destroy(system);
    }
    desc.velocity_dependent = false;
    desc.interaction_count = 1;
    desc.method = KDR_VELOCITY_VERLET, desc.langevin.friction = 0;
    desc.interactions = NULL;
    refused(&desc, KDR_ERROR_NULL, "no list");
    desc.interactions = &force;
    spring.b = 0;
    refused(&desc, KDR_ERROR_ARGUMENT, "a spring to itself");
    spring.b = 1;
    spring.k = NAN;
    refused(&desc, KDR_ERROR_NOT_FINITE, "k");
    force = kdr_interaction_gravity(mu, 2, -1);
    refused(&desc, KDR_ERROR_ARGUMENT, "softening");
    desc.interaction_count = 0;
    desc.distances = &rod;
    desc.distance_count = 1;
    rod.length = 0;
    refused(&desc, KDR_ERROR_ARGUMENT, "length");
    rod.length = 1;
    desc.method = KDR_VELOCITY_VERLET_PC;
    refused(&desc, KDR_ERROR_UNSUPPORTED, "rods and predicted velocities");
    desc.method = KDR_RK4;
    desc.distance_relaxation = 2;
    refused(&desc, KDR_ERROR_ARGUMENT, "relaxation");
}

/* If more particles are named than there are, nothing is touched. */
Test(system_pairs, too_few_particles) {
    const kdr_pair_spring spring = {.a = 0, .b = 5, .k = 1};
    const kdr_interaction force = kdr_interaction_spring_network(&spring, 1);
    kdr_system_desc desc = description(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED);
    desc.interactions = &force;
    desc.interaction_count = 1;
    kdr_system *system;
    kdr_workspace workspace;
    kdr_particles p = make_particles(5, 3, KDR_F64, false, false);
    kdr_clock clock = {0, 0.1, 0};
    kdr_error error;
    cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
    cr_assert(kdr_workspace_create(system, 5, 3, (kdr_allocator){NULL, NULL, NULL}, &workspace, NULL) == KDR_OK);
    cr_expect(kdr_system_run(system, &p, &clock, 1, &workspace, &error) == KDR_ERROR_MISMATCH && clock.step == 0);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    kdr_particles_destroy(&p);
}
