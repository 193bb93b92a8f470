/* Checkpoints, written and read.
 *
 * The file, all numbers little-endian:
 *     0  89 4b 44 52 0d 0a 1a 0a   it is a checkpoint, and no program has taken it for text
 *     8  u32 version, u32 bytes of this header (128)
 *    16  u64 bytes of the whole file
 *    24  u64 count, u32 dims, u32 real (0: f32, 1: f64)
 *    40  f64 t0, f64 dt, u64 step
 *    64  u64 description, u64 memory_key, u64 first_id, u64 seed
 *    96  u64 bytes of the note, u32 the arrays that follow, bit n for array n of arrays.c, u32 1 where memory and compensation are carried
 *   112  16 bytes: the version of the library, filled up with 0
 *   128  the arrays in their order, `count` elements each; the note
 *   ...  u64 XXH3 of all bytes before */
#include <kickdrift/kickdrift.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kickdrift/io.h>

#include "arrays.h"
#include "beside.h"
#include "subject.h"

enum { HEADER = 128, CHECKSUM = 8, CHUNK = 1 << 16, CARRIED = 1 };
static const unsigned char magic[8] = {0x89, 'K', 'D', 'R', '\r', '\n', 0x1a, '\n'};

typedef struct header {
    uint64_t file_size, count, step, description, memory_key, first_id, seed, note_size;
    double t0, dt;
    uint32_t version, size, dims, real, arrays, flags;
    char library[16];
} header;

/* Numbers of the header behind its magic: where they stand, and where they go. */
#define NUMBER(at, member) {at, offsetof(header, member), sizeof(((header *)0)->member)}
static const struct {
    size_t at, offset, size;
} numbers[] = {NUMBER(8, version), NUMBER(12, size),        NUMBER(16, file_size),  NUMBER(24, count),
               NUMBER(32, dims),   NUMBER(36, real),        NUMBER(40, t0),         NUMBER(48, dt),
               NUMBER(56, step),   NUMBER(64, description), NUMBER(72, memory_key), NUMBER(80, first_id),
               NUMBER(88, seed),   NUMBER(96, note_size),   NUMBER(104, arrays),    NUMBER(108, flags)};

/* One number, as an array of one element. */
static kdr_array number_of(void **address, size_t size) { return (kdr_array){.address = address, .size = size, .used = true}; }

static void encode(header *from, unsigned char bytes[HEADER]) {
    memset(bytes, 0, HEADER);
    memcpy(bytes, magic, sizeof magic);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        void *at = (char *)from + numbers[i].offset;
        const kdr_array number = number_of(&at, numbers[i].size);
        kdr_array_get(&number, 0, 1, bytes + numbers[i].at);
    }
    memcpy(bytes + 112, from->library, sizeof from->library);
}

static void decode(const unsigned char bytes[HEADER], header *to) {
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        void *at = (char *)to + numbers[i].offset;
        const kdr_array number = number_of(&at, numbers[i].size);
        kdr_array_put(&number, 0, 1, bytes + numbers[i].at);
    }
    memcpy(to->library, bytes + 112, sizeof to->library);
    to->library[sizeof to->library - 1] = '\0';
}

static bool add(uint64_t *sum, uint64_t count, uint64_t size) {
    const bool fits = count == 0 || size <= (UINT64_MAX - *sum) / count;
    *sum += fits ? count * size : 0;
    return fits;
}

/* The bytes of a file with such a header; 0 when there can be none. */
static uint64_t size_of(const header *h) {
    kdr_particles shape = {.real = (kdr_real)h->real, .dims = (int)h->dims};
    uint64_t sum = HEADER + CHECKSUM;
    bool fits = add(&sum, h->note_size, 1);
    for (int n = 0; fits && n < KDR_ARRAYS; ++n) {
        fits = !(h->arrays & 1U << n) || add(&sum, h->count, kdr_array_of(&shape, n).size);
    }
    return fits ? sum : 0;
}

/* ---- writing */

typedef struct writer {
    kdr_beside file;
    XXH3_state_t state;
    kdr_error *error;
} writer;

