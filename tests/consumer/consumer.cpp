// The README's example as a C++ program writes it, and with the same output.
#include <cstdio>
#include <memory>
#include <vector>

#include <kickdrift/kickdrift.h>

int main() {
    std::vector<double> x{1, 2}, y{0, 0}, vx{0, 0}, vy{1, 0.75};
    kdr_particles planets = kdr_particles_default();
    planets.count = x.size();
    planets.dims = 2;
    planets.x[0] = x.data();
    planets.x[1] = y.data();
    planets.v[0] = vx.data();
    planets.v[1] = vy.data();

    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.forces = &sun;
    desc.force_count = 1;
    kdr_integrator *created = nullptr;
    kdr_error error;
    if (kdr_integrator_create(&desc, &created, &error) != KDR_OK) {
        std::fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const std::unique_ptr<kdr_integrator, decltype(&kdr_integrator_destroy)> integrator(created, kdr_integrator_destroy);

    kdr_clock clock{0, 1.0 / 64, 0};
    if (kdr_integrator_run(integrator.get(), &planets, &clock, 640, &error) != KDR_OK) {
        std::fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        std::printf("%.17g %.17g\n", x[i], y[i]);
    }
    return 0;
}
