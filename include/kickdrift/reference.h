/* The scalar reference: one plain function per method, one particle at a time. Every backend returns its bits. Backend, executor and
 * team of a description are ignored. */
#ifndef KICKDRIFT_REFERENCE_H
#define KICKDRIFT_REFERENCE_H

#include <kickdrift/coupled.h>
#include <kickdrift/distances.h>
#include <kickdrift/gravity.h>
#include <kickdrift/pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Creates an integrator, runs it, and destroys it. Errors: those of kdr_integrator_create and kdr_integrator_run. */
KDR_API kdr_status kdr_reference_run(const kdr_integrator_desc *desc, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                     kdr_error *error);

/* Does what kdr_integrator_sample does. Errors: those of kdr_integrator_create and kdr_integrator_sample. */
KDR_API kdr_status kdr_reference_sample(const kdr_integrator_desc *desc, const kdr_particles *particles, const kdr_clock *clock,
                                        double fraction, kdr_particles *to, kdr_error *error);

/* Creates a coupled run, runs it, and destroys it. Errors: those of kdr_coupled_create and kdr_coupled_run, and KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_reference_coupled_run(const kdr_coupled_desc *desc, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                             kdr_error *error);

/* Does what kdr_coupled_sample does. Errors: those of kdr_coupled_create and kdr_coupled_sample, and KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_reference_coupled_sample(const kdr_coupled_desc *desc, const kdr_particles *particles, const kdr_clock *clock,
                                                double fraction, kdr_particles *to, kdr_error *error);

/* Do what kdr_pairs_add, kdr_pair_map_add, kdr_distances_positions and kdr_distances_velocities do. Errors: theirs, those of the
 * `_create` functions, and KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_reference_pairs_add(const kdr_pairs_desc *desc, const kdr_particles *particles, void *const a[3], kdr_error *error);
KDR_API kdr_status kdr_reference_pair_map_add(const kdr_pairs_desc *desc, const kdr_particles *particles, double dt, void *const dx[3],
                                              void *const dv[3], kdr_error *error);
KDR_API kdr_status kdr_reference_distances_positions(const kdr_distances_desc *desc, kdr_particles *particles, const void *const start[3],
                                                     double dt, kdr_error *error);
KDR_API kdr_status kdr_reference_distances_velocities(const kdr_distances_desc *desc, kdr_particles *particles, double dt,
                                                      kdr_error *error);

/* Does what kdr_gravity_add does. Errors: those of kdr_gravity_add, and KDR_ERROR_ARGUMENT (arithmetic). */
KDR_API kdr_status kdr_reference_gravity_add(const kdr_gravity *gravity, kdr_arithmetic arithmetic, kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
