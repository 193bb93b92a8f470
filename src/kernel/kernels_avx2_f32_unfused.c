/* The kernels of avx2, f32, unfused. */
#define KDR_UNIT kdr_kernels_avx2_f32_unfused
#define KDR_UNIT_F32
#include "precision.h"

#include "ops_256.h"

#include "kernels.inl"
