/* Merges consecutive instructions into one operation, so that a stored row need not be loaded again. The operations on each particle,
 * and their order, stay the same. */
#include "build.h"

/* Returns whether the instruction is one of the four from `code` on. */
static bool is_one(const kdr_instruction *line, int code) { return line->code >= code && line->code < code + 4; }

/* Returns the first of the four codes that the instruction belongs to, if it only computes an acceleration; otherwise -1. */
static int group_of(const kdr_instruction *line) { return kdr_form_of(line->code) == KDR_FORM_ALONE ? kdr_group_of(line->code) : -1; }

/* Returns whether the group is that of sums with terms that are not affine; the code does not tell which rows they read. */
static bool is_of_sums(int group) { return group == KDR_OP_FIELD_MAGNETIC; }

static uint8_t in_form(const kdr_instruction *line, int form) { return (uint8_t)(line->code + 4 * form); }

static bool always(const kdr_instruction *line, int count) {
    bool steps = true;
    for (int i = 0; i < count; ++i) {
        steps = steps && line[i].when == KDR_WHEN_STEPPING;
    }
    return steps;
}

/* Returns whether the field sees the kicked velocity v, or no velocity at all. */
static bool sees(const kdr_instruction *field, int group, uint16_t v) {
    return field->v == v || (!is_of_sums(group) && !((field->code - group) & KDR_TERM_DAMPING));
}

/* Returns the list index of a sum's entries. Equal sums share their entries; new ones are appended. */
static uint16_t list_sum(kdr_builder *b, const uint16_t sum[KDR_SUM_ENTRIES]) {
    int first = b->sums_begin;
    while (first < b->list_count && memcmp(b->list + first, sum, KDR_SUM_ENTRIES * sizeof *sum) != 0) {
        first += KDR_SUM_ENTRIES;
    }
    const bool is_new = first == b->list_count;
    for (int i = 0; is_new && i < KDR_SUM_ENTRIES; ++i) {
        kdr_build_list(b, sum[i]);
    }
    return (uint16_t)first;
}

/* Sums that have an operation of their own, on three axes. All other sums use FIELD. */
static const struct {
    unsigned mask;
    uint16_t quadratics, centres;
    int code;
} sums[] = {{KDR_SUM_MAGNETIC, 0, 0, KDR_OP_FIELD_MAGNETIC},
            {0, 1, 0, KDR_OP_FIELD_QUADRATIC},
            {0, 0, 1, KDR_OP_FIELD_CENTRE},
            {KDR_TERM_DAMPING, 0, 1, KDR_OP_FIELD_DRAG_CENTRE}};

/* Returns the code of a sum. Sums without roots that have no operation of their own are not merged: -1. */
static int code_of_sum(const uint16_t entry[KDR_SUM_ENTRIES], int dims) {
    for (size_t i = 0; i < sizeof sums / sizeof sums[0] && dims == 3; ++i) {
        if (sums[i].mask == entry[KDR_SUM_MASK] && sums[i].quadratics == entry[KDR_SUM_QUADRATICS] &&
            sums[i].centres == entry[KDR_SUM_CENTRES]) {
            return sums[i].code;
        }
    }
    return entry[KDR_SUM_QUADRATICS] + entry[KDR_SUM_CENTRES] > 0 ? KDR_OP_FIELD : -1;
}

/* Merges a sum of affine terms and at least one other: a = ...; a += v x m; a += quadratic drags; a = base + w a; a += centres. */
static int sum(kdr_builder *b, const kdr_instruction *line, int left, kdr_instruction *out) {
    const bool is_force = is_one(line, KDR_OP_FORCE);
    const int group = is_force ? KDR_OP_FORCE : is_one(line, KDR_OP_MASS) ? KDR_OP_MASS : KDR_OP_BASE;
    if (!is_one(line, group)) {
        return 0;
    }
    uint16_t entry[KDR_SUM_ENTRIES] = {[KDR_SUM_AFFINE_NUMBER] = line->number};
    entry[KDR_SUM_MASK] = (uint16_t)(line->code - group + (is_force ? KDR_SUM_FORCE : group == KDR_OP_MASS ? KDR_SUM_MASS : 0));
    *out = *line;
    int taken = 1, code = line->code;
    for (; taken < left; ++taken) {
        const kdr_instruction *const next = &line[taken];
        const bool is_whole = !(entry[KDR_SUM_MASK] & KDR_SUM_FORCE);
        if (next->out != line->out || next->x != line->x || next->v != line->v || next->code <= code) { /* the terms have this order */
            break;
        }
        code = next->code;
        if (code == KDR_OP_MAGNETIC) {
            entry[KDR_SUM_MASK] |= KDR_SUM_MAGNETIC;
            entry[KDR_SUM_MAGNETIC_NUMBER] = next->number;
        } else if (code == KDR_OP_QUADRATIC) {
            entry[KDR_SUM_QUADRATIC_NUMBER] = next->number;
            entry[KDR_SUM_QUADRATICS] = next->count;
        } else if (code == KDR_OP_TIMES_MASS && !is_whole) {
            entry[KDR_SUM_MASK] ^= KDR_SUM_FORCE | KDR_SUM_MASS;
            out->evaluation = next->evaluation;
        } else if (code == KDR_OP_CENTRES && is_whole) {
            entry[KDR_SUM_CENTRE_NUMBER] = next->number;
            entry[KDR_SUM_CENTRES] = next->count;
        } else {
            break;
        }
    }
    const int made = code_of_sum(entry, b->dims);
    if (taken < 2 || made < 0) {
        return 0;
    }
    out->code = (uint8_t)made;
    out->number = list_sum(b, entry);
    return taken;
}

