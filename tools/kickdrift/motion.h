/* What moves the particles of a scene: an integrator, or where they feel each other a coupled run. What asks it does not care which. */
#ifndef KICKDRIFT_TOOLS_MOTION_H
#define KICKDRIFT_TOOLS_MOTION_H

#include "population.h"

#include <kickdrift/io.h>

typedef struct motion {
    kdr_integrator *integrator; /* NULL: */
    kdr_coupled *coupled;
    kdr_workspace workspace;
    uint8_t *same_level; /* of particles with levels room for one that all have */
} motion;

/* Makes it of a scene and its particles, whose arrays it borrows. Release with motion_release, also after a failure. */
kdr_status motion_make(const scene *from, const population *of, kdr_backend backend, kdr_executor executor, motion *made, kdr_error *error);
void motion_release(motion *m);

kdr_status motion_run(const motion *m, kdr_particles *particles, kdr_clock *clock, uint64_t steps, kdr_error *error);
/* As kdr_integrator_sample. */
kdr_status motion_sample(const motion *m, const kdr_particles *particles, const kdr_clock *clock, double fraction, kdr_particles *to,
                         kdr_error *error);
uint64_t motion_evaluations(const motion *m, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps);
kdr_status motion_observe(const motion *m, const kdr_particles *particles, const kdr_clock *clock, kdr_observables *observables,
                          kdr_error *error);
kdr_status motion_count_absorbed(const motion *m, const kdr_particles *particles, size_t *count, kdr_error *error);
/* As kdr_distances_worst; where no distances are kept nothing is written. */
kdr_status motion_distances_worst(const motion *m, const kdr_particles *particles, double dt, double *position, double *velocity,
                                  kdr_error *error);
const kdr_method_info *motion_method(const motion *m);
kdr_backend motion_backend(const motion *m);

/* Its steps estimate their own error, into kdr_particles.error. */
bool motion_estimates(const motion *m);

/* As kdr_integrator_explain. */
size_t motion_explain(const motion *m, int dims, bool masses, char *text, size_t size);

/* As kdr_integrator_digest, kdr_integrator_memory_key and kdr_checkpoint_write. */
uint64_t motion_digest(const motion *m);
uint64_t motion_memory_key(const motion *m, const kdr_particles *particles, const kdr_clock *clock);
kdr_status motion_write_checkpoint(const motion *m, const char *path, const kdr_particles *particles, const kdr_clock *clock,
                                   const void *note, size_t note_size, kdr_error *error);

/* The key of a scene that a refusal of theirs speaks of, by how it begins. Where the scene has another name than the library, which is then taken
 * off *message, *named is the scene's. */
const char *motion_key_of(const char **message, const char **named);

#endif
