/* Events and dense output are the same, to the bit, by the reference and by every backend, for any threads, layout, room and cut into
 * calls. They have the method's order. */
#include "records.h"

enum { COUNT = 300, ROOM = 40000, WATCHES = 6 };

typedef struct setting {
    int dims;
    bool masses, marks, levels, structures, carries, compensated, driven, composed, walls, rests, back, stops, ends;
    kdr_boundary_kind boundary;
    size_t room;
} setting;

/* The particles of a setting, and what they carry, in their own arrays. */
typedef struct population {
    kdr_particles p;
    uint8_t active[COUNT], level[COUNT];
    uint32_t bounces[COUNT];
    double carried[9][COUNT];
    unsigned char *block;
    int calls;
} population;

static void populate(population *pop, const setting *s, kdr_real real) {
    kdr_particles p;
    pop->block = scatter(&p, COUNT, s->dims, real, s->structures, 47, 4, pop->active, pop->level);
    for (int i = 0; i < 9 && s->carries; ++i) {
        *(i < 3 ? &p.memory[i] : &p.compensation[i - 3]) = pop->carried[i];
    }
    memset(pop->bounces, 0, sizeof pop->bounces);
    p.bounces = s->walls ? pop->bounces : NULL;
    p.inverse_mass = s->masses ? p.inverse_mass : NULL;
    p.active = s->marks ? pop->active : NULL, p.active_count = COUNT;
    p.level = s->levels ? pop->level : NULL, p.level_count = COUNT;
    pop->p = p;
}

/* Returns a function that rotates with the time and depends on the velocity. */
static double turning(void *context, const double x[3], const double v[3], double t) {
    return (x[0] - *(const double *)context) * (1 - 0.5 * t) + 0.25 * t * (x[1] + 0.125 * v[0]) + 0.0625 * x[2] * v[2];
}

static double radius = 0.25;

static size_t list_watches(kdr_watch list[WATCHES]) {
    list[0] = kdr_watch_apsis((double[]){0, 0, 0});
    list[1] = kdr_watch_plane((double[]){0.25, 0, 0}, (double[]){1, 0.5, -0.25});
    list[1].crossing = KDR_CROSSING_RISING;
    list[2] = kdr_watch_distance((double[]){0, 0.125, 0}, 1.25);
    list[3] = kdr_watch_function(turning, &radius);
    list[3].crossing = KDR_CROSSING_FALLING;
    list[4] = list[1];
    list[4].crossing = KDR_CROSSING_FALLING;
    list[5] = kdr_watch_function(turning, &radius);
    return WATCHES;
}

/* Fills in a description with everything that the setting and the method allow together. */
static bool fill_description(const setting *s, kdr_method method, kdr_force forces[6], kdr_watch watches[WATCHES],
                             kdr_integrator_desc *desc) {
    static kdr_collider ground;
    ground = kdr_collider_plane((double[]){0, -1.5, 0}, (double[]){0, 1, 0});
    ground.restitution = 0.75;
    const kdr_method_info *const info = kdr_method_get(method);
    const kdr_family_info *const family = kdr_family_get(info->family);
    size_t n = 0;
    forces[n++] = kdr_force_spring(2, 0.125, 0, 0);
    forces[n++] = kdr_force_uniform_acceleration(0.25, -1, 0.5);
    if (!info->affine && !family->jacobian) {
        forces[n++] = kdr_force_centre(1, 0, 0, 0, 0.25);
    }
    if (s->driven && !info->affine) {
        forces[n++] = kdr_force_driven(1, 2, 0, 3, 0.25);
    }
    if (info->velocity_forces == KDR_VELOCITY_ANY) {
        forces[n++] = kdr_force_drag(0.125, 0, 0, 0);
    }
    desc->forces = forces, desc->force_count = n;
    desc->method = method;
    desc->compensated = s->compensated && info->compensated;
    desc->flush_small_to_zero = s->rests;
    desc->compose =
        s->composed && info->reversible && info->order == 2 && method != KDR_VELOCITY_VERLET_PC ? KDR_COMPOSE_SUZUKI_4 : KDR_COMPOSE_NONE;
    desc->colliders = &ground, desc->collider_count = s->walls;
    desc->boundary = (kdr_boundary){.kind = s->boundary, .min = {-1.9, -1.9, -1.9}, .max = {1.9, 1.9, 1.9}};
    desc->langevin = family->heat_bath ? (kdr_langevin){.friction = 0.5, .temperature = 0.5, .seed = 7} : (kdr_langevin){0};
    desc->watches = watches, desc->watch_count = list_watches(watches);
    watches[2].action = s->ends ? KDR_ACTION_STOP_RUN : KDR_ACTION_NONE;
    watches[1].action = watches[3].action = s->stops ? KDR_ACTION_STOP_PARTICLE : KDR_ACTION_NONE;
    return family->velocities && !(s->back && !family->runs_back);
}

static size_t written(const kdr_events *e) { return e->count < e->capacity ? e->count : e->capacity; }

/* Runs up to a step of the clock in several calls, because a watch may end a run. Returns the number of calls. */
static int advance_to(bool by_reference, const kdr_integrator_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t end) {
    kdr_integrator *integrator;
    kdr_error error;
    int calls = 0;
    cr_assert(kdr_integrator_create(desc, &integrator, &error) == KDR_OK, "%s", error.message);
    for (kdr_status status = KDR_STOPPED; clock->step < end && status == KDR_STOPPED; ++calls) {
        const uint64_t step = clock->step;
        const size_t count = p->events->count;
        status = by_reference ? kdr_reference_run(desc, p, clock, end - step, &error)
                              : kdr_integrator_run(integrator, p, clock, end - step, &error);
        cr_assert(status == KDR_STOPPED || (status == KDR_OK && clock->step == end), "%s", error.message);
        cr_assert(status == KDR_OK || (clock->step > step && p->events->count > count));
        char text[80];
        snprintf(text, sizeof text, "watches: one of them has stopped the run at step %d", (int)clock->step);
        cr_assert(status == KDR_OK || strcmp(error.message, text) == 0, "%s", error.message);
    }
    kdr_integrator_destroy(integrator);
    return calls;
}

