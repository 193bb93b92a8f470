/* The kernel `within` (kernel/hot/within.inl) makes steps in which no wall acts and no watched sign changes, if a call makes several. Many
 * steps in one call must give the same bits, events and counts as calls of one step each. */
#include "support.h"

#include <criterion/criterion.h>

enum { STEPS = 150, MOST_EVENTS = 4096, FORCES = 6, WALLS = 8, WATCHES = 5 };

/* The description of a run, and the lists that it points to. */
typedef struct scene {
    int forces, walls, watches, dims;
    bool rests, counts, balls;
    double size; /* of the walls */
    kdr_force force[2];
    kdr_collider collider[2];
    kdr_watch watch[2];
    kdr_integrator_desc desc;
} scene;

static void add_forces(scene *s) {
    const kdr_force spring = kdr_force_spring(2, 0.5, 0, 0), drag = kdr_force_drag(0.5, 0, 0, 0);
    const kdr_force list[FORCES][2] = {{{0}},          {kdr_force_uniform_acceleration(0.25, -1, 0.5)}, {spring}, {drag},
                                       {spring, drag}, {kdr_force_centre(1, 0.125, 0, 0, 0.25)}};
    memcpy(s->force, list[s->forces], sizeof s->force);
    s->desc.forces = s->force;
    s->desc.force_count = s->forces == 0 ? 0 : s->forces == 4 ? 2 : 1;
}

static void add_walls(scene *s) {
    const double b = s->size, low[3] = {-b, -b, -b}, high[3] = {b, b, b}, tilted[3] = {0, 0.6, 0.8}, zero[3] = {0, 0, 0};
    s->desc.colliders = s->collider;
    s->desc.collider_count = s->walls >= 3;
    switch (s->walls) {
    case 1:
    case 2:
        s->desc.boundary.kind = s->walls == 1 ? KDR_BOUNDARY_PERIODIC : KDR_BOUNDARY_ABSORBING;
        memcpy(s->desc.boundary.min, low, sizeof low);
        memcpy(s->desc.boundary.max, high, sizeof high);
        s->desc.boundary.max[1] = s->dims > 1 ? -b : high[1]; /* unbounded on one axis */
        break;
    case 3:
        s->collider[0] = kdr_collider_box(low, high, true);
        break;
    case 4:
        s->collider[0] = kdr_collider_plane(low, (const double[]){1, 0, 0});
        break;
    case 5:
        s->collider[0] = kdr_collider_sphere(zero, 2 * b, true);
        break;
    case 6:
        s->collider[0] = kdr_collider_plane((const double[]){0, -b, -b}, s->dims == 1 ? (const double[]){1, 0, 0} : tilted);
        break;
    case 7: /* a period, and a box that is never met */
        s->desc.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {-b, -b, -b}, {b, b, b}};
        s->collider[0] = kdr_collider_box((const double[]){-50, -50, -50}, (const double[]){50, 50, 50}, true);
        break;
    default:
        break;
    }
    s->collider[0].restitution = 0.75;
}

static void add_watches(scene *s) {
    const double at[3] = {0.25, 0.125, 0}, axis[3] = {0, -2, 0}, first[3] = {3, 0, 0}, tilted[3] = {1, 0.5, -0.75};
    s->watch[0] = s->watches == 1   ? kdr_watch_plane(at, s->dims == 1 ? first : axis)
                  : s->watches == 2 ? kdr_watch_plane(at, tilted)
                                    : kdr_watch_distance(at, 0.5);
    s->watch[1] = kdr_watch_plane((const double[]){-0.5, 0, 0}, first);
    s->desc.watches = s->watch;
    s->desc.watch_count = s->watches == 0 ? 0 : s->watches == 4 ? 2 : 1;
    if (s->watches == 3) {
        s->watch[0].action = KDR_ACTION_STOP_PARTICLE;
    }
}

/* Draws a scene. Walls are met often, seldom or never. */
static scene draw(uint64_t *seed, uint64_t turn) {
    scene s = {.forces = (int)(turn % FORCES), .walls = (int)(random_bits(seed) % WALLS), .watches = (int)(random_bits(seed) % WATCHES)};
    s.dims = 1 + (int)(random_bits(seed) % 3);
    s.rests = random_bits(seed) % 2;
    s.counts = random_bits(seed) % 2;
    s.balls = random_bits(seed) % 4 == 0;
    s.size = (const double[]){1, 2.5, 40}[random_bits(seed) % 3];
    s.desc = describe((turn / FORCES) % 2 ? KDR_VELOCITY_VERLET : KDR_SEMI_IMPLICIT_EULER, (kdr_real)(random_bits(seed) % 2),
                      (kdr_arithmetic)(random_bits(seed) % 2), NULL, 0);
    s.desc.flush_small_to_zero = s.rests;
    return s;
}

