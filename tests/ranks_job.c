/* A job of several ranks. Each rank knows all particles, and compares the common results of the ranks with the library's results for the
 * whole. A rank that finds a difference reports it and ends the job. */
#include <kickdrift/kickdrift.h>
#include <kickdrift/mpi.h>

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kdr_error error;
static int checks;

#define EXPECT(condition)                                                                                                                  \
    do {                                                                                                                                   \
        ++checks;                                                                                                                          \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "ranks_job.c:%d: %s (%s)\n", __LINE__, #condition, error.message);                                             \
            MPI_Abort(MPI_COMM_WORLD, 1), exit(1);                                                                                         \
        }                                                                                                                                  \
    } while (0)

/* Returns a number from -1 to 1, by SplitMix64. */
static double drawn(uint64_t *seed) {
    uint64_t n = *seed += UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ (n >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    n = (n ^ (n >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)(int64_t)(n ^ (n >> 31)) * 0x1p-63;
}

static void put(void *array, kdr_real real, size_t i, double value) {
    if (real == KDR_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

static void *at(void *array, kdr_real real, size_t i) { return (char *)array + i * kdr_real_size(real); }

static kdr_ranks *ranks_of(size_t count, size_t *begin, size_t *slice) {
    kdr_ranks *ranks = NULL;
    EXPECT(kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), count, &ranks, &error) == KDR_OK);
    EXPECT(kdr_ranks_slice(ranks, kdr_ranks_rank(ranks), begin, slice, &error) == KDR_OK);
    return ranks;
}

static kdr_particles all_particles(size_t count, kdr_real real) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    kdr_particles p;
    uint64_t seed = 7;
    desc.count = count, desc.real = real, desc.inverse_mass = true;
    EXPECT(kdr_particles_create(&desc, &p, &error) == KDR_OK);
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            put(p.x[axis], real, i, drawn(&seed));
            put(p.v[axis], real, i, drawn(&seed));
        }
        put(p.inverse_mass, real, i, i % 17 == 3 ? 0 : 1.5 + drawn(&seed));
    }
    return p;
}

/* Checks that slices follow one another, begin at blocks, and differ in size by at most a block. */
static void check_slices(void) {
    static const size_t counts[] = {0, 1, 1023, 1024, 1025, 4096, 5000, 100000};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        size_t begin, slice, next = 0, most = 0, least = SIZE_MAX;
        kdr_ranks *const ranks = ranks_of(counts[n], &begin, &slice);
        for (int rank = 0; rank < kdr_ranks_count(ranks); ++rank) {
            EXPECT(kdr_ranks_slice(ranks, rank, &begin, &slice, &error) == KDR_OK);
            EXPECT(begin == next && (begin % KDR_OBSERVE_BLOCK == 0 || begin == counts[n]));
            next = begin + slice;
            most = slice > most ? slice : most;
            least = slice < least ? slice : least;
        }
        EXPECT(next == counts[n] && most - least <= 2 * KDR_OBSERVE_BLOCK - 1);
        EXPECT(kdr_ranks_slice(ranks, kdr_ranks_count(ranks), &begin, &slice, &error) == KDR_ERROR_ARGUMENT);
        kdr_ranks_destroy(ranks);
    }
}

