/* Checks the benchmark's numbers with a clock that the test controls. Time passes only in what a row measures, in proportion to the work
 * done there. So every counter has one value, which the test computes from its own count of particles, steps, pairs and bytes. */
#include "bench_counters.h"

#include <kickdrift/reference.h>

bench_tally tally;

/* There are three iterations. The second is the fastest, and the mean takes twice its time. */
static const double slowness[] = {3, 1, 2};
enum { ITERATIONS = 3 };
#define UNIT 1e-3

void bench_pass_time(double units) {
    const int n = tally.iteration < 0 ? 0 : tally.iteration;
    tally.now += UNIT * units * slowness[n < ITERATIONS ? n : ITERATIONS - 1];
}

void bench_begin(void) {
    const double read_takes = tally.read_takes;
    memset(&tally, 0, sizeof tally);
    tally.iteration = -1, tally.now = 1000, tally.read_takes = read_takes;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    cr_assert(clock == CLOCK_MONOTONIC, "rates are of real time");
    tally.now += tally.read_takes;
    now->tv_sec = (time_t)tally.now;
    now->tv_nsec = (long)((tally.now - (double)now->tv_sec) * 1e9 + 0.5);
    return 0;
}

bool __wrap_kdr_bench_next(kdr_bench_state *bench) {
    (void)bench;
    return ++tally.iteration < ITERATIONS;
}

void __wrap_kdr_bench_pause(kdr_bench_state *bench) { (void)bench; }
void __wrap_kdr_bench_resume(kdr_bench_state *bench) { (void)bench; }
void __wrap_kdr_bench_skip(kdr_bench_state *bench, const char *message) {
    (void)bench;
    cr_assert_fail("a row was given up: %s", message);
}

void __wrap_kdr_bench_counter(kdr_bench_state *bench, const char *name, double value) {
    (void)bench;
    cr_assert(tally.counters < BENCH_COUNTERS);
    tally.name[tally.counters] = name, tally.value[tally.counters++] = value;
}

/* Simulates a core with 1e9 multiplications per second, 5e8 with the vectors of a backend. */
void __wrap_kdr_bench_peak_measure(kdr_bench_peak *peak, kdr_backend backend, kdr_real real, int repeats) {
    (void)repeats;
    peak->core[real] = 1e9, peak->width[backend][real] = 5e8;
}

kdr_status __real_kdr_integrator_run(const kdr_integrator *integrator, kdr_particles *p, kdr_clock *clock, uint64_t steps,
                                     kdr_error *error);
kdr_status __wrap_kdr_integrator_run(const kdr_integrator *integrator, kdr_particles *p, kdr_clock *clock, uint64_t steps,
                                     kdr_error *error) {
    bench_pass_time(1e-6 * (double)steps * (double)p->count * bench_contender_takes(integrator, p));
    tally.steps += steps;
    return __real_kdr_integrator_run(integrator, p, clock, steps, error);
}

kdr_status __real_kdr_reference_run(const kdr_integrator_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t steps, kdr_error *error);
kdr_status __wrap_kdr_reference_run(const kdr_integrator_desc *desc, kdr_particles *p, kdr_clock *clock, uint64_t steps, kdr_error *error) {
    bench_pass_time(1e-6 * (double)steps * (double)p->count * tally.field_takes);
    tally.steps += steps;
    return __real_kdr_reference_run(desc, p, clock, steps, error);
}

double bench_counter(const char *name) {
    for (size_t n = 0; n < tally.counters; ++n) {
        if (strcmp(tally.name[n], name) == 0) {
            return tally.value[n];
        }
    }
    cr_assert_fail("no counter %s", name);
    return NAN;
}

void bench_expect(const char *row, const char *name, double expected) {
    const double found = bench_counter(name);
    cr_expect(fabs(found - expected) <= 1e-5 * expected, "%s: %s is %.9g, expected %.9g", row, name, found, expected);
}

/* Checks both rates of a row whose `work` takes so many units of time. */
void bench_expect_rates(const char *row, const char *rate, const char *best, double work, double units) {
    bench_expect(row, rate, work / (2 * UNIT * units));
    bench_expect(row, best, work / (UNIT * units));
}

void bench_expect_count(const char *row, size_t counters) {
    cr_expect(tally.counters == counters, "%s: %zu counters, of which %zu are held", row, tally.counters, counters);
}

/* ---- rows of steps */

