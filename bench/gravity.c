/* Measures direct-sum gravity (see gravity.h). */

#include "gravity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kickdrift/pairs.h>

#include "clock.h"

typedef struct job {
    kdr_pairs *pairs;
    kdr_particles particles, accelerations;
    void *mu, *lengths;
} job;

static void put(void *array, kdr_real real, size_t i, double value) {
    if (real == KDR_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

/* Makes particles in a cube, all of them sources, no two at the same point. */
static kdr_status prepare(job *j, const kdr_bench_gravity_row *row, kdr_error *error) {
    kdr_particles_desc particles = kdr_particles_desc_default();
    kdr_pairs_desc pairs = kdr_pairs_desc_default();
    memset(j, 0, sizeof *j);
    particles.count = row->count;
    particles.real = row->real;
    j->mu = malloc(row->count * sizeof(double));
    j->lengths = malloc(row->count * sizeof(double));
    if (!j->mu || !j->lengths) {
        return KDR_ERROR_NO_MEMORY;
    }
    for (size_t i = 0; i < row->count; ++i) {
        put(j->mu, row->real, i, 1.0 / (double)row->count);
        put(j->lengths, row->real, i, 0.01);
    }
    kdr_interaction force = kdr_interaction_gravity(j->mu, row->count, 0.01);
    if (row->sum == KDR_BENCH_LENGTHS) {
        force.as.gravity.softening_each = j->lengths;
        force.as.gravity.softening_count = row->count;
    }
    pairs.forces = &force;
    pairs.force_count = 1;
    pairs.real = row->real;
    pairs.arithmetic = row->arithmetic;
    pairs.backend = row->backend;
    kdr_status status = kdr_pairs_create(&pairs, &j->pairs, error);
    if (status == KDR_OK) {
        status = kdr_particles_create(&particles, &j->particles, error);
    }
    if (status == KDR_OK) {
        status = kdr_particles_create(&particles, &j->accelerations, error);
    }
    /* multiples of irrational numbers modulo 1 are spread evenly */
    static const double strides[] = {0.6180339887, 0.4142135624, 0.7320508076};
    for (size_t i = 0; status == KDR_OK && i < row->count; ++i) {
        for (unsigned axis = 0; axis < 3; ++axis) {
            put(j->particles.x[axis], row->real, i, (double)i * strides[axis] - (double)(size_t)((double)i * strides[axis]));
        }
    }
    return status;
}

static double root_seconds(const kdr_bench_roots_unit *unit) {
    enum { ROUNDS = 4096 };
    const double start = kdr_bench_seconds();
    double sum = unit->run(ROUNDS);
    kdr_bench_keep(&sum);
    return (kdr_bench_seconds() - start) / ROUNDS / unit->per_round;
}

static kdr_status measure(kdr_bench_state *state, job *j, const kdr_bench_gravity_row *row, kdr_error *error) {
    double seconds = 0, fastest = 0, root = 0;
    size_t calls = 0;
    while (kdr_bench_next(state)) {
        kdr_bench_pause(state);
        for (int n = 0; row->roots && n < 4; ++n) { /* measured between the calls, so that both run under the same conditions */
            const double is = root_seconds(row->roots);
            root = root == 0 || is < root ? is : root;
        }
        kdr_bench_resume(state);
        const double start = kdr_bench_seconds();
        double energy = 0;
        const kdr_status status = row->sum == KDR_BENCH_POTENTIAL ? kdr_pairs_potential(j->pairs, &j->particles, &energy, error)
                                                                  : kdr_pairs_add(j->pairs, &j->particles, j->accelerations.x, error);
        kdr_bench_keep(&energy);
        kdr_bench_keep(j->accelerations.x[0]);
        const double is = kdr_bench_seconds() - start;
        if (status != KDR_OK) {
            return status;
        }
        fastest = calls == 0 || is < fastest ? is : fastest;
        seconds += is;
        ++calls;
    }
    const double pairs = (double)row->count * (double)row->count;
    kdr_bench_counter(state, "pairs/s", pairs * (double)calls / seconds);
    kdr_bench_counter(state, "best", pairs / fastest);
    if (row->roots) {
        kdr_bench_counter(state, "of_roots", root * pairs * (double)calls / seconds);
        kdr_bench_counter(state, "best_of_roots", root * pairs / fastest);
    }
    return KDR_OK;
}

void kdr_bench_gravity(kdr_bench_state *state, void *context) {
    const kdr_bench_gravity_row *const row = context;
    job j;
    kdr_error error = {KDR_OK, ""};
    kdr_status status = prepare(&j, row, &error);
    if (status == KDR_OK) {
        status = measure(state, &j, row, &error);
    }
    if (status != KDR_OK) {
        kdr_bench_give_up(row->session, state, status, &error);
    }
    kdr_pairs_destroy(j.pairs);
    kdr_particles_destroy(&j.particles);
    kdr_particles_destroy(&j.accelerations);
    free(j.mu);
    free(j.lengths);
}

static const kdr_bench_roots_unit *roots_of(const char *isa, kdr_real real) {
    for (const kdr_bench_roots_unit *const *unit = kdr_bench_roots_units; *unit; ++unit) {
        if (strcmp((*unit)->isa, isa) == 0 && strcmp((*unit)->real, kdr_real_name(real)) == 0) {
            return *unit;
        }
    }
    return NULL;
}

size_t kdr_bench_gravity_rows(kdr_bench_session *session, kdr_backend only, kdr_backend best,
                              kdr_bench_gravity_row rows[KDR_BENCH_GRAVITY_ROWS]) {
    static const size_t counts[] = {1024, 16384};
    static const char *const names[KDR_BENCH_SUMS] = {"gravity", "gravity-lengths", "gravity-potential"};
    size_t n = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        const kdr_backend backend = (kdr_backend)b;
        if ((only != KDR_BACKEND_AUTO && only != backend) || kdr_backend_query(backend, &info) != KDR_OK || !info.runnable) {
            continue;
        }
        for (int c = 0; c < 2 * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT * KDR_BENCH_SUMS; ++c) {
            kdr_bench_gravity_row *const row = &rows[n++];
            *row = (kdr_bench_gravity_row){.sum = (kdr_bench_sum)(c / 8),
                                           .session = session,
                                           .real = (kdr_real)(c / 2 % 2),
                                           .arithmetic = (kdr_arithmetic)(c / 4 % 2),
                                           .roots = roots_of(info.name, (kdr_real)(c / 2 % 2)),
                                           .backend = backend,
                                           .count = counts[c % 2],
                                           .principal = backend == best && c < 8 && c % 2 == 1 && c / 4 == (info.fused_native ? 0 : 1)};
            snprintf(row->name, sizeof row->name, "%s/%s/%s/%s/%zu", names[row->sum], kdr_real_name(row->real),
                     kdr_arithmetic_name(row->arithmetic), info.name, row->count);
        }
    }
    return n;
}
