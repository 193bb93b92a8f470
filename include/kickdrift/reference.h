/* The scalar reference: one plain function per method, one particle at a time. Every backend returns its bits. Backend, executor and
 * communicator of a description are ignored. A function does what the one of the same name without `reference` does; runs create an
 * integrator or system and destroy it. Errors: those of the functions that create, run or add, KDR_ERROR_NO_MEMORY, and KDR_ERROR_ARGUMENT
 * (arithmetic). */
#ifndef KICKDRIFT_REFERENCE_H
#define KICKDRIFT_REFERENCE_H

#include <kickdrift/distance_constraints.h>
#include <kickdrift/gravity.h>
#include <kickdrift/pairs.h>
#include <kickdrift/system.h>

#ifdef __cplusplus
extern "C" {
#endif

KDR_API kdr_status kdr_reference_run(const kdr_integrator_desc *desc, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                     kdr_error *error);

KDR_API kdr_status kdr_reference_sample(const kdr_integrator_desc *desc, const kdr_particles *particles, const kdr_clock *clock,
                                        double fraction, kdr_particles *to, kdr_error *error);

KDR_API kdr_status kdr_reference_system_run(const kdr_system_desc *desc, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                            kdr_error *error);

KDR_API kdr_status kdr_reference_system_sample(const kdr_system_desc *desc, const kdr_particles *particles, const kdr_clock *clock,
                                               double fraction, kdr_particles *to, kdr_error *error);

KDR_API kdr_status kdr_reference_pairs_add(const kdr_pairs_desc *desc, const kdr_particles *particles, void *const a[3], kdr_error *error);
KDR_API kdr_status kdr_reference_pair_map_add(const kdr_pairs_desc *desc, const kdr_particles *particles, double dt, void *const dx[3],
                                              void *const dv[3], kdr_error *error);
KDR_API kdr_status kdr_reference_distance_constraints_shake(const kdr_distance_constraints_desc *desc, kdr_particles *particles,
                                                            const void *const start[3], double dt, kdr_error *error);
KDR_API kdr_status kdr_reference_distance_constraints_rattle(const kdr_distance_constraints_desc *desc, kdr_particles *particles, double dt,
                                                             kdr_error *error);

KDR_API kdr_status kdr_reference_gravity_add(const kdr_gravity *gravity, kdr_arithmetic arithmetic, kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
