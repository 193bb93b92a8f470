/* Makes every description of the library from bytes: it is refused with a text, or it runs. A pointer is valid, unless it is NULL. */
#include "input.h"

#include <kickdrift/kickdrift.h>

#include <stdlib.h>

enum { COUNT = 5, MOST = 4 };

typedef struct things {
    kdr_force forces[MOST];
    kdr_collider colliders[MOST];
    kdr_constraint constraints[MOST];
    kdr_pair_spring springs[MOST];
    kdr_interaction interactions[MOST];
    kdr_distance distances[MOST];
    kdr_tableau tableau;
    kdr_fractions fractions;
    kdr_substeps substeps;
    double each[3][COUNT];
    uint8_t active[COUNT], level[COUNT];
} things;

static const void *maybe(input *in, const void *there) { return input_byte(in) % 8 == 0 ? NULL : there; }

static void fill_numbers(input *in, double *numbers, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = input_number(in);
    }
}

static void draw_force(input *in, things *t, kdr_force *f) {
    memset(f, 0, sizeof *f);
    f->kind = (kdr_force_kind)input_below(in, KDR_FORCE_KIND_ALL + 1);
    f->contribution = (kdr_contribution)(input_byte(in) % 32 ? 0 : input_byte(in));
    const size_t count = input_byte(in) % 16 ? COUNT : input_byte(in);
    if (f->kind == KDR_CUSTOM_FIELD) {
        f->as.custom.field = maybe(in, kdr_field_get((int)input_below(in, 10)));
        fill_numbers(in, f->as.custom.parameter, KDR_MAX_PARAMETERS);
        f->as.custom.each[input_below(in, KDR_MAX_PARAMETERS)] = input_byte(in) % 4 ? NULL : t->each[0];
        f->as.custom.count = count;
    } else {
        fill_numbers(in, f->as.spring.k, 6); /* the numbers of every other kind are at this place too */
    }
    if (f->kind == KDR_SPRING) {
        f->as.spring.k_each = input_byte(in) % 4 ? NULL : t->each[0];
        for (int i = 0; i < 3 && input_byte(in) % 4 == 0; ++i) {
            f->as.spring.at_each[i] = t->each[i];
        }
        f->as.spring.count = count;
    } else if (f->kind == KDR_DRAG) {
        f->as.drag.b_each = input_byte(in) % 4 ? NULL : t->each[0];
        f->as.drag.count = count;
    }
}

static void draw_walls(input *in, things *t) {
    for (int i = 0; i < MOST; ++i) {
        memset(&t->colliders[i], 0, sizeof t->colliders[i]);
        memset(&t->constraints[i], 0, sizeof t->constraints[i]);
        const double numbers[] = {input_number(in), input_number(in), input_number(in),
                                  input_number(in), input_number(in), input_number(in)};
        const uint8_t kind = input_byte(in);
        t->colliders[i] = kind % 3 == 0   ? kdr_collider_plane(numbers, numbers + 3)
                          : kind % 3 == 1 ? kdr_collider_sphere(numbers, numbers[3], kind & 4)
                                          : kdr_collider_box(numbers, numbers + 3, kind & 4);
        t->constraints[i] = kind % 2 ? kdr_constraint_plane(numbers, numbers + 3) : kdr_constraint_rod(numbers, numbers[3]);
        t->colliders[i].kind = (kdr_collider_kind)(kind < 240 ? (int)t->colliders[i].kind : kind);
        t->constraints[i].kind = (kdr_constraint_kind)(kind < 240 ? (int)t->constraints[i].kind : kind);
        t->colliders[i].restitution = input_number(in);
        t->colliders[i].friction = input_number(in);
        t->colliders[i].sliding = input_number(in);
    }
}

static void draw_rows(input *in, things *t) {
    memset(&t->tableau, 0, sizeof t->tableau);
    t->tableau.stages = (int)(int8_t)input_byte(in);
    fill_numbers(in, &t->tableau.a[1][0], 1);
    fill_numbers(in, t->tableau.b, 3);
    fill_numbers(in, t->tableau.c, 3);
    memset(&t->fractions, 0, sizeof t->fractions);
    t->fractions.count = (int)(int8_t)input_byte(in);
    fill_numbers(in, t->fractions.kick, 3);
    fill_numbers(in, t->fractions.drift, 3);
    memset(&t->substeps, 0, sizeof t->substeps);
    t->substeps.count = (int)(int8_t)input_byte(in);
    fill_numbers(in, t->substeps.fraction, 3);
}