/* Merges a step of velocity Verlet: v += c a; x += c v; a = ...; v += c a. */
static int verlet(kdr_builder *b, const kdr_instruction *line, int left, kdr_instruction *out) {
    if (left < 3 || line[0].code != KDR_OP_KICK_DRIFT || line[2].code != KDR_OP_ADVANCE || line[0].out != b->x) {
        return 0;
    }
    const int group = group_of(&line[1]);
    if (group < 0 || line[1].out != line[0].other || line[2].x != line[0].other || line[2].out != line[0].v ||
        !sees(&line[1], group, line[0].v)) {
        return 0;
    }
    *out = line[1];
    out->code = in_form(&line[1], KDR_FORM_VERLET);
    out->v = line[0].v;
    out->list = (uint16_t)b->list_count;
    kdr_build_list(b, line[0].number);
    kdr_build_list(b, line[2].number);
    return 3;
}

/* Merges a = ...; v += c a, and x += c v if it follows. After a kick alone the acceleration is stored, because it may be needed again. */
static int kick(kdr_builder *b, const kdr_instruction *line, int left, kdr_instruction *out) {
    const int group = left < 2 ? -1 : group_of(&line[0]);
    const bool drifts = group >= 0 && line[1].code == KDR_OP_KICK_DRIFT && line[1].other == line[0].out && line[1].out == line[0].x;
    const bool kicks = group >= 0 && line[1].code == KDR_OP_ADVANCE && line[1].x == line[0].out;
    const uint16_t v = drifts ? line[1].v : kicks ? line[1].out : KDR_NO_COLUMN;
    const bool apart = b->roots_apart && is_of_sums(group) && line[0].code != KDR_OP_FIELD_MAGNETIC;
    if (v != b->v || apart || !sees(&line[0], group, v) || (drifts && !b->problem->row->data.splitting)) {
        return 0;
    }
    *out = line[0];
    out->code = in_form(&line[0], drifts ? KDR_FORM_KICK_DRIFT : KDR_FORM_KICK);
    out->v = v;
    out->list = (uint16_t)b->list_count;
    kdr_build_list(b, line[1].number);
    return 2;
}

static bool are_equal(const kdr_builder *b, unsigned number, unsigned other) {
    return memcmp(&b->number[number], &b->number[other], sizeof *b->number) == 0;
}

/* Merges a step of Boris: x += c v; a = ...; v += c a; rotation of v, or none; v += c a; x += c v. With per-particle rotations or
 * compensated sums other instructions stand between these, and nothing is merged. */
static int boris(kdr_builder *b, const kdr_instruction *line, int left, kdr_instruction *out) {
    if (left < 4 || b->dims != 3 || line[0].code != KDR_OP_ADVANCE || line[0].out != b->x || line[0].x != b->v) {
        return 0;
    }
    const bool turns = line[3].code == KDR_OP_TURN;
    const kdr_instruction *const field = &line[1], *const end = &line[3 + turns];
    if (group_of(field) != KDR_OP_BASE || ((field->code - KDR_OP_BASE) & KDR_TERM_DAMPING) || line[2].code != KDR_OP_ADVANCE ||
        line[2].out != b->v || line[2].x != field->out || left < 4 + turns || end->code != KDR_OP_KICK_DRIFT || end->other != field->out) {
        return 0;
    }
    const unsigned half = line[0].number;
    if (!are_equal(b, half, line[2].number) || !are_equal(b, half, end->number) || !are_equal(b, half, end->number + 1U)) {
        return 0;
    }
    *out = *field;
    out->code = in_form(field, KDR_FORM_BORIS);
    out->other = turns ? line[3].x : KDR_NO_COLUMN;
    out->list = (uint16_t)b->list_count;
    kdr_build_list(b, half);
    return 4 + turns;
}

