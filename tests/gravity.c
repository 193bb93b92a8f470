/* Gravity on separate arrays: sources and targets in pieces, particles that attract each other as a special case, values by long double and
 * by theorems, and refusals. The bits on all backends are tested by the equality engine (tools/check/kind_gravity.c). */
#include "pairs_support.h"
#include "system_support.h"

static kdr_pass_options options_of(kdr_backend backend, kdr_arithmetic arithmetic, kdr_executor executor) {
    kdr_pass_options options;
    kdr_error error;
    cr_assert(kdr_pass_options_init(arithmetic, backend, executor, &options, &error) == KDR_OK, "%s", error.message);
    return options;
}

static void add(const kdr_gravity *gravity, const kdr_pass_options *options) {
    kdr_error error;
    cr_assert(kdr_gravity_add(gravity, options, &error) == KDR_OK, "%s", error.message);
}

enum { MOST = 1000, SOURCES = 700, TARGETS = 333 };

/* Sources, targets and sums: elements of a precision, at unaligned addresses. */
typedef struct arrays {
    _Alignas(8) unsigned char source[5][MOST * 8 + 8], target[4][MOST * 8 + 8], sum[4][MOST * 8 + 8];
    kdr_gravity view;
} arrays;

enum { OFF = 4 };

static void *place(unsigned char *array) { return array + OFF; }

static void fill(arrays *all, kdr_real real, int dims, bool lengths, uint64_t *seed) {
    memset(all, 0, sizeof *all);
    kdr_gravity *const g = &all->view;
    *g = (kdr_gravity){.dims = dims, .real = real, .sources = SOURCES, .targets = TARGETS, .softening = 0.05};
    for (size_t i = 0; i < MOST; ++i) {
        for (int n = 0; n < 4; ++n) {
            const bool is_length = n == 3;
            put_any(place(all->source[n]), real, i, is_length ? random_in(seed, 0.01, 0.2) : random_in(seed, -1, 1));
            put_any(place(all->target[n]), real, i, is_length ? random_in(seed, 0.01, 0.2) : random_in(seed, -1, 1));
            put_any(place(all->sum[n]), real, i, random_in(seed, -1, 1));
        }
        put_any(place(all->source[4]), real, i, random_in(seed, 0, 2.0 / SOURCES));
    }
    for (int i = 0; i < dims; ++i) {
        g->source_x[i] = place(all->source[i]);
        g->target_x[i] = place(all->target[i]);
        g->a[i] = place(all->sum[i]);
    }
    g->mu = place(all->source[4]);
    g->source_softening = lengths ? place(all->source[3]) : NULL;
    g->target_softening = lengths ? place(all->target[3]) : NULL;
    g->potential = place(all->sum[3]);
}

static const void *at(const void *array, kdr_real real, size_t first) {
    return array ? (const unsigned char *)array + first * kdr_real_size(real) : NULL;
}

/* Returns a view of some of the sources and some of the targets. */
static kdr_gravity cut(const kdr_gravity *g, size_t source, size_t sources, size_t target, size_t targets) {
    kdr_gravity some = *g;
    for (int i = 0; i < g->dims; ++i) {
        some.source_x[i] = at(g->source_x[i], g->real, source);
        some.target_x[i] = at(g->target_x[i], g->real, target);
        some.a[i] = (void *)(uintptr_t)at(g->a[i], g->real, target);
    }
    some.mu = at(g->mu, g->real, source);
    some.source_softening = at(g->source_softening, g->real, source);
    some.target_softening = at(g->target_softening, g->real, target);
    some.potential = (void *)(uintptr_t)at(g->potential, g->real, target);
    some.sources = sources;
    some.targets = targets;
    some.first_source = g->first_source + (ptrdiff_t)target;
    return some;
}

/* Adds the sources slice by slice, in the order of the whole, as a ring of ranks does. */
static void in_slices(const kdr_gravity *g, size_t slice, const kdr_pass_options *options) {
    for (size_t first = 0; first < g->sources; first += slice) {
        const kdr_gravity some = cut(g, first, g->sources - first < slice ? g->sources - first : slice, 0, g->targets);
        add(&some, options);
    }
}

static bool same_sums(const arrays *a, const arrays *b) { return memcmp(a->sum, b->sum, sizeof a->sum) == 0; }

