#include "sample.h"

#include <math.h>
#include <string.h>

#include "../particles/arrays.h"
#include "../particles/element.h"
#include "../particles/error.h"

kdr_status kdr_sample_check(const kdr_problem *problem, const kdr_particles *particles, const kdr_clock *clock, double fraction,
                            const kdr_particles *to, kdr_error *error) {
    kdr_status status = kdr_problem_check_run(problem, particles, clock, 1, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(to, error, KDR_ERROR_NULL, "to: expected a view, got NULL");
    status = kdr_particles_check(to, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(to->count == particles->count && to->dims == particles->dims && to->real == particles->real, error, KDR_ERROR_MISMATCH,
              "to: expected %zu particles of %d axes in %s, got %zu of %d in %s", particles->count, particles->dims,
              kdr_real_name(particles->real), to->count, to->dims, kdr_real_name(to->real));
    KDR_CHECK(fraction >= 0.0 && fraction <= 1.0, error, KDR_ERROR_ARGUMENT, "fraction: expected 0 to 1 of the step, got %g", fraction);
    KDR_CHECK(problem->row->family->info.velocities, error, KDR_ERROR_UNSUPPORTED,
              "integrator: %s has no velocity within a step; take velocity-verlet", problem->row->info.name);
    return kdr_particles_check_apart(particles, to, error);
}

uint64_t kdr_sample_steps(double fraction, int level, double *left) {
    const double steps = fraction * (double)(UINT64_C(1) << level), whole = floor(steps);
    *left = steps - whole;
    return (uint64_t)whole;
}

/* Returns the sampled state's array of images on an axis. It is NULL if `to` has none, or shares the particles' array, which must not
 * change. */
static int32_t *own_images(const kdr_particles *particles, const kdr_particles *to, int axis) {
    return particles->images[0] && to->images[0] != particles->images[0] ? to->images[axis] : NULL;
}

static void copy_images(const kdr_particles *particles, const kdr_particles *to, int axis) {
    char *const own = (char *)own_images(particles, to, axis);
    const size_t size = sizeof *to->images[axis];
    for (size_t i = 0; own && i < particles->count; ++i) {
        memcpy(own + kdr_offset(&to->images_layout, size, i),
               (const char *)particles->images[axis] + kdr_offset(&particles->images_layout, size, i), size);
    }
}

void kdr_sample_copy(const kdr_particles *particles, kdr_particles *to) {
    const size_t size = kdr_real_size(particles->real);
    for (int array = 0; array < 6; ++array) {
        for (size_t i = 0; array % 3 < particles->dims && i < particles->count; ++i) {
            char *const place = array < 3 ? to->x[array] : to->v[array - 3];
            memcpy(place + kdr_offset(kdr_state_layout(to, array), size, i),
                   kdr_at(kdr_state_array(particles, array), kdr_state_layout(particles, array), particles->real, i), size);
        }
    }
    for (int axis = 0; axis < particles->dims; ++axis) {
        copy_images(particles, to, axis);
    }
}

kdr_particles kdr_sample_view(const kdr_particles *particles, const kdr_particles *to) {
    kdr_particles view = *particles;
    memcpy(view.x, to->x, sizeof view.x);
    memcpy(view.v, to->v, sizeof view.v);
    view.x_layout = to->x_layout;
    view.v_layout = to->v_layout;
    view.images_layout = to->images_layout;
    view.bounces = view.nonconverged = NULL;
    view.error = NULL;
    view.contacts = NULL;
    view.events = NULL;
    for (int i = 0; i < 3; ++i) {
        view.images[i] = i < particles->dims ? own_images(particles, to, i) : NULL;
        view.dissipated_energy[i % 2] = NULL;
    }
    return view;
}
