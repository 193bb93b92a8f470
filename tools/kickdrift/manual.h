/* Manual pages, made from the tables of commands and options. */
#ifndef KICKDRIFT_TOOLS_MANUAL_H
#define KICKDRIFT_TOOLS_MANUAL_H

#include "commands.h"

/* Prints the page kickdrift-COMMAND.1, or kickdrift.1 for NULL, in the language of man(7). */
void manual_print(const command_row *of);

/* The options of `kickdrift` without a command, such as --version. */
typedef struct program_option {
    const char *name; /* without the dashes */
    const char *help;
} program_option;
enum { PROGRAM_OPTION_COUNT = 2 };
extern const program_option program_options[PROGRAM_OPTION_COUNT];

/* The environment variables that the program reads. */
typedef struct program_variable {
    const char *name, *help;
} program_variable;
enum { PROGRAM_VARIABLE_COUNT = 4 };
extern const program_variable program_variables[PROGRAM_VARIABLE_COUNT];

#define PROGRAM_SUMMARY "Steps very many particles, with the same bits on every processor."

#endif
