/* Coupled runs of particles that do not feel each other: a block after the other, each a tile of the method's program, through all steps
 * while it is in a cache.
 *
 * Until all evaluations of a step are made, the state that it began with must be there to go back to. Where one NEXT_STEP leads from step
 * to step, it writes to other rows than it reads, at no cost, and evaluations keep to the rows beside: steps go by turns from the rows of
 * the program to their doubles behind them and back. Elsewhere the state is copied before it is changed for the first time; that is also
 * what colliders and constraints look at. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../particles/error.h"
#include "../particles/executor.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"
#include "coupled.h"
#include "ends.h"

/* Bytes of all rows, in a first-level cache of 48 KB; and of a column, which is whole multiples of WHOLE. Longer blocks spread what a call
 * costs, shorter ones leave room for arrays of the function's own (30 KB: slower by a twentieth, 60 KB: by a tenth). */
enum { FOOTPRINT = 36 << 10, LEAST = 1024, WHOLE = 512 };

typedef struct blocks {
    const kdr_coupled *coupled;
    const kdr_particles *particles;
    const kdr_clock *clock;
    uint64_t steps;
    const kdr_program *program;
    kdr_segments step;
    kdr_sweeper sweeper; /* which blocks are loaded and stored by */
    int rows;            /* behind those of the program: the doubles of x, v and the acceleration; or copies of x and v, where steps copy */
    size_t length;       /* particles of a block */
    bool keeps, alternates, absorbs, counts;
    bool remembers, resumes;         /* the acceleration that is kept is the particles' memory, and holds what to start from; */
    bool carries_lost, resumes_lost; /* and what rounding takes is carried, and is there */
    unsigned copies;                 /* where copies of x and v are, by their first column; */
    unsigned fresh, memory;          /* what is evaluated where walls have changed a particle; and the memory of those who do not move */
    unsigned lost, before_lost;      /* in a compensated run: what rounding takes from x and v, and copies of it, by their first columns */
    uint16_t a;                      /* the row of the first acceleration, by its first column */
    double fraction[KDR_MAX_FRACTIONS];
    double numbers[KDR_MAX_NUMBERS], field_numbers[KDR_MAX_NUMBERS];
    kdr_job job;       /* of the field */
    kdr_job at_work;   /* of the method's lines, */
    kdr_aside aside;   /* and what of it lies apart */
    atomic_int status; /* the first that was not KDR_OK; who sets it, and nobody after, writes what follows */
    kdr_error error;
} blocks;

static void fail(blocks *b, const kdr_error *error) {
    int ok = KDR_OK;
    if (atomic_compare_exchange_strong(&b->status, &ok, (int)error->status)) {
        b->error = *error;
    }
}

/* A block on its way. */
typedef struct block_run {
    const blocks *b;
    kdr_tile tile;
    kdr_particles seen; /* what the function is given */
    kdr_instruction line[2]
                        [4 * KDR_MAX_FRACTIONS + 8]; /* of the program; and with the doubles in the places of their rows, which they take */
    char *at[KDR_TILE_COLUMNS];
    int now; /* by which of the two the last whole step ended */
    bool frozen, copied;
    kdr_particles view; /* all, with the marks of those in the block who take part, where a boundary absorbs; and who loads these */
    kdr_sweeper by;
    uint8_t *marks;
    kdr_job job;           /* of the method's lines, where */
    unsigned char *aside;  /* has what lies apart */
    kdr_particles counted; /* the block's counts, as lines find them */
    void *counts;          /* what particles count, at the beginning of a step that may fail behind a line that counts; or NULL */
} block_run;

static const kdr_program *program_of(const block_run *w) { return w->b->program; }

static char *column(const block_run *w, unsigned index) { return w->tile.memory + index * w->tile.column; }

static size_t rows_size(const block_run *w, int rows) { return (size_t)(rows * w->tile.dims) * w->tile.column; }

static uint16_t double_of(const blocks *b, uint16_t column) {
    const int dims = b->program->dims, first = b->program->columns;
    return (uint16_t)(column == 0 ? first : column == dims ? first + dims : column == b->a ? first + 2 * dims : column);
}

/* NEXT_STEP leads from the rows of its own lines to those of the others. */
static void double_lines(block_run *w) {
    const blocks *const b = w->b;
    for (int n = 0; n < b->program->end[KDR_AFTER]; ++n) {
        kdr_instruction line = b->program->line[n], twin = line;
        twin.out = double_of(b, line.out);
        twin.x = double_of(b, line.x);
        twin.v = double_of(b, line.v);
        twin.other = double_of(b, line.other);
        if (line.code == KDR_OP_NEXT_STEP) {
            twin.out = line.out, twin.list = line.list;
            line.out = double_of(b, line.out), line.list = double_of(b, line.list);
        }
        w->line[0][n] = line;
        w->line[1][n] = twin;
    }
}

