/* Long runs: the energy errors of splitting methods on Kepler's problem over 10^7 steps. */
#include "exact.h"
#include "experiments.h"

#include "../kickdrift/progress.h"

#include <math.h>

/* The ensemble is 32 particles at equal distances in phase on one orbit of e = 1/2. Results are means over the ensemble and over MOMENTS
 * times. */
enum { ORBITERS = 32, MOMENTS = 16, APART = 13, STEPS_AN_ORBIT = 256, DECADE = 4 };

static double energy_of(const field_run *l, size_t i) {
    const double x = field_run_x(l, i, 0), y = field_run_x(l, i, 1), vx = field_run_v(l, i, 0), vy = field_run_v(l, i, 1);
    return (vx * vx + vy * vy) / 2 - 1 / sqrt(x * x + y * y);
}

/* Computes the rms of E - E0 divided by |E0| = 1/2, over the particles and the next MOMENTS times. */
static bool look(report *r, field_run *l, const double first[ORBITERS], double *rms) {
    double sum = 0;
    for (int m = 0; m < MOMENTS; ++m) {
        for (size_t i = 0; i < ORBITERS; ++i) {
            const double error = 2 * (energy_of(l, i) - first[i]);
            sum += error * error;
        }
        if (m + 1 < MOMENTS && !report_steps(r, l, APART)) {
            return false;
        }
    }
    *rms = sqrt(sum / (ORBITERS * MOMENTS));
    return true;
}

/* Returns the slope of log rms over log steps, by least squares over the last two decades. */
static double slope_of(const double *steps, const double *rms, int count) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; ++i) {
        if (steps[i] < 0.99e-2 * steps[count - 1]) {
            continue;
        }
        const double x = log(steps[i]), y = log(rms[i]);
        n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* The length of the runs, which all methods share, and the progress bar. */
typedef struct journey {
    int decades;
    progress bar;
    uint64_t done; /* evaluations per particle so far */
} journey;

static bool advance(report *r, field_run *l, uint64_t steps, journey *j) {
    for (uint64_t left = steps; left > 0;) {
        const uint64_t chunk = progress_chunk(&j->bar, left), evaluations = field_run_evaluations(l, chunk);
        const double begun = progress_now();
        if (!report_steps(r, l, chunk)) {
            return false;
        }
        const double seconds = progress_now() - begun;
        left -= chunk;
        j->done += evaluations;
        progress_update(&j->bar, j->done, chunk, seconds, ORBITERS * (double)evaluations / seconds);
    }
    return true;
}

static void measure(report *r, json_t *row, field_run *l, journey *j) {
    enum { MOST = 40 };
    double first[ORBITERS], steps[MOST], rms[MOST] = {0};
    json_t *series = report_series(r, "energy", "", kdr_method_get(l->setting.method)->name);
    for (size_t i = 0; i < ORBITERS; ++i) {
        double x[3], v[3];
        exact_orbit(0.5, 2 * M_PI * (double)i / ORBITERS, x, v);
        field_run_put(l, i, x, v);
        first[i] = energy_of(l, i);
    }
    int count = 0;
    for (int i = 2 * DECADE; i <= j->decades * DECADE; ++i, ++count) {
        const uint64_t due = (uint64_t)round(pow(10, (double)i / DECADE));
        if ((l->clock.step < due && !advance(r, l, due - l->clock.step, j)) || !look(r, l, first, &rms[count])) {
            return;
        }
        steps[count] = (double)due;
        series_point(series, steps[count] / STEPS_AN_ORBIT, rms[count]);
    }
    row_number(row, "early", rms[0]);
    row_number(row, "late", rms[count - 1]);
    row_number(row, "slope", slope_of(steps, rms, count));
}

static bool is_splitting(const kdr_method_info *info) { return info->symplectic && info->family == KDR_SPLITTING; }

/* Returns true for splitting methods, and for RK4 as a comparison. */
static bool is_watched(kdr_method method) { return is_splitting(kdr_method_get(method)) || method == KDR_RK4; }

static void claims(report *r, const json_t *rows) {
    double steepest = -INFINITY;
    const char *name = "none";
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        const double slope = row_get(report_find(rows, kdr_method_get((kdr_method)m)->name), "slope");
        if (is_splitting(kdr_method_get((kdr_method)m)) && !(slope <= steepest)) {
            steepest = slope;
            name = kdr_method_get((kdr_method)m)->name;
        }
    }
    report_claim(
        r, steepest < 0.6, "Theory (Brouwer 1937)",
        "the energy error of a splitting method grows no faster than the square root of time: its own error is bounded, and rounding is a "
        "random walk",
        "over the last two decades of steps the slope in logarithms is %.2f at most (%s); RK4's, which loses energy steadily, is %.2f",
        steepest, name, row_get(report_find(rows, "rk4"), "slope"));
}

void experiment_energy(report *r) {
    static const column columns[] = {{"method", "method"},
                                     {"family", "family"},
                                     {"order", "order"},
                                     {"early", "rms at 100 steps"},
                                     {"late", "rms at the end"},
                                     {"slope", "slope"},
                                     {0}};
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    field_run_setting setting = field_run_on_a_line(&sun, 1, 2 * M_PI / STEPS_AN_ORBIT);
    setting.dims = 2;
    setting.count = ORBITERS;
    setting.arithmetic = field_run_fast_arithmetic();
    journey j = {.decades = r->quick ? 6 : 7};
    uint64_t total = 0;
    for (int m = 0; m < KDR_METHOD_COUNT; ++m) {
        if (is_watched((kdr_method)m)) {
            total += (uint64_t)kdr_method_get((kdr_method)m)->evaluations * (uint64_t)pow(10, j.decades);
        }
    }
    j.bar = progress_begin(total);
    report_about(
        r, r->quick ? "Kepler's problem, e = 1/2, 256 steps an orbit, f64, 10^6 steps; an ensemble of 32 phases. The error is the rms of "
                      "E - E0 over the ensemble and over 16 moments of an orbit, in parts of |E0|."
                    : "Kepler's problem, e = 1/2, 256 steps an orbit, f64, 10^7 steps: 39,000 orbits; an ensemble of 32 phases. The error "
                      "is the rms of E - E0 over the ensemble and over 16 moments of an orbit, in parts of |E0|. RK4 stands beside "
                      "the splittings for comparison.");
    json_t *rows = report_table(r, "energy", "Energy error", columns);
    for (int m = 0; m < KDR_METHOD_COUNT && !r->failed; ++m) {
        if (!is_watched((kdr_method)m)) {
            continue;
        }
        json_t *row = report_method_row(rows, (kdr_method)m);
        field_run l;
        setting.method = (kdr_method)m;
        if (!report_open(r, row, &setting, &l)) {
            continue;
        }
        measure(r, row, &l, &j);
        field_run_close(&l);
    }
    progress_hide(&j.bar);
    claims(r, rows);
}
