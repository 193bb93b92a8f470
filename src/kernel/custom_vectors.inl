/* The vocabulary of <kickdrift/custom_field.h> in a kernel's unit. */
#include <kickdrift/grid.h>

#include "ops/members.inl"

#define KDR_CUSTOM_KERNEL

/* One vector of particles, and an entry of the list of forces. */
typedef struct kdr_at {
    int dims, axis;
    real time;
    double precise_time;
    const real *parameter;
    const double *precise; /* in double; only for parameters that are not arrays */
    /* for each parameter, its column among the listed ones, or -1; NULL if no parameter is an array */
    const signed char *each;
    const kdr_tile *tile;
    const uint16_t *list;
    const char *inverse_mass; /* may be NULL */
    int vector;
    const kdr_grid *grid;
} kdr_at;

INLINE vr v_parameter(const kdr_at *at, int index) {
    return at->each && at->each[index] >= 0 ? get(column(at->tile, at->list[at->each[index]]), at->vector) : v_set1(at->parameter[index]);
}

INLINE vr v_time(const kdr_at *at) { return v_set1(at->time); }

/* Returns the time of a base value, in double. */
INLINE double precise_time(const real *base) {
    double time;
    memcpy(&time, sizeof *base == sizeof time ? base + 3 : base + 4, sizeof time);
    return time;
}

/* Declared here as <kickdrift/custom_field.h> specifies. */
static inline double kdr_phase(double rate, double phase, double time, double period, double rest);

/* Returns a parameter of one particle in double; 0 for index -1. */
INLINE double v_lane(const kdr_at *at, int index, int lane) {
    if (index < 0 || !at->each || at->each[index] < 0) {
        return index < 0 ? 0.0 : at->precise[index];
    }
    real value;
    memcpy(&value, column(at->tile, at->list[at->each[index]]) + (size_t)at->vector * sizeof(vr) + (size_t)lane * sizeof value,
           sizeof value);
    return (double)value;
}

INLINE vr v_phase(const kdr_at *at, int rate, int phase, double period, double rest) {
    const bool each = at->each && (at->each[rate] >= 0 || (phase >= 0 && at->each[phase] >= 0));
    real lane[LANES];
    for (int i = 0; i < (each ? LANES : 1); ++i) {
        lane[i] = (real)kdr_phase(v_lane(at, rate, i), v_lane(at, phase, i), at->precise_time, period, rest);
    }
    return each ? v_load(lane) : v_set1(lane[0]);
}

INLINE vr v_inverse_mass(const kdr_at *at) { return at->inverse_mass ? get(at->inverse_mass, at->vector) : v_set1(1); }

INLINE vr v_constant(double value) { return v_set1((real)value); }

/* Returns 2^n. A sum with 2^23 or 2^52 has an integer in its lowest bits. */
INLINE vr v_two_to(vr n) {
#ifdef KDR_UNIT_F32
    return v_from_bits(i_shl(v_bits(v_add(n, v_set1(0x1p23F + 127))), 23));
#else
    return v_from_bits(i_shl(v_bits(v_add(n, v_set1(0x1p52 + 1023))), 52));
#endif
}

INLINE vr v_abs(vr a) { return v_from_bits(i_and(v_bits(a), i_set1(BUT_SIGN))); }

INLINE vr v_with_sign(vr a, vr b) { return v_from_bits(i_or(v_bits(v_abs(a)), i_and(v_bits(b), i_set1(~BUT_SIGN)))); }

/* Splits a number into exponent and mantissa in [sqrt(1/2), sqrt(2)). After subtracting the bits of sqrt(1/2), the upper bits are the
 * exponent. */
