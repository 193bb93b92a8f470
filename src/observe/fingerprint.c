/* Fingerprints: XXH3 over a view's count, dims, real and bits, written out little-endian, so that equal bits give equal fingerprints on
 * every platform, at any alignment. */
#include <kickdrift/observe.h>

#include <inttypes.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../particles/element.h"
#include "../particles/error.h"

typedef struct writer {
    XXH3_state_t state;
    size_t used;
    unsigned char buffer[4096]; /* a multiple of every element's size */
} writer;

_Static_assert(sizeof(XXH3_state_t) <= sizeof((kdr_fingerprint_state){0}.hash), "the state of the hash has room");

/* Restores a hash's state, which may come from another process, and sets its one address anew. */
static void resume(writer *w, const kdr_fingerprint_state *from) {
    XXH3_state_t fresh;
    (void)XXH3_64bits_reset(&fresh);
    memcpy(&w->state, from->hash, sizeof w->state);
    w->state.extSecret = fresh.extSecret;
    w->used = 0;
}

static void flush(writer *w) {
    (void)XXH3_64bits_update(&w->state, w->buffer, w->used); /* fails only if the buffer is NULL */
    w->used = 0;
}

static inline void put(writer *w, uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        w->buffer[w->used + i] = (unsigned char)(bits >> 8 * i);
    }
    w->used += size;
    if (w->used == sizeof w->buffer) {
        flush(w);
    }
}

/* Replace NaNs by one pattern, because processors differ in the sign and payload of the NaNs they make. */
static uint64_t canonical_f32(uint32_t bits) { return (bits & 0x7fffffffU) > 0x7f800000U ? 0x7fc00000U : bits; }

static uint64_t canonical_f64(uint64_t bits) {
    return (bits & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff0000000000000) ? UINT64_C(0x7ff8000000000000) : bits;
}

static void put_array(writer *w, const kdr_particles *p, int array) {
    if (p->real == KDR_F32) {
        for (size_t i = 0; i < p->count; ++i) {
            put(w, canonical_f32((uint32_t)kdr_state_bits(p, array, i)), 4);
        }
    } else {
        for (size_t i = 0; i < p->count; ++i) {
            put(w, canonical_f64(kdr_state_bits(p, array, i)), 8);
        }
    }
}

/* Returns the array that comes next. */
static int array_of(const kdr_fingerprint_state *state) {
    const int n = (int)(state->added / state->count);
    return n < state->dims ? n : 3 + n - state->dims;
}

static void add(kdr_fingerprint_state *state, const kdr_particles *particles) {
    writer w;
    resume(&w, state);
    put_array(&w, particles, array_of(state));
    flush(&w);
    memcpy(state->hash, &w.state, sizeof w.state);
    state->added += particles->count;
}

static void begin(kdr_fingerprint_state *state, size_t count, int dims, kdr_real real) {
    writer w = {.used = 0};
    (void)XXH3_64bits_reset(&w.state);
    put(&w, count, 8);
    put(&w, (uint64_t)dims, 4);
    put(&w, (uint64_t)real, 4);
    flush(&w);
    *state = (kdr_fingerprint_state){.count = count, .dims = dims, .real = (int32_t)real};
    memcpy(state->hash, &w.state, sizeof w.state);
}

static uint64_t end(const kdr_fingerprint_state *state) {
    writer w;
    resume(&w, state);
    return XXH3_64bits_digest(&w.state);
}

kdr_status kdr_fingerprint_begin(kdr_fingerprint_state *state, size_t count, int dims, kdr_real real, kdr_error *error) {
    KDR_CHECK(state, error, KDR_ERROR_NULL, "state: expected a pointer, got NULL");
    KDR_CHECK(dims >= 1 && dims <= 3, error, KDR_ERROR_ARGUMENT, "dims: expected 1, 2 or 3, got %d", dims);
    KDR_CHECK(kdr_real_size(real) > 0, error, KDR_ERROR_ARGUMENT, "real: expected KDR_F32 or KDR_F64, got %d", (int)real);
    begin(state, count, dims, real);
    return KDR_OK;
}

kdr_status kdr_fingerprint_add(kdr_fingerprint_state *state, const kdr_particles *particles, kdr_error *error) {
    KDR_CHECK(state, error, KDR_ERROR_NULL, "state: expected a pointer, got NULL");
    const kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(particles->dims == state->dims && (int32_t)particles->real == state->real, error, KDR_ERROR_MISMATCH,
              "particles: expected dims and real of the state, %d and %s, got %d and %s", (int)state->dims,
              kdr_real_name((kdr_real)state->real), particles->dims, kdr_real_name(particles->real));
    const uint64_t all = state->count * 2 * (uint64_t)state->dims,
                   left = state->added < all ? state->count - state->added % state->count : 0;
    KDR_CHECK(particles->count <= left, error, KDR_ERROR_MISMATCH,
              "particles: expected at most the %" PRIu64 " that the array has left, got %zu", left, particles->count);
    if (particles->count > 0) {
        add(state, particles);
    }
    return KDR_OK;
}

kdr_status kdr_fingerprint_end(const kdr_fingerprint_state *state, uint64_t *fingerprint, kdr_error *error) {
    KDR_CHECK(state, error, KDR_ERROR_NULL, "state: expected a pointer, got NULL");
    KDR_CHECK(fingerprint, error, KDR_ERROR_NULL, "fingerprint: expected a pointer, got NULL");
    const uint64_t all = state->count * 2 * (uint64_t)state->dims;
    KDR_CHECK(state->added == all, error, KDR_ERROR_MISMATCH, "state: expected %" PRIu64 " elements, got %" PRIu64, all, state->added);
    *fingerprint = end(state);
    return KDR_OK;
}

kdr_status kdr_fingerprint(const kdr_particles *particles, uint64_t *fingerprint, kdr_error *error) {
    KDR_CHECK(fingerprint, error, KDR_ERROR_NULL, "fingerprint: expected a pointer, got NULL");
    const kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    kdr_fingerprint_state state;
    begin(&state, particles->count, particles->dims, particles->real);
    for (int array = 0; array < 2 * particles->dims && particles->count > 0; ++array) {
        add(&state, particles);
    }
    *fingerprint = end(&state);
    return KDR_OK;
}
