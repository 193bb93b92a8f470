/* Cuts the instructions of a step into segments and pieces. */
#include "segments.h"

#include <string.h>

/* Returns whether an instruction changes x or v, which are the first two rows. */
static bool moves(const kdr_program *p, const kdr_instruction *line) {
    return line->out < 2 * p->dims || line->code == KDR_OP_WALLS || line->code == KDR_OP_MAP || line->code == KDR_OP_HOLD ||
           line->code == KDR_OP_HOLD_VELOCITY || line->code == KDR_OP_REFLECT;
}

static double drift_of(const kdr_program *p, const kdr_instruction *line) {
    const bool alone = line->code == KDR_OP_ADVANCE || line->code == KDR_OP_ADVANCE_COMPENSATED || line->code == KDR_OP_HELD_DRIFT;
    const bool drifts = line->out == 0 && (alone || line->code == KDR_OP_KICK_DRIFT);
    const kdr_number *const number = &p->number[line->number + (line->code == KDR_OP_KICK_DRIFT)];
    return drifts ? number->length * number->value : 0.0;
}

/* Returns the end of a rotation of velocities: its angles, the rotation, and the projection onto constraints after it. */
static int end_of_turn(const kdr_program *p, int line) {
    while (p->line[line].code != KDR_OP_TURN) {
        ++line;
    }
    return line + 1 + (p->line[line + 1].code == KDR_OP_HOLD_VELOCITY);
}

kdr_piece kdr_piece_of(const kdr_program *p, kdr_lines lines) {
    kdr_piece piece = {lines.begin, 0.0, NULL, false};
    if (lines.begin < lines.end && p->line[lines.begin].code == KDR_OP_ROTATION) {
        piece.turn = &p->line[lines.begin];
        piece.end = end_of_turn(p, lines.begin);
        return piece;
    }
    while (piece.end < lines.end && piece.drift == 0.0 && p->line[piece.end].code != KDR_OP_ROTATION) {
        piece.drift = drift_of(p, &p->line[piece.end++]);
    }
    piece.is_before_turn = piece.end < lines.end && p->line[piece.end].code == KDR_OP_ROTATION;
    return piece;
}

void kdr_segments_of(const kdr_program *p, kdr_segments *segments) {
    memset(segments, 0, sizeof *segments);
    kdr_segment *s = segments->segment;
    s->lines = (kdr_lines){p->end[KDR_BEFORE], p->end[KDR_BEFORE]};
    for (int n = p->end[KDR_BEFORE]; n < p->end[KDR_STEP]; ++n) {
        const kdr_instruction *const line = &p->line[n];
        if (line->code == KDR_OP_ESTIMATE) { /* comes after all other instructions */
            segments->estimate = line;
            continue;
        }
        if (line->code == KDR_OP_EVALUATE) {
            (s++)->evaluation = line;
            s->lines.begin = n + 1;
        } else {
            s->moves = s->moves || moves(p, line);
            const bool ends = line->code == KDR_OP_HOLD || (line->code == KDR_OP_WALLS && !segments->walls);
            segments->walls = ends ? line : segments->walls;
            segments->reflects = line->code == KDR_OP_REFLECT && !segments->reflects ? line : segments->reflects;
            segments->sums += s == segments->segment && line->code == KDR_OP_SUM;
        }
        if (line->code == KDR_OP_CONVERGE) {
            s->again = (kdr_lines){s->lines.begin, n + 1};
            s->lines.begin = n + 1;
        }
        s->lines.end = n + 1;
    }
    const int walls = segments->walls ? (int)(segments->walls - p->line) : -1;
    segments->last = (kdr_lines){walls >= s->lines.begin ? walls : s->lines.end, s->lines.end};
    segments->evaluations = (int)(s - segments->segment);
    segments->boundary = (kdr_lines){p->end[KDR_STEP], p->end[KDR_AFTER]};
}
