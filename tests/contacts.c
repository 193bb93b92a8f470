/* Contacts: the list is the same, to the bit, by the reference and by every backend, for any threads, layout and room. */
#include "records.h"
#include "system_support.h"

enum { COUNT = 700, ROOM = 60000 };

typedef struct setting {
    int dims, surfaces; /* surfaces: number of those of `surfaces_of` */
    bool masses, marks, levels, structures, absorbing, composed, watched;
    size_t room;
} setting;

static size_t surfaces_of(const setting *s, kdr_collider list[3]) {
    list[0] = kdr_collider_box((double[]){-2, -2, -2}, (double[]){2, 2, 2}, true);
    list[1] = kdr_collider_sphere((double[]){0.5, 0, 0}, 0.75, false);
    list[2] = kdr_collider_plane((double[]){0, -1.5, 0}, (double[]){0.25, 1, 0.125});
    for (int i = 0; i < 3; ++i) {
        list[i].restitution = 0.9 - 0.1 * i;
    }
    if (s->surfaces > 1) {
        list[1].sliding = 0.25;
        list[0].friction = 0.125;
        list[2].static_friction = 0.5, list[2].sliding = 0.375;
    }
    return s->surfaces == 0 ? 1 : 3;
}

/* The particles of a setting, in their own arrays. */
typedef struct population {
    kdr_particles p;
    uint8_t active[COUNT], level[COUNT];
    unsigned char *block;
} population;

static void populate(population *pop, const setting *s, kdr_real real) {
    kdr_particles p;
    pop->block = scatter(&p, COUNT, s->dims, real, s->structures, 31, 9, pop->active, pop->level);
    p.inverse_mass = s->masses ? p.inverse_mass : NULL;
    p.active = s->marks ? pop->active : NULL, p.active_count = COUNT;
    p.level = s->levels ? pop->level : NULL, p.level_count = COUNT;
    pop->p = p;
}

static size_t written(const kdr_contacts *c) { return c->count < c->capacity ? c->count : c->capacity; }

static void expect_list(const kdr_contacts *expected, const kdr_contacts *got, const char *who) {
    cr_assert(expected->count == got->count, "%s: %zu contacts, expected %zu", who, got->count, expected->count);
    for (size_t i = 0; i < written(expected); ++i) {
        const kdr_contact *const a = &expected->list[i], *const b = &got->list[i];
        cr_assert(memcmp(a, b, sizeof *a) == 0,
                  "%s: contact %zu: particle %llu, step %llu, surface %llu at %a; expected %llu, %llu, %llu at %a", who, i,
                  (unsigned long long)b->particle, (unsigned long long)b->step, (unsigned long long)b->surface, b->time,
                  (unsigned long long)a->particle, (unsigned long long)a->step, (unsigned long long)a->surface, a->time);
    }
}

/* Runs a setting in two calls; the second continues the list. */
static void run_setting(const setting *s, const kdr_integrator_desc *desc, bool by_reference, kdr_contacts *contacts, uint64_t *bounces) {
    static uint32_t hits[COUNT];
    population pop;
    populate(&pop, s, desc->real);
    memset(hits, 0, sizeof hits);
    pop.p.bounces = hits;
    contacts->count = 0;
    contacts->capacity = s->room;
    pop.p.contacts = contacts;
    kdr_events none = {.capacity = 0};
    pop.p.events = s->watched ? &none : NULL;
    kdr_clock clock = {.t0 = 0.25, .dt = 1.0 / 32, .step = 3};
    advance(by_reference ? BY_REFERENCE : BY_INTEGRATOR, desc, &pop.p, &clock, 11);
    advance(by_reference ? BY_REFERENCE : BY_INTEGRATOR, desc, &pop.p, &clock, 9);
    *bounces = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        *bounces += hits[i];
    }
    free(pop.block);
}

