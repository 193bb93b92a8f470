/* Kicks and drifts of all particles, for simulations that compose their own methods. */
#include <float.h>
#include <kickdrift/system.h>
#include <math.h>
#include <string.h>

#include "../backend/backend.h"
#include "../particles/error.h"
#include "../particles/layout.h"
#include "../particles/rounding.h"
#include "kick_drift_passes.h"
#include "system.h"

kdr_status kdr_pass_options_init(kdr_arithmetic arithmetic, kdr_backend backend, kdr_executor executor, kdr_pass_options *options,
                                 kdr_error *error) {
    KDR_CHECK(options, error, KDR_ERROR_NULL, "options: expected a pointer, got NULL");
    KDR_CHECK((unsigned)arithmetic < KDR_ARITHMETIC_COUNT, error, KDR_ERROR_ARGUMENT,
              "arithmetic: expected KDR_FUSED or KDR_UNFUSED, got %d", (int)arithmetic);
    kdr_backend chosen;
    const kdr_status status = kdr_backend_choose(backend, &chosen, error);
    if (status == KDR_OK) {
        *options = (kdr_pass_options){.arithmetic = arithmetic, .backend = chosen, .executor = executor};
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            options->kernels[real] = kdr_backend_kernels(chosen, (kdr_real)real, arithmetic);
        }
    }
    return status;
}

bool kdr_shares_memory(size_t count, const void *array, const kdr_layout *layout, size_t size, const void *block, size_t bytes) {
    if (!array || count == 0 || bytes == 0) {
        return false;
    }
    const uintptr_t begin = (uintptr_t)array + kdr_offset(layout, size, 0), at = (uintptr_t)block;
    const uintptr_t end = (uintptr_t)array + kdr_offset(layout, size, count - 1) + size;
    return begin < at ? end > at : begin - at < bytes;
}

static kdr_status check(const kdr_particles *particles, const double h[2], void *const *a, const kdr_pass_options *options,
                        kdr_error *error) {
    KDR_CHECK(options, error, KDR_ERROR_NULL, "options: expected a pointer, got NULL");
    const kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(!particles->level, error, KDR_ERROR_UNSUPPORTED,
              "particles.level: a pass does the same to all particles, got levels; take kdr_system_run");
    KDR_CHECK(kdr_backend_has(options->kernels[particles->real], options->backend, particles->real, options->arithmetic), error,
              KDR_ERROR_ARGUMENT, "options: expected what kdr_pass_options_init filled in, got others");
    const double largest = particles->real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
    for (int i = 0; i < 2; ++i) {
        KDR_CHECK(fabs(h[i]) <= largest, error, KDR_ERROR_NOT_FINITE, "h: expected a finite number within %s, got %g",
                  kdr_real_name(particles->real), h[i]);
    }
    const bool rows = a && particles->count > 1 && kdr_are_rows(a, particles);
    KDR_CHECK(!rows || kdr_lie_in_rows(particles), error, KDR_ERROR_OVERLAP,
              "a: expected separate arrays, but they are rows, and x and v are not");
    const size_t size = kdr_real_size(particles->real), bytes = particles->count * size * (rows ? (size_t)particles->dims : 1);
    for (int i = 0; a && bytes > 0 && i < particles->dims; ++i) {
        KDR_CHECK(a[i], error, KDR_ERROR_NULL, "a[%d]: expected an array of %zu elements, got NULL", i, particles->count);
        for (int j = 0; j < particles->dims; ++j) {
            const bool shares = kdr_shares_memory(particles->count, particles->x[j], &particles->x_layout, size, a[i], bytes) ||
                                kdr_shares_memory(particles->count, particles->v[j], &particles->v_layout, size, a[i], bytes);
            KDR_CHECK(!shares, error, KDR_ERROR_OVERLAP,
                      "a[%d]: expected an array separate from x and v, but it shares memory with one of axis %d", i, j);
        }
    }
    return KDR_OK;
}

static kdr_instruction advance(unsigned out, unsigned x, unsigned number, unsigned lost) {
    return (kdr_instruction){.code = lost > 0 ? KDR_OP_ADVANCE_COMPENSATED : KDR_OP_ADVANCE,
                             .out = (uint16_t)out,
                             .x = (uint16_t)x,
                             .other = (uint16_t)lost,
                             .number = (uint16_t)number,
                             .list = (uint16_t)(number + 3)};
}

static const kdr_strided_columns no_aside = {0};

/* Lays out the rows: x and v; with masses also the inverse masses and old x and v, and their old compensations; compensations of x and
 * v; a. */
