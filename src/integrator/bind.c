/* Fills in the job of a field run: numbers and base values for a whole step, and for a shortened one. */
#include "run.h"

#include <string.h>

#include "../backend/backend.h"
#include "../particles/element.h"
#include "../particles/storage.h"

/* Converts doubles to the particles' precision, in place. */
static void narrow(const kdr_problem *problem, double *values, size_t count) {
    float *const to = (float *)(void *)values;
    for (size_t i = 0; i < count && problem->real == KDR_F32; ++i) {
        const float value = (float)values[i];
        memcpy(to + i, &value, sizeof value);
    }
}

static void narrow_rows(const kdr_problem *problem, double *rows, size_t count) {
    float *const to = (float *)(void *)rows;
    for (size_t i = 0; i < count && problem->real == KDR_F32; ++i) {
        kdr_base_narrow(rows + i * KDR_BASE, to + i * KDR_BASE);
    }
}

/* Computes the base values of `steps` steps from `first` on. An evaluation at the same time as the one before gets the same value. For a
 * method that adds up contributions, the table has the changes by driven fields instead. */
static void tabulate(const kdr_field_run *r, uint64_t first, uint64_t steps, double *table) {
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
            const double t = kdr_time_of(r->clock, first + n, r->fraction[e]);
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
    narrow_rows(&r->setup->problem, table, (size_t)(row - table) / KDR_BASE);
}

/* Computes the base values at the start of step n, in the particles' precision. */
static void base_at(const kdr_field_run *r, uint64_t n, double base[KDR_BASE]) {
    base[3] = kdr_time_of(r->clock, n, 0.0);
    kdr_field_base(r->job.field, r->job.terms, base[3], base);
    narrow_rows(&r->setup->problem, base, 1);
}

void kdr_run_lend(const kdr_field_run *r, kdr_job *job, char *columns, size_t bytes, size_t begin) {
    /* Kernels index memory as they do particles, so a block's lent memory is addressed from where particle 0 would be. */
    const uintptr_t first = (uintptr_t)columns - begin * kdr_real_size(r->setup->problem.real);
    for (int i = 0; i < 3 && r->setup->problem.row->info.memory && !r->carries; ++i) {
        job->memory[i] = (void *)(first + (size_t)i * bytes);
    }
    for (int i = 0; i < 6 && r->setup->problem.compensated && !r->carries; ++i) {
        job->compensation[i] = (void *)(first + (size_t)(3 + i) * bytes);
    }
}

void kdr_run_piece(const kdr_field_run *r, const kdr_job *whole, uint64_t done, uint64_t steps, double *table, double *start,
                   kdr_job *job) {
    const kdr_problem *const problem = &r->setup->problem;
    job->steps = steps;
    job->resume = whole->resume || ((problem->row->info.memory || problem->compensated) && done > 0);
    job->begun = done > 0;
    job->unfinished = done + steps < whole->steps;
    job->first_step = r->clock->step + done;
    if (!(job->terms & KDR_TERM_DRIVEN)) {
        return;
    }
    job->base = table;
    job->base_stride = KDR_BASE * (size_t)(r->evaluations / job->substeps) * kdr_real_size(problem->real);
    job->start_base = start;
    tabulate(r, job->first_step, steps, table);
    base_at(r, job->first_step, start);
}

/* Computes the coefficients of a specialised kernel, if there is one, for a step dt; a kinematic method uses the map. */
static void bind_row(const kdr_problem *problem, double dt, const kdr_affine_map *map, kdr_scaled *to, kdr_job *job) {
    job->scaled_row = to;
    job->scaled_count = kdr_program_has_instance(job->program) ? problem->row->family->scale(problem->row, dt, map, to) : 0;
    narrow(problem, to->scaled, (size_t)job->scaled_count);
}

