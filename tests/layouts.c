/* Layouts, marks and levels: every method has, on arrays of any layout, the bits of contiguous arrays, and of the reference's run of a
 * subset alone. Nothing between the elements is written, and nothing of particles that are not stepped. */
#include "support.h"

/* The count makes two blocks of the executor and a tail, stages that are full and one that is not. LEAD particles are before the first of a
 * slice. */
enum { COUNT = 602, LEAD = 3, MAX_FORCES = 10 };

/* The arrays with one value per particle. */
enum {
    X = 0,
    V = 3,
    W = 6,
    MEMORY = 7,
    COMPENSATION = 10,
    K = 16,
    AT = 17,
    B = 20,
    REALS = 21,
    ID = REALS,
    DISSIPATED_ENERGY,
    BOUNCES = DISSIPATED_ENERGY + 2,
    COLUMNS
};
enum { LAID = MEMORY }; /* the arrays before it have a layout */

typedef struct world {
    size_t count;
    int dims;
    kdr_real real;
    unsigned char *column[COLUMNS];
} world;

static size_t column_size(const world *w, int c) { return c == BOUNCES ? 4 : c >= ID ? 8 : kdr_real_size(w->real); }

static void *check_allocation(void *memory) {
    cr_assert(memory);
    return memory;
}

static world make_world(size_t count, int dims, kdr_real real) {
    world w = {count, dims, real, {NULL}};
    for (int c = 0; c < COLUMNS; ++c) {
        w.column[c] = (unsigned char *)check_allocation(calloc(LEAD + count + 1, column_size(&w, c))) + LEAD * column_size(&w, c);
    }
    return w;
}

static void free_world(world *w) {
    for (int c = 0; c < COLUMNS; ++c) {
        free(w->column[c] - LEAD * column_size(w, c));
    }
}

static void fill_world(world *w, uint64_t seed) {
    for (size_t i = 0; i < w->count; ++i) {
        for (int c = 0; c < REALS; ++c) {
            set(w->column[c], w->real, i, random_in(&seed, c < W ? -1.5 : 0.25, 1.5));
        }
        set(w->column[W], w->real, i, i % 11 == 5 ? 0.0 : random_in(&seed, 0.5, 2));
        ((uint64_t *)w->column[ID])[i] = random_bits(&seed);
        ((double *)w->column[DISSIPATED_ENERGY])[i] = random_in(&seed, 0, 1);
        ((double *)w->column[DISSIPATED_ENERGY + 1])[i] = random_in(&seed, 0, 1);
        ((uint32_t *)w->column[BOUNCES])[i] = (uint32_t)random_bits(&seed);
    }
}

static world copy_world(const world *from, const size_t *index, size_t count) {
    world w = make_world(count, from->dims, from->real);
    for (int c = 0; c < COLUMNS; ++c) {
        const size_t size = column_size(from, c);
        for (size_t i = 0; i < count; ++i) {
            memcpy(w.column[c] + i * size, from->column[c] + (index ? index[i] : i) * size, size);
        }
    }
    return w;
}

/* A setting of a case: a method in a field, with all that goes with it. */
typedef struct setting {
    kdr_method method;
    kdr_real real;
    int dims;
    bool rich;   /* a driven field that is not affine, colliders, compensations; otherwise springs and drags with arrays */
    bool names;  /* an array of ids; otherwise first_id */
    bool memory; /* memory is carried from call to call */
    int marks;   /* one of MARKS */
    kdr_force forces[MAX_FORCES];
    kdr_collider colliders[2];
    kdr_integrator_desc desc;
} setting;

enum { NO_MARKS, SPARSE, RUNS, LEVELS, LEVELS_IN_RUNS, NONE_ACTIVE, MARKS };

static kdr_force force_with_arrays(const world *w, bool drag) {
    kdr_force force = drag ? kdr_force_drag(0, 0.25, -0.5, 0.125) : kdr_force_spring(0, 0, 0, 0);
    if (drag) {
        force.as.drag.b_each = w->column[B];
        force.as.drag.count = w->count;
        return force;
    }
    force.as.spring.k_each = w->column[K];
    for (int i = 0; i < 3; ++i) {
        force.as.spring.at_each[i] = w->column[AT + i];
    }
    force.as.spring.count = w->count;
    return force;
}