static void draw_pairs(input *in, things *t) {
    for (int i = 0; i < MOST; ++i) {
        t->springs[i] = (kdr_pair_spring){.a = input_byte(in) % 8, .b = input_byte(in) % 8, .k = input_number(in)};
        t->springs[i].length = input_number(in), t->springs[i].damping = input_number(in);
        t->springs[i].contribution = (kdr_contribution)(input_byte(in) % 16);
        t->distances[i] = (kdr_distance){input_byte(in) % 8, input_byte(in) % 8, input_number(in)};
        const uint8_t kind = input_byte(in);
        t->interactions[i] = kind % 2 ? kdr_interaction_gravity(maybe(in, t->each[0]), input_byte(in) % 8, input_number(in))
                                      : kdr_interaction_spring_network(maybe(in, t->springs), input_below(in, MOST + 1));
        t->interactions[i].kind = (kdr_interaction_kind)(kind < 240 ? (int)t->interactions[i].kind : kind);
    }
}

static void draw_things(input *in, things *t) {
    for (int i = 0; i < 3; ++i) {
        fill_numbers(in, t->each[i], COUNT);
    }
    for (int i = 0; i < MOST; ++i) {
        draw_force(in, t, &t->forces[i]);
    }
    draw_walls(in, t);
    draw_rows(in, t);
    draw_pairs(in, t);
    for (int i = 0; i < COUNT; ++i) {
        t->active[i] = input_byte(in);
        t->level[i] = input_byte(in) % 3; /* 2^level substeps, which are few */
    }
}

static size_t draw_size(input *in, size_t size) { return input_byte(in) % 16 ? size : input_byte(in); }

static int draw_enumerator(input *in, int count) {
    const uint8_t byte = input_byte(in);
    return byte < 250 ? byte % count : (int8_t)byte;
}

static kdr_boundary draw_boundary(input *in) {
    kdr_boundary b = {.kind = (kdr_boundary_kind)(input_byte(in) % 3 ? 0 : draw_enumerator(in, KDR_BOUNDARY_KIND_COUNT))};
    fill_numbers(in, b.min, 3);
    fill_numbers(in, b.max, 3);
    return b;
}

static kdr_langevin draw_bath(input *in) {
    return input_byte(in) % 4 ? (kdr_langevin){0, 0, 0} : (kdr_langevin){input_number(in), input_number(in), input_byte(in)};
}

/* Memory for one view of particles. */
typedef struct room {
    double x[9][COUNT], compensation[6][COUNT], error[COUNT], dissipated_energy[2][COUNT];
    uint32_t counts[2][COUNT];
    int32_t images[3][COUNT];
    uint64_t id[COUNT];
} room;

static kdr_particles draw_particles(input *in, things *t, room *r, kdr_real real) {
    kdr_particles p = kdr_particles_default();
    memset(r, 0, sizeof *r);
    p.count = COUNT, p.real = real, p.dims = draw_enumerator(in, 3) + 1;
    const uint8_t flags = input_byte(in), more = input_byte(in);
    for (int i = 0; i < 3; ++i) {
        fill_numbers(in, r->x[i], COUNT);
        p.x[i] = r->x[i], p.v[i] = r->x[3 + i];
        p.memory[i] = flags & 1 ? r->x[6 + i] : NULL;
        p.images[i] = flags & 2 ? r->images[i] : NULL;
    }
    for (int i = 0; i < 6 && flags & 4; ++i) {
        p.compensation[i] = r->compensation[i];
    }
    p.inverse_mass = flags & 8 ? t->each[1] : NULL;
    p.id = flags & 16 ? r->id : NULL;
    p.bounces = flags & 32 ? r->counts[0] : NULL;
    p.nonconverged = flags & 64 ? r->counts[1] : NULL;
    p.active = flags & 128 ? t->active : NULL;
    p.level = more & 1 ? t->level : NULL;
    p.active_count = p.level_count = more & 2 ? COUNT : input_byte(in);
    p.error = more & 4 ? r->error : NULL;
    p.dissipated_energy[0] = more & 8 ? r->dissipated_energy[0] : NULL;
    p.dissipated_energy[1] = more & 16 ? r->dissipated_energy[1] : NULL;
    p.radius = more & 64 ? t->each[0] : NULL;
    p.x_layout.stride = more & 32 ? input_byte(in) % 16 : 0; /* at most the size of an element, because the room ends */
    return p;
}

static kdr_clock draw_clock(input *in) {
    kdr_clock clock = {input_number(in), input_number(in), input_byte(in)};
    clock.step = input_byte(in) % 8 ? clock.step : UINT64_MAX - clock.step;
    return clock;
}

/* Checks that a failure has a text, and a status of the list. */
static void expect_text(kdr_status status, const kdr_error *error) {
    if (status != KDR_OK && (error->status != status || !error->message[0] || strlen(error->message) >= sizeof error->message)) {
        abort();
    }
}

