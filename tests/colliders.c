/* Colliders: a bouncing ball and friction compared with closed forms, no tunnelling, rest, and refusals. */
#include "methods.h"

static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};

static kdr_collider floor_with(double restitution) {
    kdr_collider made = kdr_collider_plane(origin, up);
    made.restitution = restitution;
    return made;
}

static kdr_integrator_desc with_colliders(kdr_method method, kdr_real real, const kdr_force *forces, size_t count,
                                          const kdr_collider *colliders, size_t collider_count) {
    kdr_integrator_desc desc = describe(method, real, KDR_FUSED, forces, count);
    desc.colliders = colliders;
    desc.collider_count = collider_count;
    return desc;
}

/* A ball is dropped from height 1 under g = 2. The first impact is at t = 1, then flights take 2 e, 2 e^2, ...; the heights are e^2, e^4,
 * ... */
enum { BOUNCES = 6 };
typedef struct bounces {
    int count;
    double time[BOUNCES], height[BOUNCES];
} bounces;

static bounces watch(kdr_method method, double restitution, double dt) {
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -2);
    const kdr_collider ground = floor_with(restitution);
    const kdr_integrator_desc desc = with_colliders(method, KDR_F64, &gravity, 1, &ground, 1);
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_particles p = make_particles(1, 3, KDR_F64, false, true);
    put_state(&p, 0, &(state){{0, 0, 1}, {0, 0, 0}});
    kdr_clock clock = {0, dt, 0};
    bounces seen = {.count = 0};
    double last = 0, highest = 0;
    while (seen.count < BOUNCES && clock.step < 100000000) {
        cr_assert(kdr_integrator_run(integrator, &p, &clock, 1, NULL) == KDR_OK);
        const state s = get_state(&p, 0);
        cr_assert(s.x[2] >= 0);
        highest = fmax(highest, s.x[2]);
        if (last < 0 && s.v[2] > 0) {
            seen.height[seen.count] = highest;
            seen.time[seen.count++] = kdr_clock_time(&clock, clock.step, 0) - 0.5 * dt;
            highest = 0;
        }
        last = s.v[2];
    }
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&p);
    return seen;
}

Test(colliders, a_ball_bounces_as_its_closed_form_says) {
    static const kdr_method methods[] = {KDR_SUVAT, KDR_RK4, KDR_VELOCITY_VERLET};
    static const double restitution[] = {1, 0.8, 0.5};
    for (int m = 0; m < 3; ++m) {
        for (int e = 0; e < 3; ++e) {
            const double dt = 1e-4;
            const bounces seen = watch(methods[m], restitution[e], dt);
            double time = 1, height = 1, worst_time = 0, worst_height = 0;
            for (int b = 0; b < BOUNCES; ++b) {
                worst_time = fmax(worst_time, fabs(seen.time[b] - time));
                worst_height = fmax(worst_height, fabs(seen.height[b] / height - 1));
                height *= restitution[e] * restitution[e];
                time += 2 * sqrt(height);
            }
            fprintf(stderr, "method %d, e = %g: times off by %.2g steps, heights by %.2g\n", (int)methods[m], restitution[e],
                    worst_time / dt, worst_height);
            cr_expect(worst_time < 2 * dt, "%g steps", worst_time / dt);
            cr_expect(worst_height < 5e-4, "%g", worst_height);
        }
    }
}

/* With constant forces the flight between two bounces is the method's parabola, so energy is kept to rounding for any step. */
Test(colliders, an_elastic_ball_keeps_its_energy) {
    const kdr_force gravity = kdr_force_uniform_acceleration(0.3, 0, -2);
    const double low[3] = {-1, -1, 0}, high[3] = {1, 1, 3};
    const kdr_collider box = kdr_collider_box(low, high, true);
    const kdr_integrator_desc desc = with_colliders(KDR_VELOCITY_VERLET, KDR_F64, &gravity, 1, &box, 1);
    double worst[2];
    for (int halved = 0; halved < 2; ++halved) {
        const double dt = halved ? 0.0005 : 0.001;
        worst[halved] = 0;
        for (int i = 0; i < 20; ++i) {
            const state start = {{0.04 * i, 0, 1 + 0.03 * i}, {0.5, 0.25 + 0.01 * i, 0}};
            const state end = advance_one(BY_INTEGRATOR, &desc, start, dt, halved ? 200000 : 100000);
            const double before = 0.5 * (start.v[0] * start.v[0] + start.v[1] * start.v[1]) - 0.3 * start.x[0] + 2 * start.x[2];
            const double after = 0.5 * (end.v[0] * end.v[0] + end.v[1] * end.v[1] + end.v[2] * end.v[2]) - 0.3 * end.x[0] + 2 * end.x[2];
            worst[halved] = fmax(worst[halved], fabs(after / before - 1));
        }
    }
    fprintf(stderr, "energy off by %.3g, with half the step %.3g\n", worst[0], worst[1]);
    cr_expect(worst[0] < 1e-12 && worst[1] < 1e-12, "%g %g", worst[0], worst[1]);
}

