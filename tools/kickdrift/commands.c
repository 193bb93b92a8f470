/* The table of subcommands. */
#include "commands.h"

#include <string.h>

const command_row kdr_commands[KDR_COMMAND_COUNT] = {
    {"run", kdr_run_main, &kdr_run_spec, "step the particles of a scene and report energies, momentum and the rate", NULL},
    {"resume", kdr_resume_main, &kdr_resume_spec, "go on with a run that was stopped, from its checkpoint", NULL},
    {"verify", kdr_verify_main, &kdr_verify_spec, "prove every backend that runs here against the reference, bit for bit", NULL},
    {"cpu", kdr_cpu_main, &kdr_cpu_spec, "show the processor, its instruction sets and the backend that is chosen", NULL},
    {"methods", kdr_methods_main, &kdr_methods_spec, "list the methods, or print the program of one", NULL},
    {"fields", kdr_fields_main, &kdr_fields_spec, "list the fields by name, with their parameters and formulas", NULL},
    {"experiment", kdr_experiment_main, &kdr_experiment_spec, "do an experiment that the sources describe, with every method",
     kdr_experiment_argument},
    {"bench", kdr_bench_main, &kdr_bench_spec, "measure acceleration evaluations per second", NULL},
    {"convert", kdr_convert_main, &kdr_convert_spec, "write frames in another kind of file: CSV, H5MD, extended XYZ, .npy", NULL},
    {"plot", kdr_plot_main, &kdr_plot_spec, "draw a run's frames: paths, speeds, energy, momentum, sections, films", NULL},
    {"diff", kdr_diff_main, &kdr_diff_spec, "compare two CSV files of particles in units in the last place", NULL},
    {"completion", kdr_completion_main, &kdr_completion_spec, "print the completion of a shell: bash, zsh, fish", kdr_completion_argument},
};

const command_row *kdr_command_find(const char *name) {
    for (size_t i = 0; i < KDR_COMMAND_COUNT; ++i) {
        if (strcmp(kdr_commands[i].name, name) == 0) {
            return &kdr_commands[i];
        }
    }
    return NULL;
}
