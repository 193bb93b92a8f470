/* This file shares the particles of a job among ranks, and lets the ranks agree on errors. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 30, LARGEST = 1 << 20, TAG = 1 }; /* bytes of a message and of an element, at most */

kdr_status kdr_ranks_fail(int code, kdr_error *error) {
    char text[MPI_MAX_ERROR_STRING];
    int length;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) {
        snprintf(text, sizeof text, "error %d", code);
    }
    return kdr_fail(error, KDR_ERROR_UNAVAILABLE, "ranks: MPI: %.200s", text);
}

/* Computes the slice of a rank. The blocks are shared out evenly; the first ranks have one more. */
static void slice_of(const kdr_ranks *r, int rank, size_t *begin, size_t *count) {
    const size_t blocks = r->count / KDR_OBSERVE_BLOCK + (r->count % KDR_OBSERVE_BLOCK != 0);
    const size_t each = blocks / (size_t)r->ranks, more = blocks % (size_t)r->ranks, n = (size_t)rank;
    const size_t first = each * n + (n < more ? n : more), end = first + each + (n < more);
    *begin = first < blocks ? first * KDR_OBSERVE_BLOCK : r->count;
    *count = (end < blocks ? end * KDR_OBSERVE_BLOCK : r->count) - *begin;
}

kdr_status kdr_ranks_agree(const kdr_ranks *ranks, kdr_status status, kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    kdr_error found = {.status = status};
    const int mine = status == KDR_OK ? ranks->ranks : ranks->rank;
    int first;
    if (status != KDR_OK) {
        kdr_fail(&found, status, "rank %d of %d: %s", ranks->rank, ranks->ranks, error ? error->message : kdr_status_string(status));
    }
    KDR_TRY(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, ranks->communicator));
    if (first == ranks->ranks) {
        return KDR_OK;
    }
    KDR_TRY(MPI_Bcast(&found, (int)sizeof found, MPI_BYTE, first, ranks->communicator));
    return kdr_fail(error, found.status, "%s", found.message);
}

static kdr_status fill(kdr_ranks *r, kdr_error *error) {
    uint64_t most[2] = {r->count, ~(uint64_t)r->count};
    KDR_TRY(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, r->communicator));
    slice_of(r, r->rank, &r->begin, &r->slice);
    r->sums = malloc((r->slice / KDR_OBSERVE_BLOCK + 1) * sizeof *r->sums);
    r->offers = malloc((size_t)r->ranks * sizeof *r->offers);
    const kdr_status status =
        r->sums && r->offers ? KDR_OK : kdr_fail(error, KDR_ERROR_NO_MEMORY, "ranks: no memory for the sums of %zu particles", r->slice);
    KDR_CHECK(most[0] == ~most[1], error, KDR_ERROR_MISMATCH, "count: expected one number on all ranks, got %zu, and up to %zu", r->count,
              (size_t)most[0]);
    return kdr_ranks_agree(r, status, error);
}

kdr_status kdr_ranks_create(int communicator, size_t count, kdr_ranks **ranks, kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    kdr_ranks *const made = malloc(sizeof *made);
    KDR_CHECK(made, error, KDR_ERROR_NO_MEMORY, "ranks: no memory");
    *made = (kdr_ranks){.count = count};
    int code = MPI_Comm_dup(MPI_Comm_f2c(communicator), &made->communicator);
    if (code != MPI_SUCCESS) {
        free(made);
        return kdr_ranks_fail(code, error);
    }
    code = MPI_Comm_rank(made->communicator, &made->rank);
    code = code == MPI_SUCCESS ? MPI_Comm_size(made->communicator, &made->ranks) : code;
    const kdr_status status = code == MPI_SUCCESS ? fill(made, error) : kdr_ranks_fail(code, error);
    if (status != KDR_OK) {
        kdr_ranks_destroy(made);
        return status;
    }
    *ranks = made;
    return KDR_OK;
}

void kdr_ranks_destroy(kdr_ranks *ranks) {
    if (ranks) {
        MPI_Comm_free(&ranks->communicator);
        free(ranks->sums);
        free(ranks->offers);
        free(ranks->sources);
        free(ranks);
    }
}

int kdr_ranks_rank(const kdr_ranks *ranks) { return ranks ? ranks->rank : 0; }
int kdr_ranks_count(const kdr_ranks *ranks) { return ranks ? ranks->ranks : 1; }

kdr_status kdr_ranks_slice(const kdr_ranks *ranks, int rank, size_t *begin, size_t *count, kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    KDR_CHECK(begin && count, error, KDR_ERROR_NULL, "begin, count: expected pointers, got NULL");
    KDR_CHECK(rank >= 0 && rank < ranks->ranks, error, KDR_ERROR_ARGUMENT, "rank: expected one from 0 to %d, got %d", ranks->ranks - 1,
              rank);
    slice_of(ranks, rank, begin, count);
    return KDR_OK;
}

