/* This file steps populations that are larger than memory: slices of a checkpoint's particles become slices of another checkpoint.
 *
 * The result is written to TO.part. Slices go to their places in the file. The header is written last, so that the file is no checkpoint
 * before. After the future end of the file are two places for records. They are written alternately, each after the slice that it refers
 * to is on the disk:
 *     0  u64 identity of the stream, number of finished particles, 1 if all of them carry their memory, XXH3 of their bytes, XXH3 of
 *        these four words */
#include <kickdrift/kickdrift.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <kickdrift/io.h>

#include "../particles/aligned.h"
#include "../particles/error.h"
#include "atomic_file.h"
#include "files.h"
#include "header.h"
#include "subject.h"

enum { CHUNK = 1 << 20, WORD = sizeof(uint64_t), RECORD = 5 * WORD, RECORDS = 2 };

struct kdr_stream {
    kdr_atomic_file to; /* without a target if slices are only read */
    int from;           /* descriptor; -1 if the particles are new */
    char *from_path;
    const kdr_integrator *integrator;
    kdr_header header; /* header of the result */
    kdr_clock first, last;
    kdr_particles arrays; /* view of a whole slice */
    size_t most, begin, taken, done;
    /* `remembers`: the particles of `from` carry their memory; `carries`: all particles of the result so far do */
    bool remembers, carries;
    bool is_finished;
    uint64_t identity, description; /* `identity`: of the result; `description`: of `from` */
    int turn;                       /* the place of the next record */
    XXH3_state_t *sums;             /* digests of the result's arrays, so far */
    unsigned char *room;
    void *note;
};

static const kdr_stream_desc defaults = {.size = sizeof defaults, .memory = (size_t)256 << 20};

void kdr_stream_desc_init(kdr_stream_desc *desc, size_t size) {
    if (!desc || size < sizeof size) {
        return;
    }
    memset(desc, 0, size);
    memcpy(desc, &defaults, size < sizeof defaults ? size : sizeof defaults);
    memcpy(desc, &size, sizeof size);
}

/* ---- bytes at their places */

static kdr_status get(int descriptor, const char *path, uint64_t at, void *bytes, size_t size, kdr_error *error) {
    const ptrdiff_t got = kdr_file_get(descriptor, bytes, size, at);
    KDR_CHECK(got >= 0, error, KDR_ERROR_FILE, "%.120s: cannot read: %.80s", path, strerror(errno));
    KDR_CHECK((size_t)got == size, error, KDR_ERROR_FORMAT, "%.120s: the file ends too early, expected a whole checkpoint", path);
    return KDR_OK;
}

static kdr_status put(const kdr_stream *s, uint64_t at, const void *bytes, size_t size, kdr_error *error) {
    KDR_CHECK(kdr_file_put(s->to.descriptor, bytes, size, at), error, KDR_ERROR_FILE, "%.120s: cannot write: %.80s, expected room for it",
              s->to.part, strerror(errno));
    return KDR_OK;
}

/* Adds bytes [at, end) of a file to the digest. */
static kdr_status add(const kdr_stream *s, int descriptor, const char *path, uint64_t at, uint64_t end, XXH3_state_t *state,
                      kdr_error *error) {
    while (at < end) {
        const size_t taken = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        const kdr_status status = get(descriptor, path, at, s->room, taken, error);
        if (status != KDR_OK) {
            return status;
        }
        (void)XXH3_64bits_update(state, s->room, taken); /* fails for a NULL buffer only */
        at += taken;
    }
    return KDR_OK;
}

/* Computes the checksum of a file of `size` bytes: the digest of all bytes before it. */
static kdr_status sum(const kdr_stream *s, int descriptor, const char *path, uint64_t size, uint64_t *made, kdr_error *error) {
    XXH3_state_t state;
    (void)XXH3_64bits_reset(&state);
    const kdr_status status = add(s, descriptor, path, 0, size - KDR_CHECKSUM, &state, error);
    *made = XXH3_64bits_digest(&state);
    return status;
}

/* ---- slices */

