/* Words for a field's terms, part of the table in words.c. */
#include "../force/custom.h"
#include "writer.h"

static bool is_stage(const kdr_writer *w) {
    const int form = kdr_form_of(w->line->code);
    return form == KDR_FORM_STAGE || form == KDR_FORM_LAST;
}

/* Returns whether the instruction is a sum with terms that are not affine. */
static bool is_sum(const kdr_writer *w) { return w->line->code >= KDR_OP_FIELD_MAGNETIC && w->line->code <= KDR_OP_FIELD; }

/* Returns an entry of a sum: the index of a term's numbers, or a count. An instruction with one term has `alone`. */
static unsigned term(const kdr_writer *w, int entry, unsigned alone) {
    return is_sum(w) ? w->program->list[(is_stage(w) ? kdr_word_listed(w, 1) : w->line->number) + (unsigned)entry] : alone;
}

static unsigned affine_numbers(const kdr_writer *w) {
    return term(w, KDR_SUM_AFFINE_NUMBER, is_stage(w) ? kdr_word_listed(w, 1) : w->line->number);
}

/* Affine terms alone have four codes per form, in the order of their masks. */
static unsigned mask(const kdr_writer *w) {
    const int code = w->line->code;
    const unsigned kind = code >= KDR_OP_MASS ? KDR_SUM_MASS : code >= KDR_OP_FORCE ? KDR_SUM_FORCE : 0;
    return term(w, KDR_SUM_MASK, (unsigned)(code - KDR_OP_BASE) % 4 | kind);
}

/* Writes the place where a field is evaluated, minus a vector: a row, or what a stage computes from it. Brackets are left out if the
 * caller writes `|`. */
static void difference(kdr_writer *w, bool of_x, const double *from, bool brackets) {
    const int dims = w->program->dims;
    const bool is_zero = kdr_is_zero(from, dims), is_place = of_x && is_stage(w);
    kdr_write_say(w, brackets && (!is_zero || is_place) ? "(" : "");
    kdr_write_row(w, of_x ? w->line->x : is_stage(w) ? kdr_word_listed(w, 0) : w->line->v);
    kdr_write_words(w, is_place ? " + $sumx" : "");
    if (!is_zero) {
        kdr_write_say(w, " - ");
        kdr_write_vector(w, from, dims);
    }
    kdr_write_say(w, brackets && (!is_zero || is_place) ? ")" : "");
}

/* Writes the base value's time. Before the first step it is the start of the run. */
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
    kdr_write_vector(w, kdr_word_numbers(w, affine_numbers(w), w->program->dims, f), w->program->dims);
}

static void word_kx(kdr_writer *w) {
    double k[3] = {0};
    kdr_write_coefficients(w, kdr_word_numbers(w, affine_numbers(w) + (unsigned)w->program->dims, w->program->dims, k), w->program->dims);
}

static void word_kv(kdr_writer *w) {
    double k[3] = {0};
    kdr_write_coefficients(w, kdr_word_numbers(w, affine_numbers(w) + 2U * (unsigned)w->program->dims, w->program->dims, k),
                           w->program->dims);
}

static void word_m(kdr_writer *w) {
    double m[3] = {0};
    kdr_write_list(w, kdr_word_numbers(w, term(w, KDR_SUM_MAGNETIC_NUMBER, w->line->number), 3, m), 3);
}

static void anchor(kdr_writer *w, const uint16_t *each, const double *at) {
    const int dims = w->program->dims;
    kdr_write_say(w, dims > 1 ? "(" : "");
    for (int i = 0; i < dims; ++i) {
        kdr_write_say(w, i > 0 ? ", " : "");
        if (each[i] != KDR_NO_COLUMN) {
            kdr_write_row(w, each[i]);
        } else {
            kdr_write_value(w, at[i]);
        }
    }
    kdr_write_say(w, dims > 1 ? ")" : "");
}

/* Separates two terms of a list. */
static void next_term(kdr_writer *w, int index) {
    if (is_sum(w)) {
        kdr_write_plus(w);
    } else if (index > 0) {
        kdr_write_say(w, "; ");
        kdr_write_row(w, w->line->out);
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
            kdr_write_row(w, each[0]);
        } else {
            kdr_write_coefficients(w, kdr_word_numbers(w, first, w->program->dims, k), w->program->dims);
        }
        kdr_write_say(w, " (");
        anchor(w, each + 1, kdr_word_numbers(w, first + 3, 3, at));
        kdr_write_say(w, " - ");
        kdr_write_row(w, w->line->x);
        kdr_write_say(w, ")");
    }
}

