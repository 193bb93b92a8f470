/* avx512, f64, fused: built once for each body, see unit.h. */
#define KDR_UNIT PASTE(KDR_TABLE, avx512_f64_fused)
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_512.h"

#include KDR_BODY
