/* Running an integrator: a field run.
 *
 * The particles are cut into blocks, the executor's unit of work; a kernel takes a tile of particles through all the steps before it goes
 * on to the next. In a driven field the base acceleration changes with time: each block is then taken through the steps in chunks whose
 * base values fit a small table, and a method's memory and compensations live in the block's own few kilobytes between chunks when the
 * particles carry none.
 *
 * Particles of one level are a run of their own, with the steps and the clock of that level. */
#include <stddef.h>
#include <string.h>

#include "../particles/contacts.h"
#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"
#include "integrator.h"
#include "pack.h"

enum { BLOCK = KDR_BLOCK, TABLE = 128 };

typedef struct run {
    const kdr_setup *setup;
    const kdr_clock *clock;
    size_t count;
    kdr_job job;
    bool carries;    /* the particles have the arrays for what a run leaves for the next */
    int evaluations; /* a step, of a driven field: rows of the table of base values */
    kdr_pack pack;   /* from here on nothing is cleared: a call of one particle is as long as that */
    kdr_affine_map map;
    double fraction[KDR_MAX_FRACTIONS], substep[KDR_MAX_SUBSTEPS];
    double numbers[KDR_MAX_NUMBERS]; /* of the program, in the particles' precision */
    double base[KDR_BASE];           /* in the particles' precision */
} run;

/* In place: doubles become the particles' precision. */
static void narrow(const run *r, double *values, size_t count) {
    float *const to = (float *)(void *)values;
    for (size_t i = 0; i < count && r->setup->problem.real == KDR_F32; ++i) {
        const float value = (float)values[i];
        memcpy(to + i, &value, sizeof value);
    }
}

/* The base values of `steps` steps from `first`. An evaluation at the time of the one before takes its value. A method that adds up
 * contributions has those of the driven fields instead. */
static void tabulate(const run *r, uint64_t first, uint64_t steps, double *table) {
    double *row = table, last = 0.0;
    bool known = false;
    for (uint64_t n = 0; n < steps && kdr_problem_sums(&r->setup->problem); ++n, row += 2 * KDR_BASE) {
        double moved[6];
        kdr_problem_drive(&r->setup->problem, r->clock, first + n, moved);
        memcpy(row, moved, 3 * sizeof *moved);
        memcpy(row + KDR_BASE, moved + 3, 3 * sizeof *moved);
    }
    for (uint64_t n = 0; n < steps && !kdr_problem_sums(&r->setup->problem); ++n) {
        for (int e = 0; e < r->evaluations; ++e, row += KDR_BASE) {
            const double t = kdr_clock_time(r->clock, first + n, r->fraction[e]);
            if (known && t == last) {
                memcpy(row, row - KDR_BASE, KDR_BASE * sizeof *row);
            } else {
                kdr_field_base(r->job.field, r->job.terms, t, row);
                row[3] = t;
            }
            last = t;
            known = true;
        }
    }
    narrow(r, table, (size_t)(row - table));
}

/* The base values at the start of step n, in the particles' precision. */
static void base_at(const run *r, uint64_t n, double base[KDR_BASE]) {
    base[3] = kdr_clock_time(r->clock, n, 0.0);
    kdr_field_base(r->job.field, r->job.terms, base[3], base);
    narrow(r, base, KDR_BASE);
}

/* Particles [begin, end) of a job, at most a block, through a driven run. Not inlined: runs in other fields do without its stack. */
static __attribute__((noinline)) void run_driven_block(const run *r, const kdr_job *whole, size_t begin, size_t end) {
    double table[TABLE * KDR_BASE], start[KDR_BASE];
    _Alignas(64) char own[9][BLOCK * sizeof(double)];
    const bool remembers = r->setup->problem.row->info.memory, compensated = r->setup->problem.compensated;
    const uint64_t chunk = TABLE / (uint64_t)r->evaluations;
    kdr_job job = *whole;
    job.base = table;
    job.base_stride = KDR_BASE * (size_t)(r->evaluations / job.substeps) * kdr_real_size(r->setup->problem.real);
    job.start_base = start;
    /* The kernel indexes memory as it does the particles: a block's own memory stands where particle 0 would be. */
    const size_t back = begin * kdr_real_size(r->setup->problem.real);
    for (int i = 0; i < 3 && remembers && !r->carries; ++i) {
        job.memory[i] = (void *)((uintptr_t)own[i] - back);
    }
    for (int i = 0; i < 6 && compensated && !r->carries; ++i) {
        job.compensation[i] = (void *)((uintptr_t)own[3 + i] - back);
    }
    for (uint64_t done = 0; done < whole->steps; done += job.steps) {
        const uint64_t left = whole->steps - done;
        job.steps = left < chunk ? left : chunk;
        job.resume = whole->resume || ((remembers || compensated) && done > 0);
        job.begun = done > 0;
        job.unfinished = left > job.steps;
        job.first_step = r->clock->step + done;
        tabulate(r, job.first_step, job.steps, table);
        base_at(r, job.first_step, start);
        kdr_program_run(&job, begin, end);
    }
}

