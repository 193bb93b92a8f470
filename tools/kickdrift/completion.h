/* The completion of shells, made from the tables of commands and options. */
#ifndef KICKDRIFT_TOOLS_COMPLETION_H
#define KICKDRIFT_TOOLS_COMPLETION_H

#include "commands.h"

/* What may stand in the place of a value: a file, one of a list of names, or text that no shell can guess. */
typedef enum completion_kind { COMPLETION_TEXT, COMPLETION_FILE, COMPLETION_NAMES } completion_kind;

completion_kind completion_of_option(const option_row *row);
completion_kind completion_of_argument(const command_row *of);

/* Returns the ending of the files that a value is called after, ".yaml" of "SCENE.yaml"; "" where any file will do. */
const char *completion_ending(const char *value);

/* Prints names with blanks between them. */
void completion_put_names(const char *(*name)(int i));

/* Prints text inside single quotes, which the caller prints: a quote in it is written as `quote`, the letters of `marked` get a backslash. */
void completion_put_quoted(const char *text, const char *quote, const char *marked);

void completion_bash(void);
void completion_zsh(void);
void completion_fish(void);

#endif