/* Handles array n of the slice, which begins at byte `at` of a file. */
typedef kdr_status moved(const kdr_stream *s, int n, const kdr_array *array, uint64_t at, kdr_error *error);

/* Reads the array and converts it in place: the bytes of each element get the order of this machine. */
static kdr_status get_array(const kdr_stream *s, int n, const kdr_array *array, uint64_t at, kdr_error *error) {
    (void)n;
    const kdr_status status = get(s->from, s->from_path, at, *array->address, s->taken * array->size, error);
    if (status == KDR_OK) {
        kdr_array_put(array, 0, s->taken, *array->address);
    }
    return status;
}

static kdr_status put_array(const kdr_stream *s, int n, const kdr_array *array, uint64_t at, kdr_error *error) {
    kdr_status status = KDR_OK;
    const size_t most = CHUNK / array->size;
    for (size_t begin = 0; status == KDR_OK && begin < s->taken; begin += most) {
        const size_t count = s->taken - begin < most ? s->taken - begin : most;
        kdr_array_get(array, begin, count, s->room);
        (void)XXH3_64bits_update(&s->sums[n], s->room, count * array->size);
        status = put(s, at + begin * array->size, s->room, count * array->size, error);
    }
    return status;
}

/* Calls `move` for every array of the slice, with its place in a file. */
static kdr_status each_array(kdr_stream *s, moved *move, kdr_error *error) {
    kdr_status status = KDR_OK;
    uint64_t begins = KDR_HEADER;
    for (int n = 0; status == KDR_OK && n < KDR_ARRAYS; ++n) {
        const kdr_array array = kdr_array_of(&s->arrays, n);
        if (s->header.arrays & 1U << n) {
            status = move(s, n, &array, begins + s->begin * array.size, error);
            begins += s->header.count * array.size;
        }
    }
    return status;
}

static kdr_status set_new(const kdr_stream *s, int n, const kdr_array *array, uint64_t at, kdr_error *error) {
    (void)n;
    (void)at;
    (void)error;
    memset(*array->address, 0, s->taken * array->size);
    for (size_t i = 0; *array->address == s->arrays.inverse_mass && i < s->taken; ++i) {
        if (s->arrays.real == KDR_F32) {
            ((float *)s->arrays.inverse_mass)[i] = 1;
        } else {
            ((double *)s->arrays.inverse_mass)[i] = 1;
        }
    }
    return KDR_OK;
}

/* ---- records of finished particles */

/* Returns the digest of all arrays, as far as they are finished. */
static uint64_t sum_of_done(const kdr_stream *s) {
    unsigned char bytes[KDR_ARRAYS * WORD];
    for (size_t n = 0; n < KDR_ARRAYS; ++n) {
        kdr_word_encode(XXH3_64bits_digest(&s->sums[n]), bytes + n * WORD);
    }
    return XXH3_64bits(bytes, sizeof bytes);
}

static kdr_status put_record(kdr_stream *s, kdr_error *error) {
    const uint64_t words[4] = {s->identity, s->begin + s->taken, s->carries, sum_of_done(s)};
    unsigned char bytes[RECORD];
    for (int i = 0; i < 4; ++i) {
        kdr_word_encode(words[i], bytes + i * WORD);
    }
    kdr_word_encode(XXH3_64bits(bytes, RECORD - WORD), bytes + RECORD - WORD);
    KDR_CHECK(kdr_file_flush(s->to.descriptor), error, KDR_ERROR_FILE, "%.120s: cannot write: %.80s", s->to.part, strerror(errno));
    const kdr_status status = put(s, s->header.file_size + (uint64_t)s->turn * RECORD, bytes, RECORD, error);
    s->turn = 1 - s->turn;
    return status;
}

static kdr_status add_array(const kdr_stream *s, int n, const kdr_array *array, uint64_t at, kdr_error *error) {
    return add(s, s->to.descriptor, s->to.part, at, at + s->taken * array->size, &s->sums[n], error);
}

static void begin_sums(const kdr_stream *s) {
    for (size_t n = 0; n < KDR_ARRAYS; ++n) {
        (void)XXH3_64bits_reset(&s->sums[n]);
    }
}

