/* Status codes and error messages. */
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

/* The result of a call. In all functions `error` may be NULL, and a missing pointer is KDR_ERROR_NULL. Functions that free something
 * accept NULL. After an error, outputs and particles are unchanged unless the comment of the function says otherwise. */
typedef enum kdr_status {
    KDR_OK = 0,
    KDR_ERROR_NULL = 1,         /* a pointer that must be given is NULL */
    KDR_ERROR_ARGUMENT = 2,     /* a value outside its range: an unknown enumerator, dt = 0, dims = 4, a negative softening */
    KDR_ERROR_NOT_FINITE = 3,   /* a parameter that is NaN or infinite */
    KDR_ERROR_OVERFLOW = 4,     /* a size or a step count too large for its type */
    KDR_ERROR_NO_MEMORY = 5,    /* the allocator returned NULL */
    KDR_ERROR_UNKNOWN_NAME = 6, /* no method or backend of that name */
    KDR_ERROR_UNAVAILABLE = 7,  /* a backend or executor that was not built, or does not run here */
    KDR_ERROR_MISMATCH = 8,     /* a count, precision or number of axes that does not fit the integrator, the arrays or the file */
    KDR_ERROR_UNSUPPORTED = 9,  /* a combination that is not allowed; the message says what to take instead */
    KDR_ERROR_OVERLAP = 10,     /* two arrays of one view share memory */
    KDR_ERROR_FILE = 11,        /* a file that cannot be opened, read or written; the message has the system's reason */
    KDR_ERROR_FORMAT = 12,      /* a file of another format or a later version, or a damaged one */
    KDR_STOPPED = 13            /* no error: a watch ended the run at the end of a step (event.h) */
} kdr_status;

/* The reason of a failure, in one line that ends with a 0. It is written only on failure. */
typedef struct kdr_error {
    kdr_status status;
    char message[252];
} kdr_error;

/* Returns a short constant text, such as "ok" or "null pointer"; never NULL. */
KDR_API const char *kdr_status_string(kdr_status status);

/* Returns whether a status is an error: false for KDR_OK and KDR_STOPPED. */
static inline bool kdr_failed(kdr_status status) { return status != KDR_OK && status != KDR_STOPPED; }

#ifdef __cplusplus
}
#endif
#endif
