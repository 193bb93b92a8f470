/* What a checkpoint is held against, and copied into. */
#include <string.h>

#include <kickdrift/io.h>

#include "../particles/error.h"
#include "arrays.h"

kdr_status kdr_checkpoint_check(kdr_checkpoint *checkpoint, const kdr_integrator *integrator, kdr_error *error) {
    KDR_CHECK(checkpoint && integrator, error, KDR_ERROR_NULL, "checkpoint: expected a checkpoint and an integrator, got NULL");
    const uint64_t expected = kdr_integrator_digest(integrator);
    KDR_CHECK(checkpoint->description == expected, error, KDR_ERROR_MISMATCH,
              "checkpoint: it is of another description, %016llx, expected %016llx: method, forces with their arrays, precision, "
              "arithmetic, heat bath, walls or boundary differ",
              (unsigned long long)checkpoint->description, (unsigned long long)expected);
    kdr_particles view = checkpoint->particles;
    kdr_clock clock = checkpoint->clock;
    const kdr_status status = kdr_integrator_run(integrator, &view, &clock, 0, error);
    if (status == KDR_OK) {
        checkpoint->particles.memory_key =
            checkpoint->carried ? kdr_integrator_memory_key(integrator, &checkpoint->particles, &checkpoint->clock) : 0;
    }
    return status;
}

enum { CHUNK = 512 }; /* elements */

/* The caller's array and the checkpoint's have the same bits. */
static bool equal(const kdr_array *a, const kdr_array *b, size_t count) {
    unsigned char bytes[2][CHUNK * sizeof(uint64_t)];
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        const size_t taken = count - begin < CHUNK ? count - begin : CHUNK;
        kdr_array_get(a, begin, taken, bytes[0]);
        kdr_array_get(b, begin, taken, bytes[1]);
        if (memcmp(bytes[0], bytes[1], taken * a->size) != 0) {
            return false;
        }
    }
    return true;
}

static void copy(const kdr_array *from, const kdr_array *to, size_t count) {
    unsigned char bytes[CHUNK * sizeof(uint64_t)];
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        const size_t taken = count - begin < CHUNK ? count - begin : CHUNK;
        kdr_array_get(from, begin, taken, bytes);
        kdr_array_put(to, begin, taken, bytes);
    }
}

kdr_status kdr_checkpoint_restore(const kdr_checkpoint *checkpoint, kdr_particles *particles, kdr_clock *clock, kdr_error *error) {
    KDR_CHECK(checkpoint && particles && clock, error, KDR_ERROR_NULL,
              "checkpoint: expected a checkpoint, particles and a clock, got NULL");
    const kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    kdr_particles saved = checkpoint->particles;
    KDR_CHECK(saved.count == particles->count && saved.dims == particles->dims && saved.real == particles->real, error, KDR_ERROR_MISMATCH,
              "checkpoint: it has %zu particles on %d axes in %s, expected %zu on %d in %s", saved.count, saved.dims,
              kdr_real_name(saved.real), particles->count, particles->dims, kdr_real_name(particles->real));
    KDR_CHECK(particles->id || saved.first_id == particles->first_id, error, KDR_ERROR_MISMATCH,
              "checkpoint: its first id is %llu, expected %llu", (unsigned long long)saved.first_id,
              (unsigned long long)particles->first_id);
    for (int n = 0; n < KDR_ARRAYS; ++n) {
        const kdr_array from = kdr_array_of(&saved, n), to = kdr_array_of(particles, n);
        KDR_CHECK(from.used == to.used || saved.count == 0, error, KDR_ERROR_MISMATCH, "checkpoint: %s: it has %s, the particles have %s",
                  from.name, from.used ? "them" : "none", to.used ? "them" : "none");
        KDR_CHECK(!from.used || !to.used || from.written || equal(&from, &to, saved.count), error, KDR_ERROR_MISMATCH,
                  "checkpoint: %s: the particles have others, expected the checkpoint's", from.name);
    }
    for (int n = 0; n < KDR_ARRAYS; ++n) {
        const kdr_array from = kdr_array_of(&saved, n), to = kdr_array_of(particles, n);
        if (from.used && to.used && from.written) {
            copy(&from, &to, saved.count);
        }
    }
    particles->memory_key = saved.memory_key;
    *clock = checkpoint->clock;
    return KDR_OK;
}
