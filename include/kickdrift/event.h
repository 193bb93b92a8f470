/* Events: a watch is a function g(x, v, t) of a particle, and an event is a change of its sign within a step. The time of the change is
 * found to 2^-50 of a step (f32: 2^-24), by shortened steps. Time and state of an event have the order of the method, but no order with a
 * heat bath. An even number of changes within a step is missed.
 *
 * Without kdr_particles::events nothing is watched. Watches with a stopping action need it (KDR_ERROR_NULL); others change no bit of a
 * run. */
#ifndef KICKDRIFT_EVENT_H
#define KICKDRIFT_EVENT_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* g, computed in double, with each product and sum rounded. */
typedef enum kdr_watch_kind {
    KDR_WATCH_FUNCTION,
    KDR_WATCH_APSIS,   /* (x - at) . v: rises at a pericentre, falls at an apocentre */
    KDR_WATCH_PLANE,   /* (x - at) . normal */
    KDR_WATCH_DISTANCE /* |x - at|^2 - distance^2: rises when a particle leaves the sphere */
} kdr_watch_kind;
enum { KDR_WATCH_KIND_COUNT = 4 };

/* Selects events, in the direction of the run. g rises from below 0 to 0 or above, and falls from above 0 to 0 or below. A step that begins
 * with g = 0, or has g = NaN at an end, has no event. */
typedef enum kdr_crossing { KDR_CROSSING_ANY = 0, KDR_CROSSING_RISING = 1, KDR_CROSSING_FALLING = 2 } kdr_crossing;
enum { KDR_CROSSING_COUNT = 3 };

/* Action on an event, in addition to recording it.
 *
 * KDR_ACTION_STOP_PARTICLE: the particle gets the state of the event and becomes inactive, in kdr_events::active, which must be given. To
 * continue, set its element to 1 and memory_key to 0. The action excludes kdr_particles::contacts.
 *
 * KDR_ACTION_STOP_RUN: the run returns KDR_STOPPED at the end of the step, kdr_event::step + 1. Another call continues it. If the method
 * has kdr_method_info::memory, kdr_particles::memory must be given. */
typedef enum kdr_action { KDR_ACTION_NONE = 0, KDR_ACTION_STOP_PARTICLE = 1, KDR_ACTION_STOP_RUN = 2 } kdr_action;
enum { KDR_ACTION_COUNT = 3 };

/* Returns g of one particle, from its arguments only. x and v are 0 on axes that it lacks. Several threads call it at once. */
typedef double kdr_watch_fn(void *context, const double x[3], const double v[3], double t);

/* Members that the kind does not need are ignored. Start from {0} or a function below. */
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

/* Return a watch for any crossing, without action. */
KDR_API kdr_watch kdr_watch_function(kdr_watch_fn *value, void *context);
KDR_API kdr_watch kdr_watch_apsis(const double at[3]);
KDR_API kdr_watch kdr_watch_plane(const double at[3], const double normal[3]);
KDR_API kdr_watch kdr_watch_distance(const double at[3], double distance);

/* A change of sign, with the first state after it. */
typedef struct kdr_event {
    uint64_t step;     /* the event is between this step and the next */
    uint64_t particle; /* index in kdr_particles */
    uint64_t watch;    /* index in `watches` */
    int64_t direction; /* 1: g rises, -1: it falls */
    double time;       /* in the time of kdr_clock_time */
    double x[3], v[3];
} kdr_event;

/* The caller's list for kdr_particles::events. A run appends its events, ordered by step, particle, time, watch. The list does not depend
 * on the division of a run into calls, if methods with a memory have kdr_particles::memory. A full list keeps the first events. */
typedef struct kdr_events {
    kdr_event *list; /* `capacity` events; must not overlap other arrays */
    size_t capacity; /* 0: events are only counted */
    size_t count;    /* events since the caller set it to 0, with those that did not fit */
    uint8_t *active; /* for KDR_ACTION_STOP_PARTICLE, equal to kdr_particles::active; may be NULL */
} kdr_events;

#ifdef __cplusplus
}
#endif
#endif
