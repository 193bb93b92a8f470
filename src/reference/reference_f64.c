/* The textbook in double. */
#include <kickdrift/fma.h>

#include <math.h>

#include "pairs.h"
#include "reference.h"

typedef double real;
#define REAL_IS_FLOAT 0
#define EPSILON DBL_EPSILON
#define NOTHING 0x1p-900
#define ROUNDER 0x1.8p52  /* a + ROUNDER - ROUNDER is the whole number nearest to a */
#define CONE_ROOM 0x1p-36 /* of what is demanded: so much may be left of it */
#define SPHERE_ROOM 0x1.004p0
#define ROOM 0x1p-46      /* of a coordinate: a surface that is nearer is touched */
#define SLOW 0x1p-20      /* of the velocity that forces give in a flight: no slower one comes to a surface, but for rounding */
#define ROOT_ROOM 0x1p-50 /* of a step: a time of impact is not known better */
#define FLAT 0x1p-40      /* of what a joint alone would give way: joints that give way less together, do not */
#define STEEPNESS 0x1p-26 /* what an equation must have along its way, to be one of its own */
#define START_ROOM 0x1p-48 /* of a coordinate: so far off its constraints rounding may leave a place */
#define NEARLY 0x1p-8     /* of a constraint's length: rounds that end so near have found it */
#define ROUNDER 0x1.8p52  /* a + ROUNDER - ROUNDER is the whole number nearest to a */

static real split_exponent(real a, int *exponent) { return frexp(a, exponent); }

#define SQRT_HALF 0.70710678118654752440
#define QUARTER_PI 0.785398163397448309616
enum { HALF_BITS = 32, LOGARITHM_TERMS = 10, SINE_TERMS = 8, COSINE_TERMS = 8 };
#define SPLITTER 134217729 /* 2^27 + 1: cuts the 53 digits in two */

static real fused_multiply_add(real a, real b, real c) { return kdr_fma(a, b, c); }

static real square_root(real a) { return sqrt(a); }

#include "textbook.inl"

#include "coupled.inl"

bool kdr_reference_f64(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps, bool resume,
                       size_t first_contact) {
    return step_all(problem, particles, clock, steps, resume, first_contact);
}

void kdr_reference_sample_f64(const kdr_problem *problem, const kdr_particles *view, const kdr_clock *clock, double fraction, bool resume) {
    sample_all(problem, view, clock, fraction, resume);
}

kdr_status kdr_reference_coupled_f64(const kdr_coupled_desc *desc, const kdr_problem *problem, const kdr_particles *particles,
                                     const kdr_clock *clock, kdr_reference_steps *run, kdr_error *error) {
    return step_coupled(desc, problem, particles, clock, run, error);
}

void kdr_reference_hold_f64(const kdr_problem *problem, const kdr_particles *particles) { hold_all(problem, particles); }
