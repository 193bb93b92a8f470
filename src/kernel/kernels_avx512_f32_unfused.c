/* avx512, f32, unfused: built once for each body, see unit.h. */
#define KDR_UNIT PASTE(KDR_TABLE, avx512_f32_unfused)
#define KDR_UNIT_F32
#include "precision.h"

#include "ops_512.h"

#include KDR_BODY