/* Takes `first` steps, and the rest of 20 in another call. */
static void run_setting(const setting *s, const kdr_integrator_desc *desc, bool by_reference, uint64_t first, kdr_events *events,
                        population *pop) {
    populate(pop, s, desc->real);
    events->count = 0;
    events->capacity = s->room;
    pop->p.events = events;
    events->active = s->stops ? pop->active : NULL;
    kdr_clock clock = {.t0 = 0.25, .dt = s->back ? -1.0 / 32 : 1.0 / 32, .step = 118};
    if (s->ends) {
        pop->calls = advance_to(by_reference, desc, &pop->p, &clock, 118 + 20);
        return;
    }
    advance(by_reference ? BY_REFERENCE : BY_INTEGRATOR, desc, &pop->p, &clock, first);
    advance(by_reference ? BY_REFERENCE : BY_INTEGRATOR, desc, &pop->p, &clock, 20 - first);
}

static kdr_event first[ROOM], second[ROOM];

static void expect_backends(const setting *s, kdr_integrator_desc *desc, bool all) {
    static population pop, other;
    const char *const method = kdr_method_get(desc->method)->name;
    kdr_events expected = {.list = first}, got = {.list = second};
    run_setting(s, desc, true, 11, &expected, &pop);
    cr_assert(expected.count > 100 && expected.count < ROOM, "%s: %zu events", method, expected.count);
    kdr_executor executors[MAX_EXECUTORS + 1] = {kdr_executor_serial()};
    const size_t count = all ? 1 + list_executors(executors + 1) : 1;
    for (int b = KDR_BACKEND_AUTO + 1; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        for (size_t e = 0; info.runnable && e < count; ++e) {
            desc->backend = (kdr_backend)b;
            desc->executor = executors[e];
            memset(second, 170, sizeof second);
            run_setting(s, desc, false, 11, &got, &other);
            expect_events(&expected, &got, info.name, method);
            cr_assert(memcmp(pop.block, other.block, COUNT * 64) == 0, "%s, %s", info.name, method);
            cr_assert(memcmp(pop.bounces, other.bounces, sizeof pop.bounces) == 0, "%s, %s: other bounces", info.name, method);
            cr_assert(memcmp(pop.active, other.active, sizeof pop.active) == 0 && pop.calls == other.calls, "%s, %s: others are stopped",
                      info.name, method);
            cr_assert(memcmp(pop.carried, other.carried, sizeof pop.carried) == 0, "%s, %s: another memory", info.name, method);
            for (size_t i = written(&got); i < ROOM; i += 97) { /* nothing is written after the list */
                cr_assert(((unsigned char *)&second[i])[5] == 170);
            }
            free(other.block);
            if (s->carries && e == 0) { /* the cut into calls changes nothing */
                run_setting(s, desc, false, 3, &got, &other);
                expect_events(&expected, &got, info.name, method);
                free(other.block);
            }
        }
    }
    free(pop.block);
    desc->backend = KDR_BACKEND_AUTO;
    desc->executor = kdr_executor_serial();
}

Test(events, the_same_list_everywhere) {
    static const setting settings[] = {
        {.dims = 3, .room = ROOM},
        {.dims = 3, .masses = true, .carries = true, .room = ROOM},
        {.dims = 2, .marks = true, .structures = true, .driven = true, .room = ROOM},
        {.dims = 3, .masses = true, .marks = true, .levels = true, .room = ROOM},
        {.dims = 1, .levels = true, .structures = true, .driven = true, .carries = true, .room = ROOM},
        {.dims = 3, .boundary = KDR_BOUNDARY_ABSORBING, .room = ROOM},
        {.dims = 2, .boundary = KDR_BOUNDARY_PERIODIC, .compensated = true, .carries = true, .room = ROOM},
        {.dims = 3, .walls = true, .driven = true, .compensated = true, .room = ROOM},
        {.dims = 3, .back = true, .driven = true, .room = ROOM},
        {.dims = 2, .rests = true, .walls = true, .carries = true, .room = 150},
        {.dims = 3, .levels = true, .back = true, .room = 150},
        {.dims = 3, .marks = true, .stops = true, .walls = true, .carries = true, .compensated = true, .room = ROOM},
        {.dims = 3, .marks = true, .stops = true, .masses = true, .levels = true, .driven = true, .structures = true, .room = ROOM},
        {.dims = 2, .marks = true, .stops = true, .boundary = KDR_BOUNDARY_PERIODIC, .carries = true, .room = 5},
        {.dims = 3, .ends = true, .carries = true, .levels = true, .room = ROOM},
        {.dims = 2, .ends = true, .marks = true, .stops = true, .carries = true, .room = 1},
        {.dims = 2, .room = 1},
        {.dims = 2, .room = 0},
    };
    for (size_t n = 0; n < sizeof settings / sizeof *settings; ++n) {
        kdr_force forces[6];
        kdr_watch watches[WATCHES];
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.real = (kdr_real)(n % 2);
        desc.arithmetic = (kdr_arithmetic)(n / 2 % 2);
        cr_assert(fill_description(&settings[n], n % 3 == 1 ? KDR_RK4 : KDR_VELOCITY_VERLET, forces, watches, &desc));
        expect_backends(&settings[n], &desc, true);
    }
}

Test(events, every_method) {
    static const setting settings[] = {
        {.dims = 3, .carries = true, .room = ROOM},
        {.dims = 3, .masses = true, .compensated = true, .driven = true, .room = ROOM},
        {.dims = 2, .levels = true, .compensated = true, .driven = true, .carries = true, .rests = true, .room = ROOM},
        {.dims = 3, .composed = true, .carries = true, .room = ROOM},
        {.dims = 3, .marks = true, .stops = true, .carries = true, .compensated = true, .room = ROOM},
    };
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        for (size_t n = 0; n < sizeof settings / sizeof *settings; ++n) {
            kdr_force forces[6];
            kdr_watch watches[WATCHES];
            kdr_integrator_desc desc = kdr_integrator_desc_default();
            desc.real = (kdr_real)(((size_t)method + n) % 2);
            desc.arithmetic = (kdr_arithmetic)(((size_t)method + n) / 2 % 2);
            if (fill_description(&settings[n], (kdr_method)method, forces, watches, &desc)) {
                expect_backends(&settings[n], &desc, false);
            }
        }
    }
}