/* Makes the setting's description for a world, whose arrays the forces borrow. */
static const kdr_integrator_desc *bind(setting *s, const world *w) {
    const kdr_method_info *const info = kdr_method_get(s->method);
    const bool any = info->velocity_forces == KDR_VELOCITY_ANY;
    size_t n = 0;
    s->forces[n++] = kdr_force_uniform_acceleration(0.25, -1, 0.5);
    s->forces[n++] = force_with_arrays(w, false);
    s->forces[n] = kdr_force_spring(0, 0, 0, 0); /* one k for all, with anchors that differ */
    s->forces[n].as.spring.k[0] = s->forces[n].as.spring.k[1] = s->forces[n].as.spring.k[2] = 0.5;
    memcpy(s->forces[n].as.spring.at_each, s->forces[n - 1].as.spring.at_each, sizeof s->forces[n].as.spring.at_each);
    s->forces[n].as.spring.at_each[0] = NULL; /* on one axis the anchor is one for all */
    s->forces[n].as.spring.at[0] = 0.25;
    s->forces[n++].as.spring.count = w->count;
    if (any) {
        s->forces[n++] = force_with_arrays(w, true);
        s->forces[n] = s->forces[n - 1];
        s->forces[n++].as.drag.b_each = w->column[K];
    }
    if (info->velocity_forces != KDR_VELOCITY_NONE) {
        s->forces[n++] = kdr_force_electromagnetic(1, (const double[3]){0.125, 0, 0.25}, (const double[3]){0.25, -0.5, 1.5});
    }
    if (s->rich && !info->affine) {
        s->forces[n++] = kdr_force_driven(1, 2, 3, 1.5, 0.25);
        s->forces[n++] = kdr_force_centre(1, 0.5, 0, 0, 0.5);
    }
    if (s->rich && any && !info->affine) {
        s->forces[n++] = kdr_force_quadratic_drag(0.25, 0.5, -0.25, 0);
    }
    s->desc = describe(s->method, s->real, (kdr_arithmetic)((s->marks + s->rich + (int)s->method) % 2), s->forces, n);
    s->desc.compensated = s->rich && info->compensated;
    if (kdr_family_get(info->family)->heat_bath) {
        s->desc.langevin = (kdr_langevin){0.5, 0.5, 7};
    }
    if (s->rich && kdr_family_get(info->family)->velocities) {
        s->colliders[0] = kdr_collider_plane((const double[3]){0, -1, 0}, (const double[3]){0.25, 1, 0});
        s->colliders[0].restitution = 0.5;
        s->colliders[0].friction = 0.25;
        s->colliders[1] = kdr_collider_sphere((const double[3]){0.5, 0.5, 0}, 0.5, false);
        s->desc.colliders = s->colliders;
        s->desc.collider_count = 2;
    }
    return &s->desc;
}

static kdr_particles plain_view(const setting *s, const world *w) {
    kdr_particles p = kdr_particles_default();
    p.count = w->count;
    p.dims = w->dims;
    p.real = w->real;
    for (int i = 0; i < w->dims; ++i) {
        p.x[i] = w->column[X + i];
        p.v[i] = w->column[V + i];
        p.memory[i] = s->memory ? w->column[MEMORY + i] : NULL;
        p.compensation[i] = s->memory ? w->column[COMPENSATION + i] : NULL;
        p.compensation[3 + i] = s->memory ? w->column[COMPENSATION + 3 + i] : NULL;
    }
    p.inverse_mass = w->column[W];
    p.id = s->names ? (uint64_t *)w->column[ID] : NULL;
    p.first_id = 40;
    p.bounces = (uint32_t *)w->column[BOUNCES];
    p.dissipated_energy[0] = s->names ? (double *)w->column[DISSIPATED_ENERGY] : NULL;
    p.dissipated_energy[1] = (double *)w->column[DISSIPATED_ENERGY + 1];
    return p;
}

