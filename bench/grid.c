/* Measures charges in fields on a grid (see grid.h). */

#include "grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kickdrift/grid.h>
#include <kickdrift/integrator.h>

#include "clock.h"

/* There is one step per call, as in a loop that gathers from the grid and deposits on it. */
enum { COUNT = 262144, NODES = 64, CELLS = NODES - 1, COMPONENTS = 6 };

typedef struct job {
    kdr_integrator *integrator;
    kdr_particles particles, loaded; /* the plain loop writes its sums to `loaded`, so that it does not change the particles */
    kdr_grid grid;
    void *values;
} job;

/* Places particles all over the grid. Those of a cell are adjacent, as in a sorted plasma. */
static void place(const kdr_particles *p) {
    for (size_t i = 0; i < p->count; ++i) {
        const size_t cell = i * (CELLS * CELLS * CELLS) / p->count;
        const double at[] = {(double)(cell % CELLS), (double)(cell / CELLS % CELLS), (double)(cell / CELLS / CELLS)};
        for (int axis = 0; axis < 3; ++axis) {
            const double x = at[axis] + 0.25 + (double)(i % 97) / 200, v = (double)((i + (size_t)axis * 31) % 89) / 89 - 0.5;
            if (p->real == KDR_F32) {
                ((float *)p->x[axis])[i] = (float)x, ((float *)p->v[axis])[i] = (float)v;
            } else {
                ((double *)p->x[axis])[i] = x, ((double *)p->v[axis])[i] = v;
            }
        }
    }
}

static kdr_status prepare(job *j, const kdr_bench_grid_row *row, kdr_error *error) {
    const size_t numbers = (size_t)NODES * NODES * NODES * COMPONENTS;
    memset(j, 0, sizeof *j);
    j->values = malloc(numbers * kdr_real_size(row->real));
    if (!j->values) {
        return KDR_ERROR_NO_MEMORY;
    }
    kdr_bench_fill(j->values, row->real, numbers, 7);
    j->grid = (kdr_grid){.dims = 3, .components = COMPONENTS, .spacing = {1, 1, 1}, .values = j->values};
    for (int axis = 0; axis < 3; ++axis) {
        j->grid.nodes[axis] = NODES;
        j->grid.edge[axis] = KDR_EDGE_PERIODIC;
    }
    const kdr_custom_field *field = NULL;
    const double charge = 0.001;
    kdr_status status = kdr_field_from_name("grid-electromagnetic", &field);
    kdr_force force = kdr_force_custom(field, &charge);
    force.as.custom.grid = &j->grid;
    kdr_integrator_desc desc = kdr_integrator_desc_default();
    desc.method = KDR_BORIS;
    desc.real = row->real;
    desc.arithmetic = row->arithmetic;
    desc.backend = row->backend;
    desc.forces = &force;
    desc.force_count = 1;
    kdr_particles_desc particles = kdr_particles_desc_default();
    particles.count = row->count;
    particles.real = row->real;
    status = status == KDR_OK ? kdr_integrator_create(&desc, &j->integrator, error) : status;
    status = status == KDR_OK ? kdr_particles_create(&particles, &j->particles, error) : status;
    status = status == KDR_OK ? kdr_particles_create(&particles, &j->loaded, error) : status;
    if (status == KDR_OK) {
        place(&j->particles);
        place(&j->loaded);
    }
    return status;
}

static kdr_status measure(kdr_bench_state *state, job *j, const kdr_bench_grid_row *row, kdr_error *error) {
    double seconds = 0, fastest = 0, loads = 0, fastest_loads = 0;
    size_t calls = 0;
    kdr_clock clock = {.dt = 1e-6};
    while (kdr_bench_next(state)) {
        kdr_bench_pause(state);
        double start = kdr_bench_seconds();
        if (row->own) {
            row->own->load_grid(&j->grid, &j->loaded);
        }
        const double of_loads = kdr_bench_seconds() - start;
        kdr_bench_resume(state);
        start = kdr_bench_seconds();
        const kdr_status status = kdr_integrator_run(j->integrator, &j->particles, &clock, 1, error);
        kdr_bench_keep(j->particles.x[0]);
        const double is = kdr_bench_seconds() - start;
        if (status != KDR_OK) {
            return status;
        }
        fastest = calls == 0 || is < fastest ? is : fastest;
        fastest_loads = calls == 0 || of_loads < fastest_loads ? of_loads : fastest_loads;
        seconds += is;
        loads += of_loads;
        ++calls;
    }
    kdr_bench_counter(state, "evals/s", (double)row->count * (double)calls / seconds);
    kdr_bench_counter(state, "best", (double)row->count / fastest);
    if (row->own) {
        kdr_bench_counter(state, "of_loads", loads / seconds);
        kdr_bench_counter(state, "best_of_loads", fastest_loads / fastest);
    }
    return KDR_OK;
}

void kdr_bench_grid(kdr_bench_state *state, void *context) {
    const kdr_bench_grid_row *const row = context;
    job j;
    kdr_error error = {KDR_OK, ""};
    kdr_status status = prepare(&j, row, &error);
    if (status == KDR_OK) {
        status = measure(state, &j, row, &error);
    }
    if (status != KDR_OK) {
        kdr_bench_give_up(row->session, state, status, &error);
    }
    kdr_integrator_destroy(j.integrator);
    kdr_particles_destroy(&j.particles);
    kdr_particles_destroy(&j.loaded);
    free(j.values);
}

size_t kdr_bench_grid_rows(kdr_bench_session *session, kdr_backend only, kdr_backend best, kdr_bench_grid_row rows[KDR_BENCH_GRID_ROWS]) {
    size_t n = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        const kdr_backend backend = (kdr_backend)b;
        if ((only != KDR_BACKEND_AUTO && only != backend) || kdr_backend_query(backend, &info) != KDR_OK || !info.runnable) {
            continue;
        }
        for (int c = 0; c < KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT; ++c) {
            kdr_bench_grid_row *const row = &rows[n++];
            *row = (kdr_bench_grid_row){.session = session,
                                        .own = kdr_bench_user_loop_of(info.name, (kdr_real)(c % 2)),
                                        .real = (kdr_real)(c % 2),
                                        .arithmetic = (kdr_arithmetic)(c / 2),
                                        .backend = backend,
                                        .count = COUNT,
                                        .principal = backend == best && c / 2 == (info.fused_native ? 0 : 1)};
            snprintf(row->name, sizeof row->name, "grid/boris/%s/%s/%s/%zu", kdr_real_name(row->real), kdr_arithmetic_name(row->arithmetic),
                     info.name, row->count);
        }
    }
    return n;
}
