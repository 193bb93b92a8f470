/* Moving surfaces: speeds after an impulse, what a platform, a belt and a box carry, and refusals. */
#include "system_support.h"

#include <kickdrift/contact.h>

static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};

static kdr_collider set_going(kdr_collider collider, double x, double y, double z) {
    collider.velocity[0] = x, collider.velocity[1] = y, collider.velocity[2] = z;
    return collider;
}

typedef struct scene {
    kdr_integrator_desc desc;
    kdr_force weight;
    kdr_particles p;
    kdr_clock clock;
    double taken[2][64];
    uint32_t bounces[64];
} scene;

static void begin(scene *s, kdr_method method, kdr_real real, double g, const kdr_collider *colliders, size_t count) {
    memset(s, 0, sizeof *s);
    s->weight = kdr_force_uniform_acceleration(0, 0, -g);
    s->desc = describe(method, real, KDR_FUSED, &s->weight, 1);
    s->desc.colliders = colliders, s->desc.collider_count = count;
    s->p = make_particles(1, 3, real, false, true);
    s->p.bounces = s->bounces;
    s->p.dissipated_energy[0] = s->taken[0], s->p.dissipated_energy[1] = s->taken[1];
    s->clock.dt = 1.0 / 256;
}

static void put(scene *s, double x, double y, double z, double vx, double vy, double vz) {
    const double at[6] = {x, y, z, vx, vy, vz};
    for (int i = 0; i < 6; ++i) {
        set(i < 3 ? s->p.x[i] : s->p.v[i - 3], s->p.real, 0, at[i]);
    }
}