/* Checks a run with a heat bath, whose noise depends on each particle's number. */
static void check_run(size_t count, kdr_real real) {
    size_t begin, slice_count;
    kdr_ranks *const ranks = ranks_of(count, &begin, &slice_count);
    kdr_particles all = all_particles(count, real), slice = kdr_particles_slice(&all, begin, slice_count), own;
    const kdr_force forces[] = {kdr_force_spring(3, 1, -1, 0.5), kdr_force_centre(1.5, 0.5, 0, 1, 0.25),
                                kdr_force_driven(1, 2, -3, 2, 0.5)};
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    kdr_particles_desc room = kdr_particles_desc_default();
    kdr_integrator *integrator;
    kdr_clock clock = {0.5, 1.0 / 128, 3}, alone = clock;
    desc.method = KDR_BAOAB, desc.real = real, desc.forces = forces, desc.force_count = 3;
    desc.langevin = (kdr_langevin){.friction = 1, .temperature = 0.5, .seed = 1};
    desc.boundary = (kdr_boundary){KDR_BOUNDARY_ABSORBING, {-0.75, -1.25, -1.5}, {0.75, 1.25, 1}};
    room.count = slice_count, room.real = real, room.inverse_mass = true;
    EXPECT(kdr_particles_create(&room, &own, &error) == KDR_OK);
    own.first_id = begin;
    void *const from[] = {all.x[0], all.x[1], all.x[2], all.v[0], all.v[1], all.v[2], all.inverse_mass};
    void *const to[] = {own.x[0], own.x[1], own.x[2], own.v[0], own.v[1], own.v[2], own.inverse_mass};
    for (int n = 0; n < 7; ++n) {
        EXPECT(kdr_ranks_scatter(ranks, kdr_ranks_rank(ranks) == 0 ? from[n] : NULL, 0, count, to[n], kdr_real_size(real), &error) ==
               KDR_OK);
        EXPECT(slice_count == 0 || memcmp(to[n], at(from[n], real, begin), slice_count * kdr_real_size(real)) == 0);
    }
    EXPECT(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK);
    EXPECT(kdr_integrator_run(integrator, &own, &clock, 5, &error) == KDR_OK);
    EXPECT(kdr_integrator_run(integrator, &all, &alone, 5, &error) == KDR_OK);

    kdr_observables found, expected;
    uint64_t print = 0, expected_print = 0;
    size_t index = 0, absorbed = 0, expected_absorbed = 0;
    EXPECT(kdr_observe(integrator, &all, &alone, &expected, &error) == KDR_OK);
    EXPECT(kdr_ranks_observe(ranks, integrator, &own, &clock, &found, &error) == KDR_OK);
    EXPECT(memcmp(&found, &expected, sizeof found) == 0);
    EXPECT(kdr_fingerprint(&all, &expected_print, &error) == KDR_OK);
    EXPECT(kdr_ranks_fingerprint(ranks, &own, &print, &error) == KDR_OK && print == expected_print);
    EXPECT(kdr_count_absorbed(integrator, &all, &expected_absorbed, &error) == KDR_OK);
    EXPECT(kdr_ranks_count_absorbed(ranks, integrator, &own, &absorbed, &error) == KDR_OK && absorbed == expected_absorbed);
    EXPECT(kdr_ranks_first_non_finite(ranks, &own, &index, &error) == KDR_OK && index == count);
    const size_t bad = count * 2 / 3;
    if (begin <= bad && bad < begin + slice_count) {
        put(own.v[1], real, bad - begin, (double)INFINITY);
    }
    EXPECT(kdr_ranks_first_non_finite(ranks, &own, &index, &error) == KDR_OK && index == bad);
    memset(slice.x[0], 0, slice_count * kdr_real_size(real)); /* the values must come back from the others */
    const size_t at_once = 1500;                              /* ranges that extend over several slices */
    for (size_t done = 0; done < count; done += at_once) {
        void *const range = kdr_ranks_rank(ranks) == 0 ? at(all.x[0], real, done) : NULL;
        const size_t taken = count - done < at_once ? count - done : at_once;
        EXPECT(kdr_ranks_gather(ranks, own.x[0], done, taken, range, kdr_real_size(real), &error) == KDR_OK);
    }
    EXPECT(kdr_ranks_gather(ranks, own.x[0], 1, count, all.x[0], kdr_real_size(real), &error) == KDR_ERROR_ARGUMENT);
    EXPECT(slice_count == 0 || kdr_ranks_rank(ranks) > 0 || memcmp(own.x[0], all.x[0], slice_count * kdr_real_size(real)) == 0);
    kdr_integrator_destroy(integrator);

    /* Checks the digest of forces with arrays, of which each rank has a slice. */
    kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    uint64_t digest = 0;
    kdr_integrator *of_all;
    desc.forces = &spring, desc.force_count = 1;
    spring.as.spring.k_each = all.inverse_mass, spring.as.spring.at_each[2] = all.v[0], spring.as.spring.count = count;
    EXPECT(kdr_integrator_create(&desc, &of_all, &error) == KDR_OK);
    spring.as.spring.k_each = at(all.inverse_mass, real, begin), spring.as.spring.at_each[2] = at(all.v[0], real, begin);
    spring.as.spring.count = slice_count;
    EXPECT(kdr_integrator_create(&desc, &integrator, &error) == KDR_OK);
    EXPECT(kdr_ranks_digest(ranks, integrator, &digest, &error) == KDR_OK && digest == kdr_integrator_digest(of_all));
    EXPECT(kdr_ranks_digest(ranks, of_all, &digest, &error) ==
           (kdr_ranks_count(ranks) > 1 && count > KDR_OBSERVE_BLOCK ? KDR_ERROR_MISMATCH : KDR_OK));
    kdr_integrator_destroy(of_all);
    kdr_integrator_destroy(integrator);
    kdr_particles_destroy(&own);
    kdr_particles_destroy(&all);
    kdr_ranks_destroy(ranks);
}