static void try_integrator(input *in, things *t) {
    kdr_integrator_desc d = kdr_integrator_desc_default();
    const uint8_t flags = input_byte(in);
    d.size = draw_size(in, d.size);
    d.method = (kdr_method)draw_enumerator(in, KDR_METHOD_COUNT);
    d.real = (kdr_real)draw_enumerator(in, KDR_REAL_COUNT);
    d.arithmetic = (kdr_arithmetic)draw_enumerator(in, KDR_ARITHMETIC_COUNT);
    d.backend = (kdr_backend)draw_enumerator(in, KDR_BACKEND_LAST + 1);
    d.forces = maybe(in, t->forces), d.force_count = input_below(in, MOST + 1);
    d.tableau = flags & 3 ? NULL : &t->tableau;
    d.fractions = flags & 12 ? NULL : &t->fractions;
    d.substeps = flags & 48 ? NULL : &t->substeps;
    d.compensated = flags & 64, d.flush_small_to_zero = flags & 128;
    d.langevin = draw_bath(in);
    d.colliders = maybe(in, t->colliders), d.collider_count = input_byte(in) % 2 ? 0 : input_below(in, MOST + 1);
    d.constraints = maybe(in, t->constraints), d.constraint_count = input_byte(in) % 2 ? 0 : input_below(in, MOST + 1);
    d.boundary = draw_boundary(in);
    d.compose = (kdr_composition)(input_byte(in) % 2 ? 0 : draw_enumerator(in, KDR_COMPOSITION_COUNT));
    d.dt = input_byte(in) % 2 ? 0 : input_number(in);
    kdr_integrator *integrator = NULL;
    kdr_error error = {KDR_OK, ""};
    expect_text(kdr_integrator_create(&d, &integrator, &error), &error);
    room r;
    kdr_particles p = draw_particles(in, t, &r, d.real);
    kdr_clock clock = draw_clock(in);
    kdr_observables seen;
    expect_text(kdr_integrator_run(integrator, &p, &clock, input_below(in, 3), &error), &error);
    expect_text(kdr_observe(integrator, &p, &clock, &seen, &error), &error);
    kdr_integrator_destroy(integrator);
    p = draw_particles(in, t, &r, d.real);
    d.backend = KDR_BACKEND_AUTO;
    expect_text(kdr_reference_run(&d, &p, &clock, 1, &error), &error);
}

static kdr_status pull(void *context, const kdr_particles *p, double time, void *const a[3]) {
    (void)context, (void)time;
    for (int i = 0; i < 3; ++i) { /* a magnetic field in a plane has only the third axis */
        if (a[i]) {
            memset(a[i], 0, p->count * kdr_real_size(p->real));
        }
    }
    return KDR_OK;
}

static void try_system(input *in, things *t) {
    kdr_system_desc d = kdr_system_desc_default();
    const uint8_t flags = input_byte(in);
    d.size = draw_size(in, d.size);
    d.method = (kdr_method)draw_enumerator(in, KDR_METHOD_COUNT);
    d.real = (kdr_real)draw_enumerator(in, KDR_REAL_COUNT);
    d.arithmetic = (kdr_arithmetic)draw_enumerator(in, KDR_ARITHMETIC_COUNT);
    d.tableau = flags & 3 ? NULL : &t->tableau;
    d.fractions = flags & 12 ? NULL : &t->fractions;
    d.substeps = flags & 48 ? NULL : &t->substeps;
    d.accelerations = flags & 64 ? pull : NULL, d.magnetic = flags & 128 ? pull : NULL;
    const uint8_t more = input_byte(in);
    d.levels = more & 1, d.velocity_dependent = more & 2, d.compensated = more & 4, d.flush_small_to_zero = more & 8;
    d.forces = maybe(in, t->forces), d.force_count = input_byte(in) % 2 ? 0 : input_below(in, MOST + 1);
    d.interactions = maybe(in, t->interactions), d.interaction_count = input_byte(in) % 2 ? 0 : input_below(in, MOST + 1);
    d.distances = maybe(in, t->distances), d.distance_count = input_byte(in) % 2 ? 0 : input_below(in, MOST + 1);
    d.distance_tolerance = input_number(in), d.distance_sweeps = input_byte(in), d.distance_relaxation = input_number(in);
    d.colliders = maybe(in, t->colliders), d.collider_count = input_byte(in) % 2 ? 0 : input_below(in, MOST + 1);
    d.constraints = maybe(in, t->constraints), d.constraint_count = input_byte(in) % 2 ? 0 : input_below(in, MOST + 1);
    d.boundary = draw_boundary(in), d.langevin = draw_bath(in);
    d.compose = (kdr_composition)(input_byte(in) % 2 ? 0 : draw_enumerator(in, KDR_COMPOSITION_COUNT));
    kdr_system *system = NULL;
    kdr_workspace workspace = {NULL, 0, {NULL, NULL, NULL}};
    kdr_error error = {KDR_OK, ""};
    kdr_status status = kdr_system_create(&d, &system, &error);
    expect_text(status, &error);
    room r;
    kdr_particles p = draw_particles(in, t, &r, d.real);
    kdr_clock clock = draw_clock(in);
    expect_text(kdr_workspace_create(system, COUNT, p.dims, (kdr_allocator){NULL, NULL, NULL}, &workspace, &error), &error);
    expect_text(kdr_system_run(system, &p, &clock, input_below(in, 3), &workspace, &error), &error);
    expect_text(kdr_system_run_blocks(system, &p, &clock, input_below(in, 3), &error), &error);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    p = draw_particles(in, t, &r, d.real);
    expect_text(kdr_reference_system_run(&d, &p, &clock, 1, &error), &error);
}

