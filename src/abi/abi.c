/* The layouts of the public structs, in one table that rows.cmake makes from the headers. The file compares the rows of a binding with
 * the table. */
#include <kickdrift/check.h>
#include <kickdrift/io.h>
#include <kickdrift/kickdrift.h>

#include <stdio.h>
#include <string.h>

#define WHOLE(structure) {#structure, "", 0, sizeof(structure)}
#define MEMBER(structure, member) {#structure, #member, offsetof(structure, member), sizeof(((structure *)0)->member)}

static const kdr_abi_row table[] = {
#include "abi_rows.inc"
};
enum { ROWS = sizeof table / sizeof *table };

const kdr_abi_row *kdr_abi(size_t *count) {
    if (count) {
        *count = ROWS;
    }
    return table;
}

/* Reads digits up to `end`, which is '.' or the end of the text. Returns the text after `end`, NULL if there is anything else. */
static const char *after_number(const char *text, char end) {
    const char *c = text;
    while (*c >= '0' && *c <= '9') {
        ++c;
    }
    return c == text || *c != end ? NULL : c + (end != '\0');
}

/* Returns whether a version has the same structs: the same major number and, below 1.0, the same minor one. */
static bool same_interface(const char *version) {
    static const char own[] = KDR_VERSION_STRING;
    const char *minor = strchr(own, '.') + 1, *patch = strchr(minor, '.') + 1;
    const size_t equal = (size_t)((KDR_VERSION_MAJOR == 0 ? patch : minor) - own);
    if (strncmp(version, own, equal) != 0) {
        return false;
    }
    const char *rest = version + equal;
    rest = KDR_VERSION_MAJOR == 0 ? rest : after_number(rest, '.');
    return rest && after_number(rest, '\0');
}

static const kdr_abi_row *find(const kdr_abi_row *row) {
    for (size_t i = 0; i < ROWS; ++i) {
        if (strcmp(table[i].structure, row->structure) == 0 && strcmp(table[i].member, row->member) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

kdr_status kdr_abi_check(const char *version, const kdr_abi_row *rows, size_t count, char *message, size_t size) {
    if (!message) {
        size = 0;
    }
    if (!version || (!rows && count)) {
        (void)snprintf(message, size, "version and rows must be given");
        return KDR_ERROR_NULL;
    }
    if (!same_interface(version)) {
        (void)snprintf(message, size, "the caller was written for version %s, this library is " KDR_VERSION_STRING, version);
        return KDR_ERROR_MISMATCH;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!rows[i].structure || !rows[i].member) {
            (void)snprintf(message, size, "row %zu has no name", i);
            return KDR_ERROR_NULL;
        }
        const kdr_abi_row *own = find(&rows[i]);
        const char *dot = *rows[i].member ? "." : "";
        if (!own) {
            (void)snprintf(message, size, "this library (" KDR_VERSION_STRING ") has no %s%s%s", rows[i].structure, dot, rows[i].member);
            return KDR_ERROR_MISMATCH;
        }
        if (own->offset != rows[i].offset || own->size != rows[i].size) {
            (void)snprintf(message, size,
                           "%s%s%s is %zu bytes at offset %zu in this library (" KDR_VERSION_STRING "), %zu at %zu in the caller's",
                           rows[i].structure, dot, rows[i].member, own->size, own->offset, rows[i].size, rows[i].offset);
            return KDR_ERROR_MISMATCH;
        }
    }
    return KDR_OK;
}