/* Evaluations of a particle per call, and multiplications per component and step, for a spring with a damper (2 per evaluation). */
static const struct {
    kdr_method method;
    int evaluations, more;
    double multiplications, more_multiplications;
} methods[] = {{KDR_SEMI_IMPLICIT_EULER, 1, 0, 4, 0}, {KDR_VELOCITY_VERLET, 1, 1, 5, 2}, {KDR_RK4, 4, 0, 18, 0}};

static void loop_of_the_test(void *const x[3], void *const v[3], const void *inverse_mass, size_t count, size_t steps, double h, double t,
                             const kdr_bench_folded *field) {
    (void)x, (void)v, (void)inverse_mass, (void)h, (void)t, (void)field;
    tally.steps += steps;
    bench_pass_time(1e-6 * (double)steps * (double)count);
}

/* Checks that the state after a row is that of the reference after as many steps as the row counts. */
static void expect_state(const kdr_bench_row *row, double steps) {
    kdr_bench_job job;
    kdr_particles *const found = &row->session->particles;
    kdr_particles expected = make_particles(found->count, 3, found->real, found->inverse_mass != NULL, false);
    kdr_error error;
    kdr_bench_session session = {.failed = false};
    kdr_bench_row copy = *row;
    copy.session = &session;
    cr_assert(kdr_bench_prepare(&job, &copy, &error) == KDR_OK, "%s", error.message);
    kdr_bench_reset(&job);
    copy_state(&expected, &session.particles);
    for (int n = 0; n < ITERATIONS; ++n) {
        cr_assert(__real_kdr_reference_run(&job.desc, &expected, &job.clock, (uint64_t)steps, &error) == KDR_OK, "%s", error.message);
    }
    cr_expect(same_bits(found, &expected), "%s: its particles are not those of the reference after %d times %g steps", row->name,
              ITERATIONS, steps);
    kdr_particles_destroy(&expected);
    kdr_particles_destroy(&session.particles);
    kdr_integrator_destroy(job.integrator);
}

static void expect_step_row(kdr_bench_row row, int m) {
    const double count = (double)row.count, steps = (double)row.steps, per_call = steps * methods[m].evaluations + methods[m].more;
    const double units = 1e-6 * count * steps, size = row.real == KDR_F32 ? 4 : 8;
    const double multiplications = 3 * count * (steps * methods[m].multiplications + methods[m].more_multiplications);
    const bool loop = row.loop != NULL;
    row.loop = loop ? loop_of_the_test : NULL;
    bench_begin();
    tally.field_takes = 1;
    kdr_bench_step(NULL, &row);
    cr_expect(tally.steps == ITERATIONS * row.steps, "%s: %llu steps were taken, expected %d times %llu", row.name,
              (unsigned long long)tally.steps, ITERATIONS, (unsigned long long)row.steps);
    bench_expect(row.name, "steps", steps);
    bench_expect_rates(row.name, "evals/s", "best", count * per_call, units);
    bench_expect(row.name, "bytes/s", 2 * 6 * size * count / (2 * UNIT * units));
    bench_expect(row.name, "fma_peak", multiplications / (2 * UNIT * units) / 1e9 / row.threads);
    bench_expect(row.name, "width_peak", multiplications / (2 * UNIT * units) / 5e8 / row.threads);
    bench_expect_count(row.name, 6);
    if (!loop) {
        expect_state(&row, bench_counter("steps"));
    }
}

/* There is one row for each method, precision, arithmetic, backend and kind: the library's, the reference's and the opponents'. */
Test(bench_counters, of_steps_are_those_that_are_taken) {
    kdr_bench_session session = {.failed = false};
    kdr_bench_rows rows = kdr_bench_rows_create(&session, KDR_BACKEND_AUTO, KDR_BACKEND_SCALAR);
    size_t held = 0;
    for (size_t i = 0; i < rows.count; ++i) {
        for (int m = 0; m < 3; ++m) {
            const bool is_one = rows.rows[i].method == methods[m].method && strcmp(rows.rows[i].field->name, "spring-damper") == 0;
            if (is_one && (rows.rows[i].count == 512 || (rows.rows[i].count == 16384 && rows.rows[i].threads == 2))) {
                expect_step_row(rows.rows[i], m);
                ++held;
            }
        }
    }
    cr_expect(held >= 3 * 2 * 2 * 2, "%zu rows", held);
    kdr_particles_destroy(&session.particles);
    kdr_bench_rows_destroy(&rows);
}
