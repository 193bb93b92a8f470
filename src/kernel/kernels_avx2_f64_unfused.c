/* The kernels of avx2, f64, unfused. */
#define KDR_UNIT kdr_kernels_avx2_f64_unfused
#include "precision.h"

#include "ops_256.h"

#include "kernels.inl"
