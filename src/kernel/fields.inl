/* The operations of the fields that the library has by name (force/fields.h). */
#include "../program/operation.h"

#include <math.h>
#include <string.h>

#include "unit.h"

#include "ops/tile.inl"

#include "custom_vectors.inl"

#define KDR_FIELD_BODY "kernel/custom_operations.inl"
#include "../force/fields.inl"

#define ROW(field) [KDR_NUMBER_OF_##field] = {.add = PASTE(op_custom_of_, field), .jacobian = PASTE(op_jacobian_custom_of_, field)},
const kdr_custom_operations KDR_UNIT[KDR_FIELD_COUNT] = {KDR_FIELDS(ROW)};
