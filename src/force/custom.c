/* Custom fields, as the library sees them: whether one was compiled for this library, and what it is. */
#include "custom.h"

#include <string.h>

#include "../particles/error.h"

static bool fits(const kdr_custom_field *field) {
    return field && memcmp(&field->abi, &kdr_custom_field_abi_of_library, sizeof field->abi) == 0;
}

kdr_status kdr_custom_field_check(const kdr_custom_field *field, size_t index, kdr_error *error) {
    KDR_CHECK(field, error, KDR_ERROR_NULL, "forces[%zu].custom.field: expected a field of kickdrift_add_field, got NULL", index);
    KDR_CHECK(
        fits(field), error, KDR_ERROR_MISMATCH,
        "forces[%zu].custom.field: expected a field compiled for this library, Kickdrift %s, got one for %.15s, or for another build of "
        "it; compile it anew",
        index, kdr_custom_field_abi_of_library.version, field->abi.version);
    return KDR_OK;
}

const char *kdr_custom_field_name(const kdr_custom_field *field) { return fits(field) ? field->name : NULL; }

unsigned kdr_custom_field_flags(const kdr_custom_field *field) { return fits(field) ? field->flags : 0; }

int kdr_custom_field_dims(const kdr_custom_field *field) { return fits(field) ? field->dims : 0; }

int kdr_custom_field_parameters(const kdr_custom_field *field) { return fits(field) ? field->parameter_count : 0; }

int kdr_custom_field_grid(const kdr_custom_field *field) { return fits(field) ? field->grid : 0; }

int kdr_custom_field_required(const kdr_custom_field *field) { return fits(field) ? field->required : 0; }

const char *kdr_custom_field_parameter_name(const kdr_custom_field *field, int index) {
    return index >= 0 && index < kdr_custom_field_parameters(field) ? field->parameter_name[index] : NULL;
}