/* Checks gravity of all sources at all targets against that of slices at slices; the potentials leave out the targets themselves. */
static void check_gravity(size_t count, kdr_real real, bool lengths) {
    size_t begin, slice;
    kdr_ranks *const ranks = ranks_of(count, &begin, &slice);
    kdr_particles all = all_particles(count, real), expected = all_particles(count, real), found = all_particles(count, real);
    kdr_pass_options options;
    uint64_t seed = 11;
    for (size_t i = 0; i < count; ++i) {
        put(all.v[0], real, i, drawn(&seed));                  /* these are mu */
        put(all.v[1], real, i, 0.125 + 0.0625 * drawn(&seed)); /* these are softening lengths */
    }
    EXPECT(kdr_pass_options_init(KDR_FUSED, KDR_BACKEND_AUTO, kdr_executor_serial(), &options, &error) == KDR_OK);
    kdr_gravity whole = {.dims = 3, .real = real, .softening = 0.05, .sources = count, .mu = all.v[0], .targets = count};
    whole.source_softening = whole.target_softening = lengths ? all.v[1] : NULL;
    whole.potential = expected.v[0];
    whole.targets_are_sources = true;
    kdr_gravity own = whole;
    own.sources = own.targets = slice;
    own.mu = at(all.v[0], real, begin);
    own.source_softening = own.target_softening = lengths ? at(all.v[1], real, begin) : NULL;
    own.potential = at(found.v[0], real, begin);
    for (int i = 0; i < 3; ++i) {
        whole.source_x[i] = whole.target_x[i] = all.x[i];
        own.source_x[i] = own.target_x[i] = at(all.x[i], real, begin);
        whole.a[i] = expected.x[i], own.a[i] = at(found.x[i], real, begin);
    }
    EXPECT(kdr_gravity_add(&whole, &options, &error) == KDR_OK);
    double *const table = calloc(5 * slice + 1, sizeof *table); /* this rank's sources, one row each */
    EXPECT(table);
    for (int again = 0; again < 2; ++again) {
        if (again) { /* the memory of the first call is used again for the second, whose sources are rows */
            const void *const columns[] = {own.source_x[0], own.source_x[1], own.source_x[2], own.mu, at(all.v[1], real, begin)};
            const size_t size = kdr_real_size(real);
            for (size_t n = 0; n < 5 * slice; ++n) {
                memcpy((char *)table + n * size, (const char *)columns[n % 5] + n / 5 * size, size);
            }
            own.source_x_layout.stride = own.mu_layout.stride = own.source_softening_layout.stride = 5 * size;
            for (int i = 0; i < 3; ++i) {
                own.source_x[i] = at(table, real, (size_t)i);
            }
            own.mu = at(table, real, 3), own.source_softening = lengths ? at(table, real, 4) : NULL;
            EXPECT(kdr_gravity_add(&whole, &options, &error) == KDR_OK);
        }
        EXPECT(kdr_ranks_gravity_add(ranks, &own, &options, &error) == KDR_OK);
        for (int i = 0; i < 3; ++i) {
            EXPECT(slice == 0 || memcmp(own.a[i], at(expected.x[i], real, begin), slice * kdr_real_size(real)) == 0);
        }
        EXPECT(slice == 0 || memcmp(own.potential, at(expected.v[0], real, begin), slice * kdr_real_size(real)) == 0);
    }
    free(table);
    kdr_particles_destroy(&all), kdr_particles_destroy(&expected), kdr_particles_destroy(&found);
    kdr_ranks_destroy(ranks);
}

