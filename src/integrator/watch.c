/* Watched runs: a block of particles is taken through the steps one by one, and after each the signs of what is watched are compared with
 * those before it. Where one has changed, the particle's step is taken again, shortened, until the root is found. */
#include "run.h"

#include <string.h>

#include "../force/watch.h"
#include "../particles/element.h"

/* Particles of a block: it and what it was before the step stay in the caches. */
enum { BLOCK = 128 };

/* What is known of a sign. */
enum { BELOW, ABOVE, NEITHER };

typedef struct block {
    const kdr_run *run;
    kdr_job job; /* of one step */
    size_t begin, count;
    _Alignas(64) char own[KDR_RUN_LENT][BLOCK * sizeof(double)];
    _Alignas(64) char before[KDR_RUN_STATE][BLOCK * sizeof(double)];
    uint8_t side[KDR_MAX_WATCHES][BLOCK];
} block;

/* A state of one particle, widened. */
typedef struct state {
    double x[3], v[3];
} state;

/* One particle's change of sign, in step n of the run's clock. */
typedef struct search {
    const block *in;
    const kdr_watch *watch;
    size_t particle;
    uint64_t n;
    bool resumes;      /* what the particle remembered is there */
    double end;        /* the later end of the bracket, as a fraction of the step, */
    state at;          /* and the state there */
    kdr_short_step to; /* the last step that was tried */
} search;

static state state_of(char *const column[KDR_RUN_STATE], kdr_real real, size_t i) {
    state s = {{0}, {0}};
    for (int axis = 0; axis < 3; ++axis) {
        s.x[axis] = column[axis] ? kdr_element(column[axis], real, i) : 0.0;
        s.v[axis] = column[axis] ? kdr_element(column[3 + axis], real, i) : 0.0;
    }
    return s;
}

/* The state after a fraction of the step. */
static state state_after(search *s, double fraction) {
    const kdr_job *const job = &s->in->job;
    const size_t size = kdr_real_size(s->in->run->setup->problem.real), at = s->particle - s->in->begin;
    double one[KDR_RUN_STATE];
    char *column[KDR_RUN_STATE];
    kdr_run_shorten(s->in->run, job, s->n, fraction, &s->to);
    s->to.run.job.resume = s->resumes && s->to.run.job.resume;
    kdr_run_state(job, column);
    for (int c = 0; c < KDR_RUN_STATE; ++c) {
        memcpy(&one[c], s->in->before[c] + at * size, column[c] ? size : 0);
        column[c] = column[c] ? (char *)((uintptr_t)&one[c] - s->particle * size) : NULL;
    }
    kdr_run_set_state(&s->to.run.job, column);
    kdr_program_run(&s->to.run.job, s->particle, s->particle + 1);
    return state_of(column, s->in->run->setup->problem.real, s->particle);
}

static double value_of(const search *s, const state *at, double fraction) {
    const double *const x[] = {at->x, at->x + 1, at->x + 2}, *const v[] = {at->v, at->v + 1, at->v + 2};
    double value;
    kdr_watch_values(s->watch, s->in->job.dims, 1, x, v, kdr_clock_time(s->in->run->clock, s->n, fraction), &value);
    return value;
}

/* Interpolate, truncate, project (Oliveira and Takahashi, ACM TOMS 47 (2021) 5, with kappa_1 = 0.05, kappa_2 = 2, n_0 = 1): the secant's
 * root, moved towards the middle by `delta`, and no farther from it than keeps the number of trials within that of halving and one more.
 * Here delta is at least a quarter of the precision, lest a bracket shrink from one side alone. */
static double next_trial(double a, double b, double before, double after, double reach, double precision) {
    const double width = b - a, middle = 0.5 * (a + b), delta = 0.05 * width * width + 0.25 * precision, room = reach - 0.5 * width;
    const double secant = a + width * (before / (before - after)), way = middle < secant ? -1.0 : 1.0;
    const double moved = delta <= way * (middle - secant) ? secant + way * delta : middle;
    const double kept = way * (middle - moved) <= room ? moved : middle - way * room;
    return a < kept && kept < b ? kept : middle;
}

/* Narrows [0, 1], at whose ends g is `before` and `after`, to where its sign changes. */
static void find_root(search *s, double before, double after) {
    const double precision = s->in->run->setup->problem.real == KDR_F32 ? 0x1p-24 : 0x1p-50;
    double begin = 0.0, reach = 1.0;
    const bool is_up = after >= 0.0;
    while (s->end - begin > precision) {
        const double trial = next_trial(begin, s->end, before, after, reach, precision);
        const state at = state_after(s, trial);
        const double value = value_of(s, &at, trial);
        if ((value >= 0.0) == is_up) {
            s->end = trial;
            s->at = at;
            after = value;
        } else {
            begin = trial;
            before = value;
        }
        reach *= 0.5;
    }
}

