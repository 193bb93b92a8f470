/* The instructions that evaluate a field's acceleration, in the order that force/field.h sets. */
#include "build.h"

#include "../force/custom.h"

/* Returns a column that is loaded from one of the user's per-particle arrays. */
static uint16_t each_of(kdr_builder *b, kdr_tile_array array, int index, int axis, const char *name) {
    const uint16_t column = kdr_build_columns(b, name, index + 1, 1);
    kdr_build_load(b, array, index, axis, column);
    return column;
}

/* Adds the numbers and columns of custom fields. */
static void build_custom(kdr_builder *b) {
    const kdr_field *const field = &b->problem->field;
    b->field.custom = (uint16_t)b->number_count;
    for (int e = 0; e < field->custom_entries; ++e) {
        kdr_build_constants(b, field->custom_entry[e].parameter, KDR_MAX_PARAMETERS);
    }
    b->field.custom_list = (uint16_t)b->list_count;
    for (int n = 0; n < field->custom_arrays; ++n) {
        kdr_build_list(b, each_of(b, KDR_ARRAY_CUSTOM, n, 0, "each"));
    }
}

/* Adds the columns and numbers of a field, which all evaluations share. */
void kdr_build_field(kdr_builder *b) {
    const kdr_field *const field = &b->problem->field;
    static const char *const at[3] = {"at_x", "at_y", "at_z"};
    const bool is_apart = (b->terms & KDR_TERM_NO_AFFINE) != 0;
    kdr_field_numbers *const f = &b->field;
    f->affine = kdr_build_constants(b, is_apart ? NULL : field->f, b->dims);
    kdr_build_constants(b, field->kx, b->dims);
    kdr_build_constants(b, field->kv, b->dims);
    f->magnetic = kdr_build_constants(b, field->magnetic, 3);
    f->magnetic_row = f->magnetic;
    if (b->dims == 2) { /* in a plane: the component across it, and 0 for the row's other column */
        f->magnetic_row = kdr_build_constants(b, (const double[]){field->magnetic[2], 0}, 2);
    }
    b->m = b->dims > 1 && (b->terms & KDR_TERM_CUSTOM_MAGNETIC) ? kdr_build_row(b, "m") : KDR_NO_COLUMN;
    f->springs = (uint16_t)b->number_count;
    f->spring_list = (uint16_t)b->list_count;
    for (int s = 0; s < field->springs; ++s) {
        const kdr_spring *const spring = &field->spring[s];
        kdr_build_constants(b, spring->k, 3);
        kdr_build_constants(b, spring->at, 3);
        kdr_build_list(b, spring->k_each ? each_of(b, KDR_ARRAY_K, s, 0, "stiffness") : KDR_NO_COLUMN);
        for (int i = 0; i < 3; ++i) {
            const bool each = i < b->dims && spring->at_each[i];
            kdr_build_list(b, each ? each_of(b, KDR_ARRAY_AT, s, i, at[i]) : KDR_NO_COLUMN);
        }
    }
    f->drags = (uint16_t)b->number_count;
    f->drag_list = (uint16_t)b->list_count;
    for (int d = 0; d < field->drags; ++d) {
        kdr_build_constants(b, field->drag[d].wind, 3);
        kdr_build_list(b, each_of(b, KDR_ARRAY_B, d, 0, "damping"));
    }
    f->term[KDR_OP_QUADRATIC] = (uint16_t)b->number_count;
    for (int q = 0; q < field->quadratics; ++q) {
        kdr_build_constant(b, field->quadratic[q].minus_c);
        kdr_build_constants(b, field->quadratic[q].wind, 3);
    }
    f->term[KDR_OP_CENTRES] = (uint16_t)b->number_count;
    for (int s = 0; s < field->centres; ++s) {
        kdr_build_constant(b, field->centre[s].minus_mu);
        kdr_build_constant(b, field->centre[s].softening2);
        kdr_build_constants(b, field->centre[s].at, 3);
    }
    build_custom(b);
}

/* The quadratic drags or centres of an evaluation. */
typedef struct term_range {
    int begin, end;
} term_range;

static term_range range_of(const kdr_builder *b, bool late, int count, int averaged) {
    if (!b->sums) {
        return (term_range){0, count};
    }
    return late ? (term_range){averaged, count} : (term_range){0, averaged};
}

