/* The program `kickdrift`: calls one of the subcommands, or prints help or the version. */
#include "commands.h"
#include "fault.h"
#include "host.h"
#include "manual.h"
#include "value.h"
#include "version.h"
#include "wrap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *command_name_at(const void *context, size_t i) {
    (void)context;
    return i < KDR_COMMAND_COUNT ? kdr_commands[i].name : NULL;
}

static const char *option_name_at(const void *context, size_t i) {
    (void)context;
    return i < PROGRAM_OPTION_COUNT ? program_options[i].name : NULL;
}

static int print_help(void) {
    const int columns = wrap_columns();
    printf("usage: kickdrift COMMAND [arguments]\n\n");
    wrap_print(PROGRAM_SUMMARY, 0, 0, columns);
    printf("\ncommands:\n");
    for (size_t i = 0; i < KDR_COMMAND_COUNT; ++i) {
        wrap_print(kdr_commands[i].summary, printf("  %-10s", kdr_commands[i].name), 14, columns);
    }
    putchar('\n');
    wrap_print(
        "kickdrift COMMAND --help (or help COMMAND) explains a command, help --man [COMMAND] prints its manual page; kickdrift --version "
        "prints the version.\n"
        "The environment's KDR_BACKEND names the backend to use, as run --backend does.\n"
        "Exit status: 0; 1 when a check failed; 2 when the request was wrong.",
        0, 0, columns);
    return KDR_EXIT_OK;
}

static int unknown(const char *word) {
    fault why;
    char text[64], hint[96];
    const bool is_option = word[0] == '-';
    fault_set(&why, "unknown %s %s%s, expected one that kickdrift --help lists", is_option ? "option" : "command",
              fault_quote(word, text, sizeof text),
              is_option ? options_nearest(option_name_at, NULL, word, hint, sizeof hint)
                        : value_nearest(command_name_at, NULL, word, hint, sizeof hint));
    return fault_report(&why);
}

/* Carries out `help`, `help run`, `help --man`, `help --man run`; `words` are the arguments after `help`. */
static int explain(char **words) {
    const bool as_manual = words[0] && strcmp(words[0], "--man") == 0;
    char *const name = words[as_manual];
    const command_row *const asked = name ? kdr_command_find(name) : NULL;
    if (name && !asked) {
        return unknown(name);
    }
    if (as_manual) {
        manual_print(asked);
        return KDR_EXIT_OK;
    }
    if (!asked) {
        return print_help();
    }
    options_help(asked->spec);
    return KDR_EXIT_OK;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        fault why;
        fault_set(&why, "a command is missing, expected one that kickdrift --help lists");
        return fault_report(&why);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        return print_help();
    }
    if (strcmp(argv[1], "help") == 0) {
        return explain(argv + 2);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        version_print();
        return KDR_EXIT_OK;
    }
    const command_row *const asked = kdr_command_find(argv[1]);
    return asked ? asked->main(argc - 1, argv + 1) : unknown(argv[1]);
}

int main(int argc, char **argv) {
    char **const arguments = host_begin(&argc, argv);
    int status = dispatch(argc, arguments);
    /* A write to stdout that failed, as on a full disk, is an error like any other. */
    const bool failed = ferror(stdout) != 0;
    if ((fclose(stdout) != 0 || failed) && status != KDR_EXIT_REQUEST) {
        fault why;
        fault_set(&why, "cannot write to standard output: %s, expected room for the results", strerror(errno));
        status = fault_report(&why);
    }
    return status;
}
