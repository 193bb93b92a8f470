/* The words of the operations, which operation.h has, filled in for a line of a program.
 *
 * What follows a $ in the words is a row of the table below: a function that writes what the line has in that place. */
#include <stdio.h>
#include <string.h>

#include "../force/custom.h"
#include "writer.h"

/* Numbers of the program, as values. */
static const double *numbers(const kdr_writer *w, unsigned first, int count, double *to) {
    for (int i = 0; i < count; ++i) {
        const kdr_number *const n = &w->program->number[first + (unsigned)i];
        to[i] = n->value / n->divisor * n->length;
    }
    return to;
}

static void number(kdr_writer *w, unsigned index) {
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

static void row(kdr_writer *w, unsigned column) {
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

/* `count` rows, one behind the other. */
static void rows(kdr_writer *w, unsigned column, int count) {
    for (int i = 0; i < count; ++i) {
        kdr_write_say(w, i > 0 ? ", " : "");
        row(w, column + (unsigned)(i * w->program->dims));
    }
}

/* Row minus vector, in brackets unless they are those of `|`. */
static void difference(kdr_writer *w, unsigned column, const double *from, bool brackets) {
    const int dims = w->program->dims;
    const bool is_row = kdr_is_zero(from, dims);
    kdr_write_say(w, brackets && !is_row ? "(" : "");
    row(w, column);
    if (!is_row) {
        kdr_write_say(w, " - ");
        kdr_write_vector(w, from, dims);
        kdr_write_say(w, brackets ? ")" : "");
    }
}

/* The line is one of the four masks of an operation on the affine terms. */
static bool is_masked(const kdr_writer *w, int code) { return w->line->code >= code && w->line->code < code + 4; }

static bool is_stage(const kdr_writer *w) { return is_masked(w, KDR_OP_BASE_STAGE) || is_masked(w, KDR_OP_MASS_STAGE); }

static bool is_beside(const kdr_writer *w) {
    return is_masked(w, KDR_OP_BASE_CENTRES) || is_masked(w, KDR_OP_MASS_CENTRES) || is_masked(w, KDR_OP_BASE_QUADRATIC);
}

/* Entry `index` of a merged line's list (merge.c). */
static unsigned listed(const kdr_writer *w, int index) { return w->program->list[w->line->list + index]; }

/* Where the numbers of the affine terms begin; and those of centres and quadratic drags. */
static unsigned affine_numbers(const kdr_writer *w) { return is_stage(w) ? listed(w, 1) : w->line->number; }
static unsigned term_numbers(const kdr_writer *w) { return is_beside(w) ? listed(w, 0) : w->line->number; }

/* The words. */

static void word_k0(kdr_writer *w) { number(w, listed(w, 0)); }
static void word_k1(kdr_writer *w) { number(w, listed(w, 0) + 1); }
static void word_k2(kdr_writer *w) { number(w, listed(w, 1)); }
static void word_vs(kdr_writer *w) { row(w, listed(w, 0)); }

static void sum_of_list(kdr_writer *w, int first) {
    for (int j = 0; j < w->line->count; ++j) {
        if (j > 0) {
            kdr_write_plus(w);
        }
        number(w, (unsigned)(w->line->number + j));
        kdr_write_say(w, " ");
        row(w, listed(w, first + j));
    }
}

static void word_sumx(kdr_writer *w) { sum_of_list(w, 2); }
static void word_sumv(kdr_writer *w) { sum_of_list(w, 2 + w->line->count); }

static void word_out(kdr_writer *w) { row(w, w->line->out); }
static void word_x(kdr_writer *w) { row(w, w->line->x); }
static void word_v(kdr_writer *w) { row(w, w->line->v); }
static void word_other(kdr_writer *w) { row(w, w->line->other); }
static void word_outs(kdr_writer *w) { rows(w, w->line->out, w->line->count); }
static void word_xs(kdr_writer *w) { rows(w, w->line->x, w->line->count); }
static void word_c0(kdr_writer *w) { number(w, w->line->number); }
static void word_c1(kdr_writer *w) { number(w, w->line->number + 1U); }

/* An estimate's other row marks who is held. */
static void word_held(kdr_writer *w) { kdr_write_say(w, w->line->other != KDR_NO_COLUMN ? ", unless held" : ""); }

static void word_sum(kdr_writer *w) { sum_of_list(w, 0); }

/* Slopes of equal ratio are one bracket, unless the sum begins with them and the ratio is 1. The ratios of WEIGH_ADVANCE stand behind its
 * c0. */
static void word_weighed(kdr_writer *w) {
    const uint16_t *const slope = w->program->list + w->line->list;
    const int first = w->line->number + (w->line->code == KDR_OP_WEIGH_ADVANCE);
    for (int j = 0, end = 0; j < w->line->count; j = end + 1) {
        for (end = j; !(slope[end] & KDR_ENDS);) {
            ++end;
        }
        if (j > 0) {
            kdr_write_plus(w);
        }
        number(w, (unsigned)(first + end));
        const bool brackets = end > j && !(j == 0 && w->one);
        kdr_write_say(w, brackets ? " (" : " ");
        for (int i = j; i <= end; ++i) {
            if (i > j) {
                kdr_write_plus(w);
            }
            row(w, slope[i] & KDR_NO_COLUMN);
        }
        kdr_write_say(w, brackets ? ")" : "");
    }
}

/* The time of an evaluation: the start of the run for lines before the first step. */
static void word_base(kdr_writer *w) {
    const kdr_program *const p = w->program;
    if (w->line->evaluation == KDR_NO_BASE) {
        w->zero = true;
    } else if (p->terms & KDR_TERM_DRIVEN) {
        double fraction[KDR_MAX_FRACTIONS] = {0};
        w->problem->row->family->times(w->problem->row, fraction);
        const double at = w->line < p->line + p->end[KDR_BEFORE] ? 0 : fraction[w->line->evaluation];
        kdr_write_say(w, "base(t");
        if (at != 0) {
            kdr_write_plus(w);
            kdr_write_steps(w, at, "h");
        }
        kdr_write_say(w, ")");
    } else {
        double base[3] = {0};
        kdr_field_base(&w->problem->field, p->terms, 0, base);
        kdr_write_vector(w, base, p->dims);
    }
}

static void word_f(kdr_writer *w) {
    double f[3] = {0};
    kdr_write_vector(w, numbers(w, affine_numbers(w), w->program->dims, f), w->program->dims);
}

static void word_kx(kdr_writer *w) {
    double k[3] = {0};
    kdr_write_coefficients(w, numbers(w, affine_numbers(w) + (unsigned)w->program->dims, w->program->dims, k), w->program->dims);
}

static void word_kv(kdr_writer *w) {
    double k[3] = {0};
    kdr_write_coefficients(w, numbers(w, affine_numbers(w) + 2U * (unsigned)w->program->dims, w->program->dims, k), w->program->dims);
}

static void word_m(kdr_writer *w) {
    double m[3] = {0};
    kdr_write_list(w, numbers(w, w->line->number, 3, m), 3);
}

static void anchor(kdr_writer *w, const uint16_t *each, const double *at) {
    const int dims = w->program->dims;
    kdr_write_say(w, dims > 1 ? "(" : "");
    for (int i = 0; i < dims; ++i) {
        kdr_write_say(w, i > 0 ? ", " : "");
        if (each[i] != KDR_NO_COLUMN) {
            row(w, each[i]);
        } else {
            kdr_write_value(w, at[i]);
        }
    }
    kdr_write_say(w, dims > 1 ? ")" : "");
}

/* The terms of a list are added one after the other. */
static void next_term(kdr_writer *w, int index) {
    if (index > 0) {
        kdr_write_say(w, "; ");
        row(w, w->line->out);
        w->adds = true;
    }
}

static void word_springs(kdr_writer *w) {
    for (int s = 0; s < w->line->count; ++s) {
        const uint16_t *const each = w->program->list + w->line->list + 4 * s;
        const unsigned first = (unsigned)(w->line->number + 6 * s);
        double k[3] = {0}, at[3] = {0};
        next_term(w, s);
        if (each[0] != KDR_NO_COLUMN) {
            row(w, each[0]);
        } else {
            kdr_write_coefficients(w, numbers(w, first, w->program->dims, k), w->program->dims);
        }
        kdr_write_say(w, " (");
        anchor(w, each + 1, numbers(w, first + 3, 3, at));
        kdr_write_say(w, " - ");
        row(w, w->line->x);
        kdr_write_say(w, ")");
    }
}

static void word_drags(kdr_writer *w) {
    for (int d = 0; d < w->line->count; ++d) {
        double wind[3] = {0};
        next_term(w, d);
        row(w, w->program->list[w->line->list + d]);
        kdr_write_say(w, " (");
        kdr_write_vector(w, numbers(w, (unsigned)(w->line->number + 3 * d), 3, wind), w->program->dims);
        kdr_write_say(w, " - ");
        row(w, w->line->v);
        kdr_write_say(w, ")");
    }
}

static void word_quadratics(kdr_writer *w) {
    for (int q = 0; q < w->line->count; ++q) {
        double wind[3] = {0};
        const unsigned first = term_numbers(w) + 4U * (unsigned)q;
        numbers(w, first + 1, 3, wind);
        next_term(w, q);
        number(w, first);
        kdr_write_say(w, " |");
        difference(w, w->line->v, wind, false);
        kdr_write_say(w, "| ");
        difference(w, w->line->v, wind, true);
    }
}

static void word_centres(kdr_writer *w) {
    for (int s = 0; s < w->line->count; ++s) {
        double at[3] = {0}, softening2[1] = {0};
        const unsigned first = term_numbers(w) + 5U * (unsigned)s;
        numbers(w, first + 1, 1, softening2);
        numbers(w, first + 2, 3, at);
        next_term(w, s);
        number(w, first);
        kdr_write_say(w, " ");
        difference(w, w->line->x, at, true);
        kdr_write_say(w, softening2[0] != 0 ? " / (|" : " / |");
        difference(w, w->line->x, at, false);
        if (softening2[0] != 0) {
            kdr_write_say(w, "|^2 + ");
            kdr_write_value(w, softening2[0]);
            kdr_write_say(w, ")^(3/2)");
        } else {
            kdr_write_say(w, "|^3");
        }
    }
}

static void word_custom(kdr_writer *w) {
    const kdr_custom_field_entry *const entry = &w->problem->field.custom_entry[w->line->count];
    kdr_write_say(w, entry->field->name);
    kdr_write_say(w, "(");
    for (int n = 0; n < entry->field->parameter_count; ++n) {
        kdr_write_say(w, entry->field->parameter_name[n]);
        kdr_write_say(w, " = ");
        if (entry->each[n] >= 0) {
            row(w, w->program->list[w->line->list + entry->each[n]]);
        } else {
            kdr_write_value(w, entry->parameter[n]);
        }
        kdr_write_say(w, ", ");
    }
    row(w, w->line->x);
    if (entry->field->flags & KDR_CUSTOM_FIELD_MAGNETIC) {
        kdr_write_say(w, w->line->v != KDR_NO_COLUMN ? "); its magnetic field is added to " : ")");
    } else {
        kdr_write_say(w, ", ");
    }
    if (w->line->v != KDR_NO_COLUMN) {
        row(w, w->line->v);
    }
    kdr_write_say(w, (entry->field->flags & KDR_CUSTOM_FIELD_MAGNETIC) ? "" : ")");
}

static void word_angle(kdr_writer *w) {
    double tangent[3] = {0};
    if (w->line->count >= KDR_TURN_FIELD) {
        kdr_write_say(w, "twice the arctangent of 0.5 h ");
        row(w, w->line->x);
        kdr_write_say(w, w->line->count == KDR_TURN_HALF ? ", and of that the half" : "");
        return;
    }
    kdr_write_say(w, w->line->count ? "twice the arctangent of w " : "twice the arctangent of ");
    kdr_write_list(w, numbers(w, w->line->number, 3, tangent), 3);
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

static void word_push(kdr_writer *w) {
    kdr_write_say(w, "what the driven fields add to ");
    row(w, w->line->out);
    kdr_write_say(w, " in a step");
}

static void word_th(kdr_writer *w) { kdr_write_steps(w, w->problem->row->data.implicit->c, "h"); }

static void word_rounds(kdr_writer *w) { kdr_write_value(w, KDR_NEWTON_ITERATIONS); }

static void word_span(kdr_writer *w) { kdr_write_steps(w, w->problem->row->data.kinematic->span, "h"); }

/* The affine terms of the field, whose motion is a map. */
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
        row(w, w->line->out);
        return;
    }
    kdr_write_say(w, "the increments of the motion during ");
    word_span(w);
    kdr_write_say(w, " under ");
    word_affine(w);
}

static void word_skew(kdr_writer *w) { kdr_write_say(w, (w->line->count & 1) ? ", with the magnetic field" : ""); }

/* Where a particle was changed, and where it is held. */
static void word_settled(kdr_writer *w) {
    const kdr_instruction *const l = w->line;
    const bool keeps = l->out != KDR_NO_COLUMN, compensated = l->other != KDR_NO_COLUMN;
    if (keeps) {
        row(w, l->out);
        kdr_write_say(w, " = ");
        row(w, l->x);
        kdr_write_say(w, " where hit");
        if (l->number != KDR_NO_COLUMN) {
            kdr_write_say(w, ", ");
            row(w, l->number);
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

/* What a method keeps from step to step. */
static void word_kept(kdr_writer *w) {
    if (w->line->out != KDR_NO_COLUMN) {
        kdr_write_say(w, ", ");
        row(w, w->line->out);
    }
}

static void word_walls(kdr_writer *w) {
    const kdr_problem *const p = w->problem;
    kdr_write_put(w, "constraints (%zu), colliders (%zu) and boundary (%s)", p->constraint_count, p->collider_count,
                  kdr_boundary_kind_name(p->boundary.kind));
}

#define WORD(name) {#name, word_##name}
static const struct {
    const char *name;
    void (*write)(kdr_writer *w);
} words[] = {WORD(out),       WORD(x),       WORD(v),       WORD(other),      WORD(outs),   WORD(xs),      WORD(c0),
             WORD(c1),        WORD(sum),     WORD(weighed), WORD(base),       WORD(f),      WORD(kx),      WORD(kv),
             WORD(m),         WORD(springs), WORD(drags),   WORD(quadratics), WORD(custom), WORD(centres), WORD(angle),
             WORD(amplitude), WORD(lost),    WORD(push),    WORD(th),         WORD(span),   WORD(affine),  WORD(increments),
             WORD(skew),      WORD(settled), WORD(k0),      WORD(k1),         WORD(k2),     WORD(vs),      WORD(sumx),
             WORD(sumv),      WORD(held),    WORD(rounds),  WORD(kept),       WORD(gamma),  WORD(light),   WORD(walls)};

static void word(kdr_writer *w, const char *name, size_t length) {
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strlen(words[i].name) == length && memcmp(words[i].name, name, length) == 0) {
            words[i].write(w);
            return;
        }
    }
    kdr_write_say(w, "?");
}

/* Text up to the next $, and the word behind it. */
static void expand(kdr_writer *w, const char *what) {
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
        KDR_OPERATIONS(KDR_WHAT)};
    expand(w, what[w->line->code]);
    w->plus = false;
}
