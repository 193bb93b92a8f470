/* Contacts: which particle bounced off which surface, when, where, and what it got. */
#ifndef KICKDRIFT_CONTACT_H
#define KICKDRIFT_CONTACT_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A bounce off a collider (see collider.h: what rests or slides on a surface makes none), when the surface is met. The members are
 * those of the particles' precision, widened. */
typedef struct kdr_contact {
    uint64_t particle; /* its index in the view */
    uint64_t
        step; /* of the clock in which it bounced; of a particle with a level, in a field run, its own step: 2^level for one of the clock */
    uint64_t surface;  /* index in `colliders` of the description */
    double time;       /* when the surface was met, within the step */
    double x[3];       /* where it was met; 0 on axes that the particles do not have */
    double impulse[3]; /* mass times what was added to the velocity, by the bounce and its friction; 0 on such axes too */
    double speed;      /* of approach along the surface's normal, relative to the surface */
} kdr_contact;

/* A list of the caller's, for kdr_particles::contacts. A run adds its bounces behind those that are there, in the order of particle, step,
 * time, surface, and a coupled run in that of step, particle, time, surface; the list is the same, to the bit, on every backend and for
 * any number of threads. Where there is no room for all of them it has those of the run that come first in that order; `count` is larger
 * than `capacity` by as many as are missing. Of a step that fails it has none. */
typedef struct kdr_contacts {
    kdr_contact *list; /* room for `capacity`; must not overlap the particles' arrays */
    size_t capacity;   /* 0 is allowed: bounces are counted */
    size_t count;      /* bounces since the caller set it to 0: the list has min(count, capacity) */
} kdr_contacts;

#ifdef __cplusplus
}
#endif
#endif
