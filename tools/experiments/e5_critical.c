/* E5: VDrift's critically damped springs, and the largest stiffness at which each method is stable. */
#include "exact.h"
#include "experiments.h"
#include "limits.h"
#include "verdicts.h"

#include <math.h>
#include <string.h>

const double critical_stiffness[CRITICAL_SPRINGS] = {1e4, 1.5e4, 1.8e4, 3e4, 8e4}, critical_mass = 250, critical_x0 = 1, critical_h = 0.1;

double critical_drag(double k) { return 2 * sqrt(k * critical_mass); }

const char *critical_panel(int spring, char text[32]) {
    snprintf(text, 32, "k = %g", critical_stiffness[spring]);
    return text;
}

typedef struct critical_spring {
    json_t *series;
    double worst, sum;
} critical_spring;

static void record(json_t *rows, json_t *row, const field_run *l, const critical_spring *s, int i) {
    if (i > 0) {
        row = report_method_row(rows, l->setting.method);
    }
    const bool stable = fabs(field_run_x(l, (size_t)i, 0)) < critical_x0;
    row_number(row, "k", critical_stiffness[i]);
    row_number(row, "z", sqrt(critical_stiffness[i] / critical_mass) * critical_h);
    row_flag(row, "stable", stable);
    row_number(row, "worst", s->worst);
    row_number(row, "mean", s->sum / CRITICAL_WATCHED);
    row_number(row, "end", field_run_x(l, (size_t)i, 0));
}

static void measure(report *r, json_t *row, field_run *l, void *context) {
    critical_spring springs[CRITICAL_SPRINGS] = {{0}};
    char text[32];
    for (int i = 0; i < CRITICAL_SPRINGS; ++i) {
        springs[i].series = report_series(r, "position", critical_panel(i, text), kdr_method_get(l->setting.method)->name);
    }
    field_run_start(l, critical_x0);
    for (int n = 0; n <= CRITICAL_WATCHED; ++n) {
        for (int i = 0; i < CRITICAL_SPRINGS; ++i) {
            const double x = field_run_x(l, (size_t)i, 0);
            const double error = fabs(x - exact_spring(critical_stiffness[i], critical_drag(critical_stiffness[i]), critical_mass,
                                                       critical_x0, field_run_time(l), NULL));
            springs[i].worst = fmax(springs[i].worst, error);
            springs[i].sum += error;
            if (n <= 20) {
                series_point(springs[i].series, field_run_time(l), x);
            }
        }
        if (!report_steps(r, l, n < CRITICAL_WATCHED ? 1 : CRITICAL_STEPS - CRITICAL_WATCHED)) {
            return;
        }
    }
    for (int i = 0; i < CRITICAL_SPRINGS; ++i) {
        record(context, row, l, &springs[i], i);
    }
}

const json_t *critical_row(const json_t *rows, const char *method, double k) {
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        const json_t *row = json_array_get(rows, i);
        const char *name = json_string_value(json_object_get(row, "method"));
        if (name && strcmp(name, method) == 0 && row_get(row, "k") == k) {
            return row;
        }
    }
    return NULL;
}

/* Ranks the stable methods of one critical_stiffness by their mean error. */
static void rank(json_t *rows, double k) {
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        json_t *row = json_array_get(rows, i);
        if (row_get(row, "k") != k || !json_is_true(json_object_get(row, "stable"))) {
            continue;
        }
        uint64_t better = 0;
        for (size_t j = 0; j < json_array_size(rows); ++j) {
            const json_t *other = json_array_get(rows, j);
            better +=
                row_get(other, "k") == k && json_is_true(json_object_get(other, "stable")) && row_get(other, "mean") < row_get(row, "mean");
        }
        row_count(row, "rank", better + 1);
    }
}

/* Finds the largest stiffness from the motion at h = 0.1, and from the stability limit of the analysis, m (omega h)^2 / h^2. */
static void threshold(report *r, json_t *rows, kdr_method method, bool afresh) {
    const kdr_method_info *info = kdr_method_get(method);
    json_t *row = report_method_row(rows, method);
    double limit;
    row_text(row, "variant", !info->memory ? "" : afresh ? "afresh at each step" : "acceleration kept");
    if (!limit_by_growth(r, row, &(limit_problem){method, KDR_COMPOSE_NONE, 1, critical_mass, critical_h, afresh}, &limit)) {
        return;
    }
    row_number(row, "z", limit);
    if (isinf(limit)) {
        row_text(row, "k", "no limit seen");
    } else {
        row_number(row, "k", critical_mass * limit * limit / (critical_h * critical_h));
    }
}

static double threshold_of(const json_t *rows, const char *method, const char *variant) {
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        const json_t *row = json_array_get(rows, i);
        const char *name = json_string_value(json_object_get(row, "method")), *kind = json_string_value(json_object_get(row, "variant"));
        if (name && kind && strcmp(name, method) == 0 && strcmp(kind, variant) == 0) {
            return row_get(row, "k");
        }
    }
    return NAN;
}

