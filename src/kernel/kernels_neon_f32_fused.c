/* neon, f32, fused: built once for each body, see unit.h. */
#define KDR_UNIT PASTE(KDR_TABLE, neon_f32_fused)
#define KDR_UNIT_NEON
#define KDR_UNIT_F32
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_128.h"

#include KDR_BODY
