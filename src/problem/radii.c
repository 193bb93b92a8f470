/* Checks the radii of particles, and finds the largest. */
#include "problem.h"

#include "../particles/element.h"
#include "../particles/error.h"

static double radius_at(const kdr_particles *p, size_t i) {
    return kdr_element(kdr_at(p->radius, &p->radius_layout, p->real, i), p->real, 0);
}

/* Returns half the width of the space inside a collider, or infinity. */
static double room_in(const kdr_collider *c, int dims) {
    double room = INFINITY;
    if (c->kind == KDR_COLLIDER_SPHERE && c->as.sphere.inside) {
        return c->as.sphere.radius;
    }
    for (int i = 0; i < dims && c->kind == KDR_COLLIDER_BOX && c->as.box.inside; ++i) {
        room = fmin(room, 0.5 * (c->as.box.max[i] - c->as.box.min[i]));
    }
    return room;
}

kdr_status kdr_problem_check_radii(const kdr_problem *problem, const kdr_particles *particles, kdr_error *error) {
    if (!particles->radius || problem->collider_count == 0) {
        return KDR_OK;
    }
    const double squarable = particles->real == KDR_F32 ? 0x1p60 : 0x1p500;
    double most = squarable;
    size_t tightest = 0;
    for (size_t k = 0; k < problem->collider_count; ++k) {
        const double room = room_in(&problem->colliders[k], particles->dims);
        tightest = room < most ? k : tightest;
        most = fmin(room, most);
    }
    for (size_t i = 0; i < particles->count; ++i) {
        const double radius = radius_at(particles, i);
        if (0.0 <= radius && radius <= most) {
            continue;
        }
        KDR_CHECK(!(0.0 <= radius && radius <= squarable), error, KDR_ERROR_ARGUMENT,
                  "particles.radius[%zu]: expected at most %g, so that the ball fits into colliders[%zu], got %g", i, most, tightest,
                  radius);
        KDR_CHECK(false, error, isfinite(radius) ? KDR_ERROR_ARGUMENT : KDR_ERROR_NOT_FINITE,
                  "particles.radius[%zu]: expected 0 to %g, got %g", i, squarable, radius);
    }
    return KDR_OK;
}

double kdr_largest_radius(const kdr_particles *particles) {
    double largest = 0.0;
    for (size_t i = 0; i < particles->count; ++i) {
        const double radius = radius_at(particles, i);
        largest = radius > largest ? radius : largest;
    }
    return largest;
}
