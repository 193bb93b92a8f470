/* When something that may fail is tried again. */
#ifndef KDR_PROGRAM_RETRY_H
#define KDR_PROGRAM_RETRY_H

#include <stdbool.h>
#include <stddef.h>

/* After a failure, `first` turns go by without a try, and twice as many after each further failure in a row, up to `most`. */
typedef struct kdr_retry {
    size_t first, most;
    size_t wait, left; /* turns after the last failure, and those that are left */
} kdr_retry;

/* Returns whether it is tried in this turn. */
static inline bool kdr_retry_is_due(kdr_retry *r) {
    const bool due = r->left == 0;
    r->left -= !due;
    return due;
}

/* Notes how a try ended. */
static inline void kdr_retry_note(kdr_retry *r, bool failed) {
    const size_t longer = r->wait == 0 ? r->first : 2 * r->wait < r->most ? 2 * r->wait : r->most;
    r->wait = failed ? longer : 0;
    r->left = r->wait;
}

#endif
