/* Friction is of exactly second order in the step. Position and velocity of particles that slide, bounce and come to rest are compared with
 * closed forms, for spheres with small steps. The energy that friction took is accounted for. With constant forces, sliding is exact. */
#include "methods.h"

/* The coordinates of the tests: along a surface in the direction in which forces pull, across it, and away from it. The plane is inclined
 * in space; the box has its axes along the surface. */
enum { ALONG, ACROSS, OFF };
enum { A_PLANE, A_BOX, SURFACES };

static const double origin[3] = {0, 0, 0};
static const double leaning[3][3] = {{0.8, 0, 0.6}, {0, 1, 0}, {-0.6, 0, 0.8}};
static const double upright[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

typedef struct scene {
    int surface;
    kdr_collider rough;    /* friction coefficients of the surface */
    double draw, press, k; /* accelerations along the surface and towards it, and a spring to the origin */
    double taken;          /* energy that friction and restitution took, for mass 1 */
} scene;

/* Returns the state after the time, in the coordinates of the tests. */
static state after(scene *s, state start, double time, int steps) {
    const double(*const frame)[3] = s->surface == A_PLANE ? leaning : upright;
    const double low[3] = {-99, -99, 0}, high[3] = {99, 99, 99};
    kdr_collider surface = s->surface == A_PLANE ? kdr_collider_plane(origin, frame[OFF]) : kdr_collider_box(low, high, true);
    surface.restitution = s->rough.restitution;
    surface.friction = s->rough.friction;
    surface.sliding = s->rough.sliding;
    surface.static_friction = s->rough.static_friction;
    double a[3];
    state turned = {{0}, {0}}, end = {{0}, {0}};
    for (int i = 0; i < 3; ++i) {
        a[i] = s->draw * frame[ALONG][i] - s->press * frame[OFF][i];
        for (int j = 0; j < 3; ++j) {
            turned.x[i] += start.x[j] * frame[j][i];
            turned.v[i] += start.v[j] * frame[j][i];
        }
    }
    const kdr_force forces[] = {kdr_force_uniform_acceleration(a[0], a[1], a[2]), kdr_force_spring(s->k, 0, 0, 0)};
    kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, forces, s->k > 0 ? 2 : 1);
    desc.colliders = &surface, desc.collider_count = 1;
    kdr_particles_desc kept = kdr_particles_desc_default();
    kept.count = 1, kept.dissipated_energy = true;
    kdr_particles p;
    cr_assert(kdr_particles_create(&kept, &p, NULL) == KDR_OK);
    put_state(&p, 0, &turned);
    kdr_clock clock = {0, time / steps, 0};
    advance(s->surface == A_PLANE ? BY_INTEGRATOR : BY_REFERENCE, &desc, &p, &clock, (uint64_t)steps);
    const state got = get_state(&p, 0);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            end.x[j] += got.x[i] * frame[j][i];
            end.v[j] += got.v[i] * frame[j][i];
        }
    }
    s->taken = p.dissipated_energy[KDR_RESTITUTION][0] + p.dissipated_energy[KDR_FRICTION][0];
    kdr_particles_destroy(&p);
    return end;
}

/* Errors against closed forms, and of the energy balance. */
enum { PLACE, VELOCITY, ENERGY, ERRORS };
typedef struct errors {
    double of[ERRORS];
} errors;

static void expect_second_order(const char *name, const errors *coarse, const errors *fine, int halvings) {
    for (int i = 0; i < ERRORS; ++i) {
        if (coarse->of[i] < 1e-10) { /* exact, or not checked */
            cr_expect(fine->of[i] < 1e-10, "%s: %g", name, fine->of[i]);
            continue;
        }
        const double order = log2(coarse->of[i] / fine->of[i]) / halvings;
        fprintf(stderr, "%s: error %d is %.2g, then %.2g: order %.2f\n", name, i, coarse->of[i], fine->of[i], order);
        cr_expect(close_to(order, 2, 0.15), "%s: error %d has order %.3f", name, i, order);
    }
}

static double kinetic(const state *s) { return 0.5 * (s->v[0] * s->v[0] + s->v[1] * s->v[1] + s->v[2] * s->v[2]); }

/* On level ground a block stops after v^2 / (2 mu g), and friction takes all of v^2 / 2. It is exact to rounding if the block stops within
 * a step. Then the block does not creep, to the bit. */
