/* Text in lines that fit the terminal. */
#ifndef KICKDRIFT_TOOLS_WRAP_H
#define KICKDRIFT_TOOLS_WRAP_H

/* Returns how many columns a line of help has: COLUMNS of the environment, else the terminal's of standard output, else 80; from 40 to 120. */
int wrap_columns(void);

/* Prints text to standard output between blanks: lines of at most `columns` columns, each after `indent` blanks. The first line begins at
 * column `at`, where the cursor is. A newline in the text ends a line; the last line is ended too. */
void wrap_print(const char *text, int at, int indent, int columns);

#endif
