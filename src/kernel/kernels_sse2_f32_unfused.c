/* The kernels of sse2, f32, unfused. */
#define KDR_UNIT kdr_kernels_sse2_f32_unfused
#define KDR_UNIT_F32
#include "precision.h"

#include "ops_128.h"

#include "kernels.inl"