Test(colliders, nothing_tunnels) {
    const double slant[3] = {0.3, -0.4, 1.2}, low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    const kdr_collider surfaces[] = {kdr_collider_plane(origin, slant), kdr_collider_box(low, high, true),
                                     kdr_collider_sphere(origin, 1, true), kdr_collider_box(low, high, false),
                                     kdr_collider_sphere(origin, 1, false)};
    uint64_t seed = test_seed();
    for (int s = 0; s < 5; ++s) {
        const bool obstacle = s >= 3;
        const kdr_integrator_desc desc = with_colliders(KDR_POSITION_VERLET, KDR_F64, NULL, 0, &surfaces[s], 1);
        for (int i = 0; i < 200; ++i) {
            state start;
            double aim = 0;
            for (int axis = 0; axis < 3; ++axis) {
                start.x[axis] = random_in(&seed, -0.5, 0.5) + (axis == 2 && s == 0 ? 2 : 0) + (axis == 0 && obstacle ? 3 : 0);
                start.v[axis] = random_in(&seed, -1, 1);
                aim += start.v[axis] * start.v[axis];
            }
            for (int axis = 0; axis < 3; ++axis) { /* thrown at an obstacle, through its middle */
                start.v[axis] = 1e6 * (obstacle ? -start.x[axis] : start.v[axis] / sqrt(aim));
            }
            const state end = advance_one(i % RUNNERS, &desc, start, 1, 1);
            const double r = sqrt(end.x[0] * end.x[0] + end.x[1] * end.x[1] + end.x[2] * end.x[2]);
            const double most = fmax(fabs(end.x[0]), fmax(fabs(end.x[1]), fabs(end.x[2])));
            const double behind = (slant[0] * end.x[0] + slant[1] * end.x[1] + slant[2] * end.x[2]) / 1.3;
            const bool right[] = {behind >= -1e-15 * r, most <= 1, r <= 1 + 1e-15, end.x[0] >= 1, end.x[0] >= 1};
            cr_expect(right[s], "surface %d, particle %d: %g %g %g", s, i, end.x[0], end.x[1], end.x[2]);
        }
    }
}

/* Particles that are thrown into a box with friction and a restitution below 1 come to rest on the ground, and stay there to the bit. */
Test(colliders, a_box_full_comes_to_rest) {
    enum { COUNT = 2000, STEPS = 10000 };
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -9.81);
    const double low[3] = {-1, -1, 0}, high[3] = {1, 1, 2};
    kdr_collider box = kdr_collider_box(low, high, true);
    box.restitution = 0.8;
    box.friction = 0.1;
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_RK4, KDR_SEMI_IMPLICIT_EULER};
    for (int m = 0; m < 3 * KDR_REAL_COUNT; ++m) {
        const kdr_real real = (kdr_real)(m % KDR_REAL_COUNT);
        const kdr_integrator_desc desc = with_colliders(methods[m / KDR_REAL_COUNT], real, &gravity, 1, &box, 1);
        kdr_particles p = make_particles(COUNT, 3, real, false, true), still = make_particles(COUNT, 3, real, false, true);
        uint64_t seed = 5;
        fill_random(&p, &seed);
        kdr_clock clock = {0, 0.001, 0};
        advance(BY_INTEGRATOR, &desc, &p, &clock, real == KDR_F32 ? STEPS : 2 * STEPS);
        copy_state(&still, &p);
        advance(BY_INTEGRATOR, &desc, &p, &clock, 1000);
        cr_expect(same_bits(&p, &still), "still moving");
        for (size_t i = 0; i < COUNT; ++i) {
            const state s = get_state(&p, i);
            cr_assert(s.x[2] == 0 && s.v[2] == 0 && fabs(s.x[0]) <= 1 && fabs(s.x[1]) <= 1, "%zu: %g %g", i, s.x[2], s.v[2]);
            cr_assert(s.v[0] == 0 && s.v[1] == 0, "%zu: %g %g", i, s.v[0], s.v[1]);
        }
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&still);
    }
}

