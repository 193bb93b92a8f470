/* Experiment on compensated state: RK4 in float on Kepler's problem over 10^5 steps, with and without compensation. */
#include "exact.h"
#include "experiments.h"

#include <math.h>

/* The ensemble is 32 particles at equal distances in phase on one orbit of e = 1/2. */
enum { ORBITERS = 32, STEPS_AN_ORBIT = 512, DECADE = 4, DECADES = 5, LOOKS = (DECADES - 2) * DECADE + 1 };

typedef struct orbit_run {
    const char *name;
    kdr_real real;
    bool compensated;
    double x[LOOKS][ORBITERS][2], v[LOOKS][ORBITERS][2];
} orbit_run;

static double energy_of(const double x[2], const double v[2]) { return (v[0] * v[0] + v[1] * v[1]) / 2 - 1 / hypot(x[0], x[1]); }

static uint64_t due(int look) { return (uint64_t)round(pow(10, 2 + (double)look / DECADE)); }

static bool go(report *r, json_t *row, orbit_run *made, const field_run_setting *setting) {
    field_run_setting s = *setting;
    field_run l;
    s.real = made->real;
    s.compensated = made->compensated;
    if (!report_open(r, row, &s, &l)) {
        return false;
    }
    for (size_t i = 0; i < ORBITERS; ++i) {
        double x[3], v[3];
        exact_orbit(0.5, 2 * M_PI * (double)i / ORBITERS, x, v);
        for (int axis = 0; axis < 2; ++axis) { /* all runs begin with numbers that float represents exactly */
            x[axis] = (double)(float)x[axis];
            v[axis] = (double)(float)v[axis];
        }
        field_run_put(&l, i, x, v);
    }
    bool good = true;
    for (int n = 0; good && n < LOOKS; ++n) {
        good = report_steps(r, &l, due(n) - l.clock.step);
        for (size_t i = 0; i < ORBITERS; ++i) {
            for (int axis = 0; axis < 2; ++axis) {
                made->x[n][i][axis] = field_run_x(&l, i, axis);
                made->v[n][i][axis] = field_run_v(&l, i, axis);
            }
        }
    }
    field_run_close(&l);
    return good;
}

/* Computes how far a run is from the same method in double: rms over the ensemble of the position, and of the energy divided by 1/2. */
static void compare(report *r, json_t *row, const orbit_run *a, const orbit_run *exact) {
    json_t *series[2] = {report_series(r, "loss", "position", a->name), report_series(r, "loss", "energy", a->name)};
    double rms[2] = {0, 0};
    for (int n = 0; n < LOOKS; ++n) {
        double sum[2] = {0, 0};
        for (int i = 0; i < ORBITERS; ++i) {
            const double away = hypot(a->x[n][i][0] - exact->x[n][i][0], a->x[n][i][1] - exact->x[n][i][1]);
            const double energy = 2 * (energy_of(a->x[n][i], a->v[n][i]) - energy_of(exact->x[n][i], exact->v[n][i]));
            sum[0] += away * away;
            sum[1] += energy * energy;
        }
        for (int k = 0; k < 2; ++k) {
            rms[k] = sqrt(sum[k] / ORBITERS);
            series_point(series[k], (double)due(n), rms[k]);
        }
    }
    row_number(row, "position", rms[0]);
    row_number(row, "energy", rms[1]);
}

void experiment_compensation(report *r) {
    static const column columns[] = {{"run", "run"}, {"position", "position lost"}, {"energy", "energy lost"}, {0}};
    static orbit_run exact = {"f64", KDR_F64, false, {{{0}}}, {{{0}}}};
    static orbit_run runs[] = {{"f32", KDR_F32, false, {{{0}}}, {{{0}}}}, {"f32 compensated", KDR_F32, true, {{{0}}}, {{{0}}}}};
    const kdr_force sun = kdr_force_centre(1, 0, 0, 0, 0);
    field_run_setting setting = field_run_on_a_line(&sun, 1, 2 * M_PI / STEPS_AN_ORBIT);
    setting.method = KDR_RK4;
    setting.dims = 2;
    setting.count = ORBITERS;
    setting.reference = true;
    report_about(
        r, "RK4 on Kepler's problem, e = 1/2, 512 steps an orbit, 10^5 steps (195 orbits), an ensemble of 32 phases that begin at numbers "
           "of float. What float loses is the distance from the same method in double: of the position, in semi-major axes, and "
           "of the energy, in parts of |E0|; rms over the ensemble.");
    json_t *rows = report_table(r, "loss", "What is lost against double after 10^5 steps", columns);
    json_t *row[2];
    bool good = go(r, NULL, &exact, &setting);
    for (int i = 0; good && i < 2; ++i) {
        row[i] = report_row(rows);
        row_text(row[i], "run", runs[i].name);
        good = go(r, row[i], &runs[i], &setting);
        if (good) {
            compare(r, row[i], &runs[i], &exact);
        }
    }
    if (good) {
        report_claim(
            r, row_get(row[0], "position") > 10 * row_get(row[1], "position") && row_get(row[0], "energy") > 10 * row_get(row[1], "energy"),
            "Kahan 1965", "carrying what rounding takes from the state makes float lose far less",
            "after 10^5 steps %.2g times less of the position (%.2g in place of %.2g) and %.2g times less of the energy (%.2g in place of "
            "%.2g)",
            row_get(row[0], "position") / row_get(row[1], "position"), row_get(row[1], "position"), row_get(row[0], "position"),
            row_get(row[0], "energy") / row_get(row[1], "energy"), row_get(row[1], "energy"), row_get(row[0], "energy"));
    }
}