static term_range quadratics_of(const kdr_builder *b, unsigned terms) {
    return range_of(b, (terms & KDR_TERM_LATE) != 0, b->problem->field.quadratics, b->problem->contributions.averaged_quadratics);
}

static term_range centres_of(const kdr_builder *b, unsigned terms) {
    return range_of(b, (terms & KDR_TERM_LATE) != 0, b->problem->field.centres, b->problem->contributions.averaged_centres);
}

/* Adds one instruction for each custom field that is a force, or an acceleration; `count` is its index. A field with a magnetic part
 * adds that to row m. */
static void add_custom(kdr_builder *b, kdr_instruction line, bool accelerations) {
    const kdr_field *const field = &b->problem->field;
    const uint16_t v = line.v;
    line.code = KDR_OP_CUSTOM, line.list = b->field.custom_list;
    for (int e = 0; e < field->custom_entries; ++e) {
        const unsigned flags = field->custom_entry[e].field->flags;
        if (((flags & KDR_CUSTOM_FIELD_ACCELERATION) != 0) == accelerations) {
            line.v = (flags & KDR_CUSTOM_FIELD_MAGNETIC) ? b->m : v;
            line.count = (uint8_t)e, line.number = (uint16_t)(b->field.custom + KDR_MAX_PARAMETERS * e);
            kdr_build(b, line);
        }
    }
}

/* Returns whether some custom field is a force. */
static bool has_custom_force(const kdr_field *field) {
    bool has = false;
    for (int e = 0; e < field->custom_entries; ++e) {
        has = has || !(field->custom_entry[e].field->flags & KDR_CUSTOM_FIELD_ACCELERATION);
    }
    return has;
}

static void build_if(kdr_builder *b, bool counts, kdr_instruction line) {
    if (counts) {
        kdr_build(b, line);
    }
}

static void add_centres(kdr_builder *b, kdr_instruction line, term_range centres) {
    line.code = KDR_OP_CENTRES, line.count = (uint8_t)(centres.end - centres.begin);
    line.number = (uint16_t)(b->field.term[KDR_OP_CENTRES] + 5 * centres.begin);
    build_if(b, centres.begin < centres.end, line);
}

/* Multiplies forces, but not the base, by the inverse mass, and also row m, which has no base. */
static void multiply_by_mass(kdr_builder *b, kdr_instruction line, bool more, bool fills) {
    line.code = KDR_OP_TIMES_MASS;
    build_if(b, more, line);
    line.out = b->m, line.evaluation = KDR_NO_BASE;
    build_if(b, fills, line);
}

void kdr_build_acceleration(kdr_builder *b, unsigned terms, uint16_t a, uint16_t x, uint16_t v, int evaluation) {
    if (b->calls) {
        kdr_build(b, (kdr_instruction){.code = KDR_OP_EVALUATE, .out = a, .x = x, .v = v, .evaluation = (uint8_t)evaluation});
        return;
    }
    const kdr_field *const field = &b->problem->field;
    const kdr_field_numbers *const f = &b->field;
    const uint8_t base = (uint8_t)(evaluation == KDR_NO_BASE || (b->terms & KDR_TERM_DRIVEN) ? evaluation : 0);
    const bool masses = (terms & KDR_TERM_MASS) != 0, turns = b->dims > 1 && (terms & KDR_TERM_MAGNETIC);
    const term_range quadratics = quadratics_of(b, terms);
    const bool custom = (terms & KDR_TERM_CUSTOM) && !(terms & KDR_TERM_LATE), custom_force = custom && has_custom_force(field);
    const bool slows = (terms & KDR_TERM_QUADRATIC) && quadratics.begin < quadratics.end;
    const bool more = turns || slows || custom_force || (terms & (KDR_TERM_SPRINGS | KDR_TERM_DRAGS));
    const unsigned mask = terms & (KDR_TERM_STIFFNESS | KDR_TERM_DAMPING);
    const int first = !masses ? KDR_OP_BASE : more ? KDR_OP_FORCE : KDR_OP_MASS;
    const struct {
        bool counts;
        int code, number, list, count;
    } forces[] = {
        {true, first + (int)mask, f->affine, 0, 0},
        {turns, KDR_OP_MAGNETIC, f->magnetic, 0, 0},
        {terms & KDR_TERM_SPRINGS, KDR_OP_SPRINGS, f->springs, f->spring_list, field->springs},
        {terms & KDR_TERM_DRAGS, KDR_OP_DRAGS, f->drags, f->drag_list, field->drags},
        {slows, KDR_OP_QUADRATIC, f->term[KDR_OP_QUADRATIC] + 4 * quadratics.begin, 0, quadratics.end - quadratics.begin},
    };
    kdr_instruction line = {.out = a, .x = x, .v = v, .other = b->mass, .evaluation = base};
    for (size_t i = 0; i < sizeof forces / sizeof *forces; ++i) {
        line.code = (uint8_t)forces[i].code, line.number = (uint16_t)forces[i].number;
        line.list = (uint16_t)forces[i].list, line.count = (uint8_t)forces[i].count;
        build_if(b, forces[i].counts, line);
    }
    const bool fills = b->m != KDR_NO_COLUMN && !(terms & KDR_TERM_LATE), crosses = fills && (terms & KDR_TERM_CUSTOM_MAGNETIC);
    /* m begins with 0 if it makes a force, and with the folded field if the method rotates v by it */
    build_if(b, fills, (kdr_instruction){.code = crosses ? KDR_OP_ZERO : KDR_OP_FORCE, .out = b->m, .number = f->magnetic_row});
    if (custom_force) {
        add_custom(b, line, false);
    }
    if (masses) {
        multiply_by_mass(b, line, more, fills);
    }
    if (terms & KDR_TERM_CENTRES) {
        add_centres(b, line, centres_of(b, terms));
    }
    if (custom) {
        add_custom(b, line, true);
    }
    build_if(b, crosses, (kdr_instruction){.code = KDR_OP_CROSS, .out = a, .v = v, .other = b->m});
}

