/* The table of a custom field: kickdrift_add_field compiles this file. */
#include KDR_FIELD_FILE

#include "../force/custom.h"
#include "abi.h"

#include "table.inl"

extern kdr_custom_field_fn OF_FIELD(kdr_custom_field_reference_f32_fused), OF_FIELD(kdr_custom_field_reference_f32_unfused),
    OF_FIELD(kdr_custom_field_reference_f64_fused), OF_FIELD(kdr_custom_field_reference_f64_unfused);
#define REFERENCE(unit) OF_FIELD(kdr_custom_field_reference_##unit)

#if (KDR_FIELD_FLAGS) & KDR_FIELD_JACOBIAN
extern kdr_custom_field_jacobian_fn OF_FIELD(kdr_custom_field_jacobian_f32_fused), OF_FIELD(kdr_custom_field_jacobian_f32_unfused),
    OF_FIELD(kdr_custom_field_jacobian_f64_fused), OF_FIELD(kdr_custom_field_jacobian_f64_unfused);
#define JACOBIAN(unit) OF_FIELD(kdr_custom_field_jacobian_##unit)
#else
#define JACOBIAN(unit) NULL
#endif

#undef BACKEND
#define BACKEND(NAME, isa, doubles)                                                                                                        \
    extern const kdr_custom_operations OF_FIELD(kdr_custom_##isa##_f32_fused), OF_FIELD(kdr_custom_##isa##_f32_unfused),                   \
        OF_FIELD(kdr_custom_##doubles##_f64_fused), OF_FIELD(kdr_custom_##isa##_f64_unfused);
KDR_BACKENDS
#undef BACKEND
#define BACKEND(NAME, isa, doubles) [KDR_BACKEND_##NAME] = UNITS_OF(isa, doubles),
#define OPERATIONS(isa, unit) &OF_FIELD(kdr_custom_##isa##_##unit)

const kdr_custom_field PASTE(kdr_custom_field_, KDR_FIELD) = KDR_CUSTOM_FIELD_TABLE;

/* Programs that open a field at run time (kickdrift verify --field, scenes, Python) look for this symbol. If a program has several
 * fields, it finds one of them. */
#if defined(_WIN32)
__attribute__((selectany, dllexport)) /* Windows does not let an exported symbol be weak */
#else
__attribute__((weak, visibility("default")))
#endif
const kdr_custom_field *const kdr_custom_field_plugin = &PASTE(kdr_custom_field_, KDR_FIELD);
