/* Makes the particles of a case, for each kind of data. */
#include "data.h"

#include <string.h>

const char *kdr_check_array_name(int array) {
    static const char *const names[ARRAY_FORCES] = {"x[0]",
                                                    "x[1]",
                                                    "x[2]",
                                                    "v[0]",
                                                    "v[1]",
                                                    "v[2]",
                                                    "memory[0]",
                                                    "memory[1]",
                                                    "memory[2]",
                                                    "compensation[0]",
                                                    "compensation[1]",
                                                    "compensation[2]",
                                                    "compensation[3]",
                                                    "compensation[4]",
                                                    "compensation[5]",
                                                    "bounces",
                                                    "nonconverged",
                                                    "dissipated_energy[0]",
                                                    "dissipated_energy[1]",
                                                    "error",
                                                    "inverse_mass",
                                                    "id",
                                                    "radius"};
    return array < ARRAY_FORCES ? names[array] : "an array of a force";
}

bool kdr_check_array_used(const kdr_check_case *test, const kdr_check_forces *forces, int array) {
    int dims = test->value[KDR_CHECK_DIMS] + 1;
    if (array >= ARRAY_FORCES) {
        return array - ARRAY_FORCES < forces->array_count;
    }
    if (array == ARRAY_INVERSE_MASS) {
        return test->value[KDR_CHECK_MASS] != MASS_NONE;
    }
    if (array == ARRAY_ERROR) {
        const kdr_method_info *const info = kdr_method_get((kdr_method)test->method);
        return test->value[KDR_CHECK_BOUNCES] != 0 && info && info->order_estimate > 0;
    }
    if (array >= ARRAY_BOUNCES && array < ARRAY_INVERSE_MASS) {
        return test->value[KDR_CHECK_BOUNCES] != 0;
    }
    if (array == ARRAY_RADIUS) {
        return kdr_check_largest_radius(test) > 0;
    }
    if (array == ARRAY_ID) {
        return test->value[KDR_CHECK_NOISE] == NOISE_IDS;
    }
    int memory = test->value[KDR_CHECK_MEMORY];
    if (array >= ARRAY_COMPENSATION && memory != MEMORY_COMPENSATION && memory != MEMORY_BOTH) {
        return false;
    }
    if (array >= ARRAY_MEMORY && array < ARRAY_COMPENSATION && memory != MEMORY_METHOD && memory != MEMORY_BOTH) {
        return false;
    }
    return array % 3 < dims;
}

kdr_real kdr_check_array_real(const kdr_check_case *test, int array) {
    if (array == ARRAY_ID || array == ARRAY_DISSIPATED_ENERGY || array == ARRAY_DISSIPATED_ENERGY + 1) {
        return KDR_F64;
    }
    return array == ARRAY_BOUNCES || array == ARRAY_NONCONVERGED ? KDR_F32 : test->real;
}

uint64_t kdr_check_bits(kdr_real real, const unsigned char *array, size_t index) {
    if (real == KDR_F32) {
        uint32_t bits;
        memcpy(&bits, array + index * sizeof bits, sizeof bits);
        return bits;
    }
    uint64_t bits;
    memcpy(&bits, array + index * sizeof bits, sizeof bits);
    return bits;
}

static void set_bits(kdr_real real, unsigned char *array, size_t index, uint64_t bits) {
    uint32_t half = (uint32_t)bits;
    if (real == KDR_F32) {
        memcpy(array + index * sizeof half, &half, sizeof half);
    } else {
        memcpy(array + index * sizeof bits, &bits, sizeof bits);
    }
}

static void set(kdr_real real, unsigned char *array, size_t index, double value) {
    float single = (float)value;
    if (real == KDR_F32) {
        memcpy(array + index * sizeof single, &single, sizeof single);
    } else {
        memcpy(array + index * sizeof value, &value, sizeof value);
    }
}

static bool is_nan(kdr_real real, uint64_t bits) {
    return real == KDR_F32 ? (bits & 0x7FFFFFFF) > 0x7F800000 : (bits & INT64_MAX) > UINT64_C(0x7FF) << 52;
}

bool kdr_check_equal(kdr_real real, uint64_t a, uint64_t b) { return a == b || (is_nan(real, a) && is_nan(real, b)); }

/* Special bit patterns. The first five spoil a particle: a NaN, the infinities, the largest numbers of both signs. Then follow a signalling
 * NaN, a NaN with a payload, the smallest and the largest subnormal numbers, the smallest normal number, -0, 0, 2^-64 and +-2^64 (in f64
 * 2^-511 and +-2^511, whose squares leave the range), 1 + ulp. */
