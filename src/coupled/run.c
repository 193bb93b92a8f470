/* Running a description: the method's row as passes over all particles, an evaluation of the accelerations between each two.
 *
 * A splitting method works on the particles' own arrays. Kicks and drifts between two evaluations are one pass, across the end of a step too:
 * velocity Verlet's two kicks and drift read x, v and a once and write x and v once. Such a pass keeps what undoes its second part (see
 * kernel/passes.inl), for the run that must go back to the last whole step because the next evaluation fails.
 * With block time steps each kick is that of a level or more, and the drift a sweep of its own.
 * Stages of other methods lie in the workspace, and the particles are not touched before the last one is there. */
#include <string.h>

#include "../particles/error.h"
#include "coupled.h"
#include "levels.h"
#include "sweep.h"

typedef struct run {
    const kdr_coupled *coupled;
    kdr_particles *particles;
    kdr_particles state; /* where x and v are: the particles' own arrays, or plain copies */
    const kdr_clock *clock;
    kdr_work work;
    kdr_job job; /* of the field */
    uint64_t steps, done;
    double fraction[KDR_MAX_FRACTIONS]; /* of a step, when each of its evaluations is */
    int evaluations;
    kdr_error *error;
    /* Of splitting methods: */
    kdr_pass pending; /* kicks and drifts that have not been made yet; part 1 begins with the end of a step */
    bool ends;        /* ... and there is one */
    bool undoes;      /* the particles are past the end of the last step, and `last` says how to go back there */
    kdr_move last;
    bool resumed, begun; /* an acceleration is kept: it was the particles' at the start; work.a[newest] holds it now */
    int newest;
    bool carries;
    kdr_levels levels;               /* without marks: all particles take the clock's steps */
    double numbers[KDR_MAX_NUMBERS]; /* of the field's program, in the particles' precision */
} run;

static int dims_of(const run *r) { return r->particles->dims; }

static kdr_sweeper sweeper_of(const run *r, const kdr_particles *particles) {
    return kdr_sweeper_make(r->coupled->backend, r->coupled->passes, &r->coupled->desc.executor, particles);
}

/* The particles with x and v elsewhere, in plain arrays. */
static kdr_particles elsewhere(const run *r, void *const x[3], void *const v[3]) {
    kdr_particles seen = r->state;
    seen.x_layout = seen.v_layout = (kdr_layout){0, 0, 0, 0};
    for (int i = 0; i < dims_of(r); ++i) {
        seen.x[i] = x[i];
        seen.v[i] = v[i];
    }
    return seen;
}

/* a = the accelerations of all particles, at the x and v that are seen; with levels, of those that are marked. */
static kdr_status evaluate(run *r, const kdr_particles *seen, double t, void *const a[3]) {
    const kdr_coupled *const c = r->coupled;
    const kdr_sweeper sweeper = sweeper_of(r, seen);
    if (c->desc.accelerations) {
        const kdr_status status = c->desc.accelerations(c->desc.context, seen, t, a);
        KDR_CHECK(status == KDR_OK, r->error, status, "accelerations: the function returned %d (%s) in step %llu, at time %g", (int)status,
                  kdr_status_string(status), (unsigned long long)(r->clock->step + r->done), t);
    }
    if (c->desc.force_count > 0) {
        double base[KDR_BASE] = {0, 0, 0, t};
        kdr_field_base(&c->problem.field, r->job.terms, t, base);
        const float narrow[KDR_BASE] = {(float)base[0], (float)base[1], (float)base[2], (float)base[3]};
        r->job.base = c->problem.real == KDR_F32 ? (const void *)narrow : base;
        kdr_field_pass pass = {.job = &r->job, .adds = c->desc.accelerations != NULL};
        memcpy(pass.a, a, (size_t)dims_of(r) * sizeof pass.a[0]);
        kdr_sweep_field(&sweeper, &pass);
    } else if (!c->desc.accelerations) {
        kdr_sweep_zeros(&sweeper, a);
    }
    const bool some = kdr_levels_are_some(&r->levels, seen);
    const kdr_evaluation evaluation = {.particles = seen,
                                       .t = t,
                                       .a = a,
                                       .chosen = some ? r->levels.order : NULL,
                                       .chosen_count = some ? r->levels.marked : 0,
                                       .executor = &c->desc.executor,
                                       .scratch = r->work.scratch};
    for (size_t n = 0; n < c->term_count; ++n) {
        const kdr_status status = c->terms[n].add ? c->terms[n].add(c->terms[n].data, &evaluation, r->error) : KDR_OK;
        if (status != KDR_OK) {
            return status;
        }
    }
    return KDR_OK;
}

