/* Reads the header of a .npy file: a Python dictionary with the keys descr, fortran_order and shape, in any order. */
#include "npy.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 20 };

typedef struct parser {
    const char *at;
    fault *why;
    npy_header *to;
    bool has[3]; /* descr, fortran_order and shape were found */
} parser;

static const char *skip(parser *p) {
    while (isspace((unsigned char)*p->at)) {
        ++p->at;
    }
    return p->at;
}

static bool wrong(parser *p, const char *expected) {
    char text[64];
    return fault_set(p->why, "header of .npy: expected %s, found %s", expected, fault_quote(p->at, text, sizeof text));
}

static bool is_next(parser *p, char c) {
    const bool found = *skip(p) == c;
    p->at += found;
    return found;
}

static bool take_char(parser *p, char c) {
    const char expected[] = {'"', c, '"', '\0'};
    return is_next(p, c) || wrong(p, expected);
}

/* Takes a quoted text. It is cut if there is no room for it. */
static bool take_text(parser *p, char *text, size_t room) {
    const char quote = *skip(p);
    size_t length = 0;
    if (quote != '\'' && quote != '"') {
        return wrong(p, "a text in quotes");
    }
    for (++p->at; *p->at && *p->at != quote; ++p->at) {
        p->at += *p->at == '\\' && p->at[1];
        text[length] = *p->at;
        length += length + 1 < room;
    }
    text[length] = '\0';
    return take_char(p, quote);
}

static bool take_count(parser *p, uint64_t *count) {
    if (!isdigit((unsigned char)*skip(p))) {
        return wrong(p, "a number from 0");
    }
    uint64_t value = 0;
    for (; isdigit((unsigned char)*p->at); ++p->at) {
        const uint64_t digit = (uint64_t)(*p->at - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return wrong(p, "a number below 2^64");
        }
        value = 10 * value + digit;
    }
    p->at += *p->at == 'L'; /* Python 2 wrote an L after long integers */
    *count = value;
    return true;
}

/* Takes a shape, such as "(3, 4)"; a field of a structured array may have a number alone. */
static bool take_shape(parser *p, uint64_t *extent, int most, int *extents) {
    *extents = 0;
    if (*skip(p) != '(') {
        *extents = 1;
        return take_count(p, extent);
    }
    for (++p->at; *skip(p) != ')'; is_next(p, ',')) {
        if (*extents == most) {
            return wrong(p, "at most 8 extents");
        }
        if (!take_count(p, &extent[(*extents)++])) {
            return false;
        }
    }
    return take_char(p, ')');
}

static bool take_type(parser *p, npy_type *type) {
    if (!take_text(p, type->text, sizeof type->text)) {
        return false;
    }
    const char *at = type->text;
    const bool has_order = *at != '\0' && strchr("<>|=", *at) != NULL;
    type->swaps = *at == '>';
    at += has_order;
    type->kind = *at;
    char *end = NULL;
    if (type->kind == 'O') {
        return fault_set(p->why, "header of .npy: expected numbers, found objects of Python's");
    }
    const unsigned long size = *at ? strtoul(at + 1, &end, 10) : 0;
    if (!end || end == at + 1 || *end != '\0' || size > LONGEST || !strchr("fiubcSUVmM", type->kind)) {
        return fault_set(p->why, "header of .npy: expected a type as '<f8', found '%s'", type->text);
    }
    type->size = type->kind == 'U' ? 4 * size : size;
    return true;
}

static bool take_field(parser *p) {
    npy_header *const to = p->to;
    npy_field *const field = &to->fields[to->field_count];
    *field = (npy_field){.offset = to->size, .count = 1};
    if (!take_char(p, '(')) {
        return false;
    }
    const bool has_title = is_next(p, '(');
    if (has_title && (!take_text(p, field->name, sizeof field->name) || !take_char(p, ','))) {
        return false;
    }
    if (!take_text(p, field->name, sizeof field->name) || (has_title && !take_char(p, ')')) || !take_char(p, ',')) {
        return false;
    }
    if (*skip(p) == '[') {
        return fault_set(p->why, "header of .npy: field %s: expected a number, found fields in a field", field->name);
    }
    if (!take_type(p, &field->type)) {
        return false;
    }
    if (is_next(p, ',') && *skip(p) != ')') {
        uint64_t extent[NPY_EXTENTS];
        int extents;
        if (!take_shape(p, extent, NPY_EXTENTS, &extents)) {
            return false;
        }
        for (int i = 0; i < extents; ++i) {
            if (extent[i] > LONGEST || field->count > LONGEST) {
                return wrong(p, "fields of fewer numbers");
            }
            field->count *= (size_t)extent[i];
        }
    }
    to->size += field->type.size * field->count;
    ++to->field_count;
    return to->size <= LONGEST ? take_char(p, ')') : wrong(p, "elements of fewer bytes");
}

static bool take_descr(parser *p) {
    npy_header *const to = p->to;
    to->is_structured = *skip(p) == '[';
    if (!to->is_structured) {
        const bool good = take_type(p, &to->type);
        to->size = to->type.size;
        return good;
    }
    to->fields = calloc(NPY_FIELDS, sizeof *to->fields);
    if (!to->fields) {
        return fault_set(p->why, "no memory for the fields");
    }
    for (++p->at; *skip(p) != ']'; is_next(p, ',')) {
        if (to->field_count == NPY_FIELDS) {
            return wrong(p, "at most 256 fields");
        }
        if (!take_field(p)) {
            return false;
        }
    }
    return take_char(p, ']');
}