/* A list without enough room holds the beginning of the full list. The list of one run is that of two. A watched run has the bits of one
 * that is not watched. */
Test(events, a_list_that_is_full) {
    const setting s = {.dims = 3, .carries = true, .room = ROOM};
    kdr_force forces[6];
    kdr_watch watches[WATCHES];
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    cr_assert(fill_description(&s, KDR_PEFRL, forces, watches, &desc));
    static population pop, other;
    kdr_events all = {.list = first}, some = {.list = second};
    run_setting(&s, &desc, false, 20, &all, &pop);
    for (size_t i = 1; i < all.count; ++i) {
        const kdr_event *const a = &first[i - 1], *const b = &first[i];
        cr_assert(a->step < b->step ||
                      (a->step == b->step && (a->particle < b->particle || (a->particle == b->particle && a->time <= b->time))),
                  "event %zu", i);
    }
    for (size_t room = 0; room < 1500; room = room * 3 + 1) {
        setting small = s;
        small.room = room;
        some.list = room ? second : NULL;
        run_setting(&small, &desc, false, 7, &some, &other);
        cr_assert(some.count == all.count && all.count > 500, "%zu, %zu", some.count, all.count);
        cr_expect(memcmp(first, second, room * sizeof *first) == 0, "room for %zu", room);
        free(other.block);
    }
    populate(&other, &s, desc.real);
    kdr_clock clock = {.t0 = 0.25, .dt = 1.0 / 32, .step = 118};
    advance(BY_INTEGRATOR, &desc, &other.p, &clock, 20);
    cr_expect(memcmp(pop.block, other.block, COUNT * 64) == 0);
    free(other.block);
    free(pop.block);
}

/* Returns an orbit about a centre of mu = 1 with semi-major axis 1 and period 2 pi, from its apocentre at time 0. */
static kdr_particles orbit_of(double eccentricity, double x[6]) {
    memset(x, 0, 6 * sizeof *x);
    x[0] = -1 - eccentricity;
    x[4] = -sqrt((1 - eccentricity) / (1 + eccentricity));
    return (kdr_particles){.count = 1, .dims = 3, .real = KDR_F64, .x = {x, x + 1, x + 2}, .v = {x + 3, x + 4, x + 5}};
}

typedef struct passage {
    double time, distance; /* errors of the time and of the distance */
} passage;

/* Finds the first pericentre passage with steps of 2 pi / n. */
static passage pass(kdr_method method, kdr_composition compose, int n) {
    const double pi = 3.14159265358979323846, eccentricity = 0.3;
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    kdr_watch watch = kdr_watch_apsis((double[]){0, 0, 0});
    watch.crossing = KDR_CROSSING_RISING;
    kdr_integrator_desc desc = describe(method, KDR_F64, KDR_FUSED, &sun, 1);
    desc.watches = &watch, desc.watch_count = 1;
    desc.compose = compose;
    double x[6];
    kdr_particles planet = orbit_of(eccentricity, x);
    kdr_event event;
    kdr_events events = {.list = &event, .capacity = 1};
    planet.events = &events;
    kdr_clock clock = {.dt = 2 * pi / n};
    advance(BY_INTEGRATOR, &desc, &planet, &clock, (uint64_t)(3 * n / 4));
    cr_assert(events.count == 1 && event.direction == 1, "%s: %zu passages", kdr_method_get(method)->name, events.count);
    return (passage){fabs(event.time - pi), fabs(hypot(event.x[0], event.x[1]) - (1 - eccentricity))};
}

/* Returns the largest errors over passages at different fractions of a step. */
static passage worst(kdr_method method, kdr_composition compose, int n) {
    passage most = {0, 0};
    for (int k = 0; k < 12; ++k) {
        const passage one = pass(method, compose, n + k);
        most.time = fmax(most.time, one.time);
        most.distance = fmax(most.distance, one.distance);
    }
    return most;
}

Test(events, pericentres_are_of_the_method_s_order) {
    static const struct {
        kdr_method method;
        kdr_composition compose;
        double order;
        int steps;
    } rows[] = {{KDR_SEMI_IMPLICIT_EULER, KDR_COMPOSE_NONE, 1, 2003},
                {KDR_VELOCITY_VERLET, KDR_COMPOSE_NONE, 2, 203},
                {KDR_POSITION_VERLET, KDR_COMPOSE_NONE, 2, 203},
                {KDR_VELOCITY_VERLET_PC, KDR_COMPOSE_NONE, 2, 403},
                {KDR_RK3, KDR_COMPOSE_NONE, 3, 203},
                {KDR_RK4, KDR_COMPOSE_NONE, 4, 103},
                {KDR_PEFRL, KDR_COMPOSE_NONE, 4, 53},
                {KDR_NYSTROM_4, KDR_COMPOSE_NONE, 4, 103},
                {KDR_DOPRI_5, KDR_COMPOSE_NONE, 5, 103},
                {KDR_VELOCITY_VERLET, KDR_COMPOSE_YOSHIDA_6, 6, 83}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; ++n) {
        double slope[2], order = rows[n].order;
        const passage wide = worst(rows[n].method, rows[n].compose, rows[n].steps);
        const passage narrow = worst(rows[n].method, rows[n].compose, 2 * rows[n].steps);
        slope[0] = log2(wide.time / narrow.time);
        slope[1] = log2(wide.distance / narrow.distance);
        fprintf(stderr, "%s%s: order of the time %.2f (%.1e), of the distance %.2f (%.1e)\n", kdr_method_get(rows[n].method)->name,
                rows[n].compose ? " composed" : "", slope[0], narrow.time, slope[1], narrow.distance);
        cr_expect(slope[0] > order - 0.35 && slope[0] < order + 0.65, "%s: order of the time %.2f, expected %g",
                  kdr_method_get(rows[n].method)->name, slope[0], order);
        cr_expect(slope[1] > order - 0.35 && slope[1] < order + 1.35, "%s: order of the distance %.2f, expected %g",
                  kdr_method_get(rows[n].method)->name, slope[1], order);
    }
}

