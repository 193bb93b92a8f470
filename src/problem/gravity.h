/* Checks of gravity: softening lengths, and the view of particles that attract each other. */
#ifndef KDR_PROBLEM_GRAVITY_H
#define KDR_PROBLEM_GRAVITY_H

#include <kickdrift/gravity.h>

kdr_status kdr_gravity_check(const kdr_gravity *gravity, kdr_error *error);

/* Check one softening length, or an array of them, which may be NULL. `name` is for the message. */
kdr_status kdr_softening_check(double softening, kdr_real real, const char *name, kdr_error *error);
kdr_status kdr_softenings_check(const void *array, const kdr_layout *layout, size_t count, kdr_real real, const char *name,
                                kdr_error *error);

/* Returns the view of an interaction: sources and targets in plain x. It does not ask for accelerations or potentials yet. */
kdr_gravity kdr_gravity_of(const kdr_interaction *force, const kdr_particles *particles);

#endif
