/* Reads rows of a CSV file. The file is read in blocks and passed to libcsv one line at a time, so that the line of a row is known and
 * memory is bounded. */
#include "table.h"

#include <csv.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <io/files.h>

enum { BLOCK = 256 << 10, LONGEST_ROW = 1 << 20 };
#define LARGEST_FILE ((uint64_t)4 << 30)

/* The fields of a row: their texts, each ended by a NUL, and where each begins. */
typedef struct row {
    char *text;
    size_t used, room;
    size_t *begin;
    size_t count, begin_room;
    bool complete, no_memory;
} row;

struct table {
    const char *file;
    fault *why;
    FILE *stream;
    struct csv_parser parser;
    bool ended, carriage_return; /* the last byte was a CR */
    unsigned char *block;
    size_t at, filled;
    uint64_t bytes;
    size_t line, row_line, row_bytes;
    row header, current;
    bool is_upper; /* the header has no lower-case letters */
};

bool table_complain(table *opened, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fault_set_at(opened->why, opened->file, opened->row_line, format, arguments);
    va_end(arguments);
    return false;
}

static bool reserve(void **array, size_t *room, size_t needed, size_t size) {
    if (needed <= *room) {
        return true;
    }
    size_t more = *room ? *room : 64;
    while (more < needed) {
        more *= 2; /* does not overflow: `needed` is at most a few MiB because rows are bounded */
    }
    void *moved = realloc(*array, more * size);
    if (!moved) {
        return false;
    }
    *array = moved;
    *room = more;
    return true;
}

static void on_field(void *field, size_t length, void *data) {
    row *into = data;
    if (into->no_memory || !reserve((void **)&into->text, &into->room, into->used + length + 1, 1) ||
        !reserve((void **)&into->begin, &into->begin_room, into->count + 1, sizeof *into->begin)) {
        into->no_memory = true;
        return;
    }
    into->begin[into->count++] = into->used;
    if (length) {
        memcpy(into->text + into->used, field, length);
    }
    into->used += length;
    into->text[into->used++] = '\0';
}

static void on_row(int terminator, void *data) {
    (void)terminator;
    ((row *)data)->complete = true;
}

static bool fill_block(table *t) {
    t->filled = fread(t->block, 1, BLOCK, t->stream);
    t->at = 0;
    if (ferror(t->stream)) {
        t->row_line = t->line;
        return table_complain(t, "cannot read: %s, expected a CSV file", strerror(errno));
    }
    t->bytes += t->filled;
    if (t->bytes > LARGEST_FILE) {
        return fault_set(t->why, "%s: longer than 4 GiB, expected a CSV file of at most that", t->file);
    }
    if (t->bytes == t->filled && t->filled >= 3 && memcmp(t->block, "\xef\xbb\xbf", 3) == 0) {
        t->at = 3;
    }
    return true;
}

/* Refuses text that libcsv would accept but nobody meant. */
static bool check_segment(table *t, const unsigned char *segment, size_t length) {
    if (memchr(segment, '\0', length)) {
        return table_complain(t, "a NUL byte, expected text: a CSV file in UTF-8");
    }
    for (const unsigned char *c = segment; c < segment + length; ++c) {
        if (t->carriage_return && *c != '\n') {
            return table_complain(t, "a carriage return inside a line, expected lines ended by LF or CRLF");
        }
        t->carriage_return = *c == '\r';
    }
    t->row_bytes += length;
    if (t->row_bytes > LONGEST_ROW) {
        return table_complain(t, "a row longer than 1 MiB, expected lines of comma-separated columns");
    }
    return true;
}

static bool parser_complaint(table *t, const row *into) {
    if (into->no_memory || csv_error(&t->parser) == CSV_ENOMEM) {
        return table_complain(t, "no memory for the row, expected less");
    }
    return table_complain(t, "quotes that do not match, expected \"...\" around a whole field");
}

static bool feed(table *t, row *into, const unsigned char *segment, size_t length) {
    if (!check_segment(t, segment, length)) {
        return false;
    }
    if (csv_parse(&t->parser, segment, length, on_field, on_row, into) != length || into->no_memory) {
        return parser_complaint(t, into);
    }
    return true;
}