static void carry_out(block_run *w, int set, kdr_lines lines) {
    const kdr_program *const p = program_of(w);
    const kdr_instruction *const line = (w->b->alternates ? w->line[set] : p->line) + lines.begin;
    kdr_uses uses;
    for (int n = 0; n < lines.end - lines.begin; ++n) {
        p->operation[line[n].code](&w->tile, &line[n]);
    }
    if (w->frozen) {
        kdr_uses_none(&uses);
        kdr_uses_add(&uses, p, line, lines.end - lines.begin);
        kdr_tile_hold(&w->by, &w->tile, &uses);
    }
}

/* Particle 0 of an array that begins with the block's first. */
static void *seen_from(const block_run *w, const char *array) { return (void *)((uintptr_t)array - w->tile.first * program_of(w)->size); }

static void add_field(const block_run *w, double t, void *const a[3], bool adds) {
    const blocks *const b = w->b;
    const kdr_particles lie = {.count = b->particles->count, .dims = w->tile.dims, .real = b->particles->real};
    double base[KDR_BASE] = {0, 0, 0, t};
    kdr_job job = b->job;
    void *all[3] = {NULL, NULL, NULL};
    kdr_field_base(job.field, job.terms, t, base);
    const float narrow[KDR_BASE] = {(float)base[0], (float)base[1], (float)base[2], (float)base[3]};
    job.base = b->particles->real == KDR_F32 ? (const void *)narrow : base;
    for (int i = 0; i < w->tile.dims; ++i) {
        job.x[i] = seen_from(w, w->seen.x[i]);
        job.v[i] = seen_from(w, w->seen.v[i]);
        all[i] = seen_from(w, a[i]);
    }
    job.inverse_mass = b->particles->inverse_mass ? seen_from(w, column(w, (unsigned)(KDR_HOME_MASSES * w->tile.dims))) : NULL;
    kdr_field_accelerations(&job, b->coupled->backend, &lie, all, adds, w->tile.first, w->tile.first + w->tile.count);
}

/* In step n, at a fraction of it: the columns where rows begin. */
static kdr_status evaluate(block_run *w, uint64_t n, double fraction, unsigned x, unsigned v, unsigned out) {
    const kdr_coupled_desc *const desc = &w->b->coupled->desc;
    const double t = kdr_clock_time(w->b->clock, w->b->clock->step + n, fraction);
    void *a[3] = {NULL, NULL, NULL};
    for (int i = 0; i < w->tile.dims; ++i) {
        w->seen.x[i] = column(w, x + (unsigned)i);
        w->seen.v[i] = column(w, v + (unsigned)i);
        a[i] = column(w, out + (unsigned)i);
    }
    const kdr_status status = desc->accelerations ? desc->accelerations(desc->context, &w->seen, t, a) : KDR_OK;
    if (status == KDR_OK && desc->force_count > 0) {
        add_field(w, t, a, desc->accelerations != NULL);
    } else if (!desc->accelerations) {
        memset(column(w, out), 0, rows_size(w, 1));
    }
    return status;
}

/* The caller's magnetic field, behind the accelerations, to a row that has it as rotations look for it. */
static kdr_status evaluate_field(block_run *w, uint64_t n, double fraction, unsigned row) {
    const kdr_coupled_desc *const desc = &w->b->coupled->desc;
    void *m[3] = {NULL, NULL, NULL};
    for (int i = w->tile.dims == 3 ? 0 : 2; i < 3; ++i) {
        m[i] = column(w, row + (unsigned)(w->tile.dims == 3 ? i : 0));
    }
    return desc->magnetic(desc->context, &w->seen, kdr_clock_time(w->b->clock, w->b->clock->step + n, fraction), m);
}

static void copy_state(block_run *w) {
    memcpy(column(w, w->b->copies), w->tile.memory, rows_size(w, 2));
    if (w->b->lost) {
        memcpy(column(w, w->b->before_lost), column(w, w->b->lost), rows_size(w, 2));
    }
    w->copied = true;
}

static void give_back_state(block_run *w) {
    memcpy(w->tile.memory, column(w, w->b->copies), rows_size(w, 2));
    if (w->b->lost) {
        memcpy(column(w, w->b->lost), column(w, w->b->before_lost), rows_size(w, 2));
    }
}