/* Checks the period by crossings of a plane, two events in one step, and an escape. */
Test(events, physics) {
    const double pi = 3.14159265358979323846;
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    kdr_watch watches[] = {kdr_watch_plane((double[]){0, 0, 0}, (double[]){0, 2, 0}), kdr_watch_apsis((double[]){0, 0, 0}),
                           kdr_watch_plane((double[]){0, 1e-3, 0}, (double[]){0, 1, 0})};
    watches[0].crossing = KDR_CROSSING_RISING;
    kdr_integrator_desc desc = describe(KDR_PEFRL, KDR_F64, KDR_FUSED, &sun, 1);
    desc.watches = watches, desc.watch_count = 3;
    double x[6];
    kdr_particles planet = orbit_of(0.3, x);
    kdr_event list[64];
    kdr_events events = {.list = list, .capacity = 64};
    planet.events = &events;
    kdr_clock clock = {.dt = 2 * pi / 1000.5};
    advance(BY_INTEGRATOR, &desc, &planet, &clock, 5100);
    double last = 0;
    int revolutions = 0, apsides = 0, together = 0;
    for (size_t n = 0; n < events.count; ++n) {
        cr_expect((double)list[n].step <= list[n].time / clock.dt && list[n].time / clock.dt <= (double)list[n].step + 1);
        if (list[n].watch == 0) {
            cr_expect(list[n].direction == 1 && close_to(list[n].x[1], 0, 1e-14), "y = %.3e", list[n].x[1]);
            cr_expect(revolutions == 0 || close_to(list[n].time - last, 2 * pi, 1e-8), "period %.12f", list[n].time - last);
            last = list[n].time;
            ++revolutions;
        }
        apsides += list[n].watch == 1;
        together += n > 0 && list[n].step == list[n - 1].step && list[n].watch != list[n - 1].watch;
    }
    cr_expect(revolutions == 5 && apsides == 10 && together >= 5, "%d, %d, %d of %zu", revolutions, apsides, together, events.count);

    const kdr_watch escape = kdr_watch_distance((double[]){1, 0, 0}, 3);
    desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, NULL, 0);
    desc.watches = &escape, desc.watch_count = 1;
    double straight[] = {-9, 0, 0, 2, 0, 0};
    kdr_particles comet = {.count = 1,
                           .dims = 3,
                           .real = KDR_F64,
                           .x = {straight, straight + 1, straight + 2},
                           .v = {straight + 3, straight + 4, straight + 5},
                           .events = &events};
    events.count = 0;
    clock = (kdr_clock){.dt = 0.3};
    advance(BY_INTEGRATOR, &desc, &comet, &clock, 30);
    cr_assert(events.count == 2);
    cr_expect(list[0].direction == -1 && close_to(list[0].x[0], -2, 1e-14) && close_to(list[0].time, 3.5, 1e-14), "%.17g", list[0].time);
    cr_expect(list[1].direction == 1 && close_to(list[1].x[0], 4, 1e-14) && close_to(list[1].time, 6.5, 1e-14), "%.17g", list[1].time);
}

/* Checks that a watch's events have the known times and directions, without others. */
static void expect_times(const kdr_events *events, uint32_t watch, int count, const double *time, const int *direction, double end) {
    int seen = 0;
    for (size_t n = 0; n < events->count; ++n) {
        for (int k = 0; k < count && events->list[n].watch == watch; ++k) {
            seen += events->list[n].direction == direction[k] && close_to(events->list[n].time, time[k], 1e-11);
        }
    }
    int expected = 0, of_watch = 0;
    for (int k = 0; k < count; ++k) {
        expected += time[k] > 0 && time[k] < end;
    }
    for (size_t n = 0; n < events->count; ++n) {
        of_watch += events->list[n].watch == watch;
    }
    cr_expect(seen == expected && of_watch == expected, "watch %u: %d of %d events, expected %d", (unsigned)watch, seen, of_watch,
              expected);
}

/* Particles move on straight lines past a plane, a sphere and a point at random positions, so the times of the events are known. */
Test(events, what_is_watched) {
    uint64_t seed = 11;
    int met[3] = {0, 0, 0};
    for (int round = 0; round < 200; ++round) {
        double y[6], at[3], normal[3], r[3], along = 0, across = 0, rv = 0, vv = 0, rr = 0;
        for (int i = 0; i < 6; ++i) {
            y[i] = random_in(&seed, -2, 2);
        }
        for (int i = 0; i < 3; ++i) {
            at[i] = random_in(&seed, -2, 2), normal[i] = random_in(&seed, -2, 2), r[i] = y[i] - at[i];
            along += r[i] * normal[i], across += y[3 + i] * normal[i];
            rv += r[i] * y[3 + i], vv += y[3 + i] * y[3 + i], rr += r[i] * r[i];
        }
        const double distance = 2, root = sqrt(fmax(0, rv * rv - vv * (rr - distance * distance))), dt = 1.0 / 64, end = 128 * dt;
        const kdr_watch watches[] = {kdr_watch_plane(at, normal), kdr_watch_apsis(at), kdr_watch_distance(at, distance)};
        kdr_event list[16];
        kdr_events events = {.list = list, .capacity = 16};
        kdr_particles p = {.count = 1, .dims = 3, .real = KDR_F64, .x = {y, y + 1, y + 2}, .v = {y + 3, y + 4, y + 5}, .events = &events};
        kdr_integrator_desc desc = describe(KDR_RK4, KDR_F64, KDR_FUSED, NULL, 0);
        desc.watches = watches, desc.watch_count = 3;
        kdr_clock clock = {.dt = dt};
        advance(BY_INTEGRATOR, &desc, &p, &clock, 128);
        if (root == 0 || root > 0.5) { /* for a sphere that is barely touched, the time has the error of a square root */
            expect_times(&events, 0, 1, (const double[]){-along / across}, (const int[]){across > 0 ? 1 : -1}, end);
            expect_times(&events, 1, 1, (const double[]){-rv / vv}, (const int[]){1}, end);
            expect_times(&events, 2, root > 0 ? 2 : 0, (const double[]){(-rv - root) / vv, (-rv + root) / vv}, (const int[]){-1, 1}, end);
            for (size_t n = 0; n < events.count; ++n) {
                ++met[list[n].watch];
            }
        }
    }
    cr_expect(met[0] > 20 && met[1] > 20 && met[2] > 20, "%d, %d, %d", met[0], met[1], met[2]);
}