enum { SPECIALS = 18, GARBAGE = 5 };
static const uint64_t special[KDR_REAL_COUNT][SPECIALS] = {
    [KDR_F32] = {0x7FC00000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800001, 0xFFC12345, 0x00000001, 0x80000001, 0x007FFFFF,
                 0x807FFFFF, 0x00800000, 0x80000000, 0x00000000, 0x1F800000, 0x5F800000, 0xDF800000, 0x3F800001},
    [KDR_F64] = {0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x7FF0000000000001,
                 0xFFF8000000012345, 0x0000000000000001, 0x8000000000000001, 0x000FFFFFFFFFFFFF, 0x800FFFFFFFFFFFFF, 0x0010000000000000,
                 0x8000000000000000, 0x0000000000000000, 0x2000000000000000, 0x5FE0000000000000, 0xDFE0000000000000, 0x3FF0000000000001}};

static void set_special(const kdr_check_case *test, unsigned char *array, size_t index, int kinds, kdr_check_random *random) {
    set_bits(test->real, array, index, special[test->real][kdr_check_random_below(random, (uint32_t)kinds)]);
}

typedef struct value_range {
    double low, high;
} value_range;

static value_range array_range(const kdr_check_forces *forces, int array) {
    if (array >= ARRAY_FORCES) {
        return (value_range){forces->range[array - ARRAY_FORCES].low, forces->range[array - ARRAY_FORCES].high};
    }
    if (array == ARRAY_INVERSE_MASS) {
        return (value_range){0.25, 4};
    }
    return array < ARRAY_V ? (value_range){-2, 2} : (value_range){-1, 1};
}

/* Numbers of about the size that flush_small_to_zero turns into 0. */
static const double next_to_nothing[KDR_REAL_COUNT] = {[KDR_F32] = 0x1p-100, [KDR_F64] = 0x1p-900};

static void fill_array(const kdr_check_case *test, const kdr_check_forces *forces, int array, unsigned char *data) {
    /* The numbering leaves out arrays that were added later, so that the random values of the cases stay the same. */
    kdr_check_random random = kdr_check_case_stream(
        test, STREAM_ARRAYS + (uint32_t)(array - (array > ARRAY_NONCONVERGED) - (array > ARRAY_ERROR) - (array > ARRAY_RADIUS)));
    value_range of = array_range(forces, array);
    bool freeze = array == ARRAY_INVERSE_MASS && test->value[KDR_CHECK_MASS] == MASS_SOME_FROZEN;
    for (size_t i = 0; i < test->count; ++i) {
        if (test->value[KDR_CHECK_DATA] == DATA_PERIOD_3 && i >= 3) {
            set_bits(test->real, data, i, kdr_check_bits(test->real, data, i % 3));
            continue;
        }
        double value = kdr_check_random_between(&random, of.low, of.high);
        if (array < ARRAY_INVERSE_MASS && kdr_check_steps_to_flush(test) > 0 && kdr_check_random_below(&random, 2) == 0) {
            value *= next_to_nothing[test->real];
        }
        set(test->real, data, i, value);
        if (test->value[KDR_CHECK_DATA] == DATA_SPECIAL && kdr_check_random_below(&random, 8) == 0) {
            set_special(test, data, i, SPECIALS, &random);
        }
        if (freeze && kdr_check_random_below(&random, 3) == 0) {
            set(test->real, data, i, kdr_check_random_below(&random, 4) == 0 ? -0.0 : 0.0);
        }
    }
}

double kdr_check_largest_radius(const kdr_check_case *test) {
    static const double largest[] = {0, 0, 0.002, 0.24};
    kdr_check_random random = kdr_check_case_stream(test, STREAM_RADII);
    return test->value[KDR_CHECK_COLLIDERS] != 0 ? largest[kdr_check_random_below(&random, 4)] : 0;
}

double kdr_check_draw_radius(kdr_check_random *random, double largest) {
    const double radius = kdr_check_random_between(random, 0, largest);
    return kdr_check_random_below(random, 4) == 0 ? 0 : radius;
}

static void fill_radii(const kdr_check_case *test, unsigned char *data) {
    kdr_check_random random = kdr_check_case_stream(test, STREAM_RADII);
    const double largest = kdr_check_largest_radius(test);
    for (size_t i = 0; i < test->count; ++i) {
        set(test->real, data, i, kdr_check_draw_radius(&random, largest));
    }
}

/* Fills the ids with random bits. Every third id differs from the one before in a single bit. */
static void fill_ids(const kdr_check_case *test, unsigned char *data) {
    kdr_check_random random = kdr_check_case_stream(test, STREAM_NOISE);
    uint64_t id = 0;
    for (size_t i = 0; i < test->count; ++i) {
        uint64_t high = kdr_check_random_u32(&random), low = kdr_check_random_u32(&random);
        id = i % 3 == 2 ? id ^ UINT64_C(1) << high % 64 : high << 32 | low;
        set_bits(KDR_F64, data, i, id);
    }
}

