/* The instructions of implicit steps: for affine fields, and by Newton's iteration for all others. */
#include "lines.h"

#include <math.h>

/* The rows of an implicit step, and the number th = c h, which is followed by h, 1 and -1. Newton's operations rely on a, left, v and y
 * being consecutive, and on the columns that follow `open`. */
typedef struct unknowns {
    uint16_t a, left, v, y, r, open, th;
} unknowns;

static void subtract(kdr_builder *b, uint16_t from, uint16_t row, uint16_t th) { add_at(b, from, row, (uint16_t)(th + 3), KDR_NO_COLUMN); }

static void implicit_affine(kdr_builder *b, const unknowns *u, uint16_t inverse, uint8_t marks) {
    const int evaluation = b->evaluations++;
    along(b, u->y, b->x, b->v, u->th);
    kdr_build_acceleration(b, b->terms, u->r, u->y, b->v, evaluation);
    kdr_build(b, (kdr_instruction){.code = KDR_OP_SOLVE, .out = u->a, .x = u->r, .other = inverse, .count = marks});
    along(b, u->v, b->v, u->a, u->th);
    along(b, u->y, b->x, u->v, u->th);
    kdr_build_acceleration(b, b->terms, u->r, u->y, u->v, evaluation);
    subtract(b, u->r, u->a, u->th);
    kdr_build(b, (kdr_instruction){.code = KDR_OP_SOLVE, .out = u->left, .x = u->r, .other = inverse, .count = marks});
}

/* Adds the start of the iteration: the effect of quadratic drags alone on v. `held` has the step's beginning if a boundary may hold the
 * particle. */
static void implicit_begin(kdr_builder *b, const unknowns *u, uint16_t held) {
    const kdr_boundary *const boundary = &b->problem->boundary;
    const int drags = b->problem->field.quadratics;
    kdr_instruction line = {.code = KDR_OP_GUESS, .out = u->a, .x = u->th, .v = b->v, .other = b->mass};
    line.number = b->field.term[KDR_OP_QUADRATIC], line.count = (uint8_t)drags;
    if (drags > 0) {
        kdr_build(b, line);
    } else {
        kdr_build(b, (kdr_instruction){.code = KDR_OP_ZERO, .out = u->a});
    }
    kdr_build(b, (kdr_instruction){.code = KDR_OP_ZERO, .out = u->left});
    line =
        (kdr_instruction){.code = KDR_OP_OPEN, .out = u->open, .x = KDR_NO_COLUMN, .other = b->mass, .number = (uint16_t)b->number_count};
    if (b->terms & KDR_TERM_ABSORBING) {
        line.x = held;
        for (int i = 0; i < b->dims; ++i) {
            const bool bounded = boundary->min[i] < boundary->max[i];
            kdr_build_constant(b, bounded ? boundary->min[i] : -(double)INFINITY);
            kdr_build_constant(b, bounded ? boundary->max[i] : (double)INFINITY);
        }
    }
    kdr_build(b, line);
}

static void implicit_newton(kdr_builder *b, const unknowns *u, uint16_t s, uint16_t g, uint8_t marks) {
    const int evaluation = b->evaluations++;
    kdr_build(b, (kdr_instruction){.code = KDR_OP_TRIAL, .out = u->a, .x = b->x, .v = b->v, .number = u->th});
    kdr_build_acceleration(b, b->terms, u->r, u->y, u->v, evaluation);
    kdr_build_jacobian(b, g, s, u->y, u->v, u->th, evaluation);
    kdr_build(
        b, (kdr_instruction){.code = KDR_OP_NEWTON, .out = u->a, .x = u->r, .other = g, .list = u->open, .number = u->th, .count = marks});
    kdr_build(b, (kdr_instruction){.code = KDR_OP_ARRIVE, .out = u->a, .x = u->open});
    along(b, u->v, b->v, u->a, u->th);
}

/* Returns the flags of solving: whether axes are independent, and whether J differs between particles. */
static uint8_t marks_of(const kdr_builder *b) {
    const unsigned each = KDR_TERM_MASS | KDR_TERM_SPRINGS | KDR_TERM_DRAGS;
    const bool separate = b->dims == 1 || !(b->terms & KDR_TERMS_COUPLE_AXES);
    return (uint8_t)((separate ? KDR_SOLVE_SEPARATE : 0) | ((b->terms & each) ? KDR_SOLVE_EACH : 0));
}

/* Adds the instructions for system runs. CONVERGE ends those that are repeated after each evaluation. It relies on open, A, V, y, size
 * and the last step of A being consecutive. */
