/* Observables: energy, momentum, the first non-finite particle, comparison of two views, fingerprints.
 *
 * Every sum is made in double, in blocks of a fixed size added up in their order, with compensation: it does not depend on the backend,
 * on the executor or on the alignment. Nothing here changes the particles, and any number of threads may look at them at once. */
#ifndef KICKDRIFT_OBSERVE_H
#define KICKDRIFT_OBSERVE_H

#include <kickdrift/coupled.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Frozen particles (inverse mass 0) have no finite mass and are left out of every sum. Axes that the view does not have are 0. */
typedef struct kdr_observables {
    double kinetic;             /* sum of m v^2 / 2 */
    double potential;           /* of every force that has one: uniform, spring, electric, centre, driven at the clock's time, custom
                                   fields that say so */
    double energy;              /* kinetic + potential */
    double momentum[3];         /* sum of m v */
    double angular_momentum[3]; /* sum of m x cross v, about the origin */
    double dissipated[2];       /* sums of the particles' arrays of that name: what colliders took; 0 without them */
} kdr_observables;

/* Sums over the particles at the clock's time. The errors are those of kdr_integrator_run with no steps, and KDR_ERROR_NULL without
 * `observables`. */
KDR_API kdr_status kdr_observe(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                               kdr_observables *observables, kdr_error *error);

/* Sums over the particles of a coupled run. The potential is that of its forces, of gravity and nets (kdr_pairs_potential: as long
 * as an evaluation), and what its `potential` gives for its function, 0 without. The errors of kdr_observe; KDR_ERROR_MISMATCH where forces
 * name more particles than there are, KDR_ERROR_NO_MEMORY, and what the function returns. */
KDR_API kdr_status kdr_coupled_observe(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock,
                                       kdr_observables *observables, kdr_error *error);

/* The particles that the absorbing boundary of a coupled run holds, as kdr_count_absorbed, whose errors these are. */
KDR_API kdr_status kdr_coupled_count_absorbed(const kdr_coupled *coupled, const kdr_particles *particles, size_t *count, kdr_error *error);

/* The particles that the integrator's absorbing boundary holds: 0 when it has none. Frozen ones do not count.
 * KDR_ERROR_NULL for a pointer that is NULL, and the errors of kdr_particles_check. */
KDR_API kdr_status kdr_count_absorbed(const kdr_integrator *integrator, const kdr_particles *particles, size_t *count, kdr_error *error);

/* The index of the first particle with a NaN or an infinity in x or v; particles->count when there is none. KDR_ERROR_NULL for a
 * pointer that is NULL, and the errors of kdr_particles_check. */
KDR_API kdr_status kdr_first_non_finite(const kdr_particles *particles, size_t *index, kdr_error *error);

/* 64 bits (XXH3) over count, dims, real and the bits of x and v; NaNs count as one NaN. Equal on every platform for equal bits.
 * KDR_ERROR_NULL for a pointer that is NULL, and the errors of kdr_particles_check. */
KDR_API kdr_status kdr_fingerprint(const kdr_particles *particles, uint64_t *fingerprint, kdr_error *error);

/* Parts of a sum and of a fingerprint: of particles that lie in several slices, on several machines (mpi.h does it over ranks).
 *
 * kdr_observe adds up blocks of KDR_OBSERVE_BLOCK particles, counted from particle 0, in their order. The blocks of a slice that begins at
 * a multiple of that are blocks of the whole: kdr_observe_blocks makes their sums, of all slices at once where one likes, kdr_sums_add adds
 * them to a total in the order of the particles, and what kdr_sums_observe then says has the bits of kdr_observe of the whole. */
enum { KDR_OBSERVE_BLOCK = 1024 };

/* The sums that kdr_observables has, in its order and without the energy; `low` is what rounding took. All 0: of no particles. */
typedef struct kdr_sums {
    double high[10], low[10];
} kdr_sums;

/* Sets the sums of each block of `particles`, a slice that begins at a multiple of KDR_OBSERVE_BLOCK: `count` blocks, of which the last may
 * have fewer particles where the slice is the last one. Forces with arrays have those of the slice. The errors of kdr_observe, and
 * KDR_ERROR_MISMATCH for another number of blocks. */
KDR_API kdr_status kdr_observe_blocks(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                      kdr_sums *blocks, size_t count, kdr_error *error);

/* Adds `count` blocks, one after the other, to a total of all blocks before them. KDR_ERROR_NULL for a pointer that is NULL. */
KDR_API kdr_status kdr_sums_add(kdr_sums *total, const kdr_sums *blocks, size_t count, kdr_error *error);

/* What a total of all blocks says. KDR_ERROR_NULL for a pointer that is NULL. */
KDR_API kdr_status kdr_sums_observe(const kdr_sums *total, kdr_observables *observables, kdr_error *error);

/* A fingerprint on its way: of `count` particles, whose arrays x[0], x[1], ..., v[0], ... are taken one after the other, each slice by
 * slice; slices begin anywhere. A plain value: it may be copied, and sent to another process of the same program on the same kind of
 * machine. */
typedef struct kdr_fingerprint_state {
    uint64_t count, added; /* particles, and elements that were taken */
    int32_t dims, real;
    uint64_t hash[72]; /* the library's */
} kdr_fingerprint_state;

/* Begins one of `count` particles. KDR_ERROR_NULL without `state`; KDR_ERROR_ARGUMENT for dims or real out of range. */
KDR_API kdr_status kdr_fingerprint_begin(kdr_fingerprint_state *state, size_t count, int dims, kdr_real real, kdr_error *error);

/* Takes the elements that the slice `particles` has of the array that is next: of x[0] until `count` of them were taken, then of x[1], and
 * so on. KDR_ERROR_MISMATCH for other dims or real, and for more elements than the array has left; else the errors of kdr_fingerprint. */
KDR_API kdr_status kdr_fingerprint_add(kdr_fingerprint_state *state, const kdr_particles *particles, kdr_error *error);

/* The fingerprint, with the bits of kdr_fingerprint of all particles. KDR_ERROR_MISMATCH where elements are missing; KDR_ERROR_NULL. */
KDR_API kdr_status kdr_fingerprint_end(const kdr_fingerprint_state *state, uint64_t *fingerprint, kdr_error *error);

/* Differences of two views of equal count, dims and real, element by element. NaN equals NaN; 0 differs from -0. */
typedef struct kdr_difference {
    size_t mismatches;    /* elements that differ */
    size_t index;         /* the first particle that differs; count when none does */
    int array;            /* of that particle's first difference: 0..2 x, 3..5 v */
    uint64_t bits[2];     /* the two bit patterns there */
    uint64_t max_ulp;     /* the largest distance in units in the last place; UINT64_MAX where just one is NaN */
    size_t max_ulp_index; /* a particle that has it */
} kdr_difference;

/* KDR_ERROR_MISMATCH where count, dims or real differ; else KDR_ERROR_NULL for a pointer that is NULL, and the errors of
 * kdr_particles_check. */
KDR_API kdr_status kdr_compare(const kdr_particles *a, const kdr_particles *b, kdr_difference *difference, kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
