/* `kickdrift diff`: compares two CSV files of particles row by row, in units in the last place.
 *
 * The library compares, so a unit in the last place means the same everywhere. A block of rows of one column becomes the positions of a
 * one-dimensional view whose velocities are 0. */
#include "commands.h"
#include "json.h"
#include "options.h"
#include "table.h"

#include <kickdrift/kickdrift.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct diff_options {
    int real;
    bool json;
} diff_options;

static const option_row rows[] = {
    {"real", "REAL", &VALUE_REAL, offsetof(diff_options, real), "whose units to count in; f64 when not given"},
    {"json", NULL, NULL, offsetof(diff_options, json), "print one JSON object"},
};
const options_spec kdr_diff_spec = {
    "diff",
    "A.csv B.csv",
    2,
    "Compares two CSV files of particles row by row: the largest difference in units in the last place.",
    "Columns x, y, z, vx, vy, vz, and t if there; rows must agree in id and step if these are there. NaN equals NaN, 0 differs from -0.\n"
    "Files of a run in f32 are best compared with --real f32. Exit status: 0 when all bits are equal, 1 when some are not.\n",
    rows,
    sizeof rows / sizeof rows[0]};

/* The kinds of columns that are compared. Each is a line of the result. */
typedef enum diff_kind { TIME, POSITION, VELOCITY, KIND_COUNT } diff_kind;
static const char *const kind_names[KIND_COUNT] = {"t", "position", "velocity"};
static const struct column {
    const char *name;
    diff_kind of;
    bool optional;
} columns[] = {{"x", POSITION, false},  {"y", POSITION, false},  {"z", POSITION, false}, {"vx", VELOCITY, false},
               {"vy", VELOCITY, false}, {"vz", VELOCITY, false}, {"t", TIME, true}};
static const char *const keys[] = {"step", "id"};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0], KEY_COUNT = sizeof keys / sizeof keys[0], BLOCK = 1024 };

/* A block of rows, and the file they come from. */
typedef struct side {
    table *file;
    const char *name;
    size_t source[COLUMN_COUNT], key_source[KEY_COUNT];
    uint64_t keys[KEY_COUNT][BLOCK];
    size_t lines[BLOCK];
    union {
        float f32[BLOCK];
        double f64[BLOCK];
    } values[COLUMN_COUNT];
    bool ended;
} side;

typedef struct comparison {
    diff_options options;
    side sides[2];
    fault why;
    uint64_t compared;  /* number of rows */
    uint64_t different; /* number of values */
    uint64_t only[2];   /* rows that only this file has */
    uint64_t ulp[KIND_COUNT];
    bool found; /* the first difference is in: */
    uint64_t first_row;
    uint64_t first_keys[KEY_COUNT];
    size_t first_lines[2];
    const char *first_column;
    double first_values[2];
} comparison;

static bool parse_any(const value_type *type, const char *text, void *destination) {
    (void)type;
    const number_kind number = number_parse(text, destination);
    return number != NUMBER_NONE && number != NUMBER_OVERFLOW;
}
static const value_type any_number = {parse_any, "a number", false, 0, 0, false, NULL};

static bool open_side(comparison *c, int which) {
    side *s = &c->sides[which];
    s->file = table_open(s->name, &c->why);
    if (!s->file) {
        return false;
    }
    for (int i = 0; i < COLUMN_COUNT; ++i) {
        s->source[i] = table_find(s->file, columns[i].name);
        if (s->source[i] == SIZE_MAX && !columns[i].optional) {
            return table_complain(s->file, "no column %s, expected a header with x, y, z, vx, vy, vz", columns[i].name);
        }
    }
    for (int i = 0; i < KEY_COUNT; ++i) {
        s->key_source[i] = table_find(s->file, keys[i]);
    }
    return true;
}

static bool same_columns(comparison *c, const char *name, size_t a, size_t b) {
    if ((a == SIZE_MAX) == (b == SIZE_MAX)) {
        return true;
    }
    const int with = a == SIZE_MAX;
    return fault_set(&c->why, "%s:1: no column %s, expected it as in %s", c->sides[!with].name, name, c->sides[with].name);
}

