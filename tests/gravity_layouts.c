/* Gravity with arrays in user-defined structures and blocks: it has the bits of contiguous arrays and writes no other byte. Refusals are
 * checked too. */
#include "pairs_support.h"

enum { MOST = 700, SOURCES = 600, TARGETS = 300, SIZES = 18, STRUCTURE = SIZES * 8 + 4, BLOCK = 8, BYTES = MOST * STRUCTURE, KINDS = 4 };

/* Returns a layout: contiguous arrays; a structure per particle, with members at odd addresses; blocks; blocks that begin within one. */
static kdr_layout layout_of(int kind, kdr_real real) {
    const size_t size = kdr_real_size(real);
    if (kind < 2) {
        return (kdr_layout){.stride = kind ? STRUCTURE : 0};
    }
    return (kdr_layout){.stride = size, .block = BLOCK, .block_stride = SIZES * BLOCK * 8, .skip = kind == 3 ? 5 : 0};
}

static unsigned char *slot(unsigned char *memory, int kind, int n) {
    return memory + (kind == 0 ? n * MOST * 8 : kind == 1 ? n * 8 + 4 : n * BLOCK * 8);
}

static unsigned char *element(unsigned char *array, int kind, kdr_real real, size_t i) {
    const kdr_layout l = layout_of(kind, real);
    const size_t stride = l.stride ? l.stride : kdr_real_size(real), j = l.skip + i;
    return array + (l.block ? j / l.block * l.block_stride + j % l.block * stride : i * stride);
}

/* Slots: source x, target x, a, mu, two of lengths, potential. `mixed`: every other array is contiguous, in its own memory. */
typedef struct subject {
    unsigned char *memory, *plain;
    int kind[SIZES];
    kdr_gravity g;
} subject;

enum { SOURCE_X = 0, TARGET_X = 3, A = 6, MU = 9, SOURCE_LENGTH, TARGET_LENGTH, POTENTIAL, SLOTS };

static unsigned char *array_of(const subject *s, int n) { return slot(s->kind[n] ? s->memory : s->plain, s->kind[n], n); }

static void fill(subject *s, int kind, int mixed, kdr_real real, int lengths, int wanted) {
    uint64_t seed = 5;
    s->memory = malloc(BYTES), s->plain = malloc(BYTES);
    cr_assert(s->memory && s->plain);
    memset(s->memory, 0xA5, BYTES), memset(s->plain, 0xA5, BYTES);
    for (int n = 0; n < SLOTS; ++n) {
        const int part = n < 9 ? n / 3 : n - 6; /* all axes have the same layout */
        s->kind[n] = mixed && (part ^ mixed) % 2 == 0 ? 0 : kind;
        for (size_t i = 0; i < MOST - 8; ++i) {
            put_any(element(array_of(s, n), s->kind[n], real, i), real, 0, random_in(&seed, n < MU ? -1 : 0.01, 1));
        }
    }
    kdr_gravity *const g = &s->g;
    *g = (kdr_gravity){.dims = 3, .real = real, .sources = SOURCES, .targets = TARGETS, .softening = 0.05, .mu = array_of(s, MU)};
    for (int i = 0; i < 3; ++i) {
        g->source_x[i] = array_of(s, SOURCE_X + i), g->target_x[i] = array_of(s, TARGET_X + i);
        g->a[i] = wanted != 1 ? array_of(s, A + i) : NULL;
    }
    g->source_softening = lengths & 1 ? array_of(s, SOURCE_LENGTH) : NULL;
    g->target_softening = lengths & 2 ? array_of(s, TARGET_LENGTH) : NULL;
    g->potential = wanted != 0 ? array_of(s, POTENTIAL) : NULL;
    g->targets_are_sources = true, g->first_source = 17;
    g->source_x_layout = layout_of(s->kind[SOURCE_X], real), g->target_x_layout = layout_of(s->kind[TARGET_X], real);
    g->a_layout = layout_of(s->kind[A], real), g->mu_layout = layout_of(s->kind[MU], real);
    g->source_softening_layout = layout_of(s->kind[SOURCE_LENGTH], real);
    g->target_softening_layout = layout_of(s->kind[TARGET_LENGTH], real), g->potential_layout = layout_of(s->kind[POTENTIAL], real);
}

static void release(subject *s) { free(s->memory), free(s->plain); }

