/* scalar, f64, unfused: built once for each body, see unit.h. */
#define KDR_UNIT PASTE(KDR_TABLE, scalar_f64_unfused)
#include "precision.h"

#include "ops_scalar.h"

#include KDR_BODY
