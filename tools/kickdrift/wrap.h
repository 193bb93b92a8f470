/* Text in lines that fit the terminal. */
#ifndef KICKDRIFT_TOOLS_WRAP_H
#define KICKDRIFT_TOOLS_WRAP_H

/* Returns the number of columns for help: COLUMNS in the environment, otherwise the width of the terminal of standard output, otherwise 80;
 * from 40 to 120. */
int wrap_columns(void);

/* Prints words to standard output in lines of at most `columns` columns, each indented by `indent` blanks. The first line begins at column
 * `at`, where the cursor is. A newline in the text ends a line; the last line is ended too. */
void wrap_print(const char *text, int at, int indent, int columns);

#endif
