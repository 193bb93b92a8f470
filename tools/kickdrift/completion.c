/* `kickdrift completion`: the command, and the functions that the completions of bash, zsh and fish share. */
#include "completion.h"

#include "manual.h"

#include <stdio.h>
#include <string.h>

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

const char *kdr_completion_argument(int i) { return shells[i]; }

const options_spec kdr_completion_spec = {"completion",
                                          "SHELL",
                                          1,
                                          "Prints the completion of a shell: bash, zsh or fish.",
                                          "An installed program has its completions installed with it. Otherwise:\n"
                                          "bash: source <(kickdrift completion bash), in ~/.bashrc.\n"
                                          "zsh: source <(kickdrift completion zsh), in ~/.zshrc after compinit.\n"
                                          "fish: kickdrift completion fish >~/.config/fish/completions/kickdrift.fish, once.\n",
                                          NULL,
                                          0};

completion_kind completion_of_option(const option_row *row) {
    if (row->type && row->type->name) {
        return COMPLETION_NAMES;
    }
    return row->value && strncmp(row->value, "FILE", 4) == 0 ? COMPLETION_FILE : COMPLETION_TEXT;
}

completion_kind completion_of_argument(const command_row *of) {
    if (of->argument) {
        return COMPLETION_NAMES;
    }
    return *of->spec->arguments ? COMPLETION_FILE : COMPLETION_TEXT;
}

const char *completion_ending(const char *value) {
    const char *const point = strrchr(value, '.');
    return point ? point : "";
}

void completion_put_names(const char *(*name)(int i)) {
    const char *found;
    for (int i = 0; (found = name(i)) != NULL; ++i) {
        printf("%s%s", i ? " " : "", found);
    }
}

void completion_put_quoted(const char *text, const char *quote, const char *marked) {
    for (; *text; ++text) {
        if (*text == '\'') {
            fputs(quote, stdout);
        } else {
            printf("%s%c", strchr(marked, *text) ? "\\" : "", *text);
        }
    }
}

int kdr_completion_main(int argc, char **argv) {
    static void (*const printers[])(void) = {completion_bash, completion_zsh, completion_fish};
    char none; /* no option needs a record */
    const char *shell;
    fault why;
    char text[64];
    const int ended = options_begin(&kdr_completion_spec, argc, argv, &none, &shell, &why);
    if (ended >= 0) {
        return ended;
    }
    for (int i = 0; shells[i]; ++i) {
        if (strcmp(shell, shells[i]) == 0) {
            printers[i]();
            return KDR_EXIT_OK;
        }
    }
    fault_set(&why, "completion: expected one of bash, zsh, fish, found %s", fault_quote(shell, text, sizeof text));
    return fault_report(&why);
}
