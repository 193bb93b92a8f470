/* The kernels of scalar, f64, fused. */
#define KDR_UNIT kdr_kernels_scalar_f64_fused
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_scalar.h"

#include "kernels.inl"
