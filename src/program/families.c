/* The instructions of a step, one function per family. The order of operations on a particle is part of the contract: the comments in
 * method/rows*.h state it. */
#include "../method/compensation.h"
#include "lines.h"

/* Adds kick and drift i of a row. If constraints or distances act on drifts, a drift that joins two substeps is made in two parts. */
static void kick_and_drift_of(kdr_builder *b, const kdr_splitting_row *row, int i, uint16_t a) {
    const bool joins = kdr_problem_joins(b->problem, i);
    const double length = joins ? b->problem->caller.joint[0][i] : row->drift[i];
    if (row->kick[i] != 0.0 && length != 0.0) {
        kick_and_drift(b, a, row->kick[i], length);
    } else if (row->kick[i] != 0.0) {
        const uint16_t number = kdr_build_step(b, row->kick[i]);
        kick(b, a, number);
        hold_velocity(b, b->v, number, NULL);
    } else if (length != 0.0) {
        held_drift(b, kdr_build_step(b, length));
    }
    if (joins) {
        held_drift(b, kdr_build_step(b, b->problem->caller.joint[1][i]));
    }
}

static void splitting(kdr_builder *b) {
    const kdr_splitting_row *const row = b->problem->row->data.splitting;
    const bool keeps = kdr_splitting_keeps(row);
    uint16_t a = 0, predicted = 0;
    if (keeps) {
        keep(b);
        a = b->a;
        begin_with_acceleration(b, KDR_WHEN_FRESH);
    } else {
        a = kdr_build_row(b, "a");
    }
    begins(b);
    if (keeps && row->predicts) {
        predicted = kdr_build_row(b, "predicted");
    }
    kdr_saved s = kdr_build_save(b);
    const bool walled = (b->terms & KDR_TERM_PERIODIC) && (b->terms & KDR_TERM_COLLIDERS);
    if (keeps && (b->calls ? walled : kdr_wraps_see(b->terms, b->problem->flushes_small))) {
        s.seen = row->predicts ? predicted : kdr_build_row(b, "seen");
        b->seen = s.seen;
    }
    for (int i = 0; i < row->stages; ++i) {
        if (row->kick[i] != 0.0 && !(keeps && i == 0)) {
            if (keeps && row->predicts) {
                const uint16_t number = kdr_build_step(b, row->kick[i]);
                along(b, predicted, b->v, a, number);
                hold_velocity(b, predicted, number, NULL);
            } else if (s.seen != KDR_NO_COLUMN && i == row->stages - 1) {
                copy(b, s.seen, b->v, 1);
            }
            if (keeps && i == row->stages - 1) {
                kdr_build_arrival(b);
            }
            accelerate(b, a, b->x, keeps && row->predicts ? predicted : b->v);
        }
        kick_and_drift_of(b, row, i, a);
    }
    kdr_build_walls(b, s);
    if (b->calls && !(b->terms & (KDR_TERMS_AFTER | KDR_TERM_COMPENSATED | KDR_TERM_HELD))) {
        b->end[KDR_STEP] = b->line_count;
        kdr_build_next_step(b, row, keeps, a);
    }
}

/* A list of the slopes with nonzero weights. The scale is number `number`, followed by the weights; neighbours of equal weight are
 * marked. */
typedef struct weights {
    uint16_t number, list;
    uint8_t count;
} weights;

static weights list_weights(kdr_builder *b, uint16_t number, const double *ratio, int stages, bool joins, const uint16_t *slope) {
    weights w = {number, (uint16_t)b->list_count, 0};
    for (int i = 0; i < stages; ++i) {
        if (ratio[i] != 0.0) {
            kdr_build_constant(b, ratio[i]);
            kdr_build_list(b, slope[i] | (joins ? kdr_weight_marks(ratio, stages, i) : (unsigned)KDR_ENDS));
            ++w.count;
        }
    }
    return w;
}

