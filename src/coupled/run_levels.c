/* Runs with block time steps: each kick is that of a level or more, and the drift a sweep of its own. */
#include "moves.h"
#include "run.h"

/* At `fraction` of substep s of the step, of the particles that have at least this level. */
static kdr_status evaluate_level(kdr_run *r, uint64_t s, double fraction, int lowest, void *const a[3]) {
    const kdr_clock own = kdr_problem_clock(r->clock, r->levels.highest);
    const uint64_t substep = own.step + (r->done << r->levels.highest) + s;
    const kdr_particles seen = kdr_levels_see(&r->levels, &r->state, lowest);
    return kdr_run_evaluate(r, &seen, kdr_clock_time(&own, substep, fraction), a);
}

/* The kick that ends a step and the one that begins the next are one pass, but at the end of the clock's step, where all particles' steps
 * end. What is evaluated on the way does not overwrite the accelerations that the step began with: they are the memory, should it fail. */
static kdr_status step_of_levels(kdr_run *r, const kdr_splitting_row *row, kdr_moves *moves) {
    const uint64_t substeps = UINT64_C(1) << r->levels.highest;
    const bool ends = row->stages == 2; /* with kicks; the step of one kick and drift begins with it */
    const double dt = r->clock->dt, kick[2] = {row->kick[ends], row->kick[0]};
    const double drift[2] = {kdr_problem_clock(r->clock, r->levels.highest).dt * row->drift[0], 0};
    const int fresh = r->keeps ? 1 - r->whole : 0;
    if (r->keeps) {
        kdr_levels_kick(&r->levels, moves, r->work.a[r->whole], 0, dt, row->kick, 1);
    }
    for (uint64_t s = 0; s < substeps; ++s) {
        const int lowest = kdr_levels_lowest(r->levels.highest, s + ends);
        if (ends) {
            kdr_move_all(moves, KDR_MOVE_DRIFT, drift, NULL);
        }
        const kdr_status status = evaluate_level(r, s, r->fraction[0], lowest, r->work.a[fresh]);
        if (status != KDR_OK) {
            return status;
        }
        kdr_levels_kick(&r->levels, moves, r->work.a[fresh], lowest, dt, kick, r->keeps && s + 1 < substeps ? 2 : 1);
        if (!ends) {
            kdr_move_all(moves, KDR_MOVE_DRIFT, drift, NULL);
        }
    }
    r->newest = r->whole = fresh;
    return KDR_OK;
}

kdr_status kdr_run_levels(kdr_run *r) {
    const kdr_splitting_row *const row = r->coupled->problem.row->data.splitting;
    const kdr_arrays arrays = kdr_run_arrays(r, &r->state);
    kdr_moves moves;
    kdr_moves_make(&moves, r->coupled->backend, r->coupled->problem.arithmetic, &r->coupled->desc.executor, &r->state);
    kdr_status status = KDR_OK;
    for (r->done = 0; r->done < r->steps && status == KDR_OK; r->done += status == KDR_OK) {
        if (r->coupled->fails) {
            kdr_sweep_take(&arrays, r->work.before_x, r->work.before_v);
            r->back = COPIES;
        }
        status = step_of_levels(r, row, &moves);
    }
    return status;
}
