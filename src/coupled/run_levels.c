/* Runs with block time steps: each kick is that of a level or more, and the drift a sweep of its own. */
#include "moves.h"
#include "run.h"

/* At `fraction` of substep s of a part of the step, of the particles that have at least this level. */
static kdr_status evaluate_level(kdr_run *r, int part, uint64_t s, double fraction, int lowest, void *const a[3]) {
    const double substeps = (double)(UINT64_C(1) << r->levels.highest), within = ((double)s + fraction) / substeps;
    const double t = kdr_clock_time(r->clock, r->clock->step + r->done, kdr_substep_time(&r->coupled->leveled.substepping, part, within));
    const kdr_particles seen = kdr_levels_see(&r->levels, &r->state, lowest);
    return kdr_run_evaluate(r, &seen, t, a);
}

/* The kick that ends a step and the one that begins the next are one pass, but at the end of a part, where all particles' steps end.
 * `from`: what the method keeps; `to`: where accelerations go. */
static kdr_status part_of_levels(kdr_run *r, kdr_moves *moves, int part, void *const from[3], void *const to[3]) {
    const kdr_splitting_row *const row = &r->coupled->leveled.row;
    const uint64_t substeps = UINT64_C(1) << r->levels.highest;
    const bool ends = row->stages == 2; /* with kicks; the step of one kick and drift begins with it */
    const double dt = r->clock->dt * r->coupled->leveled.substepping.fraction[part], kick[2] = {row->kick[ends], row->kick[0]};
    const double drift[2] = {kdr_problem_clock(&(kdr_clock){.dt = dt}, r->levels.highest).dt * row->drift[0], 0};
    if (r->keeps) {
        kdr_levels_kick(&r->levels, moves, from, 0, dt, row->kick, 1);
    }
    for (uint64_t s = 0; s < substeps; ++s) {
        const int lowest = kdr_levels_lowest(r->levels.highest, s + ends);
        if (ends) {
            kdr_move_all(moves, KDR_MOVE_DRIFT, drift, NULL);
        }
        const kdr_status status = evaluate_level(r, part, s, ends ? 1.0 : 0.0, lowest, to);
        if (status != KDR_OK) {
            return status;
        }
        kdr_levels_kick(&r->levels, moves, to, lowest, dt, kick, r->keeps && s + 1 < substeps ? 2 : 1);
        if (!ends) {
            kdr_move_all(moves, KDR_MOVE_DRIFT, drift, NULL);
        }
    }
    return KDR_OK;
}

/* What is evaluated on the way does not overwrite the accelerations that the step began with: they are the memory, should it fail. */
static kdr_status step_of_levels(kdr_run *r, kdr_moves *moves) {
    const int fresh = r->keeps ? 1 - r->whole : 0;
    kdr_status status = KDR_OK;
    for (int part = 0; part < r->coupled->leveled.substepping.count && status == KDR_OK; ++part) {
        status = part_of_levels(r, moves, part, r->work.a[part == 0 ? r->whole : fresh], r->work.a[fresh]);
    }
    if (status == KDR_OK) {
        r->newest = r->whole = fresh;
    }
    return status;
}

kdr_status kdr_run_levels(kdr_run *r) {
    const kdr_swept arrays = kdr_run_arrays(r, &r->state);
    kdr_moves moves;
    kdr_moves_make(&moves, r->coupled->backend, r->coupled->problem.arithmetic, &r->coupled->desc.executor, &r->state);
    kdr_status status = KDR_OK;
    for (r->done = 0; r->done < r->steps && status == KDR_OK && r->ended == KDR_OK; r->done += status == KDR_OK) {
        if (r->coupled->fails) {
            kdr_sweep_take(&arrays, r->work.before_x, r->work.before_v);
            r->back = COPIES;
        }
        status = step_of_levels(r, &moves);
        if (status == KDR_OK && kdr_run_rests(r)) {
            kdr_run_rest(r, r->whole);
        }
        if (status == KDR_OK && r->events) {
            kdr_run_watch(r);
        }
    }
    return status;
}
