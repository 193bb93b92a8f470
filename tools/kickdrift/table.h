/* Rows of a CSV file with a header, one at a time: libcsv's parser, with the lines counted and everything bounded.
 *
 * Taken: comma-separated, fields quoted or not, lines ended by LF or CRLF, the last one by nothing if it likes, blank lines, a UTF-8 byte
 * order mark. Refused, in one line that names file and line: NUL bytes, a lone CR, rows over 1 MiB, files over 4 GiB, quotes that do not
 * close, rows of another length than the header, other separators than commas. The time is that of the file's size, but for the header, whose columns are sorted. */
#ifndef KICKDRIFT_TOOLS_TABLE_H
#define KICKDRIFT_TOOLS_TABLE_H

#include "fault.h"
#include "value.h"

typedef struct table table;

typedef enum table_result { TABLE_ROW, TABLE_END, TABLE_WRONG } table_result;

/* Opens the file and reads its header. `file` and `why` are borrowed. NULL, with `why` filled, on failure. */
table *table_open(const char *file, fault *why);
void table_close(table *opened); /* NULL is allowed */

/* Columns of the header, without a "# " before the first. A header all in capitals is found by small names. SIZE_MAX: there is none of that name. */
size_t table_columns(const table *opened);
const char *table_name(const table *opened, size_t column);
size_t table_find(const table *opened, const char *name);

/* The next row, whose fields are then valid until the next call. */
table_result table_next(table *opened);
const char *table_field(const table *opened, size_t column);
size_t table_line(const table *opened); /* where the row began, from 1 */

/* Reads a field. False, with the fault set, when it is not of the type. */
bool table_value(table *opened, size_t column, const value_type *type, void *destination);

/* Complains that there is no such column, and says which there are; `more` ends what is expected. Always false. */
bool table_lacks(table *opened, const char *name, const char *more);

/* "FILE:LINE: <message>"; always false. */
FAULT_FORMAT(2, 3) bool table_complain(table *opened, const char *format, ...);

#endif
