/* This file compares a checkpoint with an integrator and particles, and copies it into particles. */
#include <string.h>

#include "../particles/error.h"
#include "arrays.h"
#include "subject.h"

kdr_status kdr_subject_check(const kdr_subject *of, const kdr_particles *particles, const kdr_clock *clock, kdr_error *error) {
    if (of->system) {
        return kdr_system_check(of->system, particles, clock, 0, error);
    }
    kdr_particles view = *particles;
    kdr_clock at = *clock;
    return of->integrator ? kdr_integrator_run(of->integrator, &view, &at, 0, error) : kdr_particles_check(particles, error);
}

kdr_status kdr_subject_take(const kdr_subject *of, kdr_checkpoint *checkpoint, kdr_error *error) {
    const uint64_t expected = kdr_subject_digest(of);
    KDR_CHECK(checkpoint->description == expected, error, KDR_ERROR_MISMATCH,
              "checkpoint: it is of another description, %016llx, expected %016llx: method, forces with their arrays, precision, "
              "arithmetic, heat bath, walls%s differ",
              (unsigned long long)checkpoint->description, (unsigned long long)expected,
              of->system ? ", boundary, interactions or distances" : " or boundary");
    const kdr_status status = kdr_subject_check(of, &checkpoint->particles, &checkpoint->clock, error);
    if (status == KDR_OK) {
        checkpoint->particles.memory_key = checkpoint->carried ? kdr_subject_memory_key(of, &checkpoint->particles, &checkpoint->clock) : 0;
    }
    return status;
}

kdr_status kdr_checkpoint_check(kdr_checkpoint *checkpoint, const kdr_integrator *integrator, kdr_error *error) {
    const kdr_subject of = {.integrator = integrator};
    KDR_CHECK(checkpoint && integrator, error, KDR_ERROR_NULL, "checkpoint: expected a checkpoint and an integrator, got NULL");
    return kdr_subject_take(&of, checkpoint, error);
}

kdr_status kdr_checkpoint_check_system(kdr_checkpoint *checkpoint, const kdr_system *system, kdr_error *error) {
    const kdr_subject of = {.system = system};
    KDR_CHECK(checkpoint && system, error, KDR_ERROR_NULL, "checkpoint: expected a checkpoint and a system run's description, got NULL");
    return kdr_subject_take(&of, checkpoint, error);
}

enum { CHUNK = 512 }; /* elements at a time */

/* Returns whether the user's array and the checkpoint's have the same bits. */
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
