/* Every array of particles, and every parameter with one value per particle, in user-defined structures or blocks: the bits are those of
 * contiguous arrays, and nothing else of the structures is written. */
#include "support.h"

enum {
    COUNT = 1100,
    SLOTS = 33,
    RADII = 32,
    STRIDE = SLOTS * 8 + 4,
    BYTES = COUNT * STRIDE + 4096,
    BLOCK_OF = 8,
    KINDS = 4,
    GARBAGE = 170
};

/* A subject: contiguous arrays; a structure per particle, with members at odd addresses; blocks; a slice of blocks, which begins within
 * one. */
typedef struct subject {
    kdr_particles p;
    kdr_force force[2];
    unsigned char *memory;
    int kind;
} subject;

static kdr_layout layout_of(int kind, size_t size) {
    if (kind == 0) {
        return (kdr_layout){0, 0, 0, 0};
    }
    return kind == 1 ? (kdr_layout){.stride = STRIDE}
                     : (kdr_layout){.stride = size, .block = BLOCK_OF, .block_stride = SLOTS * BLOCK_OF * 8, .skip = kind == 3 ? 5 : 0};
}

static void *slot(subject *s, int n) {
    return s->memory + (s->kind == 0 ? (size_t)n * COUNT * 8 : (size_t)(s->kind == 1 ? 8 * n + 3 : n * BLOCK_OF * 8));
}

static unsigned char *element(const void *array, const kdr_layout *l, size_t size, size_t i) {
    const size_t stride = l->stride ? l->stride : size, j = l->skip + i;
    return (unsigned char *)(uintptr_t)array + (l->block ? j / l->block * l->block_stride + j % l->block * stride : i * stride);
}

/* The arrays of a subject in a fixed order; NULL if it has none. */
typedef struct row {
    const void *array;
    const kdr_layout *layout;
    size_t size;
} row;

static int list_rows(const subject *s, row list[SLOTS]) {
    const kdr_particles *const p = &s->p;
    const size_t real = kdr_real_size(p->real);
    int n = 0;
    for (int i = 0; i < 3; ++i) {
        list[n++] = (row){p->x[i], &p->x_layout, real};
        list[n++] = (row){p->v[i], &p->v_layout, real};
        list[n++] = (row){p->memory[i], &p->memory_layout, real};
        list[n++] = (row){p->compensation[i], &p->compensation_layout, real};
        list[n++] = (row){p->compensation[3 + i], &p->compensation_layout, real};
        list[n++] = (row){s->force[0].as.spring.at_each[i], &s->force[0].each_layout, real};
    }
    list[n++] = (row){p->inverse_mass, &p->inverse_mass_layout, real};
    list[n++] = (row){p->error, &p->error_layout, real};
    list[n++] = (row){s->force[0].as.spring.k_each, &s->force[0].each_layout, real};
    list[n++] = (row){s->force[1].as.drag.b_each, &s->force[1].each_layout, real};
    list[n++] = (row){p->dissipated_energy[0], &p->dissipated_energy_layout, 8};
    list[n++] = (row){p->dissipated_energy[1], &p->dissipated_energy_layout, 8};
    list[n++] = (row){p->id, &p->id_layout, 8};
    list[n++] = (row){p->bounces, &p->bounces_layout, 4};
    list[n++] = (row){p->nonconverged, &p->nonconverged_layout, 4};
    list[n++] = (row){p->active, &p->active_layout, 1};
    list[n++] = (row){p->level, &p->level_layout, 1};
    for (int i = 0; i < 3; ++i) {
        list[n++] = (row){p->images[i], &p->images_layout, 4};
    }
    list[n++] = (row){p->radius, &p->radius_layout, real};
    return n;
}

typedef struct wish {
    kdr_method method;
    bool kept, compensated, error, marks, levels, masses;
} wish;

