/* E7: work against precision on Kepler's problem, e = 1/2, ten orbits. */
#include "exact.h"
#include "experiments.h"

#include <math.h>

enum { ORBITS = 10, SAMPLES = 8, LEVELS = 24, TARGETS = 5 };
static const double eccentricity = 0.5;

/* A level of work. The evaluations per orbit begin with 64 and grow by factors of sqrt 2, rounded so that steps and samples come out
 * whole. */
typedef struct level {
    double evaluations, error; /* evaluations per orbit; largest distance from the exact orbit during the last one */
} level;

static double distance(const field_run *l, int sample) {
    double x[3], v[3];
    exact_orbit(eccentricity, 2 * M_PI * sample / SAMPLES, x, v);
    return hypot(field_run_x(l, 0, 0) - x[0], field_run_x(l, 0, 1) - x[1]);
}

static bool orbit(report *r, const field_run_setting *setting, uint64_t steps, level *found) {
    field_run_setting s = *setting;
    field_run l;
    s.dt = 2 * M_PI / (double)steps;
    if (!report_open(r, NULL, &s, &l)) {
        return false;
    }
    double x[3], v[3];
    exact_orbit(eccentricity, 0, x, v);
    field_run_put(&l, 0, x, v);
    bool good = report_steps(r, &l, (ORBITS - 1) * steps);
    double largest = 0;
    for (int i = 1; good && i <= SAMPLES; ++i) {
        good = report_steps(r, &l, steps / SAMPLES);
        largest = fmax(largest, isfinite(field_run_x(&l, 0, 0)) ? distance(&l, i) : INFINITY);
    }
    *found = (level){(double)(steps * (uint64_t)field_run_method(&l)->evaluations), largest};
    field_run_close(&l);
    return good;
}

/* Returns the evaluations per orbit at which the error first falls below the target, interpolated between levels in logarithms; NaN if it
 * does not. */
static double cost_of(const level *levels, int count, double target) {
    for (int i = 0; i < count; ++i) {
        if (levels[i].error > target || !isfinite(levels[i].error)) {
            continue;
        }
        if (i == 0 || !isfinite(levels[i - 1].error)) {
            return levels[i].evaluations;
        }
        const level a = levels[i - 1], b = levels[i];
        return a.evaluations * pow(b.evaluations / a.evaluations, log(a.error / target) / log(a.error / b.error));
    }
    return NAN;
}

static void measure(report *r, json_t *row, field_run *l, void *context) {
    (void)context;
    const kdr_method_info *info = field_run_method(l);
    json_t *series = report_series(r, "work", "", l->name);
    level levels[LEVELS];
    int count = 0;
    for (int i = 0; i < (r->quick ? LEVELS - 4 : LEVELS); ++i) {
        const double steps = round(64 * pow(2, i / 2.0) / info->evaluations / SAMPLES) * SAMPLES;
        if (steps < SAMPLES || (count > 0 && steps * info->evaluations <= levels[count - 1].evaluations)) {
            continue;
        }
        if (!orbit(r, &l->setting, (uint64_t)steps, &levels[count])) {
            return;
        }
        series_point(series, levels[count].evaluations, levels[count].error);
        ++count;
    }
    for (int i = 1; i <= TARGETS; ++i) {
        char key[32];
        snprintf(key, sizeof key, "cost_1e-%d", 2 * i);
        row_number(row, key, cost_of(levels, count, pow(10, -2 * i)));
    }
}

/* Returns the ratio of the costs of `b` and `a` for an error of 10^-exponent. */
static double cheaper(const json_t *rows, const char *a, const char *b, int exponent) {
    char key[32];
    snprintf(key, sizeof key, "cost_1e-%d", exponent);
    return row_get(report_find(rows, b), key) / row_get(report_find(rows, a), key);
}

/* Returns the row of the cheapest method for an error of 10^-exponent. */
static const json_t *cheapest(const json_t *rows, int exponent) {
    const json_t *best = NULL;
    char key[32];
    snprintf(key, sizeof key, "cost_1e-%d", exponent);
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        const json_t *row = json_array_get(rows, i);
        if (row_get(row, key) > 0 && !(row_get(best, key) <= row_get(row, key))) {
            best = row;
        }
    }
    return best;
}

static void claim_cheapest(report *r, const json_t *rows) {
    const json_t *loose = cheapest(rows, 2), *tight = cheapest(rows, 10);
    const double low = row_get(loose, "order"), high = row_get(tight, "order");
    report_claim(r, low < high && high >= 5, "Theory",
                 "the smaller the error that is asked for, the higher the order that is worth its stages",
                 "an error of 1e-2 is cheapest with %s (order %g), one of 1e-10 with %s (order %g)",
                 json_string_value(json_object_get(loose, "method")), low, json_string_value(json_object_get(tight, "method")), high);
}

void experiment_work(report *r) {
    static const column columns[] = {{"method", "method"},     {"family", "family"},       {"order", "order"},
                                     {"cost_1e-2", "to 1e-2"}, {"cost_1e-4", "to 1e-4"},   {"cost_1e-6", "to 1e-6"},
                                     {"cost_1e-8", "to 1e-8"}, {"cost_1e-10", "to 1e-10"}, {0}};
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    field_run_setting setting = field_run_on_a_line(&sun, 1, 1);
    setting.dims = 2;
    report_about(
        r, "x'' = -x / |x|^3 with e = 1/2 from the perihelion, ten orbits in equal steps, f64. The error is the largest distance from the "
           "exact orbit at eight points of the tenth, in semi-major axes. The table gives evaluations of the acceleration an orbit for "
           "an error below a target, by interpolation; no value: not reached.");
    json_t *rows = report_table(r, "cost", "Evaluations an orbit", columns);
    report_methods(r, rows, setting, measure, NULL);
    report_composed(r, rows, setting, measure, NULL);
    if (report_find(rows, "blanes-moan-6b")) {
        report_claim(r, cheaper(rows, "blanes-moan-6b", "pefrl", 8) > 1.2 && cheaper(rows, "pefrl", "forest-ruth", 8) > 1.2, "Theory",
                     "among splittings of order 4 the leading error constants put blanes-moan-6b before PEFRL before Forest-Ruth",
                     "for an error of 1e-8 PEFRL needs %.3g times the evaluations of blanes-moan-6b, Forest-Ruth %.3g times those of PEFRL",
                     cheaper(rows, "blanes-moan-6b", "pefrl", 8), cheaper(rows, "pefrl", "forest-ruth", 8));
        report_claim(r, cheaper(rows, "pefrl", "rk4", 8) > 1.05 && cheaper(rows, "blanes-moan-11b", "rk4", 8) > 2, "Fiedler",
                     "higher-order symplectic methods beat RK4 on orbits",
                     "for an error of 1e-8 RK4 needs %.3g times the evaluations of PEFRL, %.3g times those of blanes-moan-11b",
                     cheaper(rows, "pefrl", "rk4", 8), cheaper(rows, "blanes-moan-11b", "rk4", 8));
    }
    claim_cheapest(r, rows);
}
