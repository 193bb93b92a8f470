/* Sweeps. */
#include "sweep.h"

#include <string.h>

#include "../particles/executor.h"
#include "../particles/layout.h"

/* Particles: the executor's unit of work; how many are swept at once where they lie; and how many are brought into plain arrays. */
enum { BLOCK = 1024, AT_ONCE = 512, ROWS_AT_ONCE = 256, STAGED = 256 };
_Static_assert(ROWS_AT_ONCE % KDR_TILE_PARTICLES == 0 && AT_ONCE % ROWS_AT_ONCE == 0 && BLOCK % AT_ONCE == 0 && BLOCK % STAGED == 0,
               "ranges of whole tiles");

/* One array of elements side by side, the axes of a particle after each other. */
static bool are_rows(void *const array[3], const kdr_layout *layout, int dims, size_t size) {
    bool rows = dims > 1 && layout->block == 0 && layout->stride == (size_t)dims * size;
    for (int i = 1; i < dims; ++i) {
        rows = rows && (uintptr_t)array[i] == (uintptr_t)array[0] + (size_t)i * size;
    }
    return rows;
}

bool kdr_are_rows(void *const array[3], const kdr_particles *p) {
    const size_t size = kdr_real_size(p->real);
    return are_rows(array, &(kdr_layout){.stride = (size_t)p->dims * size}, p->dims, size);
}

bool kdr_lie_in_rows(const kdr_particles *p) {
    const size_t size = kdr_real_size(p->real);
    return are_rows(p->x, &p->x_layout, p->dims, size) && are_rows(p->v, &p->v_layout, p->dims, size);
}

bool kdr_has_masses(const kdr_particles *p) { return p->inverse_mass || p->active; }

static kdr_form form_of(const kdr_sweeper *s, const kdr_column *c) {
    const bool is_plain = c->layout.stride == c->size && c->layout.block == 0;
    if (s->in_rows) {
        return is_plain ? KDR_FORM_TURNED : KDR_FORM_ROWS;
    }
    return is_plain ? KDR_FORM_PLAIN : kdr_column_has_members(c) ? KDR_FORM_MEMBERS : KDR_FORM_APART;
}

static void put(kdr_sweeper *s, int row, void *const *array, const kdr_layout *layout) {
    s->home[row] = kdr_column_of(array, s->program->dims, s->program->size, layout);
    s->form[row] = form_of(s, &s->home[row]);
}

kdr_sweeper kdr_sweeper_make(const kdr_program *program, const void *numbers, kdr_backend backend, const kdr_executor *executor,
                             const kdr_particles *particles, bool in_order) {
    kdr_sweeper s = {.program = program,
                     .numbers = numbers,
                     .copies = kdr_copies_for(backend),
                     .executor = executor,
                     .particles = particles,
                     .count = particles->count,
                     .in_rows = !in_order && kdr_lie_in_rows(particles)};
    put(&s, KDR_ROW_X, particles->x, &particles->x_layout);
    put(&s, KDR_ROW_V, particles->v, &particles->v_layout);
    const kdr_column *const x = &s.home[KDR_ROW_X], *const v = &s.home[KDR_ROW_V];
    s.together = s.form[KDR_ROW_X] == KDR_FORM_MEMBERS && s.form[KDR_ROW_V] == KDR_FORM_MEMBERS && x->layout.stride == v->layout.stride &&
                 v->array[0] == x->array[0] + (size_t)x->axes * x->size;
    return s;
}

void kdr_sweeper_put(kdr_sweeper *s, unsigned column, void *const array[3]) {
    const kdr_layout rows = {.stride = (size_t)s->program->dims * s->program->size}, plain = {0, 0, 0, 0};
    put(s, (int)column / s->program->dims, array, kdr_are_rows(array, s->particles) ? &rows : &plain);
}

/* Tiles. */

static size_t tile_particles(const kdr_program *p) { return (size_t)p->vectors * ((size_t)p->kernels->vector / p->size); }

size_t kdr_tiles_of(const kdr_program *program, size_t count) { return (count + tile_particles(program) - 1) / tile_particles(program); }

size_t kdr_kept_size(const kdr_program *program, size_t count) {
    return (kdr_tiles_of(program, count) * tile_particles(program)) * program->size * (size_t)program->dims;
}

/* The place of a row in the tile. */
static char *row_of(const kdr_tile *tile, int row) { return tile->memory + (size_t)(row * tile->dims) * tile->column; }

