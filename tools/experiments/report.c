/* Builds, reads and prints reports. Jansson returns NULL if memory is out, and accepts NULL as an argument: the whole object is then NULL
 * or lacks a part, and json_print fails. */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void report_begin(report *r, const char *name, const char *title, bool quick) {
    *r = (report){.quick = quick,
                  .object = json_pack("{s:s, s:s, s:s, s:b, s:[], s:[], s:[]}", "experiment", name, "title", title, "about", "", "quick",
                                      quick, "claims", "tables", "series")};
}

void report_end(report *r) {
    json_decref(r->object);
    r->object = NULL;
}

void report_about(report *r, const char *text) { json_object_set_new(r->object, "about", json_string(text)); }

void report_claim(report *r, bool reproduces, const char *source, const char *claim, const char *measured, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, measured);
    vsnprintf(text, sizeof text, measured, arguments); // NOLINT(clang-analyzer-valist.Uninitialized): va_start is the line above
    va_end(arguments);
    json_array_append_new(json_object_get(r->object, "claims"),
                          json_pack("{s:s, s:s, s:s, s:b}", "source", source, "claim", claim, "measured", text, "reproduces", reproduces));
}

void report_enumerate(char list[512], const char *words, ...) {
    va_list arguments;
    if (list[0]) {
        strncat(list, ", ", 511 - strlen(list));
    }
    const size_t length = strlen(list);
    va_start(arguments, words);
    vsnprintf(list + length, 512 - length, words, arguments); // NOLINT(clang-analyzer-valist.Uninitialized): va_start is the line above
    va_end(arguments);
}

json_t *report_table(report *r, const char *name, const char *title, const column *columns) {
    json_t *heads = json_array(), *rows = json_array();
    for (; columns->key; ++columns) {
        json_array_append_new(heads, json_pack("{s:s, s:s}", "key", columns->key, "label", columns->label));
    }
    json_array_append_new(json_object_get(r->object, "tables"),
                          json_pack("{s:s, s:s, s:o, s:o}", "name", name, "title", title, "columns", heads, "rows", rows));
    return rows;
}

json_t *report_row(json_t *rows) {
    json_t *row = json_object();
    json_array_append_new(rows, row);
    return row;
}

json_t *report_method_row(json_t *rows, kdr_method method) { return report_composed_row(rows, method, KDR_COMPOSE_NONE); }

json_t *report_composed_row(json_t *rows, kdr_method method, kdr_composition compose) {
    const kdr_method_info *info = kdr_method_get(method);
    const int order = compose == KDR_COMPOSE_NONE ? info->order : kdr_composition_get(compose)->order;
    char name[48];
    json_t *row = report_row(rows);
    row_text(row, "method", field_run_name(method, compose, name));
    row_text(row, "family", kdr_family_get(info->family)->name);
    json_object_set_new(row, "order", order == KDR_ORDER_EXACT ? json_string("exact") : json_integer(order));
    return row;
}

void row_number(json_t *row, const char *key, double value) { json_object_set_new(row, key, json_number(value)); }

void row_count(json_t *row, const char *key, uint64_t value) { json_object_set_new(row, key, json_count(value)); }

void row_flag(json_t *row, const char *key, bool value) { json_object_set_new(row, key, json_boolean(value)); }

void row_text(json_t *row, const char *key, const char *value) { json_object_set_new(row, key, json_text(value)); }

double row_get(const json_t *row, const char *key) {
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const json_t *report_find(const json_t *rows, const char *method) {
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        const json_t *row = json_array_get(rows, i);
        const char *name = json_string_value(json_object_get(row, "method"));
        if (name && strcmp(name, method) == 0) {
            return row;
        }
    }
    return NULL;
}

json_t *report_series(report *r, const char *figure, const char *panel, const char *label) {
    json_t *series = json_pack("{s:s, s:s, s:s, s:[], s:[]}", "figure", figure, "panel", panel, "label", label, "x", "y");
    json_array_append_new(json_object_get(r->object, "series"), series);
    return series;
}

void series_point(json_t *series, double x, double y) {
    json_array_append_new(json_object_get(series, "x"), json_number(x));
    json_array_append_new(json_object_get(series, "y"), json_number(y));
}

static bool fail(report *r, const field_run *l) {
    if (!r->failed) {
        fault_set(&r->why, "experiment: %s: %s", l->name, l->error.message);
    }
    r->failed = true;
    return false;
}

bool report_open(report *r, json_t *row, const field_run_setting *setting, field_run *l) {
    if (field_run_open(l, setting)) {
        return true;
    }
    if (l->error.status != KDR_ERROR_UNSUPPORTED) {
        return fail(r, l);
    }
    row_text(row, "refused", l->error.message);
    return false;
}

