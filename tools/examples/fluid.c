/* A Lennard-Jones liquid in a periodic box and a heat bath: 10,648 atoms melt from a lattice. Prints temperature, potential energy,
 * pressure, the mean squared displacement of the atoms, and the share of the time that is not spent in the force.
 *
 * Usage: fluid */
#include <kickdrift/kickdrift.h>

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { SIDE = 22, COUNT = SIDE * SIDE * SIDE, MELTING = 300, MEASURED = 100 };
static const double density = 0.776, temperature = 0.85, cutoff = 3, pi = 3.141592653589793;

static double x[3][COUNT], v[3][COUNT], start[3][COUNT];
static int32_t images[3][COUNT];

/* The data of the force, and what it computes in addition to the accelerations. */
typedef struct fluid {
    double length; /* length of the box */
    int cells;     /* number of cells along the box; each is at least as long as the cutoff */
    double energy, virial, seconds;
    int order[COUNT], begin[SIDE * SIDE * SIDE + 1]; /* the atoms, sorted by cell */
} fluid;

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

static int cell_of(const fluid *f, const kdr_particles *p, size_t n) {
    int cell = 0;
    for (int i = 0; i < 3; ++i) { /* the run keeps positions in the box */
        const int at = (int)(((const double *)p->x[i])[n] / f->length * f->cells);
        cell = cell * f->cells + (at < f->cells ? at : f->cells - 1);
    }
    return cell;
}

static void sort_into_cells(fluid *f, const kdr_particles *p) {
    const int cells = f->cells * f->cells * f->cells;
    for (int c = 0; c <= cells; ++c) {
        f->begin[c] = 0;
    }
    for (size_t n = 0; n < COUNT; ++n) {
        ++f->begin[cell_of(f, p, n) + 1];
    }
    for (int c = 0; c < cells; ++c) {
        f->begin[c + 1] += f->begin[c];
    }
    for (size_t n = COUNT; n-- > 0;) { /* turns the end of each cell in `order` into its beginning */
        f->order[--f->begin[cell_of(f, p, n) + 1]] = (int)n;
    }
    for (int c = 0; c < cells; ++c) {
        f->begin[c] = f->begin[c + 1];
    }
    f->begin[cells] = COUNT;
}

/* Adds the force of the potential 4 (r^-12 - r^-6) between atom n and the atoms of a cell that come before it in the order, at their
 * nearest image. */
static void attract(fluid *f, const kdr_particles *p, int n, int cell, double *const a[3]) {
    const double *const at[3] = {p->x[0], p->x[1], p->x[2]};
    for (int k = f->begin[cell], m; k < f->begin[cell + 1] && (m = f->order[k]) < n; ++k) {
        double d[3], square = 0;
        for (int i = 0; i < 3; ++i) {
            d[i] = at[i][n] - at[i][m];
            d[i] -= d[i] > 0.5 * f->length ? f->length : d[i] < -0.5 * f->length ? -f->length : 0;
            square += d[i] * d[i];
        }
        if (square < cutoff * cutoff) {
            const double r6 = 1 / (square * square * square), force = 24 * r6 * (2 * r6 - 1);
            f->energy += 4 * r6 * (r6 - 1);
            f->virial += force;
            for (int i = 0; i < 3; ++i) {
                a[i][n] += force / square * d[i];
                a[i][m] -= force / square * d[i];
            }
        }
    }
}

static kdr_status accelerations(void *context, const kdr_particles *p, double t, void *const a[3]) {
    fluid *const f = context;
    double *const sum[3] = {a[0], a[1], a[2]};
    const double began = now();
    (void)t;
    f->energy = f->virial = 0;
    for (size_t n = 0; n < COUNT; ++n) {
        sum[0][n] = sum[1][n] = sum[2][n] = 0;
    }
    sort_into_cells(f, p);
    for (int n = 0; n < COUNT; ++n) {
        const int cell = cell_of(f, p, (size_t)n), k = f->cells, here[3] = {cell / k / k, cell / k % k, cell % k};
        for (int c = 0; c < 27; ++c) {
            const int to[3] = {(here[0] + c / 9 + k - 1) % k, (here[1] + c / 3 % 3 + k - 1) % k, (here[2] + c % 3 + k - 1) % k};
            attract(f, p, n, (to[0] * k + to[1]) * k + to[2], sum);
        }
    }
    f->seconds += now() - began;
    return KDR_OK;
}

