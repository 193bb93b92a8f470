/* Rods in a periodic box, and in a heat bath. */
#include "system_support.h"

typedef struct crowd {
    kdr_particles p;
    int32_t *images[3];
    kdr_distance *rods;
    size_t rod_count;
} crowd;

static void make_run(const kdr_system_desc *desc, const kdr_particles *p, kdr_system **system, kdr_workspace *workspace) {
    kdr_error error;
    cr_assert(kdr_system_create(desc, system, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_workspace_create(*system, p->count, p->dims, (kdr_allocator){NULL, NULL, NULL}, workspace, &error) == KDR_OK, "%s",
              error.message);
}

/* Makes molecules of three in a box of (1, 2, not periodic), some of them across its faces. */
static crowd make_crowd(size_t molecules) {
    static const double widths[3] = {1, 2, 1};
    uint64_t seed = 7;
    crowd c = {.p = make_particles(3 * molecules, 3, KDR_F64, true, true), .rod_count = 2 * molecules};
    c.rods = calloc(c.rod_count, sizeof *c.rods);
    for (int i = 0; i < 3; ++i) {
        c.p.images[i] = c.images[i] = calloc(c.p.count, sizeof *c.images[i]);
    }
    cr_assert(c.rods && c.images[0] && c.images[1] && c.images[2]);
    for (uint32_t n = 0; n < c.p.count; ++n) {
        state s;
        for (int i = 0; i < 3; ++i) {
            const double from = n % 3 == 0 ? random_in(&seed, 0, widths[i]) : get(c.p.x[i], KDR_F64, n - 1);
            s.x[i] = from + (n % 3 != 0 && i < 2 ? 0.15 : 0);
            s.v[i] = random_in(&seed, -1, 1);
        }
        put_state(&c.p, n, &s);
        set(c.p.inverse_mass, KDR_F64, n, random_in(&seed, 0.5, 2));
    }
    for (uint32_t n = 0; n < c.rod_count; ++n) {
        const uint32_t a = n / 2 * 3 + n % 2;
        c.rods[n] = (kdr_distance){a, a + 1, 0.15 * sqrt(2)};
    }
    return c;
}

static void destroy_crowd(crowd *c) {
    for (int i = 0; i < 3; ++i) {
        free(c->images[i]);
    }
    free(c->rods);
    kdr_particles_destroy(&c->p);
}

static double wrapped(double x, double width) { return x - width * floor(x / width); }

/* In a box everything moves as without one, except for being put back, with methods that restore rods at each drift, in a heat bath, or at
 * the end of a step. */
Test(rods, in_a_box_as_without_one) {
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_POSITION_VERLET, KDR_PEFRL, KDR_BAOAB, KDR_RK4};
    static const kdr_boundary box = {.kind = KDR_BOUNDARY_PERIODIC, .min = {0, 0, 0}, .max = {1, 2, 0}};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        crowd free_ones = make_crowd(40), boxed = make_crowd(40);
        const kdr_force forces[] = {kdr_force_uniform_acceleration(0.3, -0.2, 0.1)};
        kdr_system_desc desc = kdr_system_desc_default();
        desc.method = methods[m];
        desc.langevin = (kdr_langevin){methods[m] == KDR_BAOAB ? 0.5 : 0, methods[m] == KDR_BAOAB ? 0.3 : 0, 1};
        desc.distances = free_ones.rods, desc.distance_count = free_ones.rod_count;
        desc.forces = forces, desc.force_count = 1;
        for (size_t n = 0; n < boxed.p.count; ++n) {
            for (int i = 0; i < 2; ++i) {
                const double x = get(boxed.p.x[i], KDR_F64, n), width = i == 0 ? 1 : 2;
                boxed.images[i][n] = (int32_t)floor(x / width);
                set(boxed.p.x[i], KDR_F64, n, wrapped(x, width));
            }
        }
        kdr_clock clock = {0, 0.005, 0}, other = clock;
        run(&desc, &free_ones.p, &clock, 300);
        desc.boundary = box;
        run(&desc, &boxed.p, &other, 300);
        size_t apart = 0;
        for (size_t n = 0; n < boxed.p.count; ++n) {
            for (int i = 0; i < 3; ++i) {
                const double x = get(boxed.p.x[i], KDR_F64, n), width = i == 0 ? 1 : i == 1 ? 2 : 0;
                const double expected = get(free_ones.p.x[i], KDR_F64, n);
                cr_expect(fabs(x + boxed.images[i][n] * width - expected) < 1e-9, "%s: particle %zu, axis %d: %.17g, expected %.17g",
                          kdr_method_get(methods[m])->name, n, i, x + boxed.images[i][n] * width, expected);
                cr_expect(i == 2 || (x >= 0 && x < width), "%s: %.17g is outside", kdr_method_get(methods[m])->name, x);
                apart += n % 3 != 0 && fabs(x - get(boxed.p.x[i], KDR_F64, n - 1)) > 0.5;
            }
        }
        cr_expect(apart > 10, "%zu rods lie across faces", apart);
        destroy_crowd(&free_ones);
        destroy_crowd(&boxed);
    }
}

