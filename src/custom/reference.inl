/* The reference of one custom field, KDR_FIELD, whose function has been included. */
#ifndef KDR_FIELD_FLAGS
#define KDR_FIELD_FLAGS 0
#endif
#define at_of OF_FIELD(at)

static kdr_at at_of(int dims, const void *parameter, double time, double inverse_mass) {
    return (kdr_at){dims, 0, parameter, ((KDR_FIELD_FLAGS)&KDR_FIELD_TIME) ? (vr)time : 0, (vr)inverse_mass};
}

#ifdef KDR_FIELD_NAMED
#define REFERENCE OF_FIELD(kdr_named_field_reference)
kdr_custom_field_fn REFERENCE;

/* The library's own fields are for space. */
void REFERENCE(int dims, const void *parameter, double time, double inverse_mass, const void *x, const void *v, void *a) {
    const kdr_at at = at_of(3, parameter, time, inverse_mass);
    const size_t size = (size_t)dims * sizeof(vr);
    vr here[3] = {0}, speed[3] = {0}, sum[3] = {0};
    memcpy(here, x, size);
    memcpy(speed, v, ((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) ? size : 0);
    memcpy(sum, a, size);
    kdr_field_add(&at, here, speed, sum, 3);
    memcpy(a, sum, size);
}
#else
#define REFERENCE OF_FIELD(kdr_custom_field_reference)
static const vr none[3] = {0, 0, 0};

kdr_custom_field_fn REFERENCE;

void REFERENCE(int dims, const void *parameter, double time, double inverse_mass, const void *x, const void *v, void *a) {
    const kdr_at at = at_of(dims, parameter, time, inverse_mass);
    kdr_field_add(&at, x, ((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) ? v : none, a, dims);
}
#endif

#if (KDR_FIELD_FLAGS) & KDR_FIELD_JACOBIAN
#define JACOBIAN OF_FIELD(kdr_custom_field_jacobian)
kdr_custom_field_jacobian_fn JACOBIAN;

void JACOBIAN(int dims, const void *parameter, double time, double inverse_mass, double th, const void *x, const void *v, void *s) {
    const kdr_at at = at_of(dims, parameter, time, inverse_mass);
    kdr_field_add_jacobian(&at, (vr)th, x, ((KDR_FIELD_FLAGS)&KDR_FIELD_VELOCITY) ? v : none, s, dims);
}
#endif