Test(gravity, sources_in_slices_are_one_call) {
    static arrays whole, sliced;
    uint64_t seed = test_seed();
    unsigned other = 0;
    for (int c = 0; c < 2 * 2 * 2 * 3; ++c) {
        const kdr_real real = (kdr_real)(c % 2);
        const kdr_pass_options options = options_of(KDR_BACKEND_AUTO, (kdr_arithmetic)(c / 2 % 2), kdr_executor_serial());
        const uint64_t start = seed;
        fill(&whole, real, 1 + c / 8, c / 4 % 2, &seed);
        add(&whole.view, &options);
        for (size_t slice = KDR_GRAVITY_BLOCK; slice <= 4 * KDR_GRAVITY_BLOCK; slice += KDR_GRAVITY_BLOCK) {
            uint64_t again = start;
            fill(&sliced, real, 1 + c / 8, c / 4 % 2, &again);
            in_slices(&sliced.view, slice, &options);
            cr_expect(same_sums(&whole, &sliced), "case %d: slices of %zu sources", c, slice);
        }
        uint64_t again = start;
        fill(&sliced, real, 1 + c / 8, c / 4 % 2, &again);
        in_slices(&sliced.view, 100, &options);
        other += !same_sums(&whole, &sliced);
    }
    cr_expect(other == 24, "slices that are no blocks gave the bits of one call in %u of 24 cases", 24 - other);
}

Test(gravity, targets_may_be_cut_anywhere) {
    static arrays whole, pieces;
    static const size_t ends[] = {TARGETS, 200, 199, 198, 64, 50, 1, 0}; /* the last piece first */
    uint64_t seed = test_seed();
    kdr_executor executors[MAX_EXECUTORS + 1] = {kdr_executor_serial()};
    const size_t executor_count = 1 + list_executors(executors + 1);
    for (int c = 0; c < 2 * 2 * 2; ++c) {
        const uint64_t start = seed;
        for (size_t e = 0; e < executor_count; ++e) {
            const kdr_pass_options options = options_of(KDR_BACKEND_AUTO, (kdr_arithmetic)(c / 2 % 2), executors[e]);
            uint64_t again = start;
            arrays *const all = e == 0 ? &whole : &pieces;
            fill(all, (kdr_real)(c % 2), 3, c / 4, &again);
            all->view.targets_are_sources = true;
            all->view.first_source = 17;
            add(&all->view, &options);
            cr_expect(e == 0 || same_sums(&whole, &pieces), "case %d, executor %zu", c, e);
            again = start;
            fill(&pieces, (kdr_real)(c % 2), 3, c / 4, &again);
            pieces.view.targets_are_sources = true;
            pieces.view.first_source = 17;
            for (size_t n = 0; ends[n] > 0; ++n) {
                const kdr_gravity some = cut(&pieces.view, 0, SOURCES, ends[n + 1], ends[n] - ends[n + 1]);
                add(&some, &options);
            }
            cr_expect(same_sums(&whole, &pieces), "case %d, executor %zu, in pieces", c, e);
            seed = again;
        }
    }
}

