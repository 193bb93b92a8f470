/* The two precisions of the textbook, as reference.c sees them. */
#ifndef KDR_REFERENCE_REFERENCE_H
#define KDR_REFERENCE_REFERENCE_H

#include <kickdrift/coupled.h>

#include "../problem/problem.h"
#include "pairs.h"

/* Steps every particle of a checked run; `resume`: the particles' memory holds what the method left there; `first_contact`: where the run's
 * begin in the list. Returns whether a watch stops the run, which must then have been of one step. */
typedef bool kdr_reference_fn(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                              bool resume, size_t first_contact);

/* Behind what a list of contacts has, or NULL. */
static inline size_t kdr_reference_first_contact(const kdr_contacts *contacts) {
    return !contacts ? 0 : contacts->count < contacts->capacity ? contacts->count : contacts->capacity;
}

/* Dense output of a checked view, whose x and v become the state at a fraction of the clock's step. */
typedef void kdr_reference_sample_fn(const kdr_problem *problem, const kdr_particles *view, const kdr_clock *clock, double fraction,
                                     bool resume);

/* The steps of a coupled run, which may fail. */
typedef struct kdr_reference_steps {
    uint64_t steps;
    uint64_t later; /* how many of the run's lie before its clock, where a step is shortened */
    double whole;   /* dt of the step that this one is a part of; 0: it is no part */
    bool resume;    /* the particles' memory holds what the method left there */
    uint64_t done;  /* set to the number of those that are whole */
} kdr_reference_steps;

/* What the method has kept is in the particles' memory when they have one; on failure with no whole step nothing is changed. */
typedef kdr_status kdr_reference_coupled_fn(const kdr_coupled_desc *desc, const kdr_problem *problem, const kdr_particles *particles,
                                            const kdr_clock *clock, kdr_reference_steps *run, kdr_error *error);

/* The random block of a counter under a key: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC11). */
void kdr_reference_philox(const uint32_t counter[4], uint64_t key, uint32_t block[4]);

/* Puts the particles of a checked view on to the problem's constraints, and their velocities along them. */
typedef void kdr_reference_hold_fn(const kdr_problem *problem, const kdr_particles *particles);

kdr_reference_fn kdr_reference_f32;
kdr_reference_fn kdr_reference_f64;
kdr_reference_sample_fn kdr_reference_sample_f32;
kdr_reference_sample_fn kdr_reference_sample_f64;
kdr_reference_hold_fn kdr_reference_hold_f32;
kdr_reference_hold_fn kdr_reference_hold_f64;
kdr_reference_coupled_fn kdr_reference_coupled_f32;
kdr_reference_coupled_fn kdr_reference_coupled_f64;

#endif
