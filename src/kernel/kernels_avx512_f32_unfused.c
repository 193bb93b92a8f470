/* The kernels of avx512, f32, unfused. */
#define KDR_UNIT kdr_kernels_avx512_f32_unfused
#define KDR_UNIT_F32
#include "precision.h"

#include "ops_512.h"

#include "kernels.inl"
