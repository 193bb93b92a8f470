/* The instructions of system runs that end a splitting step and begin the next in one pass. */
#include "build.h"

/* The kicks and drifts of a splitting step: [0] after its last evaluation, [1] before its first. */
typedef struct edges {
    double kick[2], drift[2];
    bool kicks[2];
    int drifts[2];
} edges;

static edges edges_of(const kdr_splitting_row *row, bool keeps) {
    edges e = {{0, 0}, {0, 0}, {false, false}, {0, 0}};
    bool begins = true;
    for (int i = 0; i < row->stages; ++i) {
        if (row->kick[i] != 0.0) {
            begins = begins && keeps && i == 0;
            e.drifts[0] = 0;
        }
        for (int part = 0; part < 2; ++part) {
            if (part == 1 && !begins) {
                continue;
            }
            e.kicks[part] = e.kicks[part] || row->kick[i] != 0.0;
            e.kick[part] = row->kick[i] != 0.0 ? row->kick[i] : e.kick[part];
            e.drifts[part] += row->drift[i] != 0.0;
            e.drift[part] = row->drift[i] != 0.0 ? row->drift[i] : e.drift[part];
        }
    }
    return e;
}

void kdr_build_next_step(kdr_builder *b, const kdr_splitting_row *row, bool keeps, uint16_t a) {
    const edges e = edges_of(row, keeps);
    if (e.drifts[0] > 1 || e.drifts[1] > 1) {
        return;
    }
    const uint8_t then = (uint8_t)((e.kicks[1] ? KDR_NEXT_STEP_THEN_KICK : 0) | (e.drifts[1] ? KDR_NEXT_STEP_THEN_DRIFT : 0));
    kdr_instruction line = {.code = KDR_OP_NEXT_STEP, .out = b->x, .list = b->v, .x = b->x, .v = b->v, .other = a};
    line.count = (uint8_t)(then | (e.kicks[0] ? KDR_NEXT_STEP_KICK : 0) | (e.drifts[0] ? KDR_NEXT_STEP_DRIFT : 0));
    line.number = kdr_build_step(b, e.kick[0]);
    kdr_build_step(b, e.drift[0]);
    kdr_build_step(b, e.kick[1]);
    kdr_build_step(b, e.drift[1]);
    kdr_build(b, line);
    line.count = then;
    kdr_build(b, line);
    line.code = KDR_OP_STEP_BACK;
    kdr_build(b, line);
}