static weights weigh(kdr_builder *b, double scale, const double *ratio, int stages, bool joins, const uint16_t *slope) {
    const double corrected = has_rests(b) ? kdr_compensated_scale(scale, ratio, stages) : scale;
    return list_weights(b, kdr_build_step(b, corrected), ratio, stages, joins, slope);
}

/* Adds lost += tilt (latest stage's slope - first stage's slope), in compensated runs of floats. */
static void tilt(kdr_builder *b, uint16_t lost, uint16_t sum, const uint16_t *slope) {
    static const double ratio[] = {-1, 1};
    const int latest = kdr_latest_stage(b->problem->row);
    if (!has_rests(b) || latest == 0) {
        return;
    }
    const weights w = list_weights(b, (uint16_t)b->number_count, ratio, 2, false, (const uint16_t[]){slope[0], slope[latest]});
    kdr_build(b, (kdr_instruction){.code = KDR_OP_WEIGH, .out = sum, .count = w.count, .number = w.number, .list = w.list});
    add_at(b, lost, sum, kdr_build_number(b, KDR_NUMBER_TILT, 0, 1), KDR_NO_COLUMN);
}

static bool has_estimate(const kdr_builder *b) { return b->problem->row->info.order_estimate > 0; }

/* Adds sum = the weighed slopes of an error estimate. Its scale precedes the weights. */
static weights weigh_estimate(kdr_builder *b, kdr_number_kind scale, uint16_t sum, const double *estimate, int stages,
                              const uint16_t *slope) {
    const weights w = list_weights(b, kdr_build_number(b, scale, 1, 1), estimate, stages, false, slope);
    b->when = KDR_WHEN_ESTIMATING;
    kdr_build(b, (kdr_instruction){.code = KDR_OP_WEIGH, .out = sum, .count = w.count, .number = (uint16_t)(w.number + 1), .list = w.list});
    b->when = KDR_WHEN_STEPPING;
    return w;
}

/* Adds the instruction that estimates the error, after the walls, which mark held particles. In system runs it is the last of a step. */
static void estimate(kdr_builder *b, uint16_t sum, uint16_t number, uint16_t held) {
    const uint16_t error = kdr_build_columns(b, "error", 0, 1);
    if (!b->calls) {
        kdr_build_load(b, KDR_ARRAY_ERROR, 0, 0, error);
    }
    b->when = KDR_WHEN_ESTIMATING;
    kdr_build(b, (kdr_instruction){.code = KDR_OP_ESTIMATE, .out = error, .v = sum, .other = held, .number = number});
    b->when = KDR_WHEN_STEPPING;
}

static void advance_by_weights(kdr_builder *b, uint16_t row, uint16_t lost, uint16_t sum, weights w) {
    kdr_instruction line = {.code = KDR_OP_WEIGH_ADVANCE, .out = row, .count = w.count, .number = w.number, .list = w.list};
    if (!(b->terms & KDR_TERM_COMPENSATED)) {
        kdr_build(b, line);
        return;
    }
    line.code = KDR_OP_WEIGH, line.out = sum, line.number = (uint16_t)(w.number + 1);
    kdr_build(b, line);
    add_at(b, row, sum, w.number, lost);
}

/* Adds out = y + the sum of number[n] slope[j] over all j with a nonzero factor; n counts these. */
static void sum_of(kdr_builder *b, uint16_t out, uint16_t y, const double *factor, int count, const uint16_t *slope, uint16_t number) {
    kdr_instruction line = {.code = KDR_OP_SUM, .out = out, .x = y, .number = number, .list = (uint16_t)b->list_count};
    for (int j = 0; j < count; ++j) {
        if (factor[j] != 0.0) {
            kdr_build_list(b, slope[j]);
            ++line.count;
        }
    }
    kdr_build(b, line);
}