typedef struct marks {
    uint8_t active[LEAD + COUNT], level[LEAD + COUNT]; /* of a slice, after LEAD others */
} marks;

static void make_marks(int kind, uint64_t seed, marks *m) {
    for (size_t i = 0; i < LEAD + COUNT; ++i) {
        const bool row = i / 90 % 2 != 0; /* rows are longer than what kernels gather one by one */
        m->active[i] = (uint8_t)(kind == SPARSE                           ? (random_bits(&seed) % 3 == 0 ? 1 + i % 255 : 0)
                                 : kind == RUNS || kind == LEVELS_IN_RUNS ? row || random_bits(&seed) % 8 == 0
                                                                          : kind != NONE_ACTIVE);
        m->level[i] = (uint8_t)(kind == LEVELS_IN_RUNS ? i / 70 % 3 : random_bits(&seed) % 4);
    }
}

static bool is_masked(int kind) { return kind == SPARSE || kind == RUNS || kind == LEVELS_IN_RUNS || kind == NONE_ACTIVE; }
static bool has_levels(int kind) { return kind == LEVELS || kind == LEVELS_IN_RUNS; }

static const uint64_t CALLS[] = {2, 1};
static const kdr_clock START = {0.25, 0.0625, 5};

/* Computes the expected state: the reference runs the particles of each level alone, in contiguous arrays, with that level's clock. */
static world oracle(setting *s, const world *start, const marks *m) {
    world end = copy_world(start, NULL, start->count);
    for (int level = 0; level <= (has_levels(s->marks) ? 3 : 0); ++level) {
        size_t index[COUNT], n = 0;
        for (size_t i = 0; i < start->count; ++i) {
            const int own = has_levels(s->marks) ? m->level[LEAD + i] : 0;
            if ((!is_masked(s->marks) || m->active[LEAD + i]) && own == level) {
                index[n++] = i;
            }
        }
        world some = copy_world(start, index, n);
        for (size_t i = 0; i < n && !s->names; ++i) {
            ((uint64_t *)some.column[ID])[i] = 40 + index[i];
        }
        kdr_particles p = plain_view(s, &some);
        p.id = (uint64_t *)some.column[ID];
        kdr_clock clock = {START.t0, START.dt / (1 << level), START.step << level};
        kdr_error error;
        for (int call = 0; call < 2; ++call) {
            cr_assert(kdr_reference_run(bind(s, &some), &p, &clock, CALLS[call] << level, &error) == KDR_OK, "%s", error.message);
        }
        for (int c = 0; c < COLUMNS; ++c) {
            const size_t size = column_size(start, c);
            for (size_t i = 0; i < n && (c != ID || s->names); ++i) {
                memcpy(end.column[c] + index[i] * size, some.column[c] + i * size, size);
            }
        }
        free_world(&some);
    }
    return end;
}

/* The layouts of x, v and the inverse masses. */
enum { PLAIN, STRUCTURE, ROWS, PACKED, BLOCKS, BLOCKS_OF_ROWS, LONG_BLOCKS, MIXED, WAYS };