static bool open_both(comparison *c) {
    if (!open_side(c, 0) || !open_side(c, 1)) {
        return false;
    }
    for (int i = 0; i < COLUMN_COUNT; ++i) {
        if (!same_columns(c, columns[i].name, c->sides[0].source[i], c->sides[1].source[i])) {
            return false;
        }
    }
    for (int i = 0; i < KEY_COUNT; ++i) {
        if (!same_columns(c, keys[i], c->sides[0].key_source[i], c->sides[1].key_source[i])) {
            return false;
        }
    }
    return true;
}

static bool read_row(const comparison *c, side *s, size_t at) {
    s->lines[at] = table_line(s->file);
    for (int i = 0; i < COLUMN_COUNT; ++i) {
        double value = 0;
        if (s->source[i] != SIZE_MAX && !table_value(s->file, s->source[i], &any_number, &value)) {
            return false;
        }
        if (c->options.real == KDR_F32) {
            s->values[i].f32[at] = (float)value;
        } else {
            s->values[i].f64[at] = value;
        }
    }
    for (int i = 0; i < KEY_COUNT; ++i) {
        s->keys[i][at] = 0;
        if (s->key_source[i] != SIZE_MAX && !table_value(s->file, s->key_source[i], &VALUE_UINT64, &s->keys[i][at])) {
            return false;
        }
    }
    return true;
}

static bool read_block(comparison *c, side *s, size_t *count) {
    for (*count = 0; *count < BLOCK && !s->ended;) {
        switch (table_next(s->file)) {
        case TABLE_WRONG:
            return false;
        case TABLE_END:
            s->ended = true;
            break;
        case TABLE_ROW:
            if (!read_row(c, s, *count)) {
                return false;
            }
            ++*count;
        }
    }
    return true;
}

static bool same_keys(comparison *c, size_t count) {
    for (size_t row = 0; row < count; ++row) {
        for (int i = 0; i < KEY_COUNT; ++i) {
            if (c->sides[0].keys[i][row] != c->sides[1].keys[i][row]) {
                return fault_set(&c->why, "%s:%zu: expected %s %" PRIu64 " as in line %zu of %s, found %" PRIu64, c->sides[1].name,
                                 c->sides[1].lines[row], keys[i], c->sides[0].keys[i][row], c->sides[0].lines[row], c->sides[0].name,
                                 c->sides[1].keys[i][row]);
            }
        }
    }
    return true;
}

static double value_at(const comparison *c, int which, int column, size_t row) {
    const side *s = &c->sides[which];
    return c->options.real == KDR_F32 ? (double)s->values[column].f32[row] : s->values[column].f64[row];
}

static void note_first(comparison *c, int column, size_t row) {
    c->found = true;
    c->first_row = c->compared + row;
    c->first_column = columns[column].name;
    for (int i = 0; i < KEY_COUNT; ++i) {
        c->first_keys[i] = c->sides[0].keys[i][row];
    }
    for (int which = 0; which < 2; ++which) {
        c->first_lines[which] = c->sides[which].lines[row];
        c->first_values[which] = value_at(c, which, column, row);
    }
}

static bool compare_column(comparison *c, int column, size_t count, kdr_difference *difference) {
    static double still[2][BLOCK];
    kdr_particles views[2];
    kdr_error error;
    for (int which = 0; which < 2; ++which) {
        views[which] = kdr_particles_default();
        views[which].count = count;
        views[which].dims = 1;
        views[which].real = (kdr_real)c->options.real;
        views[which].x[0] = &c->sides[which].values[column];
        views[which].v[0] = still[which];
    }
    return kdr_compare(&views[0], &views[1], difference, &error) == KDR_OK || fault_set(&c->why, "diff: %s", error.message);
}

static bool compare_block(comparison *c, size_t count) {
    size_t first = count;
    int first_column = 0;
    for (int column = 0; column < COLUMN_COUNT; ++column) {
        kdr_difference d;
        uint64_t *ulp = &c->ulp[columns[column].of];
        if (!compare_column(c, column, count, &d)) {
            return false;
        }
        c->different += d.mismatches;
        if (d.max_ulp > *ulp) {
            *ulp = d.max_ulp;
        }
        if (d.index < first) {
            first = d.index;
            first_column = column;
        }
    }
    if (first < count && !c->found) {
        note_first(c, first_column, first);
    }
    return true;
}

