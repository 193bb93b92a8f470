/* What went wrong, in one line: where, what was expected, what was found. */
#ifndef KICKDRIFT_TOOLS_FAULT_H
#define KICKDRIFT_TOOLS_FAULT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define FAULT_FORMAT(template, first) __attribute__((__format__(__printf__, template, first)))
#else
#define FAULT_FORMAT(template, first)
#endif

typedef struct fault {
    char text[2048]; /* cut when it does not fit */
} fault;

/* Always false, so that a reader can end with `return fault_set(...)`. */
FAULT_FORMAT(2, 3) bool fault_set(fault *why, const char *format, ...);

/* The same, for a line of a file. */
FAULT_FORMAT(4, 0)
bool fault_set_at(fault *why, const char *file, size_t line, const char *format, va_list arguments);

/* `text` in quotes for a message: cut to 40 bytes. Returns `buffer`. */
const char *fault_quote(const char *text, char *buffer, size_t size);

/* Prints "kickdrift: <text>" and a newline to stderr and returns KDR_EXIT_REQUEST. Control characters, which file names and values may
 * hold, are printed as '?': one fault is one line. */
int fault_report(const fault *why);

#endif
