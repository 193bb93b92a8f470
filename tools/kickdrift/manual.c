/* Manual pages, made from the tables of commands and options. They have no date, so the same sources give the same bytes. */
#include "manual.h"

#include <kickdrift/kickdrift.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const program_option program_options[PROGRAM_OPTION_COUNT] = {
    {"help", "print the list of commands"},
    {"version", "print version, backend, compiler, options of the build, and the fingerprint of the results that were shipped"},
};

const program_variable program_variables[PROGRAM_VARIABLE_COUNT] = {
    {"KDR_BACKEND", "the backend to use, as run --backend does"},
    {"KDR_SEED", "the seed of verify"},
    {"KICKDRIFT_PLOT", "the script that plot runs, where it is neither installed nor in the sources that the program was built in"},
    {"COLUMNS", "the width of --help, instead of the terminal's"},
};

/* Prints text and escapes what roff would interpret. Text between backticks becomes bold. */
static void put_text(const char *text) {
    bool is_bold = false, begins = true;
    for (; *text; ++text) {
        if (*text == '`') {
            is_bold = !is_bold;
            fputs(is_bold ? "\\fB" : "\\fR", stdout);
        } else if (*text == '\\') {
            fputs("\\e", stdout);
        } else if (*text == '-') {
            fputs("\\-", stdout);
        } else if (*text == '^') {
            fputs("\\(ha", stdout);
        } else {
            printf("%s%c", begins && (*text == '.' || *text == '\'') ? "\\&" : "", *text);
        }
        begins = *text == '\n';
    }
}

/* Prints paragraphs. Each ends with a newline in the text. */
static void put_paragraphs(const char *text) {
    while (*text) {
        char paragraph[2048];
        const int length = (int)strcspn(text, "\n");
        snprintf(paragraph, sizeof paragraph, "%.*s", length, text);
        printf(".PP\n");
        put_text(paragraph);
        putchar('\n');
        text += length + (text[length] == '\n');
    }
}

static void put_entry(const char *name, const char *value, const char *text) {
    printf(".TP\n\\fB");
    put_text(name);
    printf("\\fR");
    if (value) {
        printf(" \\fI");
        put_text(value);
        printf("\\fR");
    }
    putchar('\n');
    put_text(text);
    putchar('\n');
}

static void put_head(const char *name, const char *summary) {
    printf(".\\\" Made by `kickdrift help \\-\\-man`.\n.TH ");
    for (const char *c = name; *c; ++c) {
        putchar(toupper((unsigned char)*c));
    }
    printf(" 1 \"\" \"kickdrift %s\" \"User commands\"\n.SH NAME\n", kdr_version());
    put_text(name);
    printf(" \\- ");
    put_text(summary);
    printf("\n.SH SYNOPSIS\n");
}

static void put_ends(const command_row *of) {
    printf(".SH ENVIRONMENT\n");
    for (size_t i = 0; i < PROGRAM_VARIABLE_COUNT; ++i) {
        put_entry(program_variables[i].name, NULL, program_variables[i].help);
    }
    printf(".SH \"EXIT STATUS\"\n");
    put_entry("0", NULL, "The request was carried out.");
    put_entry("1", NULL, "A check failed.");
    put_entry("2", NULL, "The request was wrong, or could not be carried out; one line on standard error says what was expected.");
    printf(".SH \"SEE ALSO\"\n");
    if (of) {
        printf(".BR kickdrift (1)\n");
        return;
    }
    for (size_t i = 0; i < KDR_COMMAND_COUNT; ++i) {
        printf(".BR kickdrift\\-%s (1)%s\n", kdr_commands[i].name, i + 1 < KDR_COMMAND_COUNT ? "," : "");
    }
}

static void print_program(void) {
    put_head("kickdrift", "steps very many particles, with the same bits on every processor");
    printf(".B kickdrift\n.I COMMAND\n.RI [ arguments ]\n.SH DESCRIPTION\n" PROGRAM_SUMMARY "\n.SH COMMANDS\n");
    for (size_t i = 0; i < KDR_COMMAND_COUNT; ++i) {
        const char *const arguments = kdr_commands[i].spec->arguments;
        put_entry(kdr_commands[i].name, *arguments ? arguments : NULL, kdr_commands[i].summary);
    }
    put_entry("help", "[COMMAND]", "print what `--help` prints; with `--man` the manual page");
    printf(".SH OPTIONS\n");
    for (size_t i = 0; i < PROGRAM_OPTION_COUNT; ++i) {
        char typed[32];
        snprintf(typed, sizeof typed, "--%s", program_options[i].name);
        put_entry(typed, NULL, program_options[i].help);
    }
}

static void print_command(const command_row *of) {
    char name[64], explained[OPTIONS_EXPLAINED];
    const options_spec *const spec = of->spec;
    snprintf(name, sizeof name, "kickdrift-%s", of->name);
    put_head(name, of->summary);
    printf(".B kickdrift %s\n", of->name);
    if (*spec->arguments) {
        printf(".I \"%s\"\n", spec->arguments);
    }
    printf(".RI [ options ]\n.SH DESCRIPTION\n");
    put_text(spec->summary);
    putchar('\n');
    put_paragraphs(spec->details);
    printf(".SH OPTIONS\n");
    for (size_t i = 0; i < spec->row_count; ++i) {
        char typed[64], value[64];
        const option_row *const row = &spec->rows[i];
        snprintf(typed, sizeof typed, "--%s", row->name);
        snprintf(value, sizeof value, options_is_switch(row) ? "[=%s]" : "%s", row->value ? row->value : "");
        put_entry(typed, row->value ? value : NULL, options_explained(row, explained));
    }
    put_entry("--help", NULL, "print a shorter text than this page");
}

void manual_print(const command_row *of) {
    if (of) {
        print_command(of);
    } else {
        print_program();
    }
    put_ends(of);
}
