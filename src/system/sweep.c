/* Sweeps: ranges of particles, in place or loaded into tiles. */
#include "sweep.h"

#include <stdatomic.h>
#include <string.h>

#include "../particles/executor.h"
#include "../particles/layout.h"
#include "arrays.h"

/* Particles per block, the executor's unit of work, and the most particles swept in place at once, with plain and with interleaved rows. */
enum { BLOCK = KDR_SWEEP_BLOCK, AT_ONCE = 512, ROWS_AT_ONCE = 256 };
_Static_assert(ROWS_AT_ONCE % KDR_TILE_PARTICLES == 0 && AT_ONCE % ROWS_AT_ONCE == 0 && BLOCK % AT_ONCE == 0, "ranges of whole tiles");

static size_t tile_particles(const kdr_program *p) { return (size_t)p->vectors * ((size_t)p->kernels->vector / p->size); }

size_t kdr_tiles_of(const kdr_program *program, size_t count) { return (count + tile_particles(program) - 1) / tile_particles(program); }

/* The shared state of a parallel loop over ranges of particles. */
typedef struct sweep {
    const kdr_sweeper *by;
    const kdr_pass *pass;
    kdr_uses uses;
    bool masses, in_place;        /* in_place: rows are swept where they lie, except for ranges with a frozen particle */
    const kdr_instruction *marks; /* instruction that marks changed or nonconverged particles (WALLS, CONVERGE); may be NULL */
    const kdr_instruction *looks; /* instruction that reads the beginning of the step; may be NULL */
    atomic_bool *hit;             /* set if a particle was marked */
} sweep;

static bool is_in_place(kdr_form form) { return form == KDR_FORM_PLAIN || form == KDR_FORM_ROWS; }

/* Returns whether all rows that are set can be swept in place, with room in the tile for rows that are transposed or have no home. */
static bool lies_in_place(const sweep *s) {
    const kdr_sweeper *const by = s->by;
    const size_t elements = by->in_rows ? (size_t)(ROWS_AT_ONCE * by->program->dims) : AT_ONCE;
    size_t bytes = 0;
    for (int row = 0; row < KDR_MAX_ROWS; ++row) {
        const bool lies = is_in_place(by->form[row]);
        if (kdr_has_row(by->in_rows ? s->uses.sets : s->uses.sets | s->uses.reads, row) && by->form[row] != KDR_FORM_NONE && !lies) {
            return false;
        }
        bytes += kdr_has_row(s->uses.reads | s->uses.sets, row) && !lies ? elements * by->program->size : 0;
    }
    return !by->index && !by->program->mixes && bytes <= KDR_TILE_BYTES;
}

static void carry_out(const kdr_sweeper *by, kdr_tile *tile, kdr_lines lines) {
    const kdr_program *const p = by->program;
    for (const kdr_instruction *line = p->line + lines.begin; line < p->line + lines.end; ++line) {
        if (kdr_is_carried_out(by, line)) {
            p->operation[line->code](tile, line);
        }
    }
}

/* Returns the row of part `which` of the state: x, v, and their compensations. */
static int row_of_state(const kdr_program *p, int which) { return which < 2 ? which : p->lost / p->dims + which - 2; }

/* Saves the state in plain arrays. */
static void save(const sweep *s, const kdr_tile *tile) {
    const kdr_particles *const p = s->by->particles;
    const kdr_layout plain = {0, 0, 0, 0};
    for (int which = 0; which < 4 && s->pass->before[which]; ++which) {
        const int row = row_of_state(s->by->program, which);
        const kdr_column c = kdr_column_of(s->pass->before[which], p->dims, s->by->program->size, &plain);
        kdr_tile_carry(s->by, &c, s->by->in_rows ? KDR_FORM_TURNED : KDR_FORM_PLAIN, tile, kdr_tile_row(tile, row), true);
    }
}

static void sweep_tile(const sweep *s, kdr_tile *tile) {
    const kdr_program *const p = s->by->program;
    const bool ends_step = !kdr_is_empty(s->pass->part[1]);
    kdr_tile_load(s->by, tile, s->uses.reads);
    const bool holds = s->masses && kdr_tile_load_masses(s->by, tile);
    if (!ends_step) {
        save(s, tile);
    }
    if (!ends_step && s->looks && s->pass->before[0]) { /* the beginning of the step was just saved; load the saved values */
        kdr_tile_load(s->by, tile, UINT64_C(3) << s->looks->other / (unsigned)p->dims & s->uses.reads);
    }
    carry_out(s->by, tile, s->pass->part[0]);
    if (ends_step && holds) {
        kdr_tile_hold(s->by, tile, &s->uses);
    }
    if (ends_step) {
        save(s, tile);
        carry_out(s->by, tile, s->pass->part[1]);
    }
    if (holds) {
        kdr_tile_hold(s->by, tile, &s->uses);
    }
    if (s->marks && kdr_tile_is_hit(tile, s->marks, p->size, holds)) {
        atomic_store(s->hit, true);
    }
    kdr_tile_store(s->by, tile, s->uses.sets);
}

