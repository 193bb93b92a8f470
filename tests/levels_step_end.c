/* Levels with actions at the end of a step: rods, a boundary, walls. Their bits are compared with the reference by kickdrift verify. */
#include "system_support.h"

typedef struct asked {
    uint64_t calls, fails_at;
} asked;

/* Pulls to the middle of the first two axes, in a way that has the period of the box; not on the third axis. */
static kdr_status swirl(void *context, const kdr_particles *p, double t, void *const a[3]) {
    asked *const of = context;
    (void)t;
    for (size_t n = 0; n < p->count; ++n) {
        set(a[0], p->real, n, 0.3 * sin(2 * M_PI * get(p->x[0], p->real, n)));
        set(a[1], p->real, n, -0.2 * cos(2 * M_PI * get(p->x[1], p->real, n)));
        set(a[2], p->real, n, 0);
    }
    return ++of->calls == of->fails_at ? KDR_ERROR_UNAVAILABLE : KDR_OK;
}

typedef struct crowd {
    kdr_particles p;
    kdr_distance rods[40];
    uint8_t level[120];
    int32_t images[3][120];
    asked of;
} crowd;
enum { MOLECULES = 40 };

/* Makes molecules of three with two rods, a single rod, and a free particle, within a box of 1 or across its border. */
static void make_crowd(crowd *c, kdr_system_desc *desc) {
    uint64_t seed = 3;
    memset(c, 0, sizeof *c);
    c->p = make_particles((size_t)3 * MOLECULES, 3, KDR_F64, true, true);
    for (uint32_t n = 0; n < c->p.count; ++n) {
        const bool second = n % 3 == 1;
        state s;
        for (int i = 0; i < 3; ++i) {
            s.x[i] = second ? get(c->p.x[i], KDR_F64, n - 1) + (i < 2 ? 0.1 : 0) : random_in(&seed, 0, 1);
            s.v[i] = random_in(&seed, -1, 1);
        }
        put_state(&c->p, n, &s);
        set(c->p.inverse_mass, KDR_F64, n, random_in(&seed, 0.5, 2));
        c->level[n] = (uint8_t)(n % 4);
        if (second) {
            c->rods[n / 3] = (kdr_distance){n - 1, n, 0.1 * sqrt(2)};
        }
    }
    c->p.level = c->level, c->p.level_count = c->p.count;
    for (int i = 0; i < 3; ++i) {
        c->p.images[i] = c->images[i];
    }
    desc->levels = true;
    desc->accelerations = swirl, desc->context = &c->of;
    desc->distances = c->rods, desc->distance_count = MOLECULES;
}

static kdr_status try_run(const kdr_system_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t steps) {
    kdr_error error;
    return run_with(desc, p, clock, steps, &error);
}

static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_POSITION_VERLET, KDR_SEMI_IMPLICIT_EULER, KDR_BAOAB};
enum { METHODS = 4 };

static void choose(kdr_system_desc *desc, int method) {
    desc->method = methods[method];
    desc->langevin = methods[method] == KDR_BAOAB ? (kdr_langevin){0.5, 0.25, 9} : (kdr_langevin){0, 0, 0};
}

/* With a box that puts particles back, the motion is as without one, and rods keep their lengths. */
Test(levels_step_end, in_a_box_as_without_one) {
    for (int m = 0; m < METHODS; ++m) {
        static crowd one, other;
        kdr_system_desc desc = kdr_system_desc_default(), boxed = desc;
        make_crowd(&one, &desc);
        make_crowd(&other, &boxed);
        choose(&desc, m);
        choose(&boxed, m);
        boxed.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_PERIODIC, .min = {0, 0, 0}, .max = {1, 1, 0}};
        for (size_t n = 0; n < other.p.count; ++n) {
            for (int i = 0; i < 2; ++i) {
                const double x = get(other.p.x[i], KDR_F64, n);
                other.images[i][n] = (int32_t)floor(x);
                set(other.p.x[i], KDR_F64, n, x - floor(x));
            }
        }
        kdr_clock clock = {0, 0.01, 0}, same = clock;
        cr_assert(try_run(&desc, &one.p, &clock, 150) == KDR_OK && try_run(&boxed, &other.p, &same, 150) == KDR_OK);
        const char *const name = kdr_method_get(methods[m])->name;
        size_t moved = 0;
        for (size_t n = 0; n < one.p.count; ++n) {
            double square = 0;
            for (int i = 0; i < 3; ++i) {
                const double x = get(other.p.x[i], KDR_F64, n), expected = get(one.p.x[i], KDR_F64, n);
                cr_expect(fabs(x + other.images[i][n] - expected) < 1e-10, "%s: particle %zu, axis %d: %.17g and %d, expected %.17g", name,
                          n, i, x, other.images[i][n], expected);
                cr_expect(i == 2 || (x >= 0 && x < 1), "%s: %.17g", name, x);
                moved += other.images[i][n] != 0;
                square += n % 3 == 1 ? pow(expected - get(one.p.x[i], KDR_F64, n - 1), 2) : 0;
            }
            cr_expect(n % 3 != 1 || fabs(square / 0.02 - 1) < 1e-12, "%s: rod of %zu: %.17g", name, n, square);
        }
        cr_expect(moved > 50, "%zu", moved);
        kdr_particles_destroy(&one.p);
        kdr_particles_destroy(&other.p);
    }
}

