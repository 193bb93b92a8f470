/* The table of the fields that the library has by name. */
#include <string.h>

#include "../force/custom.h"
#include "../force/fields.h"
#include "abi.h"

#define EXTERN(isa, unit) extern const kdr_custom_operations kdr_fields_##isa##_##unit[KDR_FIELD_COUNT];
#define BACKEND(NAME, isa, doubles) EXTERN(isa, f32_fused) EXTERN(isa, f32_unfused) EXTERN(doubles, f64_fused) EXTERN(isa, f64_unfused)
KDR_BACKENDS
#undef BACKEND

#define KDR_FIELD_BODY "custom/named_field.inl"
#include "../force/fields.inl"

#define ROW(field) [KDR_NUMBER_OF_##field] = &field_of_##field,
static const kdr_custom_field *const fields[KDR_FIELD_COUNT] = {KDR_FIELDS(ROW)};

const kdr_custom_field *kdr_field_get(int index) { return index >= 0 && index < KDR_FIELD_COUNT ? fields[index] : NULL; }

kdr_status kdr_field_from_name(const char *name, const kdr_custom_field **field) {
    if (!name || !field) {
        return KDR_ERROR_NULL;
    }
    for (int i = 0; i < KDR_FIELD_COUNT; ++i) {
        if (strcmp(fields[i]->name, name) == 0) {
            *field = fields[i];
            return KDR_OK;
        }
    }
    return KDR_ERROR_UNKNOWN_NAME;
}
