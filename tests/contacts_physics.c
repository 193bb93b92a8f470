/* Contacts compared with mathematics: floors of boxes, grooves, wedges, elastic flights, orders between walls, and energy balances. */
#include "methods.h"

#define COUNT 200

static const kdr_real reals[] = {KDR_F64, KDR_F32};

static kdr_integrator_desc in_rooms(kdr_method method, kdr_real real, const kdr_force *force, const kdr_collider *list, size_t count) {
    kdr_integrator_desc desc = describe(method, real, KDR_FUSED, force, force ? 1 : 0);
    desc.colliders = list, desc.collider_count = count;
    return desc;
}

/* On a floor of tiles, in both orders of the list, a sliding particle keeps its speed and its height over every seam, to the bit. A thrown
 * particle never meets the side of a tile. */
Test(contacts_physics, tiles_are_one_floor) {
    enum { TILES = 24 };
    const kdr_force weight = kdr_force_uniform_acceleration(0, -9.81, 0);
    kdr_collider tiles[TILES];
    for (int n = 0; n < 2 * 2 * 2 * 3; ++n) {
        const kdr_real real = reals[n % 2];
        const int dims = 2 + n / 2 % 2, backwards = n / 4 % 2;
        for (int k = 0; k < TILES; ++k) {
            const double at = backwards ? TILES - 1 - k : k;
            tiles[k] = kdr_collider_box((double[]){at - 4, -1, -9}, (double[]){at - 3, 0.3, 9}, false);
            tiles[k].restitution = n / 8 * 0.5;
        }
        const kdr_integrator_desc desc = in_rooms(KDR_VELOCITY_VERLET, real, &weight, tiles, TILES);
        kdr_particles p = make_particles(COUNT, dims, real, false, true), before = make_particles(COUNT, dims, real, false, true);
        uint64_t seed = test_seed();
        for (size_t i = 0; i < COUNT; ++i) {
            const bool slides = i % 2 == 0;
            set(p.x[0], real, i, random_in(&seed, -3.5, -2));
            set(p.x[1], real, i, slides ? (real == KDR_F32 ? (double)0.3f : 0.3) : random_in(&seed, 0.5, 2));
            set(p.v[0], real, i, random_in(&seed, 1, 3));
            set(p.v[1], real, i, slides ? 0 : random_in(&seed, -3, 3));
        }
        copy_state(&before, &p);
        kdr_clock clock = {0, 1.0 / 64, 0};
        advance(BY_INTEGRATOR, &desc, &p, &clock, 256);
        for (size_t i = 0; i < COUNT; ++i) {
            const state s = get_state(&p, i), start = get_state(&before, i);
            cr_assert(s.v[0] == start.v[0] && s.x[1] >= start.x[1] * (i % 2 == 0) && s.x[1] >= (real == KDR_F32 ? (double)0.3f : 0.3),
                      "%d, %zu: %g %g %g", n, i, s.v[0], s.x[1], s.v[1]);
        }
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&before);
    }
}

/* A wind presses particles on to a wall that is next to the floor, on it, or edge to edge with it. None gets between the two. */
Test(contacts_physics, none_gets_between_floor_and_wall) {
    const kdr_force wind = kdr_force_uniform_acceleration(3, -9.81, 0);
    for (int n = 0; n < 4 * 2 * 2 * 2; ++n) {
        const kdr_real real = reals[n / 16];
        const double low = n % 4 == 0 ? -1 : 0, end = n % 4 == 2 ? 9 : 5;
        kdr_collider list[2] = {n % 4 == 3 ? kdr_collider_plane((double[]){0, 0, 0}, (double[]){0, 1, 0})
                                           : kdr_collider_box((double[]){-9, -1, -9}, (double[]){end, 0, 9}, false),
                                kdr_collider_box((double[]){5, low, -9}, (double[]){6, 9, 9}, false)};
        for (int k = 0; k < 2; ++k) {
            list[k].restitution = n / 8 % 2 * 0.5;
        }
        if (n / 4 % 2) {
            const kdr_collider first = list[0];
            list[0] = list[1], list[1] = first;
        }
        const kdr_integrator_desc desc = in_rooms(KDR_VELOCITY_VERLET, real, &wind, list, 2);
        kdr_particles p = make_particles(COUNT, 3, real, false, true);
        uint64_t seed = test_seed();
        for (size_t i = 0; i < COUNT; ++i) {
            set(p.x[0], real, i, random_in(&seed, -4, 4));
            set(p.x[1], real, i, i % 2 ? 0 : random_in(&seed, 0, 1));
            set(p.v[0], real, i, random_in(&seed, -1, 1));
        }
        kdr_clock clock = {0, 1.0 / 60, 0};
        advance(BY_INTEGRATOR, &desc, &p, &clock, 400);
        for (size_t i = 0; i < COUNT; ++i) {
            const state s = get_state(&p, i);
            cr_assert(s.x[0] <= 5 && s.x[1] >= 0, "%d, %zu: %g %g", n, i, s.x[0], s.x[1]);
        }
        kdr_particles_destroy(&p);
    }
}