/* Counts the evaluations of the function in a run with one event, other than the one in each step. */
static double counted(void *context, const double x[3], const double v[3], double t) {
    (void)t;
    ++*(int *)context;
    return x[0] * v[0] + x[1] * v[1] + x[2] * v[2];
}

Test(events, a_root_is_found_in_few_trials) {
    for (int n = 0; n < 2; ++n) {
        int count = 0;
        const kdr_watch watch = kdr_watch_function(counted, &count);
        const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
        kdr_integrator_desc desc = describe(KDR_RK4, n ? KDR_F64 : KDR_F32, KDR_FUSED, &sun, 1);
        desc.watches = &watch, desc.watch_count = 1;
        kdr_particles p = make_particles(1, 2, desc.real, false, false);
        put_state(&p, 0, &(state){{1, 0, 0}, {0, 1.2, 0}});
        kdr_event event;
        kdr_events events = {.list = &event, .capacity = 1};
        p.events = &events;
        kdr_clock clock = {.dt = 1.0 / 16};
        advance(BY_INTEGRATOR, &desc, &p, &clock, 900);
        fprintf(stderr, "%zu events, %.1f trials each\n", events.count, (count - 901.0) / (double)events.count);
        cr_expect(events.count > 3 && (count - 901) < 14 * (int)events.count, "%d calls, %zu events", count, events.count);
        kdr_particles_destroy(&p);
    }
}

static void expect_sample(const setting *s, kdr_integrator_desc *desc, double fraction) {
    static population pop, expected, got;
    populate(&pop, s, desc->real);
    populate(&expected, &(setting){.dims = s->dims, .structures = !s->structures}, desc->real);
    kdr_clock clock = {.t0 = 0.25, .dt = s->back ? -1.0 / 32 : 1.0 / 32, .step = 125};
    kdr_error error;
    advance(BY_REFERENCE, desc, &pop.p, &clock, 2); /* makes a memory to continue from */
    cr_assert(kdr_reference_sample(desc, &pop.p, &clock, fraction, &expected.p, &error) == KDR_OK, "%s", error.message);
    for (int b = KDR_BACKEND_AUTO + 1; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        if (!info.runnable) {
            continue;
        }
        desc->backend = (kdr_backend)b;
        populate(&got, &(setting){.dims = s->dims, .structures = !s->structures}, desc->real);
        unsigned char *const before = malloc(COUNT * 64);
        static population copy;
        copy = pop;
        memcpy(before, pop.block, COUNT * 64);
        kdr_integrator *integrator;
        cr_assert(kdr_integrator_create(desc, &integrator, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_integrator_sample(integrator, &pop.p, &clock, fraction, &got.p, &error) == KDR_OK, "%s", error.message);
        cr_assert(memcmp(got.block, expected.block, COUNT * 64) == 0, "%s, %s at %g", info.name, kdr_method_get(desc->method)->name,
                  fraction);
        cr_assert(memcmp(before, pop.block, COUNT * 64) == 0 && memcmp(&copy, &pop, sizeof pop) == 0 && clock.step == 127);
        kdr_integrator_destroy(integrator);
        free(got.block);
        free(before);
    }
    desc->backend = KDR_BACKEND_AUTO;
    if (fraction == 1 && s->carries && desc->method != KDR_VELOCITY_VERLET_PC && !s->driven) {
        advance(BY_REFERENCE, desc, &pop.p, &clock, 1);
        for (size_t n = 0; n < COUNT; ++n) {
            const size_t size = kdr_real_size(desc->real), here = s->structures ? 8 * size : size, there = s->structures ? size : 8 * size;
            for (int i = 0; i < s->dims; ++i) {
                cr_assert(memcmp((char *)pop.p.x[i] + n * here, (char *)expected.p.x[i] + n * there, size) == 0, "%s: particle %zu",
                          kdr_method_get(desc->method)->name, n);
            }
        }
    }
    free(pop.block);
    free(expected.block);
}

Test(events, samples_are_the_same_everywhere) {
    static const setting settings[] = {
        {.dims = 3, .carries = true},
        {.dims = 3, .masses = true, .compensated = true, .driven = true, .marks = true},
        {.dims = 2, .levels = true, .compensated = true, .carries = true, .rests = true, .structures = true},
        {.dims = 3, .composed = true, .carries = true, .walls = true, .boundary = KDR_BOUNDARY_PERIODIC, .levels = true},
    };
    static const double fractions[] = {0, 0.3, 0.5, 0.8125, 1};
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        for (size_t n = 0; n < sizeof settings / sizeof *settings; ++n) {
            kdr_force forces[6];
            kdr_watch watches[WATCHES];
            kdr_integrator_desc desc = kdr_integrator_desc_default();
            desc.real = (kdr_real)(((size_t)method + n) % 2);
            desc.arithmetic = (kdr_arithmetic)(((size_t)method + n) / 2 % 2);
            if (fill_description(&settings[n], (kdr_method)method, forces, watches, &desc)) {
                expect_sample(&settings[n], &desc, fractions[((size_t)method + n) % 5]);
                expect_sample(&settings[n], &desc, 1);
            }
        }
    }
}

