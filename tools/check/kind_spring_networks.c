/* Cases of spring networks: their accelerations, and their maps in the kinematic method. */
#include "trial.h"

#include <stdio.h>

enum { MOST_SPRINGS = 600, MOST_NETS = 2 };

static void draw_springs(kdr_check_random *r, kdr_pair_spring *springs, size_t count, uint32_t particles, bool hub) {
    static const kdr_contribution kinds[] = {KDR_CONTRIBUTION_DEFAULT,          KDR_CONTRIBUTION_EXACT,
                                             KDR_CONTRIBUTION_AVERAGE,          KDR_CONTRIBUTION_PULSE,
                                             KDR_CONTRIBUTION_PULSE_SYMPLECTIC, KDR_CONTRIBUTION_EULER};
    for (size_t n = 0; n < count; ++n) {
        const uint32_t a = hub && n % 2 ? 0 : kdr_check_random_below(r, particles);
        const uint32_t b = (a + 1 + kdr_check_random_below(r, particles - 1)) % particles;
        springs[n] = (kdr_pair_spring){.a = a, .b = b, .k = kdr_check_random_between(r, -1, 9)};
        const double length = kdr_check_random_between(r, 0, 2), damping = kdr_check_random_between(r, -0.5, 2);
        springs[n].length = kdr_check_draw_one_in(r, 3) ? 0 : length;
        springs[n].contribution = kinds[kdr_check_random_below(r, 6)];
        const bool damped = kdr_check_draw_one_in(r, 2) && springs[n].contribution != KDR_CONTRIBUTION_PULSE_SYMPLECTIC;
        springs[n].damping = damped ? damping : 0;
    }
}

static kdr_status by_kernels(kdr_check_trial *t, const kdr_pairs_desc *desc, const kdr_particles *p, double dt, void *const a[3],
                             void *const dx[3], void *const dv[3]) {
    kdr_pairs *pairs = NULL;
    kdr_pair_map *map = NULL;
    kdr_status status = kdr_pairs_create(desc, &pairs, &t->error);
    status = status ? status : kdr_pairs_add(pairs, p, a, &t->error);
    status = status ? status : kdr_pair_map_create(pairs, p, dt, &map, &t->error);
    status = status ? status : kdr_pair_map_add(map, p, dx, dv, &t->error);
    kdr_pair_map_destroy(map);
    kdr_pairs_destroy(pairs);
    return status;
}

kdr_status kdr_check_spring_networks(kdr_check_trial *t) {
    static const char *const names[3][3] = {{"a[0]", "a[1]", "a[2]"}, {"dx[0]", "dx[1]", "dx[2]"}, {"dv[0]", "dv[1]", "dv[2]"}};
    kdr_check_random *const r = &t->random;
    const int dims = 1 + (int)kdr_check_random_below(r, 3), nets = 1 + (int)kdr_check_random_below(r, MOST_NETS);
    const size_t count = kdr_check_draw_count(r, 1000);
    kdr_pair_spring springs[MOST_NETS][MOST_SPRINGS] = {{{0}}};
    kdr_interaction forces[MOST_NETS];
    for (int n = 0; n < nets; ++n) {
        /* In some nets half of the particles have no spring. */
        const uint32_t among = (uint32_t)(kdr_check_draw_one_in(r, 3) && count > 4 ? count / 2 : count);
        const size_t some = among > 1 ? kdr_check_random_below(r, kdr_check_draw_one_in(r, 2) ? 8 : MOST_SPRINGS + 1) : 0;
        draw_springs(r, springs[n], some, among, kdr_check_draw_one_in(r, 3));
        forces[n] = kdr_interaction_spring_network(springs[n], some);
    }
    const bool boxed = kdr_check_draw_one_in(r, 3);
    double box[3];
    for (int i = 0; i < 3; ++i) {
        box[i] = kdr_check_draw_one_in(r, 4) ? 0 : kdr_check_random_between(r, 1, 5);
    }
    const double size = kdr_check_random_between(r, 0.01, 0.5), dt = kdr_check_draw_one_in(r, 4) ? -size : size;
    const kdr_particles p = kdr_check_draw_particles(t, count, dims);
    void *sums[3][3] = {{NULL}};
    for (int k = 0; k < 9; ++k) {
        if (k % 3 < dims) {
            sums[k / 3][k % 3] = kdr_check_results(t, names[k / 3][k % 3], KDR_CHECK_REALS, count);
            kdr_check_draw_reals(t, sums[k / 3][k % 3], count, -1, 1);
        }
    }
    snprintf(t->words, sizeof t->words, "count=%zu dims=%d nets=%d springs=%zu masses=%d boxed=%d dt=%g", count, dims, nets,
             forces[0].as.spring_network.count, p.inverse_mass != NULL, boxed, dt);
    kdr_pairs_desc desc = kdr_pairs_desc_default();
    desc.forces = forces, desc.force_count = (size_t)nets;
    desc.real = t->test->real, desc.arithmetic = t->test->arithmetic;
    desc.backend = t->backend, desc.executor = t->executor;
    for (int i = 0; i < 3 && boxed; ++i) {
        desc.box[i] = box[i];
    }
    for (size_t n = 0; n < MOST_NETS * (size_t)MOST_SPRINGS && boxed; ++n) { /* less than half of the shortest box */
        springs[n / MOST_SPRINGS][n % MOST_SPRINGS].length *= 0.2;
    }
    if (!t->by_reference) {
        return by_kernels(t, &desc, &p, dt, sums[0], sums[1], sums[2]);
    }
    const kdr_status status = kdr_reference_pairs_add(&desc, &p, sums[0], &t->error);
    return status ? status : kdr_reference_pair_map_add(&desc, &p, dt, sums[1], sums[2], &t->error);
}