static void expect_everywhere(const setting *s, kdr_integrator_desc *desc) {
    static kdr_contact first[ROOM], second[ROOM];
    kdr_contacts expected = {.list = first}, got = {.list = second};
    uint64_t bounces;
    run_setting(s, desc, true, &expected, &bounces);
    cr_assert(expected.count == bounces && bounces > 100, "%zu contacts, %llu bounces", expected.count, (unsigned long long)bounces);
    kdr_executor executors[MAX_EXECUTORS + 1] = {kdr_executor_serial()};
    const size_t count = 1 + list_executors(executors + 1);
    for (int b = KDR_BACKEND_AUTO + 1; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        for (size_t e = 0; info.runnable && e < count; ++e) {
            desc->backend = (kdr_backend)b;
            desc->executor = executors[e];
            memset(second, 170, sizeof second);
            run_setting(s, desc, false, &got, &bounces);
            expect_list(&expected, &got, info.name);
            cr_assert(bounces == got.count);
            for (size_t i = written(&got); i < ROOM; i += 97) { /* nothing is written after the list */
                cr_assert(((unsigned char *)&second[i])[5] == 170);
            }
        }
    }
    desc->backend = KDR_BACKEND_AUTO;
    desc->executor = kdr_executor_serial();
}

Test(contacts, the_same_list_everywhere) {
    static const setting settings[] = {
        {.dims = 3, .surfaces = 0, .room = ROOM},
        {.dims = 3, .surfaces = 2, .masses = true, .room = ROOM},
        {.dims = 2, .surfaces = 1, .marks = true, .structures = true, .room = ROOM},
        {.dims = 3, .surfaces = 2, .masses = true, .marks = true, .levels = true, .room = ROOM},
        {.dims = 1, .surfaces = 0, .levels = true, .structures = true, .room = ROOM},
        {.dims = 3, .surfaces = 1, .absorbing = true, .room = ROOM},
        {.dims = 3, .surfaces = 2, .composed = true, .room = ROOM},
        {.dims = 3, .surfaces = 2, .masses = true, .room = 150},
        {.dims = 3, .surfaces = 1, .marks = true, .structures = true, .levels = true, .room = 1777},
        {.dims = 2, .surfaces = 1, .room = 1},
        {.dims = 2, .surfaces = 1, .room = 0},
        {.dims = 3, .surfaces = 2, .levels = true, .watched = true, .room = ROOM},
        {.dims = 3, .surfaces = 2, .masses = true, .watched = true, .room = 150},
    };
    kdr_watch far = kdr_watch_distance((double[]){0, 0, 0}, 1e9); /* with a watch the run goes step by step */
    far.action = KDR_ACTION_STOP_RUN;
    const kdr_force forces[] = {kdr_force_uniform_acceleration(0, -9, 1), kdr_force_drag(0.125, 0, 0, 0), kdr_force_driven(1, 2, 0, 3, 0)};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; ++n) {
        const setting *const s = &settings[n];
        kdr_collider surfaces[3];
        kdr_constraint plane = kdr_constraint_plane((double[]){0, 0, 0}, (double[]){0, 0, 1});
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.real = (kdr_real)(n % 2);
        desc.arithmetic = (kdr_arithmetic)(n / 2 % 2);
        desc.method = n % 3 == 1 || s->watched ? KDR_SEMI_IMPLICIT_EULER : KDR_VELOCITY_VERLET;
        desc.forces = forces, desc.force_count = s->composed ? 1 : n % 4 == 3 ? 3 : 2;
        desc.collider_count = surfaces_of(s, surfaces), desc.colliders = surfaces;
        desc.constraints = &plane, desc.constraint_count = s->composed;
        desc.watches = &far, desc.watch_count = s->watched;
        if (s->absorbing) {
            desc.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_ABSORBING, .min = {-1.9, -1.9, -1.9}, .max = {1.9, 1.9, 1.9}};
        }
        desc.compose = s->composed ? KDR_COMPOSE_SUZUKI_4 : KDR_COMPOSE_NONE;
        desc.method = s->composed ? KDR_BORIS : desc.method;
        expect_everywhere(s, &desc);
    }
}

/* A list without enough room holds the beginning of the full list. */
Test(contacts, a_list_that_is_full) {
    static kdr_contact whole[ROOM], part[ROOM];
    setting s = {.dims = 3, .surfaces = 2, .room = ROOM};
    kdr_collider surfaces[3];
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.colliders = surfaces, desc.collider_count = surfaces_of(&s, surfaces);
    population pop;
    for (size_t room = 0; room < 2000; room = room * 3 + 1) {
        kdr_contacts all = {.list = whole, .capacity = ROOM}, some = {.list = room ? part : NULL, .capacity = room};
        for (int n = 0; n < 2; ++n) {
            kdr_clock clock = {.dt = 1.0 / 16};
            populate(&pop, &s, KDR_F64);
            pop.p.contacts = n ? &some : &all;
            advance(BY_INTEGRATOR, &desc, &pop.p, &clock, 40);
            free(pop.block);
        }
        cr_assert(all.count == some.count && all.count > 3000, "%zu, %zu", all.count, some.count);
        cr_expect(memcmp(whole, part, room * sizeof *whole) == 0, "room for %zu", room);
    }
}

