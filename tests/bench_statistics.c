/* The statistics of the benchmark: intervals and the rank test have known values, losses that are planted in synthetic measurements are
 * found, and none is found between equal ones. The watch of the machine is held to files like those of /proc. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quiet.h"
#include "statistics.h"

enum { ROWS = 44, REPETITIONS = 20 };

static uint64_t state;

/* Returns a number in (0, 1), the same on every machine. */
static double draw(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

/* Returns a rate with 1 % of normal noise. A tenth of the repetitions are slower by up to 20 %, as on a machine that is disturbed. */
static double noisy(double rate) {
    const double normal = sqrt(-2 * log(draw())) * cos(6.283185307179586 * draw());
    const double disturbed = draw() < 0.1 ? 1 - 0.2 * draw() : 1;
    return rate * (1 + 0.01 * normal) * disturbed;
}

/* Compares two synthetic results whose row 7 differs by a factor. Returns how many rows are claimed as losses, and whether row 7 is. */
static int claims(double factor, double limit, bool *planted) {
    int count = 0;
    for (int row = 0; row < ROWS; ++row) {
        double a[REPETITIONS], b[REPETITIONS];
        kdr_bench_ratio ratio;
        for (int i = 0; i < REPETITIONS; ++i) {
            a[i] = noisy(1e9 * (row + 1));
            b[i] = noisy(1e9 * (row + 1) * (row == 7 ? factor : 1));
        }
        cr_assert(kdr_bench_compare_values(a, REPETITIONS, b, REPETITIONS, &ratio));
        const bool loss = kdr_bench_is_loss(&ratio, limit, ROWS);
        count += loss;
        *planted = row == 7 ? loss : *planted;
    }
    return count;
}

Test(bench_statistics, a_planted_loss_of_5_percent_is_found) {
    int found = 0, others = 0;
    state = 56;
    for (int i = 0; i < 10; ++i) {
        bool planted = false;
        others += claims(0.95, 0.97, &planted) - planted;
        found += planted;
    }
    cr_expect_geq(found, 9, "found in %d of 10 tries", found);
    cr_expect_eq(others, 0, "%d rows that are equal were claimed", others);
}

Test(bench_statistics, equal_builds_have_no_loss) {
    int claimed = 0;
    bool planted = false;
    state = 57;
    for (int i = 0; i < 20; ++i) {
        cr_expect_eq(claims(1, 0.97, &planted), 0, "try %d", i);
    }
    /* Without a limit a claim is expected in one of a hundred tries. */
    for (int i = 0; i < 200; ++i) {
        claimed += claims(1, 1, &planted) > 0;
    }
    cr_expect_leq(claimed, 6, "%d of 200 tries", claimed);
}

Test(bench_statistics, a_loss_within_the_limit_or_a_gain_is_no_loss) {
    bool planted = false;
    state = 58;
    cr_expect_eq(claims(0.99, 0.97, &planted), 0);
    cr_expect_eq(claims(1.2, 0.97, &planted), 0);
}

Test(bench_statistics, medians_have_exact_intervals) {
    static const double values[] = {9, 1, 8, 2, 7, 3, 6, 4, 5, 10};
    kdr_bench_summary found = kdr_bench_summarise(values, 10);
    cr_expect(found.median == 5.5 && found.low == 2 && found.high == 9, "%g in %g to %g", found.median, found.low, found.high);
    cr_expect_float_eq(kdr_bench_spread(&found), 3.5 / 5.5, 1e-12);
    found = kdr_bench_summarise(values, 6); /* of 1, 2, 3, 7, 8, 9 */
    cr_expect(found.median == 5 && found.low == 1 && found.high == 9);
    found = kdr_bench_summarise(values, 5);
    cr_expect(found.median == 7 && isnan(found.low) && isinf(kdr_bench_spread(&found)));
    cr_expect(isnan(kdr_bench_summarise(values, 0).median));
}

/* Thousands of values have an interval too, as the calibrations of a long run. */
Test(bench_statistics, many_values_have_an_interval) {
    enum { MANY = 8800 };
    static double values[MANY];
    for (size_t count = 990; count <= MANY; count = count < 1010 ? count + 1 : count + 1300) {
        for (size_t i = 0; i < count; ++i) {
            values[i] = (double)i;
        }
        const kdr_bench_summary found = kdr_bench_summarise(values, count);
        const double half = 0.98 * sqrt((double)count);
        cr_expect_float_eq(found.median, ((double)count - 1) / 2, 1e-9);
        cr_expect(fabs(found.median - found.low - half) < 2 && fabs(found.high - found.median - half) < 2, "%zu values: %g to %g", count,
                  found.low, found.high);
    }
}

/* The interval of a median covers it in 95 % of samples or a little more. */
Test(bench_statistics, intervals_cover_the_median) {
    enum { SAMPLES = 4000, SIZE = 25 };
    int covered = 0;
    state = 59;
    for (int i = 0; i < SAMPLES; ++i) {
        double values[SIZE];
        for (int k = 0; k < SIZE; ++k) {
            values[k] = draw();
        }
        const kdr_bench_summary found = kdr_bench_summarise(values, SIZE);
        covered += found.low <= 0.5 && found.high >= 0.5;
    }
    cr_expect(covered >= 0.94 * SAMPLES && covered <= 0.975 * SAMPLES, "%d of %d", covered, SAMPLES);
}

Test(bench_statistics, the_rank_test_has_known_values) {
    static const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12}, same[] = {1, 1, 1, 1, 1, 1};
    kdr_bench_ratio found;
    cr_assert(kdr_bench_compare_values(a, 6, b, 6, &found)); /* U = 0; z = (18 - 1/2) / sqrt(39) */
    cr_expect_float_eq(found.chance, erfc(17.5 / sqrt(39) / sqrt(2)), 1e-12);
    cr_assert(kdr_bench_compare_values(same, 6, same, 6, &found));
    cr_expect(found.chance == 1 && found.ratio == 1 && found.low == 1 && found.high == 1);
    cr_assert(kdr_bench_compare_values(a, 1, b, 6, &found));
    cr_expect(isnan(found.low) && found.ratio == 9.5 && !kdr_bench_is_loss(&found, 1, 1));
}