static kdr_status put(writer *w, const void *bytes, size_t size) {
    (void)XXH3_64bits_update(&w->state, bytes, size); /* fails for a NULL buffer alone */
    return kdr_beside_write(&w->file, bytes, size, w->error);
}

static kdr_status put_array(writer *w, const kdr_array *array, size_t count, unsigned char *room) {
    kdr_status status = KDR_OK;
    const size_t most = CHUNK / array->size;
    for (size_t begin = 0; status == KDR_OK && begin < count; begin += most) {
        const size_t taken = count - begin < most ? count - begin : most;
        kdr_array_get(array, begin, taken, room);
        status = put(w, room, taken * array->size);
    }
    return status;
}

static kdr_status put_all(writer *w, header *h, kdr_particles *view, const void *note, unsigned char *room) {
    unsigned char bytes[HEADER];
    encode(h, bytes);
    kdr_status status = put(w, bytes, sizeof bytes);
    for (int n = 0; status == KDR_OK && n < KDR_ARRAYS; ++n) {
        const kdr_array array = kdr_array_of(view, n);
        if (array.used) {
            status = put_array(w, &array, view->count, room);
        }
    }
    if (status == KDR_OK && h->note_size > 0) {
        status = put(w, note, h->note_size);
    }
    uint64_t checksum = XXH3_64bits_digest(&w->state);
    void *at = &checksum;
    const kdr_array number = number_of(&at, CHECKSUM);
    kdr_array_get(&number, 0, 1, bytes);
    return status == KDR_OK ? kdr_beside_write(&w->file, bytes, CHECKSUM, w->error) : status;
}

static kdr_status write_checkpoint(const char *path, const kdr_subject *of, const kdr_particles *particles, const kdr_clock *clock,
                                   const void *note, size_t note_size, kdr_error *error) {
    KDR_CHECK(path && particles && clock && (note || note_size == 0), error, KDR_ERROR_NULL,
              "checkpoint: expected a path, particles, a clock and a note of %zu bytes, got NULL", note_size);
    kdr_status status = kdr_subject_check(of, particles, clock, error);
    if (status != KDR_OK) {
        return status;
    }
    kdr_particles view = *particles;
    const uint64_t key = kdr_subject_memory_key(of, &view, clock);
    header h = {.version = KDR_CHECKPOINT_VERSION,
                .size = HEADER,
                .count = view.count,
                .dims = (uint32_t)view.dims,
                .real = (uint32_t)view.real,
                .t0 = clock->t0,
                .dt = clock->dt,
                .step = clock->step,
                .description = kdr_subject_digest(of),
                .memory_key = view.memory_key,
                .first_id = view.first_id,
                .seed = kdr_subject_seed(of),
                .note_size = note_size,
                .flags = key != 0 && key == view.memory_key ? CARRIED : 0};
    memcpy(h.library, kdr_version(), strnlen(kdr_version(), sizeof h.library - 1));
    for (int n = 0; n < KDR_ARRAYS; ++n) {
        h.arrays |= kdr_array_of(&view, n).used ? 1U << n : 0U;
    }
    h.file_size = size_of(&h);
    unsigned char *const room = malloc(CHUNK);
    KDR_CHECK(room, error, KDR_ERROR_NO_MEMORY, "checkpoint: no memory for %d bytes", CHUNK);
    writer w = {.error = error};
    (void)XXH3_64bits_reset(&w.state);
    status = kdr_beside_open(&w.file, path, error);
    if (status == KDR_OK) {
        status = put_all(&w, &h, &view, note, room);
        if (status == KDR_OK) {
            status = kdr_beside_commit(&w.file, error);
        } else {
            kdr_beside_discard(&w.file);
        }
    }
    free(room);
    return status;
}

kdr_status kdr_checkpoint_write(const char *path, const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                const void *note, size_t note_size, kdr_error *error) {
    const kdr_subject of = {.integrator = integrator};
    return write_checkpoint(path, &of, particles, clock, note, note_size, error);
}

kdr_status kdr_checkpoint_write_coupled(const char *path, const kdr_coupled *coupled, const kdr_particles *particles,
                                        const kdr_clock *clock, const void *note, size_t note_size, kdr_error *error) {
    const kdr_subject of = {.coupled = coupled};
    KDR_CHECK(coupled, error, KDR_ERROR_NULL, "checkpoint: expected a coupled run's description, got NULL");
    return write_checkpoint(path, &of, particles, clock, note, note_size, error);
}

