/* As in games: particles that come and go between calls, forces and steps that change from call to call, and contacts. */
#include "system_support.h"

enum { COUNT = 300, STEPS = 10 };

/* A view with all arrays except marks and levels, in structures, with a random byte in each place. */
typedef struct arrays {
    double memory[3][COUNT], compensation[6][COUNT], error[COUNT], dissipated_energy[2][COUNT];
    uint64_t id[COUNT];
    uint32_t bounces[COUNT], nonconverged[COUNT];
    uint8_t active[COUNT], level[COUNT];
} arrays;

typedef struct body {
    double x[3], v[3], mass;
} body;

static kdr_particles view_of(arrays *own, body *bodies) {
    kdr_particles p = kdr_particles_default();
    p.count = COUNT;
    for (int i = 0; i < 3; ++i) {
        p.x[i] = &bodies[0].x[i];
        p.v[i] = &bodies[0].v[i];
        p.memory[i] = own->memory[i];
        p.compensation[i] = own->compensation[i];
        p.compensation[3 + i] = own->compensation[3 + i];
    }
    p.x_layout.stride = p.v_layout.stride = p.inverse_mass_layout.stride = sizeof(body);
    p.inverse_mass = &bodies[0].mass;
    p.id = own->id, p.bounces = own->bounces, p.nonconverged = own->nonconverged, p.error = own->error;
    p.dissipated_energy[0] = own->dissipated_energy[0], p.dissipated_energy[1] = own->dissipated_energy[1];
    p.active = own->active, p.active_count = COUNT;
    p.level = own->level, p.level_count = COUNT;
    return p;
}

/* Returns true if every array has the bits of particle `from` of the old view at particle `to` of the new one. */
static bool same_particle(const arrays *a, const body *b, size_t to, const arrays *old, const body *old_b, size_t from) {
    bool same = memcmp(&b[to], &old_b[from], sizeof *b) == 0 && a->id[to] == old->id[from] && a->bounces[to] == old->bounces[from];
    same = same && a->nonconverged[to] == old->nonconverged[from] && a->active[to] == old->active[from] && a->level[to] == old->level[from];
    same = same && memcmp(&a->error[to], &old->error[from], sizeof *a->error) == 0;
    for (int i = 0; i < 6; ++i) {
        same = same && memcmp(&a->compensation[i][to], &old->compensation[i][from], sizeof(double)) == 0;
        same = same && memcmp(&a->memory[i % 3][to], &old->memory[i % 3][from], sizeof(double)) == 0;
        same = same && memcmp(&a->dissipated_energy[i % 2][to], &old->dissipated_energy[i % 2][from], sizeof(double)) == 0;
    }
    return same;
}

static void fill_bytes(void *memory, size_t bytes, uint64_t *seed) {
    for (size_t i = 0; i < bytes; ++i) {
        ((unsigned char *)memory)[i] = (unsigned char)random_bits(seed);
    }
}

Test(games, all_that_a_particle_has_moves) {
    static arrays own, old;
    static body bodies[COUNT], old_bodies[COUNT];
    uint64_t seed = test_seed();
    fill_bytes(&own, sizeof own, &seed);
    fill_bytes(bodies, sizeof bodies, &seed);
    memset(own.level, 3, sizeof own.level);
    kdr_particles p = view_of(&own, bodies);
    p.memory_key = 77;
    for (int time = 0; time < 200; ++time) {
        const size_t to = random_bits(&seed) % COUNT, from = random_bits(&seed) % COUNT, last = to > from ? to : from;
        const size_t count = random_bits(&seed) % (COUNT - last + 1);
        old = own;
        memcpy(old_bodies, bodies, sizeof bodies);
        kdr_error error;
        cr_assert(kdr_particles_move(&p, to, from, count, &error) == KDR_OK, "%s", error.message);
        for (size_t i = 0; i < COUNT; ++i) {
            const size_t source = i >= to && i < to + count ? from + (i - to) : i;
            cr_assert(same_particle(&own, bodies, i, &old, old_bodies, source), "%zu from %zu: particle %zu", to, from, i);
        }
    }
    cr_expect(p.memory_key == 77 && p.count == COUNT);
    static const size_t wrong[][3] = {{0, 1, COUNT}, {COUNT, 0, 1}, {1, COUNT + 1, 0}, {0, SIZE_MAX, 2}, {5, 4, SIZE_MAX}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        old = own;
        cr_expect(kdr_particles_move(&p, wrong[i][0], wrong[i][1], wrong[i][2], NULL) == KDR_ERROR_ARGUMENT, "%zu", i);
        cr_expect(memcmp(&old, &own, sizeof own) == 0);
    }
    cr_expect(kdr_particles_move(NULL, 0, 1, 1, NULL) == KDR_ERROR_NULL);
}

