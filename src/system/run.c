/* Runs a system description. The instructions of the method's program become passes over all particles, and each pass but the last of a
 * step is followed by an evaluation of the accelerations.
 *
 * Three things make up the state between passes: a pass that may be pending, the kept acceleration, and `back`, which says how to restore
 * the last whole step.
 *
 *     begin        the kept acceleration comes from the particles' memory, or is evaluated
 *       |
 *       v
 *   whole step <------------------------------------------.   back: HERE.  kept: work.a[whole].  pending: the last pass, if deferred
 *       |                                                 |
 *       |  move(0): the pending pass and segment 0,       |   back: COMPUTED, if the step has one evaluation and STEP_BACK undoes
 *       |  as one pass                                    |   the pass; otherwise COPIES of x and v; HERE if nothing can fail
 *       v                                                 |
 *   moved(e) <--------------.                             |
 *       |                   |                             |
 *       |  evaluate_row(e) -|-- fails --> go_back ------> | --> x, v, memory and clock are those of the last whole step
 *       v                   |                             |
 *   evaluated(e)            |                             |   kept: work.a[newest], which does not yet belong to a whole step
 *       |  e + 1 < all ---- move(e + 1)                   |
 *       |                                                 |
 *       |  deferred: the last pass becomes pending        |
 *       |  otherwise: move(last), then terms correct the  |
 *       |  end of the step, which may fail too            |
 *       '--- end_step: whole = newest --------------------'
 *
 * If the last pass of a step and the first of the next are kicks and drifts, they are made as one: velocity Verlet's two kicks and its
 * drift then read x, v and a once and write x and v once. A pass that is pending after the last step is made at the end of the run. */
#include <string.h>

#include "../particles/element.h"
#include "../particles/error.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"
#include "run.h"

/* Returns the particles with x and v in these plain arrays. */
static kdr_particles elsewhere(const kdr_system_run_state *r, void *const x[3], void *const v[3]) {
    kdr_particles seen = r->state;
    seen.x_layout = seen.v_layout = (kdr_layout){0, 0, 0, 0};
    for (int i = 0; i < kdr_run_dims(r); ++i) {
        seen.x[i] = x[i];
        seen.v[i] = v[i];
    }
    return seen;
}

/* Calls the user's magnetic field. In a plane it has one component, across the plane. */
static kdr_status evaluate_magnetic(kdr_system_run_state *r, const kdr_particles *seen, double t, void *const *m) {
    const kdr_system_desc *const desc = &r->system->desc;
    const bool space = kdr_run_dims(r) == 3;
    const kdr_status status = kdr_called(desc->magnetic(desc->context, seen, t, space ? m : (void *[3]){NULL, NULL, m[0]}));
    KDR_CHECK(status == KDR_OK, r->error, status, "magnetic: the function returned %d (%s) in step %llu, at time %g", (int)status,
              kdr_status_string(status), (unsigned long long)kdr_run_step(r), t);
    return KDR_OK;
}

/* Evaluates the forces. They are added to what the user's functions have set, if there are any. */
static void evaluate_forces(kdr_system_run_state *r, const kdr_particles *seen, double t, void *const a[3], void *const *m) {
    const kdr_system *const c = r->system;
    const kdr_swept arrays = kdr_run_arrays(r, seen);
    kdr_evaluated to = {.adds = {c->desc.accelerations != NULL, c->desc.magnetic != NULL}};
    memcpy(to.row[0], a, sizeof to.row[0]);
    for (int i = 0; m && i < (kdr_run_dims(r) == 3 ? 3 : 1); ++i) {
        to.row[1][i] = m[i];
    }
    memset(r->base, 0, sizeof r->base);
    r->base[3] = t;
    kdr_field_base(&c->problem.field, r->job.terms, t, r->base);
    kdr_base_narrow(r->base, r->narrow_base);
    kdr_sweep_field(&arrays, &r->job, &to);
}