/* Returns the offset of array c of LEAD + COUNT particles from the arena's begin, and sets its layout. */
static size_t lay(int way, int c, int dims, size_t size, kdr_layout *l) {
    const size_t axis = (size_t)(c % 3), d = (size_t)dims, n = LEAD + COUNT;
    const size_t member = c == W ? 2 * d : c >= V ? d + axis : axis; /* in a structure x, v, w */
    memset(l, 0, sizeof *l);
    switch (way) {
    case STRUCTURE: /* with other members */
        l->stride = (2 * d + 3) * size;
        return (1 + member) * size;
    case ROWS: /* double x[n][3], v[n][3] */
        l->stride = c == W ? 0 : d * size;
        return c == W ? 2 * d * n * size : (c >= V ? d * n : 0) * size + axis * size;
    case PACKED: /* at odd addresses, with the axes in no order */
        l->stride = 7 * size + 5;
        return 1 + (size_t)(3 * c + 2) % 7 * size;
    case BLOCKS: /* struct { float x[3][8], v[3][8], w[8]; } */
        *l = (kdr_layout){0, 8, (2 * d + 1) * 8 * size, 0};
        return member * 8 * size;
    case BLOCKS_OF_ROWS: /* struct { float x[5][3], v[5][3], w[5], more[2]; } */
        *l = (kdr_layout){c == W ? 0 : d * size, 5, ((2 * d + 1) * 5 + 2) * size, 0};
        return c == W ? 2 * d * 5 * size : (c >= V ? d * 5 : 0) * size + axis * size;
    case LONG_BLOCKS:
        *l = (kdr_layout){size, 128, (2 * d + 1) * 128 * size + 24, 0};
        return member * 128 * size;
    case MIXED: /* contiguous x and w, blocks of v */
        if (c >= V && c < W) {
            *l = (kdr_layout){0, 8, d * 8 * size, 0};
            return (d + 1) * n * size + axis * 8 * size;
        }
        l->stride = (d + 1) * size;
        return c == W ? d * size : axis * size;
    default:
        return (size_t)c * n * size;
    }
}

static size_t at(const kdr_layout *l, size_t size, size_t i) {
    const size_t stride = l->stride ? l->stride : size;
    return l->block ? i / l->block * l->block_stride + i % l->block * stride : i * stride;
}

enum { ARENA = (LEAD + COUNT + 256) * 80 };

static bool is_laid(const world *w, int c) { return c == W || (c < W && c % 3 < w->dims); }

/* Copies x, v and w of a world into an arena. */
static void put(const world *w, int way, unsigned char *arena) {
    const size_t size = kdr_real_size(w->real);
    for (int c = 0; c < LAID; ++c) {
        kdr_layout l;
        for (size_t i = 0; i < w->count && is_laid(w, c); ++i) {
            const size_t first = lay(way, c, w->dims, size, &l);
            cr_assert(first + at(&l, size, LEAD + i) + size <= ARENA);
            memcpy(arena + first + at(&l, size, LEAD + i), w->column[c] + i * size, size);
        }
    }
}

/* Returns a view of the arena and of the world's other arrays: a slice that begins after LEAD particles. */
static kdr_particles view_of(const setting *s, const world *w, const marks *m, int way, unsigned char *arena) {
    const size_t size = kdr_real_size(w->real);
    kdr_particles p = plain_view(s, w);
    p.count += LEAD;
    p.first_id -= LEAD;
    p.id = p.id ? p.id - LEAD : NULL;
    p.bounces -= LEAD;
    p.dissipated_energy[0] = p.dissipated_energy[0] ? p.dissipated_energy[0] - LEAD : NULL;
    p.dissipated_energy[1] -= LEAD;
    for (int i = 0; i < p.dims; ++i) {
        p.x[i] = arena + lay(way, X + i, p.dims, size, &p.x_layout);
        p.v[i] = arena + lay(way, V + i, p.dims, size, &p.v_layout);
        for (int set = 0; set < 3 && s->memory; ++set) {
            void **const array = set ? &p.compensation[3 * (set - 1) + i] : &p.memory[i];
            *array = (unsigned char *)*array - LEAD * size;
        }
    }
    p.inverse_mass = arena + lay(way, W, p.dims, size, &p.inverse_mass_layout);
    p.active = is_masked(s->marks) ? m->active : NULL;
    p.level = has_levels(s->marks) ? m->level : NULL;
    p.active_count = p.level_count = p.count;
    return kdr_particles_slice(&p, LEAD, SIZE_MAX);
}

enum { REFERENCE = 0 }; /* other numbers are backends */