/* Computes the program's numbers, once for each different length of substep. */
static void bind_numbers(kdr_field_run *r, double *scaled) {
    const kdr_particles *const particles = r->particles;
    const kdr_problem *const problem = &r->setup->problem;
    const kdr_program *const program = r->job.program;
    const kdr_substepping *const substepping = &problem->substepping;
    r->job.substep = r->substep;
    r->job.scaled = scaled;
    if (kdr_has_prepared(r->setup, r->clock->dt)) {
        r->substep[0] = r->clock->dt;
        r->job.numbers = program->numbers;
        return;
    }
    r->job.numbers = r->numbers;
    const size_t first = (size_t)program->scaled_begin * program->size, set = kdr_scaled_size(program);
    if (problem->row->data.kinematic) {
        memset(&r->of.map, 0, sizeof r->of.map);
    }
    for (int s = 0, bound = 0; s < substepping->count; ++s) {
        r->substep[s] = r->clock->dt * substepping->fraction[s];
        if (substepping->length[s] < bound) {
            continue;
        }
        kdr_problem_map(problem, particles, r->substep[s], &r->of.map);
        kdr_program_bind(program, r->substep[s], &r->of.map, &r->job.bath, r->numbers);
        if (scaled) {
            memcpy((char *)scaled + (size_t)bound * set, (const char *)r->numbers + first, set);
        }
        ++bound;
    }
    bind_row(problem, r->clock->dt, &r->of.map, &r->of.row, &r->job);
}

/* Points the job to the particles' arrays, and to their memory and compensations if the run uses them. */
static void take_arrays(kdr_field_run *r) {
    const kdr_particles *const particles = r->particles;
    const kdr_problem *const problem = &r->setup->problem;
    r->job.inverse_mass = particles->inverse_mass;
    r->job.radius = problem->collider_count > 0 ? particles->radius : NULL;
    r->job.largest_radius = r->job.radius ? kdr_largest_radius(particles) : 0.0;
    r->job.id = particles->id;
    r->job.bounces = particles->bounces;
    r->job.nonconverged = particles->nonconverged;
    memcpy(r->job.dissipated_energy, particles->dissipated_energy, sizeof r->job.dissipated_energy);
    r->job.error = particles->error;
    for (int i = 0; i < particles->dims; ++i) {
        r->job.x[i] = particles->x[i];
        r->job.v[i] = particles->v[i];
        r->job.images[i] = particles->images[i];
        r->job.memory[i] = r->carries && problem->row->info.memory ? particles->memory[i] : NULL;
        r->job.compensation[i] = r->carries && problem->compensated ? particles->compensation[i] : NULL;
        r->job.compensation[3 + i] = r->carries && problem->compensated ? particles->compensation[3 + i] : NULL;
    }
}

void kdr_run_prepare_common(kdr_setup *setup, int dims, bool masses) {
    const kdr_problem *const problem = &setup->problem;
    kdr_common *const common = &setup->common[dims - 1][masses];
    kdr_particles view = {.dims = dims};
    view.inverse_mass = masses ? &view : NULL; /* any address will do */
    common->job = (kdr_job){.field = &problem->field,
                            .row = problem->row,
                            .program = setup->program[dims - 1][masses],
                            .terms = kdr_problem_terms(problem, &view),
                            .dims = dims,
                            .substeps = problem->substepping.count,
                            .base = common->base,
                            .start_base = common->base,
                            .fused_roots = kdr_backend_fused_roots(setup->backend),
                            .fetch_ahead = kdr_backend_fetch_ahead(),
                            .maps = kdr_backend_maps(setup->backend),
                            .contributions = kdr_problem_sums(problem) ? &problem->contributions : NULL,
                            .map_axis = kdr_map_axis,
                            .map_axes = kdr_map_axes,
                            .axis_rates = kdr_affine_axis_rates,
                            .walls = setup->walls.met[dims - 1],
                            .wall_count = problem->collider_count,
                            .walls_move = kdr_problem_walls_move(problem),
                            .held = setup->walls.held[dims - 1],
                            .held_count = problem->constraint_count,
                            .note = kdr_recorder_note,
                            .fly = kdr_problem_flies(problem) ? kdr_run_fly : NULL};
    if (!(common->job.terms & KDR_TERM_DRIVEN)) {
        kdr_field_base(&problem->field, common->job.terms, 0.0, common->base);
        narrow_rows(problem, common->base, 1);
    }
    kdr_affine_map map = {0};
    /* only fields with one map per axis have specialised kernels; a map of coupled axes would take long to make */
    if (kdr_program_has_instance(common->job.program)) {
        kdr_problem_map(problem, &view, setup->desc.dt, &map);
    }
    bind_row(problem, setup->desc.dt, &map, &common->row, &common->job);
}