static void place(subject *s, int kind, kdr_real real, const wish *w) {
    const size_t size = kdr_real_size(real);
    s->kind = kind;
    s->memory = malloc(BYTES);
    cr_assert(s->memory);
    memset(s->memory, GARBAGE, BYTES);
    kdr_particles p = kdr_particles_default();
    p.count = COUNT, p.real = real;
    s->force[0] = kdr_force_spring(1, 0, 0, 0);
    s->force[1] = kdr_force_drag(1, 0.25, 0, 0);
    int n = 0;
    for (int i = 0; i < 3; ++i) {
        p.x[i] = slot(s, n++);
        p.v[i] = slot(s, n++);
        p.memory[i] = w->kept ? slot(s, n) : NULL, ++n;
        p.compensation[i] = w->compensated ? slot(s, n) : NULL, ++n;
        p.compensation[3 + i] = w->compensated ? slot(s, n) : NULL, ++n;
        s->force[0].as.spring.at_each[i] = slot(s, n++);
    }
    p.inverse_mass = w->masses ? slot(s, n) : NULL, ++n;
    p.error = w->error ? slot(s, n) : NULL, ++n;
    s->force[0].as.spring.k_each = slot(s, n++);
    s->force[1].as.drag.b_each = slot(s, n++);
    s->force[0].as.spring.count = s->force[1].as.drag.count = COUNT;
    p.dissipated_energy[0] = slot(s, n++), p.dissipated_energy[1] = slot(s, n++);
    p.id = slot(s, n++), p.bounces = slot(s, n++), p.nonconverged = slot(s, n++);
    p.active = w->marks ? slot(s, n) : NULL, ++n, p.active_count = COUNT;
    p.level = w->levels ? slot(s, n) : NULL, ++n, p.level_count = COUNT;
    for (int i = 0; i < 3; ++i) {
        p.images[i] = slot(s, n++);
    }
    p.radius = slot(s, n++);
    cr_assert(n <= SLOTS);
    p.x_layout = p.v_layout = p.memory_layout = p.compensation_layout = p.inverse_mass_layout = p.error_layout = p.radius_layout =
        layout_of(kind, size);
    s->force[0].each_layout = s->force[1].each_layout = p.x_layout;
    p.dissipated_energy_layout = p.id_layout = layout_of(kind, 8);
    p.bounces_layout = p.nonconverged_layout = p.images_layout = layout_of(kind, 4);
    p.active_layout = p.level_layout = layout_of(kind, 1);
    s->p = p;
}

/* Fills a subject. All kinds get the same values, element by element. */
static void fill(subject *s) {
    row rows[SLOTS];
    const int count = list_rows(s, rows);
    uint64_t seed = 77;
    for (int n = 0; n < count; ++n) {
        for (size_t i = 0; i < COUNT; ++i) {
            const double value = random_in(&seed, -1, 1);
            const uint64_t bits = random_bits(&seed);
            if (!rows[n].array) {
                continue;
            }
            unsigned char *const at = element(rows[n].array, rows[n].layout, rows[n].size, i);
            const bool is_real = n < 22 || n == RADII, is_sum = n == 22 || n == 23, is_mark = rows[n].size == 1;
            const float narrow = (float)(n < 18                      ? value
                                         : n == RADII                ? 0.0625 * (value + 1)
                                         : n == 19                   ? 0
                                         : n == 18 && bits % 11 == 0 ? 0
                                                                     : value + 1.5);
            const double wide = is_sum ? 0 : (double)narrow;
            const uint32_t counter = 0;
            const uint8_t mark = (uint8_t)(n == 27 ? bits % 4 != 0 : bits % 3);
            memcpy(at,
                   is_mark             ? (const void *)&mark
                   : rows[n].size == 4 ? (is_real ? (const void *)&narrow : (const void *)&counter)
                   : is_real || is_sum ? (const void *)&wide
                                       : (const void *)&bits,
                   rows[n].size);
        }
    }
}

