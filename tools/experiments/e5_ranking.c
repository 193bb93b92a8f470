/* E5: the ranking on VDrift's page "Numerical Integration": six methods, m = 168, k = 600000, steps of 1 to 20 ms at equal cost, which
 * means that the step is multiplied by the number of evaluations. */
#include "exact.h"
#include "experiments.h"
#include "limits.h"

#include <math.h>
#include <string.h>

static const double mass = 168, k = 600000, span = 0.5;

/* The properties by which the page ranks methods. */
enum { ACCURACY, CRITICAL, OVER, UNDER, RANKS };

/* The measurement that stands for each ranked property; sign tells whether a larger value is better. */
static const struct measurement {
    const char *rank, *key;
    double sign;
} measurements[RANKS] = {{"accuracy", "error", -1}, {"critical", "limit_1", 1}, {"over", "limit_2", 1}, {"under", "limit_0.1", 1}};

/* The ranks on the page, 1 being the best and ties counted as halves; and the evaluations per step and the order with a damper that it
 * states. */
typedef struct ranked {
    const char *method, *name;
    double rank[RANKS];
    int evaluations, order;
} ranked;

static const ranked page[] = {
    {"explicit-euler", "Euler", {5, 1, 1.5, 6}, 1, 1},      {"suvat", "SUVAT", {4, 2, 1.5, 5}, 1, 1},
    {"semi-implicit-euler", "NSV", {6, 4, 3.5, 1.5}, 1, 1}, {"velocity-verlet", "Modified Verlet", {3, 4, 3.5, 1.5}, 1, 1},
    {"heun", "Improved Euler", {2, 3, 5, 4}, 2, 2},         {"rk4", "RK4", {1, 5, 6, 3}, 4, 4},
};
enum { RANKED = sizeof page / sizeof page[0], CASES = 3, TIMES = 20 };

static const struct damping {
    const char *panel, *key;
    double zeta;
} dampings[CASES] = {{"zeta = 1", "limit_1", 1}, {"zeta = 2", "limit_2", 2}, {"zeta = 0.1", "limit_0.1", 0.1}};

static double drag_of(double zeta) { return 2 * zeta * sqrt(k * mass); }

/* Returns the mean of |x - exact| over half a second. */
static double mean_error(report *r, json_t *row, kdr_method method, double zeta, double dt) {
    const kdr_force forces[] = {kdr_force_spring(k, 0, 0, 0), kdr_force_drag(drag_of(zeta), 0, 0, 0)};
    field_run_setting setting = field_run_on_a_line(forces, 2, dt);
    setting.method = method;
    setting.mass = mass;
    field_run l;
    if (!report_open(r, row, &setting, &l)) {
        return NAN;
    }
    const int steps = (int)round(span / dt);
    double sum = 0;
    field_run_start(&l, 1);
    for (int n = 0; n < steps && report_steps(r, &l, 1); ++n) {
        sum += fabs(field_run_x(&l, 0, 0) - exact_spring(k, drag_of(zeta), mass, 1, field_run_time(&l), NULL));
    }
    field_run_close(&l);
    return sum / steps;
}

/* Returns the evaluations per step, from a run of a thousand steps. */
static double evaluations_of(report *r, json_t *row, kdr_method method) {
    const kdr_force forces[] = {kdr_force_spring(k, 0, 0, 0), kdr_force_drag(drag_of(1), 0, 0, 0)};
    field_run_setting setting = field_run_on_a_line(forces, 2, 0.001);
    setting.method = method;
    field_run l;
    if (!report_open(r, row, &setting, &l)) {
        return NAN;
    }
    const double evaluations = (double)field_run_evaluations(&l, 1000) / 1000;
    field_run_close(&l);
    return evaluations;
}

/* Returns the first of the steps, in ms, whose mean error is above a tenth of the amplitude; infinite if none of the 20 is. */
static double first_unacceptable(report *r, json_t *row, kdr_method method, double work) {
    for (int i = 1; i <= TIMES; ++i) {
        if (!(mean_error(r, row, method, 1, i * 0.001 * work) <= 0.1)) {
            return i;
        }
    }
    return INFINITY;
}

static void measure(report *r, json_t *row, kdr_method method) {
    const kdr_method_info *info = kdr_method_get(method);
    const double work = fmax(info->evaluations, 1); /* exact-affine needs no evaluations */
    for (int c = 0; c < CASES; ++c) {
        json_t *series = report_series(r, "error", dampings[c].panel, info->name);
        for (int i = 1; i <= TIMES; ++i) {
            series_point(series, i * 0.001, mean_error(r, row, method, dampings[c].zeta, i * 0.001 * work));
        }
        double limit;
        if (limit_measure(r, row, &(limit_problem){method, KDR_COMPOSE_NONE, dampings[c].zeta, 1, 1, false}, &limit)) {
            row_number(row, dampings[c].key, 1000 * limit / sqrt(k / mass) / work);
        }
    }
    row_number(row, "error", mean_error(r, row, method, 1, 0.002 * work));
    row_number(row, "slope", log2(mean_error(r, row, method, 1, 0x1p-12) / mean_error(r, row, method, 1, 0x1p-13)));
    row_number(row, "first", first_unacceptable(r, row, method, work));
    row_number(row, "evaluations", evaluations_of(r, row, method));
}

/* Returns true if the measured order agrees with the page's: better ranks have values that are no worse, and tied values are within a
 * tenth. */
static bool agrees(const json_t *rows, int what) {
    const struct measurement *m = &measurements[what];
    for (int i = 0; i < RANKED; ++i) {
        for (int j = 0; j < RANKED; ++j) {
            const double x = m->sign * row_get(report_find(rows, page[i].method), m->key);
            const double y = m->sign * row_get(report_find(rows, page[j].method), m->key);
            const bool tie = page[i].rank[what] == page[j].rank[what];
            if (tie ? !(fabs(x - y) <= 0.1 * fabs(x)) : page[i].rank[what] < page[j].rank[what] && !(x >= y - 1e-4 * fabs(y))) {
                return false;
            }
        }
    }
    return true;
}

