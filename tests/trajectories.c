/* Trajectories: frames are read back to the bit, and those of the last commit survive whatever stops the writer. */
#include <kickdrift/io.h>

#include "support.h"

#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 1000, FRAMES = 7 };

static char folder[] = "/tmp/kickdrift-test-XXXXXX", path[64], journal[80];

static void begin(void) {
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.h5", folder);
    snprintf(journal, sizeof journal, "%s.journal", path);
}

static void end(void) {
    unlink(path);
    unlink(journal);
    cr_expect(rmdir(folder) == 0, "nothing else is left");
}

TestSuite(trajectories, .init = begin, .fini = end);

static unsigned char *read_bytes(const char *name, size_t *size) {
    FILE *const file = fopen(name, "rb");
    cr_assert(file && fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    unsigned char *const bytes = malloc(*size + 1);
    rewind(file);
    cr_assert(bytes && fread(bytes, 1, *size, file) == *size && fclose(file) == 0);
    return bytes;
}

static void write_bytes(const char *name, const unsigned char *bytes, size_t size) {
    FILE *const file = fopen(name, "wb");
    cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* Returns a number that identifies the frame, the particle and the array. */
static double value_of(uint64_t frame, size_t i, int array) { return (double)frame * 1000 + (double)i * 0.125 + array; }

static void fill(kdr_particles *p, uint64_t frame) {
    for (size_t i = 0; i < p->count; ++i) {
        for (int axis = 0; axis < p->dims; ++axis) {
            set(p->x[axis], p->real, i, value_of(frame, i, axis));
            set(p->v[axis], p->real, i, value_of(frame, i, 3 + axis));
        }
    }
}

static kdr_trajectory *create(const kdr_particles *p, kdr_real real, int deflate) {
    static const char *const names[] = {"energy", "largest"};
    kdr_trajectory_desc desc = kdr_trajectory_desc_default();
    kdr_trajectory *made;
    kdr_error error;
    desc.particles = p, desc.real = real, desc.observables = names, desc.observable_count = 2, desc.deflate = deflate;
    desc.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {-1, -2, 0}, {1, 2, 0}};
    cr_assert(kdr_trajectory_create(path, &desc, &made, &error) == KDR_OK, "%s", error.message);
    return made;
}

static void append(kdr_trajectory *to, kdr_particles *p, uint64_t frame) {
    const kdr_clock clock = {0.5, 0.25, 10 * frame};
    const double observables[2] = {-(double)frame, 0.125 * (double)frame};
    kdr_error error;
    fill(p, frame);
    cr_assert(kdr_trajectory_append(to, p, &clock, observables, &error) == KDR_OK, "%s", error.message);
}

static void expect_frame(kdr_trajectory *from, uint64_t index) {
    kdr_frame frame;
    kdr_error error;
    cr_assert(kdr_trajectory_read(from, index, &frame, &error) == KDR_OK, "%s", error.message);
    cr_expect(frame.step == 10 * index && frame.time == 0.5 + 2.5 * (double)index);
    cr_expect(frame.observables[0] == -(double)index && frame.observables[1] == 0.125 * (double)index);
    size_t wrong = 0;
    for (size_t i = 0; i < frame.particles.count; ++i) {
        for (int axis = 0; axis < frame.particles.dims; ++axis) {
            const size_t at = i * (size_t)frame.particles.dims;
            wrong += get(frame.particles.x[axis], frame.particles.real, at) != value_of(index, i, axis);
            wrong += get(frame.particles.v[axis], frame.particles.real, at) != value_of(index, i, 3 + axis);
        }
    }
    cr_expect(wrong == 0, "frame %" PRIu64 ": %zu numbers differ", index, wrong);
}

static void round_trip(int dims, kdr_real real, kdr_real in_file, int deflate) {
    kdr_particles p = make_particles(COUNT, dims, real, true, false);
    uint64_t id[COUNT];
    kdr_trajectory_info info;
    kdr_frame frame;
    kdr_error error;
    for (size_t i = 0; i < COUNT; ++i) {
        id[i] = UINT64_MAX - i;
        set(p.inverse_mass, real, i, i == 0 ? 0 : 0.5);
    }
    p.id = id;
    kdr_trajectory *t = create(&p, in_file, deflate);
    for (uint64_t n = 0; n < FRAMES; ++n) {
        append(t, &p, n);
    }
    cr_expect(kdr_trajectory_note(t, "scene", "a scene", &error) == KDR_OK && kdr_trajectory_note(t, "scene", "another", &error) == KDR_OK);
    char *const text = calloc(1, 200001);
    cr_assert(text);
    memset(text, 'x', 200000);
    cr_expect(kdr_trajectory_note(t, "long", text, &error) == KDR_OK && kdr_trajectory_note(t, "long", text, &error) == KDR_OK);
    free(text);
    cr_assert(kdr_trajectory_close(t, &error) == KDR_OK, "%s", error.message);
    cr_expect(access(journal, F_OK) != 0);
    cr_assert(kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_trajectory_query(t, &info, NULL) == KDR_OK);
    cr_expect(info.frames == FRAMES && info.count == COUNT && info.dims == dims && info.real == in_file && info.velocities);
    cr_expect(info.observable_count == 2 && strcmp(info.observables[0], "energy") == 0 && info.box[0] == 2 && info.box[2] == 0);
    for (uint64_t n = FRAMES; n-- > 0;) {
        expect_frame(t, n);
    }
    cr_expect(kdr_trajectory_read(t, FRAMES, &frame, &error) == KDR_ERROR_ARGUMENT);
    cr_assert(kdr_trajectory_read(t, 2, &frame, &error) == KDR_OK);
    cr_expect(frame.particles.id[1] == UINT64_MAX - 1 && get(frame.particles.inverse_mass, in_file, 0) == 0 &&
              get(frame.particles.inverse_mass, in_file, 9) == 0.5);
    cr_assert(kdr_trajectory_close(t, NULL) == KDR_OK);

    /* When writing continues after fewer frames, the others are removed. */
    cr_assert(kdr_trajectory_open(path, 3, &t, &error) == KDR_OK, "%s", error.message);
    kdr_trajectory *second;
    cr_expect(kdr_trajectory_open(path, 3, &second, &error) != KDR_OK && strstr(error.message, "another process"), "%s", error.message);
    append(t, &p, 3);
    cr_assert(kdr_trajectory_close(t, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_trajectory_open(path, 5, &second, &error) == KDR_ERROR_FORMAT && strstr(error.message, "it has 4 frames"), "%s",
              error.message);
    cr_assert(kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK);
    for (uint64_t n = 0; n < 4; ++n) {
        expect_frame(t, n);
    }
    cr_expect(kdr_trajectory_query(t, &info, NULL) == KDR_OK && info.frames == 4);
    kdr_trajectory_close(t, NULL);
    kdr_particles_destroy(&p);
}

Test(trajectories, frames_come_back) {
    for (int dims = 1; dims <= 3; ++dims) {
        for (int reals = 0; reals < 4; ++reals) {
            round_trip(dims, (kdr_real)(reals % 2), (kdr_real)(reals / 2), dims - 1);
        }
    }
}

/* A frame has its own image counts, whole or in slices, and each frame those that it was written with. Chunks have none. */
Test(trajectories, images_come_back) {
    for (int round = 0; round < 12; ++round) {
        const int dims = 1 + round % 3;
        kdr_particles p = make_particles(COUNT, dims, (kdr_real)(round / 3 % 2), false, false);
        static int32_t images[3][COUNT];
        const kdr_clock clock = {0, 1, 0};
        const double observables[2] = {0, 0};
        kdr_error error;
        kdr_frame frame;
        p.images[0] = images[0], p.images[1] = dims > 1 ? images[1] : NULL, p.images[2] = dims > 2 ? images[2] : NULL;
        kdr_trajectory *t = create(&p, KDR_F32, round / 6);
        for (uint64_t n = 0; n < 2 * FRAMES; ++n) {
            for (size_t i = 0; i < COUNT * 3; ++i) {
                images[i / COUNT][i % COUNT] = (int32_t)(n * 10000 + i) * (i % 2 ? 1 : -1);
            }
            if (n == FRAMES) { /* another process continues after fewer frames */
                cr_assert(kdr_trajectory_close(t, &error) == KDR_OK && kdr_trajectory_open(path, FRAMES, &t, &error) == KDR_OK, "%s",
                          error.message);
            }
            for (size_t begin = 0; begin < COUNT; begin += n % 2 ? 300 : COUNT) {
                kdr_particles slice = kdr_particles_slice(&p, begin, n % 2 ? 300 : COUNT);
                cr_assert(kdr_trajectory_append_slice(t, &slice, &clock, observables, &error) == KDR_OK, "%s", error.message);
            }
        }
        const size_t sizes[2] = {1, 1};
        cr_expect(kdr_trajectory_append_chunk(t, 0, "ab", sizes, &clock, observables, &error) == KDR_ERROR_UNSUPPORTED);
        kdr_particles without = p;
        memset(without.images, 0, sizeof without.images);
        cr_expect(kdr_trajectory_append(t, &without, &clock, observables, &error) == KDR_ERROR_MISMATCH && strstr(error.message, "images"));
        cr_assert(kdr_trajectory_close(t, &error) == KDR_OK && kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK, "%s",
                  error.message);
        size_t wrong = 0;
        for (uint64_t n = 2 * FRAMES; n-- > 0;) {
            cr_assert(kdr_trajectory_read(t, n, &frame, &error) == KDR_OK && frame.particles.images[0], "%s", error.message);
            cr_assert(kdr_particles_check(&frame.particles, &error) == KDR_OK, "%s", error.message);
            for (size_t i = 0; i < COUNT * (size_t)dims; ++i) {
                const int32_t found = frame.particles.images[i / COUNT][i % COUNT * (size_t)dims];
                wrong += found != (int32_t)(n * 10000 + i) * (i % 2 ? 1 : -1);
            }
        }
        cr_expect(wrong == 0, "round %d: %zu images differ", round, wrong);
        kdr_trajectory_close(t, NULL);
        kdr_particles_destroy(&p);
    }
}

/* After HDF5 has freed the driver it must not call its functions. */
Test(trajectories, closed_while_the_driver_is_there) {
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, false);
    kdr_error error;
    mallopt(M_PERTURB, 165);
    for (int n = 0; n < 3; ++n) {
        kdr_trajectory *t = create(&p, KDR_F64, 1);
        append(t, &p, 0);
        cr_assert(kdr_trajectory_close(t, &error) == KDR_OK && kdr_trajectory_open(path, n == 0 ? 1 : UINT64_MAX, &t, &error) == KDR_OK);
        cr_assert(kdr_trajectory_close(t, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_trajectory_open(KDR_SOURCE_DIR "/tests/trajectories.c", UINT64_MAX, &t, &error) == KDR_ERROR_FORMAT);
    }
    kdr_particles_destroy(&p);
}

/* A process that continues the file finds the observables in the order in which they were named. */
Test(trajectories, observables_keep_their_order) {
    static const char *const names[] = {"potential", "kinetic", "z", "angular", "m", "b", "y", "a", "k", "c"};
    enum { NAMES = sizeof names / sizeof names[0] };
    kdr_particles p = make_particles(COUNT, 1, KDR_F64, false, false);
    kdr_trajectory_desc desc = kdr_trajectory_desc_default();
    kdr_trajectory *t;
    kdr_trajectory_info info;
    kdr_frame frame;
    kdr_error error;
    desc.particles = &p, desc.observables = names, desc.observable_count = NAMES;
    cr_assert(kdr_trajectory_create(path, &desc, &t, &error) == KDR_OK, "%s", error.message);
    for (uint64_t n = 0; n < 3; ++n) {
        const kdr_clock clock = {0, 1, n};
        double values[NAMES];
        for (int i = 0; i < NAMES; ++i) {
            values[i] = (double)n + 100 * i;
        }
        cr_assert(kdr_trajectory_append(t, &p, &clock, values, &error) == KDR_OK, "%s", error.message);
        cr_assert(kdr_trajectory_close(t, &error) == KDR_OK && kdr_trajectory_open(path, n < 2 ? n + 1 : UINT64_MAX, &t, &error) == KDR_OK);
    }
    cr_expect(kdr_trajectory_query(t, &info, NULL) == KDR_OK && info.observable_count == NAMES);
    for (uint64_t n = 0; n < 3; ++n) {
        cr_assert(kdr_trajectory_read(t, n, &frame, &error) == KDR_OK, "%s", error.message);
        for (int i = 0; i < NAMES; ++i) {
            cr_expect(strcmp(info.observables[i], names[i]) == 0 && frame.observables[i] == (double)n + 100 * i, "frame %" PRIu64 ": %s", n,
                      names[i]);
        }
    }
    kdr_trajectory_close(t, NULL);
    kdr_particles_destroy(&p);
}

/* The file does not contain the time when it was made. */
Test(trajectories, equal_runs_make_equal_files) {
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, true, false);
    unsigned char *bytes[2];
    size_t size[2];
    char *const text = calloc(1, 100001);
    cr_assert(text);
    memset(text, 'x', 100000);
    for (int n = 0; n < 2; ++n) {
        kdr_trajectory *const t = create(&p, KDR_F64, 1);
        for (uint64_t frame = 0; frame < FRAMES; ++frame) {
            append(t, &p, frame);
        }
        cr_assert(kdr_trajectory_note(t, "long", text, NULL) == KDR_OK && kdr_trajectory_close(t, NULL) == KDR_OK);
        bytes[n] = read_bytes(path, &size[n]);
        usleep(n == 0 ? 1100000 : 0); /* HDF5 counts seconds */
    }
    cr_expect(size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
    free(text);
    kdr_particles_destroy(&p);
}

/* The system's reason is reported, and nothing is left next to the file. */
Test(trajectories, no_room) {
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, false);
    const kdr_clock clock = {0, 1, 0};
    const double observables[2] = {0, 0};
    kdr_error error;
    kdr_trajectory *t = create(&p, KDR_F64, 0);
    const struct rlimit least = {100000, RLIM_INFINITY};
    cr_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && setrlimit(RLIMIT_FSIZE, &least) == 0);
    kdr_status status = KDR_OK;
    for (int n = 0; n < FRAMES && status == KDR_OK; ++n) {
        status = kdr_trajectory_append(t, &p, &clock, observables, &error);
    }
    cr_expect(status == KDR_ERROR_FILE && strstr(error.message, "File too large"), "%s", error.message);
    cr_expect(kdr_trajectory_close(t, &error) != KDR_OK && strstr(error.message, "File too large"), "%s", error.message);
    cr_expect(access(journal, F_OK) != 0);
    kdr_particles_destroy(&p);
}

