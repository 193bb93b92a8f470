/* The reference of a fused field, in the precision and arithmetic of this unit: the caller's function on one particle, in plain C. */
#include KDR_FIELD_FILE

#include "../force/fused.h"

#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b

#ifndef KDR_FIELD_FLAGS
#define KDR_FIELD_FLAGS 0
#endif

#ifdef KDR_UNIT_F32
#define REAL _f32
#else
#define REAL _f64
#endif
#ifdef KDR_UNIT_UNFUSED
#define ARITHMETIC _unfused
#else
#define ARITHMETIC _fused
#endif
#define UNIT PASTE(PASTE(kdr_fused_reference, PASTE(REAL, ARITHMETIC)), PASTE(_of_, KDR_FIELD))

kdr_fused_fn UNIT;

void UNIT(int dims, const void *parameter, double time, double inverse_mass, const void *x, const void *v, void *a) {
    static const vr none[3] = {0, 0, 0};
    const unsigned flags = KDR_FIELD_FLAGS;
    const kdr_at at = {dims, 0, parameter, (flags & KDR_FIELD_TIME) ? (vr)time : 0, (vr)inverse_mass};
    kdr_field_add(&at, x, (flags & KDR_FIELD_VELOCITY) ? v : none, a, dims);
}