INLINE vr v_exponent(vr a, vr *m) {
#ifdef KDR_UNIT_F32
    enum { MANTISSA_BITS = 23, BIAS = 127 };
    const uint32_t mantissa = UINT32_C(0x7FFFFF);
    const double large = 0x1p23;
#else
    enum { MANTISSA_BITS = 52, BIAS = 1023 };
    const uint64_t mantissa = UINT64_C(0xFFFFFFFFFFFFF);
    const double large = 0x1p52;
#endif
    const vi root = v_bits(v_set1((real)0.70710678118654752440)), shifted = i_add(v_bits(a), i_sub(v_bits(v_set1(1)), root));
    *m = v_from_bits(i_add(i_and(shifted, i_set1(mantissa)), root));
    return v_sub(v_from_bits(i_or(i_shr(shifted, MANTISSA_BITS), v_bits(v_set1((real)large)))), v_set1((real)(large + (double)BIAS)));
}

typedef real v_element;

INLINE vr v_element_of(const v_element *table, vr index) {
    real lane[LANES];
    uint32_t at[LANES];
    v_store(lane, index);
    for (int i = 0; i < LANES; ++i) {
        at[i] = (uint32_t)lane[i];
    }
    return v_gather(table, at);
}

/* Places in a grid, in elements from its first. */
typedef struct kdr_places {
    uint32_t of[LANES];
} kdr_places;

INLINE kdr_places v_places(vr whole, uint32_t stride) {
    kdr_places places;
    real lane[LANES];
    v_store(lane, whole);
    for (int i = 0; i < LANES; ++i) {
        places.of[i] = (uint32_t)(int32_t)lane[i] * stride;
    }
    return places;
}

INLINE kdr_places v_places_sum(const kdr_places *a, const kdr_places *b) {
    kdr_places sum;
    for (int i = 0; i < LANES; ++i) {
        sum.of[i] = a->of[i] + b->of[i];
    }
    return sum;
}

INLINE vr v_grid_element(const kdr_at *at, int component, const kdr_places *place) {
    return v_gather((const real *)at->grid->values + (size_t)component * at->grid->component_stride, place->of);
}

/* Sums v_grid's terms particle by particle if components are consecutive: one load takes all components of a node, where a gather takes
 * one component of several nodes. A load may read beyond a node, but not beyond the grid. Returns false, and does nothing, for particles
 * near the end and for other layouts. `count` is a constant. */
INLINE bool v_grid_rows(const kdr_grid *grid, int first, int count, int corners, const kdr_places *place, const vr *weight, vr *out) {
    if (LANES == 1 || count < 3 || grid->component_stride != 1) {
        return false;
    }
    const int width = (count + LANES - 1) / LANES, row = width * LANES;
    uint64_t end = (uint64_t)grid->components;
    uint32_t last = 0;
    kdr_places farthest = place[0];
    for (int axis = 0; axis < grid->dims; ++axis) {
        end += (uint64_t)(grid->nodes[axis] - 1) * grid->stride[axis];
    }
    for (int k = 1; k < corners; ++k) {
        for (int i = 0; i < LANES; ++i) {
            farthest.of[i] = place[k].of[i] > farthest.of[i] ? place[k].of[i] : farthest.of[i];
        }
    }
    for (int i = 0; i < LANES; ++i) {
        last = farthest.of[i] > last ? farthest.of[i] : last;
    }
    if ((uint64_t)last + (uint64_t)(first + row) > end) {
        return false;
    }
    const real *const by = (const real *)(const void *)weight; /* [k * LANES + i]: a vector may be read as its elements */
    real rows[LANES * ((KDR_GRID_COMPONENTS + LANES - 1) / LANES * LANES)];
    for (int i = 0; i < LANES; ++i) {
        vr sum[KDR_GRID_COMPONENTS];
        EACH(j, width) { sum[j] = v_set1(0); }
        for (int k = 0; k < corners; ++k) {
            const real *const node = (const real *)grid->values + first + place[k].of[i];
            EACH(j, width) { sum[j] = mul_add(v_set1(by[k * LANES + i]), v_load(node + j * LANES), sum[j]); }
        }
        EACH(j, width) { v_store(rows + i * row + j * LANES, sum[j]); }
    }
    take_run((const char *)rows, (size_t)row * sizeof(real), count, out);
    return true;
}