static void word_drags(kdr_writer *w) {
    for (int d = 0; d < w->line->count; ++d) {
        double wind[3] = {0};
        next_term(w, d);
        kdr_write_row(w, w->program->list[w->line->list + d]);
        kdr_write_say(w, " (");
        kdr_write_vector(w, kdr_word_numbers(w, (unsigned)(w->line->number + 3 * d), 3, wind), w->program->dims);
        kdr_write_say(w, " - ");
        kdr_write_row(w, w->line->v);
        kdr_write_say(w, ")");
    }
}

static void word_quadratics(kdr_writer *w) {
    const int count = (int)term(w, KDR_SUM_QUADRATICS, w->line->count);
    for (int q = 0; q < count; ++q) {
        double wind[3] = {0};
        const unsigned first = term(w, KDR_SUM_QUADRATIC_NUMBER, w->line->number) + 4U * (unsigned)q;
        kdr_word_numbers(w, first + 1, 3, wind);
        next_term(w, q);
        kdr_write_number(w, first);
        kdr_write_say(w, " |");
        difference(w, false, wind, false);
        kdr_write_say(w, "| ");
        difference(w, false, wind, true);
    }
}

static void word_centres(kdr_writer *w) {
    const int count = (int)term(w, KDR_SUM_CENTRES, w->line->count);
    for (int s = 0; s < count; ++s) {
        double at[3] = {0}, softening2[1] = {0};
        const unsigned first = term(w, KDR_SUM_CENTRE_NUMBER, w->line->number) + 5U * (unsigned)s;
        kdr_word_numbers(w, first + 1, 1, softening2);
        kdr_word_numbers(w, first + 2, 3, at);
        next_term(w, s);
        kdr_write_number(w, first);
        kdr_write_say(w, " ");
        difference(w, true, at, true);
        kdr_write_say(w, softening2[0] != 0 ? " / (|" : " / |");
        difference(w, true, at, false);
        if (softening2[0] != 0) {
            kdr_write_say(w, "|^2 + ");
            kdr_write_value(w, softening2[0]);
            kdr_write_say(w, ")^(3/2)");
        } else {
            kdr_write_say(w, "|^3");
        }
    }
}

static const double nowhere[3] = {0};
static void word_place(kdr_writer *w) { difference(w, true, nowhere, true); }
static void word_speed(kdr_writer *w) { difference(w, false, nowhere, true); }

static void word_field(kdr_writer *w) {
    const unsigned terms = mask(w);
    kdr_write_words(w, terms & KDR_SUM_MASS ? "$base + $other ($f" : terms & KDR_SUM_FORCE ? "$f" : "$base");
    kdr_write_words(w, terms & KDR_TERM_STIFFNESS ? " + $kx $place" : "");
    kdr_write_words(w, terms & KDR_TERM_DAMPING ? " + $kv $speed" : "");
    kdr_write_words(w, terms & KDR_SUM_MAGNETIC ? " + $speed cross $m" : "");
    kdr_write_words(w, is_sum(w) ? "$quadratics" : "");
    kdr_write_words(w, terms & KDR_SUM_MASS ? ")" : "");
    kdr_write_words(w, is_sum(w) ? "$centres" : "");
}

static void word_custom(kdr_writer *w) {
    const kdr_custom_field_entry *const entry = &w->problem->field.custom_entry[w->line->count];
    kdr_write_say(w, entry->field->name);
    kdr_write_say(w, "(");
    for (int n = 0; n < entry->field->parameter_count; ++n) {
        kdr_write_say(w, entry->field->parameter_name[n]);
        kdr_write_say(w, " = ");
        if (entry->each[n] >= 0) {
            kdr_write_row(w, w->program->list[w->line->list + entry->each[n]]);
        } else {
            kdr_write_value(w, entry->parameter[n]);
        }
        kdr_write_say(w, ", ");
    }
    kdr_write_row(w, w->line->x);
    if (entry->field->flags & KDR_CUSTOM_FIELD_MAGNETIC) {
        kdr_write_say(w, w->line->v != KDR_NO_COLUMN ? "); its magnetic field is added to " : ")");
    } else {
        kdr_write_say(w, ", ");
    }
    if (w->line->v != KDR_NO_COLUMN) {
        kdr_write_row(w, w->line->v);
    }
    kdr_write_say(w, (entry->field->flags & KDR_CUSTOM_FIELD_MAGNETIC) ? "" : ")");
}

const kdr_word kdr_field_words[] = {KDR_WORD(base),    KDR_WORD(f),     KDR_WORD(kx),         KDR_WORD(kv),      KDR_WORD(m),
                                    KDR_WORD(springs), KDR_WORD(drags), KDR_WORD(quadratics), KDR_WORD(centres), KDR_WORD(place),
                                    KDR_WORD(speed),   KDR_WORD(field), KDR_WORD(custom)};
const size_t kdr_field_word_count = sizeof kdr_field_words / sizeof kdr_field_words[0];
