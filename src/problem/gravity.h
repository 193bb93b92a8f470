/* What a view of sources and targets is checked for, and what it is of particles that attract each other. */
#ifndef KDR_PROBLEM_GRAVITY_H
#define KDR_PROBLEM_GRAVITY_H

#include <kickdrift/gravity.h>

kdr_status kdr_gravity_check(const kdr_gravity *gravity, kdr_error *error);

/* One softening length, or an array of them (NULL: none). `name`: what the message calls it. */
kdr_status kdr_softening_check(double softening, kdr_real real, const char *name, kdr_error *error);
kdr_status kdr_softenings_check(const void *array, const kdr_layout *layout, size_t count, kdr_real real, const char *name,
                                kdr_error *error);

/* The sources and targets of an entry of a list, of plain x: nothing is wanted yet. */
kdr_gravity kdr_gravity_of(const kdr_coupled_force *force, const kdr_particles *particles);

#endif