/* In a user-defined loop the box is that of the description, also for the largest errors. */
Test(rods, a_box_of_ones_own) {
    const kdr_distance rod = {0, 1, 0.2};
    kdr_distance_constraints_desc desc = kdr_distance_constraints_desc_default();
    kdr_distance_constraints *distances;
    double worst, along;
    desc.distances = &rod, desc.count = 1;
    desc.box[0] = 1;
    cr_assert(kdr_distance_constraints_create(&desc, &distances, NULL) == KDR_OK);
    kdr_particles p = make_particles(2, 2, KDR_F64, false, false), start = make_particles(2, 2, KDR_F64, false, false);
    put_state(&p, 0, &(state){{0.9, 0, 0}, {0.5, 0, 0}});
    put_state(&p, 1, &(state){{0.2, 0, 0}, {-0.5, 0, 0}});
    put_state(&start, 0, &(state){{0.95, 0, 0}, {0, 0, 0}});
    put_state(&start, 1, &(state){{0.15, 0, 0}, {0, 0, 0}});
    cr_assert(kdr_distance_constraints_max_violation(distances, &p, 1, &worst, &along, NULL) == KDR_OK);
    cr_expect(close_to(worst, 0.5, 1e-14) && close_to(along, 0.3 / 0.04, 1e-14), "%g %g", worst, along);
    cr_assert(kdr_distance_constraints_shake(distances, &p, (const void *const *)start.x, 0.1, NULL, NULL) == KDR_OK);
    cr_expect(close_to(get(p.x[0], KDR_F64, 0), 0.95, 1e-14) && close_to(get(p.x[0], KDR_F64, 1), 0.15, 1e-13));
    cr_assert(kdr_distance_constraints_rattle(distances, &p, 0.1, NULL, NULL) == KDR_OK);
    cr_assert(kdr_distance_constraints_max_violation(distances, &p, 1, &worst, &along, NULL) == KDR_OK);
    cr_expect(worst < 1e-14 && along < 1e-13, "%g %g", worst, along);
    kdr_distance_constraints_destroy(distances);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&start);
}

Test(rods, wrong_boxes) {
    static const struct {
        double box[3], length;
        kdr_status status;
        const char *says;
    } wrongs[] = {{{0, -1, 0}, 0.2, KDR_ERROR_ARGUMENT, "box[1]: expected 0, or a length above 0 within f32, got -1"},
                  {{0, 0, NAN}, 0.2, KDR_ERROR_ARGUMENT, "box[2]: expected 0"},
                  {{1e39, 0, 0}, 0.2, KDR_ERROR_ARGUMENT, "box[0]: expected 0"},
                  {{2, 1, 0}, 0.5, KDR_ERROR_ARGUMENT, "distances[0].length: expected less than half of the box, 0.5, got 0.5"},
                  {{2, 0, 0}, 0.5, KDR_OK, ""}};
    for (size_t n = 0; n < sizeof wrongs / sizeof *wrongs; ++n) {
        const kdr_distance rod = {0, 1, wrongs[n].length};
        kdr_distance_constraints_desc desc = kdr_distance_constraints_desc_default();
        kdr_distance_constraints *distances = NULL;
        kdr_error error = {KDR_OK, ""};
        desc.real = KDR_F32;
        desc.distances = &rod, desc.count = 1;
        memcpy(desc.box, wrongs[n].box, sizeof desc.box);
        cr_expect(kdr_distance_constraints_create(&desc, &distances, &error) == wrongs[n].status && strstr(error.message, wrongs[n].says),
                  "%zu: %s", n, error.message);
        kdr_distance_constraints_destroy(distances);
    }
}

