/* Forces between particles and rods have the bits of the reference on every backend, with every executor, count and address, and write
 * nothing else. */
#include "pairs_support.h"

enum { MAX_SPRINGS = 2000 };

typedef struct options {
    kdr_real real;
    kdr_arithmetic arithmetic;
    kdr_backend backend;
    kdr_executor executor;
} options;

typedef struct job {
    kdr_interaction forces[3];
    size_t count;
    const kdr_distance *rods;
    size_t rod_count;
    double dt;
} job;

static kdr_pairs_desc pairs_desc(const job *j, const options *o) {
    kdr_pairs_desc desc = kdr_pairs_desc_default();
    desc.forces = j->forces;
    desc.force_count = j->count;
    desc.real = o->real;
    desc.arithmetic = o->arithmetic;
    desc.backend = o->backend;
    desc.executor = o->executor;
    return desc;
}

static kdr_distance_constraints_desc rods_desc(const job *j, const options *o) {
    kdr_distance_constraints_desc desc = kdr_distance_constraints_desc_default();
    desc.distances = j->rods;
    desc.count = j->rod_count;
    desc.tolerance = 0.01;
    desc.sweeps = 5;
    desc.relaxation = j->rod_count % 2 ? 1.5 : 1;
    desc.real = o->real;
    desc.arithmetic = o->arithmetic;
    desc.backend = o->backend;
    desc.executor = o->executor;
    return desc;
}

#define OK(call) cr_assert((call) == KDR_OK, "%s", error.message)

/* Computes everything, one after the other. `start` shares the memory of `a`, which is free then. */
static void by_reference(const job *j, const options *o, guarded *g) {
    kdr_error error;
    const kdr_pairs_desc pairs = pairs_desc(j, o);
    const kdr_distance_constraints_desc rods = rods_desc(j, o);
    OK(kdr_reference_pairs_add(&pairs, &g->p, g->a, &error));
    OK(kdr_reference_pair_map_add(&pairs, &g->p, j->dt, g->a, g->b, &error));
    OK(kdr_reference_distance_constraints_shake(&rods, &g->p, (const void *const *)g->start, j->dt, &error));
    OK(kdr_reference_distance_constraints_rattle(&rods, &g->p, j->dt, &error));
}

static void by_kernels(const job *j, const options *o, guarded *g) {
    kdr_error error;
    const kdr_pairs_desc of_pairs = pairs_desc(j, o);
    const kdr_distance_constraints_desc of_rods = rods_desc(j, o);
    kdr_pairs *pairs;
    kdr_pair_map *map;
    kdr_distance_constraints *rods;
    OK(kdr_pairs_create(&of_pairs, &pairs, &error));
    OK(kdr_pair_map_create(pairs, &g->p, j->dt, &map, &error));
    OK(kdr_distance_constraints_create(&of_rods, &rods, &error));
    OK(kdr_pairs_add(pairs, &g->p, g->a, &error));
    OK(kdr_pair_map_add(map, &g->p, g->a, g->b, &error));
    OK(kdr_distance_constraints_shake(rods, &g->p, (const void *const *)g->start, j->dt, NULL, &error));
    OK(kdr_distance_constraints_rattle(rods, &g->p, j->dt, NULL, &error));
    kdr_distance_constraints_destroy(rods);
    kdr_pair_map_destroy(map);
    kdr_pairs_destroy(pairs);
}

/* Compares one case by all backends that run here with the reference. */
static void compare(const job *j, options o, const guarded *start, const char *what) {
    kdr_executor executors[MAX_EXECUTORS + 1] = {kdr_executor_serial()};
    const size_t executor_count = 1 + list_executors(executors + 1);
    guarded expected = guarded_copy(start, 0);
    by_reference(j, &o, &expected);
    static unsigned turn = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        cr_assert(kdr_backend_query((kdr_backend)b, &info) == KDR_OK);
        if (!info.runnable) {
            continue;
        }
        const size_t skew = (turn % 16) * 4;
        guarded got = guarded_copy(start, skew);
        o.backend = (kdr_backend)b;
        o.executor = executors[turn++ % executor_count];
        by_kernels(j, &o, &got);
        cr_assert(guarded_same(&expected, &got), "%s %s %s %s: %zu particles, %d axes, masses %d", what, info.name, kdr_real_name(o.real),
                  kdr_arithmetic_name(o.arithmetic), start->p.count, start->p.dims, start->p.inverse_mass != NULL);
        cr_assert(guarded_is_clean(&got, skew), "%s %s: wrote beyond its arrays", what, info.name);
        guarded_destroy(&got);
    }
    guarded_destroy(&expected);
}

