/* The kernels of neon, f32, fused. */
#define KDR_UNIT kdr_kernels_neon_f32_fused
#define KDR_UNIT_NEON
#define KDR_UNIT_F32
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_128.h"

#include "kernels.inl"
