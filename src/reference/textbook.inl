/* The textbook: one plain function for each method, one particle, in the precision `real` of the file that includes this one.
 *
 * Read it to learn a method. Nothing is shared with the kernels but the folded field and the methods' names.
 * Every product that goes into a sum is written mul_add(a, b, c) = a b + c: rounded once in the fused arithmetic, twice in the unfused.
 * HLW: Hairer, Lubich, Wanner, "Geometric Numerical Integration". */
#include <float.h>
#include <string.h>

#include "../force/custom.h"
#include "../particles/layout.h"

#if FLT_EVAL_METHOD != 0
#error "the textbook needs float arithmetic that is rounded to float (gcc: -fexcess-precision=fast, or another instruction set)"
#endif

#include "field.inl"

#include "methods/splitting.inl"

#include "methods/runge_kutta.inl"

#include "methods/nystrom.inl"

#include "methods/boris.inl"

#include "methods/langevin.inl"

#include "methods/implicit.inl"

#include "methods/kinematic.inl"

#include "contact.inl"

#include "surfaces.inl"

#include "constraints.inl"

#include "collide.inl"

#include "step.inl"
