/* A step of a system program, cut at its evaluations into segments. */
#ifndef KDR_SYSTEM_SEGMENTS_H
#define KDR_SYSTEM_SEGMENTS_H

#include "../program/program.h"

/* Instructions [begin, end) of a program. */
typedef struct kdr_lines {
    int begin, end;
} kdr_lines;

/* The instructions between two evaluations. */
typedef struct kdr_segment {
    kdr_lines lines;
    /* instructions at the segment's beginning that are repeated, with the evaluation before them, until an equation is solved */
    kdr_lines again;
    const kdr_instruction *evaluation; /* the evaluation after them; NULL for the last segment of a step */
    bool moves;                        /* some instruction changes x or v */
} kdr_segment;

typedef struct kdr_segments {
    int evaluations;
    kdr_segment segment[KDR_MAX_FRACTIONS + 1]; /* one more than there are evaluations */
    /* NEXT_STEP, NEXT_STEP without its first part, and STEP_BACK; or empty. NEXT_STEP replaces the last segment and the first of the
     * next step, except for the last `sums` instructions of the first, which are sums. */
    kdr_lines boundary;
    int sums;
    /* WALLS or HOLD, which ends a step; may be NULL. Its row `other`, and the row after that, hold x and v before the step. */
    const kdr_instruction *walls;
    const kdr_instruction *reflects; /* first REFLECT; may be NULL. `other` holds x and v before the drift */
    const kdr_instruction *estimate; /* instruction that estimates the error of a whole step; may be NULL */
    kdr_lines last;                  /* instructions from the walls on, if they end a step; or empty */
} kdr_segments;

void kdr_segments_of(const kdr_program *program, kdr_segments *segments);

/* Instructions up to `end` that drift x by `drift` steps, or rotate v by what the instruction `turn` makes, or stop before a rotation. */
typedef struct kdr_piece {
    int end;
    double drift;
    const kdr_instruction *turn;
    bool is_before_turn;
} kdr_piece;

/* Returns the first piece of these instructions: up to the end of one drift, or up to a rotation, or through a rotation. */
kdr_piece kdr_piece_of(const kdr_program *program, kdr_lines lines);

static inline bool kdr_is_empty(kdr_lines lines) { return lines.begin == lines.end; }

#endif
