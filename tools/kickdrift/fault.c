/* Faults: one line that says what is wrong, and the functions that print it. */
#include "fault.h"

#include "commands.h"

#include <stdio.h>
#include <string.h>

bool fault_set(fault *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments); // NOLINT(clang-analyzer-valist.Uninitialized): va_start is the line above
    va_end(arguments);
    return false;
}

bool fault_set_at(fault *why, const char *file, size_t line, const char *format, va_list arguments) {
    int used = snprintf(why->text, sizeof why->text, "%.1000s:%zu: ", file, line);
    vsnprintf(why->text + used, sizeof why->text - (size_t)used, format, arguments);
    return false;
}

const char *fault_quote(const char *text, char *buffer, size_t size) {
    snprintf(buffer, size, strlen(text) > 40 ? "\"%.40s...\"" : "\"%.40s\"", text);
    return buffer;
}

int fault_report(const fault *why) {
    fputs("kickdrift: ", stderr);
    for (const char *c = why->text; *c; ++c) {
        fputc((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c, stderr);
    }
    fputc('\n', stderr);
    return KDR_EXIT_REQUEST;
}
