/* Making programs, and binding their numbers. */
#include "build.h"

#include <stdlib.h>
#include <string.h>

void kdr_build(kdr_builder *b, kdr_instruction line) {
    line.when = b->when;
    b->line[b->line_count++] = line;
}

uint16_t kdr_build_columns(kdr_builder *b, int count) {
    b->columns += count;
    return (uint16_t)(b->columns - count);
}

uint16_t kdr_build_row(kdr_builder *b) { return kdr_build_columns(b, b->dims); }

uint16_t kdr_build_load(kdr_builder *b, kdr_array array, int index, int axis) {
    const uint16_t column = kdr_build_columns(b, 1);
    b->load[b->load_count++] = (kdr_load){(uint8_t)array, (uint8_t)index, (uint8_t)axis, column};
    return column;
}

void kdr_build_list(kdr_builder *b, unsigned column) { b->list[b->list_count++] = (uint16_t)column; }

uint16_t kdr_build_number(kdr_builder *b, kdr_number_kind kind, double value, double divisor) {
    b->number[b->number_count] = (kdr_number){kind, value, divisor};
    return (uint16_t)b->number_count++;
}

uint16_t kdr_build_constant(kdr_builder *b, double value) { return kdr_build_number(b, KDR_NUMBER_CONSTANT, value, 1); }

uint16_t kdr_build_constants(kdr_builder *b, const double *value, int count) {
    const uint16_t first = (uint16_t)b->number_count;
    for (int i = 0; i < count; ++i) {
        kdr_build_constant(b, value ? value[i] : 0);
    }
    return first;
}

uint16_t kdr_build_step(kdr_builder *b, double fraction) { return kdr_build_number(b, KDR_NUMBER_STEP, fraction, 1); }

/* x, behind it v, the compensations, the inverse mass: their columns, and where they are loaded from. */
static void build_state(kdr_builder *b) {
    const int dims = b->dims, compensations = (b->terms & KDR_TERM_COMPENSATED) ? 2 * dims : 0;
    for (int i = 0; i < 2 * dims; ++i) {
        kdr_build_load(b, i < dims ? KDR_ARRAY_X : KDR_ARRAY_V, 0, i % dims);
    }
    b->x = 0;
    b->v = (uint16_t)dims;
    b->c = (uint16_t)b->columns;
    for (int i = 0; i < compensations; ++i) {
        kdr_build_load(b, KDR_ARRAY_COMPENSATION, i < dims ? 0 : 3, i % dims);
    }
    b->mass = (b->terms & KDR_TERM_MASS) ? kdr_build_load(b, KDR_ARRAY_INVERSE_MASS, 0, 0) : KDR_NO_COLUMN;
}

static kdr_builder *builder_of(const kdr_program_desc *desc) {
    static char any;
    kdr_builder *const b = calloc(1, sizeof *b);
    if (b) {
        kdr_particles view = {.dims = desc->dims};
        view.inverse_mass = desc->masses ? &any : NULL;
        b->problem = desc->problem;
        b->walls = desc->walls;
        b->dims = desc->dims;
        b->terms = kdr_problem_terms(desc->problem, &view);
        b->sums = kdr_problem_sums(desc->problem);
        b->when = KDR_WHEN_STEPPING;
        build_state(b);
        kdr_build_field(b);
    }
    return b;
}

/* The vectors of a tile: as many as there is room for, and no more than are worth it. */
static int vectors_of(const kdr_builder *b, const kdr_kernels *kernels) {
    const int room = KDR_TILE_BYTES / (b->columns * kernels->vector), most = b->dims == 1 ? 24 : b->dims == 2 ? 12 : 8;
    const int vectors = room < most ? room : most;
    return vectors > 1 ? vectors / 2 * 2 : 1;
}