static void run_calls(const kdr_integrator_desc *desc, int runner, kdr_particles *p) {
    kdr_clock clock = START;
    kdr_error error;
    kdr_integrator_desc own = *desc;
    own.backend = (kdr_backend)runner;
    for (int call = 0; call < 2; ++call) {
        kdr_status status;
        if (runner == REFERENCE) {
            status = kdr_reference_run(desc, p, &clock, CALLS[call], &error);
        } else {
            kdr_integrator *integrator;
            cr_assert(kdr_integrator_create(&own, &integrator, &error) == KDR_OK, "%s", error.message);
            status = kdr_integrator_run(integrator, p, &clock, CALLS[call], &error);
            kdr_integrator_destroy(integrator);
        }
        cr_assert(status == KDR_OK, "%s", error.message);
    }
    cr_expect(clock.step == START.step + CALLS[0] + CALLS[1]);
}

static bool is_used(const setting *s, int c) { return c >= REALS || (c < COMPENSATION + 6 && c >= MEMORY && s->memory); }

static void expect_oracle(setting *s, const world *start, const world *end, const marks *m, int way, int runner) {
    static unsigned char untouched[ARENA], arena[ARENA], expected[ARENA];
    if (!untouched[0]) {
        uint64_t seed = 3;
        for (size_t i = 0; i < ARENA; ++i) {
            untouched[i] = (unsigned char)(random_bits(&seed) | 1);
        }
    }
    memcpy(arena, untouched, ARENA);
    memcpy(expected, untouched, ARENA);
    put(start, way, arena);
    put(end, way, expected);
    world own = copy_world(start, NULL, start->count);
    kdr_particles p = view_of(s, &own, m, way, arena);
    run_calls(bind(s, &own), runner, &p);
    const char *const name = kdr_method_get(s->method)->name;
    cr_expect(memcmp(arena, expected, ARENA) == 0, "%s, %s, %d axes, rich %d, marks %d: way %d by %d", name, kdr_real_name(s->real),
              s->dims, s->rich, s->marks, way, runner);
    for (int c = MEMORY; c < COLUMNS; ++c) {
        cr_expect(!is_used(s, c) || memcmp(own.column[c], end->column[c], own.count * column_size(&own, c)) == 0,
                  "%s, %s, %d axes, rich %d, marks %d: way %d by %d, array %d", name, kdr_real_name(s->real), s->dims, s->rich, s->marks,
                  way, runner, c);
    }
    free_world(&own);
}

static setting set_up(kdr_method method, int variant, int kind) {
    setting s = {.method = method, .rich = variant % 2, .real = (kdr_real)(variant / 2), .marks = kind};
    s.dims = 3 - (kind + (int)method) % 3;
    s.names = (kind + variant) % 2;
    s.memory = kind != SPARSE;
    return s;
}

static void expect_method(kdr_method method, int variant, int marks_kind) {
    setting s = set_up(method, variant, marks_kind);
    world start = make_world(COUNT, s.dims, s.real);
    marks m;
    fill_world(&start, 100 + (uint64_t)method);
    make_marks(marks_kind, 17, &m);
    world end = oracle(&s, &start, &m);
    for (int way = 0; way < WAYS; ++way) {
        for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
            kdr_backend_info info;
            cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
            /* not every layout is run with every kind of marks */
            if (info.runnable && (marks_kind == NO_MARKS || (way + (int)method + variant) % 3 == 0)) {
                expect_oracle(&s, &start, &end, &m, way, b);
            }
        }
    }
    expect_oracle(&s, &start, &end, &m, (int)method % WAYS, REFERENCE);
    free_world(&start);
    free_world(&end);
}

static void expect_methods(int marks_kind) {
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        for (int variant = 0; variant < 4; ++variant) {
            expect_method((kdr_method)method, variant, marks_kind);
        }
    }
}

Test(layouts, every_method) { expect_methods(NO_MARKS); }
Test(layouts, every_method_with_a_mask) { expect_methods(SPARSE); }
Test(layouts, every_method_with_rows_of_marks) { expect_methods(RUNS); }
Test(layouts, every_method_with_levels) { expect_methods(LEVELS); }
Test(layouts, every_method_with_a_mask_and_levels) { expect_methods(LEVELS_IN_RUNS); }
Test(layouts, no_particle_active) { expect_method(KDR_VELOCITY_VERLET, 1, NONE_ACTIVE); }

