/* This file shares out work among processes, and brings the results together. */
#include "pairs.h"

#include "../particles/error.h"
#include "../particles/rounding.h"

size_t kdr_team_begin(const kdr_team *team, int index, size_t count) {
    const size_t each = count / (size_t)team->count, more = count % (size_t)team->count, n = (size_t)index;
    return each * n + (n < more ? n : more);
}

kdr_status kdr_team_bring(const kdr_team *team, void *array, size_t count, size_t unit, size_t bytes, kdr_error *error) {
    for (int from = 0; from < team->count && team->count > 1; ++from) {
        const size_t begin = kdr_team_begin(team, from, count) * unit, whole = kdr_team_begin(team, from + 1, count) * unit;
        const size_t end = whole < bytes ? whole : bytes;
        const kdr_status status = begin < end ? kdr_called(team->bring(team->context, from, (char *)array + begin, end - begin)) : KDR_OK;
        KDR_CHECK(status == KDR_OK, error, status, "team: the function returned %d (%s) for what process %d has", (int)status,
                  kdr_status_string(status), from);
    }
    return KDR_OK;
}
