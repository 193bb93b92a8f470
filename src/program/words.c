/* Fills in the descriptions of operations (operation.h) for an instruction. A word after $ is a row of the table below, with the
 * function that writes it. */
#include <stdio.h>
#include <string.h>

#include "../force/custom.h"
#include "writer.h"

/* Returns numbers of the program as values, in steps dt. */
const double *kdr_word_numbers(const kdr_writer *w, unsigned first, int count, double *to) {
    for (int i = 0; i < count; ++i) {
        const kdr_number *const n = &w->program->number[first + (unsigned)i];
        to[i] = n->value / n->divisor * n->length;
    }
    return to;
}

void kdr_write_number(kdr_writer *w, unsigned index) {
    static const char *const of_step[] = {[KDR_NUMBER_STEP] = "h", [KDR_NUMBER_SQUARE] = "h^2"};
    const kdr_number *const n = &w->program->number[index];
    if (n->kind == KDR_NUMBER_CONSTANT) {
        kdr_write_coefficient(w, n->value);
    } else if (n->kind == KDR_NUMBER_TILT) {
        kdr_write_say(w, "tilt");
    } else if (n->kind == KDR_NUMBER_DECAY) {
        kdr_write_say(w, "(exp(");
        kdr_write_steps(w, -w->problem->langevin.friction, "h");
        kdr_write_say(w, ") - 1)");
    } else {
        kdr_write_steps(w, n->value / n->divisor * (n->kind == KDR_NUMBER_SQUARE ? n->length * n->length : n->length), of_step[n->kind]);
    }
}

void kdr_write_row(kdr_writer *w, unsigned column) {
    const kdr_row_name *name = w->program->name;
    while (name < w->program->name + w->program->name_count && name->column != column) {
        ++name;
    }
    const bool is_known = name < w->program->name + w->program->name_count;
    kdr_write_say(w, is_known ? name->name : "?");
    if (is_known && name->number > 0) {
        kdr_write_put(w, "%d", name->number);
    }
}

/* Writes `count` consecutive rows. */
static void rows(kdr_writer *w, unsigned column, int count) {
    for (int i = 0; i < count; ++i) {
        kdr_write_say(w, i > 0 ? ", " : "");
        kdr_write_row(w, column + (unsigned)(i * w->program->dims));
    }
}

/* The functions that write words. */

static void word_k0(kdr_writer *w) { kdr_write_number(w, kdr_word_listed(w, 0)); }
static void word_k1(kdr_writer *w) { kdr_write_number(w, kdr_word_listed(w, 0) + 1); }
static void word_k2(kdr_writer *w) { kdr_write_number(w, kdr_word_listed(w, 1)); }
static void word_vs(kdr_writer *w) { kdr_write_row(w, kdr_word_listed(w, 0)); }

static void sum_of_list(kdr_writer *w, int first) {
    for (int j = 0; j < w->line->count; ++j) {
        if (j > 0) {
            kdr_write_plus(w);
        }
        kdr_write_number(w, (unsigned)(w->line->number + j));
        kdr_write_say(w, " ");
        kdr_write_row(w, kdr_word_listed(w, first + j));
    }
}

static void word_sumx(kdr_writer *w) { sum_of_list(w, 2); }
static void word_sumv(kdr_writer *w) { sum_of_list(w, 2 + w->line->count); }

static void word_out(kdr_writer *w) { kdr_write_row(w, w->line->out); }
static void word_x(kdr_writer *w) { kdr_write_row(w, w->line->x); }
static void word_v(kdr_writer *w) { kdr_write_row(w, w->line->v); }
static void word_other(kdr_writer *w) { kdr_write_row(w, w->line->other); }
static void word_outs(kdr_writer *w) { rows(w, w->line->out, w->line->count); }
static void word_xs(kdr_writer *w) { rows(w, w->line->x, w->line->count); }
static void word_c0(kdr_writer *w) { kdr_write_number(w, w->line->number); }
static void word_c1(kdr_writer *w) { kdr_write_number(w, w->line->number + 1U); }

