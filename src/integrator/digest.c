/* What an integrator's description and its particles' memory are known by. */
#include "integrator.h"

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

uint64_t kdr_integrator_memory_key(const kdr_integrator *integrator, const kdr_particles *particles, const kdr_clock *clock) {
    KDR_ROUND_TO_NEAREST;
    return integrator && particles && clock ? kdr_problem_memory_key(&integrator->setup->problem, particles, clock) : 0;
}
