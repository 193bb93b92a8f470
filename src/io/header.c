/* This file encodes and decodes the header of a checkpoint. */
#include "header.h"

#include <kickdrift/kickdrift.h>

#include <stdlib.h>
#include <string.h>

#include "../particles/aligned.h"
#include "../particles/error.h"

static const unsigned char magic[8] = {0x89, 'K', 'D', 'R', '\r', '\n', 0x1a, '\n'};

/* The numbers of the header after its magic bytes: the place of each in the file, its offset in kdr_header, and its size. */
#define NUMBER(at, member) {at, offsetof(kdr_header, member), sizeof(((kdr_header *)0)->member)}
static const struct {
    size_t at, offset, size;
} numbers[] = {NUMBER(8, version), NUMBER(12, size),        NUMBER(16, file_size),  NUMBER(24, count),
               NUMBER(32, dims),   NUMBER(36, real),        NUMBER(40, t0),         NUMBER(48, dt),
               NUMBER(56, step),   NUMBER(64, description), NUMBER(72, memory_key), NUMBER(80, first_id),
               NUMBER(88, seed),   NUMBER(96, note_size),   NUMBER(104, arrays),    NUMBER(108, flags)};

/* Returns one number as an array of one element. */
static kdr_array number_of(void **address, size_t size) { return (kdr_array){.address = address, .size = size, .used = true}; }

void kdr_word_encode(uint64_t word, unsigned char bytes[8]) {
    void *at = &word;
    const kdr_array number = number_of(&at, sizeof word);
    kdr_array_get(&number, 0, 1, bytes);
}

uint64_t kdr_word_decode(const unsigned char bytes[8]) {
    uint64_t word = 0;
    void *at = &word;
    const kdr_array number = number_of(&at, sizeof word);
    kdr_array_put(&number, 0, 1, bytes);
    return word;
}

void kdr_header_encode(kdr_header *from, unsigned char bytes[KDR_HEADER]) {
    memset(bytes, 0, KDR_HEADER);
    memcpy(bytes, magic, sizeof magic);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        void *at = (char *)from + numbers[i].offset;
        const kdr_array number = number_of(&at, numbers[i].size);
        kdr_array_get(&number, 0, 1, bytes + numbers[i].at);
    }
    memcpy(bytes + 112, from->library, sizeof from->library);
}

static bool add(uint64_t *sum, uint64_t count, uint64_t size) {
    const bool fits = count == 0 || size <= (UINT64_MAX - *sum) / count;
    *sum += fits ? count * size : 0;
    return fits;
}

uint64_t kdr_header_file_size(const kdr_header *h) {
    kdr_particles shape = {.real = (kdr_real)h->real, .dims = (int)h->dims};
    uint64_t sum = KDR_HEADER + KDR_CHECKSUM;
    bool fits = add(&sum, h->note_size, 1);
    for (int n = 0; fits && n < KDR_ARRAYS; ++n) {
        fits = !(h->arrays & 1U << n) || add(&sum, h->count, kdr_array_of(&shape, n).size);
    }
    return fits ? sum : 0;
}

kdr_status kdr_header_decode(const unsigned char bytes[KDR_HEADER], const char *path, uint64_t size, kdr_header *to, kdr_error *error) {
    KDR_CHECK(memcmp(bytes, magic, sizeof magic) == 0, error, KDR_ERROR_FORMAT, "%.120s: not a checkpoint of kickdrift", path);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        void *at = (char *)to + numbers[i].offset;
        const kdr_array number = number_of(&at, numbers[i].size);
        kdr_array_put(&number, 0, 1, bytes + numbers[i].at);
    }
    memcpy(to->library, bytes + 112, sizeof to->library);
    to->library[sizeof to->library - 1] = '\0';
    KDR_CHECK(to->version >= 1 && to->version <= KDR_CHECKPOINT_VERSION, error, KDR_ERROR_FORMAT,
              "%.120s: a checkpoint of version %u, expected 1 to %d: a later library wrote it, or it is damaged", path,
              (unsigned)to->version, KDR_CHECKPOINT_VERSION);
    KDR_CHECK(to->file_size == size, error, KDR_ERROR_FORMAT, "%.120s: cut or damaged: it has %llu bytes, expected %llu", path,
              (unsigned long long)size, (unsigned long long)to->file_size);
    KDR_CHECK(to->size == KDR_HEADER && to->dims >= 1 && to->dims <= 3 && to->real < KDR_REAL_COUNT && to->arrays < 1U << KDR_ARRAYS &&
                  kdr_header_file_size(to) == size,
              error, KDR_ERROR_FORMAT, "%.120s: damaged: its header does not go with its size", path);
    return KDR_OK;
}

kdr_header kdr_header_of(kdr_particles *view, const kdr_clock *clock, size_t note_size) {
    kdr_header h = {.version = KDR_CHECKPOINT_VERSION,
                    .size = KDR_HEADER,
                    .count = view->count,
                    .dims = (uint32_t)view->dims,
                    .real = (uint32_t)view->real,
                    .t0 = clock->t0,
                    .dt = clock->dt,
                    .step = clock->step,
                    .first_id = view->first_id,
                    .note_size = note_size};
    memcpy(h.library, kdr_version(), strnlen(kdr_version(), sizeof h.library - 1));
    for (int n = 0; n < KDR_ARRAYS; ++n) {
        h.arrays |= kdr_array_of(view, n).used ? 1U << n : 0U;
    }
    return h;
}

static size_t padded(size_t bytes) { return (bytes + 64) / 64 * 64; }

void *kdr_header_allocate(kdr_particles *view, uint32_t arrays, size_t count, size_t more, void **after) {
    size_t used = 0;
    for (int n = 0; n < KDR_ARRAYS; ++n) {
        used += arrays & 1U << n ? padded(count * kdr_array_of(view, n).size) : 0;
    }
    char *const storage = kdr_aligned_alloc(64, padded(used + more));
    used = 0;
    for (int n = 0; storage && n < KDR_ARRAYS; ++n) {
        if (arrays & 1U << n) {
            const kdr_array array = kdr_array_of(view, n);
            *array.address = storage + used;
            used += padded(count * array.size);
        }
    }
    *after = storage ? storage + used : NULL;
    return storage;
}
