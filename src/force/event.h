/* Events: which particles of a block have changed the sign of what is watched in a step, and where within the step one of them did. */
#ifndef KDR_FORCE_EVENT_H
#define KDR_FORCE_EVENT_H

#include <kickdrift/integrator.h>

#include "../particles/recorder.h"
#include "watch.h"

/* Particles of a block: they and what they were before the step stay in the caches. */
enum { KDR_WATCH_BLOCK = 128 };

/* Plain arrays of the particles' states: x and v, three each; NULL on axes that they do not have. */
typedef struct kdr_states {
    const char *column[6];
    int dims;
    kdr_real real;
} kdr_states;

/* Bytes of what a run counts for one particle: hits, unsolved equations, sums of energy, an error and images. */
enum { KDR_COUNTS_SIZE = 2 * sizeof(uint32_t) + 3 * sizeof(double) + 3 * sizeof(int32_t) };

/* The state of one particle, widened; 0 on axes that it does not have. */
typedef struct kdr_watched_state {
    double x[3], v[3];
    unsigned char counted[KDR_COUNTS_SIZE]; /* what it has counted by then, if whoever shortens the step says so */
} kdr_watched_state;

kdr_watched_state kdr_watched_state_at(const kdr_states *states, size_t i);

/* The signs of what is watched in a block, a row for each watch. */
typedef uint8_t kdr_signs[KDR_WATCH_BLOCK];

/* Replaces the signs of particles [begin, begin + count), at most a block, by those at time t. changed[i]: one of particle begin + i has
 * changed from below 0 to not below 0 or back; returns whether any is so. */
bool kdr_watch_signs(const kdr_watch *watches, size_t watch_count, const kdr_states *states, size_t begin, size_t count, double t,
                     kdr_signs *signs, bool changed[KDR_WATCH_BLOCK]);

/* Sets *at to the particle's state after a fraction of the step. Anything but KDR_OK ends the search. */
typedef kdr_status kdr_after_fn(void *context, double fraction, kdr_watched_state *at);

/* The step of one particle. */
typedef struct kdr_watched_step {
    const kdr_watch *watches;
    size_t watch_count;
    int dims;
    kdr_real real;
    const kdr_clock *clock;       /* the particle's own; */
    uint64_t n;                   /* the step, on it */
    kdr_watched_state begin, end; /* the states at both ends of it */
    double length;                /* of it, 1 */
    bool stopped;                 /* false */
    kdr_after_fn *after;
    void *context; /* for `after` */
    kdr_event event;
    kdr_recorder *events; /* who writes down `event`, in which step and particle are there already */
} kdr_watched_step;

/* Writes down what changes its sign in the step, up to where a watch stops the particle: then `length` and `end` are those of the step that
 * it still takes. */
kdr_status kdr_watch_step(kdr_watched_step *step);

#endif