/* In grooves of two planes, at 10 to 150 degrees, particles come to rest to the bit, penetrate neither plane by more than rounding, and the
 * missing energy is what restitution took. */
Test(contacts_physics, grooves) {
    const kdr_force weight = kdr_force_uniform_acceleration(0, -9.81, 0);
    static double taken[2][COUNT];
    for (int degrees = 10; degrees <= 150; degrees += 20) {
        const double half = degrees * acos(-1) / 360, normal[2][3] = {{cos(half), sin(half), 0}, {-cos(half), sin(half), 0}};
        kdr_collider list[2];
        for (int k = 0; k < 2; ++k) {
            list[k] = kdr_collider_plane((double[]){0, 0, 0}, normal[k]);
            list[k].restitution = 0.5;
        }
        const kdr_integrator_desc desc = in_rooms(KDR_VELOCITY_VERLET, KDR_F64, &weight, list, 2);
        kdr_particles p = make_particles(COUNT, 2, KDR_F64, false, true);
        double energy[COUNT];
        uint64_t seed = test_seed();
        memset(taken, 0, sizeof taken);
        p.dissipated_energy[0] = taken[0], p.dissipated_energy[1] = taken[1];
        for (size_t i = 0; i < COUNT; ++i) {
            set(p.x[0], KDR_F64, i, random_in(&seed, -0.05, 0.05));
            set(p.x[1], KDR_F64, i, 1);
            set(p.v[0], KDR_F64, i, random_in(&seed, -1, 1));
            set(p.v[1], KDR_F64, i, 0);
            energy[i] = 9.81 + 0.5 * get(p.v[0], KDR_F64, i) * get(p.v[0], KDR_F64, i);
        }
        kdr_clock clock = {0, 1.0 / 60, 0};
        advance(BY_INTEGRATOR, &desc, &p, &clock, 6000);
        for (size_t i = 0; i < COUNT; ++i) {
            const state s = get_state(&p, i);
            cr_assert(s.v[0] == 0 && s.v[1] == 0, "%d degrees, %zu: %g %g", degrees, i, s.v[0], s.v[1]);
            for (int k = 0; k < 2; ++k) {
                cr_assert(normal[k][0] * s.x[0] + normal[k][1] * s.x[1] > -1e-16, "%d degrees, %zu", degrees, i);
            }
            cr_assert(fabs(9.81 * s.x[1] + taken[0][i] + taken[1][i] - energy[i]) < 1e-12, "%d degrees, %zu", degrees, i);
        }
        p.dissipated_energy[0] = p.dissipated_energy[1] = NULL;
        kdr_particles_destroy(&p);
    }
}

/* In a wedge of 75 degrees, which belongs to no mirror group, large steps give the directions of small ones, in both orders of the list. */
Test(contacts_physics, wedges_in_order_of_time) {
    const double angle = 75 * acos(-1) / 180, edge[3] = {0, 0, 0};
    const kdr_collider list[] = {kdr_collider_plane(edge, (double[]){0, 1, 0}),
                                 kdr_collider_plane(edge, (double[]){sin(angle), -cos(angle), 0}),
                                 kdr_collider_plane(edge, (double[]){0, 1, 0})};
    uint64_t seed = test_seed();
    for (int i = 0; i < COUNT; ++i) {
        state start = {{2 * cos(angle / 2), 2 * sin(angle / 2), 0}, {0, 0, 0}};
        double aim[2], length = 0;
        for (int k = 0; k < 2; ++k) {
            aim[k] = random_in(&seed, 0, 0.2) - start.x[k] + (k ? 0.1 : 0.2) - random_in(&seed, 0, 0.1);
            length += aim[k] * aim[k];
        }
        for (int k = 0; k < 2; ++k) {
            start.v[k] = aim[k] / sqrt(length);
        }
        state end[3];
        for (int n = 0; n < 3; ++n) {
            const kdr_integrator_desc desc = in_rooms(KDR_POSITION_VERLET, KDR_F64, NULL, list + (n == 1), 2);
            end[n] = advance_one(BY_INTEGRATOR, &desc, start, n == 2 ? 1.0 / 512 : 0.125, n == 2 ? 3072 : 48);
        }
        cr_assert(apart(end[0].v, end[2].v) < 1e-9 && apart(end[1].v, end[2].v) < 1e-9, "%d: %g %g, %g %g", i, end[0].v[0], end[0].v[1],
                  end[2].v[0], end[2].v[1]);
    }
}