static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 35, 127, 128, 129, 300};

typedef void case_fn(const options *o, guarded *g, uint64_t *seed);

static void for_all(case_fn *one, bool small) {
    uint64_t seed = test_seed();
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        for (int c = 0; c < 3 * 2 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++c) {
            const options o = {.real = (kdr_real)(c / 6 % 2), .arithmetic = (kdr_arithmetic)(c / 12)};
            guarded g = guarded_create(counts[n], 1 + c % 3, o.real, c / 3 % 2, 0);
            guarded_fill(&g, &seed);
            if (!small || counts[n] > 1) {
                one(&o, &g, &seed);
            }
            guarded_destroy(&g);
        }
    }
}

static void gravity_case(const options *o, guarded *g, uint64_t *seed) {
    static double space[300];
    for (size_t i = 0; i < g->p.count; ++i) {
        put_any(space, o->real, i, random_in(seed, -1, 3));
    }
    const size_t sources[] = {0, g->p.count / 3, g->p.count};
    for (int s = 0; s < 3; ++s) {
        job j = {.dt = 0.1, .count = 2};
        j.forces[0] = kdr_interaction_gravity(space, sources[s], s == 1 ? 0 : 0.125);
        j.forces[1] = kdr_interaction_gravity(space, sources[2 - s], 0);
        compare(&j, *o, g, "gravity");
    }
}

Test(pairs_bits, gravity) { for_all(gravity_case, false); }

/* There are more sources than in a block. */
Test(pairs_bits, gravity_in_blocks) {
    uint64_t seed = test_seed();
    const size_t many[] = {2 * KDR_GRAVITY_BLOCK - 1, 2 * KDR_GRAVITY_BLOCK, 1000};
    for (int n = 0; n < 3 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++n) {
        const options o = {.real = (kdr_real)(n / 3 % 2), .arithmetic = (kdr_arithmetic)(n / 6)};
        guarded g = guarded_create(many[n % 3] + 20, 3, o.real, false, 0);
        static double mu[1020];
        guarded_fill(&g, &seed);
        for (size_t i = 0; i < g.p.count; ++i) {
            put_any(mu, o.real, i, random_in(&seed, 0, 1));
        }
        job j = {.dt = 1, .count = 1};
        j.forces[0] = kdr_interaction_gravity(mu, many[n % 3], 0.01);
        compare(&j, o, &g, "blocks");
        guarded_destroy(&g);
    }
}

static void net_case(const options *o, guarded *g, uint64_t *seed) {
    static kdr_pair_spring springs[MAX_SPRINGS], others[MAX_SPRINGS];
    const size_t n = g->p.count;
    for (int s = 0; s < 3; ++s) {
        const size_t count = s == 0 ? 1 : s == 1 ? n : 6 * n;
        const size_t among = s == 1 ? n / 2 + 2 < n ? n / 2 + 2 : n : n; /* the second half of the particles has none */
        draw_springs(springs, count, among, s > 0, true, seed);
        draw_springs(others, n, n, false, true, seed);
        for (size_t i = 0; s == 2 && i < count; i += 2) { /* a hub, to which many springs lead */
            springs[i].a = 0;
            springs[i].b = springs[i].b == 0 ? 1 : springs[i].b;
        }
        job j = {.dt = s == 1 ? -0.2 : 0.3, .count = 2};
        j.forces[0] = kdr_interaction_spring_network(springs, count);
        j.forces[1] = kdr_interaction_spring_network(others, n);
        compare(&j, *o, g, "net");
    }
}

