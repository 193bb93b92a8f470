/* Digests of an integrator's description, and keys of its particles' memory. */
#include "integrator.h"

#include <string.h>

#include "../force/field.h"
#include "../particles/error.h"
#include "../particles/rounding.h"
#include "../problem/digest.h"

uint64_t kdr_integrator_digest(const kdr_integrator *integrator) {
    if (!integrator) {
        return 0;
    }
    kdr_digest digest;
    const kdr_setup *const setup = integrator->setup;
    kdr_digest_problem(&digest, &setup->problem, setup->forces, setup->desc.force_count);
    return kdr_digest_end(&digest);
}

_Static_assert(sizeof(XXH3_state_t) <= sizeof((kdr_digest_state){0}.hash), "the state of the hash has room");

static void keep(const kdr_digest *digest, kdr_digest_state *state) { memcpy(state->hash, &digest->state, sizeof digest->state); }

/* Restores a digest's state, which may come from another process, and sets its one address anew. */
static void resume(kdr_digest *digest, const kdr_digest_state *state) {
    XXH3_state_t fresh;
    (void)XXH3_64bits_reset(&fresh);
    memcpy(&digest->state, state->hash, sizeof digest->state);
    digest->state.extSecret = fresh.extSecret;
}

/* Returns the number of the next array that the forces have, from n on, or -1. Missing arrays are added to the digest on the way. */
static int next_array(kdr_digest *digest, const kdr_problem *p, int n) {
    const void *array;
    size_t count;
    kdr_layout layout;
    while (kdr_field_array(&p->field, n, &array, &count, &layout)) {
        if (array) {
            return n;
        }
        (void)kdr_digest_array(digest, p, n++, 0, SIZE_MAX, &count);
    }
    return -1;
}

kdr_status kdr_integrator_digest_begin(const kdr_integrator *integrator, size_t count, kdr_digest_state *state, kdr_error *error) {
    KDR_CHECK(integrator && state, error, KDR_ERROR_NULL, "digest: expected an integrator and a state, got NULL");
    kdr_digest digest;
    const kdr_setup *const setup = integrator->setup;
    kdr_digest_begin(&digest, &setup->problem, setup->forces, setup->desc.force_count);
    *state = (kdr_digest_state){.count = count};
    state->next = next_array(&digest, &setup->problem, 0);
    keep(&digest, state);
    return KDR_OK;
}

kdr_status kdr_integrator_digest_add(const kdr_integrator *integrator, kdr_digest_state *state, kdr_error *error) {
    KDR_CHECK(integrator && state, error, KDR_ERROR_NULL, "digest: expected an integrator and a state, got NULL");
    const kdr_problem *const p = &integrator->setup->problem;
    const void *array = NULL;
    size_t has;
    kdr_layout layout;
    KDR_CHECK(state->next >= 0 && kdr_field_array(&p->field, state->next, &array, &has, &layout) && array &&
                  has <= state->count - state->added,
              error, KDR_ERROR_MISMATCH, "digest: expected forces with at most the %llu elements that their array has left",
              (unsigned long long)(state->next < 0 ? 0 : state->count - state->added));
    if (has == 0 && state->count > 0) {
        return KDR_OK;
    }
    kdr_digest digest;
    resume(&digest, state);
    (void)kdr_digest_array(&digest, p, state->next, (size_t)state->added, (size_t)state->count, &has);
    state->added += has;
    if (state->added == state->count) {
        state->added = 0;
        state->next = next_array(&digest, p, state->next + 1);
    }
    keep(&digest, state);
    return KDR_OK;
}

kdr_status kdr_integrator_digest_end(const kdr_integrator *integrator, const kdr_digest_state *state, uint64_t *value, kdr_error *error) {
    KDR_CHECK(integrator && state && value, error, KDR_ERROR_NULL, "digest: expected an integrator, a state and a number, got NULL");
    KDR_CHECK(state->next < 0 && state->added == 0, error, KDR_ERROR_MISMATCH,
              "digest: expected all elements of the forces' arrays, got %llu of %llu of one", (unsigned long long)state->added,
              (unsigned long long)state->count);
    kdr_digest digest;
    resume(&digest, state);
    kdr_digest_walls(&digest, &integrator->setup->problem);
    *value = kdr_digest_end(&digest);
    return KDR_OK;
}

uint64_t kdr_integrator_memory_key(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock) {
    KDR_ROUND_TO_NEAREST;
    return integrator && particles && clock ? kdr_problem_memory_key(&integrator->setup->problem, particles, clock) : 0;
}
