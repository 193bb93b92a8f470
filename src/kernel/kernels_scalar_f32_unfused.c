/* The kernels of scalar, f32, unfused. */
#define KDR_UNIT kdr_kernels_scalar_f32_unfused
#define KDR_UNIT_F32
#include "precision.h"

#include "ops_scalar.h"

#include "kernels.inl"