/* Particles [begin, end) of a job: the run's own, or a packed one. */
static void run_range(const void *argument, const kdr_job *job, size_t begin, size_t end) {
    const run *r = argument;
    if (!(job->terms & KDR_TERM_DRIVEN)) {
        kdr_program_run(job, begin, end);
        return;
    }
    for (size_t b = begin; b < end; b += BLOCK) {
        run_driven_block(r, job, b, end - b < BLOCK ? end : b + BLOCK);
    }
}

static void run_blocks(void *argument, size_t first, size_t last) {
    const run *r = argument;
    const size_t begin = first * BLOCK;
    const size_t end = last * BLOCK < r->count ? last * BLOCK : r->count;
    if (kdr_pack_is_needed(&r->pack)) {
        kdr_pack_run(&r->pack, begin, end, run_range, r);
    } else {
        run_range(r, &r->job, begin, end);
    }
}

/* The numbers of the program, for the step or for each length of its substeps. */
static void bind_numbers(run *r, const kdr_particles *particles, double *scaled) {
    const kdr_problem *const problem = &r->setup->problem;
    const kdr_program *const program = r->job.program;
    const kdr_substepping *const substepping = &problem->substepping;
    const bool is_prepared = kdr_has_prepared(r->setup, r->clock->dt);
    const size_t first = (size_t)program->scaled_begin * program->size, set = kdr_scaled_size(program);
    if (problem->row->data.kinematic) {
        memset(&r->map, 0, sizeof r->map);
    }
    for (int s = 0, bound = 0; s < substepping->count; ++s) {
        r->substep[s] = r->clock->dt * substepping->fraction[s];
        if (substepping->length[s] < bound) {
            continue;
        }
        if (!is_prepared) {
            kdr_problem_map(problem, particles, r->substep[s], &r->map);
        }
        kdr_program_bind(program, r->substep[s], is_prepared ? &r->setup->prepared[particles->dims - 1] : &r->map, &r->job.bath,
                         r->numbers);
        if (scaled) {
            memcpy((char *)scaled + (size_t)bound * set, (const char *)r->numbers + first, set);
        }
        ++bound;
    }
    r->job.substeps = substepping->count;
    r->job.substep = r->substep;
    r->job.numbers = r->numbers;
    r->job.scaled = scaled;
}

static void run_prepare(const kdr_setup *setup, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps, double *scaled,
                        run *r) {
    const kdr_problem *problem = &setup->problem;
    memset(r, 0, offsetof(run, pack));
    r->setup = setup;
    r->clock = clock;
    r->count = particles->count;
    r->carries = kdr_problem_carries(problem, particles);
    r->job.field = &problem->field;
    r->job.row = problem->row;
    r->job.terms = kdr_problem_terms(problem, particles);
    if (r->job.terms & KDR_TERM_DRIVEN) {
        r->evaluations = kdr_problem_sums(problem) ? 2 : kdr_problem_times(problem, r->fraction);
    }
    r->job.dims = particles->dims;
    r->job.dt = clock->dt;
    r->job.steps = steps;
    r->job.inverse_mass = particles->inverse_mass;
    r->job.resume = kdr_problem_resumes(problem, particles, clock);
    r->job.bath = kdr_problem_bath(problem, clock->dt);
    r->job.program = setup->program[particles->dims - 1][particles->inverse_mass != NULL];
    bind_numbers(r, particles, scaled);
    r->job.map_axis = kdr_map_axis;
    r->job.map_axes = kdr_map_axes;
    r->job.axis_rates = kdr_affine_axis_rates;
    r->job.maps = setup->maps;
    r->job.fused_roots = setup->fused_roots;
    r->job.contributions = kdr_problem_sums(problem) ? &problem->contributions : NULL;
    r->job.id = particles->id;
    r->job.first_id = particles->first_id;
    r->job.first_step = clock->step;
    r->job.walls = setup->walls.folded[particles->dims - 1];
    r->job.wall_count = kdr_wall_count(problem);
    r->job.hits = particles->hits;
    r->job.unsolved = particles->unsolved;
    memcpy(r->job.dissipated, particles->dissipated, sizeof r->job.dissipated);
    r->job.error = particles->error;
    r->job.note = kdr_recorder_note;
    r->job.first_collider = problem->constraint_count;
    for (int i = 0; i < particles->dims; ++i) {
        r->job.x[i] = particles->x[i];
        r->job.v[i] = particles->v[i];
        r->job.images[i] = particles->images[i];
        r->job.memory[i] = r->carries && problem->row->info.memory ? particles->memory[i] : NULL;
        r->job.compensation[i] = r->carries && problem->compensated ? particles->compensation[i] : NULL;
        r->job.compensation[3 + i] = r->carries && problem->compensated ? particles->compensation[3 + i] : NULL;
    }
    base_at(r, clock->step, r->base);
    r->job.base = r->job.start_base = r->base;
}

