/* Takes a block of a system run through all steps.
 *
 * Until all evaluations of a step have succeeded, x and v at its beginning must be recoverable. If one NEXT_STEP leads from step to
 * step, it can write to second rows at no cost; steps then alternate between the program's rows and their second rows. Otherwise x and v
 * are copied before their first change. Colliders and constraints use the same copies. */
#include "block.h"

#include <string.h>

#include "../particles/element.h"
#include "../particles/error.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"
#include "step_end.h"

void kdr_block_set_fail(kdr_block_set *b, const kdr_error *error) {
    int ok = KDR_OK;
    if (atomic_compare_exchange_strong(&b->status, &ok, (int)error->status)) {
        b->error = *error;
    }
}

static const kdr_program *program_of(const kdr_block *w) { return w->b->program; }

static char *column(const kdr_block *w, unsigned index) { return w->tile.memory + index * w->tile.column; }

static size_t rows_size(const kdr_block *w, int rows) { return (size_t)(rows * w->tile.dims) * w->tile.column; }

static uint16_t double_of(const kdr_block_set *b, uint16_t column) {
    const int dims = b->program->dims, first = b->program->columns;
    return (uint16_t)(column == 0 ? first : column == dims ? first + dims : column == b->a ? first + 2 * dims : column);
}

/* Fills in both sets of instructions. The NEXT_STEP of each set leads from its rows to those of the other set. */
void kdr_block_double_lines(kdr_block *w) {
    const kdr_block_set *const b = w->b;
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

static void carry_out(kdr_block *w, int set, kdr_lines lines) {
    const kdr_program *const p = program_of(w);
    const kdr_instruction *const line = (w->b->alternates ? w->line[set] : p->line) + lines.begin;
    kdr_uses uses;
    for (int n = 0; n < lines.end - lines.begin; ++n) {
        if (kdr_is_carried_out(&w->by, &line[n])) {
            p->operation[line[n].code](&w->tile, &line[n]);
        }
    }
    if (w->frozen) {
        kdr_uses_none(&uses);
        kdr_uses_add(&uses, &w->by, line, lines.end - lines.begin);
        kdr_tile_hold(&w->by, &w->tile, &uses);
    }
}

/* Returns where particle 0 would be, if `array` begins with the block's first particle. */
static void *seen_from(const kdr_block *w, const char *array) { return (void *)((uintptr_t)array - w->tile.first * program_of(w)->size); }

static void add_field(const kdr_block *w, double t, const kdr_evaluated *seen) {
    const kdr_block_set *const b = w->b;
    kdr_evaluated all = *seen;
    const kdr_particles lie = {.count = b->particles->count, .dims = w->tile.dims, .real = b->particles->real};
    double base[KDR_BASE] = {0, 0, 0, t};
    kdr_job job = b->job;
    kdr_field_base(job.field, job.terms, t, base);
    float narrow[KDR_BASE];
    kdr_base_narrow(base, narrow);
    job.base = b->particles->real == KDR_F32 ? (const void *)narrow : base;
    for (int i = 0; i < w->tile.dims; ++i) {
        job.x[i] = seen_from(w, w->seen.x[i]);
        job.v[i] = seen_from(w, w->seen.v[i]);
        for (int k = 0; k < 2; ++k) {
            all.row[k][i] = seen->row[k][i] ? seen_from(w, seen->row[k][i]) : NULL;
        }
    }
    job.inverse_mass = b->particles->inverse_mass ? seen_from(w, column(w, (unsigned)(KDR_HOME_MASSES * w->tile.dims))) : NULL;
    kdr_field_evaluate(&job, b->system->backend, &lie, &all, w->tile.first, w->tile.first + w->tile.count);
}

/* Evaluates accelerations at a fraction of step n, as an instruction EVALUATE says. */
static kdr_status evaluate(kdr_block *w, uint64_t n, double fraction, const kdr_instruction *line) {
    const kdr_system_desc *const desc = &w->b->system->desc;
    const double t = kdr_clock_time(w->b->clock, w->b->clock->step + n, fraction);
    const int dims = w->tile.dims, across = line->count == 0 ? 0 : dims == 3 ? 3 : 1; /* components of the magnetic field */
    kdr_evaluated to = {.adds = {desc->accelerations != NULL, desc->magnetic != NULL}};
    for (int i = 0; i < dims; ++i) {
        w->seen.x[i] = column(w, line->x + (unsigned)i);
        w->seen.v[i] = column(w, line->v + (unsigned)i);
        to.row[0][i] = column(w, line->out + (unsigned)i);
        to.row[1][i] = i < across ? column(w, line->other + (unsigned)i) : NULL;
    }
    kdr_status status = desc->accelerations ? kdr_called(desc->accelerations(desc->context, &w->seen, t, to.row[0])) : KDR_OK;
    if (status == KDR_OK && across > 0 && desc->magnetic) {
        status = kdr_called(desc->magnetic(desc->context, &w->seen, t, across == 3 ? to.row[1] : (void *[3]){NULL, NULL, to.row[1][0]}));
    }
    if (status == KDR_OK && desc->force_count > 0) {
        add_field(w, t, &to);
    } else if (!desc->accelerations) {
        memset(column(w, line->out), 0, rows_size(w, 1));
    }
    return status;
}

/* Evaluates accelerations at the end of n whole steps, with the velocities in row v. */
static kdr_status evaluate_whole(kdr_block *w, uint64_t n, unsigned v, unsigned out) {
    return evaluate(w, n, 0.0, &(kdr_instruction){.v = (uint16_t)v, .out = (uint16_t)out});
}

/* Returns the row of velocities for accelerations after walls. A particle that only a periodic boundary moved has the velocity that the
 * step's evaluation saw; every other one has its own. */
static unsigned velocities_after_walls(kdr_block *w) {
    const kdr_program *const p = program_of(w);
    const unsigned v = (unsigned)w->tile.dims;
    const char *const marks = column(w, w->b->step.walls->out);
    for (unsigned i = 0; i < v && p->seen >= 0; ++i) {
        for (size_t k = 0; k < w->tile.count; ++k) {
            if ((unsigned)kdr_element(marks, w->seen.real, k) % KDR_MARK_CHANGES == KDR_MARK_MET) {
                memcpy((char *)column(w, (unsigned)p->seen + i) + k * p->size, (char *)column(w, v + i) + k * p->size, p->size);
            }
        }
    }
    return p->seen >= 0 ? (unsigned)p->seen : v;
}

static void copy_state(kdr_block *w) {
    memcpy(column(w, w->b->copies), w->tile.memory, rows_size(w, 2));
    if (w->b->lost) {
        memcpy(column(w, w->b->before_lost), column(w, w->b->lost), rows_size(w, 2));
    }
    w->copied = true;
}

static void give_back_state(kdr_block *w) {
    memcpy(w->tile.memory, column(w, w->b->copies), rows_size(w, 2));
    if (w->b->lost) {
        memcpy(column(w, w->b->lost), column(w, w->b->before_lost), rows_size(w, 2));
    }
}

/* Carries out the instructions before evaluation e of a step. For e = 0 these include the end of the step before, if sets alternate. */
static void move(kdr_block *w, int e) {
    const kdr_segments *const step = &w->b->step;
    const kdr_segment *const s = &step->segment[e];
    if (e == 0 && w->b->alternates) {
        const int boundary = step->boundary.begin + (w->ended ? 1 : 0);
        carry_out(w, w->now, (kdr_lines){boundary, boundary + 1});
        return;
    }
    if (s->moves && !w->copied && !w->b->alternates && e < step->evaluations) {
        copy_state(w);
    }
    carry_out(w, 1 - w->now, s->lines);
}

/* Keeps the memory of particles that do not move. */
static void hold_memory(const kdr_block *w) {
    char *const a = column(w, w->b->a);
    program_of(w)->kernels->hold(a, a, column(w, w->b->memory), kdr_tile_row(&w->tile, KDR_HOME_MASSES),
                                 (size_t)(w->tile.dims * w->tile.vectors));
}

static void load_memory(const kdr_block *w) {
    const int row = w->b->a / w->tile.dims;
    kdr_tile_carry(&w->by, &w->by.home[row], w->by.form[row], &w->tile, column(w, w->b->memory), false);
}

/* Marks the particles inside an absorbing boundary; the others take no part in the next step. */
static void see_who_is_inside(kdr_block *w) {
    const kdr_executor serial = kdr_executor_serial();
    const kdr_swept arrays = {&serial, w->b->system->backend, &w->seen};
    for (int i = 0; i < w->tile.dims; ++i) {
        w->seen.x[i] = column(w, (unsigned)i);
    }
    kdr_mark_inside(&w->b->system->problem.boundary, &arrays, w->b->particles, w->tile.first, w->marks, NULL, NULL);
    w->frozen = kdr_tile_load_masses(&w->by, &w->tile);
}

/* Ends step n. Particles that walls have changed get a new acceleration, as in a field run; the evaluation may fail. */
static kdr_status end_step(kdr_block *w, uint64_t n) {
    const kdr_block_set *const b = w->b;
    const kdr_kernels *const kernels = program_of(w)->kernels;
    const bool hit = b->keeps && b->system->meets && kdr_tile_is_hit(&w->tile, b->step.walls, program_of(w)->size, w->frozen);
    const kdr_status status = hit ? evaluate_whole(w, n + 1, velocities_after_walls(w), b->fresh) : KDR_OK;
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

/* Carries out the last instructions of a step. Tiny values become 0 before the walls, which are the last of them. */
static void end_and_flush(kdr_block *w) {
    const kdr_block_set *const b = w->b;
    const kdr_executor serial = kdr_executor_serial();
    const kdr_lines walls = b->step.last;
    const int set = b->alternates ? w->now : 0;
    void *a[3] = {NULL, NULL, NULL}, *lost[2][3] = {{NULL}};
    carry_out(w, set, (kdr_lines){b->step.segment[b->step.evaluations].lines.begin, walls.begin});
    for (unsigned i = 0, dims = (unsigned)w->tile.dims; i < dims; ++i) {
        w->seen.x[i] = column(w, set == 0 ? i : double_of(b, 0) + i);
        w->seen.v[i] = column(w, set == 0 ? dims + i : double_of(b, (uint16_t)dims) + i);
        a[i] = column(w, (set == 0 ? b->a : double_of(b, b->a)) + i);
        lost[0][i] = b->lost ? column(w, b->lost + i) : NULL;
        lost[1][i] = b->lost ? column(w, b->lost + dims + i) : NULL;
    }
    kdr_flush_small(b->program->kernels, &serial, &w->seen, b->lost ? lost : NULL, b->keeps ? a : NULL);
    carry_out(w, set, walls);
    w->ended = b->alternates;
}

/* Updates the error estimates after a whole step. Methods that estimate errors evaluate nothing after it. */
static void estimate(kdr_block *w) {
    const kdr_executor serial = kdr_executor_serial();
    const kdr_instruction *const line = w->b->step.estimate;
    const kdr_layout plain = {0, 0, 0, 0};
    void *sum[3] = {NULL, NULL, NULL};
    for (unsigned i = 0; i < (unsigned)w->tile.dims; ++i) {
        sum[i] = column(w, line->v + i);
    }
    kdr_estimate(&serial, &w->seen, sum, &plain, kdr_element(w->b->numbers, w->seen.real, line->number));
}

static kdr_status make_step(kdr_block *w, uint64_t n) {
    const kdr_block_set *const b = w->b;
    const int to = 1 - w->now;
    const bool flushes = kdr_flushes_small_after(&b->system->problem, b->clock->step + n, 0);
    kdr_status status = KDR_OK;
    w->copied = false;
    w->tile.step = b->clock->step + n;
    if (b->system->meets) {
        copy_state(w);
    }
    if (b->counts) {
        kdr_keep_counts(&w->counted, w->counts, false);
    }
    for (int e = 0; e < b->step.evaluations && status == KDR_OK; ++e) {
        const ptrdiff_t line = b->step.segment[e].evaluation - b->program->line;
        move(w, e);
        const kdr_instruction *const at = b->alternates ? &w->line[to][line] : b->step.segment[e].evaluation;
        status = evaluate(w, n, b->fraction[e], at);
    }
    if (b->alternates) {
        w->now = status == KDR_OK ? to : w->now;
        w->ended = w->ended && status != KDR_OK;
    }
    if (status == KDR_OK && flushes) {
        end_and_flush(w);
    } else if (status == KDR_OK && !b->alternates) {
        move(w, b->step.evaluations);
    }
    if (status == KDR_OK && b->sweeper.estimates) {
        estimate(w);
    }
    if (status == KDR_OK && !b->alternates) {
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

/* Copies rows from their second rows, if those are current. */
static void settle(kdr_block *w, uint16_t column_, int rows) {
    if (w->now == 1) {
        memcpy(column(w, column_), column(w, double_of(w->b, column_)), rows_size(w, rows));
    }
}

/* Returns the rows of compensations as bits. */
static uint64_t lost_rows(const kdr_block_set *b) { return b->lost ? UINT64_C(3) << b->lost / (unsigned)b->program->dims : 0; }

/* Stores compensations. Frozen and inactive particles keep those that they carry, except that absorbed particles moved before they were
 * absorbed. The rows of old x and v are free and serve as scratch memory. */
static void store_lost(kdr_block *w) {
    const kdr_block_set *const b = w->b;
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

/* Loads a block's particles into its tile and prepares the view for the user's functions. */
static void begin_block(const kdr_block_set *b, kdr_block *w, size_t begin, size_t count) {
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
    w->tile.vectors += p->mixes ? w->tile.vectors % 2 : 0; /* noise is made for two vectors at a time */
    w->tile.column = (size_t)w->tile.vectors * vector;
    w->now = 0;
    w->ended = true;
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

void kdr_block_run(kdr_block_set *b, kdr_block *w, size_t begin, size_t count) {
    const kdr_program *const p = b->program;
    const uint64_t state = 1U << KDR_HOME_X | 1U << KDR_HOME_V, kept = UINT64_C(1) << b->a / (unsigned)p->dims;
    begin_block(b, w, begin, count);
    kdr_strided_columns_take(&b->aside, begin, count, w->aside, &w->job);
    w->counted = kdr_strided_columns_counts(&w->job, p->dims, begin, count);
    kdr_status status = b->keeps && !b->resumes ? evaluate_whole(w, 0, (unsigned)w->tile.dims, b->a) : KDR_OK;
    const bool begun = status == KDR_OK;
    uint64_t n = 0;
    for (; n < b->steps && status == KDR_OK; n += status == KDR_OK) {
        status = make_step(w, n);
    }
    if (b->alternates && !w->ended) {
        carry_out(w, w->now, b->step.segment[b->step.evaluations].lines);
    }
    if (status != KDR_OK) {
        kdr_error error;
        (void)kdr_fail(&error, status, "particles %zu to %zu, after %llu of %llu steps: %.120s", begin, begin + count - 1,
                       (unsigned long long)n, (unsigned long long)b->steps, kdr_status_string(status));
        kdr_block_set_fail(b, &error);
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
    kdr_strided_columns_give(&b->aside, begin, count, w->aside);
    if (begun && b->lost && b->carries_lost) {
        store_lost(w);
    }
}