static void expect_rows(const subject *expected, const subject *got, const char *who) {
    row a[SLOTS], b[SLOTS];
    const int count = list_rows(expected, a);
    static unsigned char touched[BYTES];
    memset(touched, 0, sizeof touched);
    list_rows(got, b);
    for (int n = 0; n < count; ++n) {
        for (size_t i = 0; i < COUNT && b[n].array; ++i) {
            const unsigned char *const want = element(a[n].array, a[n].layout, a[n].size, i), *const at = element(b[n].array, b[n].layout,
                                                                                                                  b[n].size, i);
            cr_assert(memcmp(want, at, a[n].size) == 0, "%s, kind %d: array %d, particle %zu", who, got->kind, n, i);
            memset(touched + (at - got->memory), 1, a[n].size);
        }
    }
    for (size_t i = 0; i < BYTES; ++i) {
        cr_assert(touched[i] || got->memory[i] == GARBAGE, "%s, kind %d: byte %zu is none of the particles'", who, got->kind, i);
    }
}

static void run(subject *s, kdr_integrator_desc *desc, int runner) {
    desc->forces = s->force;
    kdr_clock clock = {.t0 = 0.5, .dt = 1.0 / 32, .step = 2};
    advance(runner, desc, &s->p, &clock, 5);
    advance(runner, desc, &s->p, &clock, 4); /* continues from the memory */
}

static void expect_wish(const wish *w, kdr_real real, kdr_arithmetic arithmetic) {
    kdr_collider ground = kdr_collider_plane((double[]){0, 0, -0.5}, (double[]){0, 0, 1});
    ground.restitution = 0.5, ground.sliding = 0.25;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = w->method, desc.real = real, desc.arithmetic = arithmetic, desc.compensated = w->compensated;
    desc.force_count = w->method == KDR_BAOAB ? 1 : 2;
    desc.colliders = &ground, desc.collider_count = 1;
    desc.boundary = (kdr_boundary){.kind = KDR_BOUNDARY_PERIODIC, .min = {-0.9, -0.8, -0.9}, .max = {0.9, 0.95, 0.9}};
    desc.langevin = w->method == KDR_BAOAB ? (kdr_langevin){.friction = 1, .temperature = 0.5, .seed = 3} : desc.langevin;
    subject expected;
    place(&expected, 0, real, w);
    fill(&expected);
    run(&expected, &desc, BY_REFERENCE);
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int b = KDR_BACKEND_AUTO; b <= KDR_BACKEND_LAST; ++b) { /* the first is the reference */
            kdr_backend_info info = {.name = "reference", .runnable = true};
            cr_assert(b == KDR_BACKEND_AUTO || kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
            if (!info.runnable) {
                continue;
            }
            subject got;
            place(&got, kind, real, w);
            fill(&got);
            desc.backend = (kdr_backend)b;
            run(&got, &desc, b == KDR_BACKEND_AUTO ? BY_REFERENCE : BY_INTEGRATOR);
            expect_rows(&expected, &got, info.name);
            free(got.memory);
        }
    }
    free(expected.memory);
}

Test(layouts_whole, as_plain_arrays) {
    static const wish wishes[] = {
        {.method = KDR_VELOCITY_VERLET, .kept = true, .compensated = true},
        {.method = KDR_VELOCITY_VERLET, .kept = true, .masses = true, .marks = true, .levels = true},
        {.method = KDR_BAOAB, .masses = true},
        {.method = KDR_BAOAB, .levels = true},
        {.method = KDR_DOPRI_5, .error = true, .marks = true},
        {.method = KDR_IMPLICIT_MIDPOINT, .masses = true},
        {.method = KDR_SEMI_IMPLICIT_EULER, .compensated = true, .levels = true},
    };
    for (size_t n = 0; n < sizeof wishes / sizeof *wishes; ++n) {
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            expect_wish(&wishes[n], (kdr_real)real, (kdr_arithmetic)((n + (size_t)real) % 2));
        }
    }
}

/* Sets accelerations for particles on any layout. */
static kdr_status fall(void *context, const kdr_particles *p, double t, void *const a[3]) {
    (void)context, (void)t;
    for (int i = 0; i < p->dims; ++i) {
        for (size_t n = 0; n < p->count; ++n) {
            double x[1]; /* may also be floats */
            memcpy(x, element(p->x[i], &p->x_layout, kdr_real_size(p->real), n), kdr_real_size(p->real));
            set(a[i], p->real, n, -0.5 * get(x, p->real, 0));
        }
    }
    return KDR_OK;
}

