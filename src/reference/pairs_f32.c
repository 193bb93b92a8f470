/* The reference of interactions in float. */
#include <kickdrift/fma.h>

#include <float.h>
#include <math.h>

#define EPSILON FLT_EPSILON

typedef float real;

static real fused_multiply_add(real a, real b, real c) { return kdr_fmaf(a, b, c); }

static real square_root(real a) { return sqrtf(a); }

#include "pairs.inl"

const kdr_reference_pairs kdr_reference_pairs_f32 = {gravity, net, slopes, map, position, velocity};
