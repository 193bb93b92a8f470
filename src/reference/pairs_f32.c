/* The textbook of forces between particles in float. */
#include <math.h>

typedef float real;

static real fused_multiply_add(real a, real b, real c) { return fmaf(a, b, c); }

static real square_root(real a) { return sqrtf(a); }

#include "pairs.inl"

const kdr_reference_pairs kdr_reference_pairs_f32 = {gravity, net, slopes, map, position, velocity};
