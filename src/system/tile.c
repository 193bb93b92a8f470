/* Loads rows from their homes into tiles, stores them back, and finds which rows instructions use. */
#include "tile.h"

#include <string.h>

#include "../particles/element.h"

bool kdr_are_rows(void *const array[3], const kdr_particles *p) {
    const size_t size = kdr_real_size(p->real);
    return kdr_layout_is_rows(array, &(kdr_layout){.stride = (size_t)p->dims * size}, p->dims, size);
}

bool kdr_has_masses(const kdr_particles *p) { return p->inverse_mass || p->active; }

static kdr_form form_of(const kdr_sweeper *s, const kdr_column *c) {
    const bool is_plain = c->layout.stride == c->size && c->layout.block == 0;
    if (s->in_rows) {
        return is_plain ? KDR_FORM_TURNED : KDR_FORM_ROWS;
    }
    return is_plain ? KDR_FORM_PLAIN : kdr_column_has_members(c) ? KDR_FORM_MEMBERS : KDR_FORM_STRIDED;
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
                     .in_rows = !in_order && !program->mixes && kdr_lie_in_rows(particles)};
    put(&s, KDR_HOME_X, particles->x, &particles->x_layout);
    put(&s, KDR_HOME_V, particles->v, &particles->v_layout);
    const kdr_column *const x = &s.home[KDR_HOME_X], *const v = &s.home[KDR_HOME_V];
    s.together = s.form[KDR_HOME_X] == KDR_FORM_MEMBERS && s.form[KDR_HOME_V] == KDR_FORM_MEMBERS && x->layout.stride == v->layout.stride &&
                 v->array[0] == x->array[0] + (size_t)x->axes * x->size;
    return s;
}

void kdr_sweeper_put_at(kdr_sweeper *s, unsigned column, void *const array[3], const kdr_layout *layout) {
    put(s, (int)column / s->program->dims, array, layout);
}

void kdr_sweeper_put(kdr_sweeper *s, unsigned column, void *const array[3]) {
    const kdr_layout rows = {.stride = (size_t)s->program->dims * s->program->size}, plain = {0, 0, 0, 0};
    put(s, (int)column / s->program->dims, array, kdr_are_rows(array, s->particles) ? &rows : &plain);
}

static size_t row_size(const kdr_tile *tile) { return (size_t)tile->dims * tile->column; }

/* Fills the row after `bytes` of elements with copies of the last element, up to `room`. */
static void pad(char *row, size_t bytes, size_t room, size_t size) {
    for (size_t at = bytes; at < room; at += size) {
        memcpy(row + at, row + bytes - size, size);
    }
}

/* Copies plain arrays into a row of interleaved components, or back. */
void kdr_tile_turn(const kdr_sweeper *s, const kdr_column *plain, const kdr_tile *tile, char *row, bool back) {
    kdr_column rows = {.axes = plain->axes, .size = plain->size, .layout = {.stride = (size_t)plain->axes * plain->size}};
    unsigned char *places[3] = {NULL, NULL, NULL};
    for (int i = 0; i < plain->axes; ++i) {
        rows.array[i] = (unsigned char *)row + (size_t)i * plain->size;
        places[i] = plain->array[i] + tile->first * plain->size;
    }
    s->copies->range(&rows, places, 0, tile->count, !back);
}

