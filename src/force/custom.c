/* Custom fields in the library: checks whether one was compiled for this library, and describes it. */
#include "custom.h"

#include <float.h>
#include <math.h>
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

/* Returns the value in the particles' precision; a length above 0 in double may be 0 in float. */
static double rounded(double value, kdr_real real) { return real == KDR_F32 ? (double)(float)value : value; }

static kdr_status check_number(const kdr_custom_field *field, int k, double given, kdr_real real, size_t index, kdr_error *error) {
    const kdr_custom_field_range *const range = &field->range[k];
    const char *const name = field->parameter_name[k];
    const double value = rounded(given, real);
    KDR_CHECK(!(field->positive >> k & 1) || value > 0.0, error, KDR_ERROR_ARGUMENT, "forces[%zu].%s.%s: expected a number above 0, got %g",
              index, field->name, name, value);
    const bool inside = value >= rounded(range->least, real) && value <= rounded(range->most, real);
    KDR_CHECK(inside || range->least >= range->most || isfinite(range->most), error, KDR_ERROR_ARGUMENT,
              "forces[%zu].%s.%s: expected at least %g, got %g", index, field->name, name, range->least, value);
    KDR_CHECK(inside || range->least >= range->most, error, KDR_ERROR_ARGUMENT, "forces[%zu].%s.%s: expected %g to %g, got %g", index,
              field->name, name, range->least, range->most, value);
    return KDR_OK;
}

/* Checks a direction. A field divides by its length, the root of the square, so the square must be neither 0 nor underflow nor overflow.
 * The upper half of the range is room for rounding. */
static kdr_status check_direction(const kdr_custom_field *field, int k, const double v[3], kdr_real real, size_t index, kdr_error *error) {
    const double least = real == KDR_F32 ? (double)FLT_MIN : DBL_MIN, most = (real == KDR_F32 ? (double)FLT_MAX : DBL_MAX) / 2;
    const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const char *const name = field->parameter_name[k], *const end = strrchr(name, '.');
    KDR_CHECK(square >= least && square <= most, error, KDR_ERROR_ARGUMENT,
              "forces[%zu].%s.%.*s: expected a vector that is not 0, of a square from %g to %g, got (%g, %g, %g)", index, field->name,
              (int)(end ? (size_t)(end - name) : strlen(name)), name, least, most, v[0], v[1], v[2]);
    return KDR_OK;
}

kdr_status kdr_custom_field_check_parameters(const kdr_custom_field *field, const double *parameter, const signed char *each, kdr_real real,
                                             size_t index, kdr_error *error) {
    kdr_status status = KDR_OK;
    for (int k = 0; k < field->parameter_count && status == KDR_OK; ++k) {
        if (each[k] < 0) {
            status = check_number(field, k, parameter[k], real, index, error);
        }
        if (status == KDR_OK && field->direction >> k & 1 && each[k] < 0 && each[k + 1] < 0 && each[k + 2] < 0) {
            status = check_direction(field, k, parameter + k, real, index, error);
        }
    }
    return status;
}

const char *kdr_custom_field_name(const kdr_custom_field *field) { return fits(field) ? field->name : NULL; }

unsigned kdr_custom_field_flags(const kdr_custom_field *field) { return fits(field) ? field->flags : 0; }

int kdr_custom_field_axis_count(const kdr_custom_field *field) { return fits(field) ? field->dims : 0; }

int kdr_custom_field_parameter_count(const kdr_custom_field *field) { return fits(field) ? field->parameter_count : 0; }

int kdr_custom_field_grid_component_count(const kdr_custom_field *field) { return fits(field) ? field->grid : 0; }

int kdr_custom_field_grid_axis_count(const kdr_custom_field *field) { return fits(field) ? field->grid_dims : 0; }

int kdr_custom_field_required_parameter_count(const kdr_custom_field *field) { return fits(field) ? field->required : 0; }

const char *kdr_custom_field_parameter_name(const kdr_custom_field *field, int index) {
    return index >= 0 && index < kdr_custom_field_parameter_count(field) ? field->parameter_name[index] : NULL;
}

kdr_status kdr_custom_field_parameter_range(const kdr_custom_field *field, int index, double *least, double *most) {
    if (!field || !least || !most) {
        return KDR_ERROR_NULL;
    }
    if (!kdr_custom_field_parameter_name(field, index)) {
        return KDR_ERROR_ARGUMENT;
    }
    const kdr_custom_field_range range = field->range[index];
    const bool any = range.least >= range.most, positive = field->positive >> index & 1;
    *least = any ? -INFINITY : range.least;
    *least = positive && !(*least > 0) ? (double)FLT_MIN : *least; /* above 0 in both precisions */
    *most = any ? INFINITY : range.most;
    return KDR_OK;
}

bool kdr_custom_field_has_backend(const kdr_custom_field *field, kdr_backend backend) {
    const bool known = (int)backend >= KDR_BACKEND_FIRST && (int)backend <= KDR_BACKEND_LAST;
    return known && fits(field) && field->operations[backend][KDR_F32][KDR_FUSED];
}
