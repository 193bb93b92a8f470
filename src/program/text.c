/* Programs as text.
 *
 * Every operation has its words in operation.h. What follows a $ there is a row of the table `words` below: a function that writes what the line
 * has in that place. Sums are written as people write them: "+ -2 x" as "- 2 x", "a += -x" as "a -= x", "0 + x" as "x", "1 x" as "x". */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../force/fused.h"
#include "program.h"

typedef struct writer {
    char *text;
    size_t size, length; /* what has room; what has been written, whether it had room or not */
    bool plus, adds;     /* " + " or " += " waits for what comes behind it, which may be negative */
    bool zero;           /* "0" waits: it is left out when a sum goes on */
    bool one;            /* a factor 1 was left out, and so is the space behind it */
    const kdr_program *program;
    const kdr_problem *problem;
    const kdr_instruction *line;
} writer;

static __attribute__((__format__(__printf__, 2, 3))) void put(writer *w, const char *format, ...) {
    const size_t at = w->length < w->size ? w->length : w->size;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(at < w->size ? w->text + at : NULL, w->size - at, format, arguments);
    va_end(arguments);
    w->length += length > 0 ? (size_t)length : 0;
}

/* Writes what waits. */
static void settle(writer *w) {
    const char *const waits = w->plus ? " + " : w->adds ? " += " : "";
    const bool zero = w->zero;
    w->plus = w->adds = w->zero = w->one = false;
    put(w, "%s%s", waits, zero ? "0" : "");
}

static void say(writer *w, const char *text) {
    if (w->one && *text == ' ') {
        ++text;
    }
    w->one = false;
    if (*text) {
        settle(w);
        put(w, "%s", text);
    }
}

/* The sum goes on. */
static void plus(writer *w) {
    w->plus = !w->zero;
    w->zero = false;
}

/* The shortest decimal that is the number, or a ratio where that is long and there is one. */
static void value(writer *w, double v) {
    enum { SHORT = 8, MOST = 1000 };
    char text[40];
    for (int digits = 1; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v) {
            break;
        }
    }
    for (int below = 3; below <= MOST && strlen(text) > SHORT; ++below) {
        const double above = nearbyint(v * below);
        if (above != 0 && fabs(above) <= MOST * 10.0 && above / below == v) {
            snprintf(text, sizeof text, "%.0f/%d", above, below);
        }
    }
    settle(w);
    put(w, "%s", text);
}

/* What multiplies what comes next. */
static void coefficient(writer *w, double v) {
    if (v < 0 && (w->plus || w->adds)) {
        put(w, w->plus ? " - " : " -= ");
        w->plus = w->adds = false;
        v = -v;
    }
    settle(w);
    if (v == 1 || v == -1) {
        put(w, v < 0 ? "-" : "");
        w->one = true;
    } else {
        value(w, v);
    }
}

static void list(writer *w, const double *v, int count) {
    settle(w);
    put(w, "(");
    for (int i = 0; i < count; ++i) {
        put(w, i > 0 ? ", " : "");
        value(w, v[i]);
    }
    put(w, ")");
}

static bool is_zero(const double *v, int count) {
    for (int i = 0; i < count; ++i) {
        if (v[i] != 0) {
            return false;
        }
    }
    return true;
}

static void vector(writer *w, const double *v, int count) {
    if (is_zero(v, count)) {
        settle(w);
        w->zero = true;
    } else if (count == 1) {
        value(w, v[0]);
    } else {
        list(w, v, count);
    }
}

/* One number where all axes have the same. */
static void coefficients(writer *w, const double *v, int count) {
    bool same = true;
    for (int i = 1; i < count; ++i) {
        same = same && v[i] == v[0];
    }
    if (same) {
        coefficient(w, v[0]);
    } else {
        list(w, v, count);
    }
}

