/* The way in which every public function reports errors. */
#ifndef KDR_PARTICLES_ERROR_H
#define KDR_PARTICLES_ERROR_H

#include <kickdrift/status.h>

#include "arithmetic.h"

/* Fills *error with the status and one line of text, cut to what fits; `error` may be NULL. Returns the status. */
kdr_status kdr_fail(kdr_error *error, kdr_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The validation macro: leaves the calling function with `status` and a message unless the condition holds. */
#define KDR_CHECK(condition, error, status, ...)                                                                                           \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            return kdr_fail((error), (status), __VA_ARGS__);                                                                               \
        }                                                                                                                                  \
    } while (0)

#endif