static size_t row_size(const kdr_tile *tile) { return (size_t)tile->dims * tile->column; }

/* Behind `bytes` of elements the last one is repeated, up to `room`. */
static void pad(char *row, size_t bytes, size_t room, size_t size) {
    for (size_t at = bytes; at < room; at += size) {
        memcpy(row + at, row + bytes - size, size);
    }
}

/* Between plain arrays and a row of particles. */
static void turn(const kdr_sweeper *s, const kdr_column *plain, const kdr_tile *tile, char *row, bool back) {
    kdr_column rows = {.axes = plain->axes, .size = plain->size, .layout = {.stride = (size_t)plain->axes * plain->size}};
    unsigned char *places[3] = {NULL, NULL, NULL};
    for (int i = 0; i < plain->axes; ++i) {
        rows.array[i] = (unsigned char *)row + (size_t)i * plain->size;
        places[i] = plain->array[i] + tile->first * plain->size;
    }
    s->copies->range(&rows, places, 0, tile->count, !back);
}

/* Between a home and a row of the tile, in the tile's order. */
static void carry(const kdr_sweeper *s, const kdr_column *c, kdr_form form, const kdr_tile *tile, char *row, bool back) {
    unsigned char *places[3] = {NULL, NULL, NULL};
    for (int i = 0; i < c->axes; ++i) {
        places[i] = (unsigned char *)row + (size_t)i * tile->column;
    }
    unsigned char *const far = c->array[0] + tile->first * c->layout.stride;
    if (s->index) {
        s->copies->chosen(c, places, s->index + tile->first, tile->count, back);
        return;
    }
    switch (form) {
    case KDR_FORM_PLAIN:
        for (int i = 0; i < c->axes; ++i) {
            unsigned char *const run = c->array[i] + tile->first * c->size;
            memcpy(back ? run : places[i], back ? places[i] : run, tile->count * c->size);
        }
        break;
    case KDR_FORM_ROWS:
        memcpy(back ? far : places[0], back ? places[0] : far, tile->count * c->layout.stride);
        break;
    case KDR_FORM_TURNED:
        turn(s, c, tile, row, back);
        break;
    case KDR_FORM_MEMBERS:
        s->program->kernels->carry(far, c->layout.stride, c->axes, (void *[6]){places[0], places[1], places[2]}, tile->count, back);
        break;
    case KDR_FORM_APART:
        s->copies->range(c, places, tile->first, tile->count, back);
        break;
    case KDR_FORM_NONE:
        break;
    }
}

static void pad_row(const kdr_sweeper *s, const kdr_tile *tile, char *row) {
    const size_t size = s->program->size;
    if (s->in_rows) {
        pad(row, tile->count * (size_t)tile->dims * size, row_size(tile), size);
        return;
    }
    for (int i = 0; i < tile->dims; ++i) {
        pad(row + (size_t)i * tile->column, tile->count * size, tile->column, size);
    }
}

/* Without a branch on a mark: groups are seldom in order, and a missed one costs as much as forty particles. */
static void mark_f32(const uint8_t *active, bool given, size_t count, float *w) {
    for (size_t i = 0; i < count; ++i) {
        const float one = given ? w[i] : 1.0F;
        w[i] = active[i] ? one : 0.0F;
    }
}

static void mark_f64(const uint8_t *active, bool given, size_t count, double *w) {
    for (size_t i = 0; i < count; ++i) {
        const double one = given ? w[i] : 1.0;
        w[i] = active[i] ? one : 0.0;
    }
}

/* The inverse masses of particles [begin, begin + count) as a plain array: 0 where one is not active. */
static void take_masses(const kdr_particles *p, const kdr_copies *copies, size_t begin, size_t count, void *w) {
    if (p->inverse_mass) {
        void *const array[1] = {p->inverse_mass};
        const kdr_column c = kdr_column_of(array, 1, kdr_real_size(p->real), &p->inverse_mass_layout);
        unsigned char *const places[3] = {w, NULL, NULL};
        copies->range(&c, places, begin, count, false);
    }
    if (p->active && p->real == KDR_F32) {
        mark_f32(p->active + begin, p->inverse_mass != NULL, count, w);
    } else if (p->active) {
        mark_f64(p->active + begin, p->inverse_mass != NULL, count, w);
    }
}

