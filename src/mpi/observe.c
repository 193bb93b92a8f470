/* This file computes results over all particles of all ranks: each rank adds its slice to the result of the ranks before it. */
#include "ranks.h"

enum { TAG = 2 };

static kdr_status observe_slice(kdr_ranks *r, const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                                const kdr_observables *observables, kdr_error *error) {
    KDR_CHECK(observables, error, KDR_ERROR_NULL, "observables: expected a pointer, got NULL");
    const kdr_status status = kdr_ranks_check(r, particles, error);
    const size_t blocks = r->slice / KDR_OBSERVE_BLOCK + (r->slice % KDR_OBSERVE_BLOCK != 0);
    return status == KDR_OK ? kdr_observe_blocks(integrator, particles, clock, r->sums, blocks, error) : status;
}

/* All ranks compute the sums of their blocks at the same time. The sums are added from rank to rank, in the order of the blocks. */
kdr_status kdr_ranks_observe(kdr_ranks *ranks, const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock,
                             kdr_observables *observables, kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    const kdr_status status = kdr_ranks_agree(ranks, observe_slice(ranks, integrator, particles, clock, observables, error), error);
    if (status != KDR_OK) {
        return status;
    }
    const int last = ranks->ranks - 1;
    kdr_sums total = {{0}, {0}};
    if (ranks->rank > 0) {
        KDR_TRY(MPI_Recv(&total, (int)sizeof total, MPI_BYTE, ranks->rank - 1, TAG, ranks->communicator, MPI_STATUS_IGNORE));
    }
    kdr_sums_add(&total, ranks->sums, ranks->slice / KDR_OBSERVE_BLOCK + (ranks->slice % KDR_OBSERVE_BLOCK != 0), error);
    if (ranks->rank < last) {
        KDR_TRY(MPI_Send(&total, (int)sizeof total, MPI_BYTE, ranks->rank + 1, TAG, ranks->communicator));
    }
    KDR_TRY(MPI_Bcast(&total, (int)sizeof total, MPI_BYTE, last, ranks->communicator));
    return kdr_sums_observe(&total, observables, error);
}

/* The state goes from rank to rank once for each array, and each rank adds its slice of the array. Then all ranks have the state, and
 * `left` tells all of them alike whether there is another round. */
typedef struct round_trip {
    void *state;
    int size;
    kdr_status (*add)(void *state, const void *slice, kdr_error *error);
    bool (*left)(const void *state);
    const void *slice;
} round_trip;

static kdr_status go_round(const kdr_ranks *r, const round_trip *trip, kdr_error *error) {
    const int last = r->ranks - 1;
    while (trip->left(trip->state)) {
        if (r->rank > 0) {
            KDR_TRY(MPI_Recv(trip->state, trip->size, MPI_BYTE, r->rank - 1, TAG, r->communicator, MPI_STATUS_IGNORE));
        }
        kdr_status status = trip->add(trip->state, trip->slice, error);
        if (r->rank < last) {
            KDR_TRY(MPI_Send(trip->state, trip->size, MPI_BYTE, r->rank + 1, TAG, r->communicator));
        }
        KDR_TRY(MPI_Bcast(trip->state, trip->size, MPI_BYTE, last, r->communicator));
        status = kdr_ranks_agree(r, status, error);
        if (status != KDR_OK) {
            return status;
        }
    }
    return KDR_OK;
}

static kdr_status add_particles(void *state, const void *slice, kdr_error *error) { return kdr_fingerprint_add(state, slice, error); }

static bool elements_left(const void *state) {
    const kdr_fingerprint_state *const s = state;
    return s->added < s->count * 2 * (uint64_t)s->dims;
}

typedef struct arrays_slice {
    const kdr_ranks *ranks;
    const kdr_integrator *integrator;
} arrays_slice;

/* Adds the slice's elements of one array. Fails if their number is not that of the slice's particles, because the next rank would
 * continue at a wrong place. */
