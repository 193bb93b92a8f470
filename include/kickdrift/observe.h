/* Observables: energy, momentum, the first non-finite particle, comparisons, fingerprints. Sums are compensated and in double, in blocks of
 * fixed size. All functions are thread-safe. */
#ifndef KICKDRIFT_OBSERVE_H
#define KICKDRIFT_OBSERVE_H

#include <kickdrift/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sums over particles that are not frozen. */
typedef struct kdr_observables {
    double kinetic;   /* sum of m v^2 / 2 */
    double potential; /* of forces that have one */
    double energy;
    double momentum[3];         /* sum of m v */
    double angular_momentum[3]; /* sum of m x cross v, about the origin */
    double dissipated_energy[2];
} kdr_observables;

/* Sums over the particles at the clock's time. Errors: those of kdr_integrator_run. */
KDR_API kdr_status kdr_observe(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                               kdr_observables *observables, kdr_error *error);

/* Does the same for a system run, with gravity, spring networks and kdr_system_desc::potential. Errors: those of kdr_observe and of the
 * user-defined function. KDR_ERROR_MISMATCH for forces that name missing particles. */
KDR_API kdr_status kdr_system_observe(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock,
                                      kdr_observables *observables, kdr_error *error);

/* Count the particles outside of an absorbing boundary, except frozen ones. Errors: those of kdr_particles_check. */
KDR_API kdr_status kdr_system_count_absorbed(const kdr_system *system, const kdr_particles *particles, size_t *count, kdr_error *error);
KDR_API kdr_status kdr_count_absorbed(const kdr_integrator *integrator, const kdr_particles *particles, size_t *count, kdr_error *error);

/* Sets *index to the first particle with a NaN or infinity in x or v; particles->count if there is none. Errors: those of
 * kdr_particles_check. */
KDR_API kdr_status kdr_first_non_finite(const kdr_particles *particles, size_t *index, kdr_error *error);

/* Computes a hash (XXH3, 64 bits) of count, dims, real and the bits of x and v, the same on every platform. All NaNs count as equal.
 * Errors: those of kdr_particles_check. */
KDR_API kdr_status kdr_fingerprint(const kdr_particles *particles, uint64_t *fingerprint, kdr_error *error);

/* Particles per block of sums. For particles in several slices or machines, kdr_observe_blocks sums blocks, kdr_sums_add adds them in
 * order, and kdr_sums_observe returns the bits of kdr_observe. Slices begin at multiples of this number. For MPI see mpi.h. */
enum { KDR_OBSERVE_BLOCK = 1024 };

/* The sums of kdr_observables in its order without `energy`, and their rounding residuals. Start from {0}. */
typedef struct kdr_sums {
    double high[10], low[10];
} kdr_sums;

/* Sets the sums of a slice's `count` blocks. Only the last slice may end with a shorter block. Arrays per particle in forces are those of
 * the slice. Errors: those of kdr_observe, and KDR_ERROR_MISMATCH (count). */
KDR_API kdr_status kdr_observe_blocks(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                      kdr_sums *blocks, size_t count, kdr_error *error);

/* Add `count` blocks to *total after all earlier ones, and convert the final total to observables. Errors: KDR_ERROR_NULL. */
KDR_API kdr_status kdr_sums_add(kdr_sums *total, const kdr_sums *blocks, size_t count, kdr_error *error);
KDR_API kdr_status kdr_sums_observe(const kdr_sums *total, kdr_observables *observables, kdr_error *error);

/* The state of a fingerprint that is computed slice by slice. It may be sent to another process on the same kind of machine. */
typedef struct kdr_fingerprint_state {
    uint64_t count, added; /* particles; elements taken */
    int32_t dims, real;
    uint64_t hash[72]; /* internal */
} kdr_fingerprint_state;

/* Begins the fingerprint of `count` particles. Errors: KDR_ERROR_ARGUMENT (dims, real). */
KDR_API kdr_status kdr_fingerprint_begin(kdr_fingerprint_state *state, size_t count, int dims, kdr_real real, kdr_error *error);

/* Adds a slice's elements of the next array of x and v. Add all slices in order, once per array. Errors: those of kdr_fingerprint, and
 * KDR_ERROR_MISMATCH for other dims or real, or too many elements. */
KDR_API kdr_status kdr_fingerprint_add(kdr_fingerprint_state *state, const kdr_particles *particles, kdr_error *error);

/* Sets *fingerprint to the bits of kdr_fingerprint. Errors: KDR_ERROR_MISMATCH for missing elements. */
KDR_API kdr_status kdr_fingerprint_end(const kdr_fingerprint_state *state, uint64_t *fingerprint, kdr_error *error);

/* Differences between x and v of two views. NaN equals NaN; 0 differs from -0. */
typedef struct kdr_difference {
    size_t mismatches;
    size_t index;         /* first particle that differs, or count */
    int array;            /* its first array that differs: 0..2 x, 3..5 v */
    uint64_t bits[2];     /* the two elements there */
    uint64_t max_ulp;     /* largest distance in units in the last place; UINT64_MAX if only one is NaN */
    size_t max_ulp_index; /* a particle with that distance */
} kdr_difference;

/* Compares x and v. Errors: KDR_ERROR_MISMATCH, and those of kdr_particles_check. */
KDR_API kdr_status kdr_compare(const kdr_particles *a, const kdr_particles *b, kdr_difference *difference, kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
