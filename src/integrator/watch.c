/* Watched runs: a block of particles is taken through the steps one by one. After each step, the signs of the watched functions are
 * compared with those before. If one has changed, the particle's step is repeated with shorter lengths until the root is found. */
#include "run.h"

#include <math.h>
#include <string.h>

#include "../force/event.h"
#include "../particles/element.h"
#include "../program/retry.h"

enum { BLOCK = KDR_WATCH_BLOCK, COUNTS = 8 };

/* Small blocks are stepped by kdr_program_run_within. After a call that made no step, up to MOST_PAUSE watched steps follow. If more than
 * 1 / CROWDED of a small block's steps were watched, FIRST_WAIT to MOST_WAIT large blocks follow (retry.h). */
enum { MOST_PAUSE = 16, CROWDED = 8, FIRST_WAIT = 1, MOST_WAIT = 16 };

typedef struct block {
    const kdr_field_run *run;
    kdr_job job; /* job of one step */
    size_t begin, count;
    _Alignas(64) char own[KDR_RUN_LENT][BLOCK * sizeof(double)];
    _Alignas(64) char before[KDR_RUN_STATE][BLOCK * sizeof(double)];
    kdr_signs signs[KDR_MAX_WATCHES];
    bool stops; /* a watch may stop a particle */
    bool stopped[BLOCK], any_stopped;
    _Alignas(64) char counted[COUNTS][BLOCK * sizeof(double)]; /* counts before the step */
} block;

/* An array of counts. */
typedef struct count {
    char *array; /* may be NULL */
    size_t size; /* bytes per element */
} count;

static void list_counts(const kdr_job *job, kdr_real real, count list[COUNTS]) {
    const count all[COUNTS] = {{(char *)job->bounces, sizeof *job->bounces},
                               {(char *)job->nonconverged, sizeof *job->nonconverged},
                               {(char *)job->dissipated_energy[0], sizeof *job->dissipated_energy[0]},
                               {(char *)job->dissipated_energy[1], sizeof *job->dissipated_energy[1]},
                               {(char *)job->images[0], sizeof *job->images[0]},
                               {(char *)job->images[1], sizeof *job->images[1]},
                               {(char *)job->images[2], sizeof *job->images[2]},
                               {job->error, kdr_real_size(real)}};
    memcpy(list, all, sizeof all);
}

/* A search for a root in one particle's step. */
typedef struct field_search {
    const block *in;
    size_t particle;
    uint64_t n;        /* number of the step, on the run's clock */
    kdr_short_step to; /* the latest step that was tried */
} field_search;

static kdr_states states_of(const kdr_field_run *r, char *const column[KDR_RUN_STATE]) {
    kdr_states states = {.dims = r->job.dims, .real = r->setup->problem.real};
    for (int c = 0; c < 6; ++c) {
        states.column[c] = column[c];
    }
    return states;
}

/* Takes the particle from its state before the step through a fraction of it. The result is in `one`; `column` is set to where arrays of
 * all particles would begin. With `counts` it adds to the particle's counts. */
static void shorten(field_search *s, double fraction, bool counts, double one[KDR_RUN_STATE], char *column[KDR_RUN_STATE]) {
    const kdr_job *const job = &s->in->job;
    const size_t size = kdr_real_size(s->in->run->setup->problem.real), place = s->particle - s->in->begin;
    kdr_run_shorten(s->in->run, job, s->n, fraction, &s->to);
    if (counts) {
        kdr_job *const to = &s->to.run.job;
        to->bounces = job->bounces;
        to->nonconverged = job->nonconverged;
        to->error = job->error;
        memcpy(to->dissipated_energy, job->dissipated_energy, sizeof to->dissipated_energy);
        memcpy(to->images, job->images, sizeof to->images);
    }
    kdr_run_state(job, column);
    for (int c = 0; c < KDR_RUN_STATE; ++c) {
        memcpy(&one[c], s->in->before[c] + place * size, column[c] ? size : 0);
        column[c] = column[c] ? (char *)((uintptr_t)&one[c] - s->particle * size) : NULL;
    }
    kdr_run_set_state(&s->to.run.job, column);
    kdr_program_run(&s->to.run.job, s->particle, s->particle + 1);
}

