/* Events of system runs: two bodies compared with Kepler's formulas, the field run's list if there is only a field, the same list by the
 * reference and by every backend, and refusals. */
#include "records.h"
#include "system_support.h"

#include <pthread.h>

enum { COUNT = 60, ROOM = 4000, LINKS = 40 };

static kdr_event first[ROOM], second[ROOM];

/* Two bodies that attract each other, about their centre of mass: semi-major axis 1, period 2 pi, from the apocentre at time 0. */
typedef struct pair {
    double x[3][2], v[3][2], mu[2];
    kdr_particles p;
} pair;

static const double pi = 3.14159265358979323846, eccentricity = 0.3;

static void make_pair(pair *two) {
    memset(two, 0, sizeof *two);
    two->mu[0] = 0.75, two->mu[1] = 0.25;
    const double speed = sqrt((1 - eccentricity) / (1 + eccentricity));
    for (int k = 0; k < 2; ++k) {
        const double part = k ? -two->mu[0] : two->mu[1];
        two->x[0][k] = part * -(1 + eccentricity);
        two->v[1][k] = part * -speed;
    }
    two->p = (kdr_particles){
        .count = 2, .dims = 3, .real = KDR_F64, .x = {two->x[0], two->x[1], two->x[2]}, .v = {two->v[0], two->v[1], two->v[2]}};
}

/* Runs one revolution, and finds the largest error of times and distances. The events are the pericentre of both bodies at half the period,
 * and the crossings of the plane across the line of apsides, where the cosine of the eccentric anomaly is e. */