/* ---- a writer that is stopped anywhere */

static void write_for_ever(kdr_particles *p, uint64_t from, volatile uint64_t *committed) {
    kdr_trajectory *t = NULL;
    if (from > 0 && kdr_trajectory_open(path, from, &t, NULL) != KDR_OK) {
        _exit(1);
    }
    t = from > 0 ? t : create(p, KDR_F64, 1);
    for (uint64_t n = from;; ++n) {
        append(t, p, n);
        if (kdr_trajectory_commit(t, NULL) != KDR_OK) {
            _exit(1);
        }
        *committed = n + 1;
    }
}

Test(trajectories, a_killed_writer_leaves_whole_frames, .timeout = 300) {
    uint64_t seed = test_seed(), frames = 0, most = 0;
    volatile uint64_t *const committed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, false);
    for (int n = 0; n < 100; ++n) {
        const uint64_t from = random_bits(&seed) % 4 == 0 ? 0 : frames; /* some begin anew */
        *committed = from;
        const pid_t writer = fork();
        cr_assert(writer >= 0);
        if (writer == 0) {
            write_for_ever(&p, from, committed);
        }
        while (*committed == from) {
            int status;
            cr_assert(waitpid(writer, &status, WNOHANG) == 0, "the writer ended");
            usleep(100);
        }
        usleep((useconds_t)(random_bits(&seed) % 20000));
        int status;
        cr_assert(kill(writer, SIGKILL) == 0 && waitpid(writer, &status, 0) == writer && WIFSIGNALED(status));
        kdr_trajectory *t;
        kdr_trajectory_info info;
        kdr_error error;
        cr_assert(kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK, "%d: %s", n, error.message);
        cr_assert(kdr_trajectory_query(t, &info, NULL) == KDR_OK);
        cr_expect(info.frames >= *committed && info.frames <= *committed + 1, "%d: %" PRIu64 " of %" PRIu64, n, info.frames, *committed);
        for (uint64_t k = 0; k < info.frames; k += 1 + info.frames / 8) {
            expect_frame(t, k);
        }
        expect_frame(t, info.frames - 1);
        kdr_trajectory_close(t, NULL);
        frames = info.frames;
        most = frames > most ? frames : most;
    }
    cr_expect(most > 20, "%" PRIu64, most);
    kdr_particles_destroy(&p);
}