void kdr_run_prepare(const kdr_setup *setup, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps, double *scaled,
                     kdr_field_run *r) {
    const kdr_problem *problem = &setup->problem;
    const kdr_common *const common = &setup->common[particles->dims - 1][particles->inverse_mass != NULL];
    kdr_copy(&r->job, &common->job, sizeof r->job);
    r->setup = setup;
    r->clock = clock;
    r->particles = particles;
    r->later = 0;
    r->events = NULL;
    r->level = r->evaluations = 0;
    r->carries = kdr_problem_carries(problem, particles);
    take_arrays(r); /* comes first: reading two pointers at once stalls on recent separate stores */
    r->job.dt = clock->dt;
    r->job.t0 = clock->t0;
    r->job.steps = steps;
    r->job.flyer = r;
    if (problem->row->family->info.heat_bath) { /* does not copy an empty one, which would stall on recent stores */
        r->job.bath = kdr_problem_bath(problem, clock->dt);
    }
    bind_numbers(r, scaled);
    r->job.first_id = particles->first_id;
    r->job.first_step = clock->step;
    if (r->job.terms & KDR_TERM_DRIVEN) {
        r->evaluations = kdr_problem_sums(problem) ? 2 : kdr_problem_times(problem, r->fraction);
        base_at(r, clock->step, r->base);
        r->job.base = r->job.start_base = r->base;
    }
}

void kdr_run_state(const kdr_job *job, char *column[KDR_RUN_STATE]) {
    for (int i = 0; i < 3; ++i) {
        column[i] = job->x[i];
        column[3 + i] = job->v[i];
        column[6 + i] = job->memory[i];
        column[9 + i] = job->compensation[i];
        column[12 + i] = job->compensation[3 + i];
    }
}

void kdr_run_set_state(kdr_job *job, char *const column[KDR_RUN_STATE]) {
    for (int i = 0; i < 3; ++i) {
        job->x[i] = column[i];
        job->v[i] = column[3 + i];
        job->memory[i] = column[6 + i];
        job->compensation[i] = column[9 + i];
        job->compensation[3 + i] = column[12 + i];
    }
}

/* Makes the part of step n that begins at `begin` and is `fraction` of it long, by `program`. */
static void take_part(const kdr_field_run *r, const kdr_job *job, const kdr_program *program, uint64_t n, double begin, double fraction,
                      kdr_short_step *to) {
    const kdr_problem *const problem = &r->setup->problem;
    kdr_field_run *const s = &to->run;
    to->clock = (kdr_clock){kdr_time_of(r->clock, n - r->later, begin), fraction * r->clock->dt, 0};
    s->setup = r->setup;
    s->later = n;
    s->particles = r->particles;
    s->clock = &to->clock;
    s->evaluations = r->evaluations;
    s->job = *job;
    s->job.program = program;
    s->job.flyer = s;
    s->job.dt = to->clock.dt;
    s->job.t0 = to->clock.t0;
    s->job.later = n;
    s->job.steps = 1;
    s->job.first_step = n;
    s->job.begun = s->job.unfinished = false;
    s->job.bath = kdr_problem_bath(problem, to->clock.dt);
    s->job.bounces = s->job.nonconverged = NULL;
    s->job.dissipated_energy[0] = s->job.dissipated_energy[1] = NULL;
    s->job.error = NULL;
    s->job.images[0] = s->job.images[1] = s->job.images[2] = NULL;
    s->job.recorder = NULL;
    bind_numbers(s, problem->substepping.count > 1 ? to->scaled : NULL);
    if (job->terms & KDR_TERM_DRIVEN) {
        base_at(s, 0, s->base);
        s->job.start_base = s->base;
        memcpy(s->fraction, r->fraction, sizeof s->fraction);
        tabulate(s, 0, 1, to->table);
        s->job.base = to->table;
    }
}

