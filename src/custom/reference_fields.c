/* The reference of the fields that the library has by name, in the precision and arithmetic of this unit. */
#include "reference.h"

#include <string.h>

#define KDR_FIELD_BODY "custom/reference.inl"
#include "../force/fields.inl"
