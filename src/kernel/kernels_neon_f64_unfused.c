/* neon, f64, unfused: built once for each body, see unit.h. */
#define KDR_UNIT PASTE(KDR_TABLE, neon_f64_unfused)
#define KDR_UNIT_NEON
#include "precision.h"

#include "ops_128.h"

#include KDR_BODY
