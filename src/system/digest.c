/* Digests of a system run's description, and keys of its particles' memory. */
#include "system.h"

#include "../particles/rounding.h"
#include "../problem/digest.h"

uint64_t kdr_system_digest(const kdr_system *system) {
    if (!system) {
        return 0;
    }
    const kdr_system_desc *const desc = &system->desc;
    kdr_digest digest;
    kdr_digest_problem(&digest, &system->problem, desc->forces, desc->force_count);
    kdr_digest_name(&digest, "system");
    kdr_digest_word(&digest, desc->accelerations != NULL, 1); /* functions have no names; the digest knows only whether there is one */
    kdr_digest_word(&digest, desc->magnetic != NULL, 1);
    if (desc->slopes) {
        kdr_digest_name(&digest, "slopes");
    }
    /* Only a kinematic method acts on this flag: it evaluates such a function twice per step. */
    if (desc->velocity_dependent && kdr_problem_kicks_twice(&system->problem)) {
        kdr_digest_name(&digest, "velocity_dependent");
    }
    for (size_t t = 0; t < system->term_count; ++t) {
        if (system->terms[t].tell) {
            system->terms[t].tell(system->terms[t].data, &digest);
        }
    }
    if (desc->distance_count > 0) {
        kdr_digest_doubles(&digest, &desc->distance_tolerance, 1);
        kdr_digest_doubles(&digest, &desc->distance_relaxation, 1);
        kdr_digest_word(&digest, desc->distance_sweeps, 4);
    }
    return kdr_digest_end(&digest);
}

uint64_t kdr_system_memory_key(const kdr_system *system, const kdr_particles *particles, const kdr_clock *clock) {
    KDR_ROUND_TO_NEAREST;
    return system && particles && clock ? kdr_problem_memory_key(&system->problem, particles, clock) : 0;
}

kdr_langevin kdr_system_langevin(const kdr_system *system) { return system ? system->desc.langevin : (kdr_langevin){0}; }
