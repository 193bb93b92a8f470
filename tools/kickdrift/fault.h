/* A fault: one line that says what went wrong, where, what was expected and what was found. */
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
    char text[2048]; /* cut if it does not fit */
} fault;

/* Writes the text. Always returns false, so that a reader can end with `return fault_set(...)`. */
FAULT_FORMAT(2, 3) bool fault_set(fault *why, const char *format, ...);

/* Does the same for a line of a file. */
FAULT_FORMAT(4, 0)
bool fault_set_at(fault *why, const char *file, size_t line, const char *format, va_list arguments);

/* Writes `text` in quotes, cut to 40 bytes, into `buffer` for a message. Returns `buffer`. */
const char *fault_quote(const char *text, char *buffer, size_t size);

/* Prints "kickdrift: <text>" and a newline to stderr and returns KDR_EXIT_REQUEST. Control characters, which file names and values may
 * contain, are printed as '?', so that one fault is one line. */
int fault_report(const fault *why);

#endif