/* The particles of one level, whose clock is not that of the view: does it hold what they go on from? `recorder`: of contacts, or NULL;
 * `scaled`: room for numbers of substeps, where there are several. */
static __attribute__((noinline)) void run_level(const kdr_setup *setup, const kdr_particles *particles, const kdr_clock *clock,
                                                uint64_t steps, int level, kdr_recorder *recorder, double *scaled) {
    const kdr_clock own = kdr_problem_clock(clock, level);
    run r;
    run_prepare(setup, particles, &own, steps << level, scaled, &r);
    r.job.resume = kdr_problem_resumes(&setup->problem, particles, clock);
    r.job.recorder = recorder;
    if (recorder) {
        recorder->t0 = own.t0;
        recorder->dt = own.dt;
    }
    kdr_pack_make(&r.pack, setup->backend, &r.job, particles, level);
    kdr_parallel_for(&setup->desc.executor, kdr_blocks(particles->count), run_blocks, &r);
}

/* Not inlined: others do without its stack. */
static __attribute__((noinline)) void run_composed_level(const kdr_setup *setup, const kdr_particles *particles, const kdr_clock *clock,
                                                         uint64_t steps, int level, kdr_recorder *recorder) {
    double scaled[KDR_MAX_LENGTHS * KDR_MAX_SCALED];
    run_level(setup, particles, clock, steps, level, recorder, scaled);
}

/* What begins a run, and none of its steps. */
static void run_nothing(const void *argument, const kdr_job *job, size_t begin, size_t end) {
    (void)argument;
    kdr_program_run(job, begin, end);
}

static void begin_level(const kdr_setup *setup, const kdr_particles *particles, const kdr_clock *clock, size_t begin, size_t end,
                        int level) {
    double scaled[KDR_MAX_LENGTHS * KDR_MAX_SCALED];
    const kdr_clock own = kdr_problem_clock(clock, level);
    run r;
    run_prepare(setup, particles, &own, 0, scaled, &r);
    r.job.resume = false;
    kdr_pack_make(&r.pack, setup->backend, &r.job, particles, level);
    if (kdr_pack_is_needed(&r.pack)) {
        kdr_pack_run(&r.pack, begin, end, run_nothing, NULL);
    } else {
        run_nothing(NULL, &r.job, begin, end);
    }
}

kdr_status kdr_integrator_begin(const kdr_integrator *integrator, kdr_particles *particles, const kdr_clock *clock, size_t begin,
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
        return KDR_OK; /* the next run begins with all of them */
    }
    const int highest = kdr_highest_level(particles);
    for (int level = 0; level <= highest; ++level) {
        begin_level(setup, particles, clock, begin, begin + count, level);
    }
    return KDR_OK;
}

kdr_status kdr_integrator_run(const kdr_integrator *integrator, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                              kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(integrator, error, KDR_ERROR_NULL, "integrator: expected a pointer, got NULL");
    const kdr_setup *const setup = integrator->setup;
    const kdr_status status = kdr_problem_check_run(&setup->problem, particles, clock, steps, error);
    if (status != KDR_OK || steps == 0) {
        return status;
    }
    kdr_recorder recorder, *const noted = particles->contacts ? &recorder : NULL;
    kdr_recorder_begin(&recorder, particles->contacts);
    const int highest = kdr_highest_level(particles);
    for (int level = 0; level <= highest; ++level) {
        if (kdr_any_at_level(particles, level) && setup->problem.substepping.count > 1) {
            run_composed_level(setup, particles, clock, steps, level, noted);
        } else if (kdr_any_at_level(particles, level)) {
            run_level(setup, particles, clock, steps, level, noted, NULL);
        }
    }
    kdr_recorder_end(&recorder);
    clock->step += steps;
    particles->memory_key = kdr_problem_memory_key(&setup->problem, particles, clock);
    return KDR_OK;
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