/* What is done before evaluation e of step n, the end of the step before included. */
static void move(block_run *w, uint64_t n, int e) {
    const kdr_segments *const step = &w->b->step;
    const kdr_segment *const s = &step->segment[e];
    if (e == 0 && w->b->alternates) {
        const int boundary = step->boundary.begin + (n > 0 ? 0 : 1);
        carry_out(w, w->now, (kdr_lines){boundary, boundary + 1});
        return;
    }
    if (s->moves && !w->copied && !w->b->alternates && e < step->evaluations) {
        copy_state(w);
    }
    carry_out(w, 1 - w->now, s->lines);
}

/* Who does not move keeps its memory. */
static void hold_memory(const block_run *w) {
    char *const a = column(w, w->b->a);
    program_of(w)->kernels->hold(a, a, column(w, w->b->memory), kdr_tile_row(&w->tile, KDR_HOME_MASSES),
                                 (size_t)(w->tile.dims * w->tile.vectors));
}

static void load_memory(const block_run *w) {
    const int row = w->b->a / w->tile.dims;
    kdr_tile_carry(&w->by, &w->by.home[row], w->by.form[row], &w->tile, column(w, w->b->memory), false);
}

/* Who is outside of an absorbing boundary takes no part in the next step. */
static void see_who_is_inside(block_run *w) {
    const kdr_executor serial = kdr_executor_serial();
    const kdr_swept arrays = {&serial, w->b->coupled->backend, &w->seen};
    for (int i = 0; i < w->tile.dims; ++i) {
        w->seen.x[i] = column(w, (unsigned)i);
    }
    kdr_mark_inside(&w->b->coupled->problem.boundary, &arrays, w->b->particles, w->tile.first, w->marks, NULL);
    w->frozen = kdr_tile_load_masses(&w->by, &w->tile);
}

/* Step n is whole, unless an evaluation of those whom walls have changed fails: they have a new acceleration, as each of its own has in a
 * field run. */
static kdr_status end_step(block_run *w, uint64_t n) {
    const blocks *const b = w->b;
    const kdr_kernels *const kernels = program_of(w)->kernels;
    const bool hit = b->keeps && b->coupled->meets && kdr_tile_is_hit(&w->tile, b->step.walls, program_of(w)->size, w->frozen);
    const kdr_status status = hit ? evaluate(w, n + 1, 0.0, 0, (unsigned)w->tile.dims, b->fresh) : KDR_OK;
    for (unsigned i = 0; hit && status == KDR_OK && i < (unsigned)w->tile.dims; ++i) {
        char *const a = column(w, b->a + i);
        kernels->hold(a, column(w, b->fresh + i), a, column(w, b->step.walls->out), (size_t)w->tile.vectors);
    }
    if (status == KDR_OK && b->absorbs) {
        if (b->memory && w->frozen) {
            hold_memory(w);
        }
        if (b->memory) {
            memcpy(column(w, b->memory), column(w, b->a), rows_size(w, 1));
        }
        see_who_is_inside(w);
    }
    return status;
}

static kdr_status make_step(block_run *w, uint64_t n) {
    const blocks *const b = w->b;
    const int to = 1 - w->now;
    kdr_status status = KDR_OK;
    w->copied = false;
    w->tile.step = b->clock->step + n;
    if (b->coupled->meets) {
        copy_state(w);
    }
    if (b->counts) {
        kdr_keep_counts(&w->counted, w->counts, false);
    }
    for (int e = 0; e < b->step.evaluations && status == KDR_OK; ++e) {
        const ptrdiff_t line = b->step.segment[e].evaluation - b->program->line;
        move(w, n, e);
        const kdr_instruction *const at = b->alternates ? &w->line[to][line] : b->step.segment[e].evaluation;
        status = evaluate(w, n, b->fraction[e], at->x, at->v, at->out);
        if (status == KDR_OK && at->count > 0) {
            status = evaluate_field(w, n, b->fraction[e], at->other);
        }
    }
    if (b->alternates) {
        w->now = status == KDR_OK ? to : w->now;
    } else if (status == KDR_OK) {
        move(w, n, b->step.evaluations);
        status = end_step(w, n);
    }
    if (status != KDR_OK && w->copied) {
        give_back_state(w);
    }
    if (status != KDR_OK && b->counts) {
        kdr_keep_counts(&w->counted, w->counts, true);
    }
    return status;
}

