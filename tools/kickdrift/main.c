/* The program `kickdrift`: a table of subcommands. */
#include "commands.h"
#include "fault.h"
#include "system.h"
#include "value.h"

#include <kickdrift/kickdrift.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *summary;
} command;

static const command commands[] = {
    {"run", kdr_run_main, "step the particles of a scene and report energies, momentum and the rate"},
    {"resume", kdr_resume_main, "go on with a run that was stopped, from its checkpoint"},
    {"verify", kdr_verify_main, "prove every backend that runs here against the reference, bit for bit"},
    {"cpu", kdr_cpu_main, "show the processor, its instruction sets and the backend that is chosen"},
    {"methods", kdr_methods_main, "list the methods, or print the program of one"},
    {"fields", kdr_fields_main, "list the fields by name, with their parameters and formulas"},
    {"experiment", kdr_experiment_main, "do an experiment that the sources describe, with every method"},
    {"bench", kdr_bench_main, "measure acceleration evaluations per second"},
    {"convert", kdr_convert_main, "write frames in another kind of file: CSV, H5MD, extended XYZ, .npy"},
    {"plot", kdr_plot_main, "draw a run's frames: paths, speeds, energy, momentum, sections, films"},
    {"diff", kdr_diff_main, "compare two CSV files of particles in units in the last place"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const char *command_name_at(const void *context, size_t i) {
    (void)context;
    return i < COMMAND_COUNT ? commands[i].name : NULL;
}

static int print_help(void) {
    printf("usage: kickdrift COMMAND [arguments]\n\nSteps very many particles, with the same bits on every processor.\n\n"
           "commands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; ++i) {
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    }
    printf("\nkickdrift COMMAND --help (or help COMMAND) explains a command; kickdrift --version prints the version.\n"
           "The environment's KDR_BACKEND names the backend to use, as run --backend does.\n"
           "Exit status: 0; 1 when a check failed; 2 when the request was wrong.\n");
    return KDR_EXIT_OK;
}

static const command *find(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; ++i) {
        if (strcmp(name, commands[i].name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int print_version(void) {
    printf("kickdrift %s\n", kdr_version());
    return KDR_EXIT_OK;
}

static int dispatch(int argc, char **argv) {
    fault why;
    char text[64], hint[96];
    if (argc < 2) {
        fault_set(&why, "a command is missing, expected one that kickdrift --help lists");
        return fault_report(&why);
    }
    const bool help = strcmp(argv[1], "help") == 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (help && argc < 3)) {
        return print_help();
    }
    if (strcmp(argv[1], "--version") == 0) {
        return print_version();
    }
    const command *const asked = find(argv[help ? 2 : 1]);
    if (asked && help) { /* `help run` is `run --help` */
        char option[] = "--help", *arguments[] = {argv[2], option, NULL};
        return asked->main(2, arguments);
    }
    if (asked) {
        return asked->main(argc - 1, argv + 1);
    }
    fault_set(&why, "unknown command %s%s, expected one that kickdrift --help lists", fault_quote(argv[help ? 2 : 1], text, sizeof text),
              value_nearest(command_name_at, NULL, argv[help ? 2 : 1], hint, sizeof hint));
    return fault_report(&why);
}

int main(int argc, char **argv) {
    char **const arguments = system_begin(&argc, argv);
    int status = dispatch(argc, arguments);
    /* What was printed must have arrived: a full disk behind stdout is an error like any other. */
    const bool failed = ferror(stdout) != 0;
    if ((fclose(stdout) != 0 || failed) && status != KDR_EXIT_REQUEST) {
        fault why;
        fault_set(&why, "cannot write to standard output: %s, expected room for the results", strerror(errno));
        status = fault_report(&why);
    }
    return status;
}
