/* Boundaries, constraints and counts of bounces: periodic and absorbing boundaries, pendulums, ropes, and refusals. */
#include "support.h"

static const double origin[3] = {0, 0, 0};

static kdr_integrator_desc bounded(kdr_method method, kdr_real real, kdr_boundary_kind kind, double low, double high) {
    kdr_integrator_desc desc = describe(method, real, KDR_FUSED, NULL, 0);
    desc.boundary.kind = kind;
    for (int axis = 0; axis < 3; ++axis) {
        desc.boundary.min[axis] = low;
        desc.boundary.max[axis] = high;
    }
    return desc;
}

/* In free flight x is x0 + v t less whole widths, at any speed, and the velocity does not change. */
Test(boundaries, periodic_wraps_by_whole_widths) {
    uint64_t seed = test_seed();
    for (int i = 0; i < 400; ++i) {
        const double width = 2.5, low = -1, speed = i % 4 == 0 ? 1000 : 3;
        kdr_integrator_desc desc = bounded(KDR_SEMI_IMPLICIT_EULER, KDR_F64, KDR_BOUNDARY_PERIODIC, low, low + width);
        desc.boundary.max[1] = low; /* a slab: open along y */
        state start;
        for (int axis = 0; axis < 3; ++axis) {
            start.x[axis] = random_in(&seed, low, low + width);
            start.v[axis] = random_in(&seed, -speed, speed);
        }
        const state end = advance_one(i % RUNNERS, &desc, start, 0.125, 64);
        for (int axis = 0; axis < 3; ++axis) {
            const double free = start.x[axis] + 8 * start.v[axis];
            const double there = axis == 1 ? free : low + (free - low) - width * floor((free - low) / width);
            const double off = fabs(end.x[axis] - there), error = 1e-12 * speed;
            cr_expect(end.v[axis] == start.v[axis]);
            cr_expect(off < error || (axis != 1 && fabs(off - width) < error), "%g for %g", end.x[axis], there);
            cr_expect(axis == 1 || (end.x[axis] >= low && end.x[axis] < low + width), "%.17g", end.x[axis]);
        }
    }
}

/* A particle that leaves stays where the step has put it, to the bit, and is counted. One that starts outside is not stepped. */
Test(boundaries, absorbing_holds_and_counts) {
    enum { COUNT = 500 };
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -1);
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        kdr_integrator_desc desc = bounded(KDR_VELOCITY_VERLET, (kdr_real)real, KDR_BOUNDARY_ABSORBING, -1, 1);
        desc.forces = &gravity;
        desc.force_count = 1;
        kdr_particles p = make_particles(COUNT, 3, (kdr_real)real, true, true),
                      start = make_particles(COUNT, 3, (kdr_real)real, true, true);
        uint64_t seed = 17;
        fill_random(&p, &seed);
        set(p.inverse_mass, p.real, 0, 0); /* frozen outside, so it is not counted */
        set(p.x[0], p.real, 0, 1.5);
        copy_state(&start, &p);
        kdr_integrator *integrator;
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
        kdr_clock clock = {0, 0.01, 0};
        size_t expected = 0, before = 0, count = 0;
        for (size_t i = 1; i < COUNT; ++i) {
            const state s = get_state(&p, i);
            before += fabs(s.x[0]) > 1 || fabs(s.x[1]) > 1 || fabs(s.x[2]) > 1;
        }
        cr_expect(kdr_count_absorbed(integrator, &p, &count, NULL) == KDR_OK && count == before);
        kdr_particles last = make_particles(COUNT, 3, (kdr_real)real, true, true);
        for (int step = 0; step < 300; ++step) {
            copy_state(&last, &p);
            cr_assert(kdr_integrator_run(integrator, &p, &clock, 1, NULL) == KDR_OK);
            expected = 0;
            for (size_t i = 1; i < COUNT; ++i) {
                const state s = get_state(&last, i), now = get_state(&p, i);
                const bool out = fabs(s.x[0]) > 1 || fabs(s.x[1]) > 1 || fabs(s.x[2]) > 1;
                cr_assert((memcmp(&s, &now, sizeof s) == 0) == out, "particle %zu at step %d", i, step);
                expected += fabs(now.x[0]) > 1 || fabs(now.x[1]) > 1 || fabs(now.x[2]) > 1;
            }
        }
        cr_expect(kdr_count_absorbed(integrator, &p, &count, NULL) == KDR_OK && count == expected && count > before && count < COUNT);
        cr_expect(kdr_count_absorbed(integrator, &p, NULL, NULL) == KDR_ERROR_NULL);
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&start);
        kdr_particles_destroy(&last);
    }
}