/* ---- a writer that is stopped at any write, and in the middle of it */

static volatile uint64_t *stop_after; /* number of calls that change the file before the stop; 0: none */
static uint64_t stop_at;              /* the part of the last write that is made, in 64ths */

static bool stops(void) { return stop_after && *stop_after > 0 && --*stop_after == 0; }

ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at) {
    if (stops()) {
        (void)!__real_pwrite(file, bytes, size * stop_at / 64, at);
        raise(SIGKILL);
    }
    return __real_pwrite(file, bytes, size, at);
}

int __real_ftruncate(int file, off_t size);
int __wrap_ftruncate(int file, off_t size);
int __wrap_ftruncate(int file, off_t size) {
    if (stops()) {
        raise(SIGKILL);
    }
    return __real_ftruncate(file, size);
}

/* Writes six more frames, and commits each. */
static void write_some(kdr_particles *p, uint64_t from, volatile uint64_t *committed) {
    kdr_trajectory *t;
    if (kdr_trajectory_open(path, from, &t, NULL) != KDR_OK) {
        _exit(1);
    }
    for (uint64_t n = from; n < from + 6; ++n) {
        append(t, p, n);
        if (kdr_trajectory_commit(t, NULL) != KDR_OK) {
            _exit(1);
        }
        *committed = n + 1;
    }
    _exit(kdr_trajectory_close(t, NULL) == KDR_OK ? 0 : 1);
}

