/* The kernels of avx2, f32, fused. */
#define KDR_UNIT kdr_kernels_avx2_f32_fused
#define KDR_UNIT_F32
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_256.h"

#include "kernels.inl"
