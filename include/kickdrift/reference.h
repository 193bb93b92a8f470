/* The scalar reference: one plain function per method, one particle at a time. Every backend returns its bits. Backend, executor and
 * communicator of a description are ignored. */
#ifndef KICKDRIFT_REFERENCE_H
#define KICKDRIFT_REFERENCE_H

#include <kickdrift/distance_constraints.h>
#include <kickdrift/gravity.h>
#include <kickdrift/pairs.h>
#include <kickdrift/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Creates an integrator, runs it, and destroys it. Errors: those of kdr_integrator_create and kdr_integrator_run. */
KDR_API kdr_status kdr_reference_run(const kdr_integrator_desc *desc, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                     kdr_error *error);

/* Does what kdr_integrator_sample does. Errors: those of kdr_integrator_create and kdr_integrator_sample. */
KDR_API kdr_status kdr_reference_sample(const kdr_integrator_desc *desc, const kdr_particles *particles, const kdr_clock *clock,
                                        double fraction, kdr_particles *to, kdr_error *error);

/* Creates a system run, runs it, and destroys it. Errors: those of kdr_system_create and kdr_system_run, and KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_reference_system_run(const kdr_system_desc *desc, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                            kdr_error *error);

/* Does what kdr_system_sample does. Errors: those of kdr_system_create and kdr_system_sample, and KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_reference_system_sample(const kdr_system_desc *desc, const kdr_particles *particles, const kdr_clock *clock,
                                               double fraction, kdr_particles *to, kdr_error *error);

/* Do what kdr_pairs_add, kdr_pair_map_add, kdr_distance_constraints_shake and kdr_distance_constraints_rattle do. Errors: theirs, those of
 * the `_create` functions, and KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_reference_pairs_add(const kdr_pairs_desc *desc, const kdr_particles *particles, void *const a[3], kdr_error *error);
KDR_API kdr_status kdr_reference_pair_map_add(const kdr_pairs_desc *desc, const kdr_particles *particles, double dt, void *const dx[3],
                                              void *const dv[3], kdr_error *error);
KDR_API kdr_status kdr_reference_distance_constraints_shake(const kdr_distance_constraints_desc *desc, kdr_particles *particles,
                                                            const void *const start[3], double dt, kdr_error *error);
KDR_API kdr_status kdr_reference_distance_constraints_rattle(const kdr_distance_constraints_desc *desc, kdr_particles *particles, double dt,
                                                             kdr_error *error);

/* Does what kdr_gravity_add does. Errors: those of kdr_gravity_add, and KDR_ERROR_ARGUMENT (arithmetic). */
KDR_API kdr_status kdr_reference_gravity_add(const kdr_gravity *gravity, kdr_arithmetic arithmetic, kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
