/* E4: VDrift's oscillating springs, m = 250, A = 0.5, h = 0.1. */
#include "experiments.h"

#include <math.h>
#include <string.h>

enum { SPRINGS = 4, STEPS = 2000 };
static const double stiffness[SPRINGS] = {200, 1e4, 1e5, 1e6}, mass = 250, amplitude = 0.5, h = 0.1;

static const char *panel_of(int i, char text[32]) {
    snprintf(text, 32, "k = %g", stiffness[i]);
    return text;
}

/* The amplitude, in units of the first, at which a run counts as unstable. Just below its limit, a method's ellipse is 20 times as high as
 * wide. */
static const double far = 100;

typedef struct measured_spring {
    json_t *series;
    double most[2], phase[2], omega, now; /* over the first 20 s, and over 200 s */
    double off;                           /* the largest deviation of the amplitude from the first one in 20 s */
    bool lost;
} measured_spring;

static void look(measured_spring *s, double t, double x, double v) {
    const double c = cos(s->omega * t), y = sin(s->omega * t), u = -v / s->omega;
    const double size = hypot(x, u) / amplitude, ahead = atan2(u * c - x * y, x * c + u * y);
    s->lost = s->lost || !(size < far);
    if (!s->lost) {
        s->now = ahead + 2 * M_PI * round((s->now - ahead) / (2 * M_PI));
    }
    for (int span = t > 20 + 1e-9 ? 1 : 0; span < 2; ++span) {
        s->most[span] = !(size <= s->most[span]) ? size : s->most[span];
        s->off = span == 0 ? fmax(s->off, fabs(size - 1)) : s->off;
        /* a phase that changes by more than half a turn per step cannot be followed */
        s->phase[span] = s->lost || s->omega * h > M_PI ? NAN : s->now;
    }
    if (t < 20 + 1e-9 && size < 1e6) {
        series_point(s->series, t, x);
    }
}

/* Writes one row per spring; `row` is that of the first. */
static void record(json_t *rows, json_t *row, const field_run *l, const measured_spring *s, int i) {
    if (i > 0) {
        row = report_method_row(rows, l->setting.method);
    }
    row_number(row, "k", stiffness[i]);
    row_number(row, "z", s->omega * h);
    row_flag(row, "bounded", !s->lost);
    row_number(row, "off_20", s->off);
    row_number(row, "most_20", s->most[0]);
    row_number(row, "most_200", s->most[1]);
    row_number(row, "amplitude", s->lost ? NAN : hypot(field_run_x(l, (size_t)i, 0), field_run_v(l, (size_t)i, 0) / s->omega) / amplitude);
    row_number(row, "phase_20", s->phase[0]);
    row_number(row, "phase_200", s->phase[1]);
}

static void measure(report *r, json_t *row, field_run *l, void *context) {
    measured_spring springs[SPRINGS] = {{0}};
    char text[32];
    for (int i = 0; i < SPRINGS; ++i) {
        springs[i].omega = sqrt(stiffness[i] / mass);
        springs[i].series = report_series(r, "position", panel_of(i, text), kdr_method_get(l->setting.method)->name);
    }
    field_run_start(l, amplitude);
    for (int n = 0; n <= STEPS; ++n) {
        for (int i = 0; i < SPRINGS; ++i) {
            look(&springs[i], field_run_time(l), field_run_x(l, (size_t)i, 0), field_run_v(l, (size_t)i, 0));
        }
        if (n < STEPS && !report_steps(r, l, 1)) {
            return;
        }
    }
    for (int i = 0; i < SPRINGS; ++i) {
        record(context, row, l, &springs[i], i);
    }
}

static const json_t *row_at(const json_t *rows, const char *method, double k) {
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        const json_t *row = json_array_get(rows, i);
        if (strcmp(json_string_value(json_object_get(row, "method")), method) == 0 && row_get(row, "k") == k) {
            return row;
        }
    }
    return NULL;
}

static void claims(report *r, const json_t *rows) {
    static const char *const ranked[] = {"velocity-verlet", "rk4", "semi-implicit-euler", "explicit-euler"}; /* ranks 1 to 4 */
    double off[4];
    for (int i = 0; i < 4; ++i) {
        off[i] = row_get(row_at(rows, ranked[i], 1e4), "off_20");
    }
    report_claim(r, off[0] < off[1] && off[1] < off[2] && off[2] < off[3], "VDrift",
                 "oscillating springs rank Verlet 1, RK4 2, NSV 3, Euler 4",
                 "k = 10,000: by how far the amplitude is off in 20 s, %.2g, %.2g, %.2g and %.2g; after 200 s %.2g of RK4's is left",
                 off[0], off[1], off[2], off[3], row_get(row_at(rows, "rk4", 1e4), "amplitude"));
    const json_t *kick = row_at(rows, "semi-implicit-euler", 1e5);
    const double growth = row_get(kick, "most_200") / row_get(kick, "most_20");
    report_claim(r, growth > 9.8 && growth < 10.2, "Analysis",
                 "at omega h = 2 semi-implicit Euler's swing grows with time, not exponentially",
                 "k = 1e5: it reaches %.0f times the first amplitude in 20 s, %.0f times in 200 s", row_get(kick, "most_20"),
                 row_get(kick, "most_200"));
}

void experiment_spring(report *r) {
    static const column columns[] = {{"method", "method"},
                                     {"family", "family"},
                                     {"order", "order"},
                                     {"k", "k"},
                                     {"z", "omega h"},
                                     {"bounded", "bounded"},
                                     {"off_20", "amplitude off in 20 s"},
                                     {"most_20", "most in 20 s"},
                                     {"most_200", "most in 200 s"},
                                     {"amplitude", "amplitude at 200 s"},
                                     {"phase_20", "phase error at 20 s, rad"},
                                     {"phase_200", "at 200 s"},
                                     {0}};
    kdr_force force = kdr_force_spring(0, 0, 0, 0);
    force.as.spring.k_each = stiffness;
    force.as.spring.count = SPRINGS;
    field_run_setting setting = field_run_on_a_line(&force, 1, h);
    setting.count = SPRINGS;
    setting.mass = mass;
    report_about(
        r, "An undamped spring, m = 250, released at 0.5, h = 0.1, for 20 s and 200 s. The four stiffnesses make omega h = 0.089, 0.632, "
           "exactly 2, and 6.32. At 2 the methods of Verlet and semi-implicit Euler stand on their limit: their matrix has the double "
           "eigenvalue -1, and the swing grows by a constant a step, not by a factor. At 6.32, beyond the limit of every explicit "
           "method, what stays bounded is implicit, or has come upon a further interval of stability (blanes-moan-11b has one, between "
           "a narrow gap at pi and 6.35). Amplitudes are parts of the first one; a run is called bounded when it stays within 100 "
           "times it.");
    json_t *rows = report_table(r, "methods", "Every method and stiffness", columns);
    report_methods(r, rows, setting, measure, rows);
    claims(r, rows);
    for (int i = 0; i < SPRINGS; ++i) {
        char text[32];
        json_t *series = report_series(r, "position", panel_of(i, text), "exact");
        /* the figure shows four periods, or one second */
        const double omega = sqrt(stiffness[i] / mass), shown = fmax(1, fmin(20, 8 * M_PI / omega));
        for (int n = 0; n <= 500; ++n) {
            series_point(series, n * shown / 500, amplitude * cos(omega * n * shown / 500));
        }
    }
}
