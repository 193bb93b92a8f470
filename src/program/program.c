/* Makes programs, and binds their numbers. */
#include "../force/custom.h"
#include "../method/compensation.h"
#include "build.h"

#include <stdlib.h>
#include <string.h>

void kdr_build(kdr_builder *b, kdr_instruction line) {
    line.when = b->when;
    b->line[b->line_count++] = line;
}

uint16_t kdr_build_columns(kdr_builder *b, const char *name, int number, int count) {
    const uint16_t first = (uint16_t)b->columns;
    b->name[b->name_count++] = (kdr_row_name){name, (uint16_t)number, first, (uint16_t)count};
    /* whole rows, because system programs count columns by rows */
    b->columns += b->calls ? (count + b->dims - 1) / b->dims * b->dims : count;
    return first;
}

uint16_t kdr_build_row(kdr_builder *b, const char *name) { return kdr_build_columns(b, name, 0, b->dims); }

/* Stages are counted from 1. */
uint16_t kdr_build_stage(kdr_builder *b, const char *name, int stage) { return kdr_build_columns(b, name, stage + 1, b->dims); }

void kdr_build_load(kdr_builder *b, kdr_tile_array array, int index, int axis, unsigned column) {
    static const struct {
        size_t first, stride; /* offset of the pointer with index 0, and bytes to the next */
    } place[] = {[KDR_ARRAY_X] = {offsetof(kdr_job, x), 0},
                 [KDR_ARRAY_V] = {offsetof(kdr_job, v), 0},
                 [KDR_ARRAY_MEMORY] = {offsetof(kdr_job, memory), 0},
                 [KDR_ARRAY_COMPENSATION] = {offsetof(kdr_job, compensation), sizeof(void *)},
                 [KDR_ARRAY_ERROR] = {offsetof(kdr_job, error), 0},
                 [KDR_ARRAY_INVERSE_MASS] = {offsetof(kdr_job, inverse_mass), 0},
                 [KDR_ARRAY_K] = {offsetof(kdr_field, spring[0].k_each), sizeof(kdr_spring)},
                 [KDR_ARRAY_AT] = {offsetof(kdr_field, spring[0].at_each), sizeof(kdr_spring)},
                 [KDR_ARRAY_B] = {offsetof(kdr_field, drag[0].b_each), sizeof(kdr_drag)},
                 [KDR_ARRAY_CUSTOM] = {offsetof(kdr_field, custom_array[0].each), sizeof(kdr_custom_field_array)},
                 [KDR_ARRAY_BLOCKS] = {offsetof(kdr_job, blocks), sizeof(void *)}};
    const size_t offset = place[array].first + (size_t)index * place[array].stride + (size_t)axis * sizeof(void *);
    b->load[b->load_count++] = (kdr_load){(uint8_t)array, (uint8_t)index, (uint16_t)column, (uint32_t)offset};
}

void kdr_build_list(kdr_builder *b, unsigned column) { b->list[b->list_count++] = (uint16_t)column; }