static void runge_kutta(kdr_builder *b) {
    const kdr_runge_kutta_row *const row = b->problem->row->data.runge_kutta;
    uint16_t kx[KDR_MAX_STAGES] = {0}, kv[KDR_MAX_STAGES] = {0};
    const uint16_t xs = kdr_build_row(b, "xs");
    begins(b);
    const kdr_saved s = kdr_build_save(b);
    for (int i = 0; i < row->stages; ++i) {
        const uint16_t number = (uint16_t)b->number_count;
        int terms = 0;
        for (int j = 0; j < i; ++j) {
            if (row->a[i][j] != 0.0) {
                kdr_build_step(b, row->a[i][j]);
                ++terms;
            }
        }
        kx[i] = b->v;
        if (terms > 0) {
            kx[i] = kdr_build_stage(b, "v", i);
            sum_of(b, xs, b->x, row->a[i], i, kx, number);
            sum_of(b, kx[i], b->v, row->a[i], i, kv, number);
        }
        kv[i] = kdr_build_stage(b, "k", i);
        accelerate(b, kv[i], terms > 0 ? xs : b->x, kx[i]);
    }
    tilt(b, b->c, xs, kx);
    tilt(b, (uint16_t)(b->c + b->dims), xs, kv);
    const weights of_x = weigh(b, row->scale, row->ratio, row->stages, true, kx);
    const weights of_v = weigh(b, row->scale, row->ratio, row->stages, true, kv);
    advance_by_weights(b, b->x, b->c, xs, of_x); /* comes before v, because v is the first stage's slope */
    const uint16_t sum = kx[row->stages - 1];    /* a slope of x that is no longer needed */
    const bool estimates = has_estimate(b);
    const uint16_t scale = estimates ? weigh_estimate(b, KDR_NUMBER_STEP, sum, row->estimate, row->stages, kx).number : 0;
    advance_by_weights(b, b->v, (uint16_t)(b->c + b->dims), xs, of_v);
    if (estimates && row->estimate[row->stages] != 0.0) {
        b->when = KDR_WHEN_ESTIMATING;
        add_at(b, sum, b->v, kdr_build_constant(b, row->estimate[row->stages]), KDR_NO_COLUMN);
        b->when = KDR_WHEN_STEPPING;
    }
    const uint16_t held = kdr_build_walls(b, s);
    if (estimates) {
        estimate(b, sum, scale, held);
    }
}

static void nystrom(kdr_builder *b) {
    const kdr_nystrom_row *const row = b->problem->row->data.nystrom;
    const double *const of_x = kdr_nystrom_weights(row);
    uint16_t k[KDR_NYSTROM_STAGES] = {0};
    const uint16_t w = kdr_build_row(b, "mean"), xs = kdr_build_row(b, "xs");
    begins(b);
    const kdr_saved s = kdr_build_save(b);
    for (int i = 0; i < row->stages; ++i) {
        if (i > 0) {
            const uint16_t number = (uint16_t)b->number_count;
            for (int j = 0; j < i; ++j) {
                if (row->a[i][j] != 0.0) {
                    kdr_build_number(b, KDR_NUMBER_STEP, row->a[i][j], row->c[i]);
                }
            }
            sum_of(b, w, b->v, row->a[i], i, k, number);
            along(b, xs, b->x, w, kdr_build_step(b, row->c[i]));
        }
        k[i] = kdr_build_stage(b, "k", i);
        accelerate(b, k[i], i > 0 ? xs : b->x, b->v);
    }
    if (row->ends_at_last_stage && row->stages > 1 && !(b->terms & KDR_TERM_COMPENSATED)) {
        copy(b, b->x, xs, 1);
    } else {
        uint16_t mean = w;
        if (!row->ends_at_last_stage || b->calls) { /* in system runs the row does not survive the evaluation */
            const uint16_t number = (uint16_t)b->number_count;
            for (int j = 0; j < row->stages; ++j) {
                if (of_x[j] != 0.0) {
                    kdr_build_step(b, of_x[j]);
                }
            }
            sum_of(b, w, b->v, of_x, row->stages, k, number);
        }
        drift(b, mean, kdr_build_step(b, 1));
    }
    tilt(b, (uint16_t)(b->c + b->dims), w, k);
    const weights of_v = weigh(b, row->scale, row->ratio, row->stages, false, k);
    advance_by_weights(b, b->v, (uint16_t)(b->c + b->dims), w, of_v);
    const bool estimates = has_estimate(b);
    const uint16_t scale = estimates ? weigh_estimate(b, KDR_NUMBER_SQUARE, xs, row->estimate, row->stages, k).number : 0;
    const uint16_t held = kdr_build_walls(b, s);
    if (estimates) {
        estimate(b, xs, scale, held);
    }
}

