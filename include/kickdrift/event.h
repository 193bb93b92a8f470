/* Events: a watched function g(x, v, t) of a particle changes its sign within a step.
 *
 * The particle then takes the step again, shortened, until the time of the change is known to 2^-50 of a step (f32: 2^-24). Time and
 * state of an event have the order of the method, but none with a heat bath. Watches that stop nothing leave the bits of a run
 * unchanged. An even number of changes within a step is missed. Rising and falling are in the direction of the run.
 *
 * Without kdr_particles::events nothing is watched. Watches that stop something require a list (KDR_ERROR_NULL); blocks refuse them
 * (KDR_ERROR_UNSUPPORTED). In coupled runs signs are compared at the ends of the clock's step, and all particles take it again for each
 * trial. If a function fails in a trial, the step and its events are undone. */
#ifndef KICKDRIFT_EVENT_H
#define KICKDRIFT_EVENT_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The watched function g, computed in double on the particles' axes, with each product and sum rounded. */
typedef enum kdr_watch_kind {
    KDR_WATCH_FUNCTION, /* user-defined */
    KDR_WATCH_APSIS,    /* (x - at) . v: rises at a pericentre about `at`, falls at an apocentre */
    KDR_WATCH_PLANE,    /* (x - at) . normal */
    KDR_WATCH_DISTANCE  /* |x - at|^2 - distance^2: rises when a particle leaves the sphere */
} kdr_watch_kind;
enum { KDR_WATCH_KIND_COUNT = 4 };

/* Selects the changes that are events. A value rises from below 0 to 0 or above, and falls from above 0 to 0 or below. A step that
 * begins at 0 has no event. NaN has no sign. */
typedef enum kdr_crossing { KDR_CROSSING_ANY = 0, KDR_CROSSING_RISING = 1, KDR_CROSSING_FALLING = 2 } kdr_crossing;
enum { KDR_CROSSING_COUNT = 3 };

/* Action on an event, in addition to recording it. It does not depend on room in the list.
 *
 * KDR_ACTION_STOP_PARTICLE: the particle gets the state of the event, and its mark in `active` becomes 0. The view needs
 * kdr_events::active. To let it go on, set the mark to 1 and memory_key to 0. Refused with kdr_particles::contacts, and in coupled runs
 * with levels or distances.
 *
 * KDR_ACTION_STOP_RUN: the run returns KDR_STOPPED at the end of the step, which is kdr_event::step + 1. Call it again to go on. A
 * method with a memory needs kdr_particles::memory. */
typedef enum kdr_action { KDR_ACTION_NONE = 0, KDR_ACTION_STOP_PARTICLE = 1, KDR_ACTION_STOP_RUN = 2 } kdr_action;
enum { KDR_ACTION_COUNT = 3 };

/* Returns g(x, v, t) of a particle; x and v are 0 on axes that it lacks. Several threads call it at once. It must depend on its
 * arguments only. */
typedef double kdr_watch_fn(void *context, const double x[3], const double v[3], double t);

/* One watch. Members that its kind does not need are ignored. Start from {0} or a constructor below. */
typedef struct kdr_watch {
    kdr_watch_kind kind;
    kdr_crossing crossing;
    kdr_action action;
    double at[3];     /* finite */
    double normal[3]; /* finite, not 0; any length */
    double distance;  /* > 0 */
    kdr_watch_fn *value;
    void *context; /* for `value`; must live as long as the integrator */
} kdr_watch;

enum { KDR_MAX_WATCHES = 16 };

/* Return a watch with any crossing and no action. A vector that is NULL is 0, 0, 0. */
KDR_API kdr_watch kdr_watch_function(kdr_watch_fn *value, void *context);
KDR_API kdr_watch kdr_watch_apsis(const double at[3]);
KDR_API kdr_watch kdr_watch_plane(const double at[3], const double normal[3]);
KDR_API kdr_watch kdr_watch_distance(const double at[3], double distance);

/* A change of sign, with the first state after it. */
typedef struct kdr_event {
    uint64_t step;     /* it lies between this step of the view's clock and the next */
    uint64_t particle; /* index in the view */
    uint64_t watch;    /* index in kdr_integrator_desc::watches */
    int64_t direction; /* 1: g rises, -1: it falls */
    double time;       /* of the crossing, by the particle's clock */
    double x[3], v[3]; /* 0 on axes that the particles lack */
} kdr_event;

/* A list of the caller's, for kdr_particles::events. A run appends its events, ordered by step, then particle, then time, then
 * kdr_event::watch. The list is the same on every backend and for any number of threads. A run that is cut into calls gives the list of
 * one call, if the particles have the kdr_particles::memory that the method keeps. A full list keeps the first events; `count` counts
 * all. */
typedef struct kdr_events {
    kdr_event *list; /* room for `capacity`; must not overlap the particles' arrays */
    size_t capacity; /* 0 is allowed: events are only counted */
    size_t count;    /* events since the caller set it to 0; the list has min(count, capacity) */
    uint8_t *active; /* may be NULL; for KDR_ACTION_STOP_PARTICLE it must be kdr_particles::active */
} kdr_events;

#ifdef __cplusplus
}
#endif
#endif
