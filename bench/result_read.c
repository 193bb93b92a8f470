/* Reads result files (see result.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"

/* Returns the text of a key; otherwise says what is wrong and returns NULL. */
static const char *text_of(const json_t *object, const char *key, const char *path, fault *why) {
    const char *const text = json_string_value(json_object_get(object, key));
    if (!text) {
        fault_set(why, "bench: %.400s: \"%s\": expected a text", path, key);
    }
    return text;
}

static bool version_is(const json_t *object, const char *key, int expected, const char *path, fault *why) {
    const json_t *const found = json_object_get(object, key);
    return (json_is_integer(found) && json_integer_value(found) == expected) ||
           fault_set(why, "bench: %.400s: \"%s\" is %lld, expected %d; measure again with this version", path, key,
                     (long long)json_integer_value(found), expected);
}

static bool read_row(kdr_bench_result_row *row, const json_t *object, const char *path, fault *why) {
    size_t i;
    const json_t *value, *const values = json_object_get(object, "values");
    row->name = text_of(object, "name", path, why);
    row->unit = row->name ? text_of(object, "unit", path, why) : NULL;
    if (!row->unit) {
        return false;
    }
    if (!json_array_size(values)) {
        return fault_set(why, "bench: %.400s: row \"%.100s\": \"values\": expected a list of numbers", path, row->name);
    }
    row->values = malloc(json_array_size(values) * sizeof *row->values);
    if (!row->values) {
        return fault_set(why, "bench: out of memory");
    }
    json_array_foreach(values, i, value) {
        row->values[i] = json_number_value(value);
        if (!(row->values[i] > 0)) {
            return fault_set(why, "bench: %.400s: row \"%.100s\": value %zu: expected a positive number", path, row->name, i);
        }
    }
    row->count = json_array_size(values);
    row->median = kdr_bench_summarise(row->values, row->count).median;
    return true;
}

static bool read_rows(kdr_bench_result *result, fault *why) {
    const json_t *const rows = json_object_get(result->json, "rows");
    const size_t count = json_array_size(rows);
    if (!count) {
        return fault_set(why, "bench: %.400s: \"rows\": expected a list of rows", result->path);
    }
    result->rows = calloc(count, sizeof *result->rows);
    if (!result->rows) {
        return fault_set(why, "bench: out of memory");
    }
    for (; result->count < count; ++result->count) {
        kdr_bench_result_row *const row = &result->rows[result->count];
        if (!read_row(row, json_array_get(rows, result->count), result->path, why)) {
            free(row->values);
            return false;
        }
        if (kdr_bench_result_find(result, row->name)) {
            free(row->values);
            return fault_set(why, "bench: %.400s: row \"%.100s\" is there twice, expected it once", result->path, row->name);
        }
    }
    return true;
}

/* Refuses a result whose backends did not compute what the reference computes. */
static bool is_valid(const kdr_bench_result *result, fault *why) {
    const char *const expected = text_of(result->json, "expected_fingerprint", result->path, why);
    if (!expected) {
        return false;
    }
    return (strcmp(result->fingerprint, expected) == 0 && !json_is_true(json_object_get(result->json, "void"))) ||
           fault_set(why, "bench: %.400s: the result is void: its fingerprint is %.20s, expected %.20s; kickdrift verify says what differs",
                     result->path, result->fingerprint, expected);
}

bool kdr_bench_result_read(kdr_bench_result *result, const char *path, fault *why) {
    json_error_t error;
    *result = (kdr_bench_result){.path = path, .json = json_load_file(path, 0, &error), .score = NAN};
    if (!result->json && json_error_code(&error) == json_error_cannot_open_file) {
        return fault_set(why, "bench: %.400s: cannot be read, expected a file that kickdrift bench --suite --out wrote", path);
    }
    if (!result->json) {
        return fault_set(why, "bench: %.400s:%d: %.200s, expected JSON that kickdrift bench --suite --out wrote", path, error.line,
                         error.text);
    }
    const char *const format = json_string_value(json_object_get(result->json, "format"));
    if (!format || strcmp(format, KDR_BENCH_RESULT_FORMAT) != 0) {
        return fault_set(
            why, "bench: %.400s: \"format\": expected \"" KDR_BENCH_RESULT_FORMAT "\", as kickdrift bench --suite --out writes it", path);
    }
    if (!version_is(result->json, "format_version", KDR_BENCH_RESULT_VERSION, path, why) ||
        !version_is(result->json, "suite_version", KDR_BENCH_SUITE_VERSION, path, why)) {
        return false;
    }
    const json_t *const score = json_object_get(json_object_get(result->json, "scores"), "all");
    result->score = json_is_number(score) ? json_number_value(score) : NAN;
    result->quiet = json_is_true(json_object_get(result->json, "quiet"));
    result->processor = text_of(json_object_get(result->json, "machine"), "processor", path, why);
    result->version = result->processor ? text_of(result->json, "library_version", path, why) : NULL;
    result->fingerprint = result->version ? text_of(result->json, "fingerprint", path, why) : NULL;
    return result->fingerprint && is_valid(result, why) && read_rows(result, why);
}

void kdr_bench_result_free(kdr_bench_result *result) {
    for (size_t i = 0; i < result->count; ++i) {
        free(result->rows[i].values);
    }
    free(result->rows);
    json_decref(result->json);
    *result = (kdr_bench_result){.path = NULL};
}

const kdr_bench_result_row *kdr_bench_result_find(const kdr_bench_result *result, const char *name) {
    for (size_t i = 0; i < result->count; ++i) {
        if (strcmp(result->rows[i].name, name) == 0) {
            return &result->rows[i];
        }
    }
    return NULL;
}