bool report_steps(report *r, field_run *l, uint64_t steps) { return field_run_steps(l, steps) || fail(r, l); }

static void measure_row(report *r, json_t *rows, const field_run_setting *setting, measure_fn *measure, void *context) {
    json_t *row = report_composed_row(rows, setting->method, setting->compose);
    field_run l;
    if (report_open(r, row, setting, &l)) {
        measure(r, row, &l, context);
        field_run_close(&l);
    }
}

void report_methods(report *r, json_t *rows, field_run_setting setting, measure_fn *measure, void *context) {
    for (int m = 0; m < KDR_METHOD_COUNT && !r->failed; ++m) {
        setting.method = (kdr_method)m;
        measure_row(r, rows, &setting, measure, context);
    }
}

void report_composed(report *r, json_t *rows, field_run_setting setting, measure_fn *measure, void *context) {
    static const kdr_method composed[] = {KDR_VELOCITY_VERLET, KDR_BORIS, KDR_IMPLICIT_MIDPOINT};
    for (size_t m = 0; m < sizeof composed / sizeof *composed; ++m) {
        for (int c = KDR_COMPOSE_NONE + 1; c < KDR_COMPOSITION_COUNT && !r->failed; ++c) {
            setting.method = composed[m];
            setting.compose = (kdr_composition)c;
            measure_row(r, rows, &setting, measure, context);
        }
    }
}

static const char *cell(const json_t *row, const char *key, char text[64]) {
    const json_t *value = json_object_get(row, key);
    if (json_is_string(value)) {
        return json_string_value(value);
    }
    if (json_is_integer(value)) {
        snprintf(text, 64, "%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(text, 64, "%.6g", json_real_value(value));
    } else {
        snprintf(text, 64, "%s", json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "-");
    }
    return text;
}

static size_t width_of(const json_t *table, const json_t *head) {
    const char *key = json_string_value(json_object_get(head, "key"));
    const json_t *rows = json_object_get(table, "rows");
    size_t width = strlen(json_string_value(json_object_get(head, "label")));
    char text[64];
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        const size_t length = strlen(cell(json_array_get(rows, i), key, text));
        width = length > width ? length : width;
    }
    return width;
}

/* Prints a cell: text is left-aligned, numbers are right-aligned. */
static void print_cell(const char *text, size_t width, bool left) { printf(left ? "%-*s  " : "%*s  ", (int)width, text); }

static void print_row(const json_t *row, const json_t *heads, const size_t *widths) {
    char text[64];
    const char *refused = json_string_value(json_object_get(row, "refused"));
    for (size_t c = 0; c < json_array_size(heads); ++c) {
        const char *key = json_string_value(json_object_get(json_array_get(heads, c), "key"));
        if (refused && c > 0) {
            break;
        }
        print_cell(cell(row, key, text), widths[c], json_is_string(json_object_get(row, key)));
    }
    printf("%s%s\n", refused ? "refused: " : "", refused ? refused : "");
}

static void print_table(const json_t *table) {
    enum { MOST = 24 };
    const json_t *heads = json_object_get(table, "columns"), *rows = json_object_get(table, "rows");
    const json_t *first = json_array_get(rows, 0);
    size_t widths[MOST] = {0};
    printf("\n%s\n", json_string_value(json_object_get(table, "title")));
    for (size_t c = 0; c < json_array_size(heads) && c < MOST; ++c) {
        const json_t *head = json_array_get(heads, c);
        widths[c] = width_of(table, head);
        print_cell(json_string_value(json_object_get(head, "label")), widths[c],
                   json_is_string(json_object_get(first, json_string_value(json_object_get(head, "key")))));
    }
    printf("\n");
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        print_row(json_array_get(rows, i), heads, widths);
    }
}

void report_print(const report *r) {
    const json_t *claims = json_object_get(r->object, "claims"), *tables = json_object_get(r->object, "tables");
    printf("%s: %s\n\n%s\n", json_string_value(json_object_get(r->object, "experiment")),
           json_string_value(json_object_get(r->object, "title")), json_string_value(json_object_get(r->object, "about")));
    for (size_t i = 0; i < json_array_size(claims); ++i) {
        const json_t *claim = json_array_get(claims, i);
        printf("\n%s: %s\n    measured: %s\n    reproduces: %s\n", json_string_value(json_object_get(claim, "source")),
               json_string_value(json_object_get(claim, "claim")), json_string_value(json_object_get(claim, "measured")),
               json_is_true(json_object_get(claim, "reproduces")) ? "yes" : "no");
    }
    for (size_t i = 0; i < json_array_size(tables); ++i) {
        print_table(json_array_get(tables, i));
    }
}
