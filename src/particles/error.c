/* This file makes the messages of errors, one line each. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

kdr_status kdr_fail(kdr_error *error, kdr_status status, const char *format, ...) {
    if (!error) {
        return status;
    }
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(error->message, sizeof error->message, format, arguments) < 0) {
        error->message[0] = '\0';
    }
    va_end(arguments);
    /* A message may quote a user's text (a name, an environment variable). It remains one line. */
    for (char *c = error->message; *c; ++c) {
        if ((unsigned char)*c < ' ') {
            *c = '?';
        }
    }
    return status;
}
