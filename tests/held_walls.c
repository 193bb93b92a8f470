/* Constrained particles that meet surfaces: speeds after an impulse, rest, energies, and the bits of every backend. */
#include "system_support.h"

static const double origin[3] = {0, 0, 0};
static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_POSITION_VERLET, KDR_BORIS, KDR_RK4};
enum { METHODS = sizeof methods / sizeof *methods };

static double speed_of(const state *s) { return sqrt(s->v[0] * s->v[0] + s->v[1] * s->v[1] + s->v[2] * s->v[2]); }

static kdr_integrator_desc hung(kdr_method method, kdr_real real, const kdr_force *forces, size_t force_count, const kdr_constraint *held,
                                size_t held_count, const kdr_collider *walls, size_t wall_count) {
    kdr_integrator_desc desc = describe(method, real, KDR_FUSED, forces, force_count);
    desc.constraints = held, desc.constraint_count = held_count;
    desc.colliders = walls, desc.collider_count = wall_count;
    return desc;
}

/* A bob with unit speed on a rod, a rope or a sphere meets a wall at 100 angles. It turns round along its circle, with the restitution. The
 * wall pushes the bob away from the rope's end. */
Test(held_walls, a_pendulum_turns_round) {
    const kdr_constraint held[3] = {kdr_constraint_rod(origin, 1), kdr_constraint_sphere(origin, 1), kdr_constraint_rope(origin, 1)};
    for (int n = 0; n < 3 * METHODS * 2 * 100; ++n) {
        const double angle = (n % 3 == 2 ? -1 : 1) * (0.015 + 0.0135 * (n / (3 * METHODS * 2))), begin = angle - 0.2,
                     e = n / 3 % 2 ? 0.5 : 1;
        const double at[3] = {sin(angle), 0, 0}, normal[3] = {-1, 0, 0};
        kdr_collider wall = kdr_collider_plane(at, normal);
        wall.restitution = e;
        const kdr_integrator_desc desc = hung(methods[n / 6 % METHODS], KDR_F64, NULL, 0, &held[n % 3], 1, &wall, 1);
        const state end = advance_one(BY_INTEGRATOR, &desc, (state){{sin(begin), 0, -cos(begin)}, {cos(begin), 0, sin(begin)}}, 0.01, 30);
        cr_expect(close_to(speed_of(&end), e, 1e-12) && end.v[0] < 0, "%s, holder %d, angle %g: speed off by %g",
                  kdr_method_get(desc.method)->name, n % 3, angle, speed_of(&end) - e);
    }
}

/* A bead on a slanted plane, or on a circle, meets an elastic wall, box or ball: its speed is constant. */
Test(held_walls, elastic_surfaces_of_any_kind_keep_the_speed) {
    const double slanted[3] = {1, 0.5, 2}, level[3] = {0, 0.1, 1}, at[3] = {0.6, 0.1, -0.2}, to_left[3] = {-1, 0.2, 0.3};
    const kdr_constraint held[2] = {kdr_constraint_sphere(origin, 1), kdr_constraint_plane(origin, slanted)};
    const kdr_collider walls[3] = {kdr_collider_plane(at, to_left),
                                   kdr_collider_box((double[]){-0.95, -0.9, -1}, (double[]){0.5, 0.7, 1}, true),
                                   kdr_collider_sphere(level, 0.3, false)};
    double most = 0;
    for (int n = 0; n < 3 * 3 * METHODS; ++n) {
        const size_t first = n % 3 == 1, count = n % 3 == 2 ? 2 : 1;
        const kdr_integrator_desc desc = hung(methods[n / 9], KDR_F64, NULL, 0, held + first, count, &walls[n / 3 % 3], 1);
        state start = {{0, 0, 0}, {0, 0, 0}};
        const double across[3] = {-slanted[2] / sqrt(5), 0, slanted[0] / sqrt(5)};
        for (int i = 0; i < 3; ++i) {
            const double other = i == 0   ? slanted[1] * across[2]
                                 : i == 1 ? slanted[2] * across[0] - slanted[0] * across[2]
                                          : -slanted[1] * across[0];
            start.x[i] = across[i] * (first == 1 ? 0.1 : 1), start.v[i] = other / sqrt(5.25);
        }
        const double speed = speed_of(&start);
        const state end = advance_one(BY_INTEGRATOR, &desc, start, 0.01, 3000);
        most = fmax(most, fabs(speed_of(&end) - speed));
        cr_expect(close_to(speed_of(&end), speed, n % 3 == 1 ? 1e-12 : 2e-9), "%d: speed off by %g", n, speed_of(&end) - speed);
    }
    fprintf(stderr, "speed off by at most %.2g\n", most);
}