/* Returns the kinetic energy. */
static double kinetic(const kdr_particles *p) {
    double sum = 0;
    for (size_t n = 0; n < p->count; ++n) {
        for (int i = 0; i < p->dims; ++i) {
            const double v = get(p->v[i], p->real, n), w = get(p->inverse_mass, p->real, n);
            sum += w > 0 ? 0.5 * v * v / w : 0;
        }
    }
    return sum;
}

/* Dumbbells of masses 1 and 3 have five degrees of freedom each, with energy kT / 2 each, and rods keep their lengths. */
Test(rods, dumbbells_are_as_warm_as_the_bath, .timeout = 120) {
    enum { COUNT = 2000, LOOKS = 20 };
    static kdr_distance rods[COUNT];
    const double kT = 0.7;
    kdr_particles p = make_particles(2 * COUNT, 3, KDR_F64, true, true);
    for (uint32_t n = 0; n < COUNT; ++n) {
        put_state(&p, 2 * (size_t)n, &(state){{n, 0, 0}, {0, 0, 0}});
        put_state(&p, 2 * (size_t)n + 1, &(state){{n + 0.5, 0, 0}, {0, 0, 0}});
        set(p.inverse_mass, KDR_F64, 2 * (size_t)n, 1);
        set(p.inverse_mass, KDR_F64, 2 * (size_t)n + 1, 1.0 / 3);
        rods[n] = (kdr_distance){2 * n, 2 * n + 1, 0.5};
    }
    kdr_system_desc desc = kdr_system_desc_default();
    kdr_distance_constraints_desc held = kdr_distance_constraints_desc_default();
    kdr_system *system;
    kdr_workspace workspace;
    kdr_distance_constraints *distances;
    desc.method = KDR_BAOAB;
    desc.langevin = (kdr_langevin){2, kT, 11};
    desc.distances = held.distances = rods, desc.distance_count = held.count = COUNT;
    make_run(&desc, &p, &system, &workspace);
    cr_assert(kdr_distance_constraints_create(&held, &distances, NULL) == KDR_OK);
    kdr_clock clock = {0, 0.05, 0};
    double sum = 0, worst, along;
    for (int look = -4; look < LOOKS; ++look) { /* the first samples are before equilibrium */
        cr_assert(kdr_system_run(system, &p, &clock, 20, &workspace, NULL) == KDR_OK);
        cr_assert(kdr_distance_constraints_max_violation(distances, &p, 0.05, &worst, &along, NULL) == KDR_OK);
        cr_expect(worst < 4e-12 && along < 1e-12, "%g %g", worst, along); /* x is up to 2000; this is four times its rounding error */
        sum += look < 0 ? 0 : kinetic(&p);
    }
    const double ratio = sum / LOOKS / (2.5 * COUNT * kT);
    cr_expect(fabs(ratio - 1) < 0.01, "%g of what five degrees of freedom have", ratio);
    kdr_distance_constraints_destroy(distances);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    kdr_particles_destroy(&p);
}

