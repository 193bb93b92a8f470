/* Measures walls, boundaries and watches that never have anything to do (see idle.h). */
#include "idle.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"

enum { COUNT = 16384, STEPS = 100, PLANES = 10 };

/* Particles stay nearer to the origin than this. */
#define FAR 200.0

typedef struct job {
    kdr_integrator *integrator[2]; /* with what is idle, and without it */
    kdr_particles particles[2];
    kdr_events events;
} job;

static const char *const names[KDR_BENCH_IDLE_COUNT] = {"periodic", "absorbing", "box", "plane", "sphere", "ten-planes", "watch"};

/* The walls or the watch of a row, which its description points to. */
typedef struct idle {
    kdr_collider collider[PLANES];
    kdr_watch watch;
} idle;

static void add_idle(kdr_bench_idle_what what, idle *i, kdr_integrator_desc *desc) {
    const double low[3] = {-FAR, -FAR, -FAR}, high[3] = {FAR, FAR, FAR}, zero[3] = {0, 0, 0}, up[3] = {0, 0, 1};
    const int colliders[KDR_BENCH_IDLE_COUNT] = {
        [KDR_BENCH_IDLE_BOX] = 1, [KDR_BENCH_IDLE_PLANE] = 1, [KDR_BENCH_IDLE_SPHERE] = 1, [KDR_BENCH_IDLE_PLANES] = PLANES};
    if (what == KDR_BENCH_IDLE_PERIODIC || what == KDR_BENCH_IDLE_ABSORBING) {
        desc->boundary.kind = what == KDR_BENCH_IDLE_PERIODIC ? KDR_BOUNDARY_PERIODIC : KDR_BOUNDARY_ABSORBING;
        memcpy(desc->boundary.min, low, sizeof low);
        memcpy(desc->boundary.max, high, sizeof high);
    }
    for (int k = 0; k < colliders[what]; ++k) {
        const double tilted[3] = {0.1 * k, 0, 1};
        i->collider[k] = what == KDR_BENCH_IDLE_BOX      ? kdr_collider_box(low, high, true)
                         : what == KDR_BENCH_IDLE_SPHERE ? kdr_collider_sphere(zero, 2 * FAR, true)
                                                         : kdr_collider_plane(low, tilted);
    }
    i->watch = kdr_watch_plane(low, up);
    desc->colliders = i->collider;
    desc->collider_count = (size_t)colliders[what];
    desc->watches = &i->watch;
    desc->watch_count = what == KDR_BENCH_IDLE_WATCH;
}

static kdr_status prepare(job *j, const kdr_bench_idle_row *row, kdr_error *error) {
    const kdr_force force[] = {kdr_force_spring(1, 0, 0, 0), kdr_force_drag(0.125, 0, 0, 0)};
    idle what;
    memset(j, 0, sizeof *j);
    memset(&what, 0, sizeof what);
    kdr_particles_desc particles = kdr_particles_desc_default();
    particles.count = row->count;
    particles.real = row->real;
    particles.memory = true;
    kdr_status status = KDR_OK;
    for (int k = 0; k < 2 && status == KDR_OK; ++k) {
        kdr_integrator_desc desc = kdr_integrator_desc_default();
        desc.method = KDR_VELOCITY_VERLET;
        desc.real = row->real;
        desc.arithmetic = row->arithmetic;
        desc.backend = row->backend;
        desc.forces = force;
        desc.force_count = 2;
        if (k == 0) {
            add_idle(row->what, &what, &desc);
        }
        status = kdr_integrator_create(&desc, &j->integrator[k], error);
        status = status == KDR_OK ? kdr_particles_create(&particles, &j->particles[k], error) : status;
        for (int axis = 0; axis < 3 && status == KDR_OK; ++axis) {
            kdr_bench_fill(j->particles[k].x[axis], row->real, row->count, 3);
            kdr_bench_fill(j->particles[k].v[axis], row->real, row->count, 5);
        }
    }
    j->particles[0].events = row->what == KDR_BENCH_IDLE_WATCH ? &j->events : NULL;
    return status;
}

static kdr_status measure(kdr_bench_state *state, job *j, const kdr_bench_idle_row *row, kdr_error *error) {
    double seconds[2] = {0, 0}, fastest[2] = {0, 0};
    size_t calls = 0;
    kdr_clock clock[2] = {{.dt = 1e-3}, {.dt = 1e-3}};
    while (kdr_bench_next(state)) {
        for (int k = 0; k < 2; ++k) {
            if (k == 1) {
                kdr_bench_pause(state);
            }
            const double start = kdr_bench_seconds();
            const kdr_status status = kdr_integrator_run(j->integrator[k], &j->particles[k], &clock[k], STEPS, error);
            kdr_bench_keep(j->particles[k].x[0]);
            const double is = kdr_bench_seconds() - start;
            if (status != KDR_OK) {
                return status;
            }
            seconds[k] += is;
            fastest[k] = calls == 0 || is < fastest[k] ? is : fastest[k];
        }
        kdr_bench_resume(state);
        ++calls;
    }
    kdr_bench_counter(state, "evals/s", (double)row->count * STEPS * (double)calls / seconds[0]);
    kdr_bench_counter(state, "best", (double)row->count * STEPS / fastest[0]);
    kdr_bench_counter(state, "of_without", seconds[1] / seconds[0]);
    kdr_bench_counter(state, "best_of_without", fastest[1] / fastest[0]);
    return KDR_OK;
}

void kdr_bench_idle(kdr_bench_state *state, void *context) {
    const kdr_bench_idle_row *const row = context;
    job j;
    kdr_error error = {KDR_OK, ""};
    kdr_status status = prepare(&j, row, &error);
    if (status == KDR_OK) {
        status = measure(state, &j, row, &error);
    }
    if (status != KDR_OK) {
        kdr_bench_give_up(row->session, state, status, &error);
    }
    for (int k = 0; k < 2; ++k) {
        kdr_integrator_destroy(j.integrator[k]);
        kdr_particles_destroy(&j.particles[k]);
    }
}

size_t kdr_bench_idle_rows(kdr_bench_session *session, kdr_backend only, kdr_backend best, kdr_bench_idle_row rows[KDR_BENCH_IDLE_ROWS]) {
    enum { KINDS = KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT };
    size_t n = 0;
    for (int b = KDR_BACKEND_FIRST; b <= KDR_BACKEND_LAST; ++b) {
        kdr_backend_info info;
        const kdr_backend backend = (kdr_backend)b;
        if ((only != KDR_BACKEND_AUTO && only != backend) || kdr_backend_query(backend, &info) != KDR_OK || !info.runnable) {
            continue;
        }
        for (int c = 0; c < KDR_BENCH_IDLE_COUNT * KINDS; ++c) {
            kdr_bench_idle_row *const row = &rows[n++];
            *row = (kdr_bench_idle_row){.session = session,
                                        .what = (kdr_bench_idle_what)(c / KINDS),
                                        .real = (kdr_real)(c % 2),
                                        .arithmetic = (kdr_arithmetic)(c / 2 % 2),
                                        .backend = backend,
                                        .count = COUNT};
            row->principal = backend == best && row->real == KDR_F32 && row->arithmetic == (info.fused_native ? KDR_FUSED : KDR_UNFUSED);
            snprintf(row->name, sizeof row->name, "idle/%s/%s/%s/%s/%zu", names[row->what], kdr_real_name(row->real),
                     kdr_arithmetic_name(row->arithmetic), info.name, row->count);
        }
    }
    return n;
}
