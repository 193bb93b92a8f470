/* The subject of a checkpoint: an integrator, a system run's description, or neither. */
#ifndef KDR_IO_SUBJECT_H
#define KDR_IO_SUBJECT_H

#include <kickdrift/io.h>

typedef struct kdr_subject {
    const kdr_integrator *integrator; /* may be NULL */
    const kdr_system *system;         /* may be NULL; at most one of the two is set */
} kdr_subject;

static inline bool kdr_subject_is_known(const kdr_subject *of) { return of->integrator || of->system; }

static inline uint64_t kdr_subject_digest(const kdr_subject *of) {
    return of->system ? kdr_system_digest(of->system) : kdr_integrator_digest(of->integrator);
}

static inline uint64_t kdr_subject_seed(const kdr_subject *of) {
    return of->system ? kdr_system_langevin(of->system).seed : kdr_integrator_langevin(of->integrator).seed;
}

static inline uint64_t kdr_subject_memory_key(const kdr_subject *of, const kdr_particles *particles, const kdr_clock *clock) {
    return of->system ? kdr_system_memory_key(of->system, particles, clock) : kdr_integrator_memory_key(of->integrator, particles, clock);
}

/* Fails if a run of the subject would refuse the particles or the clock. */
kdr_status kdr_subject_check(const kdr_subject *of, const kdr_particles *particles, const kdr_clock *clock, kdr_error *error);

/* Compares a checkpoint with the subject, and makes the key of its memory. */
kdr_status kdr_subject_take(const kdr_subject *of, kdr_checkpoint *checkpoint, kdr_error *error);

#endif
