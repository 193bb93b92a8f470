/* This file adds gravity over ranks: each rank sends its sources to all others, in the order of the ranks. */
#include "ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../particles/element.h"

static void run_nothing(void *context, size_t count, kdr_range_fn *body, void *argument) {
    (void)context, (void)count, (void)body, (void)argument;
}

/* Makes all checks of kdr_gravity_add, and adds nothing. */
static kdr_status check(const kdr_ranks *r, const kdr_gravity *gravity, const kdr_pass_options *options, kdr_error *error) {
    KDR_CHECK(gravity, error, KDR_ERROR_NULL, "gravity: expected a pointer, got NULL");
    KDR_CHECK(options, error, KDR_ERROR_NULL, "options: expected a pointer, got NULL");
    KDR_CHECK(gravity->sources <= INT_MAX, error, KDR_ERROR_OVERFLOW, "gravity.sources: expected at most %d on rank %d, got %zu", INT_MAX,
              r->rank, gravity->sources);
    kdr_pass_options dry = *options;
    dry.executor = (kdr_executor){NULL, run_nothing};
    return kdr_gravity_add(gravity, &dry, error);
}

/* Sets the offers of all ranks. An error is found on all ranks alike. */
static kdr_status exchange(const kdr_ranks *r, const kdr_gravity *gravity, kdr_error *error) {
    kdr_offer own, *const all = r->offers;
    memset(&own, 0, sizeof own);
    own.softening = gravity->softening + 0.0; /* turns -0 into 0 */
    own.sources = gravity->sources;
    own.dims = gravity->dims, own.real = (int32_t)gravity->real;
    own.lengths = gravity->source_softening != NULL;
    KDR_TRY(MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, r->communicator));
    int last = 0, first = 0; /* ranks that have sources: a rank without sources has no lengths */
    for (int n = 0; n < r->ranks; ++n) {
        last = all[n].sources > 0 ? n : last;
        first = all[first].sources > 0 ? first : n;
    }
    for (int n = 0; n < r->ranks; ++n) {
        const bool equal = all[n].softening == all[0].softening && all[n].dims == all[0].dims && all[n].real == all[0].real;
        KDR_CHECK(equal && (all[n].sources == 0 || all[n].lengths == all[first].lengths), error, KDR_ERROR_MISMATCH,
                  "gravity: expected equal dims, real and softening, and lengths or none, on all ranks, got others on rank %d", n);
        KDR_CHECK(n >= last || all[n].sources % KDR_GRAVITY_BLOCK == 0, error, KDR_ERROR_ARGUMENT,
                  "gravity.sources: expected a multiple of %d on rank %d, got %zu", (int)KDR_GRAVITY_BLOCK, n, (size_t)all[n].sources);
    }
    return KDR_OK;
}

/* Allocates room for the sources of the rank that has most. */
static kdr_status make_room(kdr_ranks *r, kdr_error *error) {
    const kdr_offer *const all = r->offers;
    size_t most = 0;
    for (int n = 0; n < r->ranks; ++n) {
        most = all[n].sources > most ? (size_t)all[n].sources : most;
    }
    const size_t bytes = most * (size_t)(all->dims + 2) * kdr_real_size((kdr_real)all->real);
    if (bytes > r->sources_bytes) {
        void *const more = realloc(r->sources, bytes);
        KDR_CHECK(more, error, KDR_ERROR_NO_MEMORY, "ranks: no memory for %zu sources of a rank", most);
        r->sources = more;
        r->sources_bytes = bytes;
    }
    return KDR_OK;
}

/* Sends an array from its rank to all others, and lets `array` point to the copy in the room. Advances `room` past the copy. */
static kdr_status broadcast_array(const kdr_ranks *r, int rank, const void **array, const kdr_layout *layout, char **room, size_t count,
                                  kdr_real real, kdr_error *error) {
    char *const to = *room;
    for (size_t j = 0; j < count && rank == r->rank; ++j) {
        memcpy(to + j * kdr_real_size(real), kdr_at(*array, layout, real, j), kdr_real_size(real));
    }
    *array = to;
    *room += count * kdr_real_size(real);
    KDR_TRY(MPI_Bcast(to, (int)count, real == KDR_F32 ? MPI_FLOAT : MPI_DOUBLE, rank, r->communicator));
    return KDR_OK;
}

/* Makes the sources of the rank the sources of the view. */
static kdr_status broadcast(const kdr_ranks *r, int rank, const kdr_offer *of, kdr_gravity *g, kdr_error *error) {
    const size_t count = (size_t)of->sources;
    const void *lengths = g->source_softening;
    char *room = r->sources;
    kdr_status status = KDR_OK;
    for (int i = 0; i < g->dims && status == KDR_OK; ++i) {
        status = broadcast_array(r, rank, &g->source_x[i], &g->source_x_layout, &room, count, g->real, error);
    }
    status = status == KDR_OK ? broadcast_array(r, rank, &g->mu, &g->mu_layout, &room, count, g->real, error) : status;
    if (status == KDR_OK && of->lengths) {
        status = broadcast_array(r, rank, &lengths, &g->source_softening_layout, &room, count, g->real, error);
    }
    g->source_softening = of->lengths ? lengths : NULL;
    g->source_x_layout = g->mu_layout = g->source_softening_layout = (kdr_layout){0, 0, 0, 0};
    g->sources = count;
    if (rank != r->rank) {
        g->targets_are_sources = false;
        g->first_source = 0;
    }
    return status;
}

static kdr_status add_all(kdr_ranks *r, const kdr_gravity *gravity, const kdr_pass_options *options, kdr_error *error) {
    kdr_status status = exchange(r, gravity, error);
    status = status == KDR_OK ? kdr_ranks_agree(r, make_room(r, error), error) : status;
    for (int rank = 0; rank < r->ranks && status == KDR_OK; ++rank) {
        kdr_gravity these = *gravity;
        if (r->offers[rank].sources > 0) {
            status = broadcast(r, rank, &r->offers[rank], &these, error);
            status = status == KDR_OK ? kdr_gravity_add(&these, options, error) : status; /* the view was checked before */
        }
    }
    return status;
}

kdr_status kdr_ranks_gravity_add(kdr_ranks *ranks, const kdr_gravity *gravity, const kdr_pass_options *options, kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    const kdr_status status = kdr_ranks_agree(ranks, check(ranks, gravity, options, error), error);
    return status == KDR_OK && gravity ? add_all(ranks, gravity, options, error) : status;
}