static size_t unequal(const subject *s, const subject *plain, kdr_real real) {
    size_t count = 0;
    for (int n = 0; n < SLOTS; ++n) {
        for (size_t i = 0; i < MOST - 8; ++i) {
            count +=
                memcmp(element(array_of(s, n), s->kind[n], real, i), element(array_of(plain, n), 0, real, i), kdr_real_size(real)) != 0;
        }
    }
    return count;
}

/* Checks that the bytes between the arrays' elements have not changed. */
static bool nothing_else(const subject *s, const subject *before, kdr_real real) {
    for (int n = 0; n < SLOTS; ++n) { /* without the elements themselves */
        for (size_t i = 0; i < MOST - 8; ++i) {
            memcpy(element(array_of(before, n), s->kind[n], real, i), element(array_of(s, n), s->kind[n], real, i), kdr_real_size(real));
        }
    }
    return memcmp(s->memory, before->memory, BYTES) == 0 && memcmp(s->plain, before->plain, BYTES) == 0;
}

Test(gravity_layouts, bits_of_plain_arrays) {
    kdr_executor executors[MAX_EXECUTORS + 1] = {kdr_executor_serial()};
    const size_t executor_count = 1 + list_executors(executors + 1);
    kdr_error error;
    for (int c = 0; c < 2 * 4 * 3; ++c) {
        const kdr_real real = (kdr_real)(c % 2);
        const int lengths = c / 2 % 4, wanted = c / 8;
        subject plain;
        kdr_pass_options options;
        fill(&plain, 0, 0, real, lengths, wanted);
        cr_assert(kdr_pass_options_init(KDR_FUSED, KDR_BACKEND_AUTO, kdr_executor_serial(), &options, &error) == KDR_OK);
        cr_assert(kdr_gravity_add(&plain.g, &options, &error) == KDR_OK, "%s", error.message);
        for (int way = 0; way < (KINDS - 1) * 3; ++way) {
            const size_t e = (size_t)(c + way) % (executor_count + 1); /* the last is the reference */
            subject s, before;
            fill(&s, 1 + way / 3, way % 3, real, lengths, wanted), fill(&before, 1 + way / 3, way % 3, real, lengths, wanted);
            options.executor = executors[e < executor_count ? e : 0];
            const kdr_status status =
                e < executor_count ? kdr_gravity_add(&s.g, &options, &error) : kdr_reference_gravity_add(&s.g, KDR_FUSED, &error);
            cr_assert(status == KDR_OK, "%s", error.message);
            cr_expect(unequal(&s, &plain, real) == 0, "case %d, way %d, executor %zu: %zu are others", c, way, e,
                      unequal(&s, &plain, real));
            cr_expect(nothing_else(&s, &before, real), "case %d, way %d: something else was written", c, way);
            release(&s), release(&before);
        }
        release(&plain);
    }
}