/* A pendulum of two rods and a stiff spring with a fast body: the energy does not drift, although the steps have three lengths. */
Test(levels_step_end, rods_keep_their_energy) {
    static const uint8_t level[] = {0, 0, 1, 3};
    static const kdr_distance rods[] = {{0, 1, 1}, {1, 2, 0.5}};
    const kdr_pair_spring spring = {.a = 2, .b = 3, .k = 400, .length = 0.25};
    const kdr_interaction network = kdr_interaction_spring_network(&spring, 1);
    const kdr_force down = kdr_force_uniform_acceleration(0, -1, 0);
    kdr_system_desc desc = kdr_system_desc_default();
    desc.forces = &down, desc.force_count = 1;
    desc.interactions = &network, desc.interaction_count = 1;
    desc.distances = rods, desc.distance_count = 2;
    desc.levels = true;
    kdr_particles p = make_particles(4, 2, KDR_F64, true, true);
    static const double begin[4][2] = {{0, 0}, {1, 0}, {1, -0.5}, {1, -0.76}}, mass[4] = {INFINITY, 1, 1, 0.1};
    for (size_t n = 0; n < 4; ++n) {
        put_state(&p, n, &(state){{begin[n][0], begin[n][1], 0}, {0, 0, 0}});
        set(p.inverse_mass, KDR_F64, n, 1 / mass[n]);
    }
    p.level = level, p.level_count = 4;
    kdr_clock clock = {0, 0.02, 0};
    double first = 0, worst[2] = {0, 0};
    for (int look = 0; look <= 800; ++look) {
        double energy = 0;
        for (size_t n = 1; n < 4; ++n) {
            const state s = get_state(&p, n);
            energy += mass[n] * (0.5 * (s.v[0] * s.v[0] + s.v[1] * s.v[1]) + s.x[1]);
        }
        const state a = get_state(&p, 2), b = get_state(&p, 3);
        energy += 200 * pow(hypot(b.x[0] - a.x[0], b.x[1] - a.x[1]) - 0.25, 2);
        first = look == 0 ? energy : first;
        worst[look > 400] = fmax(worst[look > 400], fabs(energy - first));
        cr_assert(try_run(&desc, &p, &clock, 20) == KDR_OK);
    }
    cr_expect(worst[0] < 1e-2 && worst[1] < 1.2 * worst[0], "%g, then %g", worst[0], worst[1]);
    kdr_particles_destroy(&p);
}

/* A particle that is outside stays there, and makes no step shorter: the function is called as often as the particles inside need. */
Test(levels_step_end, who_is_outside_has_no_level) {
    static const uint8_t level[] = {0, 3, 1};
    asked of = {0, 0};
    kdr_system_desc desc = kdr_system_desc_default();
    desc.levels = true;
    desc.accelerations = swirl, desc.context = &of;
    desc.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_ABSORBING, .min = {0, 0, 0}, .max = {1, 1, 1}};
    kdr_particles p = make_particles(3, 3, KDR_F64, false, true);
    put_state(&p, 0, &(state){{0.5, 0.5, 0.5}, {0, 0, 0}});
    put_state(&p, 1, &(state){{2, 0.5, 0.5}, {1, 0, 0}});
    put_state(&p, 2, &(state){{0.5, 0.5, 0.99}, {0, 0, 1}}); /* leaves in the second step */
    p.level = level, p.level_count = 3;
    kdr_clock clock = {0, 0.008, 0};
    cr_assert(try_run(&desc, &p, &clock, 10) == KDR_OK);
    cr_expect(of.calls == 1 + 2 * 2 + 8, "%llu calls", (unsigned long long)of.calls);
    cr_expect(get(p.x[0], KDR_F64, 1) == 2 && close_to(get(p.x[2], KDR_F64, 2), 0.99 + 2 * 0.008, 1e-15), "%g", get(p.x[2], KDR_F64, 2));
    kdr_particles_destroy(&p);
}