static kdr_status add_arrays(void *state, const void *slice, kdr_error *error) {
    const arrays_slice *const of = slice;
    const kdr_ranks *const r = of->ranks;
    const size_t added = (size_t)((const kdr_digest_state *)state)->added;
    KDR_CHECK(r->slice == 0 || added == r->begin, error, KDR_ERROR_MISMATCH,
              "digest: expected the forces' arrays of each slice, %zu elements before that from particle %zu on, got %zu", r->begin,
              r->begin, added);
    return r->slice == 0 && r->count > 0 ? KDR_OK : kdr_integrator_digest_add(of->integrator, state, error);
}

static bool arrays_left(const void *state) { return ((const kdr_digest_state *)state)->next >= 0; }

/* Fails unless all ranks have the same dims and real. Every rank checks the number of its particles itself. */
static kdr_status check_kinds(const kdr_ranks *r, const kdr_particles *particles, const void *result, kdr_error *error) {
    kdr_status status =
        result ? kdr_ranks_check(r, particles, error) : kdr_fail(error, KDR_ERROR_NULL, "result: expected a pointer, got NULL");
    status = kdr_ranks_agree(r, status, error);
    if (status != KDR_OK) {
        return status;
    }
    const int kind = 2 * particles->dims + (int)particles->real;
    int most[2] = {kind, -kind};
    KDR_TRY(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT, MPI_MAX, r->communicator));
    KDR_CHECK(most[0] == -most[1], error, KDR_ERROR_MISMATCH, "particles: expected equal dims and real on all ranks, got others");
    return KDR_OK;
}

kdr_status kdr_ranks_fingerprint(const kdr_ranks *ranks, const kdr_particles *particles, uint64_t *fingerprint, kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    kdr_fingerprint_state state;
    kdr_status status = check_kinds(ranks, particles, fingerprint, error);
    status = status == KDR_OK ? kdr_fingerprint_begin(&state, ranks->count, particles->dims, particles->real, error) : status;
    const round_trip trip = {&state, (int)sizeof state, add_particles, elements_left, particles};
    status = status == KDR_OK ? go_round(ranks, &trip, error) : status;
    return status == KDR_OK ? kdr_fingerprint_end(&state, fingerprint, error) : status;
}

kdr_status kdr_ranks_digest(const kdr_ranks *ranks, const kdr_integrator *integrator, uint64_t *digest, kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    kdr_digest_state state;
    kdr_status status = kdr_integrator_digest_begin(integrator, ranks->count, &state, error);
    status = digest ? status : kdr_fail(error, KDR_ERROR_NULL, "digest: expected a pointer, got NULL");
    status = kdr_ranks_agree(ranks, status, error);
    const arrays_slice slice = {ranks, integrator};
    const round_trip trip = {&state, (int)sizeof state, add_arrays, arrays_left, &slice};
    status = status == KDR_OK ? go_round(ranks, &trip, error) : status;
    return status == KDR_OK ? kdr_integrator_digest_end(integrator, &state, digest, error) : status;
}

kdr_status kdr_ranks_first_non_finite(const kdr_ranks *ranks, const kdr_particles *particles, size_t *index, kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    size_t found = 0;
    kdr_status status = check_kinds(ranks, particles, index, error);
    status = status == KDR_OK ? kdr_first_non_finite(particles, &found, error) : status;
    if (status != KDR_OK) {
        return status;
    }
    uint64_t first = found < ranks->slice ? ranks->begin + found : ranks->count;
    KDR_TRY(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_UINT64_T, MPI_MIN, ranks->communicator));
    *index = (size_t)first;
    return KDR_OK;
}

kdr_status kdr_ranks_count_absorbed(const kdr_ranks *ranks, const kdr_integrator *integrator, const kdr_particles *particles, size_t *count,
                                    kdr_error *error) {
    KDR_CHECK(ranks, error, KDR_ERROR_NULL, "ranks: expected a pointer, got NULL");
    size_t found = 0;
    kdr_status status = check_kinds(ranks, particles, count, error);
    if (status != KDR_OK || !count) {
        return status;
    }
    status = kdr_ranks_agree(ranks, kdr_count_absorbed(integrator, particles, &found, error), error);
    if (status != KDR_OK) {
        return status;
    }
    uint64_t all = found;
    KDR_TRY(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_SUM, ranks->communicator));
    *count = (size_t)all;
    return KDR_OK;
}
