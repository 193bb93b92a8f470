/* Moves one particle of a system run for a part of a step. */
#include "flights.h"

#include "../particles/storage.h"
#include "pack.h"
#include "run.h"

static void step_one(const void *argument, const kdr_job *job, size_t begin, size_t end) {
    (void)argument;
    kdr_program_run(job, begin, end);
}

/* Returns a view in which element `particle` of axis i is x[i] and v[i]; no other element may be used. It has the inverse masses and
 * nothing else. */
static kdr_particles view_of_one(const kdr_particles *all, size_t particle, void *x, void *v) {
    const size_t size = kdr_real_size(all->real);
    kdr_particles view = kdr_particles_default();
    view.count = all->count, view.dims = all->dims, view.real = all->real;
    for (int i = 0; i < all->dims; ++i) {
        view.x[i] = (void *)((uintptr_t)x + ((size_t)i - particle) * size);
        view.v[i] = (void *)((uintptr_t)v + ((size_t)i - particle) * size);
    }
    view.inverse_mass = all->inverse_mass;
    view.inverse_mass_layout = all->inverse_mass_layout;
    return view;
}

void kdr_fly_alone(const kdr_job *job, size_t particle, uint64_t step, double begin, double length, const void *pull, void *x, void *v) {
    const kdr_flights *const f = job->flyer;
    const kdr_setup *const setup = f->integrator->setup;
    const kdr_clock clock = {kdr_time_of(f->clock, step - job->later, begin), length * f->clock->dt, 0};
    const kdr_particles view = view_of_one(f->particles, particle, x, v);
    kdr_short_step part;
    kdr_pack pack;
    kdr_run_alone(setup, &view, &clock, pull, &part);
    kdr_pack_make(&pack, setup->backend, &part.run.job, &view, 0);
    if (kdr_pack_is_needed(&pack)) {
        kdr_pack_run(&pack, particle, particle + 1, step_one, NULL);
    } else {
        kdr_program_run(&part.run.job, particle, particle + 1);
    }
}
