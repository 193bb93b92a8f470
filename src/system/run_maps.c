/* Kinematic methods in system runs: maps of single particles, and changes by driven fields. */
#include <string.h>

#include "../backend/backend.h"
#include "run.h"

void kdr_run_prepare_maps(kdr_system_run_state *r) {
    const kdr_problem *const problem = &r->system->problem;
    r->maps = r->job;
    r->maps.program = r->system->maps[kdr_run_dims(r) - 1][r->particles->inverse_mass != NULL];
    r->maps.numbers = r->work.field_numbers; /* the job needs some numbers; maps use none of them */
    r->maps.dt = r->clock->dt;
    r->maps.contributions = kdr_problem_sums(problem) ? &problem->contributions : NULL;
    r->maps.map_axis = kdr_map_axis;
    r->maps.map_axes = kdr_map_axes;
    r->maps.axis_rates = kdr_affine_axis_rates;
    r->maps.maps = kdr_backend_maps(r->system->backend);
}

void kdr_run_make_maps(const kdr_system_run_state *r) {
    const kdr_swept arrays = kdr_run_arrays(r, &r->state);
    kdr_evaluated to = {.adds = {false}};
    for (int n = r->work.maps; n < r->work.rows; ++n) {
        memcpy(to.row[n - r->work.maps], r->work.row[n], sizeof to.row[0]);
    }
    if (r->work.maps < r->work.rows) {
        kdr_sweep_field(&arrays, &r->maps, &to);
    }
}

/* dx and dv take the places of the base values of two evaluations. */
void kdr_run_drive(kdr_system_run_state *r) {
    const kdr_problem *const problem = &r->system->problem;
    double moved[6] = {0};
    if (!kdr_problem_sums(problem)) {
        return;
    }
    kdr_problem_drive(problem, r->clock, r->clock->step + r->done, moved);
    r->sweeper.base = problem->real == KDR_F32 ? (const void *)r->narrow_drive : r->drive;
    for (int i = 0; i < 6; ++i) {
        const int to = i / 3 * KDR_BASE + i % 3;
        r->drive[to] = moved[i];
        r->narrow_drive[to] = (float)moved[i];
    }
}