/* Samples at times that are not multiples of the step are compared with an orbit by steps so small that it is nearly exact. */
Test(events, samples_are_of_the_method_s_order) {
    static const struct {
        kdr_method method;
        double order;
        int steps;
    } rows[] = {{KDR_VELOCITY_VERLET, 2, 200}, {KDR_RK4, 4, 100}, {KDR_PEFRL, 4, 50}, {KDR_DOPRI_5, 5, 100}};
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    const double t = 3.1;
    double x[6], y[6], error[2];
    kdr_particles planet = orbit_of(0.3, x), to = orbit_of(0.3, y);
    kdr_integrator_desc desc = describe(KDR_DPRKN_6, KDR_F64, KDR_FUSED, &sun, 1);
    kdr_clock clock = {.dt = t / 4096};
    advance(BY_INTEGRATOR, &desc, &planet, &clock, 4096);
    const state exact = get_state(&planet, 0);
    for (size_t n = 0; n < sizeof rows / sizeof *rows; ++n) {
        for (int k = 0; k < 2; ++k) {
            desc.method = rows[n].method;
            planet = orbit_of(0.3, x);
            clock = (kdr_clock){.dt = 6 / (double)(rows[n].steps << k)};
            const double steps = t / clock.dt;
            advance(BY_INTEGRATOR, &desc, &planet, &clock, (uint64_t)steps);
            kdr_integrator *integrator;
            cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
            cr_assert(kdr_integrator_sample(integrator, &planet, &clock, steps - floor(steps), &to, NULL) == KDR_OK);
            kdr_integrator_destroy(integrator);
            error[k] = hypot(y[0] - exact.x[0], y[1] - exact.x[1]);
        }
        const double order = log2(error[0] / error[1]);
        fprintf(stderr, "%s: order of a sample %.2f (%.1e)\n", kdr_method_get(rows[n].method)->name, order, error[1]);
        cr_expect(order > rows[n].order - 0.3 && order < rows[n].order + 0.7, "%s: %.2f", kdr_method_get(rows[n].method)->name, order);
    }
}

static void expect_refused(const kdr_integrator_desc *desc, kdr_status status, const char *text) {
    kdr_integrator *integrator = NULL;
    kdr_error error;
    cr_expect(kdr_integrator_create(desc, &integrator, &error) == status && one_line(&error, status) && strstr(error.message, text),
              "\"%s\", expected \"%s\"", error.message, text);
    cr_expect(!integrator);
}

Test(events, wrong_watches) {
    kdr_watch w = {.kind = KDR_WATCH_FUNCTION}, many[KDR_MAX_WATCHES + 1] = {{0}};
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.watch_count = 1;
    expect_refused(&desc, KDR_ERROR_NULL, "watches: expected 1 entries, got NULL");
    desc.watches = &w;
    expect_refused(&desc, KDR_ERROR_NULL, "watches[0].value: expected a function");
    w.kind = (kdr_watch_kind)9;
    expect_refused(&desc, KDR_ERROR_ARGUMENT, "watches[0].kind: expected an enumerator below 4, got 9");
    w = kdr_watch_plane((double[]){0, 0, 0}, (double[]){0, 0, 0});
    expect_refused(&desc, KDR_ERROR_ARGUMENT, "watches[0].normal: expected a direction");
    w.normal[1] = INFINITY;
    expect_refused(&desc, KDR_ERROR_NOT_FINITE, "watches[0].normal[1]: expected a finite number, got inf");
    w = kdr_watch_apsis((double[]){0, NAN, 0});
    expect_refused(&desc, KDR_ERROR_NOT_FINITE, "watches[0].at[1]");
    w = kdr_watch_distance((double[]){0, 0, 0}, 0);
    expect_refused(&desc, KDR_ERROR_ARGUMENT, "watches[0].distance: expected a finite number above 0, got 0");
    w.distance = 1, w.crossing = (kdr_crossing)3;
    expect_refused(&desc, KDR_ERROR_ARGUMENT, "watches[0].crossing: expected an enumerator below 3, got 3");
    w.crossing = KDR_CROSSING_ANY;
    desc.method = KDR_STORMER_VERLET;
    expect_refused(&desc, KDR_ERROR_UNSUPPORTED, "watches: stormer-verlet has no velocity during a run; take velocity-verlet");
    desc.method = KDR_RK4, desc.watches = many, desc.watch_count = KDR_MAX_WATCHES + 1;
    expect_refused(&desc, KDR_ERROR_OVERFLOW, "watches: expected at most 16, got 17");
}

/* Lists of events and contacts that overlap the particles are refused, because a run would write over them. */
Test(events, lists_apart_from_the_particles) {
    kdr_particles p = make_particles(4, 3, KDR_F64, false, false);
    kdr_events events = {.capacity = 1};
    kdr_contacts contacts = {.capacity = 1};
    kdr_error error;
    const size_t x_bytes = 4 * sizeof(double);
    p.events = &events;
    events.list = (kdr_event *)(void *)((char *)p.x[1] + x_bytes - 8);
    cr_expect(kdr_particles_check(&p, &error) == KDR_ERROR_OVERLAP && strstr(error.message, "particles.events: expected a list separate") &&
                  strstr(error.message, "x[1] share memory"),
              "%s", error.message);
    kdr_event event;
    events.list = &event;
    cr_expect(kdr_particles_check(&p, &error) == KDR_OK, "%s", error.message);
    p.contacts = &contacts;
    contacts.list = (kdr_contact *)(void *)((char *)p.v[2] + x_bytes - 8);
    cr_expect(kdr_particles_check(&p, &error) == KDR_ERROR_OVERLAP &&
                  strstr(error.message, "particles.contacts: expected a list separate") && strstr(error.message, "v[2] share memory"),
              "%s", error.message);
    contacts.capacity = 0;
    cr_expect(kdr_particles_check(&p, &error) == KDR_OK, "%s", error.message);
    contacts.capacity = SIZE_MAX / 2;
    cr_expect(kdr_particles_check(&p, &error) == KDR_ERROR_OVERFLOW &&
                  strstr(error.message, "particles.contacts: expected a list that fits"),
              "%s", error.message);
    contacts.capacity = 3, contacts.list = NULL;
    cr_expect(kdr_particles_check(&p, &error) == KDR_ERROR_NULL &&
                  strstr(error.message, "particles.contacts: expected a list of 3 contacts"),
              "%s", error.message);
    kdr_particles_destroy(&p);
}

