/* The instructions after a whole step: rests; constraints, unless each drift holds them; colliders and the boundary. What they look back
 * at is saved before the step. */
#include "build.h"

#include <math.h>

static void copy(kdr_builder *b, uint16_t out, uint16_t x, int rows) {
    kdr_build(b, (kdr_instruction){.code = KDR_OP_COPY, .out = out, .x = x, .count = (uint8_t)rows});
}

/* Returns the condition of an instruction that concerns the whole step: in its first or last substep. */
static uint8_t whole_step(const kdr_builder *b, unsigned when) {
    return (uint8_t)(b->problem->substepping.count > 1 && !b->calls ? when : KDR_WHEN_STEPPING);
}

static bool has_walls(const kdr_builder *b) { return (b->terms & KDR_TERMS_AFTER) != 0; }

/* Returns whether the only wall of a system program is a periodic boundary, which needs positions only. */
static bool wraps(const kdr_builder *b) { return b->calls && !(b->terms & (KDR_TERM_COLLIDERS | KDR_TERM_HELD_AFTER)); }

/* Returns whether constraints are the only walls, after steps of a method that keeps nothing. */
static bool holds_alone(const kdr_builder *b) { return (b->terms & KDR_TERMS_AFTER) == KDR_TERM_HELD_AFTER; }

kdr_saved kdr_build_save(kdr_builder *b) {
    kdr_saved s = {.x = b->x, .seen = KDR_NO_COLUMN};
    if (!has_walls(b) || wraps(b)) {
        return s;
    }
    if (b->calls) {
        s.x = kdr_build_row(b, "x_before");
        kdr_build_row(b, "v_before");
        return s;
    }
    s.x = kdr_build_row(b, "x0");
    kdr_build_row(b, "v0");
    b->when = whole_step(b, KDR_WHEN_OPENING);
    copy(b, s.x, b->x, 2); /* v follows x */
    if (b->terms & KDR_TERM_ABSORBING) {
        if (b->keeps) {
            s.a = kdr_build_row(b, "a0");
            copy(b, s.a, b->a, 1);
        }
        if (b->terms & KDR_TERM_COMPENSATED) {
            s.c = kdr_build_row(b, "cx0");
            kdr_build_row(b, "cv0");
            copy(b, s.c, b->c, 2);
        }
    }
    b->when = KDR_WHEN_STEPPING;
    return s;
}

/* Adds the numbers of WALLS (operation.h). An unbounded axis has NaN, which nothing is below or above. */
static uint16_t border(kdr_builder *b, bool ends_step, bool meets) {
    const kdr_boundary *const boundary = &b->problem->boundary;
    const bool bounded = (b->terms & (KDR_TERM_PERIODIC | KDR_TERM_ABSORBING)) != 0;
    const uint16_t first = (uint16_t)b->number_count;
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        const double least = boundary->min[i], most = boundary->max[i], size = most - least;
        const bool is_bound = bounded && i < b->dims && least < most;
        kdr_build_constant(b, is_bound ? least : (double)NAN);
        kdr_build_constant(b, is_bound ? most : (double)NAN);
        kdr_build_constant(b, is_bound ? -size : 0);
        kdr_build_constant(b, is_bound ? size : 0);
        kdr_build_constant(b, is_bound ? 1.0 / size : 0);
        low[i] = is_bound && ends_step ? least : -(double)INFINITY;
        high[i] = is_bound && ends_step ? most : (double)INFINITY;
    }
    kdr_walls_clear(b->colliders, meets ? b->problem->collider_count : 0, b->problem->real, b->dims, low, high);
    for (int i = 0; i < 3; ++i) {
        kdr_build_constant(b, low[i]);
        kdr_build_constant(b, high[i]);
    }
    return first;
}

/* Adds FLUSH_SMALL. It comes before the walls, which restore frozen and absorbed particles. System runs rest outside the program. */
static void build_flush_small(kdr_builder *b) {
    if (!b->problem->flushes_small || b->calls || b->flies) {
        return;
    }
    b->when = whole_step(b, KDR_WHEN_CLOSING);
    kdr_build(b, (kdr_instruction){.code = KDR_OP_FLUSH_SMALL,
                                   .x = b->x,
                                   .v = b->v,
                                   .out = b->keeps ? b->a : KDR_NO_COLUMN,
                                   .other = (b->terms & KDR_TERM_COMPENSATED) ? b->c : KDR_NO_COLUMN});
    b->when = KDR_WHEN_STEPPING;
}