/* Numbers of the program, as values. */
static const double *numbers(const writer *w, unsigned first, int count, double *to) {
    for (int i = 0; i < count; ++i) {
        to[i] = w->program->number[first + (unsigned)i].value / w->program->number[first + (unsigned)i].divisor;
    }
    return to;
}

static void steps(writer *w, double fraction, const char *of) {
    coefficient(w, fraction);
    say(w, " ");
    say(w, of);
}

static void number(writer *w, unsigned index) {
    static const char *const of_step[] = {[KDR_NUMBER_STEP] = "h", [KDR_NUMBER_SQUARE] = "h^2"};
    const kdr_number *const n = &w->program->number[index];
    if (n->kind == KDR_NUMBER_CONSTANT) {
        coefficient(w, n->value);
    } else if (n->kind == KDR_NUMBER_DECAY) {
        say(w, "(exp(");
        steps(w, -w->problem->langevin.friction, "h");
        say(w, ") - 1)");
    } else {
        steps(w, n->value / n->divisor, of_step[n->kind]);
    }
}

static void row(writer *w, unsigned column) {
    const kdr_row_name *name = w->program->name;
    while (name < w->program->name + w->program->name_count && name->column != column) {
        ++name;
    }
    const bool is_known = name < w->program->name + w->program->name_count;
    say(w, is_known ? name->name : "?");
    if (is_known && name->number > 0) {
        put(w, "%d", name->number);
    }
}

/* `count` rows, one behind the other. */
static void rows(writer *w, unsigned column, int count) {
    for (int i = 0; i < count; ++i) {
        say(w, i > 0 ? ", " : "");
        row(w, column + (unsigned)(i * w->program->dims));
    }
}

/* Row minus vector, in brackets unless they are those of `|`. */
static void difference(writer *w, unsigned column, const double *from, bool brackets) {
    const int dims = w->program->dims;
    const bool is_row = is_zero(from, dims);
    say(w, brackets && !is_row ? "(" : "");
    row(w, column);
    if (!is_row) {
        say(w, " - ");
        vector(w, from, dims);
        say(w, brackets ? ")" : "");
    }
}

/* The words. */

static void word_out(writer *w) { row(w, w->line->out); }
static void word_x(writer *w) { row(w, w->line->x); }
static void word_v(writer *w) { row(w, w->line->v); }
static void word_other(writer *w) { row(w, w->line->other); }
static void word_outs(writer *w) { rows(w, w->line->out, w->line->count); }
static void word_xs(writer *w) { rows(w, w->line->x, w->line->count); }
static void word_c0(writer *w) { number(w, w->line->number); }
static void word_c1(writer *w) { number(w, w->line->number + 1U); }

static void word_sum(writer *w) {
    for (int j = 0; j < w->line->count; ++j) {
        if (j > 0) {
            plus(w);
        }
        number(w, (unsigned)(w->line->number + j));
        say(w, " ");
        row(w, w->program->list[w->line->list + j]);
    }
}

/* Slopes of equal ratio are one bracket. The ratios of WEIGH_ADVANCE stand behind its c0. */
static void word_weighed(writer *w) {
    const uint16_t *const slope = w->program->list + w->line->list;
    const int first = w->line->number + (w->line->code == KDR_OP_WEIGH_ADVANCE);
    for (int j = 0, end = 0; j < w->line->count; j = end + 1) {
        for (end = j; !(slope[end] & KDR_ENDS);) {
            ++end;
        }
        if (j > 0) {
            plus(w);
        }
        number(w, (unsigned)(first + end));
        say(w, end > j ? " (" : " ");
        for (int i = j; i <= end; ++i) {
            if (i > j) {
                plus(w);
            }
            row(w, slope[i] & KDR_NO_COLUMN);
        }
        say(w, end > j ? ")" : "");
    }
}