/* The other row of an estimate marks held particles. */
static void word_held(kdr_writer *w) { kdr_write_say(w, w->line->other != KDR_NO_COLUMN ? ", unless held" : ""); }

static void word_sum(kdr_writer *w) { sum_of_list(w, 0); }

/* Writes weighed slopes. Slopes of equal weight share a bracket, unless they begin the sum and the weight is 1. */
static void weighed(kdr_writer *w, const uint16_t *slope, int count, int first) {
    for (int j = 0, end = 0; j < count; j = end + 1) {
        for (end = j; !(slope[end] & KDR_ENDS);) {
            ++end;
        }
        if (j > 0) {
            kdr_write_plus(w);
        }
        kdr_write_number(w, (unsigned)(first + end));
        const bool brackets = end > j && !(j == 0 && w->one);
        kdr_write_say(w, brackets ? " (" : " ");
        for (int i = j; i <= end; ++i) {
            if (i > j) {
                kdr_write_plus(w);
            }
            kdr_write_row(w, slope[i] & KDR_NO_COLUMN);
        }
        kdr_write_say(w, brackets ? ")" : "");
    }
}

/* The weights of WEIGH_ADVANCE follow its c0. */
static void word_weighed(kdr_writer *w) {
    weighed(w, w->program->list + w->line->list, w->line->count, w->line->number + (w->line->code == KDR_OP_WEIGH_ADVANCE));
}

/* Returns where the list of a last stage has its weights and slopes: after the stage's own entries. */
static int end_of(const kdr_writer *w) { return 2 + 2 * w->line->count; }
static void word_k(kdr_writer *w) { kdr_write_number(w, kdr_word_listed(w, end_of(w))); }

static void weighed_at_the_end(kdr_writer *w, int index) {
    weighed(w, w->program->list + w->line->list + end_of(w) + 1 + 4 * index, 4, (int)kdr_word_listed(w, end_of(w)) + 1);
}

static void word_weighx(kdr_writer *w) { weighed_at_the_end(w, 0); }
static void word_weighv(kdr_writer *w) { weighed_at_the_end(w, 1); }

static void word_angle(kdr_writer *w) {
    double tangent[3] = {0};
    if (w->line->count >= KDR_TURN_FIELD) {
        kdr_write_say(w, "twice the arctangent of 0.5 h ");
        kdr_write_row(w, w->line->x);
        kdr_write_say(w, w->line->count == KDR_TURN_HALF ? ", and of that the half" : "");
        return;
    }
    kdr_write_say(w, w->line->count ? "twice the arctangent of w " : "twice the arctangent of ");
    kdr_write_list(w, kdr_word_numbers(w, w->line->number, 3, tangent), 3);
    kdr_write_say(w, " h");
}

static void word_light(kdr_writer *w) {
    const double c = w->problem->speed_of_light;
    kdr_write_value(w, 1.0 / (c * c));
}

static void word_gamma(kdr_writer *w) {
    kdr_write_say(w, w->line->count ? "gamma at the mean of u before and after, 1 / c^2 = " : "gamma at u, 1 / c^2 = ");
    word_light(w);
}

static void word_amplitude(kdr_writer *w) {
    kdr_write_say(w, "sqrt(");
    kdr_write_value(w, w->problem->langevin.temperature);
    kdr_write_say(w, w->line->count ? " w (1 - exp(" : " (1 - exp(");
    kdr_write_steps(w, -2 * w->problem->langevin.friction, "h");
    kdr_write_say(w, ")))");
}

static void word_lost(kdr_writer *w) {
    if (w->program->terms & KDR_TERM_COMPENSATED) {
        kdr_write_say(w, ", what is lost into ");
        rows(w, w->line->other, w->line->code == KDR_OP_MAP ? 2 : 1);
    }
}

static void word_turned(kdr_writer *w) { kdr_write_words(w, w->line->other != KDR_NO_COLUMN ? "; $v += $other $v" : ""); }