static void try_pairs(input *in, things *t) {
    kdr_pairs_desc d = kdr_pairs_desc_default();
    kdr_distance_constraints_desc e = kdr_distance_constraints_desc_default();
    d.size = draw_size(in, d.size), e.size = draw_size(in, e.size);
    d.real = e.real = (kdr_real)draw_enumerator(in, KDR_REAL_COUNT);
    d.forces = maybe(in, t->interactions), d.force_count = input_below(in, MOST + 1);
    e.distances = maybe(in, t->distances), e.count = input_below(in, MOST + 1);
    e.tolerance = input_number(in), e.relaxation = input_number(in), e.sweeps = input_byte(in);
    kdr_pairs *pairs = NULL;
    kdr_pair_map *map = NULL;
    kdr_distance_constraints *distances = NULL;
    kdr_error error = {KDR_OK, ""};
    room r, to;
    memset(&to, 0, sizeof to);
    kdr_particles p = draw_particles(in, t, &r, d.real);
    void *const a[3] = {to.x[0], to.x[1], to.x[2]}, *const b[3] = {to.x[3], to.x[4], to.x[5]};
    expect_text(kdr_pairs_create(&d, &pairs, &error), &error);
    expect_text(kdr_pairs_add(pairs, &p, a, &error), &error);
    expect_text(kdr_pair_map_create(pairs, &p, input_number(in), &map, &error), &error);
    expect_text(kdr_pair_map_add(map, &p, a, b, &error), &error);
    expect_text(kdr_distance_constraints_create(&e, &distances, &error), &error);
    expect_text(kdr_distance_constraints_shake(distances, &p, (const void *const *)a, input_number(in), NULL, &error), &error);
    expect_text(kdr_distance_constraints_rattle(distances, &p, input_number(in), NULL, &error), &error);
    kdr_pair_map_destroy(map);
    kdr_pairs_destroy(pairs);
    kdr_distance_constraints_destroy(distances);
}

static void try_particles(input *in) {
    kdr_particles_desc d = kdr_particles_desc_default();
    const uint8_t flags = input_byte(in);
    d.size = draw_size(in, d.size);
    d.count = input_byte(in) % 16 ? input_byte(in) : SIZE_MAX / (1 + input_below(in, 4)); /* sometimes more than possible */
    d.dims = draw_enumerator(in, 5);
    d.real = (kdr_real)draw_enumerator(in, KDR_REAL_COUNT);
    d.inverse_mass = flags & 1, d.memory = flags & 2, d.compensation = flags & 4, d.bounces = flags & 8;
    d.dissipated_energy = flags & 16, d.error = flags & 32, d.nonconverged = flags & 64, d.radius = flags & 128;
    kdr_particles p, other;
    kdr_error error = {KDR_OK, ""};
    const kdr_status status = kdr_particles_create(&d, &p, &error);
    expect_text(status, &error);
    if (status == KDR_OK) {
        const size_t to = input_byte(in), from = input_byte(in), count = input_byte(in);
        expect_text(kdr_particles_check(&p, &error), &error);
        expect_text(kdr_particles_move(&p, to, from, count, &error), &error);
        other = kdr_particles_slice(&p, from, count);
        expect_text(kdr_particles_check(&other, &error), &error);
        kdr_particles_destroy(&p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static things t;
    input in = {data, size};
    const uint8_t which = input_byte(&in);
    if (which % 4 == 3) {
        try_particles(&in);
        return 0;
    }
    memset(&t, 0, sizeof t);
    draw_things(&in, &t);
    (which % 4 == 0 ? try_integrator : which % 4 == 1 ? try_system : try_pairs)(&in, &t);
    return 0;
}