/* Blocks of sources that begin among the targets give the bits of one call, and of the reference, on every backend. */
Test(gravity, sources_that_begin_behind_targets) {
    static arrays whole, blocks, textbook;
    uint64_t seed = test_seed();
    for (int c = 0; c < 2 * 2 * (KDR_BACKEND_LAST + 1 - KDR_BACKEND_FIRST); ++c) {
        const kdr_backend backend = (kdr_backend)(KDR_BACKEND_FIRST + c / 4);
        const kdr_arithmetic arithmetic = (kdr_arithmetic)(c / 2 % 2);
        kdr_backend_info info;
        cr_assert(kdr_backend_query(backend, &info) == KDR_OK);
        if (!info.runnable) {
            continue;
        }
        const kdr_pass_options options = options_of(backend, arithmetic, kdr_executor_serial());
        const uint64_t start = seed;
        uint64_t again = start, third = start;
        fill(&whole, (kdr_real)(c % 2), 3, false, &seed);
        fill(&blocks, (kdr_real)(c % 2), 3, false, &again);
        fill(&textbook, (kdr_real)(c % 2), 3, false, &third);
        arrays *const all[] = {&whole, &blocks, &textbook};
        for (int n = 0; n < 3; ++n) { /* target n is source n */
            all[n]->view.targets_are_sources = true;
            all[n]->view.softening = 0.25;
            for (int i = 0; i < 3; ++i) {
                all[n]->view.target_x[i] = all[n]->view.source_x[i];
            }
        }
        add(&whole.view, &options);
        for (size_t first = 0; first < SOURCES; first += KDR_GRAVITY_BLOCK) {
            const size_t count = SOURCES - first < KDR_GRAVITY_BLOCK ? SOURCES - first : KDR_GRAVITY_BLOCK;
            kdr_gravity some = cut(&blocks.view, first, count, 0, TARGETS), other = cut(&textbook.view, first, count, 0, TARGETS);
            if (first <= TARGETS) {
                some.first_source = other.first_source = -(ptrdiff_t)first;
            } else {
                some.targets_are_sources = other.targets_are_sources = false;
            }
            add(&some, &options);
            cr_assert(kdr_reference_gravity_add(&other, arithmetic, NULL) == KDR_OK);
        }
        cr_expect(same_sums(&whole, &blocks) && same_sums(&blocks, &textbook), "%s, case %d", info.name, c);
    }
}