/* The mean height of pendulums in a bath is Langevin's function, coth(u) - 1 / u below the pivot, u = m g l / kT. */
Test(rods, pendula_in_a_bath_hang_as_langevin_says, .timeout = 120) {
    enum { COUNT = 2000, LOOKS = 20 };
    static kdr_distance rods[COUNT];
    const double u = 1.5, expected = 1 / tanh(u) - 1 / u;
    kdr_particles p = make_particles(2 * COUNT, 3, KDR_F64, true, true);
    for (uint32_t n = 0; n < COUNT; ++n) {
        put_state(&p, 2 * (size_t)n, &(state){{0, 0, 0}, {0, 0, 0}});
        put_state(&p, 2 * (size_t)n + 1, &(state){{1, 0, 0}, {0, 0, 0}});
        set(p.inverse_mass, KDR_F64, 2 * (size_t)n, 0);
        set(p.inverse_mass, KDR_F64, 2 * (size_t)n + 1, 1);
        rods[n] = (kdr_distance){2 * n, 2 * n + 1, 1};
    }
    const kdr_force down = kdr_force_uniform_acceleration(0, 0, -u);
    kdr_system_desc desc = kdr_system_desc_default();
    kdr_system *system;
    kdr_workspace workspace;
    desc.method = KDR_BAOAB;
    desc.langevin = (kdr_langevin){1, 1, 5};
    desc.forces = &down, desc.force_count = 1;
    desc.distances = rods, desc.distance_count = COUNT;
    make_run(&desc, &p, &system, &workspace);
    kdr_clock clock = {0, 0.1, 0};
    double sum = 0;
    for (int look = -8; look < LOOKS; ++look) {
        cr_assert(kdr_system_run(system, &p, &clock, 20, &workspace, NULL) == KDR_OK);
        for (size_t n = 1; n < p.count && look >= 0; n += 2) {
            sum -= get(p.x[2], KDR_F64, n);
        }
    }
    cr_expect(fabs(sum / LOOKS / COUNT - expected) < 0.008, "%g, expected %g", sum / LOOKS / COUNT, expected);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    kdr_particles_destroy(&p);
}

/* Far from the origin rods are kept as well as coordinates there allow, in a few sweeps: a tolerance below that is ignored. */
Test(rods, far_from_the_origin) {
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        for (int far = 0; far < 3; ++far) {
            const double at = far == 0 ? 0 : far == 1 ? 100 : -3000, unit = real == KDR_F32 ? 0x1p-23 : 0x1p-52;
            kdr_particles p = make_particles(8, 3, (kdr_real)real, true, true), start = make_particles(8, 3, (kdr_real)real, true, true);
            kdr_distance rods[4];
            kdr_distance_constraints_desc desc = kdr_distance_constraints_desc_default();
            kdr_distance_constraints *distances;
            for (uint32_t n = 0; n < 8; ++n) {
                const double x = at + n / 2, turn = n % 2 ? 0.7 : 0;
                put_state(&start, n, &(state){{x + (n % 2 ? 0.5 : 0), at, at}, {0, 0, 0}});
                put_state(&p, n, &(state){{x + 0.501 * cos(turn) * (n % 2), at + 0.501 * sin(turn) * (n % 2), at}, {0.1 * n, 50, 0}});
                set(p.inverse_mass, (kdr_real)real, n, n == 0 ? 0 : 1.0 / (n + 1));
            }
            for (uint32_t n = 0; n < 4; ++n) {
                rods[n] = (kdr_distance){2 * n, 2 * n + 1, 0.5};
            }
            desc.real = (kdr_real)real, desc.distances = rods, desc.count = 4;
            cr_assert(kdr_distance_constraints_create(&desc, &distances, NULL) == KDR_OK);
            uint32_t sweeps[2];
            double worst, along;
            cr_assert(kdr_distance_constraints_shake(distances, &p, (const void *const *)start.x, 0.01, &sweeps[0], NULL) == KDR_OK);
            cr_assert(kdr_distance_constraints_rattle(distances, &p, 0.01, &sweeps[1], NULL) == KDR_OK);
            cr_assert(kdr_distance_constraints_max_violation(distances, &p, 0.01, &worst, &along, NULL) == KDR_OK);
            cr_expect(sweeps[0] < 60 && sweeps[1] < 60, "%u and %u sweeps at %g", sweeps[0], sweeps[1], at);
            cr_expect(worst < 32 * unit * (1 + fabs(at)) && along < 64 * unit, "%g, %g at %g", worst / unit, along / unit, at);
            kdr_distance_constraints_destroy(distances);
            kdr_particles_destroy(&p);
            kdr_particles_destroy(&start);
        }
    }
}

