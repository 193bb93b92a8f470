/* Prints --help from the table of options. */
#include "options.h"
#include "wrap.h"

#include <stdio.h>
#include <string.h>

/* MOST_LEFT is the width of the left column, which has the option as it is typed. If that is longer, the explanation begins on the next
 * line. */
enum { MOST_LEFT = 24, GAP = 2 };

bool options_is_switch(const option_row *row) { return row->value && row->type == &VALUE_SWITCH; }

int options_typed(const option_row *row, char *text, size_t size) {
    if (!row->value) {
        return snprintf(text, size, "--%s", row->name);
    }
    return snprintf(text, size, options_is_switch(row) ? "--%s[=%s]" : "--%s %s", row->name, row->value);
}

const char *options_explained(const option_row *row, char text[OPTIONS_EXPLAINED]) {
    char expected[256];
    const bool told = row->type && (!row->type->quoted || row->type->name);
    snprintf(text, OPTIONS_EXPLAINED, "%s%s%s", row->help, told ? ": " : "",
             told ? value_expected(row->type, expected, sizeof expected) : "");
    return text;
}

static void print_option(const char *typed, const char *explained, int left, int columns) {
    const int length = (int)strlen(typed), indent = GAP + left + GAP;
    printf("%*s%s", GAP, "", typed);
    if (length > left) {
        putchar('\n');
    }
    wrap_print(explained, length > left ? 0 : GAP + length, indent, columns);
}

void options_help(const options_spec *spec) {
    char typed[64], explained[OPTIONS_EXPLAINED];
    const int columns = wrap_columns();
    int left = 6;
    for (size_t i = 0; i < spec->row_count; ++i) {
        const int length = options_typed(&spec->rows[i], typed, sizeof typed);
        left = length > left && length <= MOST_LEFT ? length : left;
    }
    printf("usage: kickdrift %s%s%s%s\n\n", spec->command, *spec->arguments ? " " : "", spec->arguments,
           spec->row_count ? " [options]" : "");
    wrap_print(spec->summary, 0, 0, columns);
    if (*spec->details) {
        putchar('\n');
        wrap_print(spec->details, 0, 0, columns);
    }
    printf("\noptions:\n");
    for (size_t i = 0; i < spec->row_count; ++i) {
        options_typed(&spec->rows[i], typed, sizeof typed);
        print_option(typed, options_explained(&spec->rows[i], explained), left, columns);
    }
    print_option("--help", "print this text", left, columns);
}
