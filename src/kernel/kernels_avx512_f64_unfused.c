/* avx512, f64, unfused: built once for each body, see unit.h. */
#define KDR_UNIT PASTE(KDR_TABLE, avx512_f64_unfused)
#include "precision.h"

#include "ops_512.h"

#include KDR_BODY
