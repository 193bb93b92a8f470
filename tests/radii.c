/* Particles with radii: a ball meets a surface as a point meets one that is offset by the radius; edges and corners of boxes are round;
 * seams have no effect. */
#include "system_support.h"

#include <kickdrift/contact.h>

enum { MANY = 500, MOST_TILES = 12 };

static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};

typedef struct scene {
    kdr_integrator_desc desc;
    kdr_force weight;
    kdr_particles p, twin;
    kdr_clock clock;
    double taken[2][2][MANY];
    uint32_t bounces[2][MANY];
    uint64_t seed;
} scene;

/* Begins a scene of balls in a uniform field; `twin` has the particles that the reference steps. */
static void begin(scene *s, kdr_method method, kdr_real real, int dims, double g, const kdr_collider *colliders, size_t count) {
    memset(s, 0, sizeof *s);
    s->seed = test_seed();
    s->weight = kdr_force_uniform_acceleration(0, dims == 2 ? -g : 0, dims == 3 ? -g : 0);
    s->desc = describe(method, real, KDR_FUSED, &s->weight, 1);
    s->desc.colliders = colliders, s->desc.collider_count = count;
    s->clock.dt = 1.0 / 64;
    for (int k = 0; k < 2; ++k) {
        kdr_particles_desc desc = kdr_particles_desc_default();
        kdr_particles *const p = k ? &s->twin : &s->p;
        desc.count = MANY, desc.dims = dims, desc.real = real, desc.radius = true, desc.memory = true;
        cr_assert(kdr_particles_create(&desc, p, NULL) == KDR_OK);
        p->bounces = s->bounces[k];
        p->dissipated_energy[0] = s->taken[k][0], p->dissipated_energy[1] = s->taken[k][1];
    }
}

static double radius_of(const scene *s, size_t n) { return get(s->p.radius, s->p.real, n); }

static void put(scene *s, size_t n, double radius, const double x[3], const double v[3]) {
    for (int k = 0; k < 2; ++k) {
        const kdr_particles *const p = k ? &s->twin : &s->p;
        set(p->radius, p->real, n, radius);
        for (int i = 0; i < p->dims; ++i) {
            set(p->x[i], p->real, n, x[i]);
            set(p->v[i], p->real, n, v[i]);
        }
    }
}

