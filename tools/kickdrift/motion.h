/* A motion moves the particles of a scene. It is an integrator, or a system run if they interact; callers need not know which. */
#ifndef KICKDRIFT_TOOLS_MOTION_H
#define KICKDRIFT_TOOLS_MOTION_H

#include "population.h"

#include <kickdrift/io.h>

typedef struct motion {
    kdr_integrator *integrator; /* NULL: `system` is used */
    kdr_system *system;
    kdr_workspace workspace;
    uint8_t *same_level; /* if particles have levels: room for one array in which all have the same level */
} motion;

/* Makes the integrator or system run of a scene; borrows the arrays of the particles. Release with motion_release, also after a
 * failure. */
kdr_status motion_make(const scene *from, const population *of, kdr_backend backend, kdr_executor executor, motion *made, kdr_error *error);
void motion_release(motion *m);

kdr_status motion_run(const motion *m, kdr_particles *particles, kdr_clock *clock, uint64_t steps, kdr_error *error);
/* Does what kdr_integrator_sample or kdr_system_sample does. */
kdr_status motion_sample(const motion *m, const kdr_particles *particles, const kdr_clock *clock, double fraction, kdr_particles *to,
                         kdr_error *error);
uint64_t motion_evaluations(const motion *m, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps);
kdr_status motion_observe(const motion *m, const kdr_particles *particles, const kdr_clock *clock, kdr_observables *observables,
                          kdr_error *error);
kdr_status motion_count_absorbed(const motion *m, const kdr_particles *particles, size_t *count, kdr_error *error);
/* Does what kdr_distance_constraints_max_violation does. Writes nothing if the scene keeps no distances. */
kdr_status motion_distances_worst(const motion *m, const kdr_particles *particles, double dt, double *position, double *velocity,
                                  kdr_error *error);
const kdr_method_info *motion_method(const motion *m);
kdr_backend motion_backend(const motion *m);

/* Returns true if each step estimates its own error, into kdr_particles.error. */
bool motion_estimates(const motion *m);

/* Does what kdr_integrator_explain or kdr_system_explain does. */
size_t motion_explain(const motion *m, int dims, bool masses, char *text, size_t size);

/* These do what kdr_integrator_digest, kdr_integrator_memory_key and kdr_checkpoint_write, or their counterparts for system runs, do. */
uint64_t motion_digest(const motion *m);
uint64_t motion_memory_key(const motion *m, const kdr_particles *particles, const kdr_clock *clock);
kdr_status motion_write_checkpoint(const motion *m, const char *path, const kdr_particles *particles, const kdr_clock *clock,
                                   const void *note, size_t note_size, kdr_error *error);

/* Returns the scene's key that an error message of the library is about, found by how the message begins. If the scene has another name for
 * it than the library, the library's name is cut off *message and *named is the scene's name. */
const char *motion_key_of(const char **message, const char **named);

#endif
