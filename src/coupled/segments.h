/* A step of a program of calls, cut at its evaluations. */
#ifndef KDR_COUPLED_SEGMENTS_H
#define KDR_COUPLED_SEGMENTS_H

#include "../program/program.h"

/* Lines [begin, end) of a program. */
typedef struct kdr_lines {
    int begin, end;
} kdr_lines;

/* Lines between two evaluations. */
typedef struct kdr_segment {
    kdr_lines lines;
    kdr_lines again;                   /* before them, behind the evaluation before: with that repeated until an equation is solved */
    const kdr_instruction *evaluation; /* behind them; NULL: they are the last of the step */
    bool moves;                        /* they change x or v */
} kdr_segment;

typedef struct kdr_segments {
    int evaluations;
    kdr_segment segment[KDR_MAX_FRACTIONS + 1]; /* one more than there are evaluations */
    /* NEXT_STEP, NEXT_STEP without its first part, STEP_BACK; or nothing. NEXT_STEP stands for the last segment and the first, but for so
     * many last lines of the first, which are sums. */
    kdr_lines boundary;
    int sums;
    const kdr_instruction *walls;    /* or NULL. Colliders and constraints find what x was before the step in `other`, behind it v */
    const kdr_instruction *reflects; /* the line that reflects the first drift, or NULL; `other`: x and v before it */
    const kdr_instruction *estimate; /* of the error of a step, which is whole; or NULL */
    kdr_lines last;                  /* from the walls on, where they end a step; or nothing */
} kdr_segments;

void kdr_segments_of(const kdr_program *program, kdr_segments *segments);

/* Lines up to `end`, which drift x by so many steps, or turn v by what the line `turn` makes; or a turn follows them. */
typedef struct kdr_piece {
    int end;
    double drift;
    const kdr_instruction *turn;
    bool is_before_turn;
} kdr_piece;

/* The first of these lines, up to the end of one drift; or up to a turn, or up to the end of that. */
kdr_piece kdr_piece_of(const kdr_program *program, kdr_lines lines);

static inline bool kdr_is_empty(kdr_lines lines) { return lines.begin == lines.end; }

#endif
