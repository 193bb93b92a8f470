/* Checks the counters of all rows other than those of steps: gravity, grids, blocks, passes and the liquid. */
#include "bench_counters.h"

#define WRAP_PAIRS(name, last)                                                                                                             \
    kdr_status __real_##name(const kdr_pairs *pairs, const kdr_particles *p, last, kdr_error *error);                                      \
    kdr_status __wrap_##name(const kdr_pairs *pairs, const kdr_particles *p, last, kdr_error *error);                                      \
    kdr_status __wrap_##name(const kdr_pairs *pairs, const kdr_particles *p, last, kdr_error *error) {                                     \
        bench_pass_time(1e-6 * (double)p->count * (double)p->count);                                                                       \
        return p->count > 1024 ? KDR_OK : __real_##name(pairs, p, to, error);                                                              \
    }
WRAP_PAIRS(kdr_pairs_add, void *const to[3])
WRAP_PAIRS(kdr_pairs_potential, double *to)

kdr_status __real_kdr_system_run(const kdr_system *of, kdr_particles *p, kdr_clock *clock, uint64_t steps, const kdr_workspace *workspace,
                                 kdr_error *error);
kdr_status __wrap_kdr_system_run(const kdr_system *of, kdr_particles *p, kdr_clock *clock, uint64_t steps, const kdr_workspace *workspace,
                                 kdr_error *error);
kdr_status __wrap_kdr_system_run(const kdr_system *of, kdr_particles *p, kdr_clock *clock, uint64_t steps, const kdr_workspace *workspace,
                                 kdr_error *error) {
    bench_pass_time(tally.read_takes > 0 ? 0 : 1e-6 * (double)steps * (double)p->count);
    tally.steps += tally.iteration >= 0 ? steps : 0;
    return __real_kdr_system_run(of, p, clock, steps, workspace, error);
}

kdr_status __wrap_kdr_system_run_blocks(const kdr_system *of, kdr_particles *p, kdr_clock *clock, uint64_t steps, kdr_error *error);
kdr_status __wrap_kdr_system_run_blocks(const kdr_system *of, kdr_particles *p, kdr_clock *clock, uint64_t steps, kdr_error *error) {
    (void)of, (void)error;
    bench_pass_time(1e-6 * (double)steps * (double)p->count);
    tally.steps += steps;
    clock->step += steps;
    return KDR_OK;
}

/* Wraps a pass from which users compose steps: counts the arrays that kicks, drifts and both read and write. */
#define WRAP_PASS(name, arrays, ...)                                                                                                       \
    kdr_status __wrap_##name(kdr_particles *p, __VA_ARGS__, const kdr_pass_options *options, kdr_error *error);                            \
    kdr_status __wrap_##name(kdr_particles *p, __VA_ARGS__, const kdr_pass_options *options, kdr_error *error) {                           \
        (void)options, (void)error, (void)h;                                                                                               \
        tally.sweeps += tally.iteration >= 0 ? (arrays) : 0;                                                                               \
        bench_pass_time(1e-6 * (arrays) * (double)p->count);                                                                               \
        return KDR_OK;                                                                                                                     \
    }
WRAP_PASS(kdr_kick, (void *const *)a ? 3 : 0, double h, void *const a[3])
WRAP_PASS(kdr_drift, 3, double h)
WRAP_PASS(kdr_kick_drift, (void *const *)a &&drift != 0 ? 5 : 0, double h, double drift, void *const a[3])

static double roots_of_the_test(size_t rounds) {
    bench_pass_time(1e-6 * (double)rounds);
    return 1;
}

Test(bench_counters, of_gravity_are_all_pairs) {
    static kdr_bench_gravity_row rows[KDR_BENCH_GRAVITY_ROWS];
    kdr_bench_session session = {.failed = false};
    const size_t count = kdr_bench_gravity_rows(&session, KDR_BACKEND_SCALAR, KDR_BACKEND_SCALAR, rows);
    cr_expect(count == 2 * 2 * 2 * KDR_BENCH_SUMS, "%zu rows", count);
    for (size_t n = 0; n < count; ++n) {
        const double pairs = (double)rows[n].count * (double)rows[n].count, units = 1e-6 * pairs;
        const kdr_bench_roots_unit unit = {"scalar", "f64", 4, roots_of_the_test};
        rows[n].roots = &unit;
        bench_begin();
        kdr_bench_gravity(NULL, &rows[n]);
        bench_expect_rates(rows[n].name, "pairs/s", "best", pairs, units);
        /* At its fastest, a round of four roots takes a millionth of a unit, and so does a pair. */
        bench_expect(rows[n].name, "of_roots", 1 / 4.0 / 2);
        bench_expect(rows[n].name, "best_of_roots", 1 / 4.0);
        bench_expect_count(rows[n].name, 4);
    }
}