static void claims(report *r, const json_t *rows, const json_t *ends) {
    const double kick = threshold_of(ends, "semi-implicit-euler", ""), kept = threshold_of(ends, "velocity-verlet", "acceleration kept");
    const double afresh = threshold_of(ends, "velocity-verlet", "afresh at each step");
    report_claim(r, kick > 15000 && kick < 18000, "VDrift", "NSV (semi-implicit Euler) comes to its end between k = 15,000 and 18,000",
                 "it ends at k = %.0f N/m; (omega h)^2 + 4 omega h < 4 gives 17157", kick);
    report_claim(
        r, fabs(kept - kick) < 1e-3 * kick, "Analysis",
        "modified Verlet as VDrift lists it, with the acceleration kept for the next step, is semi-implicit Euler in its half-step "
        "velocities, and no more stable than that",
        "it ends at k = %.0f N/m; evaluated afresh at each step, at twice the cost, it would end at %.0f (omega h = 2)", kept, afresh);
    const json_t *nsv = critical_row(rows, "semi-implicit-euler", 18000), *verlet = critical_row(rows, "velocity-verlet", 18000);
    report_claim(
        r, !json_is_true(json_object_get(verlet, "stable")) && row_get(verlet, "worst") < 0.1 * row_get(nsv, "worst"), "Analysis",
        "at k = 18,000 NSV and modified Verlet grow by the same factor a step, and Verlet begins with far less of the growing part: what "
        "NSV shows in a second, Verlet shows later",
        "in the first 5 s NSV's error reaches %.2g, Verlet's %.2g; at 200 s they are at %.1g and %.1g", row_get(nsv, "worst"),
        row_get(verlet, "worst"), fabs(row_get(nsv, "end")), fabs(row_get(verlet, "end")));
}

void experiment_critical(report *r) {
    static const column columns[] = {{"method", "method"},
                                     {"family", "family"},
                                     {"order", "order"},
                                     {"k", "k"},
                                     {"z", "omega h"},
                                     {"stable", "stable"},
                                     {"rank", "rank"},
                                     {"mean", "mean error"},
                                     {"worst", "largest error"},
                                     {"end", "x at 200 s"},
                                     {0}};
    static const column limits[] = {{"method", "method"},
                                    {"family", "family"},
                                    {"order", "order"},
                                    {"variant", "variant"},
                                    {"z", "largest omega h"},
                                    {"k", "largest k"},
                                    {0}};
    double b[CRITICAL_SPRINGS];
    for (int i = 0; i < CRITICAL_SPRINGS; ++i) {
        b[i] = critical_drag(critical_stiffness[i]);
    }
    kdr_force forces[] = {kdr_force_spring(0, 0, 0, 0), kdr_force_drag(0, 0, 0, 0)};
    forces[0].as.spring.k_each = critical_stiffness;
    forces[1].as.drag.b_each = b;
    forces[0].as.spring.count = forces[1].as.drag.count = CRITICAL_SPRINGS;
    field_run_setting setting = field_run_on_a_line(forces, 2, critical_h);
    setting.count = CRITICAL_SPRINGS;
    setting.mass = critical_mass;
    report_about(
        r, "A critically damped spring, m = 250, c = 2 sqrt(k m), released at 1, h = 0.1, against (1 + omega t) e^(-omega t). Errors "
           "are those of the first 5 s; a run is stable when it has come down by 200 s; ranks are by mean error among the stable ones. "
           "Verlet without VDrift's modification, which the library does not have, is stepped beside them. The last table finds the "
           "stiffest spring of each method by sections. Springs and verdicts are those of the older of VDrift's two pages; the newer one "
           "is the next experiment.");
    json_t *rows = report_table(r, "methods", "Every method that accepts drag, every stiffness", columns);
    report_methods(r, rows, setting, measure, rows);
    for (int i = 0; i < CRITICAL_SPRINGS; ++i) {
        char text[32];
        rank(rows, critical_stiffness[i]);
        json_t *series = report_series(r, "position", critical_panel(i, text), "exact");
        for (int n = 0; n <= 200; ++n) {
            series_point(series, n * 0.01, exact_spring(critical_stiffness[i], b[i], critical_mass, critical_x0, n * 0.01, NULL));
        }
    }
    const json_t *unmodified = verdicts_unmodified(r);
    json_t *ends = report_table(r, "thresholds", "The stiffest critically damped spring, m = 250, h = 0.1", limits);
    for (int m = 0; m < KDR_METHOD_COUNT && !r->failed; ++m) {
        threshold(r, ends, (kdr_method)m, false);
        if (kdr_method_get((kdr_method)m)->memory && kdr_method_get((kdr_method)m)->velocity_forces == KDR_VELOCITY_ANY) {
            threshold(r, ends, (kdr_method)m, true);
        }
    }
    verdicts_claim(r, rows, ends, unmodified);
    claims(r, rows, ends);
}