Test(trajectories, stopped_at_any_write, .timeout = 300) {
    uint64_t seed = test_seed(), most = 0;
    volatile uint64_t *const shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    kdr_particles p = make_particles(100, 3, KDR_F64, false, false);
    size_t size;
    kdr_error error;
    kdr_trajectory *t = create(&p, KDR_F64, 1);
    for (uint64_t n = 0; n < 3; ++n) {
        append(t, &p, n);
    }
    cr_assert(kdr_trajectory_close(t, &error) == KDR_OK, "%s", error.message);
    unsigned char *const begun = read_bytes(path, &size);
    int status = 0;
    for (uint64_t stop = 1; stop == 1 || WIFSIGNALED(status); ++stop) {
        write_bytes(path, begun, size);
        unlink(journal);
        stop_after = shared;
        stop_at = random_bits(&seed) % 65;
        shared[0] = 0, shared[1] = 3;
        const pid_t writer = fork();
        cr_assert(writer >= 0);
        if (writer == 0) {
            *stop_after = stop;
            write_some(&p, 3, &shared[1]);
        }
        cr_assert(waitpid(writer, &status, 0) == writer && (WIFSIGNALED(status) || WEXITSTATUS(status) == 0), "%" PRIu64, stop);
        *stop_after = 0;
        kdr_trajectory_info info;
        cr_assert(kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK, "write %" PRIu64 ": %s", stop, error.message);
        cr_assert(kdr_trajectory_query(t, &info, NULL) == KDR_OK);
        cr_expect(info.frames >= shared[1] && info.frames <= shared[1] + 1, "write %" PRIu64 ": %" PRIu64 " of %" PRIu64, stop, info.frames,
                  shared[1]);
        for (uint64_t n = 0; n < info.frames; ++n) {
            expect_frame(t, n);
        }
        kdr_trajectory_close(t, NULL);
        most = stop;
    }
    fprintf(stderr, "stopped at %" PRIu64 " writes\n", most - 1);
    cr_expect(most > 50);
    free(begun);
    kdr_particles_destroy(&p);
}

