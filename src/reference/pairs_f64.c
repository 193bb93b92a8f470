/* The reference of interactions in double. */
#include <kickdrift/fma.h>

#include <float.h>
#include <math.h>

#define EPSILON DBL_EPSILON

typedef double real;

static real fused_multiply_add(real a, real b, real c) { return kdr_fma(a, b, c); }

static real square_root(real a) { return sqrt(a); }

#include "pairs.inl"

const kdr_reference_pairs kdr_reference_pairs_f64 = {gravity, net, slopes, map, position, velocity};
