/* The vocabulary of <kickdrift/custom_field.h> in a kernel's unit, and the field's function, which the unit is made for: a macro
 * KDR_FIELD_FILE names the caller's source. */
#define KDR_CUSTOM_KERNEL

/* One vector of particles, and an entry of the list of forces. */
typedef struct kdr_at {
    int dims, axis;
    real time;
    const real *parameter;
    const signed char *each; /* of each parameter, which of the listed columns holds it; -1: none. NULL: none of all */
    const kdr_tile *tile;
    const uint16_t *list;
    const char *inverse_mass; /* or NULL */
    int vector;
} kdr_at;

INLINE vr v_parameter(const kdr_at *at, int index) {
    return at->each && at->each[index] >= 0 ? get(column(at->tile, at->list[at->each[index]]), at->vector) : v_set1(at->parameter[index]);
}

INLINE vr v_time(const kdr_at *at) { return v_set1(at->time); }

INLINE vr v_inverse_mass(const kdr_at *at) { return at->inverse_mass ? get(at->inverse_mass, at->vector) : v_set1(1); }

INLINE vr v_constant(double value) { return v_set1((real)value); }

/* A sum with 2^23 or 2^52 has a whole number in its lowest bits. */
INLINE vr v_two_to(vr n) {
#ifdef KDR_UNIT_F32
    return v_from_bits(i_shl(v_bits(v_add(n, v_set1(0x1p23F + 127))), 23));
#else
    return v_from_bits(i_shl(v_bits(v_add(n, v_set1(0x1p52 + 1023))), 52));
#endif
}

#include KDR_FIELD_FILE

#ifndef KDR_FIELD_FLAGS
#define KDR_FIELD_FLAGS 0
#endif
