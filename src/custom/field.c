/* The table of a custom field: what kickdrift_add_field has compiled. */
#include KDR_FIELD_FILE

#include "../force/custom.h"
#include "abi.h"

#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
#define TEXT(a) TEXT_(a)
#define TEXT_(a) #a
#define OF_FIELD(name) PASTE(PASTE(name, _of_), KDR_FIELD)

#ifndef KDR_FIELD_FLAGS
#define KDR_FIELD_FLAGS 0
#endif
#ifdef KDR_FIELD_PARAMETERS
static const char *const parameters[] = {KDR_FIELD_PARAMETERS, NULL};
#else
static const char *const parameters[] = {NULL};
#endif
_Static_assert(KDR_FIELD_DIMS >= 0 && KDR_FIELD_DIMS <= 3, "KDR_FIELD_DIMS: expected 1, 2 or 3, or 0 for any");
_Static_assert(sizeof parameters / sizeof *parameters <= KDR_MAX_PARAMETERS + 1, "KDR_FIELD_PARAMETERS: more than KDR_MAX_PARAMETERS");

extern kdr_custom_field_fn OF_FIELD(kdr_custom_field_reference_f32_fused), OF_FIELD(kdr_custom_field_reference_f32_unfused),
    OF_FIELD(kdr_custom_field_reference_f64_fused), OF_FIELD(kdr_custom_field_reference_f64_unfused);

#if (KDR_FIELD_FLAGS) & KDR_FIELD_JACOBIAN
extern kdr_custom_field_jacobian_fn OF_FIELD(kdr_custom_field_jacobian_f32_fused), OF_FIELD(kdr_custom_field_jacobian_f32_unfused),
    OF_FIELD(kdr_custom_field_jacobian_f64_fused), OF_FIELD(kdr_custom_field_jacobian_f64_unfused);
#define JACOBIAN(unit) OF_FIELD(kdr_custom_field_jacobian_##unit)
#else
#define JACOBIAN(unit) NULL
#endif

#define UNITS(isa)                                                                                                                         \
    extern const kdr_custom_operations OF_FIELD(kdr_custom_##isa##_f32_fused), OF_FIELD(kdr_custom_##isa##_f32_unfused),                   \
        OF_FIELD(kdr_custom_##isa##_f64_fused), OF_FIELD(kdr_custom_##isa##_f64_unfused);
#define TABLE(isa)                                                                                                                         \
    {                                                                                                                                      \
        [KDR_F32] = {[KDR_FUSED] = &OF_FIELD(kdr_custom_##isa##_f32_fused), [KDR_UNFUSED] = &OF_FIELD(kdr_custom_##isa##_f32_unfused)},    \
        [KDR_F64] = {[KDR_FUSED] = &OF_FIELD(kdr_custom_##isa##_f64_fused), [KDR_UNFUSED] = &OF_FIELD(kdr_custom_##isa##_f64_unfused)},    \
    }

/* KDR_BACKENDS, which CMake defines, is BACKEND(AVX2, avx2) and so on for all that are compiled. */
#define BACKEND(NAME, isa) UNITS(isa)
KDR_BACKENDS
#undef BACKEND

#if (KDR_FIELD_FLAGS) & KDR_FIELD_POTENTIAL
/* Through the vocabulary's plain C, which is that of double here. */
static double energy_of(int dims, const double *parameter, double time, double inverse_mass, const double x[3]) {
    const kdr_at at = {dims, 0, parameter, ((KDR_FIELD_FLAGS)&KDR_FIELD_TIME) ? time : 0.0, inverse_mass};
    return kdr_field_energy(&at, x);
}
#else
#define energy_of NULL
#endif

const kdr_custom_field PASTE(kdr_custom_field_, KDR_FIELD) = {
    .abi = KDR_CUSTOM_FIELD_ABI,
    .name = TEXT(KDR_FIELD),
    .flags = (KDR_FIELD_FLAGS) | (KDR_FIELD_TOGETHER ? KDR_CUSTOM_FIELD_TOGETHER : 0U),
    .dims = KDR_FIELD_DIMS,
    .parameter_count = sizeof parameters / sizeof *parameters - 1,
    .parameter_name = parameters,
    .operations =
        {
#define BACKEND(NAME, isa) [KDR_BACKEND_##NAME] = TABLE(isa),
            KDR_BACKENDS
#undef BACKEND
        },
    .reference = {[KDR_F32] = {[KDR_FUSED] = OF_FIELD(kdr_custom_field_reference_f32_fused),
                               [KDR_UNFUSED] = OF_FIELD(kdr_custom_field_reference_f32_unfused)},
                  [KDR_F64] = {[KDR_FUSED] = OF_FIELD(kdr_custom_field_reference_f64_fused),
                               [KDR_UNFUSED] = OF_FIELD(kdr_custom_field_reference_f64_unfused)}},
    .jacobian = {[KDR_F32] = {[KDR_FUSED] = JACOBIAN(f32_fused), [KDR_UNFUSED] = JACOBIAN(f32_unfused)},
                 [KDR_F64] = {[KDR_FUSED] = JACOBIAN(f64_fused), [KDR_UNFUSED] = JACOBIAN(f64_unfused)}},
    .energy = energy_of,
};

/* For programs that open a field while they run (kickdrift verify --field). Of several in one program, one. */
__attribute__((weak, visibility("default"))) const kdr_custom_field *const kdr_custom_field_plugin = &PASTE(kdr_custom_field_, KDR_FIELD);
