/* Makes JSON values and prints them to stdout. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

json_t *json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *json_vector(const double vector[3]) {
    return json_pack("[o, o, o]", json_number(vector[0]), json_number(vector[1]), json_number(vector[2]));
}

json_t *json_count(uint64_t count) { return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count); }

json_t *json_text(const char *text) {
    json_t *value = json_string(text);
    return value ? value : json_null();
}

json_t *json_bits(uint64_t bits) {
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, bits);
    return json_string(text);
}

bool json_print(json_t *value) {
    const bool done = value && json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0;
    if (done) {
        putchar('\n');
    }
    json_decref(value);
    return done || ferror(stdout);
}