/* A weight comes to rest on a wall where its rod or rope lets it, in any order of the walls, and stays there to the bit. */
Test(held_walls, who_is_held_comes_to_rest) {
    const kdr_force pull = kdr_force_uniform_acceleration(-6, 0, -9.81);
    const double front[3] = {0.3, 0, 1}, behind[3] = {-0.3, 0, 1}, right[3] = {1, 0, 0}, up[3] = {0.4, 0, 1}, low[3] = {0, 0, -0.2};
    const kdr_constraint held[4] = {kdr_constraint_rope(front, 1), kdr_constraint_rod(front, 1), kdr_constraint_rope(behind, 1.2),
                                    kdr_constraint_rod(behind, 1.1)};
    for (int n = 0; n < 4 * METHODS * 2 * 3; ++n) {
        kdr_collider walls[2] = {kdr_collider_plane(origin, right), kdr_collider_plane(low, up)};
        const size_t first = (size_t)n / 16 % 2, count = n / 32 == 2 ? 2 : 1;
        for (int i = 0; i < 2; ++i) {
            walls[i].restitution = 0.4;
            walls[i].sliding = n / 32 == 1 ? 0.3 : 0;
        }
        const kdr_collider list[2] = {walls[count == 2 ? first : 0], walls[!first]};
        const kdr_integrator_desc desc = hung(methods[n / 4 % METHODS], KDR_F64, &pull, 1, &held[n % 4], 1, list, count);
        const state late = advance_one(BY_INTEGRATOR, &desc, (state){{0.3, 0, 0}, {0, 0, 0}}, 1.0 / 60, 6000);
        const state later = advance_one(BY_INTEGRATOR, &desc, late, 1.0 / 60, 100);
        cr_expect(speed_of(&late) < 1e-14, "%d: %g", n, speed_of(&late));
        cr_expect(close_to(later.x[0], late.x[0], 1e-15) && close_to(later.x[2], late.x[2], 1e-14), "%d: moves", n);
        cr_expect(late.x[0] >= -1e-15, "%d: behind by %g", n, late.x[0]);
    }
}

/* A pendulum falls on a floor with restitution and friction: the sum of its energy and of what was taken is constant. */
Test(held_walls, the_books_close) {
    const kdr_force weight = kdr_force_uniform_acceleration(0, 0, -9.81);
    const kdr_constraint rod = kdr_constraint_rod(origin, 1);
    const double low[3] = {0, 0, -0.7}, up[3] = {0.2, 0.1, 1};
    for (int n = 0; n < METHODS * 3; ++n) {
        double off[2];
        for (int fine = 0; fine < 2; ++fine) {
            kdr_collider floor = kdr_collider_plane(low, up);
            floor.restitution = n % 3 == 0 ? 1 : 0.7;
            floor.sliding = n % 3 == 2 ? 0.1 : 0;
            kdr_integrator_desc desc = hung(methods[n / 3], KDR_F64, &weight, 1, &rod, 1, &floor, 1);
            kdr_integrator *integrator;
            kdr_error error;
            kdr_particles p = make_particles(1, 3, KDR_F64, false, false);
            double taken[2] = {0, 0};
            uint32_t hits = 0;
            p.dissipated_energy[0] = &taken[0], p.dissipated_energy[1] = &taken[1], p.bounces = &hits;
            put_state(&p, 0, &(state){{1, 0, 0}, {0, 1, 0}});
            kdr_clock clock = {0, fine ? 0.0005 : 0.001, 0};
            cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
            cr_assert(kdr_integrator_run(integrator, &p, &clock, fine ? 10000 : 5000, &error) == KDR_OK, "%s", error.message);
            const state s = get_state(&p, 0);
            off[fine] = 0.5 * speed_of(&s) * speed_of(&s) + 9.81 * s.x[2] + taken[0] + taken[1] - 0.5;
            cr_expect(hits > 3 && (n % 3 == 0) == (taken[0] == 0) && (n % 3 == 2) == (taken[1] > 0), "%u hits, %g %g", hits, taken[0],
                      taken[1]);
            kdr_integrator_destroy(integrator);
            kdr_particles_destroy(&p);
        }
        fprintf(stderr, "%s, kind %d: books off by %.2g, %.2g\n", kdr_method_get(methods[n / 3])->name, n % 3, off[0], off[1]);
        cr_expect(fabs(off[0]) < 2e-3 && fabs(off[1]) < 1e-3, "%s, kind %d: %g, %g", kdr_method_get(methods[n / 3])->name, n % 3, off[0],
                  off[1]);
    }
}

enum { COUNT = 37 };

