/* Reads the output of `kickdrift experiment`. */
#ifndef KICKDRIFT_TESTS_EXPERIMENTS_JSON_H
#define KICKDRIFT_TESTS_EXPERIMENTS_JSON_H

#include "scenes_json.h"

#include <kickdrift/kickdrift.h>
#include <math.h>
#include <string.h>

/* Returns the report, which the caller releases; `option` may be NULL. */
static inline json_t *experiment_json(program *p, const char *name, const char *option) {
    program_run(p, "experiment", name, "--json", option, NULL);
    cr_assert(p->status == 0, "%s: %s", name, p->err);
    json_t *report = program_json(p);
    cr_assert(strcmp(json_text_at(report, "experiment"), name) == 0);
    return report;
}

static inline const json_t *experiment_rows(const json_t *report, const char *table) {
    size_t i;
    const json_t *each;
    json_array_foreach(json_object_get(report, "tables"), i, each) {
        if (strcmp(json_text_at(each, "name"), table) == 0) {
            return json_object_get(each, "rows");
        }
    }
    cr_assert(false, "no table %s", table);
    return NULL;
}

/* Returns the row of a method; if a method has several, the one whose `key` is `value`. NULL: no such row. */
static inline const json_t *experiment_row(const json_t *rows, const char *method, const char *key, double value) {
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row) {
        if (strcmp(json_text_at(row, "method"), method) == 0 && (!key || json_number_value(json_object_get(row, key)) == value)) {
            return row;
        }
    }
    return NULL;
}

/* Returns a number of a row; NaN if there is none, with which every comparison fails. */
static inline double experiment_number(const json_t *row, const char *key) {
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static inline bool experiment_flag(const json_t *row, const char *key) { return json_is_true(json_object_get(row, key)); }

static inline bool experiment_refused(const json_t *row) { return json_object_get(row, "refused") != NULL; }

/* Returns the claim that contains the words; fails if there is none. */
static inline const json_t *experiment_claim(const json_t *report, const char *words) {
    size_t i;
    const json_t *claim;
    json_array_foreach(json_object_get(report, "claims"), i, claim) {
        if (strstr(json_text_at(claim, "claim"), words)) {
            return claim;
        }
    }
    cr_assert(false, "%s: no claim says \"%s\"", json_text_at(report, "experiment"), words);
    return NULL;
}

/* Checks that there are as many claims as expected, and that all reproduce except those with one of the words in `refuted`, which ends with
 * NULL. */
static inline void experiment_claims(const json_t *report, size_t count, const char *const refuted[]) {
    size_t i;
    const json_t *claim;
    const json_t *claims = json_object_get(report, "claims");
    cr_expect(json_array_size(claims) == count, "%s: %zu claims, expected %zu", json_text_at(report, "experiment"), json_array_size(claims),
              count);
    json_array_foreach(claims, i, claim) {
        bool holds = true;
        for (const char *const *words = refuted; words && *words; ++words) {
            holds = holds && !strstr(json_text_at(claim, "claim"), *words);
        }
        cr_expect(json_is_true(json_object_get(claim, "reproduces")) == holds, "%s: %s; measured: %s", json_text_at(report, "experiment"),
                  json_text_at(claim, "claim"), json_text_at(claim, "measured"));
    }
    for (const char *const *words = refuted; words && *words; ++words) {
        experiment_claim(report, *words);
    }
}

/* Returns true if the measured number is within a fraction `part` of the expected one; false for NaN. */
static inline bool near_part(double measured, double expected, double part) { return fabs(measured - expected) <= part * fabs(expected); }

#endif