/* Where terms correct the end of a step: its beginning, for them and for going back to it. */
static void remember(run *r) {
    if (r->coupled->corrects) {
        const kdr_sweeper sweeper = sweeper_of(r, &r->state);
        kdr_sweep_take(&sweeper, r->work.before_x, r->work.before_v);
        r->undoes = true;
    }
}

/* A step is whole: corrects its end. */
static kdr_status correct(run *r, bool *moved) {
    const kdr_coupled *const c = r->coupled;
    const kdr_particles before = elsewhere(r, r->work.before_x, r->work.before_v);
    *moved = false;
    for (size_t n = 0; n < c->term_count; ++n) {
        bool one = false;
        const kdr_status status = c->terms[n].after ? c->terms[n].after(c->terms[n].data, &before, &r->state, r->clock->dt,
                                                                        &c->desc.executor, r->work.scratch, &one, r->error)
                                                    : KDR_OK;
        if (status != KDR_OK) {
            return status;
        }
        *moved = *moved || one;
    }
    return KDR_OK;
}

/* Takes the particles back to the end of the last whole step. */
static void go_back(run *r) {
    const kdr_sweeper sweeper = sweeper_of(r, &r->state);
    if (r->undoes && r->coupled->corrects) {
        kdr_sweep_give(&sweeper, r->work.before_x, r->work.before_v);
    } else if (r->undoes) {
        kdr_sweep_undo(&sweeper, &r->last);
    }
    r->undoes = false;
}

/* Splitting methods. */

static bool is_empty(const kdr_pass *p, int part) { return !p->kicks[part] && p->drifts[part] == 0; }

/* Makes the pending kicks and drifts. `ahead`: of a method that predicts, the kick whose force comes next. An end of a step after which
 * nothing is pending stays pending itself. */
static void flush_moves(run *r, const double *ahead) {
    kdr_pass *const p = &r->pending;
    const bool crosses = r->ends && !is_empty(p, 1), more = !is_empty(p, 0) || crosses;
    if (more) {
        if (r->ends && r->coupled->fails && !r->coupled->corrects) {
            r->undoes = crosses;
            p->keep = !crosses ? KDR_KEEP_NOTHING : r->evaluations == 1 && p->drifts[1] <= 1 && !ahead ? KDR_KEEP_EXCEPTIONS : KDR_KEEP_ALL;
        }
        kdr_move move = {.what = *p};
        move.what.ahead = ahead ? *ahead : 0.0;
        memcpy(move.a, r->work.a[r->newest], sizeof move.a);
        memcpy(move.kept, r->work.kept, sizeof move.kept);
        if (ahead) {
            memcpy(move.predicted, r->work.predicted, sizeof move.predicted);
        }
        const kdr_sweeper sweeper = sweeper_of(r, &r->state);
        kdr_sweep_move(&sweeper, &move);
        if (p->keep != KDR_KEEP_NOTHING) {
            r->last = move;
        }
        r->ends = r->ends && !crosses;
    }
    memset(p, 0, sizeof *p);
}

/* What the pending moves drift, in all. Where terms correct the ends of steps, one of the two parts is empty. */
static double pending_drift(const run *r) {
    double h = 0.0;
    for (int part = 0; part < 2; ++part) {
        for (int n = 0; n < r->pending.drifts[part]; ++n) {
            h += r->pending.drift[part][n];
        }
    }
    return h;
}