/* Sweeps a tile whose instructions use strided arrays of the job. */
static __attribute__((noinline)) void sweep_beside(const sweep *s, kdr_tile *tile) {
    _Alignas(64) unsigned char memory[KDR_TILE_PARTICLES * KDR_STRIDED_COLUMNS_SIZE];
    const kdr_job *const job = tile->job;
    kdr_job here = *job;
    kdr_strided_columns_take(s->by->aside, tile->first, tile->count, memory, &here);
    tile->job = &here;
    sweep_tile(s, tile);
    tile->job = job;
    kdr_strided_columns_give(s->by->aside, tile->first, tile->count, memory);
}

static void save_in_place(const sweep *s, const kdr_tile *tile, int axis) {
    const size_t size = s->by->program->size;
    for (int which = 0; which < 4 && s->pass->before[which]; ++which) {
        void *const *const to = s->pass->before[which];
        const kdr_column *const home = &s->by->home[row_of_state(s->by->program, which)];
        char *const from = (char *)home->array[axis] + tile->first * home->layout.stride;
        if (s->by->in_rows) {
            const kdr_column c = kdr_column_of(to, tile->dims, size, &(kdr_layout){0, 0, 0, 0});
            kdr_tile_turn(s->by, &c, tile, from, true);
        } else {
            memcpy((char *)to[axis] + tile->first * size, from, tile->count * size);
        }
    }
}

/* Sweeps particles [first, first + count) of the tile in place. They fill whole vectors and serve as tiles of one axis whose columns are
 * the homes. */
static void sweep_in_place(const sweep *s, kdr_tile *tile, char *at[3 * KDR_MAX_ROWS]) {
    const kdr_sweeper *const by = s->by;
    const kdr_program *const p = by->program;
    const int dims = p->dims, passes = by->in_rows ? 1 : dims;
    const size_t elements = tile->count * (size_t)(by->in_rows ? dims : 1), bytes = elements * p->size;
    tile->vectors = (int)(bytes / (size_t)p->kernels->vector);
    tile->column = bytes;
    tile->at = at;
    for (int axis = 0; axis < passes; ++axis) {
        char *free = tile->memory;
        for (uint64_t left = s->uses.reads | s->uses.sets; left != 0; left &= left - 1) {
            const int row = __builtin_ctzll(left);
            const kdr_column *const home = &by->home[row];
            if (is_in_place(by->form[row])) {
                at[row * dims] = (char *)home->array[axis] + tile->first * home->layout.stride;
                continue;
            }
            at[row * dims] = free;
            free += bytes;
            kdr_tile_carry(by, home, by->form[row], tile, at[row * dims], false);
        }
        const bool ends_step = !kdr_is_empty(s->pass->part[1]);
        for (int part = 0; part < 2; ++part) {
            if (s->pass->before[0] && part == ends_step) {
                save_in_place(s, tile, axis);
            }
            tile->dims = 1;
            carry_out(by, tile, s->pass->part[part]);
            tile->dims = dims;
        }
        if (tile->kept) {
            tile->kept->bits += (tile->vectors + 7) / 8;
        }
    }
}

/* Returns whether any of these particles is frozen or inactive. `scratch` has room for one element per particle. */
static bool is_any_frozen(const kdr_particles *p, const kdr_copies *copies, size_t begin, size_t count, void *scratch) {
    const size_t size = kdr_real_size(p->real);
    if (!p->active && kdr_layout_is_plain(&p->inverse_mass_layout, size)) {
        return kdr_is_any_zero((const char *)p->inverse_mass + begin * size, count, size);
    }
    kdr_take_masses(p, copies, begin, count, scratch);
    return kdr_is_any_zero(scratch, count, size);
}

/* Returns how many particles from `first` on can be swept in place: whole tiles, or 0. */
static size_t in_place_from(const sweep *s, size_t first, size_t end, size_t length, void *scratch) {
    const size_t most = s->by->in_rows ? ROWS_AT_ONCE : AT_ONCE, left = end - first < most ? end - first : most;
    const size_t count = s->in_place ? left - left % length : 0;
    return count > 0 && s->masses && is_any_frozen(s->by->particles, s->by->copies, first, count, scratch) ? 0 : count;
}

