/* This header stops the compilation if a flag lets the compiler compute otherwise than the contract says: each operation is rounded
 * once, in its own precision, and infinities, NaN, signs of zero and subnormal numbers are respected.
 *
 * cmake/kickdriftArithmetic.cmake sets the flags that a unit needs, and runs a probe for those that no macro reports. */
#ifndef KDR_PARTICLES_ARITHMETIC_H
#define KDR_PARTICLES_ARITHMETIC_H

#include <float.h>

#if defined(__FAST_MATH__)
#error "kickdrift: expected strict arithmetic, but __FAST_MATH__ is defined (-ffast-math, -Ofast)"
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0
#error "kickdrift: expected infinities and NaN, but __FINITE_MATH_ONLY__ is not 0 (-ffinite-math-only)"
#elif defined(__NO_SIGNED_ZEROS__)
#error "kickdrift: expected signs of zero, but __NO_SIGNED_ZEROS__ is defined (-fno-signed-zeros)"
#elif defined(__ASSOCIATIVE_MATH__)
#error "kickdrift: expected sums in their order, but __ASSOCIATIVE_MATH__ is defined (-fassociative-math)"
#elif defined(__RECIPROCAL_MATH__)
#error "kickdrift: expected divisions, but __RECIPROCAL_MATH__ is defined (-freciprocal-math)"
#elif FLT_EVAL_METHOD != 0
#error "kickdrift: expected float arithmetic that is rounded to float, but FLT_EVAL_METHOD is not 0 (32-bit x86: -msse2 -mfpmath=sse)"
#endif

#endif