/* Counts of widths are the same by the reference and every backend, in any view of the same particles: all, some, structures, levels. */
Test(boundaries, images_are_counted) {
    enum { COUNT = 77 };
    static struct {
        double x[2], v[2], more;
    } body[COUNT];
    uint8_t some[COUNT];
    uint64_t seed = test_seed();
    for (int round = 0; round < 8 * KDR_BACKEND_LAST; ++round) {
        const kdr_real real = (kdr_real)(round % 2);
        const int view = round / 2 % 4;
        kdr_backend_info info;
        kdr_integrator_desc desc = bounded(KDR_POSITION_VERLET, real, KDR_BOUNDARY_PERIODIC, -0.1, 0.3);
        desc.backend = (kdr_backend)(KDR_BACKEND_FIRST + round / 8);
        cr_assert(kdr_backend_query(desc.backend, &info) == KDR_OK);
        if (!info.runnable) {
            continue;
        }
        kdr_particles p = make_particles(COUNT, 2, real, view == 3, false), q = make_particles(COUNT, 2, real, view == 3, false), far = q;
        fill_random(&p, &seed);
        const double odd[] = {-0.1, 0.3, -0.1 - 1e-17, -0.5, 0.29999999999999999, (double)NAN, (double)INFINITY, 1e30, -1e8, 4e5};
        for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
            set(p.x[0], real, i, odd[i]);
            set(p.v[0], real, i, 0);
        }
        copy_state(&q, &p);
        int32_t a[2][COUNT] = {{0}}, b[2][COUNT] = {{0}};
        for (size_t i = 0; i < COUNT; ++i) {
            some[i] = (uint8_t)(i % 3 != 1);
        }
        p.active = q.active = view == 1 ? some : NULL, p.level = q.level = view == 2 ? some : NULL;
        p.active_count = q.active_count = p.level_count = q.level_count = COUNT;
        if (view == 3 && real == KDR_F64) { /* in structures */
            for (size_t i = 0; i < COUNT; ++i) {
                for (int axis = 0; axis < 2; ++axis) {
                    body[i].x[axis] = get(q.x[axis], real, i), body[i].v[axis] = get(q.v[axis], real, i);
                }
            }
            q.x_layout.stride = q.v_layout.stride = sizeof body[0];
            q.x[0] = &body[0].x[0], q.x[1] = &body[0].x[1], q.v[0] = &body[0].v[0], q.v[1] = &body[0].v[1];
        }
        p.images[0] = a[0], p.images[1] = a[1], q.images[0] = b[0], q.images[1] = b[1];
        kdr_clock clock = {0, 0.25, 0}, other = clock;
        advance(BY_REFERENCE, &desc, &p, &clock, 20);
        advance(BY_INTEGRATOR, &desc, &q, &other, 20);
        cr_expect(memcmp(a, b, sizeof a) == 0, "round %d", round);
        cr_expect(a[0][3] == (view == 1 && !some[3] ? 0 : -1) && a[0][5] == 0 && a[0][6] == 0 && a[0][7] == 0 && a[1][0] != 0);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&far);
    }
    kdr_particles p = make_particles(3, 2, KDR_F32, false, false);
    int32_t one[3];
    kdr_error error;
    p.images[1] = one;
    cr_expect(kdr_particles_check(&p, &error) == KDR_ERROR_NULL && strstr(error.message, "images[0]"), "%s", error.message);
    p.images[0] = one;
    cr_expect(kdr_particles_check(&p, &error) == KDR_ERROR_OVERLAP, "%s", error.message);
    const kdr_particles slice = kdr_particles_slice(&p, 2, 1);
    cr_expect(slice.images[0] == one + 2);
    kdr_particles_destroy(&p);
}

/* Returns the largest difference of the two states on an axis; positions are taken modulo the width 2. */
static double apart_in_box(const state *a, const state *b) {
    double worst = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double off = a->x[axis] - b->x[axis];
        worst = fmax(worst, fmax(fabs(off - 2 * floor(0.5 * off + 0.5)), fabs(a->v[axis] - b->v[axis])));
    }
    return worst;
}

