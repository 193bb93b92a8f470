/* This file checks the description of distances between particles. */
#include "distances.h"

#include <kickdrift/pairs.h>

#include <math.h>
#include <string.h>

#include "../particles/description.h"
#include "../particles/element.h"
#include "../particles/error.h"
#include "../particles/layout.h"
#include "pairs.h"

static const kdr_distance_constraints_desc defaults = {
    .size = sizeof defaults, .sweeps = 1000, .relaxation = 1.0, .real = KDR_F64, .arithmetic = KDR_FUSED, .backend = KDR_BACKEND_AUTO};
const kdr_description kdr_distance_constraints_description = {
    "kdr_distance_constraints_desc", &defaults, {sizeof defaults, offsetof(kdr_distance_constraints_desc, box)}};

void kdr_distance_constraints_desc_init(kdr_distance_constraints_desc *desc, size_t size) {
    kdr_description_init(&kdr_distance_constraints_description, desc, size);
}

double kdr_distance_constraints_tolerance(const kdr_distance_constraints_desc *desc) {
    return desc->tolerance > 0.0 ? desc->tolerance : desc->real == KDR_F32 ? 0x1p-19 : 0x1p-48;
}

double kdr_distance_off(const kdr_distance *distance, const double box[3], const kdr_particles *particles) {
    double square = 0.0;
    for (int i = 0; i < particles->dims; ++i) {
        double end[2];
        for (int b = 0; b < 2; ++b) {
            const size_t at = kdr_offset(&particles->x_layout, kdr_real_size(particles->real), b ? distance->b : distance->a);
            end[b] = kdr_element((const char *)particles->x[i] + at, particles->real, 0);
        }
        const double d = kdr_nearest(end[1] - end[0], box[i]);
        square += d * d;
    }
    return fabs(sqrt(square) / distance->length - 1.0);
}

kdr_status kdr_distance_constraints_check_kept(const kdr_distance *worst, double off, uint32_t sweeps, kdr_error *error) {
    KDR_CHECK(off < 0.5, error, KDR_ERROR_ARGUMENT,
              "distances: particles %u and %u, to be kept at %g, are off by %g of it after %u sweeps; take a shorter step, more sweeps, "
              "less relaxation, or distances that all can have at once",
              (unsigned)worst->a, (unsigned)worst->b, worst->length, off, (unsigned)sweeps);
    return KDR_OK;
}

/* `half` is half of the box's shortest side; 0 if there is no box. */
static kdr_status check_entry(const kdr_distance *d, size_t n, kdr_real real, double half, kdr_error *error) {
    const double square = d->length * d->length;
    KDR_CHECK(d->a <= KDR_MAX_INDEX && d->b <= KDR_MAX_INDEX, error, KDR_ERROR_OVERFLOW,
              "distances[%zu]: expected particles up to %d, got %u and %u", n, (int)KDR_MAX_INDEX, (unsigned)d->a, (unsigned)d->b);
    KDR_CHECK(d->a != d->b, error, KDR_ERROR_ARGUMENT, "distances[%zu]: expected two particles, got %u twice", n, (unsigned)d->a);
    KDR_CHECK(isfinite(d->length) && isfinite(real == KDR_F32 ? (double)(float)square : square), error, KDR_ERROR_NOT_FINITE,
              "distances[%zu].length: expected a number whose square is finite in %s, got %g", n, kdr_real_name(real), d->length);
    KDR_CHECK(d->length > 0.0 && (real == KDR_F32 ? (double)(float)square : square) > 0.0, error, KDR_ERROR_ARGUMENT,
              "distances[%zu].length: expected more than 0, and so its square in %s, got %g", n, kdr_real_name(real), d->length);
    KDR_CHECK(half == 0.0 || d->length < half, error, KDR_ERROR_ARGUMENT,
              "distances[%zu].length: expected less than half of the box, %g, got %g: a rod is between nearest images", n, half, d->length);
    return KDR_OK;
}

kdr_status kdr_distance_constraints_check(const kdr_distance_constraints_desc *desc, kdr_error *error) {
    KDR_CHECK(kdr_real_size(desc->real), error, KDR_ERROR_ARGUMENT, "real: expected KDR_F32 or KDR_F64, got %d", (int)desc->real);
    KDR_CHECK((unsigned)desc->arithmetic < KDR_ARITHMETIC_COUNT, error, KDR_ERROR_ARGUMENT,
              "arithmetic: expected KDR_FUSED or KDR_UNFUSED, got %d", (int)desc->arithmetic);
    KDR_CHECK(desc->distances || desc->count == 0, error, KDR_ERROR_NULL, "distances: expected %zu entries, got NULL", desc->count);
    KDR_CHECK(desc->count <= UINT32_MAX / 4, error, KDR_ERROR_OVERFLOW, "distances: expected at most %u entries, got %zu",
              (unsigned)(UINT32_MAX / 4), desc->count);
    KDR_CHECK(isfinite(desc->tolerance), error, KDR_ERROR_NOT_FINITE, "tolerance: expected a finite number, got %g", desc->tolerance);
    KDR_CHECK(desc->tolerance >= 0.0, error, KDR_ERROR_ARGUMENT, "tolerance: expected 0 or more, got %g", desc->tolerance);
    KDR_CHECK(isfinite(desc->relaxation), error, KDR_ERROR_NOT_FINITE, "relaxation: expected a finite number, got %g", desc->relaxation);
    KDR_CHECK(desc->relaxation > 0.0 && desc->relaxation < 2.0, error, KDR_ERROR_ARGUMENT,
              "relaxation: expected more than 0 and less than 2, got %g", desc->relaxation);
    kdr_status status = kdr_box_check(desc->box, desc->real, error);
    for (size_t n = 0; n < desc->count && status == KDR_OK; ++n) {
        status = check_entry(&desc->distances[n], n, desc->real, kdr_half_of_box(desc->box), error);
    }
    return status;
}

size_t kdr_distance_constraints_reach(const kdr_distance *distances, size_t count) {
    size_t reach = 0;
    for (size_t n = 0; n < count; ++n) {
        reach = distances[n].a >= reach ? (size_t)distances[n].a + 1 : reach;
        reach = distances[n].b >= reach ? (size_t)distances[n].b + 1 : reach;
    }
    return reach;
}

kdr_status kdr_distance_constraints_check_dt(double dt, kdr_error *error) {
    KDR_CHECK(isfinite(dt), error, KDR_ERROR_NOT_FINITE, "dt: expected a finite number, got %g", dt);
    KDR_CHECK(dt != 0.0, error, KDR_ERROR_ARGUMENT, "dt: expected a number other than 0");
    return KDR_OK;
}

kdr_status kdr_distance_constraints_check_step(kdr_real real, size_t reach, const kdr_particles *particles, double dt, kdr_error *error) {
    const kdr_status status = kdr_pairs_check_view(real, reach, particles, error);
    if (status != KDR_OK) {
        return status;
    }
    KDR_CHECK(
        !particles->active, error, KDR_ERROR_UNSUPPORTED,
        "particles.active: distances move all particles of finite mass; give the others an inverse mass of 0, or take kdr_system_run");
    return kdr_distance_constraints_check_dt(dt, error);
}
