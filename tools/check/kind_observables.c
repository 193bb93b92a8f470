/* Cases of observables. The reference is the sum by one thread on contiguous arrays, and counts by a plain loop. */
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1400, SUMS = sizeof(kdr_observables) / sizeof(double) };

static uint64_t first_non_finite(const kdr_particles *p) {
    for (size_t n = 0; n < p->count; ++n) {
        for (int i = 0; i < p->dims; ++i) {
            if (!isfinite(kdr_check_get(p->x[i], p->real, n)) || !isfinite(kdr_check_get(p->v[i], p->real, n))) {
                return n;
            }
        }
    }
    return p->count;
}

/* Counts the particles outside the boundary. A NaN counts as inside. */
static uint64_t count_absorbed(const kdr_particles *p, const kdr_boundary *b) {
    uint64_t count = 0;
    for (size_t n = 0; n < p->count; ++n) {
        bool outside = false;
        for (int i = 0; i < p->dims; ++i) {
            const double x = kdr_check_get(p->x[i], p->real, n);
            const double low = p->real == KDR_F32 ? (double)(float)b->min[i] : b->min[i];
            const double high = p->real == KDR_F32 ? (double)(float)b->max[i] : b->max[i];
            outside |= x < low || x > high;
        }
        count += outside && !(p->inverse_mass && kdr_check_get(p->inverse_mass, p->real, n) == 0);
    }
    return count;
}

static kdr_status observe(kdr_check_trial *t, const kdr_integrator *integrator, const kdr_particles *p, const kdr_clock *clock,
                          uint64_t found[3]) {
    kdr_observables sums;
    size_t first = 0, absorbed = 0;
    kdr_status status = kdr_observe(integrator, p, clock, &sums, &t->error);
    status = status ? status : kdr_first_non_finite(p, &first, &t->error);
    status = status ? status : kdr_count_absorbed(integrator, p, &absorbed, &t->error);
    status = status ? status : kdr_fingerprint(p, &found[2], &t->error);
    void *const at = kdr_check_results(t, "sums", KDR_CHECK_DOUBLES, SUMS);
    if (status == KDR_OK) {
        memcpy(at, &sums, sizeof sums);
        found[0] = first, found[1] = absorbed;
    }
    return status;
}

kdr_status kdr_check_observables(kdr_check_trial *t) {
    kdr_check_random *const r = &t->random;
    const int dims = 1 + (int)kdr_check_random_below(r, 3);
    const size_t count = kdr_check_draw_one_in(r, 3) ? kdr_check_random_below(r, MOST) : kdr_check_draw_count(r, MOST);
    const kdr_particles p = kdr_check_draw_particles(t, count, dims);
    kdr_check_forces forces;
    kdr_force bound[KDR_CHECK_MAX_FORCES];
    kdr_check_draw_forces(t, (kdr_check_accepted){.velocity = KDR_VELOCITY_ANY, .dims = dims}, count, &forces, bound);
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = KDR_RK4;
    desc.real = t->test->real, desc.arithmetic = t->test->arithmetic;
    desc.backend = t->by_reference ? KDR_BACKEND_SCALAR : t->backend, desc.executor = t->executor;
    desc.forces = bound, desc.force_count = (size_t)forces.count;
    desc.boundary = (kdr_boundary){KDR_BOUNDARY_ABSORBING, {-1, -1.25, -1.5}, {1.5, 1.25, 1}};
    const kdr_clock clock = {kdr_check_random_between(r, -3, 3), 0.125, kdr_check_random_below(r, 100)};
    snprintf(t->words, sizeof t->words, "count=%zu dims=%d forces=%d masses=%d", count, dims, forces.count, p.inverse_mass != NULL);
    kdr_integrator *integrator = NULL;
    uint64_t found[3] = {0};
    kdr_status status = kdr_integrator_create(&desc, &integrator, &t->error);
    status = status ? status : observe(t, integrator, &p, &clock, found);
    kdr_integrator_destroy(integrator);
    t->is_refused = status == KDR_ERROR_UNSUPPORTED;
    if (t->by_reference && status == KDR_OK) {
        found[0] = first_non_finite(&p);
        found[1] = count_absorbed(&p, &desc.boundary);
    }
    memcpy(kdr_check_results(t, "the first that is not finite, absorbed, fingerprint", KDR_CHECK_LONGS, 3), found, sizeof found);
    return status;
}