static bool is_any_zero(const void *w, size_t count, size_t size) {
    const float *const narrow = w;
    const double *const wide = w;
    bool zero = false;
    for (size_t i = 0; i < count && size == sizeof *narrow; ++i) {
        zero |= narrow[i] == 0.0F;
    }
    for (size_t i = 0; i < count && size == sizeof *wide; ++i) {
        zero |= wide[i] == 0.0;
    }
    return zero;
}

bool kdr_tile_load_masses(const kdr_sweeper *s, const kdr_tile *tile) {
    char *const w = row_of(tile, KDR_ROW_MASSES);
    const size_t size = s->program->size;
    take_masses(s->particles, s->copies, tile->first, tile->count, w);
    if (!is_any_zero(w, tile->count, size)) {
        return false;
    }
    if (s->in_rows) {
        char *const one = row_of(tile, KDR_ROW_X_BEFORE);
        memcpy(one, w, tile->count * size);
        kdr_column all = {.axes = tile->dims, .size = size, .layout = {.stride = size}};
        kdr_tile here = *tile;
        here.first = 0;
        all.array[0] = all.array[1] = all.array[2] = (unsigned char *)one;
        turn(s, &all, &here, w, false);
    } else {
        for (int i = 1; i < tile->dims; ++i) {
            memcpy(w + (size_t)i * tile->column, w, tile->count * size);
        }
    }
    pad_row(s, tile, w);
    memcpy(row_of(tile, KDR_ROW_X_BEFORE), row_of(tile, KDR_ROW_X), 2 * row_size(tile));
    return true;
}

void kdr_uses_none(kdr_uses *uses) {
    uses->reads = uses->sets = 0;
    memset(uses->base, -1, sizeof uses->base);
}

static void reads(const kdr_program *p, kdr_uses *u, unsigned column) {
    const uint64_t bit = UINT64_C(1) << column / (unsigned)p->dims;
    u->reads |= u->sets & bit ? 0 : bit;
}

static void reads_list(const kdr_program *p, kdr_uses *u, const kdr_instruction *line) {
    for (int j = 0; j < line->count; ++j) {
        reads(p, u, p->list[line->list + j] & KDR_NO_COLUMN);
    }
}

/* `base`: a row, for those that are x or v; other rows have none. */
static void sets(const kdr_program *p, kdr_uses *u, unsigned column, unsigned base) {
    const unsigned row = column / (unsigned)p->dims;
    u->sets |= UINT64_C(1) << row;
    u->base[row] = base <= KDR_ROW_V ? (int8_t)base : -1;
}

/* Behind the program's rows there may be doubles of x and v. */
static void sets_itself(const kdr_program *p, kdr_uses *u, unsigned column) {
    const unsigned first = column < (unsigned)p->columns ? 0 : (unsigned)p->columns;
    sets(p, u, column, (column - first) / (unsigned)p->dims);
}

static void use(kdr_uses *u, const kdr_program *p, const kdr_instruction *line) {
    const unsigned dims = (unsigned)p->dims;
    switch (line->code) {
    case KDR_OP_COPY:
        for (unsigned n = 0; n < line->count; ++n) {
            reads(p, u, line->x + n * dims);
            sets_itself(p, u, line->out + n * dims);
        }
        break;
    case KDR_OP_ADVANCE:
        reads(p, u, line->x);
        reads(p, u, line->out);
        sets_itself(p, u, line->out);
        break;
    case KDR_OP_KICK_DRIFT:
        reads(p, u, line->other);
        reads(p, u, line->v);
        reads(p, u, line->out);
        sets_itself(p, u, line->v);
        sets_itself(p, u, line->out);
        break;
    case KDR_OP_SUM:
        reads(p, u, line->x);
        reads_list(p, u, line);
        sets(p, u, line->out, line->x / dims);
        break;
    case KDR_OP_WEIGH:
        reads_list(p, u, line);
        sets_itself(p, u, line->out);
        break;
    case KDR_OP_WEIGH_ADVANCE:
        reads_list(p, u, line);
        reads(p, u, line->out);
        sets_itself(p, u, line->out);
        break;
    default: /* CROSS and UNCROSS */
        reads(p, u, line->other);
        reads(p, u, line->x);
        reads(p, u, line->v);
        sets(p, u, line->out, KDR_ROW_X);
        sets(p, u, line->list, KDR_ROW_V);
    }
}

