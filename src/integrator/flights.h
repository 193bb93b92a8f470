/* Flights of the particles of a coupled run, from one surface to the next: by the method, in the forces on one particle alone. */
#ifndef KDR_INTEGRATOR_FLIGHTS_H
#define KDR_INTEGRATOR_FLIGHTS_H

#include <kickdrift/integrator.h>

#include "../program/operation.h"

typedef struct kdr_flights {
    const kdr_integrator *integrator; /* of the same method and forces, with colliders */
    const kdr_particles *particles;
    const kdr_clock *clock;
} kdr_flights;

/* kdr_job's: `flyer` is a kdr_flights. */
void kdr_fly_alone(const kdr_job *job, size_t particle, uint64_t step, double begin, double length, const void *pull, void *x, void *v);

#endif