/* Structures as a program in C declares them: the compiler chooses the addresses. */
typedef struct body {
    char kind;
    double mass_inverse, r[3];
    float colour;
    double u[3];
} body;

typedef struct pack {
    double r[3][8], u[3][8];
} pack;

static kdr_particles view_bodies(body *b, size_t n) {
    kdr_particles p = kdr_particles_default();
    p.count = n;
    for (int i = 0; i < 3; ++i) {
        p.x[i] = &b[0].r[i];
        p.v[i] = &b[0].u[i];
    }
    p.inverse_mass = &b[0].mass_inverse;
    p.x_layout.stride = p.v_layout.stride = p.inverse_mass_layout.stride = sizeof *b;
    return p;
}

static kdr_particles view_packs(pack *b, size_t n) {
    kdr_particles p = kdr_particles_default();
    p.count = n;
    for (int i = 0; i < 3; ++i) {
        p.x[i] = b[0].r[i];
        p.v[i] = b[0].u[i];
    }
    p.x_layout = p.v_layout = (kdr_layout){.block = 8, .block_stride = sizeof *b};
    return p;
}

static kdr_particles view_rows(double (*r)[3], double (*u)[3], size_t n) {
    kdr_particles p = kdr_particles_default();
    p.count = n;
    for (int i = 0; i < 3; ++i) {
        p.x[i] = &r[0][i];
        p.v[i] = &u[0][i];
    }
    p.x_layout.stride = p.v_layout.stride = sizeof *r;
    return p;
}

enum { BODIES = 333 };

static void fill_bodies(body *b, pack *k, double (*r)[3], double (*u)[3], kdr_particles *plain) {
    uint64_t seed = 5;
    fill_random(plain, &seed);
    for (size_t n = 0; n < BODIES; ++n) {
        b[n].mass_inverse = 1;
        for (int i = 0; i < 3; ++i) {
            b[n].r[i] = k[n / 8].r[i][n % 8] = r[n][i] = get(plain->x[i], KDR_F64, n);
            b[n].u[i] = k[n / 8].u[i][n % 8] = u[n][i] = get(plain->v[i], KDR_F64, n);
        }
    }
}

/* The same particles in four layouts stay the same, by observables, comparison and fingerprint. */
Test(layouts, as_programs_have_them) {
    static body b[BODIES];
    static pack k[BODIES / 8 + 1];
    static double r[BODIES][3], u[BODIES][3];
    kdr_particles plain = make_particles(BODIES, 3, KDR_F64, false, false);
    fill_bodies(b, k, r, u, &plain);
    kdr_particles views[] = {view_bodies(b, BODIES), view_packs(k, BODIES), view_rows(r, u, BODIES)};
    const kdr_force forces[] = {kdr_force_spring(1, 0, 0, 0), kdr_force_centre(1, 0.5, 0, 0, 0.25)};
    const kdr_integrator_desc desc = describe(KDR_PEFRL, KDR_F64, KDR_FUSED, forces, 2);
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_clock start = {0, 0.125, 0}, clock = start;
    cr_assert(kdr_integrator_run(integrator, &plain, &clock, 5, NULL) == KDR_OK);
    kdr_observables expected, o;
    uint64_t fingerprint, own;
    cr_assert(kdr_observe(integrator, &plain, &clock, &expected, NULL) == KDR_OK);
    cr_assert(kdr_fingerprint(&plain, &fingerprint, NULL) == KDR_OK);
    for (size_t w = 0; w < sizeof views / sizeof *views; ++w) {
        kdr_clock now = start;
        kdr_difference d;
        size_t index;
        cr_assert(kdr_integrator_run(integrator, &views[w], &now, 5, NULL) == KDR_OK);
        cr_expect(kdr_compare(&plain, &views[w], &d, NULL) == KDR_OK && d.mismatches == 0, "view %zu: %" PRIu64, w, d.mismatches);
        cr_expect(kdr_observe(integrator, &views[w], &now, &o, NULL) == KDR_OK && memcmp(&o, &expected, sizeof o) == 0, "view %zu", w);
        cr_expect(kdr_fingerprint(&views[w], &own, NULL) == KDR_OK && own == fingerprint, "view %zu", w);
        cr_expect(kdr_first_non_finite(&views[w], &index, NULL) == KDR_OK && index == BODIES, "view %zu", w);
    }
    r[200][1] += 1;
    u[100][2] = NAN;
    kdr_difference d;
    size_t index;
    cr_expect(kdr_compare(&plain, &views[2], &d, NULL) == KDR_OK && d.mismatches == 2 && d.index == 100 && d.array == 5);
    cr_expect(kdr_first_non_finite(&views[2], &index, NULL) == KDR_OK && index == 100);
    cr_expect(kdr_fingerprint(&views[2], &own, NULL) == KDR_OK && own != fingerprint);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&plain);
}