void kdr_run_shorten(const kdr_field_run *r, const kdr_job *job, uint64_t n, double fraction, kdr_short_step *to) {
    take_part(r, job, job->program, n, 0.0, fraction, to);
    to->run.job.resume = job->resume && !kdr_problem_remembers_step(&r->setup->problem);
}

/* Adds an acceleration, in the particles' precision, to rows of base values. */
static void add_pull(const kdr_field_run *s, const void *pull, double *rows, int count) {
    const kdr_real real = s->setup->problem.real;
    for (int n = 0; n < count; ++n) {
        for (int i = 0; i < s->job.dims; ++i) {
            const size_t at = (size_t)n * KDR_BASE + (size_t)i;
            const double value = kdr_element(rows, real, at), more = kdr_element(pull, real, (size_t)i);
            kdr_set_element(rows, real, at, real == KDR_F32 ? (double)((float)value + (float)more) : value + more);
        }
    }
}

/* Computes the base values of a single step. */
static void take_base(kdr_field_run *s, const void *pull, double *table) {
    const kdr_problem *const problem = &s->setup->problem;
    const kdr_common *const common = &s->setup->common[s->job.dims - 1][s->job.inverse_mass != NULL];
    const bool driven = (s->job.terms & KDR_TERM_DRIVEN) != 0;
    if (driven) {
        s->evaluations = kdr_problem_times(problem, s->fraction);
        s->job.base_stride = KDR_BASE * (size_t)(s->evaluations / s->job.substeps) * kdr_real_size(problem->real);
        base_at(s, 0, s->base);
        tabulate(s, 0, 1, table);
    } else {
        memcpy(s->base, common->base, sizeof s->base);
        memcpy(table, common->base, sizeof s->base);
    }
    if (pull) {
        add_pull(s, pull, s->base, 1);
        add_pull(s, pull, table, driven ? s->evaluations : 1);
    }
    s->job.base = table;
    s->job.start_base = s->base;
}

void kdr_run_alone(const kdr_setup *setup, const kdr_particles *view, const kdr_clock *clock, const void *pull, kdr_short_step *to) {
    const size_t dims = (size_t)view->dims - 1, masses = view->inverse_mass != NULL;
    kdr_field_run *const s = &to->run;
    to->clock = *clock;
    kdr_copy(&s->job, &setup->common[dims][masses].job, sizeof s->job);
    s->setup = setup;
    s->clock = &to->clock;
    s->particles = view;
    s->later = 0;
    s->events = NULL;
    s->level = s->evaluations = 0;
    s->carries = false;
    take_arrays(s);
    s->job.program = setup->flight[dims][masses];
    s->job.terms &= ~(unsigned)KDR_TERMS_OF_STEPS;
    s->job.flyer = s;
    s->job.dt = clock->dt;
    s->job.t0 = clock->t0;
    s->job.steps = 1;
    bind_numbers(s, setup->problem.substepping.count > 1 ? to->scaled : NULL);
    take_base(s, pull, to->table);
}

void kdr_run_fly(const kdr_job *job, size_t particle, uint64_t step, double begin, double length, const void *pull, void *x, void *v) {
    const kdr_field_run *const r = job->flyer;
    (void)pull; /* there is none: nothing interacts in a field run */
    const size_t size = kdr_real_size(r->setup->problem.real);
    kdr_short_step part;
    take_part(r, job, r->setup->flight[job->dims - 1][job->inverse_mass != NULL], step, begin, length, &part);
    kdr_job *const flight = &part.run.job;
    flight->terms &= ~(unsigned)KDR_TERMS_OF_STEPS;
    flight->resume = false;
    memset(flight->memory, 0, sizeof flight->memory);
    memset(flight->compensation, 0, sizeof flight->compensation);
    for (int i = 0; i < job->dims; ++i) { /* addresses of element 0 in arrays that would hold this particle */
        flight->x[i] = (void *)((uintptr_t)x + ((size_t)i - particle) * size);
        flight->v[i] = (void *)((uintptr_t)v + ((size_t)i - particle) * size);
    }
    kdr_program_run(flight, particle, particle + 1);
}