kdr_status kdr_run_evaluate(kdr_system_run_state *r, const kdr_particles *seen, double t, void *const a[3], void *const *m) {
    const kdr_system *const c = r->system;
    const kdr_swept arrays = kdr_run_arrays(r, seen);
    if (c->desc.accelerations) {
        const kdr_status status = kdr_called(c->desc.accelerations(c->desc.context, seen, t, a));
        KDR_CHECK(status == KDR_OK, r->error, status, "accelerations: the function returned %d (%s) in step %llu, at time %g", (int)status,
                  kdr_status_string(status), (unsigned long long)kdr_run_step(r), t);
    }
    kdr_status status = m && c->desc.magnetic ? evaluate_magnetic(r, seen, t, m) : KDR_OK;
    if (status != KDR_OK) {
        return status;
    }
    if (r->job.program) {
        evaluate_forces(r, seen, t, a, m);
    } else if (!c->desc.accelerations) {
        kdr_sweep_zeros(&arrays, a);
    }
    const bool some = kdr_levels_are_some(&r->levels, seen);
    size_t chosen_count = 0;
    const size_t *const chosen = some ? kdr_levels_list(&r->levels, r->levels.marked, &chosen_count) : NULL;
    const kdr_evaluation evaluation = {.particles = seen,
                                       .t = t,
                                       .a = a,
                                       .chosen = chosen,
                                       .chosen_count = chosen_count,
                                       .executor = &c->desc.executor,
                                       .scratch = r->work.scratch};
    for (size_t n = 0; n < c->term_count; ++n) {
        status = c->terms[n].add ? c->terms[n].add(c->terms[n].data, &evaluation, r->error) : KDR_OK;
        if (status != KDR_OK) {
            return status;
        }
    }
    return KDR_OK;
}

/* Has the terms correct the end of a whole step. Sets *moved if one moved a particle. */
static kdr_status correct(kdr_system_run_state *r, bool *moved) {
    const kdr_system *const c = r->system;
    const kdr_particles before = elsewhere(r, r->work.before_x, r->work.before_v);
    *moved = false;
    kdr_run_gain(r);
    for (size_t n = 0; n < c->term_count; ++n) {
        bool one = false;
        const kdr_status status = c->terms[n].after ? c->terms[n].after(c->terms[n].data, &before, &r->state, r->clock->dt, r->whole_dt,
                                                                        r->work.scratch, &one, r->error)
                                                    : KDR_OK;
        if (status != KDR_OK) {
            return status;
        }
        *moved = *moved || one;
    }
    kdr_run_forget(r);
    return KDR_OK;
}

/* Restores the particles to the end of the last whole step. */
static void go_back(kdr_system_run_state *r) {
    if (r->back == COMPUTED) {
        const kdr_pass back = {.part = {{r->step.boundary.begin + 2, r->step.boundary.end}}, .kept = &r->work.kept};
        (void)kdr_sweep(&r->sweeper, &back);
    } else if (r->back == COPIES) {
        const kdr_swept arrays = kdr_run_arrays(r, &r->state);
        kdr_sweep_give(&arrays, r->work.before_x, r->work.before_v);
        for (int k = 0; k < 2 && r->work.lost; ++k) {
            kdr_sweep_copies(&arrays, r->work.c[k], r->work.before_c[k]);
        }
    }
    if (r->work.counts) {
        kdr_keep_counts(r->particles, r->work.counts, true);
    }
    if (r->contacts) {
        kdr_recorder_forget(r->contacts, r->noted, kdr_run_step(r));
    }
    r->back = HERE;
}

/* Returns whether the walls that end a step must wait for a separate pass, after terms have corrected it and tiny values became 0. */
static bool walls_are_apart(const kdr_system_run_state *r) {
    return !kdr_is_empty(r->step.last) && (r->system->corrects || r->levels.marks || kdr_run_flushes_small(r));
}

/* Returns the pass before evaluation e, combined with the pending one. The first pass of a step that moves x or v also saves what
 * restores them, unless nothing can fail afterwards. */