/* Computes kept accelerations anew for some particles, with velocities v, and clears the compensations of all that were changed. */
static void settle(kdr_builder *b, kdr_saved s, uint16_t hit, uint16_t fresh, uint16_t v, kdr_settled which) {
    const bool keeps = fresh != KDR_NO_COLUMN && which != KDR_SETTLE_NONE;
    const bool compensated = (b->terms & KDR_TERM_COMPENSATED) != 0, absorbing = (b->terms & KDR_TERM_ABSORBING) != 0;
    if (!keeps && !compensated) {
        return;
    }
    b->when = KDR_WHEN_HIT;
    if (keeps) {
        kdr_build_acceleration(b, b->terms, fresh, b->x, v, b->evaluations - 1);
    }
    kdr_build(b, (kdr_instruction){.code = KDR_OP_SETTLE,
                                   .out = keeps ? b->a : KDR_NO_COLUMN,
                                   .x = keeps ? fresh : KDR_NO_COLUMN,
                                   .other = compensated ? b->c : KDR_NO_COLUMN,
                                   .v = hit,
                                   .count = (uint8_t)which,
                                   .number = absorbing ? s.a : KDR_NO_COLUMN,
                                   .list = absorbing ? s.c : KDR_NO_COLUMN});
    b->when = KDR_WHEN_STEPPING;
}

static uint16_t walls(kdr_builder *b, kdr_saved s) {
    const bool meets = (b->terms & KDR_TERM_COLLIDERS) != 0;
    const uint16_t hit = kdr_build_columns(b, "hit", 0, 1), held = kdr_build_columns(b, "held", 0, 1), first = border(b, true, meets);
    b->when = whole_step(b, KDR_WHEN_CLOSING);
    kdr_build(b, (kdr_instruction){.code = KDR_OP_WALLS, .out = hit, .x = b->x, .v = b->v, .other = s.x, .number = first, .list = b->mass});
    b->when = KDR_WHEN_STEPPING;
    const bool renames = (b->terms & KDR_TERM_PERIODIC) && (b->terms & KDR_TERMS_VELOCITY);
    /* system runs evaluate outside the program */
    const bool keeps = b->keeps && !b->calls && (!renames || meets || s.seen != KDR_NO_COLUMN);
    const uint16_t fresh = keeps ? kdr_build_row(b, "fresh") : KDR_NO_COLUMN;
    if (!renames || meets) {
        settle(b, s, hit, fresh, b->v, renames ? KDR_SETTLE_MET : KDR_SETTLE_ALL);
    }
    if (renames && (!meets || s.seen != KDR_NO_COLUMN)) {
        settle(b, s, hit, fresh, s.seen, s.seen != KDR_NO_COLUMN ? KDR_SETTLE_RENAMED : KDR_SETTLE_NONE);
    }
    return held;
}

uint16_t kdr_build_departure(kdr_builder *b) {
    if (!(b->terms & KDR_TERM_REFLECTING)) {
        return KDR_NO_COLUMN;
    }
    const uint16_t x = kdr_build_row(b, "x_from");
    kdr_build_row(b, "v_from");
    return x;
}

void kdr_build_reflection(kdr_builder *b, kdr_saved s, uint16_t departure, double begin) {
    const bool absorbing = (b->terms & KDR_TERM_ABSORBING) != 0;
    const uint16_t number = kdr_build_step(b, 0.5);
    kdr_build_constant(b, begin);
    kdr_build_constant(b, 0.5);
    (void)border(b, false, true);
    kdr_build(b, (kdr_instruction){.code = KDR_OP_REFLECT,
                                   .out = (b->terms & KDR_TERM_COMPENSATED) ? b->c : KDR_NO_COLUMN,
                                   .x = b->x,
                                   .v = absorbing ? s.x : KDR_NO_COLUMN,
                                   .other = departure,
                                   .number = number,
                                   .list = b->mass,
                                   .count = 2});
}

void kdr_build_arrival(kdr_builder *b) {
    if (has_walls(b) && wraps(b)) {
        (void)walls(b, (kdr_saved){.x = b->x, .seen = KDR_NO_COLUMN});
    }
}

static void hold(kdr_builder *b, kdr_saved s) {
    const bool compensated = (b->terms & KDR_TERM_COMPENSATED) != 0;
    if (b->terms & KDR_TERM_HELD_AFTER) {
        b->when = whole_step(b, KDR_WHEN_CLOSING);
        kdr_build(b, (kdr_instruction){.code = KDR_OP_HOLD, .out = compensated ? b->c : KDR_NO_COLUMN, .x = b->x, .v = b->v, .other = s.x});
        b->when = KDR_WHEN_STEPPING;
    }
}

uint16_t kdr_build_walls(kdr_builder *b, kdr_saved s) {
    build_flush_small(b);
    hold(b, s);
    return has_walls(b) && !holds_alone(b) && !(wraps(b) && b->keeps) ? walls(b, s) : KDR_NO_COLUMN;
}