static void word_push(kdr_writer *w) {
    kdr_write_say(w, "what the driven fields add to ");
    kdr_write_row(w, w->line->out);
    kdr_write_say(w, " in a step");
}

static void word_th(kdr_writer *w) { kdr_write_steps(w, w->problem->row->data.implicit->c, "h"); }

static void word_rounds(kdr_writer *w) { kdr_write_value(w, KDR_NEWTON_ITERATIONS); }

static void word_span(kdr_writer *w) { kdr_write_steps(w, w->problem->row->data.kinematic->span, "h"); }

/* Writes the affine terms of the field, whose motion is a map. */
static void word_affine(kdr_writer *w) {
    const kdr_field *const field = &w->problem->field;
    const unsigned terms = w->program->terms;
    const int dims = w->program->dims;
    double constant[3] = {0};
    for (int i = 0; i < 3; ++i) {
        constant[i] = field->g[i] + ((terms & KDR_TERM_MASS) ? 0 : field->f[i]);
    }
    kdr_write_say(w, "a = ");
    kdr_write_vector(w, constant, dims);
    if (terms & KDR_TERM_MASS) {
        kdr_write_plus(w);
        kdr_write_say(w, "w (");
        kdr_write_vector(w, field->f, dims);
    }
    if (terms & KDR_TERM_STIFFNESS) {
        kdr_write_plus(w);
        kdr_write_coefficients(w, field->kx, dims);
        kdr_write_say(w, " x");
    }
    if (terms & KDR_TERM_DAMPING) {
        kdr_write_plus(w);
        kdr_write_coefficients(w, field->kv, dims);
        kdr_write_say(w, " v");
    }
    if (terms & KDR_TERM_MAGNETIC) {
        kdr_write_plus(w);
        kdr_write_say(w, "v cross ");
        kdr_write_list(w, field->magnetic, 3);
    }
    if (terms & (KDR_TERM_SPRINGS | KDR_TERM_DRAGS)) {
        kdr_write_plus(w);
        kdr_write_say(w, "springs and drags with arrays");
    }
    kdr_write_say(w, (terms & KDR_TERM_MASS) ? ")" : "");
}

static void word_increments(kdr_writer *w) {
    if (w->line->count & KDR_MAP_EACH) {
        kdr_write_say(w, "the increments in ");
        kdr_write_row(w, w->line->out);
        return;
    }
    kdr_write_say(w, "the increments of the motion during ");
    word_span(w);
    kdr_write_say(w, " under ");
    word_affine(w);
}

static void word_skew(kdr_writer *w) { kdr_write_say(w, (w->line->count & 1) ? ", with the magnetic field" : ""); }

/* Writes what is set for particles that were changed, and for held ones. */
static void word_settled(kdr_writer *w) {
    const kdr_instruction *const l = w->line;
    const bool keeps = l->out != KDR_NO_COLUMN, compensated = l->other != KDR_NO_COLUMN;
    if (keeps) {
        kdr_write_row(w, l->out);
        kdr_write_say(w, " = ");
        kdr_write_row(w, l->x);
        kdr_write_say(w, " where hit");
        if (l->number != KDR_NO_COLUMN) {
            kdr_write_say(w, ", ");
            kdr_write_row(w, l->number);
            kdr_write_say(w, " where held");
        }
        kdr_write_say(w, compensated ? "; " : "");
    }
    if (compensated) {
        rows(w, l->other, 2);
        kdr_write_say(w, " = 0 where hit");
        if (l->list != KDR_NO_COLUMN) {
            kdr_write_say(w, ", ");
            rows(w, l->list, 2);
            kdr_write_say(w, " where held");
        }
    }
}

/* Writes the row that a method keeps from step to step. */
static void word_kept(kdr_writer *w) {
    if (w->line->out != KDR_NO_COLUMN) {
        kdr_write_say(w, ", ");
        kdr_write_row(w, w->line->out);
    }
}

static void word_walls(kdr_writer *w) {
    const kdr_problem *const p = w->problem;
    const size_t met = (w->program->terms & KDR_TERM_COLLIDERS) ? p->collider_count : 0;
    kdr_write_put(w, "colliders (%zu) and boundary (%s)", met, kdr_boundary_kind_name(p->boundary.kind));
}

