/* kdr_reference_run: checks as the integrator does, then the textbook in the particles' precision. */
#include <kickdrift/reference.h>

#include "../particles/description.h"
#include "../particles/error.h"
#include "../particles/recorder.h"
#include "../particles/rounding.h"
#include "../problem/coupled.h"
#include "../problem/sample.h"
#include "reference.h"

void kdr_reference_philox(const uint32_t counter[4], uint64_t key, uint32_t block[4]) {
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)a;
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    for (int i = 0; i < 4; ++i) {
        block[i] = c[i];
    }
}

/* `desc` must live as long as the problem. */
static kdr_status take_problem(const kdr_integrator_desc *given, kdr_integrator_desc *desc, kdr_problem *problem, kdr_error *error) {
    const kdr_status status = kdr_description_take(&kdr_integrator_description, given, desc, error);
    return status == KDR_OK ? kdr_problem_make(desc, problem, error) : status;
}

kdr_status kdr_reference_run(const kdr_integrator_desc *given, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                             kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    kdr_problem problem;
    kdr_integrator_desc desc;
    kdr_status status = take_problem(given, &desc, &problem, error);
    if (status == KDR_OK) {
        status = kdr_problem_check_run(&problem, particles, clock, steps, error);
    }
    if (status == KDR_OK) {
        status = kdr_problem_check_stops(&problem, particles, false, error);
    }
    if (status != KDR_OK || steps == 0) {
        return status;
    }
    kdr_reference_fn *const run = problem.real == KDR_F32 ? kdr_reference_f32 : kdr_reference_f64;
    const uint64_t each = kdr_problem_does(&problem, particles, KDR_ACTION_STOP_RUN) ? 1 : steps;
    bool stopped = false;
    for (uint64_t done = 0; done < steps && !stopped; done += each) {
        stopped = run(&problem, particles, clock, each, kdr_problem_resumes(&problem, particles, clock));
        clock->step += each;
        particles->memory_key = kdr_problem_memory_key(&problem, particles, clock);
    }
    return stopped ? kdr_recorder_stopped(clock->step - 1, error) : KDR_OK;
}

kdr_status kdr_reference_sample(const kdr_integrator_desc *given, const kdr_particles *particles, const kdr_clock *clock, double fraction,
                                kdr_particles *to, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    kdr_problem problem;
    kdr_integrator_desc desc;
    kdr_status status = take_problem(given, &desc, &problem, error);
    if (status == KDR_OK) {
        status = kdr_sample_check(&problem, particles, clock, fraction, to, error);
    }
    if (status != KDR_OK) {
        return status;
    }
    kdr_sample_copy(particles, to);
    const kdr_particles view = kdr_sample_view(particles, to);
    kdr_reference_sample_fn *const sample = problem.real == KDR_F32 ? kdr_reference_sample_f32 : kdr_reference_sample_f64;
    sample(&problem, &view, clock, fraction, kdr_problem_resumes(&problem, particles, clock));
    return KDR_OK;
}

kdr_status kdr_reference_coupled_run(const kdr_coupled_desc *given, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                     kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    kdr_problem problem;
    kdr_coupled_desc desc;
    kdr_status status = kdr_description_take(&kdr_coupled_description, given, &desc, error);
    if (status == KDR_OK) {
        status = kdr_coupled_problem(&desc, &problem, error);
    }
    if (status == KDR_OK) {
        status = kdr_problem_check_run(&problem, particles, clock, steps, error);
    }
    if (status == KDR_OK) {
        status = kdr_coupled_check_particles(&desc, &problem, particles, error);
    }
    if (status == KDR_OK) {
        status = kdr_coupled_check_rows(&desc, &problem, particles, error);
    }
    if (status != KDR_OK || steps == 0) {
        return status;
    }
    uint64_t done = steps;
    bool void_memory = false;
    if (particles->count > 0) {
        kdr_reference_coupled_fn *const run = problem.real == KDR_F32 ? kdr_reference_coupled_f32 : kdr_reference_coupled_f64;
        status = run(&desc, &problem, particles, clock, steps, kdr_problem_resumes(&problem, particles, clock), &done, &void_memory, error);
        if (status != KDR_OK && done == 0) {
            return status;
        }
    }
    clock->step += done;
    particles->memory_key = void_memory ? 0 : kdr_problem_memory_key(&problem, particles, clock);
    return status;
}