static void revolve(kdr_method method, kdr_composition compose, bool levels, int n, double error[2]) {
    static const uint8_t level[2] = {2, 1};
    kdr_watch watches[] = {kdr_watch_apsis((double[]){0, 0, 0}), kdr_watch_plane((double[]){0, 0, 0}, (double[]){1, 0, 0})};
    watches[0].crossing = KDR_CROSSING_RISING;
    pair two;
    make_pair(&two);
    const kdr_interaction gravity = kdr_interaction_gravity(two.mu, 2, 0);
    kdr_system_desc desc = describe_system(method, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.interactions = &gravity, desc.interaction_count = 1;
    desc.watches = watches, desc.watch_count = 2;
    desc.compose = compose;
    desc.levels = levels;
    two.p.level = levels ? level : NULL, two.p.level_count = 2;
    kdr_event list[8];
    kdr_events events = {.list = list, .capacity = 8};
    two.p.events = &events;
    kdr_clock clock = {.dt = 2 * pi / n};
    run(&desc, &two.p, &clock, (uint64_t)(0.9 * n));
    cr_assert(events.count == 6, "%s: %zu events", kdr_method_get(method)->name, events.count);
    const double anomaly = acos(eccentricity), mean = anomaly - eccentricity * sin(anomaly);
    error[0] = error[1] = 0;
    for (size_t i = 0; i < 6; ++i) {
        const kdr_event *const e = &list[i];
        const bool pericentre = e->watch == 0, early = e->time < pi;
        error[0] = fmax(error[0], fabs(e->time - (pericentre ? pi : early ? pi - mean : pi + mean)));
        if (pericentre) {
            error[1] = fmax(error[1], fabs(hypot(e->x[0], e->x[1]) - two.mu[1 - e->particle] * (1 - eccentricity)));
        } else {
            cr_expect(close_to(e->x[0], 0, 1e-13), "%.3e beside the plane", e->x[0]);
        }
    }
}

/* Methods with their orders, and the numbers of steps per revolution at which the order shows. */
static const struct {
    kdr_method method;
    kdr_composition compose;
    bool levels;
    double order;
    int steps;
} orbits[] = {{KDR_SEMI_IMPLICIT_EULER, KDR_COMPOSE_NONE, false, 1, 2003},
              {KDR_VELOCITY_VERLET, KDR_COMPOSE_NONE, false, 2, 203},
              {KDR_VELOCITY_VERLET, KDR_COMPOSE_NONE, true, 2, 103},
              {KDR_VELOCITY_VERLET_PC, KDR_COMPOSE_NONE, false, 2, 403},
              {KDR_IMPLICIT_MIDPOINT, KDR_COMPOSE_NONE, false, 2, 203},
              {KDR_RK4, KDR_COMPOSE_NONE, false, 4, 103},
              {KDR_PEFRL, KDR_COMPOSE_NONE, false, 4, 53},
              {KDR_NYSTROM_4, KDR_COMPOSE_NONE, false, 4, 103},
              {KDR_BAOAB, KDR_COMPOSE_NONE, false, 2, 203},
              {KDR_VELOCITY_VERLET, KDR_COMPOSE_YOSHIDA_6, false, 6, 83}};

Test(events_system, kepler) {
    for (size_t r = 0; r < sizeof orbits / sizeof *orbits; ++r) {
        double worst[2][2] = {{0, 0}, {0, 0}};
        for (int half = 0; half < 2; ++half) {
            for (int k = 0; k < 12; ++k) { /* the events are at different fractions of a step */
                double error[2];
                revolve(orbits[r].method, orbits[r].compose, orbits[r].levels, (orbits[r].steps << half) + k, error);
                worst[half][0] = fmax(worst[half][0], error[0]);
                worst[half][1] = fmax(worst[half][1], error[1]);
            }
        }
        for (int what = 0; what < 2; ++what) {
            const double slope = log2(worst[0][what] / worst[1][what]), order = orbits[r].order;
            const char *const name = kdr_method_get(orbits[r].method)->name;
            fprintf(stderr, "%s%s%s: order of the %s %.2f (%.1e)\n", name, orbits[r].compose ? " composed" : "",
                    orbits[r].levels ? ", levels" : "", what ? "distance" : "times", slope, worst[1][what]);
            cr_expect(slope > order - 0.4 && slope < order + (what ? 1.4 : 0.7), "%s: order %.2f of %s, expected %g", name, slope,
                      what ? "the distance" : "the times", order);
        }
    }
}

/* Computes the position of body k at time t by Kepler's equation. It starts at the apocentre, where the mean anomaly is pi. */
static void place_of(const pair *two, int k, double t, double x[2]) {
    double e = pi + t;
    for (int i = 0; i < 60; ++i) {
        e -= (e - eccentricity * sin(e) - (pi + t)) / (1 - eccentricity * cos(e));
    }
    const double part = k ? -two->mu[0] : two->mu[1];
    x[0] = part * (cos(e) - eccentricity);
    x[1] = part * sqrt(1 - eccentricity * eccentricity) * sin(e);
}

static kdr_status sample_of(const kdr_system_desc *desc, bool by_reference, const kdr_particles *p, const kdr_clock *clock, double fraction,
                            kdr_particles *to, kdr_error *error) {
    kdr_system *system;
    kdr_workspace workspace;
    if (by_reference) {
        return kdr_reference_system_sample(desc, p, clock, fraction, to, error);
    }
    cr_assert(kdr_system_create(desc, &system, error) == KDR_OK, "%s", error->message);
    cr_assert(kdr_workspace_create(system, p->count, p->dims, (kdr_allocator){0}, &workspace, error) == KDR_OK, "%s", error->message);
    memset(workspace.memory, 0xA5, workspace.size);
    const kdr_status status = kdr_system_sample(system, p, clock, fraction, &workspace, to, error);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    return status;
}

/* Returns the error of both positions at a time within a step of 2 pi / n. */
static double sampled_error(kdr_method method, kdr_composition compose, bool levels, int n) {
    static const uint8_t level[2] = {2, 1};
    const double dt = 2 * pi / n, t = 2.6;
    pair two, before, between;
    make_pair(&two);
    const kdr_interaction gravity = kdr_interaction_gravity(two.mu, 2, 0);
    kdr_system_desc desc = describe_system(method, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.interactions = &gravity, desc.interaction_count = 1, desc.compose = compose, desc.levels = levels;
    two.p.level = levels ? level : NULL, two.p.level_count = 2;
    double memory[3][2] = {{0}}, kept[3][2];
    for (int i = 0; i < 3; ++i) {
        two.p.memory[i] = memory[i];
    }
    kdr_clock clock = {.dt = dt};
    run(&desc, &two.p, &clock, (uint64_t)(t / dt));
    make_pair(&between);
    before = two;
    memcpy(kept, memory, sizeof kept);
    const kdr_clock at = clock;
    kdr_error error;
    cr_assert(sample_of(&desc, false, &two.p, &clock, t / dt - (double)clock.step, &between.p, &error) == KDR_OK, "%s", error.message);
    cr_expect(memcmp(&before, &two, sizeof two) == 0 && memcmp(&at, &clock, sizeof at) == 0 && memcmp(kept, memory, sizeof kept) == 0);
    double worst = 0;
    for (int k = 0; k < 2; ++k) {
        double x[2];
        place_of(&two, k, t, x);
        worst = fmax(worst, hypot(between.x[0][k] - x[0], between.x[1][k] - x[1]));
    }
    return worst;
}

/* A sample has the order of the method anywhere in the step. */
Test(events_system, samples_on_the_orbit) {
    for (size_t r = 0; r < sizeof orbits / sizeof *orbits; ++r) {
        double worst[2] = {0, 0};
        for (int half = 0; half < 2; ++half) {
            for (int k = 0; k < 12; ++k) {
                worst[half] =
                    fmax(worst[half], sampled_error(orbits[r].method, orbits[r].compose, orbits[r].levels, (orbits[r].steps << half) + k));
            }
        }
        const double slope = log2(worst[0] / worst[1]);
        cr_expect(slope > orbits[r].order - 0.4 && slope < orbits[r].order + 1.2, "%s: order %.2f, expected %g",
                  kdr_method_get(orbits[r].method)->name, slope, orbits[r].order);
    }
}

/* A sample at 1 is the next step, to the bit, with noise and all that is carried; a sample at 0 is the present state. A function that fails
 * leaves the present state too. */
Test(events_system, samples_at_the_ends) {
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_VELOCITY_VERLET_PC, KDR_RK4, KDR_BAOAB, KDR_IMPLICIT_MIDPOINT};
    for (size_t n = 0; n < 2 * sizeof methods / sizeof *methods; ++n) {
        pair two, after, to;
        make_pair(&two);
        const kdr_interaction gravity = kdr_interaction_gravity(two.mu, 2, 0);
        kdr_system_desc desc = describe_system(methods[n / 2], KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.interactions = &gravity, desc.interaction_count = 1;
        desc.compensated = n % 2;
        desc.langevin = methods[n / 2] == KDR_BAOAB ? (kdr_langevin){1, 0.5, 7} : desc.langevin;
        double carried[9][2] = {{0}}, kept[9][2];
        for (int i = 0; i < 9; ++i) {
            *(i < 3 ? &two.p.memory[i] : &two.p.compensation[i - 3]) = carried[i];
        }
        kdr_clock clock = {.t0 = 0.25, .dt = 0.01, .step = 5};
        kdr_error error;
        run(&desc, &two.p, &clock, 7);
        for (int by_reference = 0; by_reference < 2; ++by_reference) {
            make_pair(&to);
            cr_assert(sample_of(&desc, by_reference, &two.p, &clock, 0, &to.p, &error) == KDR_OK, "%s", error.message);
            cr_expect(memcmp(to.x, two.x, sizeof to.x) == 0 && memcmp(to.v, two.v, sizeof to.v) == 0);
            memcpy(kept, carried, sizeof kept);
            cr_assert(sample_of(&desc, by_reference, &two.p, &clock, 1, &to.p, &error) == KDR_OK, "%s", error.message);
            cr_expect(memcmp(kept, carried, sizeof kept) == 0);
            after = two;
            kdr_particles next = two.p;
            for (int i = 0; i < 3; ++i) {
                next.x[i] = after.x[i], next.v[i] = after.v[i];
            }
            kdr_clock later = clock;
            run(&desc, &next, &later, 1);
            cr_expect(memcmp(to.x, after.x, sizeof to.x) == 0 && memcmp(to.v, after.v, sizeof to.v) == 0, "%s%s",
                      kdr_method_get(desc.method)->name, desc.compensated ? ", compensated" : "");
            memcpy(carried, kept, sizeof kept);
        }
    }
}

static kdr_status never(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context, (void)p, (void)t, (void)a;
    return KDR_ERROR_FILE;
}

Test(events_system, samples_refused) {
    pair two, to;
    kdr_error error;
    make_pair(&two);
    make_pair(&to);
    to.x[0][0] = 9;
    kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.accelerations = never;
    const kdr_clock clock = {.dt = 0.5};
    for (int by_reference = 0; by_reference < 2; ++by_reference) {
        cr_expect(sample_of(&desc, by_reference, &two.p, &clock, 1.5, &to.p, &error) == KDR_ERROR_ARGUMENT &&
                  strstr(error.message, "fraction: expected 0 to 1"));
        cr_expect(sample_of(&desc, by_reference, &two.p, &clock, NAN, &to.p, &error) == KDR_ERROR_ARGUMENT);
        cr_expect(sample_of(&desc, by_reference, &two.p, &clock, 0.5, NULL, &error) == KDR_ERROR_NULL && strstr(error.message, "to:"));
        kdr_particles one = kdr_particles_slice(&to.p, 0, 1);
        cr_expect(sample_of(&desc, by_reference, &two.p, &clock, 0.5, &one, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "to:"));
        cr_expect(to.x[0][0] == 9, "nothing is written");
        cr_expect(sample_of(&desc, by_reference, &two.p, &clock, 0.5, &to.p, &error) == KDR_ERROR_FILE, "%s", error.message);
        cr_expect(memcmp(to.x, two.x, sizeof to.x) == 0 && memcmp(to.v, two.v, sizeof to.v) == 0, "what the particles are");
        to.x[0][0] = 9;
    }
    kdr_system *system;
    cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK);
    static double block[8192];
    kdr_workspace workspace = {block, sizeof block, {0}};
    cr_assert(kdr_system_workspace_size(system, 2, 3) <= sizeof block);
    to.p.x[1] = block + 100;
    cr_expect(kdr_system_sample(system, &two.p, &clock, 0.5, &workspace, &to.p, &error) == KDR_ERROR_OVERLAP &&
                  strstr(error.message, "x[1] lies in it"),
              "%s", error.message);
    cr_expect(kdr_system_sample(NULL, &two.p, &clock, 0.5, &workspace, &to.p, &error) == KDR_ERROR_NULL);
    cr_expect(kdr_system_sample(system, &two.p, &clock, 0.5, NULL, &to.p, &error) == KDR_ERROR_NULL);
    kdr_system_destroy(system);
}

/* Many particles */

static double turning(void *context, const double x[3], const double v[3], double t) {
    (void)context;
    return (x[0] - 0.25) * (1 - 0.5 * t) + 0.25 * t * (x[1] + 0.125 * v[0]) + 0.0625 * x[2] * v[2];
}

static size_t list_watches(kdr_watch list[4]) {
    list[0] = kdr_watch_apsis((double[]){0, 0, 0});
    list[1] = kdr_watch_plane((double[]){0.25, 0, 0}, (double[]){1, 0.5, -0.25});
    list[1].crossing = KDR_CROSSING_RISING;
    list[2] = kdr_watch_distance((double[]){0, 0.125, 0}, 1.25);
    list[3] = kdr_watch_function(turning, NULL);
    list[3].crossing = KDR_CROSSING_FALLING;
    return 4;
}

/* Computes the pull of each particle towards the next. */
static kdr_status pull(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context;
    for (size_t n = 0; n < p->count; ++n) {
        for (int i = 0; i < p->dims; ++i) {
            const char *const x = p->x[i];
            const size_t stride = p->x_layout.stride ? p->x_layout.stride : kdr_real_size(p->real);
            set(a[i], p->real, n, get(x + (n + 1) % p->count * stride, p->real, 0) - get(x + n * stride, p->real, 0) + 0.25 * t);
        }
    }
    return KDR_OK;
}

typedef struct scene {
    kdr_system_desc desc;
    kdr_interaction forces[2];
    kdr_pair_spring springs[LINKS];
    double mu[COUNT];
    kdr_watch watches[4];
    kdr_collider ground;
    kdr_distance rods[4];
    kdr_force spring;
} scene;

enum {
    PULLED,
    ATTRACTED,
    LINKED,
    HELD,
    WALLED,
    ABSORBED,
    WRAPPED,
    LEVELLED,
    COMPENSATED,
    STOPPED,
    STOPPED_APART,
    STOPPED_ABSORBED,
    SCENES
};

static void build(scene *s, int kind, kdr_method method, kdr_real real) {
    uint64_t seed = 11;
    memset(s, 0, sizeof *s);
    s->desc = describe_system(method, real, (kdr_arithmetic)(kind % 2), KDR_BACKEND_AUTO);
    for (size_t i = 0; i < COUNT; ++i) {
        set(s->mu, real, i, random_in(&seed, 0, 0.1));
    }
    for (uint32_t i = 0; i < LINKS; ++i) {
        s->springs[i] = (kdr_pair_spring){.a = i, .b = i + 7, .k = 2, .length = 0.5};
    }
    s->forces[0] = kdr_interaction_gravity(s->mu, COUNT, 0.125);
    s->forces[1] = kdr_interaction_spring_network(s->springs, LINKS);
    s->spring = kdr_force_spring(1, 0, 0, 0);
    s->desc.forces = &s->spring, s->desc.force_count = 1;
    s->desc.accelerations = kind == ATTRACTED || kind == LINKED ? NULL : pull;
    s->desc.interactions = s->forces, s->desc.interaction_count = kind == ATTRACTED || kind == LEVELLED || kind == STOPPED ? 1
                                                                  : kind == LINKED                                         ? 2
                                                                                                                           : 0;
    for (uint32_t i = 0; i < 4; ++i) {
        s->rods[i] = (kdr_distance){.a = 2 * i, .b = 2 * i + 1, .length = 1};
    }
    s->desc.distances = s->rods, s->desc.distance_count = kind == HELD ? 4 : 0;
    s->ground = kdr_collider_plane((double[]){0, -1.5, 0}, (double[]){0, 1, 0});
    s->ground.restitution = 0.75;
    s->desc.colliders = &s->ground, s->desc.collider_count = kind == WALLED;
    s->desc.boundary = (kdr_boundary){.kind = kind == ABSORBED || kind == STOPPED_ABSORBED ? KDR_BOUNDARY_ABSORBING
                                              : kind == WRAPPED                            ? KDR_BOUNDARY_PERIODIC
                                                                                           : KDR_BOUNDARY_NONE,
                                      .min = {-1.9, -1.9, -1.9},
                                      .max = {1.9, 1.9, 1.9}};
    s->desc.levels = kind == LEVELLED;
    s->desc.compensated = kind == COMPENSATED || kind == STOPPED_APART;
    s->desc.watches = s->watches, s->desc.watch_count = list_watches(s->watches);
    s->watches[1].action = s->watches[3].action = kind >= STOPPED ? KDR_ACTION_STOP_PARTICLE : KDR_ACTION_NONE;
}

typedef struct population {
    kdr_particles p;
    double x[7][COUNT], carried[9][COUNT];
    uint8_t active[COUNT], level[COUNT];
    uint32_t bounces[COUNT];
} population;

static void populate(population *pop, kdr_real real, bool levels, bool carries, kdr_events *events) {
    uint64_t seed = 5;
    memset(pop, 0, sizeof *pop);
    pop->p = (kdr_particles){.count = COUNT, .dims = 3, .real = real, .active = pop->active, .active_count = COUNT};
    for (int c = 0; c < 7; ++c) {
        *(c < 3 ? &pop->p.x[c] : c < 6 ? &pop->p.v[c - 3] : &pop->p.inverse_mass) = pop->x[c];
    }
    for (int c = 0; c < 9 && carries; ++c) {
        *(c < 3 ? &pop->p.memory[c] : &pop->p.compensation[c - 3]) = pop->carried[c];
    }
    for (size_t n = 0; n < COUNT; ++n) {
        for (int c = 0; c < 6; ++c) {
            set(pop->x[c], real, n, random_in(&seed, c < 3 ? -1.8 : -3, c < 3 ? 1.8 : 3));
        }
        set(pop->x[6], real, n, n % 13 == 5 ? 0 : random_in(&seed, 0.5, 2));
        pop->active[n] = n % 11 != 2;
        pop->level[n] = (uint8_t)(n % 3);
    }
    pop->p.level = levels ? pop->level : NULL, pop->p.level_count = COUNT;
    pop->p.bounces = pop->bounces;
    pop->p.events = events;
    if (events) {
        events->active = pop->active;
    }
}

/* Takes `first` steps, and the rest of 6 in another call. */
static void go(const scene *s, bool by_reference, bool carries, uint64_t steps, kdr_events *events, population *pop) {
    populate(pop, s->desc.real, s->desc.levels, carries, events);
    events->count = 0;
    kdr_clock clock = {.t0 = 0.25, .dt = 1.0 / 24, .step = 40};
    for (int call = 0; call < 2; ++call) {
        (by_reference ? reference : run)(&s->desc, &pop->p, &clock, call ? 6 - steps : steps);
    }
    cr_assert(clock.step == 46);
}

static void expect_everywhere(scene *s, const char *who) {
    static population pop, other;
    kdr_events expected = {.list = first, .capacity = ROOM}, got = {.list = second, .capacity = ROOM};
    kdr_executor executors[MAX_EXECUTORS + 1] = {kdr_executor_serial()};
    const size_t count = 1 + list_executors(executors + 1);
    go(s, true, true, 4, &expected, &pop);
    cr_assert(expected.count > 10 && expected.count < ROOM, "%s: %zu events", who, expected.count);
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    for (size_t k = 0; k < n + count; ++k) {
        s->desc.backend = k < n ? backends[k] : KDR_BACKEND_AUTO;
        s->desc.executor = executors[k < n ? 0 : k - n];
        go(s, false, true, k % 7, &got, &other);
        expect_events(&expected, &got, who, kdr_method_get(s->desc.method)->name);
        cr_assert(memcmp(pop.x, other.x, sizeof pop.x) == 0 && memcmp(pop.carried, other.carried, sizeof pop.carried) == 0,
                  "%s: other states", who);
        cr_assert(memcmp(pop.bounces, other.bounces, sizeof pop.bounces) == 0, "%s: other bounces", who);
        cr_assert(memcmp(pop.active, other.active, sizeof pop.active) == 0, "%s: others are stopped", who);
    }
    go(s, false, false, 0, &got, &other); /* these carry nothing, so the run is not cut */
    expect_events(&expected, &got, who, kdr_method_get(s->desc.method)->name);
    if (s->watches[1].action != KDR_ACTION_NONE) {
        return;
    }
    s->desc.watch_count = 0; /* watching changes no bit either */
    go(s, false, true, 2, &got, &other);
    cr_assert(got.count == 0 && memcmp(pop.x, other.x, sizeof pop.x) == 0 && memcmp(pop.bounces, other.bounces, sizeof pop.bounces) == 0,
              "%s: not watched", who);
}

Test(events_system, the_same_list_everywhere) {
    for (int kind = 0; kind < SCENES; ++kind) {
        scene s;
        char who[40];
        build(&s, kind, KDR_VELOCITY_VERLET, (kdr_real)(kind / 2 % 2));
        snprintf(who, sizeof who, "scene %d", kind);
        expect_everywhere(&s, who);
    }
}

Test(events_system, every_method) {
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        if (is_system((kdr_method)method)) {
            scene s;
            build(&s, PULLED, (kdr_method)method, (kdr_real)(method % 2));
            const bool bath = kdr_family_get(kdr_method_get((kdr_method)method)->family)->heat_bath;
            s.desc.langevin = bath ? (kdr_langevin){.friction = 0.5, .temperature = 0.5, .seed = 7} : (kdr_langevin){0};
            expect_everywhere(&s, kdr_method_get((kdr_method)method)->name);
        }
    }
}

