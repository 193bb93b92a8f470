/* Contacts: a list of bounces off colliders. */
#ifndef KICKDRIFT_CONTACT_H
#define KICKDRIFT_CONTACT_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A bounce. Resting and sliding particles make none. */
typedef struct kdr_contact {
    uint64_t particle; /* index in kdr_particles */
    uint64_t step;     /* of the clock; of the particle, if kdr_particles::level gives it steps of its own */
    uint64_t surface;  /* index in `colliders` of the description */
    double time;       /* of the impact, as in kdr_clock_time */
    double x[3];       /* at the impact */
    double impulse[3]; /* mass times the change of velocity by bounce and friction */
    double speed;      /* of approach, relative to the surface */
} kdr_contact;

/* The caller's list for kdr_particles::contacts. A run appends its bounces, ordered by particle, step, time, surface; a system run by step,
 * particle, time, surface. A full list keeps the first bounces. Failed steps add none. */
typedef struct kdr_contacts {
    kdr_contact *list; /* `capacity` contacts; must not overlap other arrays */
    size_t capacity;   /* 0: bounces are only counted */
    size_t count;      /* bounces since the caller set it to 0, with those that did not fit */
} kdr_contacts;

#ifdef __cplusplus
}
#endif
#endif
