/* The subcommands of the program `kickdrift`: one entry point each, called with argv[0] the subcommand's name.
 *
 * To add one: write NAME.c with kdr_NAME_main, declare it here, give it a row in main.c and its file a line in CMakeLists.txt. */
#ifndef KICKDRIFT_TOOLS_COMMANDS_H
#define KICKDRIFT_TOOLS_COMMANDS_H

/* What every subcommand returns, and the program exits with. */
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

#endif