static kdr_pass pass_before(kdr_system_run_state *r, int e) {
    const kdr_segment *const s = &r->step.segment[e];
    const bool corrects = r->system->corrects || r->system->meets, fails = r->system->fails || r->system->meets;
    const bool leaves = fails && s->moves && r->back == HERE && (e < r->step.evaluations || corrects);
    const bool ends_step = e == 0 && r->step.evaluations == 1 && !kdr_is_empty(r->step.boundary) && s->moves && !r->system->corrects;
    kdr_pass pass = {.part = {s->lines}, .step = kdr_run_step(r)};
    if (e == r->step.evaluations && walls_are_apart(r)) {
        pass.part[0].end = r->step.last.begin;
    }
    if (ends_step) {
        const int line = r->step.boundary.begin + (r->pending ? 0 : 1);
        pass.part[0] = (kdr_lines){line, line + 1};
        pass.part[1] = (kdr_lines){s->lines.end - r->step.sums, s->lines.end};
        pass.kept = leaves ? &r->work.kept : NULL;
    } else {
        pass.before[0] = leaves ? r->work.before_x : NULL;
        pass.before[1] = r->work.before_v;
        pass.before[2] = r->work.lost ? r->work.before_c[0] : NULL;
        pass.before[3] = r->work.lost ? r->work.before_c[1] : NULL;
        if (r->pending) {
            pass.part[1] = pass.part[0];
            pass.part[0] = r->step.segment[r->step.evaluations].lines;
        }
    }
    r->back = !leaves ? r->back : ends_step ? COMPUTED : COPIES;
    r->pending = false;
    return pass;
}

/* Makes that pass. If terms hold particles, it is cut into pieces: before the heat bath, before walls, and before and after a rotation. */
static kdr_status move(kdr_system_run_state *r, int e) {
    kdr_pass pass = pass_before(r, e);
    kdr_lines left = pass.part[0];
    kdr_status status = KDR_OK;
    do {
        const kdr_piece piece = r->system->holds ? kdr_piece_of(r->sweeper.program, left) : (kdr_piece){left.end, 0.0, NULL, false};
        if (piece.drift != 0.0 && !r->system->reflects) { /* with colliders in drifts, the instructions save x and v themselves */
            kdr_run_before_drift(r);
        }
        pass.part[0] = (kdr_lines){left.begin, piece.end};
        r->hit = kdr_sweep(&r->sweeper, &pass) && e == r->step.evaluations;
        status = piece.drift != 0.0 ? kdr_run_hold(r, r->clock->dt * piece.drift) : KDR_OK;
        if (status == KDR_OK && (piece.turn || piece.is_before_turn)) {
            kdr_run_hold_turn(r, piece.turn);
        }
        left.begin = piece.end;
        pass = (kdr_pass){.step = pass.step};
    } while (status == KDR_OK && left.begin < left.end);
    return status;
}

kdr_layout kdr_run_see(const kdr_system_run_state *r, unsigned column, void *array[3]) {
    const kdr_column *const home = &r->sweeper.home[column / (unsigned)kdr_run_dims(r)];
    kdr_layout layout = home->layout;
    memset(array, 0, 3 * sizeof array[0]);
    for (int i = 0; i < home->axes; ++i) {
        array[i] = home->array[i];
    }
    layout.stride = layout.stride == home->size && layout.block == 0 ? 0 : layout.stride;
    return layout;
}

kdr_particles kdr_run_seen_by(const kdr_system_run_state *r, const kdr_instruction *line) {
    kdr_particles seen = r->state;
    if (line->x != 0) {
        seen.x_layout = kdr_run_see(r, line->x, seen.x);
    }
    if (line->v != (uint16_t)kdr_run_dims(r)) {
        seen.v_layout = kdr_run_see(r, line->v, seen.v);
    }
    return seen;
}

