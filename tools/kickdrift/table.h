/* Reads a CSV file with a header, one row at a time, by libcsv's parser. Lines are counted and memory is bounded.
 *
 * Accepted: fields separated by commas, quoted or not; lines ended by LF or CRLF, the last one optionally by nothing; blank lines; a UTF-8
 * byte order mark.
 *
 * Refused, in one line that names file and line: NUL bytes, a lone CR, rows over 1 MiB, files over 4 GiB, quotes that do not close, rows
 * with more or fewer fields than the header, separators other than commas.
 *
 * The time is proportional to the size of the file, except for the header, whose columns are sorted. */
#ifndef KICKDRIFT_TOOLS_TABLE_H
#define KICKDRIFT_TOOLS_TABLE_H

#include "fault.h"
#include "value.h"

typedef struct table table;

typedef enum table_result { TABLE_ROW, TABLE_END, TABLE_WRONG } table_result;

/* Opens the file and reads its header. `file` and `why` are borrowed. Returns NULL, with `why` filled, on failure. */
table *table_open(const char *file, fault *why);
void table_close(table *opened); /* may be NULL */

/* The columns of the header, without a "# " before the first. table_find finds a column by its name in lower case, also in a header that is
 * all capitals; SIZE_MAX: there is none. */
size_t table_columns(const table *opened);
const char *table_name(const table *opened, size_t column);
size_t table_find(const table *opened, const char *name);

/* Reads the next row. Its fields are valid until the next call. */
table_result table_next(table *opened);
const char *table_field(const table *opened, size_t column);
size_t table_line(const table *opened); /* line in which the row began, from 1 */

/* Reads a field. Returns false, with the fault set, if it is not of the type. */
bool table_value(table *opened, size_t column, const value_type *type, void *destination);

/* Complains that there is no such column and lists the columns there are; `more` ends what is expected. Always returns false. */
bool table_lacks(table *opened, const char *name, const char *more);

/* Reports "FILE:LINE: <message>". Always returns false. */
FAULT_FORMAT(2, 3) bool table_complain(table *opened, const char *format, ...);

#endif
