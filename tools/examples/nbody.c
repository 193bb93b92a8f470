/* N bodies: two star clusters fall into each other. Prints five moments as CSV, and the change of the energy on standard error.
 *
 * Usage: nbody > stars.csv && tools/plot cloud stars.csv stars.svg */
#include <kickdrift/kickdrift.h>

#include <math.h>
#include <stdio.h>

enum { COUNT = 2000, MOMENTS = 5, STEPS = 250 };
static const double dt = 1.0 / 128, softening = 0.05, radius = 0.5;

static float x[COUNT], y[COUNT], z[COUNT], vx[COUNT], vy[COUNT], vz[COUNT], mu[COUNT];

/* Returns a random number from 0 to 1, by SplitMix64. */
static double random_number(void) {
    static uint64_t state;
    uint64_t n = state += UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ (n >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    n = (n ^ (n >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((n ^ (n >> 31)) >> 11) * 0x1p-53;
}

/* Makes a Plummer sphere of mass 1/2 in equilibrium (Aarseth, Henon, Wielen, Astron. Astrophys. 37 (1974) 183) about (cx, cy, 0), moving at
 * velocity u. */
static void cluster(size_t begin, size_t end, double cx, double cy, double u) {
    for (size_t i = begin; i < end; ++i) {
        const double r = radius / sqrt(pow(0.01 + 0.98 * random_number(), -2.0 / 3) - 1);
        double q, bound;
        do {
            q = random_number();
            bound = 0.1 * random_number();
        } while (bound > q * q * pow(1 - q * q, 3.5));
        const double speed = q * sqrt(2 * 0.5) * pow(r * r + radius * radius, -0.25);
        const double c = 2 * random_number() - 1, s = sqrt(1 - c * c), a = 6.283185307179586 * random_number();
        const double k = 2 * random_number() - 1, w = sqrt(1 - k * k), b = 6.283185307179586 * random_number();
        x[i] = (float)(cx + r * s * cos(a)), y[i] = (float)(cy + r * s * sin(a)), z[i] = (float)(r * c);
        vx[i] = (float)(u + speed * w * cos(b)), vy[i] = (float)(speed * w * sin(b)), vz[i] = (float)(speed * k);
        mu[i] = 1.0F / COUNT;
    }
}

/* Returns the energy per unit of mass for particles of equal masses: half of m v^2 for each, minus half of mu m / r for each pair, which is
 * counted twice. */
static double energy(const kdr_pairs *gravity, const kdr_particles *stars) {
    double kinetic = 0, potential = 0;
    for (size_t i = 0; i < COUNT; ++i) {
        kinetic += 0.5 * ((double)vx[i] * vx[i] + (double)vy[i] * vy[i] + (double)vz[i] * vz[i]);
    }
    return kdr_pairs_potential(gravity, stars, &potential, NULL) == KDR_OK ? (kinetic + potential) / COUNT : NAN;
}

static void print(const kdr_clock *clock) {
    for (size_t i = 0; i < COUNT; ++i) {
        printf("%llu,%.9g,%zu,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", (unsigned long long)clock->step, kdr_clock_time(clock, clock->step, 0), i,
               (double)x[i], (double)y[i], (double)z[i], (double)vx[i], (double)vy[i], (double)vz[i]);
    }
}

int main(void) {
    cluster(0, COUNT / 2, -1.5, -0.4, 0.35);
    cluster(COUNT / 2, COUNT, 1.5, 0.4, -0.35);
    kdr_particles stars = {.count = COUNT, .dims = 3, .real = KDR_F32, .x = {x, y, z}, .v = {vx, vy, vz}};
    const kdr_interaction force = kdr_interaction_gravity(mu, COUNT, softening);

    kdr_pairs_desc of_pairs = kdr_pairs_desc_default();
    of_pairs.forces = &force, of_pairs.force_count = 1, of_pairs.real = KDR_F32;
    kdr_system_desc desc = kdr_system_desc_default(); /* the default method is velocity Verlet */
    desc.interactions = &force, desc.interaction_count = 1, desc.real = KDR_F32;

    kdr_error error = {0};
    kdr_pairs *gravity = NULL;
    kdr_system *motion = NULL;
    kdr_workspace workspace = {0};
    kdr_clock clock = {.dt = dt};
    kdr_status status = kdr_pairs_create(&of_pairs, &gravity, &error);
    status = status ? status : kdr_system_create(&desc, &motion, &error);
    status = status ? status : kdr_workspace_create(motion, COUNT, 3, (kdr_allocator){0}, &workspace, &error);
    const double first = status ? NAN : energy(gravity, &stars);
    for (int moment = 0; moment < MOMENTS && !status; ++moment) {
        if (moment == 0) {
            puts("step,t,id,x,y,z,vx,vy,vz");
        } else {
            status = kdr_system_run(motion, &stars, &clock, STEPS, &workspace, &error);
        }
        print(&clock);
    }
    if (status) {
        fprintf(stderr, "nbody: %s\n", error.message);
    } else {
        fprintf(stderr, "%d bodies, %llu steps: energy %.6f, %.6f at first\n", COUNT, (unsigned long long)clock.step,
                energy(gravity, &stars), first);
    }
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(motion);
    kdr_pairs_destroy(gravity);
    return status != KDR_OK;
}
