/* E1: ten seconds of constant acceleration from rest. */
#include "experiments.h"

#include <math.h>
#include <string.h>

static const double exact = 500; /* the exact result: 10 t^2 / 2 after ten seconds */

/* Repeats the table that the source prints, by explicit Euler with steps of one second. */
static void steps_of_a_second(report *r, const kdr_force *force) {
    static const column columns[] = {{"t", "t"}, {"v", "v"}, {"x", "x"}, {"exact", "exact x"}, {0}};
    static const double claimed[11] = {0, 0, 10, 30, 60, 100, 150, 210, 280, 360, 450};
    json_t *rows = report_table(r, "steps", "Explicit Euler, h = 1", columns);
    field_run_setting setting = field_run_on_a_line(force, 1, 1);
    field_run l;
    setting.method = KDR_EXPLICIT_EULER;
    bool same = true;
    json_t *first = report_row(rows);
    if (!report_open(r, first, &setting, &l)) {
        return;
    }
    for (int i = 0; i <= 10; ++i) {
        json_t *row = i == 0 ? first : report_row(rows);
        row_number(row, "t", i);
        row_number(row, "v", field_run_v(&l, 0, 0));
        row_number(row, "x", field_run_x(&l, 0, 0));
        row_number(row, "exact", 5.0 * i * i);
        same = same && field_run_x(&l, 0, 0) == claimed[i];
        if (i < 10 && !report_steps(r, &l, 1)) {
            break;
        }
    }
    report_claim(r, same, "Fiedler",
                 "explicit Euler with h = 1 goes through 0 0 10 30 60 100 150 210 280 360 450, and the exact answer is 500",
                 "x = %g after 10 s; %s", field_run_x(&l, 0, 0), same ? "every step as printed" : "the table differs");
    field_run_close(&l);
}

/* Measures a thousand steps of 0.01 s in float. */
static void float_steps(report *r, const kdr_force *force) {
    static const column columns[] = {{"arithmetic", "arithmetic"}, {"x", "x as %f"}, {"v", "v as %f"}, {0}};
    json_t *rows = report_table(r, "float", "Explicit Euler in float, h = 0.01f, 1000 steps", columns);
    for (int a = 0; a < KDR_ARITHMETIC_COUNT; ++a) {
        field_run_setting setting = field_run_on_a_line(force, 1, (double)0.01F);
        setting.method = KDR_EXPLICIT_EULER;
        setting.real = KDR_F32;
        setting.arithmetic = (kdr_arithmetic)a;
        json_t *row = report_row(rows);
        field_run l;
        row_text(row, "arithmetic", kdr_arithmetic_name(setting.arithmetic));
        if (!report_open(r, row, &setting, &l)) {
            return;
        }
        char x[32] = "", v[32] = "";
        if (report_steps(r, &l, 1000)) {
            snprintf(x, sizeof x, "%f", field_run_x(&l, 0, 0));
            snprintf(v, sizeof v, "%f", field_run_v(&l, 0, 0));
        }
        row_text(row, "x", x);
        row_text(row, "v", v);
        report_claim(r, strcmp(x, "499.497070") == 0 && strcmp(v, "99.999046") == 0, "Fiedler",
                     "in float with h = 0.01 a thousand steps end at x = 499.497070 and v = 99.999046", "%s arithmetic: x = %s, v = %s",
                     kdr_arithmetic_name(setting.arithmetic), x, v);
        field_run_close(&l);
    }
}

static void measure(report *r, json_t *row, field_run *l, void *context) {
    (void)context;
    json_t *series = report_series(r, "fall", "h = 1", kdr_method_get(l->setting.method)->name);
    for (int i = 0; i <= 10; ++i) {
        series_point(series, i, field_run_x(l, 0, 0));
        if (i < 10 && !report_steps(r, l, 1)) {
            return;
        }
    }
    row_number(row, "x", field_run_x(l, 0, 0));
    row_number(row, "error", field_run_x(l, 0, 0) - exact);
    row_number(row, "v", field_run_v(l, 0, 0));
}

void experiment_acceleration(report *r) {
    static const column columns[] = {
        {"method", "method"}, {"family", "family"}, {"order", "order"}, {"x", "x"}, {"error", "x - 500"}, {"v", "v"}, {0}};
    const kdr_force force = kdr_force_uniform_acceleration(10, 0, 0);
    report_about(
        r, "x'' = 10 from rest, mass 1, for ten seconds. The methods of first order that step by one velocity a step, explicit "
           "or implicit, miss the exact 500 by a multiple of h. Every method of second or higher order is exact but for rounding, and "
           "so are suvat and the sum of contributions, of first order elsewhere, which take the acceleration for constant.");
    steps_of_a_second(r, &force);
    float_steps(r, &force);
    report_methods(r, report_table(r, "methods", "Every method, h = 1, after ten seconds", columns), field_run_on_a_line(&force, 1, 1),
                   measure, NULL);
    json_t *series = report_series(r, "fall", "h = 1", "exact");
    for (int i = 0; i <= 40; ++i) {
        series_point(series, i / 4.0, 5 * (i / 4.0) * (i / 4.0));
    }
}