void kdr_uses_add(kdr_uses *uses, const kdr_program *program, const kdr_instruction *line, int lines) {
    for (int n = 0; n < lines; ++n) {
        use(uses, program, &line[n]);
    }
}

static bool has(uint64_t rows, int row) { return (rows >> row & 1) != 0; }

void kdr_tile_hold(const kdr_sweeper *s, const kdr_tile *tile, const kdr_uses *uses) {
    const char *const w = row_of(tile, KDR_ROW_MASSES);
    const size_t vectors = (size_t)(tile->dims * tile->vectors);
    for (int row = 0; row < KDR_MAX_ROWS; ++row) {
        if (has(uses->sets, row) && uses->base[row] >= 0) {
            char *const at = row_of(tile, row);
            s->program->kernels->hold(at, at, row_of(tile, KDR_ROW_X_BEFORE + uses->base[row]), w, vectors);
        }
    }
}

/* x and v as one run of members. */
static void carry_state(const kdr_sweeper *s, const kdr_tile *tile, bool back) {
    const kdr_column *const x = &s->home[KDR_ROW_X];
    void *near[6] = {NULL, NULL, NULL, NULL, NULL, NULL};
    for (int i = 0; i < 2 * x->axes; ++i) {
        near[i] = tile->memory + (size_t)i * tile->column;
    }
    s->program->kernels->carry(x->array[0] + tile->first * x->layout.stride, x->layout.stride, 2 * x->axes, near, tile->count, back);
}

/* Carries rows; of those that are left to do. */
static uint64_t carry_together(const kdr_sweeper *s, const kdr_tile *tile, uint64_t rows, bool back) {
    const uint64_t both = 1U << KDR_ROW_X | 1U << KDR_ROW_V;
    if (!s->together || (rows & both) != both || s->index) {
        return rows;
    }
    carry_state(s, tile, back);
    return rows & ~both;
}

void kdr_tile_load(const kdr_sweeper *s, const kdr_tile *tile, uint64_t rows) {
    for (uint64_t left = carry_together(s, tile, rows, false); left != 0; left &= left - 1) {
        const int row = __builtin_ctzll(left);
        carry(s, &s->home[row], s->form[row], tile, row_of(tile, row), false);
    }
    const size_t lanes = (size_t)s->program->kernels->vector / s->program->size;
    for (uint64_t left = tile->count % lanes != 0 ? rows : 0; left != 0; left &= left - 1) {
        pad_row(s, tile, row_of(tile, __builtin_ctzll(left)));
    }
}

void kdr_tile_store(const kdr_sweeper *s, const kdr_tile *tile, uint64_t rows) {
    for (uint64_t left = carry_together(s, tile, rows, true); left != 0; left &= left - 1) {
        const int row = __builtin_ctzll(left);
        carry(s, &s->home[row], s->form[row], tile, row_of(tile, row), true);
    }
}

/* A parallel loop over ranges of particles. */
typedef struct sweep {
    const kdr_sweeper *by;
    const kdr_pass *pass;
    kdr_uses uses;
    bool masses, in_place; /* rows are swept where they lie, unless a particle is frozen */
} sweep;

static bool is_in_place(kdr_form form) { return form == KDR_FORM_PLAIN || form == KDR_FORM_ROWS; }

/* All rows that are set lie in the order of tiles, and there is room for those that are turned, or have no home. */
static bool lies_in_place(const sweep *s) {
    const kdr_sweeper *const by = s->by;
    const size_t elements = by->in_rows ? (size_t)(ROWS_AT_ONCE * by->program->dims) : AT_ONCE;
    size_t bytes = 0;
    for (int row = 0; row < KDR_MAX_ROWS; ++row) {
        const bool lies = is_in_place(by->form[row]);
        if (has(by->in_rows ? s->uses.sets : s->uses.sets | s->uses.reads, row) && by->form[row] != KDR_FORM_NONE && !lies) {
            return false;
        }
        bytes += has(s->uses.reads | s->uses.sets, row) && !lies ? elements * by->program->size : 0;
    }
    return !by->index && bytes <= KDR_TILE_BYTES;
}

static void carry_out(const kdr_program *p, kdr_tile *tile, kdr_lines lines) {
    for (const kdr_instruction *line = p->line + lines.begin; line < p->line + lines.end; ++line) {
        p->operation[line->code](tile, line);
    }
}

