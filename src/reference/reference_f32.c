/* The reference in float. */
#include <kickdrift/fma.h>

#include <math.h>

#include "../force/collider.h"
#include "pairs.h"
#include "reference.h"

typedef float real;
#define REAL_IS_FLOAT 1
#define EPSILON FLT_EPSILON
#define NOTHING 0x1p-100F
#define ROUNDER 0x1.8p23F  /* a + ROUNDER - ROUNDER is the integer nearest to a */
#define CONE_ROOM 0x1p-14F /* fraction of a demanded velocity that may be left undone */
#define SPHERE_ROOM 0x1.004p0F
#define ROOM 0x1p-20F /* fraction of a coordinate: a surface that is nearer is touched */
/* fraction of the velocity that forces cause in a flight; anything slower towards a surface is rounding */
#define SLOW 0x1p-12F
#define ROOT_ROOM 0x1p-21F  /* fraction of a step: the precision of times of impact */
#define FLAT 0x1p-18F       /* fraction of a joint's own mobility: joints with less mobility together are stuck */
#define STEEPNESS 0x1p-12F  /* slope below which an equation follows from those before it */
#define START_ROOM 0x1p-20F /* fraction of a coordinate: the rounding error of a place on its constraints */
#define NEARLY 0x1p-8F      /* fraction of a constraint's length: rounds that end this near have found it */

static real split_exponent(real a, int *exponent) { return frexpf(a, exponent); }

#define SQRT_HALF 0.70710678F
#define QUARTER_PI 0.785398163397448309616
enum { HALF_BITS = 16, LOGARITHM_TERMS = 4, SINE_TERMS = 4, COSINE_TERMS = 5 };
#define SPLITTER 4097 /* 2^12 + 1: splits a number of 24 digits into two halves */

static real fused_multiply_add(real a, real b, real c) { return kdr_fmaf(a, b, c); }

static real square_root(real a) { return sqrtf(a); }

typedef kdr_wall_f32 wall;

static void fold_wall(const kdr_collider *collider, int dims, wall *w) { kdr_wall_fold_f32(collider, dims, w); }

static void wall_of_constraint(const kdr_constraint *constraint, int dims, wall *w) { kdr_wall_of_constraint_f32(constraint, dims, w); }

#include "precision.inl"

#include "system.inl"

bool kdr_reference_f32(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps, bool resume,
                       size_t first_contact) {
    return step_all(problem, particles, clock, steps, resume, first_contact);
}

void kdr_reference_sample_f32(const kdr_problem *problem, const kdr_particles *view, const kdr_clock *clock, double fraction, bool resume) {
    sample_all(problem, view, clock, fraction, resume);
}

kdr_status kdr_reference_system_f32(const kdr_system_desc *desc, const kdr_problem *problem, const kdr_particles *particles,
                                    const kdr_clock *clock, kdr_reference_steps *run, kdr_error *error) {
    return step_system(desc, problem, particles, clock, run, error);
}

void kdr_reference_hold_f32(const kdr_problem *problem, const kdr_particles *particles) { hold_all(problem, particles); }
