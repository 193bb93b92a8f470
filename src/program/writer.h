/* A writer of text for people: of sums as people write them, into a buffer that may be too small.
 *
 * "+ -2 x" is written as "- 2 x", "a += -x" as "a -= x", "0 + x" as "x", "1 x" as "x". So signs, zeros and ones wait for what comes
 * next. */
#ifndef KDR_PROGRAM_WRITER_H
#define KDR_PROGRAM_WRITER_H

#include "program.h"

typedef struct kdr_writer {
    char *text;
    size_t size, length; /* what has room; what has been written, whether it had room or not */
    bool plus, adds;     /* " + " or " += " waits for what comes behind it, which may be negative */
    bool zero;           /* "0" waits: it is left out when a sum goes on */
    bool one;            /* a factor 1 was left out, and so is the space behind it */
    const kdr_program *program;
    const kdr_problem *problem;
    const kdr_instruction *line;
} kdr_writer;

/* A vector of at most three axes is 0. */
static inline bool kdr_is_zero(const double *v, int count) {
    for (int i = 0; i < count && i < 3; ++i) {
        if (v[i] != 0) {
            return false;
        }
    }
    return true;
}

/* Text as it is, in front of what waits; text behind it. */
__attribute__((__format__(__printf__, 2, 3))) void kdr_write_put(kdr_writer *w, const char *format, ...);
void kdr_write_say(kdr_writer *w, const char *text);

/* The sum goes on: its next term may be negative. */
void kdr_write_plus(kdr_writer *w);

/* A number; `count` of them in brackets; the same of a vector, which may be 0 or have one axis. */
void kdr_write_value(kdr_writer *w, double v);
void kdr_write_list(kdr_writer *w, const double *v, int count);
void kdr_write_vector(kdr_writer *w, const double *v, int count);

/* What multiplies that which comes next: a number, one for each axis, and a number of steps `of`. */
void kdr_write_coefficient(kdr_writer *w, double v);
void kdr_write_coefficients(kdr_writer *w, const double *v, int count);
void kdr_write_steps(kdr_writer *w, double fraction, const char *of);

/* words.c: the words of the line's operation, and any with $words in them. A word writes what the line has in its place. */
typedef struct kdr_word {
    const char *name;
    void (*write)(kdr_writer *w);
} kdr_word;
#define KDR_WORD(name) {#name, word_##name}
void kdr_write_words(kdr_writer *w, const char *what);

void kdr_write_line(kdr_writer *w);

/* The names of a row and of a number, and numbers as values. */
void kdr_write_row(kdr_writer *w, unsigned column);
void kdr_write_number(kdr_writer *w, unsigned index);
const double *kdr_word_numbers(const kdr_writer *w, unsigned first, int count, double *to);

/* Entry `index` of a line's list. */
static inline unsigned kdr_word_listed(const kdr_writer *w, int index) { return w->program->list[w->line->list + index]; }

/* words_field.c: the words of a field's terms. */
extern const kdr_word kdr_field_words[];
extern const size_t kdr_field_word_count;

/* text.c: what the program is of, its tile, its rows; what its lines call base, where the field is driven; the lines of a section; how a
 * step is divided, and its first `sections` sections with their titles. */
void kdr_write_title(kdr_writer *w, const char *backend);
void kdr_write_tile(kdr_writer *w);
void kdr_write_rows(kdr_writer *w);
void kdr_write_drive(kdr_writer *w);
void kdr_write_lines(kdr_writer *w, int section);
void kdr_write_sections(kdr_writer *w, int sections);

#endif
