/* The reference of one custom field, KDR_FIELD, whose function has been included. */
#ifndef KDR_FIELD_FLAGS
#define KDR_FIELD_FLAGS 0
#endif

static kdr_at OF_FIELD(at)(const kdr_custom_field_given *given, int dims) {
    const double time = ((KDR_FIELD_FLAGS)&KDR_FIELD_TIME) ? given->time : 0.0;
    return (kdr_at){dims, 0, given->parameter, given->precise, (vr)time, (vr)given->inverse_mass, time, given->grid, false};
}

static inline void OF_FIELD(add_to)(const kdr_at *at, const vr *x, const vr *v, vr *a, vr *m) {
#if (KDR_FIELD_FLAGS) & KDR_FIELD_MAGNETIC
    (void)v;
    kdr_field_add_both(at, x, a, m);
#else
    (void)m;
    kdr_field_add(at, x, v, a, at->dims);
#endif
}

#define FEELS(flags) (((KDR_FIELD_FLAGS) & (flags)) != 0)

#ifdef KDR_FIELD_NAMED
#define REFERENCE OF_FIELD(kdr_named_field_reference)
#define JACOBIAN OF_FIELD(kdr_named_field_jacobian)
kdr_custom_field_fn REFERENCE;
kdr_custom_field_jacobian_fn JACOBIAN;

/* Named fields are for three axes, and give their derivatives. */
void REFERENCE(const kdr_custom_field_given *given, const void *x, const void *v, void *a, void *m) {
    const kdr_at at = OF_FIELD(at)(given, 3);
    const size_t size = (size_t)given->dims * sizeof(vr);
    vr here[3] = {0}, speed[3] = {0}, sum[3] = {0};
    memcpy(here, x, size);
    memcpy(speed, v, FEELS(KDR_FIELD_VELOCITY) ? size : 0);
    memcpy(sum, a, size);
    OF_FIELD(add_to)(&at, here, speed, sum, m);
    memcpy(a, sum, size);
}

void JACOBIAN(const kdr_custom_field_given *given, double th, const void *x, const void *v, void *s) {
    const kdr_at at = OF_FIELD(at)(given, 3);
    const size_t size = (size_t)given->dims * sizeof(vr);
    vr here[3] = {0}, speed[3] = {0};
    memcpy(here, x, size);
    memcpy(speed, v, FEELS(KDR_FIELD_VELOCITY | KDR_FIELD_MAGNETIC) ? size : 0);
    kdr_field_add_jacobian(&at, (vr)th, here, speed, s, 3);
}
#else
#define REFERENCE OF_FIELD(kdr_custom_field_reference)
static const vr none[3] = {0, 0, 0};

kdr_custom_field_fn REFERENCE;

void REFERENCE(const kdr_custom_field_given *given, const void *x, const void *v, void *a, void *m) {
    const kdr_at at = OF_FIELD(at)(given, given->dims);
    OF_FIELD(add_to)(&at, x, FEELS(KDR_FIELD_VELOCITY) ? v : none, a, m);
}

#if (KDR_FIELD_FLAGS) & KDR_FIELD_JACOBIAN
#define JACOBIAN OF_FIELD(kdr_custom_field_jacobian)
kdr_custom_field_jacobian_fn JACOBIAN;

void JACOBIAN(const kdr_custom_field_given *given, double th, const void *x, const void *v, void *s) {
    const kdr_at at = OF_FIELD(at)(given, given->dims);
    kdr_field_add_jacobian(&at, (vr)th, x, FEELS(KDR_FIELD_VELOCITY | KDR_FIELD_MAGNETIC) ? v : none, s, given->dims);
}
#endif
#endif
