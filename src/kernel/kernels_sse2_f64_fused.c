/* The kernels of sse2, f64, fused. */
#define KDR_UNIT kdr_kernels_sse2_f64_fused
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_128.h"

#include "kernels.inl"
