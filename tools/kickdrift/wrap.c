/* Text in lines that fit the terminal: words are never cut. */
#include "wrap.h"

#include "host.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_COLUMNS = 40, USUAL_COLUMNS = 80, MOST_COLUMNS = 120 };

int wrap_columns(void) {
    const char *const given = getenv("COLUMNS");
    const bool is_number = given && strlen(given) <= 4 && given[strspn(given, "0123456789")] == '\0';
    const int asked = is_number ? atoi(given) : 0;
    const int found = asked > 0 ? asked : host_columns();
    const int columns = found > 0 ? found : USUAL_COLUMNS;
    return columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns > MOST_COLUMNS ? MOST_COLUMNS : columns;
}

/* Returns the number of columns that UTF-8 text takes. Continuation bytes take none. */
static int columns_of(const char *text, size_t length) {
    int columns = 0;
    for (size_t i = 0; i < length; ++i) {
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    return columns;
}

void wrap_print(const char *text, int at, int indent, int columns) {
    int column = at;
    bool begins = at <= indent; /* this line has no word yet */
    while (*text) {
        const size_t length = strcspn(text, " \n");
        const int wide = columns_of(text, length);
        if (length > 0 && !begins && column + 1 + wide > columns) {
            putchar('\n');
            column = 0;
            begins = true;
        }
        if (length > 0) {
            const int blanks = begins ? indent - column : 1;
            printf("%*s%.*s", blanks > 0 ? blanks : 0, "", (int)length, text);
            column += (blanks > 0 ? blanks : 0) + wide;
            begins = false;
        }
        text += length;
        if (*text == '\n' && text[1] != '\0') {
            putchar('\n');
            column = 0;
            begins = true;
        }
        text += *text != '\0';
    }
    putchar('\n');
}
