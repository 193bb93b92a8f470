/* Block time steps in system runs: the reference's bits, equal levels compared with plain runs, the particles that the function is asked
 * for, failures, and physics. */
#include "system_support.h"

#include "pairs/pairs.h"
#include "particles/element.h"
#include "system/system.h"

enum { MOST_LEVEL = 4, MOST_ATTRACTED = 200 };

/* A function for neighbours in a ring that pull at each other, with a drag. It sets the accelerations that are wanted, and noise for the
 * others, and notes what it was asked for. */
typedef struct ring {
    int fails_at; /* this call fails, counted from 1; 0: none */
    bool in_rows; /* accelerations are rows */
    bool coasts;  /* there is no drag */
    uint64_t calls, asked, digest;
} ring;

static double element_of(const kdr_particles *p, void *const array[3], const kdr_layout *layout, int axis, size_t i) {
    return kdr_element((const char *)array[axis] + kdr_offset(layout, kdr_real_size(p->real), i), p->real, 0);
}

static kdr_status ring_accelerations(void *context, const kdr_particles *p, double t, void *const a[3]) {
    ring *const r = context;
    const size_t stride = r->in_rows ? (size_t)p->dims : 1;
    const double drag = r->coasts ? 0 : 0.5;
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    r->digest = (r->digest ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
    ++r->calls;
    for (size_t n = 0; n < p->count; ++n) {
        const bool wanted = !p->active || p->active[n];
        const size_t next = (n + 1) % p->count, last = (n + p->count - 1) % p->count;
        r->asked += wanted;
        r->digest = (r->digest ^ wanted) * UINT64_C(0x9E3779B97F4A7C15);
        for (int i = 0; i < p->dims; ++i) {
            const double x = element_of(p, p->x, &p->x_layout, i, n), v = element_of(p, p->v, &p->v_layout, i, n);
            const double to = element_of(p, p->x, &p->x_layout, i, next), from = element_of(p, p->x, &p->x_layout, i, last);
            set(a[i], p->real, n * stride, wanted ? 3 * ((to - x) + (from - x)) + 0.125 * t - drag * v : 1e30 * (double)(n + 1));
        }
    }
    return (uint64_t)r->fails_at == r->calls ? KDR_ERROR_UNAVAILABLE : KDR_OK;
}

/* Sets a magnetic field that depends on position and time. */
static kdr_status ring_turns(void *context, const kdr_particles *p, double t, void *const m[3]) {
    (void)context;
    for (int axis = p->dims == 3 ? 0 : 2; axis < 3; ++axis) {
        for (size_t n = 0; n < p->count; ++n) {
            const bool wanted = !p->active || p->active[n];
            set(m[axis], p->real, n, wanted ? 2 - axis + element_of(p, p->x, &p->x_layout, axis % p->dims, n) + 0.25 * t : 1e30);
        }
    }
    return KDR_OK;
}

/* Rows that accept levels: methods, user-defined rows of the same form, and four that are composed. */
static const kdr_fractions own_fractions[] = {{.count = 2, .kick = {0.25, 0.75}, .drift = {1, 0}},
                                              {.count = 1, .kick = {1}, .drift = {1}},
                                              {.count = 3, .kick = {0.25, 0.5, 0.25}, .drift = {0.5, 0.5, 0}},
                                              {.count = 2, .kick = {0.25, 0.75}, .drift = {0.5, 0.5}}};
enum { ROWS = 12, ALL_ROWS = 16 };
static const struct row {
    kdr_method method;
    const kdr_fractions *fractions;
    kdr_composition compose;
    unsigned parts;
    bool keeps;                                          /* keeps its acceleration: a call without one begins with an evaluation */
    enum { EACH_SUBSTEP, EACH_HALF, MIDDLES } evaluates; /* in substeps; also between their halves; in the middle of each level's steps */
} rows[ALL_ROWS] = {{KDR_VELOCITY_VERLET, NULL, KDR_COMPOSE_NONE, 1, true, EACH_SUBSTEP},
                    {KDR_SEMI_IMPLICIT_EULER, NULL, KDR_COMPOSE_NONE, 1, false, EACH_SUBSTEP},
                    {KDR_SEMI_IMPLICIT_EULER, &own_fractions[0], KDR_COMPOSE_NONE, 1, true, EACH_SUBSTEP},
                    {KDR_SEMI_IMPLICIT_EULER, &own_fractions[1], KDR_COMPOSE_NONE, 1, false, EACH_SUBSTEP},
                    {KDR_DRIFT_KICK_EULER, NULL, KDR_COMPOSE_NONE, 1, false, EACH_SUBSTEP},
                    {KDR_POSITION_VERLET, NULL, KDR_COMPOSE_NONE, 1, false, MIDDLES},
                    {KDR_SEMI_IMPLICIT_EULER, &own_fractions[2], KDR_COMPOSE_NONE, 1, true, EACH_HALF},
                    {KDR_SEMI_IMPLICIT_EULER, &own_fractions[3], KDR_COMPOSE_NONE, 1, false, EACH_HALF},
                    {KDR_BAOAB, NULL, KDR_COMPOSE_NONE, 1, true, EACH_SUBSTEP},
                    {KDR_BORIS, NULL, KDR_COMPOSE_NONE, 1, false, MIDDLES},
                    {KDR_HIGUERA_CARY, NULL, KDR_COMPOSE_NONE, 1, false, MIDDLES},
                    {KDR_VAY, NULL, KDR_COMPOSE_NONE, 1, false, MIDDLES},
                    {KDR_VELOCITY_VERLET, NULL, KDR_COMPOSE_SUZUKI_4, 5, true, EACH_SUBSTEP},
                    {KDR_POSITION_VERLET, NULL, KDR_COMPOSE_SUZUKI_4, 5, false, MIDDLES},
                    {KDR_BORIS, NULL, KDR_COMPOSE_SUZUKI_4, 5, false, MIDDLES},
                    {KDR_VAY, NULL, KDR_COMPOSE_YOSHIDA_6, 7, false, MIDDLES}};

static void choose_row(int row, kdr_system_desc *desc) {
    desc->compose = rows[row].compose;
    desc->method = rows[row].method;
    desc->fractions = rows[row].fractions;
    desc->langevin =
        rows[row].method == KDR_BAOAB ? (kdr_langevin){.friction = 2, .temperature = 0.75, .seed = 77} : (kdr_langevin){0, 0, 0};
    const bool turns = kdr_method_get(desc->method)->family == KDR_MAGNETIC;
    desc->magnetic = turns ? ring_turns : NULL;
    desc->speed_of_light = turns && desc->method != KDR_BORIS && desc->compose == KDR_COMPOSE_NONE ? 3 : 0;
}

/* has_bath returns true for baoab, which forgets its acceleration from call to call. coasts returns true for methods without
 * velocity-dependent forces: baoab and the magnetic ones. */
static bool has_bath(int row) { return rows[row].method == KDR_BAOAB; }
static bool coasts(int row) { return has_bath(row) || kdr_method_get(rows[row].method)->family == KDR_MAGNETIC; }

static const uint8_t *draw_levels(size_t count, int most, uint64_t *seed) {
    uint8_t *const levels = malloc(count + 1);
    for (size_t i = 0; i < count; ++i) { /* higher levels have fewer particles */
        const uint64_t bits = random_bits(seed);
        levels[i] = (uint8_t)(__builtin_ctzll(bits | UINT64_C(1) << most) * (bits >> 60 != 0));
    }
    return levels;
}

static const uint8_t *draw_active(size_t count, uint64_t *seed) {
    uint8_t *const active = malloc(count + 1);
    for (size_t i = 0; i < count; ++i) {
        active[i] = (uint8_t)(random_bits(seed) % 4);
    }
    return active;
}

static bool stands(const kdr_particles *p, size_t i) { return kdr_inverse_mass(p, i) == 0 || (p->active && !p->active[i]); }

/* Returns the highest level of the particles that move. */
static int highest_of(const kdr_particles *p) {
    int highest = 0;
    for (size_t i = 0; i < p->count; ++i) {
        highest = !stands(p, i) && p->level[i] > highest ? p->level[i] : highest;
    }
    return highest;
}

/* Returns the evaluations of a step of the clock. */
static uint64_t evaluations_of(int row, const kdr_particles *p) {
    uint64_t inhabited = 0;
    for (size_t i = 0; i < p->count; ++i) { /* level n has 2^n steps */
        inhabited |= (uint64_t)!stands(p, i) << p->level[i];
    }
    const uint64_t all = UINT64_C(1) << highest_of(p), middles = inhabited ? inhabited : 1;
    return rows[row].parts * (rows[row].evaluates == MIDDLES ? middles : rows[row].evaluates == EACH_HALF ? 2 * all : all);
}

static bool same_memory(const kdr_particles *a, const kdr_particles *b) {
    for (size_t i = 0; a->memory[0] && i < a->count; ++i) {
        for (int axis = 0; axis < a->dims && !stands(a, i); ++axis) {
            if (kdr_element_bits(a->memory[axis], a->real, i) != kdr_element_bits(b->memory[axis], b->real, i)) {
                return false;
            }
        }
    }
    return true;
}

/* The same particles on another layout: rows, structures at odd addresses, blocks of arrays. */
typedef struct far {
    kdr_particles p;
    unsigned char *block, *before;
    size_t bytes;
} far;

enum { PLAIN, IN_ROWS, IN_STRUCTURES, IN_BLOCKS, FORMS, SPARE = 13, LANES_A_BLOCK = 8 };

static far put_far(const kdr_particles *plain, int form) {
    const size_t size = kdr_real_size(plain->real), n = plain->count, dims = (size_t)plain->dims;
    far f = {.p = *plain, .bytes = (n + LANES_A_BLOCK) * SPARE * size + 1};
    f.block = malloc(f.bytes);
    f.before = malloc(f.bytes);
    memset(f.block, 0xC3, f.bytes);
    f.p.storage = NULL;
    for (size_t i = 0; i < dims && form != PLAIN; ++i) {
        const size_t x = form == IN_BLOCKS ? i * LANES_A_BLOCK : i;
        const size_t v = form == IN_BLOCKS ? (dims + i) * LANES_A_BLOCK : form == IN_ROWS ? n * dims + i : 5 + i;
        f.p.x[i] = f.block + (form == IN_STRUCTURES) + x * size;
        f.p.v[i] = f.block + (form == IN_STRUCTURES) + v * size;
    }
    if (form == IN_BLOCKS) {
        f.p.x_layout = f.p.v_layout = (kdr_layout){.block = LANES_A_BLOCK, .block_stride = 9 * LANES_A_BLOCK * size};
    } else if (form != PLAIN) {
        f.p.x_layout.stride = f.p.v_layout.stride = (form == IN_ROWS ? dims : SPARE) * size;
    }
    if (form == IN_STRUCTURES && plain->inverse_mass) {
        f.p.inverse_mass = f.block + 1 + 10 * size;
        f.p.inverse_mass_layout = f.p.x_layout;
    }
    return f;
}

static void far_destroy(far *f) {
    free(f->block);
    free(f->before);
}

/* The description of a case, and the data that it points to. */
typedef struct things {
    double mu[MOST_ATTRACTED];
    kdr_pair_spring springs[64];
    kdr_interaction interactions[3];
    kdr_force field[2];
} things;

static void draw_things(things *t, kdr_system_desc *desc, size_t count, unsigned what, uint64_t *seed) {
    for (size_t i = 0; i < MOST_ATTRACTED; ++i) {
        set(t->mu, desc->real, i, random_in(seed, 0, 0.1));
    }
    size_t springs = 0;
    for (; springs < 64 && count > 1; ++springs) {
        const uint32_t a = (uint32_t)(random_bits(seed) % count), b = (uint32_t)((a + 1 + random_bits(seed) % (count - 1)) % count);
        t->springs[springs] = (kdr_pair_spring){
            .a = a, .b = b, .k = 2, .length = 0.5, .damping = springs % 2 && desc->method != KDR_BAOAB && !desc->magnetic ? 0.25 : 0};
    }
    t->interactions[0] = kdr_interaction_gravity(t->mu, count - count / 4, what % 2 ? 0.1 : 0);
    t->interactions[1] = kdr_interaction_spring_network(t->springs, springs);
    t->interactions[2] = kdr_interaction_gravity(t->mu, count / 2, 0.25);
    t->field[0] = kdr_force_spring(0.5, 1, 0, 0);
    t->field[1] = kdr_force_driven(0.5, 0.25, 0, 2, 0);
    desc->interactions = t->interactions;
    desc->interaction_count = what / 2 % 2 && count <= MOST_ATTRACTED ? 3 : 0;
    desc->forces = t->field;
    desc->force_count = what / 4 % 2 ? 2 : 0;
}

/* With levels, layouts, marks, masses and forces of every kind, the kernels have the reference's x, v, memory and clock, and ask the
 * function for the same particles at the same times. */
Test(levels, runs_are_the_reference_to_the_bit) {
    enum { STEPS = 3 };
    static things t;
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    kdr_executor executors[MAX_EXECUTORS];
    const size_t m = list_executors(executors);
    unsigned partial = 0;
    for (int c = 0; c < 32 * ALL_ROWS; ++c) {
        const kdr_real real = (kdr_real)(c % 2);
        const int form = c / 4 % FORMS, dims = 1 + (int)(random_bits(&seed) % 3);
        const unsigned what = (unsigned)random_bits(&seed);
        const bool masses = what / 64 % 2, in_rows = form == IN_ROWS && what / 128 % 2 && !coasts(c / 16 % ALL_ROWS),
                   memory = !in_rows && what / 256 % 4 != 0;
        const size_t count = c % 31 == 0 ? 1500 : 1 + (size_t)(random_bits(&seed) % 200);
        kdr_system_desc desc = kdr_system_desc_default();
        choose_row(c / 16 % ALL_ROWS, &desc);
        desc.real = real;
        desc.arithmetic = (kdr_arithmetic)(c / 2 % 2);
        desc.backend = backends[(size_t)(c + c / 16) % n];
        desc.executor = executors[(size_t)c / 3 % m];
        desc.levels = true;
        ring r = {.in_rows = in_rows, .coasts = coasts(c / 16 % ALL_ROWS)};
        if (in_rows) {
            desc.rows = true;
        } else {
            draw_things(&t, &desc, count, what, &seed);
        }
        if (in_rows || what / 8 % 4 || desc.interaction_count + desc.force_count == 0) {
            desc.accelerations = ring_accelerations;
            desc.context = &r;
        }
        kdr_particles p = make_particles(count, dims, real, masses, memory), q = make_particles(count, dims, real, masses, memory);
        fill_random(&p, &seed);
        for (size_t i = 0; masses && i < count; i += 5) {
            set(p.inverse_mass, real, i, 0);
        }
        copy_state(&q, &p);
        const uint8_t *const level = draw_levels(count, c % MOST_LEVEL + 1, &seed), *const active = draw_active(count, &seed);
        p.level = q.level = level;
        p.level_count = q.level_count = count;
        if (what / 1024 % 4 == 0) {
            p.active = q.active = active;
            p.active_count = q.active_count = count;
        }
        far f = put_far(&q, form);
        carry(&f.p, &q, false);
        memcpy(f.before, f.block, f.bytes);
        kdr_particles start = make_particles(count, dims, real, masses, false);
        copy_state(&start, &p);
        kdr_clock clock = {0.5, 0.0625, 3}, other = clock;
        far g = put_far(&p, in_rows ? IN_ROWS : PLAIN);
        carry(&g.p, &p, false);
        reference(&desc, &g.p, &clock, STEPS);
        carry(&g.p, &p, true);
        const ring by_reference = r;
        r = (ring){.in_rows = in_rows, .coasts = r.coasts};
        run(&desc, &f.p, &other, STEPS);
        carry(&f.p, &q, true);
        cr_expect(same_bits(&p, &q) && same_memory(&p, &q) && clock.step == other.step && f.p.memory_key == g.p.memory_key,
                  "case %d, %zu particles on %d axes, form %d, backend %d", c, count, dims, form, (int)desc.backend);
        cr_expect(r.calls == by_reference.calls && r.digest == by_reference.digest, "case %d: %d calls, %d", c, (int)r.calls,
                  (int)by_reference.calls);
        partial += r.asked < r.calls * count;
        for (size_t i = 0; i < count; ++i) { /* the reference does not touch them either */
            for (int axis = 0; axis < dims && stands(&p, i); ++axis) {
                cr_assert(kdr_element_bits(p.x[axis], real, i) == kdr_element_bits(start.x[axis], real, i) &&
                          kdr_element_bits(p.v[axis], real, i) == kdr_element_bits(start.v[axis], real, i));
            }
        }
        carry(&f.p, &start, false); /* nothing between the elements was written */
        cr_expect(memcmp(f.before, f.block, f.bytes) == 0, "case %d wrote between the elements", c);
        far_destroy(&f);
        far_destroy(&g);
        free((void *)(uintptr_t)level);
        free((void *)(uintptr_t)active);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
        kdr_particles_destroy(&start);
    }
    cr_expect(partial > 64, "only %u cases asked for some particles", partial);
}

/* With one level for all, a run equals one without levels with 2^level times the steps: in its bits, its memory, and the times of its
 * calls. This holds for the reference and the kernels. */
Test(levels, equal_levels_are_runs_without) {
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    static things t;
    for (int c = 0; c < 32 * ROWS; ++c) {
        const kdr_real real = (kdr_real)(c % 2);
        const int level = c / 4 % 4, runner = c / (16 * ROWS);
        const size_t count = 2 + (size_t)(random_bits(&seed) % 150);
        ring r = {.coasts = coasts(c / 16 % ROWS)};
        kdr_system_desc desc = kdr_system_desc_default();
        choose_row(c / 16 % ROWS, &desc);
        desc.real = real;
        desc.arithmetic = (kdr_arithmetic)(c / 2 % 2);
        desc.backend = backends[(size_t)c % n];
        draw_things(&t, &desc, count, (unsigned)random_bits(&seed), &seed);
        desc.accelerations = ring_accelerations;
        desc.context = &r;
        kdr_particles p = make_particles(count, 1 + c % 3, real, c % 3 == 0, true),
                      q = make_particles(count, 1 + c % 3, real, c % 3 == 0, true);
        fill_random(&p, &seed);
        uint8_t *const levels = malloc(count);
        memset(levels, level, count);
        if (p.inverse_mass) {
            levels[0] = 9; /* this particle is frozen, so its level makes no step shorter */
            set(p.inverse_mass, real, 0, 0);
        }
        copy_state(&q, &p);
        kdr_clock clock = {0.25, 0.125, 5}, fine = {0.25, 0.125 / (1 << level), 5U << level};
        (runner == 0 ? run : reference)(&desc, &q, &fine, 3U << level);
        const ring plain = r;
        r = (ring){.coasts = r.coasts};
        desc.levels = true;
        p.level = levels;
        p.level_count = count;
        (runner == 0 ? run : reference)(&desc, &p, &clock, 3);
        cr_expect(same_bits(&p, &q) && same_memory(&p, &q), "case %d, level %d", c, level);
        cr_expect(clock.step == 8 && r.calls == plain.calls && r.digest == plain.digest, "case %d, level %d", c, level);
        free(levels);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* A run may be cut into calls by the reference and the kernels in turn. Levels may change between two of them, and the memory stays
 * valid. */
Test(levels, calls_may_be_cut_and_levels_changed) {
    enum { CALLS = 5 };
    uint64_t seed = test_seed();
    for (int c = 0; c < 48; ++c) {
        const kdr_real real = (kdr_real)(c / 4 % 2);
        const bool changes = c / 8 % 2;
        const size_t count = 1 + (size_t)(random_bits(&seed) % 150);
        ring r = {.coasts = coasts(c % ALL_ROWS)}, unused = r;
        kdr_system_desc desc = kdr_system_desc_default(), beside = desc;
        choose_row(c % ALL_ROWS, &desc);
        desc.real = real;
        desc.levels = true;
        desc.accelerations = ring_accelerations;
        beside = desc;
        desc.context = &r;
        beside.context = &unused;
        kdr_particles p = make_particles(count, 2, real, c % 3 == 0, true), q = make_particles(count, 2, real, c % 3 == 0, true);
        kdr_particles whole = make_particles(count, 2, real, c % 3 == 0, true);
        fill_random(&p, &seed);
        copy_state(&q, &p);
        copy_state(&whole, &p);
        kdr_clock clock = {0, 0.0625, 0}, other = clock, third = clock;
        const uint8_t *level = draw_levels(count, 3, &seed);
        kdr_system *system;
        cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
        for (int call = 0; call < CALLS; ++call) {
            if (changes && call > 0) {
                free((void *)(uintptr_t)level);
                level = draw_levels(count, call, &seed);
            }
            p.level = q.level = whole.level = level;
            p.level_count = q.level_count = whole.level_count = count;
            const uint64_t expected = 2 * evaluations_of(c % ALL_ROWS, &p) + (call == 0 && rows[c % ALL_ROWS].keeps);
            cr_expect(kdr_system_evaluations(system, &p, &clock, 2) == expected);
            kdr_particles few = p; /* fewer levels than particles: a run refuses this */
            few.level_count = 1;
            few.level = (const uint8_t[1]){3};
            few.count = (size_t)1 << 32;
            cr_expect(kdr_system_evaluations(system, &few, &clock, 2) == 0);
            cr_expect(kdr_system_evaluations(system, &p, &clock, 0) == 0 && kdr_system_evaluations(NULL, &p, &clock, 2) == 0);
            r.calls = 0;
            run(&desc, &p, &clock, 2);
            cr_expect(r.calls == expected, "case %d, call %d: %d calls, %d expected", c, call, (int)r.calls, (int)expected);
            (call % 2 ? reference : run)(&beside, &q, &other, 2);
        }
        kdr_system_destroy(system);
        cr_expect(same_bits(&p, &q) && same_memory(&p, &q), "case %d", c);
        if (!changes) {
            run(&desc, &whole, &third, (uint64_t)2 * CALLS);
            cr_expect(same_bits(&p, &whole) && same_memory(&p, &whole) && p.memory_key == whole.memory_key, "case %d, one call", c);
        }
        free((void *)(uintptr_t)level);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
        kdr_particles_destroy(&whole);
    }
}

/* The function fails at its n-th call, for every n. The state left is that of the clock's steps before, and the run continues as if nothing
 * had happened. */
Test(levels, a_function_that_fails_leaves_the_clocks_last_step) {
    enum { STEPS = 3 };
    static things t;
    uint64_t seed = test_seed();
    kdr_backend backends[KDR_BACKEND_LAST];
    const size_t n = list_backends(backends);
    unsigned stopped = 0;
    for (int c = 0; c < 24; ++c) {
        const kdr_real real = (kdr_real)(c % 2);
        const bool memory = c % 5 != 0, masses = c % 3 == 0;
        const size_t count = c % 7 == 0 && rows[c / 2 % ALL_ROWS].parts == 1 ? 1100 : 1 + (size_t)(random_bits(&seed) % 150);
        ring r = {0};
        kdr_system_desc desc = kdr_system_desc_default();
        choose_row(c / 2 % ALL_ROWS, &desc);
        desc.real = real;
        desc.backend = backends[(size_t)c % n];
        desc.levels = true;
        draw_things(&t, &desc, count, count < 100 ? (unsigned)random_bits(&seed) : 4, &seed);
        desc.accelerations = ring_accelerations;
        desc.context = &r;
        kdr_particles start = make_particles(count, 3, real, masses, memory), p = make_particles(count, 3, real, masses, memory);
        kdr_particles q = make_particles(count, 3, real, masses, memory);
        fill_random(&start, &seed);
        const uint8_t *const level = draw_levels(count, 3, &seed);
        p.level = q.level = level;
        p.level_count = q.level_count = count;
        bool finished = false;
        for (int at = 1; !finished; ++at) {
            copy_state(&p, &start);
            copy_state(&q, &start);
            far f = put_far(&p, c % FORMS);
            carry(&f.p, &p, false);
            kdr_clock clock = {0.5, 0.125, 10}, other = clock;
            kdr_error error = {KDR_OK, ""};
            r = (ring){.fails_at = at};
            const kdr_status status = run_with(&desc, &f.p, &clock, STEPS, &error);
            finished = status == KDR_OK;
            stopped += clock.step > 10 && !finished;
            cr_assert(finished || (status == KDR_ERROR_UNAVAILABLE && one_line(&error, status)), "'%s'", error.message);
            const uint64_t calls = (uint64_t)at - 1, first = rows[c / 2 % ALL_ROWS].keeps;
            const uint64_t done = finished ? STEPS : calls < first ? 0 : (calls - first) / evaluations_of(c / 2 % ALL_ROWS, &p);
            cr_assert(clock.step == 10 + done, "call %d failed, after step %d", at, (int)clock.step - 10);
            carry(&f.p, &p, true);
            p.memory_key = f.p.memory_key;
            r = (ring){0};
            reference(&desc, &q, &other, clock.step - 10);
            cr_expect(same_bits(&p, &q), "case %d, call %d failed, after step %d", c, at, (int)clock.step - 10);
            if (memory) {
                cr_expect(clock.step == 10 || (p.memory_key == q.memory_key && same_memory(&p, &q)), "case %d, call %d failed", c, at);
                run(&desc, &p, &clock, 10 + STEPS + 1 - clock.step);
                reference(&desc, &q, &other, 10 + STEPS + 1 - other.step);
                cr_expect(same_bits(&p, &q), "case %d, call %d failed, then went on", c, at);
            }
            far_destroy(&f);
        }
        free((void *)(uintptr_t)level);
        kdr_particles_destroy(&start);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
    cr_expect(stopped > 100, "only %u runs stopped after a whole step", stopped);
}

/* Particles that do not interact take the steps and the noise of their level as in a field run, except for the rounding of drifts. */
Test(levels, in_a_field_each_goes_its_own_way) {
    enum { COUNT = 500, STEPS = 8 };
    uint64_t seed = test_seed();
    const kdr_force field[3] = {kdr_force_spring(3, 1, 0, 0), kdr_force_driven(0.5, 0.25, 0, 2, 0),
                                kdr_force_electromagnetic(2, (const double[]){0.5, 0, 0}, (const double[]){1, -2, 1.5})};
    for (int row = 0; row < ROWS; ++row) {
        kdr_system_desc desc = kdr_system_desc_default();
        choose_row(row, &desc);
        desc.forces = field, desc.force_count = desc.magnetic ? 3 : 2, desc.levels = true;
        desc.magnetic = NULL;
        kdr_integrator_desc alone = kdr_integrator_desc_default();
        alone.method = desc.method, alone.fractions = desc.fractions, alone.langevin = desc.langevin;
        alone.forces = field, alone.force_count = desc.force_count, alone.speed_of_light = desc.speed_of_light;
        kdr_particles p = make_particles(COUNT, 3, KDR_F64, true, false), q = make_particles(COUNT, 3, KDR_F64, true, false);
        fill_random(&p, &seed);
        copy_state(&q, &p);
        const uint8_t *const level = draw_levels(COUNT, MOST_LEVEL, &seed);
        p.level = q.level = level;
        p.level_count = q.level_count = COUNT;
        p.first_id = q.first_id = 1000;
        kdr_clock clock = {0.25, 0.125, 5}, other = clock;
        run(&desc, &p, &clock, STEPS);
        advance(BY_INTEGRATOR, &alone, &q, &other, STEPS);
        double worst = 0;
        for (size_t i = 0; i < COUNT; ++i) {
            const state a = get_state(&p, i), b = get_state(&q, i);
            for (int axis = 0; axis < 3; ++axis) {
                worst = fmax(worst, fmax(fabs(a.x[axis] - b.x[axis]), fabs(a.v[axis] - b.v[axis])));
            }
        }
        cr_expect(worst < 1e-12, "row %d: %.3g", row, worst);
        free((void *)(uintptr_t)level);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* Counts the targets of gravity, where its kernel is called. */
static const kdr_pair_kernels *counted;
static uint64_t targets;

static void count_targets(const kdr_gravity *gravity, bool fused_roots, size_t begin, size_t end) {
    targets += end - begin;
    counted->gravity(gravity, fused_roots, begin, end);
}

Test(levels, gravity_is_evaluated_for_those_who_are_kicked) {
    enum { COUNT = 333, STEPS = 4 };
    uint64_t seed = test_seed();
    for (int c = 0; c < 16; ++c) {
        const kdr_real real = (kdr_real)(c % 2);
        const bool middles = c / 8 == 1;
        double mu[COUNT];
        kdr_particles p = make_particles(COUNT, 3, real, c / 2 % 2, false);
        fill_random(&p, &seed);
        for (size_t i = 0; i < COUNT; ++i) {
            set(mu, real, i, 0.01);
            if (p.inverse_mass && i % 7 == 0) {
                set(p.inverse_mass, real, i, 0);
            }
        }
        const uint8_t *const level = draw_levels(COUNT, MOST_LEVEL, &seed), *const active = draw_active(COUNT, &seed);
        p.level = level;
        p.level_count = COUNT;
        p.active = c / 4 % 2 ? active : NULL;
        p.active_count = COUNT;
        uint64_t expected = middles ? 0 : COUNT;
        for (size_t i = 0; i < COUNT; ++i) { /* at the end of the clock's step this includes particles that do not move */
            expected += STEPS * (stands(&p, i) ? !middles : UINT64_C(1) << level[i]);
        }
        const kdr_interaction gravity = kdr_interaction_gravity(mu, COUNT, 0.1);
        kdr_system_desc desc = kdr_system_desc_default();
        desc.real = real;
        desc.method = middles ? KDR_POSITION_VERLET : KDR_VELOCITY_VERLET;
        desc.interactions = &gravity;
        desc.interaction_count = 1;
        desc.levels = true;
        kdr_system *system;
        kdr_workspace workspace;
        kdr_clock clock = {0, 0.01, 0};
        kdr_error error;
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_workspace_create(system, COUNT, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK);
        kdr_pairs *const pairs = system->terms[0].data;
        kdr_pair_kernels counting = *(counted = pairs->kernels);
        counting.gravity = count_targets;
        pairs->kernels = &counting;
        targets = 0;
        cr_assert(kdr_system_run(system, &p, &clock, STEPS, &workspace, &error) == KDR_OK, "%s", error.message);
        cr_expect(targets == expected, "case %d: %d targets, expected %d", c, (int)targets, (int)expected);
        pairs->kernels = counted;
        free((void *)(uintptr_t)level);
        free((void *)(uintptr_t)active);
        kdr_workspace_destroy(&workspace);
        kdr_system_destroy(system);
        kdr_particles_destroy(&p);
    }
}

/* A binary of eccentricity 0.9, and slow bodies far away on circles about it. Distances are in units of its semi-major axis, and G (m + m)
 * = 1. */
enum { BODIES = 32, BINARY_LEVEL = 9 };
static const double far_dt = 0.5;

typedef struct sky {
    kdr_particles p;
    double mu[BODIES];
    uint8_t level[BODIES];
    kdr_interaction gravity;
} sky;

static void put(sky *s, size_t i, double mu, double x, double y, double vx, double vy) {
    const double at[3] = {x, y, 0}, u[3] = {vx, vy, 0};
    for (int axis = 0; axis < 3; ++axis) {
        set(s->p.x[axis], KDR_F64, i, at[axis]);
        set(s->p.v[axis], KDR_F64, i, u[axis]);
    }
    s->mu[i] = mu;
}

static void make_sky(sky *s, int binary_level, int far_level) {
    s->p = make_particles(BODIES, 3, KDR_F64, false, true);
    const double e = 0.9, apart = 1 + e, speed = sqrt((1 - e) / (1 + e));
    put(s, 0, 0.5, apart / 2, 0, 0, speed / 2);
    put(s, 1, 0.5, -apart / 2, 0, 0, -speed / 2);
    for (size_t i = 2; i < BODIES; ++i) {
        const double r = 20 + 0.5 * (double)i, v = 1 / sqrt(r), angle = 2.4 * (double)i;
        put(s, i, 1e-6, r * cos(angle), r * sin(angle), -v * sin(angle), v * cos(angle));
    }
    for (size_t i = 0; i < BODIES; ++i) {
        s->level[i] = (uint8_t)(i < 2 ? binary_level : far_level);
    }
    s->p.level = s->level;
    s->p.level_count = BODIES;
    s->gravity = kdr_interaction_gravity(s->mu, BODIES, 0);
}

static double energy(const sky *s) {
    double sum = 0;
    for (size_t i = 0; i < BODIES; ++i) {
        const state a = get_state(&s->p, i);
        sum += 0.5 * s->mu[i] * (a.v[0] * a.v[0] + a.v[1] * a.v[1] + a.v[2] * a.v[2]);
        for (size_t j = 0; j < i; ++j) {
            const state b = get_state(&s->p, j);
            sum -= s->mu[i] * s->mu[j] / hypot(hypot(a.x[0] - b.x[0], a.x[1] - b.x[1]), a.x[2] - b.x[2]);
        }
    }
    return sum;
}

static kdr_system_desc of_sky(const sky *s) {
    kdr_system_desc desc = kdr_system_desc_default();
    desc.interactions = &s->gravity;
    desc.interaction_count = 1;
    desc.levels = true;
    return desc;
}

/* Returns the largest relative error of the energy at the ends of the clock's steps. */
static double worst_energy(kdr_method method, int binary_level, int far_level) {
    enum { STEPS = 130 }; /* ten revolutions */
    sky s;
    make_sky(&s, binary_level, far_level);
    kdr_system_desc desc = of_sky(&s);
    desc.method = method;
    const double first = energy(&s);
    double worst = 0;
    kdr_clock clock = {0, far_dt, 0};
    for (int n = 0; n < STEPS; ++n) {
        run(&desc, &s.p, &clock, 1);
        worst = fmax(worst, fabs(energy(&s) / first - 1));
    }
    kdr_particles_destroy(&s.p);
    return worst;
}

Test(levels, a_tight_binary_does_not_make_all_steps_short) {
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_POSITION_VERLET};
    const double few = 2 * (1 << BINARY_LEVEL) + (BODIES - 2), many = BODIES * (double)(1 << BINARY_LEVEL);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        const double by_levels = worst_energy(methods[m], BINARY_LEVEL, 0), by_all = worst_energy(methods[m], BINARY_LEVEL, BINARY_LEVEL);
        const double too_coarse = worst_energy(methods[m], BINARY_LEVEL - 2, 0);
        fprintf(stderr, "energy: %.3g by levels, %.3g by the smallest step for all, %.3g by steps 4 times as long; evaluations %.4f\n",
                by_levels, by_all, too_coarse, few / many);
        cr_expect(by_levels < 1.05 * by_all && by_levels > 0.5 * by_all);
        cr_expect(too_coarse > 8 * by_levels); /* the energy depends on the binary's steps, and shows if they are too long */
    }
    cr_expect(few / many < 0.07);
}

/* Returns how far oscillators of omega = sqrt(2) in float are from those in double at the end of a run. */
static double astray(kdr_method method, bool compensated) {
    enum { COUNT = 12, STEPS = 20000 };
    static const uint8_t level[COUNT] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    kdr_particles p[KDR_REAL_COUNT];
    double sum = 0;
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        homing never = {.fails_at = -1};
        kdr_system_desc desc = describe_system(method, (kdr_real)real, KDR_FUSED, KDR_BACKEND_AUTO);
        kdr_clock clock = {.dt = 1.0 / 32};
        desc.levels = true, desc.compensated = compensated;
        desc.accelerations = pull_home, desc.context = &never;
        p[real] = make_particles(COUNT, 1, (kdr_real)real, false, false);
        for (size_t i = 0; i < COUNT; ++i) {
            set(p[real].x[0], (kdr_real)real, i, 1 + (double)i / 16);
            set(p[real].v[0], (kdr_real)real, i, 0.5);
        }
        p[real].level = level, p[real].level_count = COUNT;
        run(&desc, &p[real], &clock, STEPS);
    }
    for (size_t i = 0; i < COUNT; ++i) {
        sum += fabs(get(p[KDR_F32].x[0], KDR_F32, i) - get(p[KDR_F64].x[0], KDR_F64, i)) / COUNT;
    }
    kdr_particles_destroy(&p[KDR_F32]);
    kdr_particles_destroy(&p[KDR_F64]);
    return sum;
}

/* The compensation is carried by each kick of a level and each drift of all. With one level for all it equals that of short steps, and
 * floats lose far less. */
Test(levels, sums_are_carried) {
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_POSITION_VERLET, KDR_SEMI_IMPLICIT_EULER, KDR_BORIS};
    for (int n = 0; n < 16; ++n) {
        static uint8_t level[40];
        const kdr_real real = (kdr_real)(n / 4 % 2);
        homing never = {.fails_at = -1};
        uint64_t seed = 3;
        kdr_system_desc desc = describe_system(methods[n % 4], real, KDR_FUSED, KDR_BACKEND_AUTO);
        kdr_clock clock = {.dt = 0.125}, fine = {.dt = 0.03125};
        kdr_particles_desc with = kdr_particles_desc_default();
        kdr_particles p, q;
        with.count = 40, with.real = real, with.memory = with.compensation = true, with.inverse_mass = n / 8;
        cr_assert(kdr_particles_create(&with, &p, NULL) == KDR_OK && kdr_particles_create(&with, &q, NULL) == KDR_OK);
        fill_random(&p, &seed);
        copy_state(&q, &p);
        desc.compensated = true;
        desc.accelerations = pull_home, desc.context = &never;
        run(&desc, &q, &fine, 36);
        memset(level, 2, sizeof level);
        desc.levels = true;
        p.level = level, p.level_count = 40;
        run(&desc, &p, &clock, 4);
        run(&desc, &p, &clock, 5);
        bool same = same_bits(&p, &q);
        for (int i = 0; i < 6; ++i) {
            same = same && memcmp(p.compensation[i], q.compensation[i], 40 * kdr_real_size(real)) == 0;
        }
        cr_expect(same, "%s, %d", kdr_method_get(methods[n % 4])->name, n);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
    for (int n = 0; n < 2; ++n) { /* a function that fails leaves the compensation of the step before, too */
        static const uint8_t level[40] = {2, 1, 0, 3};
        homing never = {.fails_at = -1}, fails = {.fails_at = 44};
        uint64_t seed = 4;
        kdr_system_desc desc = describe_system(methods[n], KDR_F32, KDR_FUSED, KDR_BACKEND_AUTO);
        kdr_clock clock = {.dt = 0.125}, other = clock;
        kdr_particles_desc with = kdr_particles_desc_default();
        kdr_particles p, q;
        kdr_error error;
        with.count = 40, with.real = KDR_F32, with.memory = with.compensation = true;
        cr_assert(kdr_particles_create(&with, &p, NULL) == KDR_OK && kdr_particles_create(&with, &q, NULL) == KDR_OK);
        fill_random(&p, &seed);
        copy_state(&q, &p);
        p.level = q.level = level, p.level_count = q.level_count = 40;
        desc.compensated = desc.levels = true;
        desc.accelerations = pull_home, desc.context = &fails;
        cr_expect(run_with(&desc, &p, &clock, 9, &error) == KDR_ERROR_OVERFLOW && clock.step > 1 && clock.step < 9);
        desc.context = &never;
        run(&desc, &q, &other, clock.step);
        run(&desc, &p, &clock, 3);
        run(&desc, &q, &other, 3);
        cr_expect(same_bits(&p, &q), "%s", kdr_method_get(methods[n])->name);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
    for (int n = 0; n < 4; ++n) { /* putting a particle back into a box keeps its compensation */
        static const uint8_t level[40] = {2, 1, 0, 3};
        homing never = {.fails_at = -1};
        uint64_t seed = 5;
        kdr_system_desc desc = describe_system(KDR_VELOCITY_VERLET, (kdr_real)(n % 2), KDR_FUSED, KDR_BACKEND_AUTO);
        kdr_clock clock = {.dt = 0.125}, other = clock;
        kdr_particles p = make_particles(40, 2, desc.real, n / 2, false), q = make_particles(40, 2, desc.real, n / 2, false);
        fill_random(&p, &seed);
        copy_state(&q, &p);
        p.level = q.level = level, p.level_count = q.level_count = 40;
        desc.compensated = desc.levels = true;
        desc.accelerations = pull_home, desc.context = &never;
        desc.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {-0.75, -0.5, 0}, {0.5, 0.75, 0}};
        reference(&desc, &p, &clock, 40);
        run(&desc, &q, &other, 40);
        cr_expect(same_bits(&p, &q), "%d", n);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
    for (int n = 0; n < 4; ++n) {
        const double without = astray(methods[n], false), with = astray(methods[n], true);
        fprintf(stderr, "%s: %.2g astray, %.2g with sums that are carried\n", kdr_method_get(methods[n])->name, without, with);
        cr_expect(with < without / 20 && without > 1e-6, "%s: %g, %g", kdr_method_get(methods[n])->name, without, with);
    }
}

/* Pairs of different masses on springs whose ends are at two levels: each end has half the temperature per axis, and so has each spring. */
Test(levels, a_heat_bath_is_as_warm_at_every_level) {
    enum { COUNT = 600, LEVELS = 3, BEFORE = 20, SAMPLES = 400, APART = 16 };
    static kdr_pair_spring springs[COUNT / 2];
    static uint8_t level[COUNT];
    const double temperature = 0.75;
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, true, false);
    for (size_t i = 0; i < COUNT; ++i) {
        level[i] = (uint8_t)(i % LEVELS);
        set(p.inverse_mass, KDR_F64, i, 0.5 + 0.25 * (double)(i % 5));
        for (int axis = 0; axis < 3; ++axis) {
            set(p.x[axis], KDR_F64, i, 0);
            set(p.v[axis], KDR_F64, i, 0);
        }
        springs[i / 2] = (kdr_pair_spring){.a = (uint32_t)i - 1, .b = (uint32_t)i, .k = 1};
    }
    p.level = level;
    p.level_count = COUNT;
    const kdr_interaction network = kdr_interaction_spring_network(springs, COUNT / 2);
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = KDR_BAOAB;
    desc.langevin = (kdr_langevin){.friction = 2, .temperature = temperature, .seed = 77};
    desc.interactions = &network, desc.interaction_count = 1, desc.levels = true;
    kdr_clock clock = {0, 0x1p-4, 0};
    double warmth[LEVELS] = {0}, stretch[LEVELS] = {0};
    for (int n = -BEFORE; n < SAMPLES; ++n) {
        run(&desc, &p, &clock, APART);
        for (size_t i = 0; i < COUNT && n >= 0; ++i) {
            const state a = get_state(&p, i), b = get_state(&p, i ^ 1);
            for (int axis = 0; axis < 3; ++axis) {
                warmth[level[i]] += a.v[axis] * a.v[axis] / get(p.inverse_mass, KDR_F64, i);
                stretch[level[i]] += (a.x[axis] - b.x[axis]) * (a.x[axis] - b.x[axis]);
            }
        }
    }
    for (int n = 0; n < LEVELS; ++n) { /* five standard deviations of 240,000 numbers each, and the error of the clock's step */
        const double all = (double)COUNT / LEVELS * 3 * SAMPLES * temperature;
        fprintf(stderr, "level %d: %.4f of the temperature, springs %.4f\n", n, warmth[n] / all, stretch[n] / all);
        cr_expect(close_to(warmth[n] / all, 1, 0.015) && close_to(stretch[n] / all, 1, 0.015));
    }
    kdr_particles_destroy(&p);
}

static void positions_after(kdr_method method, kdr_composition compose, double dt, uint64_t steps, double x[BODIES][3]) {
    sky s;
    make_sky(&s, 3, 1);
    s.level[5] = 0;
    s.level[6] = 2;
    const double closer[3] = {6, -1, 0}; /* close enough to depend on the binary's revolutions */
    for (int axis = 0; axis < 3; ++axis) {
        set(s.p.x[axis], KDR_F64, 5, closer[axis]);
        set(s.p.x[axis], KDR_F64, 6, -closer[axis]);
    }
    s.mu[5] = s.mu[6] = 0.05;
    kdr_system_desc desc = of_sky(&s);
    desc.method = method;
    desc.compose = compose;
    kdr_clock clock = {0, dt, 0};
    run(&desc, &s.p, &clock, steps);
    for (size_t i = 0; i < BODIES; ++i) {
        memcpy(x[i], get_state(&s.p, i).x, sizeof x[i]);
    }
    kdr_particles_destroy(&s.p);
}

/* Checks the order of the whole state at time 2, before the binary's first pericentre, with fixed levels: each time the clock's step is
 * halved the error falls as the order says. `exact` has the bodies' positions then. */
static void expect_order(kdr_method method, kdr_composition compose, double exact[BODIES][3], int order, double near, double most) {
    static double x[3][BODIES][3];
    double error[3] = {0};
    for (int k = 0; k < 3; ++k) {
        positions_after(method, compose, 0.125 / (1 << k), 16U << k, x[k]);
        for (size_t i = 0; i < BODIES; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                error[k] = fmax(error[k], fabs(x[k][i][axis] - exact[i][axis]));
            }
        }
    }
    const double first = log2(error[0] / error[1]), second = log2(error[1] / error[2]);
    fprintf(stderr, "errors %.3g, %.3g, %.3g: orders %.3f, %.3f\n", error[0], error[1], error[2], first, second);
    cr_expect(close_to(first, order, 2 * near) && close_to(second, order, near) && error[2] < most);
}

Test(levels, steps_of_their_own_are_of_second_order) {
    static double exact[BODIES][3];
    positions_after(KDR_VELOCITY_VERLET, KDR_COMPOSE_NONE, 0.125 / 64, 16 * 64, exact);
    expect_order(KDR_VELOCITY_VERLET, KDR_COMPOSE_NONE, exact, 2, 0.05, 1e-3);
    expect_order(KDR_POSITION_VERLET, KDR_COMPOSE_NONE, exact, 2, 0.05, 1e-3);
}

/* A step of levels is symmetric in time, so composing raises its order. */
Test(levels, composed_steps_of_levels_are_of_their_order) {
    static double exact[BODIES][3];
    positions_after(KDR_VELOCITY_VERLET, KDR_COMPOSE_KAHAN_LI_8, 0.125 / 16, 16 * 16, exact);
    expect_order(KDR_VELOCITY_VERLET, KDR_COMPOSE_SUZUKI_4, exact, 4, 0.15, 1e-6);
    expect_order(KDR_POSITION_VERLET, KDR_COMPOSE_SUZUKI_4, exact, 4, 0.15, 1e-6);
}

/* Particles without levels are those of level 0. */
Test(levels, composed_steps_are_the_same_without_levels) {
    static const uint8_t zeros[50];
    uint64_t seed = test_seed();
    kdr_particles p[3];
    for (int i = 0; i < 3; ++i) {
        uint64_t like = seed;
        ring r = {0};
        kdr_system_desc desc = kdr_system_desc_default();
        kdr_clock clock = {0.5, 0.0625, 3};
        desc.compose = KDR_COMPOSE_YOSHIDA_6, desc.levels = true;
        desc.accelerations = ring_accelerations, desc.context = &r;
        p[i] = make_particles(50, 2, KDR_F64, false, true);
        fill_random(&p[i], &like);
        p[i].level = i == 0 ? NULL : zeros;
        p[i].level_count = 50;
        (i == 1 ? reference : run)(&desc, &p[i], &clock, 4);
        char text[4096];
        kdr_system *system = NULL;
        cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK);
        cr_expect(kdr_system_explain(system, 2, false, text, sizeof text) < sizeof text && strstr(text, "with levels: "), "%s", text);
        kdr_system_destroy(system);
        cr_expect(r.calls == 1 + 4 * 7 && same_bits(&p[0], &p[i]) && same_memory(&p[0], &p[i]), "%d", i);
    }
    for (int i = 0; i < 3; ++i) {
        kdr_particles_destroy(&p[i]);
    }
}

/* The substeps of a step are the same backwards. */
Test(levels, levels_run_back) {
    static const kdr_method methods[] = {KDR_VELOCITY_VERLET, KDR_POSITION_VERLET};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        sky s, start;
        make_sky(&s, 4, 0);
        make_sky(&start, 4, 0);
        s.level[7] = 2;
        kdr_system_desc desc = of_sky(&s);
        desc.method = methods[m];
        kdr_clock there = {0, 0.125, 0}, back = {2, -0.125, 0};
        run(&desc, &s.p, &there, 16);
        const double away = fabs(get(s.p.x[0], KDR_F64, 0) - get(start.p.x[0], KDR_F64, 0));
        run(&desc, &s.p, &back, 16);
        double worst = 0;
        for (size_t i = 0; i < BODIES; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                worst = fmax(worst, fabs(get(s.p.x[axis], KDR_F64, i) - get(start.p.x[axis], KDR_F64, i)));
            }
        }
        fprintf(stderr, "%.3g away, then %.3g\n", away, worst);
        cr_expect(away > 0.25 && worst < 1e-12);
        kdr_particles_destroy(&s.p);
        kdr_particles_destroy(&start.p);
    }
}

