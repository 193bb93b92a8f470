/* The kernels of avx512, f64, unfused. */
#define KDR_UNIT kdr_kernels_avx512_f64_unfused
#include "precision.h"

#include "ops_512.h"

#include "kernels.inl"