/* The time of an evaluation: the start of the run for lines before the first step. */
static void word_base(writer *w) {
    const kdr_program *const p = w->program;
    if (w->line->evaluation == KDR_NO_BASE) {
        w->zero = true;
    } else if (p->terms & KDR_TERM_DRIVEN) {
        double fraction[KDR_MAX_FRACTIONS] = {0};
        kdr_row_times(w->problem->row, fraction);
        const double at = w->line < p->line + p->end[KDR_BEFORE] ? 0 : fraction[w->line->evaluation];
        say(w, "base(t");
        if (at != 0) {
            plus(w);
            steps(w, at, "h");
        }
        say(w, ")");
    } else {
        double base[3];
        kdr_field_base(&w->problem->field, p->terms, 0, base);
        vector(w, base, p->dims);
    }
}

static void word_f(writer *w) {
    double f[3];
    vector(w, numbers(w, w->line->number, w->program->dims, f), w->program->dims);
}

static void word_kx(writer *w) {
    double k[3];
    coefficients(w, numbers(w, (unsigned)(w->line->number + w->program->dims), w->program->dims, k), w->program->dims);
}

static void word_kv(writer *w) {
    double k[3];
    coefficients(w, numbers(w, (unsigned)(w->line->number + 2 * w->program->dims), w->program->dims, k), w->program->dims);
}

static void word_m(writer *w) {
    double m[3];
    list(w, numbers(w, w->line->number, 3, m), 3);
}

static void anchor(writer *w, const uint16_t *each, const double *at) {
    const int dims = w->program->dims;
    say(w, dims > 1 ? "(" : "");
    for (int i = 0; i < dims; ++i) {
        say(w, i > 0 ? ", " : "");
        if (each[i] != KDR_NO_COLUMN) {
            row(w, each[i]);
        } else {
            value(w, at[i]);
        }
    }
    say(w, dims > 1 ? ")" : "");
}

/* The terms of a list are added one after the other. */
static void next_term(writer *w, int index) {
    if (index > 0) {
        say(w, "; ");
        row(w, w->line->out);
        w->adds = true;
    }
}

static void word_springs(writer *w) {
    for (int s = 0; s < w->line->count; ++s) {
        const uint16_t *const each = w->program->list + w->line->list + 4 * s;
        const unsigned first = (unsigned)(w->line->number + 6 * s);
        double k[3], at[3];
        next_term(w, s);
        if (each[0] != KDR_NO_COLUMN) {
            row(w, each[0]);
        } else {
            coefficients(w, numbers(w, first, w->program->dims, k), w->program->dims);
        }
        say(w, " (");
        anchor(w, each + 1, numbers(w, first + 3, 3, at));
        say(w, " - ");
        row(w, w->line->x);
        say(w, ")");
    }
}

static void word_drags(writer *w) {
    for (int d = 0; d < w->line->count; ++d) {
        double wind[3];
        next_term(w, d);
        row(w, w->program->list[w->line->list + d]);
        say(w, " (");
        vector(w, numbers(w, (unsigned)(w->line->number + 3 * d), 3, wind), w->program->dims);
        say(w, " - ");
        row(w, w->line->v);
        say(w, ")");
    }
}

static void word_quadratics(writer *w) {
    for (int q = 0; q < w->line->count; ++q) {
        double wind[3];
        const unsigned first = (unsigned)(w->line->number + 4 * q);
        numbers(w, first + 1, 3, wind);
        next_term(w, q);
        number(w, first);
        say(w, " |");
        difference(w, w->line->v, wind, false);
        say(w, "| ");
        difference(w, w->line->v, wind, true);
    }
}

static void word_centres(writer *w) {
    for (int s = 0; s < w->line->count; ++s) {
        double at[3], softening2[1];
        const unsigned first = (unsigned)(w->line->number + 5 * s);
        numbers(w, first + 1, 1, softening2);
        numbers(w, first + 2, 3, at);
        next_term(w, s);
        number(w, first);
        say(w, " ");
        difference(w, w->line->x, at, true);
        say(w, softening2[0] != 0 ? " / (|" : " / |");
        difference(w, w->line->x, at, false);
        if (softening2[0] != 0) {
            say(w, "|^2 + ");
            value(w, softening2[0]);
            say(w, ")^(3/2)");
        } else {
            say(w, "|^3");
        }
    }
}