/* Returns whether the first `count` particles in the file are those that the record describes. */
static bool are_done(kdr_stream *s, uint64_t count, uint64_t expected) {
    begin_sums(s);
    s->taken = (size_t)count;
    const kdr_status status = each_array(s, add_array, NULL);
    s->taken = 0;
    return status == KDR_OK && sum_of_done(s) == expected;
}

/* Takes over the particles that an earlier stream with the same description has finished, by its last record or the one before.
 * Otherwise TO.part begins anew. */
static kdr_status take_record(kdr_stream *s, kdr_error *error) {
    unsigned char bytes[RECORDS][RECORD];
    uint64_t end[RECORDS] = {0};
    for (int i = 0; i < RECORDS; ++i) {
        const uint64_t at = s->header.file_size + (uint64_t)i * RECORD;
        if (kdr_file_get(s->to.descriptor, bytes[i], RECORD, at) == RECORD && kdr_word_decode(bytes[i]) == s->identity &&
            kdr_word_decode(bytes[i] + RECORD - WORD) == XXH3_64bits(bytes[i], RECORD - WORD)) {
            end[i] = kdr_word_decode(bytes[i] + WORD);
        }
    }
    const int last = end[1] > end[0];
    for (int k = 0; k < RECORDS && s->begin == 0; ++k) {
        const int i = k == 0 ? last : 1 - last;
        if (end[i] > 0 && are_done(s, end[i], kdr_word_decode(bytes[i] + 3 * (size_t)WORD))) {
            s->begin = (size_t)end[i];
            s->carries = kdr_word_decode(bytes[i] + 2 * (size_t)WORD);
            s->turn = 1 - i;
        }
    }
    s->done = s->begin;
    if (s->begin > 0) {
        return KDR_OK;
    }
    begin_sums(s);
    KDR_CHECK(kdr_file_cut(s->to.descriptor, 0) && kdr_file_cut(s->to.descriptor, s->header.file_size), error, KDR_ERROR_FILE,
              "%.120s: cannot write: %.80s, expected room for %llu bytes", s->to.part, strerror(errno),
              (unsigned long long)s->header.file_size);
    return KDR_OK;
}

/* ---- beginning */

/* Reads the header of the source, and the checksum of the file. */
static kdr_status read_source(kdr_stream *s, uint64_t *checksum, kdr_error *error) {
    kdr_file_info about;
    unsigned char bytes[KDR_HEADER];
    KDR_CHECK(s->from >= 0, error, KDR_ERROR_FILE, "%.120s: cannot open: %.80s, expected a checkpoint", s->from_path, strerror(errno));
    KDR_CHECK(kdr_file_look_at(s->from, &about) && about.is_regular, error, KDR_ERROR_FORMAT,
              "%.120s: not a regular file, expected a checkpoint", s->from_path);
    const uint64_t size = about.size;
    KDR_CHECK(size >= KDR_HEADER + KDR_CHECKSUM, error, KDR_ERROR_FORMAT,
              "%.120s: shorter than a checkpoint's header, expected a whole checkpoint", s->from_path);
    kdr_status status = get(s->from, s->from_path, 0, bytes, KDR_HEADER, error);
    status = status == KDR_OK ? kdr_header_decode(bytes, s->from_path, size, &s->header, error) : status;
    uint64_t expected = 0;
    status = status == KDR_OK ? sum(s, s->from, s->from_path, size, &expected, error) : status;
    status = status == KDR_OK ? get(s->from, s->from_path, size - KDR_CHECKSUM, bytes, KDR_CHECKSUM, error) : status;
    if (status != KDR_OK) {
        return status;
    }
    *checksum = kdr_word_decode(bytes);
    KDR_CHECK(*checksum == expected, error, KDR_ERROR_FORMAT, "%.120s: damaged: its checksum is not that of its contents", s->from_path);
    s->first = (kdr_clock){s->header.t0, s->header.dt, s->header.step};
    s->remembers = s->header.flags & KDR_CARRIED;
    s->description = s->header.description;
    const size_t length = (size_t)s->header.note_size;
    s->note = s->header.note_size < SIZE_MAX ? calloc(1, length + 1) : NULL;
    KDR_CHECK(s->note, error, KDR_ERROR_NO_MEMORY, "%.120s: no memory for its note of %llu bytes", s->from_path,
              (unsigned long long)s->header.note_size);
    return get(s->from, s->from_path, size - KDR_CHECKSUM - s->header.note_size, s->note, length, error);
}

