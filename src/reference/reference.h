/* The two precisions of the reference, for reference.c. */
#ifndef KDR_REFERENCE_REFERENCE_H
#define KDR_REFERENCE_REFERENCE_H

#include <kickdrift/system.h>

#include "../problem/problem.h"
#include "pairs.h"

/* Steps every particle of a checked run. `resume`: the memory holds what the method left there. `first_contact`: where the run's
 * contacts begin in the list. Returns whether a watch stops the run, which must then have one step. */
typedef bool kdr_reference_fn(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                              bool resume, size_t first_contact);

/* Returns where new contacts begin in a list, which may be NULL. */
static inline size_t kdr_reference_first_contact(const kdr_contacts *contacts) {
    return !contacts ? 0 : contacts->count < contacts->capacity ? contacts->count : contacts->capacity;
}

/* Dense output of a checked view: its x and v become the state at a fraction of the clock's step. */
typedef void kdr_reference_sample_fn(const kdr_problem *problem, const kdr_particles *view, const kdr_clock *clock, double fraction,
                                     bool resume);

/* The steps of a system run, which may fail. */
typedef struct kdr_reference_steps {
    uint64_t steps;
    uint64_t later; /* steps of the run before its clock, if a step is shortened */
    double whole;   /* length of the step of which this one is a part; 0: it is a whole step */
    bool resume;    /* the memory holds what the method left there */
    uint64_t done;  /* set to the number of whole steps */
} kdr_reference_steps;

/* Makes the steps of a system run. The method's memory is stored in the particles' if they have it. If no step is whole, a failure
 * changes nothing. */
typedef kdr_status kdr_reference_system_fn(const kdr_system_desc *desc, const kdr_problem *problem, const kdr_particles *particles,
                                           const kdr_clock *clock, kdr_reference_steps *run, kdr_error *error);

/* Computes the random block of a counter under a key: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC11). */
void kdr_reference_philox(const uint32_t counter[4], uint64_t key, uint32_t block[4]);

/* Puts the particles of a checked view on the problem's constraints, and projects their velocities onto them. */
typedef void kdr_reference_hold_fn(const kdr_problem *problem, const kdr_particles *particles);

kdr_reference_fn kdr_reference_f32;
kdr_reference_fn kdr_reference_f64;
kdr_reference_sample_fn kdr_reference_sample_f32;
kdr_reference_sample_fn kdr_reference_sample_f64;
kdr_reference_hold_fn kdr_reference_hold_f32;
kdr_reference_hold_fn kdr_reference_hold_f64;
kdr_reference_system_fn kdr_reference_system_f32;
kdr_reference_system_fn kdr_reference_system_f64;

#endif
