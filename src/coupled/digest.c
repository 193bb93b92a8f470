/* Digests of a coupled run's description, and keys of its particles' memory. */
#include "coupled.h"

#include "../particles/rounding.h"
#include "../problem/digest.h"

uint64_t kdr_coupled_digest(const kdr_coupled *coupled) {
    if (!coupled) {
        return 0;
    }
    const kdr_coupled_desc *const desc = &coupled->desc;
    kdr_digest digest;
    kdr_digest_problem(&digest, &coupled->problem, desc->forces, desc->force_count);
    kdr_digest_name(&digest, "coupled");
    kdr_digest_word(&digest, desc->accelerations != NULL, 1); /* functions have no names; the digest knows only whether there is one */
    kdr_digest_word(&digest, desc->magnetic != NULL, 1);
    if (desc->slopes) {
        kdr_digest_name(&digest, "slopes");
    }
    /* Only a kinematic method acts on this flag: it evaluates such a function twice per step. */
    if (desc->velocity_dependent && kdr_problem_kicks_twice(&coupled->problem)) {
        kdr_digest_name(&digest, "velocity_dependent");
    }
    for (size_t t = 0; t < coupled->term_count; ++t) {
        if (coupled->terms[t].tell) {
            coupled->terms[t].tell(coupled->terms[t].data, &digest);
        }
    }
    if (desc->distance_count > 0) {
        kdr_digest_doubles(&digest, &desc->distance_tolerance, 1);
        kdr_digest_doubles(&digest, &desc->distance_relaxation, 1);
        kdr_digest_word(&digest, desc->distance_sweeps, 4);
    }
    return kdr_digest_end(&digest);
}

uint64_t kdr_coupled_memory_key(const kdr_coupled *coupled, const kdr_particles *particles, const kdr_clock *clock) {
    KDR_ROUND_TO_NEAREST;
    return coupled && particles && clock ? kdr_problem_memory_key(&coupled->problem, particles, clock) : 0;
}

kdr_langevin kdr_coupled_langevin(const kdr_coupled *coupled) { return coupled ? coupled->desc.langevin : (kdr_langevin){0}; }
