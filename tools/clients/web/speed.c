#define _POSIX_C_SOURCE 200809L /* clock_gettime */
/* Measures specialised kernels, natively and as a module, so that both can be compared in one run: speed.mjs. */
#include "web.h"

#include <kickdrift/kickdrift.h>

#include <time.h>

enum { COUNT = 4096, STEPS = 100, REPEATS = 9 };

static const kdr_method METHODS[] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET, KDR_RK4};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void place(kdr_particles *particles) {
    for (int axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < COUNT; ++i) {
            const double x = 0.5 + (double)(i % 97) / 97, v = (double)((i + (size_t)axis) % 89) / 89 - 0.5;
            if (particles->real == KDR_F32) {
                ((float *)particles->x[axis])[i] = (float)x;
                ((float *)particles->v[axis])[i] = (float)v;
            } else {
                ((double *)particles->x[axis])[i] = x;
                ((double *)particles->v[axis])[i] = v;
            }
        }
    }
}

/* Returns the evaluations of the acceleration in a second, the best of several; 0: the backend does not run here. `method` is an index of
 * METHODS; `field` 0 is a spring with a drag, 1 a centre. */
EXPORT(speed) double speed(int method, int field, int real, int arithmetic, int backend) {
    const kdr_force forces[] = {kdr_force_spring(1, 0, 0, 0), kdr_force_drag(1e-6, 0, 0, 0), kdr_force_centre(1, 0, 0, 0, 0.1)};
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = METHODS[method];
    desc.real = (kdr_real)real;
    desc.arithmetic = (kdr_arithmetic)arithmetic;
    desc.backend = (kdr_backend)backend;
    desc.forces = field ? forces + 2 : forces;
    desc.force_count = field ? 1 : 2;
    kdr_particles_desc some = kdr_particles_desc_default();
    some.count = COUNT;
    some.real = (kdr_real)real;
    kdr_particles particles = kdr_particles_default();
    kdr_integrator *integrator = NULL;
    kdr_clock clock = {.dt = 0x1p-10};
    double best = 0;
    if (kdr_integrator_create(&desc, &integrator, NULL) == KDR_OK && kdr_particles_create(&some, &particles, NULL) == KDR_OK) {
        for (int i = 0; i < REPEATS; ++i) {
            place(&particles);
            const double began = now(), evaluations = (double)kdr_integrator_evaluations(integrator, &particles, &clock, STEPS);
            const kdr_status status = kdr_integrator_run(integrator, &particles, &clock, STEPS, NULL);
            const double rate = status == KDR_OK ? evaluations / (now() - began) : 0;
            best = rate > best ? rate : best;
        }
    }
    kdr_particles_destroy(&particles);
    kdr_integrator_destroy(integrator);
    return best;
}

#if !defined(__wasm__)
#include <stdlib.h>

int main(int argc, char **argv) {
    int choice[5] = {0};
    for (int i = 0; i < 5 && i + 1 < argc; ++i) {
        choice[i] = atoi(argv[i + 1]);
    }
    printf("%.6g\n", speed(choice[0], choice[1], choice[2], choice[3], choice[4]));
    return 0;
}
#endif