/* A period only renames a position. In a field that has the box's period, a method that keeps its acceleration moves as without a box,
 * wherever the box is. This also holds if forces depend on the velocity, if there is a wall that no particle meets, and if nothing has come
 * to rest. */
Test(boundaries, a_period_changes_no_motion) {
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_VELOCITY_VERLET_PC, KDR_VEFRL, KDR_BLANES_MOAN_6B};
    static const double values[4][6] = {{1, 0, 0.5, 0, 0.25, 1}, {0, 1, 0, 0.5, 0, 2}, {-1, 0, -0.5, 0, 0.5, 1}, {0, -1, 0, 0.25, 0, 3}};
    static const float narrow[4][6] = {
        {1, 0, 0.5F, 0, 0.25F, 1}, {0, 1, 0, 0.5F, 0, 2}, {-1, 0, -0.5F, 0, 0.5F, 1}, {0, -1, 0, 0.25F, 0, 3}};
    const kdr_custom_field *field;
    cr_assert(kdr_field_from_name("grid-electromagnetic", &field) == KDR_OK);
    const kdr_collider far = kdr_collider_plane((double[]){0, -1000, 0}, (double[]){0, 1, 0});
    const state start = {.x = {0.3, 0.1, -0.2}, .v = {5, 1, -2}};
    for (int round = 0; round < 4 * 4 * 2 * 2 * 2 * RUNNERS; ++round) {
        const int kind = round / 4 % 4, real = round / 16 % 2, walled = round / 32 % 2, rests = round / 64 % 2, runner = round / 128;
        const kdr_grid grid = {.dims = 1,
                               .components = 6,
                               .nodes = {4},
                               .edge = {KDR_EDGE_PERIODIC},
                               .origin = {-1},
                               .spacing = {0.5},
                               .values = real ? (const void *)narrow : values};
        kdr_force forces[] = {kdr_force_drag(0.5, 1, 0, 0), kdr_force_quadratic_drag(0.25, 0, 0, 1),
                              kdr_force_electromagnetic(1, (double[]){0, 0.5, 0}, (double[]){0, 0, 1}),
                              kdr_force_custom(field, (const double[KDR_MAX_PARAMETERS]){1})};
        forces[3].as.custom.grid = &grid;
        kdr_integrator_desc desc = describe(methods[round % 4], real ? KDR_F32 : KDR_F64, (kdr_arithmetic)(round % 2), &forces[kind], 1);
        desc.flush_small_to_zero = rests != 0;
        desc.colliders = &far, desc.collider_count = walled ? 1 : 0;
        const state free = advance_one(runner, &desc, start, 0.025, 150);
        for (int box = 0; box < 2; ++box) {
            desc.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_PERIODIC, .min = {-1, -1, -1}, .max = {1, 1, 1}};
            for (int axis = 0; axis < 3; ++axis) {
                desc.boundary.min[axis] -= 0.3 * box, desc.boundary.max[axis] -= 0.3 * box;
            }
            const state end = advance_one(runner, &desc, start, 0.025, 150);
            const double off = apart_in_box(&free, &end);
            cr_expect(off < (real ? 5e-4 : 1e-11), "%s, force %d, %s%s%s, box %d: off by %.1e", kdr_method_get(desc.method)->name, kind,
                      real ? "f32" : "f64", walled ? ", a wall" : "", rests ? ", rests" : "", box, off);
        }
    }
}