/* Returns the energy of the last evaluation, which was made at the present positions. */
static kdr_status potential(void *context, const kdr_particles *p, double t, double *energy) {
    (void)p, (void)t;
    *energy = ((const fluid *)context)->energy;
    return KDR_OK;
}

/* Return the contributions from beyond the cutoff, where the liquid is taken as uniform: to the energy per atom, and to the pressure. */
static double energy_beyond(void) { return 8 * pi * density / 3 * (pow(cutoff, -9) / 3 - pow(cutoff, -3)); }
static double pressure_beyond(void) { return 16 * pi * density * density / 3 * (2 * pow(cutoff, -9) / 3 - pow(cutoff, -3)); }

int main(void) {
    static fluid f;
    f.length = cbrt(COUNT / density);
    f.cells = (int)(f.length / cutoff);
    for (int n = 0; n < COUNT; ++n) {
        const int at[3] = {n / SIDE / SIDE, n / SIDE % SIDE, n % SIDE};
        for (int i = 0; i < 3; ++i) {
            x[i][n] = start[i][n] = (at[i] + 0.5) * f.length / SIDE;
        }
    }
    kdr_particles atoms = {.count = COUNT, .dims = 3, .real = KDR_F64, .x = {x[0], x[1], x[2]}, .v = {v[0], v[1], v[2]}};
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = KDR_BAOAB;
    desc.langevin = (kdr_langevin){.friction = 2, .temperature = temperature, .seed = 1};
    desc.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {0, 0, 0}, {f.length, f.length, f.length}};
    desc.accelerations = accelerations, desc.potential = potential, desc.context = &f;
    for (int i = 0; i < 3; ++i) {
        atoms.images[i] = images[i];
    }
    kdr_system *motion = NULL;
    kdr_workspace workspace = {0};
    kdr_clock clock = {.dt = 0.005};
    kdr_error error;
    kdr_status status = kdr_system_create(&desc, &motion, &error);
    status = status ? status : kdr_workspace_create(motion, COUNT, 3, (kdr_allocator){0}, &workspace, &error);
    status = status ? status : kdr_system_run(motion, &atoms, &clock, MELTING, &workspace, &error);
    double heat = 0, energy = 0, pressure = 0, far = 0, seconds = -now();
    f.seconds = 0;
    for (int n = 0; n < MEASURED / 10 && !status; ++n) {
        kdr_observables seen;
        status = kdr_system_run(motion, &atoms, &clock, 10, &workspace, &error);
        status = status ? status : kdr_system_observe(motion, &atoms, &clock, &seen, &error);
        heat += status ? 0 : seen.kinetic / (1.5 * COUNT);
        energy += status ? 0 : seen.potential / COUNT;
        pressure += status ? 0 : density * seen.kinetic / (1.5 * COUNT) + f.virial / (3 * COUNT / density);
    }
    seconds += now();
    if (status) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (int n = 0; n < 3 * COUNT; ++n) {
        const int i = n / COUNT, k = n % COUNT;
        far += pow(x[i][k] + images[i][k] * f.length - start[i][k], 2) / COUNT;
    }
    const double rounds = MEASURED / 10.0;
    printf("temperature %.3f energy %.3f pressure %.2f distance %.2f\n", heat / rounds, energy / rounds + energy_beyond(),
           pressure / rounds + pressure_beyond(), sqrt(far));
    fprintf(stderr, "a step takes %.3g ms, %.2g %% of it beside the force\n", 1e3 * seconds / MEASURED, 100 * (1 - f.seconds / seconds));
    kdr_workspace_destroy(&workspace);
    kdr_system_destroy(motion);
}