kdr_status kdr_run_evaluate_row(kdr_system_run_state *r, const kdr_instruction *line, double fraction) {
    const bool kept = r->keeps && line->out == r->a;
    const int to = kept ? 1 - r->whole : 0;
    const kdr_particles seen = kdr_run_seen_by(r, line);
    void *out[3], *m[3];
    (void)kdr_run_see(r, line->out, out);
    (void)kdr_run_see(r, line->other, m);
    const double t = kdr_clock_time(r->clock, r->clock->step + r->done, fraction);
    const kdr_status status = kdr_run_evaluate(r, &seen, t, kept ? r->work.a[to] : out, line->count > 0 ? m : NULL);
    if (status == KDR_OK && kept) {
        kdr_sweeper_put(&r->sweeper, r->a, r->work.a[to]);
        r->newest = to;
    }
    return status;
}

void kdr_run_see_who_is_inside(kdr_system_run_state *r) {
    if (r->work.inside) {
        const kdr_swept arrays = kdr_run_arrays(r, &r->state);
        const bool leaves = r->carries && r->begun && r->keeps; /* the acceleration at the end of its last step */
        kdr_mark_inside(&r->system->problem.boundary, &arrays, r->particles, 0, r->work.inside, leaves ? r->work.a[r->whole] : NULL,
                        r->work.left);
        r->state.active = r->work.inside;
        r->state.active_count = r->state.count;
        r->state.active_layout = (kdr_layout){0, 0, 0, 0};
    }
}

/* Updates the error estimates after a whole step. */
static void estimate(const kdr_system_run_state *r) {
    const kdr_instruction *const line = r->step.estimate;
    void *sum[3];
    const kdr_layout layout = kdr_run_see(r, line->v, sum);
    kdr_estimate(&r->system->desc.executor, &r->state, sum, &layout, kdr_element(r->work.numbers, r->state.real, line->number));
}

kdr_status kdr_run_end_step(kdr_system_run_state *r) {
    bool moved = false;
    kdr_status status = r->system->corrects ? correct(r, &moved) : KDR_OK;
    if (status == KDR_OK && kdr_run_flushes_small(r)) {
        kdr_run_flush_small(r, r->newest);
    }
    moved = (status == KDR_OK && kdr_run_meet_as_molecules(r)) || moved;
    if (status == KDR_OK && walls_are_apart(r)) {
        const kdr_pass walls = {.part = {r->step.last}, .step = kdr_run_step(r)};
        r->hit = kdr_sweep(&r->sweeper, &walls);
    }
    if (status == KDR_OK && (moved || r->hit) && r->keeps) {
        const double t = kdr_clock_time(r->clock, r->clock->step + r->done + 1, 0.0);
        status = kdr_run_evaluate(r, &r->state, t, r->work.a[r->newest], NULL);
    }
    r->whole = status == KDR_OK ? r->newest : r->whole;
    if (status == KDR_OK && r->sweeper.estimates) {
        estimate(r);
    }
    if (status == KDR_OK) {
        kdr_run_see_who_is_inside(r);
    }
    return status;
}

void kdr_run_begin_step(kdr_system_run_state *r) {
    r->back = HERE;
    r->hit = false;
    if (r->work.counts) {
        kdr_keep_counts(r->particles, r->work.counts, false);
    }
    r->noted = r->contacts ? *r->contacts->count : 0;
    kdr_run_begin_gains(r);
    kdr_run_drive(r);
}

static kdr_status make_step(kdr_system_run_state *r) {
    kdr_status status = KDR_OK;
    kdr_run_begin_step(r);
    for (int e = 0; e < r->step.evaluations && status == KDR_OK; ++e) {
        status = move(r, e);
        status = status == KDR_OK ? kdr_run_evaluate_row(r, r->step.segment[e].evaluation, r->fraction[e]) : status;
        status = status == KDR_OK ? kdr_run_solve(r, e) : status;
    }
    r->pending = r->defers && status == KDR_OK && !kdr_run_flushes_small(r);
    status = status == KDR_OK && !r->pending ? move(r, r->step.evaluations) : status;
    return status == KDR_OK ? kdr_run_end_step(r) : status;
}