/* With forces alone the list is that of the field run, to the bit. */
Test(events_system, field_runs) {
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        const kdr_real real = (kdr_real)(method % 2);
        static population pop, other;
        scene s;
        build(&s, PULLED, (kdr_method)method, real);
        if (!has_field_bits((kdr_method)method) || kdr_method_get((kdr_method)method)->family == KDR_MAGNETIC) {
            continue; /* this method rotates velocities in another order of operations */
        }
        s.desc.accelerations = NULL;
        kdr_events expected = {.list = first, .capacity = ROOM}, got = {.list = second, .capacity = ROOM};
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.method = s.desc.method, desc.real = real, desc.arithmetic = s.desc.arithmetic;
        desc.forces = s.desc.forces, desc.force_count = s.desc.force_count;
        desc.watches = s.watches, desc.watch_count = s.desc.watch_count;
        kdr_clock clock = {.t0 = 0.25, .dt = 1.0 / 24, .step = 40};
        populate(&other, real, false, true, &expected);
        advance(BY_INTEGRATOR, &desc, &other.p, &clock, 6);
        go(&s, false, true, 3, &got, &pop);
        cr_assert(expected.count > 10, "%zu events", expected.count);
        expect_events(&expected, &got, "as in a field run", kdr_method_get((kdr_method)method)->name);
    }
}