Test(colliders_friction, a_block_stops_where_it_should) {
    for (int i = 0; i < 4 * SURFACES; ++i) {
        scene s = {.surface = i % SURFACES, .press = 10, .rough = {.sliding = 0.5}};
        const int steps = 15 << i / SURFACES;
        const state start = {{0, 0, 0}, {3, 0, 0}};
        const state end = after(&s, start, 1, 2 * steps), later = after(&s, start, 2, 4 * steps);
        cr_expect(close_to(end.x[ALONG], 0.9, 1e-14) && kinetic(&end) == 0, "%d: %.17g", i, end.x[ALONG]);
        cr_expect(close_to(s.taken, 4.5, 1e-12), "%d: %.17g", i, s.taken);
        cr_expect(memcmp(&end, &later, sizeof end) == 0, "%d: creeps to %.17g", i, later.x[ALONG]);
    }
}

/* A block that is thrown up a slope of 6 : 8 goes v^2 / (2 (6 + 8 mu)) far, and stays there if static friction is sufficient. Otherwise it
 * slides back. */
Test(colliders_friction, a_block_thrown_up_a_slope) {
    for (int i = 0; i < 3 * SURFACES; ++i) {
        const double mu = (const double[]){0.1, 0.3, 0.5}[i / SURFACES], up = 4 / (6 + 8 * mu);
        for (int sticks = 0; sticks < 2; ++sticks) {
            scene s = {.surface = i % SURFACES, .draw = -6, .press = 8, .rough = {.sliding = mu, .static_friction = sticks ? 0.8 : 0}};
            const state start = {{0, 0, 0}, {4, 0, 0}}, end = after(&s, start, 1, 30);
            const double back = (6 - 8 * mu) * (1 - up), expected = sticks ? 0 : -back;
            cr_expect(close_to(end.v[ALONG], expected, 1e-14), "mu = %g: %.17g, expected %.17g", mu, end.v[ALONG], expected);
            const double place = 2 * up - (sticks ? 0 : 0.5 * back * (1 - up));
            cr_expect(close_to(end.x[ALONG], place, sticks ? 1e-14 : mu * 8 / 900), "mu = %g: %.17g, expected %.17g", mu, end.x[ALONG],
                      place);
            cr_expect(close_to(kinetic(&end) + 6 * end.x[ALONG] + s.taken, 8, 1e-13));
            const state later = after(&s, start, 2, 60);
            cr_expect(!sticks || memcmp(&end, &later, sizeof end) == 0, "mu = %g: creeps to %.17g", mu, later.x[ALONG]);
        }
    }
}

/* A block on a spring on a slope makes half swings about points that friction shifts to one side and the other, alternately. */
Test(colliders_friction, a_block_swings_on_an_incline) {
    for (int i = 0; i < 3 * SURFACES; ++i) {
        const double mu = (const double[]){0.1, 0.25, 0.5}[i / SURFACES], time = 2.2, k = 4, half = acos(-1) / 2, from = 3;
        const double down = (-6 + 8 * mu) / k, up = (-6 - 8 * mu) / k, lowest = 2 * down - from;
        errors e[2] = {{{0}}};
        for (int n = 0; n < 2; ++n) {
            scene s = {.surface = i % SURFACES, .draw = -6, .press = 8, .k = k, .rough = {.sliding = mu}};
            const state start = {{from, 0, 0}, {0, 0, 0}}, end = after(&s, start, time, n ? 1600 : 400);
            const double phase = 2 * (time - half), energy = 0.5 * k * from * from + 6 * from;
            e[n].of[PLACE] = fabs(end.x[ALONG] - up - (lowest - up) * cos(phase));
            e[n].of[VELOCITY] = fabs(end.v[ALONG] + 2 * (lowest - up) * sin(phase));
            e[n].of[ENERGY] = fabs(kinetic(&end) + 0.5 * k * end.x[ALONG] * end.x[ALONG] + 6 * end.x[ALONG] + s.taken - energy);
        }
        expect_second_order("swing", &e[0], &e[1], 2);
    }
}

/* A block is pushed across a slope whose tangent equals its coefficient: the sum of its speed and its velocity downwards is constant. */
Test(colliders_friction, a_block_turns_across_an_incline) {
    for (int surface = 0; surface < SURFACES; ++surface) {
        errors e[2] = {{{0}}};
        for (int n = 0; n < 2; ++n) {
            scene s = {.surface = surface, .draw = 6, .press = 8, .rough = {.sliding = 0.75}};
            const state start = {{0, 0, 0}, {0, 4, 0}}, end = after(&s, start, 0.8, n ? 160 : 40);
            e[n].of[VELOCITY] = fabs(sqrt(2 * kinetic(&end)) + end.v[ALONG] - 4);
            cr_expect(close_to(kinetic(&end) - 6 * end.x[ALONG] + s.taken, 8, 1e-13));
        }
        expect_second_order("across", &e[0], &e[1], 2);
    }
}

enum { PHASES = 240 };

/* Averages one oblique bounce over the moments of a step at which the surface may be met: with viscous friction, Coulomb friction, and
 * friction that stops the particle, while forces pull along the surface. */
