/* Measures a Lennard-Jones liquid (see lj.h). The force is one that a user may write: cells as long as the cutoff, with their atoms copied
 * to adjacent places, and each pair computed once. It is timed within the steps; the rest of their time is the library's. The executor
 * counts how often the library goes over the particles between two evaluations. */
#include "lj.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <kickdrift/system.h>

#include "clock.h"

enum { COUNT = 10000, SIDE = 22, CELLS = 9, STEPS = 10, MELTING = 100 };
static const double density = 0.776, temperature = 0.85, cutoff = 2.5, dt = 0.005;

/* The time of a call of the force, or between two of them. */
typedef struct timing {
    double seconds, fastest;
} timing;

typedef struct liquid {
    double length; /* length of the box */
    double left;   /* when the force returned last; 0: not yet in this call */
    /* `between` leaves out the time before the first and after the last force of a call */
    timing force, between;
    unsigned sweeps, most;                              /* sweeps since the last force; the most between two forces */
    int order[COUNT], begin[CELLS * CELLS * CELLS + 2]; /* the atoms, sorted by cell */
    double at[COUNT][3], sum[COUNT][3];                 /* positions and accelerations in that order */
    kdr_particles atoms;
    kdr_system *motion;
    kdr_workspace workspace;
    kdr_clock clock;
} liquid;

static int cell_of(const liquid *l, const kdr_particles *p, size_t n) {
    int cell = 0;
    for (int i = 0; i < 3; ++i) { /* the run keeps positions in the box */
        const int at = (int)(((const double *)p->x[i])[n] / l->length * CELLS);
        cell = cell * CELLS + (at < CELLS ? at : CELLS - 1);
    }
    return cell;
}

static void sort_into_cells(liquid *l, const kdr_particles *p) {
    int *const ends = l->begin + 1; /* used as ends while the cells are filled */
    for (int c = 0; c < CELLS * CELLS * CELLS + 2; ++c) {
        l->begin[c] = 0;
    }
    for (size_t n = 0; n < COUNT; ++n) {
        l->order[n] = cell_of(l, p, n);
        ++ends[l->order[n] + 1];
    }
    for (int c = 0; c < CELLS * CELLS * CELLS; ++c) {
        ends[c + 1] += ends[c];
    }
    for (size_t n = 0; n < COUNT; ++n) {
        const int k = l->order[n] = ends[l->order[n]]++;
        for (int i = 0; i < 3; ++i) {
            l->at[k][i] = ((const double *)p->x[i])[n];
            l->sum[k][i] = 0;
        }
    }
}

/* Adds the forces of the potential 4 (r^-12 - r^-6) between the atoms of two cells, the second of which is shifted, or within one cell. */
static void attract(liquid *l, int here, int there, const double shift[3]) {
    for (int n = l->begin[here]; n < l->begin[here + 1]; ++n) {
        const double at[3] = {l->at[n][0] - shift[0], l->at[n][1] - shift[1], l->at[n][2] - shift[2]};
        for (int m = here == there ? n + 1 : l->begin[there]; m < l->begin[there + 1]; ++m) {
            const double d[3] = {at[0] - l->at[m][0], at[1] - l->at[m][1], at[2] - l->at[m][2]};
            const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (square < cutoff * cutoff) {
                const double r2 = 1 / square, r6 = r2 * r2 * r2, force = 24 * r6 * (2 * r6 - 1) * r2;
                for (int i = 0; i < 3; ++i) {
                    l->sum[n][i] += force * d[i];
                    l->sum[m][i] -= force * d[i];
                }
            }
        }
    }
}

/* Adds the forces within a cell, and with the half of its neighbours that follow it. Across the border of the box a neighbour is shifted by
 * its length. */
static void attract_neighbours(liquid *l, int here) {
    const int at[3] = {here / CELLS / CELLS, here / CELLS % CELLS, here % CELLS};
    for (int c = 13; c < 27; ++c) {
        const int step[3] = {c / 9 - 1, c / 3 % 3 - 1, c % 3 - 1};
        double shift[3];
        int there = 0;
        for (int i = 0; i < 3; ++i) {
            const int to = at[i] + step[i];
            shift[i] = to < 0 ? -l->length : to >= CELLS ? l->length : 0;
            there = there * CELLS + (to + CELLS) % CELLS;
        }
        attract(l, here, there, shift);
    }
}

static void add_time(timing *time, double seconds) {
    time->seconds += seconds;
    time->fastest = fmin(time->fastest, seconds);
}