static table_result read_row(table *t, row *into) {
    into->used = into->count = 0;
    into->complete = false;
    bool begun = false;
    t->row_bytes = 0;
    t->row_line = t->line;
    while (!into->complete && !t->ended) {
        if (t->at == t->filled && !fill_block(t)) {
            return TABLE_WRONG;
        }
        if (t->filled == 0) {
            t->ended = true;
            if (csv_fini(&t->parser, on_field, on_row, into) != 0 || into->no_memory) {
                parser_complaint(t, into);
                return TABLE_WRONG;
            }
            break;
        }
        const unsigned char *segment = t->block + t->at, *end = memchr(segment, '\n', t->filled - t->at);
        const size_t length = end ? (size_t)(end - segment) + 1 : t->filled - t->at;
        if (!begun) { /* blank lines between rows belong to no row */
            t->row_line = t->line;
            t->row_bytes = 0;
        }
        if (!feed(t, into, segment, length)) {
            return TABLE_WRONG;
        }
        begun = begun || !end || segment + strspn((const char *)segment, " \t\r") != end;
        t->at += length;
        t->line += end != NULL;
    }
    return into->complete ? TABLE_ROW : TABLE_END;
}

typedef struct column_name {
    const char *name;
    size_t column;
} column_name;

static int by_name(const void *a, const void *b) {
    const column_name *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : x->column < y->column ? -1 : x->column > y->column;
}

/* Finds the first column whose name an earlier column has; SIZE_MAX: none. It sorts the names, because a row of 1 MiB may have half a
 * million columns. */
static bool find_repeated(table *t, size_t *repeated) {
    const size_t count = t->header.count;
    column_name *sorted = malloc((count + 1) * sizeof *sorted);
    *repeated = SIZE_MAX;
    if (!sorted) {
        return table_complain(t, "no memory for the header, expected less");
    }
    for (size_t i = 0; i < count; ++i) {
        sorted[i] = (column_name){table_name(t, i), i};
    }
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 1; i < count; ++i) {
        if (strcmp(sorted[i - 1].name, sorted[i].name) == 0 && sorted[i].column < *repeated) {
            *repeated = sorted[i].column;
        }
    }
    free(sorted);
    return true;
}

/* Removes "# " from the beginning of the header, where numpy.savetxt writes it. */
static void strip_hash(row *header) {
    char *const first = header->text + header->begin[0];
    if (*first == '#') {
        const char *const name = first + 1 + strspn(first + 1, " \t");
        memmove(first, name, strlen(name) + 1);
    }
}

/* Returns true if a name is x or X, up to a separator or the end. */
static bool is_x(const char *name, char separator) { return (*name == 'x' || *name == 'X') && (name[1] == separator || name[1] == '\0'); }

/* Refuses a header that has one column with other separators in it. Blanks count as separators only if one of the columns is x, because a
 * comment has blanks too. */
static bool check_separator(table *t) {
    static const struct {
        char character;
        const char *name;
    } others[] = {{';', "semicolons"}, {'\t', "tabs"}, {'|', "bars"}, {' ', "blanks"}};
    char text[64];
    for (size_t i = 0; t->header.count == 1 && i < sizeof others / sizeof others[0]; ++i) {
        const char *at = strchr(table_name(t, 0), others[i].character);
        bool separates = at && (others[i].character != ' ' || is_x(table_name(t, 0), ' '));
        for (; at && !separates; at = strchr(at + 1, ' ')) {
            separates = is_x(at + 1, ' ');
        }
        if (separates) {
            return table_complain(t, "the columns are separated by %s, expected commas, found %s", others[i].name,
                                  fault_quote(table_name(t, 0), text, sizeof text));
        }
    }
    return true;
}

static bool has_lower_case(const table *t) {
    for (size_t i = 0; i < t->header.count; ++i) {
        for (const char *c = table_name(t, i); *c; ++c) {
            if (*c >= 'a' && *c <= 'z') {
                return true;
            }
        }
    }
    return false;
}