/* With walls, methods keep their order in any field. boris keeps the speed between walls. */
Test(contacts_physics, orders_between_walls) {
    static const struct {
        kdr_method method;
        kdr_composition compose;
        int field;
        double order;
    } cases[] = {{KDR_VELOCITY_VERLET, KDR_COMPOSE_NONE, 0, 2},
                 {KDR_RK4, KDR_COMPOSE_NONE, 0, 4},
                 {KDR_VELOCITY_VERLET_PC, KDR_COMPOSE_NONE, 1, 2},
                 {KDR_RK4, KDR_COMPOSE_NONE, 1, 4},
                 {KDR_BORIS, KDR_COMPOSE_NONE, 2, 2},
                 {KDR_BORIS, KDR_COMPOSE_SUZUKI_4, 2, 4},
                 {KDR_RK4, KDR_COMPOSE_NONE, 3, 4},
                 {KDR_EXACT_AFFINE, KDR_COMPOSE_NONE, 1, 0}};
    const kdr_force fields[] = {kdr_force_spring(5, 0.2, 0.6, 0), kdr_force_drag(0.5, 0, 0, 0),
                                kdr_force_electromagnetic(1, (double[]){0.1, 0, 0}, (double[]){0, 0, 0.5}),
                                kdr_force_centre(1, 0.4, 0.5, 0, 0.6)};
    const kdr_collider box = kdr_collider_box((double[]){0, 0, 0}, (double[]){1, 1, 1}, true);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        double error[2] = {0, 0};
        for (int i = 0; i < 6; ++i) {
            const state start = {{0.3 + 0.07 * i, 0.6 - 0.05 * i, 0.5}, {1.1 - 0.3 * i, 0.7 + 0.1 * i, 0.4}};
            kdr_integrator_desc fine = in_rooms(KDR_RK4, KDR_F64, &fields[cases[c].field], &box, 1),
                                desc = in_rooms(cases[c].method, KDR_F64, &fields[cases[c].field], &box, 1);
            desc.compose = cases[c].compose;
            const state truth = advance_one(BY_INTEGRATOR, &fine, start, 1.5 / 4000, 4000);
            for (int n = 0; n < 2; ++n) {
                const state end = advance_one(BY_INTEGRATOR, &desc, start, 1.5 / (75 << n), 75U << n);
                error[n] = fmax(error[n], fmax(apart(end.x, truth.x), apart(end.v, truth.v)));
            }
        }
        const double order = log2(error[0] / error[1]);
        fprintf(stderr, "%s in field %d: %.2g, %.2g, order %.2f\n", kdr_method_get(cases[c].method)->name, cases[c].field, error[0],
                error[1], order);
        cr_expect(cases[c].order == 0 ? error[0] < 1e-11 : close_to(order, cases[c].order, 0.35), "case %zu: order %g", c, order);
    }
    const kdr_force turns = kdr_force_electromagnetic(1, (double[]){0, 0, 0}, (double[]){0, 0, 2});
    const kdr_integrator_desc desc = in_rooms(KDR_BORIS, KDR_F64, &turns, &box, 1);
    const state end = advance_one(BY_INTEGRATOR, &desc, (state){{0.3, 0.4, 0.5}, {1, 0.7, 0.2}}, 0.01, 100000);
    const double square = end.v[0] * end.v[0] + end.v[1] * end.v[1] + end.v[2] * end.v[2];
    cr_expect(close_to(square, 1.53, 1e-11), "%.17g", square);
}

/* Balls with a restitution near 1 come to rest within twice the exact time. */
Test(contacts_physics, who_bounces_well_rests_too) {
    static const double restitution[] = {0.5, 0.9, 0.95, 0.99, 0.995};
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_RK4};
    const kdr_force weight = kdr_force_uniform_acceleration(0, 0, -9.81);
    for (int n = 0; n < 2 * 5 * 2; ++n) {
        const double e = restitution[n / 2 % 5];
        const kdr_real real = reals[n / 10];
        kdr_collider ground = kdr_collider_plane((double[]){0, 0, 0}, (double[]){0, 0, 1});
        ground.restitution = e;
        const kdr_integrator_desc desc = in_rooms(methods[n % 2], real, &weight, &ground, 1);
        kdr_particles p = make_particles(COUNT, 3, real, false, true);
        for (size_t i = 0; i < COUNT; ++i) {
            set(p.x[2], real, i, 1 + (double)i / COUNT);
        }
        kdr_clock clock = {0, 1.0 / 64, 0};
        advance(BY_INTEGRATOR, &desc, &p, &clock, (uint64_t)(2 * 64 * sqrt(4 / 9.81) * (1 + e) / (1 - e)));
        for (size_t i = 0; i < COUNT; ++i) {
            const state s = get_state(&p, i);
            cr_assert(s.x[2] == 0 && s.v[2] == 0, "restitution %g, %zu: %g %g", e, i, s.x[2], s.v[2]);
        }
        kdr_particles_destroy(&p);
    }
}