uint16_t kdr_build_number(kdr_builder *b, kdr_number_kind kind, double value, double divisor) {
    b->number[b->number_count] = (kdr_number){kind, value, divisor, b->length};
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

/* Adds the columns of x, v, the compensations and the inverse mass, and the arrays that they are loaded from. */
static void build_state(kdr_builder *b) {
    const int dims = b->dims;
    b->x = kdr_build_row(b, "x");
    b->v = kdr_build_row(b, "v");
    for (int i = 0; i < 2 * dims; ++i) {
        kdr_build_load(b, i < dims ? KDR_ARRAY_X : KDR_ARRAY_V, 0, i % dims, (unsigned)(b->x + i));
    }
    b->c = (uint16_t)b->columns;
    if (b->terms & KDR_TERM_COMPENSATED) {
        kdr_build_row(b, "cx");
        kdr_build_row(b, "cv");
        for (int i = 0; i < 2 * dims; ++i) {
            kdr_build_load(b, KDR_ARRAY_COMPENSATION, i < dims ? 0 : 3, i % dims, (unsigned)(b->c + i));
        }
    }
    b->mass = KDR_NO_COLUMN;
    if (b->terms & KDR_TERM_MASS) {
        b->mass = kdr_build_columns(b, "w", 0, 1);
        kdr_build_load(b, KDR_ARRAY_INVERSE_MASS, 0, 0, b->mass);
    }
}

static kdr_builder *builder_of(const kdr_program_desc *desc) {
    kdr_builder *const b = calloc(1, sizeof *b);
    if (b) {
        b->problem = desc->problem;
        b->seen = -1;
        b->colliders = desc->colliders;
        b->dims = desc->dims;
        b->m = KDR_NO_COLUMN;
        b->length = 1.0;
        b->when = KDR_WHEN_STEPPING;
    }
    return b;
}

static kdr_builder *builder_in_field(const kdr_program_desc *desc) {
    static char any;
    kdr_builder *const b = builder_of(desc);
    if (b) {
        kdr_particles view = {.dims = desc->dims};
        view.inverse_mass = desc->masses ? &any : NULL;
        b->flies = desc->flies;
        b->terms = kdr_problem_terms(desc->problem, &view) & ~(desc->flies ? (unsigned)KDR_TERMS_OF_STEPS : 0U);
        b->sums = kdr_problem_sums(desc->problem);
        b->roots_apart = desc->kernels->roots_apart;
        build_state(b);
        kdr_build_field(b);
    }
    return b;
}

/* Returns how many sets of made columns fit a tile of one vector each: one per length of substeps, or 1. */
static int made_sets_of(const kdr_builder *b, const kdr_kernels *kernels) {
    const int lengths = b->problem->substepping.lengths, columns = b->columns + (lengths - 1) * b->made_count;
    return b->made_count > 0 && columns * kernels->vector <= KDR_TILE_BYTES ? lengths : 1;
}

/* Returns the vectors of a tile: as many as fit, up to a column of 1 KB. Longer columns hardly reduce the overhead of an operation any
 * further. */
static int vectors_of(const kdr_builder *b, const kdr_kernels *kernels, int made_sets) {
    const int room = KDR_TILE_BYTES / ((b->columns + (made_sets - 1) * b->made_count) * kernels->vector), most = 1024 / kernels->vector;
    const int vectors = room < most ? room : most;
    return vectors > 1 ? vectors / 2 * 2 : 1;
}

static double value_of(const kdr_row *of, const kdr_number *n, double step, const kdr_affine_map *map, const kdr_bath *bath) {
    const double dt = step * n->length;
    switch (n->kind) {
    case KDR_NUMBER_CONSTANT:
        return n->value;
    case KDR_NUMBER_STEP:
        return dt * n->value / n->divisor;
    case KDR_NUMBER_SQUARE:
        return dt * dt * n->value;
    case KDR_NUMBER_MAP: {
        const int row = (int)n->value / 7, element = (int)n->value % 7;
        const kdr_affine_row *const mapped = row < 3 ? &map->x[row] : &map->v[row - 3];
        return element < 3 ? mapped->v[element] : element < 6 ? mapped->x[element - 3] : mapped->q;
    }
    case KDR_NUMBER_TILT:
        return kdr_compensated_tilt(of, dt);
    case KDR_NUMBER_REST: /* bind_numbers handles these */
        break;
    case KDR_NUMBER_DECAY:
        return bath->decay;
    case KDR_NUMBER_NOISE:
        return bath->noise;
    }
    return 0;
}

/* Computes numbers [begin, end), in the particles' precision. */
static void bind_numbers(const kdr_program *program, int begin, int end, double dt, const kdr_affine_map *map, const kdr_bath *bath,
                         void *numbers) {
    float *const narrow = numbers;
    double *const wide = numbers;
    for (int i = begin; i < end; ++i) {
        const kdr_number *const number = &program->number[i];
        const bool rest = number->kind == KDR_NUMBER_REST;
        const double value = value_of(program->row, rest ? &program->number[(int)number->value] : number, dt, map, bath);
        if (program->size == sizeof(float)) {
            narrow[i] = (float)(rest ? value - (double)(float)value : value);
        } else {
            wide[i] = value;
        }
    }
}

/* Computes the constants once. All other numbers are in [scaled_begin, scaled_end). */
static void bind_constants(kdr_program *p, void *constants) {
    p->scaled_begin = p->number_count;
    for (int i = 0; i < p->number_count; ++i) {
        if (p->number[i].kind == KDR_NUMBER_CONSTANT) {
            bind_numbers(p, i, i + 1, 0, NULL, NULL, constants);
        } else {
            p->scaled_begin = i < p->scaled_begin ? i : p->scaled_begin;
            p->scaled_end = i + 1;
        }
    }
    p->scaled_begin = p->scaled_begin < p->scaled_end ? p->scaled_begin : p->scaled_end;
}

static kdr_program *finish(kdr_builder *b, const kdr_program_desc *desc) {
    const size_t lines = (size_t)b->line_count * sizeof *b->line, numbers = (size_t)b->number_count * sizeof *b->number;
    const size_t loads = (size_t)b->load_count * sizeof *b->load, lists = (size_t)b->list_count * sizeof *b->list;
    const size_t names = (size_t)b->name_count * sizeof *b->name;
    const size_t constants = (size_t)b->number_count * kdr_real_size(b->problem->real);
    kdr_program *const p = malloc(sizeof *p + names + numbers + constants + lines + loads + lists);
    if (p) {
        char *at = (char *)(p + 1);
        memset(p, 0, sizeof *p);
        p->kernels = desc->kernels;
        memcpy(p->operation, desc->kernels->operation, sizeof p->operation);
        for (int e = 0; e < b->problem->field.custom_entries; ++e) {
            p->custom[e] = b->problem->field.custom_entry[e].field->operations[desc->backend][b->problem->real][b->problem->arithmetic];
        }
        p->row = b->problem->row;
        p->terms = b->terms;
        p->dims = b->dims;
        p->flushes_small = b->problem->flushes_small && !b->flies;
        p->length = b->problem->substepping.length;
        p->made_begin = b->made_begin;
        p->made_count = b->made_count;
        p->made_sets = made_sets_of(b, desc->kernels);
        p->vectors = vectors_of(b, desc->kernels, p->made_sets);
        p->columns = b->columns;
        p->size = kdr_real_size(b->problem->real);
        while (p->size << p->lane_bits < (size_t)desc->kernels->vector) {
            ++p->lane_bits;
        }
        memcpy(p->end, b->end, sizeof p->end);
        p->load_count = b->load_count;
        p->number_count = b->number_count;
        p->name_count = b->name_count;
        p->name = memcpy(at, b->name, names);
        p->number = memcpy(at += names, b->number, numbers);
        p->numbers = memset(at += numbers, 0, constants);
        bind_constants(p, at);
        p->line = memcpy(at += constants, b->line, lines);
        p->load = memcpy(at += lines, b->load, loads);
        p->masses = p->memory = -1;
        p->seen = b->seen;
        for (int i = b->load_count - 1; i >= 0; --i) {
            p->masses = b->load[i].array == KDR_ARRAY_INVERSE_MASS ? b->load[i].column : p->masses;
            p->memory = b->load[i].array == KDR_ARRAY_MEMORY ? b->load[i].column : p->memory;
        }
        p->list = memcpy(at + loads, b->list, lists);
    }
    free(b);
    return p;
}

kdr_program *kdr_program_make(const kdr_program_desc *desc) {
    kdr_builder *const b = builder_in_field(desc);
    if (!b) {
        return NULL;
    }
    kdr_build_method(b);
    kdr_build_merge(b);
    kdr_program *const p = finish(b, desc);
    if (p) {
        kdr_choose_hot(p, desc);
    }
    return p;
}

kdr_program *kdr_program_of_field(const kdr_program_desc *desc) {
    kdr_builder *const b = builder_in_field(desc);
    if (!b) {
        return NULL;
    }
    b->a = kdr_build_row(b, "a");
    const bool turns = desc->problem->row->data.magnetic && kdr_build_turns(b);
    const unsigned turned = desc->problem->row->data.magnetic ? (unsigned)KDR_TERMS_MAGNETIC : 0;
    if (turns) {
        kdr_build_magnetic_row(b);
    }
    const unsigned mapped = desc->problem->row->data.kinematic ? (unsigned)KDR_TERMS_AFFINE : 0;
    kdr_build_acceleration(b, b->terms & ~(turned | mapped), b->a, b->x, b->v, b->sums ? KDR_NO_BASE : 0);
    b->end[KDR_STEP] = b->line_count;
    kdr_instruction add = {.code = KDR_OP_ADVANCE, .out = kdr_build_row(b, "sum"), .x = b->a, .number = kdr_build_constant(b, 1)};
    kdr_build(b, add);
    if (turns && b->m != KDR_NO_COLUMN) {
        add.x = b->m;
        kdr_build(b, add);
    }
    b->end[KDR_AFTER] = b->line_count;
    kdr_build_merge(b);
    return finish(b, desc);
}

kdr_program *kdr_program_of_slopes(const kdr_program_desc *desc) {
    kdr_builder *const b = builder_in_field(desc);
    if (!b) {
        return NULL;
    }
    kdr_build_slopes(b, desc->blocks);
    return finish(b, desc);
}

kdr_program *kdr_program_of_maps(const kdr_program_desc *desc) {
    kdr_builder *const b = builder_in_field(desc);
    if (!b) {
        return NULL;
    }
    kdr_build_maps(b);
    return finish(b, desc);
}

int kdr_vectors_of_calls(const kdr_program *p) {
    const int lanes = p->kernels->vector / (int)p->size;
    int vectors = KDR_TILE_PARTICLES / lanes;
    while (vectors > 1 && p->columns * vectors * p->kernels->vector > KDR_TILE_BYTES) {
        vectors /= 2;
    }
    return vectors;
}

/* Returns the terms that the instructions of a system program depend on. Absorbing boundaries are handled outside of it. */
static unsigned terms_of_calls(const kdr_program_desc *desc) {
    static char any;
    kdr_particles view = {.dims = desc->dims};
    view.inverse_mass = desc->masses ? &any : NULL;
    const kdr_row *const row = desc->problem->row;
    const unsigned turned = row->data.magnetic ? (unsigned)KDR_TERMS_MAGNETIC : 0U;
    const unsigned mapped = row->data.kinematic ? (unsigned)(KDR_TERMS_AFFINE | KDR_TERM_OFFSET | KDR_TERM_DRIVEN) : 0U;
    return kdr_problem_terms(desc->problem, &view) &
           (turned | mapped | KDR_TERM_MASS | KDR_TERM_COLLIDERS | KDR_TERM_PERIODIC | KDR_TERM_COMPENSATED | KDR_TERM_RELATIVISTIC |
            KDR_TERM_HELD | KDR_TERM_HELD_AFTER | KDR_TERM_REFLECTING);
}

/* Returns whether an instruction treats the components of a particle together, or needs its index. */
static bool mixes(const kdr_builder *b) {
    for (int n = 0; n < b->line_count; ++n) {
        const int code = b->line[n].code;
        if (code == KDR_OP_WALLS || code == KDR_OP_BATH || code == KDR_OP_MAP || code == KDR_OP_TURN || code == KDR_OP_VELOCITY ||
            code == KDR_OP_CONVERGE || code == KDR_OP_HELD_DRIFT || code == KDR_OP_HOLD_VELOCITY || code == KDR_OP_HOLD ||
            code == KDR_OP_REFLECT) {
            return true;
        }
    }
    return false;
}

kdr_program *kdr_program_of_calls(const kdr_program_desc *desc) {
    kdr_builder *const b = builder_of(desc);
    if (!b) {
        return NULL;
    }
    b->calls = true;
    b->terms = terms_of_calls(desc);
    b->x = kdr_build_row(b, "x");
    b->v = kdr_build_row(b, "v");
    const bool compensated = (b->terms & KDR_TERM_COMPENSATED) != 0;
    b->mass = KDR_NO_COLUMN;
    if (desc->masses) {
        b->mass = kdr_build_row(b, "w");
        kdr_build_row(b, "x0");
        kdr_build_row(b, "v0");
    }
    for (int i = 0; i < (compensated && desc->masses ? 2 : 0); ++i) {
        kdr_build_row(b, i == 0 ? "cx0" : "cv0");
    }
    if (compensated) {
        b->c = kdr_build_row(b, "cx");
        kdr_build_row(b, "cv");
    }
    const int lost = compensated ? b->c : 0;
    kdr_build_method(b);
    const bool is_mixed = mixes(b);
    kdr_program *const p = finish(b, desc);
    if (p) {
        p->mixes = is_mixed;
        p->length = NULL;
        p->lost = lost;
        p->vectors = kdr_vectors_of_calls(p);
    }
    return p;
}

void kdr_program_destroy(kdr_program *program) { free(program); }

void kdr_program_bind(const kdr_program *program, double dt, const kdr_affine_map *map, const kdr_bath *bath, void *numbers) {
    memcpy(numbers, program->numbers, (size_t)program->number_count * program->size);
    bind_numbers(program, program->scaled_begin, program->scaled_end, dt, map, bath, numbers);
}

void kdr_program_prepare(kdr_program *program, double dt, const kdr_affine_map *map, const kdr_bath *bath) {
    bind_numbers(program, program->scaled_begin, program->scaled_end, dt, map, bath, program->numbers);
}