void kdr_moves_make(kdr_moves *m, kdr_backend backend, kdr_arithmetic arithmetic, const kdr_executor *executor,
                    const kdr_particles *particles, void *const lost[2][3], const kdr_job *job) {
    const kdr_kernels *const kernels = kdr_backend_kernels(backend, particles->real, arithmetic);
    const int dims = particles->dims, held = kdr_has_masses(particles) ? (lost ? 5 : 3) : 0, rows = 3 + held + (lost ? 2 : 0);
    const unsigned x = 0, v = (unsigned)dims, a = (unsigned)((rows - 1) * dims), of_x = lost ? (unsigned)((2 + held) * dims) : 0;
    const unsigned of_v = lost ? of_x + (unsigned)dims : 0;
    memset(m, 0, sizeof *m);
    m->a = a;
    m->line[KDR_MOVE_KICK] = advance(v, a, 0, of_v);
    m->line[KDR_MOVE_KICK_2] = advance(v, a, 2, of_v);
    m->line[KDR_MOVE_DRIFT] = advance(x, v, 1, of_x);
    m->line[KDR_MOVE_HOLD] = (kdr_instruction){.code = KDR_OP_HOLD_VELOCITY,
                                               .out = KDR_NO_COLUMN,
                                               .x = (uint16_t)x,
                                               .v = (uint16_t)v,
                                               .other = lost ? (uint16_t)of_v : KDR_NO_COLUMN};
    if (job) {
        m->line[KDR_MOVE_DRIFT].code = KDR_OP_HELD_DRIFT;
        m->line[KDR_MOVE_DRIFT].v = (uint16_t)v;
        m->line[KDR_MOVE_DRIFT].other = lost ? (uint16_t)of_x : KDR_NO_COLUMN;
    }
    m->line[KDR_MOVE_KICK_DRIFT] = (kdr_instruction){.code = KDR_OP_KICK_DRIFT, .out = x, .v = (uint16_t)v, .other = (uint16_t)a};
    m->program = (kdr_program){.kernels = kernels,
                               .dims = dims,
                               .columns = rows * dims,
                               .size = kdr_real_size(particles->real),
                               .line = m->line,
                               .mixes = job != NULL,
                               .lost = (int)of_x};
    memcpy(m->program.operation, kernels->operation, sizeof m->program.operation);
    m->program.vectors = kdr_vectors_of_calls(&m->program);
    m->sweeper = kdr_sweeper_make(&m->program, m->numbers, backend, executor, particles, false);
    m->sweeper.job = job;
    m->sweeper.aside = &no_aside;
    for (unsigned k = 0; lost && k < 2; ++k) {
        kdr_sweeper_put(&m->sweeper, of_x + k * (unsigned)dims, lost[k]);
    }
}

static void sweep(kdr_moves *m, kdr_lines lines, const double h[3], void *const *a) {
    float *const narrow = (float *)(void *)m->numbers;
    for (int i = 0; i < 3; ++i) {
        if (m->program.size == sizeof(float)) {
            narrow[i] = (float)h[i];
            narrow[3 + i] = (float)(h[i] - (double)narrow[i]);
        } else {
            m->numbers[i] = h[i];
        }
    }
    if (a) {
        kdr_sweeper_put(&m->sweeper, m->a, a);
    }
    const kdr_pass pass = {.part = {lines}};
    (void)kdr_sweep(&m->sweeper, &pass);
}

void kdr_move_all(kdr_moves *m, kdr_move move, const double h[2], void *const *a) {
    sweep(m, (kdr_lines){(int)move, (int)move + 1}, move == KDR_MOVE_DRIFT ? (double[]){0, h[0], 0} : (double[]){h[0], h[1], 0}, a);
}

void kdr_kick_listed(kdr_moves *m, double h, double h_2, int kicks, void *const a[3], const size_t *index, size_t count) {
    const kdr_sweeper all = m->sweeper;
    m->sweeper.index = index;
    m->sweeper.count = count;
    m->sweeper.in_rows = false;
    sweep(m, (kdr_lines){KDR_MOVE_KICK, KDR_MOVE_KICK + kicks}, (double[]){h, 0, h_2}, a);
    m->sweeper = all;
}

static kdr_status move(kdr_particles *particles, kdr_move what, double h, double drift, void *const *a, const kdr_pass_options *options,
                       kdr_error *error) {
    const kdr_status status = check(particles, (double[]){h, drift}, a, options, error);
    if (status == KDR_OK) {
        kdr_moves moves;
        kdr_moves_make(&moves, options->backend, options->arithmetic, &options->executor, particles, NULL, NULL);
        kdr_move_all(&moves, what, (double[]){h, drift}, a);
        particles->memory_key = 0;
    }
    return status;
}

kdr_status kdr_kick(kdr_particles *particles, double h, void *const a[3], const kdr_pass_options *options, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(a, error, KDR_ERROR_NULL, "a: expected arrays, got NULL");
    return move(particles, KDR_MOVE_KICK, h, 0.0, a, options, error);
}

kdr_status kdr_drift(kdr_particles *particles, double h, const kdr_pass_options *options, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    return move(particles, KDR_MOVE_DRIFT, h, 0.0, NULL, options, error);
}

kdr_status kdr_kick_drift(kdr_particles *particles, double h_kick, double h_drift, void *const a[3], const kdr_pass_options *options,
                          kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    KDR_CHECK(a, error, KDR_ERROR_NULL, "a: expected arrays, got NULL");
    return move(particles, KDR_MOVE_KICK_DRIFT, h_kick, h_drift, a, options, error);
}