/* Not inlined: blocks in which nothing happens do without its stack. */
static __attribute__((noinline)) void look_closer(const block *in, size_t i, uint64_t n, bool resumes, size_t watch) {
    const kdr_run *const r = in->run;
    const kdr_real real = r->setup->problem.real;
    search s;
    s.in = in;
    s.watch = &r->setup->problem.watches[watch];
    s.particle = in->begin + i;
    s.n = n;
    s.resumes = resumes;
    s.end = 1.0;
    char *now[KDR_RUN_STATE], *then[KDR_RUN_STATE];
    kdr_run_state(&in->job, now);
    for (int c = 0; c < KDR_RUN_STATE; ++c) {
        then[c] = now[c] ? (char *)(uintptr_t)in->before[c] : NULL;
    }
    s.at = state_of(now, real, s.particle);
    const state begin = state_of(then, real, i);
    const double before = value_of(&s, &begin, 0.0), after = value_of(&s, &s.at, 1.0);
    const int direction = kdr_watch_crossing(s.watch, before, after);
    if (direction == 0 || (in->job.inverse_mass && kdr_element(in->job.inverse_mass, real, s.particle) == 0.0)) {
        return;
    }
    find_root(&s, before, after);
    kdr_event event = {.step = n >> r->level,
                       .particle = in->job.index ? in->job.index[s.particle] : s.particle,
                       .watch = watch,
                       .direction = direction,
                       .time = kdr_clock_time(r->clock, n, s.end)};
    memcpy(event.x, s.at.x, sizeof event.x);
    memcpy(event.v, s.at.v, sizeof event.v);
    kdr_recorder_event(r->events, &event);
}

/* The states of all particles of a block, widened; 0 on axes that they do not have. */
typedef struct states {
    double x[3][BLOCK], v[3][BLOCK];
} states;

static void widen(const block *b, states *to) {
    const kdr_real real = b->run->setup->problem.real;
    char *column[KDR_RUN_STATE];
    kdr_run_state(&b->job, column);
    for (int c = 0; c < 6; ++c) {
        double *const row = c < 3 ? to->x[c] : to->v[c - 3];
        const char *const from = column[c] ? column[c] + b->begin * kdr_real_size(real) : NULL;
        for (size_t k = 0; k < b->count && from && real == KDR_F32; ++k) {
            float narrow;
            memcpy(&narrow, from + k * sizeof narrow, sizeof narrow);
            row[k] = (double)narrow;
        }
        if (!from) {
            memset(row, 0, b->count * sizeof *row);
        } else if (real == KDR_F64) {
            memcpy(row, from, b->count * sizeof *row);
        }
    }
}

/* The signs of one watch in these states, at the beginning of step n. */
static void take_sides(const block *b, const states *at, const kdr_watch *watch, uint64_t n, uint8_t side[BLOCK]) {
    const double *const x[] = {at->x[0], at->x[1], at->x[2]}, *const v[] = {at->v[0], at->v[1], at->v[2]};
    double value[BLOCK];
    kdr_watch_values(watch, b->job.dims, b->count, x, v, kdr_clock_time(b->run->clock, n, 0.0), value);
    for (size_t i = 0; i < b->count; ++i) {
        side[i] = (uint8_t)(ABOVE * (value[i] >= 0.0) + NEITHER * (value[i] != value[i]));
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

/* What has changed its side in step n. */
static void look(block *b, uint64_t n) {
    const kdr_problem *const problem = &b->run->setup->problem;
    states at;
    widen(b, &at);
    for (size_t w = 0; w < problem->watch_count; ++w) {
        uint8_t side[BLOCK];
        take_sides(b, &at, &problem->watches[w], n + 1, side);
        const size_t changed = memcmp(side, b->side[w], b->count) != 0 ? b->count : 0;
        for (size_t i = 0; i < changed; ++i) {
            if (side[i] + b->side[w][i] == BELOW + ABOVE) {
                look_closer(b, i, n, b->job.resume, w);
            }
        }
        memcpy(b->side[w], side, b->count);
    }
}

static void begin_sides(block *b, uint64_t n) {
    states at;
    widen(b, &at);
    for (size_t w = 0; w < b->run->setup->problem.watch_count; ++w) {
        take_sides(b, &at, &b->run->setup->problem.watches[w], n, b->side[w]);
    }
}

static __attribute__((noinline)) void run_watched_block(const kdr_run *r, const kdr_job *whole, size_t begin, size_t end) {
    double table[KDR_RUN_TABLE * KDR_BASE], start[KDR_BASE];
    block b;
    b.run = r;
    b.job = *whole;
    b.begin = begin;
    b.count = end - begin;
    kdr_run_lend(r, &b.job, b.own[0], sizeof b.own[0], begin);
    begin_sides(&b, r->clock->step);
    for (uint64_t done = 0; done < whole->steps; ++done) {
        kdr_run_piece(r, whole, done, 1, table, start, &b.job);
        keep_state(&b);
        kdr_program_run(&b.job, begin, end);
        look(&b, r->clock->step + done);
    }
}

void kdr_watch_run(const kdr_run *run, const kdr_job *job, size_t begin, size_t end) {
    for (size_t at = begin; at < end; at += BLOCK) {
        run_watched_block(run, job, at, end - at < BLOCK ? end : at + BLOCK);
    }
}