static kdr_status accelerations(void *context, const kdr_particles *p, double t, void *const a[3]) {
    liquid *const l = context;
    const double start = kdr_bench_seconds();
    (void)t;
    if (l->left > 0) {
        add_time(&l->between, start - l->left);
        l->most = l->sweeps > l->most ? l->sweeps : l->most;
    }
    sort_into_cells(l, p);
    for (int c = 0; c < CELLS * CELLS * CELLS; ++c) {
        attract_neighbours(l, c);
    }
    for (int i = 0; i < 3; ++i) {
        for (size_t n = 0; n < COUNT; ++n) {
            ((double *)a[i])[n] = l->sum[l->order[n]][i];
        }
    }
    l->sweeps = 0;
    l->left = kdr_bench_seconds();
    add_time(&l->force, l->left - start);
    return KDR_OK;
}

static void count_sweep(void *context, size_t count, kdr_range_fn *body, void *argument) {
    ++((liquid *)context)->sweeps;
    body(argument, 0, count);
}

static kdr_status go(liquid *l, uint64_t steps, kdr_error *error) {
    l->left = 0;
    return kdr_system_run(l->motion, &l->atoms, &l->clock, steps, &l->workspace, error);
}

/* Prepares a molten liquid: atoms on a lattice that has a few more places than atoms, after some steps. */
static kdr_status prepare(liquid *l, kdr_backend backend, kdr_error *error) {
    l->length = cbrt(COUNT / density);
    l->clock.dt = dt;
    kdr_particles_desc atoms = kdr_particles_desc_default();
    atoms.count = COUNT;
    kdr_system_desc desc = kdr_system_desc_default();
    desc.method = KDR_BAOAB;
    desc.langevin = (kdr_langevin){.friction = 2, .temperature = temperature, .seed = 1};
    desc.boundary = (kdr_boundary){KDR_BOUNDARY_PERIODIC, {0, 0, 0}, {l->length, l->length, l->length}};
    desc.backend = backend;
    desc.executor = (kdr_executor){l, count_sweep};
    desc.accelerations = accelerations;
    desc.context = l;
    kdr_status status = kdr_particles_create(&atoms, &l->atoms, error);
    status = status ? status : kdr_system_create(&desc, &l->motion, error);
    status = status ? status : kdr_workspace_create(l->motion, COUNT, 3, (kdr_allocator){NULL, NULL, NULL}, &l->workspace, error);
    for (int n = 0; n < COUNT && status == KDR_OK; ++n) {
        const int place = (int)((int64_t)n * SIDE * SIDE * SIDE / COUNT), at[3] = {place / SIDE / SIDE, place / SIDE % SIDE, place % SIDE};
        for (int i = 0; i < 3; ++i) {
            ((double *)l->atoms.x[i])[n] = (at[i] + 0.5) * l->length / SIDE;
            ((double *)l->atoms.v[i])[n] = 0;
        }
    }
    return status ? status : go(l, MELTING, error);
}

static kdr_status measure(kdr_bench_state *state, liquid *l, kdr_error *error) {
    double seconds = 0;
    uint64_t calls = 0;
    l->force = l->between = (timing){.fastest = INFINITY};
    for (; kdr_bench_next(state); ++calls) {
        const double start = kdr_bench_seconds();
        const kdr_status status = go(l, STEPS, error);
        seconds += kdr_bench_seconds() - start;
        if (status != KDR_OK) {
            return status;
        }
    }
    const double steps = (double)calls * STEPS;
    kdr_bench_counter(state, "steps/s", steps / seconds);
    kdr_bench_counter(state, "best", 1 / (l->between.fastest + l->force.fastest));
    kdr_bench_counter(state, "passes", 1 - l->force.seconds / seconds);
    kdr_bench_counter(state, "best_passes", l->between.fastest / (l->between.fastest + l->force.fastest));
    kdr_bench_counter(state, "ns/atom", 1e9 * l->between.fastest / COUNT);
    kdr_bench_counter(state, "sweeps", l->most);
    return KDR_OK;
}

void kdr_bench_lj(kdr_bench_state *state, void *context) {
    const kdr_bench_lj_row *const row = context;
    kdr_error error = {KDR_OK, ""};
    liquid *const l = calloc(1, sizeof *l);
    kdr_status status = l ? prepare(l, row->backend, &error) : KDR_ERROR_NO_MEMORY;
    if (status == KDR_OK) {
        status = measure(state, l, &error);
    }
    if (status != KDR_OK) {
        kdr_bench_give_up(row->session, state, status, &error);
    }
    if (l) {
        kdr_workspace_destroy(&l->workspace);
        kdr_system_destroy(l->motion);
        kdr_particles_destroy(&l->atoms);
    }
    free(l);
}

size_t kdr_bench_lj_rows(kdr_bench_session *session, kdr_backend backend, kdr_bench_lj_row *row) {
    kdr_backend_info info;
    if (kdr_backend_query(backend, &info) != KDR_OK) {
        return 0;
    }
    *row = (kdr_bench_lj_row){.session = session, .backend = backend};
    snprintf(row->name, sizeof row->name, "lj/baoab/%s/%s/%d", kdr_real_name(KDR_F64), info.name, COUNT);
    return 1;
}
