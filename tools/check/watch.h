/* What the cases watch, and the state between two steps. */
#ifndef KDR_CHECK_WATCH_H
#define KDR_CHECK_WATCH_H

#include "axes.h"

enum { WATCH_COUNT = 3, WATCH_ROOM = 4096, WATCH_FEW_ROOM = 5 };

/* What is looked for, and what one run has found. */
typedef struct kdr_check_watched {
    kdr_watch watch[WATCH_COUNT];
    double fraction; /* of the step behind the run, for the sample */
    kdr_events events;
    kdr_event list[WATCH_ROOM];
    double sample[6][KDR_CHECK_MAX_COUNT];
} kdr_check_watched;

/* Draws watches of any kind. */
void kdr_check_watches_draw(kdr_watch watch[WATCH_COUNT], kdr_check_random *random);

/* Draws what is watched, into `watched`; the rest is for a run to fill in. */
void kdr_check_watch_draw(kdr_check_watched *watched, const kdr_check_case *test);

/* The description and the view of a run that is to fill `watched` in. */
void kdr_check_watch_describe(const kdr_check_watched *watched, const kdr_check_case *test, kdr_integrator_desc *desc);
void kdr_check_watch_begin(kdr_check_watched *watched, const kdr_check_case *test, kdr_particles *view);

/* A view for the sample of those particles. */
kdr_particles kdr_check_watch_sample(kdr_check_watched *watched, const kdr_particles *view);

/* The first event, or element of the sample, that differs; -1: none does. A NaN is as good as another. */
ptrdiff_t kdr_check_watch_differs(const kdr_check_watched *expected, const kdr_check_watched *actual, const kdr_check_case *test);

/* The words of what was found, one by one, 0 for a NaN. */
typedef uint64_t kdr_check_mix_fn(uint64_t sum, uint64_t next);
uint64_t kdr_check_watch_mix(const kdr_check_watched *watched, const kdr_check_case *test, kdr_check_mix_fn *mix, uint64_t sum);

#endif
