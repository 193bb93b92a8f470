/* The results of an experiment, as JSON and as text. The format is for programs: tools/plot draws it, tests check it.
 *
 * {"experiment": "e3", "title": ..., "about": what is done, "quick": shortened or not,
 * "claims": [{"source": who claims it, "claim": ..., "measured": ..., "reproduces": true or false}],
 * "tables": [{"name": ..., "title": ..., "columns": [{"key": ..., "label": ...}], "rows": [{KEY: value, ...}]}],
 * "series": [{"figure": ..., "panel": ..., "label": ..., "x": [...], "y": [...]}]}
 *
 * The row of a method begins with "method", "family" and "order". If the combination is refused, "refused" holds the library's message and
 * the other keys are absent. A number that is not finite is null. The "label" of a series is a method's name or "exact". Series with the
 * same "figure" belong into one picture, those with the same "panel" into one of its frames. */
#ifndef KICKDRIFT_TOOLS_EXPERIMENTS_REPORT_H
#define KICKDRIFT_TOOLS_EXPERIMENTS_REPORT_H

#include "../kickdrift/fault.h"
#include "../kickdrift/json.h"
#include "field_run.h"

typedef struct report {
    json_t *object;
    bool quick;  /* long experiments take fewer steps */
    bool failed; /* something other than a refusal went wrong, and `why` says what */
    fault why;
} report;

void report_begin(report *r, const char *name, const char *title, bool quick);
void report_end(report *r);

/* Sets the description: the problem, the settings, and what is measured. */
void report_about(report *r, const char *text);

/* Adds a claim: what a source says, what was measured, and whether they agree. */
FAULT_FORMAT(5, 6) void report_claim(report *r, bool reproduces, const char *source, const char *claim, const char *measured, ...);

/* Appends words to a comma-separated list for a claim. */
FAULT_FORMAT(2, 3) void report_enumerate(char list[512], const char *words, ...);

/* A column: its key in the rows, and its heading. */
typedef struct column {
    const char *key, *label;
} column;

/* Adds a table and returns its rows, which the report owns. `columns` ends with an empty one. */
json_t *report_table(report *r, const char *name, const char *title, const column *columns);

/* Add a row, which `rows` owns, and return it. The row of a method begins with its properties from the table of methods. */
json_t *report_row(json_t *rows);
json_t *report_method_row(json_t *rows, kdr_method method);
json_t *report_composed_row(json_t *rows, kdr_method method, kdr_composition compose);

void row_number(json_t *row, const char *key, double value); /* null if not finite */
void row_count(json_t *row, const char *key, uint64_t value);
void row_flag(json_t *row, const char *key, bool value);
void row_text(json_t *row, const char *key, const char *value);

/* row_get returns a number of a row, NaN if there is none. report_find returns the row of a method by name, NULL if there is none. */
double row_get(const json_t *row, const char *key);
const json_t *report_find(const json_t *rows, const char *method);

/* Adds a series. series_point adds its points. */
json_t *report_series(report *r, const char *figure, const char *panel, const char *label);
void series_point(json_t *series, double x, double y);

/* Opens the laboratory for a method. If the combination is refused, the row says so; any other failure makes the report fail. */
bool report_open(report *r, json_t *row, const field_run_setting *setting, field_run *l);

/* Takes steps. If the library fails, the report does. */
bool report_steps(report *r, field_run *l, uint64_t steps);

/* Calls `measure` for every method of the library that accepts the setting, with a new row and an open laboratory. */
typedef void measure_fn(report *r, json_t *row, field_run *l, void *context);
void report_methods(report *r, json_t *rows, field_run_setting setting, measure_fn *measure, void *context);

/* Calls `measure` for velocity Verlet, Boris' method and the implicit midpoint rule with every composition. */
void report_composed(report *r, json_t *rows, field_run_setting setting, measure_fn *measure, void *context);

/* Prints claims and tables as text on stdout. */
void report_print(const report *r);

#endif
