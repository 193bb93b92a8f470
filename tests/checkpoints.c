/* Checkpoints: a run that continues from one has the bits of the unbroken run, for any method, arrays and backend. A damaged file is
 * refused. */
#include <kickdrift/io.h>

#include "files.h"
#include "support.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 67, BEFORE = 7, AFTER = 6 };

static char folder[] = "/tmp/kickdrift-test-XXXXXX", path[64];

static void begin(void) {
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.checkpoint", folder);
}

static void end(void) {
    unlink(path);
    cr_expect(rmdir(folder) == 0, "nothing else is left");
}

TestSuite(checkpoints, .init = begin, .fini = end);

/* Returns particles with all arrays, contiguous, which is more than a run of this kind needs. */
static kdr_particles all_arrays(int dims, kdr_real real, uint64_t *seed) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    kdr_particles p;
    desc.count = COUNT, desc.dims = dims, desc.real = real;
    desc.inverse_mass = desc.memory = desc.compensation = desc.bounces = desc.dissipated_energy = desc.nonconverged = desc.radius = true;
    cr_assert(kdr_particles_create(&desc, &p, NULL) == KDR_OK);
    fill_random(&p, seed);
    return p;
}

/* Makes an integrator with forces that the method accepts. The caller counts methods that accept none. */
static kdr_integrator *make(int method, kdr_real real, bool compensated, kdr_backend backend) {
    const double e[3] = {0.1, 0, 0}, b[3] = {0, 0, 2};
    const kdr_force spring = kdr_force_spring(2, 0.1, 0.2, 0.3), field = kdr_force_electromagnetic(1, e, b);
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = (kdr_method)method, desc.real = real, desc.compensated = compensated, desc.backend = backend;
    kdr_integrator *made = NULL;
    for (int i = 0; i < 4 && !made; ++i) {
        desc.forces = i % 2 ? &field : &spring;
        desc.force_count = 1;
        desc.langevin = i < 2 ? (kdr_langevin){0} : (kdr_langevin){0.5, 1, 7};
        kdr_integrator_create(&desc, &made, NULL);
    }
    return made;
}

