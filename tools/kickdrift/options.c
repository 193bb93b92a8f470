/* Parses the arguments of a subcommand: makes a table for getopt_long from the table of options. */
#include "options.h"

#include "commands.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { MOST_OPTIONS = 24, FIRST_CODE = 256, HELP_CODE = 'h' };

static int kind_of(const option_row *row) {
    return !row->value ? no_argument : options_is_switch(row) ? optional_argument : required_argument;
}

static const char *option_name_at(const void *context, size_t i) {
    const options_spec *spec = context;
    return i < spec->row_count ? spec->rows[i].name : i == spec->row_count ? "help" : NULL;
}

const char *options_nearest(value_name_at *name, const void *context, const char *given, char *buffer, size_t size) {
    char word[64];
    const char *const letters = given + strspn(given, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(letters, "="), letters);
    const char *const nearest = value_nearest_name(name, context, word);
    buffer[0] = '\0';
    if (nearest) {
        snprintf(buffer, size, "; did you mean --%s?", nearest);
    }
    return buffer;
}

static bool wrong_option(const options_spec *spec, char **argv, int code, fault *why) {
    const int number = optopt - FIRST_CODE;
    /* getopt_long takes letters after one dash one at a time, and moves to the next word only after the last letter. */
    const bool is_letter = code == '?' && optopt > 0 && optopt < FIRST_CODE;
    const char *const word = is_letter ? argv[optind] : NULL;
    const bool stays = word && word[0] == '-' && word[1] != '-' && strchr(word, optopt);
    const char *given = stays ? word : argv[optind - 1];
    char text[64], hint[96], expected[256];
    if (code == ':') {
        const option_row *row = &spec->rows[number];
        return fault_set(why, "%s: --%s: a value is missing, expected %s", spec->command, row->name,
                         value_expected(row->type, expected, sizeof expected));
    }
    if (number >= 0 && (size_t)number < spec->row_count) {
        return fault_set(why, "%s: --%s: expected no value, found %s", spec->command, spec->rows[number].name,
                         fault_quote(given, text, sizeof text));
    }
    return fault_set(why, "%s: unknown option %s%s, expected one that kickdrift %s --help lists", spec->command,
                     fault_quote(given, text, sizeof text), options_nearest(option_name_at, spec, given, hint, sizeof hint), spec->command);
}

static bool take_value(const options_spec *spec, const option_row *row, void *record, const char *given, fault *why) {
    void *destination = (char *)record + row->offset;
    char text[64], hint[96], expected[256];
    if (!row->value) {
        *(bool *)destination = true;
        return true;
    }
    if (row->type->parse(row->type, given, destination)) {
        return true;
    }
    return fault_set(why, "%s: --%s: expected %s, found %s%s", spec->command, row->name,
                     value_expected(row->type, expected, sizeof expected), fault_quote(given, text, sizeof text),
                     value_suggestion(row->type, given, hint, sizeof hint));
}

options_result options_parse(const options_spec *spec, int argc, char **argv, void *record, const char **positional, fault *why) {
    struct option table[MOST_OPTIONS + 2] = {{0}};
    for (size_t i = 0; i < spec->row_count; ++i) {
        table[i] = (struct option){spec->rows[i].name, kind_of(&spec->rows[i]), NULL, FIRST_CODE + (int)i};
    }
    table[spec->row_count] = (struct option){"help", no_argument, NULL, HELP_CODE};

    opterr = 0;
    optind = 0; /* resets glibc's getopt_long */
    for (int code; (code = getopt_long(argc, argv, ":h", table, NULL)) != -1;) {
        if (code == HELP_CODE) {
            options_help(spec);
            return OPTIONS_HELP;
        }
        if (code == '?' || code == ':') {
            wrong_option(spec, argv, code, why);
            return OPTIONS_WRONG;
        }
        if (!take_value(spec, &spec->rows[code - FIRST_CODE], record, optarg ? optarg : "true", why)) {
            return OPTIONS_WRONG;
        }
    }
    const int count = spec->argument_count == OPTIONS_ANY_COUNT ? argc - optind : spec->argument_count;
    if (argc - optind != count) {
        fault_set(why, "%s: expected %s, found %d argument%s; see kickdrift %s --help", spec->command,
                  *spec->arguments ? spec->arguments : "no arguments", argc - optind, argc - optind == 1 ? "" : "s", spec->command);
        return OPTIONS_WRONG;
    }
    for (int i = 0; i < count; ++i) {
        positional[i] = argv[optind + i];
    }
    if (spec->argument_count == OPTIONS_ANY_COUNT) {
        positional[count] = NULL;
    }
    return OPTIONS_GO;
}

int options_begin(const options_spec *spec, int argc, char **argv, void *record, const char **positional, fault *why) {
    const options_result result = options_parse(spec, argc, argv, record, positional, why);
    return result == OPTIONS_GO ? -1 : result == OPTIONS_HELP ? KDR_EXIT_OK : fault_report(why);
}