/* The velocity on an axis that a particle does not have stays 0, not -0, even for a negative mass. */
Test(contacts, axes_that_are_not_there) {
    static const double nothing[2];
    kdr_collider ground = kdr_collider_plane((double[]){0, 0, 0}, (double[]){1, 0, 0});
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.colliders = &ground, desc.collider_count = 1;
    for (int b = KDR_BACKEND_AUTO; b <= KDR_BACKEND_LAST; ++b) { /* the first is the reference */
        double x = 0.01, v = -1, w = -1;
        kdr_contact list[1];
        kdr_contacts got = {.list = list, .capacity = 1};
        kdr_particles p = {.count = 1, .dims = 1, .real = KDR_F64, .x = {&x}, .v = {&v}, .inverse_mass = &w, .contacts = &got};
        kdr_clock clock = {.dt = 0.125};
        kdr_backend_info info = {.runnable = true};
        cr_assert(b == KDR_BACKEND_AUTO || kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        if (info.runnable) {
            desc.backend = (kdr_backend)b;
            advance(b == KDR_BACKEND_AUTO ? BY_REFERENCE : BY_INTEGRATOR, &desc, &p, &clock, 1);
            cr_expect(got.count == 1 && list[0].impulse[0] == -2, "backend %d: %g", b, list[0].impulse[0]);
            cr_expect(memcmp(&list[0].impulse[1], nothing, sizeof nothing) == 0, "backend %d", b);
        }
    }
}

/* The contact of a falling ball has the right time, position and impulse. Momentum changes only by surfaces. */
Test(contacts, physics) {
    const kdr_force weight = kdr_force_uniform_acceleration(0, 0, -10);
    kdr_collider ground = kdr_collider_plane((double[]){0, 0, 0}, (double[]){0, 0, 1});
    ground.restitution = 0.5;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.forces = &weight, desc.force_count = 1;
    desc.colliders = &ground, desc.collider_count = 1;
    double x[] = {3}, y[] = {0}, z[] = {5}, vx[] = {2}, vy[] = {0}, vz[] = {0}, w[] = {0.25};
    kdr_contact list[8];
    kdr_contacts contacts = {.list = list, .capacity = 8};
    kdr_particles ball = {
        .count = 1, .dims = 3, .real = KDR_F64, .x = {x, y, z}, .v = {vx, vy, vz}, .inverse_mass = w, .contacts = &contacts};
    kdr_clock clock = {.t0 = 7, .dt = 1.0 / 1024};
    advance(BY_INTEGRATOR, &desc, &ball, &clock, 1100);
    cr_assert(contacts.count == 1 && list[0].particle == 0 && list[0].surface == 0);
    cr_expect(close_to(list[0].time, 8, 1e-6), "%.9f", list[0].time);
    cr_expect(list[0].step == 1023 || list[0].step == 1024, "step %llu", (unsigned long long)list[0].step);
    cr_expect(close_to(list[0].x[0], 5, 1e-5) && close_to(list[0].x[2], 0, 1e-12), "%.9f %.3e", list[0].x[0], list[0].x[2]);
    cr_expect(close_to(list[0].impulse[2], 4 * 1.5 * 10, 1e-4) && list[0].impulse[0] == 0, "%.9f", list[0].impulse[2]);
    kdr_collider box = kdr_collider_box((double[]){-2, -2, -2}, (double[]){2, 2, 2}, true);
    box.friction = 0.25;
    desc.colliders = &box, desc.force_count = 0;
    static kdr_contact many[ROOM];
    contacts = (kdr_contacts){.list = many, .capacity = ROOM};
    population pop;
    const setting s = {.dims = 3, .masses = true};
    populate(&pop, &s, KDR_F64);
    pop.p.contacts = &contacts;
    double momentum[3] = {0};
    for (int n = 0; n < 2; ++n) {
        for (size_t k = 0; k < COUNT; ++k) {
            const double mass = get(pop.p.inverse_mass, KDR_F64, k);
            for (int i = 0; i < 3 && mass != 0; ++i) {
                momentum[i] += (n ? 1 : -1) * get(pop.p.v[i], KDR_F64, k) / mass;
            }
        }
        clock = (kdr_clock){.dt = 1.0 / 16};
        if (n == 0) {
            advance(BY_INTEGRATOR, &desc, &pop.p, &clock, 30);
        }
    }
    cr_assert(contacts.count > 1000 && contacts.count < ROOM);
    for (size_t n = 0; n < contacts.count; ++n) {
        bool on_face = false;
        for (int i = 0; i < 3; ++i) {
            momentum[i] -= many[n].impulse[i];
            on_face = on_face || close_to(fabs(many[n].x[i]), 2, 1e-12);
        }
        cr_expect(on_face, "contact %zu", n);
        cr_expect(many[n].time >= (double)many[n].step / 16 && many[n].time <= (double)(many[n].step + 1) / 16, "contact %zu", n);
    }
    for (int i = 0; i < 3; ++i) {
        cr_expect(close_to(momentum[i], 0, 1e-9), "%.3e on axis %d", momentum[i], i);
    }
    free(pop.block);
}

/* Compares contacts in the order of a system run. */
static int compare_by_step(const void *first, const void *second) {
    const kdr_contact *const a = first, *const b = second;
    const double left[] = {(double)a->step, (double)a->particle, a->time, (double)a->surface, a->x[0], a->x[1], a->x[2]};
    const double right[] = {(double)b->step, (double)b->particle, b->time, (double)b->surface, b->x[0], b->x[1], b->x[2]};
    for (size_t i = 0; i < sizeof left / sizeof *left; ++i) {
        if (left[i] < right[i] || right[i] < left[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

/* A user-defined function, which also accepts particles in structures. It fails in call `fails`. */
typedef struct pull {
    int calls, fails;
} pull;

static kdr_status pull_down(void *context, const kdr_particles *p, double t, void *const a[3]) {
    pull *const this = context;
    (void)t;
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            set(a[i], p->real, n, i == 1 ? -9 : 0);
        }
    }
    return ++this->calls == this->fails ? KDR_ERROR_FILE : KDR_OK;
}

static kdr_status run_system(const kdr_system_desc *desc, bool by_reference, kdr_particles *p, kdr_clock *clock, uint64_t steps) {
    kdr_error error;
    return (by_reference ? kdr_reference_system_run : run_with)(desc, p, clock, steps, &error);
}

/* A system run has the contacts of a field run, step by step, if the forces are constant. In other fields a field run repeats steps that
 * it has cut. */
Test(contacts, system_runs_have_those_of_field_runs) {
    static kdr_contact first[ROOM], second[ROOM];
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_SEMI_IMPLICIT_EULER, KDR_RK4, KDR_BORIS};
    const kdr_force forces[] = {kdr_force_uniform_acceleration(0, -9, 1), kdr_force_uniform_acceleration(0.5, 0, 0)};
    const size_t rooms[] = {ROOM, 150, 1, 0};
    for (size_t n = 0; n < 16; ++n) {
        const setting s = {.dims = 2 + (int)(n % 2),
                           .surfaces = 2,
                           .masses = n % 3 == 0,
                           .marks = n % 4 == 1,
                           .structures = n % 5 == 2,
                           .room = rooms[n / 4]};
        kdr_collider surfaces[3];
        kdr_system_desc desc = kdr_system_desc_default();
        kdr_integrator_desc single = kdr_integrator_desc_default();
        single.method = desc.method = methods[n % 4];
        single.real = desc.real = (kdr_real)(n / 2 % 2);
        single.forces = desc.forces = forces, single.force_count = desc.force_count = 2;
        single.colliders = desc.colliders = surfaces, single.collider_count = desc.collider_count = surfaces_of(&s, surfaces);
        population pop;
        kdr_contacts expected = {.list = first, .capacity = ROOM};
        kdr_clock clock = {.t0 = 0.25, .dt = 1.0 / 32, .step = 3};
        populate(&pop, &s, desc.real);
        pop.p.contacts = &expected;
        advance(BY_INTEGRATOR, &single, &pop.p, &clock, 20);
        free(pop.block);
        cr_assert(expected.count > 100 && expected.count < ROOM);
        qsort(first, expected.count, sizeof *first, compare_by_step);
        expected.capacity = s.room;
        for (int runner = 0; runner < 7; ++runner) { /* the reference, and three executors, which blocks have too */
            kdr_contacts got = {.list = second, .capacity = s.room};
            kdr_executor executors[MAX_EXECUTORS + 2] = {kdr_executor_serial(), kdr_executor_serial()};
            const size_t count = 2 + list_executors(executors + 2);
            desc.executor = executors[(size_t)runner % 4 < count ? (size_t)runner % 4 : 0];
            clock = (kdr_clock){.t0 = 0.25, .dt = 1.0 / 32, .step = 3};
            populate(&pop, &s, desc.real);
            pop.p.contacts = &got;
            for (int steps = 9; steps <= 11; steps += 2) {
                kdr_error error;
                cr_assert((runner == 0  ? kdr_reference_system_run
                           : runner < 4 ? run_with
                                        : run_in_blocks_with)(&desc, &pop.p, &clock, (uint64_t)steps, &error) == KDR_OK);
            }
            free(pop.block);
            expect_list(&expected, &got, kdr_method_get(desc.method)->name);
        }
    }
}

static const setting fall = {.dims = 3, .surfaces = 2};

static kdr_system_desc describe_fall(pull *function, kdr_collider surfaces[3]) {
    kdr_system_desc desc = kdr_system_desc_default();
    desc.accelerations = pull_down, desc.context = function;
    desc.colliders = surfaces, desc.collider_count = surfaces_of(&fall, surfaces);
    return desc;
}

/* Walls cause one more evaluation after the step. If it fails, the step and its contacts do not count. */
Test(contacts, of_a_step_that_fails) {
    static kdr_contact first[ROOM], second[ROOM];
    pull function = {0, 0};
    kdr_collider surfaces[3];
    const kdr_system_desc desc = describe_fall(&function, surfaces);
    for (size_t n = 0; n < 60; ++n) {
        kdr_contacts expected = {.list = first}, got = {.list = second};
        expected.capacity = got.capacity = n % 3 == 0 ? ROOM : n % 3 == 1 ? 200 : 40;
        kdr_clock clock = {.dt = 1.0 / 32}, end = clock;
        population pop;
        populate(&pop, &fall, KDR_F64);
        pop.p.contacts = &got;
        function = (pull){0, 5 + (int)n / 2};
        cr_assert(run_system(&desc, n % 2 == 0, &pop.p, &clock, 100) == KDR_ERROR_FILE);
        free(pop.block);
        populate(&pop, &fall, KDR_F64);
        pop.p.contacts = &expected;
        function = (pull){0, 0};
        cr_assert(run_system(&desc, true, &pop.p, &end, clock.step) == KDR_OK);
        free(pop.block);
        cr_assert(clock.step > 0 && clock.step < 100);
        expect_list(&expected, &got, n % 2 == 0 ? "reference" : "kernels");
    }
}

/* If a block fails, no contact of the run is recorded. */
Test(contacts, of_blocks_that_fail) {
    static kdr_contact list[ROOM];
    pull function = {0, 0};
    kdr_collider surfaces[3];
    const kdr_system_desc desc = describe_fall(&function, surfaces);
    kdr_contacts got = {.list = list, .capacity = ROOM};
    kdr_clock clock = {.dt = 1.0 / 32};
    population pop;
    kdr_error error;
    populate(&pop, &fall, KDR_F64);
    pop.p.contacts = &got;
    cr_assert(run_in_blocks_with(&desc, &pop.p, &clock, 20, &error) == KDR_OK && got.count > 20);
    const size_t count = got.count;
    const kdr_contact last = list[count - 1];
    function = (pull){0, 15};
    cr_expect(run_in_blocks_with(&desc, &pop.p, &clock, 20, &error) == KDR_ERROR_FILE && got.count == count);
    cr_expect(memcmp(&last, &list[count - 1], sizeof last) == 0);
    free(pop.block);
}

Test(contacts, wrong_lists) {
    kdr_contacts contacts = {.list = NULL, .capacity = 3};
    kdr_particles p = make_particles(4, 3, KDR_F64, false, false);
    p.contacts = &contacts;
    kdr_error error;
    cr_expect(kdr_particles_check(&p, &error) == KDR_ERROR_NULL && strstr(error.message, "list of 3 contacts"), "%s", error.message);
    contacts.capacity = 0;
    cr_expect(kdr_particles_check(&p, &error) == KDR_OK);
    cr_expect(kdr_particles_slice(&p, 0, 2).contacts == NULL);
    kdr_particles_destroy(&p);
}