/* Runs by the kernels and by the reference, which must have the same bits. */
static void go(scene *s, uint64_t steps) {
    kdr_integrator *integrator;
    kdr_error error;
    kdr_clock clock = s->clock;
    cr_assert(kdr_integrator_create(&s->desc, &integrator, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_integrator_run(integrator, &s->p, &s->clock, steps, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_reference_run(&s->desc, &s->twin, &clock, steps, &error) == KDR_OK, "%s", error.message);
    cr_assert(same_bits(&s->p, &s->twin) && memcmp(s->bounces[0], s->bounces[1], sizeof s->bounces[0]) == 0 &&
              memcmp(s->taken[0], s->taken[1], sizeof s->taken[0]) == 0);
    kdr_integrator_destroy(integrator);
}

static void end(scene *s) {
    for (int k = 0; k < 2; ++k) {
        kdr_particles *const p = k ? &s->twin : &s->p;
        p->bounces = NULL;
        p->dissipated_energy[0] = p->dissipated_energy[1] = NULL;
        kdr_particles_destroy(p);
    }
}

static double x_of(const scene *s, int axis, size_t n) { return get(s->p.x[axis], s->p.real, n); }
static double v_of(const scene *s, int axis, size_t n) { return get(s->p.v[axis], s->p.real, n); }

static double energy_of(const scene *s, size_t n, double g) {
    double sum = g * x_of(s, s->p.dims - 1, n);
    for (int i = 0; i < s->p.dims; ++i) {
        sum += 0.5 * v_of(s, i, n) * v_of(s, i, n);
    }
    return sum;
}

/* A ball has the bits of a point between surfaces that are offset inwards by its radius. All numbers are exact. */
Test(radii, balls_are_points_before_surfaces_farther_out) {
    static const kdr_method methods[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET, KDR_RK4, KDR_BAOAB};
    const double a = 0.125, low[3] = {-1, -1, -1}, high[3] = {1, 1, 1}, in_low[3] = {-0.875, -0.875, -0.875},
                 in_high[3] = {0.875, 0.875, 0.875}, on[3] = {0, 0, 0.125};
    kdr_collider of_balls[3] = {kdr_collider_plane(origin, up), kdr_collider_sphere(origin, 1, true), kdr_collider_box(low, high, true)};
    kdr_collider of_points[3] = {kdr_collider_plane(on, up), kdr_collider_sphere(origin, 0.875, true),
                                 kdr_collider_box(in_low, in_high, true)};
    for (int n = 0; n < 3 * 4 * 2 * 2; ++n) {
        const int kind = n % 3, rough = n / 3 % 2;
        const kdr_real real = n / 6 % 2 ? KDR_F32 : KDR_F64;
        of_balls[kind].restitution = of_points[kind].restitution = rough ? 0.5 : 1;
        of_balls[kind].sliding = of_points[kind].sliding = rough ? 0.25 : 0;
        scene balls, points;
        begin(&balls, methods[n / 12], real, 3, 2, &of_balls[kind], 1);
        begin(&points, methods[n / 12], real, 3, 2, &of_points[kind], 1);
        balls.p.bounces = points.p.bounces = balls.twin.bounces = points.twin.bounces = rough ? balls.p.bounces : NULL;
        for (size_t k = 0; k < MANY; ++k) {
            double x[3], v[3];
            for (int i = 0; i < 3; ++i) {
                x[i] = random_in(&balls.seed, 0.2, 0.5) * (random_in(&balls.seed, 0, 1) < 0.5 && kind > 0 ? -1 : 1);
                v[i] = random_in(&balls.seed, -3, 3);
            }
            put(&balls, k, a, x, v);
            put(&points, k, 0, x, v);
        }
        points.p.radius = points.twin.radius = n % 2 ? points.p.radius : NULL;
        balls.p.bounces = balls.bounces[0], points.p.bounces = points.bounces[0], balls.twin.bounces = balls.bounces[1],
        points.twin.bounces = points.bounces[1];
        go(&balls, 200);
        go(&points, 200);
        size_t other = 0;
        /* the tolerance of a contact depends on the surface's position, so particles at rest may have other bits */
        for (size_t k = 0; k < MANY; ++k) {
            other += fabs(x_of(&balls, 2, k) - x_of(&points, 2, k)) > (real == KDR_F32 ? 1e-4 : 1e-12);
        }
        cr_expect(rough ? other == 0
                        : same_bits(&balls.p, &points.p) && memcmp(balls.bounces[0], points.bounces[0], sizeof balls.bounces[0]) == 0,
                  "%d: %zu", n, other);
        end(&balls);
        end(&points);
    }
}

/* With many balls on a plane, and no contacts to count, specialised kernels for points must not be used. */
Test(radii, ground_without_counts) {
    const double on[3] = {0, 0, 0.25};
    kdr_collider ground = kdr_collider_plane(origin, up), higher = kdr_collider_plane(on, up);
    ground.restitution = higher.restitution = 0.5;
    for (int m = 0; m < 4; ++m) {
        scene balls, points;
        begin(&balls, m / 2 ? KDR_VELOCITY_VERLET : KDR_SEMI_IMPLICIT_EULER, m % 2 ? KDR_F32 : KDR_F64, 3, 8, &ground, 1);
        begin(&points, m / 2 ? KDR_VELOCITY_VERLET : KDR_SEMI_IMPLICIT_EULER, m % 2 ? KDR_F32 : KDR_F64, 3, 8, &higher, 1);
        for (size_t k = 0; k < MANY; ++k) {
            const double x[3] = {0, 0, random_in(&balls.seed, 0.25, 1)}, v[3] = {1, 0, random_in(&balls.seed, -1, 1)};
            put(&balls, k, 0.25, x, v);
            put(&points, k, 0, x, v);
        }
        for (int k = 0; k < 2; ++k) {
            scene *const s = k ? &points : &balls;
            s->p.bounces = s->twin.bounces = NULL;
            s->p.dissipated_energy[0] = s->p.dissipated_energy[1] = s->twin.dissipated_energy[0] = s->twin.dissipated_energy[1] = NULL;
        }
        points.p.radius = points.twin.radius = NULL;
        go(&balls, 300);
        go(&points, 300);
        cr_expect(same_bits(&balls.p, &points.p), "%d", m);
        end(&balls);
        end(&points);
    }
}

/* Balls that slide over level boxes are not stopped by seams, do not fall through them, and keep their height and their speed. */
Test(radii, seams_are_not_felt) {
    kdr_collider tiles[MOST_TILES];
    for (int n = 0; n < 16; ++n) {
        const kdr_real real = n % 2 ? KDR_F32 : KDR_F64;
        const int dims = n / 2 % 2 ? 3 : 2, backwards = n / 4 % 2;
        const double restitution = n / 8 ? 1 : 0.5, top = 0.1;
        for (int k = 0; k < MOST_TILES; ++k) {
            const double from = 0.3 * k, to = 0.3 * (k + 1);
            const double low[3] = {from, dims == 2 ? -1 : -5, -1}, high[3] = {to, dims == 2 ? top : 5, top};
            tiles[backwards ? MOST_TILES - 1 - k : k] = kdr_collider_box(low, high, false);
        }
        for (int k = 0; k < MOST_TILES; ++k) {
            tiles[k].restitution = restitution;
        }
        scene s;
        begin(&s, KDR_VELOCITY_VERLET, real, dims, 10, tiles, MOST_TILES);
        for (size_t k = 0; k < MANY; ++k) {
            const double drawn = random_in(&s.seed, 0.02, 0.5), radius = real == KDR_F32 ? (double)(float)drawn : drawn;
            const double x0 = random_in(&s.seed, 0.1, 1.2);
            const double height = real == KDR_F32 ? (double)((float)top + (float)radius) : top + radius;
            put(&s, k, radius, (double[]){x0, dims == 2 ? height : random_in(&s.seed, -1, 1), height},
                (double[]){random_in(&s.seed, 0.5, 2), 0, 0});
        }
        scene begun = s;
        double x0[MANY], v0[MANY];
        for (size_t k = 0; k < MANY; ++k) {
            x0[k] = x_of(&begun, 0, k), v0[k] = v_of(&begun, 0, k);
        }
        go(&s, 64);
        size_t wrong = 0;
        for (size_t k = 0; k < MANY; ++k) {
            const double height = real == KDR_F32 ? (double)((float)top + (float)radius_of(&s, k)) : top + radius_of(&s, k);
            wrong += x_of(&s, dims - 1, k) != height || v_of(&s, 0, k) != v0[k] || v_of(&s, dims - 1, k) != 0 ||
                     fabs(x_of(&s, 0, k) - x0[k] - v0[k]) > (real == KDR_F32 ? 1e-4 : 1e-12);
        }
        cr_expect(wrong == 0, "%d: %zu", n, wrong);
        end(&s);
    }
}

/* A ball bounces off the corner of a box as a point bounces off a sphere of the ball's radius; the same holds for an edge. */
Test(radii, corners_are_spheres) {
    const double low[3] = {-4, -4, -4};
    kdr_collider box = kdr_collider_box(low, origin, false), sphere = kdr_collider_sphere(origin, 0.5, false);
    for (int n = 0; n < 8; ++n) {
        const int dims = n % 2 ? 3 : 2;
        const kdr_real real = n / 2 % 2 ? KDR_F32 : KDR_F64;
        const double small = real == KDR_F32 ? 1e-4 : 1e-12;
        box.restitution = sphere.restitution = n / 4 ? 0.75 : 1;
        scene balls, points;
        begin(&balls, KDR_VELOCITY_VERLET, real, dims, 1, &box, 1);
        begin(&points, KDR_VELOCITY_VERLET, real, dims, 1, &sphere, 1);
        for (size_t k = 0; k < MANY; ++k) { /* towards a point of the corner, from outside */
            double n_of[3], x[3], v[3], length = 0, along = 0;
            for (int i = 0; i < dims; ++i) {
                n_of[i] = random_in(&balls.seed, 0.3, 1);
                length += n_of[i] * n_of[i];
            }
            for (int i = 0; i < dims; ++i) {
                n_of[i] /= sqrt(length);
                v[i] = random_in(&balls.seed, -2, 2);
                along += v[i] * n_of[i];
            }
            for (int i = 0; i < dims; ++i) {
                v[i] -= (along + 2) * n_of[i];
                x[i] = 0.5 * n_of[i] - 0.25 * v[i] - (i == dims - 1 ? 0.5 * 0.25 * 0.25 : 0);
            }
            put(&balls, k, 0.5, x, v);
            put(&points, k, 0, x, v);
        }
        go(&balls, 20);
        go(&points, 20);
        size_t met = 0;
        for (size_t k = 0; k < MANY; ++k) {
            double off = 0;
            for (int i = 0; i < dims; ++i) {
                off = fmax(off, fmax(fabs(x_of(&balls, i, k) - x_of(&points, i, k)), fabs(v_of(&balls, i, k) - v_of(&points, i, k))));
            }
            met += balls.bounces[0][k] == 1;
            cr_expect(off < small && balls.bounces[0][k] == points.bounces[0][k], "%d, ball %zu: off by %g", n, k, off);
        }
        cr_expect(met == MANY, "%d: %zu", n, met);
        end(&balls);
        end(&points);
    }
}

/* Returns the distance of a ball from the nearest box, minus its radius. */
static double room_of(const scene *s, size_t n, const kdr_collider *boxes, size_t count) {
    double room = INFINITY;
    for (size_t k = 0; k < count; ++k) {
        double square = 0, deep = INFINITY;
        for (int i = 0; i < s->p.dims && !boxes[k].as.box.inside; ++i) {
            const double x = x_of(s, i, n), low = boxes[k].as.box.min[i], high = boxes[k].as.box.max[i];
            const double off = x < low ? low - x : high < x ? x - high : 0;
            square += off * off;
            deep = fmin(deep, fmin(x - low, high - x));
        }
        room = boxes[k].as.box.inside ? room : fmin(room, (square > 0 ? sqrt(square) : -deep) - radius_of(s, n));
    }
    return room;
}

/* In a room with boxes, elastic balls keep their energy for long, others come to rest, and none is inside a box or outside the room. */
Test(radii, a_room_with_boxes, .timeout = 120) {
    enum { BOXES = 6 };
    for (int n = 0; n < 8; ++n) {
        const kdr_real real = n % 2 ? KDR_F32 : KDR_F64;
        const int dims = n / 2 % 2 ? 3 : 2;
        const bool elastic = n / 4 == 0;
        const double small = real == KDR_F32 ? 1e-4 : 1e-11;
        kdr_collider walls[BOXES + 1];
        uint64_t seed = test_seed() + (uint64_t)n;
        for (int k = 0; k < BOXES; ++k) {
            double low[3], high[3];
            for (int i = 0; i < 3; ++i) {
                low[i] = 1.5 * ((k >> i & 1) + 0.5) + random_in(&seed, -0.25, 0.25);
                high[i] = low[i] + random_in(&seed, 0.2, 0.5);
            }
            walls[k] = kdr_collider_box(low, high, false);
        }
        walls[BOXES] = kdr_collider_box(origin, (double[]){4, 4, 4}, true);
        for (int k = 0; k <= BOXES; ++k) {
            walls[k].restitution = elastic ? 1 : 0.5;
            walls[k].sliding = elastic ? 0 : 0.5;
        }
        scene s;
        begin(&s, KDR_VELOCITY_VERLET, real, dims, 1, walls, BOXES + 1);
        double before[MANY];
        for (size_t k = 0; k < MANY; ++k) {
            do {
                put(&s, k, random_in(&seed, 0.01, 0.2),
                    (double[]){random_in(&seed, 0.2, 3.8), random_in(&seed, 0.2, 3.8), random_in(&seed, 0.2, 3.8)},
                    (double[]){random_in(&seed, -2, 2), random_in(&seed, -2, 2), random_in(&seed, -2, 2)});
            } while (room_of(&s, k, walls, BOXES) < 0.01);
            before[k] = energy_of(&s, k, 1);
        }
        size_t inside = 0, outside = 0, lost = 0, awake = 0;
        for (int call = 0; call < 10; ++call) {
            go(&s, elastic ? 100 : 200);
            for (size_t k = 0; k < MANY; ++k) {
                inside += room_of(&s, k, walls, BOXES) < -small;
                for (int i = 0; i < dims; ++i) {
                    outside += !(radius_of(&s, k) - 1e-6 <= x_of(&s, i, k) && x_of(&s, i, k) <= 4 - radius_of(&s, k) + 1e-6);
                }
            }
        }
        for (size_t k = 0; k < MANY; ++k) {
            lost +=
                fabs(energy_of(&s, k, 1) + s.taken[0][0][k] + s.taken[0][1][k] - before[k]) > (elastic ? small : 0.05) * (1 + before[k]);
            awake += v_of(&s, 0, k) != 0;
        }
        cr_expect(inside == 0 && outside == 0 && lost == 0 && (elastic || awake < MANY / 20),
                  "%d: %zu inside, %zu outside, %zu lost energy, %zu awake", n, inside, outside, lost, awake);
        end(&s);
    }
}

/* A ball that is carried over the edge of a table falls off, round the edge. */
Test(radii, an_edge_lets_go) {
    kdr_collider table = kdr_collider_box((double[]){-5, -5, -5}, (double[]){0, 5, 0}, false);
    table.restitution = 0;
    scene s;
    begin(&s, KDR_VELOCITY_VERLET, KDR_F64, 3, 10, &table, 1);
    s.clock.dt = 1.0 / 1024;
    for (size_t k = 0; k < MANY; ++k) { /* slower than sqrt(g a), so that they stay on the edge for a while */
        put(&s, k, 0.5, (double[]){-0.01, 0, 0.5}, (double[]){0.1 + 0.004 * (double)k, 0, 0});
    }
    double kinetic[MANY];
    for (size_t k = 0; k < MANY; ++k) {
        kinetic[k] = energy_of(&s, k, 10);
    }
    go(&s, 2048);
    for (size_t k = 0; k < MANY; ++k) {
        const double off = energy_of(&s, k, 10) + s.taken[0][0][k] + s.taken[0][1][k] - kinetic[k];
        cr_expect(x_of(&s, 0, k) > 0.5 && x_of(&s, 2, k) < -0.5 && fabs(off) < 0.02 * kinetic[k], "ball %zu: %g, %g, energy off by %g", k,
                  x_of(&s, 0, k), x_of(&s, 2, k), off);
    }
    end(&s);
}

/* A moving platform carries balls at the height of their radius. */
Test(radii, a_platform_carries) {
    for (int n = 0; n < 4; ++n) {
        const kdr_real real = n % 2 ? KDR_F32 : KDR_F64;
        const double small = real == KDR_F32 ? 1e-4 : 1e-12;
        kdr_collider platform =
            n / 2 ? kdr_collider_plane(origin, up) : kdr_collider_box((double[]){-8, -8, -1}, (double[]){8, 8, 0}, false);
        platform.velocity[0] = 0.5, platform.velocity[2] = 0.25;
        platform.restitution = 0.5, platform.sliding = 0.5;
        scene s;
        begin(&s, KDR_VELOCITY_VERLET, real, 3, 10, &platform, 1);
        for (size_t k = 0; k < MANY; ++k) {
            const double radius = random_in(&s.seed, 0, 0.5);
            put(&s, k, radius, (double[]){0, 0, radius + random_in(&s.seed, 0, 0.5)}, (double[]){0, 0, 0});
        }
        go(&s, 64 * 8);
        for (size_t k = 0; k < MANY; ++k) {
            cr_expect(fabs(x_of(&s, 2, k) - 0.25 * 8 - radius_of(&s, k)) < small && fabs(v_of(&s, 0, k) - 0.5) < small, "%d, ball %zu: %g",
                      n, k, x_of(&s, 2, k));
        }
        end(&s);
    }
}

/* Two balls on a rod in an elastic box keep their energy, and neither gets closer to a wall than its radius. */
Test(radii, dumbbells_in_a_box) {
    enum { PAIRS = 20 };
    kdr_collider walls[2] = {kdr_collider_box(origin, (double[]){4, 4, 4}, true),
                             kdr_collider_box((double[]){1.75, 1.75, 1.75}, (double[]){2.25, 2.25, 2.25}, false)};
    kdr_distance rods[PAIRS];
    kdr_system_desc desc = kdr_system_desc_default();
    kdr_particles_desc with = kdr_particles_desc_default();
    kdr_particles p, twin;
    kdr_error error;
    uint64_t seed = test_seed();
    with.count = 2 * PAIRS, with.radius = with.memory = true;
    cr_assert(kdr_particles_create(&with, &p, NULL) == KDR_OK && kdr_particles_create(&with, &twin, NULL) == KDR_OK);
    double before[PAIRS];
    for (uint32_t n = 0; n < PAIRS; ++n) {
        rods[n] = (kdr_distance){2 * n, 2 * n + 1, 0.5};
        const double x[3] = {random_in(&seed, 0.5, 1), random_in(&seed, 0.5, 3.5), random_in(&seed, 0.5, 3.5)};
        before[n] = 0;
        for (size_t k = 2 * n; k < 2 * n + 2; ++k) {
            set(p.radius, KDR_F64, k, random_in(&seed, 0.05, 0.3));
            for (int i = 0; i < 3; ++i) {
                const double v =
                    i == 1 && k % 2 ? get(p.v[1], KDR_F64, k - 1) : random_in(&seed, -1, 1); /* the components along the rod are equal */
                set(p.x[i], KDR_F64, k, x[i] + (i == 1 && k % 2 ? 0.5 : 0) - (i == 1 ? 0.2 : 0));
                set(p.v[i], KDR_F64, k, v);
                before[n] += 0.5 * v * v;
            }
        }
    }
    copy_state(&twin, &p);
    memcpy(twin.radius, p.radius, 2 * PAIRS * sizeof(double));
    desc.distances = rods, desc.distance_count = PAIRS, desc.distance_tolerance = 1e-12, desc.distance_sweeps = 100;
    desc.colliders = walls, desc.collider_count = 2;
    kdr_system *system;
    kdr_workspace workspace;
    cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_workspace_create(system, 2 * PAIRS, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK);
    kdr_clock clock = {.dt = 1.0 / 32}, ahead = clock;
    cr_assert(kdr_system_run(system, &p, &clock, 2000, &workspace, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_reference_system_run(&desc, &twin, &ahead, 2000, &error) == KDR_OK, "%s", error.message);
    cr_expect(same_bits(&p, &twin));
    for (size_t n = 0; n < PAIRS; ++n) {
        double after = 0;
        for (size_t k = 2 * n; k < 2 * n + 2; ++k) {
            const double radius = get(p.radius, KDR_F64, k);
            double square = 0;
            for (int i = 0; i < 3; ++i) {
                const double x = get(p.x[i], KDR_F64, k), v = get(p.v[i], KDR_F64, k), off = fmax(0, fabs(x - 2) - 0.25);
                square += off * off;
                after += 0.5 * v * v;
                cr_expect(radius - 1e-9 <= x && x <= 4 - radius + 1e-9, "ball %zu of %g at %g", k, radius, x);
            }
            cr_expect(sqrt(square) > radius - 1e-9, "ball %zu of %g is %g from the box", k, radius, sqrt(square));
        }
        cr_expect(fabs(after - before[n]) < 1e-9 * before[n], "pair %zu: energy %.17g, then %.17g", n, before[n], after);
    }
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&twin);
}

/* Refusals name the ball. */
Test(radii, what_is_refused) {
    kdr_collider room = kdr_collider_box(origin, (double[]){1, 2, 2}, true);
    kdr_error error;
    scene s;
    begin(&s, KDR_VELOCITY_VERLET, KDR_F64, 3, 0, &room, 1);
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&s.desc, &integrator, &error) == KDR_OK);
    static const struct {
        double radius;
        kdr_status status;
        const char *words;
    } wrong[] = {{-0.5, KDR_ERROR_ARGUMENT, "particles.radius[7]: expected 0 to"},
                 {NAN, KDR_ERROR_NOT_FINITE, "particles.radius[7]"},
                 {INFINITY, KDR_ERROR_NOT_FINITE, "particles.radius[7]"},
                 {0.51, KDR_ERROR_ARGUMENT, "fits into colliders[0], got 0.51"}};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        set(s.p.radius, KDR_F64, 7, wrong[n].radius);
        const kdr_status status = kdr_integrator_run(integrator, &s.p, &s.clock, 1, &error);
        cr_expect(status == wrong[n].status && strstr(error.message, wrong[n].words), "%zu: %s", n, error.message);
        cr_expect(kdr_reference_run(&s.desc, &s.p, &s.clock, 1, &error) == wrong[n].status && s.clock.step == 0);
    }
    kdr_integrator_destroy(integrator);
    end(&s);
}
