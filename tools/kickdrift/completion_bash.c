/* Completion for bash: one function with a table of the values that may follow each word. It does not need the package bash-completion. */
#include "completion.h"
#include "manual.h"

#include <stdio.h>
#include <string.h>

/* This text finds the word under the cursor and the word before it. Bash takes "=" for a separate word. */
static const char head[] = "# The completion of bash for kickdrift; made by `kickdrift completion bash`.\n"
                           "_kickdrift_files() {\n"
                           "    local IFS=$'\\n'\n"
                           "    compopt -o filenames 2>/dev/null\n"
                           "    if [ -n \"$1\" ]; then\n"
                           "        COMPREPLY=($(compgen -f -X \"!*$1\" -- \"$word\") $(compgen -d -- \"$word\"))\n"
                           "    else\n"
                           "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
                           "    fi\n"
                           "}\n"
                           "_kickdrift() {\n"
                           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
                           "    COMPREPLY=()\n"
                           "    if [ \"$word\" = = ]; then\n"
                           "        word=\n"
                           "    elif [ \"$before\" = = ]; then\n"
                           "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                           "    fi\n"
                           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                           "        command=\n"
                           "    elif [ \"$command\" = help ]; then\n"
                           "        command='help of'\n"
                           "    fi\n";

static void put_case(const char *command, const char *option) {
    printf("    '%s%s%s')\n        ", command, option ? " --" : "", option ? option : "");
}

/* Prints the shell code that completes a value or an argument of this kind. */
static void put_values(completion_kind kind, const char *value, const char *(*name)(int i)) {
    if (kind == COMPLETION_FILE) {
        printf("_kickdrift_files '%s'\n", completion_ending(value));
    } else if (kind == COMPLETION_NAMES) {
        printf("COMPREPLY=($(compgen -W '");
        completion_put_names(name);
        printf("' -- \"$word\"))\n");
    } else {
        printf(":\n");
    }
}

static void put_options(const options_spec *spec) {
    put_case(spec->command, NULL);
    printf("COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < spec->row_count; ++i) {
        printf("--%s ", spec->rows[i].name);
    }
    printf("--help' -- \"$word\"))\n        ;;\n");
}

static const char *command_name(int i) { return i < KDR_COMMAND_COUNT ? kdr_commands[i].name : NULL; }

static void put_first_words(void) {
    printf("    '')\n        COMPREPLY=($(compgen -W '");
    completion_put_names(command_name);
    printf(" help");
    for (size_t i = 0; i < PROGRAM_OPTION_COUNT; ++i) {
        printf(" --%s", program_options[i].name);
    }
    printf("' -- \"$word\"))\n        ;;\n    'help of')\n        COMPREPLY=($(compgen -W '--man ");
    completion_put_names(command_name);
    printf("' -- \"$word\"))\n        ;;\n");
}

void completion_bash(void) {
    fputs(head, stdout);
    /* This case completes the value of an option. */
    printf("    case \"$command $before\" in\n");
    for (size_t c = 0; c < KDR_COMMAND_COUNT; ++c) {
        const options_spec *const spec = kdr_commands[c].spec;
        for (size_t i = 0; i < spec->row_count; ++i) {
            const option_row *const row = &spec->rows[i];
            if (row->value && (!options_is_switch(row))) {
                put_case(spec->command, row->name);
                put_values(completion_of_option(row), row->value, row->type->name);
                printf("        return\n        ;;\n");
            }
        }
    }
    printf("    esac\n    case $word in\n    -*) ;;\n    *)\n        case $command in\n");
    /* This case completes a positional argument. */
    for (size_t c = 0; c < KDR_COMMAND_COUNT; ++c) {
        if (completion_of_argument(&kdr_commands[c]) != COMPLETION_TEXT) {
            put_case(kdr_commands[c].name, NULL);
            put_values(completion_of_argument(&kdr_commands[c]), kdr_commands[c].spec->arguments, kdr_commands[c].argument);
            printf("        return\n        ;;\n");
        }
    }
    printf("        esac\n        ;;\n    esac\n    case $command in\n");
    put_first_words();
    for (size_t c = 0; c < KDR_COMMAND_COUNT; ++c) {
        put_options(kdr_commands[c].spec);
    }
    printf("    esac\n}\ncomplete -F _kickdrift kickdrift\n");
}