static kdr_status state_after(void *context, double fraction, kdr_watched_state *at) {
    field_search *const s = context;
    double one[KDR_RUN_STATE];
    char *column[KDR_RUN_STATE];
    shorten(s, fraction, false, one, column);
    const kdr_states states = states_of(s->in->run, column);
    *at = kdr_watched_state_at(&states, s->particle);
    return KDR_OK;
}

/* Ends the particle's step after `length` of it, restores its counts accordingly, and makes it inactive. */
static void stop(block *in, field_search *s, double length) {
    const kdr_field_run *const r = in->run;
    const size_t i = s->particle - in->begin, size = kdr_real_size(r->setup->problem.real);
    count counts[COUNTS];
    list_counts(&in->job, r->setup->problem.real, counts);
    for (int c = 0; c < COUNTS && length < 1.0; ++c) {
        if (counts[c].array) {
            memcpy(counts[c].array + s->particle * counts[c].size, in->counted[c] + i * counts[c].size, counts[c].size);
        }
    }
    if (length < 1.0) {
        double one[KDR_RUN_STATE];
        char *column[KDR_RUN_STATE], *to[KDR_RUN_STATE];
        shorten(s, length, true, one, column);
        kdr_run_state(&in->job, to);
        for (int c = 0; c < KDR_RUN_STATE; ++c) {
            if (to[c]) {
                memcpy(to[c] + s->particle * size, &one[c], size);
            }
        }
    }
    const kdr_particles *const view = r->particles;
    view->events->active[kdr_offset(&view->active_layout, 1, in->job.index ? in->job.index[s->particle] : s->particle)] = 0;
    in->stopped[i] = in->any_stopped = true;
}

/* Not inlined, so that blocks without a change of sign do not need its stack. */
static __attribute__((noinline)) void look_closer(block *in, size_t i, uint64_t n) {
    const kdr_field_run *const r = in->run;
    const kdr_problem *const problem = &r->setup->problem;
    field_search s;
    s.in = in;
    s.particle = in->begin + i;
    s.n = n;
    if (in->job.inverse_mass && kdr_element(in->job.inverse_mass, problem->real, s.particle) == 0.0) {
        return;
    }
    char *now[KDR_RUN_STATE], *then[KDR_RUN_STATE];
    kdr_run_state(&in->job, now);
    for (int c = 0; c < KDR_RUN_STATE; ++c) {
        then[c] = now[c] ? (char *)(uintptr_t)in->before[c] : NULL;
    }
    const kdr_states end = states_of(r, now), begin = states_of(r, then);
    kdr_watched_step step = {
        .watches = problem->watches,
        .watch_count = problem->watch_count,
        .dims = in->job.dims,
        .real = problem->real,
        .clock = r->clock,
        .n = n,
        .begin = kdr_watched_state_at(&begin, i),
        .end = kdr_watched_state_at(&end, s.particle),
        .after = state_after,
        .context = &s,
        .event = {.step = n >> r->level, .particle = in->job.index ? in->job.index[s.particle] : s.particle},
        .events = r->events,
        .length = 1.0,
    };
    (void)kdr_watch_step(&step);
    if (step.stopped) {
        stop(in, &s, step.length);
    }
}

static void keep_state(block *b) {
    const size_t size = kdr_real_size(b->run->setup->problem.real);
    char *column[KDR_RUN_STATE];
    kdr_run_state(&b->job, column);
    for (int c = 0; c < KDR_RUN_STATE; ++c) {
        if (column[c]) {
            memcpy(b->before[c], column[c] + b->begin * size, b->count * size);
        }
    }
}

/* Computes the signs at the beginning of step n of the run's clock, which replace the previous ones. `changed` marks particles with a
 * change. */
static bool take_signs(block *b, uint64_t n, bool changed[BLOCK]) {
    const kdr_problem *const problem = &b->run->setup->problem;
    char *column[KDR_RUN_STATE];
    kdr_run_state(&b->job, column);
    const kdr_states states = states_of(b->run, column);
    return kdr_watch_signs(problem->watches, problem->watch_count, &states, b->begin, b->count, kdr_clock_time(b->run->clock, n, 0.0),
                           b->signs, changed);
}

/* Searches the roots of step n for all particles with a change of sign. */
static void look(block *b, uint64_t n) {
    bool changed[BLOCK];
    const size_t some = take_signs(b, n + 1, changed) ? b->count : 0;
    for (size_t i = 0; i < some; ++i) {
        if (changed[i] && !b->stopped[i]) {
            look_closer(b, i, n);
        }
    }
}

