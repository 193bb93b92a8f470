/* The table of one named field, KDR_FIELD. */
#include "table.inl"

extern kdr_custom_field_fn OF_FIELD(kdr_named_field_reference_f32_fused), OF_FIELD(kdr_named_field_reference_f32_unfused),
    OF_FIELD(kdr_named_field_reference_f64_fused), OF_FIELD(kdr_named_field_reference_f64_unfused);
#define REFERENCE(unit) OF_FIELD(kdr_named_field_reference_##unit)
extern kdr_custom_field_jacobian_fn OF_FIELD(kdr_named_field_jacobian_f32_fused), OF_FIELD(kdr_named_field_jacobian_f32_unfused),
    OF_FIELD(kdr_named_field_jacobian_f64_fused), OF_FIELD(kdr_named_field_jacobian_f64_unfused);
#define JACOBIAN(unit) OF_FIELD(kdr_named_field_jacobian_##unit)
#define OPERATIONS(isa, unit) &kdr_fields_##isa##_##unit[PASTE(KDR_NUMBER_OF_, KDR_FIELD)]

static const kdr_custom_field OF_FIELD(field) = KDR_CUSTOM_FIELD_TABLE;
