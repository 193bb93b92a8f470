/* This file writes and reads checkpoints. header.h describes the file. */
#include <kickdrift/kickdrift.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <kickdrift/io.h>

#include "../particles/aligned.h"
#include "arrays.h"
#include "atomic_file.h"
#include "files.h"
#include "header.h"
#include "subject.h"

enum { CHUNK = 1 << 16 };

/* ---- writing */

struct kdr_checkpoint_writer {
    XXH3_state_t state;
    kdr_atomic_file file;
    kdr_header header;
    kdr_particles shape; /* a view with the arrays that all slices have */
    const void *note;
    int next;        /* the array that comes next; KDR_ARRAYS after the last */
    uint64_t added;  /* elements of this array that have been added */
    kdr_error error; /* the first failure */
    unsigned char room[CHUNK];
};

static kdr_status put(kdr_checkpoint_writer *w, const void *bytes, size_t size) {
    (void)XXH3_64bits_update(&w->state, bytes, size); /* fails for a NULL buffer only */
    return kdr_atomic_file_write(&w->file, bytes, size, &w->error);
}

static kdr_status put_array(kdr_checkpoint_writer *w, const kdr_array *array, size_t count) {
    kdr_status status = KDR_OK;
    const size_t most = CHUNK / array->size;
    for (size_t begin = 0; status == KDR_OK && begin < count; begin += most) {
        const size_t taken = count - begin < most ? count - begin : most;
        kdr_array_get(array, begin, taken, w->room);
        status = put(w, w->room, taken * array->size);
    }
    return status;
}

static void find_next(kdr_checkpoint_writer *w) {
    while (w->next < KDR_ARRAYS && (w->header.count == 0 || !(w->header.arrays & 1U << w->next))) {
        ++w->next;
    }
}

/* The contents of a checkpoint: the number of particles, the description, the time and the note. */
typedef struct contents {
    size_t count;
    uint64_t description;
    const kdr_clock *clock;
    const void *note;
    size_t note_size;
} contents;

static void fill_header(kdr_header *h, const kdr_subject *of, const contents *what, kdr_particles *view) {
    const uint64_t key = kdr_subject_memory_key(of, view, what->clock);
    *h = kdr_header_of(view, what->clock, what->note_size);
    h->count = what->count;
    h->description = what->description, h->seed = kdr_subject_seed(of);
    h->memory_key = view->memory_key;
    h->flags = key != 0 && key == view->memory_key ? KDR_CARRIED : 0;
    h->file_size = kdr_header_file_size(h);
}