/* Prepares the sweeper: its program, its numbers, and the homes of its rows. */
static void prepare_sweeper(kdr_system_run_state *r) {
    const kdr_system *const c = r->system;
    const kdr_program *const p = c->steps[kdr_run_dims(r) - 1][kdr_has_masses(&r->state)];
    kdr_affine_map other = {0};
    const kdr_affine_map *map = &c->map[kdr_run_dims(r) - 1];
    if (r->clock->dt != c->desc.dt) {
        kdr_problem_map(&c->problem, r->particles, r->clock->dt, &other);
        map = &other;
    }
    kdr_program_bind(p, r->clock->dt, map, &r->at_work.bath, r->work.numbers);
    r->sweeper = kdr_sweeper_make(p, r->work.numbers, c->backend, &c->desc.executor, &r->state, false);
    for (int n = 0; n < r->work.rows; ++n) {
        kdr_sweeper_put(&r->sweeper, r->work.column[n], r->work.row[n]);
    }
    for (int k = 0; k < 2 && r->work.lost; ++k) {
        kdr_sweeper_put(&r->sweeper, (unsigned)(p->lost + k * p->dims), r->work.c[k]);
    }
    r->a = r->work.column[0];
    kdr_segments_of(p, &r->step);
    r->sweeper.estimates = r->particles->error && r->step.estimate;
    r->sweeper.job = &r->at_work;
    r->sweeper.aside = &r->aside;
    if (c->meets) {
        kdr_sweeper_put(&r->sweeper, r->step.walls->other, r->work.before_x);
        kdr_sweeper_put(&r->sweeper, r->step.walls->other + (unsigned)kdr_run_dims(r), r->work.before_v);
    }
    if (r->work.v_before_drift[0]) {
        kdr_sweeper_put(&r->sweeper, r->step.reflects->other, r->work.before_drift);
        kdr_sweeper_put(&r->sweeper, r->step.reflects->other + (unsigned)kdr_run_dims(r), r->work.v_before_drift);
    }
    r->defers = r->step.segment[0].moves && !c->corrects && !c->meets && !r->work.inside && !r->events;
}

static kdr_status run_steps(kdr_system_run_state *r) {
    kdr_status status = KDR_OK;
    for (r->done = 0; r->done < r->steps && status == KDR_OK && r->ended == KDR_OK; r->done += status == KDR_OK) {
        status = make_step(r);
        if (status == KDR_OK && r->events) {
            status = kdr_run_watch(r);
        }
    }
    if (status == KDR_OK && r->pending) {
        const kdr_pass last = {.part = {r->step.segment[r->step.evaluations].lines}};
        (void)kdr_sweep(&r->sweeper, &last);
    }
    return status;
}

/* Runs all steps. Stages read x and v often, and terms read plain arrays only: other layouts are copied once. */
static kdr_status run_all(kdr_system_run_state *r) {
    const size_t size = kdr_real_size(r->particles->real);
    const bool is_plain = kdr_layout_is_plain(&r->particles->x_layout, size) && kdr_layout_is_plain(&r->particles->v_layout, size);
    const bool copies = !is_plain && r->work.plain_x[0];
    const kdr_swept arrays = kdr_run_arrays(r, r->particles);
    if (copies) {
        r->state = elsewhere(r, r->work.plain_x, r->work.plain_v);
        kdr_sweep_take(&arrays, r->work.plain_x, r->work.plain_v);
    }
    kdr_run_see_who_is_inside(r);
    kdr_run_take_compensations(r);
    prepare_sweeper(r);
    kdr_run_make_maps(r);
    kdr_status status = kdr_run_begin(r);
    if (status == KDR_OK) {
        if (r->events) {
            kdr_run_watch_begin(r);
        }
        status = r->levels.marks ? kdr_run_levels(r) : run_steps(r);
        if (status != KDR_OK) {
            go_back(r);
        }
        kdr_run_keep_memory(r);
        kdr_run_give_compensations(r);
    }
    if (copies && r->done > 0) {
        kdr_sweep_give(&arrays, r->work.plain_x, r->work.plain_v);
    }
    return status == KDR_OK ? r->ended : status;
}

