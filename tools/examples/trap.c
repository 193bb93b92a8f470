/* Two particles in the Morse trap of morse.c, and gravity: takes 1000 steps and prints the change of their energy. */
#include <kickdrift/kickdrift.h>
#include <stdio.h>

KDR_DECLARE_CUSTOM_FIELD(morse);

int main(void) {
    double x[] = {1.5, 0}, y[] = {0, -0.75}, vx[] = {0, 1}, vy[] = {0.5, 0};
    kdr_particles particles = kdr_particles_default();
    particles.count = 2;
    particles.dims = 2;
    particles.x[0] = x, particles.x[1] = y;
    particles.v[0] = vx, particles.v[1] = vy;

    const double parameters[] = {2, 1.5, 1}; /* depth, steepness, radius */
    const kdr_force forces[] = {kdr_force_custom(&kdr_custom_field_morse, parameters), kdr_force_uniform_acceleration(0, -0.25, 0)};
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.forces = forces;
    desc.force_count = 2;
    kdr_integrator *integrator;
    kdr_observables before, after;
    kdr_clock clock = {0, 1.0 / 64, 0};
    kdr_error error;
    if (kdr_integrator_create(&desc, &integrator, &error) != KDR_OK ||
        kdr_observe(integrator, &particles, &clock, &before, &error) != KDR_OK ||
        kdr_integrator_run(integrator, &particles, &clock, 1000, &error) != KDR_OK ||
        kdr_observe(integrator, &particles, &clock, &after, &error) != KDR_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("energy %.9f, after 1000 steps %.9f\n", before.energy, after.energy);
    for (int i = 0; i < 2; ++i) {
        printf("%.17g %.17g\n", x[i], y[i]);
    }
    kdr_integrator_destroy(integrator);
    return 0;
}