/* Writes "NAME VALUE" for all methods, in the page's order of rank `what`, or in the order of the table if `what` is RANKS. */
static void list_values(const json_t *rows, int what, const char *key, char list[512]) {
    list[0] = 0;
    for (int half = 2; half <= 2 * RANKED; ++half) {
        for (int i = 0; i < RANKED; ++i) {
            if (what == RANKS ? half == i + 2 : (int)(2 * page[i].rank[what]) == half) {
                const double value = row_get(report_find(rows, page[i].method), key);
                if (isnan(value)) {
                    report_enumerate(list, "%s none", page[i].name);
                } else {
                    report_enumerate(list, "%s %.3g", page[i].name, value);
                }
            }
        }
    }
}

/* Checks the page's statements about single methods. */
static void statements(report *r, const json_t *rows) {
    bool orders = true, evaluations = true, last = true;
    char list[512];
    const double first = row_get(report_find(rows, "rk4"), "first");
    for (int i = 0; i < RANKED; ++i) {
        const json_t *row = report_find(rows, page[i].method);
        orders = orders && fabs(row_get(row, "slope") - page[i].order) < 0.1;
        evaluations = evaluations && fabs(row_get(row, "evaluations") - page[i].evaluations) < 0.01;
        last = last && (strcmp(page[i].method, "rk4") == 0 || !(row_get(row, "first") <= first));
    }
    list_values(rows, RANKS, "evaluations", list);
    report_claim(r, evaluations, "VDrift", "evaluations a step: Euler, SUVAT, NSV and modified Verlet 1, improved Euler 2, RK4 4",
                 "counted in a run of a thousand steps: %s", list);
    list_values(rows, RANKS, "slope", list);
    report_claim(r, orders, "VDrift",
                 "orders: Euler, SUVAT and NSV 1, improved Euler 2, RK4 4; modified Verlet, of order 2 elsewhere, has 1 with a damper",
                 "by the errors at zeta = 1 with steps of 1/4096 s and half of that: %s", list);
    list_values(rows, RANKS, "first", list);
    report_claim(r, first == 9 && last && isnan(row_get(report_find(rows, "explicit-euler"), "first")), "VDrift",
                 "zeta = 1: RK4 becomes unacceptable first, at 9 ms; Euler is acceptable at 20 ms still",
                 "the first step in ms whose mean error is above a tenth of the amplitude: %s", list);
}

static void claims(report *r, const json_t *rows) {
    static const struct {
        const char *claim, *measured;
    } said[RANKS] = {
        [ACCURACY] = {"accuracy at 2 ms, zeta = 1: RK4, improved Euler, modified Verlet, SUVAT, Euler, NSV, from the best to the worst",
                      "mean errors"},
        [CRITICAL] =
            {"stability at zeta = 1: Euler, SUVAT, improved Euler, then NSV and modified Verlet alike, RK4 last",
             "limits in ms; where those of SUVAT and improved Euler are equal (omega h = 1 / zeta, and 2 at twice the step), the page "
             "sees the error near the limit"},
        [OVER] = {"stability at zeta = 2: Euler and SUVAT alike, NSV and modified Verlet alike, improved Euler, RK4", "limits in ms"},
        [UNDER] = {"stability at zeta = 0.1: NSV and modified Verlet alike, RK4, improved Euler, SUVAT, Euler", "limits in ms"},
    };
    for (int what = 0; what < RANKS; ++what) {
        char list[512];
        list_values(rows, what, measurements[what].key, list);
        report_claim(r, agrees(rows, what), "VDrift", said[what].claim, "%s: %s", said[what].measured, list);
    }
}

void experiment_ranking(report *r) {
    static const column columns[] = {{"method", "method"},
                                     {"family", "family"},
                                     {"order", "order"},
                                     {"name", "VDrift's name"},
                                     {"accuracy", "page: accuracy"},
                                     {"error", "mean error at 2 ms"},
                                     {"critical", "page: zeta 1"},
                                     {"limit_1", "limit, ms"},
                                     {"over", "page: zeta 2"},
                                     {"limit_2", "limit, ms"},
                                     {"under", "page: zeta 0.1"},
                                     {"limit_0.1", "limit, ms"},
                                     {"evaluations", "evaluations"},
                                     {"slope", "measured order"},
                                     {"first", "unacceptable from, ms"},
                                     {0}};
    report_about(
        r, "m = 168, k = 600,000 (omega = 59.8 / s), released at 1; steps of 1 to 20 ms, multiplied by the method's evaluations so that "
           "all cost the same: improved Euler takes twice the step, RK4 four times. Errors are means of |x - exact| over half a second; "
           "limits are steps, so divided by the evaluations. The page's ranks stand beside them, ties as halves.");
    json_t *rows = report_table(r, "ranking", "VDrift's six methods, the page's ranks and the measurements", columns);
    bool all = true;
    for (int i = 0; i < RANKED && !r->failed; ++i) {
        kdr_method method;
        all = all && kdr_method_from_name(page[i].method, &method) == KDR_OK;
        if (kdr_method_from_name(page[i].method, &method) != KDR_OK) {
            continue;
        }
        json_t *row = report_method_row(rows, method);
        row_text(row, "name", page[i].name);
        for (int what = 0; what < RANKS; ++what) {
            row_number(row, measurements[what].rank, page[i].rank[what]);
        }
        measure(r, row, method);
    }
    if (all) {
        statements(r, rows);
        claims(r, rows);
    }
}
