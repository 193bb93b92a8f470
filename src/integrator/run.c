/* Field runs.
 *
 * The particles are cut into blocks, the executor's unit of work. A kernel takes a tile of particles through all steps before it goes on
 * to the next tile. In a driven field the base acceleration changes with time. A few blocks are then taken through chunks of steps whose
 * base values fit a small table. If the particles carry no memory or compensations, a few kilobytes are lent for them between chunks.
 *
 * The particles of each level are a run of their own, with the steps and the clock of that level. */
#include "run.h"

#include <stddef.h>
#include <string.h>

#include "../particles/error.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"
#include "pack.h"

enum { BLOCK = KDR_BLOCK };

/* A run, and the pack that its particles may need. */
typedef struct packed_run {
    kdr_field_run run;
    kdr_pack pack;
} packed_run;

/* Takes particles [begin, end) through a driven run. Lent memory is in columns of `column` bytes. */
static void run_driven_some(const kdr_field_run *r, const kdr_job *whole, char *own, size_t column, size_t begin, size_t end) {
    double table[KDR_RUN_TABLE * KDR_BASE], start[KDR_BASE];
    const uint64_t chunk = KDR_RUN_TABLE / (uint64_t)r->evaluations;
    kdr_job job = *whole;
    kdr_run_lend(r, &job, own, column, begin);
    for (uint64_t done = 0; done < whole->steps; done += job.steps) {
        const uint64_t left = whole->steps - done;
        kdr_run_piece(r, whole, done, left < chunk ? left : chunk, table, start, &job);
        kdr_program_run(&job, begin, end);
    }
}

/* Takes particles through a driven run in groups. A group is as large as lent memory permits, because all its particles use the same
 * base values, but not larger than a second-level cache. Not inlined, so that other runs do not need its stack. */
static __attribute__((noinline)) void run_driven(const kdr_field_run *r, const kdr_job *job, size_t begin, size_t end) {
    enum { MOST = 8 * BLOCK };
    _Alignas(64) char own[KDR_RUN_LENT * BLOCK * sizeof(double)];
    const kdr_problem *const problem = &r->setup->problem;
    const bool lends = !r->carries && (problem->row->info.memory || problem->compensated);
    const size_t column = sizeof own / (problem->compensated ? KDR_RUN_LENT : 3), room = column / kdr_real_size(problem->real);
    const size_t most = lends && room < MOST ? room : MOST;
    for (size_t b = begin; b < end; b += most) {
        run_driven_some(r, job, own, column, b, end - b < most ? end : b + most);
    }
}

/* Steps particles [begin, end) of a job: the run's own, or a packed one. */
static void run_range(const void *argument, const kdr_job *job, size_t begin, size_t end) {
    const kdr_field_run *r = argument;
    if (r->events) {
        kdr_watch_run(r, job, begin, end);
        return;
    }
    if (!(job->terms & KDR_TERM_DRIVEN)) {
        kdr_program_run(job, begin, end);
        return;
    }
    run_driven(r, job, begin, end);
}

static void run_blocks(void *argument, size_t first, size_t last) {
    const packed_run *r = argument;
    const size_t count = r->run.particles->count, begin = first * BLOCK;
    const size_t end = last * BLOCK < count ? last * BLOCK : count;
    const kdr_column *const x = r->run.events ? NULL : kdr_pack_members(&r->pack);
    if (x && kdr_program_step_members(&r->run.job, (char *)x->array[0], x->layout.stride, begin, end)) {
        return;
    }
    if (kdr_pack_is_needed(&r->pack)) {
        kdr_pack_run(&r->pack, begin, end, run_range, &r->run);
    } else {
        run_range(&r->run, &r->run.job, begin, end);
    }
}

/* Recorders of a run; NULL if the list is not wanted. */
typedef struct recorders {
    kdr_recorder *contacts, *events;
} recorders;

/* Runs the particles of one level on that level's own clock. Whether memory may be resumed is decided by the view's clock, from which
 * the key was made. `scaled` is scratch for the coefficients of a composed method; it may be NULL otherwise. */
static __attribute__((noinline)) void run_level(const kdr_setup *setup, const kdr_particles *particles, const kdr_clock *clock,
                                                uint64_t steps, int level, const recorders *to, double *scaled) {
    const kdr_clock own = kdr_problem_clock(clock, level);
    packed_run r;
    kdr_run_prepare(setup, particles, &own, steps << level, scaled, &r.run);
    r.run.job.resume = kdr_problem_resumes(&setup->problem, particles, clock);
    r.run.level = level;
    r.run.events = to->events;
    r.run.job.recorder = to->contacts;
    if (to->contacts) {
        to->contacts->t0 = own.t0;
        to->contacts->dt = own.dt;
    }
    kdr_pack_make(&r.pack, setup->backend, &r.run.job, particles, level);
    kdr_parallel_for(&setup->desc.executor, kdr_blocks(particles->count), run_blocks, &r);
}

/* Not inlined, so that methods without a composition do not need its stack. */
static __attribute__((noinline)) void run_composed_level(const kdr_setup *setup, const kdr_particles *particles, const kdr_clock *clock,
                                                         uint64_t steps, int level, const recorders *to) {
    double scaled[KDR_MAX_LENGTHS * KDR_MAX_SCALED];
    run_level(setup, particles, clock, steps, level, to, scaled);
}

