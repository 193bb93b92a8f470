/* Runs with block time steps: each kick is for some levels only, and each drift is one sweep over all particles. */
#include "kick_drift_passes.h"
#include "run.h"

/* Returns the index of the EVALUATE of part `part` of the step, in the method's program. */
static int evaluation_of(const kdr_program *p, int part) {
    int line = p->end[KDR_BEFORE];
    for (int left = part; left > 0 || p->line[line].code != KDR_OP_EVALUATE; ++line) {
        left -= p->line[line].code == KDR_OP_EVALUATE;
    }
    return line;
}

/* Evaluates the accelerations of these levels at moment m of a part of the step, and the magnetic fields if velocities are rotated. */
static kdr_status evaluate_levels(kdr_system_run_state *r, int part, uint64_t m, kdr_level_range range, void *const a[3]) {
    const kdr_leveled *const by = &r->system->leveled;
    const double within = (double)m / (double)((uint64_t)by->drifts << r->levels.highest);
    const double t = kdr_clock_time(r->clock, r->clock->step + r->done, kdr_substep_time(&by->substepping, part, within));
    const kdr_particles seen = kdr_levels_see(&r->levels, &r->state, range);
    const kdr_instruction *const line = r->step.segment[0].evaluation;
    void *turns_by[3];
    (void)kdr_run_see(r, line->other, turns_by);
    return kdr_run_evaluate(r, &seen, t, a, line->count > 0 ? turns_by : NULL);
}

/* drift_before returns the drift before an evaluation, with the VELOCITY that a relativistic drift needs. middle_behind returns the
 * instructions after the evaluation, up to the next drift. */
static kdr_lines drift_before(const kdr_program *p, int evaluation) {
    return (kdr_lines){evaluation - 1 - (evaluation > 1 && p->line[evaluation - 2].code == KDR_OP_VELOCITY), evaluation};
}

static kdr_lines middle_behind(const kdr_program *p, int evaluation) {
    int end = evaluation + 1;
    while ((p->line[end].code != KDR_OP_ADVANCE && p->line[end].code != KDR_OP_ADVANCE_COMPENSATED &&
            p->line[end].code != KDR_OP_HELD_DRIFT) ||
           p->line[end].out != 0) {
        ++end; /* finds the next drift: x is the first row */
    }
    return (kdr_lines){evaluation + 1, end - (p->line[end - 1].code == KDR_OP_VELOCITY)};
}

static kdr_lines bath_of(const kdr_program *p) {
    int line = 0;
    for (; p->line[line].code != KDR_OP_AMPLITUDE; ++line) {
    }
    return (kdr_lines){line, line + 2}; /* the line of BATH follows */
}

typedef enum lines_of { DRIFT, MIDDLE, BATH } lines_of;

/* Carries out instructions of the method's program for the particles of one level only, with the numbers for that level's step. */
static void carry_out(kdr_system_run_state *r, const kdr_particles *seen, int level, lines_of what, int part, void *const a[3],
                      uint64_t step) {
    const kdr_system *const c = r->system;
    const double own = kdr_problem_clock(r->clock, level).dt;
    const kdr_bath bath = kdr_problem_bath(&c->problem, own);
    const kdr_program *const p = c->steps[kdr_run_dims(r) - 1][kdr_has_masses(seen)];
    const int evaluation = evaluation_of(p, part);
    kdr_program_bind(p, own, NULL, &bath, r->work.numbers);
    kdr_sweeper sweeper = kdr_sweeper_make(p, r->work.numbers, c->backend, &c->desc.executor, seen, false);
    sweeper.job = &r->at_work;
    sweeper.aside = &r->aside;
    for (int k = 0; k < 2 && r->work.lost; ++k) {
        kdr_sweeper_put(&sweeper, (unsigned)(p->lost + k * p->dims), r->work.c[k]);
    }
    if (what == MIDDLE) {
        void *m[3];
        (void)kdr_run_see(r, r->step.segment[0].evaluation->other, m);
        kdr_sweeper_put(&sweeper, p->line[evaluation].out, a);
        if (p->line[evaluation].count > 0) {
            kdr_sweeper_put(&sweeper, p->line[evaluation].other, m);
        }
    }
    const kdr_lines lines = what == BATH ? bath_of(p) : what == DRIFT ? drift_before(p, evaluation) : middle_behind(p, evaluation);
    const kdr_pass pass = {.part = {lines}, .step = step};
    (void)kdr_sweep(&sweeper, &pass);
}

/* Has the particles in the middle of their step at moment m pass the heat bath, whose noise depends on their own step number, or the
 * kick and rotation. */
static void pass_middle(kdr_system_run_state *r, int part, uint64_t m, void *const a[3]) {
    const kdr_leveled *const by = &r->system->leveled;
    const kdr_level_range range = kdr_levels_at(by, r->levels.highest, m, KDR_MIDDLE);
    if ((by->bathes || by->turns) && kdr_levels_are_any(r->levels.inhabited, range)) {
        const int level = range.lowest;
        const kdr_particles seen = kdr_levels_see(&r->levels, &r->state, range);
        const uint64_t step = (kdr_run_step(r) << level) + (m >> (r->levels.highest - level + 1));
        carry_out(r, &seen, level, by->turns ? MIDDLE : BATH, part, a, step);
    }
}