Test(pairs_bits, nets) { for_all(net_case, true); }

/* Springs between a few particles that are far from each other, with slices between them that no spring reaches. */
static void sparse_case(const options *o, guarded *g, uint64_t *seed) {
    if (g->p.count < 300) {
        return;
    }
    kdr_pair_spring springs[6] = {{.a = 299, .b = 0}, {.a = 17, .b = 299}, {.a = 130, .b = 131},
                                  {.a = 0, .b = 17},  {.a = 64, .b = 290}, {.a = 290, .b = 131}};
    for (int n = 0; n < 6; ++n) {
        springs[n].k = random_in(seed, 1, 3);
        springs[n].length = random_in(seed, 0, 1);
        springs[n].damping = n % 2 ? random_in(seed, 0, 1) : 0;
    }
    job j = {.dt = 0.25, .count = 2};
    j.forces[0] = kdr_interaction_spring_network(springs, 6);
    j.forces[1] = kdr_interaction_spring_network(springs + 2, 1);
    compare(&j, *o, g, "sparse net");
}

Test(pairs_bits, sparse_nets) { for_all(sparse_case, true); }

static void rods_case(const options *o, guarded *g, uint64_t *seed) {
    static kdr_distance rods[MAX_SPRINGS];
    const size_t n = g->p.count;
    for (int s = 0; s < 3; ++s) {
        job j = {.dt = s == 1 ? -0.25 : 0.125, .rods = rods};
        if (s == 0) { /* a chain has large sets of rods without a common particle */
            j.rod_count = n - 1;
            for (uint32_t i = 0; i + 1 < n; ++i) {
                rods[i] = (kdr_distance){i, i + 1, 1};
            }
        } else {
            j.rod_count = s == 1 ? n : 3 * n;
            draw_rods(rods, j.rod_count, n, seed);
        }
        for (int axis = 0; axis < g->p.dims; ++axis) { /* mostly, the start of the step is near its end */
            for (size_t i = 0; i < n; ++i) {
                put_any(g->start[axis], o->real, i,
                        at_any(g->p.x[axis], o->real, i) + (i % 7 == 0 ? random_in(seed, -3, 3) : random_in(seed, -0.1, 0.1)));
            }
        }
        compare(&j, *o, g, "rods");
    }
}

Test(pairs_bits, rods) { for_all(rods_case, true); }

/* With 20,000 particles on a chain each thread has more than one range. */
Test(pairs_bits, many) {
    enum { MANY = 20000 };
    uint64_t seed = test_seed();
    kdr_distance *rods = malloc(MANY * sizeof *rods);
    kdr_pair_spring *springs = malloc(2 * MANY * sizeof *springs);
    for (int c = 0; c < KDR_REAL_COUNT; ++c) {
        options o = {.real = (kdr_real)c, .arithmetic = KDR_FUSED};
        guarded g = guarded_create(MANY, 3, o.real, true, 0);
        guarded_fill(&g, &seed);
        draw_springs(springs, 2 * MANY, MANY, true, true, &seed);
        for (uint32_t i = 0; i + 1 < MANY; ++i) {
            rods[i] = (kdr_distance){i, i + 1, 1};
        }
        job j = {.dt = 0.125, .count = 1, .rods = rods, .rod_count = MANY - 1};
        j.forces[0] = kdr_interaction_spring_network(springs, 2 * MANY);
        kdr_executor executors[MAX_EXECUTORS];
        const size_t executor_count = list_executors(executors);
        guarded serial = guarded_copy(&g, 0);
        by_kernels(&j, &o, &serial);
        for (size_t e = 0; e < executor_count; ++e) {
            guarded got = guarded_copy(&g, 4);
            o.executor = executors[e];
            by_kernels(&j, &o, &got);
            cr_assert(guarded_same(&serial, &got), "executor %zu", e);
            guarded_destroy(&got);
        }
        guarded_destroy(&serial);
        guarded_destroy(&g);
    }
    free(rods);
    free(springs);
}