Test(colliders_friction, an_oblique_bounce) {
    static const kdr_collider rough[] = {{.restitution = 0.5, .friction = 0.3},
                                         {.restitution = 0.5, .sliding = 0.4},
                                         {.restitution = 0.5, .friction = 0.2, .sliding = 0.1},
                                         {.restitution = 0.5, .sliding = 0.4, .static_friction = 2},
                                         {.restitution = 0.5, .friction = 1}};
    for (int i = 0; i < 5 * SURFACES; ++i) {
        errors e[2] = {{{0}}};
        for (int n = 0; n < 2; ++n) {
            for (int phase = 0; phase < PHASES; ++phase) {
                scene s = {.surface = i % SURFACES, .draw = -6, .press = 8, .rough = rough[i / SURFACES]};
                const state start = {{0, 0, 0.5 + 0.25 * phase / PHASES}, {3, 1, -1}}, end = after(&s, start, 0.6, n ? 160 : 40);
                const double fall = sqrt(1 + 16 * start.x[OFF]), impact = (fall - 1) / 8, left = 0.6 - impact;
                const double along = 3 - 6 * impact, size = sqrt(along * along + 1);
                double loss = fmin(1, s.rough.friction + s.rough.sliding * 1.5 * fall / size);
                loss = s.rough.static_friction * 1.5 * fall >= size ? 1 : loss;
                const double place = (3 - 3 * impact) * impact + ((1 - loss) * along - 3 * left) * left;
                e[n].of[PLACE] += fabs(end.x[ALONG] - place) + fabs(end.x[ACROSS] - impact - (1 - loss) * left);
                e[n].of[VELOCITY] += fabs(end.v[ALONG] - ((1 - loss) * along - 6 * left)) + fabs(end.v[ACROSS] - (1 - loss));
                e[n].of[ENERGY] += fabs(kinetic(&end) + 6 * end.x[ALONG] + 8 * end.x[OFF] + s.taken - 5.5 - 8 * start.x[OFF]);
            }
        }
        expect_second_order("bounce", &e[0], &e[1], 2);
    }
}

/* A block that is thrown on level ground loses mu times the normal velocity at the impact, slides on, and comes to rest. */
Test(colliders_friction, a_thrown_block_comes_to_rest) {
    for (int surface = 0; surface < SURFACES; ++surface) {
        errors e[2] = {{{0}}};
        for (int n = 0; n < 2; ++n) {
            for (int phase = 0; phase < PHASES; ++phase) {
                scene s = {.surface = surface, .press = 10, .rough = {.sliding = 0.5}};
                const state start = {{0, 0, 0.2137 + 0.2 * phase / PHASES}, {6, 0, 0}}, end = after(&s, start, 3, n ? 960 : 240);
                const double impact = sqrt(0.2 * start.x[OFF]), slow = 6 - 0.5 * 10 * impact;
                cr_expect(kinetic(&end) == 0);
                e[n].of[PLACE] += fabs(end.x[ALONG] - 6 * impact - slow * slow / 10);
                e[n].of[ENERGY] += fabs(s.taken - 18 - 10 * start.x[OFF]);
            }
        }
        expect_second_order("thrown", &e[0], &e[1], 2);
    }
}

/* Bounces off a ball, and inside one, are compared with steps so small that their error is negligible. */
Test(colliders_friction, bounces_of_spheres) {
    enum { COARSE = 80, TIMES = 64, BALLS = 32 };
    const kdr_force gravity = kdr_force_uniform_acceleration(0, 0, -10);
    for (int i = 0; i < 4; ++i) {
        const bool inside = i % 2;
        kdr_collider ball = kdr_collider_sphere(origin, 1, inside);
        ball.restitution = 0.7;
        ball.friction = i < 2 ? 0.3 : 0;
        ball.sliding = i < 2 ? 0 : 0.4;
        kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, &gravity, 1);
        desc.colliders = &ball, desc.collider_count = 1;
        errors e[2] = {{{0}}};
        for (int phase = 0; phase < BALLS; ++phase) {
            const double shift = 0.2 * phase / BALLS;
            const state start = inside ? (state){{0.2, -0.3, shift}, {3, 1, 0.5}} : (state){{0.3, 0.2, 2 + shift}, {0.5, -1, -4}};
            const state right = advance_one(BY_REFERENCE, &desc, start, 0.45 / (COARSE * TIMES), COARSE * TIMES);
            for (int n = 0; n < 2; ++n) {
                const int steps = n ? 4 * COARSE : COARSE;
                const state end = advance_one(BY_REFERENCE, &desc, start, 0.45 / steps, (uint64_t)steps);
                e[n].of[PLACE] += apart(end.x, right.x);
                e[n].of[VELOCITY] += apart(end.v, right.v);
            }
        }
        expect_second_order(inside ? "in a ball" : "off a ball", &e[0], &e[1], 2);
    }
}
