/* The scalar reference: one textbook function for each method, one particle at a time.
 *
 * Every kernel returns these bits. Backend, executor and team of the description are ignored. */
#ifndef KICKDRIFT_REFERENCE_H
#define KICKDRIFT_REFERENCE_H

#include <kickdrift/coupled.h>
#include <kickdrift/distances.h>
#include <kickdrift/gravity.h>
#include <kickdrift/pairs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As kdr_integrator_create, kdr_integrator_run and kdr_integrator_destroy of the same description, errors too. */
KDR_API kdr_status kdr_reference_run(const kdr_integrator_desc *desc, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                     kdr_error *error);

/* As kdr_integrator_sample of the same description, errors too. */
KDR_API kdr_status kdr_reference_sample(const kdr_integrator_desc *desc, const kdr_particles *particles, const kdr_clock *clock,
                                        double fraction, kdr_particles *to, kdr_error *error);

/* As kdr_coupled_create, kdr_coupled_run and kdr_coupled_destroy of the same description. It allocates what it needs:
 * KDR_ERROR_NO_MEMORY. */
KDR_API kdr_status kdr_reference_coupled_run(const kdr_coupled_desc *desc, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                             kdr_error *error);

/* As kdr_coupled_sample of the same description, errors too, and KDR_ERROR_NO_MEMORY: it allocates. */
KDR_API kdr_status kdr_reference_coupled_sample(const kdr_coupled_desc *desc, const kdr_particles *particles, const kdr_clock *clock,
                                                double fraction, kdr_particles *to, kdr_error *error);

/* As kdr_pairs_add, kdr_pair_map_add (with the masses that the particles have now), kdr_distances_positions and _velocities of the same
 * descriptions, errors too, and KDR_ERROR_NO_MEMORY: they allocate. */
KDR_API kdr_status kdr_reference_pairs_add(const kdr_pairs_desc *desc, const kdr_particles *particles, void *const a[3], kdr_error *error);
KDR_API kdr_status kdr_reference_pair_map_add(const kdr_pairs_desc *desc, const kdr_particles *particles, double dt, void *const dx[3],
                                              void *const dv[3], kdr_error *error);
KDR_API kdr_status kdr_reference_distances_positions(const kdr_distances_desc *desc, kdr_particles *particles, const void *const start[3],
                                                     double dt, kdr_error *error);
KDR_API kdr_status kdr_reference_distances_velocities(const kdr_distances_desc *desc, kdr_particles *particles, double dt,
                                                      kdr_error *error);

/* As kdr_gravity_add of the same view, errors too; KDR_ERROR_ARGUMENT for another arithmetic. */
KDR_API kdr_status kdr_reference_gravity_add(const kdr_gravity *gravity, kdr_arithmetic arithmetic, kdr_error *error);

#ifdef __cplusplus
}
#endif
#endif