Test(events, wrong_views) {
    kdr_events events = {.list = NULL, .capacity = 3};
    kdr_particles p = make_particles(4, 3, KDR_F64, false, false), q = make_particles(5, 3, KDR_F64, false, false);
    kdr_error error;
    p.events = &events;
    cr_expect(kdr_particles_check(&p, &error) == KDR_ERROR_NULL && strstr(error.message, "particles.events: expected a list of 3 events"),
              "%s", error.message);
    events.capacity = 0;
    cr_expect(kdr_particles_check(&p, &error) == KDR_OK);
    cr_expect(kdr_particles_slice(&p, 0, 2).events == NULL);
    kdr_clock clock = {.dt = 0.1};
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    cr_expect(kdr_reference_sample(&desc, &p, &clock, 0.5, &q, &error) == KDR_ERROR_MISMATCH &&
              strstr(error.message, "to: expected 4 particles"));
    cr_expect(kdr_reference_sample(&desc, &p, &clock, 1.5, &p, &error) == KDR_ERROR_ARGUMENT &&
              strstr(error.message, "fraction: expected 0 to 1 of the step, got 1.5"));
    cr_expect(kdr_reference_sample(&desc, &p, &clock, NAN, &p, &error) == KDR_ERROR_ARGUMENT);
    cr_expect(kdr_reference_sample(&desc, &p, &clock, 0.5, NULL, &error) == KDR_ERROR_NULL && strstr(error.message, "to:"));
    kdr_particles swapped = p, beside = p;
    for (int i = 0; i < 3; ++i) {
        swapped.x[i] = p.v[i], swapped.v[i] = p.x[i];
        beside.x[i] = q.x[i], beside.v[i] = i < 2 ? q.v[i] : p.x[0];
    }
    const kdr_particles *const shared[] = {&p, &swapped, &beside};
    for (size_t n = 0; n < sizeof shared / sizeof shared[0]; ++n) {
        kdr_particles to = *shared[n];
        cr_expect(kdr_reference_sample(&desc, &p, &clock, 0.5, &to, &error) == KDR_ERROR_OVERLAP && one_line(&error, KDR_ERROR_OVERLAP) &&
                      strstr(error.message, "to: expected arrays separate from the particles' own, but to."),
                  "%zu: %s", n, error.message);
    }
    kdr_watch stops = kdr_watch_apsis(NULL);
    cr_expect(stops.at[0] == 0 && kdr_watch_plane(NULL, NULL).normal[2] == 0 && kdr_watch_distance(NULL, 2).distance == 2);
    uint8_t active[2][4] = {{1, 1, 1, 1}, {1, 1, 1, 1}};
    kdr_contacts contacts = {0};
    stops.action = KDR_ACTION_STOP_PARTICLE;
    desc.watches = &stops, desc.watch_count = 1;
    p.active = active[0], p.active_count = 4;
    events.active = active[1];
    cr_expect(kdr_reference_run(&desc, &p, &clock, 1, &error) == KDR_ERROR_NULL &&
                  strstr(error.message, "expected particles.active, got another array"),
              "%s", error.message);
    events.active = active[0];
    p.contacts = &contacts;
    cr_expect(kdr_reference_run(&desc, &p, &clock, 1, &error) == KDR_ERROR_UNSUPPORTED &&
                  strstr(error.message, "particles.contacts: a watch stops particles within steps"),
              "%s", error.message);
    p.contacts = NULL;
    stops.action = KDR_ACTION_STOP_RUN;
    cr_expect(kdr_reference_run(&desc, &p, &clock, 1, &error) == KDR_ERROR_NULL &&
                  strstr(error.message, "particles.memory: a watch may stop the run, which goes step by step"),
              "%s", error.message);
    desc.watch_count = 0;
    desc.method = KDR_STORMER_VERLET;
    cr_expect(kdr_reference_sample(&desc, &p, &clock, 0.5, &p, &error) == KDR_ERROR_UNSUPPORTED &&
              strstr(error.message, "take velocity-verlet"));
    cr_expect(kdr_integrator_sample(NULL, &p, &clock, 0.5, &p, &error) == KDR_ERROR_NULL);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&q);
}

/* A watch that stops something needs a list in the view: field runs, system runs, runs in blocks and those of the reference refuse to run
 * without it. */