/* A population whose particles are identified by their ids, and the final state of each, computed by the reference alone. */
typedef struct population {
    kdr_particles p;
    uint64_t id[COUNT];
} population;

static void place(const kdr_particles *p, size_t i, uint64_t id) {
    for (int axis = 0; axis < 3; ++axis) {
        set(p->x[axis], p->real, i, 0.25 + (double)((id * 37 + (uint64_t)axis * 11) % 101) / 50);
        set(p->v[axis], p->real, i, (double)((id * 53 + (uint64_t)axis * 29) % 97) / 40 - 1);
    }
    ((uint64_t *)(uintptr_t)p->id)[i] = id;
}

static void expect_alone(const kdr_integrator_desc *desc, const kdr_particles *p, size_t i, kdr_clock clock, uint64_t steps) {
    kdr_particles_desc of_one = {.size = sizeof of_one, .count = 1, .dims = 3, .real = p->real, .memory = true, .compensation = true};
    kdr_particles one;
    uint64_t id = p->id[i];
    cr_assert(kdr_particles_create(&of_one, &one, NULL) == KDR_OK);
    one.id = &id;
    place(&one, 0, id);
    advance(BY_REFERENCE, desc, &one, &clock, steps);
    const kdr_particles got = kdr_particles_slice(p, i, 1);
    cr_expect(same_bits(&one, &got), "particle %zu, id %" PRIu64 ", %" PRIu64 " steps", i, id, steps);
    kdr_particles_destroy(&one);
}

static void expect_births(kdr_integrator_desc *desc, kdr_backend backend) {
    kdr_particles_desc all = {.size = sizeof all, .count = COUNT, .dims = 3, .real = desc->real, .memory = true, .compensation = true};
    population pop;
    kdr_error error;
    cr_assert(kdr_particles_create(&all, &pop.p, &error) == KDR_OK, "%s", error.message);
    pop.p.id = pop.id;
    for (size_t i = 0; i < COUNT; ++i) {
        place(&pop.p, i, i);
    }
    desc->backend = backend;
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(desc, &integrator, &error) == KDR_OK, "%s", error.message);
    kdr_clock clock = {.t0 = 0.5, .dt = 1.0 / 64, .step = 7};
    const kdr_clock begin = clock;
    cr_assert(kdr_integrator_run(integrator, &pop.p, &clock, STEPS, &error) == KDR_OK, "%s", error.message);
    const kdr_clock birth = clock;
    for (size_t i = 0; i < pop.p.count; i += 3) { /* the last takes the place of a removed one */
        cr_assert(kdr_particles_move(&pop.p, i, pop.p.count - 1, 1, &error) == KDR_OK, "%s", error.message);
        --pop.p.count;
    }
    const size_t survivors = pop.p.count;
    for (size_t i = survivors; i < survivors + 41; ++i) {
        place(&pop.p, i, 1000 + i);
    }
    pop.p.count = survivors + 41;
    cr_assert(kdr_integrator_init_memory(integrator, &pop.p, &clock, survivors, 41, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_integrator_run(integrator, &pop.p, &clock, STEPS, &error) == KDR_OK, "%s", error.message);
    desc->backend = KDR_BACKEND_AUTO;
    for (size_t i = 0; i < pop.p.count; ++i) {
        expect_alone(desc, &pop.p, i, i < survivors ? begin : birth, i < survivors ? 2 * STEPS : STEPS);
    }
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&pop.p);
}

Test(games, the_dead_and_the_born) {
    const kdr_force forces[] = {kdr_force_drag(0.75, 0.5, 0, 0), kdr_force_spring(2, 0.5, 0, 0), kdr_force_driven(1, 0, 0.5, 3, 0)};
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_VELOCITY_VERLET_PC, KDR_PEFRL, KDR_RK4};
    for (int b = KDR_BACKEND_AUTO + 1; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        for (int n = 0; info.runnable && n < 16 * KDR_ARITHMETIC_COUNT; ++n) {
            kdr_integrator_desc desc = kdr_integrator_desc_default();
            desc.method = methods[n / 4 % 4];
            desc.arithmetic = (kdr_arithmetic)(n / 16);
            desc.real = (kdr_real)(n % 2);
            desc.compensated = n / 2 % 2;
            desc.forces = forces, desc.force_count = n % 3 == 0 ? 3 : 2;
            expect_births(&desc, (kdr_backend)b);
        }
    }
}