/* Values that are not finite spread as in the reference, and no further. */
Test(pairs_bits, not_finite) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, 1e-300, -0.0, 0x1p-1074};
    uint64_t seed = test_seed();
    kdr_pair_spring springs[60];
    kdr_distance rods[30];
    double mu[35];
    for (int c = 0; c < 4 * 7; ++c) {
        const options o = {.real = (kdr_real)(c % 2), .arithmetic = (kdr_arithmetic)(c / 2 % 2)};
        guarded g = guarded_create(35, 3, o.real, c % 3 == 0, 0);
        guarded_fill(&g, &seed);
        for (int k = 0; k < 5; ++k) {
            put_any(g.p.x[random_bits(&seed) % 3], o.real, random_bits(&seed) % 35, odd[c / 4]);
            put_any(g.p.v[random_bits(&seed) % 3], o.real, random_bits(&seed) % 35, odd[c / 4]);
        }
        for (size_t i = 0; i < 35; ++i) {
            put_any(mu, o.real, i, random_in(&seed, 0, 1));
        }
        draw_springs(springs, 60, 30, true, true, &seed);
        draw_rods(rods, 30, 30, &seed);
        job j = {.dt = 0.1, .count = 2, .rods = rods, .rod_count = 30};
        j.forces[0] = kdr_interaction_gravity(mu, 20, 0.01);
        j.forces[1] = kdr_interaction_spring_network(springs, 60);
        compare(&j, o, &g, "not finite");
        guarded_destroy(&g);
    }
}

/* The data that processes of a communicator send each other, in the order of the calls: first each posts its own, then each reads the
 * others'. */
enum { MOST_POSTS = 60, MOST_BYTES = 1200 * sizeof(double) };
typedef struct board {
    unsigned char posted[MOST_POSTS][MOST_BYTES];
    size_t size[MOST_POSTS], posts;
    int index;
    bool reads;
    kdr_status fails;
} board;

static kdr_status broadcast(void *context, int from, void *data, size_t size) {
    board *const b = context;
    const size_t n = b->posts++;
    cr_assert(n < MOST_POSTS && size > 0 && size <= MOST_BYTES);
    if (from == b->index && !b->reads) {
        memcpy(b->posted[n], data, size);
        b->size[n] = size;
    } else if (b->reads) {
        cr_assert(b->size[n] == size, "process %d has posted %zu bytes of %zu", from, b->size[n], size);
        cr_expect(from != b->index || memcmp(data, b->posted[n], size) == 0, "process %d has something else the second time", from);
        memcpy(data, b->posted[n], size);
    }
    return b->fails;
}

/* Computes the accelerations and the energy of all particles by this process of the communicator, or by the reference alone. Returns how
 * often it received data. */
static size_t by_process(const job *j, const options *o, board *b, kdr_communicator communicator, guarded *g, double *energy) {
    kdr_error error;
    kdr_pairs *pairs;
    kdr_pairs_desc desc = pairs_desc(j, o);
    desc.communicator = communicator;
    b->index = communicator.index, b->posts = 0;
    OK(kdr_pairs_create(&desc, &pairs, &error));
    OK(kdr_pairs_add(pairs, &g->p, g->a, &error));
    OK(kdr_pairs_potential(pairs, &g->p, energy, &error));
    kdr_pairs_destroy(pairs);
    return b->posts;
}