enum { BY_SYSTEM_REFERENCE, BY_SYSTEM, BY_BLOCKS };

static void run_system(subject *s, kdr_system_desc *desc, int runner) {
    kdr_system *system = NULL;
    kdr_workspace workspace = {0};
    kdr_error error;
    kdr_clock clock = {.t0 = 0.5, .dt = 1.0 / 32, .step = 2};
    desc->forces = s->force;
    cr_assert(kdr_system_create(desc, &system, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_workspace_create(system, COUNT, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
    for (uint64_t steps = 5; steps > 3; --steps) { /* continues from the memory */
        const kdr_status status = runner == BY_SYSTEM_REFERENCE ? kdr_reference_system_run(desc, &s->p, &clock, steps, &error)
                                  : runner == BY_SYSTEM         ? kdr_system_run(system, &s->p, &clock, steps, &workspace, &error)
                                                                : kdr_system_run_blocks(system, &s->p, &clock, steps, &error);
        cr_assert(status == KDR_OK, "%s", error.message);
    }
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
}

/* `boundary` 0: neither a boundary nor walls. */
static void expect_system(const wish *w, kdr_real real, kdr_boundary_kind boundary) {
    kdr_collider ground = kdr_collider_plane((double[]){0, 0, -0.5}, (double[]){0, 0, 1});
    ground.restitution = 0.5;
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = w->method, desc.real = real, desc.compensated = w->compensated, desc.levels = w->levels;
    desc.arithmetic = (kdr_arithmetic)(w->marks ^ (real == KDR_F32));
    const bool drags = kdr_method_get(w->method)->velocity_forces == KDR_VELOCITY_ANY && boundary == KDR_BOUNDARY_NONE;
    desc.force_count = drags ? 2 : 1; /* after a wall, blocks do not evaluate the drag again */
    desc.accelerations = w->method == KDR_IMPLICIT_MIDPOINT ? NULL : fall;
    desc.colliders = &ground, desc.collider_count = boundary != KDR_BOUNDARY_NONE;
    desc.boundary = (kdr_boundary){.kind = boundary, .min = {-0.9, -0.8, -0.9}, .max = {0.9, 0.95, 0.9}};
    desc.langevin = w->method == KDR_BAOAB ? (kdr_langevin){.friction = 1, .temperature = 0.5, .seed = 3} : desc.langevin;
    subject expected;
    place(&expected, 0, real, w);
    fill(&expected);
    run_system(&expected, &desc, BY_SYSTEM_REFERENCE);
    for (int n = 0; n < KINDS * (KDR_BACKEND_LAST + 1); ++n) {
        const int kind = n % KINDS, b = n / KINDS;
        kdr_backend_info info = {.name = "reference", .runnable = true};
        cr_assert(b == KDR_BACKEND_AUTO || kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        desc.backend = (kdr_backend)b;
        for (int runner = b == KDR_BACKEND_AUTO ? BY_SYSTEM_REFERENCE : BY_SYSTEM; info.runnable && runner <= BY_BLOCKS; ++runner) {
            const bool skipped = (runner != BY_SYSTEM_REFERENCE) == (b == KDR_BACKEND_AUTO);
            if (skipped || (runner == BY_BLOCKS && (w->levels || w->method == KDR_IMPLICIT_MIDPOINT))) {
                continue;
            }
            subject got;
            place(&got, kind, real, w);
            fill(&got);
            run_system(&got, &desc, runner);
            expect_rows(&expected, &got, info.name);
            free(got.memory);
        }
    }
    free(expected.memory);
}

Test(layouts_whole, system_runs_as_plain_arrays) {
    static const wish wishes[] = {
        {.method = KDR_VELOCITY_VERLET, .kept = true, .compensated = true, .marks = true},
        {.method = KDR_VELOCITY_VERLET, .kept = true, .masses = true},
        {.method = KDR_VELOCITY_VERLET, .kept = true, .masses = true, .marks = true, .levels = true},
        {.method = KDR_BAOAB, .masses = true},
        {.method = KDR_RK4, .compensated = true, .kept = true},
        {.method = KDR_BORIS, .marks = true},
        {.method = KDR_IMPLICIT_MIDPOINT, .masses = true},
    };
    for (size_t n = 0; n < sizeof wishes / sizeof *wishes; ++n) {
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            expect_system(&wishes[n], (kdr_real)real, KDR_BOUNDARY_NONE);
            if (!wishes[n].levels) {
                expect_system(&wishes[n], (kdr_real)real, KDR_BOUNDARY_PERIODIC);
                expect_system(&wishes[n], (kdr_real)real, KDR_BOUNDARY_ABSORBING);
            }
        }
    }
}

/* Passes leave out inactive particles, on any layout. */
Test(layouts_whole, passes) {
    const wish w = {.method = KDR_VELOCITY_VERLET, .masses = true, .marks = true};
    kdr_pass_options options;
    kdr_error error;
    subject expected;
    cr_assert(kdr_pass_options_init(KDR_FUSED, KDR_BACKEND_AUTO, kdr_executor_serial(), &options, &error) == KDR_OK);
    for (int kind = 0; kind < KINDS; ++kind) {
        subject got;
        subject *const s = kind == 0 ? &expected : &got;
        place(s, kind, KDR_F64, &w);
        fill(s);
        cr_assert(kdr_drift(&s->p, 0.125, &options, &error) == KDR_OK, "%s", error.message);
        expect_rows(&expected, s, "drift");
        if (kind > 0) {
            free(got.memory);
        }
    }
    free(expected.memory);
}

/* The observables of a view do not depend on its layout either. */
Test(layouts_whole, observed) {
    const wish w = {.method = KDR_VELOCITY_VERLET, .masses = true};
    kdr_observables plain, apart;
    kdr_error error;
    for (int kind = 0; kind < KINDS; ++kind) {
        subject s;
        place(&s, kind, KDR_F64, &w);
        fill(&s);
        for (size_t i = 0; i < COUNT; ++i) {
            const double taken = (double)i / 7;
            memcpy(element(s.p.dissipated_energy[1], &s.p.dissipated_energy_layout, 8, i), &taken, sizeof taken);
        }
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.forces = s.force, desc.force_count = 2;
        kdr_integrator *integrator;
        kdr_clock clock = {.dt = 0.125};
        cr_assert(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_observe(integrator, &s.p, &clock, kind ? &apart : &plain, &error) == KDR_OK, "%s", error.message);
        cr_expect(kind == 0 || memcmp(&plain, &apart, sizeof plain) == 0, "kind %d", kind);
        cr_expect(plain.dissipated_energy[1] > 0 && plain.potential > 0);
        kdr_integrator_destroy(integrator);
        free(s.memory);
    }
}

Test(layouts_whole, refusals) {
    kdr_particles p = make_particles(16, 3, KDR_F64, false, false);
    uint8_t marks[64] = {0};
    kdr_error error;
    p.active = marks, p.active_count = 16;
    p.active_layout.stride = 4;
    cr_expect(kdr_particles_check(&p, &error) == KDR_OK, "%s", error.message);
    p.active_layout = (kdr_layout){.stride = 1, .block = 4, .block_stride = 3};
    cr_expect(kdr_particles_check(&p, &error) == KDR_ERROR_ARGUMENT && strstr(error.message, "active"), "%s", error.message);
    kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.forces = &spring, desc.force_count = 1;
    kdr_integrator *integrator;
    static const kdr_layout wrong[] = {{.stride = 7}, {.block = 4, .block_stride = 31}, {.block = 4, .block_stride = 32, .skip = 4}};
    for (size_t i = 0; i < 3; ++i) {
        spring.each_layout = wrong[i];
        cr_expect(kdr_integrator_create(&desc, &integrator, &error) == KDR_ERROR_ARGUMENT && strstr(error.message, "forces[0].each_layout"),
                  "%s", error.message);
    }
    kdr_particles_destroy(&p);
}
