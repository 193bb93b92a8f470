/* System runs of particles that do not interact: one block after the other goes through all steps while it is in a cache. */
#include <stdlib.h>
#include <string.h>

#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/recorder.h"
#include "../particles/rounding.h"
#include "block.h"
#include "step_end.h"

/* FOOTPRINT: bytes of all rows, for a first-level cache of 48 KB. LEAST and WHOLE: smallest size of a column, and its unit. Longer
 * blocks spread the cost of a call over more particles; shorter ones leave cache for the user's function. */
enum { FOOTPRINT = 36 << 10, LEAST = 1024, WHOLE = 512 };

/* Runs a range of blocks with workspace of its own. */
static void run_range(void *argument, size_t first, size_t last) {
    kdr_block_set *const b = argument;
    const size_t size = (size_t)(b->program->columns + b->rows * b->program->dims) * (b->length * b->program->size + 64) + 64;
    const size_t beside = b->aside.count > 0 ? b->length * KDR_STRIDED_COLUMNS_SIZE : 0;
    const size_t more = beside + b->length * (1 + (b->counts ? (size_t)KDR_COUNTS_SIZE : 0));
    kdr_block *const w = malloc(sizeof *w + size + more);
    if (!w) {
        kdr_error error;
        (void)kdr_fail(&error, KDR_ERROR_NO_MEMORY, "blocks: no memory for a workspace of %zu bytes", sizeof *w + size + more);
        kdr_block_set_fail(b, &error);
        return;
    }
    w->b = b;
    w->tile = (kdr_tile){.memory = (char *)(((uintptr_t)(w + 1) + 63) / 64 * 64),
                         .dims = b->program->dims,
                         .numbers = b->numbers,
                         .list = b->program->list,
                         .job = &w->job};
    w->job = b->at_work;
    w->aside = (unsigned char *)w->tile.memory + size - 64;
    w->marks = w->aside + beside;
    w->counts = w->marks + b->length;
    memset(w->tile.memory, 0, size - 64);
    if (b->alternates) {
        kdr_block_double_lines(w);
    }
    for (size_t n = first; n < last && atomic_load(&b->status) == KDR_OK; ++n) {
        const size_t begin = n * b->length, left = b->particles->count - begin;
        kdr_block_run(b, w, begin, left < b->length ? left : b->length);
    }
    free(w);
}

/* Places the rows that come after those of the program. */
static void place_rows(kdr_block_set *b) {
    const kdr_system *const c = b->system;
    const unsigned dims = (unsigned)b->program->dims, first = (unsigned)b->program->columns;
    const bool has_stages = b->program->row->data.runge_kutta || b->program->row->data.nystrom;
    b->copies = c->meets ? b->step.walls->other : first;
    b->rows = b->alternates ? 3 : has_stages || c->meets ? 0 : 2;
    b->fresh = first + (unsigned)b->rows * dims;
    b->rows += b->keeps && c->meets;
    if (b->keeps && b->remembers) {
        b->memory = b->absorbs ? first + (unsigned)b->rows * dims : KDR_HOME_X_BEFORE * dims;
        b->rows += b->absorbs;
    }
    b->lost = (unsigned)b->program->lost;
    b->before_lost = first + (unsigned)b->rows * dims;
    b->rows += b->lost ? 2 : 0;
}

static void prepare(kdr_block_set *b) {
    const kdr_system *const c = b->system;
    const kdr_particles *const p = b->particles;
    const bool absorbs = c->problem.boundary.kind == KDR_BOUNDARY_ABSORBING;
    const kdr_program *const program = c->steps[p->dims - 1][kdr_has_masses(p) || absorbs];
    b->program = program;
    b->keeps = kdr_problem_keeps(&c->problem);
    b->carries_lost = kdr_problem_carries(&c->problem, p);
    b->resumes_lost = kdr_problem_resumes(&c->problem, p, b->clock);
    b->remembers = c->problem.row->info.memory && b->carries_lost;
    b->resumes = c->problem.row->info.memory && b->resumes_lost;
    kdr_system_job(c, p, b->clock, &b->flights, &b->at_work);
    kdr_strided_columns_make(&b->aside, &b->at_work, p);
    (void)kdr_problem_times(&c->problem, b->fraction);
    kdr_program_bind(program, b->clock->dt, NULL, &b->at_work.bath, b->numbers);
    kdr_segments_of(program, &b->step);
    b->a = b->step.segment[0].evaluation->out;
    b->absorbs = absorbs;
    b->counts = b->keeps && (c->meets || c->reflects || c->problem.boundary.kind == KDR_BOUNDARY_PERIODIC);
    b->alternates = b->step.segment[0].moves && !kdr_is_empty(b->step.boundary) && b->step.sums == 0 && !absorbs;
    b->sweeper = kdr_sweeper_make(program, b->numbers, c->backend, &c->desc.executor, p, true);
    b->sweeper.estimates = p->error && b->step.estimate;
    if (b->keeps && b->remembers) {
        kdr_sweeper_put_at(&b->sweeper, b->a, p->memory, &p->memory_layout);
    }
    for (int k = 0; k < 2 && program->lost > 0 && b->carries_lost; ++k) {
        kdr_sweeper_put_at(&b->sweeper, (unsigned)(program->lost + k * p->dims), p->compensation + (ptrdiff_t)3 * k,
                           &p->compensation_layout);
    }
    b->job = (kdr_job){.row = c->problem.row,
                       .field = &c->problem.field,
                       .terms = kdr_problem_terms(&c->problem, p),
                       .dims = p->dims,
                       .fused_roots = c->fused_roots};
    if (c->desc.force_count > 0) {
        b->job.program = c->field[p->dims - 1][p->inverse_mass != NULL];
        kdr_program_bind(b->job.program, 1.0, NULL, NULL, b->field_numbers);
        b->job.numbers = b->field_numbers;
    }
    place_rows(b);
    const size_t fits = (size_t)(FOOTPRINT / (program->columns + b->rows * p->dims));
    b->length = (fits > LEAST ? fits : LEAST) / WHOLE * WHOLE / program->size;
}

kdr_status kdr_system_run_blocks(const kdr_system *system, kdr_particles *particles, kdr_clock *clock, uint64_t steps, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    const kdr_status status = kdr_system_check_blocks(system, particles, clock, steps, error);
    if (status != KDR_OK || steps == 0) {
        return status;
    }
    kdr_block_set b = {.system = system, .particles = particles, .clock = clock, .steps = steps};
    kdr_contacts *const contacts = particles->contacts;
    const size_t noted = contacts ? contacts->count : 0;
    kdr_recorder recorder;
    prepare(&b);
    if (contacts) {
        kdr_recorder_of_contacts(&recorder, contacts, true);
        recorder.t0 = clock->t0;
        recorder.dt = clock->dt;
        b.at_work.recorder = &recorder;
    }
    atomic_init(&b.status, KDR_OK);
    if (particles->count > 0) {
        kdr_parallel_for(&system->desc.executor, (particles->count - 1) / b.length + 1, run_range, &b);
    }
    if (contacts) {
        kdr_recorder_end(&recorder);
    }
    if (atomic_load(&b.status) != KDR_OK) {
        particles->memory_key = 0;
        if (contacts) {
            contacts->count = noted;
        }
        return kdr_fail(error, b.error.status, "%s", b.error.message);
    }
    clock->step += steps;
    particles->memory_key = kdr_problem_memory_key(&system->problem, particles, clock);
    return KDR_OK;
}