/* Returns whether one of the instructions reads a row before another sum is stored in it. */
static bool is_read(uint16_t row, const kdr_instruction *line, int count) {
    for (int i = 0; i < count && !(line[i].code == KDR_OP_SUM && line[i].out == row); ++i) {
        if (line[i].x == row) {
            return true;
        }
    }
    return false;
}

/* Merges a Runge-Kutta stage: xs = x + sum; vs = v + sum; a = ... at xs, vs, if xs is not used later. The list has vs, the index of the
 * field's terms, the slopes of x, and those of v. */
static int stage(kdr_builder *b, const kdr_instruction *line, int left, kdr_instruction *out) {
    if (left < 3 || line[0].code != KDR_OP_SUM || line[1].code != KDR_OP_SUM || line[0].x != b->x || line[1].x != b->v ||
        line[0].count != line[1].count || line[0].number != line[1].number) {
        return 0;
    }
    if (group_of(&line[2]) < 0 || line[2].x != line[0].out || line[2].v != line[1].out || is_read(line[0].out, line + 3, left - 3)) {
        return 0;
    }
    *out = line[2];
    out->code = in_form(&line[2], KDR_FORM_STAGE);
    out->x = b->x;
    out->v = b->v;
    out->count = line[0].count;
    out->number = line[0].number;
    out->list = (uint16_t)b->list_count;
    kdr_build_list(b, line[1].out);
    kdr_build_list(b, line[2].number);
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < line[i].count; ++j) {
            kdr_build_list(b, b->list[line[i].list + j]);
        }
    }
    return 3;
}

/* Returns whether the instruction weighs four slopes of which the middle two have equal weight, and whether the first (if given), third
 * and last are these. */
static bool weighs(const kdr_builder *b, const kdr_instruction *line, uint16_t row, const uint16_t *first, uint16_t third, uint16_t last) {
    if (line->code != KDR_OP_WEIGH_ADVANCE || line->out != row || line->count != 4) {
        return false;
    }
    const uint16_t *const list = b->list + line->list;
    const bool joins = !((list[0] | list[1] | list[3]) & KDR_JOINS) && (list[2] & KDR_JOINS);
    return joins && (!first || (list[0] & KDR_NO_COLUMN) == *first) && (list[2] & KDR_NO_COLUMN) == third &&
           (list[3] & KDR_NO_COLUMN) == last;
}

/* Merges the last of four stages with the step: x and v += the weighed slopes. Its slopes must not be needed; an error estimate would
 * stand between. The list has the stage's entries, the index of the weights, and the slopes of x and v. */
static int last(kdr_builder *b, const kdr_instruction *line, int left, kdr_instruction *out) {
    if (left < 5 || b->dims != 3 || line[0].code != KDR_OP_SUM || line[0].count != 1 || line[1].code != KDR_OP_SUM ||
        group_of(&line[2]) == KDR_OP_MASS) {
        return 0;
    }
    const uint16_t third_of_x = b->list[line[0].list], third_of_v = b->list[line[1].list];
    if (!weighs(b, &line[3], b->x, &b->v, third_of_x, line[1].out) || !weighs(b, &line[4], b->v, NULL, third_of_v, line[2].out) ||
        stage(b, line, left, out) == 0) {
        return 0;
    }
    out->code = in_form(&line[2], KDR_FORM_LAST);
    kdr_build_list(b, line[3].number);
    for (int i = 3; i < 5; ++i) {
        for (int j = 0; j < 4; ++j) {
            kdr_build_list(b, b->list[line[i].list + j]);
        }
    }
    return 5;
}

typedef int merge_fn(kdr_builder *, const kdr_instruction *, int, kdr_instruction *);

static void merge_by(kdr_builder *b, merge_fn *const *merges, int count) {
    int to = 0, from = 0;
    for (int section = 0; section < KDR_SECTIONS; ++section) {
        while (from < b->end[section]) {
            kdr_instruction merged;
            int taken = 0;
            for (int i = 0; i < count && taken == 0; ++i) {
                taken = merges[i](b, &b->line[from], b->end[section] - from, &merged);
                taken = taken > 0 && always(&b->line[from], taken) ? taken : 0;
            }
            merged = taken > 0 ? merged : b->line[from];
            b->line[to++] = merged;
            from += taken > 0 ? taken : 1;
        }
        b->end[section] = to;
    }
    b->line_count = to;
}

void kdr_build_merge(kdr_builder *b) {
    b->sums_begin = b->list_count;
    merge_by(b, (merge_fn *const[]){sum}, 1);
    merge_by(b, (merge_fn *const[]){boris, verlet, last, stage, kick}, 5);
}