static void word_custom(writer *w) {
    const kdr_field *const field = &w->problem->field;
    for (int e = 0; e < w->line->count; ++e) {
        const kdr_fused_entry *const entry = &field->fused_entry[e];
        next_term(w, e);
        say(w, field->fused->name);
        say(w, "(");
        for (int n = 0; n < field->fused->parameter_count; ++n) {
            say(w, field->fused->parameter_name[n]);
            say(w, " = ");
            if (entry->each[n] >= 0) {
                row(w, w->program->list[w->line->list + entry->each[n]]);
            } else {
                value(w, entry->parameter[n]);
            }
            say(w, ", ");
        }
        row(w, w->line->x);
        say(w, ", ");
        row(w, w->line->v);
        say(w, ")");
    }
}

static void word_angle(writer *w) {
    double tangent[3];
    say(w, w->line->count ? "twice the arctangent of w " : "twice the arctangent of ");
    list(w, numbers(w, w->line->number, 3, tangent), 3);
    say(w, " h");
}

static void word_amplitude(writer *w) {
    say(w, "sqrt(");
    value(w, w->problem->langevin.temperature);
    say(w, w->line->count ? " w (1 - exp(" : " (1 - exp(");
    steps(w, -2 * w->problem->langevin.friction, "h");
    say(w, ")))");
}

static void word_lost(writer *w) {
    if (w->program->terms & KDR_TERM_COMPENSATED) {
        say(w, ", what is lost into ");
        rows(w, w->line->other, w->line->code == KDR_OP_MAP ? 2 : 1);
    }
}

static void word_push(writer *w) {
    say(w, "what the driven fields add to ");
    row(w, w->line->out);
    say(w, " in a step");
}

static void word_th(writer *w) { steps(w, w->problem->row->data.implicit->c, "h"); }

static void word_span(writer *w) { steps(w, w->problem->row->data.kinematic->span, "h"); }

/* The affine terms of the field, whose motion is a map. */
static void word_affine(writer *w) {
    const kdr_field *const field = &w->problem->field;
    const unsigned terms = w->program->terms;
    const int dims = w->program->dims;
    double constant[3];
    for (int i = 0; i < 3; ++i) {
        constant[i] = field->g[i] + ((terms & KDR_TERM_MASS) ? 0 : field->f[i]);
    }
    say(w, "a = ");
    vector(w, constant, dims);
    if (terms & KDR_TERM_MASS) {
        plus(w);
        say(w, "w (");
        vector(w, field->f, dims);
    }
    if (terms & KDR_TERM_STIFFNESS) {
        plus(w);
        coefficients(w, field->kx, dims);
        say(w, " x");
    }
    if (terms & KDR_TERM_DAMPING) {
        plus(w);
        coefficients(w, field->kv, dims);
        say(w, " v");
    }
    if (terms & KDR_TERM_MAGNETIC) {
        plus(w);
        say(w, "v cross ");
        list(w, field->magnetic, 3);
    }
    if (terms & (KDR_TERM_SPRINGS | KDR_TERM_DRAGS)) {
        plus(w);
        say(w, "springs and drags with arrays");
    }
    say(w, (terms & KDR_TERM_MASS) ? ")" : "");
}

static void word_increments(writer *w) {
    if (w->line->count & KDR_MAP_EACH) {
        say(w, "the increments in ");
        row(w, w->line->out);
        return;
    }
    say(w, "the increments of the motion during ");
    word_span(w);
    say(w, " under ");
    word_affine(w);
}

static void word_skew(writer *w) { say(w, (w->line->count & 1) ? ", with the magnetic field" : ""); }