/* Frames of several chunks come in slices that do not match the chunks, with ids and masses. An incomplete frame is left out. */
Test(trajectories, frames_in_slices) {
    enum { MANY = 50000 };
    static const size_t slices[] = {1, 16000, 0, 22000, 11999};
    kdr_particles p = make_particles(MANY, 3, KDR_F64, true, false);
    uint64_t *const id = malloc(MANY * sizeof *id);
    kdr_trajectory_desc desc = kdr_trajectory_desc_default();
    kdr_trajectory *t;
    kdr_frame frame;
    kdr_error error;
    cr_assert(id);
    for (size_t i = 0; i < MANY; ++i) {
        id[i] = 3 * i;
        set(p.inverse_mass, KDR_F64, i, 1 / (double)(1 + i % 4));
    }
    p.id = id;
    kdr_particles first = kdr_particles_slice(&p, 0, slices[0]);
    desc.particles = &first, desc.count = MANY;
    cr_assert(kdr_trajectory_create(path, &desc, &t, &error) == KDR_OK, "%s", error.message);
    for (uint64_t n = 0; n < 3; ++n) {
        const kdr_clock clock = {0.5, 0.25, 10 * n};
        const size_t last = n < 2 ? 5 : 4;
        fill(&p, n);
        if (n == 1) { /* this frame is incomplete when the file is committed */
            cr_assert(kdr_trajectory_append_slice(t, &first, &clock, NULL, &error) == KDR_OK && kdr_trajectory_commit(t, &error) == KDR_OK);
        }
        size_t begin = 0;
        for (size_t k = 0; k < last; begin += slices[k++]) {
            kdr_particles slice = kdr_particles_slice(&p, begin, slices[k]);
            cr_assert(kdr_trajectory_append_slice(t, &slice, &clock, NULL, &error) == KDR_OK, "%s", error.message);
        }
        cr_expect(begin == MANY || kdr_trajectory_append_slice(t, &p, &clock, NULL, &error) == KDR_ERROR_MISMATCH);
        cr_expect(begin == MANY || kdr_trajectory_append(t, &p, &clock, NULL, &error) == KDR_ERROR_MISMATCH);
    }
    cr_assert(kdr_trajectory_close(t, &error) == KDR_OK && kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK);
    kdr_trajectory_info info;
    cr_expect(kdr_trajectory_query(t, &info, NULL) == KDR_OK && info.frames == 2 && info.count == MANY);
    for (uint64_t n = 0; n < 2; ++n) {
        cr_assert(kdr_trajectory_read(t, n, &frame, &error) == KDR_OK);
        size_t wrong = frame.step != 10 * n;
        for (size_t i = 0; i < MANY; ++i) {
            wrong += frame.particles.id[i] != 3 * i || get(frame.particles.inverse_mass, KDR_F64, i) != 1 / (double)(1 + i % 4);
            for (int axis = 0; axis < 3; ++axis) {
                wrong += get(frame.particles.x[axis], KDR_F64, 3 * i) != value_of(n, i, axis);
                wrong += get(frame.particles.v[axis], KDR_F64, 3 * i) != value_of(n, i, 3 + axis);
            }
        }
        cr_expect(wrong == 0, "frame %" PRIu64 ": %zu", n, wrong);
    }
    kdr_trajectory_close(t, NULL);
    free(id);
    kdr_particles_destroy(&p);
}

