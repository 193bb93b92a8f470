/* Lines that are met side by side become one operation: what one of them stores the next need not load. The operations on a particle, and
 * their order, stay the same. */
#include "build.h"

static bool is_affine(const kdr_instruction *line, int code) { return line->code >= code && line->code < code + 4; }

/* The affine terms from the base, or multiplied by the mass: the first code of the group; -1: another line. */
static int group_of(const kdr_instruction *line) {
    return is_affine(line, KDR_OP_BASE) ? KDR_OP_BASE : is_affine(line, KDR_OP_MASS) ? KDR_OP_MASS : -1;
}

/* The code of the same mask in another group. */
static uint8_t in_group(const kdr_instruction *line, int from, int to) { return (uint8_t)(to + (line->code - from)); }

static bool always(const kdr_instruction *line, int count) {
    bool steps = true;
    for (int i = 0; i < count; ++i) {
        steps = steps && line[i].when == KDR_WHEN_STEPPING;
    }
    return steps;
}

/* The field sees the velocity that is kicked, where it sees any. */
static bool sees(const kdr_instruction *affine, uint16_t v) { return affine->v == v || !(affine->code % 4 & KDR_TERM_DAMPING); }

/* v += c a; x += c v; a = ...; v += c a: a step of velocity Verlet. */
static int verlet(kdr_builder *b, const kdr_instruction *line, int left, kdr_instruction *out) {
    if (left < 3 || line[0].code != KDR_OP_KICK_DRIFT || line[2].code != KDR_OP_ADVANCE || line[0].out != b->x) {
        return 0;
    }
    const int group = group_of(&line[1]);
    if (group < 0 || line[1].out != line[0].other || line[2].x != line[0].other || line[2].out != line[0].v || !sees(&line[1], line[0].v)) {
        return 0;
    }
    *out = line[1];
    out->code = in_group(&line[1], group, group == KDR_OP_BASE ? KDR_OP_BASE_VERLET : KDR_OP_MASS_VERLET);
    out->v = line[0].v;
    out->list = (uint16_t)b->list_count;
    kdr_build_list(b, line[0].number);
    kdr_build_list(b, line[2].number);
    return 3;
}

/* a = ...; v += c a, and perhaps x += c v. Behind a kick the acceleration is kept, for whoever needs it again. */
static int kick(kdr_builder *b, const kdr_instruction *line, int left, kdr_instruction *out) {
    const int group = left < 2 ? -1 : group_of(&line[0]);
    const bool drifts = group >= 0 && line[1].code == KDR_OP_KICK_DRIFT && line[1].other == line[0].out && line[1].out == line[0].x;
    const bool kicks = group >= 0 && line[1].code == KDR_OP_ADVANCE && line[1].x == line[0].out;
    const uint16_t v = drifts ? line[1].v : kicks ? line[1].out : KDR_NO_COLUMN;
    if (v != b->v || !sees(&line[0], v) || (drifts && !b->problem->row->data.splitting)) {
        return 0;
    }
    *out = line[0];
    out->code = in_group(&line[0], group,
                         drifts ? (group == KDR_OP_BASE ? KDR_OP_BASE_KICK_DRIFT : KDR_OP_MASS_KICK_DRIFT)
                                : (group == KDR_OP_BASE ? KDR_OP_BASE_KICK : KDR_OP_MASS_KICK));
    out->v = v;
    out->list = (uint16_t)b->list_count;
    kdr_build_list(b, line[1].number);
    return 2;
}

/* One of the lines reads a row before another sum is put there. */
static bool is_read(uint16_t row, const kdr_instruction *line, int count) {
    for (int i = 0; i < count && !(line[i].code == KDR_OP_SUM && line[i].out == row); ++i) {
        if (line[i].x == row) {
            return true;
        }
    }
    return false;
}

/* xs = x + sum; vs = v + sum; a = ... at xs, vs: a stage, whose xs nobody else looks at. The list has vs and the number of the affine
 * terms, then the slopes of x, then those of v. */
static int stage(kdr_builder *b, const kdr_instruction *line, int left, kdr_instruction *out) {
    if (left < 3 || line[0].code != KDR_OP_SUM || line[1].code != KDR_OP_SUM || line[0].x != b->x || line[1].x != b->v ||
        line[0].count != line[1].count || line[0].number != line[1].number) {
        return 0;
    }
    const int group = group_of(&line[2]);
    if (group < 0 || line[2].x != line[0].out || line[2].v != line[1].out || is_read(line[0].out, line + 3, left - 3)) {
        return 0;
    }
    *out = line[2];
    out->code = in_group(&line[2], group, group == KDR_OP_BASE ? KDR_OP_BASE_STAGE : KDR_OP_MASS_STAGE);
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

/* a = ...; a += centres, or quadratic drags. */
static int beside(kdr_builder *b, const kdr_instruction *line, int left, kdr_instruction *out) {
    const int group = left < 2 ? -1 : group_of(&line[0]);
    const bool centres = group >= 0 && line[1].code == KDR_OP_CENTRES, slows = group == KDR_OP_BASE && line[1].code == KDR_OP_QUADRATIC;
    if ((!centres && !slows) || line[1].out != line[0].out || line[1].x != line[0].x || line[1].v != line[0].v) {
        return 0;
    }
    *out = line[0];
    out->code = in_group(&line[0], group, slows ? KDR_OP_BASE_QUADRATIC : group == KDR_OP_BASE ? KDR_OP_BASE_CENTRES : KDR_OP_MASS_CENTRES);
    out->count = line[1].count;
    out->list = (uint16_t)b->list_count;
    kdr_build_list(b, line[1].number);
    return 2;
}

void kdr_build_merge(kdr_builder *b) {
    static int (*const merges[])(kdr_builder *, const kdr_instruction *, int, kdr_instruction *) = {verlet, stage, kick, beside};
    int to = 0, from = 0;
    for (int section = 0; section < KDR_SECTIONS; ++section) {
        while (from < b->end[section]) {
            kdr_instruction merged;
            int taken = 0;
            for (size_t i = 0; i < sizeof merges / sizeof *merges && taken == 0; ++i) {
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