static void expect_refused(const kdr_system_desc *desc, const char *says) {
    kdr_error error = {KDR_OK, ""}, other = {KDR_OK, ""};
    kdr_system *system = NULL;
    double x = 0;
    kdr_particles p = {.count = 1, .dims = 1, .real = KDR_F64, .x = {&x}, .v = {&x}};
    kdr_clock clock = {0, 1, 0};
    cr_expect(kdr_system_create(desc, &system, &error) == KDR_ERROR_UNSUPPORTED && !system && one_line(&error, KDR_ERROR_UNSUPPORTED));
    cr_expect(strstr(error.message, says), "'%s'", error.message);
    p.v[0] = &(double){1};
    cr_expect(kdr_reference_system_run(desc, &p, &clock, 1, &other) == KDR_ERROR_UNSUPPORTED && strcmp(error.message, other.message) == 0);
}

Test(levels, what_cannot_be_is_refused_by_name) {
    static const kdr_fractions other[] = {{.count = 2, .kick = {0, 1}, .drift = {0.25, 0.75}},
                                          {.count = 2, .kick = {0.5, 0.5}, .drift = {0, 1}},
                                          {.count = 3, .kick = {0.25, 0.5, 0.25}, .drift = {0.5, 0.25, 0.25}},
                                          {.count = 3, .kick = {0.25, 0.5, 0.25}, .drift = {0.75, 0.25, 0}}};
    kdr_system_desc desc = kdr_system_desc_default();
    desc.levels = true;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        desc.method = (kdr_method)m;
        if (m != KDR_VELOCITY_VERLET && m != KDR_POSITION_VERLET && m != KDR_BAOAB && m != KDR_SEMI_IMPLICIT_EULER &&
            m != KDR_DRIFT_KICK_EULER && kdr_method_get(desc.method)->family != KDR_MAGNETIC && is_system(desc.method)) {
            expect_refused(&desc, "expected kicks at the beginning, in the middle or at the end");
        }
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; ++i) {
        desc.fractions = &other[i];
        expect_refused(&desc, "take velocity-verlet");
    }
    desc.fractions = NULL;
    desc.method = KDR_VELOCITY_VERLET;

    /* Levels without the flag are refused, and so are levels where they have no meaning. */
    double x[2] = {1, 2}, v[2] = {3, 4};
    const uint8_t level[2] = {0, 1};
    kdr_particles p = {.count = 2, .dims = 1, .real = KDR_F64, .x = {x}, .v = {v}, .level = level, .level_count = 2};
    kdr_clock clock = {0, 1, 0};
    kdr_error error, of_reference;
    kdr_pass_options options;
    kdr_system *system;
    cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK);
    cr_expect(kdr_system_run_blocks(system, &p, &clock, 1, &error) == KDR_ERROR_UNSUPPORTED && strstr(error.message, "kdr_system_run"));
    kdr_system_destroy(system);
    cr_assert(kdr_pass_options_init(KDR_FUSED, KDR_BACKEND_AUTO, kdr_executor_serial(), &options, &error) == KDR_OK);
    cr_expect(kdr_drift(&p, 1, &options, &error) == KDR_ERROR_UNSUPPORTED && strstr(error.message, "kdr_system_run"));
    desc.levels = false;
    cr_expect(run_with(&desc, &p, &clock, 1, &error) == KDR_ERROR_UNSUPPORTED && strstr(error.message, "kdr_system_desc.levels"));
    cr_expect(kdr_reference_system_run(&desc, &p, &clock, 1, &of_reference) == KDR_ERROR_UNSUPPORTED &&
              strcmp(error.message, of_reference.message) == 0);
    cr_expect(x[0] == 1 && x[1] == 2 && v[0] == 3 && v[1] == 4 && clock.step == 0);

    /* The flag costs memory, but changes nothing without levels. */
    desc.levels = true;
    cr_assert(run_with(&desc, &p, &clock, 1, &error) == KDR_OK, "%s", error.message);
    kdr_system *with, *without;
    cr_assert(kdr_system_create(&desc, &with, &error) == KDR_OK);
    desc.levels = false;
    cr_assert(kdr_system_create(&desc, &without, &error) == KDR_OK);
    const size_t more = kdr_system_workspace_size(with, 1 << 20, 3) - kdr_system_workspace_size(without, 1 << 20, 3);
    cr_expect(more >= 9U << 20 && more < (9U << 20) + 65536, "%zu", more);
    kdr_system_destroy(with);
    kdr_system_destroy(without);
}