/* Describes new particles: they have the arrays that kdr_particles_create would give them. */
static kdr_status describe_new(kdr_stream *s, const kdr_stream_desc *desc, kdr_error *error) {
    kdr_particles_desc one = *desc->create;
    kdr_particles shape;
    one.count = 1, one.executor = kdr_executor_serial();
    const kdr_status status = kdr_particles_create(&one, &shape, error);
    if (status == KDR_OK) {
        s->header = kdr_header_of(&shape, &desc->clock, 0);
        s->header.count = desc->create->count;
        s->first = desc->clock;
        kdr_particles_destroy(&shape);
    }
    return status;
}

/* Prepares the header of the result, and the arrays of a slice. */
static kdr_status prepare(kdr_stream *s, const kdr_stream_desc *desc, uint64_t checksum, kdr_error *error) {
    kdr_header *const h = &s->header;
    const uint64_t digest = kdr_integrator_digest(s->integrator);
    KDR_CHECK(
        !s->integrator || h->description == 0 || h->description == digest, error, KDR_ERROR_MISMATCH,
        "stream: %.120s is of another description, %016llx, expected %016llx: method, forces, precision, arithmetic, heat bath, walls or "
        "boundary differ",
        desc->from, (unsigned long long)h->description, (unsigned long long)digest);
    size_t each = 0;
    s->arrays = kdr_particles_default();
    s->arrays.dims = (int)h->dims, s->arrays.real = (kdr_real)h->real;
    for (int n = 0; n < KDR_ARRAYS; ++n) {
        each += h->arrays & 1U << n ? kdr_array_of(&s->arrays, n).size : 0;
    }
    s->most = each > 0 && desc->memory / each > 0 ? desc->memory / each : 1;
    s->most -= s->most > KDR_OBSERVE_BLOCK ? s->most % KDR_OBSERVE_BLOCK : 0;
    s->most = s->most < h->count || h->count == 0 ? s->most : (size_t)h->count;
    void *after;
    s->arrays.storage = kdr_header_allocate(&s->arrays, h->arrays, s->most, 0, &after);
    KDR_CHECK(s->arrays.storage, error, KDR_ERROR_NO_MEMORY, "stream: no memory for slices of %zu particles, expected a smaller memory",
              s->most);
    s->last = s->first;
    s->last.step = s->integrator ? desc->last_step : s->first.step;
    KDR_CHECK(s->last.step >= s->first.step && s->last.step <= UINT64_C(1) << 53, error, KDR_ERROR_ARGUMENT,
              "stream: last_step is %llu, expected one from %llu to 2^53", (unsigned long long)s->last.step,
              (unsigned long long)s->first.step);
    h->step = s->last.step, h->description = digest, h->seed = kdr_integrator_langevin(s->integrator).seed;
    h->flags = 0, h->memory_key = 0;
    h->version = KDR_CHECKPOINT_VERSION;
    h->file_size = kdr_header_file_size(h);
    KDR_CHECK(h->file_size > 0 && h->file_size < INT64_MAX, error, KDR_ERROR_OVERFLOW, "stream: %llu particles make no file",
              (unsigned long long)h->count);
    s->carries = s->integrator;
    unsigned char bytes[KDR_HEADER + 3 * WORD];
    kdr_header_encode(h, bytes);
    kdr_word_encode(checksum, bytes + KDR_HEADER);
    kdr_word_encode(s->first.step, bytes + KDR_HEADER + WORD);
    kdr_word_encode(desc->key, bytes + KDR_HEADER + 2 * (size_t)WORD);
    s->identity = XXH3_64bits(bytes, sizeof bytes);
    const kdr_subject of = {.integrator = s->integrator};
    return kdr_subject_check(&of, &s->arrays, &s->first, error);
}

