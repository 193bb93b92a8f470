/* avx2, f64, fused: built once for each body, see unit.h. */
#define KDR_UNIT PASTE(KDR_TABLE, avx2_f64_fused)
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_256.h"

#include KDR_BODY