/* ... and has the terms hold to what they hold to, wherever the particles have drifted. Such runs end every step here: terms correct it. */
static kdr_status flush(run *r, const double *ahead) {
    const double h = r->coupled->holds ? pending_drift(r) : 0.0;
    if (h != 0.0) {
        const kdr_sweeper sweeper = sweeper_of(r, &r->state);
        kdr_sweep_copies(&sweeper, r->work.before_drift, r->state.x);
    }
    flush_moves(r, ahead);
    const void *const start[3] = {r->work.before_drift[0], r->work.before_drift[1], r->work.before_drift[2]};
    kdr_status status = KDR_OK;
    for (size_t n = 0; h != 0.0 && status == KDR_OK && n < r->coupled->term_count; ++n) {
        const kdr_coupled_term *const term = &r->coupled->terms[n];
        status = term->drifted ? term->drifted(term->data, start, &r->state, h, r->work.scratch, r->error) : KDR_OK;
    }
    return status;
}

static void add_kick(run *r, double h) {
    r->pending.kicks[r->ends] = true;
    r->pending.kick[r->ends] = h;
}

static void add_drift(run *r, double h) {
    kdr_pass *const p = &r->pending;
    p->drift[r->ends][p->drifts[r->ends]++] = h;
}

/* The end of a step. One that was pending with nothing between them is of no use any more: what came after it is the first part now. */
static void add_end(run *r) {
    kdr_pass *const p = &r->pending;
    if (r->ends) {
        p->kicks[0] = p->kicks[1];
        p->kick[0] = p->kick[1];
        p->drifts[0] = p->drifts[1];
        memcpy(p->drift[0], p->drift[1], sizeof p->drift[0]);
        p->kicks[1] = false;
        p->drifts[1] = 0;
    }
    r->ends = true;
}

/* What the particles' memory holds, or would: the acceleration at the end of the last whole step. */
static void keep_memory(run *r, int whole) {
    if (r->carries && r->begun && r->work.a[whole][0] != r->particles->memory[0]) {
        const kdr_sweeper sweeper = sweeper_of(r, &r->state);
        kdr_sweep_copies(&sweeper, r->particles->memory, r->work.a[whole]);
    }
}

/* The particles with the velocities that a method predicts. */
static kdr_particles predicted(const run *r) {
    kdr_particles seen = r->state;
    const bool rows = kdr_form_of(&seen) == KDR_FORM_ROWS;
    for (int i = 0; i < dims_of(r); ++i) {
        seen.v[i] = rows ? (char *)r->work.predicted[0] + (size_t)i * kdr_real_size(seen.real) : r->work.predicted[i];
    }
    seen.v_layout = rows ? seen.v_layout : (kdr_layout){0, 0, 0, 0};
    return seen;
}

static kdr_status step_of_splitting(run *r, const kdr_splitting_row *row, bool keeps, int *whole) {
    const double dt = r->clock->dt;
    int evaluation = 0;
    for (int i = 0; i < row->stages; ++i) {
        if (row->kick[i] != 0.0) {
            const double kick = dt * row->kick[i];
            if (!keeps || i > 0) {
                const bool predicts = keeps && row->predicts;
                kdr_status status = flush(r, predicts ? &kick : NULL);
                if (status != KDR_OK) {
                    return status;
                }
                const int target = keeps ? 1 - *whole : 0;
                const double t = kdr_clock_time(r->clock, r->clock->step + r->done, r->fraction[evaluation++]);
                const kdr_particles seen = predicts ? predicted(r) : r->state;
                status = evaluate(r, &seen, t, r->work.a[target]);
                if (status != KDR_OK) {
                    return status;
                }
                r->newest = target;
            }
            add_kick(r, kick);
        }
        if (row->drift[i] != 0.0) {
            add_drift(r, dt * row->drift[i]);
        }
    }
    return KDR_OK;
}

