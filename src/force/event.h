/* Events: finds the particles of a block whose watched functions change sign in a step, and where in the step one of them does. */
#ifndef KDR_FORCE_EVENT_H
#define KDR_FORCE_EVENT_H

#include <kickdrift/integrator.h>

#include "../particles/recorder.h"
#include "watch.h"

/* Particles per block: their states now and before the step stay in the caches. */
enum { KDR_WATCH_BLOCK = 128 };

/* Plain arrays of the particles' states: x and v, three each; NULL on axes that they do not have. */
typedef struct kdr_states {
    const char *column[6];
    int dims;
    kdr_real real;
} kdr_states;

/* Bytes of one particle's counts: bounces, nonconverged equations, sums of energy, an error and images. */
enum { KDR_COUNTS_SIZE = 2 * sizeof(uint32_t) + 3 * sizeof(double) + 3 * sizeof(int32_t) };

/* The state of one particle in double; 0 on axes that it does not have. */
typedef struct kdr_watched_state {
    double x[3], v[3];
    unsigned char counted[KDR_COUNTS_SIZE]; /* its counts by then, if the function that shortens the step sets them */
} kdr_watched_state;

kdr_watched_state kdr_watched_state_at(const kdr_states *states, size_t i);

/* The signs of one watched function in a block. */
typedef uint8_t kdr_signs[KDR_WATCH_BLOCK];

/* Replaces the signs of particles [begin, begin + count), at most a block, by those at time t. Sets changed[i] if one of particle begin
 * + i has changed from below 0 to not below 0 or back. Returns whether any has. */
bool kdr_watch_signs(const kdr_watch *watches, size_t watch_count, const kdr_states *states, size_t begin, size_t count, double t,
                     kdr_signs *signs, bool changed[KDR_WATCH_BLOCK]);

/* Returns whether the signs of all watched functions can be told from limits of the positions: those of planes and distances. */
bool kdr_watches_have_limits(const kdr_watch *watches, size_t count);

/* Narrows the limits of particle i so that no watched function changes its sign within them. They become empty if a sign may change in the
 * next step. */
void kdr_watch_limit(const kdr_watch *watches, size_t count, const kdr_states *states, size_t i, double low[3], double high[3]);

/* Sets *at to the particle's state after a fraction of the step. Anything but KDR_OK ends the search. */
typedef kdr_status kdr_after_fn(void *context, double fraction, kdr_watched_state *at);

/* The step of one particle. */
typedef struct kdr_watched_step {
    const kdr_watch *watches;
    size_t watch_count;
    int dims;
    kdr_real real;
    const kdr_clock *clock;       /* clock of the particle */
    uint64_t n;                   /* number of the step, on that clock */
    kdr_watched_state begin, end; /* states at both ends of the step */
    double length;                /* 1 before the search; the fraction that is left after it */
    bool stopped;                 /* false before the search */
    kdr_after_fn *after;
    void *context; /* user data of `after` */
    kdr_event event;
    kdr_recorder *events; /* recorder of `event`, whose step and particle are already set */
} kdr_watched_step;

/* Records the changes of sign in the step, until a watch stops the particle. `length` and `end` are then those of the step that it still
 * makes. */
kdr_status kdr_watch_step(kdr_watched_step *step);

#endif