static void prepare(const kdr_system *system, kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                    const kdr_workspace *workspace, kdr_error *error, kdr_system_run_state *r) {
    memset(r, 0, sizeof *r);
    r->system = system;
    r->particles = particles;
    r->state = *particles;
    r->state.storage = NULL;
    r->clock = clock;
    r->steps = steps;
    r->whole_dt = clock->dt;
    r->error = error;
    (void)kdr_problem_times(&system->problem, r->fraction);
    r->keeps = kdr_problem_keeps(&system->problem);
    const bool remembers = system->problem.row->info.memory;
    r->carries = remembers && kdr_problem_carries(&system->problem, particles);
    r->resumed = remembers && kdr_problem_resumes(&system->problem, particles, clock);
    (void)kdr_work_lay_out(system, particles, particles->count, particles->dims, (uintptr_t)workspace->memory, &r->work);
    r->job.row = system->problem.row;
    r->job.field = &system->problem.field;
    r->job.terms = kdr_problem_terms(&system->problem, particles);
    r->job.dims = particles->dims;
    r->job.fused_roots = system->fused_roots;
    kdr_system_job(system, particles, clock, &r->flights, &r->at_work);
    kdr_strided_columns_make(&r->aside, &r->at_work, particles);
    r->job.base = system->problem.real == KDR_F32 ? (const void *)r->narrow_base : r->base;
    r->job.program = system->field[particles->dims - 1][particles->inverse_mass != NULL];
    if (r->job.program) {
        kdr_program_bind(r->job.program, 1.0, NULL, NULL, r->work.field_numbers);
        r->job.numbers = r->work.field_numbers;
    }
    r->slopes = r->job;
    r->slopes.program = system->slopes[particles->dims - 1][particles->inverse_mass != NULL];
    r->slopes.numbers = r->work.slope_numbers;
    memcpy(r->slopes.blocks, r->work.blocks, sizeof r->slopes.blocks);
    kdr_run_prepare_maps(r);
    if (kdr_system_level(system, particles) > 0 || system->leveled.substepping.count > 1) {
        kdr_levels_make(particles, r->work.order, r->work.marks, &r->levels);
    }
}

kdr_status kdr_run_apart(const kdr_system *system, kdr_particles *view, const kdr_clock *clock, double whole, uint64_t later, bool resumes,
                         const kdr_workspace *workspace, kdr_error *error) {
    kdr_system_run_state r;
    view->memory_key = resumes ? kdr_problem_memory_key(&system->problem, view, clock) : 0;
    prepare(system, view, clock, 1, workspace, error, &r);
    r.whole_dt = whole;
    r.later = later;
    r.at_work.later = later;
    r.resumed = r.keeps && resumes && view->memory[0];
    r.reads = true;
    r.carries = false;
    return run_all(&r);
}

kdr_status kdr_system_run(const kdr_system *system, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                          const kdr_workspace *workspace, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    kdr_status status = kdr_system_check_run(system, particles, clock, steps, workspace, error);
    if (status != KDR_OK || steps == 0) {
        return status;
    }
    uint64_t done = steps;
    if (particles->count > 0) {
        kdr_system_run_state r;
        kdr_recorder of_contacts, of_events;
        prepare(system, particles, clock, steps, workspace, error, &r);
        if (particles->contacts) {
            kdr_recorder_of_contacts(&of_contacts, particles->contacts, true);
            of_contacts.t0 = clock->t0;
            of_contacts.dt = clock->dt;
            r.at_work.recorder = r.contacts = &of_contacts;
        }
        if (particles->events && system->problem.watch_count > 0) {
            kdr_recorder_of_events(&of_events, particles->events, clock->dt < 0.0);
            r.events = &of_events;
        }
        status = run_all(&r);
        if (r.contacts) {
            kdr_recorder_end(r.contacts);
        }
        if (r.events) {
            kdr_recorder_end(r.events);
        }
        done = r.done;
        if (status != KDR_OK && done == 0) { /* without a whole step, memory and compensations are unchanged */
            return status;
        }
    }
    clock->step += done;
    particles->memory_key = kdr_problem_memory_key(&system->problem, particles, clock);
    return status;
}