/* A step of a splitting method, its end, and what corrects that. `whole`: which of the work's accelerations is that of the last whole step. */
static kdr_status splitting_step(run *r, const kdr_splitting_row *row, bool keeps, int *whole) {
    remember(r);
    kdr_status status = step_of_splitting(r, row, keeps, whole);
    if (status != KDR_OK) {
        return status;
    }
    add_end(r);
    if (r->coupled->corrects) {
        bool moved = false;
        status = flush(r, NULL);
        if (status == KDR_OK) {
            status = correct(r, &moved);
        }
        if (status == KDR_OK && moved && keeps) {
            const double t = kdr_clock_time(r->clock, r->clock->step + r->done + 1, 0.0);
            status = evaluate(r, &r->state, t, r->work.a[r->newest]);
        }
        if (status != KDR_OK) {
            return status;
        }
    }
    *whole = keeps ? r->newest : 0;
    return KDR_OK;
}

/* The acceleration that a run begins with, where the method keeps one. */
static kdr_status begin_splitting(run *r, bool keeps, int *whole) {
    if (keeps && r->carries) {
        memcpy(r->work.a[1], r->particles->memory, sizeof r->work.a[1]);
    }
    r->newest = *whole = keeps && r->resumed ? 1 : 0;
    if (keeps && !r->resumed) {
        const double t = kdr_clock_time(r->clock, r->clock->step, 0.0);
        const kdr_status status = evaluate(r, &r->state, t, r->work.a[0]);
        if (status != KDR_OK) {
            return status;
        }
    }
    r->begun = keeps;
    return KDR_OK;
}

static kdr_status run_splitting(run *r) {
    const kdr_splitting_row *const row = r->coupled->problem.row->data.splitting;
    const bool keeps = kdr_splitting_keeps(row);
    int whole = 0;
    kdr_status status = begin_splitting(r, keeps, &whole);
    if (status != KDR_OK) {
        return status;
    }
    r->ends = true;
    for (r->done = 0; r->done < r->steps && status == KDR_OK; r->done += status == KDR_OK) {
        status = splitting_step(r, row, keeps, &whole);
    }
    if (status == KDR_OK) {
        status = flush(r, NULL); /* of what corrects the ends of steps nothing is left */
    } else {
        go_back(r);
    }
    keep_memory(r, whole);
    return status;
}

/* Block time steps. */

/* At `fraction` of substep s of the step, of the particles that have at least this level. */
static kdr_status evaluate_level(run *r, uint64_t s, double fraction, int lowest, void *const a[3]) {
    const kdr_clock own = kdr_problem_clock(r->clock, r->levels.highest);
    const uint64_t substep = own.step + (r->done << r->levels.highest) + s;
    const kdr_particles seen = kdr_levels_see(&r->levels, &r->state, lowest);
    return evaluate(r, &seen, kdr_clock_time(&own, substep, fraction), a);
}

/* The kick that ends a step and the one that begins the next are one pass, but at the end of the clock's step, where all particles' steps end.
 * What is evaluated on the way does not overwrite the accelerations that the step began with: they are the memory, should it fail. */
static kdr_status step_of_levels(run *r, const kdr_splitting_row *row, bool keeps, int *whole) {
    const uint64_t substeps = UINT64_C(1) << r->levels.highest;
    const double dt = r->clock->dt, kick[2] = {row->kick[keeps], row->kick[0]};
    const kdr_sweeper sweeper = sweeper_of(r, &r->state);
    const kdr_move drift = {.what = {.drifts = {1}, .drift = {{kdr_problem_clock(r->clock, r->levels.highest).dt * row->drift[0]}}}};
    const int fresh = keeps ? 1 - *whole : 0;
    if (keeps) {
        kdr_levels_kick(&r->levels, &sweeper, r->work.a[*whole], 0, dt, row->kick, 1);
    }
    for (uint64_t s = 0; s < substeps; ++s) {
        const int lowest = kdr_levels_lowest(r->levels.highest, s + keeps);
        if (keeps) {
            kdr_sweep_move(&sweeper, &drift);
        }
        const kdr_status status = evaluate_level(r, s, r->fraction[0], lowest, r->work.a[fresh]);
        if (status != KDR_OK) {
            return status;
        }
        kdr_levels_kick(&r->levels, &sweeper, r->work.a[fresh], lowest, dt, kick, keeps && s + 1 < substeps ? 2 : 1);
        if (!keeps) {
            kdr_sweep_move(&sweeper, &drift);
        }
    }
    *whole = fresh;
    return KDR_OK;
}