/* Writes chunks that are compressed separately, in any order. */
static void frames_in_chunks(kdr_real real, int deflate) {
    enum { MANY = 50000 };
    kdr_particles p = make_particles(MANY, 3, KDR_F64, false, false);
    kdr_trajectory_desc desc = kdr_trajectory_desc_default();
    kdr_trajectory *t;
    kdr_frame frame;
    kdr_error error;
    size_t room, sizes[2];
    desc.particles = &p, desc.real = real, desc.deflate = deflate;
    const kdr_clock clock = {0.5, 0.25, 10};
    const size_t each = kdr_trajectory_chunk(&desc, &room), chunks = (MANY + each - 1) / each;
    unsigned char *const bytes = malloc(room);
    cr_assert(bytes && chunks > 1 && each * (chunks - 1) < MANY);
    cr_assert(kdr_trajectory_create(path, &desc, &t, &error) == KDR_OK, "%s", error.message);
    fill(&p, 1);
    for (size_t n = chunks; n-- > 0;) {
        const kdr_particles chunk = kdr_particles_slice(&p, n * each, each);
        cr_assert(kdr_trajectory_pack(&desc, &chunk, bytes, sizes, &error) == KDR_OK && sizes[0] + sizes[1] <= room, "%s", error.message);
        cr_expect(kdr_trajectory_append_chunk(t, n * each + 1, bytes, sizes, &clock, NULL, &error) == KDR_ERROR_MISMATCH);
        cr_assert(kdr_trajectory_append_chunk(t, n * each, bytes, sizes, &clock, NULL, &error) == KDR_OK, "%s", error.message);
    }
    cr_expect(kdr_trajectory_pack(&desc, &p, bytes, sizes, &error) == KDR_ERROR_MISMATCH);
    cr_expect(kdr_trajectory_append_chunk(t, chunks * each, bytes, sizes, &clock, NULL, &error) == KDR_ERROR_MISMATCH);
    cr_assert(kdr_trajectory_append(t, &p, &clock, NULL, &error) == KDR_OK, "%s", error.message);
    cr_assert(kdr_trajectory_close(t, &error) == KDR_OK && kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK);
    for (uint64_t n = 0; n < 2; ++n) {
        cr_assert(kdr_trajectory_read(t, n, &frame, &error) == KDR_OK, "%s", error.message);
        size_t wrong = frame.step != 10;
        for (size_t i = 0; i < MANY; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                wrong += get(frame.particles.x[axis], real, 3 * i) != value_of(1, i, axis);
                wrong += get(frame.particles.v[axis], real, 3 * i) != value_of(1, i, 3 + axis);
            }
        }
        cr_expect(wrong == 0, "frame %" PRIu64 ": %zu", n, wrong);
    }
    kdr_trajectory_close(t, NULL);
    unlink(path);
    free(bytes);
    kdr_particles_destroy(&p);
}

