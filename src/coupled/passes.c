/* Kicks and drifts of all particles, for simulations that compose their own methods. */
#include <float.h>
#include <kickdrift/coupled.h>
#include <math.h>
#include <string.h>

#include "../backend/backend.h"
#include "../particles/error.h"
#include "sweep.h"

kdr_status kdr_how_choose(kdr_arithmetic arithmetic, kdr_backend backend, kdr_executor executor, kdr_how *how, kdr_error *error) {
    KDR_CHECK(how, error, KDR_ERROR_NULL, "how: expected a pointer, got NULL");
    KDR_CHECK((unsigned)arithmetic < KDR_ARITHMETIC_COUNT, error, KDR_ERROR_ARGUMENT,
              "arithmetic: expected KDR_FUSED or KDR_UNFUSED, got %d", (int)arithmetic);
    kdr_backend chosen;
    const kdr_status status = kdr_backend_choose(backend, &chosen, error);
    if (status == KDR_OK) {
        *how = (kdr_how){.arithmetic = arithmetic, .backend = chosen, .executor = executor};
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            how->passes[real] = kdr_backend_passes(chosen, (kdr_real)real, arithmetic);
        }
    }
    return status;
}

/* Two arrays of `bytes` each share memory. */
static bool overlap(const void *p, const void *q, size_t bytes) {
    const uintptr_t a = (uintptr_t)p, b = (uintptr_t)q;
    return a < b ? b - a < bytes : a - b < bytes;
}

static kdr_status check(const kdr_particles *particles, const double h[2], void *const *a, const kdr_how *how, kdr_error *error) {
    KDR_CHECK(how, error, KDR_ERROR_NULL, "how: expected a pointer, got NULL");
    kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(how->passes[particles->real], error, KDR_ERROR_ARGUMENT, "how: expected what kdr_how_choose filled in, got none");
    const double largest = particles->real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
    for (int i = 0; i < 2; ++i) {
        KDR_CHECK(fabs(h[i]) <= largest, error, KDR_ERROR_NOT_FINITE, "h: expected a finite number within %s, got %g",
                  kdr_real_name(particles->real), h[i]);
    }
    const size_t bytes = particles->count * kdr_real_size(particles->real);
    for (int i = 0; a && bytes > 0 && i < particles->dims; ++i) {
        KDR_CHECK(a[i], error, KDR_ERROR_NULL, "a[%d]: expected an array of %zu elements, got NULL", i, particles->count);
        for (int j = 0; j < particles->dims; ++j) {
            KDR_CHECK(!overlap(a[i], particles->x[j], bytes) && !overlap(a[i], particles->v[j], bytes), error, KDR_ERROR_OVERLAP,
                      "a[%d]: expected an array apart from x and v, but it shares memory with one of axis %d", i, j);
        }
    }
    return KDR_OK;
}

static void sweep(kdr_particles *particles, const kdr_pass *what, void *const *a, const kdr_how *how) {
    kdr_pass pass[3];
    for (int i = 0; i < particles->dims; ++i) {
        pass[i] = *what;
        pass[i].x = particles->x[i];
        pass[i].v = particles->v[i];
        pass[i].a = a ? a[i] : NULL;
        pass[i].w = particles->inverse_mass;
    }
    kdr_sweep_moves(how->passes[particles->real], pass, particles->dims, particles->count, &how->executor);
    particles->memory_key = 0;
}

kdr_status kdr_kick(kdr_particles *particles, double h, void *const a[3], const kdr_how *how, kdr_error *error) {
    KDR_CHECK(a, error, KDR_ERROR_NULL, "a: expected arrays, got NULL");
    const kdr_status status = check(particles, (double[]){h, 0.0}, a, how, error);
    if (status == KDR_OK) {
        sweep(particles, &(kdr_pass){.kicks = {true}, .kick = {h}}, a, how);
    }
    return status;
}

kdr_status kdr_drift(kdr_particles *particles, double h, const kdr_how *how, kdr_error *error) {
    const kdr_status status = check(particles, (double[]){h, 0.0}, NULL, how, error);
    if (status == KDR_OK) {
        sweep(particles, &(kdr_pass){.drifts = {1}, .drift = {{h}}}, NULL, how);
    }
    return status;
}

kdr_status kdr_kick_drift(kdr_particles *particles, double h_kick, double h_drift, void *const a[3], const kdr_how *how, kdr_error *error) {
    KDR_CHECK(a, error, KDR_ERROR_NULL, "a: expected arrays, got NULL");
    const kdr_status status = check(particles, (double[]){h_kick, h_drift}, a, how, error);
    if (status == KDR_OK) {
        sweep(particles, &(kdr_pass){.kicks = {true}, .kick = {h_kick}, .drifts = {1}, .drift = {{h_drift}}}, a, how);
    }
    return status;
}
