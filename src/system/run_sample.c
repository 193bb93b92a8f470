/* Dense output of system runs: a shortened step of all particles, on a copy of the view. */
#include <string.h>

#include "../particles/error.h"
#include "../particles/rounding.h"
#include "../problem/sample.h"
#include "run.h"

static kdr_status check(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, double fraction,
                        const kdr_workspace *workspace, const kdr_particles *to, kdr_error *error) {
    kdr_status status = kdr_system_check_run(system, particles, clock, 1, workspace, error);
    if (status == KDR_OK) {
        status = kdr_sample_check(&system->problem, particles, clock, fraction, to, error);
    }
    if (status == KDR_OK) {
        status = kdr_system_check_workspace(to, workspace, error);
    }
    return status == KDR_OK ? kdr_system_check_rows(&system->desc, &system->problem, to, error) : status;
}

kdr_status kdr_system_sample(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, double fraction,
                             const kdr_workspace *workspace, kdr_particles *to, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    const kdr_status status = check(system, particles, clock, fraction, workspace, to, error);
    if (status != KDR_OK) {
        return status;
    }
    const bool is_whole = fraction == 1.0, stands = fraction == 0.0 || particles->count == 0;
    const kdr_clock part = {kdr_clock_time(clock, clock->step, 0.0), fraction * clock->dt, 0};
    const bool resumes = kdr_problem_resumes(&system->problem, particles, clock);
    kdr_sample_copy(particles, to);
    kdr_particles view = kdr_sample_view(particles, to);
    if (!system->problem.row->info.memory) { /* the method keeps no memory */
        memset(view.memory, 0, sizeof view.memory);
    }
    return stands     ? KDR_OK
           : is_whole ? kdr_run_apart(system, &view, clock, clock->dt, 0, resumes, workspace, error)
                      : kdr_run_apart(system, &view, &part, clock->dt, clock->step,
                                      resumes && !kdr_problem_remembers_step(&system->problem), workspace, error);
}