Test(trajectories, frames_in_chunks) {
    frames_in_chunks(KDR_F64, 1);
    frames_in_chunks(KDR_F32, 1);
    frames_in_chunks(KDR_F64, 0);
}

/* Names are checked before the file is opened. */
Test(trajectories, a_refusal_leaves_the_file_that_is_there) {
    static const char *const names[][2] = {{"energy", "energy"}, {".", "b"}, {"a", ".."}, {"a/b", "c"}, {"", "b"}, {"a", NULL}};
    static const char *const said[] = {"observables[1]", "observables[0]", "observables[1]", "\"a/b\"", "observables[0]", "observables[1]"};
    kdr_particles p = make_particles(COUNT, 3, KDR_F64, false, false);
    kdr_trajectory *t = create(&p, KDR_F64, 1);
    kdr_trajectory_info info;
    kdr_error error;
    append(t, &p, 0);
    cr_assert(kdr_trajectory_close(t, &error) == KDR_OK, "%s", error.message);
    for (size_t k = 0; k <= sizeof names / sizeof *names; ++k) {
        kdr_trajectory_desc desc = kdr_trajectory_desc_default();
        const bool has_names = k < sizeof names / sizeof *names;
        desc.particles = &p, desc.observable_count = 2;
        desc.observables = has_names ? names[k] : NULL;
        const kdr_status expected = has_names && names[k][1] ? KDR_ERROR_ARGUMENT : KDR_ERROR_NULL;
        cr_expect(kdr_trajectory_create(path, &desc, &t, &error) == expected && strstr(error.message, has_names ? said[k] : "observables:"),
                  "case %zu: %s", k, error.message);
        cr_assert(kdr_trajectory_open(path, UINT64_MAX, &t, &error) == KDR_OK, "%s", error.message);
        cr_expect(kdr_trajectory_query(t, &info, NULL) == KDR_OK && info.frames == 1, "case %zu", k);
        cr_assert(kdr_trajectory_close(t, &error) == KDR_OK, "%s", error.message);
    }
    kdr_particles_destroy(&p);
}