/* Sweeps a tile whose rows are loaded from their homes. */
static void sweep_loaded(const sweep *s, kdr_tile *tile, char *at[3 * KDR_MAX_ROWS]) {
    const kdr_program *const p = s->by->program;
    const size_t vector = (size_t)p->kernels->vector, lanes = vector / p->size, column = tile->column;
    tile->vectors = (int)((tile->count + lanes - 1) / lanes);
    tile->vectors += p->mixes && p->vectors > 1 ? tile->vectors % 2 : 0; /* noise is made for two vectors at a time */
    tile->column = (size_t)tile->vectors * vector;
    if (tile->column != column) {
        kdr_tile_point(tile, at, p->columns);
    }
    if (p->mixes && s->by->aside->count > 0) {
        sweep_beside(s, tile);
    } else {
        sweep_tile(s, tile);
    }
}

static void sweep_range(void *argument, size_t first, size_t last) {
    const sweep *const s = argument;
    const kdr_program *const p = s->by->program;
    const kdr_kept_arrays *const arrays = s->pass->kept;
    const size_t length = tile_particles(p);
    const size_t begin = first * BLOCK, end = last * BLOCK < s->by->count ? last * BLOCK : s->by->count;
    const bool ends_step = p->line[s->pass->part[0].begin].code == KDR_OP_NEXT_STEP;
    _Alignas(64) char memory[KDR_TILE_BYTES];
    char *at[3 * KDR_MAX_ROWS];
    size_t kept_at = begin * p->size * (size_t)p->dims;
    kdr_kept kept;
    kdr_tile tile = {.memory = memory,
                     .dims = p->dims,
                     .numbers = s->by->numbers,
                     .list = p->list,
                     .job = s->by->job,
                     .base = s->by->base,
                     .step = s->pass->step,
                     .kept = arrays ? &kept : NULL};
    for (tile.first = begin; tile.first < end; tile.first += tile.count) {
        const size_t in_place = in_place_from(s, tile.first, end, length, memory), left = end - tile.first;
        tile.count = in_place > 0 ? in_place : left < length ? left : length;
        if (arrays) {
            const size_t n = tile.first / length;
            kept = (kdr_kept){arrays->x, arrays->v, arrays->bits + n * arrays->bits_stride};
            if (ends_step) {
                arrays->from[n] = kept_at;
                memset(kept.bits, 0, (tile.count + length - 1) / length * arrays->bits_stride);
            }
            kept.x += arrays->from[n];
            kept.v += arrays->from[n];
        }
        if (in_place > 0) {
            sweep_in_place(s, &tile, at);
            tile.column = 0; /* the columns were moved to other memory */
        } else {
            sweep_loaded(s, &tile, at);
        }
        kept_at = arrays ? (size_t)(kept.x - arrays->x) : 0;
    }
}

static const kdr_instruction *find_marks(const kdr_program *p, const kdr_pass *pass, bool holds) {
    const kdr_instruction *found = NULL;
    for (int part = 0; part < 2; ++part) {
        for (int n = pass->part[part].begin; n < pass->part[part].end; ++n) {
            found = p->line[n].code == KDR_OP_WALLS || p->line[n].code == KDR_OP_CONVERGE || (holds && p->line[n].code == KDR_OP_HOLD)
                        ? &p->line[n]
                        : found;
        }
    }
    return found;
}

bool kdr_sweep(const kdr_sweeper *sweeper, const kdr_pass *pass) {
    const kdr_program *const p = sweeper->program;
    atomic_bool hit = false;
    sweep s = {.by = sweeper, .pass = pass, .masses = !sweeper->index && kdr_has_masses(sweeper->particles), .hit = &hit};
    const uint64_t state = kdr_state_rows(p);
    kdr_uses_none(&s.uses);
    for (int part = 0; part < 2; ++part) {
        kdr_uses_add(&s.uses, sweeper, p->line + pass->part[part].begin, pass->part[part].end - pass->part[part].begin);
    }
    s.uses.reads |= pass->before[0] ? state : s.masses ? s.uses.sets & state : 0;
    s.in_place = lies_in_place(&s);
    s.marks = find_marks(p, pass, false);
    s.looks = find_marks(p, pass, true);
    if (s.uses.sets != 0) {
        kdr_parallel_for(sweeper->executor, kdr_sweep_blocks(sweeper->count), sweep_range, &s);
    }
    return atomic_load(&hit);
}