/* Absorbed particles are counted in any layout. */
Test(layouts, absorbed) {
    static body b[4];
    kdr_particles p = view_bodies(b, 4);
    for (int n = 0; n < 4; ++n) {
        b[n] = (body){.mass_inverse = n != 3, .r = {n % 2 ? 5 : 0.5, 0.5, 0.5}};
    }
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.boundary = (kdr_boundary){KDR_BOUNDARY_ABSORBING, {0, 0, 0}, {1, 1, 1}};
    kdr_integrator *integrator;
    size_t count;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    cr_expect(kdr_count_absorbed(integrator, &p, &count, NULL) == KDR_OK && count == 1); /* 1; particle 3 is frozen */
    kdr_integrator_destroy(integrator);
}

/* A step size per particle, which levels are for. Springs of stiffness 4^l at level l have the same motion in their own time, bit by
 * bit. */
Test(layouts, a_step_size_a_particle) {
    enum { N = 40 };
    kdr_particles p = make_particles(N, 1, KDR_F64, true, false);
    uint8_t level[N];
    for (size_t i = 0; i < N; ++i) {
        level[i] = (uint8_t)(i % 5);
        set(p.x[0], KDR_F64, i, 1);
        set(p.v[0], KDR_F64, i, 0);
        set(p.inverse_mass, KDR_F64, i, ldexp(1, 2 * level[i])); /* omega = 2^level */
    }
    p.level = level;
    p.level_count = N;
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    const kdr_integrator_desc desc = describe(KDR_VELOCITY_VERLET, KDR_F64, KDR_FUSED, &spring, 1);
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    kdr_clock clock = {0, 0.125, 0};
    const uint64_t evaluations = kdr_integrator_evaluations(integrator, &p, &clock, 16);
    cr_expect(evaluations == 8 * ((1 + 2 + 4 + 8 + 16) * 16 + 5 * 1), "%" PRIu64, evaluations); /* one evaluation at the start */
    cr_assert(kdr_integrator_run(integrator, &p, &clock, 16, NULL) == KDR_OK && clock.step == 16);
    kdr_particles one = make_particles(1, 1, KDR_F64, false, false);
    for (int l = 0; l < 5; ++l) { /* 2^l periods in level 0's time, at omega dt = 1/8 */
        kdr_clock own = {0, 0.125, 0};
        set(one.x[0], KDR_F64, 0, 1);
        set(one.v[0], KDR_F64, 0, 0);
        cr_assert(kdr_integrator_run(integrator, &one, &own, UINT64_C(16) << l, NULL) == KDR_OK);
        for (size_t i = (size_t)l; i < N; i += 5) {
            cr_expect(get(p.x[0], KDR_F64, i) == get(one.x[0], KDR_F64, 0), "level %d", l);
            cr_expect(get(p.v[0], KDR_F64, i) == ldexp(get(one.v[0], KDR_F64, 0), l), "level %d", l);
        }
    }
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&one);
    kdr_particles_destroy(&p);
}