/* A sample counts in its own images, and does not change the particles'. */
Test(boundaries, samples_count_images) {
    enum { COUNT = 300 };
    uint64_t seed = test_seed();
    uint8_t level[COUNT];
    for (int round = 0; round < 4 * KDR_BACKEND_LAST; ++round) {
        const kdr_real real = (kdr_real)(round % 2);
        kdr_backend_info info;
        kdr_integrator_desc desc = bounded(KDR_VELOCITY_VERLET, real, KDR_BOUNDARY_PERIODIC, -0.1, 0.3);
        desc.backend = (kdr_backend)(KDR_BACKEND_FIRST + round / 4);
        cr_assert(kdr_backend_query(desc.backend, &info) == KDR_OK);
        if (!info.runnable) {
            continue;
        }
        kdr_particles p = make_particles(COUNT, 2, real, false, false), q = make_particles(COUNT, 2, real, false, false), to = q;
        int32_t own[2][COUNT], by_reference[2][COUNT], counted[COUNT][2], back[2][COUNT];
        const kdr_clock clock = {0, 0.25, 3};
        kdr_integrator *integrator;
        kdr_error error;
        fill_random(&p, &seed);
        for (size_t i = 0; i < COUNT; ++i) {
            level[i] = (uint8_t)(i % 3);
            own[0][i] = own[1][i] = (int32_t)i;
        }
        p.images[0] = own[0], p.images[1] = own[1], p.level = round / 2 % 2 ? level : NULL, p.level_count = COUNT;
        to.images[0] = by_reference[0], to.images[1] = by_reference[1];
        cr_assert(kdr_reference_sample(&desc, &p, &clock, 0.75, &to, &error) == KDR_OK, "%s", error.message);
        to.images[0] = &counted[0][0], to.images[1] = &counted[0][1], to.images_layout.stride = sizeof counted[0];
        cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_integrator_sample(integrator, &p, &clock, 0.75, &to, &error) == KDR_OK, "%s", error.message);
        size_t changed = 0;
        for (size_t i = 0; i < COUNT; ++i) {
            back[0][i] = counted[i][0], back[1][i] = counted[i][1];
            changed += back[0][i] != (int32_t)i;
            cr_expect(own[0][i] == (int32_t)i && own[1][i] == (int32_t)i);
        }
        cr_expect(memcmp(back, by_reference, sizeof back) == 0 && changed > COUNT / 4, "round %d: %zu", round, changed);
        /* images of the sample; the particles' stay unchanged */
        to.images[0] = own[0], to.images[1] = own[1], to.images_layout = p.images_layout;
        cr_assert(kdr_integrator_sample(integrator, &p, &clock, 0.75, &to, &error) == KDR_OK, "%s", error.message);
        cr_expect(own[0][COUNT - 1] == COUNT - 1 && own[1][0] == 0);
        to.images[0] = own[1], to.images[1] = own[0];
        cr_expect(kdr_integrator_sample(integrator, &p, &clock, 0.75, &to, &error) == KDR_ERROR_OVERLAP, "%s", error.message);
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* A particle exactly on a limit is inside, and moves on. One at the next number is outside. */
Test(boundaries, on_the_limit_is_inside) {
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        const kdr_integrator_desc desc = bounded(KDR_VELOCITY_VERLET, (kdr_real)real, KDR_BOUNDARY_ABSORBING, -0.1, 0.3);
        const double low = real == KDR_F32 ? (double)-0.1F : -0.1, high = real == KDR_F32 ? (double)0.3F : 0.3;
        const double beyond = real == KDR_F32 ? (double)nextafterf(0.3F, 1) : nextafter(0.3, 1);
        const double below = real == KDR_F32 ? (double)nextafterf(-0.1F, -1) : nextafter(-0.1, -1);
        const double x[4] = {low, high, below, beyond};
        kdr_particles p = make_particles(4, 1, (kdr_real)real, false, false);
        for (size_t i = 0; i < 4; ++i) {
            set(p.x[0], p.real, i, x[i]);
        }
        kdr_integrator *integrator;
        size_t count = 99;
        cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
        cr_expect(kdr_count_absorbed(integrator, &p, &count, NULL) == KDR_OK && count == 2, "%zu of two", count);
        for (size_t i = 0; i < 4; ++i) {
            set(p.v[0], p.real, i, i % 2 ? -1 : 1);
        }
        kdr_clock clock = {0, 0.125, 0};
        cr_assert(kdr_integrator_run(integrator, &p, &clock, 1, NULL) == KDR_OK);
        for (size_t i = 0; i < 4; ++i) {
            cr_expect((get_state(&p, i).x[0] == x[i]) == (i >= 2), "particle %zu", i);
        }
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&p);
    }
}

