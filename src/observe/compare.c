/* Comparison of two views, bit by bit. */
#include <kickdrift/observe.h>

#include "../particles/element.h"
#include "../particles/error.h"

enum { CHUNK = 1024 }; /* elements that memcmp compares before they are examined one by one */

static uint64_t sign_bit(kdr_real real) { return real == KDR_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63; }

static bool is_nan(uint64_t bits, kdr_real real) {
    const uint64_t infinity = real == KDR_F32 ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);
    return (bits & ~sign_bit(real)) > infinity;
}

/* Maps bit patterns to unsigned numbers in the order of their values. -0 comes just below 0 and differs from it: a distance of 0 then
 * means equal bits, and distances across zero are one larger than on the line of values. */
static uint64_t ordered(uint64_t bits, kdr_real real) {
    const uint64_t sign = sign_bit(real);
    return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
}

/* Returns 0 for equal elements, UINT64_MAX if just one is NaN. */
static uint64_t distance(uint64_t a, uint64_t b, kdr_real real) {
    const bool nan_a = is_nan(a, real);
    const bool nan_b = is_nan(b, real);
    if (nan_a || nan_b) {
        return nan_a && nan_b ? 0 : UINT64_MAX;
    }
    const uint64_t p = ordered(a, real);
    const uint64_t q = ordered(b, real);
    return p > q ? p - q : q - p;
}

static void note(kdr_difference *d, int array, size_t index, uint64_t a, uint64_t b, uint64_t ulp) {
    ++d->mismatches;
    if (index < d->index) { /* arrays are walked in order, so the first of a particle's arrays stays */
        d->index = index;
        d->array = array;
        d->bits[0] = a;
        d->bits[1] = b;
    }
    if (ulp > d->max_ulp) {
        d->max_ulp = ulp;
        d->max_ulp_index = index;
    }
}

static void compare_arrays(const kdr_particles *a, const kdr_particles *b, int array, kdr_difference *d) {
    const size_t size = kdr_real_size(a->real);
    const bool plain = kdr_layout_is_plain(kdr_state_layout(a, array), size) && kdr_layout_is_plain(kdr_state_layout(b, array), size);
    const char *const p_array = kdr_state_array(a, array), *const q_array = kdr_state_array(b, array);
    for (size_t begin = 0; begin < a->count; begin += CHUNK) {
        const size_t end = a->count - begin < CHUNK ? a->count : begin + CHUNK;
        if (plain && memcmp(p_array + begin * size, q_array + begin * size, (end - begin) * size) == 0) {
            continue;
        }
        for (size_t i = begin; i < end; ++i) {
            const uint64_t p = kdr_state_bits(a, array, i);
            const uint64_t q = kdr_state_bits(b, array, i);
            const uint64_t ulp = distance(p, q, a->real);
            if (ulp != 0) {
                note(d, array, i, p, q, ulp);
            }
        }
    }
}

kdr_status kdr_compare(const kdr_particles *a, const kdr_particles *b, kdr_difference *difference, kdr_error *error) {
    KDR_CHECK(difference, error, KDR_ERROR_NULL, "difference: expected a pointer, got NULL");
    kdr_status status = kdr_particles_check(a, error);
    if (status != KDR_OK) {
        return status;
    }
    status = kdr_particles_check(b, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(a->count == b->count && a->dims == b->dims && a->real == b->real, error, KDR_ERROR_MISMATCH,
              "views: expected equal count, dims and real, got %zu and %zu, %d and %d, %s and %s", a->count, b->count, a->dims, b->dims,
              kdr_real_name(a->real), kdr_real_name(b->real));
    kdr_difference d = {.index = a->count, .max_ulp_index = a->count};
    for (int array = 0; array < 6; ++array) {
        if (array % 3 < a->dims) {
            compare_arrays(a, b, array, &d);
        }
    }
    *difference = d;
    return KDR_OK;
}
