/* Draws cases. */
#include "cases.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, MARGIN = 256, LARGEST_GAP = 4, IN_TURN = 68 };

static size_t real_bytes(const kdr_check_desc *desc) { return desc->real == KDR_F32 ? sizeof(float) : sizeof(double); }

static int column_count(const kdr_check_desc *desc) {
    return desc->step ? 2 * desc->dims + desc->inverse_mass : desc->inputs + desc->outputs;
}

static size_t largest_count(const kdr_check_desc *desc) {
    size_t most = desc->counts ? 0 : CASE_COUNTS;
    for (size_t i = 0; desc->counts && i < desc->count_count; ++i) {
        most = desc->counts[i] > most ? desc->counts[i] : most;
    }
    return most;
}

bool kdr_check_memory_make(kdr_check_memory *memory, const kdr_check_desc *desc) {
    const size_t count = largest_count(desc), bytes = real_bytes(desc);
    const int columns = column_count(desc);
    /* The room of a strided array is that of an array of structures too. */
    const size_t wide = (size_t)(columns > LARGEST_GAP ? columns : LARGEST_GAP) + 1;
    memory->column_bytes = (count * bytes + LINE) / LINE * LINE;
    if (count > SIZE_MAX / 64 / bytes / wide / (size_t)columns ||
        !kdr_check_arena_create(&memory->arena, columns, (count + 1) * bytes * (desc->step ? wide : 1) + (size_t)2 * LINE)) {
        return false;
    }
    memory->copies = malloc(2 * (size_t)columns * memory->column_bytes);
    return memory->copies != NULL;
}

void kdr_check_memory_free(kdr_check_memory *memory) {
    if (memory->arena.base) {
        kdr_check_arena_destroy(&memory->arena);
    }
    free(memory->copies);
}

static uint32_t below(kdr_check_random *random, uint32_t limit) { return kdr_check_random_below(random, limit); }

/* Small counts come in turn, so that the first fault is found with few particles. */
static size_t draw_count(kdr_check_random *random, const kdr_check_desc *desc, uint64_t number) {
    if (desc->counts) {
        return desc->counts[number < desc->count_count ? number : below(random, (uint32_t)desc->count_count)];
    }
    if (number < IN_TURN) {
        return (size_t)number;
    }
    const uint32_t kind = below(random, 4);
    return kind == 0   ? below(random, CASE_COUNTS + 1)
           : kind == 1 ? (size_t)(64U << below(random, 4)) - 1 + below(random, 3)
                       : below(random, 300);
}

/* Divides the steps into calls. */
static void draw_calls(kdr_check_case_drawn *drawn, const kdr_check_desc *desc) {
    kdr_check_random *const random = &drawn->random;
    const uint64_t most = desc->step ? desc->max_steps : 1;
    drawn->steps = desc->step ? (most < UINT32_MAX ? below(random, (uint32_t)most + 1) : most) : 1;
    drawn->calls = desc->step && !desc->one_call && below(random, 2) ? 2 + (int)below(random, CASE_CALLS - 1) : 1;
    uint64_t left = drawn->steps;
    for (int i = 0; i < drawn->calls; ++i) {
        const bool is_last = i == drawn->calls - 1;
        drawn->steps_of_call[i] = is_last ? left : below(random, (uint32_t)(left < UINT32_MAX ? left + 1 : UINT32_MAX));
        left -= drawn->steps_of_call[i];
    }
}

static unsigned draw_bit(kdr_check_random *random, unsigned set) {
    unsigned bits[32], count = 0;
    for (unsigned bit = 1; bit && bit <= set; bit <<= 1) {
        if (set & bit) {
            bits[count++] = bit;
        }
    }
    return bits[below(random, count)];
}