static void go_on(int method, kdr_real real, bool compensated, uint64_t *seed) {
    kdr_integrator *const first = make(method, real, compensated, KDR_BACKEND_AUTO);
    kdr_integrator *const second = make(method, real, compensated, KDR_BACKEND_SCALAR);
    kdr_particles unbroken = all_arrays(3, real, seed);
    kdr_clock clock = {0.25, 1.0 / 32, 3};
    kdr_checkpoint saved;
    kdr_error error;
    cr_assert(first && second, "%d", method);
    cr_assert(kdr_integrator_run(first, &unbroken, &clock, BEFORE, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_checkpoint_write(path, first, &unbroken, &clock, NULL, 0, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_integrator_run(first, &unbroken, &clock, AFTER, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_checkpoint_read(path, second, &saved, &error) == KDR_OK, "%s", error.message);
    cr_expect(saved.clock.step == 3 + BEFORE && saved.clock.t0 == 0.25 && saved.clock.dt == 1.0 / 32);
    cr_assert(kdr_integrator_run(second, &saved.particles, &saved.clock, AFTER, &error) == KDR_OK, "%s", error.message);
    kdr_difference difference;
    cr_assert(kdr_compare(&unbroken, &saved.particles, &difference, &error) == KDR_OK, "%s", error.message);
    cr_expect(difference.mismatches == 0, "%s: %zu elements differ", kdr_integrator_method(first)->name, difference.mismatches);
    cr_expect(saved.particles.memory_key == unbroken.memory_key && saved.clock.step == clock.step);
    kdr_checkpoint_release(&saved);
    kdr_particles_destroy(&unbroken);
    kdr_integrator_destroy(first);
    kdr_integrator_destroy(second);
}

Test(checkpoints, every_method_goes_on) {
    uint64_t seed = test_seed();
    int runs = 0;
    for (int method = 0; method < KDR_METHOD_COUNT; ++method) {
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            go_on(method, (kdr_real)real, false, &seed);
            ++runs;
            if (kdr_method_get((kdr_method)method)->compensated) {
                go_on(method, (kdr_real)real, true, &seed);
                ++runs;
            }
        }
    }
    cr_expect(runs > 2 * KDR_METHOD_COUNT);
}

/* ---- every array, on every layout */

typedef struct record {
    double x[2], other[3], v[2];
} record;

static const char *const names[] = {"inverse_mass",      "memory", "compensation", "id",    "bounces", "nonconverged",
                                    "dissipated_energy", "error",  "active",       "level", "images",  "radius"};

Test(checkpoints, keep_every_array_of_any_layout) {
    uint64_t seed = test_seed();
    static record laid[COUNT], back[COUNT];
    static uint64_t id[COUNT];
    static uint8_t active[COUNT], level[COUNT];
    static double estimate[COUNT], estimate_back[COUNT];
    static int32_t images[2][COUNT], images_back[2][COUNT];
    static uint32_t bounces[COUNT][2]; /* every other element does not belong to the particles */
    kdr_particles p = all_arrays(2, KDR_F64, &seed), other = all_arrays(2, KDR_F64, &seed);
    for (size_t i = 0; i < COUNT; ++i) {
        laid[i] = (record){{random_in(&seed, -1, 1), -0.0}, {7, 8, 9}, {(double)NAN, random_in(&seed, -1, 1)}};
        id[i] = random_bits(&seed), active[i] = i % 3 > 0, level[i] = (uint8_t)(i % 5);
        bounces[i][0] = (uint32_t)random_bits(&seed), bounces[i][1] = 5, images[0][i] = -(int32_t)i, images[1][i] = INT32_MAX - (int32_t)i;
        set(p.radius, KDR_F64, i, random_in(&seed, 0, 1));
        p.nonconverged[i] = (uint32_t)i, p.dissipated_energy[0][i] = random_in(&seed, 0, 1);
        p.dissipated_energy[1][i] = random_in(&seed, 0, 1), estimate[i] = random_in(&seed, 0, 1);
        for (int k = 0; k < 2; ++k) {
            set(p.memory[k], KDR_F64, i, random_in(&seed, -1, 1));
            set(p.compensation[k], KDR_F64, i, random_in(&seed, -1, 1));
            set(p.compensation[3 + k], KDR_F64, i, random_in(&seed, -1, 1));
        }
    }
    p.x[0] = &laid[0].x[0], p.x[1] = &laid[0].x[1], p.v[0] = &laid[0].v[0], p.v[1] = &laid[0].v[1];
    p.x_layout.stride = p.v_layout.stride = sizeof *laid;
    p.bounces = bounces[0], p.bounces_layout.stride = sizeof *bounces;
    p.images[0] = images[0], p.images[1] = images[1], other.images[0] = images_back[0], other.images[1] = images_back[1];
    p.id = id, p.active = active, p.active_count = COUNT, p.level = level, p.level_count = COUNT, p.error = estimate, p.memory_key = 77;
    other.x[0] = &back[0].x[0], other.x[1] = &back[0].x[1], other.v[0] = &back[0].v[0], other.v[1] = &back[0].v[1];
    other.x_layout = other.v_layout = p.x_layout;
    memcpy(other.inverse_mass, p.inverse_mass, COUNT * sizeof(double));
    memcpy(other.radius, p.radius, COUNT * sizeof(double));
    other.id = id, other.active = active, other.active_count = COUNT, other.level = level, other.level_count = COUNT;
    other.error = estimate_back;

    const kdr_clock clock = {-1, -0.5, 9};
    kdr_clock clock_back;
    kdr_checkpoint saved;
    kdr_error error;
    cr_assert(kdr_checkpoint_write(path, NULL, &p, &clock, "a note", 6, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_checkpoint_read(path, NULL, &saved, &error) == KDR_OK, "%s", error.message);
    cr_expect(saved.note_size == 6 && strcmp(saved.note, "a note") == 0 && strcmp(saved.library, KDR_VERSION_STRING) == 0);
    cr_assert(kdr_checkpoint_restore(&saved, &other, &clock_back, &error) == KDR_OK, "%s", error.message);
    cr_expect(memcmp(&clock, &clock_back, sizeof clock) == 0 && other.memory_key == 77);
    for (size_t i = 0; i < COUNT; ++i) {
        cr_expect(memcmp(laid[i].x, back[i].x, sizeof laid[i].x) == 0 && memcmp(laid[i].v, back[i].v, sizeof laid[i].v) == 0);
        cr_expect(back[i].other[0] == 0 && back[i].other[2] == 0);
    }
    cr_expect(memcmp(p.memory[1], other.memory[1], COUNT * sizeof(double)) == 0);
    cr_expect(memcmp(p.compensation[4], other.compensation[4], COUNT * sizeof(double)) == 0);
    for (size_t i = 0; i < COUNT; ++i) {
        cr_expect(other.bounces[i] == bounces[i][0]);
    }
    cr_expect(memcmp(images, images_back, sizeof images) == 0 && memcmp(p.nonconverged, other.nonconverged, sizeof(uint32_t) * COUNT) == 0);
    cr_expect(memcmp(p.dissipated_energy[1], other.dissipated_energy[1], sizeof(double) * COUNT) == 0);
    cr_expect(memcmp(estimate, estimate_back, sizeof estimate) == 0);

    /* An array that one view has and the other lacks is refused, by name. */
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
        kdr_particles without = other;
        void **const members[] = {&without.inverse_mass,
                                  without.memory,
                                  without.compensation,
                                  (void **)&without.id,
                                  (void **)&without.bounces,
                                  (void **)&without.nonconverged,
                                  (void **)without.dissipated_energy,
                                  &without.error,
                                  (void **)&without.active,
                                  (void **)&without.level,
                                  (void **)without.images,
                                  &without.radius};
        memset(members[n], 0, (n == 1 || n == 10 ? 3 : n == 2 ? 6 : n == 6 ? 2 : 1) * sizeof(void *));
        without.active_count = without.active ? COUNT : 0, without.level_count = without.level ? COUNT : 0;
        cr_expect(kdr_checkpoint_restore(&saved, &without, &clock_back, &error) == KDR_ERROR_MISMATCH && strstr(error.message, names[n]),
                  "%s: %s", names[n], error.message);
    }
    id[COUNT - 1] ^= 1;
    cr_expect(kdr_checkpoint_restore(&saved, &other, &clock_back, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "id: "));
    kdr_checkpoint_release(&saved);
    kdr_particles_destroy(&p);
    kdr_particles_destroy(&other);
}

/* ---- damaged files */

static size_t write_one(uint64_t *seed) {
    kdr_particles p = all_arrays(3, KDR_F32, seed);
    const kdr_clock clock = {0, 1, 2};
    size_t size;
    cr_assert(kdr_checkpoint_write(path, NULL, &p, &clock, "note", 4, NULL) == KDR_OK);
    kdr_particles_destroy(&p);
    free(read_whole(path, &size));
    return size;
}

Test(checkpoints, damaged_or_cut_files_are_refused, .timeout = 300) {
    enum { TRIES = 10000 };
    uint64_t seed = test_seed();
    size_t size = write_one(&seed);
    unsigned char *const whole = read_whole(path, &size), *const bytes = malloc(size + 64);
    const int memory = memfd_create("damaged", 0);
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
    cr_assert(bytes && memory >= 0);
    for (int n = 0; n < TRIES; ++n) {
        size_t length = size;
        memcpy(bytes, whole, size);
        memset(bytes + size, 0x5a, 64);
        const uint64_t kind = random_bits(&seed) % 8;
        if (kind == 0) {
            length = random_bits(&seed) % size; /* the file is cut */
        } else if (kind == 1) {
            length = size + 1 + random_bits(&seed) % 64;
        } else {
            /* half of the changes are in the header, which is a small target */
            const size_t changes = 1 + random_bits(&seed) % 4, within = kind < 5 ? 128 : size;
            for (size_t k = 0; k < changes; ++k) {
                bytes[random_bits(&seed) % within] ^= (unsigned char)(1U << random_bits(&seed) % 8);
            }
        }
        if (length == size && memcmp(bytes, whole, size) == 0) {
            continue;
        }
        cr_assert(ftruncate(memory, 0) == 0 && pwrite(memory, bytes, length, 0) == (ssize_t)length);
        kdr_checkpoint saved = {.note_size = 99};
        kdr_error error = {.message = ""};
        const kdr_status status = kdr_checkpoint_read(name, NULL, &saved, &error);
        cr_assert(status == KDR_ERROR_FORMAT && *error.message && saved.note_size == 99, "try %d: %d %s", n, (int)status, error.message);
    }
    close(memory);
    free(whole);
    free(bytes);
}

Test(checkpoints, refusals_say_why) {
    uint64_t seed = test_seed();
    kdr_particles p = all_arrays(3, KDR_F64, &seed);
    const kdr_clock clock = {0, 1.0 / 32, 0};
    kdr_checkpoint saved;
    kdr_error error;
    kdr_integrator *const written = make(KDR_VELOCITY_VERLET, KDR_F64, false, KDR_BACKEND_AUTO);
    kdr_integrator *const read = make(KDR_RK4, KDR_F64, false, KDR_BACKEND_AUTO);
    cr_assert(kdr_checkpoint_write(path, written, &p, &clock, NULL, 0, NULL) == KDR_OK);
    cr_expect(kdr_checkpoint_read(path, read, &saved, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "another description"));
    cr_expect(kdr_checkpoint_read("/nonexistent", NULL, &saved, &error) == KDR_ERROR_FILE && strstr(error.message, "No such file"));
    cr_expect(kdr_checkpoint_read("/tmp", NULL, &saved, &error) == KDR_ERROR_FORMAT && strstr(error.message, "regular"));
    cr_expect(kdr_checkpoint_read(KDR_SOURCE_DIR "/tests/checkpoints.c", NULL, &saved, &error) == KDR_ERROR_FORMAT &&
              strstr(error.message, "not a"));
    cr_expect(kdr_checkpoint_write("/nonexistent/c", written, &p, &clock, NULL, 0, &error) == KDR_ERROR_FILE);
    cr_expect(kdr_checkpoint_write(path, written, NULL, &clock, NULL, 0, &error) == KDR_ERROR_NULL);
    p.real = KDR_F32;
    cr_expect(kdr_checkpoint_write(path, written, &p, &clock, NULL, 0, &error) == KDR_ERROR_MISMATCH);
    p.real = KDR_F64;
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(written);
    kdr_integrator_destroy(read);
}

/* Descriptions that differ in one thing have different digests. Those that differ only in the machine have the same one. */
Test(checkpoints, digests_tell_descriptions_apart) {
    enum { CASES = 21 };
    const double each[2] = {1, 2}, changed[2] = {1, 3}, at[3] = {0, 0, 1};
    uint64_t digests[CASES];
    for (int n = 0; n < CASES; ++n) {
        kdr_force forces[2] = {kdr_force_spring(2, 0, 0, 0), kdr_force_drag(0.5, 0, 0, 0)};
        kdr_collider floor = kdr_collider_plane(NULL, at), ball = kdr_collider_sphere(NULL, 9, n == 11);
        kdr_constraint rod = kdr_constraint_rod(at, n == 12 ? 2 : 1);
        const kdr_fractions own = {2, {n == 13 ? 0.25 : 0.5, n == 13 ? 0.75 : 0.5}, {1, 0}};
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.forces = forces, desc.force_count = 2;
        if (n == 1) {
            desc.method = KDR_RK4;
        }
        if (n == 2) {
            desc.arithmetic = KDR_UNFUSED;
        }
        if (n == 3) {
            desc.real = KDR_F32;
        }
        if (n == 4) {
            forces[1] = kdr_force_drag(0.5, 0, 0, 1);
        }
        if (n == 5 || n == 6) {
            forces[0].as.spring.k_each = n == 5 ? each : changed, forces[0].as.spring.count = 2;
        }
        if (n == 7 || n == 8) {
            desc.method = KDR_BAOAB, desc.langevin = (kdr_langevin){1, 1, (uint64_t)n}, desc.force_count = 1;
        }
        if (n == 9) {
            desc.colliders = &floor, desc.collider_count = 1;
        }
        if (n == 10 || n == 11) {
            desc.colliders = &ball, desc.collider_count = 1;
        }
        if (n == 12 || n == 16) {
            desc.constraints = &rod, desc.constraint_count = 1;
        }
        if (n == 13 || n == 14) {
            desc.fractions = &own;
        }
        if (n == 15) {
            desc.compensated = true;
        }
        if (n == 17) {
            desc.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {-1, -1, -1}, {1, 1, 1}};
        }
        if (n == 18) {
            desc.method = KDR_KINEMATIC_SUM;
        }
        if (n == 19) {
            desc.method = KDR_KINEMATIC_SUM, forces[0].contribution = KDR_CONTRIBUTION_EULER;
        }
        if (n == 20) {
            desc.compose = KDR_COMPOSE_YOSHIDA_6;
        }
        kdr_integrator *made;
        kdr_error error;
        cr_assert(kdr_integrator_create(&desc, &made, &error) == KDR_OK, "%d: %s", n, error.message);
        digests[n] = kdr_integrator_digest(made);
        for (int before = 0; before < n; ++before) {
            cr_expect(digests[n] != digests[before], "%d and %d", n, before);
        }
        desc.backend = KDR_BACKEND_SCALAR, desc.dt = 0.5;
        kdr_integrator *other;
        cr_assert(kdr_integrator_create(&desc, &other, &error) == KDR_OK, "%d: %s", n, error.message);
        cr_expect(kdr_integrator_digest(other) == digests[n], "%d", n);
        kdr_integrator_destroy(made);
        kdr_integrator_destroy(other);
    }
    cr_expect(kdr_integrator_digest(NULL) == 0);
}

/* The digest also covers rarely used parts: a field with parameters and arrays, the grid that it reads, a user-defined tableau, rest, the
 * speed of light. */
Test(checkpoints, digests_know_what_few_descriptions_have) {
    enum { CASES = 16, NODES = 3, COMPONENTS = 3 };
    const double each[2][2] = {{1, 2}, {1, 3}};
    uint64_t digests[CASES];
    for (int n = 0; n < CASES; ++n) {
        double values[NODES][COMPONENTS] = {{1, 2, 3}, {4, 5, 6}, {7, 8, n == 6 ? 10 : 9}}, turned[COMPONENTS][NODES];
        const int nodes = n == 2 ? 2 : NODES;
        kdr_grid grid = {.dims = 1, .components = COMPONENTS, .nodes = {nodes}, .origin = {n == 4}, .spacing = {n == 5 ? 2 : 1}};
        grid.values = values, grid.edge[0] = n == 3 ? KDR_EDGE_PERIODIC : KDR_EDGE_CLAMPED;
        const bool reads = n != 10 && n != 11 && n < 14;
        const kdr_custom_field *field;
        cr_assert(kdr_field_from_name(reads ? "grid-acceleration" : "nfw", &field) == KDR_OK);
        kdr_force force = kdr_force_custom(field, (const double[KDR_MAX_PARAMETERS]){n == 1 ? 2 : 1, n == 11 ? 2 : 1});
        force.as.custom.grid = reads ? &grid : NULL;
        if (n >= 14) {
            force.as.custom.each[0] = each[n - 14], force.as.custom.count = 2;
        }
        const double c = n == 13 ? 0.75 : 0.5;
        const kdr_tableau own = {.stages = 2, .a = {{0}, {c}}, .b = {1 - 0.5 / c, 0.5 / c}, .c = {0, c}};
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.method = KDR_BORIS, desc.forces = &force, desc.force_count = 1;
        desc.flush_small_to_zero = n == 7, desc.speed_of_light = n == 8 ? 2 : n == 9 ? 3 : 0;
        desc.tableau = n == 12 || n == 13 ? &own : NULL;
        kdr_integrator *made, *other;
        kdr_error error;
        cr_assert(kdr_integrator_create(&desc, &made, &error) == KDR_OK, "%d: %s", n, error.message);
        digests[n] = kdr_integrator_digest(made);
        for (int before = 0; before < n; ++before) {
            cr_expect(digests[n] != digests[before], "%d and %d", n, before);
        }
        /* The numbers of a grid count, not their layout, nor any after the grid's axes. */
        for (int i = 0; i < NODES * COMPONENTS; ++i) {
            turned[i % COMPONENTS][i / COMPONENTS] = values[i / COMPONENTS][i % COMPONENTS];
        }
        grid.values = turned, grid.stride[0] = 1, grid.component_stride = NODES;
        grid.nodes[1] = 7, grid.origin[1] = 5, grid.spacing[2] = 3;
        cr_assert(kdr_integrator_create(&desc, &other, &error) == KDR_OK, "%d: %s", n, error.message);
        cr_expect(kdr_integrator_digest(other) == digests[n], "%d", n);
        kdr_integrator_destroy(made);
        kdr_integrator_destroy(other);
    }
}

/* The digest of slices of the forces' arrays, each in its own integrator, some of them empty, is that of the whole. */
Test(checkpoints, digests_in_slices) {
    static const size_t slices[] = {10, 0, 3, 54};
    double k[COUNT], at[COUNT], b[COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        k[i] = 1 + (double)i, at[i] = -(double)i, b[i] = 0.5 * (double)i;
    }
    for (int real_arrays = 0; real_arrays < 2; ++real_arrays) {
        kdr_integrator *whole, *part[4];
        kdr_digest_state digested;
        kdr_error error;
        uint64_t digest = 0;
        size_t begin = 0;
        for (int n = -1; n < 4; ++n) {
            kdr_force forces[2] = {kdr_force_spring(2, 0.1, 0.2, 0.3), kdr_force_drag(1, 0, 0, 0)};
            forces[0].as.spring.k_each = real_arrays ? k + begin : NULL, forces[0].as.spring.at_each[1] = real_arrays ? at + begin : NULL;
            forces[1].as.drag.b_each = real_arrays ? b + begin : NULL;
            forces[0].as.spring.count = forces[1].as.drag.count = n < 0 ? COUNT : slices[n];
            kdr_integrator_desc desc = kdr_integrator_desc_default();
            desc.forces = forces, desc.force_count = 2, desc.boundary = (kdr_boundary){KDR_BOUNDARY_ABSORBING, {-1, -1, -1}, {1, 1, 1}};
            cr_assert(kdr_integrator_create(&desc, n < 0 ? &whole : &part[n], &error) == KDR_OK, "%s", error.message);
            begin += n < 0 ? 0 : slices[n];
        }
        cr_assert(kdr_integrator_digest_begin(part[0], COUNT, &digested, &error) == KDR_OK);
        cr_expect((digested.next < 0) == !real_arrays);
        int arrays = 0;
        for (; digested.next >= 0 && arrays < 9; ++arrays) {
            cr_expect(kdr_integrator_digest_end(part[0], &digested, &digest, &error) == KDR_ERROR_MISMATCH);
            for (int n = 0; n < 4; ++n) {
                kdr_digest_state sent; /* as bytes, to another address */
                memcpy(&sent, &digested, sizeof sent);
                cr_expect(n == 0 || kdr_integrator_digest_add(whole, &sent, &error) == KDR_ERROR_MISMATCH);
                cr_assert(kdr_integrator_digest_add(part[n], &sent, &error) == KDR_OK, "%s", error.message);
                memcpy(&digested, &sent, sizeof digested);
            }
        }
        cr_expect(arrays == (real_arrays ? 3 : 0), "%d", arrays);
        cr_assert(kdr_integrator_digest_end(part[3], &digested, &digest, &error) == KDR_OK, "%s", error.message);
        cr_expect(digest == kdr_integrator_digest(whole));
        cr_expect(kdr_integrator_digest_add(part[3], &digested, &error) == KDR_ERROR_MISMATCH);
        memset(&digested, 0xFF, sizeof digested); /* not a state of the library's */
        cr_expect(kdr_integrator_digest_end(part[3], &digested, &digest, &error) == KDR_ERROR_MISMATCH);
        kdr_integrator_destroy(whole);
        for (int n = 0; n < 4; ++n) {
            kdr_integrator_destroy(part[n]);
        }
    }
}

/* A checkpoint that is written slice by slice and array by array has the bytes of one call. A file with a missing part is not made. */
Test(checkpoints, written_in_slices) {
    static const size_t slices[] = {5, 0, 30, 32};
    static const int taken[] = {4, 3, 0}; /* particles of the eighth array */
    uint64_t seed = 11;
    kdr_particles p = all_arrays(3, KDR_F64, &seed), first = kdr_particles_slice(&p, 0, slices[0]);
    kdr_integrator *const of = make(KDR_VELOCITY_VERLET, KDR_F64, false, KDR_BACKEND_AUTO);
    kdr_clock clock = {0.25, 1.0 / 32, 3};
    kdr_checkpoint_writer *writer;
    kdr_error error;
    size_t size, size_in_slices;
    cr_assert(kdr_integrator_run(of, &p, &clock, 5, &error) == KDR_OK);
    first.memory_key = p.memory_key;
    cr_assert(kdr_checkpoint_write(path, of, &p, &clock, "note", 4, &error) == KDR_OK);
    unsigned char *const whole = read_whole(path, &size);
    for (int left_out = 2; left_out >= 0; --left_out) { /* leaves out a slice, or an array and all after it */
        cr_assert(kdr_checkpoint_begin(path, of, kdr_integrator_digest(of), &first, COUNT, &clock, "note", 4, &writer, &error) == KDR_OK,
                  "%s", error.message);
        for (int arrays = 0; kdr_checkpoint_needs_more(writer) && arrays < 40; ++arrays) {
            size_t begin = 0;
            for (int n = 0; n < (arrays < 7 ? 4 : taken[left_out]); begin += slices[n++]) {
                const kdr_particles slice = kdr_particles_slice(&p, begin, slices[n]);
                cr_expect(n == 0 || kdr_checkpoint_add(writer, &p, &error) == KDR_ERROR_MISMATCH);
                cr_assert(kdr_checkpoint_add(writer, &slice, &error) == KDR_OK, "%s", error.message);
            }
            if (left_out && arrays == 7) {
                break;
            }
        }
        cr_expect(kdr_checkpoint_end(writer, &error) == (left_out ? KDR_ERROR_MISMATCH : KDR_OK), "%s", error.message);
        cr_expect(!left_out ||
                      strstr(error.message, left_out == 2 ? "memory of 67 particles is missing" : "memory of 32 particles is missing"),
                  "%s", error.message);
        unsigned char *const found = read_whole(path, &size_in_slices);
        cr_expect(size_in_slices == size && memcmp(whole, found, size) == 0);
        free(found);
        if (left_out == 1) {
            write_whole(path, (const unsigned char *)"another", 7); /* the next one replaces it */
        }
    }
    free(whole);
    cr_expect(kdr_checkpoint_begin(path, of, 1, &p, COUNT - 1, &clock, NULL, 0, &writer, &error) == KDR_ERROR_ARGUMENT);
    const size_t too_many[] = {SIZE_MAX, SIZE_MAX / 8, (size_t)1 << 59};
    for (int n = 0; n < 3; ++n) {
        cr_expect(kdr_checkpoint_begin(path, of, 1, &p, too_many[n], &clock, NULL, 0, &writer, &error) == KDR_ERROR_OVERFLOW &&
                      strstr(error.message, "make no file"),
                  "%s", error.message);
    }
    cr_expect(!kdr_checkpoint_needs_more(NULL) && kdr_checkpoint_add(NULL, &p, &error) == KDR_ERROR_NULL &&
              kdr_checkpoint_end(NULL, &error) == KDR_ERROR_NULL);
    kdr_integrator_destroy(of);
    kdr_particles_destroy(&p);
}

/* ---- a writer that is stopped at any point */

static void write_for_ever(kdr_particles *p, int ready) {
    kdr_clock clock = {0, 1, 0};
    for (;; ++clock.step) {
        if (kdr_checkpoint_write(path, NULL, p, &clock, NULL, 0, NULL) != KDR_OK || (clock.step == 0 && write(ready, "", 1) != 1)) {
            _exit(1);
        }
    }
}

Test(checkpoints, a_killed_writer_leaves_a_whole_file, .timeout = 300) {
    uint64_t seed = test_seed();
    uint64_t latest = 0;
    kdr_particles p = all_arrays(3, KDR_F64, &seed);
    for (int n = 0; n < 100; ++n) {
        int ready[2], status;
        char byte;
        cr_assert(pipe(ready) == 0);
        const pid_t writer = fork();
        cr_assert(writer >= 0);
        if (writer == 0) {
            write_for_ever(&p, ready[1]);
        }
        close(ready[1]);
        cr_assert(read(ready[0], &byte, 1) == 1);
        usleep((useconds_t)(random_bits(&seed) % 3000));
        cr_assert(kill(writer, SIGKILL) == 0 && waitpid(writer, &status, 0) == writer && WIFSIGNALED(status));
        close(ready[0]);
        kdr_checkpoint saved;
        kdr_error error;
        cr_assert(kdr_checkpoint_read(path, NULL, &saved, &error) == KDR_OK, "%d: %s", n, error.message);
        latest += saved.clock.step;
        kdr_checkpoint_release(&saved);
    }
    cr_expect(latest > 0, "some were killed late");
    kdr_particles_destroy(&p);
    char part[80];
    snprintf(part, sizeof part, "%s.part", path);
    unlink(part);
}

/* ---- files of every version */

Test(checkpoints, old_files_are_read) {
    for (int version = 1; version <= KDR_CHECKPOINT_VERSION; ++version) {
        char name[256];
        kdr_checkpoint saved;
        kdr_error error;
        uint64_t fingerprint;
        snprintf(name, sizeof name, "%s/tests/checkpoints/%d.checkpoint", KDR_SOURCE_DIR, version);
        kdr_integrator *const runs = make(KDR_VELOCITY_VERLET, KDR_F64, true, KDR_BACKEND_AUTO);
        cr_assert(kdr_checkpoint_read(name, runs, &saved, &error) == KDR_OK, "%s", error.message);
        cr_expect(saved.particles.memory_key != 0 && saved.clock.step == 10 && strcmp(saved.note, "kept") == 0);
        cr_assert(kdr_integrator_run(runs, &saved.particles, &saved.clock, AFTER, NULL) == KDR_OK);
        cr_assert(kdr_fingerprint(&saved.particles, &fingerprint, NULL) == KDR_OK);
        cr_expect(fingerprint == UINT64_C(0x885c496296b4f230), "%016" PRIx64, fingerprint);
        kdr_checkpoint_release(&saved);
        kdr_integrator_destroy(runs);
    }
}
