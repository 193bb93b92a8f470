/* Segments. */
#include "segments.h"

#include <string.h>

/* A line changes x or v, which are the first rows. */
static bool moves(const kdr_program *p, const kdr_instruction *line) {
    return line->out < 2 * p->dims || line->code == KDR_OP_WALLS || line->code == KDR_OP_MAP;
}

static double drift_of(const kdr_program *p, const kdr_instruction *line) {
    const bool alone = line->code == KDR_OP_ADVANCE || line->code == KDR_OP_ADVANCE_COMPENSATED;
    const bool drifts = line->out == 0 && (alone || line->code == KDR_OP_KICK_DRIFT);
    return drifts ? p->number[line->number + (line->code == KDR_OP_KICK_DRIFT)].value : 0.0;
}

kdr_piece kdr_piece_of(const kdr_program *p, kdr_lines lines) {
    kdr_piece piece = {lines.begin, 0.0};
    while (piece.end < lines.end && piece.drift == 0.0) {
        piece.drift = drift_of(p, &p->line[piece.end++]);
    }
    return piece;
}

void kdr_segments_of(const kdr_program *p, kdr_segments *segments) {
    memset(segments, 0, sizeof *segments);
    kdr_segment *s = segments->segment;
    s->lines = (kdr_lines){p->end[KDR_BEFORE], p->end[KDR_BEFORE]};
    for (int n = p->end[KDR_BEFORE]; n < p->end[KDR_STEP]; ++n) {
        const kdr_instruction *const line = &p->line[n];
        if (line->code == KDR_OP_ESTIMATE) { /* behind all others */
            segments->estimate = line;
            continue;
        }
        if (line->code == KDR_OP_EVALUATE) {
            (s++)->evaluation = line;
            s->lines.begin = n + 1;
        } else {
            s->moves = s->moves || moves(p, line);
            segments->walls = line->code == KDR_OP_WALLS ? line : segments->walls;
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