static kdr_status run_levels(run *r) {
    const kdr_splitting_row *const row = r->coupled->problem.row->data.splitting;
    const bool keeps = kdr_splitting_keeps(row);
    const kdr_sweeper sweeper = sweeper_of(r, &r->state);
    int whole = 0;
    kdr_status status = begin_splitting(r, keeps, &whole);
    if (status != KDR_OK) {
        return status;
    }
    for (r->done = 0; r->done < r->steps && status == KDR_OK; r->done += status == KDR_OK) {
        if (r->coupled->fails) {
            kdr_sweep_take(&sweeper, r->work.before_x, r->work.before_v);
        }
        status = step_of_levels(r, row, keeps, &whole);
    }
    if (status != KDR_OK) {
        kdr_sweep_give(&sweeper, r->work.before_x, r->work.before_v);
    }
    keep_memory(r, whole);
    return status;
}

/* Runge-Kutta and Nystrom methods. */

/* Adds out = y + sum of factor_j slope_j, on all axes; terms whose coefficient is 0 are left out. */
static void add_stage(const run *r, void *const y[3], void *const out[3], int terms, void *const *const slope[], const double *coefficient,
                      const double *factor, kdr_stage_pass *pass, int *passes) {
    for (int i = 0; i < dims_of(r); ++i) {
        kdr_stage_pass *const p = &pass[(*passes)++];
        *p = (kdr_stage_pass){.y = y[i], .out = out[i]};
        for (int j = 0; j < terms; ++j) {
            if (coefficient[j] != 0.0) {
                p->slope[p->terms] = slope[j][i];
                p->factor[p->terms++] = factor[j];
            }
        }
    }
}

static void add_sum(const run *r, void *const y[3], const kdr_runge_kutta_row *row, void *const *const slope[], kdr_sum_pass *pass,
                    int *passes) {
    for (int i = 0; i < dims_of(r); ++i) {
        kdr_sum_pass *const p = &pass[(*passes)++];
        *p = (kdr_sum_pass){.y = y[i], .stages = row->stages, .factor = r->clock->dt * row->scale};
        for (int j = 0; j < row->stages; ++j) {
            p->slope[j] = slope[j][i];
            p->ratio[j] = row->ratio[j];
        }
    }
}

static kdr_status runge_kutta_step(run *r) {
    const kdr_runge_kutta_row *const row = r->coupled->problem.row->data.runge_kutta;
    const kdr_sweeper sweeper = sweeper_of(r, &r->state);
    void *const *kx[KDR_MAX_STAGES], *const *kv[KDR_MAX_STAGES];
    int passes = 0;
    for (int s = 0; s < row->stages; ++s) {
        kx[s] = s == 0 ? r->state.v : r->work.v[s];
        kv[s] = r->work.a[s];
        if (s > 0) {
            kdr_stage_pass pass[KDR_SWEEP_STAGES];
            double factor[KDR_MAX_STAGES];
            for (int j = 0; j < s; ++j) {
                factor[j] = r->clock->dt * row->a[s][j];
            }
            passes = 0;
            add_stage(r, r->state.x, r->work.x, s, kx, row->a[s], factor, pass, &passes);
            add_stage(r, r->state.v, r->work.v[s], s, kv, row->a[s], factor, pass, &passes);
            kdr_sweep_stages(&sweeper, pass, passes);
        }
        const double t = kdr_clock_time(r->clock, r->clock->step + r->done, r->fraction[s]);
        const kdr_particles seen = elsewhere(r, s == 0 ? r->state.x : r->work.x, kx[s]);
        const kdr_status status = evaluate(r, &seen, t, r->work.a[s]);
        if (status != KDR_OK) {
            return status;
        }
    }
    kdr_sum_pass pass[KDR_SWEEP_STAGES];
    passes = 0;
    add_sum(r, r->state.x, row, kx, pass, &passes); /* of x first: v is its first slope */
    add_sum(r, r->state.v, row, kv, pass, &passes);
    kdr_sweep_sums(&sweeper, pass, passes);
    return KDR_OK;
}