Test(games, births_that_are_refused) {
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = KDR_STORMER_VERLET;
    kdr_integrator *integrator;
    kdr_error error;
    cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK);
    kdr_particles p = make_particles(10, 3, KDR_F64, false, true);
    kdr_clock clock = {.dt = 0.125};
    cr_expect(kdr_integrator_init_memory(integrator, &p, &clock, 0, 1, &error) == KDR_ERROR_UNSUPPORTED);
    cr_expect(strstr(error.message, "velocity-verlet"), "%s", error.message);
    cr_expect(kdr_integrator_init_memory(integrator, &p, &clock, 4, 7, &error) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_integrator_init_memory(integrator, &p, &clock, SIZE_MAX, 7, &error) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_integrator_init_memory(NULL, &p, &clock, 0, 1, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_integrator_init_memory(integrator, NULL, &clock, 0, 1, &error) == KDR_ERROR_NULL);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
}

/* Other forces in the same integrator give the bits of another integrator that was made with them, also with user-defined rows and
 * substeps. */
Test(games, forces_that_change) {
    const kdr_force first = kdr_force_spring(2, 0, 0, 0), then[] = {kdr_force_drag(0.5, 1, 0, 0), kdr_force_centre(1, 0, 0, 0, 0.1)};
    const kdr_force wrong = kdr_force_spring(NAN, 0, 0, 0);
    kdr_tableau heun = {.stages = 2, .a = {{0}, {1}}, .b = {0.5, 0.5}, .c = {0, 1}};
    kdr_fractions kicks = {.count = 2, .kick = {0.5, 0.5}, .drift = {1, 0}};
    kdr_substeps substeps = {.count = 1, .fraction = {1}};
    kdr_collider ground = kdr_collider_plane((double[]){0, 0, -1}, (double[]){0, 0, 1});
    for (int n = 0; n < 4; ++n) {
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.forces = &first, desc.force_count = 1;
        desc.colliders = &ground, desc.collider_count = 1;
        desc.tableau = n == 1 ? &heun : NULL;
        desc.fractions = n == 2 ? &kicks : NULL;
        desc.substeps = n == 3 ? &substeps : NULL;
        kdr_integrator *changed, *other;
        kdr_error error;
        cr_assert(kdr_integrator_create(&desc, &changed, &error) == KDR_OK, "%s", error.message);
        desc.forces = then, desc.force_count = 2;
        cr_assert(kdr_integrator_create(&desc, &other, &error) == KDR_OK, "%s", error.message);
        const kdr_tableau row = heun;
        memset(&heun, 255, sizeof heun); /* the integrator has its own copies */
        cr_assert(kdr_integrator_set_forces(changed, then, 2, &error) == KDR_OK, "%s", error.message);
        heun = row;
        uint64_t seed = 5;
        kdr_particles a = make_particles(100, 3, KDR_F64, false, true), b = make_particles(100, 3, KDR_F64, false, true);
        fill_random(&a, &seed);
        copy_state(&b, &a);
        kdr_clock clock = {.dt = 1.0 / 32}, twin = clock;
        cr_assert(kdr_integrator_run(changed, &a, &clock, 20, &error) == KDR_OK &&
                  kdr_integrator_run(other, &b, &twin, 20, &error) == KDR_OK);
        cr_expect(same_bits(&a, &b), "%d", n);
        cr_expect(kdr_integrator_set_forces(changed, &wrong, 1, &error) == KDR_ERROR_NOT_FINITE);
        cr_expect(kdr_integrator_set_forces(changed, NULL, 1, &error) == KDR_ERROR_NULL);
        cr_expect(kdr_integrator_set_forces(NULL, then, 1, &error) == KDR_ERROR_NULL);
        cr_assert(kdr_integrator_run(changed, &a, &clock, 20, &error) == KDR_OK &&
                  kdr_integrator_run(other, &b, &twin, 20, &error) == KDR_OK);
        cr_expect(same_bits(&a, &b), "%d, after refusals", n);
        kdr_integrator_destroy(changed);
        kdr_integrator_destroy(other);
        kdr_particles_destroy(&a);
        kdr_particles_destroy(&b);
    }
}

