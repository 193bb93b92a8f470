/* The energy that colliders took: compared with closed forms, in the energy balance, and for a million particles in a run that allocates
 * nothing. */
#include "support.h"

#include <kickdrift/system.h>

#include <stdlib.h>

static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};

static kdr_particles make(size_t count, kdr_real real) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    desc.count = count;
    desc.real = real;
    desc.inverse_mass = true;
    desc.memory = true;
    desc.dissipated_energy = true;
    kdr_particles p;
    cr_assert(kdr_particles_create(&desc, &p, NULL) == KDR_OK);
    for (int k = 0; k < 2; ++k) {
        for (size_t i = 0; i < count; ++i) {
            cr_assert(p.dissipated_energy[k][i] == 0);
        }
    }
    return p;
}

static kdr_integrator_desc beside(kdr_method method, kdr_real real, const kdr_force *forces, size_t count, const kdr_collider *colliders,
                                  size_t collider_count) {
    kdr_integrator_desc desc = describe(method, real, KDR_FUSED, forces, count);
    desc.colliders = colliders;
    desc.collider_count = collider_count;
    return desc;
}

/* A ball is dropped from height 1 under g = 2. A bounce leaves e^2 of the energy 2 m. After bounce k, 2 m (1 - e^(2k)) has been taken. */
Test(dissipation, of_a_bouncing_ball) {
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -2);
    kdr_collider ground = kdr_collider_plane(origin, up);
    const double mass = 2.5, dt = 1e-4;
    for (int e = 0; e < 3; ++e) {
        ground.restitution = (const double[]){1, 0.8, 0.5}[e];
        const kdr_integrator_desc desc = beside(KDR_VELOCITY_VERLET, KDR_F64, &gravity, 1, &ground, 1);
        kdr_particles p = make(3, KDR_F64);
        for (size_t i = 0; i < 3; ++i) {
            put_state(&p, i, &(state){{0, 0, 1}, {0.3, 0, 0}});
            set(p.inverse_mass, KDR_F64, i, 1 / mass);
        }
        set(p.inverse_mass, KDR_F64, 1, 0); /* frozen: loses nothing */
        kdr_clock clock = {0, dt, 0};
        double impact = 1, flight = 2, left = 1;
        for (int bounce = 0; bounce < 5; ++bounce) {
            flight *= ground.restitution;
            left *= ground.restitution * ground.restitution;
            const uint64_t until = (uint64_t)((impact + 0.5 * flight) / dt);
            advance(BY_INTEGRATOR, &desc, &p, &clock, until - clock.step);
            impact += flight;
            const double expected = 2 * mass * (1 - left);
            cr_expect(close_to(p.dissipated_energy[KDR_RESTITUTION][0], expected, 1e-3 * mass), "e = %g, bounce %d: %.9g, expected %.9g",
                      ground.restitution, bounce, p.dissipated_energy[KDR_RESTITUTION][0], expected);
            cr_expect(p.dissipated_energy[KDR_RESTITUTION][2] == p.dissipated_energy[KDR_RESTITUTION][0] &&
                      p.dissipated_energy[KDR_RESTITUTION][1] == 0);
            cr_expect(p.dissipated_energy[KDR_FRICTION][0] == 0);
        }
        kdr_particles_destroy(&p);
    }
}

/* A block slides on the ground with Coulomb friction. Friction takes all of m v^2 / 2, and nothing more at rest, to the bit. */
Test(dissipation, of_a_block_that_slides) {
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -9.81);
    kdr_collider ground = kdr_collider_plane(origin, up);
    ground.restitution = 0.5;
    ground.sliding = 0.3;
    const double low[3] = {-9, -9, 0}, high[3] = {9, 9, 9};
    kdr_collider box = kdr_collider_box(low, high, true);
    box.restitution = 0.5;
    box.sliding = 0.3;
    for (int b = 0; b < 2; ++b) {
        const kdr_integrator_desc desc = beside(KDR_SEMI_IMPLICIT_EULER, KDR_F64, &gravity, 1, b ? &box : &ground, 1);
        kdr_particles p = make(1, KDR_F64);
        put_state(&p, 0, &(state){{0, 0, 0}, {1.5, -2, 0}});
        set(p.inverse_mass, KDR_F64, 0, 0.25);
        kdr_clock clock = {0, 1e-3, 0};
        advance(BY_INTEGRATOR, &desc, &p, &clock, 2000);
        const double taken = p.dissipated_energy[KDR_FRICTION][0];
        cr_expect(get_state(&p, 0).v[0] == 0 && close_to(taken, 0.5 * 4 * 6.25, 1e-3 * 12.5), "%.9g", taken);
        cr_expect(p.dissipated_energy[KDR_RESTITUTION][0] == 0);
        advance(BY_INTEGRATOR, &desc, &p, &clock, 2000);
        cr_expect(p.dissipated_energy[KDR_FRICTION][0] == taken);
        kdr_particles_destroy(&p);
    }
}

