/* Command lines: any words, separated by line ends, are parsed into a record or refused in one line. */
#include "input.h"

#include "options.h"

#include <stdlib.h>

enum { MOST_WORDS = 12, MOST_BYTES = 400 };

typedef struct record {
    double number, ratio, mass;
    uint64_t count, threads, whole;
    const char *text, *choice;
    int method, real, backend;
    pace pace;
    bool flag;
} record;

#define OPTION(name, type, member) {name, "VALUE", &(type), offsetof(record, member), "a value"}

static const option_row rows[] = {OPTION("number", VALUE_NUMBER, number),
                                  OPTION("ratio", VALUE_RATIO, ratio),
                                  OPTION("mass", VALUE_MASS, mass),
                                  OPTION("count", VALUE_COUNT, count),
                                  OPTION("threads", VALUE_THREADS, threads),
                                  OPTION("whole", VALUE_UINT64, whole),
                                  OPTION("text", VALUE_TEXT, text),
                                  OPTION("choice", VALUE_SWITCH, choice),
                                  OPTION("method", VALUE_METHOD, method),
                                  OPTION("real", VALUE_REAL, real),
                                  OPTION("backend", VALUE_BACKEND, backend),
                                  OPTION("pace", VALUE_PACE, pace),
                                  {"flag", NULL, NULL, offsetof(record, flag), "a flag"}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const options_spec spec = {"fuzz", "FILE", 1, "Reads options.", "", rows, sizeof rows / sizeof *rows};
    char text[MOST_BYTES + 1], command[] = "fuzz", *words[MOST_WORDS + 1] = {command};
    const size_t length = size < MOST_BYTES ? size : MOST_BYTES;
    int count = 1;
    if (length > 0) {
        memcpy(text, data, length);
    }
    text[length] = '\0';
    for (char *at = text; count < MOST_WORDS && (size_t)(at - text) < length; at += strlen(at) + 1) {
        at[strcspn(at, "\n")] = '\0';
        if (strncmp(at, "--h", 3) == 0) { /* prints help */
            return 0;
        }
        words[count++] = at;
    }
    record r = {0};
    const char *positional[1] = {NULL};
    fault why;
    why.text[0] = '\0';
    const options_result result = options_parse(&spec, count, words, &r, positional, &why);
    if ((result == OPTIONS_WRONG) != (why.text[0] != '\0') || (result == OPTIONS_GO && !positional[0])) {
        abort();
    }
    return 0;
}
