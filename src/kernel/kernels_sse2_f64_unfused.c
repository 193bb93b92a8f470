/* The kernels of sse2, f64, unfused. */
#define KDR_UNIT kdr_kernels_sse2_f64_unfused
#include "precision.h"

#include "ops_128.h"

#include "kernels.inl"
