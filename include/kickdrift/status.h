/* Status codes, error messages, and rules of all headers. They hold unless a comment says otherwise.
 *
 * Descriptions: make each by its kdr_x_desc_default(), then change members. Members are 0, NULL, false or none by default; those that
 * kdr_integrator_desc also has have its meaning and default. kdr_x_desc_init does the same for other languages; `size` is sizeof *desc, and
 * older sizes are accepted.
 *
 * Names: kdr_x_name returns the name of an enumerator, and kdr_x_from_name finds it. kdr_x_destroy frees what kdr_x_create made. Functions
 * that free accept NULL.
 *
 * Pointers: `error` may be NULL. So may a vector of a function that returns a struct; it counts as 0, 0, 0. Any other NULL gives
 * KDR_ERROR_NULL. Functions without a status return 0, NULL or the name "?" for a NULL object or an unknown enumerator.
 *
 * Axes: elements of vectors for axes that the particles lack are ignored in arguments, and 0 in results.
 *
 * Errors: after an error, outputs and particles are unchanged. Functions that take particles may return the errors of kdr_particles_check,
 * and those that allocate KDR_ERROR_NO_MEMORY.
 *
 * Pages that comments name, such as methods/rules.md, are in share/doc/kickdrift/docs. */
#ifndef KICKDRIFT_STATUS_H
#define KICKDRIFT_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(KDR_SHARED)
#if defined(KDR_BUILD)
#define KDR_API __declspec(dllexport)
#else
#define KDR_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define KDR_API __attribute__((visibility("default")))
#else
#define KDR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a call. */
typedef enum kdr_status {
    KDR_OK = 0,
    KDR_ERROR_NULL = 1,       /* a pointer is NULL */
    KDR_ERROR_ARGUMENT = 2,   /* a value is out of range, such as dims = 4 */
    KDR_ERROR_NOT_FINITE = 3, /* a parameter is NaN or infinite */
    KDR_ERROR_OVERFLOW = 4,   /* a size or a step count is too large for its type */
    KDR_ERROR_NO_MEMORY = 5,
    KDR_ERROR_UNKNOWN_NAME = 6,
    KDR_ERROR_UNAVAILABLE = 7, /* a backend or executor was not built or does not run here */
    KDR_ERROR_MISMATCH = 8,    /* a count, precision or number of axes does not fit the integrator, arrays or file */
    KDR_ERROR_UNSUPPORTED = 9, /* a combination is not allowed */
    KDR_ERROR_OVERLAP = 10,    /* two arrays share memory */
    KDR_ERROR_FILE = 11,       /* a file cannot be opened, read or written */
    KDR_ERROR_FORMAT = 12,     /* a file is damaged, of another format, or of a later version */
    KDR_STOPPED = 13           /* no error: a watch ended the run (event.h) */
} kdr_status;

/* The reason of a failure, in one line. It is written only on failure. */
typedef struct kdr_error {
    kdr_status status;
    char message[252];
} kdr_error;

/* Returns a short constant text, such as "null pointer". */
KDR_API const char *kdr_status_string(kdr_status status);

/* Returns false for KDR_OK and KDR_STOPPED. */
static inline bool kdr_failed(kdr_status status) { return status != KDR_OK && status != KDR_STOPPED; }

#ifdef __cplusplus
}
#endif
#endif
