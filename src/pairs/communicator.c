/* This file shares out work among processes, and brings the results together. */
#include "pairs.h"

#include "../particles/error.h"
#include "../particles/rounding.h"

size_t kdr_communicator_begin(const kdr_communicator *communicator, int index, size_t count) {
    const size_t each = count / (size_t)communicator->count, more = count % (size_t)communicator->count, n = (size_t)index;
    return each * n + (n < more ? n : more);
}

kdr_status kdr_communicator_broadcast(const kdr_communicator *communicator, void *array, size_t count, size_t unit, size_t bytes,
                                      kdr_error *error) {
    for (int from = 0; from < communicator->count && communicator->count > 1; ++from) {
        const size_t begin = kdr_communicator_begin(communicator, from, count) * unit,
                     whole = kdr_communicator_begin(communicator, from + 1, count) * unit;
        const size_t end = whole < bytes ? whole : bytes;
        const kdr_status status =
            begin < end ? kdr_called(communicator->broadcast(communicator->context, from, (char *)array + begin, end - begin)) : KDR_OK;
        KDR_CHECK(status == KDR_OK, error, status, "communicator: the function returned %d (%s) for what process %d has", (int)status,
                  kdr_status_string(status), from);
    }
    return KDR_OK;
}
