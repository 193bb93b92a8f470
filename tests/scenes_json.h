/* Reads the output of --json. */
#ifndef KICKDRIFT_TESTS_SCENES_JSON_H
#define KICKDRIFT_TESTS_SCENES_JSON_H

#include "scenes_program.h"

#include <criterion/criterion.h>
#include <jansson.h>

/* Returns the single value on stdout, which the caller releases; there must be nothing else. */
static inline json_t *program_json(const program *p) {
    json_error_t error;
    json_t *value = json_loads(p->out, 0, &error);
    cr_assert(value, "line %d: %s, in\n%s%s", error.line, error.text, p->out, p->err);
    return value;
}

/* Returns a number of an object, by the path of its keys. */
static inline double json_at(const json_t *object, const char *key, const char *inner) {
    const json_t *value = json_object_get(object, key);
    if (inner) {
        value = json_object_get(value, inner);
    }
    cr_assert(json_is_number(value), "%s %s is a number", key, inner ? inner : "");
    return json_number_value(value);
}

static inline const char *json_text_at(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    cr_assert(json_is_string(value), "%s is a text", key);
    return json_string_value(value);
}

#endif
