/* avx2, f64, unfused: built once for each body, see unit.h. */
#define KDR_UNIT PASTE(KDR_TABLE, avx2_f64_unfused)
#include "precision.h"

#include "ops_256.h"

#include KDR_BODY
