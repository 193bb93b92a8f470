/* Failing, as the stepping library does (particles/error.h), whose own function is no part of its interface. */
#ifndef KDR_IO_FAIL_H
#define KDR_IO_FAIL_H

#include <kickdrift/io.h>

/* Fills *error, unless it is NULL, with the status and one line of text, cut to what fits; returns the status. */
kdr_status kdr_io_fail(kdr_error *error, kdr_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define KDR_IO_CHECK(condition, error, status, ...)                                                                                        \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            return kdr_io_fail((error), (status), __VA_ARGS__);                                                                            \
        }                                                                                                                                  \
    } while (0)

#endif