/* In a million reflections at random restitutions, in a box of slanting planes and a ball, no particle is lost. */
Test(colliders, none_is_lost) {
    enum { COUNT = 1000, STEPS = 2000 };
    const kdr_force forces[] = {kdr_force_uniform_acceleration(1, -2, 3), kdr_force_centre(1, 0.1, 0.2, 0.3, 0.05)};
    const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1}, corner[3] = {0.8, 0.8, 0.8}, in[3] = {-1, -1, -1}, other[3] = {-0.5, 0, 0.3},
                 lean[3] = {1, 0.3, -0.2};
    uint64_t seed = test_seed();
    for (int round = 0; round < 4; ++round) {
        kdr_collider list[] = {kdr_collider_plane(corner, in), kdr_collider_plane(other, lean), kdr_collider_sphere(origin, 1.2, true),
                               kdr_collider_box(low, high, true)};
        for (int i = 0; i < 4; ++i) {
            list[i].restitution = random_in(&seed, 0, 1);
        }
        const kdr_integrator_desc desc = with_colliders(KDR_VELOCITY_VERLET, round % 2 ? KDR_F32 : KDR_F64, forces, 2, list, 4);
        kdr_particles p = make_particles(COUNT, 3, desc.real, true, true);
        fill_random(&p, &seed);
        kdr_clock clock = {0, 0.01, 0};
        for (int call = 0; call < STEPS / 100; ++call) {
            advance(BY_INTEGRATOR, &desc, &p, &clock, 100);
            for (size_t i = 0; i < COUNT; ++i) {
                const state s = get_state(&p, i);
                cr_assert(fabs(s.x[0]) <= 1 && fabs(s.x[1]) <= 1 && fabs(s.x[2]) <= 1, "%zu: %g %g %g", i, s.x[0], s.x[1], s.x[2]);
            }
        }
        kdr_particles_destroy(&p);
    }
}

/* A block on an incline sticks while tan(angle) is at most the static coefficient. Otherwise it slides down with g (sin - mu cos). */
Test(colliders, coulomb_on_an_incline) {
    const double g = 9.81, dt = 1e-3;
    const uint64_t steps = 1000;
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_SEMI_IMPLICIT_EULER, KDR_RK4};
    for (int m = 0; m < 3; ++m) {
        for (int degrees = 5; degrees < 60; degrees += 5) {
            const double angle = degrees * acos(-1) / 180, mu = 0.3, sticking = 0.5;
            const double normal[3] = {sin(angle), 0, cos(angle)};
            const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -g);
            kdr_collider incline = kdr_collider_plane(origin, normal);
            incline.restitution = 0;
            incline.sliding = mu;
            incline.static_friction = sticking;
            const kdr_integrator_desc desc = with_colliders(methods[m], KDR_F64, &gravity, 1, &incline, 1);
            const state end = advance_one(m % RUNNERS, &desc, (state){{0, 0, 0}, {0, 0, 0}}, dt, steps);
            const double down = end.v[0] * cos(angle) - end.v[2] * sin(angle), t = dt * (double)steps;
            const double expected = tan(angle) <= sticking ? 0 : g * (sin(angle) - mu * cos(angle)) * t;
            cr_expect(close_to(down, expected, 1e-9), "%d degrees: %.12g, expected %.12g", degrees, down, expected);
            const double way = end.x[0] * cos(angle) - end.x[2] * sin(angle);
            cr_expect(close_to(way, 0.5 * expected * t, 2 * dt * expected), "%d degrees: %g", degrees, way);
            cr_expect(fabs(normal[0] * end.x[0] + normal[2] * end.x[2]) < 1e-12);
        }
    }
}

/* A contact multiplies the tangential velocity by (1 - friction), and the normal velocity by the restitution and (1 - friction_normal),
 * from the moment of contact on. */