/* Particles that attract each other are both sources and targets. Lists of forces give these bits, and so does their reference. */
Test(gravity, of_particles_is_the_special_case) {
    static arrays one, other, book;
    uint64_t seed = test_seed();
    for (int c = 0; c < 2 * 2 * 2 * 3; ++c) {
        const kdr_real real = (kdr_real)(c % 2);
        const kdr_arithmetic arithmetic = (kdr_arithmetic)(c / 2 % 2);
        const kdr_pass_options options = options_of(KDR_BACKEND_AUTO, arithmetic, kdr_executor_serial());
        fill(&one, real, 1 + c / 8, c / 4 % 2, &seed);
        kdr_gravity *const g = &one.view;
        memcpy(one.target, one.source, sizeof one.target);
        g->potential = NULL;
        other = book = one;
        add(g, &options);
        kdr_particles p = kdr_particles_default();
        p.count = TARGETS, p.dims = g->dims, p.real = real;
        for (int i = 0; i < g->dims; ++i) {
            p.x[i] = place(one.target[i]);
            p.v[i] = place(one.source[i]); /* not read */
        }
        kdr_interaction force = kdr_interaction_gravity(g->mu, 0, g->softening);
        force.as.gravity.sources = TARGETS;
        force.as.gravity.softening_each = g->source_softening;
        force.as.gravity.softening_count = MOST;
        kdr_pairs_desc desc = kdr_pairs_desc_default();
        desc.forces = &force, desc.force_count = 1, desc.real = real, desc.arithmetic = arithmetic;
        kdr_pairs *pairs;
        kdr_error error;
        memcpy(one.sum, other.sum, sizeof one.sum);
        g->sources = TARGETS;
        add(g, &options);
        void *const a[3] = {place(other.sum[0]), place(other.sum[1]), place(other.sum[2])};
        void *const b[3] = {place(book.sum[0]), place(book.sum[1]), place(book.sum[2])};
        cr_assert(kdr_pairs_create(&desc, &pairs, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_pairs_add(pairs, &p, a, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_reference_pairs_add(&desc, &p, b, &error) == KDR_OK, "%s", error.message);
        cr_expect(same_sums(&one, &other) && same_sums(&one, &book), "case %d", c);
        kdr_pairs_destroy(pairs);
    }
}

/* With levels only chosen particles are targets, and their softening lengths are chosen with them. */
Test(gravity, lengths_of_those_whose_step_ends) {
    enum { COUNT = 90 };
    uint64_t seed = test_seed();
    for (int c = 0; c < 2; ++c) {
        const kdr_real real = (kdr_real)c;
        double mu[COUNT], lengths[COUNT];
        uint8_t level[COUNT];
        kdr_particles p = make_particles(COUNT, 3, real, false, false), q = make_particles(COUNT, 3, real, false, false);
        fill_random(&p, &seed);
        copy_state(&q, &p);
        for (size_t i = 0; i < COUNT; ++i) {
            set(mu, real, i, 0.01);
            set(lengths, real, i, random_in(&seed, 0.05, 0.5));
            level[i] = (uint8_t)(random_bits(&seed) % 4);
        }
        kdr_interaction force = kdr_interaction_gravity(mu, COUNT, 0);
        force.as.gravity.softening_each = lengths;
        force.as.gravity.softening_count = COUNT;
        p.level = q.level = level;
        p.level_count = q.level_count = COUNT;
        kdr_system_desc desc = kdr_system_desc_default();
        desc.real = real, desc.interactions = &force, desc.interaction_count = 1, desc.levels = true;
        kdr_system *system;
        kdr_workspace workspace;
        kdr_clock clock = {0, 0.01, 0}, clock_of_reference = clock;
        kdr_error error;
        cr_assert(kdr_system_create(&desc, &system, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_workspace_create(system, COUNT, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_system_run(system, &p, &clock, 5, &workspace, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_reference_system_run(&desc, &q, &clock_of_reference, 5, &error) == KDR_OK, "%s", error.message);
        cr_expect(same_bits(&p, &q), "%s", kdr_real_name(real));
        kdr_workspace_destroy(&workspace);
        kdr_system_destroy(system);
        kdr_particles_destroy(&p);
        kdr_particles_destroy(&q);
    }
}

/* Compares with long double, in units of rounding of the sum of absolute values. */
Test(gravity, is_the_sum_of_the_textbook) {
    static arrays all;
    uint64_t seed = test_seed();
    for (int c = 0; c < 4; ++c) {
        const kdr_real real = (kdr_real)(c % 2);
        const kdr_pass_options options = options_of(KDR_BACKEND_AUTO, KDR_FUSED, kdr_executor_serial());
        fill(&all, real, 3, c / 2, &seed);
        kdr_gravity *const g = &all.view;
        memset(all.sum, 0, sizeof all.sum);
        add(g, &options);
        double worst[2] = {0, 0};
        for (size_t n = 0; n < TARGETS; ++n) {
            long double exact[3] = {0, 0, 0}, potential = 0, size = 0;
            for (size_t j = 0; j < SOURCES; ++j) {
                long double d[3], q = (long double)g->softening * g->softening;
                for (int end = 0; end < 2 && g->source_softening; ++end) {
                    const long double e = at_any(end ? g->source_softening : g->target_softening, real, end ? j : n);
                    q += e * e;
                }
                for (int i = 0; i < 3; ++i) {
                    d[i] = (long double)at_any(g->source_x[i], real, j) - at_any(g->target_x[i], real, n);
                    q += d[i] * d[i];
                }
                const long double mu = at_any(g->mu, real, j);
                for (int i = 0; i < 3; ++i) {
                    exact[i] += mu * d[i] / (q * sqrtl(q));
                }
                potential -= mu / sqrtl(q);
                size += mu / q;
            }
            for (int i = 0; i < 3; ++i) {
                worst[0] = fmax(worst[0], (double)(fabsl(at_any(g->a[i], real, n) - exact[i]) / size));
            }
            worst[1] = fmax(worst[1], (double)fabsl(at_any(g->potential, real, n) / potential - 1));
        }
        const double unit = real == KDR_F32 ? 0x1p-24 : 0x1p-53;
        fprintf(stderr, "%s, lengths %d: accelerations off by %.3g units, potentials by %.3g\n", kdr_real_name(real), c / 2,
                worst[0] / unit, worst[1] / unit);
        cr_expect(worst[0] > 0 && worst[0] < 8 * unit && worst[1] > 0 && worst[1] < 8 * unit);
    }
}

/* By Newton's shell theorem there is no force within a shell, and outside the force is that of its mass in the centre. */
Test(gravity, of_a_shell) {
    enum { POINTS = 20000 };
    static double x[3][POINTS], mu[POINTS];
    for (size_t n = 0; n < POINTS; ++n) { /* spread as evenly as on a sunflower */
        const double z = 1 - (2 * (double)n + 1) / POINTS, r = sqrt(1 - z * z), turn = 2.399963229728653 * (double)n;
        x[0][n] = r * cos(turn), x[1][n] = r * sin(turn), x[2][n] = z;
        mu[n] = 3.0 / POINTS;
    }
    const double inside[3] = {0.3, -0.2, 0.4}, size = sqrt(0.29);
    double target[3][2], a[3][2] = {{0}}, potential[2] = {0, 0};
    kdr_gravity g = {.dims = 3, .real = KDR_F64, .sources = POINTS, .mu = mu, .targets = 2, .potential = potential};
    for (int i = 0; i < 3; ++i) {
        target[i][0] = inside[i];
        target[i][1] = inside[i] * 2 / size; /* at a distance of 2 */
        g.source_x[i] = x[i], g.target_x[i] = target[i], g.a[i] = a[i];
    }
    const kdr_pass_options options = options_of(KDR_BACKEND_AUTO, KDR_FUSED, kdr_executor_serial());
    add(&g, &options);
    for (int i = 0; i < 3; ++i) {
        cr_expect(close_to(a[i][0], 0, 1e-3), "%g", a[i][0]);
        cr_expect(close_to(a[i][1], -3.0 / 4 * inside[i] / size, 1e-4), "%g", a[i][1]);
    }
    cr_expect(close_to(potential[0], -3, 1e-4) && close_to(potential[1], -1.5, 1e-4), "%g %g", potential[0], potential[1]);
}

/* Softening lengths of 3 and 4 combine to 5, from both ends. A particle is no source of its own potential; another at the same position
 * is. */
Test(gravity, lengths_are_symmetric) {
    const double x[3] = {0, 12, 0}, mu[3] = {1, 1, 1}, lengths[3] = {3, 4, 3};
    double a[3] = {0, 0, 0}, potential[3] = {0, 0, 0};
    kdr_gravity g = {.dims = 1, .real = KDR_F64, .sources = 2, .source_x = {x}, .mu = mu, .source_softening = lengths, .targets = 2};
    g.target_x[0] = x, g.target_softening = lengths, g.a[0] = a, g.potential = potential, g.targets_are_sources = true;
    const kdr_pass_options options = options_of(KDR_BACKEND_AUTO, KDR_FUSED, kdr_executor_serial());
    add(&g, &options);
    cr_expect(a[0] == 12.0 / 2197 && a[1] == -a[0] && close_to(potential[0], -1.0 / 13, 1e-17) && potential[1] == potential[0], "%g %g",
              a[0], potential[0]);
    g.sources = g.targets = 3;
    memset(a, 0, sizeof a);
    memset(potential, 0, sizeof potential);
    add(&g, &options);
    cr_expect(a[2] == 12.0 / 2197 && close_to(potential[0], -1.0 / 13 - 1 / sqrt(18), 1e-15) && potential[2] == potential[0], "%g",
              potential[0]);
}

/* Checks that kdr_pairs_potential is the sum over pairs. Pairs of sources count once, pairs with a test particle once, pairs of two frozen
 * particles not at all; and the softening of both counts. */
static void hold_energy(size_t count, size_t sources, kdr_real real, bool masses, bool lengths, uint64_t *seed) {
    kdr_particles p = make_particles(count, 3, real, masses, false);
    double *const mu = calloc(count, sizeof *mu), *const each = calloc(count, sizeof *each);
    fill_random(&p, seed);
    for (size_t i = 0; i < count; ++i) {
        if (masses) {
            set(p.inverse_mass, real, i, i % 5 == 1 ? 0 : 0.5 + (double)(i % 4));
        }
        const double w = masses ? get(p.inverse_mass, real, i) : 1;
        set(mu, real, i, w != 0 ? 0.01 / w : 3);
        set(each, real, i, random_in(seed, 0.05, 0.1));
    }
    kdr_interaction force = kdr_interaction_gravity(mu, sources, 0.1);
    force.as.gravity.softening_each = lengths ? each : NULL;
    force.as.gravity.softening_count = count;
    long double exact = 0, size = 0;
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < i && j < sources; ++j) {
            long double q = 0.1L * 0.1L;
            for (int axis = 0; axis < 3; ++axis) {
                const long double d = (long double)get(p.x[axis], real, j) - get(p.x[axis], real, i);
                q += d * d;
            }
            q += lengths ? (long double)get(each, real, i) * get(each, real, i) + (long double)get(each, real, j) * get(each, real, j) : 0;
            const double w = masses ? get(p.inverse_mass, real, i) : 1, other = masses ? get(p.inverse_mass, real, j) : 1;
            if (w != 0) {
                exact -= (long double)get(mu, real, j) / w / sqrtl(q);
            } else if (other != 0 && i < sources) {
                exact -= (long double)get(mu, real, i) / other / sqrtl(q);
            }
        }
    }
    size = -exact;
    kdr_executor executors[MAX_EXECUTORS + 1] = {kdr_executor_serial()};
    const size_t executor_count = 1 + list_executors(executors + 1);
    double first = 0;
    size_t turn = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        for (size_t e = 0; info.runnable && e < executor_count; ++e, ++turn) {
            kdr_pairs_desc desc = kdr_pairs_desc_default();
            desc.forces = &force, desc.force_count = 1, desc.real = real, desc.backend = (kdr_backend)b, desc.executor = executors[e];
            kdr_pairs *pairs;
            kdr_error error;
            double energy = 7;
            cr_assert(kdr_pairs_create(&desc, &pairs, &error) == KDR_OK, "%s", error.message);
            cr_assert(kdr_pairs_potential(pairs, &p, &energy, &error) == KDR_OK, "%s", error.message);
            first = turn == 0 ? energy : first;
            cr_expect(memcmp(&energy, &first, sizeof energy) == 0, "%s, executor %zu: %a, expected %a", info.name, e, energy, first);
            kdr_pairs_destroy(pairs);
        }
    }
    const double unit = real == KDR_F32 ? 0x1p-24 : 0x1p-53, off = size == 0 ? fabs(first) : (double)fabsl((first - exact) / size);
    cr_expect(off < 4 * unit, "%zu particles, %zu sources, %s, masses %d, lengths %d: off by %g units", count, sources, kdr_real_name(real),
              masses, lengths, off / unit);
    free(mu);
    free(each);
    kdr_particles_destroy(&p);
}

Test(gravity, energy_is_the_sum_over_pairs) {
    static const size_t counts[][2] = {{0, 0}, {1, 1}, {2, 2}, {5, 3}, {129, 129}, {300, 257}, {400, 100}};
    uint64_t seed = test_seed();
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        for (int c = 0; c < 8; ++c) {
            hold_energy(counts[n][0], counts[n][1], (kdr_real)(c % 2), c / 2 % 2, c / 4, &seed);
        }
    }
    hold_energy(70000, 3, KDR_F64, true, false, &seed); /* more ranges than are summed at once */
}

/* An orbit about a frozen source has the energy of one about kdr_force_centre, and keeps it, both for a test particle and for a source. */
Test(gravity, energy_of_an_orbit_about_a_frozen_source) {
    for (int c = 0; c < 4; ++c) {
        const double mu[2] = {1.5, 0}, softening = c % 2 ? 0.125 : 0;
        const kdr_interaction gravity = kdr_interaction_gravity(mu, (size_t)c / 2 + 1, softening);
        const kdr_force centre = kdr_force_centre(1.5, 0.5, 0, 0, softening);
        kdr_system_desc desc = kdr_system_desc_default();
        kdr_integrator_desc single = kdr_integrator_desc_default();
        kdr_particles p = make_particles(2, 3, KDR_F64, true, false), view = p;
        kdr_system *system;
        kdr_integrator *integrator;
        kdr_clock clock = {0, 0x1p-10, 0};
        kdr_observables alone, begin, end;
        desc.interactions = &gravity, desc.interaction_count = 1;
        single.forces = &centre, single.force_count = 1;
        put_state(&p, 0, &(state){{0.5, 0, 0}, {0, 0, 0}});
        put_state(&p, 1, &(state){{1.5, 0, 0}, {0, 1, 0.25}});
        set(p.inverse_mass, KDR_F64, 0, 0);
        set(p.inverse_mass, KDR_F64, 1, 0.25);
        cr_assert(kdr_system_create(&desc, &system, NULL) == KDR_OK && kdr_integrator_create(&single, &integrator, NULL) == KDR_OK);
        cr_assert(kdr_observe(integrator, &view, &clock, &alone, NULL) == KDR_OK);
        cr_assert(kdr_system_observe(system, &p, &clock, &begin, NULL) == KDR_OK);
        run(&desc, &p, &clock, 4000);
        cr_assert(kdr_system_observe(system, &p, &clock, &end, NULL) == KDR_OK);
        cr_expect(close_to(begin.potential, alone.potential, 1e-14) &&
                      close_to(begin.potential, -6 / sqrt(1 + softening * softening), 1e-14),
                  "case %d: %g, expected %g", c, begin.potential, alone.potential);
        cr_expect(close_to(end.energy, begin.energy, 1e-5), "case %d: from %.9g to %.9g", c, begin.energy, end.energy);
        kdr_system_destroy(system);
        kdr_integrator_destroy(integrator);
        kdr_particles_destroy(&p);
    }
}

static void refuse(const kdr_gravity *g, kdr_status status, const char *text) {
    const kdr_pass_options options = options_of(KDR_BACKEND_AUTO, KDR_FUSED, kdr_executor_serial());
    kdr_error error = {KDR_OK, ""};
    cr_expect(kdr_gravity_add(g, &options, &error) == status && one_line(&error, status) && strstr(error.message, text), "%s: %d %s", text,
              (int)error.status, error.message);
    cr_expect(kdr_reference_gravity_add(g, KDR_FUSED, &error) == status && strstr(error.message, text), "%s: %s", text, error.message);
    cr_expect(kdr_gravity_add(g, &options, NULL) == status);
}

Test(gravity, what_is_wrong_is_refused) {
    static arrays all, before;
    uint64_t seed = 1;
    fill(&all, KDR_F64, 2, true, &seed);
    before = all;
    refuse(NULL, KDR_ERROR_NULL, "gravity: expected a pointer");
#define WRONG(status, text, ...)                                                                                                           \
    do {                                                                                                                                   \
        kdr_gravity g = all.view;                                                                                                          \
        __VA_ARGS__;                                                                                                                       \
        refuse(&g, status, text);                                                                                                          \
    } while (0)
    WRONG(KDR_ERROR_ARGUMENT, "gravity.dims: expected 1, 2 or 3, got 0", g.dims = 0);
    WRONG(KDR_ERROR_ARGUMENT, "gravity.dims: expected 1, 2 or 3, got 4", g.dims = 4);
    WRONG(KDR_ERROR_ARGUMENT, "gravity.real", g.real = (kdr_real)7);
    WRONG(KDR_ERROR_OVERFLOW, "gravity: expected at most", g.sources = SIZE_MAX / 8);
    WRONG(KDR_ERROR_OVERFLOW, "gravity: expected at most", g.targets = SIZE_MAX);
    WRONG(KDR_ERROR_ARGUMENT, "gravity.first_source: expected -333 to 700", g.targets_are_sources = true, g.first_source = SOURCES + 1);
    WRONG(KDR_ERROR_ARGUMENT, "gravity.first_source: expected -333 to 700", g.targets_are_sources = true, g.first_source = -334);
    WRONG(KDR_ERROR_NOT_FINITE, "gravity.softening", g.softening = NAN);
    WRONG(KDR_ERROR_NOT_FINITE, "gravity.softening", g.softening = 1e200);
    WRONG(KDR_ERROR_ARGUMENT, "gravity.softening: expected 0", g.softening = -1);
    WRONG(KDR_ERROR_ARGUMENT, "gravity.softening: expected 0", g.softening = 1e-301);
    WRONG(KDR_ERROR_ARGUMENT, "gravity: expected accelerations", g.a[0] = g.a[1] = g.potential = NULL);
    WRONG(KDR_ERROR_NULL, "gravity.a[1]: expected an array of 333", g.a[1] = NULL);
    WRONG(KDR_ERROR_NULL, "gravity.a[0]: expected", g.a[0] = NULL);
    WRONG(KDR_ERROR_NULL, "gravity.mu: expected an array of 700", g.mu = NULL);
    WRONG(KDR_ERROR_NULL, "gravity.source_x[1]", g.source_x[1] = NULL);
    WRONG(KDR_ERROR_NULL, "gravity.target_x[0]", g.target_x[0] = NULL);
    WRONG(KDR_ERROR_OVERLAP, "gravity.a[1]: expected an array separate from the others, got one that overlaps a[0]", g.a[1] = g.a[0]);
    WRONG(KDR_ERROR_OVERLAP, "gravity.potential", g.potential = (char *)g.a[1] + (TARGETS - 1) * sizeof(double));
    WRONG(KDR_ERROR_OVERLAP, "overlaps mu", g.a[0] = (void *)(uintptr_t)g.mu);
    WRONG(KDR_ERROR_OVERLAP, "overlaps target_softening", g.a[1] = (void *)(uintptr_t)g.target_softening);
    cr_expect(memcmp(&all, &before, sizeof all) == 0, "something was touched");
    put_any(place(all.source[3]), KDR_F64, 600, -0.5);
    WRONG(KDR_ERROR_ARGUMENT, "gravity.source_softening[600]: expected 0", (void)0);
    put_any(place(all.source[3]), KDR_F64, 600, 0);
    put_any(place(all.target[3]), KDR_F64, 332, INFINITY);
    WRONG(KDR_ERROR_NOT_FINITE, "gravity.target_softening[332]", (void)0);
    put_any(place(all.target[3]), KDR_F64, 332, 1);
#undef WRONG
    kdr_error error = {KDR_OK, ""};
    const kdr_pass_options options = options_of(KDR_BACKEND_AUTO, KDR_FUSED, kdr_executor_serial());
    cr_expect(kdr_gravity_add(&(const kdr_gravity){.dims = 1}, &options, &error) == KDR_OK, "%s", error.message);
    const kdr_pass_options none = {.arithmetic = KDR_FUSED};
    cr_expect(kdr_gravity_add(&all.view, NULL, &error) == KDR_ERROR_NULL && one_line(&error, KDR_ERROR_NULL));
    cr_expect(kdr_gravity_add(&all.view, &none, &error) == KDR_ERROR_ARGUMENT && strstr(error.message, "kdr_pass_options_init"));
    cr_expect(kdr_reference_gravity_add(&all.view, (kdr_arithmetic)5, &error) == KDR_ERROR_ARGUMENT && strstr(error.message, "arithmetic"));
}

Test(gravity, lists_with_lengths_are_checked) {
    double mu[3] = {1, 1, 1}, lengths[3] = {0.5, 0, 1e-310}, energy;
    kdr_interaction force = kdr_interaction_gravity(mu, 2, 0);
    force.as.gravity.softening_each = lengths, force.as.gravity.softening_count = 3;
    kdr_pairs_desc desc = kdr_pairs_desc_default();
    desc.forces = &force, desc.force_count = 1;
    kdr_pairs *const untouched = (kdr_pairs *)&force, *pairs = untouched;
    kdr_error error;
    cr_expect(kdr_pairs_create(&desc, &pairs, &error) == KDR_ERROR_ARGUMENT && pairs == untouched &&
                  strstr(error.message, "interactions[0].softening_each[2]: expected 0, or at least"),
              "%s", error.message);
    force.as.gravity.softening_count = 2;
    cr_assert(kdr_pairs_create(&desc, &pairs, &error) == KDR_OK, "%s", error.message);
    kdr_particles p = make_particles(3, 2, KDR_F64, false, false), a = make_particles(3, 2, KDR_F64, false, false);
    static const char text[] = "particles.count: expected at most 2, which have softening lengths, got 3";
    cr_expect(kdr_pairs_add(pairs, &p, a.x, &error) == KDR_ERROR_MISMATCH && strcmp(error.message, text) == 0, "%s", error.message);
    cr_expect(kdr_pairs_potential(pairs, &p, &energy, &error) == KDR_ERROR_MISMATCH && strcmp(error.message, text) == 0, "%s",
              error.message);
    cr_expect(kdr_reference_pairs_add(&desc, &p, a.x, &error) == KDR_ERROR_MISMATCH && strcmp(error.message, text) == 0, "%s",
              error.message);
    kdr_system_desc system_desc = kdr_system_desc_default();
    system_desc.interactions = &force, system_desc.interaction_count = 1;
    kdr_system *system;
    kdr_workspace workspace;
    kdr_clock clock = {0, 1, 0};
    cr_assert(kdr_system_create(&system_desc, &system, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_workspace_create(system, 3, 2, (kdr_allocator){0}, &workspace, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_system_run(system, &p, &clock, 1, &workspace, &error) == KDR_ERROR_MISMATCH && clock.step == 0 &&
                  strcmp(error.message, text) == 0,
              "%s", error.message);
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    kdr_pairs_destroy(pairs);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&a);
}