void kdr_check_fill(const kdr_check_case *test, const kdr_check_forces *forces, const kdr_check_arrays *arrays) {
    for (int array = 0; array < ARRAYS; ++array) {
        if (!kdr_check_array_used(test, forces, array)) {
            continue;
        }
        if (array >= ARRAY_MEMORY && array < ARRAY_BOUNCES) { /* memory needs no initial value: NaN shows if it is read */
            memset(arrays->at[array], 0xFF, test->count * kdr_real_size(test->real));
        } else if (array == ARRAY_ID) {
            fill_ids(test, arrays->at[array]);
        } else if (array == ARRAY_RADIUS) {
            fill_radii(test, arrays->at[array]);
        } else if (array == ARRAY_BOUNCES) { /* some earlier count, in every second case the last before it wraps to 0 */
            memset(arrays->at[array], test->index % 2 ? 0xFF : 0x3A, test->count * sizeof(uint32_t));
        } else if (array > ARRAY_BOUNCES && array < ARRAY_INVERSE_MASS) { /* some earlier number */
            memset(arrays->at[array], test->index % 2 ? 0 : 0x3F, test->count * kdr_real_size(kdr_check_array_real(test, array)));
        } else {
            fill_array(test, forces, array, arrays->at[array]);
        }
    }
}

void kdr_check_spoil(const kdr_check_case *test, const kdr_check_forces *forces, const kdr_check_arrays *arrays, bool *spoilt) {
    kdr_check_random random = kdr_check_case_stream(test, STREAM_GARBAGE);
    for (size_t i = 0; i < test->count; ++i) {
        spoilt[i] = kdr_check_random_below(&random, 3) != 0;
        for (int array = 0; spoilt[i] && array < ARRAYS; ++array) {
            if ((array < ARRAY_BOUNCES || array == ARRAY_INVERSE_MASS || array >= ARRAY_FORCES) &&
                kdr_check_array_used(test, forces, array)) {
                set_special(test, arrays->at[array], i, GARBAGE, &random);
            }
        }
    }
}

kdr_particles kdr_check_view(const kdr_check_case *test, const kdr_check_arrays *arrays) {
    kdr_particles view = kdr_particles_default();
    view.count = test->count;
    view.dims = test->value[KDR_CHECK_DIMS] + 1;
    view.real = test->real;
    for (int axis = 0; axis < view.dims; ++axis) {
        view.x[axis] = arrays->at[ARRAY_X + axis];
        view.v[axis] = arrays->at[ARRAY_V + axis];
        if (kdr_check_array_used(test, NULL, ARRAY_MEMORY)) {
            view.memory[axis] = arrays->at[ARRAY_MEMORY + axis];
        }
        if (kdr_check_array_used(test, NULL, ARRAY_COMPENSATION)) {
            view.compensation[axis] = arrays->at[ARRAY_COMPENSATION + axis];
            view.compensation[3 + axis] = arrays->at[ARRAY_COMPENSATION + 3 + axis];
        }
    }
    if (test->value[KDR_CHECK_MASS] != MASS_NONE) {
        view.inverse_mass = arrays->at[ARRAY_INVERSE_MASS];
    }
    if (test->value[KDR_CHECK_NOISE] == NOISE_FIRST_ID) {
        view.first_id = UINT64_MAX / 3 << 1; /* uses both halves of the id, and is beyond 2^63 */
    }
    if (kdr_check_array_used(test, NULL, ARRAY_BOUNCES)) {
        view.bounces = (uint32_t *)(void *)arrays->at[ARRAY_BOUNCES]; /* may be misaligned: the pointer is copied, not dereferenced */
        view.nonconverged = (uint32_t *)(void *)arrays->at[ARRAY_NONCONVERGED];
    }
    for (int k = 0; k < 2 && kdr_check_array_used(test, NULL, ARRAY_DISSIPATED_ENERGY); ++k) {
        view.dissipated_energy[k] = (double *)(void *)arrays->at[ARRAY_DISSIPATED_ENERGY + k];
    }
    if (kdr_check_array_used(test, NULL, ARRAY_ERROR)) {
        view.error = arrays->at[ARRAY_ERROR];
    }
    if (kdr_check_array_used(test, NULL, ARRAY_RADIUS)) {
        view.radius = arrays->at[ARRAY_RADIUS];
    }
    if (kdr_check_array_used(test, NULL, ARRAY_ID)) {
        view.id = (const uint64_t *)(const void *)arrays->at[ARRAY_ID]; /* may be misaligned: the pointer is copied, not dereferenced */
    }
    return view;
}
