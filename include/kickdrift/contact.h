/* Contacts: a list of the particles' bounces off colliders. */
#ifndef KICKDRIFT_CONTACT_H
#define KICKDRIFT_CONTACT_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One bounce, at the moment of impact. Resting and sliding particles make no contacts. Elements of axes that the particles lack are 0. */
typedef struct kdr_contact {
    uint64_t particle; /* index in kdr_particles */
    uint64_t step;     /* of the clock; the particle's own step where kdr_particles::level gives it steps of its own */
    uint64_t surface;  /* index in `colliders` of the description */
    double time;       /* of the impact, in the time of kdr_clock_time */
    double x[3];       /* position at the impact */
    double impulse[3]; /* mass times the change of velocity by bounce and friction */
    double speed;      /* of the approach, relative to the surface */
} kdr_contact;

/* A list that the caller owns, for kdr_particles::contacts. A run appends its bounces, ordered by particle, step, time, surface. A
 * system run orders them by step, particle, time, surface. A full list keeps the first bounces. Failed steps add none. */
typedef struct kdr_contacts {
    kdr_contact *list; /* room for `capacity`; must not overlap the particles' arrays */
    size_t capacity;   /* 0 is allowed: bounces are only counted */
    size_t count;      /* bounces since the caller set it to 0, also those that `list` lacks */
} kdr_contacts;

#ifdef __cplusplus
}
#endif
#endif
