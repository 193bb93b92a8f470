/* Watched runs: after each step the signs of the watched functions are compared with those before. If one has changed, shortened copies
 * of the step are made with all particles until the root is found, because the watched particle interacts with the others. */
#include <string.h>

#include "../particles/element.h"
#include "../particles/executor.h"
#include "run.h"

enum { BLOCK = KDR_WATCH_BLOCK };

static kdr_states states_of(const kdr_system_run_state *r, kdr_kept_state kept) {
    kdr_states states = {.dims = kdr_run_dims(r), .real = r->particles->real};
    for (int c = 0; c < 6; ++c) {
        states.column[c] = c % 3 < states.dims ? kept[c / 3][c % 3] : NULL;
    }
    return states;
}

/* Saves the present state, between two steps. */
static void keep(kdr_system_run_state *r, kdr_kept_state to) {
    const kdr_swept arrays = kdr_run_arrays(r, &r->state);
    kdr_sweep_take(&arrays, to[0], to[1]);
    if (r->keeps) {
        kdr_sweep_copies(&arrays, to[2], r->work.a[r->whole]);
    }
    for (int k = 0; k < 2 && r->work.lost; ++k) {
        kdr_sweep_copies(&arrays, to[3 + k], r->work.c[k]);
    }
}

/* Data for computing the signs at time t in parallel. */
typedef struct signing {
    kdr_system_run_state *run;
    kdr_states states;
    double t;
} signing;

static void sign_range(void *argument, size_t first, size_t last) {
    const signing *const s = argument;
    const kdr_problem *const problem = &s->run->system->problem;
    const size_t all = s->run->particles->count;
    for (size_t n = first; n < last; ++n) {
        const size_t begin = n * BLOCK, count = all - begin < BLOCK ? all - begin : BLOCK;
        (void)kdr_watch_signs(problem->watches, problem->watch_count, &s->states, begin, count, s->t,
                              s->run->work.signs + n * problem->watch_count, s->run->work.changed + begin);
    }
}

static void sign(kdr_system_run_state *r, uint64_t n) {
    signing s = {r, states_of(r, r->work.ends[r->end]), kdr_clock_time(r->clock, n, 0.0)};
    kdr_parallel_for(&r->system->desc.executor, (r->particles->count + BLOCK - 1) / BLOCK, sign_range, &s);
}

void kdr_run_watch_begin(kdr_system_run_state *r) {
    const size_t blocks = (r->particles->count + BLOCK - 1) / BLOCK;
    r->end = 0;
    keep(r, r->work.ends[0]);
    memset(r->work.signs, 0, blocks * r->system->problem.watch_count * sizeof *r->work.signs);
    sign(r, r->clock->step);
}

/* A search for a root in one particle's step. */
typedef struct system_search {
    kdr_system_run_state *run;
    size_t particle;
    uint64_t n;
} system_search;

/* Returns all particles at the beginning of the step, with copies of x and v. The view records no events and contacts. It counts in
 * copies if a watch may stop a particle, and else not at all. */
static kdr_particles view_again(kdr_system_run_state *r) {
    kdr_particles view = *r->particles;
    const kdr_swept arrays = kdr_run_arrays(r, r->particles);
    void **const to[KDR_KEPT_ARRAYS] = {view.x, view.v, view.memory, view.compensation, view.compensation + 3};
    view.storage = NULL;
    view.events = NULL;
    view.contacts = NULL;
    view.bounces = view.nonconverged = NULL;
    view.error = NULL;
    memset(view.dissipated_energy, 0, sizeof view.dissipated_energy);
    memset(view.images, 0, sizeof view.images);
    view.x_layout = view.v_layout = view.memory_layout = view.compensation_layout = (kdr_layout){0, 0, 0, 0};
    for (int k = 0; k < KDR_KEPT_ARRAYS; ++k) {
        void *const *const begin = r->work.ends[1 - r->end][k];
        memcpy(to[k], k < 2 ? r->work.again[k] : begin, sizeof r->work.again[k]);
        if (k < 2) {
            kdr_sweep_copies(&arrays, r->work.again[k], begin);
        }
    }
    if (r->work.counted) {
        memcpy(r->work.counted, r->work.counts, view.count * KDR_COUNTS_SIZE);
        kdr_see_counts(r->particles, r->work.counted, &view);
    }
    return view;
}

static kdr_status state_after(void *context, double fraction, kdr_watched_state *at) {
    system_search *const s = context;
    kdr_system_run_state *const r = s->run;
    const kdr_problem *const problem = &r->system->problem;
    const kdr_clock clock = {kdr_clock_time(r->clock, s->n, 0.0), fraction * r->clock->dt, 0};
    const bool resumes = !kdr_problem_remembers_step(problem); /* memory that depends on the step's length does not fit a shortened step */
    kdr_particles view = view_again(r);
    const kdr_status status = kdr_run_apart(r->system, &view, &clock, r->whole_dt, s->n, resumes, &r->work.workspace, r->error);
    const kdr_states states = states_of(r, r->work.again);
    *at = kdr_watched_state_at(&states, s->particle);
    kdr_carry_counts(&view, s->particle, at->counted, false);
    return status;
}

