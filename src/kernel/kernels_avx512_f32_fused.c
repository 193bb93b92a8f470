/* The kernels of avx512, f32, fused. */
#define KDR_UNIT kdr_kernels_avx512_f32_fused
#define KDR_UNIT_F32
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_512.h"

#include "kernels.inl"