static bool take_order(parser *p) {
    p->to->is_fortran = strncmp(skip(p), "True", 4) == 0;
    if (!p->to->is_fortran && strncmp(p->at, "False", 5) != 0) {
        return wrong(p, "True or False");
    }
    p->at += p->to->is_fortran ? 4 : 5;
    return true;
}

static bool take_dictionary(parser *p) {
    static const char *const keys[3] = {"descr", "fortran_order", "shape"};
    if (!take_char(p, '{')) {
        return false;
    }
    for (; *skip(p) != '}'; is_next(p, ',')) {
        char key[24];
        int n = 0;
        if (!take_text(p, key, sizeof key) || !take_char(p, ':')) {
            return false;
        }
        while (n < 3 && strcmp(key, keys[n]) != 0) {
            ++n;
        }
        if (n == 3 || p->has[n]) {
            return fault_set(p->why, "header of .npy: expected the keys descr, fortran_order and shape, once each, found '%s'", key);
        }
        p->has[n] = true;
        if (!(n == 0 ? take_descr(p) : n == 1 ? take_order(p) : take_shape(p, p->to->extent, NPY_EXTENTS, &p->to->extents))) {
            return false;
        }
    }
    return (p->has[0] && p->has[1] && p->has[2]) || wrong(p, "the keys descr, fortran_order and shape");
}

static bool read_text(FILE *stream, npy_header *header, char **text, fault *why) {
    unsigned char begin[12];
    if (fread(begin, 1, 10, stream) != 10 || memcmp(begin, "\x93NUMPY", 6) != 0) {
        return fault_set(why, "expected a file that begins as NumPy's .npy does, found another");
    }
    const bool is_long = begin[6] != 1;
    if (begin[6] < 1 || begin[6] > 3) {
        return fault_set(why, "expected a .npy of version 1, 2 or 3, found version %d", begin[6]);
    }
    if (is_long && fread(begin + 10, 1, 2, stream) != 2) {
        return fault_set(why, "the file ends within its header");
    }
    size_t length = (size_t)begin[8] | (size_t)begin[9] << 8;
    length |= is_long ? (size_t)begin[10] << 16 | (size_t)begin[11] << 24 : 0;
    header->begin = length + (is_long ? 12 : 10);
    if (length > LONGEST) {
        return fault_set(why, "header of .npy: expected at most 1 MiB, found %zu bytes", length);
    }
    *text = calloc(length + 1, 1);
    if (!*text) {
        return fault_set(why, "no memory for its header");
    }
    return fread(*text, 1, length, stream) == length || fault_set(why, "the file ends within its header");
}

bool npy_read(FILE *stream, npy_header *header, fault *why) {
    char *text = NULL;
    *header = (npy_header){.begin = 0};
    bool good = read_text(stream, header, &text, why);
    if (good && text) {
        parser p = {.at = text, .why = why, .to = header};
        good = take_dictionary(&p);
    }
    free(text);
    return good;
}

/* Returns the bytes of a number as a word, with the lowest byte first in the file. */
static uint64_t word_of(const npy_type *type, const unsigned char *bytes) {
    uint64_t word = 0;
    for (size_t i = 0; i < type->size; ++i) {
        word = word << 8 | bytes[type->swaps ? i : type->size - 1 - i];
    }
    return word;
}

static double half_of(uint64_t word) {
    const int exponent = (int)(word >> 10 & 31);
    const double fraction = (double)(word & 1023) / 1024;
    const double size = exponent == 31  ? (fraction > 0 ? (double)NAN : (double)INFINITY)
                        : exponent == 0 ? ldexp(fraction, -14)
                                        : ldexp(1 + fraction, exponent - 15);
    return word >> 15 & 1 ? -size : size;
}

static bool is_number(const npy_type *type) {
    return (type->kind == 'f' && (type->size == 2 || type->size == 4 || type->size == 8)) ||
           ((type->kind == 'i' || type->kind == 'u') && type->size >= 1 && type->size <= 8);
}

bool npy_number(const npy_type *type, const unsigned char *bytes, double *number) {
    if (!is_number(type)) {
        return false;
    }
    const uint64_t word = word_of(type, bytes);
    if (type->kind == 'f' && type->size == sizeof(double)) {
        memcpy(number, &word, sizeof *number);
    } else if (type->kind == 'f' && type->size == sizeof(float)) {
        const uint32_t narrow = (uint32_t)word;
        float single;
        memcpy(&single, &narrow, sizeof single);
        *number = (double)single;
    } else if (type->kind == 'f') {
        *number = half_of(word);
    } else if (type->kind == 'u') {
        *number = (double)word;
    } else {
        const int unused = 64 - 8 * (int)type->size;
        *number = (double)((int64_t)(word << unused) >> unused);
    }
    return true;
}

bool npy_whole(const npy_type *type, const unsigned char *bytes, uint64_t *number) {
    double value;
    if (!npy_number(type, bytes, &value) || !(value >= 0) || (type->kind == 'f' && (value >= 0x1p64 || value != floor(value)))) {
        return false;
    }
    *number = type->kind == 'f' ? (uint64_t)value : word_of(type, bytes);
    return true;
}
