/* Kicks and drifts of all particles, for simulations that compose their own methods. */
#include <float.h>
#include <kickdrift/coupled.h>
#include <math.h>
#include <string.h>

#include "../backend/backend.h"
#include "../particles/error.h"
#include "../particles/layout.h"
#include "coupled.h"
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

bool kdr_shares_memory(const kdr_particles *particles, void *const array[3], const kdr_layout *layout, int axis, const void *block,
                       size_t bytes) {
    const size_t size = kdr_real_size(particles->real);
    if (!array[axis] || particles->count == 0 || bytes == 0) {
        return false;
    }
    const uintptr_t begin = (uintptr_t)array[axis] + kdr_offset(layout, size, 0), at = (uintptr_t)block;
    const uintptr_t end = (uintptr_t)array[axis] + kdr_offset(layout, size, particles->count - 1) + size;
    return begin < at ? end > at : begin - at < bytes;
}

static kdr_status check(const kdr_particles *particles, const double h[2], void *const *a, const kdr_how *how, kdr_error *error) {
    KDR_CHECK(how, error, KDR_ERROR_NULL, "how: expected a pointer, got NULL");
    const kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(!particles->level, error, KDR_ERROR_UNSUPPORTED,
              "particles.level: a pass does the same to all particles, got levels; take kdr_coupled_run");
    KDR_CHECK(how->passes[particles->real], error, KDR_ERROR_ARGUMENT, "how: expected what kdr_how_choose filled in, got none");
    const double largest = particles->real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
    for (int i = 0; i < 2; ++i) {
        KDR_CHECK(fabs(h[i]) <= largest, error, KDR_ERROR_NOT_FINITE, "h: expected a finite number within %s, got %g",
                  kdr_real_name(particles->real), h[i]);
    }
    const bool rows = a && particles->count > 1 && kdr_are_rows(a, particles);
    KDR_CHECK(!rows || kdr_form_of(particles) == KDR_FORM_ROWS, error, KDR_ERROR_OVERLAP,
              "a: expected arrays apart from each other, but they are rows, and x and v are not");
    const size_t bytes = particles->count * kdr_real_size(particles->real) * (rows ? (size_t)particles->dims : 1);
    for (int i = 0; a && bytes > 0 && i < particles->dims; ++i) {
        KDR_CHECK(a[i], error, KDR_ERROR_NULL, "a[%d]: expected an array of %zu elements, got NULL", i, particles->count);
        for (int j = 0; j < particles->dims; ++j) {
            const bool shares = kdr_shares_memory(particles, particles->x, &particles->x_layout, j, a[i], bytes) ||
                                kdr_shares_memory(particles, particles->v, &particles->v_layout, j, a[i], bytes);
            KDR_CHECK(!shares, error, KDR_ERROR_OVERLAP,
                      "a[%d]: expected an array apart from x and v, but it shares memory with one of axis %d", i, j);
        }
    }
    return KDR_OK;
}

static void sweep(kdr_particles *particles, const kdr_pass *what, void *const *a, const kdr_how *how) {
    const kdr_sweeper sweeper = kdr_sweeper_make(how->backend, how->passes[particles->real], &how->executor, particles);
    kdr_move move = {.what = *what};
    for (int i = 0; a && i < particles->dims; ++i) {
        move.a[i] = a[i];
    }
    kdr_sweep_move(&sweeper, &move);
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