/* x and v, or the acceleration, where they are now: as the program has them. */
static void settle(block_run *w, uint16_t column_, int rows) {
    if (w->now == 1) {
        memcpy(column(w, column_), column(w, double_of(w->b, column_)), rows_size(w, rows));
    }
}

/* The rows of what rounding takes, as bits. */
static uint64_t lost_rows(const blocks *b) { return b->lost ? UINT64_C(3) << b->lost / (unsigned)b->program->dims : 0; }

/* Who is frozen, or not active, keeps what the particles carry for it; who is absorbed has moved before. Where x and v were before the step
 * is free by then. */
static void store_lost(block_run *w) {
    const blocks *const b = w->b;
    const unsigned dims = (unsigned)w->tile.dims, kept = KDR_HOME_X_BEFORE * dims;
    w->view.active = b->particles->active;
    w->view.active_layout = b->particles->active_layout;
    if (kdr_has_masses(&w->view) && kdr_tile_load_masses(&w->by, &w->tile)) {
        for (unsigned k = 0; k < 2; ++k) {
            const unsigned row = b->lost / dims + k;
            kdr_tile_carry(&w->by, &w->by.home[row], w->by.form[row], &w->tile, column(w, kept), false);
            for (unsigned i = 0; i < dims; ++i) {
                char *const at = column(w, b->lost + k * dims + i);
                program_of(w)->kernels->hold(at, at, column(w, kept + i), kdr_tile_row(&w->tile, KDR_HOME_MASSES), (size_t)w->tile.vectors);
            }
        }
    }
    kdr_tile_store(&w->by, &w->tile, lost_rows(b));
}

/* The block's particles, in its tile: what the function is given, and who of them is stepped. */
static void begin_block(const blocks *b, block_run *w, size_t begin, size_t count) {
    const kdr_program *const p = b->program;
    const size_t vector = (size_t)p->kernels->vector, lanes = vector / p->size;
    const uint64_t state = 1U << KDR_HOME_X | 1U << KDR_HOME_V, kept = UINT64_C(1) << b->a / (unsigned)p->dims;
    w->seen = kdr_particles_slice(b->particles, begin, count);
    w->seen.storage = NULL;
    w->seen.x_layout = w->seen.v_layout = (kdr_layout){0, 0, 0, 0};
    memset(w->seen.memory, 0, sizeof w->seen.memory);
    w->tile.first = begin;
    w->tile.count = count;
    w->tile.vectors = (int)((count + lanes - 1) / lanes);
    w->tile.vectors += p->mixes ? w->tile.vectors % 2 : 0; /* noise is made for two */
    w->tile.column = (size_t)w->tile.vectors * vector;
    w->now = 0;
    w->view = *b->particles;
    w->by = b->sweeper;
    w->by.particles = &w->view;
    kdr_tile_point(&w->tile, w->at, p->columns + b->rows * p->dims);
    kdr_tile_load(&w->by, &w->tile, state | (b->keeps && b->resumes ? kept : 0) | (b->resumes_lost ? lost_rows(b) : 0));
    if (b->lost && !b->resumes_lost) {
        memset(column(w, b->lost), 0, rows_size(w, 2));
    }
    if (b->absorbs) {
        w->view.active = (const uint8_t *)((uintptr_t)w->marks - begin);
        w->view.active_layout = w->seen.active_layout = (kdr_layout){0, 0, 0, 0};
        w->seen.active = w->marks;
        w->seen.active_count = count;
        see_who_is_inside(w);
    } else {
        w->frozen = kdr_has_masses(b->particles) && kdr_tile_load_masses(&w->by, &w->tile);
    }
    if (b->memory && b->absorbs) {
        load_memory(w);
    }
}

static void run_block(blocks *b, block_run *w, size_t begin, size_t count) {
    const kdr_program *const p = b->program;
    const uint64_t state = 1U << KDR_HOME_X | 1U << KDR_HOME_V, kept = UINT64_C(1) << b->a / (unsigned)p->dims;
    begin_block(b, w, begin, count);
    kdr_aside_take(&b->aside, begin, count, w->aside, &w->job);
    w->counted = kdr_aside_counts(&w->job, p->dims, begin, count);
    kdr_status status = b->keeps && !b->resumes ? evaluate(w, 0, 0.0, 0, (unsigned)p->dims, b->a) : KDR_OK;
    const bool begun = status == KDR_OK;
    uint64_t n = 0;
    for (; n < b->steps && status == KDR_OK; n += status == KDR_OK) {
        status = make_step(w, n);
    }
    if (n > 0 && b->alternates) {
        carry_out(w, w->now, b->step.segment[b->step.evaluations].lines);
    }
    if (status != KDR_OK) {
        kdr_error error;
        (void)kdr_fail(&error, status, "particles %zu to %zu, after %llu of %llu steps: %.120s", begin, begin + count - 1,
                       (unsigned long long)n, (unsigned long long)b->steps, kdr_status_string(status));
        fail(b, &error);
    }
    settle(w, 0, 2);
    settle(w, b->a, 1);
    if (b->memory && w->frozen) {
        if (!b->absorbs) {
            load_memory(w);
        }
        hold_memory(w);
    }
    kdr_tile_store(&w->by, &w->tile, state | (begun && b->memory ? kept : 0));
    kdr_aside_give(&b->aside, begin, count, w->aside);
    if (begun && b->lost && b->carries_lost) {
        store_lost(w);
    }
}

