/* The progress bar. */
#include "progress.h"
#include "host.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

/* A call of the library reads and writes all particles once, however many steps it makes, so that a call of few steps of many particles
 * spends its time on memory. A call therefore takes PATIENCE seconds if that is fewer than MANY_STEPS, and GLANCE seconds otherwise. */
static const double GLANCE = 0.1, PATIENCE = 2, MANY_STEPS = 128;

double progress_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

progress progress_begin(uint64_t total) {
    const double now = progress_now();
    return (progress){.shown = host_is_terminal(stderr), .total = total, .begun = now, .last = now, .unit = "evaluations/s", .chunk = 1};
}

uint64_t progress_chunk(const progress *bar, uint64_t most) { return bar->chunk < (double)most ? (uint64_t)bar->chunk : most; }

static void draw(progress *bar, uint64_t done, double rate, double now) {
    enum { WIDTH = 30 };
    const double part = (double)done / (double)bar->total;
    const double left = (now - bar->begun) * (double)(bar->total - done) / (double)(done - bar->from);
    char cells[WIDTH + 1];
    for (int i = 0; i < WIDTH; ++i) {
        cells[i] = i < (int)(part * WIDTH) ? '#' : '.';
    }
    cells[WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %3.0f %%  %.3g %s  %.0f s left \033[K", cells, 100 * part, rate, bar->unit, left);
    fflush(stderr);
    bar->drawn = true;
    bar->last = now;
}

void progress_update(progress *bar, uint64_t done, uint64_t steps, double seconds, double rate) {
    if (steps == 0) {
        return;
    }
    /* The chunk grows at most eightfold, because the first one, a single step, is too short to measure. */
    const double rate_of_steps = seconds > 0 ? (double)steps / seconds : INFINITY, in_patience = PATIENCE * rate_of_steps;
    const double many = in_patience < MANY_STEPS ? in_patience : MANY_STEPS, wanted = fmax(fmax(GLANCE * rate_of_steps, many), 1);
    bar->chunk = fmin(wanted, 8 * bar->chunk);
    const double now = progress_now();
    if (bar->shown && now - bar->last >= 0.1) {
        draw(bar, done, rate, now);
    }
}

void progress_hide(progress *bar) {
    if (!bar->drawn) {
        return;
    }
    fputs("\r\033[K", stderr);
    fflush(stderr);
    bar->drawn = false;
}