/* Draws a number of the kind for a type with these properties. */
static double draw_special(kdr_check_random *random, unsigned kind, bool is_f32) {
    const double tiny = is_f32 ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN, normal = is_f32 ? (double)FLT_MIN : DBL_MIN;
    const double largest = is_f32 ? (double)FLT_MAX : DBL_MAX;
    const double sign = below(random, 2) ? 1 : -1;
    switch (kind) {
    case KDR_CHECK_ZEROS:
        return sign * 0.0;
    case KDR_CHECK_SUBNORMALS:
        return sign * (below(random, 4) ? tiny * (1 + below(random, 1U << (1 + below(random, 22)))) : normal);
    case KDR_CHECK_HUGE:
        return sign * (below(random, 2) ? largest : ldexp(1 + 1e-3 * below(random, 1000), is_f32 ? 64 : 512));
    case KDR_CHECK_TIES: {
        /* The product of two odd numbers of so many bits has one bit more than fits, and it is 1. */
        const int bits = is_f32 ? 13 : 27;
        return sign * ldexp((double)((1U << (bits - 1)) + 1 + 2 * below(random, 1U << (bits - 2))), 1 - bits);
    }
    case KDR_CHECK_INFINITIES:
        return sign * (double)INFINITY;
    default:
        return (double)NAN;
    }
}

static void store(unsigned char *at, double value, bool is_f32) {
    const float single = (float)value;
    memcpy(at, is_f32 ? (const void *)&single : (const void *)&value, is_f32 ? sizeof single : sizeof value);
}

/* Fills `before` of a column. Inverse masses are positive, or 0. */
static void draw_elements(kdr_check_case_drawn *drawn, const kdr_check_desc *desc, kdr_check_column *column) {
    kdr_check_random *const random = &drawn->random;
    const bool is_f32 = desc->real == KDR_F32, is_special = drawn->number % 2 && desc->values;
    const bool is_mass = desc->step && column->name == 6;
    for (size_t i = 0; i < drawn->count; ++i) {
        double value = is_mass ? (below(random, 8) ? kdr_check_random_between(random, 0.25, 4) : 0)
                               : kdr_check_random_between(random, desc->low, desc->high);
        if (is_special && !is_mass && below(random, 4) == 0) {
            value = draw_special(random, draw_bit(random, desc->values), is_f32);
        }
        store(column->before + i * real_bytes(desc), value, is_f32);
    }
}

/* Chooses where the column's first element is. `bytes` is the size of an element. */
static unsigned char *draw_place(kdr_check_case_drawn *drawn, const kdr_check_memory *memory, const kdr_check_column *column,
                                 size_t bytes) {
    kdr_check_random *const random = &drawn->random;
    unsigned char *const low = kdr_check_arena_slot(&memory->arena, column->slot), *const high = low + memory->arena.slot;
    const size_t used = drawn->count ? (drawn->count - 1) * column->stride + bytes : 0;
    const uint32_t where = below(random, 3);
    if (where == 0) {
        return low; /* next to the page before */
    }
    if (where == 1) { /* next to the page after, as near as the alignment allows */
        const size_t room = (size_t)(high - low) - used;
        return low + (drawn->place == KDR_CHECK_ALIGNED ? room / LINE * LINE : room / bytes * bytes);
    }
    const size_t shift = drawn->place == KDR_CHECK_ALIGNED ? 0 : bytes * below(random, (uint32_t)(LINE / bytes));
    return low + MARGIN / LINE * LINE + shift;
}

/* Gives the columns their names, strides and places. */
static void place_columns(kdr_check_case_drawn *drawn, const kdr_check_desc *desc, const kdr_check_memory *memory) {
    const size_t bytes = real_bytes(desc);
    /* Positions have one layout, velocities another, and inverse masses a third. */
    const size_t gaps[3] = {1 + below(&drawn->random, LARGEST_GAP), 1 + below(&drawn->random, LARGEST_GAP),
                            1 + below(&drawn->random, LARGEST_GAP)};
    drawn->column_count = column_count(desc);
    for (int i = 0; i < drawn->column_count; ++i) {
        kdr_check_column *const c = &drawn->column[i];
        const bool is_structure = drawn->place == KDR_CHECK_STRUCTURES && i < 2 * desc->dims;
        c->name = i;
        if (desc->step) {
            c->name = i < desc->dims ? i : i < 2 * desc->dims ? 3 + i - desc->dims : 6;
        } else if (i >= desc->outputs) {
            c->name = KDR_CHECK_MAX_ARRAYS + i - desc->outputs;
        }
        c->is_written = desc->step ? c->name < 6 : i < desc->outputs;
        c->slot = is_structure ? 0 : i;
        c->stride = bytes;
        if (is_structure) {
            c->stride = bytes * 2 * (size_t)desc->dims;
        } else if (drawn->place == KDR_CHECK_STRIDED) {
            c->stride = bytes * gaps[c->name < 3 ? 0 : c->name < 6 ? 1 : 2];
        }
        /* A structure ends where its last member does, so the first member's place leaves room for the others. */
        c->at = is_structure && i > 0 ? drawn->column[0].at + (size_t)i * bytes
                                      : draw_place(drawn, memory, c, is_structure ? c->stride : bytes);
        c->before = memory->copies + (size_t)(2 * i) * memory->column_bytes;
        c->expected = c->before + memory->column_bytes;
    }
}