/* ---- reading */

typedef struct reader {
    const char *path;
    int descriptor;
    uint64_t size; /* of the file, as the system says */
    XXH3_state_t state;
    kdr_error *error;
} reader;

static kdr_status refuse(const reader *r, const char *why) { return kdr_fail(r->error, KDR_ERROR_FORMAT, "%.120s: %s", r->path, why); }

static kdr_status take(reader *r, void *bytes, size_t size) {
    for (char *next = bytes; size > 0;) {
        const ssize_t got = read(r->descriptor, next, size);
        if (got < 0 && errno != EINTR) {
            return kdr_fail(r->error, KDR_ERROR_FILE, "%.120s: cannot read: %.80s", r->path, strerror(errno));
        }
        if (got == 0) {
            return refuse(r, "the file ends too early, expected a whole checkpoint");
        }
        if (got > 0) {
            (void)XXH3_64bits_update(&r->state, next, (size_t)got);
            next += got;
            size -= (size_t)got;
        }
    }
    return KDR_OK;
}

static kdr_status take_header(reader *r, header *h) {
    unsigned char bytes[HEADER];
    if (r->size < HEADER + CHECKSUM) {
        return refuse(r, "shorter than a checkpoint's header, expected a whole checkpoint");
    }
    const kdr_status status = take(r, bytes, sizeof bytes);
    if (status != KDR_OK) {
        return status;
    }
    if (memcmp(bytes, magic, sizeof magic) != 0) {
        return refuse(r, "not a checkpoint of kickdrift");
    }
    decode(bytes, h);
    KDR_CHECK(h->version >= 1 && h->version <= KDR_CHECKPOINT_VERSION, r->error, KDR_ERROR_FORMAT,
              "%.120s: a checkpoint of version %u, expected 1 to %d: a later library wrote it, or it is damaged", r->path,
              (unsigned)h->version, KDR_CHECKPOINT_VERSION);
    KDR_CHECK(h->file_size == r->size, r->error, KDR_ERROR_FORMAT, "%.120s: cut or damaged: it has %llu bytes, expected %llu", r->path,
              (unsigned long long)r->size, (unsigned long long)h->file_size);
    if (h->size != HEADER || h->dims < 1 || h->dims > 3 || h->real >= KDR_REAL_COUNT || h->arrays >= 1U << KDR_ARRAYS ||
        size_of(h) != r->size) {
        return refuse(r, "damaged: its header does not go with its size");
    }
    return KDR_OK;
}

/* One block for all arrays, each at a multiple of 64 bytes; the note, and its 0, at the end. */
static bool allocate(const header *h, kdr_checkpoint *made) {
    size_t used = 0;
    for (int n = 0; n < KDR_ARRAYS; ++n) {
        const kdr_array array = kdr_array_of(&made->particles, n);
        used += h->arrays & 1U << n ? (h->count * array.size + 64) / 64 * 64 : 0; /* smaller than the file, and 64 bytes */
    }
    made->storage = aligned_alloc(64, (used + h->note_size + 64) / 64 * 64);
    used = 0;
    for (int n = 0; made->storage && n < KDR_ARRAYS; ++n) {
        const kdr_array array = kdr_array_of(&made->particles, n);
        if (h->arrays & 1U << n) {
            *array.address = (char *)made->storage + used;
            used += (h->count * array.size + 64) / 64 * 64;
        }
    }
    made->note = made->storage ? (char *)made->storage + used : NULL;
    made->note_size = h->note_size;
    return made->storage != NULL;
}

static kdr_status take_array(reader *r, const kdr_array *array, size_t count) {
    char *const address = *array->address;
    const kdr_status status = take(r, address, count * array->size);
    if (status == KDR_OK) {
        kdr_array_put(array, 0, count, (const unsigned char *)address); /* in place: each element's bytes in this machine's order */
    }
    return status;
}