/* What x and v are now, into plain arrays. */
static void save(const sweep *s, const kdr_tile *tile) {
    const kdr_particles *const p = s->by->particles;
    const kdr_layout plain = {0, 0, 0, 0};
    for (int row = KDR_ROW_X; row <= KDR_ROW_V && s->pass->before_x; ++row) {
        const kdr_column c = kdr_column_of(row == KDR_ROW_X ? s->pass->before_x : s->pass->before_v, p->dims, s->by->program->size, &plain);
        carry(s->by, &c, s->by->in_rows ? KDR_FORM_TURNED : KDR_FORM_PLAIN, tile, row_of(tile, row), true);
    }
}

static void sweep_tile(const sweep *s, kdr_tile *tile) {
    const kdr_program *const p = s->by->program;
    const bool crosses = !kdr_is_empty(s->pass->part[1]);
    kdr_tile_load(s->by, tile, s->uses.reads);
    const bool holds = s->masses && kdr_tile_load_masses(s->by, tile);
    if (!crosses) {
        save(s, tile);
    }
    carry_out(p, tile, s->pass->part[0]);
    if (crosses && holds) {
        kdr_tile_hold(s->by, tile, &s->uses);
    }
    if (crosses) {
        save(s, tile);
        carry_out(p, tile, s->pass->part[1]);
    }
    if (holds) {
        kdr_tile_hold(s->by, tile, &s->uses);
    }
    kdr_tile_store(s->by, tile, s->uses.sets);
}

/* Asks for the lines of the next tile's particles, where they lie apart. Those of members the kernels ask for. */
static void foresee(const sweep *s, size_t begin, size_t end) {
    for (int row = KDR_ROW_X; row <= KDR_ROW_V && begin < end && !s->by->index; ++row) {
        if (has(s->uses.reads, row) && s->by->form[row] == KDR_FORM_APART) {
            kdr_foresee(&s->by->home[row], begin, end - begin);
        }
    }
}

static void save_in_place(const sweep *s, const kdr_tile *tile, int axis) {
    const size_t size = s->by->program->size;
    for (int row = KDR_ROW_X; row <= KDR_ROW_V; ++row) {
        void *const *const to = row == KDR_ROW_X ? s->pass->before_x : s->pass->before_v;
        char *const from = tile->at[row * tile->dims];
        if (s->by->in_rows) {
            const kdr_column c = kdr_column_of(to, tile->dims, size, &(kdr_layout){0, 0, 0, 0});
            turn(s->by, &c, tile, from, true);
        } else {
            memcpy((char *)to[axis] + tile->first * size, from, tile->count * size);
        }
    }
}

/* Particles [tile->first, tile->first + tile->count), whole vectors of them, where they lie: as tiles of one axis, whose columns are the homes. */
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
            carry(by, home, by->form[row], tile, at[row * dims], false);
        }
        const bool crosses = !kdr_is_empty(s->pass->part[1]);
        for (int part = 0; part < 2; ++part) {
            if (s->pass->before_x && part == crosses) {
                save_in_place(s, tile, axis);
            }
            tile->dims = 1;
            carry_out(p, tile, s->pass->part[part]);
            tile->dims = dims;
        }
        if (tile->kept) {
            tile->kept->bits += (tile->vectors + 7) / 8;
        }
    }
}

/* `scratch`: room for an element a particle. */
static bool is_any_frozen(const kdr_particles *p, const kdr_copies *copies, size_t begin, size_t count, void *scratch) {
    const size_t size = kdr_real_size(p->real);
    if (!p->active && kdr_layout_is_plain(&p->inverse_mass_layout, size)) {
        return is_any_zero((const char *)p->inverse_mass + begin * size, count, size);
    }
    take_masses(p, copies, begin, count, scratch);
    return is_any_zero(scratch, count, size);
}

/* How many particles from `first` on can be swept where they lie: whole tiles. */
static size_t in_place_from(const sweep *s, size_t first, size_t end, size_t length, void *scratch) {
    const size_t most = s->by->in_rows ? ROWS_AT_ONCE : AT_ONCE, left = end - first < most ? end - first : most;
    const size_t count = s->in_place ? left - left % length : 0;
    return count > 0 && s->masses && is_any_frozen(s->by->particles, s->by->copies, first, count, scratch) ? 0 : count;
}