static void multistep(kdr_builder *b) {
    keep(b);
    b->when = KDR_WHEN_RESUMED;
    copy(b, b->v, b->a, 1);
    begin_with_acceleration(b, KDR_WHEN_FRESH | KDR_WHEN_RESUMED);
    const uint16_t square = kdr_build_number(b, KDR_NUMBER_SQUARE, 1, 1);
    const uint16_t start = kdr_build_step(b, -1);
    kdr_build_number(b, KDR_NUMBER_SQUARE, 0.5, 1);
    b->when = KDR_WHEN_FRESH;
    kdr_build(b, (kdr_instruction){.code = KDR_OP_MULTISTEP_START, .x = b->x, .v = b->v, .other = b->a, .number = start});
    b->when = KDR_WHEN_STEPPING;
    begins(b);
    kdr_build(b, (kdr_instruction){.code = KDR_OP_MULTISTEP, .x = b->x, .v = b->v, .other = b->a, .number = square});
    accelerate(b, b->a, b->x, b->v);
    b->end[KDR_STEP] = b->line_count;
    const uint16_t end = kdr_build_number(b, KDR_NUMBER_SQUARE, 1, 1);
    kdr_build_step(b, 2);
    b->when = KDR_WHEN_LAST;
    kdr_build(b, (kdr_instruction){.code = KDR_OP_MULTISTEP_END, .x = b->x, .v = b->v, .other = b->a, .number = end});
}

/* Adds half a drift, which begins at fraction `begin` of the step, and the colliders that reflect it. */
static void reflected_drift(kdr_builder *b, kdr_saved s, uint16_t departure, double begin) {
    if (departure != KDR_NO_COLUMN) {
        copy(b, departure, b->x, 2); /* v follows x */
    }
    held_drift(b, kdr_build_step(b, 0.5));
    if (departure != KDR_NO_COLUMN) {
        kdr_build_reflection(b, s, departure, begin);
    }
}

static void langevin(kdr_builder *b) {
    keep(b);
    begin_with_acceleration(b, KDR_WHEN_FRESH);
    const uint16_t bath = kdr_build_number(b, KDR_NUMBER_DECAY, 0, 1), noise = kdr_build_columns(b, "noise", 0, 3);
    kdr_build_number(b, KDR_NUMBER_NOISE, 0, 1);
    const kdr_instruction amplitude = {
        .code = KDR_OP_AMPLITUDE, .out = noise, .other = b->mass, .number = bath, .count = (b->terms & KDR_TERM_MASS) != 0};
    if (!b->calls) {
        kdr_build(b, amplitude);
    }
    begins(b);
    const kdr_saved s = kdr_build_save(b);
    const uint16_t departure = kdr_build_departure(b);
    if (departure == KDR_NO_COLUMN) {
        kick_and_drift(b, b->a, 0.5, 0.5);
    } else {
        kick(b, b->a, kdr_build_step(b, 0.5));
        reflected_drift(b, s, departure, 0.0);
    }
    if (b->calls) { /* in system runs tiles keep nothing between sweeps */
        kdr_build(b, amplitude);
    }
    const bool compensated = (b->terms & KDR_TERM_COMPENSATED) != 0;
    kdr_build(b, (kdr_instruction){.code = KDR_OP_BATH,
                                   .v = b->v,
                                   .x = noise,
                                   .number = bath,
                                   .list = rest_of(b, bath),
                                   .other = compensated ? (uint16_t)(b->c + b->dims) : KDR_NO_COLUMN});
    reflected_drift(b, s, departure, 0.5);
    kdr_build_arrival(b);
    accelerate(b, b->a, b->x, b->v);
    const uint16_t half = kdr_build_step(b, 0.5);
    kick(b, b->a, half);
    hold_velocity(b, b->v, half, NULL);
    kdr_build_walls(b, s);
}

