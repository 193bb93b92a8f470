/* Watches: checks, and values of the watched functions. */
#ifndef KDR_FORCE_WATCH_H
#define KDR_FORCE_WATCH_H

#include <kickdrift/event.h>

/* Checks that every member that a watch's kind uses is in range. */
kdr_status kdr_watches_check(const kdr_watch *watches, size_t count, kdr_error *error);

/* Computes g(x, v, t) for `count` particles of `dims` axes. x and v are plain arrays per axis, taken as 0 on other axes. */
void kdr_watch_values(const kdr_watch *watch, int dims, size_t count, const double *const x[3], const double *const v[3], double t,
                      double *values);

/* Returns whether one of the watches has this action. */
bool kdr_watches_do(const kdr_watch *watches, size_t count, kdr_action action);

/* Returns whether one of them stops particles or the run. */
static inline bool kdr_watches_stop(const kdr_watch *watches, size_t count) {
    return kdr_watches_do(watches, count, KDR_ACTION_STOP_PARTICLE) || kdr_watches_do(watches, count, KDR_ACTION_STOP_RUN);
}

/* Returns 1 where the value rises from below 0 to 0 or above, -1 where it falls from above 0 to 0 or below, and 0 where it does neither
 * or the watch does not ask for that direction. A value that begins at 0 has no sign that could change. */
static inline int kdr_watch_crossing(const kdr_watch *watch, double before, double after) {
    const bool rises = before < 0.0 && after >= 0.0, falls = before > 0.0 && after <= 0.0;
    return (rises && watch->crossing != KDR_CROSSING_FALLING) - (falls && watch->crossing != KDR_CROSSING_RISING);
}

#endif