/* w = v + h (a_1 k_1 + ...) / c, the mean velocity on the way, and out = x + h c w. */
static void nystrom_way(const run *r, const double *a, double c, int terms, void *const *const k[], void *const out[3]) {
    const kdr_sweeper sweeper = sweeper_of(r, &r->state);
    kdr_stage_pass pass[KDR_SWEEP_STAGES];
    double factor[KDR_NYSTROM_STAGES], way = r->clock->dt * c;
    void *const *const mean[] = {r->work.mean};
    int passes = 0;
    for (int j = 0; j < terms; ++j) {
        factor[j] = r->clock->dt * a[j] / c;
    }
    add_stage(r, r->state.v, r->work.mean, terms, k, a, factor, pass, &passes);
    add_stage(r, r->state.x, out, 1, mean, (double[]){1.0}, &way, pass, &passes);
    kdr_sweep_stages(&sweeper, pass, passes);
}

static kdr_status nystrom_step(run *r) {
    const kdr_nystrom_row *const row = r->coupled->problem.row->data.nystrom;
    const kdr_sweeper sweeper = sweeper_of(r, &r->state);
    void *const *k[KDR_NYSTROM_STAGES];
    for (int s = 0; s < row->stages; ++s) {
        k[s] = r->work.a[s];
        if (s > 0) {
            nystrom_way(r, row->a[s], row->c[s], s, k, r->work.x);
        }
        const double t = kdr_clock_time(r->clock, r->clock->step + r->done, r->fraction[s]);
        const kdr_particles seen = elsewhere(r, s == 0 ? r->state.x : r->work.x, r->state.v);
        const kdr_status status = evaluate(r, &seen, t, r->work.a[s]);
        if (status != KDR_OK) {
            return status;
        }
    }
    kdr_stage_pass pass[KDR_SWEEP_STAGES];
    const double scale = r->clock->dt * row->scale;
    void *const *const sum[] = {r->work.sum};
    int passes = 0;
    nystrom_way(r, kdr_nystrom_weights(row), 1.0, row->stages, k, r->state.x);
    add_stage(r, k[0], r->work.sum, row->stages - 1, k + 1, row->ratio + 1, row->ratio + 1, pass, &passes);
    add_stage(r, r->state.v, r->state.v, 1, sum, (double[]){1.0}, &scale, pass, &passes);
    kdr_sweep_stages(&sweeper, pass, passes);
    return KDR_OK;
}

static kdr_status run_stages(run *r) {
    const bool nystrom = r->coupled->problem.row->info.family == KDR_NYSTROM;
    for (r->done = 0; r->done < r->steps; ++r->done) {
        remember(r);
        kdr_status status = nystrom ? nystrom_step(r) : runge_kutta_step(r);
        if (status == KDR_OK && r->coupled->corrects) {
            bool moved;
            status = correct(r, &moved);
        }
        if (status != KDR_OK) {
            go_back(r);
            return status;
        }
    }
    return KDR_OK;
}

/* Stages read x and v often, and terms know plain arrays alone: others are copied once. */
static kdr_status run_all(run *r) {
    const bool splits = r->coupled->problem.row->info.family == KDR_SPLITTING;
    const bool copies = kdr_form_of(r->particles) != KDR_FORM_PLAIN && (!splits || r->coupled->term_count > 0);
    const kdr_sweeper sweeper = sweeper_of(r, r->particles);
    if (copies) {
        r->state = elsewhere(r, r->work.own_x, r->work.own_v);
        kdr_sweep_take(&sweeper, r->work.own_x, r->work.own_v);
    }
    const kdr_status status = r->levels.marks ? run_levels(r) : splits ? run_splitting(r) : run_stages(r);
    if (copies && r->done > 0) {
        kdr_sweep_give(&sweeper, r->work.own_x, r->work.own_v);
    }
    return status;
}