/* Three rods that cannot form a triangle are refused: the run ends with the last whole step. Lengths that are wrong by little are
 * accepted. */
Test(rods, what_cannot_be_kept) {
    const kdr_distance triangle[] = {{0, 1, 1}, {1, 2, 1}, {0, 2, 4}};
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_RK4, KDR_BAOAB};
    for (int m = 0; m < 3; ++m) {
        for (int by_reference = 0; by_reference < 2; ++by_reference) {
            double x[2][3] = {{0, 1, 2}, {0, 0.1, 0}}, v[2][3] = {{0}}, before[2][3];
            kdr_particles p = {.count = 3, .dims = 2, .real = KDR_F64, .x = {x[0], x[1]}, .v = {v[0], v[1]}};
            kdr_system_desc desc = kdr_system_desc_default();
            kdr_system *system;
            kdr_workspace workspace;
            kdr_error error = {0};
            desc.method = methods[m];
            desc.langevin = (kdr_langevin){.friction = m == 2, .temperature = 0, .seed = 1};
            desc.distances = triangle, desc.distance_count = 3;
            make_run(&desc, &p, &system, &workspace);
            memcpy(before, x, sizeof x);
            kdr_clock clock = {.dt = 0.01};
            const kdr_status status = by_reference ? kdr_reference_system_run(&desc, &p, &clock, 5, &error)
                                                   : kdr_system_run(system, &p, &clock, 5, &workspace, &error);
            cr_expect(status == KDR_ERROR_ARGUMENT && strstr(error.message, "distances: particles") && strstr(error.message, "1000 sweeps"),
                      "%d, %s", (int)status, error.message);
            cr_expect(clock.step == 0 && memcmp(before, x, sizeof x) == 0);
            kdr_distance near[3];
            memcpy(near, triangle, sizeof near);
            near[2].length = 2.1;
            desc.distances = near;
            cr_expect(kdr_reference_system_run(&desc, &p, &clock, 1, &error) == KDR_OK, "%s", error.message);
            kdr_workspace_destroy(&workspace);
            kdr_system_destroy(system);
        }
    }
}

/* The largest errors of particles in structures are those of contiguous arrays. */
Test(rods, the_worst_of_structures) {
    struct {
        float other, x[2], v[2];
    } body[3] = {{0, {0, 0}, {0, 0}}, {0, {1.5F, 0}, {0, 1}}, {0, {1.5F, 2}, {3, 1}}};
    const kdr_distance rods[] = {{0, 1, 1}, {1, 2, 2}};
    kdr_distance_constraints_desc desc = kdr_distance_constraints_desc_default();
    kdr_distance_constraints *distances;
    desc.real = KDR_F32, desc.distances = rods, desc.count = 2;
    cr_assert(kdr_distance_constraints_create(&desc, &distances, NULL) == KDR_OK);
    const uint8_t active[] = {1, 0, 1};
    kdr_particles p = {.count = 3, .dims = 2, .real = KDR_F32, .x = {&body[0].x[0], &body[0].x[1]}, .v = {&body[0].v[0], &body[0].v[1]}};
    p.x_layout.stride = p.v_layout.stride = sizeof *body;
    p.active = active, p.active_count = 3;
    double worst = 0, along = 1;
    cr_assert(kdr_distance_constraints_max_violation(distances, &p, 0.5, &worst, &along, NULL) == KDR_OK);
    cr_expect(worst == 0.5 && along == 0, "%g %g", worst, along);
    body[2].v[1] = 5;
    cr_assert(kdr_distance_constraints_max_violation(distances, &p, 0.5, NULL, &along, NULL) == KDR_OK);
    cr_expect(along == 1, "%g", along);
    p.count = 2, p.active_count = 2;
    cr_expect(kdr_distance_constraints_max_violation(distances, &p, 0.5, &worst, NULL, NULL) == KDR_ERROR_MISMATCH);
    kdr_distance_constraints_destroy(distances);
}