/* Returns the part of a slot that is painted: it holds the elements and a margin on both sides. */
static void painted_part(const kdr_check_memory *memory, const kdr_check_case_drawn *drawn, const kdr_check_column *column,
                         unsigned char **begin, unsigned char **end) {
    unsigned char *const low = kdr_check_arena_slot(&memory->arena, column->slot), *const high = low + memory->arena.slot;
    unsigned char *const first = drawn->place == KDR_CHECK_STRUCTURES && column->slot == 0 ? drawn->column[0].at : column->at;
    unsigned char *const last = first + drawn->count * column->stride;
    *begin = first - low < MARGIN ? low : first - MARGIN;
    *end = last > high || high - last < MARGIN ? high : last + MARGIN;
}

void kdr_check_case_draw(kdr_check_case_drawn *drawn, const kdr_check_desc *desc, const kdr_check_memory *memory, uint64_t number) {
    memset(drawn, 0, sizeof *drawn);
    drawn->number = number;
    drawn->random = kdr_check_random_stream(desc->seed, (uint32_t)number, (uint32_t)(number >> 32), 0x6B65);
    drawn->count = draw_count(&drawn->random, desc, number);
    draw_calls(drawn, desc);
    drawn->place = draw_bit(&drawn->random, desc->places);
    drawn->paint = below(&drawn->random, 2) ? 0xA5 : 0xFF; /* as numbers: small negative ones, and NaN */
    place_columns(drawn, desc, memory);
    for (int i = 0; i < drawn->column_count; ++i) {
        unsigned char *begin, *end;
        painted_part(memory, drawn, &drawn->column[i], &begin, &end);
        memset(begin, drawn->paint, (size_t)(end - begin));
    }
    const size_t bytes = real_bytes(desc);
    for (int i = drawn->column_count - 1; i >= 0; --i) { /* inputs come before the outputs, which may begin as their copies */
        kdr_check_column *const c = &drawn->column[i];
        const bool is_output = !desc->step && i < desc->outputs;
        if (!is_output) {
            draw_elements(drawn, desc, c);
        } else if (desc->in_place && i < desc->inputs) {
            memcpy(c->before, drawn->column[desc->outputs + i].before, drawn->count * bytes);
        } else {
            memset(c->before, drawn->paint, drawn->count * bytes);
        }
        memcpy(c->expected, c->before, drawn->count * bytes);
        for (size_t n = 0; n < drawn->count; ++n) {
            memcpy(kdr_check_element(c, n), c->before + n * bytes, bytes);
        }
    }
}

bool kdr_check_is_painted(const kdr_check_memory *memory, const kdr_check_desc *desc, const kdr_check_case_drawn *drawn, int column,
                          ptrdiff_t *offset) {
    const kdr_check_column *const c = &drawn->column[column];
    unsigned char *begin, *end;
    painted_part(memory, drawn, c, &begin, &end);
    for (int i = 0; i < drawn->column_count; ++i) {
        for (size_t n = 0; n < drawn->count && drawn->column[i].slot == c->slot; ++n) {
            memset(kdr_check_element(&drawn->column[i], n), drawn->paint, real_bytes(desc));
        }
    }
    for (unsigned char *at = begin; at < end; ++at) {
        if (*at != drawn->paint) {
            *offset = at - c->at;
            return false;
        }
    }
    return true;
}