static void sweep_range(void *argument, size_t first, size_t last) {
    const sweep *const s = argument;
    const kdr_program *const p = s->by->program;
    const kdr_kept_arrays *const arrays = s->pass->kept;
    const size_t vector = (size_t)p->kernels->vector, lanes = vector / p->size, length = tile_particles(p);
    const size_t begin = first * BLOCK, end = last * BLOCK < s->by->count ? last * BLOCK : s->by->count;
    const bool crosses = p->line[s->pass->part[0].begin].code == KDR_OP_CROSS;
    _Alignas(64) char memory[KDR_TILE_BYTES];
    char *at[3 * KDR_MAX_ROWS];
    size_t kept_at = begin * p->size * (size_t)p->dims;
    kdr_kept kept;
    kdr_tile tile = {.memory = memory, .dims = p->dims, .numbers = s->by->numbers, .list = p->list, .kept = arrays ? &kept : NULL};
    for (tile.first = begin; tile.first < end; tile.first += tile.count) {
        const size_t in_place = in_place_from(s, tile.first, end, length, memory), left = end - tile.first;
        tile.count = in_place > 0 ? in_place : left < length ? left : length;
        if (arrays) {
            const size_t n = tile.first / length;
            kept = (kdr_kept){arrays->x, arrays->v, arrays->bits + n * arrays->bits_stride};
            if (crosses) {
                arrays->from[n] = kept_at;
                memset(kept.bits, 0, (tile.count + length - 1) / length * arrays->bits_stride);
            }
            kept.x += arrays->from[n];
            kept.v += arrays->from[n];
        }
        if (in_place > 0) {
            sweep_in_place(s, &tile, at);
            tile.column = 0; /* the columns are elsewhere */
        } else {
            const size_t column = tile.column;
            tile.vectors = (int)((tile.count + lanes - 1) / lanes);
            tile.column = (size_t)tile.vectors * vector;
            if (tile.column != column) {
                kdr_tile_point(&tile, at, p->columns);
            }
            foresee(s, tile.first + tile.count, tile.first + 2 * tile.count < end ? tile.first + 2 * tile.count : end);
            sweep_tile(s, &tile);
        }
        kept_at = arrays ? (size_t)(kept.x - arrays->x) : 0;
    }
}

static void in_blocks(const kdr_executor *executor, size_t count, kdr_range_fn *run, void *argument) {
    if (count > 0) {
        kdr_parallel_for(executor, (count - 1) / BLOCK + 1, run, argument);
    }
}

void kdr_sweep(const kdr_sweeper *sweeper, const kdr_pass *pass) {
    const kdr_program *const p = sweeper->program;
    sweep s = {.by = sweeper, .pass = pass, .masses = !sweeper->index && kdr_has_masses(sweeper->particles)};
    const uint64_t state = 1U << KDR_ROW_X | 1U << KDR_ROW_V;
    kdr_uses_none(&s.uses);
    for (int part = 0; part < 2; ++part) {
        kdr_uses_add(&s.uses, p, p->line + pass->part[part].begin, pass->part[part].end - pass->part[part].begin);
    }
    s.uses.reads |= pass->before_x ? state : s.masses ? s.uses.sets & state : 0;
    s.in_place = lies_in_place(&s);
    if (s.uses.sets != 0) {
        in_blocks(sweeper->executor, sweeper->count, sweep_range, &s);
    }
}

/* Arrays of all particles. */

typedef struct array_sweep {
    const kdr_arrays *on;
    const kdr_job *job;
    bool adds, back;
    void *const *to, *const *from; /* accelerations; or from NULL: zeros */
    void *const *x, *const *v;
} array_sweep;

static size_t end_of(const array_sweep *s, size_t last) {
    return last * BLOCK < s->on->particles->count ? last * BLOCK : s->on->particles->count;
}

/* Plain arrays on the stack, of an axis each. */
typedef struct staged {
    _Alignas(64) unsigned char element[3][STAGED * sizeof(double)];
} staged;

/* Brings particles [begin, end) there. Fills in how all particles would see it. */
static void stage(const array_sweep *s, void *const array[3], const kdr_layout *layout, size_t begin, size_t end, staged *on,
                  void *seen[3]) {
    const size_t size = kdr_real_size(s->on->particles->real);
    const kdr_column c = kdr_column_of(array, s->on->particles->dims, size, layout);
    unsigned char *const places[3] = {on->element[0], on->element[1], on->element[2]};
    kdr_copies_for(s->on->backend)->range(&c, places, begin, end - begin, false);
    for (int i = 0; i < s->on->particles->dims; ++i) {
        seen[i] = (void *)((uintptr_t)on->element[i] - begin * size);
    }
}

