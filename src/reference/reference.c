/* kdr_reference_run: checks as the integrator does, then the textbook in the particles' precision. */
#include <kickdrift/reference.h>

#include "../particles/error.h"
#include "reference.h"

kdr_status kdr_reference_run(const kdr_integrator_desc *desc, kdr_particles *particles, kdr_clock *clock, uint64_t steps,
                             kdr_error *error) {
    kdr_problem problem;
    kdr_status status = kdr_problem_make(desc, &problem, error);
    if (status == KDR_OK) {
        status = kdr_problem_check_run(&problem, particles, clock, steps, error);
    }
    if (status != KDR_OK || steps == 0) {
        return status;
    }
    kdr_reference_fn *const run = problem.real == KDR_F32 ? kdr_reference_f32 : kdr_reference_f64;
    run(&problem, particles, clock, steps, kdr_problem_resumes(&problem, particles, clock));
    clock->step += steps;
    particles->memory_key = kdr_problem_memory_key(&problem, particles, clock);
    return KDR_OK;
}
