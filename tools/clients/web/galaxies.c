#include "galaxies.h"

#include "web.h"

#include <kickdrift/kickdrift.h>

#include <math.h>
#include <string.h>

enum { GALAXIES = 2, AXES = 2 };

typedef struct galaxy {
    double mu, size;
    double at[AXES], velocity[AXES];
} galaxy;

static const galaxy start[GALAXIES] = {{1.0, 1.0, {-1.2, -0.25}, {0.30, 0.12}}, {0.6, 0.65, {2.0, 0.45}, {-0.50, -0.20}}};
static const double SOFTENING = 0.05, DT = 1.0 / 256;
static const double GAP = 0.04; /* softening of the galaxies' own attraction, squared */

static galaxy galaxies[GALAXIES];
static kdr_particles stars;
static kdr_integrator *integrator;
static kdr_clock hand; /* the time of the stars */
static kdr_error error;
static kdr_fingerprint_state hash;
static size_t total;

/* Returns the next number of a sequence, in [-1, 1) (Steele, Lea, Flood, OOPSLA 2014, the generator splitmix64). */
static double draw(uint64_t *sequence) {
    uint64_t z = *sequence += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static void put(void *array, size_t i, double value) {
    if (stars.real == KDR_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

/* Places star `id` on a circle about its galaxy. Two of three stars are of the first. The disc is bright in its
 * centre and fades towards its edge. */
static void place(size_t i, uint64_t id, uint64_t seed) {
    const galaxy *const g = &start[id % 3 == 2];
    uint64_t sequence = (seed << 32 | id) * UINT64_C(0xD1342543DE82EF95);
    double a, b, q;
    do {
        a = draw(&sequence);
        b = draw(&sequence);
        q = a * a + b * b;
    } while (q > 1 || q < 0x1p-20);
    const double r = g->size * q * (0.85 + 0.45 * draw(&sequence)), root = sqrt(q), along = a / root, across = b / root;
    const double square = r * r + SOFTENING * SOFTENING, speed = r * sqrt(g->mu / (square * sqrt(square)));
    put(stars.x[0], i, g->at[0] + r * along);
    put(stars.x[1], i, g->at[1] + r * across);
    put(stars.v[0], i, g->velocity[0] - speed * across);
    put(stars.v[1], i, g->velocity[1] + speed * along);
}

static void make_forces(kdr_force force[GALAXIES]) {
    for (int k = 0; k < GALAXIES; ++k) {
        force[k] = kdr_force_centre(galaxies[k].mu, galaxies[k].at[0], galaxies[k].at[1], 0, SOFTENING);
    }
}

EXPORT(create)
int create(uint32_t count, uint32_t begin, uint32_t end, double seed, int real, int arithmetic, int wanted) {
    kdr_particles_destroy(&stars);
    kdr_integrator_destroy(integrator);
    integrator = NULL;
    memcpy(galaxies, start, sizeof galaxies);
    total = count;
    hand = (kdr_clock){.dt = DT};
    kdr_particles_desc particles = kdr_particles_desc_default();
    particles.count = end - begin;
    particles.dims = AXES;
    particles.real = (kdr_real)real;
    kdr_force force[GALAXIES];
    make_forces(force);
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.real = (kdr_real)real;
    desc.arithmetic = (kdr_arithmetic)arithmetic;
    desc.backend = (kdr_backend)wanted;
    desc.forces = force;
    desc.force_count = GALAXIES;
    if (kdr_particles_create(&particles, &stars, &error) != KDR_OK || kdr_integrator_create(&desc, &integrator, &error) != KDR_OK) {
        return 1;
    }
    for (uint32_t i = begin; i < end; ++i) {
        place(i - begin, i, (uint64_t)seed);
    }
    return 0;
}

EXPORT(message) const char *message(void) { return error.message; }

EXPORT(backend) const char *backend(void) {
    static kdr_backend_info info;
    return kdr_backend_query(kdr_integrator_backend(integrator), &info) == KDR_OK ? info.name : "?";
}

/* Kicks and drifts the centres, which attract each other and do not feel the stars. */
static void move_centres(void) {
    const double gap[AXES] = {galaxies[1].at[0] - galaxies[0].at[0], galaxies[1].at[1] - galaxies[0].at[1]};
    const double square = gap[0] * gap[0] + gap[1] * gap[1] + GAP, pull = DT / (square * sqrt(square));
    for (int i = 0; i < AXES; ++i) {
        galaxies[0].velocity[i] += pull * galaxies[1].mu * gap[i];
        galaxies[1].velocity[i] -= pull * galaxies[0].mu * gap[i];
        for (int k = 0; k < GALAXIES; ++k) {
            galaxies[k].at[i] += DT * galaxies[k].velocity[i];
        }
    }
}

EXPORT(step) int step(int steps) {
    kdr_force force[GALAXIES];
    for (int s = 0; s < steps; ++s) {
        make_forces(force);
        if (kdr_integrator_set_forces(integrator, force, GALAXIES, &error) != KDR_OK ||
            kdr_integrator_run(integrator, &stars, &hand, 1, &error) != KDR_OK) {
            return 1;
        }
        move_centres();
    }
    return 0;
}

EXPORT(column) const void *column(int which) { return which < AXES ? stars.x[which] : stars.v[which - AXES]; }

EXPORT(centre) double centre(int k, int axis) { return galaxies[k].at[axis]; }

EXPORT(plant) void plant(void) {
    double *const at = &galaxies[0].at[0];
    if (stars.real == KDR_F32) {
        const float here = (float)*at;
        *at += (double)nextafterf(here, INFINITY) - (double)here;
    } else {
        *at = nextafter(*at, INFINITY);
    }
}

EXPORT(fingerprint_begin) int fingerprint_begin(void) { return kdr_fingerprint_begin(&hash, total, AXES, stars.real, &error) != KDR_OK; }

EXPORT(fingerprint_add) int fingerprint_add(void) { return kdr_fingerprint_add(&hash, &stars, &error) != KDR_OK; }

EXPORT(fingerprint_end) const char *fingerprint_end(void) {
    static char digits[HEX_LENGTH];
    uint64_t fingerprint = 0;
    kdr_fingerprint_end(&hash, &fingerprint, &error);
    return hex(fingerprint, digits);
}

EXPORT(state) void *state(void) { return &hash; }

EXPORT(state_size) int state_size(void) { return (int)sizeof hash; }
