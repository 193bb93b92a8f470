/* The kernels of scalar, f32, fused. */
#define KDR_UNIT kdr_kernels_scalar_f32_fused
#define KDR_UNIT_F32
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_scalar.h"

#include "kernels.inl"
