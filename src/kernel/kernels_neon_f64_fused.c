/* The kernels of neon, f64, fused. */
#define KDR_UNIT kdr_kernels_neon_f64_fused
#define KDR_UNIT_NEON
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_128.h"

#include "kernels.inl"
