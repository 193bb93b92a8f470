/* Instructions that families share: kicks, drifts, and the beginning and end of a step. */
#ifndef KDR_PROGRAM_LINES_H
#define KDR_PROGRAM_LINES_H

#include "build.h"

/* Returns whether each number of an increment has a second one, its rounding error: in compensated runs of floats. */
static inline bool has_rests(const kdr_builder *b) { return (b->terms & KDR_TERM_COMPENSATED) && b->problem->real == KDR_F32; }

static inline uint16_t rest_of(kdr_builder *b, uint16_t number) {
    return has_rests(b) ? kdr_build_number(b, KDR_NUMBER_REST, number, 1) : 0;
}

static inline void add_at(kdr_builder *b, uint16_t row, uint16_t rate, uint16_t number, uint16_t lost) {
    kdr_instruction line = {.code = KDR_OP_ADVANCE, .out = row, .x = rate, .other = lost, .number = number};
    if ((b->terms & KDR_TERM_COMPENSATED) && lost != KDR_NO_COLUMN) {
        line.code = KDR_OP_ADVANCE_COMPENSATED;
        line.list = rest_of(b, number);
    }
    kdr_build(b, line);
}

static inline void kick(kdr_builder *b, uint16_t a, uint16_t number) { add_at(b, b->v, a, number, (uint16_t)(b->c + b->dims)); }

static inline void drift(kdr_builder *b, uint16_t v, uint16_t number) { add_at(b, b->x, v, number, b->c); }

/* Adds x += number v, followed by the projection onto constraints if there are any. */
static inline void held_drift(kdr_builder *b, uint16_t number) {
    if (!(b->terms & KDR_TERM_HELD)) {
        drift(b, b->v, number);
        return;
    }
    const bool compensated = (b->terms & KDR_TERM_COMPENSATED) != 0;
    kdr_build(b, (kdr_instruction){.code = KDR_OP_HELD_DRIFT,
                                   .out = b->x,
                                   .v = b->v,
                                   .other = compensated ? b->c : KDR_NO_COLUMN,
                                   .number = number,
                                   .list = compensated ? rest_of(b, number) : 0});
}

/* Projects a velocity, the state's or a predicted one, onto the constraints at x, after a kick by `number` or a rotation. `turn` is the
 * instruction that made the rotation, and NULL after a kick. */
static inline void hold_velocity(kdr_builder *b, uint16_t v, uint16_t number, const kdr_instruction *turn) {
    const bool forgets = (b->terms & KDR_TERM_COMPENSATED) && v == b->v;
    if (b->terms & KDR_TERM_HELD) {
        kdr_build(b, (kdr_instruction){.code = KDR_OP_HOLD_VELOCITY,
                                       .out = turn ? turn->out : KDR_NO_COLUMN,
                                       .count = turn ? turn->count : 0,
                                       .x = b->x,
                                       .v = v,
                                       .number = number,
                                       .other = forgets ? (uint16_t)(b->c + b->dims) : KDR_NO_COLUMN});
    }
}

/* Adds a kick followed by a drift; their numbers are consecutive. */
static inline void kick_and_drift(kdr_builder *b, uint16_t a, double kick_by, double drift_by) {
    const uint16_t number = kdr_build_step(b, kick_by);
    kdr_build_step(b, drift_by);
    if (b->terms & (KDR_TERM_COMPENSATED | KDR_TERM_HELD)) {
        kick(b, a, number);
        held_drift(b, (uint16_t)(number + 1));
        return;
    }
    kdr_build(b, (kdr_instruction){.code = KDR_OP_KICK_DRIFT, .out = b->x, .v = b->v, .other = a, .number = number});
}

static inline void copy(kdr_builder *b, uint16_t out, uint16_t x, int rows) {
    kdr_build(b, (kdr_instruction){.code = KDR_OP_COPY, .out = out, .x = x, .count = (uint8_t)rows});
}

/* Adds out = y + number x, as a sum of one term. */
static inline void along(kdr_builder *b, uint16_t out, uint16_t y, uint16_t x, uint16_t number) {
    kdr_build(b, (kdr_instruction){.code = KDR_OP_SUM, .out = out, .x = y, .count = 1, .number = number, .list = (uint16_t)b->list_count});
    kdr_build_list(b, x);
}

static inline void accelerate(kdr_builder *b, uint16_t a, uint16_t x, uint16_t v) {
    kdr_build_acceleration(b, b->terms, a, x, v, b->evaluations++);
}

/* Adds the evaluation of the kept acceleration at the start of a run that does not resume. */
static inline void begin_with_acceleration(kdr_builder *b, unsigned when) {
    b->when = (uint8_t)when;
    kdr_build_acceleration(b, b->terms, b->a, b->x, b->v, 0);
    b->when = KDR_WHEN_STEPPING;
}

static inline void begins(kdr_builder *b) { b->end[KDR_BEFORE] = b->line_count; }

/* Returns the number of substeps in the program: a system program lists all of them, any other one repeats its own. */
static inline int substeps_of(const kdr_builder *b) { return b->calls ? b->problem->substepping.count : 1; }

static inline void take_substep(kdr_builder *b, int s) { b->length = b->calls ? b->problem->substepping.fraction[s] : 1.0; }

static inline void keep(kdr_builder *b) {
    b->keeps = true;
    b->a = kdr_build_row(b, "a");
    for (int i = 0; i < b->dims; ++i) {
        kdr_build_load(b, KDR_ARRAY_MEMORY, 0, i, (unsigned)(b->a + i));
    }
}

/* Declares that the last columns, from `first` on, hold what instructions before the first step compute from its length. If all
 * particles share it (`differs` is false), it is computed anew for each length, because columns for all lengths would leave fewer
 * vectors to a tile. */
static inline void made(kdr_builder *b, uint16_t first, bool differs) {
    b->made_begin = first;
    b->made_count = differs ? b->columns - first : 0;
}

#endif