/* Each range of the executor has memory of its own. */
static void run_range(void *argument, size_t first, size_t last) {
    blocks *const b = argument;
    const size_t size = (size_t)(b->program->columns + b->rows * b->program->dims) * (b->length * b->program->size + 64) + 64;
    const size_t beside = b->aside.count > 0 ? b->length * KDR_ASIDE_SIZE : 0;
    const size_t more = beside + b->length * (1 + (b->counts ? (size_t)KDR_COUNTS_SIZE : 0));
    block_run *const w = malloc(sizeof *w + size + more);
    if (!w) {
        kdr_error error;
        (void)kdr_fail(&error, KDR_ERROR_NO_MEMORY, "blocks: no memory for a workspace of %zu bytes", sizeof *w + size + more);
        fail(b, &error);
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
        double_lines(w);
    }
    for (size_t n = first; n < last && atomic_load(&b->status) == KDR_OK; ++n) {
        const size_t begin = n * b->length, left = b->particles->count - begin;
        run_block(b, w, begin, left < b->length ? left : b->length);
    }
    free(w);
}

/* Rows behind those of the program. */
static void place_rows(blocks *b) {
    const kdr_coupled *const c = b->coupled;
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

static void prepare(blocks *b) {
    const kdr_coupled *const c = b->coupled;
    const kdr_particles *const p = b->particles;
    const bool absorbs = c->problem.boundary.kind == KDR_BOUNDARY_ABSORBING;
    const kdr_program *const program = c->steps[p->dims - 1][kdr_has_masses(p) || absorbs];
    b->program = program;
    b->keeps = kdr_problem_keeps(&c->problem);
    b->carries_lost = kdr_problem_carries(&c->problem, p);
    b->resumes_lost = kdr_problem_resumes(&c->problem, p, b->clock);
    b->remembers = c->problem.row->info.memory && b->carries_lost;
    b->resumes = c->problem.row->info.memory && b->resumes_lost;
    kdr_coupled_job(c, p, b->clock, &b->at_work);
    kdr_aside_make(&b->aside, &b->at_work, p);
    (void)kdr_problem_times(&c->problem, b->fraction);
    kdr_program_bind(program, b->clock->dt, NULL, &b->at_work.bath, b->numbers);
    kdr_segments_of(program, &b->step);
    b->a = b->step.segment[0].evaluation->out;
    b->absorbs = absorbs;
    b->counts = b->keeps && (c->meets || c->problem.boundary.kind == KDR_BOUNDARY_PERIODIC);
    b->alternates = b->step.segment[0].moves && !kdr_is_empty(b->step.boundary) && b->step.sums == 0 && !absorbs;
    b->sweeper = kdr_sweeper_make(program, b->numbers, c->backend, &c->desc.executor, p, true);
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

kdr_status kdr_coupled_run_blocks(const kdr_coupled *coupled, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                  kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    const kdr_status status = kdr_coupled_check_blocks(coupled, particles, clock, steps, error);
    if (status != KDR_OK || steps == 0) {
        return status;
    }
    blocks b = {.coupled = coupled, .particles = particles, .clock = clock, .steps = steps};
    prepare(&b);
    atomic_init(&b.status, KDR_OK);
    if (particles->count > 0) {
        kdr_parallel_for(&coupled->desc.executor, (particles->count - 1) / b.length + 1, run_range, &b);
    }
    if (atomic_load(&b.status) != KDR_OK) {
        particles->memory_key = 0;
        return kdr_fail(error, b.error.status, "%s", b.error.message);
    }
    clock->step += steps;
    particles->memory_key = kdr_problem_memory_key(&coupled->problem, particles, clock);
    return KDR_OK;
}