/* All that particles count, at most 2 x 60 numbers. */
typedef struct counts {
    double dissipated_energy[2][COUNT], error[COUNT];
    uint32_t bounces[COUNT], images[3][COUNT];
} counts;

static void count_in(counts *c, kdr_particles *p, bool estimates) {
    memset(c, 0, sizeof *c);
    p->bounces = c->bounces;
    p->error = estimates ? c->error : NULL;
    for (int i = 0; i < 3; ++i) {
        p->images[i] = (int32_t *)c->images[i];
    }
    for (int k = 0; k < 2; ++k) {
        p->dissipated_energy[k] = c->dissipated_energy[k];
    }
}

static void expect_counts_of_field_runs(kdr_method method, kdr_real real, kdr_arithmetic arithmetic, size_t stopped[2]) {
    static population pop, other;
    static counts expected, got;
    scene s;
    kdr_events in_field = {.list = first, .capacity = ROOM}, events = {.list = second, .capacity = ROOM};
    kdr_clock clock = {.t0 = 0.25, .dt = 1.0 / 8, .step = 40};
    build(&s, STOPPED, method, real);
    s.desc.accelerations = NULL, s.desc.interaction_count = 0, s.desc.arithmetic = arithmetic;
    const kdr_force weight = kdr_force_uniform_acceleration(0, -4, 0);
    s.desc.forces = &weight, s.desc.force_count = 1;
    s.desc.collider_count = 1;
    s.desc.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_PERIODIC, .min = {-1.9, 0, -1.9}, .max = {1.9, 0, 1.9}};
    s.watches[3].action = KDR_ACTION_NONE;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = method, desc.real = real, desc.arithmetic = arithmetic;
    desc.forces = s.desc.forces, desc.force_count = s.desc.force_count;
    desc.colliders = s.desc.colliders, desc.collider_count = s.desc.collider_count;
    desc.boundary = s.desc.boundary;
    desc.watches = s.watches, desc.watch_count = s.desc.watch_count;
    populate(&other, real, false, true, &in_field);
    count_in(&expected, &other.p, method == KDR_DOPRI_5);
    advance(BY_INTEGRATOR, &desc, &other.p, &clock, 6);
    for (int by_reference = 0; by_reference < 2; ++by_reference) {
        events.count = 0;
        clock.step = 40;
        populate(&pop, real, false, true, &events);
        count_in(&got, &pop.p, method == KDR_DOPRI_5);
        (by_reference ? reference : run)(&s.desc, &pop.p, &clock, 6);
        cr_assert(memcmp(pop.x, other.x, sizeof pop.x) == 0 && memcmp(pop.active, other.active, sizeof pop.active) == 0);
        cr_expect(memcmp(&expected, &got, sizeof got) == 0, "%s, %s: other counts than in a field run", kdr_method_get(method)->name,
                  by_reference ? "reference" : "kernels");
    }
    for (size_t n = 0; n < COUNT; ++n) {
        stopped[0] += n % 11 != 2 && !pop.active[n];
        stopped[1] += n % 11 != 2 && pop.active[n] && expected.bounces[n] > 0;
    }
}

