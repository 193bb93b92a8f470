/* The reference of a custom field, in the precision and arithmetic of this unit: it calls the user's function for one particle, in plain
 * C. */
#include KDR_FIELD_FILE

#include "reference.h"

#include "reference.inl"
