/* A progress bar on stderr with the rate and the time left. It is shown on a terminal only, so that pipes and logs stay clean. */
#ifndef KICKDRIFT_TOOLS_PROGRESS_H
#define KICKDRIFT_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool shown;           /* stderr is a terminal */
    bool drawn;           /* the bar is on the line now */
    uint64_t from, total; /* where the bar begins: 0, or what an earlier process had done; the caller may set it */
    double begun, last;
    const char *unit; /* unit of the rate: "evaluations/s" unless the caller sets it */
    double chunk;     /* steps until the next look at the clock */
} progress;

/* Returns the seconds of a clock that never goes back. */
double progress_now(void);

progress progress_begin(uint64_t total);

/* Returns how many steps to take before the next progress_update, at most `most`: those of about a tenth of a second, or as many of the
 * first 128 as take two seconds. */
uint64_t progress_chunk(const progress *bar, uint64_t most);

/* Updates the bar after `steps` steps that took `seconds`. `done` steps of the total are done, at `rate` evaluations per second. */
void progress_update(progress *bar, uint64_t done, uint64_t steps, double seconds, double rate);

/* Removes the bar from its line, before something else is printed or at the end. */
void progress_hide(progress *bar);

#endif
