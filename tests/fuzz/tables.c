/* CSV files: any bytes are rows as long as the header, whose fields are numbers or not, or they are refused. */
#include "input.h"

#include "table.h"

#include <stdlib.h>

static void read_row(table *opened) {
    for (size_t column = 0; column < table_columns(opened); ++column) {
        double number;
        (void)table_value(opened, column, &VALUE_NUMBER, &number);
        if (!table_field(opened, column)) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char name[64];
    fault why;
    why.text[0] = '\0';
    FILE *const file = input_file(data, size, name, sizeof name);
    if (!file) {
        return 0;
    }
    table *const opened = table_open(name, &why);
    table_result result = TABLE_WRONG;
    if (opened) {
        for (size_t column = 0; column < table_columns(opened); ++column) {
            if (table_find(opened, table_name(opened, column)) != column) {
                abort();
            }
        }
        while ((result = table_next(opened)) == TABLE_ROW) {
            read_row(opened);
        }
        table_close(opened);
    }
    if (result == TABLE_WRONG && !why.text[0]) {
        abort();
    }
    fclose(file);
    return 0;
}