/* Between two walls at distance 1, a particle of speed s bounces every 1 / s, and twice in a step into a corner. */
Test(boundaries, bounces_are_counted) {
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    const kdr_collider box = kdr_collider_box(low, high, true);
    kdr_integrator_desc desc = describe(KDR_RK4, KDR_F32, KDR_FUSED, NULL, 0);
    desc.colliders = &box;
    desc.collider_count = 1;
    for (int runner = 0; runner < RUNNERS; ++runner) {
        kdr_particles_desc of = kdr_particles_desc_default();
        of.count = 40;
        of.real = KDR_F32;
        of.bounces = true;
        of.inverse_mass = true;
        kdr_particles p;
        cr_assert(kdr_particles_create(&of, &p, NULL) == KDR_OK);
        for (size_t i = 0; i < p.count; ++i) {
            put_state(&p, i, &(state){{0.5, 0.5, 0.5}, {i % 3 == 0 ? 0.25 * (double)i : 0, i % 3 == 1 ? -1 : 0, 0}});
        }
        put_state(&p, 5, &(state){{0.5, 0.5, 0.5}, {1, 1, -1}}); /* aimed at corners */
        set(p.inverse_mass, KDR_F32, 6, 0);
        kdr_clock clock = {0, 0x1p-7, 0};
        advance(runner, &desc, &p, &clock, 128 * 4 - 30);
        advance(runner, &desc, &p, &clock, 30);
        for (size_t i = 0; i < p.count; ++i) {
            const uint32_t expected = i == 6 ? 0 : i == 5 ? 12 : i % 3 == 0 ? (uint32_t)(0.25 * (double)i * 4 + 0.5) : i % 3 == 1 ? 4 : 0;
            cr_expect(p.bounces[i] == expected, "particle %zu: %" PRIu32 ", expected %" PRIu32, i, p.bounces[i], expected);
        }
        const kdr_particles slice = kdr_particles_slice(&p, 5, 2);
        cr_expect(slice.bounces == p.bounces + 5);
        p.bounces = (uint32_t *)p.x[0];
        cr_expect(kdr_particles_check(&p, NULL) == KDR_ERROR_OVERLAP);
        kdr_particles_destroy(&p);
    }
}

static double pendulum_energy(const state *s) { return 0.5 * (s->v[0] * s->v[0] + s->v[1] * s->v[1] + s->v[2] * s->v[2]) + 9.81 * s->x[2]; }

/* A taut rope takes what a rod takes, in both directions of time, however short the step. The impulse is a difference of positions divided
 * by the time, and in a short step that difference is only rounding. */
Test(boundaries, a_taut_rope_in_a_short_step_is_a_rod) {
    const double to[3] = {0.05, 0.13, 0};
    const kdr_force gravity = kdr_force_uniform_acceleration(0, -1, 0);
    const kdr_constraint held[] = {kdr_constraint_rod(to, 0.97), kdr_constraint_rope(to, 0.97)};
    uint64_t seed = test_seed();
    int different = 0;
    for (int n = 0; n < 400; ++n) {
        const int runner = n % RUNNERS, real = n / 2 % 2;
        const double angle = random_in(&seed, -2.5, -0.6), speed = random_in(&seed, 0.2, 1), back = n / 4 % 2 ? -1 : 1;
        const state start = {{to[0] + 0.97 * cos(angle), to[1] + 0.97 * sin(angle), 0}, {-speed * sin(angle), speed * cos(angle), 0}};
        kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, real ? KDR_F32 : KDR_F64, (kdr_arithmetic)(n / 8 % 2), &gravity, 1);
        desc.constraints = &held[0], desc.constraint_count = 1;
        const state taut = advance_one(runner, &desc, start, back * 0.01, 7);
        for (double part = real ? 1e-5 : 1e-14; part <= 1; part *= 10) {
            state end[2];
            for (int rope = 0; rope < 2; ++rope) {
                desc.constraints = &held[rope];
                end[rope] = advance_one(runner, &desc, taut, back * 0.01 * part, 1);
            }
            const double off = fmax(fabs(end[0].v[0] - end[1].v[0]), fabs(end[0].v[1] - end[1].v[1]));
            cr_expect(off < (real ? 1e-6 : 1e-13) + 0.03 * part, "%.0e of a step%s: v off by %.1e", part, real ? " in f32" : "", off);
            different += off != 0;
        }
    }
    cr_expect(different > 10, "%d", different);
}