Test(trajectories, refusals_say_why) {
    kdr_trajectory_desc desc = kdr_trajectory_desc_default();
    kdr_particles p = make_particles(4, 3, KDR_F64, false, false), fewer = kdr_particles_slice(&p, 0, 3),
                  none = kdr_particles_slice(&p, 0, 0);
    kdr_trajectory *t;
    kdr_error error;
    const kdr_clock clock = {0, 1, 0};
    cr_expect(kdr_trajectory_create(path, &desc, &t, &error) == KDR_ERROR_NULL && strstr(error.message, "particles"));
    desc.particles = &none;
    cr_expect(kdr_trajectory_create(path, &desc, &t, &error) == KDR_ERROR_ARGUMENT && strstr(error.message, "at least one"));
    desc.particles = &p;
    desc.deflate = 10;
    cr_expect(kdr_trajectory_create(path, &desc, &t, &error) == KDR_ERROR_ARGUMENT && strstr(error.message, "deflate"));
    desc.deflate = 1;
    desc.count = 3;
    cr_expect(kdr_trajectory_create(path, &desc, &t, &error) == KDR_ERROR_ARGUMENT && strstr(error.message, "count: expected 0"));
    desc.count = 0;
    cr_expect(kdr_trajectory_create("/nonexistent/t.h5", &desc, &t, &error) == KDR_ERROR_FILE && *error.message);
    cr_assert(kdr_trajectory_create(path, &desc, &t, &error) == KDR_OK);
    cr_expect(kdr_trajectory_append(t, &fewer, &clock, NULL, &error) == KDR_ERROR_MISMATCH &&
              strstr(error.message, "expected 4 particles"));
    const kdr_clock wrong[] = {{NAN, 1, 0}, {INFINITY, 1, 0}, {0, NAN, 0}, {0, INFINITY, 1}, {0, 1e308, 10}};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; ++n) {
        size_t sizes[2] = {1, 1};
        cr_expect(kdr_trajectory_append(t, &p, &wrong[n], NULL, &error) == KDR_ERROR_NOT_FINITE && strstr(error.message, "clock:"));
        cr_expect(kdr_trajectory_append_chunk(t, 0, "ab", sizes, &wrong[n], NULL, &error) == KDR_ERROR_NOT_FINITE);
    }
    cr_expect(kdr_trajectory_append(t, &p, &clock, NULL, &error) == KDR_OK, "%s", error.message);
    cr_expect(kdr_trajectory_close(t, &error) == KDR_OK);
    cr_expect(kdr_trajectory_open(KDR_SOURCE_DIR "/tests/trajectories.c", UINT64_MAX, &t, &error) == KDR_ERROR_FORMAT &&
              strstr(error.message, "HDF5"));
    cr_expect(kdr_trajectory_open("/nonexistent", UINT64_MAX, &t, &error) == KDR_ERROR_FILE);
    cr_expect(kdr_trajectory_close(NULL, NULL) == KDR_OK);
    kdr_particles_destroy(&p);
}