static void push(kdr_builder *b, uint16_t row, uint16_t lost, int evaluation) {
    const bool compensated = (b->terms & KDR_TERM_COMPENSATED) != 0;
    kdr_build(b, (kdr_instruction){
                     .code = KDR_OP_PUSH, .out = row, .other = compensated ? lost : KDR_NO_COLUMN, .evaluation = (uint8_t)evaluation});
}

static void kinematic(kdr_builder *b) {
    const kdr_kinematic_row *const row = b->problem->row->data.kinematic;
    const unsigned others = b->terms & ~(unsigned)KDR_TERMS_AFFINE;
    const kdr_instruction map = kdr_build_map(b);
    if (map.out && !b->calls) {
        made(b, map.out, true);
    }
    begins(b);
    const bool averages = row->sums && (b->calls || b->problem->contributions.averaged_quadratics > 0 ||
                                        b->problem->contributions.averaged_centres > 0 || (b->terms & KDR_TERMS_AVERAGED));
    const bool pulses = row->sums && (b->problem->contributions.averaged_quadratics < b->problem->field.quadratics ||
                                      b->problem->contributions.averaged_centres < b->problem->field.centres);
    const bool kicks = row->kicks && (b->calls || kdr_problem_evaluates(b->problem));
    const uint16_t a = kicks || averages ? kdr_build_row(b, "a") : 0, fast = pulses ? kdr_build_row(b, "pulse") : 0;
    const kdr_saved s = kdr_build_save(b);
    if (averages) {
        kdr_build_acceleration(b, others, a, b->x, b->v, KDR_NO_BASE);
    }
    if (pulses) {
        kdr_build_acceleration(b, others | KDR_TERM_LATE, fast, b->x, b->v, KDR_NO_BASE);
    }
    kdr_build(b, map);
    if (averages) {
        drift(b, a, kdr_build_number(b, KDR_NUMBER_SQUARE, 0.5, 1));
        kick(b, a, kdr_build_step(b, 1));
    }
    if (pulses) {
        drift(b, fast, kdr_build_number(b, KDR_NUMBER_SQUARE, 1, 1));
        kick(b, fast, kdr_build_step(b, 1));
    }
    if (row->sums && (b->terms & KDR_TERM_DRIVEN)) {
        push(b, b->x, b->c, 0);
        push(b, b->v, (uint16_t)(b->c + b->dims), 1);
    }
    if (kicks) {
        kdr_build_acceleration(b, others, a, b->x, b->v, 0);
        if (kdr_problem_kicks_twice(b->problem)) {
            const uint16_t middle = kdr_build_row(b, "middle");
            along(b, middle, b->v, a, kdr_build_step(b, 0.5));
            kdr_build_acceleration(b, others, a, b->x, middle, 0);
        }
        kick(b, a, kdr_build_step(b, 1));
    }
    if (row->kicks) {
        kdr_build(b, map);
    }
    b->evaluations = 1;
    kdr_build_walls(b, s);
}

void kdr_build_method(kdr_builder *b) {
    static void (*const families[KDR_FAMILY_COUNT])(kdr_builder *) = {
        [KDR_RUNGE_KUTTA] = runge_kutta,     [KDR_SPLITTING] = splitting, [KDR_NYSTROM] = nystrom,
        [KDR_IMPLICIT] = kdr_build_implicit, [KDR_MULTISTEP] = multistep, [KDR_MAGNETIC] = kdr_build_magnetic,
        [KDR_LANGEVIN] = langevin,           [KDR_KINEMATIC] = kinematic,
    };
    b->when = KDR_WHEN_STEPPING;
    families[b->problem->row->info.family](b);
    if (b->end[KDR_STEP] == 0) {
        b->end[KDR_STEP] = b->line_count;
    }
    b->end[KDR_AFTER] = b->line_count;
}
