/* The stability map: the largest stable omega h of every method at every damping ratio. */
#include "experiments.h"
#include "limits.h"

#include <math.h>

/* The damping ratios of the table, and of the map. */
static const double tabulated[] = {0, 0.01, 0.1, 0.5, 1, 2};
enum { TABULATED = sizeof tabulated / sizeof tabulated[0], MAPPED = 33 };

/* Returns damping ratio i of the map, from 0.003 to 5 by factors of 10^0.1; 0.01, 0.1 and 1 are among them. */
static double mapped(int i) { return pow(10, -2.5 + i * 0.1); }

static void row_limit(json_t *row, const char *key, double limit) {
    if (isinf(limit)) {
        row_text(row, key, "none below 8");
    } else {
        row_number(row, key, limit);
    }
}

static void measure(report *r, json_t *row, kdr_method method) {
    const kdr_method_info *info = kdr_method_get(method);
    double limit;
    row_number(row, "table", info->stability);
    for (int i = 0; i < TABULATED; ++i) {
        char key[32];
        json_t *dropped = i == 0 ? row : json_object(); /* methods that do not accept drag have no entries after the first column */
        snprintf(key, sizeof key, "zeta_%g", tabulated[i]);
        const bool accepted = limit_measure(r, dropped, &(limit_problem){method, KDR_COMPOSE_NONE, tabulated[i], 1, 1, false}, &limit);
        if (i > 0) {
            json_decref(dropped);
        }
        if (!accepted) {
            return;
        }
        row_limit(row, key, limit);
    }
    json_t *series = report_series(r, "map", "", info->name);
    for (int i = 0; i < MAPPED; i += r->quick ? 5 : 1) {
        if (limit_measure(r, row, &(limit_problem){method, KDR_COMPOSE_NONE, mapped(i), 1, 1, false}, &limit)) {
            series_point(series, mapped(i), fmin(limit, LIMIT_CAP));
        }
    }
}

void experiment_stability(report *r) {
    static const column columns[] = {{"method", "method"},
                                     {"family", "family"},
                                     {"order", "order"},
                                     {"table", "table"},
                                     {"zeta_0", "zeta 0"},
                                     {"zeta_0.01", "0.01"},
                                     {"zeta_0.1", "0.1"},
                                     {"zeta_0.5", "0.5"},
                                     {"zeta_1", "1"},
                                     {"zeta_2", "2"},
                                     {0}};
    report_about(
        r, "The damped oscillator x'' = -omega^2 x - 2 zeta omega x'. For each method and damping ratio zeta, the omega h at which it "
           "first grows: an ensemble of 4000 oscillators up to omega h = 8, then finer ones about the first that grows. Without memory "
           "the eigenvalues of one step's matrix decide; a method that carries its acceleration is watched for some thousand steps. "
           "Column `table` is what `kickdrift methods` says for zeta = 0. Methods that refuse drag have only that case. A limit of 0 at "
           "zeta = 0 means a growth that any h has, however small: for Nystrom's methods of order 5 and 6 it is of order (omega h)^6 "
           "and takes long to be seen.");
    json_t *rows = report_table(r, "limits", "Largest stable omega h", columns);
    for (int m = 0; m < KDR_METHOD_COUNT && !r->failed; ++m) {
        measure(r, report_method_row(rows, (kdr_method)m), (kdr_method)m);
    }
    int checked = 0, agree = 0;
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        const json_t *row = json_array_get(rows, i);
        const double table = row_get(row, "table"), measured = row_get(row, "zeta_0");
        ++checked;
        /* NaN means unbounded, in the measurement or in the table. */
        agree += isnan(measured) ? isnan(table) || table >= LIMIT_CAP : fabs(measured - table) < (table > 0 ? 1e-6 : 0.25);
    }
    report_claim(r, agree == checked, "The table of methods", "states the limit of every method on the undamped oscillator",
                 "%d of %d agree to 1e-6", agree, checked);
}
