/* JSON objects by jansson, with what its own functions leave to the caller. */
#ifndef KICKDRIFT_TOOLS_JSON_H
#define KICKDRIFT_TOOLS_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* JSON has no NaN and no infinities: they become null. */
json_t *json_number(double value);
json_t *json_vector(const double vector[3]);

/* From 2^63 on (ids may be) a count is rounded to a double: jansson's integers end there. */
json_t *json_count(uint64_t count);

/* JSON is UTF-8: other text, which a file name may be, becomes null. */
json_t *json_text(const char *text);

/* 64 bits as 16 hexadecimal digits: as a number most readers would round them. */
json_t *json_bits(uint64_t bits);

/* Prints the value and a newline to stdout and releases it; false when there was no memory for it, and so for NULL. What could not be written
 * is main's to say, as of any text. */
bool json_print(json_t *value);

#endif