Test(colliders, a_contact_takes_its_part) {
    kdr_collider wall = floor_with(0.5);
    wall.friction = 0.25;
    wall.friction_normal = 0.5;
    const kdr_integrator_desc desc = with_colliders(KDR_EXPLICIT_EULER, KDR_F64, NULL, 0, &wall, 1);
    for (int runner = 0; runner < RUNNERS; ++runner) {
        const state end = advance_one(runner, &desc, (state){{0, 0, 1}, {4, 8, -2}}, 1, 1);
        cr_expect(end.v[0] == 3 && end.v[1] == 6 && end.v[2] == 0.5, "%g %g %g", end.v[0], end.v[1], end.v[2]);
        cr_expect(end.x[0] == 3.5 && end.x[1] == 7 && end.x[2] == 0.25, "%g %g %g", end.x[0], end.x[1], end.x[2]);
    }
}

/* The normal of a plane may have any length. A particle falls from (0, 1.5, 2) perpendicularly on the plane with normal (0, 3, 4), and
 * bounces back as far. */
Test(colliders, normals_of_any_length) {
    for (int i = 0; i < 3 * RUNNERS; ++i) {
        const double scale = (const double[]){0.125, 1, 64}[i / RUNNERS];
        const kdr_collider wall = kdr_collider_plane(origin, (const double[3]){0, 3 * scale, 4 * scale});
        const kdr_integrator_desc desc = with_colliders(KDR_VELOCITY_VERLET, KDR_F64, NULL, 0, &wall, 1);
        const state end = advance_one(i % RUNNERS, &desc, (state){{0, 1.5, 2}, {7, -3, -4}}, 1, 1);
        const state expected = {{7, 1.5, 2}, {7, 3, 4}};
        cr_expect(apart(end.x, expected.x) < 1e-15 && apart(end.v, expected.v) < 1e-15, "%g: %g %g, %g %g", scale, end.x[1], end.x[2],
                  end.v[1], end.v[2]);
    }
}

/* In a ball without friction, |v| and the angular momentum about its centre are kept for any time. */
Test(colliders, chords_of_a_ball) {
    const double at[3] = {1, -2, 0.5};
    const kdr_collider ball = kdr_collider_sphere(at, 2, true);
    const kdr_integrator_desc desc = with_colliders(KDR_RK4, KDR_F64, NULL, 0, &ball, 1);
    const state start = {{1.5, -2, 0.5}, {0.3, 1, 0.2}};
    const state end = advance_one(BY_INTEGRATOR, &desc, start, 0.05, 100000);
    double before = 0, after = 0, r = 0, l[2][3];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        before += start.v[i] * start.v[i];
        after += end.v[i] * end.v[i];
        r += (end.x[i] - at[i]) * (end.x[i] - at[i]);
        l[0][i] = (start.x[j] - at[j]) * start.v[k] - (start.x[k] - at[k]) * start.v[j];
        l[1][i] = (end.x[j] - at[j]) * end.v[k] - (end.x[k] - at[k]) * end.v[j];
    }
    cr_expect(close_to(after / before, 1, 1e-11), "%.3g", after / before - 1);
    cr_expect(sqrt(r) <= 2 * (1 + 1e-15));
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        cr_expect(close_to(l[0][j] * l[1][k], l[0][k] * l[1][j], 1e-12), "turned out of its plane");
    }
}

/* A collider that no particle touches changes no bit, for any method and field. */
Test(colliders, far_away_they_change_no_bit) {
    const kdr_force forces[] = {kdr_force_spring(3, 0.1, 0, 0), kdr_force_uniform_acceleration(1, 2, -3)};
    const double far_point[3] = {0, 0, -1e6}, low[3] = {-1e6, -1e6, -1e6}, high[3] = {1e6, 1e6, 1e6};
    const kdr_collider list[] = {kdr_collider_plane(far_point, up), kdr_collider_box(low, high, true),
                                 kdr_collider_sphere(origin, 1e6, true)};
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        for (int dims = 1; dims <= 3 && method != KDR_STORMER_VERLET; ++dims) {
            kdr_particles with = make_particles(37, dims, KDR_F32, true, false), without = make_particles(37, dims, KDR_F32, true, false);
            uint64_t seed = 11;
            fill_random(&with, &seed);
            copy_state(&without, &with);
            kdr_integrator_desc desc = describe((kdr_method)method, KDR_F32, KDR_FUSED, forces, 2);
            kdr_clock clock = {0, 0.01, 0}, other = clock;
            advance(BY_INTEGRATOR, &desc, &without, &other, 50);
            desc.colliders = list;
            desc.collider_count = 3;
            advance(BY_INTEGRATOR, &desc, &with, &clock, 50);
            cr_expect(same_bits(&with, &without), "%s, %d axes", kdr_method_get((kdr_method)method)->name, dims);
            kdr_particles_destroy(&with);
            kdr_particles_destroy(&without);
        }
    }
}