/* Runs the first half with `before` and the second with `after`, and expects the bits of a run that changes its colliders between. */
static void expect_same_halves(const kdr_integrator *changed, const kdr_integrator *other, kdr_particles *a, kdr_particles *b,
                               kdr_clock *clock) {
    kdr_error error;
    cr_assert(kdr_integrator_run(changed, a, &clock[0], 20, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_integrator_run(other, b, &clock[1], 20, &error) == KDR_OK, "%s", error.message);
    cr_expect(same_bits(a, b));
}

/* When colliders come and go, the particles' memory stays. */
Test(games, colliders_that_change) {
    const kdr_force spring = kdr_force_spring(2, 0, 0, 0);
    const kdr_collider ground = kdr_collider_plane((double[]){0, 0, -0.25}, (double[]){0, 0, 1});
    const kdr_collider room[] = {kdr_collider_box((double[]){-1, -1, -1}, (double[]){1, 1, 1}, true),
                                 kdr_collider_sphere((double[]){0, 0, 0}, 0.5, false)};
    kdr_collider wrong = ground;
    wrong.restitution = 2;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    kdr_integrator *changed, *first, *second;
    kdr_error error;
    desc.forces = &spring, desc.force_count = 1;
    cr_assert(kdr_integrator_create(&desc, &first, &error) == KDR_OK && kdr_integrator_create(&desc, &changed, &error) == KDR_OK);
    desc.colliders = room, desc.collider_count = 2;
    cr_assert(kdr_integrator_create(&desc, &second, &error) == KDR_OK);
    kdr_particles a = make_particles(100, 3, KDR_F64, false, true), b = make_particles(100, 3, KDR_F64, false, true);
    double memory[3][100];
    uint64_t seed = 5;
    fill_random(&a, &seed);
    copy_state(&b, &a);
    for (int i = 0; i < 3; ++i) {
        a.memory[i] = memory[i];
    }
    kdr_clock clock[2] = {{.dt = 1.0 / 32}, {.dt = 1.0 / 32}};
    expect_same_halves(changed, first, &a, &b, clock);
    cr_expect(kdr_integrator_set_colliders(changed, &wrong, 1, &error) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_integrator_set_colliders(changed, NULL, 1, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_integrator_set_colliders(NULL, room, 2, &error) == KDR_ERROR_NULL);
    expect_same_halves(changed, first, &a, &b, clock);
    cr_assert(kdr_integrator_set_colliders(changed, room, 2, &error) == KDR_OK, "%s", error.message);
    expect_same_halves(changed, second, &a, &b, clock);
    for (size_t n = 0; n < 100; ++n) {
        for (int i = 0; i < 3; ++i) {
            cr_expect(fabs(get(a.x[i], KDR_F64, n)) <= 1, "particle %zu is in the room", n);
        }
    }
    cr_assert(kdr_integrator_set_colliders(changed, NULL, 0, &error) == KDR_OK, "%s", error.message);
    expect_same_halves(changed, first, &a, &b, clock);
    memory[0][7] += 1;
    cr_assert(kdr_integrator_set_colliders(changed, &ground, 1, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_integrator_run(changed, &a, &clock[0], 1, &error) == KDR_OK &&
              kdr_integrator_run(first, &b, &clock[1], 1, &error) == KDR_OK);
    cr_expect(get(a.v[0], KDR_F64, 7) != get(b.v[0], KDR_F64, 7), "what is remembered is used");
    kdr_integrator_destroy(changed);
    kdr_integrator_destroy(first);
    kdr_integrator_destroy(second);
    kdr_particles_destroy(&a);
    kdr_particles_destroy(&b);
}

/* The same in system runs, where particles joined by distances meet them as a molecule. */
Test(games, colliders_that_change_in_system_runs) {
    const kdr_force down = kdr_force_uniform_acceleration(0, 0, -1);
    const kdr_distance rod = {.a = 0, .b = 1, .length = 1};
    const kdr_collider ground = kdr_collider_plane((double[]){0, 0, -0.5}, (double[]){0, 0, 1});
    kdr_system_desc desc = kdr_system_desc_default();
    kdr_system *changed, *other;
    kdr_workspace workspace;
    kdr_error error;
    desc.forces = &down, desc.force_count = 1;
    desc.distances = &rod, desc.distance_count = 1;
    cr_assert(kdr_system_create(&desc, &changed, &error) == KDR_OK);
    desc.colliders = &ground, desc.collider_count = 1;
    cr_assert(kdr_system_create(&desc, &other, &error) == KDR_OK);
    double x[2][3][2] = {{{0, 0.6}, {0, 0}, {0, 0.8}}, {{0, 0.6}, {0, 0}, {0, 0.8}}}, v[2][3][2] = {{{0}}};
    kdr_particles p[2];
    kdr_clock clock[2] = {{.dt = 1.0 / 32}, {.dt = 1.0 / 32}};
    for (int k = 0; k < 2; ++k) {
        p[k] = kdr_particles_default();
        p[k].count = 2;
        for (int i = 0; i < 3; ++i) {
            p[k].x[i] = x[k][i], p[k].v[i] = v[k][i];
        }
    }
    cr_assert(kdr_system_set_colliders(changed, &ground, 1, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_system_set_colliders(changed, NULL, 1, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_system_set_colliders(NULL, &ground, 1, &error) == KDR_ERROR_NULL);
    cr_assert(kdr_workspace_create(changed, 2, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK);
    cr_assert(kdr_system_run(changed, &p[0], &clock[0], 100, &workspace, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_system_run(other, &p[1], &clock[1], 100, &workspace, &error) == KDR_OK, "%s", error.message);
    cr_expect(memcmp(x[0], x[1], sizeof x[0]) == 0 && memcmp(v[0], v[1], sizeof v[0]) == 0);
    cr_expect(x[0][2][0] >= -0.5 && x[0][2][1] >= -0.5, "in front of the ground");
    cr_assert(kdr_system_set_colliders(changed, NULL, 0, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_system_run(changed, &p[0], &clock[0], 100, &workspace, &error) == KDR_OK, "%s", error.message);
    cr_expect(x[0][2][0] < -1 && x[0][2][1] < -1, "the ground is gone");
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(changed);
    kdr_system_destroy(other);
}

/* A clock at the same moment continues from the particles' memory, with any step unless the memory depends on the step. */
Test(games, steps_that_change) {
    const kdr_force drag = kdr_force_drag(0.75, 0.5, 0, 0);
    static const struct {
        kdr_method method;
        bool any_step;
    } kept[] = {{KDR_VELOCITY_VERLET, true}, {KDR_VELOCITY_VERLET_PC, false}, {KDR_STORMER_VERLET, false}};
    for (int n = 0; n < 3; ++n) {
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.method = kept[n].method;
        desc.forces = &drag, desc.force_count = kept[n].method != KDR_STORMER_VERLET;
        kdr_integrator *integrator;
        kdr_error error;
        cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
        kdr_particles a = make_particles(50, 3, KDR_F64, false, true), b = make_particles(50, 3, KDR_F64, false, true);
        uint64_t seed = 9;
        fill_random(&a, &seed);
        copy_state(&b, &a);
        kdr_clock clock = {.t0 = 0.3, .dt = 0.01}, whole = clock;
        cr_assert(kdr_integrator_run(integrator, &a, &clock, 7, &error) == KDR_OK);
        const kdr_clock same = kdr_clock_with_dt(&clock, clock.dt), other = kdr_clock_with_dt(&clock, 0.013);
        cr_expect(same.step == 7 && kdr_clock_time(&same, 7, 0) == kdr_clock_time(&clock, 7, 0));
        cr_expect(other.step == 7 && other.dt == 0.013 && kdr_clock_time(&other, 7, 0) == kdr_clock_time(&clock, 7, 0));
        const uint64_t resumed = kdr_integrator_evaluations(integrator, &a, &clock, 3);
        cr_expect(kdr_integrator_evaluations(integrator, &a, &same, 3) == resumed);
        cr_expect((kdr_integrator_evaluations(integrator, &a, &other, 3) == resumed) == kept[n].any_step || !desc.force_count, "%d", n);
        clock = same;
        cr_assert(kdr_integrator_run(integrator, &a, &clock, 7, &error) == KDR_OK);
        cr_assert(kdr_integrator_run(integrator, &b, &whole, 14, &error) == KDR_OK);
        cr_expect(same_bits(&a, &b), "%d", n);
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&a);
        kdr_particles_destroy(&b);
    }
    const kdr_clock none = kdr_clock_with_dt(NULL, 1);
    cr_expect(none.dt == 0 && none.t0 == 0 && none.step == 0);
}

/* The moment and the count of steps stay, to the bit, unless their product does not determine the time. */
Test(games, clocks_that_change) {
    uint64_t seed = 3;
    kdr_clock clock = {.t0 = 0.1, .dt = 1.0 / 60, .step = 5};
    for (int n = 0; n < 100000; ++n) {
        const double now = kdr_clock_time(&clock, clock.step, 0);
        const uint64_t step = clock.step;
        clock = kdr_clock_with_dt(&clock, random_in(&seed, 1, 2) / 60);
        cr_assert(kdr_clock_time(&clock, clock.step, 0) == now && clock.step == step, "%d: %a", n, now);
        clock.step += 1;
    }
    const kdr_clock slow = {.t0 = 0.3, .dt = 1e-9, .step = 12345}, fast = kdr_clock_with_dt(&slow, 1e9);
    cr_expect(fast.step == 0 && fast.t0 == kdr_clock_time(&slow, slow.step, 0) && fast.dt == 1e9);
}

/* Rest and noise depend on the number of the step, which continues. */
Test(games, steps_that_change_each_time) {
    const kdr_force forces[] = {kdr_force_spring(1, 0, 0, 0), kdr_force_drag(4, 0, 0, 0)};
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.real = KDR_F32, desc.method = KDR_SEMI_IMPLICIT_EULER, desc.flush_small_to_zero = true;
    desc.forces = forces, desc.force_count = 2;
    kdr_integrator_desc bath = kdr_integrator_desc_default();
    bath.method = KDR_BAOAB, bath.langevin = (kdr_langevin){.friction = 1, .temperature = 1, .seed = 1};
    kdr_integrator *damped, *heated;
    kdr_error error;
    cr_assert(kdr_integrator_create(&desc, &damped, &error) == KDR_OK && kdr_integrator_create(&bath, &heated, &error) == KDR_OK);
    float x = 1, v = 0;
    double y = 0, u = 0, sum = 0, square = 0;
    kdr_particles falls = kdr_particles_default(), jumps = kdr_particles_default();
    falls.count = jumps.count = 1, falls.dims = jumps.dims = 1;
    falls.real = KDR_F32, falls.x[0] = &x, falls.v[0] = &v;
    jumps.x[0] = &y, jumps.v[0] = &u;
    kdr_clock clock = {.dt = 1.0 / 60}, other = clock;
    for (int n = 0; n < 40000; ++n) {
        const double dt = (n % 2 ? 1.0 : 1.25) / 60;
        clock = kdr_clock_with_dt(&clock, dt), other = kdr_clock_with_dt(&other, dt);
        cr_assert(kdr_integrator_run(damped, &falls, &clock, 1, &error) == KDR_OK);
        cr_assert(kdr_integrator_run(heated, &jumps, &other, 1, &error) == KDR_OK);
        sum += u, square += u * u;
    }
    cr_expect(x == 0 && v == 0, "%g %g", (double)x, (double)v);
    cr_expect(fabs(square / 40000 - 1) < 0.2 && fabs(sum / 40000) < 0.3, "a mean of %g, a square of %g", sum / 40000, square / 40000);
    kdr_integrator_destroy(damped);
    kdr_integrator_destroy(heated);
}

static kdr_status run_either(kdr_system *system, kdr_integrator *integrator, kdr_particles *p, kdr_clock *clock) {
    if (!system) {
        return kdr_integrator_run(integrator, p, clock, 1, NULL);
    }
    kdr_workspace workspace;
    cr_assert(kdr_workspace_create(system, p->count, p->dims, (kdr_allocator){0}, &workspace, NULL) == KDR_OK);
    const kdr_status status = kdr_system_run(system, p, clock, 1, &workspace, NULL);
    kdr_workspace_destroy(&workspace);
    return status;
}

/* The memory of particles is void when other forces are set, even if they differ only in the contents of an array, or in nothing. */
Test(games, arrays_that_change) {
    double soft[] = {1, 1}, stiff[] = {100, 100};
    kdr_force spring = kdr_force_spring(0, 0, 0, 0);
    spring.as.spring.k_each = soft, spring.as.spring.count = 2;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.forces = &spring, desc.force_count = 1;
    kdr_system_desc together = kdr_system_desc_default();
    together.forces = &spring, together.force_count = 1;
    for (int n = 0; n < 4; ++n) {
        kdr_integrator *integrator, *afresh;
        kdr_system *system;
        kdr_error error;
        double x[2][2] = {{1, 2}, {1, 2}}, v[2][2] = {{0}}, a[2][2];
        kdr_particles view[2];
        spring.as.spring.k_each = soft;
        memcpy(soft, (const double[]){1, 1}, sizeof soft);
        cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK && kdr_system_create(&together, &system, &error) == KDR_OK);
        for (int i = 0; i < 2; ++i) {
            view[i] = kdr_particles_default();
            view[i].count = 2, view[i].dims = 1;
            view[i].x[0] = x[i], view[i].v[0] = v[i], view[i].memory[0] = a[i];
        }
        kdr_clock clock = {.dt = 0.125}, twin = clock;
        const bool of_all = n >= 2;
        cr_assert(run_either(of_all ? system : NULL, integrator, &view[0], &clock) == KDR_OK);
        cr_assert(kdr_integrator_run(integrator, &view[1], &twin, 1, &error) == KDR_OK);
        if (n % 2) {
            memcpy(soft, stiff, sizeof soft);
        } else {
            spring.as.spring.k_each = stiff;
        }
        cr_assert(kdr_integrator_set_forces(integrator, &spring, 1, &error) == KDR_OK &&
                  kdr_system_set_forces(system, &spring, 1, &error) == KDR_OK && kdr_integrator_create(&desc, &afresh, &error) == KDR_OK);
        view[1].memory_key = 0;
        for (int steps = 1; steps < 3; ++steps) { /* from the second step on they have memory */
            cr_assert(run_either(of_all ? system : NULL, integrator, &view[0], &clock) == KDR_OK);
            cr_assert(kdr_integrator_run(afresh, &view[1], &twin, 1, &error) == KDR_OK);
            cr_expect(memcmp(x[0], x[1], sizeof *x) == 0 && memcmp(v[0], v[1], sizeof *v) == 0, "%d: %g, %g", n, v[0][0], v[1][0]);
        }
        const uint64_t two = 2 * kdr_integrator_evaluations(integrator, &view[0], &clock, 1);
        cr_expect(of_all || kdr_integrator_evaluations(integrator, &view[0], &clock, 2) == two);
        kdr_integrator_destroy(integrator);
        kdr_integrator_destroy(afresh);
        kdr_system_destroy(system);
    }
}

/* The data that the description of a system run points to. */
typedef struct lent {
    kdr_tableau heun;
    kdr_fractions kicks;
    kdr_substeps substeps;
    kdr_collider ground;
    kdr_watch plane;
    kdr_pair_spring springs[2];
    kdr_distance rod;
    kdr_interaction network;
} lent;

static kdr_system_desc describe_lent(int n, lent *to) {
    *to = (lent){.heun = {.stages = 2, .a = {{0}, {1}}, .b = {0.5, 0.5}, .c = {0, 1}},
                 .kicks = {.count = 2, .kick = {0.5, 0.5}, .drift = {1, 0}},
                 .substeps = {.count = 1, .fraction = {1}},
                 .ground = kdr_collider_plane((double[]){0, 0, -1}, (double[]){0, 0, 1}),
                 .plane = kdr_watch_plane(NULL, (double[]){1, 0, 0}),
                 .springs = {{.a = 0, .b = 1, .k = 4, .length = 0.5}, {.a = 2, .b = 5, .k = 3}},
                 .rod = {7, 8, 1},
                 .network = kdr_interaction_spring_network(to->springs, 2)};
    kdr_system_desc desc = describe_system(n == 4 ? KDR_IMPLICIT_MIDPOINT : KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.interactions = &to->network, desc.interaction_count = 1;
    desc.distances = &to->rod, desc.distance_count = n == 0;
    desc.colliders = &to->ground, desc.collider_count = n == 2;
    desc.tableau = n == 1 ? &to->heun : NULL;
    desc.fractions = n == 2 ? &to->kicks : NULL;
    desc.substeps = n == 3 ? &to->substeps : NULL;
    desc.watches = &to->plane, desc.watch_count = n == 3;
    return desc;
}

/* Runs the same particles by two system runs, and expects equal bits. */
static void expect_same_runs(const kdr_system *const by[2], kdr_particles *const p[2], kdr_clock clock[2], int n) {
    kdr_workspace workspace;
    kdr_error error;
    cr_assert(kdr_workspace_create(by[1], p[0]->count, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
    for (int i = 0; i < 2; ++i) {
        cr_assert(kdr_system_run(by[i], p[i], &clock[i], 20, &workspace, &error) == KDR_OK, "%d: %s", n, error.message);
        kdr_particles fewer = *p[i]; /* the net acts between all of them */
        --fewer.count;
        const uint64_t key = kdr_system_memory_key(by[i], &fewer, &clock[i]);
        cr_expect(key == 0 || key != kdr_system_memory_key(by[i], p[i], &clock[i]), "%d: what fewer remember", n);
    }
    cr_expect(same_bits(p[0], p[1]) && !p[0]->memory_key == !p[1]->memory_key, "%d, step %d", n, (int)clock[0].step);
    kdr_workspace_destroy(&workspace);
}

/* Returns a view of the first `count` bodies. The test after it sets other forces in system runs with springs, rods and walls, when the
 * data of the description are gone. */
static kdr_particles first_of(double bodies[9][8], size_t count) {
    kdr_particles p = kdr_particles_default();
    p.count = count, p.real = KDR_F64;
    for (int i = 0; i < 3; ++i) {
        p.x[i] = bodies[i], p.v[i] = bodies[3 + i], p.memory[i] = bodies[6 + i];
    }
    return p;
}

/* A new particle among interacting ones has no memory, and the memory of the others belongs to the old set. With interactions, a run with
 * another count begins afresh by itself, one with the same count if memory_key says so. */
Test(games, births_and_deaths_in_system_runs) {
    enum { BODIES = 6 };
    const double mu[8] = {1, 0.5, 0.25, 1, 1, 1, 1, 1};
    const kdr_interaction gravity = kdr_interaction_gravity(mu, 3, 0.25);
    kdr_system_desc desc = kdr_system_desc_default();
    desc.interactions = &gravity, desc.interaction_count = 1;
    kdr_system *system = NULL;
    kdr_workspace workspace;
    kdr_error error;
    cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_workspace_create(system, 8, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
    for (int change = -1; change <= 1; ++change) {
        double bodies[9][8], fresh[9][8];
        kdr_clock clock = {.dt = 0.125}, again = clock;
        uint64_t seed = test_seed();
        for (int k = 0; k < 9 * 8; ++k) {
            bodies[k / 8][k % 8] = k / 8 < 6 ? random_in(&seed, -1, 1) : NAN;
        }
        kdr_particles p = first_of(bodies, BODIES);
        cr_assert(kdr_system_run(system, &p, &clock, 3, &workspace, &error) == KDR_OK, "%s", error.message);
        bodies[0][4] += change == 0 ? 0.5 : 0; /* one is another particle now */
        memcpy(fresh, bodies, sizeof fresh);
        p.count = (size_t)(BODIES + change), p.memory_key *= change != 0;
        kdr_particles q = first_of(fresh, p.count);
        again = clock;
        cr_assert(kdr_system_run(system, &p, &clock, 2, &workspace, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_system_run(system, &q, &again, 2, &workspace, &error) == KDR_OK, "%s", error.message);
        for (int i = 0; i < 6; ++i) {
            cr_expect(memcmp(bodies[i], fresh[i], p.count * sizeof(double)) == 0 && isfinite(bodies[i][p.count - 1]), "%d, array %d",
                      change, i);
        }
        cr_expect(p.memory_key == q.memory_key && p.memory_key != 0);
    }
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
}

Test(games, forces_that_change_in_system_runs) {
    const kdr_force first = kdr_force_spring(2, 0, 0, 0), wrong = kdr_force_spring(NAN, 0, 0, 0);
    const kdr_force then[] = {kdr_force_uniform_acceleration(0.5, 0, -1), kdr_force_centre(1, 0, 0, 0, 0.1)};
    for (int n = 0; n < 5; ++n) {
        lent given;
        kdr_system_desc desc = describe_lent(n, &given);
        kdr_system *changed, *other;
        kdr_error error;
        desc.forces = &first, desc.force_count = n == 1 ? 0 : 1;
        cr_assert(kdr_system_create(&desc, &changed, &error) == KDR_OK, "%d: %s", n, error.message);
        desc.forces = then, desc.force_count = 2;
        cr_assert(kdr_system_create(&desc, &other, &error) == KDR_OK, "%d: %s", n, error.message);
        memset(&given, 255, sizeof given);
        kdr_particles a = make_particles(100, 3, KDR_F64, false, true), b = make_particles(100, 3, KDR_F64, false, true);
        uint64_t seed = 5;
        fill_random(&a, &seed);
        for (int i = 0; i < 3; ++i) { /* the rod has its length */
            set(a.x[i], KDR_F64, 8, get(a.x[i], KDR_F64, 7) + (i == 0));
        }
        copy_state(&b, &a);
        kdr_clock clock[2] = {{.dt = 1.0 / 32}, {.dt = 1.0 / 32}};
        cr_assert(kdr_system_set_forces(changed, then, 2, &error) == KDR_OK, "%d: %s", n, error.message);
        expect_same_runs((const kdr_system *[]){changed, other}, (kdr_particles *[]){&a, &b}, clock, n);
        cr_expect(kdr_system_set_forces(changed, &wrong, 1, &error) == KDR_ERROR_NOT_FINITE);
        cr_expect(kdr_system_set_forces(changed, NULL, 1, &error) == KDR_ERROR_NULL);
        cr_expect(kdr_system_set_forces(NULL, then, 1, &error) == KDR_ERROR_NULL);
        expect_same_runs((const kdr_system *[]){changed, other}, (kdr_particles *[]){&a, &b}, clock, n);
        kdr_system_destroy(changed);
        kdr_system_destroy(other);
        kdr_particles_destroy(&a);
        kdr_particles_destroy(&b);
    }
}
