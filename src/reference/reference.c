/* kdr_reference_run: the same checks as the integrator, then the reference in the particles' precision. */
#include <kickdrift/reference.h>

#include <stdlib.h>
#include <string.h>

#include "../particles/description.h"
#include "../particles/error.h"
#include "../particles/layout.h"
#include "../particles/recorder.h"
#include "../particles/rounding.h"
#include "../problem/sample.h"
#include "../problem/system.h"
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

/* Copies a description and makes its problem. `desc` must outlive the problem. */
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
    const size_t first_contact = kdr_reference_first_contact(particles->contacts);
    bool stopped = false;
    for (uint64_t done = 0; done < steps && !stopped; done += each) {
        stopped = run(&problem, particles, clock, each, kdr_problem_resumes(&problem, particles, clock), first_contact);
        clock->step += each;
        particles->memory_key = kdr_problem_memory_key(&problem, particles, clock);
    }
    return stopped ? kdr_recorder_stopped(clock->step, error) : KDR_OK;
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

kdr_status kdr_constraints_hold(const kdr_constraint *constraints, size_t count, kdr_particles *particles, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    kdr_problem problem;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    KDR_CHECK(particles, error, KDR_ERROR_NULL, "particles: expected a view, got NULL");
    desc.real = particles->real;
    desc.constraints = constraints;
    desc.constraint_count = count;
    kdr_status status = kdr_problem_make(&desc, &problem, error);
    status = status == KDR_OK ? kdr_particles_check(particles, error) : status;
    if (status == KDR_OK) {
        (particles->real == KDR_F32 ? kdr_reference_hold_f32 : kdr_reference_hold_f64)(&problem, particles);
        particles->memory_key = 0; /* the memory belongs to other places */
    }
    return status;
}

static kdr_status take_system(const kdr_system_desc *given, const kdr_particles *particles, const kdr_clock *clock, uint64_t steps,
                              kdr_system_desc *desc, kdr_problem *problem, kdr_error *error) {
    kdr_status status = kdr_description_take(&kdr_system_description, given, desc, error);
    if (status == KDR_OK) {
        status = kdr_system_problem(desc, problem, error);
    }
    if (status == KDR_OK) {
        status = kdr_problem_check_run(problem, particles, clock, steps, error);
    }
    if (status == KDR_OK) {
        status = kdr_system_check_particles(desc, problem, particles, error);
    }
    return status == KDR_OK ? kdr_system_check_rows(desc, problem, particles, error) : status;
}

static kdr_reference_system_fn *system_of(const kdr_problem *problem) {
    return problem->real == KDR_F32 ? kdr_reference_system_f32 : kdr_reference_system_f64;
}

kdr_status kdr_reference_system_run(const kdr_system_desc *given, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                                    kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    kdr_problem problem;
    kdr_system_desc desc;
    kdr_status status = take_system(given, particles, clock, steps, &desc, &problem, error);
    if (status != KDR_OK || steps == 0) {
        return status;
    }
    kdr_reference_steps run = {.steps = steps, .resume = kdr_problem_resumes(&problem, particles, clock), .done = steps};
    if (particles->count > 0) {
        status = system_of(&problem)(&desc, &problem, particles, clock, &run, error);
        if (status != KDR_OK && run.done == 0) {
            return status;
        }
    }
    clock->step += run.done;
    particles->memory_key = kdr_problem_memory_key(&problem, particles, clock);
    return status;
}

/* Copies the view's memory and compensations to arrays in the block. */
static void copy_carried(kdr_particles *view, unsigned char *block) {
    const size_t size = kdr_real_size(view->real);
    for (int n = 0; n < 9; ++n) {
        void **const array = n < 3 ? &view->memory[n] : &view->compensation[n - 3];
        const kdr_layout *const layout = n < 3 ? &view->memory_layout : &view->compensation_layout;
        unsigned char *const to = block + (size_t)n * view->count * size;
        const bool is_there = n % 3 < view->dims && *array;
        for (size_t i = 0; is_there && i < view->count; ++i) {
            memcpy(to + i * size, (const char *)*array + kdr_offset(layout, size, i), size);
        }
        *array = is_there ? to : NULL;
    }
    view->memory_layout = view->compensation_layout = (kdr_layout){0, 0, 0, 0};
}

kdr_status kdr_reference_system_sample(const kdr_system_desc *given, const kdr_particles *particles, const kdr_clock *clock,
                                       double fraction, kdr_particles *to, kdr_error *error) {
    KDR_ROUND_TO_NEAREST;
    kdr_problem problem;
    kdr_system_desc desc;
    kdr_status status = take_system(given, particles, clock, 1, &desc, &problem, error);
    status = status == KDR_OK ? kdr_sample_check(&problem, particles, clock, fraction, to, error) : status;
    status = status == KDR_OK ? kdr_system_check_rows(&desc, &problem, to, error) : status;
    if (status != KDR_OK) {
        return status;
    }
    const bool is_whole = fraction == 1.0, resumes = kdr_problem_resumes(&problem, particles, clock);
    const kdr_clock part = {kdr_clock_time(clock, clock->step, 0.0), fraction * clock->dt, 0};
    kdr_reference_steps run = {.steps = 1, .later = is_whole ? 0 : clock->step, .whole = clock->dt};
    run.resume = resumes && (is_whole || !kdr_problem_remembers_step(&problem));
    unsigned char *const block = malloc(9 * particles->count * sizeof(double) + 1);
    KDR_CHECK(block, error, KDR_ERROR_NO_MEMORY, "reference: no memory for %zu particles", particles->count);
    kdr_sample_copy(particles, to);
    kdr_particles view = kdr_sample_view(particles, to);
    copy_carried(&view, block);
    if (fraction > 0.0 && particles->count > 0) {
        status = system_of(&problem)(&desc, &problem, &view, is_whole ? clock : &part, &run, error);
    }
    free(block);
    return status;
}