/* Particles in [-1, 1], at ordinary velocities, at none, or with tiny values, which rest. */
static kdr_particles some_particles(const scene *s, size_t count, uint64_t seed) {
    kdr_particles p = make_particles(count, s->dims, s->desc.real, false, true);
    fill_random(&p, &seed);
    for (size_t i = 0; i < count; i += 5) {
        for (int axis = 0; axis < s->dims; ++axis) {
            set(p.x[axis], p.real, i, i % 2 ? 0.5 : 1e-36);
            set(p.v[axis], p.real, i, i % 2 ? 0 : 1e-37);
        }
    }
    return p;
}

/* The lists and counts that a run writes in addition to the state. */
typedef struct written {
    kdr_event event[MOST_EVENTS];
    kdr_events events;
    uint32_t bounces[256];
    int32_t images[3][256];
    uint8_t active[256];
} written;

static void attach(const scene *s, kdr_particles *p, written *w) {
    static double radius[256];
    memset(w, 0, sizeof *w);
    memset(w->active, 1, sizeof w->active);
    w->events = (kdr_events){.list = w->event, .capacity = MOST_EVENTS, .active = w->active};
    if (s->watches > 0) {
        p->events = &w->events;
        p->active = w->active;
        p->active_count = p->count;
    }
    for (size_t i = 0; i < p->count; ++i) {
        set(radius, p->real, i, 0.125 * (double)(i % 3));
    }
    for (int axis = 0; axis < p->dims && s->counts && s->desc.boundary.kind == KDR_BOUNDARY_PERIODIC; ++axis) {
        p->images[axis] = w->images[axis];
    }
    p->radius = s->balls && s->desc.collider_count > 0 ? radius : NULL;
    p->bounces = s->counts && s->desc.collider_count > 0 ? w->bounces : NULL;
}

static void run_in_calls(const scene *s, kdr_particles *p, uint64_t steps_a_call) {
    kdr_integrator *integrator = NULL;
    kdr_error error;
    kdr_clock clock = {1, 1.0 / 64, 3};
    cr_assert(kdr_integrator_create(&s->desc, &integrator, &error) == KDR_OK, "%s", error.message);
    for (uint64_t done = 0; done < STEPS; done += steps_a_call) {
        cr_assert(kdr_integrator_run(integrator, p, &clock, steps_a_call, &error) == KDR_OK, "%s", error.message);
    }
    kdr_integrator_destroy(integrator);
}

static void expect_same(const scene *s, size_t count, uint64_t seed) {
    static written whole, single;
    kdr_particles a = some_particles(s, count, seed), b = some_particles(s, count, seed);
    attach(s, &a, &whole);
    attach(s, &b, &single);
    run_in_calls(s, &a, STEPS);
    run_in_calls(s, &b, 1);
    const bool same = same_bits(&a, &b) && whole.events.count == single.events.count &&
                      memcmp(whole.event, single.event, whole.events.count * sizeof whole.event[0]) == 0 &&
                      memcmp(whole.bounces, single.bounces, sizeof whole.bounces) == 0 &&
                      memcmp(whole.images, single.images, sizeof whole.images) == 0 &&
                      memcmp(whole.active, single.active, sizeof whole.active) == 0;
    cr_expect(same, "method %d, %s, %s, forces %d, walls %d of size %g, watches %d, %d axes, %zu particles, rests %d: %zu and %zu events",
              (int)s->desc.method, kdr_real_name(s->desc.real), kdr_arithmetic_name(s->desc.arithmetic), s->forces, s->walls, s->size,
              s->watches, s->dims, count, s->rests, whole.events.count, single.events.count);
    kdr_particles_destroy(&a);
    kdr_particles_destroy(&b);
}

Test(within, one_call_is_many) {
    static const size_t counts[] = {1, 7, 33, 200};
    uint64_t seed = test_seed();
    for (uint64_t turn = 0; turn < 600; ++turn) {
        scene s = draw(&seed, turn);
        if (turn < 4 * FORCES) { /* a periodic boundary alone, which the kernel applies, and which is seldom drawn */
            s.walls = 1, s.watches = 0, s.size = 1;
            s.counts = false;
        }
        add_forces(&s);
        add_walls(&s);
        add_watches(&s);
        expect_same(&s, counts[random_bits(&seed) % 4], random_bits(&seed));
    }
}
