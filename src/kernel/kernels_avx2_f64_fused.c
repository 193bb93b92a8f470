/* The kernels of avx2, f64, fused. */
#define KDR_UNIT kdr_kernels_avx2_f64_fused
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_256.h"

#include "kernels.inl"