static void put_state(const kdr_particles *to, size_t i, const kdr_watched_state *state) {
    const size_t size = kdr_real_size(to->real);
    for (int axis = 0; axis < to->dims; ++axis) {
        kdr_set_element((char *)to->x[axis] + kdr_offset(&to->x_layout, size, i), to->real, 0, state->x[axis]);
        kdr_set_element((char *)to->v[axis] + kdr_offset(&to->v_layout, size, i), to->real, 0, state->v[axis]);
    }
}

static void mark(const kdr_system_run_state *r, uint8_t active) {
    const kdr_particles *const p = r->particles;
    for (size_t i = 0; i < p->count; ++i) {
        if (r->work.changed[i]) {
            p->events->active[kdr_offset(&p->active_layout, 1, i)] = active;
        }
    }
}

/* Gives stopped particles the acceleration at the end of the step as memory, and no compensation. */
static void carry_no_further(const kdr_system_run_state *r, int whole) {
    const kdr_particles *const p = r->particles;
    const size_t size = kdr_real_size(p->real);
    const bool carries = kdr_problem_carries(&r->system->problem, p);
    for (size_t i = 0; i < p->count; ++i) {
        for (int axis = 0; axis < p->dims && r->work.changed[i]; ++axis) {
            if (r->carries) {
                memcpy((char *)p->memory[axis] + kdr_offset(&p->memory_layout, size, i), (const char *)r->work.a[whole][axis] + i * size,
                       size);
            }
            for (int k = 0; k < 2 && r->work.lost && carries; ++k) {
                memset((char *)p->compensation[3 * k + axis] + kdr_offset(&p->compensation_layout, size, i), 0, size);
            }
        }
    }
}

/* Stops the marked particles. The others' accelerations are evaluated anew, with the stopped ones where they are. */
static kdr_status stop(kdr_system_run_state *r) {
    mark(r, 0);
    kdr_run_see_who_is_inside(r);
    const int whole = r->whole;
    if (r->keeps) {
        const int fresh = 1 - whole;
        const double t = kdr_clock_time(r->clock, r->clock->step + r->done, 1.0);
        const kdr_status status = kdr_run_evaluate(r, &r->state, t, r->work.a[fresh], NULL);
        if (status != KDR_OK) {
            mark(r, 1);
            return status;
        }
        r->newest = r->whole = fresh;
        kdr_sweeper_put(&r->sweeper, r->a, r->work.a[fresh]);
    }
    carry_no_further(r, whole);
    keep(r, r->work.ends[r->end]);
    return KDR_OK;
}

/* Undoes a whole step after a user's function has failed in the watch. There were `seen` events before it. */
static void take_back(kdr_system_run_state *r, size_t seen) {
    const kdr_swept arrays = kdr_run_arrays(r, &r->state);
    void *(*const begin)[3] = r->work.ends[1 - r->end];
    kdr_sweep_give(&arrays, begin[0], begin[1]);
    if (r->keeps) {
        kdr_sweep_copies(&arrays, r->work.a[r->whole], begin[2]);
    }
    for (int k = 0; k < 2 && r->work.lost; ++k) {
        kdr_sweep_copies(&arrays, r->work.c[k], begin[3 + k]);
    }
    kdr_recorder_forget(r->events, seen, kdr_run_step(r));
    kdr_run_see_who_is_inside(r);
    r->back = HERE;
}

kdr_status kdr_run_watch(kdr_system_run_state *r) {
    const kdr_problem *const problem = &r->system->problem;
    system_search s = {r, 0, r->clock->step + r->done};
    const size_t seen = *r->events->count;
    kdr_status status = KDR_OK;
    bool any = false;
    r->end = 1 - r->end;
    keep(r, r->work.ends[r->end]);
    sign(r, s.n + 1);
    const kdr_states end = states_of(r, r->work.ends[r->end]), begin = states_of(r, r->work.ends[1 - r->end]);
    for (; s.particle < r->particles->count && status == KDR_OK; ++s.particle) {
        const bool changed = r->work.changed[s.particle] && kdr_is_moved(r->particles, s.particle);
        r->work.changed[s.particle] = false; /* now marks particles that are stopped */
        if (!changed) {
            continue;
        }
        kdr_watched_step step = {
            .watches = problem->watches,
            .watch_count = problem->watch_count,
            .dims = kdr_run_dims(r),
            .real = problem->real,
            .clock = r->clock,
            .n = s.n,
            .begin = kdr_watched_state_at(&begin, s.particle),
            .end = kdr_watched_state_at(&end, s.particle),
            .after = state_after,
            .context = &s,
            .event = {.step = s.n, .particle = s.particle},
            .events = r->events,
            .length = 1.0,
        };
        status = kdr_watch_step(&step);
        if (status == KDR_OK && step.stopped) {
            put_state(&r->state, s.particle, &step.end);
            r->work.changed[s.particle] = any = true;
            if (step.length < 1.0) {
                kdr_carry_counts(r->particles, s.particle, step.end.counted, true);
            }
        }
    }
    if (any && status == KDR_OK) {
        status = stop(r);
    }
    if (status != KDR_OK) {
        take_back(r, seen);
    } else if (r->events->stopped) {
        r->ended = kdr_recorder_stopped(s.n + 1, r->error);
    }
    return status;
}