/* The counts of a particle end where a watch stops it, as in a field run: bounces, energy, images and errors. */
Test(events_system, counts_end_at_the_event) {
    size_t stopped[2] = {0, 0};
    for (int k = 0; k < 8; ++k) {
        expect_counts_of_field_runs(k / 4 ? KDR_DOPRI_5 : KDR_VELOCITY_VERLET, (kdr_real)(k % 2), (kdr_arithmetic)(k / 2 % 2), stopped);
    }
    cr_expect(stopped[0] > 100 && stopped[1] > 3, "%zu were stopped, %zu others met the ground", stopped[0], stopped[1]);
}

/* In the smallest case, the particle's event comes before the face or wall that the whole step would reach. */
Test(events_system, counts_of_one_particle) {
    for (int k = 0; k < 4; ++k) {
        double x[2] = {0.9, -0.02}, v[2] = {1, 1}, lost[2] = {0, 0};
        int32_t image[2] = {0, 0};
        uint32_t bounces = 0;
        uint8_t active = 1;
        kdr_event event;
        kdr_events events = {.list = &event, .capacity = 1, .active = &active};
        kdr_watch watch = kdr_watch_plane((double[]){0, 0, 0}, (double[]){0, 1, 0});
        watch.action = KDR_ACTION_STOP_PARTICLE;
        kdr_collider wall = kdr_collider_plane((double[]){1, 0, 0}, (double[]){-1, 0, 0});
        wall.restitution = 0.5;
        kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
        desc.watches = &watch, desc.watch_count = 1;
        desc.colliders = &wall, desc.collider_count = k / 2 ? 1 : 0;
        desc.boundary = (kdr_boundary){.kind = k / 2 ? KDR_BOUNDARY_NONE : KDR_BOUNDARY_PERIODIC, .min = {-1, -1}, .max = {1, 1}};
        kdr_particles p = {.count = 1, .dims = 2, .real = KDR_F64, .x = {x, x + 1}, .v = {v, v + 1}, .active = &active, .active_count = 1};
        p.events = &events, p.bounces = &bounces;
        p.images[0] = image, p.images[1] = image + 1;
        p.dissipated_energy[0] = lost, p.dissipated_energy[1] = lost + 1;
        kdr_clock clock = {.dt = 0.25};
        (k % 2 ? reference : run)(&desc, &p, &clock, 3);
        cr_expect(!active && close_to(x[0], 0.92, 1e-12) && image[0] == 0 && bounces == 0 && lost[0] == 0,
                  "x = %g, image %d, %u bounces, %g lost", x[0], (int)image[0], bounces, lost[0]);
    }
}

