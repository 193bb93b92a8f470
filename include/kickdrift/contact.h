/* Contacts: a list of bounces, with particle, surface, time, place and impulse. */
#ifndef KICKDRIFT_CONTACT_H
#define KICKDRIFT_CONTACT_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A bounce off a collider, at the moment of impact. Resting and sliding make no contacts. Numbers are in double, with 0 on axes that the
 * particles lack. */
typedef struct kdr_contact {
    uint64_t particle; /* index in the view */
    uint64_t step;     /* the clock's; in a field run with levels the particle's own, 2^level per step of the clock */
    uint64_t surface;  /* index in `colliders` of the description */
    double time;       /* of the impact, within the step */
    double x[3];       /* place of the impact */
    double impulse[3]; /* mass times the change of velocity, by bounce and friction */
    double speed;      /* towards the surface, relative to it */
} kdr_contact;

/* A list of the caller's, for kdr_particles::contacts. A run appends its bounces, ordered by particle, step, time, surface; a coupled
 * run by step, particle, time, surface. The list is the same on every backend and for any number of threads. A full list keeps the first
 * bounces; `count` counts all. Failed steps add none. */
typedef struct kdr_contacts {
    kdr_contact *list; /* room for `capacity`; must not overlap the particles' arrays */
    size_t capacity;   /* 0 is allowed: bounces are only counted */
    size_t count;      /* bounces since the caller set it to 0; the list has min(count, capacity) */
} kdr_contacts;

#ifdef __cplusplus
}
#endif
#endif