/* Has colliders reflect a drift of length h, which begins at `begin` and lasts `span`, as fractions of the step. */
static void reflect(kdr_system_run_state *r, double h, double begin, double span) {
    const kdr_instruction *const line = r->step.reflects;
    const int at = (int)(line - r->sweeper.program->line);
    const kdr_pass pass = {.part = {{at, at + 1}}, .step = kdr_run_step(r)};
    const double number[] = {h, begin, span};
    for (size_t i = 0; i < 3; ++i) {
        kdr_set_element(r->work.numbers, r->state.real, line->number + i, number[i]);
    }
    (void)kdr_sweep(&r->sweeper, &pass);
}

/* Drifts all particles by h, up to moment m of `last`. Terms and colliders then act on them. */
static kdr_status drift_all(kdr_system_run_state *r, kdr_moves *moves, int part, double h, uint64_t m, uint64_t last) {
    const double drift[2] = {h, 0};
    if (r->system->problem.speed_of_light != 0.0) {
        carry_out(r, &r->state, r->levels.highest, DRIFT, part, NULL, 0);
        return KDR_OK;
    }
    const bool holds = r->system->holds && !r->system->leveled.turns;
    if (holds || r->system->reflects) {
        kdr_run_before_drift(r);
    }
    kdr_move_all(moves, KDR_MOVE_DRIFT, drift, NULL);
    const kdr_status status = holds ? kdr_run_hold(r, h) : KDR_OK;
    if (status == KDR_OK && r->system->reflects) {
        reflect(r, h, (double)(m - 1) / (double)last, 1.0 / (double)last);
    }
    return status;
}

/* Has a periodic boundary move particles back after the step's last drift, if an evaluation follows that the next step begins with. */
static void arrive(kdr_system_run_state *r) {
    const kdr_instruction *const walls = r->step.walls;
    if (walls && kdr_is_empty(r->step.last)) {
        const int line = (int)(walls - r->sweeper.program->line), settles = walls[1].code == KDR_OP_SETTLE;
        const kdr_pass pass = {.part = {{line, line + 1 + settles}}, .step = kdr_run_step(r)};
        (void)kdr_sweep(&r->sweeper, &pass);
    }
}

/* Makes one substep of the clock's step. A kick that ends a level's step and the one that begins the next are one pass, except at the
 * end of the substep. `from` is the kept acceleration; `to` receives new ones. */
static kdr_status part_of_levels(kdr_system_run_state *r, kdr_moves *moves, int part, void *const from[3], void *const to[3]) {
    const kdr_leveled *const by = &r->system->leveled;
    const uint64_t last = (uint64_t)by->drifts << r->levels.highest;
    const double dt = r->clock->dt * by->substepping.fraction[part];
    const double drift = kdr_problem_clock(&(kdr_clock){.dt = dt}, r->levels.highest).dt * by->drift;
    for (uint64_t m = 0; m <= last; ++m) {
        const kdr_level_range wanted = kdr_levels_wanted(by, r->levels.highest, m, r->keeps);
        kdr_status status = m > 0 ? drift_all(r, moves, part, drift, m, last) : KDR_OK;
        if (m == last && part + 1 == by->substepping.count) {
            arrive(r);
        }
        if (status == KDR_OK && kdr_levels_are_any(r->levels.inhabited, wanted)) {
            status = evaluate_levels(r, part, m, wanted, to);
        }
        if (status != KDR_OK) {
            return status;
        }
        if (!by->turns) {
            kdr_levels_kick(&r->levels, moves, m == 0 && r->keeps ? from : to, by, m, dt);
        }
        pass_middle(r, part, m, to);
    }
    return KDR_OK;
}

/* Makes a step. The accelerations that it began with are not overwritten, because they remain the memory if it fails. */
static kdr_status step_of_levels(kdr_system_run_state *r, kdr_moves *moves) {
    const int fresh = r->keeps ? 1 - r->whole : 0;
    kdr_status status = KDR_OK;
    for (int part = 0; part < r->system->leveled.substepping.count && status == KDR_OK; ++part) {
        status = part_of_levels(r, moves, part, r->work.a[part == 0 ? r->whole : fresh], r->work.a[fresh]);
    }
    r->newest = fresh;
    if (status == KDR_OK && moves->sweeper.job && r->system->leveled.kick[KDR_ENDING] != 0.0 && !r->system->leveled.turns) {
        kdr_move_all(moves, KDR_MOVE_HOLD, (double[2]){r->clock->dt * r->system->leveled.kick[KDR_ENDING], 0}, NULL);
    }
    return status == KDR_OK ? kdr_run_end_step(r) : status;
}

kdr_status kdr_run_levels(kdr_system_run_state *r) {
    const kdr_swept arrays = kdr_run_arrays(r, &r->state);
    kdr_moves moves;
    kdr_moves_make(&moves, r->system->backend, r->system->problem.arithmetic, &r->system->desc.executor, &r->state,
                   r->work.lost ? r->work.c : NULL, (r->at_work.terms & KDR_TERM_HELD) ? &r->at_work : NULL);
    kdr_status status = KDR_OK;
    for (r->done = 0; r->done < r->steps && status == KDR_OK && r->ended == KDR_OK; r->done += status == KDR_OK) {
        kdr_run_begin_step(r);
        if (r->system->fails || r->system->meets) {
            kdr_sweep_take(&arrays, r->work.before_x, r->work.before_v);
            for (int k = 0; k < 2 && r->work.lost; ++k) {
                kdr_sweep_copies(&arrays, r->work.before_c[k], r->work.c[k]);
            }
            r->back = COPIES;
        }
        if (r->work.inside) {
            kdr_levels_make(&r->state, r->work.order, r->work.marks, &r->levels);
        }
        status = step_of_levels(r, &moves);
        if (status == KDR_OK && r->events) {
            status = kdr_run_watch(r);
        }
    }
    return status;
}