static bool compare_all(comparison *c) {
    for (bool more = true; more;) {
        size_t counts[2];
        if (!read_block(c, &c->sides[0], &counts[0]) || !read_block(c, &c->sides[1], &counts[1])) {
            return false;
        }
        const size_t both = counts[0] < counts[1] ? counts[0] : counts[1];
        if (!same_keys(c, both) || !compare_block(c, both)) {
            return false;
        }
        c->compared += both;
        for (int which = 0; which < 2; ++which) {
            c->only[which] += counts[which] - both;
        }
        more = counts[0] > 0 || counts[1] > 0;
    }
    return true;
}

static bool has_column(const comparison *c, int column) { return c->sides[0].source[column] != SIZE_MAX; }
static bool has_key(const comparison *c, int key) { return c->sides[0].key_source[key] != SIZE_MAX; }

static bool print_json(const comparison *c) {
    json_t *ulps = json_object();
    for (int i = 0; i < COLUMN_COUNT; ++i) {
        if (has_column(c, i)) {
            json_object_set_new(ulps, kind_names[columns[i].of], json_count(c->ulp[columns[i].of]));
        }
    }
    json_t *first = NULL;
    if (c->found) {
        first = json_pack("{s:o, s:[o, o], s:s, s:[o, o]}", "row", json_count(c->first_row), "lines", json_count(c->first_lines[0]),
                          json_count(c->first_lines[1]), "column", c->first_column, "values", json_number(c->first_values[0]),
                          json_number(c->first_values[1]));
        for (int i = 0; i < KEY_COUNT; ++i) {
            if (has_key(c, i)) {
                json_object_set_new(first, keys[i], json_count(c->first_keys[i]));
            }
        }
    }
    return json_print(json_pack("{s:o, s:o, s:[o, o], s:s, s:o, s:o*}", "rows", json_count(c->compared), "different",
                                json_count(c->different), "only", json_count(c->only[0]), json_count(c->only[1]), "real",
                                kdr_real_name((kdr_real)c->options.real), "max_ulp", ulps, "first", first));
}

static void print_text(const comparison *c) {
    printf("rows        %" PRIu64 " compared, %" PRIu64 " values differ\n", c->compared, c->different);
    for (int which = 0; which < 2; ++which) {
        if (c->only[which]) {
            printf("rows        %" PRIu64 " more in %s\n", c->only[which], c->sides[which].name);
        }
    }
    bool printed[KIND_COUNT] = {false};
    for (int i = 0; i < COLUMN_COUNT; ++i) {
        const diff_kind of = columns[i].of;
        if (!has_column(c, i) || printed[of]) {
            continue;
        }
        printed[of] = true;
        printf("%-10s  largest difference ", kind_names[of]);
        printf(c->ulp[of] == UINT64_MAX ? "NaN against a number\n" : "%" PRIu64 " units in the last place of %s\n", c->ulp[of],
               kdr_real_name((kdr_real)c->options.real));
    }
    if (!c->found) {
        return;
    }
    printf("first       row %" PRIu64, c->first_row);
    for (int i = 0; i < KEY_COUNT; ++i) {
        if (has_key(c, i)) {
            printf(", %s %" PRIu64, keys[i], c->first_keys[i]);
        }
    }
    printf(", column %s: %.17g in line %zu, %.17g in line %zu\n", c->first_column, c->first_values[0], c->first_lines[0],
           c->first_values[1], c->first_lines[1]);
}

int kdr_diff_main(int argc, char **argv) {
    static comparison c = {.options = {.real = KDR_F64}}; /* static, because it is too large for a stack */
    const char *files[2];
    const int ended = options_begin(&kdr_diff_spec, argc, argv, &c.options, files, &c.why);
    if (ended >= 0) {
        return ended;
    }
    for (int which = 0; which < 2; ++which) {
        c.sides[which].name = files[which];
    }
    const bool good = open_both(&c) && compare_all(&c);
    if (good && c.options.json) {
        print_json(&c);
    } else if (good) {
        print_text(&c);
    }
    for (int which = 0; which < 2; ++which) {
        table_close(c.sides[which].file);
    }
    if (!good) {
        return fault_report(&c.why);
    }
    return c.different || c.only[0] || c.only[1] ? KDR_EXIT_FAILED : KDR_EXIT_OK;
}