Test(events, a_watch_that_stops_asks_for_a_list) {
    kdr_particles p = make_particles(4, 3, KDR_F64, false, false);
    kdr_events none = {.capacity = 0};
    kdr_error error;
    for (int stops = 0; stops < 3; ++stops) {
        kdr_watch watch = kdr_watch_plane((double[]){0, 0, 0}, (double[]){0, 0, 1});
        watch.action = (kdr_action)stops;
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        kdr_system_desc system_desc = kdr_system_desc_default();
        desc.method = system_desc.method = KDR_RK4;
        desc.watches = system_desc.watches = &watch, desc.watch_count = system_desc.watch_count = 1;
        kdr_integrator *integrator;
        kdr_system *system;
        kdr_workspace workspace;
        kdr_clock clock = {.dt = 0.125};
        cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK && kdr_system_create(&system_desc, &system, &error) == KDR_OK,
                  "%s", error.message);
        cr_assert(kdr_workspace_create(system, 4, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
        const kdr_status expected = stops ? KDR_ERROR_NULL : KDR_OK, blocks = stops ? KDR_ERROR_UNSUPPORTED : KDR_OK;
        const char *const text = stops ? "particles.events: a watch stops particles or the run, expected a list" : "";
        error.message[0] = '\0';
        cr_expect(kdr_integrator_run(integrator, &p, &clock, 1, &error) == expected && strstr(error.message, text), "%s", error.message);
        cr_expect(kdr_system_run(system, &p, &clock, 1, &workspace, &error) == expected && strstr(error.message, text), "%s",
                  error.message);
        cr_expect(kdr_reference_run(&desc, &p, &clock, 1, &error) == expected && strstr(error.message, text), "%s", error.message);
        cr_expect(kdr_reference_system_run(&system_desc, &p, &clock, 1, &error) == expected && strstr(error.message, text), "%s",
                  error.message);
        cr_expect(kdr_system_run_blocks(system, &p, &clock, 1, &error) == blocks, "%s", error.message);
        cr_expect(clock.step == (stops ? 0 : 5), "%d steps", (int)clock.step);
        p.events = &none;
        uint8_t active[4] = {1, 1, 1, 1};
        none.active = active;
        p.active = active, p.active_count = 4;
        cr_expect(kdr_integrator_run(integrator, &p, &clock, 1, &error) == KDR_OK, "%s", error.message);
        p.events = NULL, p.active = NULL;
        kdr_workspace_destroy(&workspace);
        kdr_system_destroy(system);
        kdr_integrator_destroy(integrator);
    }
    kdr_particles_destroy(&p);
}

/* A particle that starts on the surface of a watch has not passed it, whichever way it moves. One that ends a step on it has, whichever way
 * it came. */
Test(events, what_begins_or_ends_at_0) {
    static const struct {
        double x, v;
        int direction[4]; /* directions of the events in steps 0, 1, ...; 0: none */
    } rows[] = {{0, 1, {0}}, {0, -1, {0}}, {-0.0, 1, {0}}, {-0.25, 1, {1}}, {0.25, -1, {-1}}, {-0.5, 1, {0, 1}}, {0.5, -1, {0, -1}}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; ++n) {
        for (int k = 0; k < 6; ++k) {
            kdr_watch watch = kdr_watch_plane((double[]){0, 0, 0}, (double[]){1, 0, 0});
            watch.crossing = (kdr_crossing)(k / 2);
            double y[6] = {rows[n].x, 0, 0, rows[n].v, 0, 0};
            kdr_event list[4];
            kdr_events events = {.list = list, .capacity = 4};
            kdr_particles p = {
                .count = 1, .dims = 3, .real = KDR_F64, .x = {y, y + 1, y + 2}, .v = {y + 3, y + 4, y + 5}, .events = &events};
            kdr_integrator_desc desc = describe(KDR_SEMI_IMPLICIT_EULER, KDR_F64, KDR_FUSED, NULL, 0);
            desc.watches = &watch, desc.watch_count = 1;
            kdr_clock clock = {.dt = 0.25};
            advance(k % 2 ? BY_REFERENCE : BY_INTEGRATOR, &desc, &p, &clock, 4);
            size_t expected = 0;
            for (int step = 0; step < 4; ++step) {
                const int way = rows[n].direction[step];
                if (way != 0 && watch.crossing != (way > 0 ? KDR_CROSSING_FALLING : KDR_CROSSING_RISING)) {
                    cr_expect(events.count > expected && list[expected].step == (uint64_t)step && list[expected].direction == way,
                              "row %d, crossing %d: step %d", (int)n, k / 2, step);
                    ++expected;
                }
            }
            cr_expect(events.count == expected, "row %d, crossing %d: %d events", (int)n, k / 2, (int)events.count);
        }
    }
}

/* A bounce off a sphere from outside is a pericentre about it, with the speed that the particle had: the shortened step ends a rounding
 * after the bounce, whatever is left of it. */
Test(events, bounces_keep_the_speed) {
    static const kdr_method methods[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET, KDR_POSITION_VERLET, KDR_RK4};
    enum { MANY = 2000 };
    const kdr_watch watch = kdr_watch_apsis((double[]){0, 0, 0});
    const kdr_collider sphere = kdr_collider_sphere((double[]){0, 0, 0}, 0.5, false);
    static kdr_event list[2 * MANY];
    for (int n = 0; n < 2 * 4 * 2; ++n) {
        kdr_integrator_desc desc = describe(methods[n / 2 % 4], KDR_F32, n % 2 ? KDR_FUSED : KDR_UNFUSED, NULL, 0);
        desc.watches = &watch, desc.watch_count = 1, desc.colliders = &sphere, desc.collider_count = 1;
        kdr_particles_desc wanted = kdr_particles_desc_default();
        wanted.count = MANY, wanted.real = KDR_F32;
        kdr_particles p;
        cr_assert(kdr_particles_create(&wanted, &p, NULL) == KDR_OK);
        static double square[MANY];
        uint64_t seed = 1;
        for (size_t k = 0; k < MANY; ++k) {
            square[k] = 0;
            for (int i = 0; i < 3; ++i) {
                const double x = random_in(&seed, 0.5, 1) * (random_in(&seed, 0, 1) < 0.5 ? -1 : 1);
                set(p.x[i], KDR_F32, k, x);
                set(p.v[i], KDR_F32, k, random_in(&seed, -0.2, 0.2) - x);
                square[k] += get(p.v[i], KDR_F32, k) * get(p.v[i], KDR_F32, k);
            }
        }
        kdr_events events = {.list = list, .capacity = 2 * MANY};
        kdr_clock clock = {.dt = 1.0 / 16};
        p.events = &events;
        advance(n / 8 ? BY_INTEGRATOR : BY_REFERENCE, &desc, &p, &clock, 30);
        size_t wrong = 0;
        for (size_t k = 0; k < events.count; ++k) {
            const double *const v = list[k].v;
            wrong += !close_to(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], square[list[k].particle], 1e-5);
        }
        cr_expect(events.count > MANY / 2 && wrong == 0, "%d: %zu of %zu", n, wrong, events.count);
        p.events = NULL;
        kdr_particles_destroy(&p);
    }
}

/* A planned stop is not an error, and can be distinguished without its text. */
Test(events, a_stop_is_no_failure) {
    for (int status = 0; status <= KDR_STOPPED; ++status) {
        cr_expect(kdr_failed((kdr_status)status) == (status != KDR_OK && status != KDR_STOPPED));
    }
}
