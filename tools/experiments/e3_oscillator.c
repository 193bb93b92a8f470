/* E3: the undamped oscillator, k = 15, for 90 s: the errors of amplitude and of phase. */
#include "experiments.h"
#include "limits.h"

#include <math.h>

static const double k = 15, x0 = 1000, end = 90;

/* The state (x, -v / omega) = amplitude (cos phase, sin phase), compared with the exact cos omega t and sin omega t. The phase is followed
 * from step to step, so that whole turns count. */
typedef struct rotation {
    double omega, phase; /* phase: radians ahead of the exact solution */
    double squares;      /* sum of squared amplitude errors */
    int counted;
    double low, high;
} rotation;

static double follow(rotation *f, double t, double x, double v) {
    const double c = cos(f->omega * t), s = sin(f->omega * t), y = -v / f->omega;
    const double ahead = atan2(y * c - x * s, x * c + y * s);
    f->phase = ahead + 2 * M_PI * round((f->phase - ahead) / (2 * M_PI));
    const double amplitude = hypot(x, y) / x0;
    if (t >= end - 10 - 1e-9) {
        f->low = f->counted ? fmin(f->low, amplitude) : amplitude;
        f->high = f->counted ? fmax(f->high, amplitude) : amplitude;
        f->squares += amplitude * amplitude;
        ++f->counted;
    }
    return amplitude;
}

static void measure(report *r, json_t *row, field_run *l, void *context) {
    const char *panel = context, *name = l->name;
    json_t *position = report_series(r, "position", panel, name), *energy = report_series(r, "energy", panel, name);
    json_t *phase = report_series(r, "phase", panel, name);
    rotation f = {.omega = sqrt(k)};
    double amplitude = 1;
    const int steps = (int)round(end / l->setting.dt);
    field_run_start(l, x0);
    for (int n = 0; n <= steps; ++n) {
        const double t = field_run_time(l);
        amplitude = follow(&f, t, field_run_x(l, 0, 0), field_run_v(l, 0, 0));
        if (t < 6.01) {
            series_point(position, t, field_run_x(l, 0, 0));
        }
        if (n % 2 == 0) {
            series_point(energy, t, amplitude * amplitude);
            series_point(phase, t, f.phase);
        }
        if (n < steps && !report_steps(r, l, 1)) {
            return;
        }
    }
    row_number(row, "amplitude", amplitude);
    row_number(row, "amplitude_mean", sqrt(f.squares / f.counted));
    row_number(row, "amplitude_low", f.low);
    row_number(row, "amplitude_high", f.high);
    row_number(row, "phase", f.phase);
    double limit;
    if (limit_measure(r, row, &(limit_problem){.method = l->setting.method, .compose = l->setting.compose, .mass = 1, .dt = 1}, &limit)) {
        row_number(row, "limit", limit);
    }
    row_count(row, "evaluations", (uint64_t)field_run_method(l)->evaluations);
}

static json_t *at_step(report *r, double h, const char *name, const char *title) {
    static const column columns[] = {{"method", "method"},
                                     {"family", "family"},
                                     {"order", "order"},
                                     {"amplitude", "amplitude at 90 s"},
                                     {"amplitude_mean", "rms of the last 10 s"},
                                     {"amplitude_low", "lowest there"},
                                     {"amplitude_high", "highest there"},
                                     {"phase", "phase error at 90 s, rad"},
                                     {"limit", "stable to omega h"},
                                     {"evaluations", "evaluations"},
                                     {0}};
    const kdr_force spring = kdr_force_spring(k, 0, 0, 0);
    char panel[32];
    snprintf(panel, sizeof panel, "h = %g", h);
    json_t *rows = report_table(r, name, title, columns);
    report_methods(r, rows, field_run_on_a_line(&spring, 1, h), measure, panel);
    report_composed(r, rows, field_run_on_a_line(&spring, 1, h), measure, panel);
    json_t *position = report_series(r, "position", panel, "exact");
    for (int i = 0; i <= 600; ++i) {
        series_point(position, i * 0.01, x0 * cos(sqrt(k) * i * 0.01));
    }
    return rows;
}

static void claims(report *r, const json_t *rows, double h) {
    const json_t *kick = report_find(rows, "semi-implicit-euler"), *rk4 = report_find(rows, "rk4");
    const double low = row_get(kick, "amplitude_low"), high = row_get(kick, "amplitude_high");
    report_claim(r, low > 0.5 && low < 1 && high > 1 && high < 2 && fabs(row_get(kick, "phase")) > 1, "Fiedler",
                 "semi-implicit Euler keeps its energy on average and drifts in phase",
                 "h = %g: in the last 10 s the amplitude swings between %.3f and %.3f of the first; the phase is %.3f rad off, %.2f turns",
                 h, low, high, row_get(kick, "phase"), row_get(kick, "phase") / (2 * M_PI));
    const double z = sqrt(k) * h;
    report_claim(r, row_get(rk4, "amplitude") < 0.999 && fabs(row_get(rk4, "phase")) < 0.2 * fabs(row_get(kick, "phase")), "Fiedler",
                 "RK4 keeps the phase and loses energy",
                 "h = %g: the amplitude falls to %.4g, the energy to %.4g (the theory says %.4g); the phase is %.3f rad off", h,
                 row_get(rk4, "amplitude"), row_get(rk4, "amplitude") * row_get(rk4, "amplitude"),
                 pow(1 - pow(z, 6) / 72 + pow(z, 8) / 576, round(end / h)), row_get(rk4, "phase"));
}

void experiment_oscillator(report *r) {
    report_about(
        r, "x'' = -15 x from rest at x = 1000, mass 1, for 90 s: 55 periods, of 16 steps at h = 0.1 and of 6.5 at h = 0.25. Amplitude "
           "and phase are those of the rotation (x, -v / omega), as parts of the first amplitude and in radians ahead of the exact "
           "solution, whole turns included. A symplectic method's points lie on an ellipse, so that its amplitude swings within each "
           "period: its lowest and highest values of the last 10 s are given too.");
    claims(r, at_step(r, 0.1, "h=0.1", "Every method, h = 0.1, omega h = 0.387"), 0.1);
    claims(r, at_step(r, 0.25, "h=0.25", "Every method, h = 0.25, omega h = 0.968"), 0.25);
}