/* Checks runs with all particles on every rank, with gravity, springs and a floor, with levels or without: the result and the energy are
 * those of a single process. */
static void check_communicator(size_t count, kdr_real real, bool levels) {
    size_t begin, slice;
    kdr_ranks *const ranks = ranks_of(count, &begin, &slice);
    kdr_particles alone = all_particles(count, real), shared = all_particles(count, real);
    const kdr_interaction forces[] = {kdr_interaction_gravity(alone.inverse_mass, count - count / 3, 0.25),
                                      kdr_interaction_spring_network(&(kdr_pair_spring){.a = 0, .b = 1, .k = 0.5, .length = 1}, count > 1)};
    const double below[] = {0, 0, -0.5}, up[] = {0, 0, 1};
    const kdr_collider floor = kdr_collider_plane(below, up);
    kdr_particles *const of[] = {&alone, &shared};
    kdr_observables found[2];
    uint8_t *const level = calloc(count + 1, 1);
    EXPECT(level);
    for (size_t i = 0; i < count; ++i) {
        level[i] = i % 11 == 0;
    }
    for (int n = 0; n < 2; ++n) {
        kdr_system_desc desc = kdr_system_desc_default();
        kdr_system *system;
        kdr_workspace workspace;
        kdr_clock clock = {0, 1.0 / 64, 0};
        desc.real = real, desc.interactions = forces, desc.interaction_count = 2, desc.levels = levels;
        desc.colliders = &floor, desc.collider_count = !levels;
        desc.communicator = n == 0 ? kdr_ranks_communicator(NULL) : kdr_ranks_communicator(ranks);
        of[n]->level = levels ? level : NULL, of[n]->level_count = levels ? count : 0;
        EXPECT(kdr_system_create(&desc, &system, &error) == KDR_OK);
        EXPECT(kdr_workspace_create(system, count, 3, (kdr_allocator){0}, &workspace, &error) == KDR_OK);
        EXPECT(kdr_system_run(system, of[n], &clock, 4, &workspace, &error) == KDR_OK);
        EXPECT(kdr_system_observe(system, of[n], &clock, &found[n], &error) == KDR_OK);
        kdr_workspace_destroy(&workspace);
        kdr_system_destroy(system);
    }
    for (int i = 0; i < 3; ++i) {
        EXPECT(memcmp(alone.x[i], shared.x[i], count * kdr_real_size(real)) == 0);
        EXPECT(memcmp(alone.v[i], shared.v[i], count * kdr_real_size(real)) == 0);
    }
    EXPECT(memcmp(&found[0], &found[1], sizeof found[0]) == 0);
    free(level);
    kdr_particles_destroy(&alone), kdr_particles_destroy(&shared);
    kdr_ranks_destroy(ranks);
}

