/* frame: measures one step per call, as in a game, next to the loop that a game would have: a plain one with the same contact, built at -O3
 * for this machine (frame_loop.c). Prints nanoseconds per particle, and the loop's time divided by the library's. */
#include <kickdrift/kickdrift.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "frame.h"

enum { REPETITIONS = 15, LEAST = 2000000 /* LEAST: particle steps of a repetition */ };

static void place(frame_ball *balls, float *array[6], size_t count) {
    uint32_t bits = 12345;
    for (size_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 6; ++axis) {
            bits = bits * 1664525U + 1013904223U;
            const float unit = (float)(bits >> 8) * 0x1p-24f;
            const float value = axis == 2 ? 5 * unit : axis < 3 ? 40 * unit : 4 * unit - 2;
            balls[i].xv[axis] = value;
            array[axis][i] = value;
        }
    }
}

static kdr_integrator *integrator_of(bool ground) {
    static kdr_force weight;
    weight = kdr_force_uniform_acceleration(0, 0, -10);
    kdr_collider plane = kdr_collider_plane((double[]){0, 0, 0}, (double[]){0, 0, 1});
    plane.restitution = 0.75;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = KDR_SEMI_IMPLICIT_EULER;
    desc.real = KDR_F32;
    desc.forces = &weight, desc.force_count = 1;
    desc.colliders = &plane, desc.collider_count = ground;
    desc.dt = 1.0 / 64;
    kdr_integrator *made;
    kdr_error error;
    if (kdr_integrator_create(&desc, &made, &error)) {
        fprintf(stderr, "frame: %s\n", error.message);
        exit(1);
    }
    return made;
}

/* Measures one row: the fastest repetition of both, which take turns. */
static void measure(size_t count, bool structures, bool ground, frame_ball *balls, float *array[6]) {
    kdr_particles view = kdr_particles_default();
    view.count = count, view.real = KDR_F32;
    for (int i = 0; i < 3; ++i) {
        view.x[i] = structures ? &balls[0].xv[i] : array[i];
        view.v[i] = structures ? &balls[0].xv[3 + i] : array[3 + i];
    }
    view.x_layout.stride = view.v_layout.stride = structures ? sizeof *balls : 0;
    kdr_integrator *const motion = integrator_of(ground);
    const size_t steps = LEAST / count > 0 ? LEAST / count : 1;
    double best[2] = {INFINITY, INFINITY}, checksum[2] = {0, 0};
    for (int n = 0; n < 2 * REPETITIONS; ++n) {
        const int by_library = n % 2;
        place(balls, array, count);
        kdr_clock clock = {.dt = 1.0 / 64};
        const double start = kdr_bench_seconds();
        for (size_t step = 0; step < steps; ++step) {
            if (by_library) {
                kdr_integrator_run(motion, &view, &clock, 1, NULL);
            } else if (structures) {
                frame_of_structures(balls, count, 1.0f / 64, ground);
            } else {
                frame_of_arrays(array, count, 1.0f / 64);
            }
        }
        const double each = (kdr_bench_seconds() - start) * 1e9 / (double)(steps * count);
        best[by_library] = each < best[by_library] ? each : best[by_library];
        checksum[by_library] = 0;
        for (size_t i = 0; i < count; ++i) {
            checksum[by_library] += fabs(structures ? (double)balls[i].xv[2] : (double)array[2][i]);
        }
    }
    const double apart = fabs(checksum[0] - checksum[1]) / (1 + checksum[0]);
    printf("%-10s %-7s %8zu %10.2f %10.2f %7.2f%s\n", structures ? "structures" : "arrays", ground ? "ground" : "", count, best[0], best[1],
           best[0] / best[1], apart < 1e-2 ? "" : "  the two differ");
    kdr_integrator_destroy(motion);
}

int main(void) {
    static const size_t counts[] = {1, 100, 1000, 10000, 100000, 1000000, 4000000};
    enum { COUNTS = sizeof counts / sizeof *counts };
    const size_t most = counts[COUNTS - 1];
    frame_ball *const balls = malloc(most * sizeof *balls);
    float *array[6];
    for (int i = 0; i < 6; ++i) {
        array[i] = malloc((most + 16 * (size_t)(i + 1)) * sizeof **array);
        array[i] = array[i] ? array[i] + 16 * i : NULL;
    }
    if (!balls || !array[0] || !array[1] || !array[2] || !array[3] || !array[4] || !array[5]) {
        fputs("frame: no memory\n", stderr);
        return 1;
    }
    printf("%-10s %-7s %8s %10s %10s %7s\n", "layout", "", "count", "loop ns", "library ns", "ratio");
    for (int row = 0; row < 3; ++row) {
        for (int n = 0; n < COUNTS; ++n) {
            measure(counts[n], row != 2, row == 0, balls, array);
        }
    }
    return 0;
}
