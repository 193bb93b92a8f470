/* Compares the library's table of public structs with this compiler's layout of them, then plants mistakes. It compiles as C11 and as
 * C++17. */
#include <kickdrift/check.h>
#include <kickdrift/io.h>
#include <kickdrift/kickdrift.h>

#include <stdio.h>
#include <string.h>

#define WHOLE(structure) {#structure, "", 0, sizeof(structure)}
#define MEMBER(structure, member) {#structure, #member, offsetof(structure, member), sizeof(((structure *)0)->member)}
static const kdr_abi_row headers[] = {
#include "abi_rows.inc"
};
static const size_t header_count = sizeof headers / sizeof *headers;

static int failures = 0;
static int planted = 0;

static bool same_name(const kdr_abi_row *a, const kdr_abi_row *b) {
    return strcmp(a->structure, b->structure) == 0 && strcmp(a->member, b->member) == 0;
}

static void fail(const char *what, const char *said) {
    fprintf(stderr, "abi: %s: %s\n", what, said);
    ++failures;
}

/* Checks that the rows of a struct leave no room for a member without a row: gaps may only be those of alignment. Members within a member
 * overlap it. */
static void cover(const kdr_abi_row *rows, size_t count) {
    size_t end = 0;
    for (size_t found = 1; found;) {
        found = 0;
        for (size_t i = 1; i < count; ++i) {
            if (rows[i].offset < end + sizeof(void *) && rows[i].offset + rows[i].size > end) {
                end = rows[i].offset + rows[i].size;
                found = 1;
            }
        }
    }
    if (end + sizeof(void *) <= rows->size) {
        fprintf(stderr, "abi: %s has %d bytes, and its members end at %d\n", rows->structure, (int)rows->size, (int)end);
        ++failures;
    }
}

/* Checks that the library's table, which a C compiler made, equals this compiler's. Each row is there once, next to the row of its
 * struct. */
static void compare(void) {
    size_t count = 0;
    const kdr_abi_row *table = kdr_abi(&count);
    for (size_t i = 0; i < header_count; ++i) {
        char message[200] = "";
        if (kdr_abi_check(KDR_VERSION_STRING, &headers[i], 1, message, sizeof message) != KDR_OK) {
            fail("another layout", message);
        }
        for (size_t j = 0; j < i; ++j) {
            if (same_name(&headers[i], &headers[j])) {
                fail("twice in the table", headers[i].member);
            }
        }
    }
    for (size_t i = 0, next = 0; i < header_count; i = next) {
        for (next = i + 1; next < header_count && strcmp(headers[i].structure, headers[next].structure) == 0;) {
            ++next;
        }
        if (*headers[i].member) {
            fail("not beside its struct", headers[i].member);
        }
        cover(&headers[i], next - i);
    }
    if (count != header_count || !table) {
        fail("rows", "the library's table has another number of them");
    }
}

/* Checks that one wrong row gives MISMATCH, and a line that names it. */
static void refuse(const char *version, const kdr_abi_row *wrong, const char *expected) {
    char message[300];
    memset(message, 'x', sizeof message);
    kdr_abi_row rows[sizeof headers / sizeof *headers];
    memcpy(rows, headers, sizeof headers);
    for (size_t i = 0; wrong && i < header_count; ++i) {
        if (same_name(wrong, &rows[i])) {
            rows[i] = *wrong;
        }
    }
    if (wrong && strcmp(wrong->member, "unheard_of") == 0) {
        rows[header_count / 2] = *wrong;
    }
    ++planted;
    if (kdr_abi_check(version, rows, header_count, message, sizeof message) != KDR_ERROR_MISMATCH) {
        fail("not refused", expected);
    } else if (!memchr(message, 0, sizeof message) || !strstr(message, expected) || strchr(message, '\n')) {
        message[sizeof message - 1] = 0;
        fail(expected, message);
    }
}

static void plant(void) {
    for (size_t i = 0; i < header_count; ++i) {
        char name[120];
        snprintf(name, sizeof name, "%s%s%s", headers[i].structure, *headers[i].member ? "." : "", headers[i].member);
        kdr_abi_row wrong = headers[i];
        wrong.size += 8;
        refuse(KDR_VERSION_STRING, &wrong, name);
        wrong = headers[i];
        wrong.offset += 8;
        refuse(KDR_VERSION_STRING, &wrong, name);
    }
    const kdr_abi_row member = {"kdr_particles", "unheard_of", 0, 8}, structure = {"kdr_unheard_of", "unheard_of", 0, 8};
    refuse(KDR_VERSION_STRING, &member, "kdr_particles.unheard_of");
    refuse(KDR_VERSION_STRING, &structure, "kdr_unheard_of");
    static const char *const versions[] = {"",       "1",      "0",       "0.",  "x",     "0.2.0", "1.1.0",
                                           "0.11.0", "00.1.0", "0.1.0.0", "0.1", "0.1.x", "-0.1.0"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; ++i) {
        refuse(versions[i], NULL, "version");
    }
    /* Any patch version is accepted. A message is cut to what fits, and may be left out. */
    char message[8] = "xxxxxxx", untouched[4] = "yyy";
    char patch[40];
    snprintf(patch, sizeof patch, "%d.%d.%d", KDR_VERSION_MAJOR, KDR_VERSION_MINOR, KDR_VERSION_PATCH + 17);
    if (kdr_abi_check(patch, headers, header_count, untouched, sizeof untouched) != KDR_OK || strcmp(untouched, "yyy") != 0) {
        fail("another patch", "refused, or the message was written to");
    }
    if (kdr_abi_check("9.9.9", headers, 0, message, 4) != KDR_ERROR_MISMATCH || strlen(message) != 3 || strcmp(message + 4, "xxx") != 0) {
        fail("a short message", "is not cut");
    }
    if (kdr_abi_check("9.9.9", NULL, 0, NULL, 0) != KDR_ERROR_MISMATCH ||
        kdr_abi_check("9.9.9", NULL, 0, message, 0) != KDR_ERROR_MISMATCH ||
        kdr_abi_check(NULL, headers, 1, message, sizeof message) != KDR_ERROR_NULL ||
        kdr_abi_check(KDR_VERSION_STRING, NULL, 1, message, sizeof message) != KDR_ERROR_NULL ||
        kdr_abi_check(KDR_VERSION_STRING, NULL, 0, message, sizeof message) != KDR_OK) {
        fail("null pointers", "the wrong status");
    }
    const kdr_abi_row unnamed = {"kdr_particles", NULL, 0, 8};
    if (kdr_abi_check(KDR_VERSION_STRING, &unnamed, 1, message, sizeof message) != KDR_ERROR_NULL) {
        fail("a row without a name", "the wrong status");
    }
    if (!kdr_abi(NULL)) {
        fail("kdr_abi(NULL)", "no table");
    }
}

int main(void) {
    compare();
    if (!failures) {
        plant();
    }
    printf("abi: %d rows, %d planted mistakes, %d failures\n", (int)header_count, planted, failures);
    return failures != 0;
}