static void keep_counts(block *b) {
    count counts[COUNTS];
    list_counts(&b->job, b->run->setup->problem.real, counts);
    for (int c = 0; c < COUNTS; ++c) {
        if (counts[c].array) {
            memcpy(b->counted[c], counts[c].array + b->begin * counts[c].size, b->count * counts[c].size);
        }
    }
}

/* Makes a step of the particles that were not stopped. */
static void step_on(block *b) {
    if (!b->stops) {
        kdr_program_run(&b->job, b->begin, b->begin + b->count);
        return;
    }
    keep_counts(b);
    for (size_t i = 0, end; i < b->count; i = end + 1) {
        for (end = i; end < b->count && !b->stopped[end]; ++end) {
        }
        if (i < end) {
            kdr_program_run(&b->job, b->begin + i, b->begin + end);
        }
    }
}

/* Takes the block through steps after the first `done` by kdr_program_run_within, as long as no sign changes. Returns how many. */
static uint64_t step_freely(block *b, const kdr_job *whole, uint64_t done) {
    const kdr_problem *const problem = &b->run->setup->problem;
    kdr_limits limits;
    char *column[KDR_RUN_STATE];
    kdr_run_state(&b->job, column);
    const kdr_states states = states_of(b->run, column);
    for (size_t n = 0; n < b->count; ++n) {
        double low[3] = {-(double)INFINITY, -(double)INFINITY, -(double)INFINITY};
        double high[3] = {(double)INFINITY, (double)INFINITY, (double)INFINITY};
        kdr_watch_limit(problem->watches, problem->watch_count, &states, b->begin + n, low, high);
        for (int axis = 0; axis < 3; ++axis) {
            limits.low[axis][n] = low[axis];
            limits.high[axis][n] = high[axis];
        }
    }
    kdr_run_piece(b->run, whole, done, whole->steps - done, NULL, NULL, &b->job);
    return kdr_program_run_within(&b->job, &limits, b->begin, b->begin + b->count);
}

/* Returns the number of steps that were watched one by one. With `free` others are made by step_freely. */
static __attribute__((noinline)) uint64_t run_watched_block(const kdr_field_run *r, const kdr_job *whole, size_t begin, size_t end,
                                                            bool free) {
    double table[KDR_RUN_TABLE * KDR_BASE], start[KDR_BASE];
    block b;
    b.run = r;
    b.job = *whole;
    b.begin = begin;
    b.count = end - begin;
    kdr_run_lend(r, &b.job, b.own[0], sizeof b.own[0], begin);
    bool changed[BLOCK];
    memset(b.signs, 0, sizeof b.signs);
    b.stops = kdr_problem_does(&r->setup->problem, r->particles, KDR_ACTION_STOP_PARTICLE);
    memset(b.stopped, 0, sizeof b.stopped);
    b.any_stopped = false;
    (void)take_signs(&b, r->clock->step, changed);
    kdr_retry retry = {.first = 1, .most = MOST_PAUSE, .left = 1}; /* memory begins in the first step */
    uint64_t watched = 0;
    for (uint64_t done = 0; done < whole->steps;) {
        if (free && !b.any_stopped && kdr_retry_is_due(&retry)) {
            const uint64_t freely = step_freely(&b, whole, done);
            kdr_retry_note(&retry, freely == 0);
            done += freely;
        }
        if (done < whole->steps) {
            kdr_run_piece(r, whole, done, 1, table, start, &b.job);
            keep_state(&b);
            step_on(&b);
            look(&b, r->clock->step + done);
            ++done;
            ++watched;
        }
    }
    return watched;
}

void kdr_watch_run(const kdr_field_run *run, const kdr_job *job, size_t begin, size_t end) {
    const kdr_problem *const problem = &run->setup->problem;
    const size_t chunk = kdr_watches_have_limits(problem->watches, problem->watch_count) ? kdr_program_within(job) : 0;
    kdr_retry retry = {.first = FIRST_WAIT, .most = MOST_WAIT};
    size_t some = 0;
    for (size_t at = begin; at < end; at += some) {
        const bool free = chunk > 0 && kdr_retry_is_due(&retry);
        some = free ? chunk : BLOCK;
        some = some < end - at ? some : end - at;
        const uint64_t watched = run_watched_block(run, job, at, at + some, free);
        if (free) {
            kdr_retry_note(&retry, watched > job->steps / CROWDED);
        }
    }
}