kdr_status kdr_ranks_check(const kdr_ranks *ranks, const kdr_particles *particles, kdr_error *error) {
    const kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(particles->count == ranks->slice, error, KDR_ERROR_MISMATCH, "particles: expected the %zu of the rank's slice, got %zu",
              ranks->slice, particles->count);
    return KDR_OK;
}

static kdr_status cast(const kdr_ranks *r, int from, void *data, size_t size, kdr_error *error) {
    for (size_t sent = 0; sent < size; sent += CHUNK) {
        const int n = size - sent < CHUNK ? (int)(size - sent) : CHUNK;
        KDR_TRY(MPI_Bcast((char *)data + sent, n, MPI_BYTE, from, r->communicator));
    }
    return KDR_OK;
}

static kdr_status broadcast(void *context, int from, void *data, size_t size) { return cast(context, from, data, size, NULL); }

kdr_communicator kdr_ranks_communicator(kdr_ranks *ranks) {
    return ranks ? (kdr_communicator){.index = ranks->rank, .count = ranks->ranks, .context = ranks, .broadcast = broadcast}
                 : (kdr_communicator){.count = 1};
}

kdr_status kdr_ranks_broadcast(const kdr_ranks *ranks, void *data, size_t size, kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    kdr_status status = data || size == 0 ? KDR_OK : kdr_fail(error, KDR_ERROR_NULL, "data: expected a pointer, got NULL");
    status = kdr_ranks_agree(ranks, status, error);
    return status == KDR_OK ? cast(ranks, 0, data, size, error) : status;
}

/* Sends `size` bytes between rank 0 and another rank. */
static kdr_status pass(const kdr_ranks *r, int rank, void *data, size_t size, bool gathers, kdr_error *error) {
    for (size_t passed = 0; passed < size; passed += CHUNK) {
        const int n = size - passed < CHUNK ? (int)(size - passed) : CHUNK, other = r->rank == 0 ? rank : 0;
        if ((r->rank == 0) == gathers) {
            KDR_TRY(MPI_Recv((char *)data + passed, n, MPI_BYTE, other, TAG, r->communicator, MPI_STATUS_IGNORE));
        } else {
            KDR_TRY(MPI_Send((char *)data + passed, n, MPI_BYTE, other, TAG, r->communicator));
        }
    }
    return KDR_OK;
}

/* Elements [begin, begin + count) of all particles. */
typedef struct slice_range {
    size_t begin, count, size; /* `size`: bytes of an element */
} slice_range;

static kdr_status check_range(const kdr_ranks *r, const void *slice, const void *gathered, const slice_range *of, kdr_error *error) {
    KDR_CHECK(slice || r->slice == 0, error, KDR_ERROR_NULL, "slice: expected a pointer, got NULL");
    KDR_CHECK(gathered || r->rank > 0 || of->count == 0, error, KDR_ERROR_NULL, "range: expected a pointer on rank 0, got NULL");
    KDR_CHECK(of->size <= LARGEST, error, KDR_ERROR_OVERFLOW, "size: expected at most %d bytes an element, got %zu", (int)LARGEST,
              of->size);
    KDR_CHECK(of->begin <= r->count && of->count <= r->count - of->begin, error, KDR_ERROR_ARGUMENT,
              "begin, count: expected a range of the %zu elements, got %zu from %zu on", r->count, of->count, of->begin);
    return KDR_OK;
}

/* Copies elements between the slices of all ranks and the array `gathered` of rank 0. */
static kdr_status move(const kdr_ranks *r, char *slice, char *gathered, const slice_range *of, bool gathers, kdr_error *error) {
    kdr_status status = kdr_ranks_agree(r, check_range(r, slice, gathered, of, error), error);
    for (int rank = 0; status == KDR_OK && rank < r->ranks; ++rank) {
        size_t begin, count;
        slice_of(r, rank, &begin, &count);
        const size_t first = begin > of->begin ? begin : of->begin;
        const size_t end = begin + count < of->begin + of->count ? begin + count : of->begin + of->count;
        if (first >= end || (r->rank > 0 && r->rank != rank)) {
            continue;
        }
        char *const own = r->rank == rank ? slice + (first - begin) * of->size : NULL;
        char *const at = r->rank == 0 ? gathered + (first - of->begin) * of->size : own;
        const size_t bytes = (end - first) * of->size;
        if (rank > 0) {
            status = pass(r, rank, at, bytes, gathers, error);
        } else if (own != at) {
            memcpy(gathers ? at : own, gathers ? own : at, bytes);
        }
    }
    return status;
}

kdr_status kdr_ranks_gather(const kdr_ranks *ranks, const void *slice, size_t begin, size_t count, void *gathered, size_t size,
                            kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    const slice_range of = {begin, count, size};
    return move(ranks, (char *)slice, gathered, &of, true, error);
}

kdr_status kdr_ranks_scatter(const kdr_ranks *ranks, const void *gathered, size_t begin, size_t count, void *slice, size_t size,
                             kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    const slice_range of = {begin, count, size};
    return move(ranks, slice, (char *)gathered, &of, false, error);
}