static void put(const char *folder, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

Test(bench_statistics, a_machine_that_is_not_quiet_is_marked) {
    static const struct {
        const char *load, *stat;
        double slowest;
        const char *reason; /* NULL: quiet */
    } cases[] = {
        {"0.10 0.1 0.1 1/100 9\n", "cpu  1000 0 0 12000 0 0 0 0\n", 1, NULL},
        {"0.90 0.1 0.1 1/100 9\n", "cpu  1000 0 0 12000 0 0 0 0\n", 1, "the load average was 0.90"},
        {"0.10 0.1 0.1 1/100 9\n", "cpu  1000 0 0 11500 0 0 0 500\n", 1, "the host took 25.0 %"},
        {"0.10 0.1 0.1 1/100 9\n", "cpu  1500 0 500 11000 0 0 0 0\n", 1, "other processes took"},
        {"0.10 0.1 0.1 1/100 9\n", "cpu  1000 0 0 12000 0 0 0 0\n", 0.9, "the calibration's median was 90.0 %"},
        {NULL, NULL, 1, NULL},
    };
    char folder[] = "/tmp/kickdrift-proc-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        kdr_bench_quiet quiet;
        const double rates[] = {1e9, 1e9 * cases[i].slowest, 1e9 * cases[i].slowest};
        put(folder, "loadavg", cases[i].load ? cases[i].load : "");
        put(folder, "stat", cases[i].stat ? "cpu  1000 0 0 10000 0 0 0 0\n" : "");
        kdr_bench_quiet_begin(&quiet, folder);
        put(folder, "stat", cases[i].stat ? cases[i].stat : "");
        kdr_bench_quiet_end(&quiet, rates, 3);
        cr_expect_eq(quiet.reason_count, cases[i].reason != NULL, "case %zu: %zu reasons: %s", i, quiet.reason_count, quiet.reasons[0]);
        cr_expect(!cases[i].reason || strncmp(quiet.reasons[0], cases[i].reason, strlen(cases[i].reason)) == 0, "%s", quiet.reasons[0]);
    }
    for (int i = 0; i < 2; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, i ? "stat" : "loadavg");
        remove(path);
    }
    rmdir(folder);
}
