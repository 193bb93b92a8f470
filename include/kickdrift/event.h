/* Events: when a function of a particle's state changes its sign within a step, and what the state is there.
 *
 * A pericentre, a crossing of a plane, an escape lie between two steps. A watch is a function g(x, v, t); where its sign at the end of a
 * step is not that at the beginning, the step is taken again from its beginning with f dt in place of dt, and f is searched for between 0
 * and 1 until the sign changes within 2^-50 of the step (f32: 2^-24), which takes eight trials or so. The state of the event is that of the
 * shortened step. The results of a run are what they are without watches, to the bit.
 *
 * Order: time and state of an event are of the method's order (kdr_method_info::order; order_velocity in a field that sees v), composed or
 * not, for the shortened step is one of the method. It begins with what the particle remembers; of velocity-verlet-pc, whose memory is
 * about the length of the step, it begins afresh, in the method's order too. With a heat bath the shortened step has the noise of the whole
 * one: the event lies between both ends, and has no order. Walls, constraints and the boundary do to the shortened step what they do to
 * any: at a wall the order is theirs. A particle that a periodic boundary puts back may change the sign by that, and this is an event.
 *
 * What rises and what falls is as the run goes: where time runs back, dt < 0, g rises where it falls in time.
 *
 * An even number of changes of one sign within one step is missed, such as a plane that is crossed and crossed back. Two watches whose
 * signs change in one step make two events.
 *
 * A watch may stop the particle (KDR_ACTION_STOP_PARTICLE): it moves no more from there on, its state is that of the event, and what it has
 * counted ends there; of what is watched it meets in that step what lies before. Its mark in kdr_particles::active becomes 0, in which
 * kdr_events::active permits runs to write: set it to 1, and memory_key to 0, to let it go on. In a coupled run the others feel it in the
 * step of the event where it would have gone, and then where it is: a method that keeps its acceleration evaluates once more, all
 * particles. With particles.contacts, and in coupled runs with levels and distances, it is refused.
 *
 * Or it may stop the run (KDR_ACTION_STOP_RUN), which then returns KDR_STOPPED at the end of the step in which the event lies, clock and
 * particles there, one step beyond kdr_event::step: to go on is to call it again. KDR_STOPPED is no error (kdr_failed in status.h). A
 * field run that may be stopped takes all particles through a step before the next, at the speed of calls of one step, and what its method
 * remembers must be the particles'.
 *
 * Coupled runs (coupled.h): all particles take the step again for each trial, a dozen evaluations of a second-order method for each event.
 * The signs are those at the ends of the clock's step, with levels too. Where a function fails in a trial, or behind a stop, that step
 * is none, nor are its events.
 *
 * A watched run goes step by step: its cost is a call of one step on a block of particles in the cache for each step, and some nanoseconds
 * for each watch, particle and step. Runs without watches, and without a list, cost what they do without this header: without a list
 * nothing is watched. Where a watch stops particles or the run, a view without a list is KDR_ERROR_NULL, and a run in blocks
 * KDR_ERROR_UNSUPPORTED. */
#ifndef KICKDRIFT_EVENT_H
#define KICKDRIFT_EVENT_H

#include <kickdrift/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is watched: the function g, computed in double, of the axes that the particles have, each product and sum rounded. */
typedef enum kdr_watch_kind {
    KDR_WATCH_FUNCTION, /* the caller's own */
    KDR_WATCH_APSIS,    /* (x - at) . v: it rises through 0 at a pericentre about `at`, and falls at an apocentre */
    KDR_WATCH_PLANE,    /* (x - at) . normal */
    KDR_WATCH_DISTANCE  /* |x - at|^2 - distance^2: it rises where a particle leaves the sphere, and falls where it comes in */
} kdr_watch_kind;
enum { KDR_WATCH_KIND_COUNT = 4 };

/* A crossing says which changes of the sign are events. A value rises from below 0 to 0 or above, and falls from above 0 to 0 or below.
 * A step that begins at 0 has no event: who starts at a pericentre or an apocentre, or on a plane, has not passed it. NaN has no sign. */
typedef enum kdr_crossing { KDR_CROSSING_ANY = 0, KDR_CROSSING_RISING = 1, KDR_CROSSING_FALLING = 2 } kdr_crossing;
enum { KDR_CROSSING_COUNT = 3 };

/* What a run does about an event beside writing it down, whether there is room for it or not. */
typedef enum kdr_action { KDR_ACTION_NONE = 0, KDR_ACTION_STOP_PARTICLE = 1, KDR_ACTION_STOP_RUN = 2 } kdr_action;
enum { KDR_ACTION_COUNT = 3 };

/* g(x, v, t) of a particle; 0 on axes that the particles do not have. It is called from the threads that step the particles, several at
 * once, and must depend on its arguments alone: the bits of the events are as reproducible as it is. */
typedef double kdr_watch_fn(void *context, const double x[3], const double v[3], double t);

/* One watch; members that its kind does not name are ignored. Start from {0}, or from a constructor below. */
typedef struct kdr_watch {
    kdr_watch_kind kind;
    kdr_crossing crossing;
    kdr_action action;
    double at[3];     /* a place, finite */
    double normal[3]; /* finite, not 0; of any length */
    double distance;  /* a length, above 0 */
    kdr_watch_fn *value;
    void *context; /* for `value`; must live as long as the integrator */
} kdr_watch;

/* The most watches of an integrator. */
enum { KDR_MAX_WATCHES = 16 };

/* Watches by value: whatever way they cross, written down. A vector that is NULL is 0, 0, 0. */
KDR_API kdr_watch kdr_watch_function(kdr_watch_fn *value, void *context);
KDR_API kdr_watch kdr_watch_apsis(const double at[3]);
KDR_API kdr_watch kdr_watch_plane(const double at[3], const double normal[3]);
KDR_API kdr_watch kdr_watch_distance(const double at[3], double distance);

/* A change of sign. The state is the first one behind it. */
typedef struct kdr_event {
    uint64_t step;     /* it lies between this step of the view's clock and the next, whatever the particle's level */
    uint64_t particle; /* its index in the view */
    uint64_t watch;    /* index in kdr_integrator_desc::watches */
    int64_t direction; /* 1: g rises, -1: it falls */
    double time;       /* t0 + (step + f) dt of the particle's clock */
    double x[3], v[3]; /* the state, widened; 0 on axes that the particles do not have */
} kdr_event;

/* A list of the caller's, for kdr_particles::events. A run adds its events behind those that are there, in the order of step, particle,
 * time as the run goes, watch: the list is the same, to the bit, on every backend, for any number of threads, and however a run is cut into
 * calls (with a memory or a compensated run, when the particles carry it). Where there is no room for all of them it has those that come
 * first in that order; `count` is larger than `capacity` by as many as are missing. */
typedef struct kdr_events {
    kdr_event *list; /* room for `capacity`; must not overlap the particles' arrays */
    size_t capacity; /* 0 is allowed: events are counted */
    size_t count;    /* events since the caller set it to 0: the list has min(count, capacity) */
    uint8_t *active; /* NULL; or, where a watch stops particles, kdr_particles::active itself: their marks become 0 */
} kdr_events;

#ifdef __cplusplus
}
#endif
#endif
