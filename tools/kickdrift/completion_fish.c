/* Completion for fish: one line per command and option. */
#include "completion.h"
#include "manual.h"

#include <stdio.h>

static void put_text(const char *text) { completion_put_quoted(text, "\\'", "\\"); }

/* Prints the beginning of a line, which says in which command the line holds. */
static void put_place(const char *command) {
    if (command) {
        printf("complete -c kickdrift -n '__fish_seen_subcommand_from %s'", command);
    } else {
        printf("complete -c kickdrift -n __fish_use_subcommand");
    }
}

static void put_explanation(const char *text) {
    printf(" -d '");
    put_text(text);
    printf("'\n");
}

static void put_values(completion_kind kind, const char *value, const char *(*name)(int i)) {
    if (kind == COMPLETION_FILE && *completion_ending(value)) {
        printf(" -ka '(__fish_complete_suffix %s)'", completion_ending(value));
    } else if (kind == COMPLETION_FILE) {
        printf(" -F");
    } else if (kind == COMPLETION_NAMES) {
        printf(" -a '");
        completion_put_names(name);
        putchar('\'');
    }
}

static void put_command(const command_row *of) {
    for (size_t i = 0; i < of->spec->row_count; ++i) {
        const option_row *const row = &of->spec->rows[i];
        put_place(of->name);
        printf(" -l %s", row->name);
        if (row->value) {
            printf("%s%s", options_is_switch(row) ? "" : " -r", completion_of_option(row) == COMPLETION_FILE ? "" : " -f");
            put_values(completion_of_option(row), row->value, row->type->name);
        }
        put_explanation(row->help);
    }
    put_place(of->name);
    printf(" -l help");
    put_explanation("print a short explanation");
    if (completion_of_argument(of) != COMPLETION_TEXT) {
        put_place(of->name);
        put_values(completion_of_argument(of), of->spec->arguments, of->argument);
        putchar('\n');
    }
}

void completion_fish(void) {
    printf("# The completion of fish for kickdrift; made by `kickdrift completion fish`.\ncomplete -c kickdrift -f\n");
    for (size_t i = 0; i < PROGRAM_OPTION_COUNT; ++i) {
        put_place(NULL);
        printf(" -l %s", program_options[i].name);
        put_explanation(program_options[i].help);
    }
    for (size_t i = 0; i < KDR_COMMAND_COUNT; ++i) {
        put_place(NULL);
        printf(" -a %s", kdr_commands[i].name);
        put_explanation(kdr_commands[i].summary);
        put_command(&kdr_commands[i]);
        put_place("help");
        printf(" -a %s", kdr_commands[i].name);
        put_explanation(kdr_commands[i].summary);
    }
    put_place(NULL);
    printf(" -a help");
    put_explanation("explain a command");
    put_place("help");
    printf(" -l man");
    put_explanation("print the manual page");
}
