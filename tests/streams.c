/* Streams: particles in slices of any size end with the file of the run in memory, to the byte, whenever it was killed and continued.
 * Damaged files are refused. */
#include <kickdrift/io.h>

#include "files.h"
#include "support.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 67, STEPS = 9 };
static const uint64_t seed = 20240229;

static char folder[] = "/tmp/kickdrift-test-XXXXXX", from[64], to[64], part[64], expected[64];

static void begin(void) {
    cr_assert(mkdtemp(folder));
    snprintf(from, sizeof from, "%s/from.checkpoint", folder);
    snprintf(to, sizeof to, "%s/to.checkpoint", folder);
    snprintf(part, sizeof part, "%s/to.checkpoint.part", folder);
    snprintf(expected, sizeof expected, "%s/expected.checkpoint", folder);
}

static void end(void) {
    unlink(from), unlink(to), unlink(expected);
    cr_expect(rmdir(folder) == 0, "nothing else is left");
}

TestSuite(streams, .init = begin, .fini = end);

static bool same_files(const char *a, const char *b) {
    size_t size[2];
    unsigned char *const bytes[2] = {read_whole(a, &size[0]), read_whole(b, &size[1])};
    const bool same = size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0;
    free(bytes[0]), free(bytes[1]);
    return same;
}

/* The runs differ in what they carry: memory; noise and masses; compensation; bounces and the energy they took; nothing. */
static const struct {
    kdr_method method;
    kdr_real real;
    bool masses, compensated, walls;
    double friction;
} kinds[] = {{KDR_VELOCITY_VERLET, KDR_F64, true, false, false, 0}, {KDR_BAOAB, KDR_F32, true, false, false, 0.5},
             {KDR_STORMER_VERLET, KDR_F32, false, false, false, 0}, {KDR_RK4, KDR_F32, false, true, false, 0},
             {KDR_VELOCITY_VERLET, KDR_F32, true, true, true, 0},   {KDR_PEFRL, KDR_F64, false, false, false, 0}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static kdr_integrator *make(int kind, double k) {
    const kdr_force forces[] = {kdr_force_spring(k, 0.1, 0.2, 0.3), kdr_force_drag(0.25, 0, 0, 0)};
    kdr_collider ground = kdr_collider_plane((double[]){0, 0, -0.5}, (double[]){0, 0, 1});
    ground.restitution = 0.75;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = kinds[kind].method, desc.real = kinds[kind].real, desc.compensated = kinds[kind].compensated;
    desc.forces = forces, desc.force_count = desc.method == KDR_STORMER_VERLET || desc.method == KDR_BAOAB ? 1 : 2;
    desc.colliders = &ground, desc.collider_count = kinds[kind].walls;
    desc.langevin = (kdr_langevin){kinds[kind].friction, kinds[kind].friction, 5};
    kdr_integrator *made = NULL;
    kdr_error error;
    cr_assert(kdr_integrator_create(&desc, &made, &error) == KDR_OK, "%s", error.message);
    return made;
}

static kdr_particles_desc arrays(int kind, size_t count) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    desc.count = count, desc.real = kinds[kind].real, desc.memory = true;
    desc.inverse_mass = kinds[kind].masses, desc.compensation = kinds[kind].compensated;
    desc.bounces = desc.dissipated_energy = kinds[kind].walls;
    return desc;
}

/* Fills in particles. The state of each depends on its number alone; every ninth is frozen if there are masses. */
static void fill(kdr_particles *p) {
    for (size_t i = 0; i < p->count; ++i) {
        uint64_t own = seed + 1 + 7919 * (p->first_id + i);
        for (int axis = 0; axis < 3; ++axis) {
            set(p->x[axis], p->real, i, random_in(&own, -1, 1));
            set(p->v[axis], p->real, i, random_in(&own, -1, 1));
        }
        if (p->inverse_mass) {
            set(p->inverse_mass, p->real, i, (p->first_id + i) % 9 == 4 ? 0 : random_in(&own, 0.5, 2));
        }
    }
}