/* In f32, a pendulum on a rope that is released from the horizontal keeps its energy as one on a rod does, even with short steps. */
Test(boundaries, a_rope_keeps_the_energy_of_a_rod) {
    const double to[3] = {0, 0, 2};
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -9.81);
    const kdr_constraint held[] = {kdr_constraint_rod(to, 0.97), kdr_constraint_rope(to, 0.97)};
    const state start = {{0.97, 0, 2}, {0, 0, 0}};
    for (int steps = 1000; steps <= 100000; steps *= 10) {
        for (int runner = 0; runner < RUNNERS; ++runner) {
            double change[2];
            for (int rope = 0; rope < 2; ++rope) {
                kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F32, KDR_FUSED, &gravity, 1);
                desc.constraints = &held[rope], desc.constraint_count = 1;
                const state end = advance_one(runner, &desc, start, 10.0 / steps, (uint64_t)steps);
                change[rope] = (pendulum_energy(&end) - pendulum_energy(&start)) / 9.81;
            }
            fprintf(stderr, "%d steps: energy of the rod %.1e, of the rope %.1e\n", steps, change[0], change[1]);
            cr_expect(fabs(change[1]) < 2e-4 || fabs(change[1]) < 3 * fabs(change[0]), "%d steps: %.1e, of a rod %.1e", steps, change[1],
                      change[0]);
        }
    }
}

/* A pendulum of length 1 is released at 2 radians. Its energy error is bounded over 10^5 steps and of second order in the step, and the rod
 * keeps its length. */
Test(boundaries, a_pendulum_keeps_its_energy) {
    const double to[3] = {0, 0, 2};
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -9.81);
    const kdr_constraint held[] = {kdr_constraint_rod(to, 1), kdr_constraint_sphere(to, 1)};
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_SEMI_IMPLICIT_EULER};
    const state start = {{sin(2), 0, 2 - cos(2)}, {0, 0.5, 0}};
    for (int m = 0; m < 2; ++m) {
        double worst[3] = {0};
        for (int part = 0; part < 3; ++part) { /* the first tenth of the run, all of it, all of it with half the step */
            kdr_integrator_desc desc = describe(methods[m], KDR_F64, KDR_FUSED, &gravity, 1);
            desc.constraints = &held[m];
            desc.constraint_count = 1;
            kdr_integrator *integrator;
            cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
            kdr_particles p = make_particles(1, 3, KDR_F64, false, true);
            put_state(&p, 0, &start);
            kdr_clock clock = {0, part == 2 ? 0.005 : 0.01, 0};
            for (int look = 0; look < (part == 0 ? 1000 : 10000); ++look) {
                cr_assert(kdr_integrator_run(integrator, &p, &clock, part == 2 ? 20 : 10, NULL) == KDR_OK);
                const state s = get_state(&p, 0);
                const double r[3] = {s.x[0], s.x[1], s.x[2] - 2};
                cr_assert(close_to(sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), 1, 1e-15), "the rod");
                cr_assert(close_to(r[0] * s.v[0] + r[1] * s.v[1] + r[2] * s.v[2], 0, 1e-13), "the velocity along the rod");
                worst[part] = fmax(worst[part], fabs(pendulum_energy(&s) - pendulum_energy(&start)));
            }
            kdr_integrator_destroy(integrator);
            kdr_particles_destroy(&p);
        }
        fprintf(stderr, "%s: energy off by %.3g in 10^4 steps, %.3g in 10^5, %.3g with half the step\n", kdr_method_get(methods[m])->name,
                worst[0], worst[1], worst[2]);
        cr_expect(worst[1] < 1.05 * worst[0] && worst[1] > 1e-5, "not bounded");
        const double order = log2(worst[1] / worst[2]);
        cr_expect(m == 0 ? order > 1.8 && order < 2.2 : order > 0.8 && order < 1.2, "order %g", order);
    }
}

/* Small swings have the period 2 pi sqrt(L / g) (1 + a^2 / 16). */
Test(boundaries, a_pendulum_has_its_period) {
    const double to[3] = {0, 0, 0}, g = 9.81, length = 0.7, amplitude = 0.05, dt = 1e-4;
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -g);
    const kdr_constraint rod = kdr_constraint_rod(to, length);
    for (int runner = 0; runner < RUNNERS; ++runner) {
        kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, &gravity, 1);
        desc.constraints = &rod;
        desc.constraint_count = 1;
        const double period = 2 * acos(-1) * sqrt(length / g) * (1 + amplitude * amplitude / 16);
        const uint64_t steps = (uint64_t)(10 * period / dt);
        const state start = {{length * sin(amplitude), 0, -length * cos(amplitude)}, {0, 0, 0}};
        const state end = advance_one(runner, &desc, start, dt, steps);
        const double phase = 2 * acos(-1) * (double)steps * dt / period;
        cr_expect(close_to(end.x[0], start.x[0] * cos(phase), 1e-6), "%.12g for %.12g", end.x[0], start.x[0] * cos(phase));
        cr_expect(close_to(end.v[0], -start.x[0] * sqrt(g / length) * sin(phase), 2e-5), "%g", end.v[0]);
    }
}

