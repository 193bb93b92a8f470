/* Runs a row (see step.h). */

#include "step.h"

#include <math.h>
#include <string.h>

#include "clock.h"
#include "method/method.h"

#include <kickdrift/reference.h>

/* A power of two, so that its rounding does not differ between precisions. The spring turns by 0.4 rad in the 100 steps of a call. */
static const double dt = 1.0 / 1024;

/* Calls between two resets. They take 6 time units, in which damping halves an amplitude and all numbers stay normal. */
enum { CALLS_A_RESET = 64 };

static kdr_status library_steps(kdr_bench_job *job, kdr_error *error) {
    return kdr_integrator_run(job->integrator, job->particles, &job->clock, job->row->steps, error);
}

static kdr_status reference_steps(kdr_bench_job *job, kdr_error *error) {
    return kdr_reference_run(&job->desc, job->particles, &job->clock, job->row->steps, error);
}

static kdr_status opponent_steps(kdr_bench_job *job, kdr_error *error) {
    (void)error;
    const double t = kdr_clock_time(&job->clock, job->clock.step, 0);
    job->row->loop(job->particles->x, job->particles->v, job->particles->inverse_mass, job->row->count, job->row->steps, dt, t,
                   &job->folded);
    job->clock.step += job->row->steps;
    return KDR_OK;
}

const kdr_bench_engine kdr_bench_library = {library_steps};
const kdr_bench_engine kdr_bench_reference = {reference_steps};
const kdr_bench_engine kdr_bench_opponent = {opponent_steps};

void kdr_bench_fill(void *array, kdr_real real, size_t count, uint32_t offset) {
    for (size_t i = 0; i < count; ++i) {
        double value = (int32_t)(((uint32_t)i + offset) * UINT32_C(0x9E3779B9)) * 0x1p-31;
        if (real == KDR_F32) {
            ((float *)array)[i] = (float)value;
        } else {
            ((double *)array)[i] = value;
        }
    }
}

/* Fills an array with inverse masses in (1/2, 3/2). */
static void fill_masses(void *array, kdr_real real, size_t count) {
    kdr_bench_fill(array, real, count, 1000003 * 6);
    for (size_t i = 0; i < count; ++i) {
        if (real == KDR_F32) {
            ((float *)array)[i] = 1 + ((float *)array)[i] / 2;
        } else {
            ((double *)array)[i] = 1 + ((double *)array)[i] / 2;
        }
    }
}

void kdr_bench_reset(kdr_bench_job *job) {
    for (uint32_t axis = 0; axis < 3; ++axis) {
        kdr_bench_fill(job->particles->x[axis], job->row->real, job->row->count, 1000003 * axis);
        kdr_bench_fill(job->particles->v[axis], job->row->real, job->row->count, 1000003 * (axis + 3));
    }
    if (job->particles->inverse_mass) {
        fill_masses(job->particles->inverse_mass, job->row->real, job->row->count);
    }
    job->particles->memory_key = 0;
    job->clock = (kdr_clock){.dt = dt};
}

static kdr_status borrow_particles(kdr_bench_session *session, const kdr_bench_row *row, kdr_error *error) {
    if (session->particles.count == row->count && session->particles.real == row->real &&
        (session->particles.inverse_mass != NULL) == row->field->masses) {
        return KDR_OK;
    }
    kdr_particles_destroy(&session->particles);
    kdr_particles_desc desc = kdr_particles_desc_default();
    desc.count = row->count;
    desc.real = row->real;
    desc.inverse_mass = row->field->masses;
    return kdr_particles_create(&desc, &session->particles, error);
}

kdr_status kdr_bench_prepare(kdr_bench_job *job, const kdr_bench_row *row, kdr_error *error) {
    *job = (kdr_bench_job){.row = row, .particles = &row->session->particles, .desc = kdr_integrator_desc_default()};
    job->folded = kdr_bench_fold(row->field);
    job->desc.method = row->method;
    job->desc.real = row->real;
    job->desc.arithmetic = row->arithmetic;
    job->desc.backend = row->backend;
    job->desc.forces = row->field->forces;
    job->desc.force_count = row->field->force_count;
    job->desc.colliders = row->field->colliders;
    job->desc.collider_count = row->field->collider_count;
    if (row->threads > 1) {
        kdr_status status = kdr_executor_openmp(row->threads, &job->desc.executor);
        if (status != KDR_OK) {
            return status;
        }
    }
    kdr_status status = borrow_particles(row->session, row, error);
    return status == KDR_OK ? kdr_integrator_create(&job->desc, &job->integrator, error) : status;
}

/* The functions below count multiplications, fused or not, per component and step, without the field's own evaluations, in the form of the
 * reference. 0: unknown, and the row has no fma_peak. With a spring-damper, at 2 per evaluation, semi-implicit Euler has 4, velocity Verlet
 * 5, rk4 18. */

/* Counts, for x and for v, one term per a_ij, one term per run of neighbouring weights that is not 0 or 1 times the scale, and the
 * scale. */
static double runge_kutta_cost(const kdr_row *row) {
    const kdr_runge_kutta_row *tableau = row->data.runge_kutta;
    double cost = 1;
    for (int i = 0; i < tableau->stages; ++i) {
        for (int j = 0; j < i; ++j) {
            cost += tableau->a[i][j] != 0;
        }
        const bool joins = kdr_weight_marks(tableau->ratio, tableau->stages, i) & KDR_JOINS;
        cost += tableau->ratio[i] != 0 && tableau->ratio[i] != 1 && !joins;
    }
    return 2 * cost;
}

