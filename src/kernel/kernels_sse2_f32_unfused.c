/* sse2, f32, unfused: built once for each body, see unit.h. */
#define KDR_UNIT PASTE(KDR_TABLE, sse2_f32_unfused)
#define KDR_UNIT_F32
#include "precision.h"

#include "ops_128.h"

#include KDR_BODY
