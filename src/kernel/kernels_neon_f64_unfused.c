/* The kernels of neon, f64, unfused. */
#define KDR_UNIT kdr_kernels_neon_f64_unfused
#define KDR_UNIT_NEON
#include "precision.h"

#include "ops_128.h"

#include "kernels.inl"