static void load_of_the_test(const kdr_grid *grid, const kdr_particles *particles) {
    (void)grid;
    bench_pass_time(3e-6 * (double)particles->count);
}

Test(bench_counters, of_grids_are_particles) {
    static kdr_bench_grid_row rows[KDR_BENCH_GRID_ROWS];
    kdr_bench_session session = {.failed = false};
    const size_t count = kdr_bench_grid_rows(&session, KDR_BACKEND_SCALAR, KDR_BACKEND_SCALAR, rows);
    cr_expect(count == KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT);
    for (size_t n = 0; n < count; ++n) {
        const kdr_bench_user_loop_unit unit = {"scalar", "f64", NULL, load_of_the_test};
        rows[n].own = &unit;
        bench_begin();
        tally.field_takes = 1;
        kdr_bench_grid(NULL, &rows[n]);
        cr_expect(tally.steps == 3, "%s: %llu steps", rows[n].name, (unsigned long long)tally.steps);
        bench_expect_rates(rows[n].name, "evals/s", "best", (double)rows[n].count, 1e-6 * (double)rows[n].count);
        bench_expect(rows[n].name, "of_loads", 3);
        bench_expect(rows[n].name, "best_of_loads", 3);
        bench_expect_count(rows[n].name, 4);
    }
}

/* A particle's step takes a unit with what is idle, and a quarter of one without it. */
Test(bench_counters, of_idle_rows_are_evaluations) {
    static kdr_bench_idle_row rows[KDR_BENCH_IDLE_ROWS];
    kdr_bench_session session = {.failed = false};
    const size_t count = kdr_bench_idle_rows(&session, KDR_BACKEND_SCALAR, KDR_BACKEND_SCALAR, rows);
    cr_expect(count == KDR_BENCH_IDLE_COUNT * KDR_REAL_COUNT * KDR_ARITHMETIC_COUNT);
    for (size_t n = 0; n < count; ++n) {
        bench_begin();
        tally.field_takes = 1, tally.free_takes = 0.25;
        kdr_bench_idle(NULL, &rows[n]);
        cr_expect(tally.steps == 2 * 3 * 100, "%s: %llu steps", rows[n].name, (unsigned long long)tally.steps);
        bench_expect_rates(rows[n].name, "evals/s", "best", 100.0 * (double)rows[n].count, 100.0 * 1e-6 * (double)rows[n].count);
        bench_expect(rows[n].name, "of_without", 0.25);
        bench_expect(rows[n].name, "best_of_without", 0.25);
        bench_expect_count(rows[n].name, 4);
    }
}

Test(bench_counters, of_blocks_are_evaluations) {
    static kdr_bench_block_row rows[KDR_BENCH_BLOCK_ROWS];
    kdr_bench_session session = {.failed = false};
    const size_t count = kdr_bench_block_rows(&session, KDR_BACKEND_SCALAR, rows);
    cr_expect(count == KDR_BENCH_BLOCK_ROWS);
    for (size_t n = 0; n < count; ++n) {
        const double steps = 100, at = (double)rows[n].count;
        const double evaluations = rows[n].method == KDR_RK4               ? 4 * steps
                                   : rows[n].method == KDR_PEFRL           ? 4 * steps
                                   : rows[n].method == KDR_VELOCITY_VERLET ? steps + 1
                                                                           : steps;
        bench_begin();
        tally.field_takes = 5;
        kdr_bench_blocks(NULL, &rows[n]);
        cr_expect(tally.steps == 2 * 3 * 100, "%s: %llu steps", rows[n].name, (unsigned long long)tally.steps);
        bench_expect(rows[n].name, "steps", steps);
        bench_expect_rates(rows[n].name, "evals/s", "best", at * evaluations, 1e-6 * at * steps);
        bench_expect(rows[n].name, "of_field", 5);
        bench_expect(rows[n].name, "best_of_field", 5);
        bench_expect_count(rows[n].name, 5);
    }
}