static void implicit_calls(kdr_builder *b) {
    const uint16_t open = kdr_build_columns(b, "open", 0, 1), a = kdr_build_row(b, "A"), v = kdr_build_row(b, "V");
    const uint16_t y = kdr_build_row(b, "y"), size = kdr_build_columns(b, "size", 0, 1);
    const uint16_t last = kdr_build_row(b, "step"), r = kdr_build_row(b, "r");
    begins(b);
    const kdr_saved s = kdr_build_save(b);
    for (int n = 0; n < substeps_of(b); ++n) {
        take_substep(b, n);
        const uint16_t th = kdr_build_step(b, b->problem->row->data.implicit->c), step = kdr_build_step(b, 1);
        kdr_build(b, (kdr_instruction){.code = KDR_OP_ZERO, .out = a});
        kdr_build(b, (kdr_instruction){.code = KDR_OP_ZERO, .out = size});
        kdr_build(b, (kdr_instruction){.code = KDR_OP_ZERO, .out = last});
        copy(b, v, b->v, 1);
        along(b, y, b->x, v, th);
        accelerate(b, r, y, v);
        add_at(b, r, a, kdr_build_constant(b, -1), KDR_NO_COLUMN);
        kdr_build(b, (kdr_instruction){.code = KDR_OP_CONVERGE, .out = open, .x = r, .v = b->v, .other = b->x, .number = th});
        add_at(b, v, r, th, KDR_NO_COLUMN);
        drift(b, v, step);
        kick(b, r, step);
        kick(b, a, step);
    }
    kdr_build_walls(b, s);
}

void kdr_build_slopes(kdr_builder *b, bool blocks) {
    const uint16_t s = kdr_build_columns(b, "S", 0, b->dims * (b->dims + 1) / 2), g = kdr_build_columns(b, "G", 0, b->dims * b->dims);
    const uint16_t r = kdr_build_row(b, "r"), th = kdr_build_step(b, b->problem->row->data.implicit->c);
    kdr_build_jacobian(b, g, s, b->x, b->v, th, 0);
    if (blocks) {
        const int count = b->dims * (b->dims + 1) / 2;
        const uint16_t between = kdr_build_columns(b, "between", 0, count);
        for (int i = 0; i < count; ++i) {
            kdr_build_load(b, KDR_ARRAY_BLOCKS, i, 0, (unsigned)(between + i));
        }
        kdr_build(b, (kdr_instruction){.code = KDR_OP_JACOBIAN_BLOCKS, .out = g, .x = between});
    }
    b->end[KDR_STEP] = b->line_count;
    const uint8_t marks = blocks && b->dims > 1 ? (uint8_t)(marks_of(b) & ~KDR_SOLVE_SEPARATE) : marks_of(b);
    kdr_build(b, (kdr_instruction){.code = KDR_OP_CORRECT, .out = r, .other = g, .number = th, .count = marks});
    b->end[KDR_AFTER] = b->line_count;
}

void kdr_build_implicit(kdr_builder *b) {
    if (b->calls) {
        implicit_calls(b);
        return;
    }
    const kdr_implicit_row *const row = b->problem->row->data.implicit;
    const unsigned each = KDR_TERM_MASS | KDR_TERM_SPRINGS | KDR_TERM_DRAGS;
    const bool affine = !(b->terms & KDR_TERMS_NOT_AFFINE);
    const uint8_t marks = marks_of(b);
    unknowns u = {.a = kdr_build_row(b, "A"), .left = kdr_build_row(b, "D")};
    u.v = kdr_build_row(b, "V");
    u.y = kdr_build_row(b, "y");
    u.r = kdr_build_row(b, "r");
    const uint16_t s = kdr_build_columns(b, "S", 0, b->dims * (b->dims + 1) / 2), g = kdr_build_columns(b, "G", 0, b->dims * b->dims);
    u.th = kdr_build_step(b, row->c);
    kdr_build_step(b, 1);
    kdr_build_constant(b, 1);
    kdr_build_constant(b, -1);
    const uint16_t step = (uint16_t)(u.th + 1);
    if (affine) {
        made(b, g, (b->terms & each) != 0);
        kdr_build_jacobian(b, g, s, b->x, b->v, u.th, 0);
        kdr_build(b, (kdr_instruction){.code = KDR_OP_INVERSE, .out = g, .number = u.th, .count = marks});
    }
    begins(b);
    const kdr_saved before = kdr_build_save(b);
    if (affine) {
        implicit_affine(b, &u, g, marks);
    } else {
        u.open = kdr_build_columns(b, "open", 0, 1);
        kdr_build_columns(b, "slope", 0, 1);
        kdr_build_columns(b, "size", 0, 1);
        implicit_begin(b, &u, before.x);
        implicit_newton(b, &u, s, g, marks);
    }
    add_at(b, u.v, u.left, u.th, KDR_NO_COLUMN);
    drift(b, u.v, step);
    kick(b, u.left, step);
    kick(b, u.a, step);
    kdr_build_walls(b, before);
}
