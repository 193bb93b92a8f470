/* JSON values, made by jansson. These functions handle the values that JSON cannot hold. */
#ifndef KICKDRIFT_TOOLS_JSON_H
#define KICKDRIFT_TOOLS_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns a number. NaN and infinities, which JSON does not have, become null. */
json_t *json_number(double value);
json_t *json_vector(const double vector[3]);

/* Returns a count. A count of 2^63 or more, such as an id, becomes a rounded double, because jansson's integers end there. */
json_t *json_count(uint64_t count);

/* Returns a text. A text that is not UTF-8, such as some file names, becomes null. */
json_t *json_text(const char *text);

/* Returns 64 bits as a text of 16 hexadecimal digits. Most readers would round them if they were a number. */
json_t *json_bits(uint64_t bits);

/* Prints the value and a newline to stdout and releases it. Returns false if the value is NULL or there is no memory. Failed writes are not
 * reported here, but by main at the end. */
bool json_print(json_t *value);

#endif
