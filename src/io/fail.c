/* The error messages of kickdrift-io. */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

kdr_status kdr_io_fail(kdr_error *error, kdr_status status, const char *format, ...) {
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
    for (char *c = error->message; *c; ++c) { /* a file's name may hold anything */
        if ((unsigned char)*c < ' ') {
            *c = '?';
        }
    }
    return status;
}