/* When a slack rope becomes taut, the velocity along it vanishes and the velocity across it stays. The rope never gets longer. A particle
 * that hangs from it stays at rest. */
Test(boundaries, a_rope_takes_the_velocity_along_it) {
    const kdr_constraint rope = kdr_constraint_rope(origin, 1);
    kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, NULL, 0);
    desc.constraints = &rope;
    desc.constraint_count = 1;
    for (int runner = 0; runner < RUNNERS; ++runner) {
        state end = advance_one(runner, &desc, (state){{0, 0, 0}, {3, 0, 4}}, 0.1, 10);
        cr_expect(close_to(end.x[0], 0.6, 1e-15) && close_to(end.x[2], 0.8, 1e-15) && close_to(end.v[0], 0, 1e-15), "taut at once");
        end = advance_one(runner, &desc, (state){{0.5, 0, 0}, {0.1, 0.2, 0}}, 0.1, 10);
        cr_expect(close_to(end.x[0], 0.6, 1e-15) && end.v[1] == 0.2, "slack");
        end = advance_one(runner, &desc, (state){{0.6, -0.5, 0}, {0, 1, 0}}, 1e-3,
                          10000); /* grazes the sphere at (0.6, 0.8) with v_t = 0.6 */
        const double speed = sqrt(end.v[0] * end.v[0] + end.v[1] * end.v[1]);
        cr_expect(close_to(speed, 0.6, 1e-5), "speed %.9g", speed);
        cr_expect(close_to(end.x[0] * end.x[0] + end.x[1] * end.x[1], 1, 1e-15));
    }
    const kdr_force forces[] = {kdr_force_uniform_acceleration(0, 0, -9.81), kdr_force_drag(1, 0, 0, 0)};
    desc.forces = forces;
    desc.force_count = 2;
    const state hung = advance_one(BY_INTEGRATOR, &desc, (state){{0.3, 0.2, 0.5}, {1, 0, 0}}, 0.01, 20000);
    cr_expect(close_to(hung.x[2], -1, 1e-15) && close_to(hung.x[0], 0, 1e-12) && close_to(hung.v[0], 0, 1e-12) && hung.v[2] == 0);
}

/* A particle on a plane and on a sphere is on a circle. Without forces it moves at constant speed. */
Test(boundaries, on_a_plane_and_on_a_circle) {
    const double at[3] = {1, 2, 3}, normal[3] = {1, 1, 1};
    const kdr_constraint both[] = {kdr_constraint_sphere(at, 2), kdr_constraint_plane(at, normal)};
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, NULL, 0);
    desc.constraints = both;
    desc.constraint_count = 2;
    const double s = 2 / sqrt(2), dt = 0.01;
    const uint64_t steps = 100000;
    const state end = advance_one(BY_INTEGRATOR, &desc, (state){{1 + s, 2 - s, 3}, {1 / sqrt(6), 1 / sqrt(6), -2 / sqrt(6)}}, dt, steps);
    const double r[3] = {end.x[0] - 1, end.x[1] - 2, end.x[2] - 3};
    cr_expect(close_to(r[0] + r[1] + r[2], 0, 1e-14));
    cr_expect(close_to(r[0] * r[0] + r[1] * r[1] + r[2] * r[2], 4, 1e-13));
    cr_expect(close_to(end.v[0] * end.v[0] + end.v[1] * end.v[1] + end.v[2] * end.v[2], 1, 1e-10));
    /* The angle per step is asin(h v / L). */
    const double angle = fmod((double)steps * asin(dt / 2), 2 * acos(-1)), cosine = (r[0] - r[1]) / (2 * sqrt(2));
    cr_expect(close_to(cosine, cos(angle), 1e-8), "%.12g for %.12g", cosine, cos(angle));
}