/* Begins a run without making a step. */
static void run_nothing(const void *argument, const kdr_job *job, size_t begin, size_t end) {
    (void)argument;
    kdr_program_run(job, begin, end);
}

static void begin_level(const kdr_setup *setup, const kdr_particles *particles, const kdr_clock *clock, size_t begin, size_t end,
                        int level) {
    double scaled[KDR_MAX_LENGTHS * KDR_MAX_SCALED];
    const kdr_clock own = kdr_problem_clock(clock, level);
    packed_run r;
    kdr_run_prepare(setup, particles, &own, 0, scaled, &r.run);
    r.run.job.resume = false;
    kdr_pack_make(&r.pack, setup->backend, &r.run.job, particles, level);
    if (kdr_pack_is_needed(&r.pack)) {
        kdr_pack_run(&r.pack, begin, end, run_nothing, NULL);
    } else {
        run_nothing(NULL, &r.run.job, begin, end);
    }
}

kdr_status kdr_integrator_init_memory(const kdr_integrator *integrator, kdr_particles *particles, const kdr_clock *clock, size_t begin,
                                      size_t count, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    const kdr_setup *const setup = integrator->setup;
    const kdr_status status = kdr_problem_check_run(&setup->problem, particles, clock, 0, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(begin <= particles->count && count <= particles->count - begin, error, KDR_ERROR_ARGUMENT,
              "begin, count: expected particles of %zu, got %zu from %zu on", particles->count, count, begin);
    KDR_CHECK(setup->problem.row->family->info.velocities || !setup->problem.row->info.memory, error, KDR_ERROR_UNSUPPORTED,
              "integrator: %s begins with all particles at once; take velocity-verlet", setup->problem.row->info.name);
    if (!kdr_problem_resumes(&setup->problem, particles, clock)) {
        return KDR_OK; /* the next run will begin with all particles */
    }
    const int highest = kdr_highest_level(particles);
    for (int level = 0; level <= highest; ++level) {
        begin_level(setup, particles, clock, begin, begin + count, level);
    }
    return KDR_OK;
}

static void run_levels(const kdr_setup *setup, kdr_particles *particles, kdr_clock *clock, uint64_t steps, const recorders *to) {
    const int highest = kdr_highest_level(particles);
    for (int level = 0; level <= highest; ++level) {
        if (!kdr_any_at_level(particles, level)) {
            continue;
        }
        if (setup->problem.substepping.count > 1) {
            run_composed_level(setup, particles, clock, steps, level, to);
        } else {
            run_level(setup, particles, clock, steps, level, to, NULL);
        }
    }
    clock->step += steps;
    particles->memory_key = kdr_problem_memory_key(&setup->problem, particles, clock);
}

kdr_status kdr_integrator_run(const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                              kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    const kdr_setup *const setup = integrator->setup;
    kdr_status status = kdr_problem_check_run(&setup->problem, particles, clock, steps, error);
    if (status == KDR_OK) {
        status = kdr_problem_check_stops(&setup->problem, particles, false, error);
    }
    if (status != KDR_OK || steps == 0) {
        return status;
    }
    kdr_recorder of_contacts, of_events;
    const bool watches = particles->events && setup->problem.watch_count > 0;
    const recorders to = {particles->contacts ? &of_contacts : NULL, watches ? &of_events : NULL};
    if (to.contacts) {
        kdr_recorder_of_contacts(to.contacts, particles->contacts, false);
    }
    if (to.events) {
        kdr_recorder_of_events(to.events, particles->events, clock->dt < 0.0);
    }
    const bool one_by_one = kdr_problem_does(&setup->problem, particles, KDR_ACTION_STOP_RUN);
    bool stopped = false;
    for (uint64_t done = 0; done < steps && !stopped; done += one_by_one ? 1 : steps) {
        run_levels(setup, particles, clock, one_by_one ? 1 : steps, &to);
        stopped = to.events && to.events->stopped;
    }
    if (to.contacts) {
        kdr_recorder_end(to.contacts);
    }
    if (to.events) {
        kdr_recorder_end(to.events);
    }
    return stopped ? kdr_recorder_stopped(clock->step, error) : KDR_OK;
}

uint64_t kdr_integrator_evaluations(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                    uint64_t steps) {
    KDR_ROUND_TO_NEAREST;
    if (!integrator || !particles || !clock) {
        return 0;
    }
    const kdr_setup *const setup = integrator->setup;
    const bool marked = !particles->active || particles->active_count == particles->count;
    const bool levelled = !particles->level || particles->level_count == particles->count;
    uint64_t evaluations = 0;
    const int highest = marked && levelled ? kdr_highest_level(particles) : -1;
    for (int level = 0; level <= highest && level <= KDR_MAX_LEVEL; ++level) {
        const uint64_t count = kdr_count_at_level(particles, level);
        evaluations += count ? count * kdr_problem_evaluations(&setup->problem, particles, clock, steps << level) : 0;
    }
    return evaluations;
}
