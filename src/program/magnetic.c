/* The instructions of a step in a magnetic field, as in method/rows_special.h. */
#include "lines.h"

/* Adds a rotation by half angles: shared by all particles, by each particle's inverse mass, or by row m of magnetic fields. */
static void rotate(kdr_builder *b, kdr_instruction rotation) {
    const bool each = rotation.x != KDR_NO_COLUMN;
    rotation.number = (uint16_t)b->number_count;
    for (int i = 0; i < 3; ++i) { /* in a plane, only the field across it */
        kdr_build_step(b, each ? 0.5 : b->dims == 3 || i == 2 ? 0.5 * b->problem->field.magnetic[i] : 0);
    }
    kdr_build(b, rotation);
}

static kdr_instruction rotation_of(kdr_builder *b, uint16_t m, bool halves) {
    const bool each = m != KDR_NO_COLUMN, masses = (b->terms & KDR_TERM_MASS) != 0;
    const uint8_t whose = (uint8_t)(each ? (halves ? KDR_TURN_HALF : KDR_TURN_FIELD) : masses ? KDR_TURN_MASS : KDR_TURN_ALL);
    const uint16_t rotation = kdr_build_columns(b, "turn", 0, 2 * b->dims * b->dims);
    if (!each || b->calls) {
        made(b, rotation, masses);
    }
    return (kdr_instruction){.code = KDR_OP_ROTATION, .out = rotation, .x = m, .other = b->mass, .count = whose};
}

static void turn(kdr_builder *b, const kdr_instruction *rotation) {
    const uint16_t step = (b->terms & KDR_TERM_HELD) ? kdr_build_step(b, 1) : 0;
    hold_velocity(b, b->v, step, NULL);
    const bool compensated = (b->terms & KDR_TERM_COMPENSATED) != 0;
    kdr_build(b, (kdr_instruction){.code = KDR_OP_TURN,
                                   .v = b->v,
                                   .x = rotation->out,
                                   .count = rotation->count,
                                   .other = compensated ? (uint16_t)(b->c + b->dims) : KDR_NO_COLUMN});
    hold_velocity(b, b->v, step, rotation);
}

bool kdr_build_turns(const kdr_builder *b) {
    const bool each = (b->terms & KDR_TERM_CUSTOM_MAGNETIC) != 0;
    return b->dims == 3 ? each || (b->terms & KDR_TERM_MAGNETIC) : b->dims == 2 && (each || b->problem->field.magnetic[2] != 0.0);
}

void kdr_build_magnetic_row(kdr_builder *b) {
    const bool each = b->problem->is_magnetic || (b->terms & (KDR_TERM_RELATIVISTIC | KDR_TERM_CUSTOM_MAGNETIC));
    if (each && b->m == KDR_NO_COLUMN) {
        b->m = kdr_build_row(b, "m");
    }
}

/* Adds the evaluation of the acceleration without the magnetic force, in the middle of the step, and of the magnetic field in row m, if
 * there is one. */
static void evaluate(kdr_builder *b, uint16_t a, uint16_t m) {
    kdr_build_acceleration(b, b->terms & ~(unsigned)KDR_TERMS_MAGNETIC, a, b->x, b->v, b->evaluations++);
    if (m != KDR_NO_COLUMN && b->calls) { /* an EVALUATE sets both */
        b->line[b->line_count - 1].other = m;
        b->line[b->line_count - 1].count = 1;
    }
}

/* Adds x += (h/2) u / gamma. */
static void relativistic_drift(kdr_builder *b, uint16_t w, uint16_t number) {
    kdr_build(b, (kdr_instruction){.code = KDR_OP_VELOCITY, .out = w, .v = b->v, .number = number});
    drift(b, w, (uint16_t)(number + 2));
}

static void relativistic_substep(kdr_builder *b, uint16_t a, uint16_t w, const kdr_instruction *rotation) {
    const kdr_magnetic_row *const row = b->problem->row->data.magnetic;
    const double c = b->problem->speed_of_light, unit = kdr_problem_light_unit(b->problem);
    const bool is_turned = rotation->code == KDR_OP_ROTATION;
    const uint16_t number = kdr_build_constants(b, (const double[]){1.0 / (c * c) * unit * unit, 1.0 / unit}, 2);
    const uint16_t half = kdr_build_step(b, 0.5); /* consecutive */
    relativistic_drift(b, w, number);
    evaluate(b, a, b->m);
    if (row->halves && is_turned && b->calls) { /* in system runs the row does not survive the evaluation */
        kdr_build(b, (kdr_instruction){.code = KDR_OP_VELOCITY, .out = w, .v = b->v, .number = number});
    }
    kick(b, a, half);
    if (row->halves) {
        if (is_turned) {
            kdr_build(b, (kdr_instruction){.code = KDR_OP_CROSS, .out = a, .v = w, .other = b->m});
        }
        kick(b, a, half);
    }
    if (is_turned) {
        kdr_build(b, (kdr_instruction){.code = KDR_OP_SLOW, .out = b->m, .v = b->v, .number = number, .count = row->means});
        rotate(b, *rotation);
        turn(b, rotation);
    }
    if (!row->halves) {
        kick(b, a, half);
    }
    relativistic_drift(b, w, number);
}

static void substep(kdr_builder *b, uint16_t a, uint16_t m, const kdr_instruction *rotation) {
    const bool is_turned = rotation->code == KDR_OP_ROTATION;
    held_drift(b, kdr_build_step(b, 0.5));
    evaluate(b, a, m);
    kick(b, a, kdr_build_step(b, 0.5));
    /* the rotation is made here, as in the noise of a heat bath, because its row does not survive */
    if (is_turned && (b->calls || m != KDR_NO_COLUMN)) {
        rotate(b, *rotation);
    }
    if (is_turned) {
        turn(b, rotation);
    }
    if (b->calls) { /* separate kick and drift: with levels, other particles drift in between */
        kick(b, a, kdr_build_step(b, 0.5));
        held_drift(b, kdr_build_step(b, 0.5));
    } else {
        kick_and_drift(b, a, 0.5, 0.5);
    }
}

void kdr_build_magnetic(kdr_builder *b) {
    const bool fast = (b->terms & KDR_TERM_RELATIVISTIC) != 0;
    const bool is_turned = kdr_build_turns(b) || (b->dims > 1 && b->problem->is_magnetic);
    const uint16_t a = kdr_build_row(b, "a"), w = fast ? kdr_build_row(b, "velocity") : 0;
    if (is_turned) {
        kdr_build_magnetic_row(b);
    }
    const kdr_instruction rotation =
        is_turned ? rotation_of(b, b->m, fast && b->problem->row->data.magnetic->halves) : (kdr_instruction){.code = KDR_OP_COPY};
    if (is_turned && !b->calls && b->m == KDR_NO_COLUMN) {
        rotate(b, rotation);
    }
    begins(b);
    const kdr_saved s = kdr_build_save(b);
    for (int n = 0; n < substeps_of(b); ++n) {
        take_substep(b, n);
        if (fast) {
            relativistic_substep(b, a, w, &rotation);
        } else {
            substep(b, a, b->m, &rotation);
        }
    }
    kdr_build_walls(b, s);
}
