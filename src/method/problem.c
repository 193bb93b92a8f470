/* Checking a description and what a run is given. */
#include "problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../particles/error.h"

double kdr_clock_time(const kdr_clock *clock, uint64_t step, double fraction) { return clock->t0 + ((double)step + fraction) * clock->dt; }

static const void *mark(const void *array) { return array ? (const void *)(uintptr_t)1 : NULL; }

static uint64_t digest(const kdr_problem *p) {
    /* Of names and values, not of enumerators, addresses and counts: a memory that is written to disk still belongs to its problem when
     * it is read back, and a slice's memory to the slice's problem. */
    kdr_field field = p->field;
    for (int s = 0; s < field.springs; ++s) {
        field.spring[s].count = 0;
        field.spring[s].k_each = mark(field.spring[s].k_each);
        for (int i = 0; i < 3; ++i) {
            field.spring[s].at_each[i] = mark(field.spring[s].at_each[i]);
        }
    }
    for (int d = 0; d < field.drags; ++d) {
        field.drag[d].count = 0;
        field.drag[d].b_each = mark(field.drag[d].b_each);
    }
    const uint64_t name = XXH3_64bits(p->row->info.name, strlen(p->row->info.name));
    return XXH3_64bits_withSeed(&field, sizeof field, name ^ (uint64_t)p->real << 1 ^ (uint64_t)p->arithmetic);
}

kdr_status kdr_problem_make(const kdr_integrator_desc *desc, kdr_problem *problem, kdr_error *error) {
    KDR_CHECK(desc && problem, error, KDR_ERROR_NULL, "description: expected a pointer, got NULL");
    const kdr_row *row = kdr_row_get(desc->method);
    KDR_CHECK(row, error, KDR_ERROR_ARGUMENT, "method: expected an enumerator below %d, got %d", KDR_METHOD_COUNT, (int)desc->method);
    KDR_CHECK((unsigned)desc->real < KDR_REAL_COUNT, error, KDR_ERROR_ARGUMENT, "real: expected KDR_F32 or KDR_F64, got %d",
              (int)desc->real);
    KDR_CHECK((unsigned)desc->arithmetic < KDR_ARITHMETIC_COUNT, error, KDR_ERROR_ARGUMENT,
              "arithmetic: expected KDR_FUSED or KDR_UNFUSED, got %d", (int)desc->arithmetic);
    kdr_field field;
    const kdr_status status = kdr_field_fold(desc->forces, desc->force_count, desc->real, &field, error);
    if (status != KDR_OK) {
        return status;
    }
    problem->method = desc->method;
    problem->row = row;
    problem->real = desc->real;
    problem->arithmetic = desc->arithmetic;
    problem->field = field;
    problem->digest = digest(problem);
    return KDR_OK;
}

static kdr_status check_clock(kdr_real real, const kdr_clock *clock, uint64_t steps, kdr_error *error) {
    const double largest = real == KDR_F32 ? (double)FLT_MAX : DBL_MAX;
    const double smallest = real == KDR_F32 ? (double)FLT_MIN : DBL_MIN;
    const uint64_t most = UINT64_C(1) << 53;
    KDR_CHECK(isfinite(clock->t0), error, KDR_ERROR_NOT_FINITE, "clock.t0: expected a finite time, got %g", clock->t0);
    KDR_CHECK(isfinite(clock->dt), error, KDR_ERROR_NOT_FINITE, "clock.dt: expected a finite time step, got %g", clock->dt);
    KDR_CHECK(fabs(clock->dt) >= smallest && fabs(clock->dt) <= largest, error, KDR_ERROR_ARGUMENT,
              "clock.dt: expected a time step from %g to %g in size, not 0, got %g", smallest, largest, clock->dt);
    KDR_CHECK(clock->step <= most && steps <= most - clock->step, error, KDR_ERROR_OVERFLOW,
              "steps: expected clock.step + steps to be at most 2^53, got %llu + %llu", (unsigned long long)clock->step,
              (unsigned long long)steps);
    const double end = kdr_clock_time(clock, clock->step + steps, 0.0);
    KDR_CHECK(isfinite(end), error, KDR_ERROR_NOT_FINITE, "clock: expected t0 + (step + steps) dt to be finite, got %g", end);
    return KDR_OK;
}

kdr_status kdr_problem_check_run(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                                 kdr_error *error) {
    KDR_CHECK(particles, error, KDR_ERROR_NULL, "particles: expected a pointer, got NULL");
    KDR_CHECK(clock, error, KDR_ERROR_NULL, "clock: expected a pointer, got NULL");
    kdr_status status = kdr_particles_check(particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(particles->real == problem->real, error, KDR_ERROR_MISMATCH, "particles.real: expected %s, as the integrator has it, got %s",
              kdr_real_name(problem->real), kdr_real_name(particles->real));
    status = check_clock(problem->real, clock, steps, error);
    return status != KDR_OK ? status : kdr_field_check_count(&problem->field, particles->count, error);
}

unsigned kdr_problem_terms(const kdr_problem *problem, const kdr_particles *particles) {
    return problem->field.terms | (particles->inverse_mass ? (unsigned)KDR_TERM_MASS : 0U);
}

uint64_t kdr_problem_memory_key(const kdr_problem *problem, const kdr_clock *clock) {
    if (!problem->row->info.memory) {
        return 0;
    }
    const struct { /* every member 8 bytes: no padding */
        uint64_t digest, step;
        double t0, dt;
    } name = {problem->digest, clock->step, clock->t0, clock->dt};
    return XXH3_64bits(&name, sizeof name) | 1U;
}

bool kdr_problem_resumes(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock) {
    return problem->row->info.memory && particles->memory[0] && particles->memory_key == kdr_problem_memory_key(problem, clock);
}