static kdr_status begin(kdr_stream *s, const kdr_stream_desc *desc, kdr_error *error) {
    uint64_t checksum = 0;
    s->room = malloc(CHUNK);
    s->sums = kdr_aligned_alloc(64, KDR_ARRAYS * sizeof *s->sums);
    s->from_path = desc->from ? strdup(desc->from) : NULL;
    KDR_CHECK(s->room && s->sums && (s->from_path || !desc->from), error, KDR_ERROR_NO_MEMORY, "stream: no memory for %d bytes", CHUNK);
    s->from = desc->from ? kdr_file_open(desc->from, KDR_FILE_READ) : -1;
    kdr_status status = desc->from ? read_source(s, &checksum, error) : describe_new(s, desc, error);
    status = status == KDR_OK ? prepare(s, desc, checksum, error) : status;
    if (status == KDR_OK && desc->to) {
        status = kdr_atomic_file_reopen(&s->to, desc->to, error);
        status = status == KDR_OK ? take_record(s, error) : status;
    }
    return status;
}

kdr_status kdr_stream_open(const kdr_stream_desc *desc, kdr_stream **stream, kdr_error *error) {
    KDR_CHECK(desc && stream, error, KDR_ERROR_NULL, "stream: expected a description and a stream, got NULL");
    KDR_CHECK(desc->size == sizeof *desc, error, KDR_ERROR_ARGUMENT,
              "stream: the description was not made by kdr_stream_desc_default(): its size is %zu, expected %zu", desc->size, sizeof *desc);
    KDR_CHECK(desc->from || desc->create, error, KDR_ERROR_NULL,
              "stream: expected `from`, a checkpoint, or `create`, new particles; got NULL");
    KDR_CHECK(!desc->from || !desc->create, error, KDR_ERROR_ARGUMENT, "stream: expected one of `from` and `create`, got both");
    kdr_stream *const made = calloc(1, sizeof *made);
    KDR_CHECK(made, error, KDR_ERROR_NO_MEMORY, "stream: no memory for %zu bytes", sizeof *made);
    made->from = made->to.descriptor = -1;
    made->integrator = desc->integrator;
    const kdr_status status = begin(made, desc, error);
    if (status != KDR_OK) {
        kdr_stream_close(made);
        return status;
    }
    *stream = made;
    return KDR_OK;
}

/* ---- slice after slice */

/* Writes the slice that the caller gives back to its place. */
static kdr_status put_slice(kdr_stream *s, const kdr_particles *slice, const kdr_clock *clock, kdr_error *error) {
    KDR_CHECK(slice->count == s->taken && slice->x[0] == s->arrays.x[0], error, KDR_ERROR_MISMATCH,
              "stream: a slice of %zu particles was given back, expected the one of %zu that was handed out", slice->count, s->taken);
    KDR_CHECK(clock->step == s->last.step && clock->t0 == s->last.t0 && clock->dt == s->last.dt, error, KDR_ERROR_MISMATCH,
              "stream: the slice from particle %zu on was given back at step %llu, expected %llu of the same clock", s->begin,
              (unsigned long long)clock->step, (unsigned long long)s->last.step);
    const uint64_t key = kdr_integrator_memory_key(s->integrator, slice, &s->last);
    s->carries = s->carries && key != 0 && key == slice->memory_key;
    const kdr_status status = each_array(s, put_array, error);
    return status == KDR_OK ? put_record(s, error) : status;
}

static void close_source(kdr_stream *s) {
    if (s->from >= 0) {
        kdr_file_close(s->from);
    }
    s->from = -1;
}