/* A comet is stopped when it leaves a sphere about a star, which it attracts; or the run is stopped there. */
Test(events_system, an_escape_is_stopped) {
    for (int whole = 0; whole < 2; ++whole) {
        for (int by_reference = 0; by_reference < 2; ++by_reference) {
            double x[6][2] = {{0, 1}, {0, 0}, {0, 0}, {0, 0.5}, {0, 1.75}, {0, 0}}, mu[2] = {1, 0.125}, memory[3][2];
            uint8_t active[2] = {1, 1};
            kdr_watch watch = kdr_watch_distance((double[]){0, 0, 0}, 3);
            watch.crossing = KDR_CROSSING_RISING;
            watch.action = whole ? KDR_ACTION_STOP_RUN : KDR_ACTION_STOP_PARTICLE;
            const kdr_interaction gravity = kdr_interaction_gravity(mu, 2, 0);
            kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
            desc.interactions = &gravity, desc.interaction_count = 1;
            desc.watches = &watch, desc.watch_count = 1;
            kdr_event list[2];
            kdr_events events = {.list = list, .capacity = 2, .active = active};
            kdr_particles p = {.count = 2, .dims = 3, .real = KDR_F64, .active = active, .active_count = 2, .events = &events};
            for (int i = 0; i < 3; ++i) {
                p.x[i] = x[i], p.v[i] = x[3 + i], p.memory[i] = memory[i];
            }
            kdr_clock clock = {.dt = 1.0 / 64};
            kdr_error error;
            const kdr_status status = (by_reference ? kdr_reference_system_run : run_with)(&desc, &p, &clock, 400, &error);
            cr_assert(events.count == 1 && list[0].particle == 1, "%zu events", events.count);
            const double r = sqrt(list[0].x[0] * list[0].x[0] + list[0].x[1] * list[0].x[1]);
            cr_expect(close_to(r, 3, 1e-13), "r = %.17g", r);
            if (whole) {
                cr_expect(status == KDR_STOPPED && strstr(error.message, "watches: one of them has stopped the run at step"), "%s",
                          error.message);
                cr_expect(clock.step == list[0].step + 1 && active[1] == 1 && hypot(x[0][1], x[1][1]) > 3);
                cr_expect((by_reference ? kdr_reference_system_run : run_with)(&desc, &p, &clock, 400 - clock.step, &error) == KDR_OK &&
                          events.count == 1);
            } else {
                cr_expect(status == KDR_OK && active[0] == 1 && active[1] == 0 && x[0][1] == list[0].x[0] && x[4][1] == list[0].v[1]);
                /* The stopped comet still attracts the star, as a body at rest: the energy of the star in that field is kept. */
                const double before = 0.5 * (x[3][0] * x[3][0] + x[4][0] * x[4][0]) - mu[1] / hypot(x[0][0] - x[0][1], x[1][0] - x[1][1]);
                cr_assert((by_reference ? kdr_reference_system_run : run_with)(&desc, &p, &clock, 100, &error) == KDR_OK);
                const double after = 0.5 * (x[3][0] * x[3][0] + x[4][0] * x[4][0]) - mu[1] / hypot(x[0][0] - x[0][1], x[1][0] - x[1][1]);
                cr_expect(close_to(before, after, 1e-6), "%.12f, %.12f", before, after);
            }
        }
    }
}

/* The function fails from a call on, which may be one of a kernel's trial steps. */
typedef struct patience {
    int left;
    bool in_trial;
} patience;

static kdr_status fail_later(void *context, const kdr_particles *p, double t, void *const a[3]) {
    patience *const its = context;
    its->in_trial = !p->events;
    return its->left-- > 0 ? pull(NULL, p, t, a) : KDR_ERROR_UNAVAILABLE;
}

/* A function that fails while an event is searched leaves the end of the step before, and no event of this step. The continued run equals
 * one that did not fail. */
Test(events_system, failing) {
    static population pop, end;
    kdr_events events = {.list = first, .capacity = ROOM, .active = pop.active},
               unbroken = {.list = second, .capacity = ROOM, .active = end.active};
    size_t searching = 0;
    for (int calls = 1; calls < 60; ++calls) {
        for (int by_reference = 0; by_reference < 2; ++by_reference) {
            scene s;
            kdr_error error;
            patience its = {.left = calls};
            build(&s, PULLED, KDR_VELOCITY_VERLET, KDR_F64);
            s.watches[calls % 3].action = calls % 2 ? KDR_ACTION_STOP_PARTICLE : KDR_ACTION_NONE;
            s.desc.accelerations = fail_later, s.desc.context = &its;
            populate(&pop, KDR_F64, false, true, &events);
            events.count = 0;
            kdr_clock clock = {.t0 = 0.25, .dt = 1.0 / 24}, other = clock;
            const kdr_status status = (by_reference ? kdr_reference_system_run : run_with)(&s.desc, &pop.p, &clock, 6, &error);
            cr_assert(status == KDR_ERROR_UNAVAILABLE && strstr(error.message, "accelerations: the function returned 7"), "%s",
                      error.message);
            cr_assert((uint64_t)calls > clock.step, "%d calls for %d steps", calls, (int)clock.step);
            double t = NAN;
            unsigned long long step = 99;
            const char *const where = strstr(error.message, "in step ");
            cr_assert(where && sscanf(where, "in step %llu, at time %lg", &step, &t) == 2, "%s", error.message);
            cr_assert(step == clock.step, "%s", error.message);
            populate(&end, KDR_F64, false, true, &unbroken);
            unbroken.count = 0;
            s.desc.accelerations = pull;
            run(&s.desc, &end.p, &other, clock.step);
            cr_assert(memcmp(pop.x, end.x, sizeof pop.x) == 0, "%d calls: no whole step", calls);
            searching += its.in_trial;
            run(&s.desc, &end.p, &other, 6 - clock.step);
            (by_reference ? reference : run)(&s.desc, &pop.p, &clock, 6 - clock.step);
            cr_assert(memcmp(pop.x, end.x, sizeof pop.x) == 0 && memcmp(pop.active, end.active, sizeof end.active) == 0, "%d calls", calls);
            cr_assert(events.count == unbroken.count && memcmp(first, second, events.count * sizeof *first) == 0, "%d calls", calls);
        }
    }
    cr_expect(searching > 20, "%zu failed in a search", searching);
}