/* One contact without forces takes (1 - e^2) of the normal part, then c_n (2 - c_n) of the rest; and f (2 - f) of the tangential part. */
Test(dissipation, of_one_contact) {
    const double n[3] = {0.6, 0, 0.8}, u = 3, w = 2, e = 0.5, c = 0.25, f = 0.125;
    kdr_collider slope = kdr_collider_plane(origin, n);
    slope.restitution = e;
    slope.friction_normal = c;
    slope.friction = f;
    const kdr_integrator_desc desc = beside(KDR_RK4, KDR_F64, NULL, 0, &slope, 1);
    kdr_particles p = make(1, KDR_F64);
    /* The velocity is u into the slope, w along it and w across it. */
    put_state(&p, 0, &(state){{0.06, 0, 0.08}, {-u * 0.6 + w * 0.8, w, -u * 0.8 - w * 0.6}});
    set(p.inverse_mass, KDR_F64, 0, 0.5);
    kdr_clock clock = {0, 0.1, 0};
    advance(BY_INTEGRATOR, &desc, &p, &clock, 1);
    const double bounced = e * e * u * u;
    cr_expect(close_to(p.dissipated_energy[KDR_RESTITUTION][0], u * u - bounced, 1e-14), "%.17g", p.dissipated_energy[KDR_RESTITUTION][0]);
    cr_expect(close_to(p.dissipated_energy[KDR_FRICTION][0], bounced * c * (2 - c) + 2 * w * w * f * (2 - f), 1e-14), "%.17g",
              p.dissipated_energy[KDR_FRICTION][0]);
    kdr_particles_destroy(&p);
}

/* A particle that meets nothing loses nothing, whatever its mass, in a system run and by its reference. */
Test(dissipation, of_no_contact) {
    const double masses[] = {NAN, INFINITY, 0x1p-1074, -1};
    const kdr_collider ground = kdr_collider_plane(origin, up);
    kdr_system_desc desc = kdr_system_desc_default();
    desc.colliders = &ground, desc.collider_count = 1;
    for (int n = 0; n < 8; ++n) {
        kdr_particles p = make(1, KDR_F64);
        kdr_clock clock = {0, 0.125, 0};
        put_state(&p, 0, &(state){{0, 0, 1}, {0, 0, 1}});
        set(p.inverse_mass, KDR_F64, 0, masses[n / 2]);
        if (n % 2) {
            cr_assert(kdr_reference_system_run(&desc, &p, &clock, 2, NULL) == KDR_OK);
        } else {
            kdr_system *system;
            kdr_workspace workspace;
            cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
            cr_assert(kdr_workspace_create(system, 1, 3, (kdr_allocator){0}, &workspace, NULL) == KDR_OK);
            cr_assert(kdr_system_run(system, &p, &clock, 2, &workspace, NULL) == KDR_OK);
            kdr_workspace_destroy(&workspace);
            kdr_system_destroy(system);
        }
        cr_expect(p.dissipated_energy[KDR_RESTITUTION][0] == 0 && p.dissipated_energy[KDR_FRICTION][0] == 0, "%s, inverse mass %g",
                  n % 2 ? "reference" : "library", masses[n / 2]);
        kdr_particles_destroy(&p);
    }
}

/* Particles are thrown among surfaces of all kinds until most are at rest. The sum of their energy and the energy taken is constant, in
 * second order. */
