/* Checks that a library built in a project with hostile flags refuses numbers that are not finite. They are made from bits, because the
 * flags apply to this file too. */
#include <kickdrift/kickdrift.h>

#include <stdio.h>
#include <string.h>

static double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int failures;

static void expect(const char *what, kdr_status expected, kdr_status got) {
    if (got != expected) {
        printf("%s: expected status %d, got %d\n", what, (int)expected, (int)got);
        ++failures;
    }
}

int main(void) {
    const double nan = from_bits(UINT64_C(0x7ff8000000000000)), infinity = from_bits(UINT64_C(0x7ff0000000000000));
    double x[] = {1}, v[] = {0};
    kdr_particles particles = kdr_particles_default();
    particles.count = 1, particles.dims = 1, particles.x[0] = x, particles.v[0] = v;
    kdr_force force = kdr_force_spring(1, 0, 0, 0);
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.forces = &force, desc.force_count = 1;
    kdr_integrator *integrator, *none = NULL;
    if (kdr_integrator_create(&desc, &integrator, NULL) != KDR_OK) {
        return 2;
    }
    kdr_clock clock = {.dt = 0.125};
    expect("a run", KDR_OK, kdr_integrator_run(integrator, &particles, &clock, 1, NULL));
    clock = (kdr_clock){.dt = nan};
    expect("dt is NaN", KDR_ERROR_NOT_FINITE, kdr_integrator_run(integrator, &particles, &clock, 1, NULL));
    clock = (kdr_clock){.dt = 0.125, .t0 = infinity};
    expect("t0 is infinite", KDR_ERROR_NOT_FINITE, kdr_integrator_run(integrator, &particles, &clock, 1, NULL));
    force = kdr_force_spring(nan, 0, 0, 0);
    expect("k is NaN", KDR_ERROR_NOT_FINITE, kdr_integrator_create(&desc, &none, NULL));
    kdr_integrator_destroy(none);
    kdr_integrator_destroy(integrator);
    return failures > 0;
}
