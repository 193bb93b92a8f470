/* Cases of distance constraints: positions after a drift, velocities after a kick. */
#include "trial.h"

#include <stdio.h>

enum { MOST_RODS = 900 };

static void draw_rods(kdr_check_random *r, kdr_distance *rods, size_t count, uint32_t particles, bool chain) {
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t a = chain ? n % (particles - 1) : kdr_check_random_below(r, particles);
        const uint32_t b = chain ? a + 1 : (a + 1 + kdr_check_random_below(r, particles - 1)) % particles;
        rods[n] = (kdr_distance){a, b, kdr_check_random_between(r, 0.5, 2)};
    }
}

static kdr_status by_kernels(kdr_check_trial *t, const kdr_distance_constraints_desc *desc, kdr_particles *p, const void *const start[3],
                             double dt) {
    kdr_distance_constraints *rods = NULL;
    kdr_status status = kdr_distance_constraints_create(desc, &rods, &t->error);
    status = status ? status : kdr_distance_constraints_shake(rods, p, start, dt, NULL, &t->error);
    status = status ? status : kdr_distance_constraints_rattle(rods, p, dt, NULL, &t->error);
    kdr_distance_constraints_destroy(rods);
    return status;
}

kdr_status kdr_check_distances(kdr_check_trial *t) {
    static const char *const names[] = {"start[0]", "start[1]", "start[2]"};
    kdr_check_random *const r = &t->random;
    const int dims = 1 + (int)kdr_check_random_below(r, 3);
    const size_t count = kdr_check_draw_count(r, 1000);
    const bool chain = kdr_check_draw_one_in(r, 3);
    kdr_distance rods[MOST_RODS];
    kdr_distance_constraints_desc desc = kdr_distance_constraints_desc_default();
    desc.count = count > 1 ? kdr_check_random_below(r, kdr_check_draw_one_in(r, 32) ? MOST_RODS + 1 : 90) : 0;
    draw_rods(r, rods, desc.count, (uint32_t)count, chain);
    desc.distances = rods;
    desc.tolerance = kdr_check_draw_one_in(r, 4) ? 0 : kdr_check_random_between(r, 1e-4, 0.1);
    desc.sweeps = 1 + kdr_check_random_below(r, 12);
    desc.relaxation = kdr_check_draw_one_in(r, 2) ? 1 : kdr_check_random_between(r, 0.5, 1.9);
    for (int i = 0; i < 3 && kdr_check_draw_one_in(r, 2); ++i) { /* rods are shorter than half the box */
        desc.box[i] = kdr_check_random_between(r, 4.01, 6);
    }
    const double size = kdr_check_random_between(r, 0.01, 0.5), dt = kdr_check_draw_one_in(r, 4) ? -size : size;
    kdr_particles p = kdr_check_draw_particles(t, count, dims);
    const void *start[3] = {NULL};
    for (int i = 0; i < 3 && i < dims; ++i) { /* mostly near the end of the step */
        void *const at = kdr_check_inputs(t, names[i], KDR_CHECK_REALS, count);
        for (size_t n = 0; n < count; ++n) {
            const double far = kdr_check_draw_one_in(r, 7) ? 3 : 0.1, moved = kdr_check_random_between(r, -far, far);
            kdr_check_set(at, p.real, n, kdr_check_get(p.x[i], p.real, n) + moved);
        }
        start[i] = at;
    }
    snprintf(t->words, sizeof t->words, "count=%zu dims=%d rods=%zu chain=%d masses=%d sweeps=%u dt=%g", count, dims, desc.count, chain,
             p.inverse_mass != NULL, desc.sweeps, dt);
    desc.real = t->test->real, desc.arithmetic = t->test->arithmetic;
    desc.backend = t->backend, desc.executor = t->executor;
    if (!t->by_reference) {
        return by_kernels(t, &desc, &p, start, dt);
    }
    const kdr_status status = kdr_reference_distance_constraints_shake(&desc, &p, start, dt, &t->error);
    return status ? status : kdr_reference_distance_constraints_rattle(&desc, &p, dt, &t->error);
}
