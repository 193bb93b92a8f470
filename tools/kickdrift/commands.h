/* The subcommands of the program `kickdrift`: one entry point each, called with argv[0] the subcommand's name.
 *
 * To add one: write NAME.c with kdr_NAME_main and kdr_NAME_spec, declare both here, give them a row in commands.c and the file a line
 * in CMakeLists.txt. Help, manual pages and completion are made from the spec. */
#ifndef KICKDRIFT_TOOLS_COMMANDS_H
#define KICKDRIFT_TOOLS_COMMANDS_H

#include "options.h"

/* The exit status of the program, which every subcommand returns. */
enum {
    KDR_EXIT_OK = 0,
    KDR_EXIT_FAILED = 1, /* the check failed: a mismatch, a difference, a run that became non-finite */
    KDR_EXIT_REQUEST = 2 /* the request was wrong or could not be carried out: one line on stderr says what was expected */
};

int kdr_run_main(int argc, char **argv);
int kdr_resume_main(int argc, char **argv);
int kdr_verify_main(int argc, char **argv);
int kdr_cpu_main(int argc, char **argv);
int kdr_methods_main(int argc, char **argv);
int kdr_fields_main(int argc, char **argv);
int kdr_experiment_main(int argc, char **argv);
int kdr_bench_main(int argc, char **argv);
int kdr_diff_main(int argc, char **argv);
int kdr_plot_main(int argc, char **argv);
int kdr_convert_main(int argc, char **argv);
int kdr_completion_main(int argc, char **argv);

extern const options_spec kdr_run_spec, kdr_resume_spec, kdr_verify_spec, kdr_cpu_spec, kdr_methods_spec, kdr_fields_spec,
    kdr_experiment_spec, kdr_bench_spec, kdr_diff_spec, kdr_plot_spec, kdr_convert_spec, kdr_completion_spec;

/* Returns what kickdrift experiment takes: "list" for i = 0, then the names of the experiments, NULL after the last. */
const char *kdr_experiment_argument(int i);

/* Returns the name of shell i; NULL after the last. */
const char *kdr_completion_argument(int i);

typedef struct command_row {
    const char *name;
    int (*main)(int argc, char **argv);
    const options_spec *spec;
    const char *summary;
    const char *(*argument)(int i); /* names what the positional argument may be; NULL: it is the name of a file, or there is none */
} command_row;

enum { KDR_COMMAND_COUNT = 12 };
extern const command_row kdr_commands[KDR_COMMAND_COUNT];

/* Returns the row of a command, NULL if there is none of that name. */
const command_row *kdr_command_find(const char *name);

#endif