static kdr_program *finish(kdr_builder *b, const kdr_program_desc *desc) {
    const size_t lines = (size_t)b->line_count * sizeof *b->line, numbers = (size_t)b->number_count * sizeof *b->number;
    const size_t loads = (size_t)b->load_count * sizeof *b->load, lists = (size_t)b->list_count * sizeof *b->list;
    kdr_program *const p = malloc(sizeof *p + numbers + lines + loads + lists);
    if (p) {
        char *at = (char *)(p + 1);
        memset(p, 0, sizeof *p);
        p->kernels = desc->kernels;
        memcpy(p->operation, desc->kernels->operation, sizeof p->operation);
        p->operation[KDR_OP_CUSTOM] = desc->custom ? desc->custom->add : NULL;
        p->operation[KDR_OP_JACOBIAN_CUSTOM] = desc->custom ? desc->custom->jacobian : NULL;
        p->dims = b->dims;
        p->vectors = vectors_of(b, desc->kernels);
        p->columns = b->columns;
        p->size = kdr_real_size(b->problem->real);
        memcpy(p->end, b->end, sizeof p->end);
        p->load_count = b->load_count;
        p->number_count = b->number_count;
        p->number = memcpy(at, b->number, numbers);
        p->line = memcpy(at += numbers, b->line, lines);
        p->load = memcpy(at += lines, b->load, loads);
        p->list = memcpy(at + loads, b->list, lists);
    }
    free(b);
    return p;
}

/* The instance that may run the whole program, or why there is none. */
static void choose_hot(kdr_program *p, const kdr_problem *problem, unsigned terms) {
    const kdr_row *const row = problem->row;
    const int stages = row->info.family == KDR_RUNGE_KUTTA ? row->data.runge_kutta->stages : 0;
    p->why_not = "no instance has this method in this field";
    if ((terms & KDR_TERM_CENTRES) && problem->field.centres != 1) {
        return;
    }
    for (const kdr_hot *hot = p->kernels->hot; hot && hot->run; ++hot) {
        const bool is_row = hot->method != KDR_METHOD_COUNT && hot->method == (int)problem->method;
        const bool is_family = hot->method == KDR_METHOD_COUNT && hot->family == (int)row->info.family &&
                               (hot->stages == 0 || hot->stages == stages) &&
                               !(row->info.family == KDR_SPLITTING && row->data.splitting->predicts);
        if ((is_row || is_family) && hot->terms == terms && (!hot->together || p->dims == 3)) {
            p->hot = hot;
            p->why_not = NULL;
            return;
        }
    }
}

kdr_program *kdr_program_make(const kdr_program_desc *desc) {
    kdr_builder *const b = builder_of(desc);
    if (!b) {
        return NULL;
    }
    kdr_build_method(b);
    kdr_build_merge(b);
    const unsigned terms = b->terms;
    kdr_program *const p = finish(b, desc);
    if (p) {
        choose_hot(p, desc->problem, terms);
    }
    return p;
}

kdr_program *kdr_program_of_field(const kdr_program_desc *desc) {
    kdr_builder *const b = builder_of(desc);
    if (!b) {
        return NULL;
    }
    b->a = kdr_build_row(b);
    kdr_build_acceleration(b, b->terms, b->a, b->x, b->v, 0);
    b->end[KDR_STEP] = b->line_count;
    kdr_build(b, (kdr_instruction){.code = KDR_OP_ADVANCE, .out = kdr_build_row(b), .x = b->a, .number = kdr_build_constant(b, 1)});
    b->end[KDR_AFTER] = b->line_count;
    kdr_build_merge(b);
    return finish(b, desc);
}

void kdr_program_destroy(kdr_program *program) { free(program); }

static double value_of(const kdr_number *n, double dt, const kdr_affine_map *map, const kdr_bath *bath) {
    switch (n->kind) {
    case KDR_NUMBER_CONSTANT:
        return n->value;
    case KDR_NUMBER_STEP:
        return dt * n->value / n->divisor;
    case KDR_NUMBER_SQUARE:
        return dt * dt * n->value;
    case KDR_NUMBER_MAP: {
        const int row = (int)n->value / 7, element = (int)n->value % 7;
        const kdr_affine_row *const of = row < 3 ? &map->x[row] : &map->v[row - 3];
        return element < 3 ? of->v[element] : element < 6 ? of->x[element - 3] : of->q;
    }
    case KDR_NUMBER_DECAY:
        return bath->decay;
    case KDR_NUMBER_NOISE:
        return bath->noise;
    }
    return 0;
}

void kdr_program_bind(const kdr_program *program, double dt, const kdr_affine_map *map, const kdr_bath *bath, void *numbers) {
    float *const narrow = numbers;
    double *const wide = numbers;
    for (int i = 0; i < program->number_count; ++i) {
        const double value = value_of(&program->number[i], dt, map, bath);
        if (program->size == sizeof(float)) {
            narrow[i] = (float)value;
        } else {
            wide[i] = value;
        }
    }
}