/* A step backwards undoes a step of a reversible method on a rod. */
Test(boundaries, a_rod_runs_back) {
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -9.81);
    const kdr_constraint rod = kdr_constraint_rod(origin, 1);
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, &gravity, 1);
    desc.constraints = &rod;
    desc.constraint_count = 1;
    const state start = {{1, 0, 0}, {0, 1, 0.5}}, there = advance_one(BY_INTEGRATOR, &desc, start, 0.01, 1000);
    const state back = advance_one(BY_INTEGRATOR, &desc, there, -0.01, 1000);
    for (int axis = 0; axis < 3; ++axis) {
        cr_expect(close_to(back.x[axis], start.x[axis], 1e-11) && close_to(back.v[axis], start.v[axis], 1e-11), "axis %d: %g", axis,
                  back.x[axis] - start.x[axis]);
    }
}

Test(boundaries, wrong_ones_are_refused) {
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.constraint_count = 1;
    expect_desc_refused(&desc, KDR_ERROR_NULL, "no constraints");
    kdr_constraint wrong[] = {kdr_constraint_rod(origin, 0), kdr_constraint_rope(origin, -1), kdr_constraint_plane(origin, origin),
                              kdr_constraint_sphere(origin, 1)};
    wrong[3].kind = (kdr_constraint_kind)KDR_CONSTRAINT_KIND_COUNT;
    for (int i = 0; i < 4; ++i) {
        desc.constraints = &wrong[i];
        expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "a wrong constraint");
    }
    kdr_constraint rod = kdr_constraint_rod(origin, 1);
    desc.constraints = &rod;
    desc.method = KDR_STORMER_VERLET;
    expect_desc_refused(&desc, KDR_ERROR_UNSUPPORTED, "stormer-verlet");
    rod.as.rod.to[1] = INFINITY;
    desc.method = KDR_RK4;
    expect_desc_refused(&desc, KDR_ERROR_NOT_FINITE, "a point at infinity");
    desc = bounded(KDR_STORMER_VERLET, KDR_F64, KDR_BOUNDARY_PERIODIC, 0, 1);
    expect_desc_refused(&desc, KDR_ERROR_UNSUPPORTED, "stormer-verlet");
    desc = bounded(KDR_RK4, KDR_F64, KDR_BOUNDARY_PERIODIC, 1, 0);
    expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "max below min");
    desc = bounded(KDR_RK4, KDR_F32, KDR_BOUNDARY_ABSORBING, 0, 1e39);
    expect_desc_refused(&desc, KDR_ERROR_NOT_FINITE, "beyond f32");
    desc = bounded(KDR_RK4, KDR_F64, (kdr_boundary_kind)KDR_BOUNDARY_KIND_COUNT, 0, 1);
    expect_desc_refused(&desc, KDR_ERROR_ARGUMENT, "no kind");
}

/* An infinite or NaN position stays so. If it were put back into the box, it would look like a valid particle. */
Test(boundaries, what_is_not_finite_stays_so) {
    for (int n = 0; n < 4 * RUNNERS; ++n) {
        const kdr_real real = n / RUNNERS % 2 ? KDR_F32 : KDR_F64;
        const double largest = real == KDR_F32 ? 3e38 : 1e308, fast = n / RUNNERS / 2 ? -largest : largest;
        kdr_integrator_desc desc = bounded(KDR_SEMI_IMPLICIT_EULER, real, KDR_BOUNDARY_PERIODIC, 0, 1);
        kdr_particles p = make_particles(3, 3, real, false, false);
        kdr_clock clock = {.dt = 100};
        size_t lost;
        put_state(&p, 0, &(state){{0.5, 0.5, 0.5}, {0.25, 0, 0}});
        put_state(&p, 1, &(state){{0.5, 0.5, 0.5}, {0, fast, 0}});
        put_state(&p, 2, &(state){{0.5, 0.5, NAN}, {0, 0, 0}});
        advance(n % RUNNERS, &desc, &p, &clock, 2);
        cr_expect(get_state(&p, 0).x[0] == 0.5 && isinf(get_state(&p, 1).x[1]) && get_state(&p, 1).x[0] == 0.5 &&
                      isnan(get_state(&p, 2).x[2]),
                  "%g", get_state(&p, 1).x[1]);
        cr_expect(kdr_first_non_finite(&p, &lost, NULL) == KDR_OK && lost == 1);
        kdr_particles_destroy(&p);
    }
}
