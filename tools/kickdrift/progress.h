/* A progress bar on stderr, with the rate and the time left: on a terminal only, so that pipes and logs stay clean. */
#ifndef KICKDRIFT_TOOLS_PROGRESS_H
#define KICKDRIFT_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool shown;           /* stderr is a terminal */
    bool drawn;           /* a bar stands on the line */
    uint64_t from, total; /* from: 0 unless the caller sets it, to what was done before */
    double begun, last;
    const char *unit; /* of the rate: "evaluations/s" unless the caller sets it */
    double chunk;     /* steps until the next look at the clock */
} progress;

/* Seconds of a clock that never goes back. */
double progress_now(void);

progress progress_begin(uint64_t total);

/* Steps to take before the next progress_update: as many as last about a tenth of a second, `most` at most. */
uint64_t progress_chunk(const progress *bar, uint64_t most);

/* After `steps` more steps that took `seconds`; `done` of the total are done, at `rate` evaluations a second. */
void progress_update(progress *bar, uint64_t done, uint64_t steps, double seconds, double rate);

/* Takes the bar off its line, before something else is printed or at the end. */
void progress_hide(progress *bar);

#endif