/* What a run is given, beside what a field run is. */
static kdr_status check_run(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                            const kdr_workspace *workspace, kdr_error *error) {
    KDR_CHECK(coupled, error, KDR_ERROR_NULL, "coupled: expected a pointer, got NULL");
    kdr_status status = kdr_problem_check_run(&coupled->problem, particles, clock, steps, error);
    if (status == KDR_OK) {
        status = kdr_coupled_check_levels(&coupled->desc, particles, error);
    }
    if (status == KDR_OK) {
        status = kdr_coupled_check_rows(&coupled->desc, &coupled->problem, particles, error);
    }
    for (size_t t = 0; t < coupled->term_count && status == KDR_OK; ++t) {
        status = coupled->terms[t].check ? coupled->terms[t].check(coupled->terms[t].data, particles, error) : KDR_OK;
    }
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(workspace && workspace->memory, error, KDR_ERROR_NULL, "workspace: expected memory, got NULL");
    const size_t size = kdr_coupled_workspace_size(coupled, particles->count, particles->dims);
    KDR_CHECK(size > 0 && workspace->size >= size, error, KDR_ERROR_MISMATCH,
              "workspace: expected at least %zu bytes for %zu particles, got %zu", size, particles->count, workspace->size);
    return KDR_OK;
}

/* The workspace shares no memory with arrays that a run writes. */
static kdr_status check_apart(const kdr_particles *p, const kdr_workspace *workspace, kdr_error *error) {
    static const kdr_layout plain = {0, 0, 0, 0};
    for (int i = 0; i < p->dims; ++i) {
        const bool shares = kdr_shares_memory(p, p->x, &p->x_layout, i, workspace->memory, workspace->size) ||
                            kdr_shares_memory(p, p->v, &p->v_layout, i, workspace->memory, workspace->size) ||
                            kdr_shares_memory(p, p->memory, &plain, i, workspace->memory, workspace->size);
        KDR_CHECK(!shares, error, KDR_ERROR_OVERLAP, "workspace: expected memory apart from the particles' arrays, but axis %d lies in it",
                  i);
    }
    return KDR_OK;
}

static void prepare(const kdr_coupled *coupled, kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                    const kdr_workspace *workspace, kdr_error *error, run *r) {
    memset(r, 0, sizeof *r);
    r->coupled = coupled;
    r->particles = particles;
    r->state = *particles;
    r->state.storage = NULL;
    r->clock = clock;
    r->steps = steps;
    r->error = error;
    r->evaluations = kdr_row_times(coupled->problem.row, r->fraction);
    r->carries = kdr_problem_carries(&coupled->problem, particles);
    r->resumed = kdr_problem_resumes(&coupled->problem, particles, clock);
    (void)kdr_work_lay_out(coupled, particles->count, particles->dims, (uintptr_t)workspace->memory, &r->work);
    r->job.field = &coupled->problem.field;
    r->job.terms = kdr_problem_terms(&coupled->problem, particles);
    r->job.dims = particles->dims;
    if (coupled->desc.force_count > 0) {
        r->job.program = coupled->field[particles->dims - 1][particles->inverse_mass != NULL];
        kdr_program_bind(r->job.program, 1.0, NULL, NULL, r->numbers);
        r->job.numbers = r->numbers;
    }
    if (kdr_coupled_level(coupled, particles) > 0) {
        kdr_levels_make(particles, r->work.order, r->work.marks, &r->levels);
    }
}

kdr_status kdr_coupled_run(const kdr_coupled *coupled, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                           const kdr_workspace *workspace, kdr_error *error) {
    kdr_status status = check_run(coupled, particles, clock, steps, workspace, error);
    if (status == KDR_OK && particles->count > 0) {
        status = check_apart(particles, workspace, error);
    }
    if (status != KDR_OK || steps == 0) {
        return status;
    }
    uint64_t done = steps;
    if (particles->count > 0) {
        run r;
        prepare(coupled, particles, clock, steps, workspace, error, &r);
        status = run_all(&r);
        done = r.done;
        if (status != KDR_OK && done == 0 && !r.begun) {
            return status; /* the memory has not been touched */
        }
    }
    clock->step += done;
    particles->memory_key = kdr_problem_memory_key(&coupled->problem, particles, clock);
    return status;
}
