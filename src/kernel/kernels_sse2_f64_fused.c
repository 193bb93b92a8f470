/* sse2, f64, fused: built once for each body, see unit.h. */
#define KDR_UNIT PASTE(KDR_TABLE, sse2_f64_fused)
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_128.h"

#include KDR_BODY
