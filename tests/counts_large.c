/* Counts beyond 2^16 and 2^32: evaluations of long runs, and a net with more springs than slices that a 16-bit word can count. */
#include "support.h"

Test(counts_large, evaluations_of_more_than_2_to_the_32_steps) {
    static const uint64_t steps[] = {1, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 33, (UINT64_C(1) << 40) + 3};
    const kdr_force spring = kdr_force_spring(1, 0, 0, 0);
    const kdr_integrator_desc field = describe(KDR_RK4, KDR_F64, KDR_FUSED, &spring, 1);
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = KDR_RK4, desc.forces = &spring, desc.force_count = 1;
    kdr_integrator *integrator;
    kdr_system *system;
    cr_assert(kdr_integrator_create(&field, &integrator, NULL) == KDR_OK && kdr_system_create(&desc, &system, NULL) == KDR_OK);
    kdr_particles p = make_particles(3, 3, KDR_F64, false, false);
    const kdr_clock clock = {0, 0.125, 0};
    for (size_t n = 0; n < sizeof steps / sizeof *steps; ++n) {
        const uint64_t found = kdr_integrator_evaluations(integrator, &p, &clock, steps[n]);
        cr_expect(found == 3 * 4 * steps[n], "%" PRIu64 " steps: %" PRIu64, steps[n], found);
        const uint64_t calls = kdr_system_evaluations(system, &p, &clock, steps[n]);
        cr_expect(calls == 4 * steps[n], "%" PRIu64 " steps of a system run: %" PRIu64, steps[n], calls);
    }
    kdr_particles_destroy(&p);
    kdr_system_destroy(system);
    kdr_integrator_destroy(integrator);
}

/* The forces of a chain of more than a million springs without length are a tridiagonal matrix times the positions. */
Test(counts_large, a_chain_of_more_than_a_million_springs) {
    enum { CHAIN = 1300000 };
    kdr_pair_spring *const springs = malloc((CHAIN - 1) * sizeof *springs);
    double *const x = malloc(CHAIN * sizeof *x), *const v = calloc(CHAIN, sizeof *v), *const a = calloc(CHAIN, sizeof *a);
    cr_assert(springs && x && v && a);
    for (uint32_t n = 0; n < CHAIN; ++n) {
        /* distances are powers of two, so nothing is rounded */
        x[n] = n == 0 ? 0 : x[n - 1] + (double)(1U << (n * UINT32_C(2654435761) >> 30));
        if (n + 1 < CHAIN) {
            springs[n] = (kdr_pair_spring){n, n + 1, 1, 0, 0, KDR_CONTRIBUTION_DEFAULT};
        }
    }
    const kdr_interaction network = kdr_interaction_spring_network(springs, CHAIN - 1);
    kdr_pairs_desc desc = kdr_pairs_desc_default();
    desc.forces = &network, desc.force_count = 1;
    kdr_pairs *pairs;
    kdr_error error;
    cr_assert(kdr_pairs_create(&desc, &pairs, &error) == KDR_OK, "%s", error.message);
    kdr_particles p = kdr_particles_default();
    p.count = CHAIN, p.dims = 1, p.x[0] = x, p.v[0] = v;
    void *const to[3] = {a, NULL, NULL};
    cr_assert(kdr_pairs_add(pairs, &p, to, &error) == KDR_OK, "%s", error.message);
    size_t wrong = 0;
    for (size_t n = 0; n < CHAIN; ++n) {
        const double expected = (n > 0 ? x[n - 1] - x[n] : 0) + (n + 1 < CHAIN ? x[n + 1] - x[n] : 0);
        wrong += a[n] != expected;
    }
    cr_expect(wrong == 0, "%zu of %d accelerations are wrong", wrong, (int)CHAIN);
    kdr_pairs_destroy(pairs);
    free(springs), free(x), free(v), free(a);
}
