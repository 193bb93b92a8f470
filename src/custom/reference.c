/* The reference of a custom field, in the precision and arithmetic of this unit: the caller's function on one particle, in plain C. */
#include KDR_FIELD_FILE

#include "../force/custom.h"

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
#define OF_UNIT(name) PASTE(PASTE(name, PASTE(REAL, ARITHMETIC)), PASTE(_of_, KDR_FIELD))
#define REFERENCE OF_UNIT(kdr_custom_field_reference)
#define JACOBIAN OF_UNIT(kdr_custom_field_jacobian)

static const vr none[3] = {0, 0, 0};

static kdr_at at_of(int dims, const void *parameter, double time, double inverse_mass) {
    return (kdr_at){dims, 0, parameter, ((KDR_FIELD_FLAGS)&KDR_FIELD_TIME) ? (vr)time : 0, (vr)inverse_mass};
}

kdr_custom_field_fn REFERENCE;

void REFERENCE(int dims, const void *parameter, double time, double inverse_mass, const void *x, const void *v, void *a) {
    const kdr_at at = at_of(dims, parameter, time, inverse_mass);
    kdr_field_add(&at, x, ((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) ? v : none, a, dims);
}

#if (KDR_FIELD_FLAGS) & KDR_FIELD_JACOBIAN
kdr_custom_field_jacobian_fn JACOBIAN;

void JACOBIAN(int dims, const void *parameter, double time, double inverse_mass, double th, const void *x, const void *v, void *s) {
    const kdr_at at = at_of(dims, parameter, time, inverse_mass);
    kdr_field_add_jacobian(&at, (vr)th, x, ((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) ? v : none, s, dims);
}
#endif