static kdr_status finish(kdr_stream *s, kdr_error *error) {
    unsigned char bytes[KDR_HEADER];
    kdr_header *const h = &s->header;
    h->flags = s->carries && h->count > 0 ? KDR_CARRIED : 0;
    h->memory_key = h->flags ? kdr_integrator_memory_key(s->integrator, &s->arrays, &s->last) : 0;
    kdr_header_encode(h, bytes);
    const uint64_t end = h->file_size - KDR_CHECKSUM;
    uint64_t checksum = 0;
    kdr_status status = put(s, end - h->note_size, s->note, (size_t)h->note_size, error);
    status = status == KDR_OK ? put(s, 0, bytes, KDR_HEADER, error) : status;
    status = status == KDR_OK ? sum(s, s->to.descriptor, s->to.part, h->file_size, &checksum, error) : status;
    if (status != KDR_OK) {
        return status;
    }
    kdr_word_encode(checksum, bytes);
    status = put(s, end, bytes, KDR_CHECKSUM, error);
    KDR_CHECK(status != KDR_OK || (kdr_file_flush(s->to.descriptor) && kdr_file_cut(s->to.descriptor, h->file_size)), error, KDR_ERROR_FILE,
              "%.120s: cannot cut: %.80s", s->to.part, strerror(errno));
    close_source(s); /* the target may be this file, and Windows cannot replace an open file */
    return status == KDR_OK ? kdr_atomic_file_commit(&s->to, error) : status;
}

/* Reads or makes the next slice. After the last one the result is completed. */
static kdr_status advance(kdr_stream *s, kdr_error *error) {
    const size_t left = (size_t)s->header.count - s->begin;
    s->taken = left < s->most ? left : s->most;
    if (left > 0) {
        return each_array(s, s->from >= 0 ? get_array : set_new, error);
    }
    const kdr_status status = s->to.target && !s->is_finished ? finish(s, error) : KDR_OK;
    s->is_finished = s->is_finished || status == KDR_OK;
    return status;
}

kdr_status kdr_stream_next(kdr_stream *s, kdr_particles *slice, kdr_clock *clock, kdr_error *error) {
    KDR_CHECK(s && slice && clock, error, KDR_ERROR_NULL, "stream: expected a stream, a slice and a clock, got NULL");
    kdr_status status = s->taken > 0 && s->to.target ? put_slice(s, slice, clock, error) : KDR_OK;
    if (status != KDR_OK) {
        return status;
    }
    s->begin += s->taken;
    status = advance(s, error);
    kdr_particles view = s->arrays;
    view.storage = NULL;
    view.count = s->taken;
    view.first_id = s->header.first_id + s->begin;
    view.active_count = view.active ? view.count : 0;
    view.level_count = view.level ? view.count : 0;
    status = status == KDR_OK ? kdr_particles_check(&view, error) : status;
    if (status != KDR_OK) {
        s->taken = 0;
        return status;
    }
    *clock = view.count > 0 ? s->first : s->last;
    view.memory_key = s->remembers && s->integrator ? kdr_integrator_memory_key(s->integrator, &view, &s->first) : 0;
    *slice = view;
    return KDR_OK;
}

kdr_status kdr_stream_query(const kdr_stream *s, kdr_stream_info *info, kdr_error *error) {
    KDR_CHECK(s && info, error, KDR_ERROR_NULL, "stream: expected a stream and what is told of it, got NULL");
    *info = (kdr_stream_info){.count = (size_t)s->header.count,
                              .begin = s->begin,
                              .done = s->done,
                              .most = s->most,
                              .dims = s->arrays.dims,
                              .real = s->arrays.real,
                              .first = s->first,
                              .last = s->last,
                              .description = s->description,
                              .carried = s->remembers,
                              .note = s->note,
                              .note_size = s->note ? (size_t)s->header.note_size : 0};
    return KDR_OK;
}

void kdr_stream_close(kdr_stream *s) {
    if (!s) {
        return;
    }
    if (s->begin > 0) {
        kdr_atomic_file_leave(&s->to);
    } else {
        kdr_atomic_file_discard(&s->to);
    }
    close_source(s);
    kdr_aligned_free(s->arrays.storage);
    free(s->from_path);
    free(s->room);
    kdr_aligned_free(s->sums);
    free(s->note);
    free(s);
}
