/* The kernels of avx512, f64, fused. */
#define KDR_UNIT kdr_kernels_avx512_f64_fused
#define KDR_UNIT_FUSED
#include "precision.h"

#include "ops_512.h"

#include "kernels.inl"