static bool read_header(table *t) {
    size_t repeated;
    switch (read_row(t, &t->header)) {
    case TABLE_WRONG:
        return false;
    case TABLE_END:
        return fault_set(t->why, "%s:1: empty, expected a header that names the columns", t->file);
    case TABLE_ROW:
        break;
    }
    strip_hash(&t->header);
    if (!check_separator(t) || !find_repeated(t, &repeated)) {
        return false;
    }
    char text[64];
    t->is_upper = !has_lower_case(t);
    return repeated == SIZE_MAX ||
           table_complain(t, "column %s given twice, expected once", fault_quote(table_name(t, repeated), text, sizeof text));
}

table *table_open(const char *file, fault *why) {
    table *t = calloc(1, sizeof *t);
    if (t) {
        t->block = malloc(BLOCK + 1);
    }
    if (!t || !t->block || csv_init(&t->parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
        if (t) {
            free(t->block);
        }
        free(t);
        fault_set(why, "%s: no memory to read it, expected some", file);
        return NULL;
    }
    t->file = file;
    t->why = why;
    t->line = 1;
    t->stream = kdr_file_stream(file, false);
    kdr_file_info about;
    bool good = false;
    if (!t->stream) {
        fault_set(why, "%s: cannot open: %s, expected a CSV file", file, strerror(errno));
    } else if (kdr_file_look_at(fileno(t->stream), &about) && about.is_regular && about.size > LARGEST_FILE) {
        fault_set(why, "%s: longer than 4 GiB, expected a CSV file of at most that", file);
    } else {
        good = read_header(t);
    }
    if (good) {
        return t;
    }
    table_close(t);
    return NULL;
}

void table_close(table *opened) {
    if (!opened) {
        return;
    }
    if (opened->stream) {
        fclose(opened->stream);
    }
    csv_free(&opened->parser);
    row *rows[2] = {&opened->header, &opened->current};
    for (int i = 0; i < 2; ++i) {
        free(rows[i]->text);
        free(rows[i]->begin);
    }
    free(opened->block);
    free(opened);
}

size_t table_columns(const table *opened) { return opened->header.count; }

const char *table_name(const table *opened, size_t column) { return opened->header.text + opened->header.begin[column]; }

size_t table_find(const table *opened, const char *name) {
    int (*const compare)(const char *, const char *) = opened->is_upper ? strcasecmp : strcmp;
    for (size_t i = 0; i < opened->header.count; ++i) {
        if (compare(table_name(opened, i), name) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

bool table_lacks(table *opened, const char *name, const char *more) {
    char names[200] = "";
    for (size_t i = 0, used = 0; i < opened->header.count && used < 120; ++i, used = strlen(names)) {
        (void)snprintf(names + used, sizeof names - used, "%s%.40s", i > 0 ? "," : "", table_name(opened, i));
    }
    char hint[120] = "";
    for (size_t i = 0; i < opened->header.count; ++i) {
        if (strcasecmp(table_name(opened, i), name) == 0) {
            (void)snprintf(hint, sizeof hint, "; is %.40s meant for %.40s?", table_name(opened, i), name);
        }
    }
    return table_complain(opened, "no column %.40s, expected a header with x, y, z, vx, vy, vz%s, found %s%s", name, more, names, hint);
}

table_result table_next(table *opened) {
    const table_result result = read_row(opened, &opened->current);
    if (result != TABLE_ROW || opened->current.count == opened->header.count) {
        return result;
    }
    table_complain(opened, "expected %zu columns as the header has, found %zu", opened->header.count, opened->current.count);
    return TABLE_WRONG;
}

const char *table_field(const table *opened, size_t column) { return opened->current.text + opened->current.begin[column]; }

size_t table_line(const table *opened) { return opened->row_line; }

bool table_value(table *opened, size_t column, const value_type *type, void *destination) {
    char expected[256], text[64];
    if (type->parse(type, table_field(opened, column), destination)) {
        return true;
    }
    return table_complain(opened, "column %.40s: expected %s, found %s", table_name(opened, column),
                          value_expected(type, expected, sizeof expected), fault_quote(table_field(opened, column), text, sizeof text));
}