/* Checks that a refused run leaves no trace. */
static void expect_refused(const kdr_particles *p, kdr_clock clock, uint64_t steps, kdr_status status, const char *what) {
    static unsigned char before[sizeof(body) * BODIES];
    kdr_error error = {KDR_OK, ""};
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    kdr_integrator *integrator;
    cr_assert(kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK);
    const unsigned char *const bodies = (unsigned char *)p->v[0] - offsetof(body, u);
    memcpy(before, bodies, sizeof before);
    const kdr_clock start = clock;
    kdr_particles own = *p;
    cr_expect(kdr_integrator_run(integrator, &own, &clock, steps, &error) == status, "%s: %s", what, error.message);
    cr_expect(one_line(&error, status), "%s: '%s'", what, error.message);
    cr_expect(kdr_reference_run(&desc, &own, &clock, steps, NULL) == status, "%s", what);
    cr_expect(memcmp(before, bodies, sizeof before) == 0 && memcmp(&own, p, sizeof own) == 0 && memcmp(&clock, &start, sizeof clock) == 0,
              "%s", what);
    kdr_integrator_destroy(integrator);
}

Test(layouts, bad_input) {
    static body b[BODIES];
    static uint8_t mask[BODIES], levels[BODIES];
    const kdr_particles good = view_bodies(b, BODIES);
    const kdr_clock clock = {0, 0.125, 0};
    memset(mask, 1, sizeof mask);
    kdr_particles p = good;
    p.x[1] = NULL;
    expect_refused(&p, clock, 1, KDR_ERROR_NULL, "no y");
    p = good;
    p.x[0] = (char *)p.v[2] + 4;
    expect_refused(&p, clock, 1, KDR_ERROR_OVERLAP, "x half on v");
    p = good;
    p.x_layout.stride = 7;
    expect_refused(&p, clock, 1, KDR_ERROR_ARGUMENT, "elements that overlap");
    p = good;
    p.inverse_mass_layout = (kdr_layout){sizeof(body), 4, 3 * sizeof(body) + 7, 0};
    expect_refused(&p, clock, 1, KDR_ERROR_ARGUMENT, "blocks that overlap");
    p.inverse_mass_layout = (kdr_layout){sizeof(body), 4, 4 * sizeof(body), 4};
    expect_refused(&p, clock, 1, KDR_ERROR_ARGUMENT, "a whole block skipped");
    p = good;
    p.v_layout.stride = SIZE_MAX / 4;
    expect_refused(&p, clock, 1, KDR_ERROR_OVERFLOW, "a stride as large as all memory");
    for (int wrong = -1; wrong <= 1; wrong += 2) {
        p = good;
        p.active = mask;
        p.active_count = (size_t)(BODIES + wrong);
        expect_refused(&p, clock, 1, KDR_ERROR_MISMATCH, "a mask of the wrong length");
        p = good;
        p.level = levels;
        p.level_count = (size_t)(BODIES + wrong);
        expect_refused(&p, clock, 1, KDR_ERROR_MISMATCH, "levels of the wrong length");
    }
    p.level_count = BODIES;
    levels[BODIES - 1] = KDR_MAX_LEVEL + 1;
    expect_refused(&p, clock, 1, KDR_ERROR_ARGUMENT, "a level too high");
    levels[BODIES - 1] = 10;
    expect_refused(&p, (kdr_clock){0, 0.125, 0}, UINT64_C(1) << 43 | 1, KDR_ERROR_OVERFLOW, "more steps of that level than can be counted");
    expect_refused(&p, (kdr_clock){0, 0.125, UINT64_C(1) << 43}, 1, KDR_ERROR_OVERFLOW, "more steps before");
    expect_refused(&p, (kdr_clock){0, 0x1p-1013, 0}, 1, KDR_ERROR_ARGUMENT, "steps of that level too short");
    expect_refused(&p, (kdr_clock){0, INFINITY, 0}, 1, KDR_ERROR_NOT_FINITE, "no step");
}
