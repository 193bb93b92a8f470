/* Status texts, error messages, and the version. */
#include <kickdrift/kickdrift.h>

#include <stdarg.h>
#include <stdio.h>

#include "error.h"

static const char *const texts[] = {
    [KDR_OK] = "ok",
    [KDR_ERROR_NULL] = "null pointer",
    [KDR_ERROR_ARGUMENT] = "argument out of range",
    [KDR_ERROR_NOT_FINITE] = "not finite",
    [KDR_ERROR_OVERFLOW] = "overflow",
    [KDR_ERROR_NO_MEMORY] = "out of memory",
    [KDR_ERROR_UNKNOWN_NAME] = "unknown name",
    [KDR_ERROR_UNAVAILABLE] = "unavailable here",
    [KDR_ERROR_MISMATCH] = "mismatch",
    [KDR_ERROR_UNSUPPORTED] = "unsupported combination",
    [KDR_ERROR_OVERLAP] = "overlapping arrays",
    [KDR_ERROR_FILE] = "file cannot be read or written",
    [KDR_ERROR_FORMAT] = "file of another kind, or damaged",
};

const char *kdr_status_string(kdr_status status) {
    const size_t row = (size_t)status;
    return row < sizeof texts / sizeof *texts ? texts[row] : "unknown status";
}

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
    /* A message may quote a caller's text (a name, an environment variable); it stays one line all the same. */
    for (char *c = error->message; *c; ++c) {
        if ((unsigned char)*c < ' ') {
            *c = '?';
        }
    }
    return status;
}

const char *kdr_version(void) { return KDR_VERSION_STRING; }