/* Copies a home's elements into a row of the tile, in the tile's order, or back. */
void kdr_tile_carry(const kdr_sweeper *s, const kdr_column *c, kdr_form form, const kdr_tile *tile, char *row, bool back) {
    if (!c->array[0]) { /* the row has no home */
        return;
    }
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
        memcpy(back ? far : (unsigned char *)row, back ? (unsigned char *)row : far, tile->count * c->layout.stride);
        break;
    case KDR_FORM_TURNED:
        kdr_tile_turn(s, c, tile, row, back);
        break;
    case KDR_FORM_MEMBERS:
        s->program->kernels->carry(far, c->layout.stride, c->axes, (void *[6]){places[0], places[1], places[2]}, tile->count, back);
        break;
    case KDR_FORM_STRIDED:
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

/* Has no branch on a mark: marks are seldom in order, and a mispredicted branch costs as much as forty particles. */
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

/* Sets the inverse masses of inactive particles among [begin, begin + count) to 0, and those of the others to 1 unless they are given. */
static void mark(const kdr_particles *p, size_t begin, size_t count, void *w) {
    enum { MOST = 64 };
    const bool given = p->inverse_mass != NULL, lie = kdr_layout_is_plain(&p->active_layout, 1);
    uint8_t marks[MOST];
    for (size_t at = 0, n = 0; at < count; at += n) {
        n = lie || count - at < MOST ? count - at : MOST;
        for (size_t i = 0; i < n && !lie; ++i) {
            marks[i] = kdr_is_active(p, begin + at + i);
        }
        const uint8_t *const active = lie ? p->active + begin + at : marks;
        if (p->real == KDR_F32) {
            mark_f32(active, given, n, (float *)w + at);
        } else {
            mark_f64(active, given, n, (double *)w + at);
        }
    }
}

void kdr_take_masses(const kdr_particles *p, const kdr_copies *copies, size_t begin, size_t count, void *w) {
    if (p->inverse_mass) {
        void *const array[1] = {p->inverse_mass};
        const kdr_column c = kdr_column_of(array, 1, kdr_real_size(p->real), &p->inverse_mass_layout);
        unsigned char *const places[3] = {w, NULL, NULL};
        copies->range(&c, places, begin, count, false);
    }
    if (p->active) {
        mark(p, begin, count, w);
    }
}

bool kdr_is_any_zero(const void *w, size_t count, size_t size) {
    bool zero = false;
    for (size_t i = 0; i < count && size == sizeof(float); ++i) {
        zero |= kdr_element(w, KDR_F32, i) == 0.0;
    }
    for (size_t i = 0; i < count && size == sizeof(double); ++i) {
        zero |= kdr_element(w, KDR_F64, i) == 0.0;
    }
    return zero;
}

bool kdr_tile_load_masses(const kdr_sweeper *s, const kdr_tile *tile) {
    char *const w = kdr_tile_row(tile, KDR_HOME_MASSES);
    const size_t size = s->program->size;
    kdr_take_masses(s->particles, s->copies, tile->first, tile->count, w);
    if (!kdr_is_any_zero(w, tile->count, size)) {
        return false;
    }
    if (s->in_rows) {
        char *const one = kdr_tile_row(tile, KDR_HOME_X_BEFORE);
        memcpy(one, w, tile->count * size);
        kdr_column all = {.axes = tile->dims, .size = size, .layout = {.stride = size}};
        kdr_tile here = *tile;
        here.first = 0;
        all.array[0] = all.array[1] = all.array[2] = (unsigned char *)one;
        kdr_tile_turn(s, &all, &here, w, false);
    } else {
        for (int i = 1; i < tile->dims; ++i) {
            memcpy(w + (size_t)i * tile->column, w, tile->count * size);
        }
    }
    pad_row(s, tile, w);
    memcpy(kdr_tile_row(tile, KDR_HOME_X_BEFORE), kdr_tile_row(tile, KDR_HOME_X), 2 * row_size(tile));
    if (s->program->lost > 0) {
        memcpy(kdr_tile_row(tile, KDR_HOME_X_BEFORE + 2), kdr_tile_row(tile, s->program->lost / tile->dims), 2 * row_size(tile));
    }
    return true;
}

bool kdr_tile_is_hit(const kdr_tile *tile, const kdr_instruction *line, size_t size, bool holds) {
    const char *const hit = tile->memory + line->out * tile->column, *const w = kdr_tile_row(tile, KDR_HOME_MASSES);
    bool any = false;
    for (size_t i = 0; (tile->state & KDR_WHEN_HIT) && i < tile->count; ++i) {
        any = any || (!kdr_is_any_zero(hit + i * size, 1, size) && !(holds && kdr_is_any_zero(w + i * size, 1, size)));
    }
    return any;
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

/* Returns which row of the state a column belongs to: 0 x, 1 v, 2 and 3 their compensations, -1 none. The columns after the program's
 * may be second rows of x and v. */
static int state_of(const kdr_program *p, unsigned column) {
    const unsigned dims = (unsigned)p->dims, at = column < (unsigned)p->columns ? column : column - (unsigned)p->columns;
    const bool lost = p->lost > 0 && at >= (unsigned)p->lost && at < (unsigned)p->lost + 2 * dims;
    return at < 2 * dims ? (int)(at / dims) : lost ? 2 + (int)((at - (unsigned)p->lost) / dims) : -1;
}

static void sets(const kdr_program *p, kdr_uses *u, unsigned column, int base) {
    const unsigned row = column / (unsigned)p->dims;
    u->sets |= UINT64_C(1) << row;
    u->base[row] = (int8_t)base;
}

static void sets_itself(const kdr_program *p, kdr_uses *u, unsigned column) { sets(p, u, column, state_of(p, column)); }

/* Notes that an instruction changes a row. A row set by an earlier instruction keeps the base it has. */
static void changes(const kdr_program *p, kdr_uses *u, unsigned column) {
    reads(p, u, column);
    if (!kdr_has_row(u->sets, (int)(column / (unsigned)p->dims))) {
        sets_itself(p, u, column);
    }
}

/* Notes that an instruction also changes the compensations of v, whose columns follow those of x. */
static void changes_second(const kdr_program *p, kdr_uses *u, unsigned column) {
    if (column != KDR_NO_COLUMN) {
        changes(p, u, column + (unsigned)p->dims);
    }
}

/* The rows that each operation reads and changes, as a sum of the flags below. Rows of noise and rotations are left out: they have no
 * homes. */
enum { OF_X = 1, OF_V = 2, OF_OTHER = 4, OF_OUT = 8, OF_LIST = 16 };
static const struct {
    uint8_t reads, changes;
} habits[KDR_OP_COUNT] = {
    [KDR_OP_ADVANCE] = {OF_X, OF_OUT},
    [KDR_OP_ADVANCE_COMPENSATED] = {OF_X, OF_OTHER | OF_OUT},
    [KDR_OP_KICK_DRIFT] = {OF_OTHER, OF_V | OF_OUT},
    [KDR_OP_SUM] = {OF_X | OF_LIST, 0},
    [KDR_OP_WEIGH] = {OF_LIST, 0},
    [KDR_OP_WEIGH_ADVANCE] = {OF_LIST, OF_OUT},
    [KDR_OP_ROTATION] = {OF_X, 0},
    [KDR_OP_TURN] = {0, OF_V | OF_OTHER},
    [KDR_OP_BATH] = {0, OF_V | OF_OTHER},
    [KDR_OP_NEXT_STEP] = {OF_OTHER | OF_X | OF_V, 0},
    [KDR_OP_STEP_BACK] = {OF_OTHER | OF_X | OF_V, 0},
    [KDR_OP_HELD_DRIFT] = {0, OF_OUT | OF_V | OF_OTHER},
    [KDR_OP_HOLD_VELOCITY] = {OF_X, OF_V | OF_OTHER},
    [KDR_OP_HOLD] = {OF_OTHER, OF_X | OF_V | OF_OUT},
    [KDR_OP_WALLS] = {OF_OTHER, OF_X | OF_V},
    [KDR_OP_REFLECT] = {OF_OTHER, OF_X | OF_OUT},
    [KDR_OP_SETTLE] = {0, OF_OTHER},
    [KDR_OP_CROSS] = {OF_V | OF_OTHER, OF_OUT},
    [KDR_OP_VELOCITY] = {OF_V, 0},
    [KDR_OP_SLOW] = {OF_V, OF_OUT},
    [KDR_OP_CONVERGE] = {OF_V | OF_OTHER, OF_X},
    [KDR_OP_MAP] = {0, OF_X | OF_V | OF_OTHER},
    [KDR_OP_PUSH] = {0, OF_OUT | OF_OTHER},
};

/* Notes the rows of instructions that look at a whole step or drift. The columns of v follow those of x, for compensations too. */
static void looks_back(const kdr_program *p, kdr_uses *u, const kdr_instruction *line) {
    const unsigned dims = (unsigned)p->dims;
    if (line->code != KDR_OP_HOLD) {
        reads(p, u, line->other + dims);
    }
    if (line->code == KDR_OP_REFLECT) {
        changes(p, u, line->x + dims);
    }
    if (line->code != KDR_OP_WALLS) {
        changes_second(p, u, line->out);
    }
}

/* Notes the rows that are set without being read, and second rows that an instruction implies by naming the first. */
static void use_more(kdr_uses *u, const kdr_program *p, const kdr_instruction *line) {
    const unsigned dims = (unsigned)p->dims;
    switch (line->code) {
    case KDR_OP_COPY:
        for (unsigned n = 0; n < line->count; ++n) {
            const int to = state_of(p, line->out + n * dims);
            reads(p, u, line->x + n * dims);
            sets(p, u, line->out + n * dims, to >= 0 ? to : state_of(p, line->x + n * dims));
        }
        break;
    case KDR_OP_SUM:
        sets(p, u, line->out, state_of(p, line->x));
        break;
    case KDR_OP_CONVERGE:
        changes(p, u, line->out + dims); /* the rows A, size and step */
        changes(p, u, line->out + 4 * dims);
        changes(p, u, line->out + 5 * dims);
        sets(p, u, line->out + 2 * dims, KDR_HOME_V);
        sets(p, u, line->out + 3 * dims, KDR_HOME_X);
        break;
    case KDR_OP_ZERO:
    case KDR_OP_WEIGH:
    case KDR_OP_VELOCITY:
        sets_itself(p, u, line->out);
        break;
    case KDR_OP_NEXT_STEP:
    case KDR_OP_STEP_BACK:
        sets(p, u, line->out, KDR_HOME_X);
        sets(p, u, line->list, KDR_HOME_V);
        break;
    case KDR_OP_WALLS:
    case KDR_OP_HOLD:
    case KDR_OP_REFLECT:
        looks_back(p, u, line);
        break;
    case KDR_OP_HELD_DRIFT:
    case KDR_OP_SETTLE:
        changes_second(p, u, line->other);
        break;
    case KDR_OP_MAP:
        changes(p, u, line->other + dims); /* without compensations these are x and v again */
        for (unsigned n = 0; n < ((line->count & KDR_MAP_EACH) ? (unsigned)kdr_map_columns(line->count, p->dims) : 0); n += dims) {
            reads(p, u, line->out + n);
        }
        break;
    default:
        break;
    }
}

static void use(kdr_uses *u, const kdr_program *p, const kdr_instruction *line) {
    const unsigned named[] = {line->x, line->v, line->other, line->out};
    if (habits[line->code].reads & OF_LIST) {
        reads_list(p, u, line);
    }
    for (int i = 0; i < 4; ++i) {
        if ((habits[line->code].reads >> i & 1) && named[i] != KDR_NO_COLUMN) {
            reads(p, u, named[i]);
        }
    }
    use_more(u, p, line);
    for (int i = 0; i < 4; ++i) {
        if ((habits[line->code].changes >> i & 1) && named[i] != KDR_NO_COLUMN) {
            changes(p, u, named[i]);
        }
    }
}

void kdr_uses_add(kdr_uses *uses, const kdr_sweeper *s, const kdr_instruction *line, int lines) {
    for (int n = 0; n < lines; ++n) {
        if (kdr_is_carried_out(s, &line[n])) {
            use(uses, s->program, &line[n]);
        }
    }
}

void kdr_tile_hold(const kdr_sweeper *s, const kdr_tile *tile, const kdr_uses *uses) {
    const char *const w = kdr_tile_row(tile, KDR_HOME_MASSES);
    const size_t vectors = (size_t)(tile->dims * tile->vectors);
    for (int row = 0; row < KDR_MAX_ROWS; ++row) {
        if (kdr_has_row(uses->sets, row) && uses->base[row] >= 0) {
            char *const at = kdr_tile_row(tile, row);
            s->program->kernels->hold(at, at, kdr_tile_row(tile, KDR_HOME_X_BEFORE + uses->base[row]), w, vectors);
        }
    }
}

/* Copies x and v, consecutive members of one structure, into the tile, or back. */
static void carry_state(const kdr_sweeper *s, const kdr_tile *tile, bool back) {
    const kdr_column *const x = &s->home[KDR_HOME_X];
    void *near[6] = {NULL, NULL, NULL, NULL, NULL, NULL};
    for (int i = 0; i < 2 * x->axes; ++i) {
        near[i] = tile->memory + (size_t)i * tile->column;
    }
    s->program->kernels->carry(x->array[0] + tile->first * x->layout.stride, x->layout.stride, 2 * x->axes, near, tile->count, back);
}

/* Copies x and v together if they can be. Returns the rows that are left to copy. */
static uint64_t carry_together(const kdr_sweeper *s, const kdr_tile *tile, uint64_t rows, bool back) {
    const uint64_t both = 1U << KDR_HOME_X | 1U << KDR_HOME_V;
    if (!s->together || (rows & both) != both || s->index) {
        return rows;
    }
    carry_state(s, tile, back);
    return rows & ~both;
}

void kdr_tile_load(const kdr_sweeper *s, const kdr_tile *tile, uint64_t rows) {
    for (uint64_t left = carry_together(s, tile, rows, false); left != 0; left &= left - 1) {
        const int row = __builtin_ctzll(left);
        kdr_tile_carry(s, &s->home[row], s->form[row], tile, kdr_tile_row(tile, row), false);
    }
    for (uint64_t left = tile->count * s->program->size < tile->column ? rows : 0; left != 0; left &= left - 1) {
        pad_row(s, tile, kdr_tile_row(tile, __builtin_ctzll(left)));
    }
}

void kdr_tile_store(const kdr_sweeper *s, const kdr_tile *tile, uint64_t rows) {
    for (uint64_t left = carry_together(s, tile, rows, true); left != 0; left &= left - 1) {
        const int row = __builtin_ctzll(left);
        kdr_tile_carry(s, &s->home[row], s->form[row], tile, kdr_tile_row(tile, row), true);
    }
}
