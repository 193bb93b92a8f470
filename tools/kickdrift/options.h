/* Arguments of a subcommand, described by a table: parsed by getopt_long, explained by --help, refused in one line. */
#ifndef KICKDRIFT_TOOLS_OPTIONS_H
#define KICKDRIFT_TOOLS_OPTIONS_H

#include "fault.h"
#include "value.h"

typedef struct option_row {
    const char *name;       /* without the dashes */
    const char *value;      /* what --help calls the value; NULL: a flag, whose destination is a bool */
    const value_type *type; /* of the value, which may be left out where it is VALUE_SWITCH */
    size_t offset;          /* of the destination in the caller's struct */
    const char *help;
} option_row;

typedef struct options_spec {
    const char *command;   /* "run" */
    const char *arguments; /* "SCENE.yaml": what --help calls the positional arguments; "" when there are none */
    int argument_count;    /* positional arguments, exactly */
    const char *summary;   /* one sentence */
    const char *details;   /* more, each paragraph ended by a newline; "" for nothing more */
    const option_row *rows;
    size_t row_count;
} options_spec;

typedef enum options_result {
    OPTIONS_GO,   /* `record` and `positional` are filled */
    OPTIONS_HELP, /* --help was printed */
    OPTIONS_WRONG /* `why` is filled */
} options_result;

/* Whether the option takes a value that may be left out: --color and --color=always. */
bool options_is_switch(const option_row *row);

/* Writes what is typed, "--seed N", and returns its length. */
int options_typed(const option_row *row, char *text, size_t size);

/* Writes what the option is, and after a colon which values it takes. Returns `text`. */
enum { OPTIONS_EXPLAINED = 768 };
const char *options_explained(const option_row *row, char text[OPTIONS_EXPLAINED]);

/* Prints what --help prints. */
void options_help(const options_spec *spec);

/* Writes "; did you mean --steps?" when an option's name is close to the word that was given, else "". Returns `buffer`. */
const char *options_nearest(value_name_at *name, const void *context, const char *given, char *buffer, size_t size);

/* Destinations of options that are not given keep what the caller put there. `positional` has room for argument_count. */
options_result options_parse(const options_spec *spec, int argc, char **argv, void *record, const char **positional, fault *why);

/* options_parse at the beginning of a command: the exit status where that is all, after --help or a report of what is wrong; else -1. */
int options_begin(const options_spec *spec, int argc, char **argv, void *record, const char **positional, fault *why);

#endif
