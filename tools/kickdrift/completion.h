/* Completion for three shells, made from the tables of commands and options. */
#ifndef KICKDRIFT_TOOLS_COMPLETION_H
#define KICKDRIFT_TOOLS_COMPLETION_H

#include "commands.h"

/* The kinds of a value: text that no shell can guess, a file, one of a list of names. */
typedef enum completion_kind { COMPLETION_TEXT, COMPLETION_FILE, COMPLETION_NAMES } completion_kind;

completion_kind completion_of_option(const option_row *row);
completion_kind completion_of_argument(const command_row *of);

/* Returns the file ending that a value is named after, such as ".yaml" for "SCENE.yaml"; "" if any file will do. */
const char *completion_ending(const char *value);

/* Prints the names, separated by blanks. */
void completion_put_names(const char *(*name)(int i));

/* Prints text for a place inside single quotes, which the caller prints. A quote in the text is written as `quote`; the letters in `marked`
 * get a backslash. */
void completion_put_quoted(const char *text, const char *quote, const char *marked);

void completion_bash(void);
void completion_zsh(void);
void completion_fish(void);

#endif
