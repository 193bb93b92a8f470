/* The instruction of a kinematic method's affine map, and its numbers. */
#include "build.h"

/* Returns the flags of a MAP, which are its count. */
static uint8_t marks_of_map(const kdr_builder *b) {
    return (uint8_t)((kdr_affine_differs(b->terms) ? KDR_MAP_EACH : 0) | (kdr_affine_couples(b->terms, b->dims) ? KDR_MAP_COUPLED : 0) |
                     ((b->terms & (KDR_TERM_STIFFNESS | KDR_TERM_SPRINGS)) ? KDR_MAP_SPRINGS : 0) |
                     ((b->terms & KDR_TERM_OFFSET) ? KDR_MAP_OFFSET : 0) | ((b->terms & KDR_TERM_COMPENSATED) ? KDR_MAP_COMPENSATED : 0));
}

/* Adds the map's elements, if all particles share it: rows of factors of v, factors of x, and the constant. Coupled axes have all rows
 * of x and then all of v; otherwise each axis has its own two rows. */
static uint16_t numbers_of_map(kdr_builder *b) {
    const uint16_t first = (uint16_t)b->number_count;
    const bool coupled = kdr_affine_couples(b->terms, b->dims);
    const int axes = coupled ? b->dims : 1;
    for (int i = 0; i < b->dims; i += axes) {
        for (int row = 0; row < 2 * axes; ++row) {
            const int at = 7 * (row < axes ? i + row : 3 + i + row - axes);
            for (int j = 0; j < axes; ++j) {
                kdr_build_number(b, KDR_NUMBER_MAP, at + i + j, 1);
            }
            for (int j = 0; j < axes; ++j) {
                kdr_build_number(b, KDR_NUMBER_MAP, at + 3 + i + j, 1);
            }
            kdr_build_number(b, KDR_NUMBER_MAP, at + 6, 1);
        }
    }
    return first;
}

static void build_maps(kdr_builder *b, const kdr_instruction *map) {
    kdr_build(b, (kdr_instruction){.code = KDR_OP_MAPS,
                                   .out = map->out,
                                   .other = b->mass,
                                   .list = b->field.spring_list,
                                   .x = b->field.drag_list,
                                   .count = map->count});
}

void kdr_build_maps(kdr_builder *b) {
    kdr_instruction map = {.count = marks_of_map(b)};
    const int columns = kdr_map_columns(map.count, b->dims);
    map.out = kdr_build_columns(b, "map", 0, columns);
    build_maps(b, &map);
    b->end[KDR_STEP] = b->line_count;
    for (int column = 0; column < columns; column += b->dims) {
        kdr_build(b, (kdr_instruction){.code = KDR_OP_COPY, .x = (uint16_t)(map.out + column), .count = 1});
    }
    b->end[KDR_AFTER] = b->line_count;
}

/* Returns the instruction of the map. Maps of single particles are made before the first step; in system runs another program makes
 * them. */
kdr_instruction kdr_build_map(kdr_builder *b) {
    const bool each = kdr_affine_differs(b->terms);
    kdr_instruction map = {.code = KDR_OP_MAP, .x = b->x, .v = b->v, .other = b->c, .count = marks_of_map(b)};
    if (!each) {
        map.number = numbers_of_map(b);
        return map;
    }
    map.out = kdr_build_columns(b, "map", 0, kdr_map_columns(map.count, b->dims));
    if (!b->calls) {
        build_maps(b, &map);
    }
    return map;
}
