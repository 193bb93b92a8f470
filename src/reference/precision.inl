/* The reference: one plain function for each method and one particle, in the precision `real` of the file that includes this one.
 *
 * Read it to learn a method. It shares nothing with the kernels but the folded field and the methods' names. Every product that goes
 * into a sum is written mul_add(a, b, c) = a b + c: rounded once in the fused arithmetic, twice in the unfused one. Where another part of
 * the library has a type of the same word, the name here begins with ref_. HLW: Hairer, Lubich, Wanner, "Geometric Numerical
 * Integration". */
#include <float.h>
#include <string.h>

#include "../force/custom.h"
#include "../method/compensation.h"
#include "../particles/arithmetic.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"
#include "../problem/sample.h"

#include "field.inl"

/* Functions of constraints.inl, which enforce constraints after a drift or a step of length h from x0 on, on a predicted velocity, and
 * after a kick or a rotation of that length. */
static void hold_drift(particle *p, const real x0[3], double h);
static void hold_predicted(const particle *p, double h, real v[3]);
static void hold_velocity(particle *p, double h, bool turned);

/* A drift of length h in a step: where it begins and how long it is, as fractions of the step. */
typedef struct drift_of {
    uint64_t step;
    double h, begin, span;
} drift_of;

/* Has colliders reflect a drift that began at x0, v0 (collide.inl). */
static void reflect_drift(particle *p, const real x0[3], const real v0[3], drift_of d);

#include "methods/splitting.inl"

#include "methods/runge_kutta.inl"

#include "methods/nystrom.inl"

#include "methods/boris.inl"

#include "methods/langevin.inl"

#include "methods/implicit.inl"

#include "methods/kinematic.inl"

/* The type of the functions that step a method. */
typedef void step_fn(particle *p, uint64_t n);

static step_fn *const family_step[KDR_FAMILY_COUNT] = {
    [KDR_RUNGE_KUTTA] = runge_kutta, [KDR_SPLITTING] = splitting, [KDR_NYSTROM] = nystrom, [KDR_MAGNETIC] = boris, [KDR_LANGEVIN] = baoab,
};

/* Methods that are written out. All others use their family's function, with the coefficients of their row. */
static step_fn *const method_step[KDR_METHOD_COUNT] = {
    [KDR_EXPLICIT_EULER] = explicit_euler,
    [KDR_MIDPOINT] = midpoint,
    [KDR_HEUN] = heun,
    [KDR_RALSTON] = ralston,
    [KDR_RK3] = rk3,
    [KDR_RK4] = rk4,
    [KDR_RK4_38] = rk4_38,
    [KDR_SEMI_IMPLICIT_EULER] = semi_implicit_euler,
    [KDR_DRIFT_KICK_EULER] = drift_kick_euler,
    [KDR_VELOCITY_VERLET] = velocity_verlet,
    [KDR_VELOCITY_VERLET_PC] = velocity_verlet_pc,
    [KDR_POSITION_VERLET] = position_verlet,
    [KDR_RUTH3] = ruth3,
    [KDR_STORMER_VERLET] = stormer_verlet,
    [KDR_IMPLICIT_EULER] = implicit_euler,
    [KDR_IMPLICIT_MIDPOINT] = implicit_midpoint,
    [KDR_SUVAT] = suvat,
    [KDR_NYSTROM_4] = nystrom_4,
    [KDR_EXACT_AFFINE] = exact_affine,
    [KDR_STRANG_AFFINE] = strang_affine,
    [KDR_KINEMATIC_SUM] = kinematic_sum,
};

#include "contact.inl"

#include "moving.inl"

#include "surfaces.inl"

#include "constraints.inl"

#include "collide.inl"

#include "step.inl"
