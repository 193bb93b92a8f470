/* E2: a spring with a damper, k = 15, b = 0.1, from rest at 1000. */
#include "exact.h"
#include "experiments.h"

#include <math.h>

static const double k = 15, b = 0.1, x0 = 1000, h = 0.01;
enum { STEPS = 9000, EVERY = 25 };

static double energy(double x, double v) { return v * v / 2 + k * x * x / 2; }

/* Measures the error of x divided by the amplitude of the exact solution at that time, and the energy divided by the exact one. */
static void measure(report *r, json_t *row, field_run *l, void *context) {
    (void)context;
    const char *name = kdr_method_get(l->setting.method)->name;
    json_t *position = report_series(r, "position", "", name), *energies = report_series(r, "energy", "", name);
    double largest = 0, last = 0;
    field_run_start(l, x0);
    for (int n = 0; n <= STEPS; ++n) {
        const double t = field_run_time(l), x = field_run_x(l, 0, 0), v = field_run_v(l, 0, 0);
        double exact_v;
        const double exact_x = exact_spring(k, b, 1, x0, t, &exact_v);
        largest = fmax(largest, fabs(x - exact_x) / (x0 * exp(-b / 2 * t)));
        last = energy(x, v) / energy(exact_x, exact_v);
        if (n % EVERY == 0) {
            series_point(energies, t, energy(x, v) / energy(x0, 0));
        }
        if (n % 5 == 0 && n <= 1000) {
            series_point(position, t, x);
        }
        if (n < STEPS && !report_steps(r, l, 1)) {
            return;
        }
    }
    row_number(row, "error", largest);
    row_number(row, "energy", energy(field_run_x(l, 0, 0), field_run_v(l, 0, 0)) / energy(x0, 0));
    row_number(row, "energy_ratio", last);
}

static void exact_series(report *r) {
    json_t *position = report_series(r, "position", "", "exact"), *energies = report_series(r, "energy", "", "exact");
    for (int n = 0; n <= STEPS; ++n) {
        double v;
        const double x = exact_spring(k, b, 1, x0, n * h, &v);
        if (n % EVERY == 0) {
            series_point(energies, n * h, energy(x, v) / energy(x0, 0));
        }
        if (n % 5 == 0 && n <= 1000) {
            series_point(position, n * h, x);
        }
    }
}

void experiment_damped(report *r) {
    static const column columns[] = {{"method", "method"},
                                     {"family", "family"},
                                     {"order", "order"},
                                     {"error", "largest error / amplitude"},
                                     {"energy", "E / E0 at 90 s"},
                                     {"energy_ratio", "E / exact E at 90 s"},
                                     {0}};
    const kdr_force forces[] = {kdr_force_spring(k, 0, 0, 0), kdr_force_drag(b, 0, 0, 0)};
    report_about(
        r, "x'' = -15 x - 0.1 x' from rest at x = 1000, mass 1, h = 0.01, for 90 s, against the closed form. The exact energy falls to "
           "e^-9 of what it was. Explicit Euler multiplies the amplitude by sqrt(1 - h b + h^2 k) a step, which is more than 1 "
           "as soon as h exceeds b / k = 0.0067: the damper cannot keep up with what the method feeds in.");
    json_t *rows = report_table(r, "methods", "Every method that accepts drag, h = 0.01, 90 s", columns);
    report_methods(r, rows, field_run_on_a_line(forces, 2, h), measure, NULL);
    exact_series(r);
    const json_t *euler = report_find(rows, "explicit-euler"), *kick = report_find(rows, "semi-implicit-euler");
    const json_t *rk4 = report_find(rows, "rk4");
    const double gain = pow(1 - h * b + h * h * k, STEPS);
    report_claim(r, row_get(euler, "energy") > 1, "Fiedler", "explicit Euler gains energy although the spring is damped",
                 "after 90 s it has %.3g times its first energy (the theory says %.3g) where the exact solution has %.2g",
                 row_get(euler, "energy"), gain, exp(-b * 90));
    report_claim(r, fabs(row_get(kick, "energy_ratio") - 1) < 0.1 && fabs(row_get(rk4, "energy_ratio") - 1) < 1e-3, "Fiedler",
                 "semi-implicit Euler and RK4 follow the closed form",
                 "energies after 90 s are %.4g and %.9g of the exact one; positions are off by up to %.2g and %.2g of the amplitude",
                 row_get(kick, "energy_ratio"), row_get(rk4, "energy_ratio"), row_get(kick, "error"), row_get(rk4, "error"));
}
