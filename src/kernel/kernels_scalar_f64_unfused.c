/* The kernels of scalar, f64, unfused. */
#define KDR_UNIT kdr_kernels_scalar_f64_unfused
#include "precision.h"

#include "ops_scalar.h"

#include "kernels.inl"
