/* Measures a user-defined force in blocks (see blocks.h). Each call follows one of the field run that takes the same steps from the same
 * state, so that both run under the same conditions. */
#include "blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"

static const double dt = 1.0 / 1024;

/* Steps per call, and calls between two resets, are those of step.c. */
enum { COUNT = 16384, STEPS = 100, CALLS_A_RESET = 64 };

/* A runner takes the steps, by the library's field or by the user-defined function. */
typedef struct runner {
    kdr_particles particles;
    kdr_clock clock;
    double seconds, fastest;
} runner;

typedef struct job {
    const kdr_bench_block_row *row;
    const kdr_bench_field *field;
    kdr_bench_folded folded;
    kdr_integrator *integrator;
    kdr_system *system;
    runner by_field, by_blocks;
    uint64_t calls;
} job;

/* Returns the field spring-damper, which is in the list. */
static const kdr_bench_field *spring_damper(void) {
    const kdr_bench_field *field = kdr_bench_fields;
    while (strcmp(field->name, "spring-damper") != 0) {
        ++field;
    }
    return field;
}

static kdr_status make_runner(const kdr_bench_block_row *row, runner *r, kdr_error *error) {
    kdr_particles_desc desc = kdr_particles_desc_default();
    desc.count = row->count;
    desc.real = row->real;
    r->fastest = INFINITY;
    return kdr_particles_create(&desc, &r->particles, error);
}

static kdr_status prepare(job *j, const kdr_bench_block_row *row, kdr_error *error) {
    *j = (job){.row = row, .field = spring_damper()};
    j->folded = kdr_bench_fold(j->field);
    kdr_integrator_desc field = kdr_integrator_desc_default();
    field.method = row->method;
    field.real = row->real;
    field.arithmetic = row->arithmetic;
    field.backend = row->backend;
    field.forces = j->field->forces;
    field.force_count = j->field->force_count;
    kdr_system_desc own = kdr_system_desc_default();
    own.method = row->method;
    own.real = row->real;
    own.arithmetic = row->arithmetic;
    own.backend = row->backend;
    own.accelerations = row->own->accelerations;
    own.context = &j->folded;
    kdr_status status = kdr_integrator_create(&field, &j->integrator, error);
    if (status == KDR_OK) {
        status = kdr_system_create(&own, &j->system, error);
    }
    if (status == KDR_OK) {
        status = make_runner(row, &j->by_field, error);
    }
    if (status == KDR_OK) {
        status = make_runner(row, &j->by_blocks, error);
    }
    return status;
}

static void reset(runner *r) {
    for (uint32_t axis = 0; axis < 3; ++axis) {
        kdr_bench_fill(r->particles.x[axis], r->particles.real, r->particles.count, 1000003 * axis);
        kdr_bench_fill(r->particles.v[axis], r->particles.real, r->particles.count, 1000003 * (axis + 3));
    }
    r->particles.memory_key = 0;
    r->clock = (kdr_clock){.dt = dt};
}

static kdr_status call_field(job *j, kdr_error *error) {
    return kdr_integrator_run(j->integrator, &j->by_field.particles, &j->by_field.clock, STEPS, error);
}

static kdr_status call_blocks(job *j, kdr_error *error) {
    return kdr_system_run_blocks(j->system, &j->by_blocks.particles, &j->by_blocks.clock, STEPS, error);
}

static kdr_status time_call(job *j, runner *r, kdr_status (*call)(job *j, kdr_error *error), kdr_error *error) {
    const double start = kdr_bench_seconds();
    const kdr_status status = call(j, error);
    kdr_bench_keep(r->particles.x[0]);
    const double seconds = kdr_bench_seconds() - start;
    r->seconds += seconds;
    r->fastest = fmin(r->fastest, seconds);
    return status;
}

static kdr_status measure(kdr_bench_state *state, job *j, kdr_error *error) {
    kdr_status status = KDR_OK;
    for (; kdr_bench_next(state) && status == KDR_OK; ++j->calls) {
        kdr_bench_pause(state);
        if (j->calls % CALLS_A_RESET == 0) {
            reset(&j->by_field);
            reset(&j->by_blocks);
        }
        status = time_call(j, &j->by_field, call_field, error);
        kdr_bench_resume(state);
        if (status == KDR_OK) {
            status = time_call(j, &j->by_blocks, call_blocks, error);
        }
    }
    return status;
}

static void count(kdr_bench_state *state, const job *j) {
    const kdr_clock start = {.dt = dt};
    const double evaluations = (double)kdr_system_evaluations(j->system, &j->by_blocks.particles, &start, STEPS) * (double)j->row->count;
    kdr_bench_counter(state, "evals/s", evaluations * (double)j->calls / j->by_blocks.seconds);
    kdr_bench_counter(state, "best", evaluations / j->by_blocks.fastest);
    kdr_bench_counter(state, "of_field", j->by_field.seconds / j->by_blocks.seconds);
    kdr_bench_counter(state, "best_of_field", j->by_field.fastest / j->by_blocks.fastest);
    kdr_bench_counter(state, "steps", STEPS);
}

void kdr_bench_blocks(kdr_bench_state *state, void *context) {
    const kdr_bench_block_row *const row = context;
    job j;
    kdr_error error = {KDR_OK, ""};
    kdr_status status = prepare(&j, row, &error);
    if (status == KDR_OK) {
        status = measure(state, &j, &error);
    }
    if (status == KDR_OK) {
        count(state, &j);
    } else {
        kdr_bench_give_up(row->session, state, status, &error);
    }
    kdr_integrator_destroy(j.integrator);
    kdr_system_destroy(j.system);
    kdr_particles_destroy(&j.by_field.particles);
    kdr_particles_destroy(&j.by_blocks.particles);
}

const kdr_bench_user_loop_unit *kdr_bench_user_loop_of(const char *isa, kdr_real real) {
    for (const kdr_bench_user_loop_unit *const *unit = kdr_bench_user_loop_units; *unit; ++unit) {
        if (strcmp((*unit)->isa, isa) == 0 && strcmp((*unit)->real, kdr_real_name(real)) == 0) {
            return *unit;
        }
    }
    return NULL;
}

size_t kdr_bench_block_rows(kdr_bench_session *session, kdr_backend backend, kdr_bench_block_row rows[KDR_BENCH_BLOCK_ROWS]) {
    static const kdr_method methods[KDR_BENCH_BLOCK_METHODS] = {KDR_SEMI_IMPLICIT_EULER, KDR_VELOCITY_VERLET, KDR_PEFRL, KDR_RK4};
    kdr_backend_info info;
    size_t n = 0;
    if (kdr_backend_query(backend, &info) != KDR_OK) {
        return 0;
    }
    for (size_t m = 0; m < KDR_BENCH_BLOCK_METHODS; ++m) {
        for (int real = 0; real < KDR_REAL_COUNT; ++real) {
            kdr_bench_block_row *const row = &rows[n++];
            *row = (kdr_bench_block_row){.session = session,
                                         .own = kdr_bench_user_loop_of(info.name, (kdr_real)real),
                                         .method = methods[m],
                                         .real = (kdr_real)real,
                                         .arithmetic = info.fused_native ? KDR_FUSED : KDR_UNFUSED,
                                         .backend = backend,
                                         .count = COUNT,
                                         .principal = real == KDR_F32};
            snprintf(row->name, sizeof row->name, "blocks/%s/%s/%s/%d", kdr_method_get(methods[m])->name, kdr_real_name((kdr_real)real),
                     info.name, COUNT);
        }
    }
    return n;
}