/* Where a particle was changed, and where it is held. */
static void word_settled(writer *w) {
    const kdr_instruction *const l = w->line;
    const bool keeps = l->out != KDR_NO_COLUMN, compensated = l->other != KDR_NO_COLUMN;
    if (keeps) {
        row(w, l->out);
        say(w, " = ");
        row(w, l->x);
        say(w, " where hit");
        if (l->number != KDR_NO_COLUMN) {
            say(w, ", ");
            row(w, l->number);
            say(w, " where held");
        }
        say(w, compensated ? "; " : "");
    }
    if (compensated) {
        rows(w, l->other, 2);
        say(w, " = 0 where hit");
        if (l->list != KDR_NO_COLUMN) {
            say(w, ", ");
            rows(w, l->list, 2);
            say(w, " where held");
        }
    }
}

static const struct {
    const char *name;
    void (*write)(writer *w);
} words[] = {{"out", word_out},
             {"x", word_x},
             {"v", word_v},
             {"other", word_other},
             {"outs", word_outs},
             {"xs", word_xs},
             {"c0", word_c0},
             {"c1", word_c1},
             {"sum", word_sum},
             {"weighed", word_weighed},
             {"base", word_base},
             {"f", word_f},
             {"kx", word_kx},
             {"kv", word_kv},
             {"m", word_m},
             {"springs", word_springs},
             {"drags", word_drags},
             {"quadratics", word_quadratics},
             {"custom", word_custom},
             {"centres", word_centres},
             {"angle", word_angle},
             {"amplitude", word_amplitude},
             {"lost", word_lost},
             {"push", word_push},
             {"th", word_th},
             {"span", word_span},
             {"affine", word_affine},
             {"increments", word_increments},
             {"skew", word_skew},
             {"settled", word_settled}};

static void word(writer *w, const char *name, size_t length) {
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strlen(words[i].name) == length && memcmp(words[i].name, name, length) == 0) {
            words[i].write(w);
            return;
        }
    }
    say(w, "?");
}

/* Text up to the next $, and the word behind it. */
static void expand(writer *w, const char *what) {
    while (*what) {
        char text[128];
        const size_t length = strcspn(what, "$");
        snprintf(text, sizeof text, "%.*s", (int)length, what);
        if (strcmp(text, " + ") == 0) {
            plus(w);
        } else if (strcmp(text, " += ") == 0) {
            w->adds = true;
        } else {
            say(w, text);
        }
        what += length;
        if (*what == '$') {
            const size_t name = strspn(++what, "abcdefghijklmnopqrstuvwxyz01");
            word(w, what, name);
            what += name;
        }
    }
}

/* When a line is carried out that is not at every step. */
static const struct {
    unsigned when;
    const char *words;
} conditions[] = {{KDR_WHEN_FRESH, "unless the run goes on from memory"},
                  {KDR_WHEN_RESUMED, "when the run goes on from memory"},
                  {KDR_WHEN_FRESH | KDR_WHEN_RESUMED, "but not in a later piece of the run"},
                  {KDR_WHEN_LAST, "in the last piece of the run"},
                  {KDR_WHEN_HIT, "when a particle was hit or is held"}};

static void write_line(writer *w) {
    static const char *const what[KDR_OP_COUNT] = {
#define KDR_WHAT(code, name, words) [KDR_OP_##code] = words,
        KDR_OPERATIONS(KDR_WHAT)};
    put(w, "  ");
    expand(w, what[w->line->code]);
    w->plus = false;
    say(w, ";");
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; ++i) {
        if (w->line->when == conditions[i].when) {
            put(w, "  (%s)", conditions[i].words);
        }
    }
    put(w, "\n");
}

static const char *plural(int count) { return count == 1 ? "" : "s"; }

static void write_hot(writer *w) {
    const kdr_hot *const hot = w->program->hot;
    if (!hot) {
        put(w, "hot instance: none: %s\n", w->program->why_not);
    } else if (hot->tile == hot->chunk) {
        put(w, "hot instance: %s, %s at a time, %d vectors in registers\n", hot->name, hot->together ? "all axes" : "an axis", hot->chunk);
    } else {
        put(w, "hot instance: %s, %s at a time, %d vectors in the cache, %d at once\n", hot->name,
            hot->together ? "all axes" : "an axis", hot->tile, hot->chunk);
    }
}

