/* Flights of a system run: the method moves one particle between two surfaces, in the forces on it alone, plus a constant acceleration
 * by the others if there is one. */
#ifndef KDR_INTEGRATOR_FLIGHTS_H
#define KDR_INTEGRATOR_FLIGHTS_H

#include <kickdrift/integrator.h>

#include "../program/operation.h"

typedef struct kdr_flights {
    const kdr_integrator *integrator; /* has the method, the forces and the colliders of the system run */
    const kdr_particles *particles;
    const kdr_clock *clock;
} kdr_flights;

/* The function for kdr_job::fly. job->flyer must point to a kdr_flights. */
void kdr_fly_alone(const kdr_job *job, size_t particle, uint64_t step, double begin, double length, const void *pull, void *x, void *v);

#endif