/* System runs whose mu and lengths are members of the particles' structures, or in blocks, have the same bits, energy and digest. */
Test(gravity_layouts, system_runs) {
    enum { COUNT = 300, FEW = 200 };
    uint8_t level[COUNT];
    for (int c = 0; c < 2 * 2 * 2; ++c) {
        const kdr_real real = (kdr_real)(c % 2);
        kdr_observables seen[KINDS + 1];
        kdr_particles p[KINDS + 1];
        uint64_t digest[KINDS + 1];
        kdr_error error;
        for (int kind = 0; kind <= KINDS; ++kind) { /* the last is the reference, with structures */
            const int lies = kind == KINDS ? 1 : kind;
            uint64_t seed = 3;
            subject s;
            fill(&s, lies, 0, real, 2, 0);
            p[kind] = make_particles(COUNT, 3, real, c / 4, false);
            fill_random(&p[kind], &seed);
            for (size_t i = 0; i < COUNT; ++i) {
                level[i] = i % 5 == 0 ? 2 : 0;
                put_any(element(array_of(&s, MU), s.kind[MU], real, i), real, 0, 0.001);
                set(p[kind].inverse_mass ? p[kind].inverse_mass : p[kind].x[0], real, i, c / 4 && i % 7 == 0 ? 0 : 0.5 + (double)i / COUNT);
            }
            p[kind].level = c / 2 % 2 ? level : NULL, p[kind].level_count = COUNT;
            kdr_interaction force = kdr_interaction_gravity(s.g.mu, FEW, 0.25);
            force.as.gravity.mu_layout = s.g.mu_layout;
            force.as.gravity.softening_each = s.g.target_softening, force.as.gravity.softening_each_layout = s.g.target_softening_layout;
            force.as.gravity.softening_count = COUNT;
            kdr_system_desc desc = kdr_system_desc_default();
            desc.real = real, desc.interactions = &force, desc.interaction_count = 1, desc.levels = c / 2 % 2;
            kdr_system *system;
            kdr_workspace workspace;
            kdr_clock clock = {0, 0.01, 0};
            cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
            cr_assert(kdr_workspace_create(system, COUNT, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
            const kdr_status status = kind == KINDS ? kdr_reference_system_run(&desc, &p[kind], &clock, 3, &error)
                                                    : kdr_system_run(system, &p[kind], &clock, 3, &workspace, &error);
            cr_assert(status == KDR_OK, "%s", error.message);
            cr_assert(kdr_system_observe(system, &p[kind], &clock, &seen[kind], &error) == KDR_OK, "%s", error.message);
            digest[kind] = kdr_system_digest(system);
            cr_expect(same_bits(&p[kind], &p[0]) && memcmp(&seen[kind], &seen[0], sizeof *seen) == 0 && digest[kind] == digest[0],
                      "case %d, kind %d", c, kind);
            kdr_workspace_destroy(&workspace);
            kdr_system_destroy(system);
            release(&s);
        }
        for (int kind = 0; kind <= KINDS; ++kind) {
            kdr_particles_destroy(&p[kind]);
        }
    }
}

static void refuse(const kdr_gravity *g, kdr_status status, const char *text) {
    kdr_pass_options options;
    kdr_error error = {KDR_OK, ""};
    cr_assert(kdr_pass_options_init(KDR_FUSED, KDR_BACKEND_AUTO, kdr_executor_serial(), &options, &error) == KDR_OK);
    cr_expect(kdr_gravity_add(g, &options, &error) == status && strstr(error.message, text), "%s: %s", text, error.message);
    cr_expect(kdr_reference_gravity_add(g, KDR_FUSED, &error) == status && strstr(error.message, text), "%s: %s", text, error.message);
}

Test(gravity_layouts, what_is_wrong_is_refused) {
    subject s, before;
    fill(&s, 1, 0, KDR_F64, 3, 2), fill(&before, 1, 0, KDR_F64, 3, 2);
    static const kdr_layout wrong[] = {{.stride = 7}, {.block = 4, .block_stride = 31}, {.block = 4, .block_stride = 32, .skip = 4}};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        kdr_gravity g = s.g;
        g.mu_layout = wrong[n];
        refuse(&g, KDR_ERROR_ARGUMENT, "layout of gravity.mu: expected a stride of at least an element, and blocks that hold theirs");
        kdr_interaction force = kdr_interaction_gravity(s.g.mu, 3, 0);
        kdr_pairs_desc desc = kdr_pairs_desc_default();
        kdr_pairs *pairs;
        kdr_error error;
        desc.forces = &force, desc.force_count = 1;
        force.as.gravity.mu_layout = wrong[n];
        cr_expect(kdr_pairs_create(&desc, &pairs, &error) == KDR_ERROR_ARGUMENT &&
                  strstr(error.message, "interactions[0].mu_layout: expected"));
        force.as.gravity.mu_layout = (kdr_layout){0}, force.as.gravity.softening_each_layout = wrong[n];
        cr_expect(kdr_pairs_create(&desc, &pairs, &error) == KDR_ERROR_ARGUMENT &&
                  strstr(error.message, "interactions[0].softening_each_layout: expected"));
    }
    kdr_gravity g = s.g;
    g.a_layout.stride = SIZE_MAX / 4;
    refuse(&g, KDR_ERROR_OVERFLOW, "layout of gravity.a[0]: expected 300 elements that fit the address space");
    g = s.g; /* members of one structure may alternate, but must not share bytes */
    g.a[1] = (char *)g.a[0] + 4;
    refuse(&g, KDR_ERROR_OVERLAP, "gravity.a[1]: expected an array separate from the others, got one that overlaps a[0]");
    g = s.g;
    g.potential = element(array_of(&s, MU), 1, KDR_F64, SOURCES - 1);
    refuse(&g, KDR_ERROR_OVERLAP, "gravity.potential: expected an array separate from the others, got one that overlaps mu");
    put_any(element(array_of(&s, TARGET_LENGTH), 1, KDR_F64, 299), KDR_F64, 0, -1);
    put_any(element(array_of(&before, TARGET_LENGTH), 1, KDR_F64, 299), KDR_F64, 0, -1);
    refuse(&s.g, KDR_ERROR_ARGUMENT, "gravity.target_softening[299]: expected 0");
    cr_expect(memcmp(s.memory, before.memory, BYTES) == 0, "something was touched");
    release(&s), release(&before);
}
