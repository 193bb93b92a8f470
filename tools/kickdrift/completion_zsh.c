/* Completion for zsh: a file for fpath, which `source` accepts too. */
#include "completion.h"
#include "manual.h"

#include <stdio.h>

/* Prints text that goes inside the brackets or after the colons of _arguments, in single quotes. */
static void put_text(const char *text) { completion_put_quoted(text, "'\\''", "[]:\\"); }

/* Prints ":VALUE:ACTION", where ACTION completes the value. */
static void put_values(completion_kind kind, const char *value, const char *(*name)(int i)) {
    putchar(':');
    put_text(value);
    putchar(':');
    if (kind == COMPLETION_FILE) {
        const char *const ending = completion_ending(value);
        if (*ending) {
            printf("_files -g \"*%s\"", ending);
        } else {
            printf("_files");
        }
    } else if (kind == COMPLETION_NAMES) {
        putchar('(');
        completion_put_names(name);
        putchar(')');
    }
}

static void put_option(const option_row *row) {
    const bool is_switch = options_is_switch(row);
    printf(" \\\n            '--%s%s[", row->name, is_switch ? "=-" : row->value ? "=" : "");
    put_text(row->help);
    putchar(']');
    if (row->value) {
        printf("%s", is_switch ? ":" : "");
        put_values(completion_of_option(row), row->value, row->type->name);
    }
    putchar('\'');
}

static void put_command(const command_row *of) {
    printf("    %s)\n        _arguments -S", of->name);
    for (size_t i = 0; i < of->spec->row_count; ++i) {
        put_option(&of->spec->rows[i]);
    }
    printf(" \\\n            '--help[print a short explanation]'");
    for (int i = 1; i <= of->spec->argument_count; ++i) {
        printf(" \\\n            '%d", i);
        put_values(completion_of_argument(of), of->spec->arguments, of->argument);
        putchar('\'');
    }
    if (of->spec->argument_count == OPTIONS_ANY_COUNT) {
        printf(" \\\n            '*");
        put_values(completion_of_argument(of), of->spec->arguments, of->argument);
        putchar('\'');
    }
    printf("\n        ;;\n");
}

void completion_zsh(void) {
    printf("#compdef kickdrift\n# The completion of zsh for kickdrift; made by `kickdrift completion zsh`.\n_kickdrift() {\n"
           "    local -a commands options\n    commands=(\n");
    for (size_t i = 0; i < KDR_COMMAND_COUNT; ++i) {
        printf("        '%s:", kdr_commands[i].name);
        put_text(kdr_commands[i].summary);
        printf("'\n");
    }
    printf("        'help:explain a command'\n    )\n    options=(\n");
    for (size_t i = 0; i < PROGRAM_OPTION_COUNT; ++i) {
        printf("        '--%s:", program_options[i].name);
        put_text(program_options[i].help);
        printf("'\n");
    }
    printf("    )\n    if ((CURRENT == 2)); then\n        _describe -t commands command commands\n"
           "        _describe -o -t options option options\n        return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n"
           "    help)\n        _arguments '--man[print the manual page]' '*:command:{ _describe -t commands command commands }'\n        "
           ";;\n");
    for (size_t i = 0; i < KDR_COMMAND_COUNT; ++i) {
        put_command(&kdr_commands[i]);
    }
    printf("    esac\n}\nif [ \"$funcstack[1]\" = _kickdrift ]; then\n    _kickdrift \"$@\"\nelse\n    compdef _kickdrift kickdrift\nfi\n");
}