Test(dissipation, balances_the_energy) {
    enum { COUNT = 500 };
    const kdr_force forces[] = {kdr_force_uniform_acceleration(0, 0, -9.81), kdr_force_spring(0.5, 0, 0, 0)};
    const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1}, ball[3] = {0.2, 0, -0.6}, lean[3] = {-1, 0.3, 2}, at[3] = {0.5, 0, -1},
                 least[3] = {-0.8, -0.8, -1}, most[3] = {-0.4, -0.4, -0.5};
    kdr_collider list[] = {kdr_collider_sphere(ball, 0.3, false), kdr_collider_plane(at, lean), kdr_collider_box(least, most, false),
                           kdr_collider_sphere(origin, 1.6, true), kdr_collider_box(low, high, true)};
    for (int i = 0; i < 5; ++i) {
        list[i].restitution = 0.5 + 0.1 * i;
        list[i].friction = 0.02 * i;
        list[i].friction_normal = i == 1 ? 0.1 : 0;
        list[i].sliding = i % 2 ? 0.2 : 0;
    }
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_RK4, KDR_EXACT_AFFINE};
    for (int m = 0; m < 3; ++m) {
        double off[2];
        for (int halved = 0; halved < 2; ++halved) {
            const kdr_integrator_desc desc = beside(methods[m], KDR_F64, forces, 2, list, 5);
            kdr_particles p = make(COUNT, KDR_F64);
            uint64_t seed = 11;
            for (size_t i = 0; i < COUNT; ++i) {
                state s;
                for (int a = 0; a < 3; ++a) {
                    s.x[a] = a == 2 ? random_in(&seed, 0.1, 0.9) : random_in(&seed, -0.7, 0.7);
                    s.v[a] = random_in(&seed, -2, 2);
                }
                put_state(&p, i, &s);
                set(p.inverse_mass, KDR_F64, i, random_in(&seed, 0.5, 2));
            }
            kdr_integrator *integrator;
            cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
            kdr_clock clock = {0, halved ? 2.5e-4 : 5e-4, 0};
            kdr_observables first, last;
            cr_assert(kdr_observe(integrator, &p, &clock, &first, NULL) == KDR_OK);
            cr_assert(kdr_integrator_run(integrator, &p, &clock, halved ? 12000 : 6000, NULL) == KDR_OK);
            cr_assert(kdr_observe(integrator, &p, &clock, &last, NULL) == KDR_OK);
            const double taken = last.dissipated_energy[KDR_RESTITUTION] + last.dissipated_energy[KDR_FRICTION];
            cr_expect(first.dissipated_energy[0] == 0 && first.dissipated_energy[1] == 0);
            cr_expect(last.dissipated_energy[KDR_RESTITUTION] > 0.1 * taken && last.dissipated_energy[KDR_FRICTION] > 0.1 * taken);
            off[halved] = fabs(last.energy + taken - first.energy) / taken;
            kdr_integrator_destroy(integrator);
            kdr_particles_destroy(&p);
        }
        fprintf(stderr, "%s: off by %.2g of what was taken, with half the step %.2g\n", kdr_method_get(methods[m])->name, off[0], off[1]);
        cr_expect(off[0] < 1e-4 && off[1] < 5e-5, "%g %g", off[0], off[1]);
    }
}

/* Counts the library's allocations, which the linker redirects here (see CMakeLists.txt). */
static int allocations;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) {
    ++allocations;
    return __real_malloc(size);
}
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) {
    ++allocations;
    return __real_calloc(count, size);
}
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    ++allocations;
    return __real_aligned_alloc(alignment, size);
}

/* A million particles among ten colliders of random restitution: none is lost, and no step allocates. */
Test(dissipation, of_a_million_none_is_lost) {
    enum { COUNT = 1000000, STEPS = 200 };
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -9.81);
    const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    uint64_t seed = test_seed();
    kdr_collider list[10];
    for (int i = 0; i < 10; ++i) {
        double at[3], n[3], far[3];
        for (int a = 0; a < 3; ++a) {
            at[a] = random_in(&seed, -0.5, 0.5);
            far[a] = at[a] + random_in(&seed, 0.1, 0.3);
            n[a] = -at[a];
        }
        list[i] = i == 9  ? kdr_collider_box(low, high, true)
                  : i < 4 ? kdr_collider_sphere(at, random_in(&seed, 0.05, 0.2), false)
                  : i < 7 ? kdr_collider_box(at, far, false)
                          : kdr_collider_plane((double[]){2 * at[0], 2 * at[1], 2 * at[2]}, n);
        list[i].restitution = random_in(&seed, 0, 1);
        list[i].friction = random_in(&seed, 0, 0.2);
    }
    const kdr_integrator_desc desc = beside(KDR_VELOCITY_VERLET, KDR_F32, &gravity, 1, list, 10);
    kdr_particles p = make(COUNT, KDR_F32);
    for (size_t i = 0; i < COUNT; ++i) {
        for (int a = 0; a < 3; ++a) {
            set(p.x[a], KDR_F32, i, random_in(&seed, -1, 1));
            set(p.v[a], KDR_F32, i, random_in(&seed, -5, 5));
        }
    }
    allocations = 0;
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    cr_expect(allocations > 0, "the count of allocations does not work");
    allocations = 0;
    kdr_clock clock = {0, 5e-3, 0};
    cr_assert(kdr_integrator_run(integrator, &p, &clock, STEPS, NULL) == KDR_OK);
    cr_expect(allocations == 0, "%d", allocations);
    double taken = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        const state s = get_state(&p, i);
        cr_assert(fabs(s.x[0]) <= 1 && fabs(s.x[1]) <= 1 && fabs(s.x[2]) <= 1, "%zu: %g %g %g", i, s.x[0], s.x[1], s.x[2]);
        cr_assert(p.dissipated_energy[KDR_RESTITUTION][i] >= 0 && p.dissipated_energy[KDR_FRICTION][i] >= 0);
        taken += p.dissipated_energy[KDR_RESTITUTION][i] + p.dissipated_energy[KDR_FRICTION][i];
    }
    cr_expect(taken > COUNT, "%g", taken);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
}