/* Makes walls of all kinds, with friction or without, and lists of constraints. */
static void put_room(kdr_collider walls[4], int kind) {
    const double ground[3] = {0, 0, -0.4}, up[3] = {0, 0.1, 1}, side[3] = {0.9, 0, 0}, left[3] = {-1, 0, 0}, ball[3] = {0.2, 0.9, 0};
    walls[0] = kdr_collider_plane(ground, up);
    walls[1] = kdr_collider_plane(side, left);
    walls[2] = kdr_collider_sphere(ball, 0.5, false);
    walls[3] = kdr_collider_box((double[]){-0.9, -1.1, -3}, (double[]){3, 3, 1.51}, true);
    for (int i = 0; i < 4; ++i) {
        walls[i].restitution = 0.4 + 0.2 * i;
        walls[i].sliding = kind % 2 ? 0.2 : 0;
        walls[i].static_friction = kind % 2 ? 0.3 : 0;
        walls[i].friction_normal = kind % 3 == 2 ? 0.1 : 0;
    }
}

static void put_beads(kdr_particles *p, const double at[3], uint64_t seed) {
    fill_random(p, &seed);
    set(p->inverse_mass, p->real, 5, 0);
    for (size_t i = 0; i < COUNT; ++i) {
        const double angle = 0.2 * (double)(i % 10), far = 1.2;
        put_state(p, i, &(state){{at[0] - far * sin(angle) * 0.8, at[1] + far * sin(angle) * 0.6, at[2] + far * cos(angle)}, {0, 0, 0}});
    }
}

/* Every backend has the bits of the reference, and a particle that begins on a sphere stays near it. */
Test(held_walls, every_backend_has_the_bits) {
    const double at[3] = {0.2, -0.1, 0.3}, tilted[3] = {0.3, 1, 0.4}, hook[3] = {0, 0.2, 0.5};
    const kdr_constraint held[] = {kdr_constraint_sphere(at, 1.2), kdr_constraint_rope(at, 1.3), kdr_constraint_plane(at, tilted),
                                   kdr_constraint_rope(hook, 1.6)};
    static const kdr_method all[] = {KDR_VELOCITY_VERLET,  KDR_VELOCITY_VERLET_PC, KDR_POSITION_VERLET, KDR_BORIS, KDR_PEFRL, KDR_RK4,
                                     KDR_IMPLICIT_MIDPOINT};
    const kdr_force forces[2] = {kdr_force_uniform_acceleration(0, 0.5, -9.81), kdr_force_electromagnetic(1, origin, (double[]){0, 0, 3})};
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t backend_count = list_backends(backends), method_count = sizeof all / sizeof *all;
    uint64_t bounces = 0;
    for (size_t n = 0; n < 48 * method_count; ++n) {
        const kdr_method method = all[n % method_count];
        const size_t kind = n / method_count;
        const bool turns = kind / 4 % 2 && kdr_method_get(method)->velocity_forces != KDR_VELOCITY_NONE;
        kdr_collider walls[4];
        put_room(walls, (int)kind / 8);
        kdr_integrator_desc desc = hung(method, (kdr_real)(kind % 2), forces, turns ? 2 : 1, held + kind / 8 % 4 * (kind % 3 == 0),
                                        1 + kind / 8 % 3 * (kind / 8 % 4 == 0 || kind % 3 != 0), walls, 4);
        if (desc.constraints + desc.constraint_count > held + 4) {
            desc.constraint_count = (size_t)(held + 4 - desc.constraints);
        }
        desc.arithmetic = (kdr_arithmetic)(kind / 2 % 2);
        kdr_particles start = make_particles(COUNT, 3, desc.real, true, false), expected = make_particles(COUNT, 3, desc.real, true, false);
        put_beads(&start, at, 17 + n);
        copy_state(&expected, &start);
        static uint32_t hits[COUNT];
        memset(hits, 0, sizeof hits);
        expected.bounces = hits;
        kdr_clock clock = {0, 0.02, 0};
        advance(BY_REFERENCE, &desc, &expected, &clock, 60);
        for (size_t i = 0; i < COUNT; ++i) {
            const state s = get_state(&expected, i);
            const double r[3] = {s.x[0] - at[0], s.x[1] - at[1], s.x[2] - at[2]}, square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
            bounces += hits[i];
            cr_expect(desc.constraint_count > 1 || desc.constraints[0].kind != KDR_CONSTRAINT_SPHERE || close_to(square, 1.44, 2e-2),
                      "%s, kind %zu, particle %zu: %g off", kdr_method_get(method)->name, kind, i, square - 1.44);
        }
        for (size_t b = 0; b < backend_count; ++b) {
            kdr_particles p = make_particles(COUNT, 3, desc.real, true, false);
            kdr_clock its = {0, 0.02, 0};
            copy_state(&p, &start);
            desc.backend = backends[b];
            advance(BY_INTEGRATOR, &desc, &p, &its, 60);
            cr_expect(same_bits(&p, &expected), "%s, kind %zu, backend %d", kdr_method_get(method)->name, kind, (int)backends[b]);
            kdr_particles_destroy(&p);
        }
        kdr_particles_destroy(&start);
        kdr_particles_destroy(&expected);
    }
    cr_expect(bounces > 1000, "%d bounces", (int)bounces);
}