Test(pairs_bits, shared_out_among_processes) {
    static const size_t sizes[] = {0, 1, 2, 32, 33, 127, 300, 1100};
    static const int processes[] = {2, 3, 5};
    uint64_t seed = test_seed();
    board *const b = calloc(1, sizeof *b);
    double mu[1100];
    kdr_executor executors[MAX_EXECUTORS + 1] = {kdr_executor_serial()};
    const size_t executor_count = 1 + list_executors(executors + 1);
    for (size_t c = 0; c < 8 * 3 * 4; ++c) {
        const size_t count = sizes[c % 8];
        const int all = processes[c / 8 % 3];
        const options o = {(kdr_real)(c / 24 % 2), (kdr_arithmetic)(c / 48), KDR_BACKEND_AUTO, executors[c % executor_count]};
        guarded start = guarded_create(count, 3, o.real, c % 5 > 1, 0);
        guarded_fill(&start, &seed);
        for (size_t i = 0; i < count; ++i) {
            put_any(mu, o.real, i, random_in(&seed, 0, 1));
        }
        const kdr_pair_spring spring = {.a = 0, .b = 1, .k = 1};
        job j = {.count = 3};
        j.forces[0] = kdr_interaction_gravity(mu, count - count / 3, 0.125);
        j.forces[1] = kdr_interaction_spring_network(&spring, count > 1);
        j.forces[2] = kdr_interaction_gravity(mu, count, 0);
        guarded expected = guarded_copy(&start, 0);
        double energy = 0;
        cr_assert(by_process(&j, &o, b, (kdr_communicator){.count = 0}, &expected, &energy) == 0, "a process alone was brought something");
        for (int turn = 0; turn < 2 * all; ++turn) {
            guarded got = guarded_copy(&start, 4);
            double found = 0;
            b->reads = turn >= all;
            by_process(&j, &o, b, (kdr_communicator){turn % all, all, b, broadcast}, &got, &found);
            cr_assert(!b->reads || (guarded_same(&expected, &got) && guarded_is_clean(&got, 4)), "%zu particles, process %d of %d", count,
                      turn % all, all);
            cr_assert(!b->reads || memcmp(&found, &energy, sizeof found) == 0, "energy of %zu, process %d of %d", count, turn % all, all);
            cr_assert(b->reads || turn % all > 0 || count < 127 || memcmp(got.a[0], expected.a[0], got.bytes) != 0,
                      "one process has done it all");
            guarded_destroy(&got);
        }
        guarded_destroy(&start);
        guarded_destroy(&expected);
    }
    free(b);
}

/* A failed exchange is reported, and ends a run with the last whole step. */
Test(pairs_bits, nothing_is_brought) {
    static board b = {.fails = KDR_ERROR_FILE};
    const double mu[200] = {1};
    const kdr_interaction force = kdr_interaction_gravity(mu, 200, 0.5);
    guarded g = guarded_create(200, 3, KDR_F64, false, 0);
    uint64_t seed = test_seed();
    guarded_fill(&g, &seed);
    kdr_error error;
    kdr_pairs *pairs;
    kdr_pairs_desc desc = kdr_pairs_desc_default();
    desc.forces = &force, desc.force_count = 1, desc.communicator = (kdr_communicator){0, 2, &b, broadcast};
    OK(kdr_pairs_create(&desc, &pairs, &error));
    double energy = 7;
    static const char said[] = "communicator: the function returned";
    cr_expect(kdr_pairs_add(pairs, &g.p, g.a, &error) == KDR_ERROR_FILE && strncmp(error.message, said, strlen(said)) == 0, "%s",
              error.message);
    cr_expect(kdr_pairs_potential(pairs, &g.p, &energy, &error) == KDR_ERROR_FILE && energy == 7, "%s", error.message);
    kdr_pairs_destroy(pairs);
    kdr_system_desc of_run = kdr_system_desc_default();
    kdr_system *system;
    kdr_workspace workspace;
    kdr_clock clock = {0, 0.01, 5};
    of_run.interactions = &force, of_run.interaction_count = 1, of_run.communicator = desc.communicator;
    guarded before = guarded_copy(&g, 0);
    OK(kdr_system_create(&of_run, &system, &error));
    OK(kdr_workspace_create(system, 200, 3, (kdr_allocator){0}, &workspace, &error));
    cr_expect(kdr_system_run(system, &g.p, &clock, 3, &workspace, &error) == KDR_ERROR_FILE && clock.step == 5, "%s", error.message);
    cr_expect(guarded_same(&before, &g));
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(system);
    guarded_destroy(&before);
    guarded_destroy(&g);
}