/* Counts one for a kick or a drift, and one more for a prediction. */
static double splitting_cost(const kdr_row *row) {
    const kdr_splitting_row *list = row->data.splitting;
    double cost = 0;
    for (int i = 0; i < list->stages; ++i) {
        cost += (list->kick[i] != 0) + (list->drift[i] != 0);
    }
    return cost + list->predicts;
}

/* Counts, for x, the terms and the advance of each stage, and of the new x unless it is that of the last stage; for v, the ratios that are
 * not 1, and the scale. */
static double nystrom_cost(const kdr_row *row) {
    const kdr_nystrom_row *list = row->data.nystrom;
    double cost = 1;
    for (int i = 0; i < list->stages; ++i) {
        for (int j = 0; j < i; ++j) {
            cost += list->a[i][j] != 0;
        }
        cost += (i > 0) + (list->ratio[i] != 0 && list->ratio[i] != 1);
        cost += !list->ends_at_last_stage && list->b[i] != 0;
    }
    return cost + !list->ends_at_last_stage;
}

/* Counts two rows of the map, each with x and v; with kicks, half a step of it before the kick and half a step after. */
static double kinematic_cost(const kdr_row *row) { return row->data.kinematic->kicks ? 9 : 4; }

static double (*const costs[KDR_FAMILY_COUNT])(const kdr_row *row) = {
    [KDR_RUNGE_KUTTA] = runge_kutta_cost,
    [KDR_SPLITTING] = splitting_cost,
    [KDR_NYSTROM] = nystrom_cost,
    [KDR_KINEMATIC] = kinematic_cost,
};

/* Returns the multiplications of one call. `evaluations` includes the start, which velocity Verlet makes once more per call. */
static double multiplications(const kdr_bench_row *row, double evaluations) {
    const kdr_row *method = kdr_row_get(row->method);
    if (!costs[method->info.family]) {
        return 0;
    }
    return 3 * (costs[method->info.family](method) * (double)row->count * (double)row->steps + row->field->fma * evaluations);
}

static double evaluations_of(const kdr_bench_job *job) {
    const kdr_clock start = {.dt = dt};
    return (double)kdr_integrator_evaluations(job->integrator, job->particles, &start, job->row->steps);
}

double kdr_bench_evaluations(const kdr_bench_job *job) {
    const double evaluations = evaluations_of(job);
    return evaluations > 0 ? evaluations : (double)job->row->count * (double)job->row->steps;
}

typedef struct timing {
    double seconds, fastest; /* of all calls; of the fastest call */
    uint64_t calls;
} timing;

static void count(kdr_bench_state *state, const kdr_bench_job *job, const timing *time) {
    const kdr_bench_row *row = job->row;
    const kdr_bench_peak *peak = &row->session->peak;
    double work = kdr_bench_evaluations(job);
    double state_bytes = 6 * (double)kdr_real_size(row->real) * (double)row->count;
    double calls_a_second = (double)time->calls / time->seconds;
    double rate = multiplications(row, evaluations_of(job)) * calls_a_second / row->threads;
    kdr_bench_counter(state, "evals/s", work * calls_a_second);
    kdr_bench_counter(state, "best", work / time->fastest);
    kdr_bench_counter(state, "bytes/s", 2 * state_bytes * calls_a_second);
    if (rate > 0 && peak->core[row->real] > 0) {
        kdr_bench_counter(state, "fma_peak", rate / peak->core[row->real]);
    }
    if (rate > 0 && peak->width[row->backend][row->real] > 0) {
        kdr_bench_counter(state, "width_peak", rate / peak->width[row->backend][row->real]);
    }
    kdr_bench_counter(state, "steps", (double)row->steps);
}

/* Measures the time by its own clock. Google Benchmark's real-time option would change the names of rows; without it, its rates count
 * processor time. */
static kdr_status measure(kdr_bench_state *state, kdr_bench_job *job, kdr_error *error) {
    timing time = {.fastest = INFINITY};
    kdr_bench_reset(job);
    for (; kdr_bench_next(state); ++time.calls) {
        if (time.calls && time.calls % CALLS_A_RESET == 0) {
            kdr_bench_pause(state);
            kdr_bench_reset(job);
            kdr_bench_resume(state);
        }
        double start = kdr_bench_seconds();
        kdr_status status = job->row->engine->steps(job, error);
        kdr_bench_keep(job->particles->x[0]);
        double seconds = kdr_bench_seconds() - start;
        if (status != KDR_OK) {
            return status;
        }
        time.seconds += seconds;
        time.fastest = fmin(time.fastest, seconds);
    }
    count(state, job, &time);
    return KDR_OK;
}

void kdr_bench_give_up(kdr_bench_session *session, kdr_bench_state *state, kdr_status status, const kdr_error *error) {
    session->failed = true;
    kdr_bench_skip(state, error->status == status ? error->message : kdr_status_string(status));
}

void kdr_bench_step(kdr_bench_state *state, void *context) {
    const kdr_bench_row *row = context;
    kdr_bench_job job;
    kdr_error error = {KDR_OK, ""};
    kdr_bench_peak_measure(&row->session->peak, row->backend, row->real, 2);
    kdr_status status = kdr_bench_prepare(&job, row, &error);
    if (status == KDR_OK) {
        status = measure(state, &job, &error);
    }
    if (status != KDR_OK) {
        kdr_bench_give_up(row->session, state, status, &error);
    }
    kdr_integrator_destroy(job.integrator);
}
