/* Checks the arguments of system runs, beyond the checks of field runs. */
#include "../particles/arrays.h"
#include "../particles/error.h"
#include "../particles/rounding.h"
#include "system.h"

kdr_status kdr_system_check_workspace(const kdr_particles *p, const kdr_workspace *workspace, kdr_error *error) {
    for (int n = 0; n < KDR_ARRAYS; n = kdr_next_array(n, p->dims)) {
        const kdr_array_row *const row = &kdr_arrays[n];
        const size_t real = kdr_real_size(p->real), size = row->size ? row->size : real;
        const kdr_layout layout = kdr_array_layout(p, row, real);
        const bool shares = kdr_shares_memory(p->count, kdr_array_data(p, row), &layout, size, workspace->memory, workspace->size);
        KDR_CHECK(!shares, error, KDR_ERROR_OVERLAP,
                  "workspace: expected memory separate from the particles' arrays, but %s[%d] lies in it", row->name, row->axis);
    }
    return KDR_OK;
}

kdr_status kdr_system_check(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                            kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(system, error, KDR_ERROR_NULL, "system: expected a pointer, got NULL");
    kdr_status status = kdr_problem_check_run(&system->problem, particles, clock, steps, error);
    if (status == KDR_OK) {
        status = kdr_system_check_particles(&system->desc, &system->problem, particles, error);
    }
    if (status == KDR_OK) {
        status = kdr_system_check_rows(&system->desc, &system->problem, particles, error);
    }
    for (size_t t = 0; t < system->term_count && status == KDR_OK; ++t) {
        status = system->terms[t].check ? system->terms[t].check(system->terms[t].data, particles, error) : KDR_OK;
    }
    return status;
}

kdr_status kdr_system_check_run(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                const kdr_workspace *workspace, kdr_error *error) {
    const kdr_status status = kdr_system_check(system, particles, clock, steps, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(workspace && workspace->memory, error, KDR_ERROR_NULL, "workspace: expected memory, got NULL");
    const size_t size = kdr_system_workspace_size(system, particles->count, particles->dims);
    KDR_CHECK(size > 0 && workspace->size >= size, error, KDR_ERROR_MISMATCH,
              "workspace: expected at least %zu bytes for %zu particles, got %zu", size, particles->count, workspace->size);
    return kdr_system_check_workspace(particles, workspace, error);
}

kdr_status kdr_system_check_blocks(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                   kdr_error *error) {
    KDR_CHECK(system, error, KDR_ERROR_NULL, "system: expected a pointer, got NULL");
    KDR_CHECK(!system->desc.rows, error, KDR_ERROR_UNSUPPORTED, "rows: blocks expected arrays an axis, got rows; take kdr_system_run");
    kdr_status status = kdr_problem_check_run(&system->problem, particles, clock, steps, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(!kdr_watches_stop(system->problem.watches, system->problem.watch_count), error, KDR_ERROR_UNSUPPORTED,
              "watches: runs in blocks watch nothing, and one stops particles or the run; take kdr_system_run");
    KDR_CHECK(!particles->level, error, KDR_ERROR_UNSUPPORTED,
              "particles.level: runs in blocks have one step for all, got levels; take kdr_system_run");
    status = kdr_system_check_particles(&system->desc, &system->problem, particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(!particles->events || system->problem.watch_count == 0, error, KDR_ERROR_UNSUPPORTED,
              "particles.events: runs in blocks watch nothing, expected NULL; take kdr_system_run");
    KDR_CHECK(system->term_count == 0, error, KDR_ERROR_UNSUPPORTED,
              "system: runs in blocks expected particles that do not feel each other, got %zu interactions; take kdr_system_run",
              system->term_count);
    KDR_CHECK(!system->problem.row->data.implicit, error, KDR_ERROR_UNSUPPORTED,
              "method: %s is solved for all particles at once, and blocks would each end at an iteration of their own; take kdr_system_run",
              system->problem.row->info.name);
    KDR_CHECK(!system->problem.row->data.kinematic, error, KDR_ERROR_UNSUPPORTED,
              "method: %s has maps that are made for all particles at once, and blocks know of none; take kdr_system_run",
              system->problem.row->info.name);
    return KDR_OK;
}