Test(colliders, wrong_ones_are_refused) {
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.collider_count = 1;
    expect_desc_refused(&desc, KDR_ERROR_NULL, "no colliders");
    static const double low[3] = {0, 0, 0}, high[3] = {1, -1, 1};
    kdr_collider list[9];
    for (int i = 0; i < 9; ++i) {
        list[i] = floor_with(0.5);
    }
    list[0].restitution = 1.5;
    list[1].friction = -0.1;
    list[2].sliding = -1;
    list[3].sliding = 0.5;
    list[3].static_friction = 0.4;
    list[4] = kdr_collider_plane(origin, origin);
    list[5] = kdr_collider_box(low, high, true);
    list[6] = kdr_collider_sphere(origin, 0, true);
    list[7].kind = (kdr_collider_kind)KDR_COLLIDER_KIND_COUNT;
    list[8].friction_normal = 2;
    for (int i = 0; i < 9; ++i) {
        desc.colliders = &list[i];
        expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "a wrong collider");
    }
    kdr_collider wild = floor_with(0.5);
    wild.as.plane.point[1] = NAN;
    desc.colliders = &wild;
    expect_desc_refused(&desc, KDR_ERROR_NOT_FINITE, "a point that is not finite");
    wild = floor_with(0.5);
    desc.method = KDR_STORMER_VERLET;
    const kdr_error error = expect_desc_refused(&desc, KDR_ERROR_UNSUPPORTED, "stormer-verlet");
    cr_expect(strstr(error.message, "take velocity-verlet"));
    /* This run goes backwards. */
    desc.method = KDR_RK4;
    kdr_particles p = make_particles(1, 3, KDR_F64, false, false);
    kdr_clock clock = {0, -0.1, 0};
    cr_expect(kdr_reference_run(&desc, &p, &clock, 1, NULL) == KDR_ERROR_UNSUPPORTED && clock.step == 0);
    kdr_particles_destroy(&p);
}

/* Kernels look at the walls only for particles that leave a box in which there are no walls. These lists have a second surface, or a
 * boundary, that makes the box of the first smaller. Particles move in every direction, and every step has the reference's bits. */