/* Adds the derivatives of the field at (x, v); s is scratch for the symmetric part. th is the number `step`, as in all instructions of
 * an implicit method. */
void kdr_build_jacobian(kdr_builder *b, uint16_t g, uint16_t s, uint16_t x, uint16_t v, uint16_t step, int evaluation) {
    const kdr_field *const field = &b->problem->field;
    const kdr_field_numbers *const f = &b->field;
    const uint8_t base = (uint8_t)((b->terms & KDR_TERM_DRIVEN) ? evaluation : 0);
    kdr_build(b, (kdr_instruction){.code = KDR_OP_JACOBIAN,
                                   .out = s,
                                   .x = step,
                                   .number = f->affine,
                                   .list = f->spring_list,
                                   .v = f->springs,
                                   .count = (uint8_t)field->springs,
                                   .evaluation = (uint8_t)field->drags,
                                   .other = f->drag_list});
    if (b->terms & KDR_TERM_QUADRATIC) {
        kdr_build(b, (kdr_instruction){.code = KDR_OP_JACOBIAN_QUADRATIC,
                                       .out = s,
                                       .v = v,
                                       .number = f->term[KDR_OP_QUADRATIC],
                                       .count = (uint8_t)field->quadratics});
    }
    if (b->terms & KDR_TERM_MASS) {
        kdr_build(b, (kdr_instruction){.code = KDR_OP_JACOBIAN_MASS, .out = s, .other = b->mass});
    }
    if (b->terms & KDR_TERM_CENTRES) {
        kdr_build(b, (kdr_instruction){.code = KDR_OP_JACOBIAN_CENTRES,
                                       .out = s,
                                       .x = x,
                                       .v = step,
                                       .number = f->term[KDR_OP_CENTRES],
                                       .count = (uint8_t)field->centres});
    }
    kdr_build(b, (kdr_instruction){.code = KDR_OP_JACOBIAN_WHOLE,
                                   .out = g,
                                   .x = s,
                                   .other = b->mass,
                                   .number = f->magnetic,
                                   .count = (uint8_t)(((b->terms & KDR_TERM_MAGNETIC) ? 1 : 0) | ((b->terms & KDR_TERM_MASS) ? 2 : 0))});
    for (int e = 0; (b->terms & KDR_TERM_CUSTOM) && e < field->custom_entries; ++e) {
        kdr_build(b, (kdr_instruction){.code = KDR_OP_JACOBIAN_CUSTOM,
                                       .out = g,
                                       .x = x,
                                       .v = v,
                                       .other = b->mass,
                                       .evaluation = base,
                                       .count = (uint8_t)e,
                                       .number = (uint16_t)(f->custom + KDR_MAX_PARAMETERS * e),
                                       .list = f->custom_list});
    }
}