static kdr_particles population(int kind) {
    const kdr_particles_desc desc = arrays(kind, COUNT);
    kdr_particles p;
    cr_assert(kdr_particles_create(&desc, &p, NULL) == KDR_OK);
    fill(&p);
    return p;
}

enum { BEFORE = 4, LAST = 3 + BEFORE + STEPS };
static const kdr_clock start = {0.25, 1.0 / 32, 3};
static const char note[] = "the caller's";

static void write_checkpoint(const char *path, const kdr_integrator *integrator, const kdr_particles *p, const kdr_clock *clock) {
    kdr_error error;
    cr_assert(kdr_checkpoint_write(path, integrator, p, clock, note, sizeof note, &error) == KDR_OK, "%s", error.message);
}

static kdr_stream_desc described(const kdr_integrator *integrator, size_t memory) {
    kdr_stream_desc desc = kdr_stream_desc_default();
    desc.from = from, desc.to = to, desc.integrator = integrator, desc.last_step = LAST, desc.memory = memory;
    return desc;
}

/* Steps `most` slices, or all if there are no more. Returns true if all are done. */
static bool go(const kdr_stream_desc *desc, size_t most, size_t *done) {
    kdr_stream *stream = NULL;
    kdr_particles slice;
    kdr_clock clock;
    kdr_error error;
    kdr_stream_info info;
    bool is_all = false;
    cr_assert(kdr_stream_open(desc, &stream, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_stream_query(stream, &info, &error) == KDR_OK);
    for (size_t n = 0; n <= most && !is_all; ++n) {
        cr_assert(kdr_stream_next(stream, &slice, &clock, &error) == KDR_OK, "%s", error.message);
        is_all = slice.count == 0;
        if (desc->create) {
            fill(&slice);
        }
        cr_assert(is_all || kdr_integrator_run(desc->integrator, &slice, &clock, desc->last_step - clock.step, &error) == KDR_OK, "%s",
                  error.message);
    }
    *done = info.done;
    kdr_stream_close(stream);
    return is_all;
}

Test(streams, slices_of_any_size_end_with_the_file_of_the_run_in_memory) {
    const size_t memories[] = {1, 500, 2048, (size_t)1 << 20};
    for (int kind = 0; kind < KINDS; ++kind) {
        kdr_integrator *const integrator = make(kind, 2);
        for (size_t m = 0; m < sizeof memories / sizeof *memories; ++m) {
            const kdr_stream_desc desc = described(integrator, memories[m]);
            kdr_particles p = population(kind);
            kdr_clock clock = start;
            size_t done;
            cr_assert(kdr_integrator_run(integrator, &p, &clock, BEFORE, NULL) == KDR_OK);
            write_checkpoint(from, integrator, &p, &clock);
            cr_assert(kdr_integrator_run(integrator, &p, &clock, STEPS, NULL) == KDR_OK);
            write_checkpoint(expected, integrator, &p, &clock);
            cr_expect(go(&desc, SIZE_MAX - 1, &done) && done == 0);
            cr_expect(same_files(to, expected), "kind %d, memory %zu", kind, memories[m]);
            kdr_stream_desc in_place = desc;
            in_place.to = from;
            cr_expect(go(&in_place, SIZE_MAX - 1, &done));
            cr_expect(same_files(from, expected), "kind %d, memory %zu, in place", kind, memories[m]);
            kdr_particles_destroy(&p);
        }
        kdr_integrator_destroy(integrator);
    }
}

Test(streams, new_particles_are_the_callers_to_set) {
    for (int kind = 0; kind < KINDS; ++kind) {
        kdr_integrator *const integrator = make(kind, 2);
        const kdr_particles_desc create = arrays(kind, COUNT);
        kdr_stream_desc desc = described(integrator, 900);
        kdr_particles p = population(kind);
        kdr_clock clock = start;
        kdr_error error;
        size_t done;
        desc.from = NULL, desc.create = &create, desc.clock = start;
        cr_assert(kdr_integrator_run(integrator, &p, &clock, LAST - 3, NULL) == KDR_OK);
        cr_assert(kdr_checkpoint_write(expected, integrator, &p, &clock, NULL, 0, &error) == KDR_OK, "%s", error.message);
        cr_expect(!go(&desc, 1, &done) && access(to, F_OK) != 0, "it is not there before it is whole");
        cr_expect(go(&desc, SIZE_MAX - 1, &done) && done > 0);
        cr_expect(same_files(to, expected), "kind %d", kind);
        unlink(to);
        kdr_particles_destroy(&p);
        kdr_integrator_destroy(integrator);
    }
}

Test(streams, who_is_killed_goes_on_behind_the_last_whole_slice) {
    kdr_integrator *const integrator = make(0, 2), *const other = make(0, 3);
    kdr_particles p = population(0);
    kdr_clock clock = start;
    const kdr_stream_desc desc = described(integrator, 700);
    kdr_stream_desc others = described(other, 700);
    size_t done = 0, last = 0, size;
    write_checkpoint(from, NULL, &p, &clock);
    write_checkpoint(to, NULL, &p, &clock); /* of an earlier time */
    cr_assert(kdr_integrator_run(integrator, &p, &clock, LAST - 3, NULL) == KDR_OK);
    write_checkpoint(expected, integrator, &p, &clock);
    unsigned char *const before = read_whole(to, &size);
    for (int kills = 0; kills < 3; ++kills) {
        const pid_t child = fork();
        if (child == 0) {
            kdr_stream_desc own = desc;
            kdr_stream *stream = NULL;
            kdr_particles slice;
            own.memory = 500 + 300 * (size_t)kills;
            kdr_stream_open(&own, &stream, NULL);
            for (int n = 0; n < 3 && !kdr_stream_next(stream, &slice, &clock, NULL); ++n) {
                kdr_integrator_run(integrator, &slice, &clock, LAST - 3, NULL);
            }
            raise(SIGKILL);
        }
        int status;
        size_t found;
        cr_assert(child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        unsigned char *const now = read_whole(to, &found);
        cr_expect(found == size && memcmp(before, now, size) == 0, "what was there is there until the end");
        free(now);
        cr_expect(!go(&desc, 0, &done) && done > last, "%zu particles are done", done);
        last = done;
    }
    /* If the latest record is incomplete, the one before it counts. */
    size_t part_size;
    unsigned char *const torn = read_whole(part, &part_size);
    cr_assert(part_size == size + 80, "two records behind the end: %zu", part_size);
    const int latest = torn[size + 8] > torn[size + 48] ? 0 : 1;
    torn[size + 40 * (size_t)latest + 9] ^= 1;
    write_whole(part, torn, part_size);
    cr_expect(!go(&desc, 1, &done) && done > 0 && done < last, "%zu of %zu", done, last);
    cr_expect(go(&desc, SIZE_MAX - 1, &done) && done > 0 && same_files(to, expected));
    /* A part of another description, or of other particles, does not count. */
    cr_expect(!go(&others, 2, &done) && done == 0);
    kdr_stream_desc others_seed = desc;
    others_seed.key = 1;
    cr_expect(!go(&desc, 2, &done) && done == 0);
    cr_expect(!go(&others_seed, 2, &done) && done == 0);
    cr_expect(!go(&others_seed, 2, &done) && done > 0);
    cr_expect(go(&desc, SIZE_MAX - 1, &done) && done == 0 && same_files(to, expected));
    free(before), free(torn);
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(integrator);
    kdr_integrator_destroy(other);
}

/* Slices that are done are used as they were written, or not at all: the test damages a byte of each array in the last slice, and one in
 * the first. */
Test(streams, what_is_done_and_damaged_is_done_again) {
    kdr_integrator *const integrator = make(4, 2);
    kdr_particles p = population(4);
    kdr_clock clock = start;
    const kdr_stream_desc desc = described(integrator, 900);
    size_t done, all, size;
    write_checkpoint(from, NULL, &p, &clock);
    cr_assert(kdr_integrator_run(integrator, &p, &clock, LAST - 3, NULL) == KDR_OK);
    write_checkpoint(expected, integrator, &p, &clock);
    cr_expect(!go(&desc, 3, &done) && !go(&desc, 0, &all) && all > 0);
    unsigned char *const left = read_whole(part, &size);
    for (int axis = 0; axis < 3; ++axis) {
        for (int first = 0; first < 2; ++first) {
            const size_t x = 128 + 4 * (size_t)axis * COUNT;
            unsigned char *const damaged = &left[x + 4 * (first ? 0 : all - 1) + 1];
            *damaged ^= 1;
            write_whole(part, left, size);
            *damaged ^= 1;
            cr_expect(!go(&desc, 0, &done) && (first ? done == 0 : done > 0 && done < all), "axis %d: %zu of %zu", axis, done, all);
            write_whole(part, left, size);
            cr_expect(!go(&desc, 0, &done) && done == all);
            *damaged ^= 1;
            write_whole(part, left, size);
            *damaged ^= 1;
            cr_expect(go(&desc, SIZE_MAX - 1, &done) && done < all && same_files(to, expected));
            cr_assert(unlink(to) == 0);
        }
    }
    free(left);
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(integrator);
}

static kdr_status opened(const kdr_stream_desc *desc, kdr_error *error) {
    kdr_stream *stream = NULL;
    *error = (kdr_error){0};
    const kdr_status status = kdr_stream_open(desc, &stream, error);
    kdr_stream_close(stream);
    return status;
}

Test(streams, what_is_damaged_or_another_is_refused) {
    kdr_integrator *const integrator = make(0, 2), *const other = make(0, 3), *const narrow = make(1, 2);
    kdr_particles p = population(0);
    kdr_error error;
    size_t size;
    kdr_stream_desc desc = described(integrator, 1000);
    cr_expect(opened(&desc, &error) == KDR_ERROR_FILE && strstr(error.message, "cannot open"), "%s", error.message);
    write_checkpoint(from, integrator, &p, &start);
    unsigned char *const whole = read_whole(from, &size);
    for (size_t i = 0; i < size; ++i) {
        whole[i] ^= 1;
        write_whole(from, whole, size);
        cr_expect(opened(&desc, &error) == KDR_ERROR_FORMAT && strstr(error.message, from), "byte %zu: %s", i, error.message);
        whole[i] ^= 1;
    }
    for (size_t cut = 0; cut < size; cut += 97) {
        write_whole(from, whole, cut);
        cr_expect(opened(&desc, &error) == KDR_ERROR_FORMAT, "%zu bytes: %s", cut, error.message);
    }
    write_whole(from, whole, size);
    free(whole);
    desc.integrator = other;
    cr_expect(opened(&desc, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "another description"), "%s", error.message);
    write_checkpoint(from, NULL, &p, &start);
    cr_expect(opened(&desc, &error) == KDR_OK, "of no description: %s", error.message);
    desc.integrator = narrow;
    cr_expect(opened(&desc, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "f32"), "%s", error.message);
    desc = described(integrator, 1000), desc.from = folder;
    cr_expect(opened(&desc, &error) == KDR_ERROR_FORMAT, "%s", error.message);
    desc = described(integrator, 1000), desc.last_step = 2;
    cr_expect(opened(&desc, &error) == KDR_ERROR_ARGUMENT && strstr(error.message, "from 3 to 2^53"), "%s", error.message);
    desc = described(integrator, 1000), desc.from = NULL;
    cr_expect(opened(&desc, &error) == KDR_ERROR_NULL && strstr(error.message, "create"), "%s", error.message);
    desc = described(integrator, 1000), desc.size = 8;
    cr_expect(opened(&desc, &error) == KDR_ERROR_ARGUMENT && strstr(error.message, "kdr_stream_desc_default"), "%s", error.message);
    cr_expect(access(to, F_OK) != 0 && access(part, F_OK) != 0, "nothing was begun");
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(integrator), kdr_integrator_destroy(other), kdr_integrator_destroy(narrow);
}

Test(streams, a_slice_comes_back_as_it_should) {
    kdr_integrator *const integrator = make(0, 2);
    kdr_particles p = population(0), slice;
    const kdr_stream_desc desc = described(integrator, 1000);
    kdr_stream *stream;
    kdr_clock clock;
    kdr_error error;
    write_checkpoint(from, integrator, &p, &start);
    cr_assert(kdr_stream_open(&desc, &stream, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_stream_next(stream, &slice, &clock, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_stream_next(stream, &slice, &clock, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "at step 3, expected 16"),
              "%s", error.message);
    clock.step = LAST;
    cr_expect(kdr_stream_next(stream, &p, &clock, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "67 particles"), "%s",
              error.message);
    cr_expect(kdr_stream_next(stream, NULL, &clock, &error) == KDR_ERROR_NULL);
    kdr_stream_close(stream);
    cr_expect(access(part, F_OK) != 0, "no slice was whole");
    kdr_stream_close(NULL);
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(integrator);
}

Test(streams, without_a_target_slices_are_looked_at) {
    kdr_particles p = population(0), slice;
    kdr_stream_desc desc = kdr_stream_desc_default();
    kdr_stream *stream;
    kdr_clock clock;
    kdr_error error;
    size_t seen = 0;
    write_checkpoint(from, NULL, &p, &start);
    desc.from = from, desc.memory = 999;
    cr_assert(kdr_stream_open(&desc, &stream, &error) == KDR_OK, "%s", error.message);
    while (kdr_stream_next(stream, &slice, &clock, &error) == KDR_OK && slice.count > 0) {
        cr_expect(slice.first_id == seen && clock.step == start.step && clock.dt == start.dt);
        for (size_t i = 0; i < slice.count; ++i) {
            cr_expect(memcmp((double *)slice.v[2] + i, (double *)p.v[2] + seen + i, sizeof(double)) == 0);
        }
        seen += slice.count;
    }
    cr_expect(seen == COUNT);
    kdr_stream_close(stream);
    kdr_particles_destroy(&p);
}

Test(streams, a_full_disk_is_an_error_and_no_slice_is_lost) {
    kdr_integrator *const integrator = make(0, 2);
    kdr_particles p = population(0), slice;
    const kdr_stream_desc desc = described(integrator, 1000);
    kdr_stream *stream;
    kdr_clock clock = start;
    kdr_error error;
    size_t done;
    write_checkpoint(from, integrator, &p, &clock);
    cr_assert(kdr_integrator_run(integrator, &p, &clock, LAST - 3, NULL) == KDR_OK);
    write_checkpoint(expected, integrator, &p, &clock);
    cr_expect(!go(&desc, 2, &done) && done == 0);
    cr_assert(kdr_stream_open(&desc, &stream, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_stream_next(stream, &slice, &clock, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_integrator_run(integrator, &slice, &clock, LAST - 3, &error) == KDR_OK, "%s", error.message);
    struct rlimit kept, none = {1000, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert(getrlimit(RLIMIT_FSIZE, &kept) == 0);
    none.rlim_max = kept.rlim_max;
    cr_assert(setrlimit(RLIMIT_FSIZE, &none) == 0);
    const kdr_status status = kdr_stream_next(stream, &slice, &clock, &error);
    cr_assert(setrlimit(RLIMIT_FSIZE, &kept) == 0);
    cr_expect(status == KDR_ERROR_FILE && strstr(error.message, "cannot write"), "%s", error.message);
    kdr_stream_close(stream);
    cr_expect(go(&desc, SIZE_MAX - 1, &done) && done > 0 && same_files(to, expected));
    kdr_particles_destroy(&p);
    kdr_integrator_destroy(integrator);
}