static void plain_of_the_test(void *x, void *v, const void *a, size_t n) {
    (void)x, (void)v, (void)a;
    bench_pass_time(2e-6 * (double)n);
}

/* Returns the arrays per axis that a step reads and writes. A kick and drift that are fused across steps read x, v, a and write x, v. */
static double arrays_of(const char *name, double steps) {
    return strncmp(name, "pass/verlet/", 12) == 0         ? 5 + 3 / steps
           : strncmp(name, "pass/two-passes/", 16) == 0   ? 5 + 3
           : strncmp(name, "pass/three-passes/", 18) == 0 ? 3 + 3 + 3
                                                          : 7 + 3 / steps;
}

Test(bench_counters, of_passes_are_bytes) {
    static kdr_bench_pass_row rows[KDR_BENCH_PASS_ROWS];
    kdr_bench_session session = {.failed = false};
    const size_t count = kdr_bench_pass_rows(&session, KDR_BACKEND_SCALAR, rows);
    cr_expect(count == KDR_BENCH_PASS_ROWS);
    size_t held = 0;
    for (size_t n = 0; n < count; ++n) {
        const kdr_bench_memory_pass_unit unit = {"scalar", "f64", plain_of_the_test};
        if (rows[n].count > 16384) {
            continue;
        }
        ++held;
        rows[n].plain = &unit;
        bench_begin();
        kdr_bench_pass(NULL, &rows[n]);
        /* The steps are those of the three timed calls and of the one before them, or passes of as many. */
        const double at = (double)rows[n].count, size = rows[n].real == KDR_F32 ? 4 : 8, steps = 8;
        const bool composed = tally.sweeps > 0;
        const double arrays = arrays_of(rows[n].name, steps), units = 1e-6 * at * steps * (composed ? arrays : 1),
                     bytes = 3 * arrays * at * size;
        cr_expect(composed ? (double)tally.sweeps == 4 * steps * arrays : (double)tally.steps == 4 * steps, "%s: %llu arrays, %llu steps",
                  rows[n].name, (unsigned long long)tally.sweeps, (unsigned long long)tally.steps);
        bench_expect_rates(rows[n].name, "bytes/s", "best", steps * bytes, units);
        bench_expect(rows[n].name, "steps/s", steps / (2e-3 * units));
        bench_expect(rows[n].name, "bytes/step", bytes / at);
        /* A plain pass moves five arrays of one axis in two millionths of a unit. */
        const double plain = 5 * at * size / (2e-6 * at), of_plain = steps * bytes / units / plain;
        bench_expect(rows[n].name, "of_plain", of_plain);
        bench_expect(rows[n].name, "best_of_plain", of_plain);
        bench_expect_count(rows[n].name, 6);
    }
    cr_expect(held == KDR_BENCH_PASS_ROWS / 3);
}

/* The clock advances at each reading. An evaluation begins and ends with one, and so does a call. */
Test(bench_counters, of_the_liquid_are_what_is_between_its_evaluations) {
    kdr_bench_lj_row row;
    kdr_bench_session session = {.failed = false};
    const double look = 0x1p-10;
    cr_assert(kdr_bench_lj_rows(&session, KDR_BACKEND_SCALAR, &row) == 1);
    tally.read_takes = look;
    bench_begin();
    kdr_bench_lj(NULL, &row);
    const double steps = (double)tally.steps / 3, evaluations = steps + 1, looks = 2 * evaluations + 1;
    cr_expect(steps > 0 && steps == floor(steps));
    bench_expect(row.name, "steps/s", steps / (looks * look));
    bench_expect(row.name, "best", 1 / (2 * look));
    bench_expect(row.name, "passes", 1 - evaluations / looks);
    bench_expect(row.name, "best_passes", 0.5);
    bench_expect(row.name, "ns/atom", 1e9 * look / 10000);
    bench_expect(row.name, "sweeps", 1);
    bench_expect_count(row.name, 6);
    tally.read_takes = 0;
}