Test(colliders, every_surface_of_a_list_is_seen) {
    enum { COUNT = 300, STEPS = 40 };
    const double wide[3] = {2, 2, 2}, minus_wide[3] = {-2, -2, -2}, one[3] = {1, 1, 1}, minus_one[3] = {-1, -1, -1}, down[3] = {0, 0, -1},
                 lean[3] = {0.2, 0, 1}, near[3] = {0.1, 0.1, 0.1}, top[3] = {0, 0, 0.9};
    const kdr_collider second[] = {kdr_collider_box(minus_one, one, true), kdr_collider_box(minus_one, near, false),
                                   kdr_collider_sphere(origin, 1, true),   kdr_collider_sphere(near, 0.4, false),
                                   kdr_collider_plane(origin, up),         kdr_collider_plane(top, down),
                                   kdr_collider_plane(origin, lean),       kdr_collider_box(minus_wide, wide, true)};
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_RK4, KDR_EXACT_AFFINE};
    const kdr_force drag = kdr_force_drag(0.1, 0, 0, 0);
    for (int round = 0; round < 8 * 3 * KDR_REAL_COUNT; ++round) {
        const kdr_collider list[] = {kdr_collider_box(minus_wide, wide, true), second[round % 8]};
        const kdr_real real = (kdr_real)(round / 24);
        kdr_integrator_desc desc = with_colliders(methods[round / 8 % 3], real, &drag, 1, list, 2);
        if (round % 8 == 7) {
            desc.boundary.kind = KDR_BOUNDARY_PERIODIC;
            memcpy(desc.boundary.min, minus_one, sizeof minus_one);
            memcpy(desc.boundary.max, one, sizeof one);
        }
        kdr_particles p = make_particles(COUNT, 3, real, false, true), q = make_particles(COUNT, 3, real, false, true);
        uint64_t seed = 17;
        for (size_t i = 0; i < COUNT; ++i) {
            for (int a = 0; a < 3; ++a) {
                set(p.x[a], real, i, random_in(&seed, -0.9, 0.9));
                set(p.v[a], real, i, random_in(&seed, -3, 3));
            }
        }
        copy_state(&q, &p);
        kdr_clock clock = {0, 0.01, 0}, other = clock;
        advance(BY_INTEGRATOR, &desc, &p, &clock, STEPS);
        advance(BY_REFERENCE, &desc, &q, &other, STEPS);
        cr_expect(same_bits(&p, &q), "round %d", round);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* Specialised kernels handle one plane without friction in registers. Many particles fall on to a slope, bounce and rest, and some begin
 * below it. By each backend, in one call and in calls of one step, the bits are those of the program, which counts contacts. */
Test(colliders, falls_onto_a_slope) {
    enum { COUNT = 1003, STEPS = 90 };
    static const kdr_method methods[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET};
    const kdr_force weight = kdr_force_uniform_acceleration(0.5, -0.25, -10);
    kdr_collider slope = kdr_collider_plane((double[]){0.1, -0.2, 0.05}, (double[]){0.25, 0.1, 1});
    uint32_t hits[COUNT];
    for (int round = 0; round < 2 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT * 3; ++round) {
        const kdr_real real = (kdr_real)(round / 2 % KDR_REAL_COUNT);
        slope.restitution = round / 8 == 1 ? 0 : 0.75;
        slope.sliding = round / 8 == 2 ? 0.25 : 0; /* no specialised kernel has sliding friction */
        kdr_integrator_desc desc = with_colliders(methods[round % 2], real, &weight, 1, &slope, 1);
        desc.arithmetic = (kdr_arithmetic)(round / 4 % KDR_ARITHMETIC_COUNT);
        const bool remembers = methods[round % 2] == KDR_VELOCITY_VERLET;
        kdr_particles start = make_particles(COUNT, 3, real, false, remembers), p = make_particles(COUNT, 3, real, false, remembers),
                      expected = make_particles(COUNT, 3, real, false, remembers);
        uint64_t seed = test_seed();
        for (size_t i = 0; i < COUNT; ++i) {
            for (int a = 0; a < 3; ++a) {
                set(start.x[a], real, i, a < 2 ? random_in(&seed, -2, 2) : random_in(&seed, -0.5, 3));
                set(start.v[a], real, i, random_in(&seed, -4, 4));
            }
        }
        copy_state(&expected, &start);
        kdr_clock clock = {0, 1.0 / 64, 0};
        advance(BY_REFERENCE, &desc, &expected, &clock, STEPS);
        for (int backend = KDR_BACKEND_SCALAR; backend <= KDR_BACKEND_LAST; ++backend) {
            kdr_backend_info info;
            if (kdr_backend_query((kdr_backend)backend, &info) != KDR_OK || !info.runnable) {
                continue;
            }
            desc.backend = (kdr_backend)backend;
            for (int way = 0; way < 3; ++way) { /* one call; one call per step; contacts are counted */
                uint64_t counted = 0;
                copy_state(&p, &start);
                memset(hits, 0, sizeof hits);
                p.bounces = way == 2 ? hits : NULL;
                clock = (kdr_clock){0, 1.0 / 64, 0};
                for (int calls = way == 1 ? STEPS : 1, n = 0; n < calls; ++n) {
                    advance(BY_INTEGRATOR, &desc, &p, &clock, (uint64_t)(STEPS / calls));
                }
                for (size_t i = 0; i < COUNT; ++i) {
                    counted += hits[i];
                }
                cr_expect(same_bits(&p, &expected), "round %d, %s, way %d", round, info.name, way);
                cr_expect(way != 2 || slope.restitution == 0 || counted > COUNT, "%" PRIu64 " bounces of %d particles", counted, COUNT);
            }
        }
        p.bounces = NULL;
        kdr_particles_destroy(&start);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&expected);
    }
}