static kdr_status take_all(reader *r, header *h, kdr_checkpoint *made) {
    kdr_status status = take_header(r, h);
    if (status != KDR_OK) {
        return status;
    }
    made->particles = kdr_particles_default();
    made->particles.count = h->count;
    made->particles.dims = (int)h->dims;
    made->particles.real = (kdr_real)h->real;
    KDR_CHECK(h->file_size <= SIZE_MAX / 2 && allocate(h, made), r->error, KDR_ERROR_NO_MEMORY, "%.120s: no memory for its %llu bytes",
              r->path, (unsigned long long)h->file_size);
    for (int n = 0; status == KDR_OK && n < KDR_ARRAYS; ++n) {
        const kdr_array array = kdr_array_of(&made->particles, n);
        if (h->arrays & 1U << n) {
            status = take_array(r, &array, h->count);
        }
    }
    if (status == KDR_OK) {
        status = take(r, made->note, made->note_size);
    }
    const uint64_t expected = XXH3_64bits_digest(&r->state);
    uint64_t checksum = 0;
    void *at = &checksum;
    const kdr_array number = number_of(&at, CHECKSUM);
    if (status == KDR_OK) {
        status = take_array(r, &number, 1);
    }
    if (status == KDR_OK && checksum != expected) {
        status = refuse(r, "damaged: its checksum is not that of its contents");
    }
    return status;
}

static void fill(const header *h, kdr_checkpoint *made) {
    ((char *)made->note)[made->note_size] = '\0';
    made->clock = (kdr_clock){h->t0, h->dt, h->step};
    made->description = h->description;
    made->seed = h->seed;
    made->carried = h->flags & CARRIED;
    memcpy(made->library, h->library, sizeof made->library);
    made->particles.memory_key = made->description && !made->carried ? 0 : h->memory_key;
    made->particles.first_id = h->first_id;
    made->particles.active_count = made->particles.active ? h->count : 0;
    made->particles.level_count = made->particles.level ? h->count : 0;
}

static kdr_status read_checkpoint(const char *path, const kdr_subject *of, kdr_checkpoint *checkpoint, kdr_error *error) {
    KDR_CHECK(path && checkpoint, error, KDR_ERROR_NULL, "checkpoint: expected a path and a checkpoint, got NULL");
    struct stat about;
    reader r = {.path = path, .descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), .error = error};
    KDR_CHECK(r.descriptor >= 0, error, KDR_ERROR_FILE, "%.120s: cannot open: %.80s, expected a checkpoint", path, strerror(errno));
    kdr_checkpoint made = {.particles = kdr_particles_default()};
    header h;
    kdr_status status;
    (void)XXH3_64bits_reset(&r.state);
    if (fstat(r.descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
        status = refuse(&r, "not a regular file, expected a checkpoint");
    } else {
        r.size = (uint64_t)about.st_size;
        status = take_all(&r, &h, &made);
    }
    close(r.descriptor);
    if (status == KDR_OK) {
        fill(&h, &made);
        status = kdr_particles_check(&made.particles, error);
    }
    if (status == KDR_OK && kdr_subject_is_known(of)) {
        status = kdr_subject_take(of, &made, error);
    }
    if (status != KDR_OK) {
        kdr_checkpoint_release(&made);
        return status;
    }
    *checkpoint = made;
    return KDR_OK;
}

kdr_status kdr_checkpoint_read(const char *path, const kdr_integrator *integrator, kdr_checkpoint *checkpoint, kdr_error *error) {
    const kdr_subject of = {.integrator = integrator};
    return read_checkpoint(path, &of, checkpoint, error);
}

kdr_status kdr_checkpoint_read_coupled(const char *path, const kdr_coupled *coupled, kdr_checkpoint *checkpoint, kdr_error *error) {
    const kdr_subject of = {.coupled = coupled};
    KDR_CHECK(coupled, error, KDR_ERROR_NULL, "checkpoint: expected a coupled run's description, got NULL");
    return read_checkpoint(path, &of, checkpoint, error);
}

void kdr_checkpoint_release(kdr_checkpoint *checkpoint) {
    if (checkpoint) {
        free(checkpoint->storage);
        *checkpoint = (kdr_checkpoint){.particles = kdr_particles_default()};
    }
}
