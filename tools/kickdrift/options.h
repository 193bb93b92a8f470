/* Arguments of a subcommand, described by a table. getopt_long parses them, --help explains them, and a wrong one is refused in one
 * line. */
#ifndef KICKDRIFT_TOOLS_OPTIONS_H
#define KICKDRIFT_TOOLS_OPTIONS_H

#include "fault.h"
#include "value.h"

typedef struct option_row {
    const char *name;       /* without the dashes */
    const char *value;      /* the name of the value in --help; NULL: a flag, whose destination is a bool */
    const value_type *type; /* type of the value, which may be left out if it is VALUE_SWITCH */
    size_t offset;          /* offset of the destination in the caller's struct */
    const char *help;
} option_row;

enum { OPTIONS_ANY_COUNT = -1 };

typedef struct options_spec {
    const char *command;   /* "run" */
    const char *arguments; /* how --help names the positional arguments, such as "SCENE.yaml"; "" if there are none */
    int argument_count;    /* exact number of positional arguments, or OPTIONS_ANY_COUNT */
    const char *summary;   /* one sentence */
    const char *details;   /* further paragraphs, each ended by a newline; "" if there are none */
    const option_row *rows;
    size_t row_count;
} options_spec;

typedef enum options_result {
    OPTIONS_GO,   /* `record` and `positional` are filled */
    OPTIONS_HELP, /* --help was printed */
    OPTIONS_WRONG /* `why` is filled */
} options_result;

/* Returns true if the value of the option may be left out, as in --color and --color=always. */
bool options_is_switch(const option_row *row);

/* Writes the option as it is typed, such as "--seed N", and returns its length. */
int options_typed(const option_row *row, char *text, size_t size);

/* Writes the explanation of the option, and after a colon which values it takes. Returns `text`. */
enum { OPTIONS_EXPLAINED = 768 };
const char *options_explained(const option_row *row, char text[OPTIONS_EXPLAINED]);

/* Prints the text of --help. */
void options_help(const options_spec *spec);

/* Writes "; did you mean --steps?" if an option has a name close to the given word, otherwise "". Returns `buffer`. */
const char *options_nearest(value_name_at *name, const void *context, const char *given, char *buffer, size_t size);

/* Parses the arguments. Destinations of options that are not given keep what the caller put there. `positional` has room for
 * argument_count; for OPTIONS_ANY_COUNT it has room for argc, and a NULL follows the last. */
options_result options_parse(const options_spec *spec, int argc, char **argv, void *record, const char **positional, fault *why);

/* Parses the arguments at the beginning of a command. Returns -1 if the command is to go on, or the exit status after --help or after a
 * report of what is wrong. */
int options_begin(const options_spec *spec, int argc, char **argv, void *record, const char **positional, fault *why);

#endif