/* A mistake on one rank is refused on all ranks, with the rank's number, and nothing is changed. */
static void check_refusals(void) {
    size_t begin, slice;
    kdr_ranks *const ranks = ranks_of(7000, &begin, &slice);
    const int rank = kdr_ranks_rank(ranks), count = kdr_ranks_count(ranks), last = count - 1;
    kdr_particles all = all_particles(7000, KDR_F64), own = kdr_particles_slice(&all, begin, slice);
    kdr_pass_options options;
    char text[64];
    snprintf(text, sizeof text, "rank %d of %d: ", last, count);
    EXPECT(kdr_ranks_agree(ranks, KDR_OK, NULL) == KDR_OK);
    snprintf(error.message, sizeof error.message, "a file is full");
    EXPECT(kdr_ranks_agree(ranks, rank == last ? KDR_ERROR_FILE : KDR_OK, &error) == KDR_ERROR_FILE && error.status == KDR_ERROR_FILE);
    EXPECT(strncmp(error.message, text, strlen(text)) == 0 && strcmp(error.message + strlen(text), "a file is full") == 0);
    uint64_t print = 5;
    own.count -= rank == last;
    EXPECT(kdr_ranks_fingerprint(ranks, &own, &print, &error) == KDR_ERROR_MISMATCH && print == 5);
    EXPECT(strncmp(error.message, text, strlen(text)) == 0 && strstr(error.message, "of the rank's slice"));
    own.count += rank == last;
    EXPECT(kdr_pass_options_init(KDR_FUSED, KDR_BACKEND_AUTO, kdr_executor_serial(), &options, &error) == KDR_OK);
    kdr_gravity g = {.dims = 3, .real = KDR_F64, .sources = slice, .mu = own.inverse_mass, .targets = slice};
    double *const a = calloc(3 * slice + 1, sizeof *a);
    EXPECT(a);
    for (int i = 0; i < 3; ++i) {
        g.source_x[i] = g.target_x[i] = own.x[i], g.a[i] = a + (size_t)i * slice;
    }
    g.a[2] = rank == last ? own.x[2] : g.a[2];
    EXPECT(kdr_ranks_gravity_add(ranks, &g, &options, &error) == KDR_ERROR_OVERLAP && strncmp(error.message, text, strlen(text)) == 0);
    g.a[2] = a + 2 * slice;
    g.softening = rank == 0 ? 0.5 : 0.25;
    const kdr_status uneven = count > 1 ? KDR_ERROR_MISMATCH : KDR_OK;
    EXPECT(count == 1 || kdr_ranks_gravity_add(ranks, &g, &options, &error) == uneven);
    g.softening = 0.5, g.sources -= rank == 0;
    EXPECT(count == 1 || kdr_ranks_gravity_add(ranks, &g, &options, &error) == KDR_ERROR_ARGUMENT);
    EXPECT(count == 1 || strstr(error.message, "gravity.sources: expected a multiple of 128 on rank 0"));
    for (size_t i = 0; i < 3 * slice; ++i) {
        EXPECT(a[i] == 0);
    }
    kdr_ranks *none = NULL;
    EXPECT(count == 1 ||
           (kdr_ranks_create((int)MPI_Comm_c2f(MPI_COMM_WORLD), rank == 0 ? 5 : 6, &none, &error) == KDR_ERROR_MISMATCH && !none));
    EXPECT(kdr_ranks_create(0, 5, NULL, &error) == KDR_ERROR_NULL && kdr_ranks_agree(NULL, KDR_OK, &error) == KDR_ERROR_NULL);
    EXPECT(kdr_ranks_rank(NULL) == 0 && kdr_ranks_count(NULL) == 1);
    free(a);
    kdr_particles_destroy(&all);
    kdr_ranks_destroy(ranks);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    check_slices();
    for (int real = 0; real < KDR_REAL_COUNT; ++real) {
        check_run(5 * KDR_OBSERVE_BLOCK + 77, (kdr_real)real);
        check_run(900, (kdr_real)real); /* some ranks have no particle */
        for (int lengths = 0; lengths < 2; ++lengths) {
            check_gravity(5 * KDR_OBSERVE_BLOCK - 500, (kdr_real)real, lengths);
            check_communicator(700, (kdr_real)real, lengths != 0);
            check_communicator(3, (kdr_real)real, lengths != 0); /* some ranks have no target */
        }
    }
    check_refusals();
    int rank, count;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (rank == 0) {
        printf("ranks: %d of them, %d checks on the first\n", count, checks);
    }
    MPI_Finalize();
    return 0;
}