/* Balls on the ground at three levels, with a force that is 0 where they are: each bounces, loses energy as it must, and is never below the
 * ground. */
Test(levels_step_end, balls_bounce) {
    static const uint8_t level[] = {0, 1, 3};
    uint32_t bounces[3] = {0};
    double lost[2][3] = {{0}};
    asked of = {0, 0};
    const kdr_force down = kdr_force_uniform_acceleration(0, 0, -1);
    const kdr_collider ground = {.kind = KDR_COLLIDER_PLANE, .restitution = 0.5, .as.plane.normal = {0, 0, 1}};
    kdr_system_desc desc = kdr_system_desc_default();
    desc.levels = true;
    desc.accelerations = swirl, desc.context = &of;
    desc.forces = &down, desc.force_count = 1;
    desc.colliders = &ground, desc.collider_count = 1;
    kdr_particles p = make_particles(3, 3, KDR_F64, false, true);
    for (size_t n = 0; n < 3; ++n) {
        put_state(&p, n, &(state){{0.5, 0.25, 1}, {0, 0, 0}}); /* here the function is 0 */
    }
    p.level = level, p.level_count = 3;
    p.bounces = bounces;
    p.dissipated_energy[0] = lost[0], p.dissipated_energy[1] = lost[1];
    kdr_clock clock = {0, 1.0 / 128, 0};
    for (int look = 0; look < 24; ++look) {
        cr_assert(try_run(&desc, &p, &clock, 16) == KDR_OK);
        for (size_t n = 0; n < 3; ++n) {
            const double z = get(p.x[2], KDR_F64, n), v = get(p.v[2], KDR_F64, n);
            cr_expect(z >= 0 && fabs(z + 0.5 * v * v + lost[0][n] + lost[1][n] - 1) < 2e-3, "level %d: %g", level[n],
                      z + 0.5 * v * v + lost[0][n] + lost[1][n]);
        }
    }
    for (size_t n = 0; n < 3; ++n) { /* bounces at 1.41, 2.83, 3.54, 3.89 ... of 3 */
        cr_expect(bounces[n] == 2 && fabs(lost[0][n] + lost[1][n] - 15.0 / 16) < 2e-3, "%u, %g", bounces[n], lost[0][n] + lost[1][n]);
    }
    kdr_particles_destroy(&p);
}

/* A function that fails leaves the end of the last whole step of the clock, with the counts of that time. */
Test(levels_step_end, what_fails_is_taken_back) {
    for (int m = 0; m < METHODS; ++m) {
        static crowd one, other;
        kdr_system_desc desc = kdr_system_desc_default(), failing = desc;
        const kdr_collider ball = {.kind = KDR_COLLIDER_SPHERE, .restitution = 0.75, .as.sphere = {{0.5, 0.5, 0.5}, 0.1, false}};
        make_crowd(&one, &desc);
        make_crowd(&other, &failing);
        choose(&desc, m);
        choose(&failing, m);
        desc.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_PERIODIC, .min = {0, 0, 0}, .max = {1, 1, 1}};
        desc.colliders = &ball, desc.collider_count = 1;
        failing.boundary = desc.boundary, failing.colliders = &ball, failing.collider_count = 1;
        other.of.fails_at = 300;
        kdr_clock clock = {0, 0.01, 0}, until = clock;
        cr_assert(try_run(&failing, &other.p, &clock, 100) == KDR_ERROR_UNAVAILABLE);
        cr_expect(clock.step > 10 && clock.step < 60, "%llu", (unsigned long long)clock.step);
        cr_assert(try_run(&desc, &one.p, &until, clock.step) == KDR_OK);
        cr_expect(same_bits(&one.p, &other.p) && memcmp(one.images, other.images, sizeof one.images) == 0, "%s",
                  kdr_method_get(methods[m])->name);
        kdr_particles_destroy(&one.p);
        kdr_particles_destroy(&other.p);
    }
}