/* Runs in pieces of several lengths; the reference runs the first half of them. */
static void go(scene *s, int steps) {
    kdr_integrator *integrator;
    kdr_error error;
    cr_assert(kdr_integrator_create(&s->desc, &integrator, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_reference_run(&s->desc, &s->p, &s->clock, (uint64_t)(steps / 4), &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_integrator_run(integrator, &s->p, &s->clock, 7, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_integrator_run(integrator, &s->p, &s->clock, (uint64_t)(steps - steps / 4 - 7), &error) == KDR_OK, "%s", error.message);
    kdr_integrator_destroy(integrator);
}

static void end(scene *s) {
    s->p.dissipated_energy[0] = s->p.dissipated_energy[1] = NULL;
    s->p.bounces = NULL;
    s->p.contacts = NULL;
    kdr_particles_destroy(&s->p);
}

static double x_of(const scene *s, int axis) { return get(s->p.x[axis], s->p.real, 0); }
static double v_of(const scene *s, int axis) { return get(s->p.v[axis], s->p.real, 0); }

/* An elastic wall of velocity u turns v into 2 u - v, wherever and whenever they meet. The contact records the speed relative to the
 * wall. */
Test(colliders_moving, an_elastic_wall_throws) {
    for (int n = 0; n < 4; ++n) {
        const kdr_real real = n % 2 ? KDR_F32 : KDR_F64;
        const double small = n % 2 ? 1e-6 : 1e-14;
        kdr_collider wall = n / 2 ? kdr_collider_box((double[]){-1, -1, -2}, (double[]){1, 1, 0}, false) : kdr_collider_plane(origin, up);
        wall = set_going(wall, 0, 0, 0.5);
        wall.since = 0.25;
        scene s;
        kdr_contact list[2];
        kdr_contacts contacts = {.list = list, .capacity = 2};
        begin(&s, KDR_VELOCITY_VERLET, real, 0, &wall, 1);
        put(&s, 0.25, 0.25, 1, 0.125, 0, -1);
        kdr_integrator *integrator;
        s.p.contacts = &contacts;
        cr_assert(kdr_integrator_create(&s.desc, &integrator, NULL) == KDR_OK);
        cr_assert(kdr_integrator_run(integrator, &s.p, &s.clock, 512, NULL) == KDR_OK);
        kdr_integrator_destroy(integrator);
        const double met = 1.125 / 1.5; /* 1 - t = 0.5 (t - 0.25) */
        cr_expect(fabs(v_of(&s, 2) - 2) < small && v_of(&s, 0) == 0.125 && s.bounces[0] == 1, "%d: %.17g", n, v_of(&s, 2));
        cr_expect(fabs(x_of(&s, 2) - (1 - met + 2 * (2 - met))) < 8 * small, "%d: %.17g", n, x_of(&s, 2));
        cr_expect(contacts.count == 1 && fabs(list[0].time - met) < small && fabs(list[0].speed - 1.5) < small &&
                      fabs(list[0].impulse[2] - 3) < 4 * small,
                  "%d: %.17g at %.17g", n, list[0].speed, list[0].time);
        cr_expect(s.taken[0][0] == 0 && s.taken[1][0] == 0);
        end(&s);
    }
}

/* A particle that falls on a rising platform comes to rest on it and moves with it. One next to its edge does not. */
Test(colliders_moving, a_platform_carries) {
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_RK4, KDR_SEMI_IMPLICIT_EULER, KDR_SUVAT};
    for (int m = 0; m < 4; ++m) {
        kdr_collider platform = kdr_collider_box((double[]){-1, -1, -0.5}, (double[]){1, 1, 0}, false);
        platform = set_going(platform, 0.5, 0.125, 0.75);
        platform.restitution = 0.5;
        platform.sliding = 0.5;
        scene s;
        begin(&s, methods[m], KDR_F64, 9.81, &platform, 1);
        put(&s, 0.25, 0, 1.5, 0.5, 0.125, 0);
        go(&s, 256 * 8);
        const double t = 8;
        cr_expect(fabs(x_of(&s, 2) - 0.75 * t) < 1e-12 && fabs(v_of(&s, 2) - 0.75) < 1e-12, "%s: %.17g", kdr_method_get(methods[m])->name,
                  x_of(&s, 2));
        cr_expect(fabs(v_of(&s, 0) - 0.5) < 1e-12 && fabs(x_of(&s, 0) - 0.25 - 0.5 * t) < 1e-12 && s.bounces[0] > 2);
        end(&s);
    }
}

/* Sliding friction accelerates a particle on a belt to the belt's speed, and takes mu g times the distance that it slides. */
Test(colliders_moving, a_belt_takes_along) {
    kdr_collider belt = set_going(kdr_collider_plane(origin, up), 2, 0, 0);
    belt.restitution = 0;
    belt.sliding = 0.3;
    scene s;
    begin(&s, KDR_VELOCITY_VERLET, KDR_F64, 9.81, &belt, 1);
    put(&s, 0, 0, 0, 0, 0, 0);
    go(&s, 256 * 2);
    const double at = 2 / (0.3 * 9.81);
    cr_expect(fabs(v_of(&s, 0) - 2) < 1e-13 && fabs(x_of(&s, 0) - (at + 2 * (2 - at))) < 1e-12, "%.17g", x_of(&s, 0));
    cr_expect(x_of(&s, 2) == 0 && fabs(s.taken[1][0] - 2) < 1e-12, "%.17g", s.taken[1][0]);
    end(&s);
}

/* Particles are in the corner of a moving box, on three faces at once, or on a floor next to a wall that pushes. */
Test(colliders_moving, several_surfaces) {
    kdr_collider box = set_going(kdr_collider_box((double[]){-1, -1, -1}, (double[]){1, 1, 1}, true), 0.5, -0.25, 0.125);
    box.restitution = 0.5;
    const kdr_force pull = kdr_force_uniform_acceleration(-1, 2, -3);
    scene s;
    begin(&s, KDR_VELOCITY_VERLET, KDR_F64, 0, &box, 1);
    s.desc.forces = &pull;
    put(&s, 0, 0.25, 0.5, 0, 0, 0);
    go(&s, 256 * 16);
    for (int i = 0; i < 3; ++i) {
        const double corner = i == 1 ? 1 : -1;
        cr_expect(fabs(x_of(&s, i) - 16 * box.velocity[i] - corner) < 1e-12 && fabs(v_of(&s, i) - box.velocity[i]) < 1e-12,
                  "axis %d: %.17g", i, x_of(&s, i));
    }
    end(&s);
    kdr_collider pushed[] = {kdr_collider_plane(origin, up), set_going(kdr_collider_plane(origin, (double[]){1, 0, 0}), 0.5, 3, 0)};
    pushed[0].restitution = pushed[1].restitution = 0;
    pushed[0].sliding = 0.25;
    for (int n = 0; n < 2; ++n) {
        const kdr_collider list[] = {pushed[n], pushed[1 - n]};
        begin(&s, KDR_RK4, KDR_F64, 9.81, list, 2);
        put(&s, 0.25, 0, 0, 0, 0, 0);
        go(&s, 256 * 4);
        cr_expect(fabs(x_of(&s, 0) - 2) < 1e-12 && fabs(v_of(&s, 0) - 0.5) < 1e-12 && x_of(&s, 2) == 0 && v_of(&s, 2) == 0 &&
                      v_of(&s, 1) == 0,
                  "%d: %.17g %.17g", n, x_of(&s, 0), v_of(&s, 1));
        end(&s);
        begin(&s, KDR_RK4, KDR_F64, 9.81, list, 2); /* the wall is met first; without friction it does not take the particle along */
        put(&s, 0, 0, 0.5, 0, 0, 0);
        go(&s, 256 * 4);
        cr_expect(fabs(x_of(&s, 0) - 2) < 1e-12 && x_of(&s, 2) == 0 && v_of(&s, 1) == 0, "%d: %.17g", n, v_of(&s, 1));
        end(&s);
    }
}

/* Level boxes that move together are one floor. Spheres push. With a wall that comes in slowly, |v| times the width is constant. */
Test(colliders_moving, tiles_spheres_and_a_piston) {
    kdr_collider tiles[20];
    for (int i = 0; i < 20; ++i) {
        tiles[i] = set_going(kdr_collider_box((double[]){0.7 * i, -1, -1}, (double[]){0.7 * (i + 1), 1, 0}, false), 0.3, 0.1, 0);
        tiles[i].restitution = 0.25;
    }
    scene s;
    begin(&s, KDR_VELOCITY_VERLET, KDR_F64, 9.81, tiles, 20);
    put(&s, 0.1, 0, 0, 2.3, 0.1, 0);
    go(&s, 256 * 5);
    cr_expect(x_of(&s, 2) == 0 && v_of(&s, 0) == 2.3 && v_of(&s, 2) == 0, "%.17g %.17g", x_of(&s, 2), v_of(&s, 0));
    end(&s);
    const kdr_collider ball = set_going(kdr_collider_sphere((double[]){3, 0, 0}, 1, false), -1, 0, 0);
    begin(&s, KDR_VELOCITY_VERLET, KDR_F64, 0, &ball, 1);
    put(&s, 0, 0, 0, 0, 0, 0);
    go(&s, 256 * 4);
    cr_expect(fabs(v_of(&s, 0) + 2) < 1e-13 && fabs(x_of(&s, 0) + 4) < 1e-12, "%.17g %.17g", v_of(&s, 0), x_of(&s, 0));
    end(&s);
    const kdr_collider cylinder[] = {kdr_collider_plane(origin, (double[]){1, 0, 0}),
                                     set_going(kdr_collider_plane((double[]){1, 0, 0}, (double[]){-1, 0, 0}), -0.0009765625, 0, 0)};
    begin(&s, KDR_VELOCITY_VERLET, KDR_F64, 0, cylinder, 2);
    put(&s, 0.5, 0, 0, 1, 0, 0);
    go(&s, 256 * 512);
    cr_expect(fabs(fabs(v_of(&s, 0)) * 0.5 - 1) < 2e-3 && s.bounces[0] > 600, "%.17g", v_of(&s, 0));
    end(&s);
}

/* System runs have the bits of field runs, and particles of a heat bath are pushed too. */
Test(colliders_moving, system_runs_and_heat_baths) {
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_RK4, KDR_BAOAB};
    kdr_collider floor = set_going(kdr_collider_plane(origin, up), 0.25, 0, 0.5);
    floor.restitution = 0.5;
    for (int m = 0; m < 3; ++m) {
        scene a, b;
        kdr_workspace workspace;
        kdr_system *system;
        kdr_error error;
        begin(&a, methods[m], KDR_F64, 4, &floor, 1);
        begin(&b, methods[m], KDR_F64, 4, &floor, 1);
        kdr_system_desc desc = describe_system(methods[m], KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.forces = &b.weight, desc.force_count = 1;
        desc.colliders = &floor, desc.collider_count = 1;
        if (methods[m] == KDR_BAOAB) {
            a.desc.langevin = desc.langevin = (kdr_langevin){1, 0.5, 7};
        }
        put(&a, 0, 0, 1, 0.5, 0, 0);
        put(&b, 0, 0, 1, 0.5, 0, 0);
        go(&a, 1024);
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_workspace_create(system, 1, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_system_run(system, &b.p, &b.clock, 1024, &workspace, &error) == KDR_OK, "%s", error.message);
        cr_expect(same_bits(&a.p, &b.p) && x_of(&a, 2) >= 2, "%s: %.17g %.17g", kdr_method_get(methods[m])->name, x_of(&a, 2), x_of(&b, 2));
        kdr_workspace_destroy(&workspace);
        kdr_system_destroy(system);
        end(&a);
        end(&b);
    }
}

/* With many particles on a plane, and no contacts to count, specialised kernels for ground at rest must not be used. */
Test(colliders_moving, ground_without_counts) {
    enum { MANY = 1000 };
    static const kdr_method methods[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET};
    kdr_collider ground = set_going(kdr_collider_plane(origin, up), 1, 0, 0.5);
    const kdr_force weight = kdr_force_uniform_acceleration(0, 0, -9.81);
    ground.restitution = 0.25;
    for (int m = 0; m < 4; ++m) {
        kdr_integrator_desc desc = describe(methods[m / 2], m % 2 ? KDR_F32 : KDR_F64, KDR_FUSED, &weight, 1);
        desc.colliders = &ground, desc.collider_count = 1;
        kdr_particles a = make_particles(MANY, 3, desc.real, false, true), b = make_particles(MANY, 3, desc.real, false, true);
        kdr_clock clock = {.dt = 1.0 / 64}, twin = clock;
        kdr_integrator *integrator;
        kdr_error error;
        uint64_t seed = test_seed();
        fill_random(&a, &seed);
        copy_state(&b, &a);
        cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_integrator_run(integrator, &a, &clock, 300, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_reference_run(&desc, &b, &twin, 300, &error) == KDR_OK, "%s", error.message);
        cr_expect(same_bits(&a, &b), "%d", m);
        for (size_t n = 0; n < MANY; ++n) {
            cr_assert(get(a.x[2], desc.real, n) > 0.5 * 300 / 64 - 1e-5, "%d, particle %zu: %.17g", m, n, get(a.x[2], desc.real, n));
        }
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&a);
        kdr_particles_destroy(&b);
    }
}

Test(colliders_moving, what_is_refused) {
    kdr_collider floor = set_going(kdr_collider_plane(origin, up), 0, 0, NAN);
    kdr_constraint rail = kdr_constraint_plane(origin, (double[]){1, 0, 0});
    kdr_integrator *integrator = NULL;
    kdr_error error;
    scene s;
    begin(&s, KDR_VELOCITY_VERLET, KDR_F64, 1, &floor, 1);
    cr_expect(kdr_integrator_create(&s.desc, &integrator, &error) == KDR_ERROR_NOT_FINITE && strstr(error.message, "colliders[0].velocity"),
              "%s", error.message);
    floor = set_going(floor, 0, 0, 1);
    floor.since = INFINITY;
    cr_expect(kdr_integrator_create(&s.desc, &integrator, &error) == KDR_ERROR_NOT_FINITE && strstr(error.message, "colliders[0].since"),
              "%s", error.message);
    floor.since = 0;
    s.desc.constraints = &rail, s.desc.constraint_count = 1;
    cr_expect(kdr_integrator_create(&s.desc, &integrator, &error) == KDR_ERROR_UNSUPPORTED && strstr(error.message, "with constraints"),
              "%s", error.message);
    end(&s);
}