/* After a failed step, all that is carried and counted is that of the reference, which has not begun the step. This covers walls, particles
 * that leave and are stopped, methods that keep their acceleration and others, in the first step of a call and in later ones. */
Test(events_system, what_a_failed_step_leaves, .timeout = 60) {
    static const int kinds[] = {WALLED, ABSORBED, STOPPED, STOPPED_ABSORBED};
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_POSITION_VERLET, KDR_DOPRI_5};
    static population pop[2];
    static double errors[2][COUNT];
    kdr_events events[2] = {{.list = first, .capacity = ROOM, .active = pop[0].active},
                            {.list = second, .capacity = ROOM, .active = pop[1].active}};
    size_t in_trials = 0, counted = 0;
    for (int round = 0; round < 12 * 3 * 40; ++round) {
        kdr_clock clock[2];
        kdr_status status[2];
        for (int by_reference = 0; by_reference < 2; ++by_reference) {
            scene s;
            kdr_error error;
            patience its = {.left = 1 + round / 36};
            population *const p = &pop[by_reference];
            build(&s, kinds[round % 4], methods[round / 4 % 3], KDR_F64);
            s.desc.accelerations = pull, s.desc.interaction_count = 0;
            populate(p, KDR_F64, false, true, &events[by_reference]);
            memset(errors[by_reference], 0, sizeof errors[0]);
            p->p.error = s.desc.method == KDR_DOPRI_5 ? errors[by_reference] : NULL;
            events[by_reference].count = 0;
            clock[by_reference] = (kdr_clock){.t0 = 0.25, .dt = 1.0 / 24};
            run(&s.desc, &p->p, &clock[by_reference], 1 + (uint64_t)(round / 12 % 3));
            s.desc.accelerations = fail_later, s.desc.context = &its;
            status[by_reference] = (by_reference ? kdr_reference_system_run : run_with)(&s.desc, &p->p, &clock[by_reference], 4, &error);
            in_trials += its.in_trial;
        }
        const population *const a = &pop[0], *const b = &pop[1];
        for (size_t n = 0; n < COUNT; ++n) {
            counted += a->bounces[n];
        }
        cr_assert(status[0] == status[1] && clock[0].step == clock[1].step && events[0].count == events[1].count, "round %d", round);
        cr_assert(memcmp(a->x, b->x, sizeof a->x) == 0 && memcmp(a->active, b->active, sizeof a->active) == 0, "round %d", round);
        cr_assert(memcmp(a->carried, b->carried, sizeof a->carried) == 0 && a->p.memory_key == b->p.memory_key, "round %d", round);
        cr_assert(memcmp(a->bounces, b->bounces, sizeof a->bounces) == 0 && memcmp(errors[0], errors[1], sizeof errors[0]) == 0, "round %d",
                  round);
    }
    cr_expect(in_trials > 50 && counted > 5, "%zu %zu", in_trials, counted);
}

static void expect_refused(const kdr_system_desc *desc, const char *text) {
    kdr_system *system = NULL;
    kdr_error error;
    cr_expect(kdr_system_create(desc, &system, &error) != KDR_OK && strstr(error.message, text) && !system, "\"%s\", expected \"%s\"",
              error.message, text);
}

Test(events_system, refused) {
    scene s;
    static population pop;
    kdr_events events = {.list = first, .capacity = ROOM};
    build(&s, PULLED, KDR_VELOCITY_VERLET, KDR_F64);
    s.desc.force_count = 0;
    kdr_system *system;
    kdr_error error;
    cr_assert(kdr_system_create(&s.desc, &system, &error) == KDR_OK, "%s", error.message);
    populate(&pop, KDR_F64, false, true, &events);
    kdr_clock clock = {.dt = 1};
    cr_expect(kdr_system_run_blocks(system, &pop.p, &clock, 1, &error) == KDR_ERROR_UNSUPPORTED &&
                  strstr(error.message, "particles.events: runs in blocks watch nothing, expected NULL; take kdr_system_run"),
              "%s", error.message);
    pop.p.events = NULL;
    cr_expect(kdr_system_run_blocks(system, &pop.p, &clock, 0, &error) == KDR_OK, "%s", error.message);
    kdr_system_destroy(system);
    s.watches[0].action = KDR_ACTION_STOP_PARTICLE;
    events.active = NULL;
    pop.p.events = &events;
    cr_expect(
        kdr_reference_system_run(&s.desc, &pop.p, &clock, 1, &error) == KDR_ERROR_NULL &&
            strstr(error.message, "particles.events.active: a watch stops particles, and marks them: expected particles.active, got NULL"),
        "%s", error.message);
    events.active = pop.active;
    s.desc.levels = true, pop.p.level = pop.level, pop.p.level_count = COUNT;
    cr_expect(kdr_reference_system_run(&s.desc, &pop.p, &clock, 1, &error) == KDR_ERROR_UNSUPPORTED &&
                  strstr(error.message, "have it stop the run"),
              "%s", error.message);
    s.desc.levels = false;
    s.desc.distances = s.rods, s.desc.distance_count = 4;
    expect_refused(&s.desc, "watches: distances hold between particles at one time, and a stopped particle has an earlier one; have it "
                            "stop the run, or take springs");
    s.desc.distance_count = 0;
    s.watches[0].action = (kdr_action)3;
    expect_refused(&s.desc, "watches[0].action: expected an enumerator below 3, got 3");
    s.watches[0].action = KDR_ACTION_NONE;
    s.desc.rows = true;
    expect_refused(&s.desc, "rows: a watched step is taken again on arrays an axis; leave out rows, or watches");
    s.desc.rows = false;
    s.watches[1].normal[0] = NAN;
    expect_refused(&s.desc, "watches[1].normal[0]: expected a finite number");
    s.desc.watches = NULL;
    expect_refused(&s.desc, "watches: expected 4 entries, got NULL");
}

/* Fails in the evaluation after a stop, which is the first in which a particle has no mark. */
static kdr_status pull_while_all_go(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context, (void)t;
    for (size_t n = 0; n < p->count; ++n) {
        ((double *)a[0])[n] = -((const double *)p->x[0])[n];
        if (!p->active[n]) {
            return KDR_ERROR_NOT_FINITE;
        }
    }
    return KDR_OK;
}

