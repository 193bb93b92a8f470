/* Values given as text in a scene, a CSV file or an option: their types, how they are read and described.
 *
 * Numbers are decimal: an optional sign, digits with an optional point, an optional exponent. Hexadecimal, octal and 1_000 are not numbers.
 * Counts are whole numbers, and may be written 1e6. Ratios are a number, or two with a slash between: coefficients of methods are published
 * as ratios, and 1/6 has no exact decimal. */
#ifndef KICKDRIFT_TOOLS_VALUE_H
#define KICKDRIFT_TOOLS_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum number_kind {
    NUMBER_NONE, /* not a number */
    NUMBER_FINITE,
    NUMBER_OVERFLOW, /* beyond double's range */
    NUMBER_INFINITE, /* inf, infinity, .inf, with or without a sign */
    NUMBER_NAN       /* nan, .nan */
} number_kind;

/* Reads the whole of `text`. Writes `value` unless the result is NUMBER_NONE. */
number_kind number_parse(const char *text, double *value);

typedef struct value_type value_type;
struct value_type {
    bool (*parse)(const value_type *type, const char *text, void *destination);
    const char *expected; /* text for messages, such as "a positive number"; NULL: the names are listed, which must be few */
    bool quoted;          /* a YAML scalar in quotes is accepted */
    double low, high;     /* for numbers and counts: the range, ends included */
    bool nonzero;
    const char *(*name)(int i); /* for names: returns the name of value i; NULL after the last */
};

/* How often something happens: every so many steps, or every so many seconds; both 0: never. */
typedef struct pace {
    uint64_t steps;
    double seconds;
} pace;

/* Parsers. Their destinations in order: double, double, double, uint64_t, uint64_t, const char * (borrows the text), int; of the last three
 * const char *, pace, uint64_t. */
bool value_parse_number(const value_type *type, const char *text, void *destination);
bool value_parse_ratio(const value_type *type, const char *text, void *destination);
bool value_parse_whole(const value_type *type, const char *text, void *destination); /* positive or negative */
bool value_parse_count(const value_type *type, const char *text, void *destination);
bool value_parse_uint64(const value_type *type, const char *text, void *destination);
bool value_parse_text(const value_type *type, const char *text, void *destination);
bool value_parse_name(const value_type *type, const char *text, void *destination);
bool value_parse_word(const value_type *type, const char *text, void *destination); /* a name, kept as text */
bool value_parse_pace(const value_type *type, const char *text, void *destination);
bool value_parse_bytes(const value_type *type, const char *text, void *destination);

extern const value_type VALUE_NUMBER; /* finite */
extern const value_type VALUE_RATIO;  /* finite; "1/6" is accepted */
extern const value_type VALUE_STEP;   /* finite, not 0 */
extern const value_type VALUE_POSITIVE;
extern const value_type VALUE_NOT_NEGATIVE;
extern const value_type VALUE_FRACTION;     /* 0 to 1 */
extern const value_type VALUE_IMAGE;        /* a whole double of 32 bits */
extern const value_type VALUE_MASS;         /* positive, or infinite */
extern const value_type VALUE_COUNT;        /* 0 to 2^53 */
extern const value_type VALUE_EVERY;        /* 1 to 2^53 */
extern const value_type VALUE_PACE;         /* "5000", "10 min" */
extern const value_type VALUE_BYTES;        /* "2 GB", "512 MB" */
extern const value_type VALUE_THREADS;      /* 1 to 1024 */
extern const value_type VALUE_UINT64;       /* 0 to 2^64 - 1, digits only */
extern const value_type VALUE_TEXT;         /* any text that is not empty */
extern const value_type VALUE_BOOLEAN;      /* int: 0 or 1 */
extern const value_type VALUE_SWITCH;       /* const char *: true, false, yes, no, on, off, 1, 0 */
extern const value_type VALUE_METHOD;       /* kdr_method */
extern const value_type VALUE_COMPOSITION;  /* kdr_composition */
extern const value_type VALUE_REAL;         /* kdr_real */
extern const value_type VALUE_ARITHMETIC;   /* kdr_arithmetic */
extern const value_type VALUE_CONTRIBUTION; /* kdr_contribution */
extern const value_type VALUE_EDGE;         /* kdr_edge */
extern const value_type VALUE_BACKEND;      /* kdr_backend, "auto" included */

/* Writes what is expected into `buffer` and returns it. */
const char *value_expected(const value_type *type, char *buffer, size_t size);

/* Writes a number with as few digits as read back as the same number, and returns `buffer`. */
enum { VALUE_EXACT = 32 };
const char *value_exact(char buffer[VALUE_EXACT], double value);

/* Writes "; did you mean "rk4"?" if the type has a name close to `text`, otherwise "". Returns `buffer`. */
const char *value_suggestion(const value_type *type, const char *text, char *buffer, size_t size);

/* Does the same with any names; `context` is passed to `name`. */
typedef const char *value_name_at(const void *context, size_t i);
const char *value_nearest(value_name_at *name, const void *context, const char *text, char *buffer, size_t size);

/* Returns the name that is close to `text`, NULL if none is. */
const char *value_nearest_name(value_name_at *name, const void *context, const char *text);

#endif
