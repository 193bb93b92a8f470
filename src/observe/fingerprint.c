/* Fingerprints: XXH3 over a view's count, dims, real and bits, written out little-endian, so that equal bits give equal
 * fingerprints on every platform, at any alignment. */
#include <kickdrift/observe.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../particles/element.h"
#include "../particles/error.h"

typedef struct writer {
    XXH3_state_t state;
    size_t used;
    unsigned char buffer[4096]; /* a multiple of every element's size */
} writer;

static void flush(writer *w) {
    (void)XXH3_64bits_update(&w->state, w->buffer, w->used); /* fails for a NULL buffer alone */
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

/* Processors differ in the sign and payload of the NaNs they make. */
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

kdr_status kdr_fingerprint(const kdr_particles *particles, uint64_t *fingerprint, kdr_error *error) {
    KDR_CHECK(fingerprint, error, KDR_ERROR_NULL, "fingerprint: expected a pointer, got NULL");
    const kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    writer w;
    w.used = 0;
    (void)XXH3_64bits_reset(&w.state);
    put(&w, particles->count, 8);
    put(&w, (uint64_t)particles->dims, 4);
    put(&w, (uint64_t)particles->real, 4);
    for (int array = 0; array < 6; ++array) {
        if (array % 3 < particles->dims) {
            put_array(&w, particles, array);
        }
    }
    flush(&w);
    *fingerprint = XXH3_64bits_digest(&w.state);
    return KDR_OK;
}
