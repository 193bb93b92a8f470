/* A writer of sums as people write them, into a buffer that may be too small.
 *
 * "+ -2 x" is written as "- 2 x", "a += -x" as "a -= x", "0 + x" as "x", "1 x" as "x". Signs, zeros and ones are therefore pending until
 * the next part is known. */
#ifndef KDR_PROGRAM_WRITER_H
#define KDR_PROGRAM_WRITER_H

#include "program.h"

typedef struct kdr_writer {
    char *text;
    size_t size, length; /* room in bytes; length of the whole text, even if it did not fit */
    bool plus, adds;     /* " + " or " += " is pending, because the next term may be negative */
    bool zero;           /* "0" is pending, and left out if the sum goes on */
    bool one;            /* a factor 1 was left out, so the space after it is too */
    const kdr_program *program;
    const kdr_problem *problem;
    const kdr_instruction *line;
} kdr_writer;

/* Returns whether a vector of at most three axes is 0. */
static inline bool kdr_is_zero(const double *v, int count) {
    for (int i = 0; i < count && i < 3; ++i) {
        if (v[i] != 0) {
            return false;
        }
    }
    return true;
}

/* kdr_write_put writes formatted text, before anything pending; kdr_write_say writes text after it. */
__attribute__((__format__(__printf__, 2, 3))) void kdr_write_put(kdr_writer *w, const char *format, ...);
void kdr_write_say(kdr_writer *w, const char *text);

/* Continues a sum, whose next term may be negative. */
void kdr_write_plus(kdr_writer *w);

/* Write a number; `count` numbers in brackets; a vector, which may be 0 or have one axis. */
void kdr_write_value(kdr_writer *w, double v);
void kdr_write_list(kdr_writer *w, const double *v, int count);
void kdr_write_vector(kdr_writer *w, const double *v, int count);

/* Write the factor of the next term: a number, one number per axis, or a number of steps `of`. */
void kdr_write_coefficient(kdr_writer *w, double v);
void kdr_write_coefficients(kdr_writer *w, const double *v, int count);
void kdr_write_steps(kdr_writer *w, double fraction, const char *of);

/* A word, with the function that writes its replacement. kdr_write_words writes text with $words (words.c). */
typedef struct kdr_word {
    const char *name;
    void (*write)(kdr_writer *w);
} kdr_word;
#define KDR_WORD(name) {#name, word_##name}
void kdr_write_words(kdr_writer *w, const char *what);

void kdr_write_line(kdr_writer *w);

/* Write the name of a row, or a number; kdr_word_numbers returns numbers as values. */
void kdr_write_row(kdr_writer *w, unsigned column);
void kdr_write_number(kdr_writer *w, unsigned index);
const double *kdr_word_numbers(const kdr_writer *w, unsigned first, int count, double *to);

/* Returns entry `index` of an instruction's list. */
static inline unsigned kdr_word_listed(const kdr_writer *w, int index) { return w->program->list[w->line->list + index]; }

/* Words for a field's terms (words_field.c). */
extern const kdr_word kdr_field_words[];
extern const size_t kdr_field_word_count;

/* Parts of a program's text (text.c): title, tile, rows; the base values of a driven field; the instructions of a section; substeps, and
 * the first `sections` sections with titles. */
void kdr_write_title(kdr_writer *w, const char *backend);
void kdr_write_tile(kdr_writer *w);
void kdr_write_rows(kdr_writer *w);
void kdr_write_drive(kdr_writer *w);
void kdr_write_lines(kdr_writer *w, int section);
void kdr_write_sections(kdr_writer *w, int sections);

#endif