static kdr_status begin(const char *path, const kdr_subject *of, const kdr_particles *first, const contents *what,
                        kdr_checkpoint_writer **writer, kdr_error *error) {
    KDR_CHECK(path && first && what->clock && (what->note || what->note_size == 0) && writer, error, KDR_ERROR_NULL,
              "checkpoint: expected a path, particles, a clock and a note of %zu bytes, got NULL", what->note_size);
    kdr_status status = kdr_subject_check(of, first, what->clock, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(what->count >= first->count, error, KDR_ERROR_ARGUMENT, "checkpoint: count: expected at least the %zu particles, got %zu",
              first->count, what->count);
    kdr_checkpoint_writer *const w = kdr_aligned_alloc(64, (sizeof *w + 63) / 64 * 64);
    KDR_CHECK(w, error, KDR_ERROR_NO_MEMORY, "checkpoint: no memory for %zu bytes", sizeof *w);
    w->shape = *first, w->note = what->note, w->next = 0, w->added = 0, w->error = (kdr_error){.status = KDR_OK};
    fill_header(&w->header, of, what, &w->shape);
    find_next(w);
    (void)XXH3_64bits_reset(&w->state);
    const bool fits = w->header.file_size > 0 && w->header.file_size < INT64_MAX;
    status = fits ? kdr_atomic_file_open(&w->file, path, error)
                  : kdr_fail(error, KDR_ERROR_OVERFLOW, "checkpoint: %zu particles make no file", what->count);
    if (status != KDR_OK) {
        kdr_aligned_free(w);
        return status;
    }
    unsigned char bytes[KDR_HEADER];
    kdr_header_encode(&w->header, bytes);
    (void)put(w, bytes, sizeof bytes); /* a failure is reported at the end */
    *writer = w;
    return KDR_OK;
}

kdr_status kdr_checkpoint_begin(const char *path, const kdr_integrator *integrator, uint64_t digest, const kdr_particles *first,
                                size_t count, const kdr_clock *clock, const void *note, size_t note_size, kdr_checkpoint_writer **writer,
                                kdr_error *error) {
    const kdr_subject of = {.integrator = integrator};
    const contents what = {count, digest, clock, note, note_size};
    return begin(path, &of, first, &what, writer, error);
}

kdr_status kdr_checkpoint_add(kdr_checkpoint_writer *w, const kdr_particles *slice, kdr_error *error) {
    KDR_CHECK(w && slice, error, KDR_ERROR_NULL, "checkpoint: expected a writer and particles, got NULL");
    kdr_particles view = *slice;
    const kdr_array array = kdr_array_of(&view, w->next < KDR_ARRAYS ? w->next : 0);
    const uint64_t left = w->next < KDR_ARRAYS ? w->header.count - w->added : 0;
    KDR_CHECK(view.count <= left && (array.used || view.count == 0) && view.dims == w->shape.dims && view.real == w->shape.real, error,
              KDR_ERROR_MISMATCH, "checkpoint: expected at most the %llu particles that %s has left, with their array, got %zu",
              (unsigned long long)left, array.name, view.count);
    const kdr_status status = w->error.status == KDR_OK ? put_array(w, &array, view.count) : w->error.status;
    w->added += view.count;
    if (w->added == w->header.count && w->next < KDR_ARRAYS) {
        w->added = 0;
        ++w->next;
        find_next(w);
    }
    return status == KDR_OK ? KDR_OK : kdr_fail(error, status, "%s", w->error.message);
}

bool kdr_checkpoint_needs_more(const kdr_checkpoint_writer *w) { return w && w->next < KDR_ARRAYS; }

kdr_status kdr_checkpoint_end(kdr_checkpoint_writer *w, kdr_error *error) {
    KDR_CHECK(w, error, KDR_ERROR_NULL, "checkpoint: expected a writer, got NULL");
    unsigned char bytes[KDR_CHECKSUM];
    kdr_status status = w->error.status;
    if (status == KDR_OK && kdr_checkpoint_needs_more(w)) {
        status = kdr_fail(&w->error, KDR_ERROR_MISMATCH, "checkpoint: %s of %llu particles is missing, expected all",
                          kdr_array_of(&w->shape, w->next).name, (unsigned long long)(w->header.count - w->added));
    }
    if (status == KDR_OK && w->header.note_size > 0) {
        status = put(w, w->note, (size_t)w->header.note_size);
    }
    kdr_word_encode(XXH3_64bits_digest(&w->state), bytes);
    status = status == KDR_OK ? kdr_atomic_file_write(&w->file, bytes, KDR_CHECKSUM, &w->error) : status;
    if (status == KDR_OK) {
        status = kdr_atomic_file_commit(&w->file, error);
    } else {
        kdr_atomic_file_discard(&w->file);
        kdr_fail(error, status, "%s", w->error.message);
    }
    kdr_aligned_free(w);
    return status;
}

static kdr_status write_checkpoint(const char *path, const kdr_subject *of, const kdr_particles *particles, const kdr_clock *clock,
                                   const void *note, size_t note_size, kdr_error *error) {
    kdr_checkpoint_writer *writer = NULL;
    const contents what = {particles ? particles->count : 0, kdr_subject_digest(of), clock, note, note_size};
    kdr_status status = begin(path, of, particles, &what, &writer, error);
    if (status != KDR_OK) {
        return status;
    }
    while (kdr_checkpoint_needs_more(writer) && kdr_checkpoint_add(writer, particles, error) == KDR_OK) {
    }
    return kdr_checkpoint_end(writer, error);
}

kdr_status kdr_checkpoint_write(const char *path, const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                const void *note, size_t note_size, kdr_error *error) {
    const kdr_subject of = {.integrator = integrator};
    return write_checkpoint(path, &of, particles, clock, note, note_size, error);
}

kdr_status kdr_checkpoint_write_system(const char *path, const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock,
                                       const void *note, size_t note_size, kdr_error *error) {
    const kdr_subject of = {.system = system};
    KDR_CHECK(system, error, KDR_ERROR_NULL, "checkpoint: expected a system run's description, got NULL");
    return write_checkpoint(path, &of, particles, clock, note, note_size, error);
}

/* ---- reading */

typedef struct reader {
    const char *path;
    int descriptor;
    uint64_t size; /* size of the file, from the system */
    uint64_t at;   /* number of bytes that have been read */
    XXH3_state_t state;
    kdr_error *error;
} reader;

static kdr_status refuse(const reader *r, const char *why) { return kdr_fail(r->error, KDR_ERROR_FORMAT, "%.120s: %s", r->path, why); }

static kdr_status take(reader *r, void *bytes, size_t size) {
    const ptrdiff_t got = kdr_file_get(r->descriptor, bytes, size, r->at);
    KDR_CHECK(got >= 0, r->error, KDR_ERROR_FILE, "%.120s: cannot read: %.80s", r->path, strerror(errno));
    if ((size_t)got < size) {
        return refuse(r, "the file ends too early, expected a whole checkpoint");
    }
    (void)XXH3_64bits_update(&r->state, bytes, size);
    r->at += size;
    return KDR_OK;
}

static kdr_status take_header(reader *r, kdr_header *h) {
    unsigned char bytes[KDR_HEADER];
    if (r->size < KDR_HEADER + KDR_CHECKSUM) {
        return refuse(r, "shorter than a checkpoint's header, expected a whole checkpoint");
    }
    const kdr_status status = take(r, bytes, sizeof bytes);
    return status == KDR_OK ? kdr_header_decode(bytes, r->path, r->size, h, r->error) : status;
}

static kdr_status take_array(reader *r, const kdr_array *array, size_t count) {
    char *const address = *array->address;
    const kdr_status status = take(r, address, count * array->size);
    if (status == KDR_OK) {
        /* converted in place: the bytes of each element get the order of this machine */
        kdr_array_put(array, 0, count, (const unsigned char *)address);
    }
    return status;
}

static kdr_status take_all(reader *r, kdr_header *h, kdr_checkpoint *made) {
    kdr_status status = take_header(r, h);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(h->file_size <= SIZE_MAX / 2, r->error, KDR_ERROR_NO_MEMORY, "%.120s: no memory for its %llu bytes", r->path,
              (unsigned long long)h->file_size);
    const size_t count = (size_t)h->count; /* the file has at least one byte for each particle */
    made->note_size = (size_t)h->note_size;
    made->particles = kdr_particles_default();
    made->particles.count = count;
    made->particles.dims = (int)h->dims;
    made->particles.real = (kdr_real)h->real;
    made->storage = kdr_header_allocate(&made->particles, h->arrays, count, made->note_size + 1, &made->note);
    KDR_CHECK(made->storage, r->error, KDR_ERROR_NO_MEMORY, "%.120s: no memory for its %llu bytes", r->path,
              (unsigned long long)h->file_size);
    for (int n = 0; status == KDR_OK && n < KDR_ARRAYS; ++n) {
        const kdr_array array = kdr_array_of(&made->particles, n);
        if (h->arrays & 1U << n) {
            status = take_array(r, &array, count);
        }
    }
    if (status == KDR_OK) {
        status = take(r, made->note, made->note_size);
    }
    const uint64_t expected = XXH3_64bits_digest(&r->state);
    unsigned char checksum[KDR_CHECKSUM];
    if (status == KDR_OK) {
        status = take(r, checksum, sizeof checksum);
    }
    if (status == KDR_OK && kdr_word_decode(checksum) != expected) {
        status = refuse(r, "damaged: its checksum is not that of its contents");
    }
    return status;
}

static void fill(const kdr_header *h, kdr_checkpoint *made) {
    ((char *)made->note)[made->note_size] = '\0';
    made->clock = (kdr_clock){h->t0, h->dt, h->step};
    made->description = h->description;
    made->seed = h->seed;
    made->carried = h->flags & KDR_CARRIED;
    memcpy(made->library, h->library, sizeof made->library);
    made->particles.memory_key = made->description && !made->carried ? 0 : h->memory_key;
    made->particles.first_id = h->first_id;
    made->particles.active_count = made->particles.active ? made->particles.count : 0;
    made->particles.level_count = made->particles.level ? made->particles.count : 0;
}

static kdr_status read_checkpoint(const char *path, const kdr_subject *of, kdr_checkpoint *checkpoint, kdr_error *error) {
    KDR_CHECK(path && checkpoint, error, KDR_ERROR_NULL, "checkpoint: expected a path and a checkpoint, got NULL");
    kdr_file_info about;
    reader r = {.path = path, .descriptor = kdr_file_open(path, KDR_FILE_READ), .error = error};
    KDR_CHECK(r.descriptor >= 0, error, KDR_ERROR_FILE, "%.120s: cannot open: %.80s, expected a checkpoint", path, strerror(errno));
    kdr_checkpoint made = {.particles = kdr_particles_default()};
    kdr_header h;
    kdr_status status;
    (void)XXH3_64bits_reset(&r.state);
    if (!kdr_file_look_at(r.descriptor, &about) || !about.is_regular) {
        status = refuse(&r, "not a regular file, expected a checkpoint");
    } else {
        r.size = about.size;
        status = take_all(&r, &h, &made);
    }
    kdr_file_close(r.descriptor);
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

kdr_status kdr_checkpoint_read_system(const char *path, const kdr_system *system, kdr_checkpoint *checkpoint, kdr_error *error) {
    const kdr_subject of = {.system = system};
    KDR_CHECK(system, error, KDR_ERROR_NULL, "checkpoint: expected a system run's description, got NULL");
    return read_checkpoint(path, &of, checkpoint, error);
}

void kdr_checkpoint_release(kdr_checkpoint *checkpoint) {
    if (checkpoint) {
        kdr_aligned_free(checkpoint->storage);
        *checkpoint = (kdr_checkpoint){.particles = kdr_particles_default()};
    }
}