static void write_tile(writer *w) {
    const kdr_program *const p = w->program;
    const int lanes = p->kernels->vector / (int)p->size;
    put(w, "tile: %d vector%s of %d particle%s, %d columns, %d bytes\n", p->vectors, plural(p->vectors), lanes, plural(lanes), p->columns,
        p->vectors * p->kernels->vector * p->columns);
}

static void write_rows(writer *w) {
    static const char *const arrays[] = {[KDR_ARRAY_X] = "positions",
                                         [KDR_ARRAY_V] = "velocities",
                                         [KDR_ARRAY_MEMORY] = "the method's memory",
                                         [KDR_ARRAY_COMPENSATION] = "compensations",
                                         [KDR_ARRAY_INVERSE_MASS] = "inverse masses",
                                         [KDR_ARRAY_K] = "k of a spring",
                                         [KDR_ARRAY_AT] = "where a spring is fixed",
                                         [KDR_ARRAY_B] = "b of a drag",
                                         [KDR_ARRAY_CUSTOM] = "a parameter of the custom field"};
    const kdr_program *const p = w->program;
    put(w, "rows of the tile\n");
    for (const kdr_row_name *name = p->name; name < p->name + p->name_count; ++name) {
        char text[24];
        const kdr_load *load = NULL;
        for (int i = 0; i < p->load_count && !load; ++i) {
            load = p->load[i].column == name->column ? &p->load[i] : NULL;
        }
        snprintf(text, sizeof text, name->number > 0 ? "%s%d" : "%s", name->name, name->number);
        put(w, "  %-10s %2d column%s", text, name->columns, plural(name->columns));
        if (load) {
            put(w, ": %s, loaded%s", arrays[load->array], load->array < KDR_ARRAY_INVERSE_MASS ? " and stored" : "");
        }
        put(w, "\n");
    }
}

/* What the lines call base. */
static void write_drive(writer *w) {
    const kdr_field *const field = &w->problem->field;
    double base[3];
    if (!(w->program->terms & KDR_TERM_DRIVEN)) {
        return;
    }
    kdr_field_base(field, w->program->terms | KDR_TERM_UNDRIVEN, 0, base);
    put(w, "base(t) = ");
    vector(w, base, w->program->dims);
    for (int d = 0; d < field->drives; ++d) {
        plus(w);
        vector(w, field->drive[d].a, w->program->dims);
        say(w, " cos(");
        steps(w, field->drive[d].omega, "t");
        if (field->drive[d].phase != 0) {
            plus(w);
            value(w, field->drive[d].phase);
        }
        say(w, ")");
    }
    say(w, "\n");
}

size_t kdr_program_text(const kdr_program *program, const kdr_problem *problem, const char *backend, char *text, size_t size) {
    static const char *const titles[KDR_SECTIONS] = {"before the first step", "each step", "after the last step"};
    writer w = {.text = text, .size = size, .program = program, .problem = problem};
    put(&w, "%s on %s, %s, %s%s; %d ax%s, %s masses\n", problem->row->info.name, backend, kdr_real_name(problem->real),
        kdr_arithmetic_name(problem->arithmetic), problem->compensated ? ", compensated" : "", program->dims,
        program->dims == 1 ? "is" : "es", (program->terms & KDR_TERM_MASS) ? "with" : "without");
    write_hot(&w);
    write_tile(&w);
    write_rows(&w);
    write_drive(&w);
    int line = 0;
    for (int section = 0; section < KDR_SECTIONS; ++section) {
        put(&w, "%s\n%s", titles[section], line == program->end[section] ? "  nothing\n" : "");
        for (; line < program->end[section]; ++line) {
            w.line = &program->line[line];
            write_line(&w);
        }
    }
    return w.length;
}
