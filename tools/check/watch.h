/* The watches of the cases, and the state between two steps. */
#ifndef KDR_CHECK_WATCH_H
#define KDR_CHECK_WATCH_H

#include "axes.h"

enum { WATCH_COUNT = 3, WATCH_ROOM = 4096, WATCH_FEW_ROOM = 5 };

/* The watches of a case, and what one run has found. */
typedef struct kdr_check_watched {
    kdr_watch watch[WATCH_COUNT];
    double fraction; /* fraction of the step after the run at which the state is sampled */
    kdr_events events;
    kdr_event list[WATCH_ROOM];
    double sample[6][KDR_CHECK_MAX_COUNT];
} kdr_check_watched;

/* Draws watches of any kind. */
void kdr_check_watches_draw(kdr_watch watch[WATCH_COUNT], kdr_check_random *random);

/* Draws the watches of a case; a run fills in the rest. */
void kdr_check_watch_draw(kdr_check_watched *watched, const kdr_check_case *test);

/* Set the watches in a description, and the list of events in a view, for a run that fills in `watched`. */
void kdr_check_watch_describe(const kdr_check_watched *watched, const kdr_check_case *test, kdr_integrator_desc *desc);
void kdr_check_watch_begin(kdr_check_watched *watched, const kdr_check_case *test, kdr_particles *view);

/* Returns a view for the sample of these particles. */
kdr_particles kdr_check_watch_sample(kdr_check_watched *watched, const kdr_particles *view);

/* Returns the index of the first event, or element of the sample, that differs; -1: none. All NaNs are equal. */
ptrdiff_t kdr_check_watch_differs(const kdr_check_watched *expected, const kdr_check_watched *actual, const kdr_check_case *test);

/* Mixes everything that was found into a hash, word by word; a NaN counts as 0. */
typedef uint64_t kdr_check_mix_fn(uint64_t sum, uint64_t next);
uint64_t kdr_check_watch_mix(const kdr_check_watched *watched, const kdr_check_case *test, kdr_check_mix_fn *mix, uint64_t sum);

#endif