/* If that evaluation fails there is no acceleration to continue from: the next run, also by the reference, begins with an evaluation. */
Test(events_system, what_fails_behind_a_stop_is_taken_back) {
    kdr_watch ground = kdr_watch_plane((double[]){0.5, 0, 0}, (double[]){1, 0, 0});
    ground.action = KDR_ACTION_STOP_PARTICLE;
    kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.accelerations = pull_while_all_go, desc.watches = &ground, desc.watch_count = 1;
    double ends[2][6];
    for (int i = 0; i < 2; ++i) {
        double x[] = {1, 0.25}, v[] = {0, 0}, a[] = {0, 0};
        uint8_t active[] = {1, 1};
        kdr_events events = {first, ROOM, 0, active};
        kdr_particles p = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}, .memory = {a}, .active = active, .active_count = 2};
        p.events = &events;
        kdr_clock clock = {0, 0.125, 0};
        kdr_error error;
        const kdr_status status = i ? run_with(&desc, &p, &clock, 20, &error) : kdr_reference_system_run(&desc, &p, &clock, 20, &error);
        cr_expect(status == KDR_ERROR_NOT_FINITE && events.count == 0 && active[0] && clock.step == 8, "step %d", (int)clock.step);
        cr_expect(p.memory_key != 0, "%s: no key", i ? "kernels" : "reference");
        memcpy(ends[i], (double[]){x[0], x[1], v[0], v[1], a[0], a[1]}, sizeof ends[i]);
    }
    cr_expect(memcmp(ends[0], ends[1], sizeof ends[0]) == 0);
}

static double until_noon(void *context, const double x[3], const double v[3], double t) {
    (void)context, (void)x, (void)v;
    return t - 0.3;
}

/* A particle that has been outside from the beginning has made no step, so a stop leaves its memory as it is. */
Test(events_system, stops_who_was_never_inside) {
    kdr_watch noon = kdr_watch_function(until_noon, NULL);
    noon.action = KDR_ACTION_STOP_PARTICLE;
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.forces = &spring, desc.force_count = 1;
    desc.watches = &noon, desc.watch_count = 1;
    desc.boundary = (kdr_boundary){KDR_BOUNDARY_ABSORBING, {-1, 0, 0}, {1, 0, 0}};
    for (int i = 0; i < 2; ++i) {
        double x[] = {0.5, 2}, v[] = {0, 0}, a[] = {7, 7};
        uint8_t active[] = {1, 1};
        kdr_events events = {first, ROOM, 0, active};
        kdr_particles p = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}, .memory = {a}, .active = active, .active_count = 2};
        p.events = &events;
        kdr_clock clock = {0, 0.125, 0};
        (i ? run : reference)(&desc, &p, &clock, 4);
        cr_expect(events.count == 2 && !active[0] && !active[1] && a[0] != 7 && a[1] == 7, "%g %g", a[0], a[1]);
    }
}

/* Two processes of a communicator, simulated by a thread each. */
typedef struct post {
    pthread_barrier_t both;
    const void *data;
} post;

typedef struct process {
    post *at;
    int index;
    kdr_status status;
    size_t count;
    kdr_event *list;
    double x[3][COUNT];
} process;

static kdr_status broadcast(void *context, int from, void *data, size_t size) {
    const process *const one = context;
    if (from == one->index) {
        one->at->data = data;
    }
    pthread_barrier_wait(&one->at->both);
    if (from != one->index) {
        memcpy(data, one->at->data, size);
    }
    pthread_barrier_wait(&one->at->both);
    return KDR_OK;
}

static void *run_process(void *argument) {
    process *const one = argument;
    double mu[COUNT], v[3][COUNT];
    uint8_t active[COUNT];
    uint64_t seed = 11;
    for (size_t n = 0; n < COUNT; ++n) {
        mu[n] = 1.0 / COUNT, active[n] = 1;
        for (int i = 0; i < 3; ++i) {
            one->x[i][n] = random_in(&seed, -1, 1);
            v[i][n] = random_in(&seed, -1, 1);
        }
    }
    kdr_watch plane = kdr_watch_plane((double[]){0, 0, 0}, (double[]){1, 0, 0});
    plane.action = KDR_ACTION_STOP_PARTICLE;
    const kdr_interaction gravity = kdr_interaction_gravity(mu, COUNT, 0.25);
    kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, KDR_BACKEND_AUTO);
    desc.interactions = &gravity, desc.interaction_count = 1;
    desc.watches = &plane, desc.watch_count = 1;
    desc.communicator = (kdr_communicator){one->at ? one->index : 0, one->at ? 2 : 1, one, broadcast};
    kdr_events events = {one->list, ROOM, 0, active};
    kdr_particles p = {.count = COUNT, .dims = 3, .real = KDR_F64, .x = {one->x[0], one->x[1], one->x[2]}, .v = {v[0], v[1], v[2]}};
    p.active = active, p.active_count = COUNT, p.events = &events;
    kdr_clock clock = {0, 0.0625, 0};
    kdr_error error;
    one->status = run_with(&desc, &p, &clock, 8, &error);
    one->count = events.count;
    return NULL;
}

/* Both processes repeat the steps that all take, and send each other what they computed. The result has the events and positions of a
 * single process. */
Test(events_system, a_team_finds_the_events_of_one) {
    static kdr_event lists[3][ROOM];
    static process all[3];
    post board;
    cr_assert(pthread_barrier_init(&board.both, NULL, 2) == 0);
    pthread_t thread[2];
    for (int i = 0; i < 3; ++i) {
        all[i] = (process){.at = i < 2 ? &board : NULL, .index = i, .list = lists[i]};
    }
    for (int i = 0; i < 2; ++i) {
        cr_assert(pthread_create(&thread[i], NULL, run_process, &all[i]) == 0);
    }
    run_process(&all[2]);
    for (int i = 0; i < 2; ++i) {
        pthread_join(thread[i], NULL);
        cr_expect(all[i].status == KDR_OK && all[i].count == all[2].count && all[i].count > 5, "%zu events, alone %zu", all[i].count,
                  all[2].count);
        cr_expect(memcmp(all[i].x, all[2].x, sizeof all[i].x) == 0 && memcmp(lists[i], lists[2], all[2].count * sizeof *lists[i]) == 0);
    }
    pthread_barrier_destroy(&board.both);
}
