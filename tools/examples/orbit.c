/* Events and dense output: an asteroid on an orbit of eccentricity 0.6, by PEFRL with 200 steps per revolution.
 *
 * Prints its pericentre passages, where it crosses the plane y = 0 upwards, and its path about the first pericentre at times between steps.
 * Kepler's problem with mu = 1 and a semi-major axis of 1 has the period 2 pi; the passages are at pi, 3 pi, 5 pi. */
#include <kickdrift/kickdrift.h>

#include <math.h>
#include <stdio.h>

enum { ROOM = 16, REVOLUTIONS = 3, STEPS = 200 };

static int complain(const kdr_error *error) {
    fprintf(stderr, "orbit: %s\n", error->message);
    return 1;
}

int main(void) {
    static const char *const names[] = {"pericentre", "upwards"};
    const double pi = 3.14159265358979323846, origin[3] = {0, 0, 0}, up[3] = {0, 1, 0};
    double x[] = {-1.6}, y[] = {0}, vx[] = {0}, vy[] = {-0.5}, at[4];
    kdr_event list[ROOM];
    kdr_events events = {.list = list, .capacity = ROOM};
    kdr_particles asteroid = {.count = 1, .dims = 2, .real = KDR_F64, .x = {x, y}, .v = {vx, vy}, .events = &events};
    kdr_particles between = {.count = 1, .dims = 2, .real = KDR_F64, .x = {at, at + 1}, .v = {at + 2, at + 3}};
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    kdr_watch watches[] = {kdr_watch_apsis(origin), kdr_watch_plane(origin, up)};
    watches[0].crossing = watches[1].crossing = KDR_CROSSING_RISING;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = KDR_PEFRL;
    desc.forces = &sun, desc.force_count = 1;
    desc.watches = watches, desc.watch_count = 2;
    kdr_integrator *orbit = NULL;
    kdr_error error;
    kdr_clock clock = {.dt = 2 * pi / STEPS};
    if (kdr_integrator_create(&desc, &orbit, &error) != KDR_OK) {
        return complain(&error);
    }
    for (int n = 0; n < REVOLUTIONS * STEPS; ++n) {
        for (int k = 0; k < 2 && n >= STEPS / 2 - 1 && n <= STEPS / 2; ++k) {
            const double fraction = 0.5 * k;
            if (kdr_integrator_sample(orbit, &asteroid, &clock, fraction, &between, &error) != KDR_OK) {
                return complain(&error);
            }
            printf("t = %9.6f  x = %9.6f  y = %9.6f\n", kdr_clock_time(&clock, clock.step, fraction), at[0], at[1]);
        }
        if (kdr_integrator_run(orbit, &asteroid, &clock, 1, &error) != KDR_OK) {
            return complain(&error);
        }
    }
    double worst = 0;
    int passages = 0;
    for (size_t i = 0; i < events.count && i < ROOM; ++i) {
        const kdr_event *const e = &list[i];
        printf("%-10s t = %9.6f  x = %9.6f  y = %9.6f\n", names[e->watch], e->time, e->x[0], e->x[1]);
        worst = e->watch == 0 ? fmax(worst, fabs(e->time - (2 * passages++ + 1) * pi)) : worst;
    }
    kdr_integrator_destroy(orbit);
    printf("%d passages, at most %.1e from Kepler's\n", passages, worst);
    return !(passages == REVOLUTIONS && worst < 1e-5);
}