static void word_colliders(kdr_writer *w) { kdr_write_put(w, "colliders (%zu)", w->problem->collider_count); }

/* Writes the compensations of changed particles. */
static void word_forgets(kdr_writer *w) {
    if (w->line->out != KDR_NO_COLUMN) {
        kdr_write_say(w, "; ");
        rows(w, w->line->out, 2);
        kdr_write_say(w, " = 0 where hit");
    }
}

static void word_constraints(kdr_writer *w) { kdr_write_put(w, "constraints (%zu)", w->problem->constraint_count); }

/* Writes how impulses around a rotation are computed. */
static void word_halves(kdr_writer *w) {
    if (w->line->out != KDR_NO_COLUMN) {
        kdr_write_say(w, ", as half of each impulse before ");
        kdr_write_row(w, w->line->out);
        kdr_write_say(w, " and half after it make it");
    }
}

static const kdr_word words[] = {KDR_WORD(out),    KDR_WORD(x),           KDR_WORD(v),          KDR_WORD(other),     KDR_WORD(outs),
                                 KDR_WORD(xs),     KDR_WORD(c0),          KDR_WORD(c1),         KDR_WORD(sum),       KDR_WORD(weighed),
                                 KDR_WORD(angle),  KDR_WORD(amplitude),   KDR_WORD(lost),       KDR_WORD(push),      KDR_WORD(th),
                                 KDR_WORD(span),   KDR_WORD(affine),      KDR_WORD(increments), KDR_WORD(skew),      KDR_WORD(settled),
                                 KDR_WORD(k0),     KDR_WORD(k1),          KDR_WORD(k2),         KDR_WORD(vs),        KDR_WORD(sumx),
                                 KDR_WORD(sumv),   KDR_WORD(held),        KDR_WORD(turned),     KDR_WORD(rounds),    KDR_WORD(kept),
                                 KDR_WORD(gamma),  KDR_WORD(light),       KDR_WORD(walls),      KDR_WORD(k),         KDR_WORD(weighx),
                                 KDR_WORD(weighv), KDR_WORD(constraints), KDR_WORD(halves),     KDR_WORD(colliders), KDR_WORD(forgets)};

static bool find(kdr_writer *w, const kdr_word *list, size_t count, const char *name, size_t length) {
    for (size_t i = 0; i < count; ++i) {
        if (strlen(list[i].name) == length && memcmp(list[i].name, name, length) == 0) {
            list[i].write(w);
            return true;
        }
    }
    return false;
}

static void word(kdr_writer *w, const char *name, size_t length) {
    if (!find(w, words, sizeof words / sizeof words[0], name, length) && !find(w, kdr_field_words, kdr_field_word_count, name, length)) {
        kdr_write_say(w, "?");
    }
}

/* Writes text with words: the text up to each $, then the word after it. */
void kdr_write_words(kdr_writer *w, const char *what) {
    while (*what) {
        char text[128];
        const size_t length = strcspn(what, "$");
        snprintf(text, sizeof text, "%.*s", (int)length, what);
        if (length >= 3 && strcmp(text + length - 3, " + ") == 0) {
            text[length - 3] = '\0';
            kdr_write_say(w, text);
            kdr_write_plus(w);
        } else if (strcmp(text, " += ") == 0) {
            w->adds = true;
        } else {
            kdr_write_say(w, text);
        }
        what += length;
        if (*what == '$') {
            const size_t name = strspn(++what, "abcdefghijklmnopqrstuvwxyz012");
            word(w, what, name);
            what += name;
        }
    }
}

void kdr_write_line(kdr_writer *w) {
    static const char *const what[KDR_OP_COUNT] = {
#define KDR_WHAT(code, name, words) [KDR_OP_##code] = words,
        KDR_CODES(KDR_WHAT)};
    kdr_write_words(w, what[w->line->code]);
    w->plus = false;
}