static void field_range(void *argument, size_t first, size_t last) {
    const array_sweep *const s = argument;
    const kdr_particles *const p = s->on->particles;
    const size_t size = kdr_real_size(p->real), end = end_of(s, last);
    _Alignas(64) unsigned char on[STAGED * sizeof(double)];
    const bool apart = !kdr_layout_is_plain(&p->x_layout, size) || !kdr_layout_is_plain(&p->v_layout, size);
    const bool far = p->inverse_mass && !kdr_layout_is_plain(&p->inverse_mass_layout, size);
    kdr_particles all = *p; /* of those that are not active too: nobody will look at them */
    all.active = NULL;
    kdr_job job = *s->job;
    for (size_t b = first * BLOCK, e; b < end; b = e) {
        e = (apart || far) && b + STAGED < end ? b + STAGED : end;
        staged on_x, on_v;
        memcpy(job.x, p->x, sizeof job.x);
        memcpy(job.v, p->v, sizeof job.v);
        job.inverse_mass = p->inverse_mass;
        if (apart) {
            stage(s, p->x, &p->x_layout, b, e, &on_x, job.x);
            stage(s, p->v, &p->v_layout, b, e, &on_v, job.v);
        }
        if (far) {
            take_masses(&all, kdr_copies_for(s->on->backend), b, e - b, on);
            job.inverse_mass = (void *)((uintptr_t)on - b * size);
        }
        kdr_program_accelerations(&job, s->to, s->adds, b, e);
    }
}

void kdr_sweep_field(const kdr_arrays *arrays, const kdr_job *job, void *const a[3], bool adds) {
    in_blocks(arrays->executor, arrays->particles->count, field_range, &(array_sweep){.on = arrays, .job = job, .to = a, .adds = adds});
}

static void copy_range(void *argument, size_t first, size_t last) {
    const array_sweep *const s = argument;
    const size_t size = kdr_real_size(s->on->particles->real), begin = first * BLOCK, bytes = (end_of(s, last) - begin) * size;
    for (int i = 0; i < s->on->particles->dims; ++i) {
        if (s->from) {
            memcpy((char *)s->to[i] + begin * size, (const char *)s->from[i] + begin * size, bytes);
        } else {
            memset((char *)s->to[i] + begin * size, 0, bytes);
        }
    }
}

void kdr_sweep_zeros(const kdr_arrays *arrays, void *const to[3]) {
    in_blocks(arrays->executor, arrays->particles->count, copy_range, &(array_sweep){.on = arrays, .to = to});
}

void kdr_sweep_copies(const kdr_arrays *arrays, void *const to[3], void *const from[3]) {
    in_blocks(arrays->executor, arrays->particles->count, copy_range, &(array_sweep){.on = arrays, .to = to, .from = from});
}

static void carry_range(void *argument, size_t first, size_t last) {
    const array_sweep *const s = argument;
    const kdr_particles *const p = s->on->particles;
    const size_t size = kdr_real_size(p->real), begin = first * BLOCK, count = end_of(s, last) - begin;
    const kdr_column x = kdr_column_of(p->x, p->dims, size, &p->x_layout), v = kdr_column_of(p->v, p->dims, size, &p->v_layout);
    unsigned char *on_x[3] = {NULL, NULL, NULL}, *on_v[3] = {NULL, NULL, NULL};
    for (int i = 0; i < p->dims; ++i) {
        on_x[i] = (unsigned char *)s->x[i] + begin * size;
        on_v[i] = (unsigned char *)s->v[i] + begin * size;
    }
    const kdr_copies *const copies = kdr_copies_for(s->on->backend);
    copies->range(&x, on_x, begin, count, s->back);
    copies->range(&v, on_v, begin, count, s->back);
}

void kdr_sweep_take(const kdr_arrays *arrays, void *const x[3], void *const v[3]) {
    in_blocks(arrays->executor, arrays->particles->count, carry_range, &(array_sweep){.on = arrays, .x = x, .v = v});
}

void kdr_sweep_give(const kdr_arrays *arrays, void *const x[3], void *const v[3]) {
    in_blocks(arrays->executor, arrays->particles->count, carry_range, &(array_sweep){.on = arrays, .x = x, .v = v, .back = true});
}
