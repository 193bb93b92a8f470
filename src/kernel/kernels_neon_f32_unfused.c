/* The kernels of neon, f32, unfused. */
#define KDR_UNIT kdr_kernels_neon_f32_unfused
#define KDR_UNIT_NEON
#define KDR_UNIT_F32
#include "precision.h"

#include "ops_128.h"

#include "kernels.inl"
